// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/object.h"

#include "base/alloc.h"
#include "device/device.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

struct call {
  void (*call)(void *data);
  void *data;
};

// All under weir_device_lock.
static unsigned depth;
static struct call *calls;
static size_t call_count, call_capacity;

// A waiter sleeps without the device's lock: it would keep out the thread that it waits for.
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t changes;

struct weir_cl_guard weir_cl_enter(void) {
  weir_device_lock();
  depth++;
  return (struct weir_cl_guard){0};
}

void weir_cl_leave(struct weir_cl_guard *g) {
  (void)g;
  struct call *due = NULL;
  size_t count = 0;
  if (--depth == 0 && call_count) {
    due = calls;
    count = call_count;
    calls = NULL;
    call_count = call_capacity = 0;
  }
  weir_device_unlock();
  for (size_t i = 0; i < count; i++) due[i].call(due[i].data);
  weir_free(due);
}

void weir_cl_later(void (*call)(void *data), void *data) {
  *weir_push(calls, call_count, call_capacity) = (struct call){call, data};
}

void weir_cl_completed(void) {
  pthread_mutex_lock(&change_lock);
  changes++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&change_lock);
}

bool weir_cl_wait_for_change(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += WEIR_CL_STUCK_SECONDS;
  pthread_mutex_lock(&change_lock);
  const uint64_t seen = changes;
  pthread_mutex_unlock(&change_lock);
  weir_cl_leave(NULL);
  pthread_mutex_lock(&change_lock);
  while (changes == seen && !pthread_cond_timedwait(&changed, &change_lock, &until)) continue;
  const bool change = changes != seen;
  pthread_mutex_unlock(&change_lock);
  weir_cl_enter();
  return change;
}

void weir_cl_head_init(struct weir_cl_head *o, enum weir_cl_magic magic) {
  *o = (struct weir_cl_head){&weir_cl_dispatch, magic, 1};
}

bool weir_cl_head_release(struct weir_cl_head *o) {
  if (--o->references) return false;
  o->magic = 0;
  return true;
}

cl_int weir_cl_answer(const void *value, size_t bytes, size_t size, void *to, size_t *size_ret) {
  if (to && size < bytes) return CL_INVALID_VALUE;
  if (to && bytes) memcpy(to, value, bytes);
  if (size_ret) *size_ret = bytes;
  return CL_SUCCESS;
}

cl_int weir_cl_answer_text(const char *text, size_t size, void *to, size_t *size_ret) {
  if (!text) text = "";
  return weir_cl_answer(text, strlen(text) + 1, size, to, size_ret);
}

void *weir_cl_refuse(cl_int *errcode_ret, cl_int code) {
  weir_cl_code(errcode_ret, code);
  return NULL;
}

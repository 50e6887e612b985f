// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What every OpenCL object begins with, and what every entry point does first. Invariants: an object's first word is
// the dispatch table (the ICD loader reads it); its magic says what it is while it lives and nothing once it is freed;
// its members change only under weir_device_lock, which an entry point holds from WEIR_CL_ENTER to its return. A
// program's callbacks run after the lock is given back, so that they may call OpenCL from any thread.
#ifndef WEIR_OPENCL_OBJECT_H
#define WEIR_OPENCL_OBJECT_H

#define CL_TARGET_OPENCL_VERSION 300 // the dispatch table is typed whole; what we provide is 1.2
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <stdbool.h>
#include <stdint.h>

enum weir_cl_magic {
  WEIR_CL_MAGIC_PLATFORM = 0x77636c01,
  WEIR_CL_MAGIC_DEVICE,
  WEIR_CL_MAGIC_CONTEXT,
  WEIR_CL_MAGIC_QUEUE,
  WEIR_CL_MAGIC_EVENT,
  WEIR_CL_MAGIC_MEM,
  WEIR_CL_MAGIC_SAMPLER,
  WEIR_CL_MAGIC_PROGRAM,
  WEIR_CL_MAGIC_KERNEL,
};

struct weir_cl_head {
  const cl_icd_dispatch *dispatch;
  uint32_t magic; // enum weir_cl_magic
  cl_uint references;
};

extern const cl_icd_dispatch weir_cl_dispatch;

#define weir_cl_is(handle, what) ((handle) && (handle)->object.magic == WEIR_CL_MAGIC_##what)

void weir_cl_head_init(struct weir_cl_head *o, enum weir_cl_magic magic); // with one reference
bool weir_cl_head_release(struct weir_cl_head *o); // true: that was the last reference, and the magic is gone

// ---- entry points
// -----------------------------------------------------------------------------------------------------

struct weir_cl_guard {
  int unused;
};
struct weir_cl_guard weir_cl_enter(void);
void weir_cl_leave(struct weir_cl_guard *g);
#define WEIR_CL_ENTER                                                                                                  \
  __attribute__((cleanup(weir_cl_leave), unused)) struct weir_cl_guard weir_cl_entered = weir_cl_enter()

// Calls `call(data)` as soon as the lock is given back; in the order of these requests.
void weir_cl_later(void (*call)(void *data), void *data);

// Gives the lock back until something completes (weir_cl_completed), then takes it again. False: nothing has for so many seconds of
// the clock on the wall.
enum { WEIR_CL_STUCK_SECONDS = 5 };
bool weir_cl_wait_for_change(void);
void weir_cl_completed(void);

// ---- answers
// ----------------------------------------------------------------------------------------------------------

// What every clGet…Info does: CL_INVALID_VALUE if `to` is too small.
cl_int weir_cl_answer(const void *value, size_t bytes, size_t size, void *to, size_t *size_ret);
cl_int weir_cl_answer_text(const char *text, size_t size, void *to, size_t *size_ret); // NULL: ""
#define WEIR_CL_ANSWER(type, value) weir_cl_answer(&(type){value}, sizeof(type), size, to, size_ret)

// Stores the code, if anybody wants it; a creator returns NULL.
void *weir_cl_refuse(cl_int *errcode_ret, cl_int code);
static inline void weir_cl_code(cl_int *errcode_ret, cl_int code) {
  if (errcode_ret) *errcode_ret = code;
}

#endif

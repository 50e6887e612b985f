// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs the subject (subject.c), and reads the run objects that its processes left.
#ifndef WEIR_TEST_SUBJECT_PROCESS_H
#define WEIR_TEST_SUBJECT_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"

enum { MOST_RUNS = 8 };

struct subject {
  pid_t pid;
  int out; // what it prints; ends with it
  char folder[32];
  int status;              // exit status; 256 + the signal that ended it
  json_t *runs[MOST_RUNS]; // in the order of their names
  unsigned count;
};

static inline struct subject subject_start(const char *mode, const char *number) {
  struct subject s = {.folder = "/tmp/weir-subject-XXXXXX"};
  int out[2];
  assert_non_null(mkdtemp(s.folder));
  assert_int_equal(pipe2(out, O_CLOEXEC), 0);
  s.pid = fork();
  if (!s.pid) {
    int nowhere = open("/dev/null", O_WRONLY);
    setenv("WEIR_RESULTS", s.folder, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0:handle_segv=0", 1); // its handlers would be in our way
    if (!getenv("WEIR_TEST_ALONE"))
      setenv("LD_PRELOAD", WEIR_BINARY_DIR "/lib/weir/libweirends.so", 1); // as the launcher
    dup2(out[1], 1);
    if (!getenv("WEIR_TEST_LOUD")) dup2(nowhere, 2);
    execl(SUBJECT, SUBJECT, mode, number, (char *)NULL);
    _exit(127);
  }
  close(out[1]);
  s.out = out[0];
  return s;
}

// Until it has printed something.
static inline void subject_await(const struct subject *s) {
  char c;
  assert_int_equal(read(s->out, &c, 1), 1);
}

static inline int subject_by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void subject_end(struct subject *s) {
  char *names[MOST_RUNS], path[512];
  int status;
  assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
  close(s->out);
  s->status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
  DIR *d = opendir(s->folder);
  for (struct dirent *e; (e = readdir(d));)
    if (*e->d_name != '.') names[s->count++ % MOST_RUNS] = strdup(e->d_name);
  closedir(d);
  qsort(names, s->count, sizeof *names, subject_by_name);
  for (unsigned i = 0; i < s->count; i++) {
    snprintf(path, sizeof path, "%s/%s", s->folder, names[i]);
    s->runs[i] = json_load_file(path, 0, NULL);
    if (!s->runs[i]) fail_msg("%s is no run object", path);
    unlink(path);
    free(names[i]);
  }
  rmdir(s->folder);
}

static inline struct subject subject_run(const char *mode, const char *number) {
  struct subject s = subject_start(mode, number);
  subject_end(&s);
  return s;
}

static inline void subject_free(struct subject *s) {
  for (unsigned i = 0; i < s->count; i++) json_decref(s->runs[i]);
}

static inline const char *end_of(const json_t *run) {
  return json_string_value(json_object_get(json_object_get(run, "process"), "end"));
}

static inline json_int_t launches_of(const json_t *run) {
  size_t i;
  json_t *k;
  json_int_t sum = 0;
  json_array_foreach(json_object_get(run, "kernels"), i, k) sum += json_integer_value(json_object_get(k, "launches"));
  return sum;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs the weir that was built, as a user would.
#ifndef WEIR_TEST_PROCESS_H
#define WEIR_TEST_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEIR WEIR_BINARY_DIR "/weir"

struct process {
  pid_t pid;
  int files[2];
  char *out, *err; // once it has ended
  int status;      // its exit status; 256 + the signal that ended it
};

// argv ends with NULL and begins after the program's name.
static inline struct process process_start(const char *const *argv) {
  const char *all[64] = {WEIR};
  unsigned n = 1;
  for (; argv[n - 1]; n++) all[n] = argv[n - 1];
  struct process p = {.files = {memfd_create("out", 0), memfd_create("err", 0)}};
  p.pid = fork();
  if (!p.pid) {
    dup2(p.files[0], 1);
    dup2(p.files[1], 2);
    execv(WEIR, (char *const *)all);
    _exit(127);
  }
  assert_true(p.pid > 0);
  return p;
}

static inline void write_text_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

// Waits until it has printed `text`, a minute at most: how long that takes is the machine's business.
static inline void process_await(const struct process *p, const char *text) {
  char printed[4096];
  for (int i = 0; i < 6000; i++, usleep(10000)) {
    const ssize_t n = pread(p->files[0], printed, sizeof printed - 1, 0);
    printed[n > 0 ? n : 0] = '\0';
    if (strstr(printed, text)) return;
  }
  fail_msg("it has not printed '%s'", text);
}

static inline char *process_text(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  char *text = calloc(1, (size_t)size + 1);
  assert_int_equal(pread(file, text, (size_t)size, 0), size);
  close(file);
  return text;
}

static inline void process_end(struct process *p) {
  int status;
  assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
  p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
  p->out = process_text(p->files[0]);
  p->err = process_text(p->files[1]);
}

static inline void process_free(struct process *p) {
  free(p->out);
  free(p->err);
}

#define process_run(...) process_run_all((const char *const[]){__VA_ARGS__, NULL})
static inline struct process process_run_all(const char *const *argv) {
  struct process p = process_start(argv);
  process_end(&p);
  return p;
}

// What it printed holds `part`.
static inline void assert_holds(const char *text, const char *part) {
  if (strstr(text, part)) return;
  print_error("no '%s' in:\n%s\n", part, text);
  fail();
}

#endif

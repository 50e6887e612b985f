// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The suite in a process of its own, which tells of its trial in memory that both share.
#include "policy/conform/conform.h"

#include "policy/conform/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 120 }; // of processor time

_Noreturn static void try_apart(struct weir_conform_trial *t, const struct weir_policy *p) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS + 1});
  weir_conform_suite(t, p);
  _exit(0);
}

static void describe_end(struct weir_conform_trial *t, int status) {
  if (WIFEXITED(status) && !WEXITSTATUS(status)) return;
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    snprintf(t->found, sizeof t->found, "it does not return; expected: an answer at once");
  else if (WIFSIGNALED(status))
    snprintf(t->found, sizeof t->found, "it dies of %s; expected: that it reads and writes nothing but its memory%s",
             strsignal(WTERMSIG(status)), WTERMSIG(status) == SIGABRT ? ", and ends no process" : "");
  else
    snprintf(t->found, sizeof t->found, "it ends the process; expected: that it returns");
}

const char *weir_policy_conform(const struct weir_policy *p, char *message, size_t size) {
  struct weir_conform_trial *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED) abort();
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0) abort();
  if (!child) try_apart(t, p);
  int status;
  while (waitpid(child, &status, 0) != child) continue;
  describe_end(t, status);
  const bool found = t->found[0];
  if (found)
    snprintf(message, size, "%s%s%s%s%s", t->found,
             t->cache[0]    ? " (in "
               : t->knob[0] ? " (with "
                            : "",
             t->cache, t->cache[0] && t->knob[0] ? ", with " : "", t->knob);
  if (found && (t->cache[0] || t->knob[0])) strncat(message, ")", size - strlen(message) - 1);
  munmap(t, sizeof *t);
  return found ? message : NULL;
}

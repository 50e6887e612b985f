// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/jobs.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A fork inherits its parent's peak; what it reports as its own begins here (proc(5), clear_refs).
static void forget_peak_memory(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (!f) return; // then the peak includes the parent's
  fputs("5", f);
  fclose(f);
}

static __attribute__((noreturn)) void child(struct weir_job *j, pid_t parent,
                                            int (*work)(void *context, FILE *answer), void *context) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE); // it ended before prctl
  forget_peak_memory();
  FILE *answer = fdopen(j->answer, "w");
  int status = work(context, answer);
  if (fclose(answer)) status = EXIT_FAILURE;
  _exit(status); // nothing of the parent's is flushed or closed
}

// SIGCHLD stays blocked from the first job on, so that one that ends between two waits is not missed.
static void block_sigchld(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

bool weir_job_start(struct weir_job *j, int (*work)(void *context, FILE *answer), void *context) {
  block_sigchld();
  *j = (struct weir_job){.answer = memfd_create("weir-answer", MFD_CLOEXEC)};
  if (j->answer < 0) return false;
  fflush(NULL);
  pid_t parent = getpid();
  j->pid = fork();
  if (!j->pid) child(j, parent, work, context);
  if (j->pid < 0) {
    close(j->answer);
    j->pid = 0;
  }
  return j->pid;
}

char *weir_job_answer(struct weir_job *j) {
  off_t size = lseek(j->answer, 0, SEEK_END);
  char *text = calloc(1, (size_t)size + 1);
  if (!text) abort();
  for (off_t at = 0; at < size;) {
    ssize_t n = pread(j->answer, text + at, (size_t)(size - at), at);
    if (n <= 0) break;
    at += n;
  }
  close(j->answer);
  return text;
}

static bool find_ended(struct weir_job *jobs, unsigned count, unsigned *which) {
  for (unsigned i = 0; i < count; i++) {
    if (!jobs[i].pid || waitpid(jobs[i].pid, &jobs[i].status, WNOHANG) != jobs[i].pid) continue;
    jobs[i].pid = 0;
    *which = i;
    return true;
  }
  return false;
}

static struct timespec in_parts(double seconds) {
  time_t whole = (time_t)seconds;
  return (struct timespec){whole, (long)((seconds - (double)whole) * 1e9)};
}

enum weir_wait weir_jobs_wait(struct weir_job *jobs, unsigned count, double seconds, unsigned *which) {
  if (find_ended(jobs, count, which)) return WEIR_WAIT_ENDED;
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  struct timespec timeout = in_parts(seconds);
  int got = sigtimedwait(&awaited, NULL, &timeout);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (got == SIGINT || got == SIGTERM) return WEIR_WAIT_INTERRUPTED;
  return find_ended(jobs, count, which) ? WEIR_WAIT_ENDED : WEIR_WAIT_TIMEOUT;
}

void weir_jobs_kill(struct weir_job *jobs, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (jobs[i].pid) kill(jobs[i].pid, SIGKILL);
  for (unsigned i = 0; i < count; i++) {
    if (!jobs[i].pid) continue;
    waitpid(jobs[i].pid, &jobs[i].status, 0);
    close(jobs[i].answer);
    jobs[i].pid = 0;
  }
}

unsigned weir_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

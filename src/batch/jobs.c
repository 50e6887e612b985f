// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memfd_create, sched_getaffinity

#include "batch/jobs.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 300 }; // hundredths of a second that jobs have to end

static sigset_t awaited(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCHLD);
  return set;
}

void weir_jobs_begin(void) {
  sigset_t set = awaited();
  sigprocmask(SIG_BLOCK, &set, NULL);
}

void weir_jobs_end(void) {
  sigset_t set = awaited();
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

// A fork inherits its parent's peak; what it reports as its own begins here (proc(5), clear_refs).
static void forget_peak_memory(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (!f) return; // then the peak includes the parent's
  fputs("5", f);
  fclose(f);
}

static __attribute__((noreturn)) void child(struct weir_job *j, pid_t parent, int (*work)(void *context, FILE *answer),
                                            void *context) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE); // it ended before prctl
  weir_jobs_end();
  forget_peak_memory();
  FILE *answer = fdopen(j->answer, "w");
  int status = work(context, answer);
  if (fclose(answer)) status = EXIT_FAILURE;
  _exit(status); // nothing of the parent's is flushed or closed
}

bool weir_job_start(struct weir_job *j, int (*work)(void *context, FILE *answer), void *context) {
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

// One byte longer, so that it ends with NUL; one that cannot be mapped is an answer that says nothing.
struct weir_job_text weir_job_answer(struct weir_job *j) {
  const off_t size = lseek(j->answer, 0, SEEK_END);
  struct weir_job_text a = {"", 0};
  void *text = MAP_FAILED;
  if (size > 0 && !ftruncate(j->answer, size + 1))
    text = mmap(NULL, (size_t)size + 1, PROT_READ, MAP_PRIVATE | MAP_POPULATE, j->answer, 0);
  if (text != MAP_FAILED) a = (struct weir_job_text){text, (size_t)size + 1};
  close(j->answer);
  return a;
}

void weir_job_text_free(struct weir_job_text *a) {
  if (a->mapped) munmap((void *)a->text, a->mapped);
  *a = (struct weir_job_text){"", 0};
}

bool weir_child_ended(pid_t pid, int *status) {
  pid_t got = waitpid(pid, status, WNOHANG);
  bool gone = got < 0 && errno == ECHILD; // SIGCHLD was ignored as it ended
  if (gone) *status = W_EXITCODE(WEIR_STATUS_UNKNOWN, 0);
  return got == pid || gone;
}

static bool find_ended(struct weir_job *jobs, unsigned count, unsigned *which) {
  for (unsigned i = 0; i < count; i++) {
    if (!jobs[i].pid || !weir_child_ended(jobs[i].pid, &jobs[i].status)) continue;
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

static bool asked_to_stop(void) {
  sigset_t pending;
  return !sigpending(&pending) && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM));
}

enum weir_wait weir_jobs_wait(struct weir_job *jobs, unsigned count, double seconds, unsigned *which) {
  if (!asked_to_stop() && find_ended(jobs, count, which)) return WEIR_WAIT_ENDED;
  sigset_t set = awaited();
  struct timespec timeout = in_parts(seconds);
  int got = sigtimedwait(&set, NULL, &timeout);
  if (got == SIGINT || got == SIGTERM) return WEIR_WAIT_INTERRUPTED;
  return find_ended(jobs, count, which) ? WEIR_WAIT_ENDED : WEIR_WAIT_TIMEOUT;
}

static bool all_ended(struct weir_job *jobs, unsigned count) {
  unsigned which;
  while (find_ended(jobs, count, &which)) close(jobs[which].answer);
  for (unsigned i = 0; i < count; i++)
    if (jobs[i].pid) return false;
  return true;
}

void weir_jobs_kill(struct weir_job *jobs, unsigned count) {
  static const struct timespec a_while = {.tv_nsec = 10000000};
  for (unsigned i = 0; i < count; i++)
    if (jobs[i].pid) kill(jobs[i].pid, SIGTERM); // those that have something to put away do so
  for (int waited = 0; waited < PATIENCE && !all_ended(jobs, count); waited++) nanosleep(&a_while, NULL);
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

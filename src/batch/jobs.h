// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Work in child processes: each writes its answer to a file that nobody else sees, so a child that crashes or is killed
// costs its own answer and no other. Invariant: children end when their parent does.
#ifndef WEIR_BATCH_JOBS_H
#define WEIR_BATCH_JOBS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { WEIR_STATUS_UNKNOWN = 127 }; // exit status of a child whose end somebody else has taken

struct weir_job {
  pid_t pid;  // 0: not running
  int answer; // file descriptor
  int status; // of waitpid, once ended
};

struct weir_job_text {
  const char *text; // NUL-terminated
  size_t mapped;    // bytes
};

// Between these two, SIGINT and SIGTERM are kept for weir_jobs_wait, and no child's end is missed.
void weir_jobs_begin(void);
void weir_jobs_end(void);

// Forks; the child calls `work` with its answer to write and exits with what it returns. false: no process or file can be
// had (errno).
bool weir_job_start(struct weir_job *j, int (*work)(void *context, FILE *answer), void *context);

// After the job ended: what it wrote, which is mapped and not copied: memory that this process writes to is copied once more after each fork.
// Its file is closed.
struct weir_job_text weir_job_answer(struct weir_job *j);
void weir_job_text_free(struct weir_job_text *a);

enum weir_wait { WEIR_WAIT_TIMEOUT, WEIR_WAIT_ENDED, WEIR_WAIT_INTERRUPTED };

// Waits until one of the running jobs ends (*which), SIGINT or SIGTERM asks to stop, or `seconds` are over.
enum weir_wait weir_jobs_wait(struct weir_job *jobs, unsigned count, double seconds, unsigned *which);

// Whether a child of this process has ended, without waiting; *status as waitpid tells it. One that is no longer there has
// ended, with exit status WEIR_STATUS_UNKNOWN.
bool weir_child_ended(pid_t pid, int *status);

// Asks the running ones to end, and kills those that take too long; returns when they are gone.
void weir_jobs_kill(struct weir_job *jobs, unsigned count);

unsigned weir_processors(void); // that this process may use

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The run before the run: where a policy foresees, the experiment runs in a child process, which records its accesses. The
// program's memory is as it was afterwards, and what it says is heard once.
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void be_silent(void) {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

static _Noreturn void record(struct weir_run r, const struct weir_opened *o, weir_run_on_chip *run,
                             struct weir_sink *sink, FILE *to) {
  be_silent();
  r.chip = weir_chip_create(r.setup->chip, r.setup->scheme, r.experiment->seed, sink);
  if (r.chip) weir_chip_log_accesses(r.chip);
  _exit(r.chip && run(&r, o, sink) && weir_chip_write_records(r.chip, to) ? 0 : 1);
}

// True if the child came to its end.
static bool ended_well(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct weir_records *weir_run_record(const struct weir_run *r, const struct weir_opened *o, weir_run_on_chip *run,
                                     struct weir_sink *sink) {
  FILE *records = tmpfile();
  if (!records) {
    weir_fail_plain(sink, "no temporary file for the accesses of the run: %s", strerror(errno));
    return NULL;
  }
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) record(*r, o, run, sink, records);
  const bool ended = child > 0 && ended_well(child);
  rewind(records);
  struct weir_records *read = ended ? weir_records_read(records) : NULL;
  fclose(records);
  if (!read) weir_fail_plain(sink, "the run whose accesses are recorded did not come to its end");
  return read;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a finished run leaves behind, on the way to its run object. Invariant: `kernels` and `total` point into the chip,
// or, without one, into the run's own; `programs` and `sl1` into the run's own, unless a process had several.
#ifndef WEIR_RUN_RUN_H
#define WEIR_RUN_RUN_H

#include "chip/foresight.h"
#include "run/experiment.h"
#include "run/sampling.h"
#include "run/selection.h"
#include "timeline/schedule.h"

#include <time.h>

// Of a program that weir run -- starts: how its process came and went.
struct weir_run_process {
  char *const *command;
  const char *end;     // what ended it, if the run object could still be written then
  char *const *faults; // fault_count: launches that were stopped, each as it was reported
  unsigned fault_count;
  char *const *refused; // refused_count: launches that the chip has no room for, one text per kernel
  unsigned refused_count;
  char *const *strays; // stray_count: accesses outside all buffers that a real device would have let pass
  unsigned stray_count;
  char *const *not_launched; // not_launched_count: names in core.kernel_registers that no launch had
  unsigned not_launched_count;
  char *const *unfound_hints; // unfound_count: files that hints are for, and that none of its PTX comes from
  unsigned unfound_count;
  const struct weir_timeline *timeline; // of its device; NULL: it has none
};

// What S-L1 did to a module of one of the programs.
struct weir_run_sl1 {
  const struct weir_program *program;
  const struct weir_sl1_report *report;
};

struct weir_run {
  const struct weir_experiment *experiment;
  const struct weir_setup *setup;
  const struct weir_program *const *programs; // program_count, in the order of their PCs: all that may have launched
  unsigned program_count;
  struct weir_host *host;         // has the results; NULL: there are none to sum up
  const struct weir_run_sl1 *sl1; // sl1_count; of a run under S-L1
  unsigned sl1_count;
  struct weir_memory *memory; // that the programs lie in
  uint64_t buffer_bytes;      // device memory, the most at a time
  bool complete; // the program (of a mix, the GPU's) ended by itself: nothing that it would have done is missing
  const struct weir_run_process *process; // NULL: a workload or a launch file
  struct weir_chip *chip;                 // NULL: functional
  const struct weir_selecting *selecting; // NULL: every launch was timed, or they were sampled
  const struct weir_sampling *sampling;   // NULL: they were not
  struct weir_records *records;           // of the run that was recorded before, where a policy foresees; else NULL
  struct weir_mix_counts counts;          // of a chip with CPU cores
  uint64_t restarts[WEIR_MAX_REQUESTERS]; // of its programs, by requester: how often each began again
  enum weir_check_outcome check;
  const struct weir_kernel_stats *kernels;
  unsigned kernel_count, kernel_capacity;
  const struct weir_run_stats *total;
  const struct weir_program *own_program;
  struct weir_run_sl1 own_sl1;
  struct weir_selecting own_selecting;
  struct weir_sampling own_sampling;
  struct weir_kernel_stats *own_kernels;
  struct weir_run_stats own_total;
  double seconds, cpu_seconds; // wall and processor time of the run itself
  uint64_t peak_rss_bytes;
};

// Of the run object. 1, which it did not say: `pending_hits`; `hits` of loads and of ports held them too, and `accesses` of
// loads what is now `transactions`; stores and atomics had no rows.
enum { WEIR_SCHEMA_VERSION = 3 };

// run/timeline.c; NULL of anything but a process whose device has a time line.
extern const struct weir_member weir_timeline_members[];
json_t *weir_timeline_json(const struct weir_run_process *p);

// run/samples.c; NULL if the chip was not sampled.
extern const struct weir_member weir_samples_members[];
json_t *weir_samples_json(const struct weir_chip *c);

// Several programs on one chip (run/mix_run.c), up to their counts. False if they could not be run that far: a program's
// sink, or this one, says why.
struct weir_opened;
bool weir_run_mix(struct weir_run *r, const struct weir_opened *o, struct weir_sink *sink);

// run/mix_json.c; null of a chip without CPU cores.
extern const struct weir_member weir_mix_members[];
json_t *weir_mix_json(const struct weir_run *r);

// run/bound.c; NULL of a run that was not recorded before.
extern const struct weir_member weir_bound_members[];
json_t *weir_bounds_json(const struct weir_run *r);

// The experiment is run in a process apart and its accesses are recorded (run/record.c). NULL and a diagnostic if that run did not
// come to its end.
typedef bool weir_run_on_chip(struct weir_run *r, const struct weir_opened *o, struct weir_sink *sink);
struct weir_records *weir_run_record(const struct weir_run *r, const struct weir_opened *o, weir_run_on_chip *run,
                                     struct weir_sink *sink);

// What comes from outside need not be UTF-8, which JSON is.
json_t *weir_foreign_text(const char *text);

// run/sl1.c; null of a run without S-L1.
extern const struct weir_member weir_sl1_members[];
json_t *weir_sl1_json(const struct weir_run *r);

json_t *weir_run_to_json(const struct weir_run *r);

// An object that is written is one table X(name, kind, unit, meaning, members of members, value): ROW makes the documented
// member of each of its rows, WRITE the code that writes it.
#define WEIR_ROW(name, kind, unit, meaning, members, value) {#name, WEIR_##kind, unit, meaning, members},
#define WEIR_WRITE(name, kind, unit, meaning, members, value) json_object_set_new_nocheck(o, #name, value);
#define WEIR_END_ROW                                                                                                   \
  { NULL, WEIR_INTEGER, NULL, NULL, NULL }

struct timespec weir_real_time(clockid_t clock); // whatever clock the process has been given (struct weir_experiment)
double weir_seconds_now(void);                   // of a monotonic clock
double weir_cpu_seconds_now(void);               // of this process, all its threads
uint64_t weir_peak_rss_bytes(void);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A built chip: its parts and their clocks. Private to src/chip. Invariant: every part has a wake cycle in its own
// clock's count, never later than the next cycle at which it could do anything; a clock's wake is its parts' earliest.
#ifndef WEIR_CHIP_MACHINE_H
#define WEIR_CHIP_MACHINE_H

#include "chip/chip.h"
#include "config/chip_file.h"
#include "config/config.h"
#include "chip/mix.h"
#include "scheme/policies.h"
#include "gpu/sm.h"
#include "mem/census.h"
#include "mem/dram.h"
#include "mem/slice.h"
#include "mem/tenancy.h"

// Parts of one kind, in one clock domain, in the order in which they are served at equal times.
struct weir_domain {
  weir_time period;  // picoseconds per cycle
  weir_cycle *wakes; // per part
  uint32_t parts;
  weir_cycle wake; // the earliest of them
};

// Requests in a slice's first input queue, summed over the cycles of the slices' clock before `at`, without those in which no
// launch ran.
struct weir_slice_occupancy {
  uint64_t sum;
  weir_cycle at;
};

// Totals as each period of the samples ended (chip/samples.c); the first, as the run began.
struct weir_recorder {
  weir_cycle period, next; // core cycles; period 0: nothing is recorded
  struct weir_sample *totals;
  struct weir_slice_occupancy *occupancy; // [reading × slices + slice]
  uint32_t count, slices;                 // readings
};

// The sums of what the caches of one level report for one of their policies.
struct weir_epoch_report {
  unsigned level, slot; // slot 0: the replace policy, 1…: its companions
  uint32_t count;
  uint64_t *sums, *room; // `room`: for one cache's numbers
};

struct weir_epoch_user {
  struct weir_policy_instance *policy;
  uint32_t report; // of the clock's reports; WEIR_NO_REPORT: it makes none
};

#define WEIR_NO_REPORT UINT32_MAX

// Cycles in which a core had a resident block, up to `since` if it has one now.
struct weir_core_busy {
  weir_cycle cycles, since;
};

// What the sensors of one period are measured from, and who is told.
struct weir_epoch_clock {
  weir_cycle period, began, next; // core cycles; `next`: at which the period ends
  bool restarts;                  // with every launch
  struct weir_epoch_user *users;
  uint32_t user_count, user_capacity;
  struct weir_epoch_report *reports;
  uint32_t report_count, report_capacity;
  struct weir_core_sensors *cores_before; // totals as the period began
  struct weir_slice_occupancy *slices_before;
};

// A CPU core of the chip, and whether a program runs on it.
struct weir_cpu_seat {
  struct weir_cpu_core core;
  struct weir_level_stats levels[WEIR_CPU_LEVELS];
  bool taken;
};

// The CPU cores of one kind, which have one clock.
struct weir_cpu_cluster {
  struct weir_domain clock;
  uint32_t first; // seat
};

// The programs that run at once (chip/mix.c).
struct weir_mix_state {
  struct weir_chip_application applications[WEIR_MAX_OWNERS]; // the GPU's first, if there is one
  struct weir_chip_cpu_program programs[WEIR_MAX_OWNERS];     // of CPU cores, in their order
  uint32_t count, cpus, left;    // applications; of CPU cores; those that have not reached their count
  uint64_t due[WEIR_MAX_OWNERS]; // by application: its count; UINT64_MAX: what it executes until it ends
  bool began, broken;            // broken: a CPU program's feed has ended
  weir_time start;
};

struct weir_chip {
  struct weir_chip_config *config;
  const struct weir_scheme *scheme;
  uint64_t seed;
  struct weir_fabric fabric;
  struct weir_sm_shared shared;
  struct weir_sm *sms;
  struct weir_slice *slices;
  struct weir_dram *drams;
  struct weir_domain drams_clock, slices_clock, network_clock, cores_clock;
  uint32_t *next_slice; // per channel: the slice whose turn it is
  struct weir_census *census[WEIR_MAX_LEVELS];
  struct weir_tenancy *tenancies[WEIR_MAX_LEVELS]; // of shared levels, where CPU cores share them
  struct weir_traffic_counts *traffic;             // by port, likewise
  struct weir_cpu_seat *seats;                     // CPU cores; NULL: none, or not built
  struct weir_cpu_cluster *clusters;
  struct weir_mix_state mix;
  struct weir_run_stats stats;
  // Per PC, of all programs that have launched: statics are copies, so that a program may go before the chip.
  struct weir_load_stats *loads;
  struct weir_bank_counts *bank_counts;
  struct weir_static *statics;
  uint32_t pc_count;
  uint32_t *programs, program_count, program_capacity; // their first PCs
  bool built;                                          // parts exist: at the first launch
  weir_time now;
  struct weir_epoch_clock *epochs; // one per period that some policy asked for
  uint32_t epoch_count, epoch_capacity;
  weir_cycle epoch_next;    // the first of their ends, and the recorder's; WEIR_NEVER: nobody asked
  weir_cycle slices_paused; // of the slices' clock, in which no launch ran
  struct weir_recorder recorder;
  struct weir_core_busy *busy;            // per core
  struct weir_core_sensors *core_sensors; // room for what is handed over
  struct weir_slice_sensors *slice_sensors;
  // The running launch.
  const struct weir_launch *launch;
  struct weir_launch clocked; // the same, with this chip's clock
  uint64_t launches;          // begun so far
  weir_cycle launch_start;    // core cycle
  uint64_t next_block, blocks;
  uint32_t last_dispatched;
  uint64_t full_at; // no core had room when this many blocks had ended; UINT64_MAX: one may have
  weir_cycle core_cycle;
  // Host copies that came before the parts existed.
  struct weir_copy {
    uint64_t address, bytes;
  } * copies;
  uint32_t copy_count, copy_capacity;
  struct weir_kernel_stats *kernels;
  uint32_t kernel_count, kernel_capacity;
  char **names; // of kernels, one of each
  uint32_t name_count, name_capacity;
  uint64_t recorded; // launches that they are made of
  weir_cycle progress_period, progress_next;
  void (*progress)(void *context, const struct weir_run_stats *so_far);
  void *progress_context;
};

// Makes the parts (chip/build.c).
void weir_chip_build(struct weir_chip *c);
// A program is about to launch, which may be new to the parts.
void weir_chip_learn(struct weir_chip *c, const struct weir_program *program);
void weir_chip_unbuild(struct weir_chip *c);
void weir_chip_place_copy(struct weir_chip *c, uint64_t address, uint64_t bytes);

// Every instance of the cache at a level, one call each (chip/chip.c).
void weir_chip_each_cache(const struct weir_chip *c, unsigned level,
                          void (*visit)(struct weir_cache *cache, void *context), void *context);

// The periods after which policies are shown what the chip measured (chip/epoch.c).
void weir_chip_build_epochs(struct weir_chip *c);
void weir_chip_forget_reports(struct weir_chip *c); // what policies have counted so far is in no period
void weir_chip_free_epochs(struct weir_chip *c);
// A launch begins at core cycle `start`, after one that ended at c->core_cycle: policies are told.
void weir_chip_start_epochs(struct weir_chip *c, weir_cycle start);
// Core cycle `now` begins, at which a period ends. Were policies told?
bool weir_chip_end_epochs(struct weir_chip *c, weir_cycle now);
struct weir_slice_occupancy weir_chip_read_slice(struct weir_chip *c, uint32_t slice, weir_cycle core_now);
// The share of the queue that was taken, mean from one reading to another.
double weir_chip_utilisation(const struct weir_chip *c, const struct weir_slice_occupancy *from,
                             const struct weir_slice_occupancy *to);

// Samples over time (chip/samples.c), called by chip/epoch.c.
void weir_chip_build_recorder(struct weir_chip *c);
void weir_chip_free_recorder(struct weir_chip *c);
void weir_chip_start_recorder(struct weir_chip *c, weir_cycle start,
                              weir_cycle gap); // gap: cycles without a launch before
void weir_chip_record(struct weir_chip *c, weir_cycle now);
void weir_chip_finish_recorder(struct weir_chip *c);

void weir_chip_count_others(const struct weir_chip *c,
                            struct weir_run_stats *s); // what network and CPU cores have done so far

// A copy of a kernel's name that lives as long as the chip, one of each (chip/chip.c).
const char *weir_chip_kernel_name(struct weir_chip *c, const char *name);

// Mixes (chip/mix.c): the run begins; looks whether programs have reached their counts, answers whether all have.
void weir_mix_begin(struct weir_chip *c);
bool weir_mix_count(struct weir_chip *c);
void weir_mix_free(struct weir_chip *c);

// Runs one launch to its end (chip/run.c).
bool weir_chip_launch(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chip: built from a chip file (config/chip_file.h) and a scheme (scheme/scheme.h), run launch by launch; the programs may be
// several, if they lie in one device memory.
// Invariant: results are a function of (program, input, chip, scheme, seed) and of nothing else.
#ifndef WEIR_CHIP_CHIP_H
#define WEIR_CHIP_CHIP_H

#include "base/diag.h"
#include "energy/energy.h"
#include "host/host.h"
#include "stats/stats.h"

// ---- chips -----------------------------------------------------------------------------------------------------------

struct weir_chip;
struct weir_chip_config;
struct weir_scheme;

// Seeds every policy's and part's random stream from `seed`. NULL and diagnostics if a policy rejects its cache.
struct weir_chip *weir_chip_create(const struct weir_chip_config *config, const struct weir_scheme *scheme,
                                   uint64_t seed, struct weir_sink *sink);
void weir_chip_free(struct weir_chip *c);
struct weir_backend weir_chip_backend(struct weir_chip *c);

// Runs a launch for its results alone, in its place among the others: it takes no time and counts nothing. Afterwards the caches
// of data are empty; `warm`: the shared ones have what it read and wrote instead, as far as they have room.
bool weir_chip_skip(struct weir_chip *c, const struct weir_launch *launch, bool warm, struct weir_fault *fault);

// From now on a launch may stop once it is steady (chip/steady.h): its last blocks are then not run, which the caller does.
void weir_chip_let_stop(struct weir_chip *c);
struct weir_chip_rest {
  struct weir_run_stats steady; // what was counted while it was steady
  double
    deviation[2]; // standard error of the mean of what it counts per warp instruction: cycles, first-level load misses
};
enum { WEIR_CHIP_REST_FREEDOM = 2 };                                         // degrees of it
bool weir_chip_rest(const struct weir_chip *c, struct weir_chip_rest *rest); // false: the last launch ran whole
// Runs it for its results. `warm`: the shared caches have what it accesses afterwards, as far as they have room.
bool weir_chip_run_rest(struct weir_chip *c, const struct weir_launch *launch, bool warm, struct weir_fault *fault);

// Runs a launch for its results, and leaves the chip as it is; the second puts what the last such launch accessed into the shared caches,
// and the constants that it read into those of all cores, as far as they have room. Between them it is seen whether the launch counts.
bool weir_chip_run_noted(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault);
void weir_chip_warm_noted(struct weir_chip *c); // of a chip that has launched

// A launch has its place among the others, and leaves the chip as it is.
void weir_chip_pass(struct weir_chip *c);

weir_time
weir_chip_now(const struct weir_chip *c); // simulated, from the first launch on; time stands still between launches

// Why a core holds no block of a launch, or the chip none of its clusters: "does not fit a core of …"; freed by weir_free.
char *weir_chip_misfit(const struct weir_chip_config *config, const struct weir_launch *launch);

// Does it hold one of the launch's clusters, if a core holds its block? Of one block, every chip does. And how many of so many blocks at a
// time, if a core holds so many blocks.
bool weir_chip_holds_cluster(const struct weir_chip_config *config, const struct weir_launch *launch);
uint32_t weir_chip_clusters(const struct weir_chip_config *config, uint32_t core_blocks, uint32_t cluster_blocks);

// Does a core hold a block of the launch (a struct weir_launch: as weir_chips_that_suit asks), with warps as wide as its program's, and
// the chip one of its clusters?
bool weir_chip_has_room(const struct weir_chip_config *config, const void *launch);

// How many blocks of a kernel a core of the chip holds at once; 0: not even one fits.
unsigned weir_chip_occupancy(const struct weir_chip_config *config, const struct weir_kernel *kernel,
                             unsigned block_threads, uint64_t dynamic_shared_bytes, uint8_t preference);

// Of the first shared cache, how many bytes may hold lines that are to go after all others, between launches: at most as many as the
// chip file says, which it is until this is called. Then: all such lines are as any others.
void weir_chip_limit_persisting(struct weir_chip *c, uint64_t bytes);
void weir_chip_demote_persisting(struct weir_chip *c);

// Of the first shared cache, how many bytes it fetches around a sector that misses, between launches: the largest power of two that is no
// more, a sector at least. False: its fetch_bytes says nothing of this, and nothing changes.
bool weir_chip_limit_fetch(struct weir_chip *c, uint64_t bytes);

// Before the first launch: a cache of a level, or every one of it, tells what happens in it (mem/watch.h). The watch stays the
// caller's, and there.
enum { WEIR_EVERY_INSTANCE = UINT32_MAX };
struct weir_cache_watch;
void weir_chip_watch(struct weir_chip *c, unsigned level, uint32_t instance, const struct weir_cache_watch *watch);

// Before the first launch: so many threads of the host, the caller's among them, serve its parts; at first, one. Results do not
// depend on it.
void weir_chip_use_threads(struct weir_chip *c, unsigned threads);
// How many are worth their while where the host has so many processors for this chip: one for eight cores, whose cycle takes some ten
// times what it takes to share it out, at most 16, and 1 where that is less than four: two or three gain only while nobody else
// wants a processor (docs/PERFORMANCE.md, Threads).
unsigned weir_chip_threads_worth(const struct weir_chip_config *config, unsigned processors);
// Once something was launched: why one of the threads that were asked for served all of it, or NULL; and why it served some launches
// alone, or NULL.
void weir_chip_alone(const struct weir_chip *c, const char **run, const char **launches);

// Before the first launch: where the host's memory is that kernels may touch. It stays the caller's, who changes it between launches alone.
// Kernels reach it over the chip's link, if that says how (link.kernels); without this call it is as near as the device's.
struct weir_host_memory;
void weir_chip_use_host_memory(struct weir_chip *c, struct weir_host_memory *m);

// After a run: drains what the census and per-PC tables still hold. Call once, before the results are read.
void weir_chip_finish(struct weir_chip *c);

const struct weir_run_stats *weir_chip_total(const struct weir_chip *c);
// Sums the launches so far by kernel: of programs with so many that nobody would look at each.
void weir_chip_fold_kernels(struct weir_chip *c);
const struct weir_kernel_stats *weir_chip_kernels(const struct weir_chip *c, unsigned *count);
// Per PC; of loads, stores and atomics of global and local memory; entries of others, and of what never ran, are zero.
const struct weir_pc_stats *weir_chip_pcs(const struct weir_chip *c, uint32_t *count);
// The same of accesses to shared memory.
const struct weir_bank_counts *weir_chip_bank_counts(const struct weir_chip *c, uint32_t *count);

// What the whole chip did in one period after the other, if its file's sample_cycles is not 0. More than WEIR_MAX_SAMPLES
// periods: their length was doubled until they fit; *period is what it then was. The last one is as long as the run's rest.
enum { WEIR_MAX_SAMPLES = 4096 };
unsigned weir_chip_samples(const struct weir_chip *c, weir_cycle *period);
struct weir_sample weir_chip_sample(const struct weir_chip *c, unsigned i);
// The share of a memory slice's input queue that was taken, mean over the sample.
double weir_chip_sample_utilisation(const struct weir_chip *c, unsigned i, unsigned slice);
unsigned weir_chip_slices(const struct weir_chip *c);

// Energy of the whole run by part, in pJ ("l1_tag", "l1_data", "dram", "leakage", …).
unsigned weir_chip_energy(const struct weir_chip *c, const struct weir_run_stats *of, struct weir_energy_part *parts,
                          unsigned capacity);

// Each policy at each level, its counters summed over the level's instances.
struct weir_policy_report {
  const char *level;
  const struct weir_policy *policy;
  const double *knobs;
  uint64_t counters[WEIR_MAX_POLICY_COUNTERS];
  uint64_t cost_bits; // of one instance
  unsigned instances;
};
unsigned weir_chip_policies(const struct weir_chip *c, struct weir_policy_report *reports, unsigned capacity);

// Progress while a launch runs: called about every `period` simulated cycles. NULL: none.
void weir_chip_on_progress(struct weir_chip *c, weir_cycle period,
                           void (*progress)(void *context, const struct weir_run_stats *so_far), void *context);

#endif

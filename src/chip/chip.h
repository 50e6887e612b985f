// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chip: read from a chip file, changed by --set, given a scheme, run launch by launch; the programs may be several, if they
// lie in one device memory.
// Invariant: results are a function of (program, input, chip, scheme, seed) and of nothing else.
#ifndef WEIR_CHIP_CHIP_H
#define WEIR_CHIP_CHIP_H

#include "base/diag.h"
#include "energy/energy.h"
#include "host/host.h"
#include "stats/stats.h"

// ---- chip files (chips/NAME.yaml) ------------------------------------------------------------------------------------

struct weir_chip_config; // see chip/config.h for its fields

// `name` is a bundled chip's name or a path. NULL and diagnostics (file and line) if it cannot be read.
struct weir_chip_config *weir_chip_read(const char *name, struct weir_sink *sink);
struct weir_chip_config *weir_chip_copy(const struct weir_chip_config *c);
void weir_chip_config_free(struct weir_chip_config *c);

// One override, "path=value": a path names a part and a key of the chip file ("l1.size_kib", "core.schedulers",
// "dram.channels"). `where` (the option it came from) opens the diagnostic.
bool weir_chip_set(struct weir_chip_config *c, const char *assignment, const char *where, struct weir_sink *sink);

// Checks what single keys cannot (sizes that divide, ways within limits, levels that connect).
bool weir_chip_validate(const struct weir_chip_config *c, struct weir_sink *sink);

const char *weir_chip_name(const struct weir_chip_config *c);
const char *weir_chip_summary(const struct weir_chip_config *c);
unsigned weir_chip_lanes(const struct weir_chip_config *c);        // 32 or 64
unsigned weir_chip_warps(const struct weir_chip_config *c);        // that a core holds at most
uint64_t weir_chip_memory_bytes(const struct weir_chip_config *c); // of the device
unsigned weir_chip_levels(const struct weir_chip_config *c);
unsigned weir_chip_cpu_cores(const struct weir_chip_config *c);                     // of all kinds; 0: it has none
const char *weir_chip_level_name(const struct weir_chip_config *c, unsigned level); // "l1"

struct weir_chip_setting {
  const char *path, *value; // as --set takes them
  const char *type, *help;  // what values there are, and what they mean
  const char *file;         // that gives the value; NULL: none does
  unsigned line;
  const char *source; // the comment behind it there; NULL: there is none
};

// Calls `each` for every value that --set takes, in file order. What it is given lasts for the call.
void weir_chip_settings(const struct weir_chip_config *c,
                        void (*each)(void *context, const struct weir_chip_setting *s), void *context);

// ---- schemes (schemes/NAME.yaml) -------------------------------------------------------------------------------------

struct weir_scheme; // policies per level, and overrides

// "NAME[,key=value…]": a key is a knob of one of the scheme's policies ("threshold"), such a knob at one cache
// ("l2.threshold"), a chip path ("l1.size_kib"), which is applied to `chip`, the scheme's own copy, or of the program: "sl1"
// (on or off), "sl1.OPTION" (which turns it on), "launch.blocks", "launch.threads".
// NULL and diagnostics if anything in it is unknown or out of range.
struct weir_scheme *weir_scheme_read(const char *spec, struct weir_chip_config *chip, struct weir_sink *sink);
// The same over what was chosen of the program before.
struct weir_scheme *weir_scheme_read_over(const char *spec, struct weir_chip_config *chip,
                                          const struct weir_program_options *program, struct weir_sink *sink);
void weir_scheme_free(struct weir_scheme *s);

const char *weir_scheme_name(const struct weir_scheme *s); // the name alone
const char *weir_scheme_spec(const struct weir_scheme *s); // as given, with its overrides
const char *weir_scheme_summary(const struct weir_scheme *s);
const char *weir_scheme_citation(const struct weir_scheme *s);
const struct weir_program_options *weir_scheme_program(const struct weir_scheme *s);

// What a scheme leaves open (a value "best:1..8|12"). It cannot be run itself: each combination of the values is an
// ordinary scheme, and whoever runs them says which is best.
struct weir_sweep {
  const char *key; // behind the scheme's name, "key=value" decides it
  const char *const *values;
  unsigned count;
};

unsigned weir_scheme_sweep_count(const struct weir_scheme *s); // 0: an ordinary scheme
const struct weir_sweep *weir_scheme_sweep(const struct weir_scheme *s, unsigned i);

// Combinations, at most a few thousand; 1 of an ordinary scheme. The last sweep's value changes first.
unsigned weir_scheme_combinations(const struct weir_scheme *s);
char *weir_scheme_combination(const struct weir_scheme *s, unsigned combination); // its spec; freed by weir_free
const char *weir_scheme_choice_of(const struct weir_scheme *s, unsigned combination, unsigned sweep); // its value

// ---- chips -----------------------------------------------------------------------------------------------------------

struct weir_chip;

// Seeds every policy's and part's random stream from `seed`. NULL and diagnostics if a policy rejects its cache.
struct weir_chip *weir_chip_create(const struct weir_chip_config *config, const struct weir_scheme *scheme,
                                   uint64_t seed, struct weir_sink *sink);
void weir_chip_free(struct weir_chip *c);
struct weir_backend weir_chip_backend(struct weir_chip *c);

weir_time
weir_chip_now(const struct weir_chip *c); // simulated, from the first launch on; time stands still between launches

// Why a core holds no block of a launch: "does not fit a core of …"; freed by weir_free.
char *weir_chip_misfit(const struct weir_chip_config *config, const struct weir_launch *launch);

// How many blocks of a kernel a core of the chip holds at once; 0: not even one fits.
unsigned weir_chip_occupancy(const struct weir_chip_config *config, const struct weir_kernel *kernel,
                             unsigned block_threads, uint64_t dynamic_shared_bytes);

// After a run: drains what the census and per-load tables still hold. Call once, before the results are read.
void weir_chip_finish(struct weir_chip *c);

const struct weir_run_stats *weir_chip_total(const struct weir_chip *c);
// Sums the launches so far by kernel: of programs with so many that nobody would look at each.
void weir_chip_fold_kernels(struct weir_chip *c);
const struct weir_kernel_stats *weir_chip_kernels(const struct weir_chip *c, unsigned *count);
// Per PC; entries of instructions that are no global or local loads, or never ran, are zero.
const struct weir_load_stats *weir_chip_loads(const struct weir_chip *c, uint32_t *count);
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

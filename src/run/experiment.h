// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One experiment: program × chip × scheme × seed. Invariant: its run object (`weir run --json`, docs/OUTPUT.md) is a
// function of the experiment alone, but for the member `host`.
#ifndef WEIR_RUN_EXPERIMENT_H
#define WEIR_RUN_EXPERIMENT_H

#include "chip/chip.h"
#include "config/chip_file.h"
#include "scheme/scheme.h"
#include "host/app.h"
#include "stats/json.h"

#define WEIR_DEFAULT_SCHEME "none" // the replacement that the chip's file has, and no bypassing

// What the programs of a mix (run/mix.h) are to execute; 0: the default (weir_mix_counts_of).
struct weir_mix_counts {
  uint64_t cpu, gpu; // instructions of each CPU program, warp instructions of the GPU's
  uint64_t warmup;   // instructions of each CPU program before the run begins; WEIR_NO_WARMUP: none
};
#define WEIR_NO_WARMUP UINT64_MAX

// Which launches are timed (run/selection.h): those that all of these let through. The others run for their results alone.
struct weir_select {
  const char *kernels;  // a POSIX extended regular expression that matches somewhere in a kernel's name; NULL: any
  const char *launches; // "A..B", "A.." or "A", 0-based in program order; NULL: any
  uint64_t most;        // the first so many that the others let through; 0: all
  bool warm;            // what is not timed goes through the shared cache
  const char *sample;   // "auto": launches are sampled (run/sampling.h), and nothing above is given; NULL: they are not
};

// A program that runs as a process of its own, and what it depends on.
struct weir_command_line {
  char *const *argv;              // NULL-terminated
  const char *path;               // of the executable; NULL: as a shell would find argv[0]
  const char *folder;             // that it runs in; NULL: this one
  const char *const *environment; // environment_count "NAME=value", besides weir's own
  unsigned environment_count;
  const char *const *inputs; // input_count files and folders that it depends on, besides what it is seen to read
  unsigned input_count;
  const char *
    ignored; // POSIX extended regular expression: what it matches of a printed line is as if it were not there; NULL: nothing
  bool tells_inputs; // its run is to say what it read (process.inputs)
};

// All texts are borrowed and outlive whatever is made from the experiment.
struct weir_experiment {
  const char *program; // a workload's name, a launch file, a mix of programs, or of a command line what to call it
  const struct weir_command_line *command; // NULL: none of its own
  const char *input;                       // or NULL
  const char *chip;                        // a bundled chip's name or a path
  const char *scheme;                      // "NAME[,key=value…]"; NULL: no chip, results only (functional)
  const char *sl1;                         // of --sl1: "" or "key=value,…", which the scheme changes; NULL: not given
  const char *const *sets;                 // set_count assignments "path=value"
  unsigned set_count;
  const char *hints;          // of --hint and --hints, as weir_hints_read has them; NULL: none
  const char *ptxas;          // "KERNEL=N,…": registers that ptxas counts of the program's kernels; NULL: not asked
  const char *records;        // of a process whose scheme foresees: "write:FILE" or "read:FILE"; NULL: of any other
  const char *timeline;       // of a process: file that gets its time line; NULL: none
  const char *recording;      // of a process: file that gets its warps' instructions; NULL: none
  const char *const *plugins; // plugin_count shared objects, already loaded
  unsigned plugin_count;
  enum weir_size size;
  uint64_t seed;
  uint64_t step_limit; // warp instructions per launch; 0: none
  const char *clock;   // of programs: "modelled" or "still" (docs/PROGRAMS.md); NULL: the real one
  bool strict;         // of programs: an access outside all buffers that a real device would let pass stops the launch
  struct weir_mix_counts counts; // of a chip with CPU cores
  struct weir_select select;
  // Of the host, on which nothing depends but time: threads; where these are 0, processors that the run may use. 0 counts as 1.
  unsigned threads, processors;
  bool ends; // the process ends with the run, and the system takes back what it has
};

extern const char *const weir_size_names[];                // by enum weir_size; ends with NULL
bool weir_size_of(const char *name, enum weir_size *size); // false: no size is named so
extern const char *const weir_check_names[];               // by enum weir_check_outcome

// What an experiment's names stand for: checked before anything runs. `chip` and `scheme` are NULL for functional
// experiments that name no chip.
struct weir_setup {
  struct weir_chip_config *chip;
  struct weir_scheme *scheme;
  struct weir_program_options program;
  unsigned lanes;
  struct weir_code code;            // of the chip
  uint64_t memory_bytes;            // of the chip; 0: there is none
  struct weir_selection *selection; // NULL: every launch is timed, or they are sampled
  bool sample;
};

bool weir_setup_read(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink);
void weir_setup_free(struct weir_setup *s);
// Notes to the sink which of the scheme's policies do nothing, as their knobs are.
void weir_setup_tell_idle(const struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink);

// Does a policy of the scheme foresee (policy/policy.h), so that the program must run twice?
bool weir_setup_foresees(const struct weir_setup *s);

// The same for a program that runs as a process of its own: under a scheme that leaves nothing open, with the threads that
// it launches itself.
bool weir_setup_read_process(struct weir_setup *s, const struct weir_experiment *e, struct weir_sink *sink);

// False and a diagnostic if the program, or one of a mix, is neither a workload nor a CPU program nor a file.
bool weir_program_known(const char *program, struct weir_sink *sink);

// False and a diagnostic if the setup has no place for the program: a mix without a chip or with too few CPU cores, or what is
// for the GPU's program where there is none.
bool weir_experiment_fits(const struct weir_experiment *e, const struct weir_setup *setup, struct weir_sink *sink);

struct weir_opened; // a program that is ready to run, once (run/mix.h)

// NULL and a diagnostic if it cannot be opened.
struct weir_opened *weir_experiment_open(const struct weir_experiment *e, const struct weir_setup *setup,
                                         struct weir_sink *sink);
void weir_experiment_close(struct weir_opened *o); // may be NULL

// Told now and then how many warp instructions have been run so far. May be NULL.
struct weir_watch {
  void (*ran)(void *context, uint64_t warp_instructions);
  void *context;
};

// Runs an opened program and returns the run object, also when the program's own check failed. NULL if it could not
// start or stopped early (the program's sink, the one that it was opened with, says why).
json_t *weir_experiment_run(const struct weir_experiment *e, const struct weir_setup *setup,
                            const struct weir_opened *opened, const struct weir_watch *watch, struct weir_sink *sink);

// The member tables of a run object (stats/json.h).
extern const struct weir_member weir_run_members[];

#endif

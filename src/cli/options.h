// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The command line. Invariant: a command is one descriptor; its option table parses, prints --help and makes the man
// page. All commands' options are read into one struct by one parser; a command's table says which it takes.
#ifndef WEIR_CLI_OPTIONS_H
#define WEIR_CLI_OPTIONS_H

#include "run/environment.h"
#include "run/experiment.h"

#include <argp.h>

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_CHART, OUTPUT_CELLS };

struct options {
  const char **arguments;
  unsigned argument_count, argument_capacity;
  const char **schemes;
  unsigned scheme_count, scheme_capacity;
  const char **sets;
  unsigned set_count, set_capacity;
  bool registers_asked; // of each kernel
  bool assembled;       // the order of the machine code is asked for
  char *registers;      // of --registers, as one of the sets has them; NULL: not given
  const char *ptxas;    // of --ptxas: its name or path; NULL: not given
  const char **plugins; // loaded
  unsigned plugin_count, plugin_capacity;
  char *const *program; // the program after --, and its arguments; NULL: none
  char *hints;          // of --hint and --hints, a line each (ptx/hints.h); NULL: not given
  char *sl1;            // of --sl1, NULL: not given
  const char *chip, *input, *store, *csv_path, *svg_path, *pdf_path, *plot, *output_path, *timeline_path, *patch_path,
    *build_command,
    *html_path;                                             // NULL: not given
  const char *results, *from, *check;                       // of a study's results file; NULL: not given
  const char *pivot, *sort;                                 // NULL: not given; sort "": without a program
  const char *clock;                                        // of a program after --; NULL: not given
  const char *sample;                                       // of that, or of launches; NULL: not given
  const char *program_name, *where, *shard, *slurm, *known; // what is asked of the store; NULL: not given
  enum weir_size size;
  bool bound, remedies, advise_bound, functional, strict, ascii, man, output_doc, schema, completion, no_store, symbols,
    all, report, ncu, dry_run, status, on_slurm;
  enum output_format format;
  uint64_t seed, step_limit;
  const char *figure;              // NULL: all
  uint64_t skip, length, interval; // of a trace's instructions; 0: not given
  uint32_t trace_thread;           // from 0
  unsigned phases;                 // at most so many; 0: not asked for
  bool info, misses;
  unsigned jobs;                                // 0: one per processor
  unsigned host_threads;                        // of each run
  const char *threads;                          // of a device's launches: "60x256,120x512"; NULL: not given
  unsigned repeat;                              // 0: not given
  struct weir_mix_counts counts;                // of mixes' programs
  struct weir_select select;                    // of launches
  const char *ignore_output;                    // NULL: not given
  unsigned top;                                 // rows of a pivot; 0: all
  unsigned mixes, tasks;                        // 0: not given
  unsigned lines, runs, perturb;                // of advice
  double budget;                                // seconds; 0: not given
  const char *cache, *log_path;                 // NULL: not given
  unsigned core, slice, only_set, fetch_cycles; // NOT_GIVEN: not given
  uint64_t launch, max_events;
  bool step, curve, instructions;
  const char *export_format; // of a stream; NULL: not given
  const char **chips;
  unsigned chip_count, chip_capacity;
};

enum option_key {
  KEY_CHIP = 'c',
  KEY_JOBS = 'j',
  KEY_OUT = 'o',
  KEY_SCHEME = 's',
  KEY_SEED = 256,
  KEY_SCHEMES,
  KEY_BOUND,
  KEY_SIZE,
  KEY_SET,
  KEY_INPUT,
  KEY_STEP_LIMIT,
  KEY_STRICT,
  KEY_FUNCTIONAL,
  KEY_JSON,
  KEY_CSV,
  KEY_CSV_PATH,
  KEY_PLUGIN,
  KEY_STORE,
  KEY_NO_STORE,
  KEY_FIGURE,
  KEY_MAN,
  KEY_OUTPUT_DOC,
  KEY_SCHEMA,
  KEY_COMPLETION,
  KEY_CHART,
  KEY_ASCII,
  KEY_SVG,
  KEY_PDF,
  KEY_PLOT,
  KEY_OUTPUT,
  KEY_TIMELINE,
  KEY_SYMBOLS,
  KEY_ALL,
  KEY_SL1,
  KEY_HINT,
  KEY_HINTS,
  KEY_REPORT,
  KEY_SKIP,
  KEY_LENGTH,
  KEY_PHASES,
  KEY_INTERVAL,
  KEY_TRACE_THREAD,
  KEY_INFO,
  KEY_MISSES,
  KEY_THREADS,
  KEY_HOST_THREADS,
  KEY_REPEAT,
  KEY_REGISTERS,
  KEY_PTXAS,
  KEY_REGISTERS_ASKED,
  KEY_ASSEMBLED,
  KEY_CPU_INSTRUCTIONS,
  KEY_GPU_INSTRUCTIONS,
  KEY_WARMUP,
  KEY_MIXES,
  KEY_RESULTS,
  KEY_FROM,
  KEY_CHECK,
  KEY_SAMPLE,
  KEY_CLOCK,
  KEY_CELLS,
  KEY_LINES,
  KEY_RUNS,
  KEY_BUDGET,
  KEY_PATCH,
  KEY_BUILD,
  KEY_HTML,
  KEY_REMEDIES,
  KEY_ADVISE_BOUND,
  KEY_PERTURB,
  KEY_CHIPS,
  KEY_PROGRAM,
  KEY_WHERE,
  KEY_DRY_RUN,
  KEY_SHARD,
  KEY_STATUS,
  KEY_CACHE,
  KEY_CORE,
  KEY_SLICE,
  KEY_LAUNCH,
  KEY_ONLY_SET,
  KEY_MAX_EVENTS,
  KEY_LOG,
  KEY_STEP,
  KEY_SLURM,
  KEY_TASKS,
  KEY_PIVOT,
  KEY_SORT,
  KEY_TOP,
  KEY_KNOWN,
  KEY_KERNELS,
  KEY_LAUNCHES,
  KEY_MAX_LAUNCHES,
  KEY_WARM,
  KEY_IGNORE_OUTPUT,
  KEY_NCU,
  KEY_CURVE,
  KEY_INSTRUCTIONS,
  KEY_EXPORT,
  KEY_FETCH_CYCLES,
};

#define DEFAULT_CHIP "gcn-apu"
#define DEFAULT_SCHEME_HELP "default: " WEIR_DEFAULT_SCHEME ", the chip's own policies"
enum { DEFAULT_REPEAT = 3 };
enum { DEFAULT_PHASES = 10 };
enum { DEFAULT_MAX_EVENTS = 100000 }; // of a look's log
#define NOT_GIVEN UINT32_MAX
enum { DEFAULT_LINES = 5, DEFAULT_RUNS = 12, DEFAULT_PERTURB = 2 }; // of advice

// Rows that several commands' tables share.
#define ROW_CHIP                                                                                                       \
  {                                                                                                                    \
    "chip", KEY_CHIP, "CHIP", 0,                                                                                       \
      "the chip: a name (weir list chips) or a file (default: " DEFAULT_CHIP "; " WEIR_ENV_DEFAULT_CHIP                \
      " for a program after --, or one that takes its PTX)",                                                           \
      0                                                                                                                \
  }
#define ROW_SIZE                                                                                                       \
  { "size", KEY_SIZE, "SIZE", 0, "the workload's input: small or paper (default: small)", 0 }
#define ROW_SET                                                                                                        \
  { "set", KEY_SET, "PATH=VALUE", 0, "change one value of the chip, as in l1.size_kib=32; repeatable", 0 }
#define ROW_REGISTERS                                                                                                  \
  {                                                                                                                    \
    "registers", KEY_REGISTERS, "[KERNEL=]N,...", 0,                                                                   \
      "registers per thread of all kernels, or of KERNEL, instead of weir's estimate; repeatable", 0                   \
  }
#define ROW_PTXAS                                                                                                      \
  {                                                                                                                    \
    "ptxas", KEY_PTXAS, "PATH", OPTION_ARG_OPTIONAL,                                                                   \
      "registers per thread as NVIDIA's assembler counts them for the chip's compute capability, instead of weir's "   \
      "estimate; PATH is its (default: ptxas, as the shell finds it)",                                                 \
      0                                                                                                                \
  }
#define ROW_HINT                                                                                                                   \
  {                                                                                                                                \
    "hint", KEY_HINT, "FILE:LINE[#N|[ARRAY]]=HINT", 0,                                                                             \
      "put a cache hint (cg, cs, L1::evict_last, ..., none) on the line's loads and stores, on the N-th, or on those of an array " \
      "of the kernel's parameters (param_2); repeatable (docs/HINTS.md)",                                                          \
      0                                                                                                                            \
  }
#define ROW_HINTS                                                                                                      \
  { "hints", KEY_HINTS, "FILE", 0, "the same of each line of FILE; repeatable", 0 }
#define ROW_SL1                                                                                                        \
  {                                                                                                                    \
    "sl1", KEY_SL1, "KEY=VALUE,...", OPTION_ARG_OPTIONAL,                                                              \
      "give the kernels a first-level cache in software, with these options (weir sl1 --help)", 0                      \
  }
#define ROW_SEED                                                                                                       \
  { "seed", KEY_SEED, "N", 0, "seed of every random choice (default: 1)", 0 }
#define ROW_INPUT                                                                                                      \
  { "input", KEY_INPUT, "FILE", 0, "a real input, for the workloads that take one", 0 }
#define ROW_STEP_LIMIT                                                                                                 \
  {                                                                                                                    \
    "step-limit", KEY_STEP_LIMIT, "N", 0,                                                                              \
      "stop a launch that runs more than N warp instructions (default: 0, no limit)", 0                                \
  }
#define ROWS_PROGRAM ROW_SL1, ROW_HINT, ROW_HINTS, ROW_SEED, ROW_INPUT, ROW_STEP_LIMIT // how a program is run
#define ROW_STRICT                                                                                                     \
  {                                                                                                                    \
    "strict", KEY_STRICT, 0, 0,                                                                                        \
      "of a program after --: stop a launch that leaves its buffers also where a real device would not notice", 0      \
  }
#define ROW_CLOCK                                                                                                                           \
  {                                                                                                                                         \
    "clock", KEY_CLOCK, "CLOCK", 0,                                                                                                         \
      "of a program after --: real, modelled (what it measures of itself is modelled time) or still (it is the same whatever it runs on), " \
      "docs/PROGRAMS.md (default: real)",                                                                                                   \
      0                                                                                                                                     \
  }
#define ROWS_COUNTS                                                                                                    \
  {"cpu-instructions",                                                                                                 \
   KEY_CPU_INSTRUCTIONS,                                                                                               \
   "N",                                                                                                                \
   0,                                                                                                                  \
   "of a mix: what is counted of each CPU program, in instructions; K, M or G after a number mean thousands, "         \
   "millions, billions (default: 4M; of size paper 500M)",                                                             \
   0},                                                                                                                 \
    {"gpu-instructions",                                                                                               \
     KEY_GPU_INSTRUCTIONS,                                                                                             \
     "N",                                                                                                              \
     0,                                                                                                                \
     "of a mix: what is counted of the GPU's program, in warp instructions (default: 1200K; of size paper 150M; of a " \
     "GPU program alone all)",                                                                                         \
     0},                                                                                                               \
  {                                                                                                                    \
    "warmup", KEY_WARMUP, "N", 0,                                                                                      \
      "of a mix: instructions of each CPU program that fill the caches before the run begins (default: 8M; of size "   \
      "paper none)",                                                                                                   \
      0                                                                                                                \
  }
#define ROWS_SELECT                                                                                                     \
  {"kernels",                                                                                                           \
   KEY_KERNELS,                                                                                                         \
   "REGEX",                                                                                                             \
   0,                                                                                                                   \
   "time the launches of kernels whose names REGEX matches somewhere; the others run for their results alone, and are " \
   "not counted (docs/SAMPLING.md)",                                                                                    \
   0},                                                                                                                  \
    {"launches", KEY_LAUNCHES, "A..B", 0, "likewise launches A to B, counted from 0; A.. is all from A on, A is one",   \
     0},                                                                                                                \
    {"max-launches", KEY_MAX_LAUNCHES, "N", 0, "time the first N launches of those that are selected", 0},              \
    {"sample",                                                                                                          \
     KEY_SAMPLE,                                                                                                        \
     "auto",                                                                                                            \
     0,                                                                                                                 \
     "time some of the launches that are alike, run the others for their results alone, and estimate the whole run's "  \
     "counts, with a bound of the error (docs/SAMPLING.md)",                                                            \
     0},                                                                                                                \
  {                                                                                                                     \
    "warm", KEY_WARM, 0, 0,                                                                                             \
      "launches that are not selected leave what they access in the shared caches, which else are empty after them", 0  \
  }
#define ROW_PLUGIN                                                                                                     \
  { "plugin", KEY_PLUGIN, "FILE.so", 0, "load policies from a shared object; repeatable", 0 }
#define ROW_JOBS                                                                                                       \
  { "jobs", KEY_JOBS, "N", 0, "runs at a time (default: one per processor)", 0 }
#define ROW_THREADS                                                                                                    \
  {                                                                                                                    \
    "threads", KEY_HOST_THREADS, "N", 0,                                                                               \
      "threads of this machine that simulate a run together, with the same results (default: 1)", 0                    \
  }
#define ROW_STORE                                                                                                      \
  {                                                                                                                    \
    "store", KEY_STORE, "FILE", 0,                                                                                     \
      "where results are kept (default: $WEIR_STORE, else $XDG_CACHE_HOME/weir/results.sqlite)", 0                     \
  }
#define ROW_JSON(what)                                                                                                 \
  { "json", KEY_JSON, 0, 0, "print " what " as JSON (docs/OUTPUT.md)", 0 }
#define ROW_CHART(what)                                                                                                \
  { "chart", KEY_CHART, 0, 0, what, 0 }
#define ROW_ASCII                                                                                                      \
  { "ascii", KEY_ASCII, 0, 0, "draw charts in ASCII, as is done anyway where the locale's encoding is not UTF-8", 0 }
#define ROWS_PLOT(what, name)                                                                                          \
  {"svg", KEY_SVG, "DIR", 0, "also have gnuplot draw " what ", as DIR/" name ".svg", 0},                               \
    {"pdf", KEY_PDF, "DIR", 0, "the same as DIR/" name ".pdf", 0}, {                                                   \
    "plot", KEY_PLOT, "KEY=VALUE,...", 0, "how --svg and --pdf draw: size, font and labels, by the keys above", 0      \
  }

struct command {
  const char *name;
  const char *arguments;               // as --help shows them: "PROGRAM"
  const char *summary;                 // one line
  const char *description;             // paragraphs; may be NULL
  const struct weir_param_table *keys; // that the description ends in: with their defaults, values and help; NULL: none
  const struct argp_option *options;
  unsigned least, most;                // arguments
  bool takes_program;                  // "-- ./program args" may stand in place of them
  int (*run)(const struct options *o); // exit status
};

extern const struct command command_run, command_compare, command_check, command_list, command_study, command_bench,
  command_trace, command_gpu, command_sl1, command_hint, command_advise, command_look, command_store, command_sweep,
  command_report, command_record, command_replay, command_help;
const struct command *const *weir_commands(unsigned *count);
void weir_print_commands(FILE *to); // a line each

// Reads argv (argv[0] is the command's name). Ends the process with status 2 and a message if it is wrong, and with 0
// after --help.
void weir_options_read(const struct command *c, int argc, char **argv, struct options *o);
void weir_options_free(struct options *o);

// A usage error that options alone cannot show: prints it and where help is, returns the exit status.
int weir_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The experiment that the options describe, of one program and scheme. A program after -- has another default chip.
struct weir_experiment weir_options_experiment(const struct options *o, const char *program, const char *scheme);

// Prints the sink and frees it; the exit status: 2 if it holds an error.
int weir_conclude(struct weir_sink *sink);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/file.h"
#include "policy/host.h"
#include "base/alloc.h"
#include "run/access.h"
#include "run/ignored.h"
#include "run/run.h"
#include "run/sweep.h"
#include "stats/ncu.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static json_t *integer(uint64_t value) {
  return json_integer((json_int_t)value);
}

static json_t *text_or_null(const char *text) {
  return text ? json_string(text) : json_null();
}

// ---- counters of a launch or of the whole run -----------------------------------------------------------------------

enum { MAX_ENERGY_PARTS = 64, MAX_POLICY_REPORTS = 64 };

static void put_counts(json_t *o, const struct weir_run *r, const struct weir_run_stats *s) {
  if (!r->chip) { // without a chip there is nothing else to count
    json_object_set_new(o, "warp_instructions", integer(s->warp_instructions));
    return;
  }
  struct weir_level_names levels = {.count = weir_chip_levels(r->setup->chip)};
  for (unsigned i = 0; i < levels.count; i++) levels.name[i] = weir_chip_level_name(r->setup->chip, i);
  weir_counts_to_json(o, s, &levels);
  struct weir_energy_part parts[MAX_ENERGY_PARTS];
  unsigned count = weir_chip_energy(r->chip, s, parts, MAX_ENERGY_PARTS);
  json_t *energy = json_object();
  for (unsigned i = 0; i < count; i++) json_object_set_new(energy, parts[i].name, json_real(parts[i].picojoules));
  json_object_set_new(o, "energy_pj", energy);
  json_object_set_new(o, "ncu",
                      weir_chip_has_sectors(r->setup->chip, WEIR_NCU_SECTOR) ? weir_ncu_json(s) : json_null());
}

static json_t *total_json(const struct weir_run *r) {
  json_t *o = json_object();
  put_counts(o, r, r->total);
  return o;
}

// clang-format off
#define KERNEL_MEMBERS(X)                                                                          \
  X(name, TEXT, "", "the kernel's name in the PTX", NULL, json_string(k->name))                    \
  X(launch, INTEGER, "", "0-based, in program order", NULL, integer(k->launch))                    \
  X(launches, INTEGER, "", "1; more if, of a process with more than 256 launches, those of a "     \
                           "kernel are summed: `launch` is the first", NULL, integer(k->launches)) \
  X(online_threads, INTEGER, "threads", "that all cores have room for at a time, of those launched; the most of the " \
                                        "launches. 0 without a chip", NULL, integer(k->online_threads)) \
  X(registers, INTEGER, "", "32-bit registers per thread; 0 without a chip", NULL, integer(k->registers))                \
  X(registers_by, TEXT, "",                                                                                            \
    "who says them: \"estimate\" (weir's, of what an assembler uses), \"machine code\" (which the program has for this "  \
    "chip's compute capability), \"ptxas\" (--ptxas), \"launch\" or \"core.kernel_registers\" (--registers). null without a chip",              \
    NULL, text_or_null(k->registers_by))                                                                               \
  X(spilled_registers, INTEGER, "", "that the kernel would use above that, were it not for .maxnreg, .minnctapersm or " \
                                    "the chip: on a real chip they would lie in memory", NULL,                 \
    integer(k->spilled_registers))                                                                             \
  X(core_blocks, INTEGER, "blocks", "that a core holds at a time; the fewest of the launches. 0 without a chip", NULL, \
    integer(k->core_blocks))                                                                                   \
  X(carveout_kib, INTEGER, "KiB", "of core.unified_kib that are shared memory in this launch; the first-level cache has the rest. " \
                                  "0 on a chip without it", NULL, integer(k->carveout_kib))                     \
  X(carveout_by, TEXT, "", "what chose that: \"use\" (the least that holds as many blocks as all else allows), \"preference\" (the " \
    "program's or launch file's) or \"a block\" (the least that holds what blocks have under any preference). null on a chip without it", \
    NULL, text_or_null(k->carveout_by))                                                                        \
  X(limited_by, TEXT, "", "why it holds no more: registers, shared memory, warps or blocks (the core's most). null " \
                          "without a chip", NULL, text_or_null(k->limited_by))
// clang-format on

static const struct weir_member kernel_members[] = {
  KERNEL_MEMBERS(WEIR_ROW){"…", WEIR_OBJECT, "", "and every member of `total`, for this launch alone",
                           weir_counts_members},
  WEIR_END_ROW};

static json_t *kernels_json(const struct weir_run *r) {
  json_t *list = json_array();
  for (unsigned i = 0; i < r->kernel_count; i++) {
    const struct weir_kernel_stats *k = &r->kernels[i];
    json_t *o = json_object();
    KERNEL_MEMBERS(WEIR_WRITE)
    put_counts(o, r, &k->counts);
    json_array_append_new(list, o);
  }
  return list;
}

// ---- static loads ---------------------------------------------------------------------------------------------------

// clang-format off
#define PLACE_MEMBERS(X)                                                                                              \
  X(pc, INTEGER, "", "number of the instruction in the device's memory", NULL, integer(pc))                                   \
  X(function, TEXT, "", "kernel or function that it belongs to", NULL,                                               \
    text_or_null(weir_program_function_name(program, what->function)))                                               \
  X(file, TEXT, "", "the PTX file, without its folder; with \" (S-L1)\" behind it, lines are those of what "             \
                     "weir sl1 prints", NULL,                                                                          \
    json_string(weir_path_name(weir_program_function_path(program, what->function))))                                     \
  X(line, INTEGER, "", "line in the PTX file", NULL, integer(what->line))                                            \
  X(source_file, TEXT, "", "source file; null if the PTX does not say", NULL,                                        \
    text_or_null(what->source_line ? weir_program_file(program, what->source_file) : NULL))                          \
  X(source_line, INTEGER, "", "line in the source file, 0 if the PTX does not say", NULL, integer(what->source_line))
// clang-format on

// clang-format off
#define ACCESS_MEMBERS(X)                                                                                              \
  X(source_column, INTEGER, "", "column in that line, 0 if the PTX does not say", NULL,                                \
    integer(access.instruction ? access.instruction->source_column : 0))                                                                        \
  X(array, TEXT, "", "what its address is computed from: a parameter of the kernel (`param_2`; `param_0+16` in one that " \
                     "is a structure) or a variable of the module; null if that cannot be followed", NULL,             \
    text_or_null(access.array))                                                                                        \
  X(allocation, TEXT, "", "where `array` is null, the allocation that all of its accesses lie in, by its name and address; "  \
                          "null: `array` says it, or they lie in several", NULL, text_or_null(allocation))            \
  X(number, INTEGER, "", "its place among the loads and stores of its line in the function, as `--hint FILE:LINE#N` "   \
                         "counts them; 0: no hint is for it", NULL, integer(access.number))                            \
  X(bytes, INTEGER, "bytes", "that each of its threads accesses", NULL, integer(what->access_bytes))                   \
  X(l1_hint, TEXT, "", "what it says to the first-level cache (docs/HINTS.md); null: nothing", NULL,                   \
    text_or_null(weir_hint_keys[what->l1_hint]))                                                                           \
  X(l2_hint, TEXT, "", "and to the caches behind it; null: nothing", NULL, text_or_null(weir_hint_keys[what->l2_hint]))                   \
  X(takes, LIST, "", "hints that can be put on it, by the instruction and by .target and .version", take_members,      \
    weir_access_takes(finder, &access))
// clang-format on

static const struct weir_member take_members[] = {{"<text>", WEIR_TEXT, "", "as --hint takes it", NULL}, WEIR_END_ROW};

#define PC_MEMBERS(counters)                                                                                           \
  { PLACE_MEMBERS(WEIR_ROW) ACCESS_MEMBERS(WEIR_ROW){"…", WEIR_OBJECT, "", "and its counters", counters}, WEIR_END_ROW }

static const struct weir_member load_members[] = PC_MEMBERS(weir_load_counters);
static const struct weir_member store_members[] = PC_MEMBERS(weir_store_counters);
static const struct weir_member atomic_members[] = PC_MEMBERS(weir_atomic_counters);

// Of PCs in their order: the program that each is of. *p: the one of the PC before, at first 0.
static const struct weir_program *program_of(const struct weir_run *r, uint32_t pc, unsigned *p) {
  while (*p + 1 < r->program_count && weir_program_first_pc(r->programs[*p + 1]) <= pc) ++*p;
  return r->programs[*p];
}

static const struct weir_static *static_of(const struct weir_program *program, uint32_t pc) {
  uint32_t count;
  return &weir_program_statics(program, &count)[pc - weir_program_first_pc(program)];
}

typedef void pc_writer(json_t *, const struct weir_pc_stats *);

static json_t *pc_json(const struct weir_run *r, struct weir_access_finder *finder, const struct weir_program *program,
                       uint32_t pc, const struct weir_pc_stats *counts, pc_writer *write) {
  const struct weir_static *what = static_of(program, pc);
  struct weir_found_access access = weir_access_find(finder, program, pc);
  char *allocation = access.array || !counts->high ? NULL : weir_memory_owner(r->memory, counts->low, counts->high);
  json_t *o = json_object();
  PLACE_MEMBERS(WEIR_WRITE)
  ACCESS_MEMBERS(WEIR_WRITE)
  weir_found_access_free(&access);
  weir_free(allocation);
  write(o, counts);
  return o;
}

// Of the instructions of this class that were executed.
static json_t *pcs_json(const struct weir_run *r, enum weir_op_class class, pc_writer *write) {
  json_t *list = json_array();
  uint32_t count = 0;
  const struct weir_pc_stats *pcs = r->chip ? weir_chip_pcs(r->chip, &count) : NULL;
  struct weir_access_finder finder = {0};
  unsigned p = 0;
  for (uint32_t pc = 0; pc < count; pc++) {
    if (!weir_pc_total(&pcs[pc]).executions) continue;
    const struct weir_program *program = program_of(r, pc, &p);
    if (static_of(program, pc)->op_class == class)
      json_array_append_new(list, pc_json(r, &finder, program, pc, &pcs[pc], write));
  }
  weir_access_finder_free(&finder);
  return list;
}

static json_t *load_groups_json(const struct weir_run *r) {
  if (!r->chip) return json_object();
  uint32_t count;
  const struct weir_pc_stats *pcs = weir_chip_pcs(r->chip, &count);
  struct weir_pc_stats sum = {0};
  unsigned p = 0;
  for (uint32_t pc = 0; pc < count; pc++)
    if (weir_pc_total(&pcs[pc]).executions && static_of(program_of(r, pc, &p), pc)->op_class == WEIR_CLASS_LOAD)
      weir_pc_stats_add(&sum, &pcs[pc]);
  return weir_load_groups_json(&sum, true);
}

// ---- static accesses to shared memory -------------------------------------------------------------------------------

static const char *access_name(const struct weir_static *what) {
  return what->op_class == WEIR_CLASS_STORE ? "store" : what->op_class == WEIR_CLASS_LOAD ? "load" : "atomic";
}

// clang-format off
#define SHARED_MEMBERS(X)                                                                                            \
  PLACE_MEMBERS(X)                                                                                                   \
  X(access, TEXT, "", "\"load\", \"store\" or \"atomic\"", NULL, json_string(access_name(what)))
// clang-format on

static const struct weir_member shared_members[] = {
  SHARED_MEMBERS(WEIR_ROW){"…", WEIR_OBJECT, "", "and its counters", weir_bank_members}, WEIR_END_ROW};

static json_t *shared_access_json(const struct weir_program *program, uint32_t pc,
                                  const struct weir_bank_counts *counts) {
  const struct weir_static *what = static_of(program, pc);
  json_t *o = json_object();
  SHARED_MEMBERS(WEIR_WRITE)
  weir_bank_to_json(o, counts);
  return o;
}

static json_t *shared_json(const struct weir_run *r) {
  json_t *list = json_array();
  uint32_t count = 0;
  const struct weir_bank_counts *banks = r->chip ? weir_chip_bank_counts(r->chip, &count) : NULL;
  unsigned p = 0;
  for (uint32_t pc = 0; pc < count; pc++)
    if (banks[pc].accesses) json_array_append_new(list, shared_access_json(program_of(r, pc, &p), pc, &banks[pc]));
  return list;
}

// ---- settings -------------------------------------------------------------------------------------------------------

static const struct weir_member set_members[] = {{"<text>", WEIR_TEXT, "", "path=value", NULL}, WEIR_END_ROW};

static json_t *sets_json(const struct weir_experiment *e) {
  json_t *list = json_array();
  for (unsigned i = 0; i < e->set_count; i++) json_array_append_new(list, json_string(e->sets[i]));
  return list;
}

// ---- policies -------------------------------------------------------------------------------------------------------

static json_t *knobs_json(const struct weir_policy_report *p) {
  json_t *o = json_object();
  for (unsigned i = 0; p->policy->knobs && p->policy->knobs[i].name; i++) {
    const struct weir_knob *k = &p->policy->knobs[i];
    json_object_set_new(o, k->name, weir_knob_json(k, p->knobs[i]));
  }
  return o;
}

static json_t *counters_json(const struct weir_policy_report *p) {
  json_t *o = json_object();
  for (unsigned i = 0; p->policy->counters && p->policy->counters[i].name; i++)
    json_object_set_new(o, p->policy->counters[i].name, integer(p->counters[i]));
  return o;
}

static const struct weir_member knob_members[] = {
  {"<knob>", WEIR_SCALAR, "", "its value: a number, true or false, or a choice's name (weir list policies NAME)", NULL},
  WEIR_END_ROW};
static const struct weir_member counter_members[] = {
  {"<counter>", WEIR_INTEGER, "", "the policy's own (weir list policies NAME)", NULL}, WEIR_END_ROW};

// clang-format off
#define POLICY_MEMBERS(X)                                                                                            \
  X(level, TEXT, "", "the cache it manages", NULL, json_string(p->level))                                            \
  X(kind, TEXT, "", "\"replace\", \"bypass\" or \"throttle\"", NULL,                                                               \
    json_string(weir_policy_kind_name(p->policy->kind)))                                                             \
  X(name, TEXT, "", "the policy", NULL, json_string(p->policy->name))                                                \
  X(cost_bits, INTEGER, "bits", "storage that it needs in one cache of this level", NULL, integer(p->cost_bits))     \
  X(instances, INTEGER, "caches", "caches of this level", NULL, integer(p->instances))                               \
  X(knobs, OBJECT, "", "its settings", knob_members, knobs_json(p))                                                  \
  X(counters, OBJECT, "", "what it counted, summed over the level's caches", counter_members, counters_json(p))
// clang-format on

static const struct weir_member policy_members[] = {POLICY_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *policies_json(const struct weir_run *r) {
  json_t *list = json_array();
  struct weir_policy_report reports[MAX_POLICY_REPORTS];
  unsigned count = r->chip ? weir_chip_policies(r->chip, reports, MAX_POLICY_REPORTS) : 0;
  for (unsigned i = 0; i < count; i++) {
    const struct weir_policy_report *p = &reports[i];
    json_t *o = json_object();
    POLICY_MEMBERS(WEIR_WRITE)
    json_array_append_new(list, o);
  }
  return list;
}

// ---- hints ----------------------------------------------------------------------------------------------------------

// Of all its programs: those of a process are its modules.
static json_t *ignored_json(const struct weir_run *r) {
  char *all = NULL;
  for (unsigned i = 0; r->chip && i < r->program_count; i++) {
    char *hints = weir_ignored_hints(r->programs[i], r->setup->chip);
    if (!hints) continue;
    char *more = weir_text_format("%s%s%s", all ? all : "", all ? "; " : "", hints);
    weir_free(hints);
    weir_free(all);
    all = more;
  }
  json_t *text = text_or_null(all);
  weir_free(all);
  return text;
}

// ---- the run --------------------------------------------------------------------------------------------------------

static json_t *checksums_json(const struct weir_run *r) {
  json_t *o = json_object();
  unsigned count = 0;
  const struct weir_result *results = r->host ? weir_host_results(r->host, &count) : NULL;
  for (unsigned i = 0; i < count; i++) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, weir_host_checksum(r->host, &results[i]));
    json_object_set_new(o, results[i].name, json_string(text));
  }
  return o;
}

static const struct weir_member checksum_members[] = {
  {"<buffer>", WEIR_TEXT, "", "decimal: its 32-bit words folded as h = h × 31 + word modulo 2⁶⁴, h from 0", NULL},
  WEIR_END_ROW};

// clang-format off
#define HOST_MEMBERS(X)                                                                                              \
  X(seconds, REAL, "s", "wall time of the run, without reading and preparing the program", NULL,                     \
    json_real(r->seconds))                                                                                           \
  X(cpu_seconds, REAL, "s", "processor time of the run", NULL, json_real(r->cpu_seconds))                            \
  X(warp_instructions_per_second, REAL, "warp instructions per second", "simulation speed", NULL,                    \
    json_real(r->seconds > 0 ? (double)r->total->warp_instructions / r->seconds : 0))                                \
  X(instructions_per_second, REAL, "instructions per second", "the same with the instructions of CPU cores", NULL,      \
    json_real(r->seconds > 0 ? (double)(r->total->warp_instructions + r->total->cpu_instructions) / r->seconds : 0))  \
  X(peak_rss_bytes, INTEGER, "bytes", "largest resident memory of the process", NULL, integer(r->peak_rss_bytes))    \
  X(buffer_bytes, INTEGER, "bytes", "device memory that the program allocated", NULL,                                \
    integer(r->buffer_bytes))
// clang-format on

static const struct weir_member host_members[] = {HOST_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *host_json(const struct weir_run *r) {
  json_t *o = json_object();
  HOST_MEMBERS(WEIR_WRITE)
  return o;
}

// ---- a program's process ----------------------------------------------------------------------------------------------

static const struct weir_member word_members[] = {{"<text>", WEIR_TEXT, "", "a word of it", NULL}, WEIR_END_ROW};
static const struct weir_member file_members[] = {{"<text>", WEIR_TEXT, "", "a file's name, as the hint has it", NULL},
                                                  WEIR_END_ROW};
static const struct weir_member fault_members[] = {{"<text>", WEIR_TEXT, "", "the diagnostic, as it was printed", NULL},
                                                   WEIR_END_ROW};

static json_t *texts_json(char *const *texts, unsigned count) {
  json_t *list = json_array();
  for (unsigned i = 0; i < count && texts[i]; i++) json_array_append_new(list, weir_foreign_text(texts[i]));
  return list;
}

static const struct weir_member input_members[] = {
  {"path", WEIR_TEXT, "", "of the file", NULL},
  {"hash", WEIR_TEXT, "", "of its bytes, of a folder's names, or \"absent\": it was looked for and not there", NULL},
  WEIR_END_ROW};

// The last four are the launcher's to put.
// clang-format off
#define PROCESS_MEMBERS(X)                                                                                           \
  X(command, LIST, "", "the program and its arguments", word_members, texts_json(p->command, UINT_MAX))              \
  X(end, TEXT, "", "what ended the process: \"exit\", \"quick_exit\", \"_exit\", \"exec\" or a signal's name; "      \
                   "\"unknown\": nothing that it could still tell", NULL, json_string(p->end))                       \
  X(faults, LIST, "", "the launches that were stopped by a fault", fault_members, texts_json(p->faults, p->fault_count)) \
  X(refused, LIST, "", "the launches that the chip has no room for, one of each kernel: the program was told " \
                       "cudaErrorLaunchOutOfResources or the like", fault_members, texts_json(p->refused, p->refused_count))                \
  X(strays, LIST, "", "the instructions that left all buffers, where a real device would not have noticed", fault_members,  \
    texts_json(p->strays, p->stray_count)) \
  X(not_launched, LIST, "", "the kernels that --registers names, and that the process did not launch", fault_members, \
    texts_json(p->not_launched, p->not_launched_count)) \
  X(unfound_hints, LIST, "", "the files that --hint names, and that no PTX of the process comes from", file_members, \
    texts_json(p->unfound_hints, p->unfound_count)) \
  X(printed, TEXT, "", "a hash of what the program printed, without what --ignore-output matches; there only of compare and sweep", NULL, NULL) \
  X(status, INTEGER, "", "the program's exit status; 128 + n: signal n ended it; there only of compare and sweep", NULL, NULL) \
  X(inputs, LIST, "", "the files that the program read; there only of a run that can be kept in a store (docs/STORE.md)", input_members, NULL) \
  X(changed_input, TEXT, "", "a file that the program read and that changed while it ran, so that the run is not kept; there only then", NULL, NULL)
// clang-format on

static const struct weir_member process_members[] = {PROCESS_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *process_json(const struct weir_run_process *p) {
  if (!p) return NULL;
  json_t *o = json_object();
  PROCESS_MEMBERS(WEIR_WRITE)
  return o;
}

const char *const weir_check_names[] = {
  [WEIR_CHECK_NONE] = "none", [WEIR_CHECK_PASSED] = "passed", [WEIR_CHECK_FAILED] = "failed"};

// clang-format off
#define RUN_MEMBERS(X)                                                                                               \
  X(schema_version, INTEGER, "", "of this object: a member that is renamed, dropped or changes its meaning makes it one " \
                                 "more; a new one does not", NULL, integer(WEIR_SCHEMA_VERSION))                      \
  X(weir, TEXT, "", "weir's version", NULL, json_string(WEIR_VERSION))                                               \
  X(program, TEXT, "", "workload, launch file, mix or executable", NULL, weir_foreign_text(r->experiment->program))            \
  X(size, TEXT, "", "\"small\" or \"paper\"", NULL, json_string(weir_size_names[r->experiment->size]))               \
  X(chip, TEXT, "", "the chip; null of a functional run", NULL,                                                      \
    text_or_null(r->chip ? weir_chip_name(r->setup->chip) : NULL))                                                   \
  X(set, LIST, "", "what --set changed in the chip, in order", set_members, sets_json(r->experiment))                \
  X(scheme, TEXT, "", "the scheme with its overrides, as given; null of a functional run", NULL,                     \
    text_or_null(r->chip ? weir_scheme_spec(r->setup->scheme) : NULL))                                               \
  X(hints, TEXT, "", "cache hints put on its accesses (--hint, --hints), a line each: where it was given, a tab, the hint; " \
    "null: none", NULL, text_or_null(r->experiment->hints))                                                              \
  X(ignored_hints, TEXT, "", "cache hints of the program that the chip makes nothing of, with the number of accesses; null: none", \
    NULL, ignored_json(r))                                                                                             \
  X(seed, INTEGER, "", "feeds every random choice", NULL, integer(r->experiment->seed))                              \
  X(check, TEXT, "", "\"passed\" or \"failed\": results against the workload's CPU reference; \"none\": no "         \
                     "reference, or (on a chip with CPU cores) not all of the program", NULL, json_string(weir_check_names[r->check]))                                     \
  X(complete, BOOLEAN, "", "false: the program was ended from outside, or by an error of its own, or (on a chip with "  \
                           "CPU cores, the GPU's) stopped by its count, and might have launched more", NULL,         \
    json_boolean(r->complete))                                                                                       \
  X(process, OBJECT, "", "of a program that ran as a process of its own (weir run -- ./program); there only then",     \
    process_members, process_json(r->process))                                                                       \
  X(timeline, OBJECT, "", "what the process's device did when: kernels, copies, both at once, neither (docs/TIMELINE.md); there only "  \
                          "of a process whose chip has a link to its host", weir_timeline_members,                  \
    weir_timeline_json(r->process))                                                                                \
  X(checksums, OBJECT, "", "one per result buffer", checksum_members, checksums_json(r))                             \
  X(selection, OBJECT, "", "which launches were timed; there only if some might not be (docs/SAMPLING.md)",            \
    weir_selection_members, weir_selection_json(r->selecting, r->experiment))                                          \
  X(sampling, OBJECT, "", "how launches were sampled; there only if they were (docs/SAMPLING.md)",                     \
    weir_sampling_members, weir_sampling_json(r->sampling, r->total))                                                  \
  X(kernels, LIST, "", "launches in program order; of a selection or a sample, those that were timed", kernel_members,         \
    kernels_json(r))                                                                                                   \
  X(total, OBJECT, "", "the whole run (of a sample, as estimated), or with a selection the launches of it; of a functional run "                   \
                       "`warp_instructions` alone", weir_counts_members,                                              \
    total_json(r))                                                                                                   \
  X(loads, LIST, "", "one per static global or local load that was executed", load_members,                 \
    pcs_json(r, WEIR_CLASS_LOAD, weir_load_to_json))           \
  X(load_groups, OBJECT, "", "all those loads together, by groups of transactions per request (Zhao et al., section "     \
                             "III); empty of a functional run", weir_load_groups, load_groups_json(r))               \
  X(stores, LIST, "", "the same of stores: what they come to in the first level", store_members,                     \
    pcs_json(r, WEIR_CLASS_STORE, weir_store_to_json))                                                               \
  X(atomics, LIST, "", "the same of atomics: what they come to in the shared cache that performs them",              \
    atomic_members, pcs_json(r, WEIR_CLASS_ATOMIC, weir_atomic_to_json))                                             \
  X(shared, LIST, "", "one per static instruction that accessed shared memory", shared_members, shared_json(r))       \
  X(samples, OBJECT, "", "what the chip did over time; there only if the chip's sample_cycles is not 0",              \
    weir_samples_members, r->chip ? weir_samples_json(r->chip) : NULL)                                               \
  X(mix, OBJECT, "", "the programs that ran at once; null of a chip without CPU cores", weir_mix_members,             \
    weir_mix_json(r))                                                                                                \
  X(sl1, OBJECT, "", "what S-L1 did to the program's kernels; null without it", weir_sl1_members, weir_sl1_json(r))    \
  X(policy, LIST, "", "one per cache level and policy", policy_members, policies_json(r))                            \
  X(bound, LIST, "", "what the best of decisions could have done at each level that a foreseeing policy manages, on the " \
                     "accesses of the run that was recorded for it; there only then", weir_bound_members, weir_bounds_json(r)) \
  X(sweep, OBJECT, "", "which of a scheme's open values were chosen; its members are empty if it has none",           \
    weir_sweep_members, weir_sweep_json(&(struct weir_sweep_result){0}))                                                                        \
  X(host, OBJECT, "", "of the machine that ran the simulation: the only part that differs from run to run",          \
    host_members, host_json(r))
// clang-format on

const struct weir_member weir_run_members[] = {RUN_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_run_to_json(const struct weir_run *r) {
  json_t *o = json_object();
  RUN_MEMBERS(WEIR_WRITE)
  return o;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What S-L1 did to the kernels of a run, and what came of it.
#include "run/run.h"

#include "base/alloc.h"
#include "sl1/launch.h"

#include <string.h>

struct kernel {
  const struct weir_run *run;
  const struct weir_program *program;
  const struct weir_sl1_kernel *is;
  const uint64_t *counts;  // WEIR_SL1_COUNTERS for each candidate; NULL: were not counted
  uint32_t counted, lines; // candidates that have counters; lines of a thread
};

static json_t *integer(uint64_t value) {
  return json_integer((json_int_t)value);
}

// ---- structures -------------------------------------------------------------------------------------------------------

// clang-format off
#define COUNTER_MEMBERS(X)                                                                                           \
  X(threads, INTEGER, "threads", "that decided what to cache", NULL, integer(c[WEIR_SL1_THREADS]))                   \
  X(caching, INTEGER, "threads", "that gave it a line", NULL, integer(c[WEIR_SL1_CACHING]))                          \
  X(monitored, INTEGER, "accesses", "of threads, simulated while they decided", NULL, integer(c[WEIR_SL1_MONITORED])) \
  X(monitored_hits, INTEGER, "accesses", "of those, hits", NULL, integer(c[WEIR_SL1_MONITORED_HITS]))                \
  X(accesses, INTEGER, "accesses", "of threads, once they had decided", NULL, integer(c[WEIR_SL1_ACCESSES]))         \
  X(hits, INTEGER, "accesses", "of those, served by a line that was there", NULL, integer(c[WEIR_SL1_HITS]))         \
  X(hit_rate, REAL, "", "the latter two's share; null without accesses", NULL,                                       \
    c[WEIR_SL1_ACCESSES] ? json_real((double)c[WEIR_SL1_HITS] / (double)c[WEIR_SL1_ACCESSES]) : json_null())         \
  X(fills, INTEGER, "lines", "read from memory", NULL, integer(c[WEIR_SL1_FILLS]))                                   \
  X(written_bytes, INTEGER, "bytes", "written back", NULL, integer(c[WEIR_SL1_WRITTEN_BYTES]))
// clang-format on

static const struct weir_member counter_members[] = {COUNTER_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *counters_json(const struct kernel *k, const struct weir_sl1_structure *s, uint32_t candidate) {
  if (!k->counts || s->verdict != WEIR_SL1_CANDIDATE || candidate >= k->counted) return json_null();
  const uint64_t *c = k->counts + (size_t)candidate * WEIR_SL1_COUNTERS;
  json_t *o = json_object();
  COUNTER_MEMBERS(WEIR_WRITE)
  return o;
}

// clang-format off
#define STRUCTURE_MEMBERS(X)                                                                                         \
  X(parameter, TEXT, "", "of the kernel, that points to it", NULL, json_string(s->parameter))                        \
  X(offset, INTEGER, "bytes", "of the pointer in the parameter, if that is a struct", NULL, integer(s->offset))      \
  X(verdict, TEXT, "", "\"candidate\": its threads decide whether to cache it; else why it is never cached", NULL,   \
    json_string(weir_sl1_verdict_name(s->verdict)))                                                                  \
  X(line, INTEGER, "", "line in the PTX file, as it was before S-L1, that decided the verdict, or of the first access", NULL, \
    integer(s->line))                                                                                                \
  X(written, BOOLEAN, "", "whether the kernel may store to it", NULL, json_boolean(s->written))                      \
  X(loads, INTEGER, "instructions", "in main loops", NULL, integer(s->loads))                                        \
  X(stores, INTEGER, "instructions", "in main loops", NULL, integer(s->stores))                                      \
  X(counters, OBJECT, "", "summed over all launches; null without sl1.counters=true, and if it is no candidate",       \
    counter_members, counters_json(k, s, candidate))
// clang-format on

static const struct weir_member structure_members[] = {STRUCTURE_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *structures_json(const struct kernel *k) {
  json_t *list = json_array();
  uint32_t candidate = 0;
  for (uint32_t i = 0; i < k->is->structure_count; i++) {
    const struct weir_sl1_structure *s = &k->is->structures[i];
    json_t *o = json_object();
    STRUCTURE_MEMBERS(WEIR_WRITE)
    candidate += s->verdict == WEIR_SL1_CANDIDATE;
    json_array_append_new(list, o);
  }
  return list;
}

// ---- loops ------------------------------------------------------------------------------------------------------------

// clang-format off
#define LOOP_MEMBERS(X)                                                                                              \
  X(line, INTEGER, "", "of its first instruction in the PTX file, as it was before S-L1", NULL, integer(l->line))    \
  X(source_file, TEXT, "", "source file; null if the PTX does not say", NULL, source_file_of(k, l))    \
  X(source_line, INTEGER, "", "line in the source file, 0 if the PTX does not say", NULL, integer(l->source_line))        \
  X(left_alone, TEXT, "", "why it was not transformed; null: it was", NULL,                                          \
    l->left_alone ? json_string(l->left_alone) : json_null())
// clang-format on

static const struct weir_member loop_members[] = {LOOP_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *source_file_of(const struct kernel *k, const struct weir_sl1_loop *l) {
  const char *file = l->source_line ? weir_program_file(k->program, l->source_file) : NULL;
  return file ? json_string(file) : json_null();
}

static json_t *loops_json(const struct kernel *k) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < k->is->loop_count; i++) {
    const struct weir_sl1_loop *l = &k->is->loops[i];
    json_t *o = json_object();
    LOOP_MEMBERS(WEIR_WRITE)
    json_array_append_new(list, o);
  }
  return list;
}

// ---- kernels ----------------------------------------------------------------------------------------------------------

// clang-format off
#define KERNEL_MEMBERS(X)                                                                                            \
  X(name, TEXT, "", "of the kernel", NULL, json_string(k->is->name))                                                 \
  X(transformed, BOOLEAN, "", "false: it runs as it was", NULL, json_boolean(k->is->transformed))                    \
  X(lines, INTEGER, "lines", "that each thread had in the last launch", NULL, integer(k->lines))                     \
  X(untraced, INTEGER, "instructions", "accesses in main loops of which no structure is known", NULL,                \
    integer(k->is->untraced))                                                                                        \
  X(loops, LIST, "", "its main loops", loop_members, loops_json(k))                                              \
  X(structures, LIST, "", "what its parameters point to", structure_members, structures_json(k))
// clang-format on

static const struct weir_member kernel_members[] = {KERNEL_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static bool launched(const struct weir_run *r, const char *name) {
  for (unsigned i = 0; i < r->kernel_count; i++)
    if (!strcmp(r->kernels[i].name, name)) return true;
  return false;
}

static void add_kernel(json_t *list, const struct weir_run *r, const struct weir_program *program,
                       const struct weir_sl1_kernel *is) {
  struct kernel own = {.run = r, .program = program, .is = is}, *k = &own;
  struct weir_sl1_need need;
  if (weir_sl1_need(program, is->name, r->memory, &need)) k->lines = weir_sl1_given(&need, r->memory);
  k->counts = weir_sl1_counts(program, is->name, r->memory, &k->counted);
  json_t *o = json_object();
  KERNEL_MEMBERS(WEIR_WRITE)
  json_array_append_new(list, o);
}

static json_t *kernels_json(const struct weir_run *r) {
  json_t *list = json_array();
  for (unsigned i = 0; i < r->sl1_count; i++)
    for (uint32_t k = 0; k < r->sl1[i].report->kernel_count; k++) {
      const struct weir_sl1_kernel *kernel = &r->sl1[i].report->kernels[k];
      if (launched(r, kernel->name)) add_kernel(list, r, r->sl1[i].program, kernel);
    }
  return list;
}

// ---- the options ------------------------------------------------------------------------------------------------------

static const struct weir_member option_members[] = {{"<option>", WEIR_TEXT, "", "its value (weir sl1 --help)", NULL},
                                                    WEIR_END_ROW};

static json_t *options_json(const struct weir_run *r) {
  json_t *o = json_object();
  char *text = weir_param_changes(&weir_sl1_table, &r->setup->program.sl1_options), *rest = text;
  for (char *one; (one = strsep(&rest, ","));) {
    char *value = strchr(one, '=');
    if (!value) continue;
    *value++ = 0;
    json_object_set_new(o, one, json_string(value));
  }
  weir_free(text);
  return o;
}

// clang-format off
#define SL1_MEMBERS(X)                                                                                               \
  X(options, OBJECT, "", "those that differ from the defaults", option_members, options_json(r))                     \
  X(kernels, LIST, "", "those that were launched", kernel_members, kernels_json(r))
// clang-format on

const struct weir_member weir_sl1_members[] = {SL1_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_sl1_json(const struct weir_run *r) {
  if (!r->setup->program.sl1) return json_null();
  json_t *o = json_object();
  SL1_MEMBERS(WEIR_WRITE)
  return o;
}

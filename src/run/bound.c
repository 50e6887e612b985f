// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The bound of a run that was recorded: per level, and per instruction.
#include "base/alloc.h"
#include "run/run.h"

#define FIELD_ROW(name, unit, meaning) {#name, WEIR_INTEGER, unit, meaning, NULL},

static const struct weir_member instruction_members[] = {
  {"pc", WEIR_INTEGER, "", "the same number as in `loads`, `stores` and `atomics`", NULL},
  WEIR_BOUND_FIELDS(FIELD_ROW) WEIR_END_ROW};

const struct weir_member weir_bound_members[] = {
  {"level", WEIR_TEXT, "", "the cache", NULL},
  WEIR_BOUND_FIELDS(FIELD_ROW){"instructions", WEIR_LIST, "", "those of them that accessed it, in the order of `pc`",
                               instruction_members},
  WEIR_END_ROW};

static void put_counts(json_t *o, const struct weir_bound_counts *n) {
#define PUT(name, unit, meaning) json_object_set_new(o, #name, json_integer((json_int_t)n->name));
  WEIR_BOUND_FIELDS(PUT)
#undef PUT
}

static json_t *instructions_json(const struct weir_bound_counts *pcs, uint32_t count) {
  json_t *list = json_array();
  for (uint32_t pc = 0; pc < count; pc++) {
    if (!pcs[pc].accesses) continue;
    json_t *o = json_object();
    json_object_set_new(o, "pc", json_integer(pc));
    put_counts(o, &pcs[pc]);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *level_json(const struct weir_run *r, unsigned level) {
  uint32_t count;
  weir_chip_pcs(r->chip, &count);
  struct weir_bound_counts total = {0}, *pcs = weir_new_array(struct weir_bound_counts, count);
  json_t *o = NULL;
  if (weir_records_bound(r->records, level, &total, pcs, count)) {
    o = json_object();
    json_object_set_new(o, "level", json_string(weir_chip_level_name(r->setup->chip, level)));
    put_counts(o, &total);
    json_object_set_new(o, "instructions", instructions_json(pcs, count));
  }
  weir_free(pcs);
  return o;
}

json_t *weir_bounds_json(const struct weir_run *r) {
  if (!r->records) return NULL;
  json_t *list = json_array();
  for (unsigned l = 0; l < weir_chip_levels(r->setup->chip); l++) {
    json_t *level = level_json(r, l);
    if (level) json_array_append_new(list, level);
  }
  return list;
}

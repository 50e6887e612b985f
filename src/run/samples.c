// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The samples of a run as columns: one array per counter, one element per sample.
#include "run/run.h"

#define COUNTER_ROW(name, unit, meaning) {#name, WEIR_LIST, unit, meaning, NULL},

const struct weir_member weir_samples_members[] = {
  {"period_cycles", WEIR_INTEGER, "core cycles",
   "of every sample but the last: sample_cycles, doubled until 4096 samples "
   "were enough",
   NULL},
  {"end_cycle", WEIR_LIST, "core cycles", "of launches since the run began, as the sample ended", NULL},
  WEIR_SAMPLE_FIELDS(COUNTER_ROW)
    WEIR_ACCESS_FIELDS(COUNTER_ROW){"input_utilisation", WEIR_LIST, "fraction",
                                    "one array per memory slice: of the places in the queue before its first "
                                    "cache, those taken, mean over the sample",
                                    NULL},
  {NULL, WEIR_INTEGER, NULL, NULL, NULL}};

static json_t *column(json_t *o, const char *name) {
  json_t *list = json_array();
  json_object_set_new(o, name, list);
  return list;
}

static json_t *utilisation_json(const struct weir_chip *c, unsigned slice, unsigned count) {
  json_t *list = json_array();
  for (unsigned i = 0; i < count; i++)
    json_array_append_new(list, json_real(weir_chip_sample_utilisation(c, i, slice)));
  return list;
}

json_t *weir_samples_json(const struct weir_chip *c) {
  weir_cycle period, end = 0;
  unsigned count = weir_chip_samples(c, &period);
  if (!period) return NULL;
  json_t *o = json_object();
  json_object_set_new(o, "period_cycles", json_integer((json_int_t)period));
  json_t *ends = column(o, "end_cycle");
#define COLUMN(name, unit, meaning) json_t *name = column(o, #name);
  WEIR_SAMPLE_FIELDS(COLUMN)
  WEIR_ACCESS_FIELDS(COLUMN)
  for (unsigned i = 0; i < count; i++) {
    struct weir_sample s = weir_chip_sample(c, i);
    json_array_append_new(ends, json_integer((json_int_t)(end += s.cycles)));
#define APPEND(name, unit, meaning) json_array_append_new(name, json_integer((json_int_t)s.name));
#define APPEND_LOADS(name, unit, meaning) json_array_append_new(name, json_integer((json_int_t)s.loads.name));
    WEIR_SAMPLE_FIELDS(APPEND)
    WEIR_ACCESS_FIELDS(APPEND_LOADS)
  }
  json_t *slices = column(o, "input_utilisation");
  for (unsigned i = 0; i < weir_chip_slices(c); i++) json_array_append_new(slices, utilisation_json(c, i, count));
  return o;
}

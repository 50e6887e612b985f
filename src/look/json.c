// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/print.h"

#include "config/config.h"
#include "look/names.h"

static void put(json_t *o, const char *name, uint64_t value) {
  json_object_set_new(o, name, json_integer((json_int_t)value));
}

static json_t *counts_json(const struct weir_look_counts *n) {
  json_t *o = json_object();
  put(o, "accesses", n->accesses);
  put(o, "hits", n->hits);
  put(o, "hits_on_miss", n->hits_on_miss);
  put(o, "misses", weir_look_misses(n));
  for (unsigned i = 0; i < WEIR_MISS_CLASSES; i++) put(o, weir_miss_class_names[i], n->misses[i]);
  put(o, "bypasses", n->bypasses);
  put(o, "stores_passed", n->passed);
  return o;
}

static json_t *text(const char *t) {
  return t ? json_string(t) : json_null();
}

static json_t *loads_json(const struct weir_look *l) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < l->record.load_count; i++) {
    const struct weir_look_load *load = &l->record.loads[i];
    json_t *o = counts_json(&load->n);
    json_object_set_new(o, "pc", load->pc == UINT32_MAX ? json_null() : json_integer(load->pc));
    json_object_set_new(o, "kind", json_string(weir_look_request_names[load->request]));
    json_object_set_new(o, "function", text(l->places[i].function));
    json_object_set_new(o, "file", text(l->places[i].file));
    put(o, "line", l->places[i].line);
    json_object_set_new(o, "array", text(l->places[i].array));
    json_object_set_new(o, "allocation", text(l->places[i].allocation));
    json_object_set_new(o, "source", text(l->places[i].source));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *sets_json(const struct weir_look_record *r) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->sets; i++) {
    json_t *o = counts_json(&r->by_set[i]);
    put(o, "evictions", r->by_set[i].ends);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *distances_json(const struct weir_look_record *r) {
  json_t *list = json_array();
  for (unsigned i = 0; i < WEIR_LOOK_BUCKETS; i++) {
    if (!r->distances[i]) continue;
    json_t *o = json_object();
    put(o, "from", weir_look_bucket_from(i));
    put(o, "to", i ? weir_look_bucket_from(i + 1) - 1 : 0);
    put(o, "accesses", r->distances[i]);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *curve_json(const struct weir_look *l) {
  const struct weir_look_record *r = &l->record;
  json_t *list = json_array();
  for (uint64_t n = weir_look_curve_from(r); n <= weir_look_curve_to(r); n *= 2) {
    json_t *o = json_object();
    put(o, "lines", n);
    put(o, "bytes", n * l->line_bytes);
    put(o, "misses", weir_look_misses_of(r, n));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *ends_json(const struct weir_look_record *r) {
  json_t *o = json_object();
  for (unsigned i = 0; i < WEIR_ENDS; i++) put(o, weir_look_end_names[i], r->ends[i]);
  return o;
}

json_t *weir_look_json(const struct weir_look *l) {
  const struct weir_look_record *r = &l->record;
  json_t *o = json_object();
  json_object_set_new(o, "program", json_string(l->experiment->program));
  json_object_set_new(o, "chip", json_string(l->setup.chip->name));
  json_object_set_new(o, "scheme", json_string(l->experiment->scheme));
  json_object_set_new(o, "cache", json_string(weir_look_cache(l)));
  put(o, l->level ? "slice" : "core", l->instance);
  put(o, "launch", l->launch);
  json_object_set_new(o, "kernel", text(l->kernel));
  put(o, "sets", r->sets);
  put(o, "ways", r->ways);
  put(o, "line_bytes", l->line_bytes);
  put(o, "sector_bytes", l->sector_bytes);
  json_object_set_new(o, "only_set", r->only_set == WEIR_LOOK_ANY ? json_null() : json_integer(r->only_set));
  json_object_set_new(o, "total", counts_json(&r->total));
  put(o, "uses", r->uses);
  json_object_set_new(o, "ends", ends_json(r));
  put(o, "fills", r->total.fills);
  put(o, "died_unused", r->total.unused);
  json_object_set_new(o, "loads", loads_json(l));
  json_object_set_new(o, "by_set", sets_json(r));
  json_object_set_new(o, "distances", distances_json(r));
  put(o, "distances_never", r->never);
  json_object_set_new(o, "curve", curve_json(l));
  put(o, "events", r->event_count);
  put(o, "events_left_out", r->left_out);
  return o;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/copies.h"

#include "config/config.h"

#include <stdio.h>

static void put(json_t *list, const char *way, const char *memory, const char *size, weir_time ps) {
  char name[64];
  json_t *o = json_object();
  snprintf(name, sizeof name, "%s.%s.%s", way, memory, size);
  json_object_set_new(o, "name", json_string(name));
  json_object_set_new(o, "unit", json_string("us"));
  json_object_set_new(o, "help", json_string("a copy alone, from its call to its end"));
  json_object_set_new(o, "value", json_real((double)ps / 1e6));
  json_array_append_new(list, o);
}

json_t *weir_copies_json(const struct weir_chip_config *c) {
  static const struct {
    const char *name;
    uint64_t bytes;
  } sizes[] = {{"4B", 4},         {"1KiB", 1 << 10},   {"16KiB", 16 << 10},   {"64KiB", 64 << 10},
               {"1MiB", 1 << 20}, {"16MiB", 16 << 20}, {"256MiB", 256 << 20}, {"1GiB", 1 << 30}};
  static const char *const ways[] = {"to_device", "to_host"};
  static const char *const memories[] = {[WEIR_LINK_PINNED] = "pinned", [WEIR_LINK_PAGEABLE] = "pageable"};
  const struct weir_link *l = &c->link;
  if (!l->raw_mb_per_s) return NULL;
  json_t *list = json_array();
  for (unsigned w = 0; w < 2; w++)
    for (unsigned m = 0; m < 2; m++)
      for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        put(list, ways[w], memories[m], sizes[s].name,
            weir_link_copy_ps(l, w ? &l->to_host : &l->to_device, (enum weir_link_memory)m, sizes[s].bytes));
  return list;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/mix_energy.h"

#include "run/run.h"

#include <math.h>
#include <string.h>

const struct weir_member weir_energy_parts_members[] = {
  {"<part>", WEIR_REAL, "pJ", "one part, or one of the sums `on_chip_dynamic`, `on_chip_static`, `dram`, `total`",
   NULL},
  WEIR_END_ROW};

#define MEMBER(name, unit, meaning) {#name, WEIR_REAL, unit, meaning, NULL},
static const struct weir_member array_members[] = {WEIR_ENERGY_ARRAY_FIELDS(MEMBER) WEIR_END_ROW};
static const struct weir_member dram_members[] = {WEIR_ENERGY_DRAM_FIELDS(MEMBER) WEIR_END_ROW};

static const struct weir_member own_members[] = {
  {"<cache>", WEIR_OBJECT, "", "`l1i`, `l1d` and `l2` of a CPU program, the first level of the GPU's", array_members},
  WEIR_END_ROW};

static const struct weir_member shared_members[] = {
  {"<level>", WEIR_OBJECT, "", "a level of shared caches, as the chip names it", array_members},
  {"memory", WEIR_OBJECT, "", "the DRAM", dram_members},
  WEIR_END_ROW};

const struct weir_member weir_energy_counts_members[] = {
  WEIR_ENERGY_CORE_FIELDS(MEMBER){"own", WEIR_OBJECT, "", "its own caches", own_members},
  {"by_accesses", WEIR_OBJECT, "", "its share of what all use, by its part of all accesses", shared_members},
  {"by_events", WEIR_OBJECT, "", "the same by what its own accesses touched", shared_members},
  WEIR_END_ROW};
#undef MEMBER

json_t *weir_energy_parts_json(const struct weir_energy_part *parts, unsigned count) {
  json_t *o = json_object();
  for (unsigned i = 0; i < count; i++) json_object_set_new(o, parts[i].name, json_real(parts[i].picojoules));
  return o;
}

// ---- counts, there and back -----------------------------------------------------------------------------------------

static const char *own_name(const struct weir_chip_config *chip, bool cpu, unsigned i) {
  static const char *const names[WEIR_ENERGY_PRIVATE] = {"l1i", "l1d", "l2"};
  return cpu ? names[i] : weir_chip_level_name(chip, 0);
}

static unsigned own_count(bool cpu) {
  return cpu ? WEIR_ENERGY_PRIVATE : 1;
}

#define PUT(name, unit, meaning) json_object_set_new(o, #name, json_real(n->name));
static json_t *array_json(const struct weir_energy_array *n) {
  json_t *o = json_object();
  WEIR_ENERGY_ARRAY_FIELDS(PUT)
  return o;
}

static json_t *memory_json(const struct weir_energy_shared *n) {
  json_t *o = json_object();
  WEIR_ENERGY_DRAM_FIELDS(PUT)
  return o;
}

static json_t *shared_json(const struct weir_energy_shared *n, const struct weir_chip_config *chip) {
  json_t *o = json_object();
  for (unsigned i = 1; i < weir_chip_levels(chip); i++)
    json_object_set_new(o, weir_chip_level_name(chip, i), array_json(&n->levels[i]));
  json_object_set_new(o, "memory", memory_json(n));
  return o;
}

json_t *weir_energy_counts_json(const struct weir_energy_counts *n, const struct weir_chip_config *chip) {
  json_t *o = json_object(), *own = json_object();
  WEIR_ENERGY_CORE_FIELDS(PUT)
  for (unsigned i = 0; i < own_count(n->cpu); i++)
    json_object_set_new(own, own_name(chip, n->cpu, i), array_json(&n->own[i]));
  json_object_set_new(o, "own", own);
  json_object_set_new(o, "by_accesses", shared_json(&n->by_accesses, chip));
  json_object_set_new(o, "by_events", shared_json(&n->by_events, chip));
  return o;
}
#undef PUT

#define GET(name, unit, meaning) n->name = json_number_value(json_object_get(o, #name));
static void read_array(const json_t *o, struct weir_energy_array *n) {
  WEIR_ENERGY_ARRAY_FIELDS(GET)
}

static void read_memory(const json_t *o, struct weir_energy_shared *n) {
  WEIR_ENERGY_DRAM_FIELDS(GET)
}

static void read_shared(const json_t *o, const struct weir_chip_config *chip, struct weir_energy_shared *n) {
  for (unsigned i = 1; i < weir_chip_levels(chip); i++)
    read_array(json_object_get(o, weir_chip_level_name(chip, i)), &n->levels[i]);
  read_memory(json_object_get(o, "memory"), n);
}

bool weir_energy_counts_read(const json_t *program, const struct weir_chip_config *chip, struct weir_energy_counts *n) {
  const json_t *o = json_object_get(program, "energy_counts"), *kind = json_object_get(program, "kind");
  const json_int_t requester = json_integer_value(json_object_get(program, "requester"));
  if (!json_is_object(o) || !json_is_string(kind) || requester < 0 || requester >= WEIR_MAX_REQUESTERS) return false;
  *n = (struct weir_energy_counts){.cpu = !strcmp(json_string_value(kind), "cpu"), .requester = (uint8_t)requester};
  WEIR_ENERGY_CORE_FIELDS(GET)
  const json_t *own = json_object_get(o, "own");
  for (unsigned i = 0; i < own_count(n->cpu); i++)
    read_array(json_object_get(own, own_name(chip, n->cpu, i)), &n->own[i]);
  read_shared(json_object_get(o, "by_accesses"), chip, &n->by_accesses);
  read_shared(json_object_get(o, "by_events"), chip, &n->by_events);
  return true;
}
#undef GET

double weir_energy_priced(const json_t *program, const struct weir_chip_config *chip,
                          const struct weir_energy_costs *costs, const char *part) {
  struct weir_energy_counts counts;
  struct weir_energy_part parts[WEIR_MAX_PROGRAM_PARTS];
  if (!weir_energy_counts_read(program, chip, &counts)) return NAN;
  const unsigned count = weir_energy_program_parts(costs, &counts, parts, WEIR_MAX_PROGRAM_PARTS);
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(parts[i].name, part)) return parts[i].picojoules;
  return NAN;
}

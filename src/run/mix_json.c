// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The programs of a mix in the run object: what each was counted with, and what the network's ports did.
#include "base/alloc.h"
#include "config/config.h"
#include "run/mix.h"
#include "run/run.h"
#include "run/mix_energy.h"

struct program {
  const struct weir_run *run;
  const struct weir_chip_program *is;
};

static json_t *integer(uint64_t value) {
  return json_integer((json_int_t)value);
}

static double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

// ---- shared caches --------------------------------------------------------------------------------------------------

static const struct weir_member requester_level_members[] = {
  {"<level>", WEIR_OBJECT, "", "a level of shared caches, all its instances together, as the chip names it",
   weir_requester_members},
  WEIR_END_ROW};

static const struct weir_member share_members[] = {
  {"…", WEIR_OBJECT, "", "its counters", weir_requester_members},
  {"occupancy", WEIR_REAL, "fraction", "of the level's lines, those that it held, mean from the run's beginning", NULL},
  WEIR_END_ROW};

static const struct weir_member share_level_members[] = {
  {"<level>", WEIR_OBJECT, "", "a level of shared caches, as the chip names it", share_members}, WEIR_END_ROW};

// The lines of a level, times its cycles in that time.
static double line_cycles(const struct weir_chip_config *c, unsigned level, weir_time time_ps) {
  const struct weir_cache_config *cache = &c->caches[level];
  double lines = (double)cache->size_kib * 1024 / cache->line_bytes;
  return lines * (double)time_ps * 1e-6 * c->clocks.cache_mhz;
}

static json_t *share_json(const struct program *a, unsigned level) {
  struct weir_requester_counts counts = weir_chip_requester_counts(a->run->chip, a->is, level, a->is->requester);
  json_t *o = json_object();
  weir_requester_to_json(o, &counts);
  double all = line_cycles(a->run->setup->chip, level, a->is->time_ps);
  json_object_set_new(o, "occupancy", json_real(ratio((double)counts.line_cycles, all)));
  return o;
}

static json_t *shares_json(const struct program *a) {
  const struct weir_chip_config *c = a->run->setup->chip;
  json_t *o = json_object();
  for (unsigned i = 1; i < weir_chip_levels(c); i++)
    json_object_set_new(o, weir_chip_level_name(c, i), share_json(a, i));
  return o;
}

// ---- programs ---------------------------------------------------------------------------------------------------

static json_t *core_json(const struct weir_chip_program *a) {
  if (!a->cpu) return NULL;
  json_t *o = json_object();
  weir_cpu_to_json(o, &a->core);
  return o;
}

static json_t *private_json(const struct weir_chip_program *a, unsigned level) {
  if (!a->cpu) return NULL;
  json_t *o = json_object();
  weir_level_to_json(o, &a->levels[level]);
  return o;
}

static json_t *traffic_json(const struct weir_chip_program *a) {
  json_t *o = json_object();
  weir_traffic_to_json(o, &a->traffic);
  return o;
}

static json_t *energy_json(const struct program *a) {
  struct weir_energy_part parts[WEIR_MAX_PROGRAM_PARTS];
  return weir_energy_parts_json(parts, weir_chip_program_energy(a->run->chip, a->is, parts, WEIR_MAX_PROGRAM_PARTS));
}

static json_t *energy_counts_json(const struct program *a) {
  struct weir_energy_counts counts;
  weir_chip_program_counts(a->run->chip, a->is, &counts);
  return weir_energy_counts_json(&counts, a->run->setup->chip);
}

#define OF_CPU " of a CPU program; there only of those"
// clang-format off
#define PROGRAM_MEMBERS(X)                                                                                       \
  X(name, TEXT, "", "the program", NULL, weir_foreign_text(a.is->name))                                              \
  X(kind, TEXT, "", "\"cpu\" or \"gpu\": the cores that it runs on", NULL, json_string(a.is->cpu ? "cpu" : "gpu"))   \
  X(requester, INTEGER, "", "0: the GPU's cores; n: CPU core n", NULL, integer(a.is->requester))                             \
  X(counted, BOOLEAN, "", "whether it reached its count; all below is of that moment", NULL,                         \
    json_boolean(a.is->counted))                                                                                     \
  X(instructions, INTEGER, "instructions", "executed by then; of the GPU's program by warps", NULL,                  \
    integer(a.is->instructions))                                                                                     \
  X(cycles, INTEGER, "cycles", "of its own cores' clock, since the run began", NULL, integer(a.is->cycles))          \
  X(time_ps, INTEGER, "ps", "the same in simulated time", NULL, integer(a.is->time_ps))                              \
  X(ipc, REAL, "instructions per cycle", "of the two", NULL,                                                         \
    json_real(ratio((double)a.is->instructions, (double)a.is->cycles)))                                              \
  X(restarts, INTEGER, "", "how often it had begun again by the end of the run", NULL, integer(r->restarts[a.is->requester]))      \
  X(core, OBJECT, "", "the core" OF_CPU, weir_cpu_members, core_json(a.is))                                          \
  X(l1i, OBJECT, "", "the core's instruction cache" OF_CPU, weir_level_members, private_json(a.is, 0))               \
  X(l1d, OBJECT, "", "its data cache" OF_CPU, weir_level_members, private_json(a.is, 1))                             \
  X(l2, OBJECT, "", "the cache behind both" OF_CPU, weir_level_members, private_json(a.is, 2))                       \
  X(shared, OBJECT, "", "what its requests did to shared caches", share_level_members, shares_json(&a))              \
  X(traffic, OBJECT, "", "what they had the network and the memory channels do", weir_traffic_members,                \
    traffic_json(a.is))                                                                                              \
  X(energy_pj, OBJECT, "", "its energy by part: its own cores', and its share of what all use", weir_energy_parts_members, \
    energy_json(&a))                                                                                                 \
  X(energy_counts, OBJECT, "", "what that is computed from", weir_energy_counts_members, energy_counts_json(&a))
// clang-format on

static const struct weir_member program_members[] = {PROGRAM_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *program_json(const struct weir_run *r, const struct weir_chip_program *is) {
  struct program a = {r, is};
  json_t *o = json_object();
  PROGRAM_MEMBERS(WEIR_WRITE)
  return o;
}

static json_t *programs_json(const struct weir_run *r) {
  const struct weir_chip_program *all;
  unsigned count = weir_chip_programs(r->chip, &all);
  json_t *list = json_array();
  for (unsigned i = 0; i < count; i++) json_array_append_new(list, program_json(r, &all[i]));
  return list;
}

// ---- ports ----------------------------------------------------------------------------------------------------------

struct ports {
  const struct weir_chip_config *chip;
  struct weir_requester_counts *by_port[WEIR_MAX_LEVELS]; // [level][port]
};

static json_t *by_port_json(const struct ports *p, uint32_t port) {
  json_t *o = json_object();
  for (unsigned i = 1; i < weir_chip_levels(p->chip); i++) {
    json_t *level = json_object();
    weir_requester_to_json(level, &p->by_port[i][port]);
    json_object_set_new(o, weir_chip_level_name(p->chip, i), level);
  }
  return o;
}

// clang-format off
#define PORT_MEMBERS(X)                                                                                              \
  X(port, INTEGER, "", "a core's place at the network: the GPU's cores first", NULL, integer(port))                  \
  X(requester, INTEGER, "", "of its requests, as a program's", NULL, integer(requester))                                \
  X(shared, OBJECT, "", "what its requests did to shared caches in the whole run", requester_level_members,              \
    by_port_json(p, port))
// clang-format on

static const struct weir_member port_members[] = {PORT_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static void add_ports(json_t *list, const struct ports *p, unsigned requester) {
  uint32_t count, first = weir_chip_ports(p->chip, (uint8_t)requester, &count);
  for (uint32_t port = first; port < first + count; port++) {
    json_t *o = json_object();
    PORT_MEMBERS(WEIR_WRITE)
    json_array_append_new(list, o);
  }
}

static json_t *ports_json(const struct weir_run *r) {
  struct ports p = {.chip = r->setup->chip};
  json_t *list = json_array();
  unsigned levels = weir_chip_levels(p.chip);
  for (unsigned i = 1; i < levels; i++) p.by_port[i] = weir_chip_by_port(r->chip, i, true);
  for (unsigned requester = 0; requester <= weir_chip_cpu_cores(p.chip); requester++) add_ports(list, &p, requester);
  for (unsigned i = 1; i < levels; i++) weir_free(p.by_port[i]);
  return list;
}

// ---- the mix --------------------------------------------------------------------------------------------------------

// clang-format off
#define COUNT_MEMBERS(X)                                                                                             \
  X(cpu, INTEGER, "instructions", "of each CPU program", NULL, integer(r->counts.cpu))                               \
  X(gpu, INTEGER, "warp instructions", "of the GPU's program; 0: all until it ends", NULL, integer(r->counts.gpu))   \
  X(warmup, INTEGER, "instructions", "of each CPU program before the run began, counted nowhere", NULL,              \
    integer(r->counts.warmup))
// clang-format on

static const struct weir_member count_members[] = {COUNT_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *counts_json(const struct weir_run *r) {
  json_t *o = json_object();
  COUNT_MEMBERS(WEIR_WRITE)
  return o;
}

// clang-format off
#define MIX_MEMBERS(X)                                                                                               \
  X(counts, OBJECT, "", "what the programs were to execute", count_members, counts_json(r))                          \
  X(programs, LIST, "", "the programs, the GPU's first; each with what had been counted when it reached its count", \
    program_members, programs_json(r))                                                                       \
  X(ports, LIST, "", "of the network, one per core", port_members, ports_json(r))
// clang-format on

const struct weir_member weir_mix_members[] = {MIX_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_mix_json(const struct weir_run *r) {
  const struct weir_chip_program *all;
  if (!r->chip || !weir_chip_cpu_cores(r->setup->chip) || !weir_chip_programs(r->chip, &all)) return json_null();
  json_t *o = json_object();
  MIX_MEMBERS(WEIR_WRITE)
  return o;
}

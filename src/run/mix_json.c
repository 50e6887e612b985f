// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The programs of a mix in the run object: what each was counted with, and what the network's ports did.
#include "base/alloc.h"
#include "config/config.h"
#include "run/mix.h"
#include "run/run.h"
#include "run/mix_energy.h"

struct application {
  const struct weir_run *run;
  const struct weir_chip_application *is;
};

static json_t *integer(uint64_t value) {
  return json_integer((json_int_t)value);
}

static double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

// ---- shared caches --------------------------------------------------------------------------------------------------

static const struct weir_member tenant_level_members[] = {
  {"<level>", WEIR_OBJECT, "", "a level of shared caches, all its instances together, as the chip names it",
   weir_tenant_members},
  WEIR_END_ROW};

static const struct weir_member share_members[] = {
  {"…", WEIR_OBJECT, "", "its counters", weir_tenant_members},
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

static json_t *share_json(const struct application *a, unsigned level) {
  struct weir_tenant_counts counts = weir_chip_tenant(a->run->chip, a->is, level, a->is->owner);
  json_t *o = json_object();
  weir_tenant_to_json(o, &counts);
  double all = line_cycles(a->run->setup->chip, level, a->is->time_ps);
  json_object_set_new(o, "occupancy", json_real(ratio((double)counts.line_cycles, all)));
  return o;
}

static json_t *shares_json(const struct application *a) {
  const struct weir_chip_config *c = a->run->setup->chip;
  json_t *o = json_object();
  for (unsigned i = 1; i < weir_chip_levels(c); i++)
    json_object_set_new(o, weir_chip_level_name(c, i), share_json(a, i));
  return o;
}

// ---- applications ---------------------------------------------------------------------------------------------------

static json_t *core_json(const struct weir_chip_application *a) {
  if (!a->cpu) return NULL;
  json_t *o = json_object();
  weir_cpu_to_json(o, &a->core);
  return o;
}

static json_t *private_json(const struct weir_chip_application *a, unsigned level) {
  if (!a->cpu) return NULL;
  json_t *o = json_object();
  weir_level_to_json(o, &a->levels[level]);
  return o;
}

static json_t *traffic_json(const struct weir_chip_application *a) {
  json_t *o = json_object();
  weir_traffic_to_json(o, &a->traffic);
  return o;
}

static json_t *energy_json(const struct application *a) {
  struct weir_energy_part parts[WEIR_MAX_APPLICATION_PARTS];
  return weir_energy_parts_json(parts,
                                weir_chip_application_energy(a->run->chip, a->is, parts, WEIR_MAX_APPLICATION_PARTS));
}

static json_t *energy_counts_json(const struct application *a) {
  struct weir_energy_counts counts;
  weir_chip_application_counts(a->run->chip, a->is, &counts);
  return weir_energy_counts_json(&counts, a->run->setup->chip);
}

#define OF_CPU " of a CPU program; there only of those"
// clang-format off
#define APPLICATION_MEMBERS(X)                                                                                       \
  X(name, TEXT, "", "the program", NULL, weir_foreign_text(a.is->name))                                              \
  X(kind, TEXT, "", "\"cpu\" or \"gpu\": the cores that it runs on", NULL, json_string(a.is->cpu ? "cpu" : "gpu"))   \
  X(owner, INTEGER, "", "0: the GPU's cores; n: CPU core n", NULL, integer(a.is->owner))                             \
  X(counted, BOOLEAN, "", "whether it reached its count; all below is of that moment", NULL,                         \
    json_boolean(a.is->counted))                                                                                     \
  X(instructions, INTEGER, "instructions", "executed by then; of the GPU's program by warps", NULL,                  \
    integer(a.is->instructions))                                                                                     \
  X(cycles, INTEGER, "cycles", "of its own cores' clock, since the run began", NULL, integer(a.is->cycles))          \
  X(time_ps, INTEGER, "ps", "the same in simulated time", NULL, integer(a.is->time_ps))                              \
  X(ipc, REAL, "instructions per cycle", "of the two", NULL,                                                         \
    json_real(ratio((double)a.is->instructions, (double)a.is->cycles)))                                              \
  X(restarts, INTEGER, "", "how often it had begun again by the end of the run", NULL, integer(r->restarts[a.is->owner]))      \
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

static const struct weir_member application_members[] = {APPLICATION_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static json_t *application_json(const struct weir_run *r, const struct weir_chip_application *is) {
  struct application a = {r, is};
  json_t *o = json_object();
  APPLICATION_MEMBERS(WEIR_WRITE)
  return o;
}

static json_t *applications_json(const struct weir_run *r) {
  const struct weir_chip_application *all;
  unsigned count = weir_chip_applications(r->chip, &all);
  json_t *list = json_array();
  for (unsigned i = 0; i < count; i++) json_array_append_new(list, application_json(r, &all[i]));
  return list;
}

// ---- ports ----------------------------------------------------------------------------------------------------------

struct ports {
  const struct weir_chip_config *chip;
  struct weir_tenant_counts *tenants[WEIR_MAX_LEVELS]; // [level][port]
};

static json_t *tenants_json(const struct ports *p, uint32_t port) {
  json_t *o = json_object();
  for (unsigned i = 1; i < weir_chip_levels(p->chip); i++) {
    json_t *level = json_object();
    weir_tenant_to_json(level, &p->tenants[i][port]);
    json_object_set_new(o, weir_chip_level_name(p->chip, i), level);
  }
  return o;
}

// clang-format off
#define PORT_MEMBERS(X)                                                                                              \
  X(port, INTEGER, "", "a core's place at the network: the GPU's cores first", NULL, integer(port))                  \
  X(owner, INTEGER, "", "of its requests, as an application's", NULL, integer(owner))                                \
  X(shared, OBJECT, "", "what its requests did to shared caches in the whole run", tenant_level_members,              \
    tenants_json(p, port))
// clang-format on

static const struct weir_member port_members[] = {PORT_MEMBERS(WEIR_ROW) WEIR_END_ROW};

static void add_ports(json_t *list, const struct ports *p, unsigned owner) {
  uint32_t count, first = weir_chip_ports(p->chip, (uint8_t)owner, &count);
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
  for (unsigned i = 1; i < levels; i++) p.tenants[i] = weir_chip_tenants(r->chip, i, true);
  for (unsigned owner = 0; owner <= weir_chip_cpu_cores(p.chip); owner++) add_ports(list, &p, owner);
  for (unsigned i = 1; i < levels; i++) weir_free(p.tenants[i]);
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
  X(applications, LIST, "", "the programs, the GPU's first; each with what had been counted when it reached its count", \
    application_members, applications_json(r))                                                                       \
  X(ports, LIST, "", "of the network, one per core", port_members, ports_json(r))
// clang-format on

const struct weir_member weir_mix_members[] = {MIX_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_mix_json(const struct weir_run *r) {
  const struct weir_chip_application *all;
  if (!r->chip || !weir_chip_cpu_cores(r->setup->chip) || !weir_chip_applications(r->chip, &all)) return json_null();
  json_t *o = json_object();
  MIX_MEMBERS(WEIR_WRITE)
  return o;
}

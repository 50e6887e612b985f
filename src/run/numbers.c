// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/numbers.h"

#include "run/object.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double number(const json_t *o, const char *name) {
  const json_t *v = json_object_get(o, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *name) {
  return json_string_value(json_object_get(o, name));
}

static const char *text_or_empty(const json_t *o, const char *name) {
  const char *value = text(o, name);
  return value ? value : "";
}

#define READ(name, ...) n.name = number(o, #name);

// ---- caches ---------------------------------------------------------------------------------------------------------

static struct weir_access_numbers accesses_of(const json_t *o) {
  struct weir_access_numbers n;
  WEIR_ACCESS_FIELDS(READ)
  return n;
}

static double part_pj(const json_t *energies, const char *level, const char *part) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", level ? level : "", part);
  return number(energies, name);
}

static struct weir_cache_numbers cache_of(const json_t *o, const char *name, const json_t *energies) {
  struct weir_cache_numbers n = {.name = name,
                                 .loads = accesses_of(json_object_get(o, "loads")),
                                 .stores = accesses_of(json_object_get(o, "stores")),
                                 .tag_pj = part_pj(energies, name, "tag"),
                                 .data_pj = part_pj(energies, name, "data"),
                                 .predictor_pj = part_pj(energies, name, "predictor"),
                                 .leakage_pj = part_pj(energies, name, "leakage")};
  const json_t *stalls = json_object_get(o, "stalls");
  WEIR_LEVEL_FIELDS(READ)
#define STALL(name, key, help) n.stalls[WEIR_STALL_##name] = number(stalls, key);
  WEIR_STALLS(STALL)
#undef STALL
  return n;
}

// What stands for "<level>" among the members of `total`: an object that none of them names.
static bool is_level(const char *name, const json_t *value) {
  const struct weir_member *m = weir_counts_members;
  while (m->name && strcmp(m->name, name) != 0) m++;
  return !m->name && json_is_object(value);
}

static struct weir_dram_numbers dram_of(const json_t *o) {
  struct weir_dram_numbers n;
  WEIR_DRAM_FIELDS(READ)
  return n;
}

static double sum_of(const json_t *parts) {
  if (!json_is_object(parts)) return NAN;
  double sum = 0;
  const char *name;
  json_t *part;
  json_object_foreach((json_t *)parts, name, part) sum += json_number_value(part);
  return sum;
}

struct weir_run_numbers weir_launch_counts(const json_t *o) {
  const json_t *energies = json_object_get(o, "energy_pj");
  struct weir_run_numbers n = {.dram = dram_of(json_object_get(o, "dram")), .energy_pj = sum_of(energies)};
  WEIR_RUN_FIELDS(READ)
  WEIR_RUN_RATES(READ)
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)o, name, value) if (is_level(name, value) && n.cache_count < WEIR_MAX_LEVELS)
    n.caches[n.cache_count++] = cache_of(value, name, energies);
  return n;
}

struct weir_ncu_numbers weir_launch_ncu(const json_t *launch) {
  const json_t *o = json_object_get(launch, "ncu");
  struct weir_ncu_numbers n;
  WEIR_NCU_COUNTS(READ)
  WEIR_NCU_RATES(READ)
  return n;
}

struct weir_run_numbers weir_run_total(const json_t *run) {
  return weir_launch_counts(json_object_get(run, "total"));
}

struct weir_cache_numbers weir_cache_of(const struct weir_run_numbers *n, enum weir_cache_role role) {
  const unsigned at = role == WEIR_LAST_SHARED_CACHE ? n->cache_count - 1 : role == WEIR_FIRST_SHARED_CACHE;
  const bool shared = role != WEIR_FIRST_CACHE;
  return n->cache_count > shared ? n->caches[at] : cache_of(NULL, NULL, NULL);
}

struct weir_cache_numbers weir_run_cache(const json_t *run, enum weir_cache_role role) {
  const struct weir_run_numbers n = weir_run_total(run);
  return weir_cache_of(&n, role);
}

// ---- launches and instructions --------------------------------------------------------------------------------------

struct weir_launch_numbers weir_launch_of(const json_t *o) {
  struct weir_launch_numbers n = {.name = text_or_empty(o, "name")};
  READ(launches)
  READ(online_threads)
  READ(registers)
  READ(spilled_registers)
  READ(core_blocks)
  READ(carveout_kib)
  return n;
}

struct weir_load_numbers weir_load_of(const json_t *o) {
  struct weir_load_numbers n;
  READ(share)
  WEIR_PC_FIELDS(READ)
  WEIR_PC_RATES(READ)
  WEIR_ACCESS_FIELDS(READ)
  WEIR_LATENCY_FIELDS(READ)
  WEIR_LATENCY_RATES(READ)
  WEIR_LOAD_FIELDS(READ)
  WEIR_LOAD_RATES(READ)
  return n;
}

struct weir_store_numbers weir_store_of(const json_t *o) {
  struct weir_store_numbers n;
  WEIR_PC_FIELDS(READ)
  WEIR_PC_RATES(READ)
  WEIR_ACCESS_FIELDS(READ)
  return n;
}

struct weir_load_numbers weir_run_load_group(const json_t *run, const char *group) {
  bool known = false;
#define X(low, high, name) known |= !strcmp(group, name);
  WEIR_TRANSACTION_GROUPS(X)
#undef X
  assert(known && "a group of transactions");
  return weir_load_of(json_object_get(json_object_get(run, "load_groups"), group));
}

struct weir_bank_numbers weir_bank_of(const json_t *o) {
  struct weir_bank_numbers n;
  WEIR_BANK_FIELDS(READ)
  return n;
}

// ---- the bound ------------------------------------------------------------------------------------------------------

struct weir_bound_numbers weir_bound_of(const json_t *o) {
  struct weir_bound_numbers n;
  WEIR_BOUND_FIELDS(READ)
  return n;
}

const json_t *weir_run_bound(const json_t *run, enum weir_cache_role role) {
  const char *name = weir_run_cache(run, role).name;
  size_t i;
  json_t *level;
  json_array_foreach(json_object_get(run, "bound"), i,
                     level) if (name && !strcmp(text_or_empty(level, "level"), name)) return level;
  return NULL;
}

// ---- policies -------------------------------------------------------------------------------------------------------

struct weir_policy_numbers weir_policy_of(const json_t *o) {
  struct weir_policy_numbers n = {.level = text_or_empty(o, "level"),
                                  .kind = text_or_empty(o, "kind"),
                                  .name = text_or_empty(o, "name"),
                                  .knobs = json_object_get(o, "knobs"),
                                  .counters = json_object_get(o, "counters")};
  READ(cost_bits)
  READ(instances)
  return n;
}

bool weir_run_policy(const json_t *run, enum weir_cache_role role, const char *kind, unsigned i,
                     struct weir_policy_numbers *policy) {
  const char *level = weir_run_cache(run, role).name;
  size_t k;
  json_t *one;
  json_array_foreach(json_object_get(run, "policy"), k, one) {
    *policy = weir_policy_of(one);
    if (level && !strcmp(policy->level, level) && !strcmp(policy->kind, kind) && !i--) return true;
  }
  return false;
}

// ---- mixes ----------------------------------------------------------------------------------------------------------

static struct weir_share_numbers share_of(const json_t *o, const char *name) {
  struct weir_share_numbers n = {.name = name};
  WEIR_ACCESS_FIELDS(READ)
  WEIR_REQUESTER_FIELDS(READ)
  READ(occupancy)
  return n;
}

static struct weir_shares shares_of(const json_t *o) {
  struct weir_shares s = {0};
  const char *name;
  json_t *level;
  json_object_foreach((json_t *)o, name, level) if (s.count < WEIR_MAX_LEVELS) s.levels[s.count++] =
    share_of(level, name);
  return s;
}

struct weir_share_numbers weir_last_share(const struct weir_shares *s) {
  return s->count ? s->levels[s->count - 1] : share_of(NULL, NULL);
}

static struct weir_core_numbers core_of(const json_t *o) {
  struct weir_core_numbers n;
  WEIR_CPU_FIELDS(READ)
  return n;
}

static struct weir_traffic_numbers traffic_of(const json_t *o) {
  struct weir_traffic_numbers n;
  WEIR_TRAFFIC_FIELDS(READ)
  return n;
}

struct weir_program_numbers weir_program_of(const json_t *o) {
  struct weir_program_numbers n = {.name = text(o, "name"),
                                   .core = core_of(json_object_get(o, "core")),
                                   .l1i = cache_of(json_object_get(o, "l1i"), "l1i", NULL),
                                   .l1d = cache_of(json_object_get(o, "l1d"), "l1d", NULL),
                                   .l2 = cache_of(json_object_get(o, "l2"), "l2", NULL),
                                   .shared = shares_of(json_object_get(o, "shared")),
                                   .traffic = traffic_of(json_object_get(o, "traffic")),
                                   .energy_pj = number(json_object_get(o, "energy_pj"), "total")};
  READ(requester)
  READ(instructions)
  READ(cycles)
  READ(time_ps)
  READ(ipc)
  READ(restarts)
  return n;
}

const json_t *weir_run_programs(const json_t *run) {
  return weir_run_member(run, "mix.programs");
}

const json_t *weir_run_requester(const json_t *run, int requester) {
  size_t i;
  json_t *a;
  json_array_foreach((json_t *)weir_run_programs(run), i, a) if (number(a, "requester") == requester) return a;
  return NULL;
}

struct weir_program_numbers weir_run_requester_numbers(const json_t *run, int requester) {
  return weir_program_of(weir_run_requester(run, requester));
}

double weir_run_mean_ipc(const json_t *run) {
  const json_t *programs = weir_run_programs(run);
  size_t i, count = json_array_size(programs);
  double sum = 0;
  json_t *a;
  json_array_foreach((json_t *)programs, i, a) sum += log(number(a, "ipc"));
  return count ? exp(sum / (double)count) : NAN;
}

const json_t *weir_run_ports(const json_t *run) {
  return weir_run_member(run, "mix.ports");
}

struct weir_port_numbers weir_port_of(const json_t *o) {
  struct weir_port_numbers n = {.shared = shares_of(json_object_get(o, "shared"))};
  READ(port)
  READ(requester)
  return n;
}

// ---- the machine that ran it ------------------------------------------------------------------------------------------

struct weir_host_numbers weir_run_host(const json_t *run) {
  const json_t *o = json_object_get(run, "host");
  struct weir_host_numbers n;
  READ(seconds)
  READ(cpu_seconds)
  READ(instructions_per_second)
  READ(peak_rss_bytes)
  READ(buffer_bytes)
  return n;
}

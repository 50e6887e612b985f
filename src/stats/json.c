// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stats/json.h"

#include "stats/ncu.h"

#include <assert.h>
#include <stdio.h>

static double ratio(uint64_t a, uint64_t b) {
  return b ? (double)a / (double)b : 0;
}

#define COUNTER_ROW(name, unit, meaning) {#name, WEIR_INTEGER, unit, meaning, NULL},
#define RATE_ROW(name, unit, meaning, value) {#name, WEIR_REAL, unit, meaning, NULL},
#define STALL_ROW(name, key, help) {key, WEIR_INTEGER, "cycles", help, NULL},
#define END_ROW                                                                                                        \
  { NULL, WEIR_INTEGER, NULL, NULL, NULL }

static const struct weir_member access_members[] = {WEIR_ACCESS_FIELDS(COUNTER_ROW) END_ROW};
static const struct weir_member stall_rows[] = {WEIR_STALLS(STALL_ROW) END_ROW};
static const struct weir_member dram_members[] = {WEIR_DRAM_FIELDS(COUNTER_ROW) END_ROW};
static const struct weir_member energy_members[] = {
  {"<part>", WEIR_REAL, "pJ", "one part of the chip, as the chip file's energy table names them", NULL}, END_ROW};

const struct weir_member weir_level_members[] = {
  {"loads", WEIR_OBJECT, "", "loads, and fetches of instructions, constants and textures, at this level",
   access_members},
  {"stores", WEIR_OBJECT, "", "store and atomic accesses at this level", access_members},
  WEIR_LEVEL_FIELDS(COUNTER_ROW){"stalls", WEIR_OBJECT, "", "cycles that the request at the head waited, by cause",
                                 &stall_rows[1]}, // the first is "none": no stall
  END_ROW};

const struct weir_member weir_counts_members[] = {
  WEIR_RUN_FIELDS(COUNTER_ROW) WEIR_RUN_RATES(RATE_ROW){
    "<level>", WEIR_OBJECT, "", "one level of cache, all its instances together, as the chip names it (l1, l2, …)",
    weir_level_members},
  {"dram", WEIR_OBJECT, "", "all memory channels together", dram_members},
  {"energy_pj", WEIR_OBJECT, "", "energy by part of the chip", energy_members},
  {"ncu", WEIR_OBJECT, "",
   "the same under the names of Nsight Compute's metrics, each without its last word, which the meaning says "
   "(docs/READING-RESULTS.md); null on a chip whose data caches are not two levels in sectors of 32 bytes",
   weir_ncu_members},
  END_ROW};

const struct weir_member weir_cpu_members[] = {WEIR_CPU_FIELDS(COUNTER_ROW) END_ROW};
const struct weir_member weir_requester_members[] = {WEIR_ACCESS_FIELDS(COUNTER_ROW) WEIR_REQUESTER_FIELDS(COUNTER_ROW)
                                                       END_ROW};
const struct weir_member weir_traffic_members[] = {WEIR_TRAFFIC_FIELDS(COUNTER_ROW) END_ROW};

static const struct weir_member by_transactions_members[] = {
  {"<transactions>", WEIR_INTEGER, "warp instructions", "executions that became this many accesses", NULL}, END_ROW};

#define BY_TRANSACTIONS_ROW                                                                                            \
  {"by_transactions", WEIR_OBJECT, "", "executions by transactions per request", by_transactions_members},

#define STORE_COUNTERS WEIR_PC_FIELDS(COUNTER_ROW) WEIR_PC_RATES(RATE_ROW) WEIR_ACCESS_FIELDS(COUNTER_ROW)

#define ATOMIC_COUNTERS STORE_COUNTERS WEIR_LATENCY_FIELDS(COUNTER_ROW) WEIR_LATENCY_RATES(RATE_ROW)

#define LOAD_COUNTERS ATOMIC_COUNTERS WEIR_LOAD_FIELDS(COUNTER_ROW) WEIR_LOAD_RATES(RATE_ROW)

static const struct weir_member group_members[] = {
  {"share", WEIR_REAL, "fraction", "its executions of those of all groups", NULL}, LOAD_COUNTERS END_ROW};

const struct weir_member weir_load_groups[] = {
  {"<group>", WEIR_OBJECT, "", "executions of this transactions per request: 1, 2, 3-10, 11-20, 21-32 or 33-64",
   group_members},
  END_ROW};

const struct weir_member weir_store_counters[] = {STORE_COUNTERS BY_TRANSACTIONS_ROW END_ROW};
const struct weir_member weir_atomic_counters[] = {ATOMIC_COUNTERS BY_TRANSACTIONS_ROW END_ROW};

const struct weir_member weir_load_counters[] = {
  LOAD_COUNTERS BY_TRANSACTIONS_ROW{
    "groups", WEIR_OBJECT, "",
    "the same counters by groups of transactions, without groups that it has no execution in", weir_load_groups},
  END_ROW};

const struct weir_member weir_bank_members[] = {WEIR_BANK_FIELDS(COUNTER_ROW) END_ROW};

static void put(json_t *o, const char *name, uint64_t value) {
  assert(value <= INT64_MAX); // JSON has no wider integer
  json_object_set_new_nocheck(o, name, json_integer((json_int_t)value));
}

#define PUT_COUNTER(name, unit, meaning) put(o, #name, s->name);
#define PUT_RATE(name, unit, meaning, value) json_object_set_new_nocheck(o, #name, json_real(value));

static void put_accesses(json_t *o, const struct weir_access_counts *s) {
  WEIR_ACCESS_FIELDS(PUT_COUNTER)
}

static json_t *access_json(const struct weir_access_counts *s) {
  json_t *o = json_object();
  put_accesses(o, s);
  return o;
}

static json_t *stalls_json(const uint64_t *stalls) {
  json_t *o = json_object();
  for (int i = WEIR_STALL_NONE + 1; i < WEIR_STALL_COUNT; i++) put(o, stall_rows[i].name, stalls[i]);
  return o;
}

void weir_level_to_json(json_t *o, const struct weir_level_stats *s) {
  json_object_set_new(o, "loads", access_json(&s->loads));
  json_object_set_new(o, "stores", access_json(&s->stores));
  WEIR_LEVEL_FIELDS(PUT_COUNTER)
  json_object_set_new(o, "stalls", stalls_json(s->stalls));
}

void weir_bank_to_json(json_t *o, const struct weir_bank_counts *s) {
  WEIR_BANK_FIELDS(PUT_COUNTER)
}

void weir_cpu_to_json(json_t *o, const struct weir_cpu_stats *s) {
  WEIR_CPU_FIELDS(PUT_COUNTER)
}

void weir_requester_to_json(json_t *o, const struct weir_requester_counts *s) {
  put_accesses(o, &s->at);
  WEIR_REQUESTER_FIELDS(PUT_COUNTER)
}

void weir_traffic_to_json(json_t *o, const struct weir_traffic_counts *s) {
  WEIR_TRAFFIC_FIELDS(PUT_COUNTER)
}

static json_t *dram_json(const struct weir_dram_stats *s) {
  json_t *o = json_object();
  WEIR_DRAM_FIELDS(PUT_COUNTER)
  return o;
}

void weir_counts_to_json(json_t *o, const struct weir_run_stats *s, const struct weir_level_names *levels) {
  WEIR_RUN_FIELDS(PUT_COUNTER)
  WEIR_RUN_RATES(PUT_RATE)
  for (unsigned i = 0; i < levels->count; i++) {
    json_t *level = json_object();
    weir_level_to_json(level, &s->levels[i]);
    json_object_set_new(o, levels->name[i], level);
  }
  json_object_set_new(o, "dram", dram_json(&s->dram));
}

static void put_store_counts(json_t *o, const struct weir_pc_counts *s) {
  WEIR_PC_FIELDS(PUT_COUNTER)
  WEIR_PC_RATES(PUT_RATE)
  put_accesses(o, &s->at);
}

static void put_atomic_counts(json_t *o, const struct weir_pc_counts *s) {
  put_store_counts(o, s);
  WEIR_LATENCY_FIELDS(PUT_COUNTER)
  WEIR_LATENCY_RATES(PUT_RATE)
}

static void put_load_counts(json_t *o, const struct weir_pc_counts *s) {
  put_atomic_counts(o, s);
  WEIR_LOAD_FIELDS(PUT_COUNTER)
  WEIR_LOAD_RATES(PUT_RATE)
}

static json_t *by_transactions_json(const uint64_t *executions) {
  json_t *o = json_object();
  for (unsigned d = 1; d <= WEIR_TRANSACTIONS_COUNTED; d++) {
    char name[16];
    if (!executions[d]) continue;
    snprintf(name, sizeof name, "%u", d);
    put(o, name, executions[d]);
  }
  return o;
}

json_t *weir_load_groups_json(const struct weir_pc_stats *s, bool all) {
#define X(low, high, name) name,
  static const char *const names[] = {WEIR_TRANSACTION_GROUPS(X)};
#undef X
  json_t *groups = json_object();
  uint64_t executions = weir_pc_total(s).executions;
  for (unsigned i = 0; i < WEIR_TRANSACTION_GROUP_COUNT; i++) {
    const struct weir_pc_counts *g = &s->groups[i];
    if (!all && !g->executions) continue;
    json_t *o = json_object();
    json_object_set_new(o, "share", json_real(ratio(g->executions, executions)));
    put_load_counts(o, g);
    json_object_set_new(groups, names[i], o);
  }
  return groups;
}

void weir_store_to_json(json_t *o, const struct weir_pc_stats *s) {
  const struct weir_pc_counts total = weir_pc_total(s);
  put_store_counts(o, &total);
  json_object_set_new(o, "by_transactions", by_transactions_json(s->by_transactions));
}

void weir_atomic_to_json(json_t *o, const struct weir_pc_stats *s) {
  const struct weir_pc_counts total = weir_pc_total(s);
  put_atomic_counts(o, &total);
  json_object_set_new(o, "by_transactions", by_transactions_json(s->by_transactions));
}

void weir_load_to_json(json_t *o, const struct weir_pc_stats *s) {
  const struct weir_pc_counts total = weir_pc_total(s);
  put_load_counts(o, &total);
  json_object_set_new(o, "by_transactions", by_transactions_json(s->by_transactions));
  json_object_set_new(o, "groups", weir_load_groups_json(s, false));
}

json_t *weir_knob_json(const struct weir_knob *k, double value) {
  switch (k->type) {
  case WEIR_KNOB_INT: return json_integer((json_int_t)value);
  case WEIR_KNOB_BOOL: return json_boolean(value != 0);
  case WEIR_KNOB_CHOICE: return json_string(k->choices[(size_t)value]);
  case WEIR_KNOB_REAL: break;
  }
  return json_real(value);
}

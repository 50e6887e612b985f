// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Counters as JSON. Invariant: every member of every object that weir prints is one row of a table of struct
// weir_member, made from the same declaration as the code that writes it; docs/OUTPUT.md is a print of those tables.
#ifndef WEIR_STATS_JSON_H
#define WEIR_STATS_JSON_H

#include "stats/cpu.h"
#include "stats/stats.h"
#include "stats/requester.h"

#include <jansson.h>

enum weir_member_kind {
  WEIR_INTEGER, // not negative
  WEIR_REAL,
  WEIR_TEXT,
  WEIR_BOOLEAN,
  WEIR_SCALAR, // a number, a truth value or a text
  WEIR_OBJECT,
  WEIR_LIST,
};

struct weir_member {
  const char *name; // in angle brackets: stands for any name ("<level>"); "…": for all the rows of `members`, here;
                    // NULL ends a table
  enum weir_member_kind kind;
  const char *unit, *meaning;        // a meaning that says "null": it may be; "there only": it may be missing
  const struct weir_member *members; // of the object, or of each element of the list
};

extern const struct weir_member weir_counts_members[];    // `total`
extern const struct weir_member weir_load_counters[];     // the counters of one static load;
extern const struct weir_member weir_store_counters[];    // … store;
extern const struct weir_member weir_atomic_counters[];   // … atomic
extern const struct weir_member weir_load_groups[];       // loads by groups of transactions per request
extern const struct weir_member weir_bank_members[];      // the counters of one static access to shared memory
extern const struct weir_member weir_level_members[];     // the counters of one level of cache
extern const struct weir_member weir_cpu_members[];       // … of a CPU core
extern const struct weir_member weir_requester_members[]; // … of a port at a level of shared caches
extern const struct weir_member weir_traffic_members[];   // … and of what it has the network and the DRAM channels do

// What follows from the counters: name, unit, meaning, value of counters `s` (stats/json.c).
// clang-format off
#define WEIR_RUN_RATES(X)                                                                                            \
  X(ipc, "warp instructions per core cycle", "of the whole chip", ratio(s->warp_instructions, s->cycles))       \
  X(thread_ipc, "thread instructions per core cycle", "of the whole chip",                                           \
    ratio(s->thread_instructions, s->cycles))

#define WEIR_PC_RATES(X)                                                                                             \
  X(transactions_per_request, "accesses per execution", "transactions per request, mean over executions",                             \
    ratio(s->transactions, s->executions))

#define WEIR_LATENCY_RATES(X)                                                                                        \
  X(mean_latency_cycles, "core cycles", "issue to last byte, mean over executions",                                  \
    ratio(s->latency_cycles, s->executions))

#define WEIR_LOAD_RATES(X)                                                                                           \
  X(all_hit_ratio, "fraction", "all_hit_executions of executions", ratio(s->all_hit_executions, s->executions))      \
  X(reuse_ratio, "fraction", "fills that were hit before they left, of all fills; 0 if there are none",              \
    ratio(s->fills - s->zero_reuse_fills, s->fills))
// clang-format on

struct weir_level_names {
  unsigned count;
  const char *name[WEIR_MAX_LEVELS]; // "l1"
};

// Adds a run's counters, and the rates derived from them, to `object`.
void weir_counts_to_json(json_t *object, const struct weir_run_stats *s, const struct weir_level_names *levels);

// Each adds the counters of one static load, store or atomic to `object`.
void weir_load_to_json(json_t *object, const struct weir_pc_stats *s);
void weir_store_to_json(json_t *object, const struct weir_pc_stats *s);
void weir_atomic_to_json(json_t *object, const struct weir_pc_stats *s);

// A load's counters by group; `all`: also of groups without an execution.
json_t *weir_load_groups_json(const struct weir_pc_stats *s, bool all);

// Each adds one struct's counters to `object`.
void weir_bank_to_json(json_t *object, const struct weir_bank_counts *s);
void weir_level_to_json(json_t *object, const struct weir_level_stats *s);
void weir_cpu_to_json(json_t *object, const struct weir_cpu_stats *s);
void weir_requester_to_json(json_t *object, const struct weir_requester_counts *s);
void weir_traffic_to_json(json_t *object, const struct weir_traffic_counts *s);

json_t *weir_knob_json(const struct weir_knob *k,
                       double value); // of its type: a number, true or false, a choice's name

// As text, keys in the order they were added; freed by free(). Reals keep 15 digits.
char *weir_json_text(const json_t *value, bool indented);

// Of an object as text, these members (`names` ends with NULL) alone: the others are passed over without being read. NULL: it is no object, or
// one of those members is no JSON.
json_t *weir_json_members(const char *text, const char *const *names);

#endif

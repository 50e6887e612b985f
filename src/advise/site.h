// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sites: what a hint can be put on. A site is the loads, or the stores, of one line to one array; of accesses whose array is not
// known, those of the line. Invariant: its requests name its accesses as --hint takes them, and no other kind of access.
#ifndef WEIR_ADVISE_SITE_H
#define WEIR_ADVISE_SITE_H

#include "config/config.h"

#include <jansson.h>

enum { WEIR_SITE_HINTS = 16, WEIR_SITE_NUMBERS = 64 };

// What each access is counted by, summed over those of the site (docs/OUTPUT.md).
#define WEIR_SITE_FIELDS(X)                                                                                            \
  X(executions)                                                                                                        \
  X(transactions)                                                                                                      \
  X(hits)                                                                                                              \
  X(hits_on_miss)                                                                                                      \
  X(fills)                                                                                                             \
  X(lines)                                                                                                             \
  X(zero_reuse_fills) X(latency_cycles) X(missed_latency_cycles)

struct weir_site {
  char *place;             // "spmv.cl:12", as a request names it
  const char *source_file; // of the debug information; "": the PTX does not say
  const char *function;
  unsigned line;
  const char *array; // "": unknown
  const char *shown; // the array, or the allocation where it is unknown; "": of neither
  bool store;
  bool named; // its array is of no access of the other kind on this line: it is named by the array
  unsigned numbers[WEIR_SITE_NUMBERS]; // of its accesses on the line
  unsigned number_count, accesses;     // accesses: static ones
  const char *hints[WEIR_SITE_HINTS]; // that all of them take, and the chip tells from one another, the likeliest first
  unsigned hint_count;
  const char *l1_hint, *l2_hint; // that is there; "": none
  unsigned bytes;                // of a thread's access
#define X(name) double name;
  WEIR_SITE_FIELDS(X)
#undef X
  double unkept_fills; // that the best of decisions would not have kept; of a run without a bound none
  double weight;       // what it matters, at most 1
};

struct weir_sites {
  struct weir_site *all;
  unsigned count, capacity;
  double fills, transactions; // of all
};

// Of a run object, which outlives them; those that matter most first. `bound`: of its first
// level (of `bound` of a run under opt), or NULL.
void weir_sites_read(struct weir_sites *s, const json_t *run, const json_t *bound, const struct weir_chip_config *chip);
void weir_sites_free(struct weir_sites *s);

// What goes into --hints for this hint on the site: a line per request, each after `before`. To be freed.
char *weir_site_requests(const struct weir_site *s, const char *hint, const char *before);

// "spmv.cl:12 param_3", with "store" behind it if it is one. To be freed.
char *weir_site_name(const struct weir_site *s);

// A part of nothing is none of it.
static inline double weir_part_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// Transactions per request, and the fewest that a whole warp's access of so many bytes can be on the chip.
double weir_site_scatter(const struct weir_site *s);
double weir_site_best_scatter(const struct weir_site *s, const struct weir_chip_config *chip);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/mend.h"

#include "base/alloc.h"
#include "run/numbers.h"

// From where on a count is called high: accesses that become more than twice as many as they have to, nine of ten lines that die unused, a half
// of accesses that miss although lines are used again, two thirds of the issue slots idle.
static const double SCATTERED = 2, STREAMS = 0.9, MISSES = 0.5, IDLE = 2.0 / 3;

static char *scattered(const struct weir_site *s, const struct weir_chip_config *chip) {
  const double is = weir_site_scatter(s), best = weir_site_best_scatter(s, chip);
  if (is <= SCATTERED * best) return NULL;
  return weir_text_format(
    "un-coalesced: %.1f transactions per request, where %.0f would do; let the threads of a warp access "
    "neighbouring elements (one warp per row, a tile in shared memory, an array per member)",
    is, best);
}

char *weir_mend_site(const struct weir_site *s, const struct weir_chip_config *chip, bool gains) {
  char *text = scattered(s, chip);
  if (text || gains) return text;
  const double dead = weir_part_of(s->zero_reuse_fills, s->lines);
  const double hit = weir_part_of(s->hits + s->hits_on_miss, s->transactions);
  if (s->store || s->fills == 0) return NULL;
  if (dead >= STREAMS)
    return weir_text_format("streaming: %.0f %% of its lines are not used again, so there is nothing to keep",
                            100 * dead);
  if (hit < MISSES)
    return weir_text_format(
      "working set: %.0f %% of its lines are used again, and still %.0f %% of its accesses miss; use what is "
      "loaded sooner (tiles), or fewer warps at a time",
      100 * (1 - dead), 100 * (1 - hit));
  return NULL;
}

char *weir_mend_program(const json_t *run, const struct weir_chip_config *chip) {
  const struct weir_run_numbers n = weir_run_total(run);
  const struct weir_cache_numbers l1 = weir_cache_of(&n, WEIR_FIRST_CACHE);
  const double idle = weir_part_of(n.issue_slots_idle, n.core_cycles * chip->core.schedulers);
  const double busy = weir_part_of(n.core_cycles, n.cycles * chip->core.count);
  if (idle < IDLE) return NULL;
  return weir_text_format(
    "latency: %.0f %% of the issue slots of busy cores are idle, %.0f %% of loads' accesses hit L1, and %.0f %% of "
    "the cores' time has a warp resident; more warps, or more loads in flight per warp, hide what is left",
    100 * idle, 100 * weir_part_of(l1.loads.hits + l1.loads.hits_on_miss, l1.loads.accesses), 100 * busy);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/foretell.h"

#include "base/alloc.h"

#include <string.h>

enum {
  STEADY = 3, // launches of a grid whose last so many had as many instructions each are not expected to have others
  AHEAD =
    2, // of a launch that will be timed, the one of its kernel before it, and all behind that, are to be in the caches
  LATE = 2, // a kernel that has not come again in so many times the distance at which it last did is not waited for
};

void weir_foretelling_free(struct weir_foretelling *f) {
  weir_free(f->groups);
}

struct weir_foretold *weir_foretell(struct weir_foretelling *f, const struct weir_launch *l) {
  for (unsigned i = 0; i < f->group_count; i++) {
    struct weir_foretold *g = &f->groups[i];
    if (g->kernel == l->kernel && !memcmp(g->block, l->block, sizeof g->block) &&
        g->shared_bytes == l->dynamic_shared_bytes)
      return g;
  }
  struct weir_foretold *g = weir_push(f->groups, f->group_count, f->group_capacity);
  *g = (struct weir_foretold){.kernel = l->kernel, .shared_bytes = l->dynamic_shared_bytes};
  memcpy(g->block, l->block, sizeof g->block);
  return g;
}

uint64_t weir_foretold_instructions(const struct weir_foretold *g, const struct weir_launch *l) {
  return g->blocks ? (uint64_t)((double)g->instructions * ((double)weir_launch_blocks(l) / (double)g->blocks)) : 0;
}

bool weir_foretold_is_steady(const struct weir_foretold *g, const struct weir_launch *l) {
  return g->same >= STEADY && !memcmp(g->grid, l->grid, sizeof g->grid);
}

// ---- launches that will be timed ------------------------------------------------------------------------------------------

// `by` launches on, if it goes on to grow or shrink as it last did.
static uint64_t grown(uint64_t last, int64_t growth, unsigned by) {
  const int64_t then = (int64_t)last + growth * (int64_t)by;
  return then > 0 ? (uint64_t)then : last;
}

// Will the group's launch after so many be timed, if those before it are not? l: one of them.
static bool will_be_timed(const struct weir_foretelling *f, const struct weir_foretold *g, const struct weir_launch *l,
                          unsigned ahead) {
  if (!g->number) return true;
  const struct weir_stratum *s =
    weir_strata_find(f->strata, l, grown(g->blocks, g->growth[0], ahead), grown(g->instructions, g->growth[1], ahead));
  if (!s) return true;
  struct weir_stratum then = *s;
  for (unsigned n = 1; n < ahead; n++) weir_stratum_add_untimed(&then, grown(g->instructions, g->growth[1], n));
  return weir_stratum_is_open(&then, f->whole);
}

void weir_foretell_learn(const struct weir_foretelling *f, struct weir_foretold *g, const struct weir_launch *l,
                         uint64_t number, uint64_t instructions) {
  const uint64_t blocks = weir_launch_blocks(l);
  const bool first = !g->number, same = !memcmp(g->grid, l->grid, sizeof g->grid) && g->instructions == instructions;
  g->same = same ? g->same + 1 : 1;
  memcpy(g->grid, l->grid, sizeof g->grid);
  g->growth[0] = first ? 0 : (int64_t)(blocks - g->blocks);
  g->growth[1] = first ? 0 : (int64_t)(instructions - g->instructions);
  g->blocks = blocks;
  g->instructions = instructions;
  g->distance = first ? 0 : number - g->number;
  g->number = number;
  g->due = false;
  for (unsigned ahead = 1; ahead <= AHEAD; ahead++) g->due |= will_be_timed(f, g, l, ahead);
}

bool weir_foretell_warms(const struct weir_foretelling *f, uint64_t number, const struct weir_foretold *timed,
                         const struct weir_launch *l) {
  if (timed && will_be_timed(f, timed, l, AHEAD)) return true;
  for (unsigned i = 0; i < f->group_count; i++) {
    const struct weir_foretold *g = &f->groups[i];
    if (g != timed && g->due && number - g->number <= LATE * g->distance) return true;
  }
  return false;
}

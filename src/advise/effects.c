// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/effects.h"

#include "ptx/hint_forms.h"

#include <stdlib.h>
#include <string.h>

// What each level of the chip does.
struct effects {
  uint8_t of[WEIR_MAX_LEVELS];
};

// Stores look into every cache, whatever they say: past_first is nothing to them.
static uint8_t effect_of(const struct weir_chip_config *chip, unsigned level, uint8_t hint, bool store) {
  const uint8_t effect = hint ? (uint8_t)chip->caches[level].hints.effects[hint] : WEIR_EFFECT_OF_HINT_NORMAL;
  if (effect == WEIR_EFFECT_OF_HINT_IGNORED || (store && effect == WEIR_EFFECT_OF_HINT_PAST_FIRST))
    return WEIR_EFFECT_OF_HINT_NORMAL;
  if (effect == WEIR_EFFECT_OF_HINT_PAST_FIRST && level) return WEIR_EFFECT_OF_HINT_NORMAL;
  // a chip whose loads go past the first level unless they say .ca
  if (!level && !store && chip->core.skip_l1_global && hint != WEIR_HINT_CA) return WEIR_EFFECT_OF_HINT_PAST_FIRST;
  return effect;
}

static struct effects effects_of(const struct weir_chip_config *chip, uint8_t l1, uint8_t l2, bool store) {
  struct effects e = {{0}};
  for (unsigned i = 0; i < chip->caches_count; i++) e.of[i] = effect_of(chip, i, i ? l2 : l1, store);
  return e;
}

static uint8_t hint_named(const char *key) {
  for (uint8_t h = 1; h < WEIR_HINT_COUNT; h++)
    if (!strcmp(weir_hint_keys[h], key)) return h;
  return WEIR_HINT_NONE;
}

// The order of trials. Lines that die unused want not to be kept; lines that are used again want to stay.
static unsigned rank(uint8_t first_level, bool unused) {
  static const uint8_t leaves[] = {WEIR_EFFECT_OF_HINT_NO_ALLOCATE, WEIR_EFFECT_OF_HINT_FIRST,
                                   WEIR_EFFECT_OF_HINT_PAST_FIRST,  WEIR_EFFECT_OF_HINT_LAST,
                                   WEIR_EFFECT_OF_HINT_OLDEST,      WEIR_EFFECT_OF_HINT_UNCHANGED};
  static const uint8_t stays[] = {WEIR_EFFECT_OF_HINT_LAST,      WEIR_EFFECT_OF_HINT_NO_ALLOCATE,
                                  WEIR_EFFECT_OF_HINT_FIRST,     WEIR_EFFECT_OF_HINT_PAST_FIRST,
                                  WEIR_EFFECT_OF_HINT_UNCHANGED, WEIR_EFFECT_OF_HINT_OLDEST};
  const uint8_t *order = unused ? leaves : stays;
  for (unsigned i = 0; i < sizeof leaves; i++)
    if (order[i] == first_level) return i;
  return sizeof leaves;
}

struct choice {
  const char *hint;
  struct effects effects;
  unsigned rank, given; // given: as the table of hints has it, where operators come before priorities
};

static int by_rank(const void *a, const void *b) {
  const struct choice *x = a, *y = b;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->given > y->given) - (x->given < y->given);
}

static bool is_new(const struct choice *choices, unsigned count, const struct effects *e) {
  for (unsigned i = 0; i < count; i++)
    if (!memcmp(&choices[i].effects, e, sizeof *e)) return false;
  return true;
}

unsigned weir_effects_select(const struct weir_site *s, const struct weir_chip_config *chip, const char **hints,
                             unsigned count) {
  struct choice choices[WEIR_SITE_HINTS + 1];
  const bool unused = s->zero_reuse_fills * 2 >= s->lines;
  unsigned n = 1;
  choices[0] = (struct choice){.effects = effects_of(chip, hint_named(s->l1_hint), hint_named(s->l2_hint), s->store)};
  for (unsigned i = 0; i < count; i++) {
    uint8_t l1, l2;
    weir_hint_form_levels(hints[i], &l1, &l2);
    const struct effects e = effects_of(chip, l1, l2, s->store);
    if (is_new(choices, n, &e)) {
      choices[n] = (struct choice){hints[i], e, rank(e.of[0], unused), n};
      n++;
    }
  }
  qsort(choices + 1, n - 1, sizeof *choices, by_rank);
  for (unsigned i = 1; i < n; i++) hints[i - 1] = choices[i].hint;
  return n - 1;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/ignored.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 1024 };

struct list {
  char text[MOST_TEXT];
  size_t used;
};

static void add(struct list *l, const char *hint, const char *where, uint32_t count) {
  if (!count || l->used >= sizeof l->text) return;
  l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s%s%s of %u access%s",
                              l->used ? ", " : "", hint, *where ? " at " : "", where, count, count == 1 ? "" : "es");
}

static bool ignores(const struct weir_cache_config *cache, uint8_t hint) {
  return cache->hints.effects[hint] == WEIR_EFFECT_OF_HINT_IGNORED;
}

// Accesses to global memory whose hint to this level is that one.
static uint32_t count_hint(const struct weir_program *p, uint8_t hint, unsigned level) {
  uint32_t all, count = 0;
  const struct weir_static *s = weir_program_statics(p, &all);
  for (uint32_t i = 0; i < all; i++)
    count += s[i].space == WEIR_MEM_GLOBAL && (level ? s[i].l2_hint : s[i].l1_hint) == hint;
  return count;
}

static void add_ignored(struct list *l, const struct weir_program *p, const struct weir_chip_config *c) {
  for (uint32_t level = 0; level < c->caches_count; level++)
    for (uint8_t hint = 1; hint < WEIR_HINT_COUNT; hint++)
      if (ignores(&c->caches[level], hint))
        add(l, weir_hint_keys[hint], c->caches[level].name, count_hint(p, hint, level));
}

// Does it make a cache policy that asks for something that the second level ignores?
static bool makes_ignored_policy(const struct weir_instruction *in, const struct weir_chip_config *c) {
  static const struct {
    const char *priority;
    uint8_t hint;
  } asks[] = {{"L2::evict_first", WEIR_HINT_EVICT_FIRST},
              {"L2::evict_last", WEIR_HINT_EVICT_LAST},
              {"L2::evict_normal", WEIR_HINT_EVICT_NORMAL}};
  bool ignored = false;
  for (unsigned m = 0; in->opcode == WEIR_OP_CREATEPOLICY && m < in->modifier_count; m++)
    for (unsigned k = 0; k < sizeof asks / sizeof *asks; k++)
      ignored |= !strcmp(in->modifiers[m], asks[k].priority) && ignores(&c->caches[1], asks[k].hint);
  return ignored;
}

// What createpolicy asks, and prefetch sizes: the second level's.
static void add_second(struct list *l, const struct weir_program *p, const struct weir_chip_config *c) {
  const struct weir_module *m = weir_program_module(p);
  const struct weir_hint_config *k = &c->caches[1].hints;
  uint32_t sizes[WEIR_PREFETCH_SIZES] = {0}, ignored = 0, all;
  const struct weir_static *s = weir_program_statics(p, &all);
  for (uint32_t i = 0; i < all; i++) sizes[s[i].l2_prefetch]++;
  for (uint32_t f = 0; m && f < m->function_count; f++)
    for (uint32_t i = 0; i < m->functions[f]->statement_count; i++)
      if (m->functions[f]->statements[i].kind == WEIR_STMT_INSTRUCTION)
        ignored += makes_ignored_policy(m->functions[f]->statements[i].instruction, c);
  add(l, "what createpolicy asks", c->caches[1].name, ignored);
  if (!k->prefetch_64b) add(l, "L2::64B", c->caches[1].name, sizes[WEIR_PREFETCH_64B]);
  if (!k->prefetch_128b) add(l, "L2::128B", c->caches[1].name, sizes[WEIR_PREFETCH_128B]);
  if (!k->prefetch_256b) add(l, "L2::256B", c->caches[1].name, sizes[WEIR_PREFETCH_256B]);
}

char *weir_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c) {
  struct list l = {0};
  add_ignored(&l, p, c);
  add_second(&l, p, c);
  return l.used ? weir_text_copy(l.text) : NULL;
}

void weir_tell_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c, struct weir_sink *sink) {
  char *hints = weir_ignored_hints(p, c);
  if (hints)
    weir_report(sink, WEIR_NOTE, (struct weir_place){0}, "cache hints without effect on %s: %s", c->name, hints);
  weir_free(hints);
}

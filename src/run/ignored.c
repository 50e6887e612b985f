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

static uint32_t count_with_policy(const struct weir_program *p) {
  uint32_t all, count = 0;
  const struct weir_static *s = weir_program_statics(p, &all);
  for (uint32_t i = 0; i < all; i++) count += s[i].has_policy;
  return count;
}

// What every chip of weir leaves out, and policies that this one does.
static void add_unmodelled(struct list *l, const struct weir_program *p, const struct weir_chip_config *c) {
  const struct weir_module *m = weir_program_module(p);
  uint32_t policies = 0, sizes = 0, ignored = 0;
  for (uint32_t f = 0; f < m->function_count; f++)
    for (uint32_t k = 0; k < m->functions[f]->statement_count; k++) {
      const struct weir_statement *s = &m->functions[f]->statements[k];
      if (s->kind != WEIR_STMT_INSTRUCTION) continue;
      policies += s->instruction->form.cache_hint;
      sizes += s->instruction->form.l2_prefetch_bytes != 0;
      ignored += makes_ignored_policy(s->instruction, c);
    }
  const uint32_t modelled = count_with_policy(p);
  add(l, "L2::cache_hint of atomics and copies", "", policies > modelled ? policies - modelled : 0);
  add(l, "what createpolicy asks", c->caches[1].name, ignored);
  add(l, "prefetch sizes (L2::64B, L2::128B, L2::256B)", "", sizes);
}

char *weir_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c) {
  struct list l = {0};
  add_ignored(&l, p, c);
  add_unmodelled(&l, p, c);
  return l.used ? weir_text_copy(l.text) : NULL;
}

void weir_tell_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c, struct weir_sink *sink) {
  char *hints = weir_ignored_hints(p, c);
  if (hints)
    weir_report(sink, WEIR_NOTE, (struct weir_place){0}, "cache hints without effect on %s: %s", c->name, hints);
  weir_free(hints);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/classes.h"

#include "base/alloc.h"

const char *const weir_miss_class_names[] = {"compulsory", "capacity", "conflict", "dropped", NULL};

void weir_classes_start(struct weir_classes *c, uint64_t lines, unsigned sectors) {
  *c = (struct weir_classes){.lines = lines, .sectors = sectors};
}

void weir_classes_free(struct weir_classes *c) {
  weir_stack_free(&c->stack);
  weir_map_free(&c->numbers);
  weir_free(c->histories);
}

static struct weir_sector_history *history_of(struct weir_classes *c, uint64_t line) {
  bool is_new;
  uint64_t *number = weir_map_add(&c->numbers, line, &is_new);
  if (is_new) {
    *number = c->history_count;
    *weir_push(c->histories, c->history_count, c->history_capacity) = (struct weir_sector_history){.epoch = c->epoch};
  }
  struct weir_sector_history *h = &c->histories[*number];
  if (h->epoch != c->epoch) h->dropped = h->used;
  h->epoch = c->epoch;
  return h;
}

struct weir_use weir_classes_use(struct weir_classes *c, uint64_t line, unsigned sector) {
  struct weir_sector_history *h = history_of(c, line);
  const uint64_t distance = weir_stack_use(&c->stack, line);
  const uint8_t bit = (uint8_t)(1u << sector);
  for (unsigned s = 0; s < c->sectors; s++)
    if (distance > h->deepest[s]) h->deepest[s] = distance; // NEVER is larger than all
  const bool used = h->used & bit, dropped = h->dropped & bit;
  struct weir_use u = {.distance = used && !dropped ? h->deepest[sector] : WEIR_STACK_NEVER};
  u.if_miss = !used ? WEIR_COMPULSORY : dropped ? WEIR_DROPPED : u.distance >= c->lines ? WEIR_CAPACITY : WEIR_CONFLICT;
  h->deepest[sector] = 0;
  h->used |= bit;
  h->dropped &= (uint8_t)~bit;
  return u;
}

void weir_classes_drop(struct weir_classes *c, uint64_t line, uint8_t sectors) {
  if (!weir_map_find(&c->numbers, line)) return;
  struct weir_sector_history *h = history_of(c, line);
  h->dropped |= h->used & sectors;
  if (h->dropped == h->used) weir_stack_remove(&c->stack, line);
}

void weir_classes_flush(struct weir_classes *c) {
  weir_stack_clear(&c->stack);
  c->epoch++;
}

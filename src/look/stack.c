// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/stack.h"

#include "base/alloc.h"

#include <string.h>

enum { LEAST_SLOTS = 1024 };

void weir_stack_free(struct weir_stack *s) {
  weir_map_free(&s->slots);
  weir_free(s->tree);
  weir_free(s->line_of);
  *s = (struct weir_stack){0};
}

static void add(struct weir_stack *s, size_t slot, uint32_t by) {
  for (size_t i = slot + 1; i <= s->capacity; i += i & -i) s->tree[i] += by;
}

// Marks in the slots up to this one.
static size_t marks_up_to(const struct weir_stack *s, size_t slot) {
  size_t n = 0;
  for (size_t i = slot + 1; i; i -= i & -i) n += s->tree[i];
  return n;
}

// The marks move to the first slots, in their order, of twice as many as there are marks.
static void squeeze(struct weir_stack *s) {
  const size_t capacity = s->lines * 2 < LEAST_SLOTS ? LEAST_SLOTS : s->lines * 2;
  uint64_t *lines = weir_new_array(uint64_t, capacity);
  size_t n = 0;
  for (size_t i = 0; i < s->next; i++) {
    if (!s->line_of[i]) continue;
    *weir_map_find(&s->slots, s->line_of[i] - 1) = n + 1;
    lines[n++] = s->line_of[i];
  }
  weir_free(s->line_of);
  weir_free(s->tree);
  s->line_of = lines;
  s->tree = weir_new_array(uint32_t, capacity + 1);
  s->capacity = capacity;
  s->next = n;
  for (size_t i = 0; i < n; i++) add(s, i, 1);
}

static void take_off(struct weir_stack *s, uint64_t *slot) {
  add(s, *slot - 1, UINT32_MAX); // −1
  s->line_of[*slot - 1] = 0;
  s->lines--;
  *slot = 0;
}

uint64_t weir_stack_use(struct weir_stack *s, uint64_t line) {
  uint64_t *slot = weir_map_find(&s->slots, line), distance = WEIR_STACK_NEVER;
  if (slot && *slot) {
    distance = s->lines - marks_up_to(s, *slot - 1);
    take_off(s, slot);
  }
  if (s->next == s->capacity) squeeze(s);
  *weir_map_add(&s->slots, line, NULL) = s->next + 1;
  s->line_of[s->next] = line + 1;
  add(s, s->next++, 1);
  s->lines++;
  return distance;
}

void weir_stack_remove(struct weir_stack *s, uint64_t line) {
  uint64_t *slot = weir_map_find(&s->slots, line);
  if (slot && *slot) take_off(s, slot);
}

void weir_stack_clear(struct weir_stack *s) {
  weir_stack_free(s);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/stack.h"

#include "base/alloc.h"

#include <string.h>

enum { LEAST_SLOTS = 1024 };
#define HOLE UINT64_MAX

void weir_stack_free(struct weir_stack *s) {
  weir_map_free(&s->slots);
  weir_free(s->tree);
  weir_free(s->line_of);
  weir_free(s->holes);
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

// ---- holes ----------------------------------------------------------------------------------------------------------------

static void swap(size_t *a, size_t *b) {
  const size_t kept = *a;
  *a = *b;
  *b = kept;
}

// The first of the heap has changed to a slot further down.
static void sink(struct weir_stack *s) {
  for (size_t i = 0, child; (child = 2 * i + 1) < s->hole_count; i = child) {
    if (child + 1 < s->hole_count && s->holes[child + 1] > s->holes[child]) child++;
    if (s->holes[i] >= s->holes[child]) return;
    swap(&s->holes[i], &s->holes[child]);
  }
}

static void add_hole(struct weir_stack *s, size_t slot) {
  size_t i = s->hole_count;
  *weir_push(s->holes, s->hole_count, s->hole_capacity) = slot;
  for (; i && s->holes[i] > s->holes[(i - 1) / 2]; i = (i - 1) / 2) swap(&s->holes[i], &s->holes[(i - 1) / 2]);
}

static void unmark(struct weir_stack *s, size_t slot) {
  add(s, slot, UINT32_MAX); // −1
  s->line_of[slot] = 0;
  s->marks--;
}

// A line comes from below to the top: the topmost hole is filled.
static void fill_hole(struct weir_stack *s) {
  unmark(s, s->holes[0]);
  s->holes[0] = s->holes[--s->hole_count];
  sink(s);
}

// A line goes from its slot to the top: those between move down by one, as far as the next hole, which is then in its slot.
static void leave(struct weir_stack *s, size_t slot) {
  if (!s->hole_count || s->holes[0] < slot) {
    unmark(s, slot);
    return;
  }
  unmark(s, s->holes[0]);
  s->line_of[slot] = HOLE;
  s->holes[0] = slot;
  sink(s);
}

// ---- the stack ------------------------------------------------------------------------------------------------------------

// The tree over slots of which the first so many have a mark.
static void plant(struct weir_stack *s, size_t marks) {
  for (size_t i = 1; i <= s->capacity; i++) {
    const size_t below = i - (i & -i);
    s->tree[i] = (uint32_t)(i <= marks ? i - below : below < marks ? marks - below : 0);
  }
}

// The marks move to the first slots, in their order, of four times as many as there are marks: then a line is moved for every three
// uses at most.
static void squeeze(struct weir_stack *s) {
  const size_t capacity = s->marks * 4 < LEAST_SLOTS ? LEAST_SLOTS : s->marks * 4;
  uint64_t *lines = weir_new_array(uint64_t, capacity);
  size_t *moved = weir_new_array(size_t, s->next), n = 0;
  for (size_t i = 0; i < s->next; i++) {
    if (!s->line_of[i]) continue;
    if (s->line_of[i] != HOLE) *weir_map_find(&s->slots, s->line_of[i] - 1) = n + 1;
    moved[i] = n;
    lines[n++] = s->line_of[i];
  }
  for (size_t i = 0; i < s->hole_count; i++) s->holes[i] = moved[s->holes[i]]; // in the same order, so still a heap
  weir_free(moved);
  weir_free(s->line_of);
  weir_free(s->tree);
  s->line_of = lines;
  s->tree = weir_new_array(uint32_t, capacity + 1);
  s->capacity = capacity;
  s->next = n;
  plant(s, n);
}

uint64_t weir_stack_use(struct weir_stack *s, uint64_t line) {
  if (s->next && s->line_of[s->next - 1] == line + 1) return 0;
  uint64_t *slot = weir_map_add(&s->slots, line, NULL); // stays where it is: nothing else is added
  uint64_t distance = WEIR_STACK_NEVER;
  if (*slot) {
    distance = s->marks - marks_up_to(s, *slot - 1);
    leave(s, *slot - 1);
  } else if (s->hole_count) {
    fill_hole(s);
  }
  if (s->next == s->capacity) squeeze(s);
  *slot = s->next + 1;
  s->line_of[s->next] = line + 1;
  add(s, s->next++, 1);
  s->marks++;
  return distance;
}

void weir_stack_remove(struct weir_stack *s, uint64_t line) {
  uint64_t *slot = weir_map_find(&s->slots, line);
  if (!slot || !*slot) return;
  s->line_of[*slot - 1] = HOLE;
  add_hole(s, *slot - 1);
  *slot = 0;
}

void weir_stack_clear(struct weir_stack *s) {
  weir_stack_free(s);
}

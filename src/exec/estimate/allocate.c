// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Registers for the scheduled code of a function, as ptxas gives them from Volta on: the lowest that is free as long as the
// value lives, of the other bank than what is read beside it (even and odd registers are two banks: Jia et al., "Dissecting the
// NVIDIA Volta GPU Architecture via Microbenchmarking", section 3.1), pairs at even numbers, groups of a vector load together.
// What a memory operation reads is not written again for a while. Of all this, it gives up what it must to stay below a limit.
//
// Time is counted in halves of an operation: it reads in the first and writes in the second.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/estimate/private.h"

#include <string.h>

// MOST: a thread has at most 255; a function that would name more than this is given up. UNIT: the limit rises by it. HELD_…: operations for which a
// load's and a store's operands stay, which is for no longer than the block: chosen by the training half of docs/VALIDATION.md,
// where 8 to 40 and 3 to 16 do as well.
enum { MOST = 512, UNIT = 8, HELD_BY_LOAD = 16, HELD_BY_STORE = 6 };
enum { STACK_POINTER = 1, NONE = UINT32_MAX };

struct segment { // of a value's life
  uint32_t from, to, next;
};

struct variable { // one register of PTX between blocks, or one value within a block
  uint32_t number, segments;
  uint8_t width;
};

struct allocation {
  const struct weir_sass *s;
  struct variable *variables;
  struct segment *segments;
  uint32_t variable_count, variable_capacity, segment_count, segment_capacity;
  uint32_t *between;   // [register of PTX]: its variable
  uint32_t *begins;    // [block]
  uint32_t **of_block; // [block][value]: its variable
  size_t words;
  uint64_t *live, *held; // [register × words]: bits of time
  uint32_t limit, named;
  bool full; // given up
  // Of the block at hand.
  struct weir_sass_block *b;
  uint32_t block;
  uint32_t *of;                // [value]: of_block's
  uint32_t *first_user, *user; // [value]: index in `user`; operations
};

enum bank { EVEN, ODD, EITHER };

// ---- time -----------------------------------------------------------------------------------------------------------

static uint64_t mask(uint32_t word, uint32_t from, uint32_t to) {
  uint64_t m = ~UINT64_C(0);
  if (word == from / 64) m &= ~UINT64_C(0) << (from % 64);
  if (word == (to - 1) / 64 && to % 64) m &= (UINT64_C(1) << (to % 64)) - 1;
  return m;
}

static bool is_taken(const uint64_t *bits, uint32_t from, uint32_t to) {
  for (uint32_t w = from / 64; w <= (to - 1) / 64; w++)
    if (bits[w] & mask(w, from, to)) return true;
  return false;
}

static void take_time(uint64_t *bits, uint32_t from, uint32_t to) {
  for (uint32_t w = from / 64; w <= (to - 1) / 64; w++) bits[w] |= mask(w, from, to);
}

// ---- lives ----------------------------------------------------------------------------------------------------------

static uint32_t add_variable(struct allocation *a, uint8_t width) {
  *weir_push(a->variables, a->variable_count, a->variable_capacity) = (struct variable){NONE, NONE, width};
  return a->variable_count - 1;
}

static void add_segment(struct allocation *a, uint32_t variable, uint32_t from, uint32_t to) {
  const uint32_t last = a->variables[variable].segments;
  const struct segment s = {from, to > from ? to : from + 1, last};
  if (last != NONE && a->segments[last].to == from) { // on through the next block
    a->segments[last].to = s.to;
    return;
  }
  *weir_push(a->segments, a->segment_count, a->segment_capacity) = s;
  a->variables[variable].segments = a->segment_count - 1;
}

static uint32_t between_blocks(struct allocation *a, uint32_t reg, uint32_t width) {
  if (a->between[reg] == NONE) a->between[reg] = add_variable(a, (uint8_t)width);
  return a->between[reg];
}

static void find_value(struct allocation *a, uint32_t v, uint32_t written, uint32_t read) {
  const struct weir_sass *s = a->s;
  const struct weir_sass_value *value = &a->b->values[v];
  const uint64_t *in = s->in + (size_t)a->block * s->words, *out = s->out + (size_t)a->block * s->words;
  const bool comes = value->op == WEIR_NO_OP && weir_sass_has(s, in, value->reg),
             goes = value->out && weir_sass_has(s, out, value->reg);
  if (!value->width || (value->op == WEIR_NO_OP ? !comes : !a->b->ops[value->op].alive)) return;
  a->of[v] = comes || goes ? between_blocks(a, value->reg, value->width) : add_variable(a, value->width);
  add_segment(a, a->of[v], comes ? a->begins[a->block] : written, goes ? a->begins[a->block + 1] : read);
}

// `first`, `last`: [value] when it is written and last read. `seen`: [register of PTX] 1 + the last block that has a value of it.
static void find_lives(struct allocation *a, uint32_t *first, uint32_t *last, uint32_t *seen) {
  const struct weir_sass *s = a->s;
  const uint32_t begin = a->begins[a->block];
  for (uint32_t i = 0; i < a->b->order_count; i++) {
    const struct weir_sass_op *o = &a->b->ops[a->b->order[i]];
    for (uint32_t d = 0; d < o->def_count; d++) first[o->first_def + d] = begin + 2 * i + 2;
    for (uint32_t u = 0; u < o->use_count; u++) last[a->b->uses[o->first_use + u]] = begin + 2 * i + 2;
  }
  for (uint32_t v = 0; v < a->b->value_count; v++) {
    find_value(a, v, first[v], last[v]);
    if (a->of[v] != NONE) seen[a->b->values[v].reg] = a->block + 1;
  }
  const uint64_t *in = s->in + (size_t)a->block * s->words, *out = s->out + (size_t)a->block * s->words;
  for (uint32_t w = 0; w < s->words; w++)
    for (uint64_t m = in[w] & out[w]; m; m &= m - 1) {
      const uint32_t reg = s->members[w * 64 + weir_lowest(m)], width = weir_sass_width(s, reg);
      if (width && seen[reg] != a->block + 1)
        add_segment(a, between_blocks(a, reg, width), begin, a->begins[a->block + 1]);
    }
}

// ---- registers ------------------------------------------------------------------------------------------------------

static bool is_free(const struct allocation *a, uint32_t variable, uint32_t number, bool holds) {
  const struct variable *v = &a->variables[variable];
  for (uint32_t n = number; n < number + v->width; n++) {
    if (n == STACK_POINTER) return false;
    for (uint32_t s = v->segments; s != NONE; s = a->segments[s].next)
      if (is_taken(a->live + n * a->words, a->segments[s].from, a->segments[s].to) ||
          (holds && is_taken(a->held + n * a->words, a->segments[s].from, a->segments[s].to)))
        return false;
  }
  return true;
}

static void take(struct allocation *a, uint32_t variable, uint32_t number) {
  struct variable *v = &a->variables[variable];
  v->number = number;
  for (uint32_t n = number; n < number + v->width; n++)
    for (uint32_t s = v->segments; s != NONE; s = a->segments[s].next)
      take_time(a->live + n * a->words, a->segments[s].from, a->segments[s].to);
  if (number + v->width > a->named) a->named = number + v->width;
}

// What is given up, one after the other, for want of a register below the limit.
enum effort { BANKS, HOLDS, LIVES, EFFORTS };

// The next effort; false: there are no registers left.
static bool try_harder(struct allocation *a, enum effort *e) {
  if (++*e < EFFORTS) return true;
  *e = HOLDS;
  a->full = a->limit + UNIT > MOST;
  if (!a->full) a->limit += UNIT;
  return !a->full;
}

static uint32_t alignment(uint32_t width) {
  return width >= 4 ? 4 : width >= 2 ? 2 : 1;
}

// `o` is the operation that writes the variable, which may do so over what it reads itself; NULL: none.
static bool overwrites(const struct allocation *a, const struct weir_sass_op *o, uint32_t number) {
  for (uint32_t u = 0; o && u < o->use_count; u++) {
    const uint32_t v = a->of[a->b->uses[o->first_use + u]];
    if (v != NONE && a->variables[v].number == number) return true;
  }
  return false;
}

static void allocate(struct allocation *a, uint32_t variable, enum bank bank, const struct weir_sass_op *o) {
  const struct variable *v = &a->variables[variable];
  if (v->number != NONE || !v->width) return;
  enum effort e = bank == EITHER ? HOLDS : BANKS;
  do {
    for (uint32_t n = 0; n + v->width <= a->limit; n += alignment(v->width)) {
      if (e == BANKS && n % 2 != (uint32_t)bank) continue;
      if (!is_free(a, variable, n, e < LIVES && !overwrites(a, o, n))) continue;
      take(a, variable, n);
      return;
    }
  } while (try_harder(a, &e));
}

// The bank of a value that an operation writes: not that of most values that are read beside it.
static enum bank bank_for(const struct allocation *a, uint32_t v) {
  if (a->variables[a->of[v]].width != 1) return EITHER;
  int odd = 0;
  for (uint32_t k = a->first_user[v]; k < a->first_user[v + 1]; k++) {
    const struct weir_sass_op *o = &a->b->ops[a->user[k]];
    for (uint32_t u = 0; u < o->use_count; u++) {
      const uint32_t w = a->b->uses[o->first_use + u];
      if (w == v || a->of[w] == NONE) continue;
      const struct variable *other = &a->variables[a->of[w]];
      if (other->width == 2 && o->memory && o->base == w)
        odd--;
      else if (other->width == 1 && other->number != NONE)
        odd += other->number % 2 ? 1 : -1;
    }
  }
  return odd == 0 ? EITHER : odd > 0 ? EVEN : ODD;
}

// Whether anything reads what an operation that writes several registers writes to this one.
static bool is_read(const struct allocation *a, uint32_t v) {
  return a->first_user[v] < a->first_user[v + 1] || a->b->values[v].stays;
}

// ---- operations -----------------------------------------------------------------------------------------------------

enum { MOST_MEMBERS = 8 };

static void allocate_group(struct allocation *a, const struct weir_sass_op *o) {
  uint32_t members[MOST_MEMBERS], count = 0, total = 0;
  for (uint32_t v = o->first_def; v < o->first_def + o->def_count && count < MOST_MEMBERS; v++) {
    if (a->of[v] == NONE || a->variables[a->of[v]].number != NONE || !is_read(a, v)) continue;
    members[count++] = a->of[v];
    total += a->variables[a->of[v]].width;
  }
  if (count < 2) return;
  enum effort e = HOLDS;
  do {
    for (uint32_t n = 0; n + total <= a->limit; n += alignment(total)) {
      uint32_t fitting = 0;
      for (uint32_t at = n; fitting < count && is_free(a, members[fitting], at, e < LIVES); fitting++)
        at += a->variables[members[fitting]].width;
      if (fitting < count) continue;
      for (uint32_t k = 0, at = n; k < count; at += a->variables[members[k]].width, k++) take(a, members[k], at);
      return;
    }
  } while (try_harder(a, &e));
}

static void hold_operands(struct allocation *a, const struct weir_sass_op *o, uint32_t from) {
  if (o->memory != WEIR_SASS_LOAD && o->memory != WEIR_SASS_STORE) return;
  const uint32_t end = a->begins[a->block + 1];
  const uint32_t operations = o->memory == WEIR_SASS_LOAD ? HELD_BY_LOAD : HELD_BY_STORE, to = from + 2 * operations;
  for (uint32_t u = 0; u < o->use_count; u++) {
    const uint32_t v = a->of[a->b->uses[o->first_use + u]];
    if (v == NONE) continue;
    for (uint32_t k = 0; k < a->variables[v].width; k++)
      take_time(a->held + (a->variables[v].number + k) * a->words, from, to < end ? to : end);
  }
}

// The lowest registers that are free at one time; nothing is kept in them.
static void use_scratch(struct allocation *a, uint32_t count, uint32_t time) {
  for (uint32_t n = 0; count && n < MOST; n++) {
    if (n == STACK_POINTER || is_taken(a->live + n * a->words, time, time + 1)) continue;
    count--;
    if (n + 1 > a->named) a->named = n + 1;
  }
}

static void allocate_block(struct allocation *a) {
  const uint64_t *in = a->s->in + (size_t)a->block * a->s->words;
  for (uint32_t w = 0; w < a->s->words; w++)
    for (uint64_t m = in[w]; m; m &= m - 1) {
      const uint32_t v = a->between[a->s->members[w * 64 + weir_lowest(m)]];
      if (v != NONE && !a->full) allocate(a, v, EITHER, NULL);
    }
  for (uint32_t i = 0; i < a->b->order_count && !a->full; i++) {
    const struct weir_sass_op *o = &a->b->ops[a->b->order[i]];
    const uint32_t time = a->begins[a->block] + 2 * i + 1;
    hold_operands(a, o, time + 1);
    use_scratch(a, o->extra, time);
    if (o->memory == WEIR_SASS_LOAD && o->def_count > 1) allocate_group(a, o);
    for (uint32_t v = o->first_def; v < o->first_def + o->def_count; v++)
      if (a->of[v] != NONE && !a->full && (o->def_count == 1 || is_read(a, v)))
        allocate(a, a->of[v], bank_for(a, v), o);
  }
}

static void find_users(struct allocation *a) {
  const struct weir_sass_block *b = a->b;
  for (uint32_t i = 0; i < b->order_count; i++) {
    const struct weir_sass_op *o = &b->ops[b->order[i]];
    for (uint32_t u = 0; u < o->use_count; u++) a->first_user[b->uses[o->first_use + u] + 1]++;
  }
  for (uint32_t v = 0; v < b->value_count; v++) a->first_user[v + 1] += a->first_user[v];
  const uint32_t total = a->first_user[b->value_count];
  for (uint32_t i = b->order_count; i-- > 0;) { // each ends where it began: at the first of its users
    const struct weir_sass_op *o = &b->ops[b->order[i]];
    for (uint32_t u = 0; u < o->use_count; u++) a->user[--a->first_user[b->uses[o->first_use + u] + 1]] = b->order[i];
  }
  memmove(a->first_user, a->first_user + 1, b->value_count * sizeof *a->first_user);
  a->first_user[b->value_count] = total;
}

// ---- the function ---------------------------------------------------------------------------------------------------

static void enter(struct allocation *a, uint32_t block) {
  a->block = block;
  a->b = &a->s->blocks[block];
  a->of = a->of_block[block];
}

static void find_all_lives(struct allocation *a) {
  const struct weir_sass *s = a->s;
  uint32_t *seen = weir_new_array(uint32_t, s->function->register_count + WEIR_SASS_NAMELESS);
  for (uint32_t k = 0; k < s->cfg->block_count; k++) {
    const uint32_t values = s->blocks[k].value_count;
    a->of_block[k] = weir_new_array(uint32_t, values + 1);
    memset(a->of_block[k], 0xff, values * sizeof *a->of_block[k]);
    enter(a, k);
    uint32_t *times = weir_new_array(uint32_t, 2 * (size_t)values + 1);
    find_lives(a, times, times + values, seen);
    weir_free(times);
  }
  weir_free(seen);
}

static void allocate_all(struct allocation *a) {
  for (uint32_t k = 0; k < a->s->cfg->block_count && !a->full; k++) {
    enter(a, k);
    a->first_user = weir_new_array(uint32_t, a->b->value_count + 2);
    a->user = weir_new_array(uint32_t, a->b->use_count + 1);
    find_users(a);
    allocate_block(a);
    weir_free(a->first_user);
    weir_free(a->user);
  }
}

uint32_t weir_sass_allocate(struct weir_sass *s, uint32_t limit) {
  const uint32_t blocks = s->cfg->block_count, registers = s->function->register_count + WEIR_SASS_NAMELESS;
  struct allocation a = {.s = s,
                         .between = weir_new_array(uint32_t, registers),
                         .begins = weir_new_array(uint32_t, blocks + 1),
                         .of_block = weir_new_array(uint32_t *, blocks + 1),
                         .limit = limit,
                         .full = limit > MOST};
  memset(a.between, 0xff, registers * sizeof *a.between);
  for (uint32_t b = 0; b < blocks; b++) a.begins[b + 1] = a.begins[b] + 2 * s->blocks[b].order_count + 2;
  a.words = a.begins[blocks] / 64 + 1;
  a.live = weir_new_array(uint64_t, 2 * MOST * a.words);
  a.held = a.live + MOST * a.words;
  find_all_lives(&a);
  allocate_all(&a);
  for (uint32_t b = 0; b < blocks; b++) weir_free(a.of_block[b]);
  weir_free(a.variables);
  weir_free(a.segments);
  weir_free(a.between);
  weir_free(a.begins);
  weir_free(a.of_block);
  weir_free(a.live);
  return a.full ? WEIR_SASS_MANY : a.named;
}

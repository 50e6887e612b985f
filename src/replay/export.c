// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "replay/export.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"
#include "look/stack.h"
#include "replay/replay.h"

const char *const weir_replay_format_names[WEIR_REPLAY_FORMAT_COUNT] = {
#define X(name, text) text,
  WEIR_REPLAY_FORMATS(X)
#undef X
};

enum { AHEAD = 8 }; // records

typedef void visit(void *context, const struct weir_recorded *r);

// Calls `each` for the accesses of a core, or of all, and before that `soon`, if it is not NULL, for some record that is to come.
static bool walk(struct weir_recording *s, uint32_t core, visit *each, visit *soon, void *context,
                 struct weir_sink *sink) {
  for (uint64_t n = 0; n < s->blocks; n++) {
    const struct weir_recorded *records;
    const uint32_t count = weir_recording_read(s, n, &records, sink);
    if (!count) return false;
    for (uint32_t i = 0; i < count; i++) {
      if (soon && i + AHEAD < count) soon(context, &records[i + AHEAD]);
      if (weir_replay_is_access(&records[i]) && (core == WEIR_REPLAY_ALL_CORES || records[i].core == core))
        each(context, &records[i]);
    }
  }
  return true;
}

// ---- CSV ----------------------------------------------------------------------------------------------------------------

static void put_row(void *to, const struct weir_recorded *r) {
  static const char *const kinds[] = {
    [WEIR_MREQ_LOAD] = "load", [WEIR_MREQ_STORE] = "store", [WEIR_MREQ_ATOMIC] = "atomic"};
  fprintf(to, "%llu,%u,%u,%s,%u,%u,0x%llx,%u,%u,%u\n", (unsigned long long)r->cycle, r->core, r->warp, kinds[r->kind],
          r->flags & WEIR_RECORDING_PAST, (r->flags & WEIR_RECORDING_LOCAL) != 0, (unsigned long long)r->address,
          r->bytes, r->pc, r->transactions);
}

// ---- libCacheSim --------------------------------------------------------------------------------------------------------

struct uses {
  uint64_t *lines, *next;
  uint32_t *times;
  size_t count, capacity, time_count, time_capacity;
  uint32_t line_bytes;
};

static void add_use(void *context, const struct weir_recorded *r) {
  struct uses *u = context;
  *weir_push(u->lines, u->count, u->capacity) = r->address / u->line_bytes;
  *weir_push(u->times, u->time_count, u->time_capacity) = (uint32_t)r->cycle;
}

// From the last to the first: when each line is used next, counted from 1; 0: never.
static void find_next(struct uses *u) {
  struct weir_map next = {0};
  u->next = weir_new_array(uint64_t, u->count ? u->count : 1);
  for (size_t i = u->count; i--;) {
    uint64_t *at = weir_map_add(&next, u->lines[i], NULL);
    u->next[i] = *at;
    *at = i + 1;
  }
  weir_map_free(&next);
}

static void put_low(uint64_t value, unsigned bytes, FILE *to) {
  for (unsigned i = 0; i < bytes; i++) putc((int)(value >> 8 * i & 255), to);
}

static void put_uses(const struct uses *u, FILE *to) {
  for (size_t i = 0; i < u->count; i++) {
    put_low(u->times[i], 4, to);
    put_low(u->lines[i], 8, to);
    put_low(u->line_bytes, 4, to);
    put_low(u->next[i] ? u->next[i] : UINT64_MAX, 8, to);
  }
}

bool weir_replay_export(struct weir_recording *s, enum weir_replay_format format, uint32_t core, uint32_t line_bytes,
                        FILE *to, struct weir_sink *sink) {
  if (format == WEIR_REPLAY_CSV) {
    fputs("cycle,core,warp,kind,past_l1,local,address,bytes,pc,transactions\n", to);
    return walk(s, core, put_row, NULL, to, sink);
  }
  struct uses u = {.line_bytes = line_bytes};
  const bool ok = walk(s, core, add_use, NULL, &u, sink);
  if (ok) {
    find_next(&u);
    put_uses(&u, to);
  }
  weir_free(u.lines);
  weir_free(u.times);
  weir_free(u.next);
  return ok;
}

// ---- simulators of DRAM -------------------------------------------------------------------------------------------------

void weir_replay_export_memory(enum weir_replay_format format, uint64_t cycle, uint64_t address, bool writes,
                               FILE *to) {
  if (format == WEIR_REPLAY_RAMULATOR)
    fprintf(to, "%s 0x%llx\n", writes ? "ST" : "LD", (unsigned long long)address);
  else
    fprintf(to, "0x%llx %s %llu\n", (unsigned long long)address, writes ? "WRITE" : "READ", (unsigned long long)cycle);
}

// ---- miss curve ---------------------------------------------------------------------------------------------------------

struct curve {
  struct weir_stack *stacks; // per core
  uint32_t cores, line_bytes;
  uint64_t fits_from[WEIR_REPLAY_SIZES + 1]; // loads that hit from the i-th size on
  struct weir_replay_curve *out;
};

// The first size, of 2^i lines, that is above the distance.
static unsigned fits_from(uint64_t distance) {
  const unsigned i = distance ? weir_log2(distance) + 1 : 0;
  return i < WEIR_REPLAY_SIZES ? i : WEIR_REPLAY_SIZES;
}

static struct weir_stack *stack_of(struct curve *c, uint32_t core) {
  if (core >= c->cores) {
    c->stacks = weir_realloc(c->stacks, (core + 1) * sizeof *c->stacks);
    for (; c->cores <= core; c->cores++) c->stacks[c->cores] = (struct weir_stack){0};
  }
  return &c->stacks[core];
}

static bool counts(const struct weir_recorded *r) {
  return r->kind == WEIR_MREQ_LOAD && !(r->flags & WEIR_RECORDING_PAST);
}

static void expect(void *context, const struct weir_recorded *r) {
  const struct curve *c = context;
  if (counts(r) && r->core < c->cores) weir_stack_expect(&c->stacks[r->core], r->address / c->line_bytes);
}

static void use(void *context, const struct weir_recorded *r) {
  struct curve *c = context;
  if (!counts(r)) return;
  const uint64_t distance = weir_stack_use(stack_of(c, r->core), r->address / c->line_bytes);
  c->out->loads++;
  c->fits_from[fits_from(distance)]++;
}

// Misses of a size are those whose distance fits in larger ones alone.
static void sum_up(const struct curve *c) {
  uint64_t misses = 0;
  for (unsigned i = WEIR_REPLAY_SIZES; i-- > 0;) c->out->misses[i] = misses += c->fits_from[i + 1];
}

bool weir_replay_curve(struct weir_recording *s, uint32_t line_bytes, struct weir_replay_curve *out,
                       struct weir_sink *sink) {
  *out = (struct weir_replay_curve){0};
  struct curve c = {.line_bytes = line_bytes, .out = out};
  s->addresses_alone = true;
  const bool ok = walk(s, WEIR_REPLAY_ALL_CORES, use, expect, &c, sink);
  s->addresses_alone = false;
  sum_up(&c);
  for (uint32_t i = 0; i < c.cores; i++) weir_stack_free(&c.stacks[i]);
  weir_free(c.stacks);
  return ok;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/misses.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"

#include <string.h>

const char *const weir_trace_class_names[] = {
  [WEIR_TRACE_COMPUTE] = "compute", [WEIR_TRACE_STREAMING] = "streaming", [WEIR_TRACE_SENSITIVE] = "sensitive"};

const struct weir_misses weir_misses_default = {
  .private = {{.bytes = 32 << 10, .ways = 4}, {.bytes = 256 << 10, .ways = 8}},
  .caches = {{.bytes = 512 << 10, .ways = 32},
             {.bytes = 1 << 20, .ways = 32},
             {.bytes = 2 << 20, .ways = 32},
             {.bytes = 4 << 20, .ways = 32},
             {.bytes = 8 << 20, .ways = 32}}};

// Holey et al. (section 4.1.1) name three kinds of programs and give no numbers; these are ours. A last-level cache matters
// little to who misses 1 MiB less than once in 1000 instructions, and more of it matters to whom 4 MiB save a fifth of the
// misses of 1 MiB. Their chips have 2 MiB for each CPU core.
static const double FEW_MISSES = 1, SAVED_PART = 0.2;
enum { SMALL = 1, LARGE = 3 }; // of weir_misses_default's caches

enum { BATCH = 256 };

struct cache {
  uint64_t *recent; // of each set, `ways` lines plus 1, 0 is none, most recent first
  uint64_t sets;
  unsigned ways;
};

enum { CACHES = WEIR_MISS_PRIVATE + WEIR_MISS_SIZES };

struct counting {
  struct cache caches[CACHES]; // the private ones first
  struct weir_map seen;        // lines
  uint64_t segment_misses[CACHES], segment_instructions;
  double weights, weighted[CACHES];
};

// True if the line was there; it is the most recent one now.
static bool touch(struct cache *c, uint64_t line) {
  uint64_t *set = c->recent + line % c->sets * c->ways, previous = line + 1;
  for (unsigned way = 0; way < c->ways; way++) {
    const uint64_t here = set[way];
    set[way] = previous;
    if (here == line + 1) return true;
    previous = here;
  }
  return false;
}

static struct weir_miss_cache *cache_of(struct weir_misses *m, unsigned i) {
  return i < WEIR_MISS_PRIVATE ? &m->private[i] : &m->caches[i - WEIR_MISS_PRIVATE];
}

static bool missed(struct counting *c, struct weir_misses *m, unsigned i, uint64_t line, bool counted) {
  if (!c->caches[i].sets) return true;
  if (touch(&c->caches[i], line)) return false;
  c->segment_misses[i] += counted;
  cache_of(m, i)->misses += counted;
  return true;
}

static void access_line(struct counting *c, struct weir_misses *m, uint64_t line, bool counted) {
  m->accesses += counted;
  for (unsigned i = 0; i < WEIR_MISS_PRIVATE; i++)
    if (!missed(c, m, i, line, counted)) return;
  bool any = false;
  for (unsigned i = WEIR_MISS_PRIVATE; i < CACHES; i++) any |= missed(c, m, i, line, counted);
  if (any) weir_map_add(&c->seen, line, NULL);
}

static void access_all(struct counting *c, struct weir_misses *m, const struct weir_trace_inst *inst, bool counted) {
  for (unsigned k = 0; k < inst->what->access_count; k++) {
    const uint64_t first = inst->addresses[k] / WEIR_MISS_LINE;
    const unsigned bytes = inst->what->accesses[k].bytes;
    const uint64_t last = (inst->addresses[k] + (bytes ? bytes - 1 : 0)) / WEIR_MISS_LINE;
    for (uint64_t line = first; line <= last; line++) access_line(c, m, line, counted);
  }
}

static void end_segment(struct counting *c, double weight) {
  for (unsigned i = 0; c->segment_instructions && i < CACHES; i++) {
    c->weighted[i] += weight * 1000 * (double)c->segment_misses[i] / (double)c->segment_instructions;
    c->segment_misses[i] = 0;
  }
  if (c->segment_instructions) c->weights += weight;
  c->segment_instructions = 0;
}

static enum weir_trace_class class_of(const struct weir_misses *m) {
  const double small = m->caches[SMALL].per_thousand, large = m->caches[LARGE].per_thousand;
  if (small < FEW_MISSES) return WEIR_TRACE_COMPUTE;
  return small - large >= SAVED_PART * small ? WEIR_TRACE_SENSITIVE : WEIR_TRACE_STREAMING;
}

static bool run(struct counting *c, struct weir_misses *m, struct weir_trace_reader *r, uint64_t warm) {
  struct weir_trace_inst batch[BATCH];
  uint64_t read = 0;
  unsigned segment = 0;
  const struct weir_trace_info *info = weir_trace_info(r);
  for (size_t n; (n = weir_trace_read(r, batch, BATCH));) {
    if (weir_trace_current_segment(r) != segment) end_segment(c, info->segments[segment].weight);
    segment = weir_trace_current_segment(r);
    for (size_t i = 0; i < n; i++) {
      const bool counted = read++ >= warm;
      c->segment_instructions += counted;
      m->instructions += counted;
      access_all(c, m, &batch[i], counted);
    }
  }
  end_segment(c, info->segments[segment].weight);
  return read > warm;
}

bool weir_misses_count(struct weir_misses *m, struct weir_trace_reader *r, uint64_t warm, struct weir_sink *sink) {
  struct counting c = {0};
  const size_t errors = sink->errors;
  for (unsigned i = 0; i < CACHES; i++) {
    const struct weir_miss_cache *given = cache_of(m, i);
    const uint64_t lines = given->bytes / WEIR_MISS_LINE;
    if (lines) c.caches[i] = (struct cache){weir_new_array(uint64_t, lines), lines / given->ways, given->ways};
  }
  const bool ok = run(&c, m, r, warm) || sink->errors > errors ||
    weir_fail_plain(sink, "the trace has no instructions beyond those that only warm up");
  for (unsigned i = 0; i < CACHES; i++) {
    cache_of(m, i)->per_thousand = c.weights > 0 ? c.weighted[i] / c.weights : 0;
    weir_free(c.caches[i].recent);
  }
  m->lines = c.seen.count;
  m->class = class_of(m);
  weir_map_free(&c.seen);
  return ok && sink->errors == errors;
}

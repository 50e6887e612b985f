// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The front end: instructions in program order into the reorder buffer.
#include "cpu/core_private.h"

#include "base/bits.h"

const struct weir_trace_inst *weir_cpu_peek(struct weir_cpu_core *c) {
  if (c->at == c->count && !c->ended) {
    c->at = c->ahead = 0;
    c->count = c->feed.read(c->feed.context, c->batch, WEIR_CPU_BATCH);
    c->ended = !c->count;
  }
  return c->at < c->count ? &c->batch[c->at] : NULL;
}

// System instructions enter when all older ones have left, and nothing enters before they have left.
static bool serialized(struct weir_cpu_core *c, const struct weir_trace_inst *i) {
  return c->head < c->tail &&
    (i->what->kind == WEIR_TRACE_SYSTEM || weir_cpu_slot(c, c->tail - 1)->what->kind == WEIR_TRACE_SYSTEM);
}

bool weir_cpu_may_fetch(struct weir_cpu_core *c) {
  if (c->tail - c->head == c->config.window) return false;
  const struct weir_trace_inst *i = weir_cpu_peek(c);
  return i && !serialized(c, i);
}

enum { HERE, COMING, REFUSED };

// Looks up a line of instructions. `early`: before its turn, so that nobody waits for it.
static int look_up_line(struct weir_cpu_core *c, uint64_t address, uint64_t pc, bool early, weir_cycle now) {
  struct weir_mreq *r = weir_cpu_request(c, WEIR_MREQ_INSTRUCTION, address, (uint32_t)pc);
  r->token = early;
  enum weir_stall why;
  const enum weir_outcome outcome = weir_cache_access(&c->l1i, r, now, &why);
  if (outcome == WEIR_OUTCOME_HIT || outcome == WEIR_OUTCOME_REFUSED) weir_mreq_release(c->pool, r);
  return outcome == WEIR_OUTCOME_HIT ? HERE : outcome == WEIR_OUTCOME_REFUSED ? REFUSED : COMING;
}

// Lines that come next are asked for before their turn, each once; not behind a mispredicted branch until the instruction
// behind it has entered, and no further than the batch.
static void fetch_ahead(struct weir_cpu_core *c, weir_cycle now) {
  const size_t last = c->at + c->config.fetch_ahead;
  if (c->ahead < c->at) c->ahead = c->at;
  for (; c->ahead < c->count && c->ahead < last; c->ahead++) {
    const uint64_t pc = c->batch[c->ahead].what->pc, line = c->config.l1i.line_bytes;
    if (c->ahead && (c->batch[c->ahead - 1].what->pc ^ pc) < line) continue;
    const uint64_t address = weir_pages_address(&c->pages, pc);
    if (!weir_cache_holds(&c->l1i, address, address) && look_up_line(c, address, pc, true, now) == REFUSED) return;
  }
}

// Is the instruction's line here? Fetches from now on what comes next only when it is.
static bool line_here(struct weir_cpu_core *c, uint64_t pc, weir_cycle now) {
  const uint64_t address = weir_pages_address(&c->pages, pc),
                 line = (address >> weir_log2(c->config.l1i.line_bytes)) + 1;
  if (line == c->fetch_line) return true;
  const int outcome = look_up_line(c, address, pc, false, now);
  if (outcome == COMING) c->fetch_at = WEIR_NEVER;
  if (outcome == HERE) c->fetch_line = line;
  return outcome == HERE;
}

static void count_kind(struct weir_cpu_stats *stats, uint8_t kind) {
  switch (kind) {
  case WEIR_TRACE_MULTIPLY:
  case WEIR_TRACE_DIVIDE: stats->multiplies++; break;
  case WEIR_TRACE_FLOAT_ADD:
  case WEIR_TRACE_FLOAT_MULTIPLY:
  case WEIR_TRACE_FLOAT_DIVIDE:
  case WEIR_TRACE_VECTOR: stats->floats++; break;
  default: break;
  }
}

static void enter(struct weir_cpu_core *c, const struct weir_trace_inst *i, weir_cycle now) {
  struct weir_cpu_slot *s = weir_cpu_slot(c, c->tail);
  s->what = i->what;
  for (unsigned k = 0; k < i->what->access_count; k++) s->addresses[k] = weir_pages_address(&c->pages, i->addresses[k]);
  weir_cpu_enter(c, c->tail++, now);
  count_kind(&c->stats, i->what->kind);
  c->misled = false;
  c->at++;
}

// Where the branch that has just entered leaves the front end. True: the next instruction may come in this cycle.
static bool follow(struct weir_cpu_core *c, const struct weir_trace_inst *i, weir_cycle now) {
  c->stats.branches++;
  struct weir_cpu_slot *s = weir_cpu_slot(c, c->tail - 1);
  switch (weir_predictor_see(&c->predictor, i->what, i->next_pc)) {
  case WEIR_PREDICTED: return !i->what->taken;
  case WEIR_PREDICTED_LATE:
    c->stats.late_targets++;
    c->fetch_at = now + 1 + c->config.refetch_cycles;
    return false;
  case WEIR_MISPREDICTED: break;
  }
  c->stats.mispredictions++;
  s->redirects = c->misled = true;
  c->fetch_at = s->done == WEIR_NEVER ? WEIR_NEVER : s->done + c->config.redirect_cycles;
  return false;
}

bool weir_cpu_fetch(struct weir_cpu_core *c, weir_cycle now) {
  const uint64_t first = c->tail;
  while (c->tail - first < c->config.width && c->tail - c->head < c->config.window) {
    const struct weir_trace_inst *i = c->fetch_at <= now ? weir_cpu_peek(c) : NULL;
    if (!i || serialized(c, i) || !line_here(c, i->what->pc, now)) break;
    enter(c, i, now);
    if (i->what->branch != WEIR_TRACE_NO_BRANCH && !follow(c, i, now)) break;
  }
  if (c->config.fetch_ahead && !c->misled) fetch_ahead(c, now);
  return c->tail > first;
}

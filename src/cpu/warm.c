// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program's past, without time: what the next instructions of the feed do to pages, predictor and caches, in program order,
// each access done before the next begins.
#include "cpu/core_private.h"

#include "base/bits.h"

struct warming {
  struct weir_cpu_core *c;
  void (*below)(void *context, struct weir_mreq *r);
  void *context;
};

// What an L1 or the L2 sends down, and what comes back of it. A fetch of the L2 comes back to it from below at once.
static void settle_l2(const struct warming *w) {
  struct weir_cpu_core *c = w->c;
  while (c->l2.miss_queue.head) {
    struct weir_mreq *r = weir_queue_pop(&c->l2.miss_queue);
    const bool answered = r->kind != WEIR_MREQ_WRITEBACK;
    r->place = r->address;
    w->below(w->context, r);
    if (answered)
      weir_cache_fill(&c->l2, r, 0);
    else
      weir_mreq_release(c->pool, r);
  }
}

static void settle_l1(const struct warming *w, struct weir_cache *l1) {
  struct weir_cpu_core *c = w->c;
  enum weir_stall why;
  while (l1->miss_queue.head) {
    struct weir_mreq *r = weir_queue_pop(&l1->miss_queue);
    r->place = r->address;
    const bool writes_back = r->kind == WEIR_MREQ_WRITEBACK;
    const enum weir_outcome outcome = weir_cache_access(&c->l2, r, 0, &why);
    settle_l2(w);
    if (outcome == WEIR_OUTCOME_MISS) r = weir_cache_take(&c->l2);
    if (writes_back)
      weir_mreq_release(c->pool, r);
    else
      weir_cache_fill(l1, r, 0);
  }
}

static void access_line(const struct warming *w, struct weir_cache *l1, enum weir_mreq_kind kind, uint64_t address,
                        uint64_t pc) {
  struct weir_mreq *r = weir_cpu_request(w->c, kind, address, (uint32_t)pc);
  enum weir_stall why;
  const enum weir_outcome outcome = weir_cache_access(l1, r, 0, &why);
  settle_l1(w, l1);
  weir_mreq_release(w->c->pool, outcome == WEIR_OUTCOME_MISS ? weir_cache_take(l1) : r);
}

// A store's line is fetched first, unless it is there (cpu/stores.c).
static void touch(const struct warming *w, bool store, uint64_t address, uint64_t pc) {
  struct weir_cpu_core *c = w->c;
  if (!store || !weir_cache_holds(&c->l1d, address, address)) access_line(w, &c->l1d, WEIR_MREQ_LOAD, address, pc);
  if (store) access_line(w, &c->l1d, WEIR_MREQ_STORE, address, pc);
}

static void execute(const struct warming *w, const struct weir_trace_inst *i) {
  struct weir_cpu_core *c = w->c;
  const uint64_t pc = i->what->pc, code = weir_pages_address(&c->pages, pc), line = c->config.l1d.line_bytes;
  const uint64_t number = (code >> weir_log2(c->config.l1i.line_bytes)) + 1;
  if (number != c->fetch_line) access_line(w, &c->l1i, WEIR_MREQ_INSTRUCTION, code, pc);
  c->fetch_line = number;
  for (unsigned k = 0; k < i->what->access_count; k++) {
    const struct weir_trace_access *a = &i->what->accesses[k];
    const uint64_t address = weir_pages_address(&c->pages, i->addresses[k]), rest = line - (address & (line - 1));
    touch(w, a->store, address, pc);
    if (a->bytes > rest) touch(w, a->store, address + rest, pc);
  }
  if (i->what->branch != WEIR_TRACE_NO_BRANCH) weir_predictor_see(&c->predictor, i->what, i->next_pc);
}

void weir_cpu_warm(struct weir_cpu_core *c, uint64_t instructions, void (*below)(void *context, struct weir_mreq *r),
                   void *context) {
  const struct warming w = {c, below, context};
  const struct weir_trace_inst *i;
  while (instructions-- && (i = weir_cpu_peek(c))) {
    execute(&w, i);
    c->at++;
  }
}

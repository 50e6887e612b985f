// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Looking at a run from inside: a policy at every cache that writes down what it is shown, and what caches, queues and banks
// hold when the run has ended.
#include "laws.h"

#include "base/bits.h"
#include "mem/cache_lines.h"

// ---- the watcher ----------------------------------------------------------------------------------------------------------------

static struct run *watched;

static const struct weir_knob knobs[] = {
  {"level", WEIR_KNOB_INT, 0, 0, WEIR_MAX_LEVELS - 1, NULL, false, "that it watches"}, {0}};

static struct sightings *at(const struct weir_cache_view *c) {
  static struct sightings nobody;
  return watched && c->instance < MAX_CORES ? &watched->seen[(unsigned)c->knobs[0]][c->instance] : &nobody;
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  at(c)->looks[a->kind]++;
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)way;
  at(c)->hits[a->kind] += !pending;
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)a, (void)way;
  at(c)->inserts++;
}

static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)a, (void)way, (void)reused;
  at(c)->evicts++;
}

static void invalidate(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  (void)set, (void)way;
  at(c)->invalidates++;
}

static uint64_t no_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static const struct weir_policy watcher = {.abi = WEIR_POLICY_ABI,
                                           .kind = WEIR_POLICY_BYPASS,
                                           .name = "watcher",
                                           .summary = "s",
                                           .citation = "c",
                                           .knobs = knobs,
                                           .cost_bits = no_bits,
                                           .look = look,
                                           .hit = hit,
                                           .insert = insert,
                                           .evict = evict,
                                           .invalidate = invalidate};

void watch(struct weir_scheme *s, unsigned levels, struct run *run) {
  watched = run;
  for (unsigned l = 0; l < levels; l++) {
    struct weir_level_policies *p = (struct weir_level_policies *)(uintptr_t)weir_scheme_level(s, l);
    p->companions[p->companion_count].policy = &watcher;
    p->companions[p->companion_count++].knobs[0] = l;
  }
}

// ---- what is left -----------------------------------------------------------------------------------------------------------------

struct queues { // of what goes down from a level
  struct level_end *from;
  bool waits; // at the look-up of the level below, where it may have been refused
  uint64_t asked;
};

static void look_at(struct queues *q, const struct weir_mreq *r) {
  if (r->kind != WEIR_MREQ_WRITEBACK) {
    q->from->stranded++;
    return;
  }
  q->from->leaving += r->bytes;
  q->from->leaving_requests++;
  q->asked += q->waits && r->asked;
}

static void look_through(struct queues *q, const struct weir_mreq_queue *queue) {
  for (const struct weir_mreq *r = queue->head; r; r = r->next) look_at(q, r);
}

static void look_at_network(struct queues *q, const struct weir_network *n) {
  for (uint32_t i = 0; i < n->params.inputs; i++) {
    const uint32_t queues = n->params.queue_per_output ? n->params.outputs : 1;
    for (uint32_t k = 0; k < queues; k++) look_through(q, &n->in[i].queues[k]);
  }
  for (uint32_t i = 0; i < n->params.outputs; i++) look_through(q, &n->out[i].queue);
}

// Of two partitions, the home's like may hold a copy; a copy is clean.
static bool is_away(const struct weir_chip *c, const struct weir_cache *cache, uint64_t line, bool dirty) {
  uint64_t place;
  const uint32_t home = weir_slice_of(&c->fabric.map, line, &place), here = cache->params.instance;
  const bool alike =
    c->fabric.partition_slices && home % c->fabric.partition_slices == here % c->fabric.partition_slices;
  return home != here && (dirty || !alike);
}

static void look_at_cache(const struct weir_chip *c, const struct weir_cache *cache, unsigned level,
                          struct level_end *end) {
  for (uint32_t set = 0; set < cache->params.sets; set++) {
    uint32_t held = 0;
    for (uint32_t way = 0; way < cache->params.ways; way++) {
      const uint64_t tag = weir_cache_tags(cache, set)[way];
      if (!tag) continue;
      const struct weir_cache_line *line = &cache->lines[(size_t)set * cache->params.ways + way];
      held++;
      end->lines++;
      end->sectors += weir_popcount(line->valid);
      end->dirty += weir_popcount(line->dirty);
      end->away += level && is_away(c, cache, (tag - 1) << cache->line_shift, line->dirty);
      end->miscounted += line->pending != 0;
    }
    end->miscounted += held != weir_set(cache, set)->held;
  }
  end->busy_mshrs += cache->mshrs_used;
}

static void look_at_drams(const struct weir_chip *c, struct queues *q, struct run *run) {
  for (uint32_t i = 0; i < c->config->dram.channels; i++) {
    const struct weir_dram *d = &c->drams[i];
    look_through(q, &d->arriving);
    for (uint32_t b = 0; b < d->params.banks; b++) {
      const struct weir_dram_bank *bank = &d->banks[b];
      for (int writes = 0; writes < 2; writes++)
        for (const struct weir_mreq *r = bank->queues[writes].head; r; r = r->next) look_at(q, r);
      if (!bank->current || bank->left != bank->current->bytes) continue;
      look_at(q, bank->current);
      run->opened_unserved += bank->opened_for_current || bank->closed_for_current;
      run->closed_unopened += bank->closed_for_current && !bank->opened_for_current;
    }
  }
}

static void look_at_core(const struct weir_sm *m, struct level_end *end) {
  struct queues q = {.from = end};
  look_through(&q, &m->l1.miss_queue);
  end->stranded += m->l1.ready.count + m->l1.skipped.count + m->pipe.count + m->returned.count + m->queue_count;
  end->stranded += m->texture_cache.fragments.count + m->texture_cache.requests.count + m->texture_cache.results.count;
  end->stranded += m->texture_cache.used;
  end->stranded += m->instruction_cache.mshrs_used + m->constant_cache.mshrs_used;
}

static void look_at_stage(const struct weir_stage *g, struct level_end *above, struct level_end *end, bool last,
                          const struct weir_slice *s) {
  struct queues waiting = {.from = above, .waits = true}, delayed = {.from = above}, leaving = {.from = end};
  look_through(&waiting, &g->input);
  look_through(&delayed, &g->delay);
  if (last) look_through(&waiting, &s->guests);
  if (last) look_through(&delayed, &s->crossing);
  look_through(&leaving, &g->cache.miss_queue);
  if (last) look_through(&leaving, &s->to_dram);
  end->asked += waiting.asked;
  end->stranded += g->cache.ready.count + g->cache.skipped.count + g->answers.count + g->fills.count;
  if (last) end->stranded += s->returning.count;
}

void look_inside(const struct weir_chip *c, struct run *run) {
  const unsigned levels = c->config->caches_count;
  struct queues network = {.from = &run->ends[0]}, dram = {.from = &run->ends[levels - 1]};
  for (uint32_t i = 0; i < c->config->core.count; i++) {
    run->core_instructions[i] = c->sms[i].instructions;
    look_at_core(&c->sms[i], &run->ends[0]);
    look_at_cache(c, &c->sms[i].l1, 0, &run->ends[0]);
  }
  look_at_network(&network, &c->fabric.requests);
  for (uint32_t i = 0; i < weir_chip_instances(c->config, 1); i++)
    for (unsigned l = 1; l < levels; l++) {
      const struct weir_stage *g = &c->slices[i].stages[l - 1];
      look_at_stage(g, &run->ends[l - 1], &run->ends[l], l + 1 == levels, &c->slices[i]);
      look_at_cache(c, &g->cache, l, &run->ends[l]);
    }
  look_at_drams(c, &dram, run);
  watched = NULL;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/chip.h"

#include "base/alloc.h"
#include "chip/machine.h"
#include "mem/ranks.h"

#include <string.h>

// What a policy of a level is told of the cache that it is to manage.
static struct weir_geometry geometry_of(const struct weir_chip_config *c, unsigned level, const double *knobs) {
  return (struct weir_geometry){.sets = weir_chip_sets(c, level),
                                .ways = c->caches[level].ways,
                                .line_bytes = c->caches[level].line_bytes,
                                .knobs = knobs,
                                .warps = level ? 0 : c->core.max_warps,
                                .instances = weir_chip_instances(c, level),
                                .requesters = weir_chip_cpu_cores(c) + 1};
}

// Loads wait in front of one kind of cache only, and for one policy's word.
static const char *reorder_flaw(const struct weir_policy_choice *choice, const struct weir_geometry *g, unsigned level,
                                const struct weir_policy **first) {
  struct weir_reorder r = choice->policy->reorder ? choice->policy->reorder(g) : (struct weir_reorder){0};
  if (!r.queues) return NULL;
  if (level) return "it reorders loads, which only a policy of the first level can";
  if (*first) return "another policy already reorders its loads";
  *first = choice->policy;
  return r.queues <= WEIR_MAX_REORDER_QUEUES && r.depth && r.depth <= UINT16_MAX
    ? NULL
    : "it asks for too many reorder queues, or for queues that hold none";
}

// A policy may refuse a cache's geometry.
static bool policies_fit(const struct weir_chip_config *config, const struct weir_scheme *scheme,
                         struct weir_sink *sink) {
  bool ok = true;
  for (unsigned l = 0; l < config->caches_count; l++) {
    const struct weir_level_policies *p = weir_scheme_level(scheme, l);
    const struct weir_policy *reorders = NULL;
    for (unsigned i = 0; i <= p->companion_count; i++) {
      const struct weir_policy_choice *choice = i ? &p->companions[i - 1] : &p->replace;
      struct weir_geometry g = geometry_of(config, l, choice->knobs);
      const char *why = choice->policy->reject ? choice->policy->reject(&g) : NULL;
      if (!why) why = reorder_flaw(choice, &g, l, &reorders);
      if (why)
        ok = weir_fail_plain(sink, "policy %s cannot manage cache %s of chip %s: %s", choice->policy->name,
                             config->caches[l].name, config->name, why);
    }
  }
  return ok;
}

struct weir_chip *weir_chip_create(const struct weir_chip_config *config, const struct weir_scheme *scheme,
                                   uint64_t seed, struct weir_sink *sink) {
  struct weir_chip_config *own = weir_chip_copy(config);
  if (!weir_chip_validate(own, sink) || !policies_fit(own, scheme, sink)) {
    weir_chip_config_free(own);
    return NULL;
  }
  struct weir_chip *c = weir_new(struct weir_chip);
  c->config = own;
  c->scheme = scheme;
  c->seed = seed;
  c->last_ways = own->caches_count > 1 ? own->caches[1].hints.last_ways : 0;
  c->fetch_bytes = own->caches_count > 1 ? own->caches[1].fetch_bytes : 0;
  return c;
}

void weir_chip_free(struct weir_chip *c) {
  if (!c) return;
  weir_chip_unbuild(c);
  weir_chip_config_free(c->config);
  weir_free(c->copies);
  weir_free(c->notes);
  weir_free(c->constants);
  weir_kernel_log_free(&c->kernels);
  weir_mix_free(c);
  weir_free(c);
}

void weir_chip_use_threads(struct weir_chip *c, unsigned threads) {
  c->threads = threads;
}

unsigned weir_chip_threads_worth(const struct weir_chip_config *config, unsigned processors) {
  enum { FEWEST = 4, MOST = 16, CORES_EACH = 8 };
  unsigned threads = config->core.count / CORES_EACH;
  threads = threads < processors ? threads : processors;
  return threads < FEWEST ? 1 : threads < MOST ? threads : MOST;
}

void weir_chip_alone(const struct weir_chip *c, const char **run, const char **launches) {
  *run = c->members.alone;
  *launches = c->members.launch_alone;
}

// ---- as a backend -------------------------------------------------------------------------------------------------------

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  struct weir_chip *c = context;
  if (!c->config->copies_pass_l2 || !bytes) return;
  weir_chip_freshen(c);
  if (c->built) {
    weir_chip_place_copy(c, address, bytes);
    return;
  }
  struct weir_early_copy *copy = weir_push(c->copies, c->copy_count, c->copy_capacity);
  *copy = (struct weir_early_copy){address, bytes};
}

static bool launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  return weir_chip_launch(context, l, fault);
}

struct weir_backend weir_chip_backend(struct weir_chip *c) {
  return (struct weir_backend){.context = c, .copied_in = copied_in, .launch = launch};
}

static void limit_last(struct weir_cache *cache, void *context) {
  cache->params.last_ways = ((const struct weir_chip *)context)->last_ways;
}

void weir_chip_limit_persisting(struct weir_chip *c, uint64_t bytes) {
  if (c->config->caches_count < 2) return;
  const struct weir_cache_config *k = &c->config->caches[1];
  const uint64_t way_bytes = (uint64_t)k->size_kib * 1024 / k->ways, ways = bytes / way_bytes;
  c->last_ways = ways < k->hints.last_ways ? (uint32_t)ways : k->hints.last_ways;
  weir_chip_each_cache(c, 1, limit_last, c);
}

static void limit_fetch(struct weir_cache *cache, void *context) {
  cache->params.fetch_bytes = ((const struct weir_chip *)context)->fetch_bytes;
}

bool weir_chip_limit_fetch(struct weir_chip *c, uint64_t bytes) {
  const struct weir_cache_config *k = c->config->caches_count > 1 ? &c->config->caches[1] : NULL;
  if (!k || !k->fetch_bytes) return false;
  c->fetch_bytes = k->sector_bytes;
  while (2 * c->fetch_bytes <= bytes && 2 * c->fetch_bytes <= c->config->dram.interleave_bytes) c->fetch_bytes *= 2;
  weir_chip_each_cache(c, 1, limit_fetch, c);
  return true;
}

static void demote(struct weir_cache *cache, void *context) {
  (void)context;
  weir_ranks_demote(cache);
}

void weir_chip_demote_persisting(struct weir_chip *c) {
  if (c->config->caches_count > 1) weir_chip_each_cache(c, 1, demote, c);
}

weir_time weir_chip_now(const struct weir_chip *c) {
  return c->now;
}

unsigned weir_chip_occupancy(const struct weir_chip_config *config, const struct weir_kernel *kernel,
                             unsigned block_threads, uint64_t dynamic_shared_bytes, uint8_t preference) {
  return weir_occupancy(&config->core, kernel, 0, block_threads, dynamic_shared_bytes, preference).blocks;
}

void weir_chip_on_progress(struct weir_chip *c, weir_cycle period,
                           void (*progress)(void *context, const struct weir_run_stats *so_far), void *context) {
  c->progress_period = c->progress_next = period;
  c->progress = progress;
  c->progress_context = context;
}

// ---- results ------------------------------------------------------------------------------------------------------------

static uint64_t predictor_accesses(const struct weir_policy_instance *i) {
  const struct weir_policy_counter *counters = i->policy->counters;
  uint64_t n = 0;
  for (unsigned k = 0; counters && counters[k].name; k++)
    if (counters[k].predictor_access) n += i->counters[k];
  return n;
}

static void count_predictor(struct weir_cache *cache, void *context) {
  struct weir_level_stats *stats = context;
  stats->predictor_accesses += predictor_accesses(&cache->replace);
  for (unsigned i = 0; i < cache->params.companion_count; i++)
    stats->predictor_accesses += predictor_accesses(&cache->companions[i]);
}

static void finish_cache(struct weir_cache *cache, void *context) {
  (void)context;
  weir_cache_finish(cache);
}

void weir_chip_finish(struct weir_chip *c) {
  weir_members_gather(c);
  weir_chip_finish_recorder(c);
  for (unsigned l = 0; l < c->config->caches_count; l++) {
    weir_chip_each_cache(c, l, finish_cache, NULL);
    weir_chip_each_cache(c, l, count_predictor, &c->stats.levels[l]);
    if (!c->census[l]) continue;
    c->stats.levels[l].distinct_lines = weir_census_distinct(c->census[l]);
    c->stats.levels[l].once_only_lines = weir_census_once(c->census[l]);
  }
  weir_members_gather(c); // what caches have counted at their end, too
  weir_members_gather_pcs(c);
}

const struct weir_run_stats *weir_chip_total(const struct weir_chip *c) {
  return &c->stats;
}

void weir_chip_fold_kernels(struct weir_chip *c) {
  c->kernels.count = weir_kernel_stats_fold(c->kernels.kernels, c->kernels.count);
}

const struct weir_kernel_stats *weir_chip_kernels(const struct weir_chip *c, unsigned *count) {
  *count = c->kernels.count;
  return c->kernels.kernels;
}

const struct weir_pc_stats *weir_chip_pcs(const struct weir_chip *c, uint32_t *count) {
  *count = c->pc_count;
  return c->pcs;
}

const struct weir_bank_counts *weir_chip_bank_counts(const struct weir_chip *c, uint32_t *count) {
  *count = c->pc_count;
  return c->bank_counts;
}

// ---- policies' own counters -----------------------------------------------------------------------------------------------

struct summing {
  unsigned slot; // 0: replace, else companions[slot - 1]
  struct weir_policy_report *report;
};

static void sum_counters(struct weir_cache *cache, void *context) {
  struct summing *s = context;
  const struct weir_policy_instance *i = s->slot ? &cache->companions[s->slot - 1] : &cache->replace;
  for (unsigned k = 0; k < WEIR_MAX_POLICY_COUNTERS; k++) s->report->counters[k] += i->counters[k];
}

unsigned weir_chip_policies(const struct weir_chip *c, struct weir_policy_report *reports, unsigned capacity) {
  unsigned n = 0;
  for (unsigned l = 0; l < c->config->caches_count; l++) {
    const struct weir_level_policies *p = weir_scheme_level(c->scheme, l);
    for (unsigned slot = 0; slot <= p->companion_count && n < capacity; slot++) {
      const struct weir_policy_choice *choice = slot ? &p->companions[slot - 1] : &p->replace;
      struct weir_geometry g = geometry_of(c->config, l, choice->knobs);
      struct weir_policy_report *r = &reports[n++];
      *r = (struct weir_policy_report){.level = c->config->caches[l].name,
                                       .policy = choice->policy,
                                       .knobs = choice->knobs,
                                       .cost_bits = weir_policy_cost_bits(choice->policy, &g),
                                       .instances = weir_chip_instances(c->config, l)};
      struct summing s = {slot, r};
      weir_chip_each_cache(c, l, sum_counters, &s);
    }
  }
  return n;
}

// ---- energy -------------------------------------------------------------------------------------------------------------

unsigned weir_chip_energy(const struct weir_chip *c, const struct weir_run_stats *of, struct weir_energy_part *parts,
                          unsigned capacity) {
  struct weir_energy_costs costs;
  weir_scheme_energy_costs(c->scheme, c->config, &costs);
  return weir_energy(&costs, of, parts, capacity);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Laws of each level of cache by itself.
#include "laws.h"

#include <string.h>

static unsigned levels_of(const struct run *run) {
  return run->config->caches_count;
}

static uint32_t sectors_of(const struct run *run, unsigned level) {
  return run->config->caches[level].line_bytes / run->config->caches[level].sector_bytes;
}

static bool is_lazy(const struct run *run, unsigned level) {
  return run->config->caches[level].write_miss == WEIR_WRITE_ALLOCATE_LAZY;
}

// Does a store that misses leave something here, whether or not it goes on?
static bool keeps_stores(const struct run *run, unsigned level) {
  return run->config->caches[level].write_miss != WEIR_WRITE_NO_ALLOCATE;
}

// Do host copies place lines here, which nobody counts?
static bool has_copies(const struct run *run, unsigned level) {
  return level == 1 && run->config->copies_pass_l2;
}

static struct sightings seen_at(const struct run *run, unsigned level) {
  struct sightings sum = {0};
  for (unsigned i = 0; i < MAX_CORES; i++) {
    const struct sightings *s = &run->seen[level][i];
    for (unsigned k = 0; k < KINDS; k++) sum.looks[k] += s->looks[k], sum.hits[k] += s->hits[k];
    sum.inserts += s->inserts;
    sum.evicts += s->evicts;
    sum.invalidates += s->invalidates;
  }
  return sum;
}

static uint64_t atomic_hits(const struct run *run, unsigned level) {
  return seen_at(run, level).hits[WEIR_ACCESS_ATOMIC];
}

#define each_level(run, l, n)                                                                                          \
  for (unsigned l = 0; l < levels_of(run); l++)                                                                        \
    for (const struct weir_level_stats *n = &(run)->total.levels[l]; n; n = NULL)

static void outcomes(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    equal(v, "loads' hits, hits on misses and misses", n->loads.hits + n->loads.hits_on_miss + n->loads.misses,
          n->loads.accesses);
    equal(v, "stores' hits, hits on misses and misses", n->stores.hits + n->stores.hits_on_miss + n->stores.misses,
          n->stores.accesses);
    at_most(v, "stores' hits on misses", n->stores.hits_on_miss, atomics_at(run, l)); // only atomics wait
  }
}

static void bypasses(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    at_most(v, "loads' bypasses", n->loads.bypasses, n->loads.misses);
    at_most(v, "stores' bypasses", n->stores.bypasses, n->stores.misses);
    at_most(v, "bypass_corrections", n->bypass_corrections, n->loads.bypasses);
  }
  at_most(v, "loads that an operator keeps from the L1", run->expected.skips, run->total.levels[0].loads.bypasses);
}

static void first_level(const struct run *run, struct verdict *v) {
  equal(v, "the first level's loads", run->total.levels[0].loads.accesses, run->expected.loads);
  equal(v, "the first level's stores", run->total.levels[0].stores.accesses, run->expected.stores);
  equal(v, "atomics", run->total.atomics, run->expected.atomic_pieces);
}

// Installs of what loads fetch, of what is fetched around that, of what atomics fetch, and of what stores write.
static void fills(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const uint64_t own = n->loads.misses - n->loads.bypasses + n->bypass_corrections + n->prefetches;
    const uint64_t written = keeps_stores(run, l) ? n->stores.misses - n->stores.bypasses : 0;
    uint64_t atomic = is_lazy(run, l) ? 0 : atomics_at(run, l) - atomic_hits(run, l); // misses, and hits on misses
    if (atomic > n->stores.misses) atomic = n->stores.misses;
    at_most(v, "fills", n->fills, own + written + atomic);
    const bool kept = level_asks_keep(run, l) && run->config->caches[l].allocate == WEIR_ALLOCATE_ON_FILL;
    const bool halves = run->config->caches[l].partitions == 2; // copies for which there is no way are not kept
    if (!kept && !halves) at_most(v, "fills at least", own + written, n->fills);
  }
}

// Around each sector that is missed and kept, by an atomic, too, not more than the largest size that the second level fetches, of itself
// or for a load; nothing elsewhere.
static void prefetches(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const struct weir_hint_config *k = &run->config->caches[l].hints;
    uint32_t bytes = k->prefetch_64b > k->prefetch_128b ? k->prefetch_64b : k->prefetch_128b;
    if (k->prefetch_256b > bytes) bytes = k->prefetch_256b;
    if (run->config->caches[l].fetch_bytes > bytes) bytes = run->config->caches[l].fetch_bytes;
    const uint32_t sectors = bytes / run->config->caches[l].sector_bytes;
    const uint64_t asking = n->loads.misses - n->loads.bypasses + atomics_at(run, l);
    at_most(v, "prefetches", n->prefetches, sectors ? asking * (sectors - 1) : 0);
  }
}

// What is read from the other partition has been missed, or is fetched around that; it is looked up on both sides.
static void far_reads(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const bool halves = run->config->caches[l].partitions == 2;
    at_most(v, "far_reads", n->far_reads, halves ? n->loads.misses + n->prefetches : 0);
    at_most(v, "look-ups of far_reads", 2 * n->far_reads, n->loads.accesses + n->prefetches);
  }
}

// So many may be one, of which one is looked up, at the first cache behind the network.
static void coalesced_reads(const struct run *run, struct verdict *v) {
  each_level(run, l, n) at_most(v, "coalesced_reads", n->coalesced_reads,
                                l == 1 ? (run->config->network.coalesced_reads - 1) * n->loads.accesses : 0);
}

static uint64_t pieces_of(const struct run *run, uint64_t misses, uint32_t line_bytes) {
  const uint32_t sector = run->config->caches[1].sector_bytes;
  return misses * (line_bytes > sector ? line_bytes / sector : 1);
}

// In the first level they are those of the addresses. The level behind it is asked for the lines of the caches of instructions,
// constants and textures, and for what its other partition has not; what of the former comes from there counts to the latter.
static void kinds(const struct run *run, struct verdict *v) {
  const struct weir_run_stats *t = &run->total;
  const struct weir_level_stats *l1 = &t->levels[0], *l2 = &t->levels[1];
  const uint64_t code = t->instruction_cache_misses + t->code_prefetches;
  const uint64_t lines = pieces_of(run, code, run->config->instruction_cache.line_bytes) +
    pieces_of(run, t->constant_cache_misses, run->config->constant_cache.line_bytes) +
    pieces_of(run, t->texture_cache_misses, run->config->texture_cache.line_bytes);
  equal(v, "local_loads", l1->local_loads, run->expected.local_loads);
  equal(v, "local_stores", l1->local_stores, run->expected.local_stores);
  equal(v, "texture_loads", l1->texture_loads, run->expected.texture_loads);
  equal(v, "fetches and guest_loads of the first level", l1->fetches + l1->guest_loads, 0);
  equal(v, "fetches of the second level", l2->fetches, lines);
  each_level(run, l, n) {
    equal(v, "guest_loads", n->guest_loads, n->far_reads);
    at_most(v, "local_load_hits", n->local_load_hits, n->local_loads);
    at_most(v, "local_store_hits", n->local_store_hits, n->local_stores);
    at_most(v, "texture_load_hits", n->texture_load_hits, n->texture_loads);
    at_most(v, "fetch_hits", n->fetch_hits, n->fetches);
    at_most(v, "guest_load_hits", n->guest_load_hits, n->guest_loads);
    at_most(v, "hits of all kinds of loads",
            n->local_load_hits + n->texture_load_hits + n->fetch_hits + n->guest_load_hits,
            n->loads.hits + n->loads.hits_on_miss);
    at_most(v, "misses of all kinds of loads",
            n->local_loads + n->texture_loads + n->fetches + n->guest_loads - n->local_load_hits -
              n->texture_load_hits - n->fetch_hits - n->guest_load_hits,
            n->loads.misses);
  }
}

static void lines(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const struct sightings s = seen_at(run, l);
    const struct level_end *e = &run->ends[l];
    equal(v, "lines that came and did not go", s.inserts - s.evicts - s.invalidates, e->lines);
    if (has_copies(run, l))
      at_most(v, "evictions", n->evictions, s.evicts);
    else
      equal(v, "evictions", n->evictions, s.evicts);
    if (!has_copies(run, l)) at_most(v, "lines that came", s.inserts, n->fills);
    at_most(v, "lines that went unreplaced", s.invalidates, n->invalidations);
    if (sectors_of(run, l) == 1) equal(v, "invalidations", n->invalidations, s.invalidates);
    at_most(v, "zero_reuse_evictions", n->zero_reuse_evictions, n->evictions);
  }
}

// A line that is not sectored, and not fetched again because a store wrote part of it, is filled once for each time it comes.
static void each_fill_ends(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    if (has_copies(run, l)) continue;
    const uint64_t ended = n->evictions + n->invalidations + run->ends[l].lines;
    if (sectors_of(run, l) == 1) at_most(v, "lines evicted, invalidated or held", ended, n->fills);
    if (sectors_of(run, l) == 1 && !keeps_stores(run, l)) equal(v, "fills", n->fills, ended);
  }
}

static void capacity(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const struct level_end *e = &run->ends[l];
    const uint64_t ways = (uint64_t)weir_chip_sets(run->config, l) * run->config->caches[l].ways;
    at_most(v, "lines held", e->lines, ways * weir_chip_instances(run->config, l));
    at_most(v, "sectors held", e->sectors, e->lines * sectors_of(run, l));
    at_most(v, "dirty sectors", e->dirty, e->sectors);
    equal(v, "sets with a wrong count of lines, and lines still being filled", e->miscounted, 0);
    equal(v, "lines in another slice than their address's", e->away, 0);
  }
}

static void drained(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    equal(v, "miss-status holding registers in use at the end", run->ends[l].busy_mshrs, 0);
    equal(v, "requests that wait at the end", run->ends[l].stranded, 0);
  }
}

// What a policy is shown of each kind, cache by cache, is what the level counts.
static void requesters(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const struct sightings s = seen_at(run, l);
    const uint64_t skipped = l ? 0 : run->expected.skips;
    if (!level_asks_load(run, l))
      equal(v, "loads shown", s.looks[WEIR_ACCESS_LOAD], n->loads.accesses - skipped);
    else
      at_most(v, "loads shown", s.looks[WEIR_ACCESS_LOAD], n->loads.accesses - skipped);
    equal(v, "stores, atomics and write-backs shown",
          s.looks[WEIR_ACCESS_STORE] + s.looks[WEIR_ACCESS_ATOMIC] + s.looks[WEIR_ACCESS_WRITEBACK],
          n->stores.accesses + run->ends[l].asked - (l ? 0 : run->expected.past));
    equal(v, "atomics shown", s.looks[WEIR_ACCESS_ATOMIC], atomics_at(run, l));
    equal(v, "loads' hits shown", s.hits[WEIR_ACCESS_LOAD], n->loads.hits);
  }
}

static void look_ups(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const uint64_t all = n->loads.accesses + n->stores.accesses - (l ? 0 : run->expected.skips + run->expected.past);
    at_most(v, "tag_accesses", n->tag_accesses, all);
    const uint64_t skipped = level_asks_load(run, l) ? n->loads.bypasses : 0;
    at_most(v, "tag_accesses at least", all - (skipped < all ? skipped : all), n->tag_accesses);
  }
}

static void data(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const uint64_t atomic = atomic_hits(run, l), hits = n->stores.hits - atomic;
    equal(v, "data_reads", n->data_reads, n->loads.hits + atomic + n->writebacks);
    if (keeps_stores(run, l))
      equal(v, "data_writes", n->data_writes + atomics_at(run, l), n->stores.accesses - n->stores.bypasses + atomic);
    else if (run->config->caches[l].write_hit == WEIR_WRITE_EVICT)
      at_most(v, "data_writes", n->data_writes, hits + atomic);
    else
      equal(v, "data_writes", n->data_writes, hits + atomic);
  }
}

// Each dirty sector was written once at least since it was last clean; atomics that miss write as their line comes.
static void dirty(const struct run *run, struct verdict *v) {
  each_level(run, l, n) at_most(v, "sectors written back, or dirty at the end", n->writebacks + run->ends[l].dirty,
                                n->data_writes + atomics_at(run, l));
}

// What global stores write to the first level stays there or goes down, a flush or not.
static void kept(const struct run *run, struct verdict *v) {
  const struct weir_level_stats *n = &run->total.levels[0];
  if (is_lazy(run, 0) && !n->stores.bypasses)
    at_most(v, "sectors stored to", run->expected.stored, n->writebacks + run->ends[0].dirty);
}

static void predictors(const struct run *run, struct verdict *v) {
  each_level(run, l, n) equal(v, "predictor_accesses", n->predictor_accesses, run->predictors[l]);
}

static void census(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    if (!run->config->caches[l].census) {
      equal(v, "lines counted without a census", n->distinct_lines + n->once_only_lines, 0);
      continue;
    }
    at_most(v, "once_only_lines", n->once_only_lines, n->distinct_lines);
    at_most(v, "distinct_lines", n->distinct_lines, n->loads.accesses + n->stores.accesses);
    // What no other line's access and no host copy brought has missed once at least, or was fetched around one that did.
    if (!has_copies(run, l))
      at_most(v, "distinct_lines", n->distinct_lines, n->loads.misses + n->stores.misses + n->prefetches);
    if (l || run->expected.local) continue;
    equal(v, "distinct_lines", n->distinct_lines, run->expected.distinct);
    equal(v, "once_only_lines", n->once_only_lines, run->expected.once);
  }
}

static void shadows(const struct run *run, struct verdict *v) {
  each_level(run, l, n) {
    const bool watched = run->config->caches[l].shadow_tags;
    at_most(v, "shadow_bypass_hits", n->shadow_bypass_hits, watched ? n->loads.bypasses : 0);
    at_most(v, "bypassed_rereferences", n->bypassed_rereferences, watched ? n->loads.accesses + n->stores.accesses : 0);
  }
}

const struct law cache_laws[] = {
  {"outcomes", "accesses = hits + hits on misses + misses; of stores only atomics wait for a fill", outcomes},
  {"bypasses", "bypasses are misses, corrections are bypasses, and what an operator keeps from the L1 bypasses it",
   bypasses},
  {"first level", "its loads and stores, and the atomics, are those of the addresses", first_level},
  {"fills",
   "a miss that is not bypassed is filled once, a bypassed one if it is corrected, a store where stores get lines",
   fills},
  {"prefetches", "a size fetches what is missing of its block around a missed sector, where the chip has it",
   prefetches},
  {"kinds",
   "thread-local and texture accesses are those of the addresses; the second level's other loads are lines of the read-only caches, and far reads",
   kinds},
  {"far reads", "of a cache in two partitions, sectors from the other one are missed in both or found there",
   far_reads},
  {"coalesced reads", "of so many loads that may be one, the first is an access of the second level", coalesced_reads},
  {"lines", "lines that came = lines evicted + invalidated + held at the end, as policies are shown and as counted",
   lines},
  {"each fill ends", "of caches without sectors: fills = evictions + invalidations + lines held at the end",
   each_fill_ends},
  {"capacity", "a cache holds what it has room for, no line twice in use, each in the slice of its address", capacity},
  {"drained", "when a run has ended, only write-backs are on their way", drained},
  {"requesters", "what policies are shown, kind by kind and cache by cache, adds up to what the level counts",
   requesters},
  {"look-ups", "each access looks up the tags once, but those that skip the cache", look_ups},
  {"data", "the data array is read by hits and write-backs, and written by stores that stay", data},
  {"dirty", "sectors written back or dirty at the end were written", dirty},
  {"kept", "of a first level that writes back, each sector that was stored to is written back, or dirty at the end",
   kept},
  {"predictors", "predictor accesses are those that the level's policies count", predictors},
  {"census", "distinct lines, and those asked for once, are those of the addresses; each missed at least once", census},
  {"shadows", "shadow tags count bypassed loads, and nothing where there are none", shadows},
};
const unsigned cache_law_count = sizeof cache_laws / sizeof *cache_laws;

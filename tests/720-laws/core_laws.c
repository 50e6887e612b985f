// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Laws of programs, cores and loads: what a program does does not depend on the chip that it runs on.
#include "laws.h"

#include <string.h>

static void results(const struct run *run, struct verdict *v) {
  equal(v, "checksum of memory", run->checksum, run->functional);
  equal(v, "checksum of memory after steps", run->stepped, run->functional);
}

static void instructions(const struct run *run, struct verdict *v) {
  equal(v, "warp_instructions", run->total.warp_instructions, run->expected.warp_instructions);
  equal(v, "thread_instructions", run->total.thread_instructions, run->expected.thread_instructions);
  equal(v, "blocks", run->total.blocks, run->expected.blocks);
  uint64_t sum = 0;
  for (unsigned i = 0; i < MAX_CORES; i++) sum += run->core_instructions[i];
  equal(v, "the cores' instructions", sum, run->total.warp_instructions);
}

// What only the end of the run can say is in the total alone.
static void kernels(const struct run *run, struct verdict *v) {
  struct weir_run_stats total = run->total;
  for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++)
    total.levels[l].predictor_accesses = total.levels[l].distinct_lines = total.levels[l].once_only_lines = 0;
  const uint64_t *a = (const uint64_t *)&run->kernels, *b = (const uint64_t *)&total;
  for (size_t i = 0; i < sizeof total / sizeof *a; i++) equal(v, "a sum over kernels", a[i], b[i]);
  equal(v, "kernels", run->kernel_count, run->expected.launches);
}

static void clocks(const struct run *run, struct verdict *v) {
  const uint64_t period = (uint64_t)(1e6 / run->config->clocks.core_mhz + 0.5);
  equal(v, "time_ps", run->total.time_ps, run->total.cycles * period);
  at_most(v, "core_cycles", run->total.core_cycles, run->total.cycles * run->config->core.count);
  at_most(v, "ready_warp_cycles", run->total.ready_warp_cycles, run->total.core_cycles * run->config->core.max_warps);
}

static void issue_width(const struct run *run, struct verdict *v) {
  const struct weir_run_stats *t = &run->total;
  const uint64_t width = run->config->core.schedulers;
  at_most(v, "instructions and idle slots", t->warp_instructions + t->issue_slots_idle, width * t->core_cycles);
  at_most(v, "issue_slots_throttled", t->issue_slots_throttled, t->issue_slots_idle);
  at_most(v, "throttle_overrides", t->throttle_overrides, t->warp_instructions);
  for (unsigned i = 0; i < run->config->core.count; i++)
    at_most(v, "a core's instructions", run->core_instructions[i], width * t->cycles);
}

static void shared_memory(const struct run *run, struct verdict *v) {
  equal(v, "shared_accesses", run->total.shared_accesses, run->expected.shared_accesses);
  equal(v, "shared_bank_conflicts", run->total.shared_bank_conflicts, run->expected.shared_conflicts);
  at_most(v, "cycles of shared memory", run->total.shared_accesses + run->total.shared_bank_conflicts,
          run->total.core_cycles);
}

static void replays(const struct run *run, struct verdict *v) {
  equal(v, "replays", run->total.replays, run->expected.replays);
}

static void samples(const struct run *run, struct verdict *v) {
  if (!run->sample_count) return;
  const struct weir_sample *s = &run->samples;
  const struct weir_access_counts *l1 = &run->total.levels[0].loads;
  equal(v, "sampled cycles", s->cycles, run->total.cycles);
  equal(v, "sampled instructions", s->instructions, run->total.warp_instructions);
  equal(v, "sampled hits", s->hits, l1->hits);
  equal(v, "sampled pending hits", s->pending_hits, l1->pending_hits);
  equal(v, "sampled misses", s->misses, l1->misses);
  equal(v, "sampled bypasses", s->bypasses, l1->bypasses);
}

// ---- loads, instruction by instruction ----------------------------------------------------------------------------------------

static void degrees(const struct run *run, struct verdict *v) {
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    const struct weir_load_counts n = weir_load_total(&run->loads[pc]);
    equal(v, "a load's executions", n.executions, run->expected.pcs[pc].executions);
    equal(v, "a load's accesses", n.accesses, run->expected.pcs[pc].accesses);
    for (unsigned d = 0; d <= WEIR_MAX_DEGREE; d++)
      equal(v, "a load's executions of a degree", run->loads[pc].degree[d], run->expected.pcs[pc].degree[d]);
  }
}

static void degree_groups(const struct run *run, struct verdict *v) {
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    uint64_t of[WEIR_DEGREE_GROUP_COUNT] = {0};
    for (unsigned d = 1; d <= WEIR_MAX_DEGREE; d++) of[weir_degree_groups[d]] += run->loads[pc].degree[d];
    for (unsigned g = 0; g < WEIR_DEGREE_GROUP_COUNT; g++)
      equal(v, "executions of a group", run->loads[pc].groups[g].executions, of[g]);
  }
}

static void each_load(const struct run *run, struct verdict *v) {
  for (uint32_t pc = 0; pc < run->pc_count; pc++)
    for (unsigned g = 0; g < WEIR_DEGREE_GROUP_COUNT; g++) {
      const struct weir_load_counts *n = &run->loads[pc].groups[g];
      equal(v, "a load's hits and misses", n->hits + n->misses + n->texture_hits + n->texture_misses, n->accesses);
      at_most(v, "a load's bypasses", n->bypasses, n->misses);
      at_most(v, "a load's all_hit_executions", n->all_hit_executions, n->executions);
      at_most(v, "a load's zero_reuse_fills", n->zero_reuse_fills, n->fills);
    }
}

static void all_loads(const struct run *run, struct verdict *v) {
  struct weir_load_counts sum = {0};
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    const struct weir_load_counts n = weir_load_total(&run->loads[pc]);
#define X(name, unit, meaning) sum.name += n.name;
    WEIR_LOAD_FIELDS(X)
#undef X
  }
  const struct weir_level_stats *l1 = &run->total.levels[0];
  const bool lazy = run->config->caches[0].write_miss == WEIR_WRITE_ALLOCATE_LAZY;
  equal(v, "loads' accesses", sum.accesses - sum.texture_hits - sum.texture_misses, l1->loads.accesses);
  equal(v, "loads' hits", sum.hits, l1->loads.hits + l1->loads.pending_hits);
  equal(v, "loads' misses", sum.misses, l1->loads.misses);
  equal(v, "loads' bypasses", sum.bypasses, l1->loads.bypasses);
  equal(v, "loads' and stores' fills", sum.fills + (lazy ? l1->stores.misses - l1->stores.bypasses : 0), l1->fills);
}

static void textures(const struct run *run, struct verdict *v) {
  const struct weir_run_stats *t = &run->total;
  uint64_t hits = 0, misses = 0;
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    hits += weir_load_total(&run->loads[pc]).texture_hits;
    misses += weir_load_total(&run->loads[pc]).texture_misses;
  }
  equal(v, "texture_cache_accesses", t->texture_cache_accesses, run->expected.textures);
  equal(v, "texture_cache_hits and texture_cache_misses", t->texture_cache_hits + t->texture_cache_misses,
        t->texture_cache_accesses);
  equal(v, "loads' texture_hits", hits, t->texture_cache_hits);
  equal(v, "loads' texture_misses", misses, t->texture_cache_misses);
}

static void latency(const struct run *run, struct verdict *v) {
  const struct weir_cache_config *l1 = &run->config->caches[0];
  uint64_t sum = 0;
  for (uint32_t pc = 0; pc < run->pc_count; pc++) sum += weir_load_total(&run->loads[pc]).latency_cycles;
  const uint64_t least = l1->input_delay_cycles + l1->hit_latency_cycles;
  at_most(v, "the loads' cycles at least", run->expected.cached_executions * least, sum);
}

static void repeats(const struct run *run, struct verdict *v) {
  if (!run->repeated) return;
  const uint64_t *a = (const uint64_t *)&run->again, *b = (const uint64_t *)&run->total;
  for (size_t i = 0; i < sizeof run->total / sizeof *a; i++) equal(v, "a count of the second run", a[i], b[i]);
  equal(v, "the second run's loads", run->again_loads, run->first_loads);
}

const struct law core_laws[] = {
  {"results", "memory after the run is what a functional run leaves, and what stepping warp by warp leaves", results},
  {"instructions", "warp and thread instructions and blocks are the program's own; each core's add up to them",
   instructions},
  {"kernels", "the kernels' counts add up to the total", kernels},
  {"clocks",
   "time is cycles × period; cores cannot be busy for longer than the run, nor more warps ready than there are",
   clocks},
  {"issue width", "each scheduler issues at most one instruction per cycle, and no slot is both used and idle",
   issue_width},
  {"shared memory", "accesses and bank conflicts are those of the addresses; a core's banks serve one pass per cycle",
   shared_memory},
  {"replays", "accesses and passes beyond each memory instruction's first are those of the addresses", replays},
  {"samples", "samples over time add up to the run", samples},
  {"degrees", "each load's executions, by the accesses that they became, are those of the addresses", degrees},
  {"degree groups", "the groups of a load hold the executions of their degrees", degree_groups},
  {"each load",
   "accesses = hits + misses, of the first level and of texture caches; bypasses are misses, executions that hit are executions, fills without reuse are fills",
   each_load},
  {"all loads", "the loads of all instructions add up to the first level's, but for those of texture caches",
   all_loads},
  {"textures", "texture accesses are those of the addresses; hits and misses add up to them, and loads to both",
   textures},
  {"latency", "a load that looks into the first level takes at least its latency", latency},
  {"repeats", "a second run, without anybody watching, counts the same", repeats},
};
const unsigned core_law_count = sizeof core_laws / sizeof *core_laws;

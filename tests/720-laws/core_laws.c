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
  if (run->config->core.code == WEIR_CODE_MACHINE)
    at_most(v, "warp_instructions", t->warp_instructions, t->machine_instructions);
  else
    equal(v, "machine_instructions", t->machine_instructions, t->warp_instructions);
  at_most(v, "issue_slots_throttled", t->issue_slots_throttled, t->issue_slots_idle);
  at_most(v, "throttle_overrides", t->throttle_overrides, t->warp_instructions);
  for (unsigned i = 0; i < run->config->core.count; i++)
    at_most(v, "a core's instructions", run->core_instructions[i], width * t->cycles);
}

static void shared_memory(const struct run *run, struct verdict *v) {
  equal(v, "shared_accesses", run->total.shared_accesses, run->expected.shared_accesses);
  equal(v, "cluster_accesses", run->total.cluster_accesses, run->expected.cluster_accesses);
  equal(v, "shared_bank_conflicts", run->total.shared_bank_conflicts, run->expected.shared_conflicts);
  at_most(v, "cycles of shared memory", run->total.shared_accesses + run->total.shared_bank_conflicts,
          run->total.core_cycles);
}

static void requests(const struct run *run, struct verdict *v) {
  const struct weir_run_stats *t = &run->total;
  equal(v, "global_load_requests", t->global_load_requests, run->expected.global_load_requests);
  equal(v, "global_store_requests", t->global_store_requests, run->expected.global_store_requests);
  equal(v, "local_load_requests", t->local_load_requests, run->expected.local_load_requests);
  equal(v, "local_store_requests", t->local_store_requests, run->expected.local_store_requests);
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
#define X(name, unit, meaning) equal(v, "sampled " #name, s->loads.name, l1->name);
  WEIR_ACCESS_FIELDS(X)
#undef X
}

// ---- loads, stores and atomics, instruction by instruction ----------------------------------------------------------------------------------------

static void transactions(const struct run *run, struct verdict *v) {
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    const struct weir_pc_counts n = weir_pc_total(&run->pcs[pc]);
    equal(v, "an instruction's executions", n.executions, run->expected.pcs[pc].executions);
    equal(v, "an instruction's transactions", n.transactions, run->expected.pcs[pc].transactions);
    for (unsigned d = 0; d <= WEIR_TRANSACTIONS_COUNTED; d++)
      equal(v, "an instruction's executions of that many transactions", run->pcs[pc].by_transactions[d],
            run->expected.pcs[pc].by_transactions[d]);
  }
}

static void transaction_groups(const struct run *run, struct verdict *v) {
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    uint64_t of[WEIR_TRANSACTION_GROUP_COUNT] = {0};
    for (unsigned d = 1; d <= WEIR_TRANSACTIONS_COUNTED; d++)
      of[weir_transaction_groups[d]] += run->pcs[pc].by_transactions[d];
    for (unsigned g = 0; g < WEIR_TRANSACTION_GROUP_COUNT; g++)
      equal(v, "executions of a group", run->pcs[pc].groups[g].executions, of[g]);
  }
}

static void each_instruction(const struct run *run, struct verdict *v) {
  for (uint32_t pc = 0; pc < run->pc_count; pc++)
    for (unsigned g = 0; g < WEIR_TRANSACTION_GROUP_COUNT; g++) {
      const struct weir_pc_counts *n = &run->pcs[pc].groups[g];
      equal(v, "an instruction's accesses", n->at.accesses + n->texture_hits + n->texture_misses, n->transactions);
      equal(v, "an instruction's hits, hits on misses and misses", n->at.hits + n->at.hits_on_miss + n->at.misses,
            n->at.accesses);
      at_most(v, "an instruction's bypasses", n->at.bypasses, n->at.misses);
      at_most(v, "a load's all_hit_executions", n->all_hit_executions, n->executions);
      at_most(v, "a load's zero_reuse_fills", n->zero_reuse_fills, n->lines);
      at_most(v, "a load's untouched_fills", n->untouched_fills, n->zero_reuse_fills);
      at_most(v, "a load's lines", n->lines, n->fills);
    }
}

static struct weir_pc_counts sum_of(const struct run *run, enum weir_op_class op_class) {
  struct weir_pc_stats sum = {0};
  for (uint32_t pc = 0; pc < run->pc_count; pc++)
    if (run->expected.pcs[pc].op_class == op_class) weir_pc_stats_add(&sum, &run->pcs[pc]);
  return weir_pc_total(&sum);
}

static void same_accesses(struct verdict *v, const struct weir_access_counts *a, const struct weir_access_counts *b) {
#define X(name, unit, meaning) equal(v, "all instructions' " #name, a->name, b->name);
  WEIR_ACCESS_FIELDS(X)
#undef X
}

static void all_instructions(const struct run *run, struct verdict *v) {
  const struct weir_pc_counts loads = sum_of(run, WEIR_CLASS_LOAD), stores = sum_of(run, WEIR_CLASS_STORE),
                              atomics = sum_of(run, WEIR_CLASS_ATOMIC);
  const struct weir_level_stats *l1 = &run->total.levels[0], *l2 = &run->total.levels[1];
  const bool lazy = run->config->caches[0].write_miss != WEIR_WRITE_NO_ALLOCATE;
  same_accesses(v, &loads.at, &l1->loads);
  same_accesses(v, &stores.at, &l1->stores);
  equal(v, "loads' and stores' fills", loads.fills + (lazy ? l1->stores.misses - l1->stores.bypasses : 0), l1->fills);
  equal(v, "atomics' accesses", atomics.at.accesses, run->total.atomics);
  at_most(v, "atomics' hits", atomics.at.hits, l2->stores.hits);
  at_most(v, "atomics' misses", atomics.at.misses, l2->stores.misses);
  equal(v, "atomics' hits on misses", atomics.at.hits_on_miss, l2->stores.hits_on_miss); // other stores do not wait
}

static void textures(const struct run *run, struct verdict *v) {
  const struct weir_run_stats *t = &run->total;
  uint64_t hits = 0, misses = 0;
  for (uint32_t pc = 0; pc < run->pc_count; pc++) {
    hits += weir_pc_total(&run->pcs[pc]).texture_hits;
    misses += weir_pc_total(&run->pcs[pc]).texture_misses;
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
  for (uint32_t pc = 0; pc < run->pc_count; pc++)
    if (run->expected.pcs[pc].op_class == WEIR_CLASS_LOAD) sum += weir_pc_total(&run->pcs[pc]).latency_cycles;
  const uint64_t least = l1->input_delay_cycles + l1->hit_latency_cycles;
  at_most(v, "the loads' cycles at least", run->expected.cached_executions * least, sum);
}

static void repeats(const struct run *run, struct verdict *v) {
  if (!run->repeated) return;
  const uint64_t *a = (const uint64_t *)&run->again, *b = (const uint64_t *)&run->total;
  for (size_t i = 0; i < sizeof run->total / sizeof *a; i++) equal(v, "a count of the second run", a[i], b[i]);
  equal(v, "the second run's instructions", run->again_pcs, run->first_pcs);
  equal(v, "the second run's memory", run->again_checksum, run->checksum);
}

static void recordings(const struct run *run, struct verdict *v) {
  if (!run->recorded) return;
  const uint64_t *a = (const uint64_t *)&run->replayed, *b = (const uint64_t *)&run->total;
  for (size_t i = 0; i < sizeof run->total / sizeof *a; i++) equal(v, "a count of the recording's run", a[i], b[i]);
  equal(v, "the recording's instructions", run->replayed_pcs, run->first_pcs);
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
  {"requests", "loads and stores of global and local memory are executed as often as the program does", requests},
  {"replays", "accesses and passes beyond each memory instruction's first are those of the addresses", replays},
  {"samples", "samples over time add up to the run", samples},
  {"transactions",
   "the executions of each load, store and atomic, by the accesses that they became, are those of the addresses",
   transactions},
  {"transaction groups", "the groups of an instruction hold the executions of their transactions", transaction_groups},
  {"each instruction",
   "its transactions reach a cache; accesses = hits + hits on misses + misses; bypasses are misses, executions that hit are executions, fills without reuse are fills",
   each_instruction},
  {"all instructions",
   "loads and stores of all instructions add up to the first level's, but for those of texture caches; atomics to those of the shared cache",
   all_instructions},
  {"textures", "texture accesses are those of the addresses; hits and misses add up to them, and loads to both",
   textures},
  {"latency", "a load that looks into the first level takes at least its latency", latency},
  {"repeats", "a second run, without anybody watching and on several threads, counts the same", repeats},
  {"recordings", "what warps did without a chip, run from a recording of it, counts the same", recordings},
};
const unsigned core_law_count = sizeof core_laws / sizeof *core_laws;

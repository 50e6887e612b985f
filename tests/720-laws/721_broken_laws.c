// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Each law can fail: a wrong count is planted in a run that keeps every law, and the law must say so; where it only gives the
// least and the most, in one of the runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "laws.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 60 };

struct fault {
  const char *law;
  bool (*plant)(struct run *run); // false: this run has nothing to plant it in
};

#define FAULT(name, condition, change)                                                                                 \
  static bool name(struct run *run) {                                                                                  \
    struct weir_run_stats *t = &run->total;                                                                            \
    (void)t;                                                                                                           \
    if (!(condition)) return false;                                                                                    \
    change;                                                                                                            \
    return true;                                                                                                       \
  }

static bool has_sectors(const struct run *run, unsigned level) {
  return run->config->caches[level].sector_bytes < run->config->caches[level].line_bytes;
}

static bool is_lazy(const struct run *run, unsigned level) {
  return run->config->caches[level].write_miss == WEIR_WRITE_ALLOCATE_LAZY;
}

static bool may_pass(const struct run *run, unsigned level) {
  return level_asks_load(run, level) || level_asks_stall(run, level);
}

static uint32_t pc_of(const struct run *run, enum weir_op_class op_class) { // that was executed; MAX_PCS: there is none
  uint32_t pc = 0;
  while (pc < MAX_PCS && run->expected.pcs[pc].op_class != op_class) pc++;
  return pc;
}

static uint32_t a_load(const struct run *run) {
  return pc_of(run, WEIR_CLASS_LOAD);
}

static struct weir_pc_counts *group_at(struct run *run, uint32_t pc) { // with executions
  struct weir_pc_stats *s = &run->pcs[pc];
  unsigned g = 0;
  while (!s->groups[g].executions) g++;
  return &s->groups[g];
}

static struct weir_pc_counts *group_of(struct run *run) { // of a load
  return group_at(run, a_load(run));
}

static struct weir_pc_counts *atomic_of(struct run *run) {
  return group_at(run, pc_of(run, WEIR_CLASS_ATOMIC));
}

static struct sightings *somebody(struct run *run, unsigned level) { // a cache whose lines came
  unsigned i = 0;
  while (i < MAX_CORES - 1 && !run->seen[level][i].inserts) i++;
  return &run->seen[level][i];
}

FAULT(memory_differs, true, run->checksum++)
FAULT(steps_differ, true, run->stepped ^= 1)
FAULT(instruction_lost, true, t->warp_instructions--)
FAULT(thread_lost, true, t->thread_instructions--)
FAULT(block_twice, true, t->blocks++)
FAULT(core_lost, true, run->core_instructions[0]++)
FAULT(kernel_sum, true, run->kernels.levels[1].fills++)
FAULT(kernel_left_out, true, run->kernel_count--)
FAULT(time_wrong, true, t->time_ps++)
FAULT(busy_too_long, true, t->core_cycles = t->cycles * run->config->core.count + 1)
FAULT(too_many_ready, true, t->ready_warp_cycles = t->core_cycles * run->config->core.max_warps + 1)
FAULT(slots_twice, true, t->issue_slots_idle = t->core_cycles * run->config->core.schedulers)
FAULT(throttled_too_much, true, t->issue_slots_throttled = t->issue_slots_idle + 1)
FAULT(core_too_fast, true, t->cycles = run->core_instructions[0] / run->config->core.schedulers - 1)
FAULT(shared_lost, t->shared_accesses, t->shared_accesses--)
FAULT(cluster_lost, t->cluster_accesses, t->cluster_accesses--)
FAULT(conflict_lost, t->shared_bank_conflicts, t->shared_bank_conflicts--)
FAULT(replay_lost, t->replays, t->replays--)
FAULT(load_request_lost, t->global_load_requests, t->global_load_requests--)
FAULT(store_request_lost, t->global_store_requests, t->global_store_requests--)
FAULT(local_request_lost, t->local_load_requests, t->local_load_requests--)
FAULT(local_store_request_lost, t->local_store_requests, t->local_store_requests--)
FAULT(sample_lost, run->sample_count, run->samples.instructions--)
FAULT(sampled_misses, run->sample_count, run->samples.loads.misses++)
FAULT(execution_lost, true, group_of(run)->executions--)
FAULT(access_too_many, true, group_of(run)->transactions++)
FAULT(transactions_moved, true, run->pcs[a_load(run)].by_transactions[64]++)
FAULT(group_moved, true, group_of(run)->executions++)
FAULT(hit_too_many, true, group_of(run)->at.hits++)
FAULT(bypass_of_a_hit, true, group_of(run)->at.bypasses = group_of(run)->at.misses + 1)
FAULT(hit_execution, true, group_of(run)->all_hit_executions = group_of(run)->executions + 1)
FAULT(reuse_lost, true, group_of(run)->zero_reuse_fills = group_of(run)->lines + 1)
FAULT(touch_lost, true, group_of(run)->untouched_fills = group_of(run)->zero_reuse_fills + 1)
FAULT(lines_of_nothing, true, group_of(run)->lines = group_of(run)->fills + 1)
FAULT(fill_of_nobody, true, group_of(run)->fills++)
FAULT(miss_of_nobody, true, (group_of(run)->at.misses++, group_of(run)->at.accesses++, group_of(run)->transactions++))
FAULT(store_past_all, pc_of(run, WEIR_CLASS_STORE) < MAX_PCS,
      group_at(run, pc_of(run, WEIR_CLASS_STORE))->at.accesses--)
FAULT(store_hits_elsewhere, pc_of(run, WEIR_CLASS_STORE) < MAX_PCS,
      (group_at(run, pc_of(run, WEIR_CLASS_STORE))->at.hits++,
       group_at(run, pc_of(run, WEIR_CLASS_STORE))->at.misses--))
FAULT(atomic_waits, pc_of(run, WEIR_CLASS_ATOMIC) < MAX_PCS,
      (atomic_of(run)->at.hits_on_miss++, atomic_of(run)->at.accesses++))
FAULT(texture_lost, t->texture_cache_accesses, t->texture_cache_accesses--)
FAULT(texture_hit_lost, t->texture_cache_hits, t->texture_cache_hits--)
FAULT(texture_miss_of_nobody, t->texture_cache_hits, (t->texture_cache_hits--, t->texture_cache_misses++))
FAULT(texture_without_cache, !run->config->texture_cache.size_bytes,
      (t->texture_cache_accesses++, t->texture_cache_hits++))
FAULT(too_quick, run->expected.cached_executions, memset(run->pcs, 0, sizeof run->pcs))
FAULT(another_time, run->repeated, run->again.cycles++)
FAULT(another_load, run->repeated, run->again_pcs++)
FAULT(another_memory, run->repeated, run->again_checksum++)
FAULT(replayed_later, run->recorded, run->replayed.cycles++)
FAULT(replayed_elsewhere, run->recorded, run->replayed_pcs++)

FAULT(load_lost, true, t->levels[1].loads.accesses--)
FAULT(store_lost, true, t->levels[1].stores.misses++)
FAULT(store_waits, true, (t->levels[0].stores.hits_on_miss++, t->levels[0].stores.accesses++))
FAULT(bypassed_hit, true, t->levels[1].loads.bypasses = t->levels[1].loads.misses + 1)
FAULT(corrected_nothing, true, t->levels[0].bypass_corrections = t->levels[0].loads.bypasses + 1)
FAULT(skipped_none, run->expected.skips, t->levels[0].loads.bypasses = 0)
FAULT(first_load_lost, true, t->levels[0].loads.accesses--)
FAULT(first_store_lost, true, t->levels[0].stores.accesses++)
FAULT(atomic_twice, t->atomics, t->atomics++)
FAULT(filled_twice, true, t->levels[0].fills++)
FAULT(never_filled, t->levels[0].fills && !level_asks_keep(run, 0), t->levels[0].fills--)
FAULT(prefetched_at_first, true, t->levels[0].prefetches++)
FAULT(prefetched_too_much, true, t->levels[1].prefetches += 64 * t->levels[1].loads.misses + 1)
FAULT(far_read_of_nobody, true, t->levels[0].far_reads++)
FAULT(far_reads_too_many, true, t->levels[1].far_reads += t->levels[1].loads.accesses + t->levels[1].prefetches + 1)
FAULT(coalesced_at_first, true, t->levels[0].coalesced_reads++)
FAULT(coalesced_too_many, true, t->levels[1].coalesced_reads += 64 * (t->levels[1].loads.accesses + 1))
FAULT(local_load_lost, t->levels[0].local_loads, t->levels[0].local_loads--)
FAULT(local_store_lost, t->levels[0].local_stores, t->levels[0].local_stores--)
FAULT(texture_load_lost, t->levels[0].texture_loads, t->levels[0].texture_loads--)
FAULT(fetch_lost, t->levels[1].fetches, t->levels[1].fetches--)
FAULT(guest_lost, t->levels[1].guest_loads, t->levels[1].guest_loads--)
FAULT(local_hit_of_nobody, true, t->levels[0].local_load_hits = t->levels[0].local_loads + 1)
FAULT(fetch_hit_of_nobody, true, t->levels[1].fetch_hits = t->levels[1].fetches + 1)
FAULT(line_appears, true, run->ends[0].lines++)
FAULT(eviction_lost, t->levels[0].evictions, t->levels[0].evictions--)
FAULT(line_vanishes, true, somebody(run, 1)->evicts++)
FAULT(fill_without_end, !has_sectors(run, 0) && !is_lazy(run, 0) && t->levels[0].fills, t->levels[0].fills++)
FAULT(reuse_of_none, true, t->levels[0].zero_reuse_evictions = t->levels[0].evictions + 1)
FAULT(overfull, true, run->ends[0].lines = UINT32_MAX)
FAULT(more_sectors, true, run->ends[1].sectors = run->ends[1].lines * WEIR_MAX_SECTORS + 1)
FAULT(miscounted, true, run->ends[1].miscounted++)
FAULT(away, true, run->ends[1].away++)
FAULT(register_kept, true, run->ends[0].busy_mshrs++)
FAULT(stranded, true, run->ends[1].stranded++)
FAULT(unseen, somebody(run, 1)->looks[WEIR_ACCESS_STORE], somebody(run, 1)->looks[WEIR_ACCESS_STORE]--)
FAULT(seen_twice, true, somebody(run, 0)->looks[WEIR_ACCESS_LOAD] += t->levels[0].loads.accesses + 1)
FAULT(hit_unseen, t->levels[1].loads.hits, somebody(run, 1)->hits[WEIR_ACCESS_LOAD]++)
FAULT(looked_up_twice, true, t->levels[1].tag_accesses++)
FAULT(not_looked_up, !level_asks_load(run, 1), t->levels[1].tag_accesses--)
FAULT(read_twice, true, t->levels[1].data_reads++)
FAULT(written_twice, true, t->levels[1].data_writes += t->levels[1].stores.accesses + 1)
FAULT(dirty_of_nobody, true, run->ends[0].dirty = t->levels[0].data_writes + 1)
FAULT(dirty_dropped, is_lazy(run, 0) && run->expected.stored && !t->levels[0].stores.bypasses,
      run->ends[0].dirty = t->levels[0].writebacks = 0)
FAULT(table_forgotten, true, t->levels[0].predictor_accesses++)
FAULT(census_wrong, run->config->caches[0].census && !run->expected.local, t->levels[0].distinct_lines--)
FAULT(census_once, run->config->caches[0].census, t->levels[0].once_only_lines = t->levels[0].distinct_lines + 1)
FAULT(census_of_none, !run->config->caches[0].census, t->levels[0].distinct_lines++)
FAULT(shadow_of_none, !run->config->caches[0].shadow_tags, t->levels[0].shadow_bypass_hits++)

FAULT(load_not_passed, !may_pass(run, 0), (t->levels[1].loads.accesses--, t->levels[1].loads.hits--))
FAULT(instruction_line_lost, !may_pass(run, 0), t->instruction_cache_misses--)
FAULT(texture_line_lost, !may_pass(run, 0) && t->texture_cache_misses, t->texture_cache_misses--)
FAULT(loads_multiplied, true, t->levels[1].loads.accesses *= 100)
FAULT(stores_multiplied, true, t->levels[1].stores.accesses = 100 * t->levels[1].stores.accesses + 100)
FAULT(writeback_lost, t->levels[0].writebacks, t->levels[0].writebacks += 1000)
FAULT(read_of_nobody, true, t->dram.reads += t->levels[1].loads.misses + t->atomics + 1)
FAULT(prefetch_of_nobody, true, t->levels[run->config->caches_count - 1].prefetches += t->dram.reads + 1)
FAULT(read_lost, !may_pass(run, run->config->caches_count - 1) && t->dram.reads, t->dram.reads = 0)
FAULT(write_of_nobody, true, t->dram.writes += 1000000)
FAULT(half_a_burst, true, t->dram.bytes++)
FAULT(bytes_lost, t->dram.reads, t->dram.bytes = 0)
FAULT(written_by_nobody, true, t->dram.written_bytes = t->dram.bytes + run->config->dram.atom_bytes)
FAULT(write_not_counted, t->dram.written_bytes && t->dram.reads, t->dram.written_bytes = 0)
FAULT(row_lost, t->dram.row_hits, t->dram.row_hits--)
FAULT(row_opened_twice, true, t->dram.activates++)
FAULT(bus_too_fast, true, t->dram.bytes = 1000 * (t->time_ps / 100) * run->config->dram.atom_bytes)
FAULT(look_ups_too_fast, true, (t->core_cycles = 1, t->levels[0].loads.accesses += 10 + run->expected.skips))
FAULT(bytes_without_flits, true, t->network_flits = 0)
FAULT(header_lost, !may_pass(run, 0) && !run->expected.local && run->config->caches[0].write_hit != WEIR_WRITE_BACK,
      t->network_bytes--)
FAULT(ports_too_fast, true, t->network_flits = t->time_ps * 100)
FAULT(read_from_nobody, true, t->host_read_bytes = 32)
FAULT(page_of_nobody, true, t->page_faults++)
FAULT(energy_lost, true, run->parts[0].picojoules *= 1.0001)
FAULT(energy_of_misses, t->dram.activates, t->dram.activates++)

#define F(law, name)                                                                                                   \
  { law, name }
static const struct fault faults[] = {
  F("results", memory_differs),
  F("results", steps_differ),
  F("instructions", instruction_lost),
  F("instructions", thread_lost),
  F("instructions", block_twice),
  F("instructions", core_lost),
  F("kernels", kernel_sum),
  F("kernels", kernel_left_out),
  F("clocks", time_wrong),
  F("clocks", busy_too_long),
  F("clocks", too_many_ready),
  F("issue width", slots_twice),
  F("issue width", throttled_too_much),
  F("issue width", core_too_fast),
  F("shared memory", shared_lost),
  F("shared memory", cluster_lost),
  F("shared memory", conflict_lost),
  F("replays", replay_lost),
  F("requests", load_request_lost),
  F("requests", store_request_lost),
  F("requests", local_request_lost),
  F("requests", local_store_request_lost),
  F("samples", sample_lost),
  F("samples", sampled_misses),
  F("transactions", execution_lost),
  F("transactions", access_too_many),
  F("transactions", transactions_moved),
  F("transaction groups", group_moved),
  F("each instruction", hit_too_many),
  F("each instruction", bypass_of_a_hit),
  F("each instruction", hit_execution),
  F("each instruction", reuse_lost),
  F("each instruction", touch_lost),
  F("each instruction", lines_of_nothing),
  F("all instructions", fill_of_nobody),
  F("all instructions", miss_of_nobody),
  F("each instruction", store_past_all),
  F("all instructions", store_hits_elsewhere),
  F("all instructions", atomic_waits),
  F("textures", texture_lost),
  F("textures", texture_hit_lost),
  F("textures", texture_miss_of_nobody),
  F("textures", texture_without_cache),
  F("latency", too_quick),
  F("repeats", another_time),
  F("repeats", another_load),
  F("repeats", another_memory),
  F("recordings", replayed_later),
  F("recordings", replayed_elsewhere),
  F("outcomes", load_lost),
  F("outcomes", store_lost),
  F("outcomes", store_waits),
  F("bypasses", bypassed_hit),
  F("bypasses", corrected_nothing),
  F("bypasses", skipped_none),
  F("first level", first_load_lost),
  F("first level", first_store_lost),
  F("first level", atomic_twice),
  F("fills", filled_twice),
  F("fills", never_filled),
  F("prefetches", prefetched_at_first),
  F("prefetches", prefetched_too_much),
  F("far reads", far_read_of_nobody),
  F("far reads", far_reads_too_many),
  F("coalesced reads", coalesced_at_first),
  F("coalesced reads", coalesced_too_many),
  F("kinds", local_load_lost),
  F("kinds", local_store_lost),
  F("kinds", texture_load_lost),
  F("kinds", fetch_lost),
  F("kinds", guest_lost),
  F("kinds", local_hit_of_nobody),
  F("kinds", fetch_hit_of_nobody),
  F("lines", line_appears),
  F("lines", eviction_lost),
  F("lines", line_vanishes),
  F("lines", reuse_of_none),
  F("each fill ends", fill_without_end),
  F("capacity", overfull),
  F("capacity", more_sectors),
  F("capacity", miscounted),
  F("capacity", away),
  F("drained", register_kept),
  F("drained", stranded),
  F("requesters", unseen),
  F("requesters", seen_twice),
  F("requesters", hit_unseen),
  F("look-ups", looked_up_twice),
  F("look-ups", not_looked_up),
  F("data", read_twice),
  F("data", written_twice),
  F("dirty", dirty_of_nobody),
  F("kept", dirty_dropped),
  F("predictors", table_forgotten),
  F("census", census_wrong),
  F("census", census_once),
  F("census", census_of_none),
  F("shadows", shadow_of_none),
  F("loads below", load_not_passed),
  F("loads below", instruction_line_lost),
  F("loads below", texture_line_lost),
  F("loads below", loads_multiplied),
  F("stores below", stores_multiplied),
  F("stores below", writeback_lost),
  F("DRAM requests", read_of_nobody),
  F("DRAM requests", prefetch_of_nobody),
  F("DRAM requests", read_lost),
  F("DRAM requests", write_of_nobody),
  F("DRAM bytes", half_a_burst),
  F("DRAM bytes", bytes_lost),
  F("DRAM bytes", written_by_nobody),
  F("DRAM bytes", write_not_counted),
  F("DRAM rows", row_lost),
  F("DRAM rows", row_opened_twice),
  F("bandwidth", bus_too_fast),
  F("bandwidth", look_ups_too_fast),
  F("network", bytes_without_flits),
  F("network", header_lost),
  F("network", ports_too_fast),
  F("network", read_from_nobody),
  F("network", page_of_nobody),
  F("energy", energy_lost),
  F("energy", energy_of_misses),
};
enum { FAULTS = sizeof faults / sizeof *faults };

static bool says(const char *notes, const char *law) {
  char line[64];
  snprintf(line, sizeof line, "%s: ", law);
  for (const char *at = notes; (at = strstr(at, line)); at++)
    if (at == notes || at[-1] == '\n') return true;
  return false;
}

static void plant(const struct run *run, bool *found) {
  static struct run wrong;
  static char notes[NOTE_BYTES];
  for (unsigned i = 0; i < FAULTS; i++) {
    if (found[i]) continue;
    wrong = *run;
    if (!faults[i].plant(&wrong)) continue;
    check_laws(&wrong, notes);
    found[i] = says(notes, faults[i].law);
  }
}

static bool all_found(const bool *found) {
  for (unsigned i = 0; i < FAULTS; i++)
    if (!found[i]) return false;
  return true;
}

static void every_law_can_fail(void **state) {
  (void)state;
  static struct run run;
  static char why[NOTE_BYTES];
  bool found[FAULTS] = {false};
  char folder[] = "/tmp/weir-laws-XXXXXX";
  assert_non_null(mkdtemp(folder));
  for (uint64_t seed = 1; seed <= TRIES && !all_found(found); seed++) {
    struct example e;
    make_example(seed, &e);
    assert_true(keep_example(&e, folder));
    if (run_example(&e, folder, true, &run, why) == RAN) {
      assert_int_equal(check_laws(&run, why), 0);
      plant(&run, found);
    }
    free_run(&run);
    free_example(&e);
  }
  forget_example(folder);
  for (unsigned i = 0; i < FAULTS; i++)
    if (!found[i]) fail_msg("in no run the law '%s' sees planted fault %u", faults[i].law, i);
}

static void check_list(const struct law *list, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    unsigned n = 0;
    for (unsigned k = 0; k < FAULTS; k++) n += !strcmp(faults[k].law, list[i].name);
    if (!n) fail_msg("no fault is planted for the law '%s'", list[i].name);
  }
}

static void every_law_has_a_fault(void **state) {
  (void)state;
  check_list(core_laws, core_law_count);
  check_list(cache_laws, cache_law_count);
  check_list(memory_laws, memory_law_count);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_has_a_fault), cmocka_unit_test(every_law_can_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random chip files, small so that their caches fill. What a file must get right for the reader to take it is made right here;
// what is left to chance and rejected is counted by who asks.
#include "laws.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void add(struct text *t, const char *format, ...) {
  if (!t->at) t->at = weir_new_array(char, MAX_TEXT);
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(t->at + t->length, MAX_TEXT - t->length, format, arguments);
  va_end(arguments);
  t->length += (size_t)n;
  if (t->length >= MAX_TEXT) abort();
}

// The sizes that later sections depend on.
struct sizes {
  uint32_t line[WEIR_MAX_LEVELS], sector[WEIR_MAX_LEVELS], coalesce, instruction_line, constant_line,
    texture_line; // texture_line 0: no such cache
  uint32_t channels, slices, interleave, header, flit;
  uint32_t partition_cycles; // of the second level; 0: one partition
};

static uint32_t power(struct weir_rng *r, uint32_t low, uint32_t high) { // of two
  return UINT32_C(1) << between(r, weir_log2(low), weir_log2(high));
}

static double decimal(struct weir_rng *r, uint32_t most) { // with two digits, so that a file says it exactly
  return between(r, 0, most * 100) / 100.0;
}

static const char *truth(struct weir_rng *r, uint32_t percent) {
  return chance(r, percent) ? "true" : "false";
}

static void head(struct weir_rng *r, struct text *t) {
  add(t,
      "name: random\nsummary: \"a chip\"\ncitation: \"none\"\n"
      "device: {name: d, vendor: v, compute_capability: 7.0, memory_mib: 64}\n");
  add(t, "clocks: {core_mhz: %u, network_mhz: %u, cache_mhz: %u, dram_mhz: %u}\n", between(r, 300, 2000),
      between(r, 300, 2000), between(r, 300, 2000), between(r, 300, 2000));
}

static void add_latencies(struct weir_rng *r, struct text *t) {
  static const char *const classes[] = {
#define X(name, key, help) [WEIR_CLASS_##name] = key,
    WEIR_OP_CLASSES(X)
#undef X
  };
  add(t, "  latency:\n");
  for (unsigned i = 0; i < WEIR_CLASS_FENCE; i++) {
    if (i >= WEIR_CLASS_INT_MATRIX && i <= WEIR_CLASS_F64_MATRIX) continue;
    if (i != WEIR_CLASS_DEFAULT && !between(r, 0, 2)) continue; // the default's
    const uint32_t latency = between(r, 1, 30), interval = between(r, 0, 6);
    add(t, "    %s: {latency_cycles: %u, interval_cycles: %u, unit: %s}\n", classes[i], latency, interval,
        between(r, 0, 2) ? "main" : "special");
  }
  struct weir_rng own = *r; // so that the other draws of a seed stay
  for (unsigned i = WEIR_CLASS_INT_MATRIX; i <= WEIR_CLASS_F64_MATRIX; i++)
    if (chance(&own, 70))
      add(t, "    %s: {latency_cycles: %u, interval_cycles: %u, unit: matrix}\n", classes[i], between(&own, 1, 60),
          between(&own, 0, 40));
}

// GPCs have whole TPCs, of two cores.
static void add_gpcs(struct weir_rng *r, struct example *e) {
  const uint32_t cores = e->facts.cores, gpcs = between(r, 1, cores < 3 ? cores : 3);
  e->facts.gpc_cores = gpcs == 1 ? cores : cores / 2 / gpcs * 2;
  add(&e->chip,
      "  gpcs: %u\n  cluster_latency_cycles: %u\n  cluster_segment_cycles: %u\n  cluster_barrier_cycles: %u\n", gpcs,
      between(r, 1, 300), between(r, 1, 4), between(r, 1, 300));
}

static void add_core(struct weir_rng *r, struct example *e, const struct sizes *s) {
  static const char *const orders[] = {"lrr", "gto", "oldest", "gty"}, *const turns[] = {"cycle", "round_robin"};
  static const char *const meanings[] = {"hazard_free", "issuable"};
  static const uint32_t collectors[] = {0, 0, 1, 2, 6}, register_banks[] = {0, 0, 2, 8, 16, 32};
  struct chip_facts *f = &e->facts;
  struct text *t = &e->chip;
  uint32_t schedulers = between(r, 1, f->max_warps < 4 ? f->max_warps : 4), operand_cycles = between(r, 0, 6);
  add(
    t,
    "core:\n  count: %u\n  warp_lanes: %u\n  max_warps: %u\n  max_blocks: %u\n  registers: 65536\n  shared_bytes: %u\n",
    f->cores, f->lanes, f->max_warps, between(r, 1, 8), f->shared_bytes);
  add(t, "  schedulers: %u\n  scheduler: %s\n  fetch_instructions: %u\n  decode_cycles: %u\n  operand_cycles: %u\n",
      schedulers, one_of(r, orders), between(r, 1, 8), between(r, 1, 4), operand_cycles);
  const bool partitioned = chance(r, 30);
  const uint32_t share = partitioned ? schedulers : 1; // units come in as many
  add(t, "  writeback_cycles: %u\n  main_units: %u\n  special_units: %u\n  register_banks: %u\n", between(r, 0, 3),
      share * between(r, 1, partitioned ? 2 : 4), share * between(r, 1, 2), one_of(r, register_banks));
  add(t, "  partitioned: %s\n", partitioned ? "true" : "false");
  add(t, "  main_collectors: %u\n  special_collectors: %u\n  memory_collectors: %u\n  collector_reads: %u\n",
      one_of(r, collectors), one_of(r, collectors), one_of(r, collectors), between(r, 1, 3));
  add(t, "  unit_backlog: %u\n  lanes_per_cycle: %u\n  memory_turn: %s\n  ready_warps: %s\n  memory_queue: %u\n",
      between(r, 0, 6), power(r, 4, f->lanes), one_of(r, turns), one_of(r, meanings), between(r, 1, 16));
  add(t, "  shared_latency_cycles: %u\n  shared_banks: %u\n  shared_bank_bytes: %u\n", between(r, 1, 60),
      power(r, 4, 64), power(r, 4, 16));
  add(t, "  coalesce_bytes: %u\n  coalesce_by_element: %s\n  skip_l1_global: %s\n", s->coalesce, truth(r, 50),
      truth(r, 15));
  if (chance(r, 30)) add(t, "  memory_interval_cycles: %u\n", between(r, 1, 4));
  if (chance(r, 30)) add(t, "  l1_bank_conflicts: true\n");
  struct weir_rng own = *r; // so that the other draws of a seed stay
  if (chance(&own, 30)) add(t, "  constant_by_address: true\n");
  if (chance(&own, 30)) add(t, "  block_start_cycles: %u\n", between(&own, 1, 600));
  if (chance(&own, 30)) add(t, "  exit_before_stores: true\n");
  if (chance(&own, 30)) add(t, "  past_l1_in_pipe: true\n");
  struct weir_rng units = own; // likewise
  if (chance(&units, 30)) add(t, "  prefetch_lines: %u\n", between(&units, 1, 12));
  if (chance(&units, 30)) add(t, "  launch_cycles: %u\n", between(&units, 1, 3000));
  if (chance(&units, 30)) add(t, "  guard_cycles: %u\n", between(&units, 1, 64));
  if (chance(&units, 30))
    add(t, "  address_cycles: %u\n  address_queue: %u\n", between(&units, 1, 6), between(&units, 1, 16));
  struct weir_rng fetch = units; // likewise
  if (chance(&fetch, 40)) add(t, "  instruction_bytes: 16\n");
  if (chance(&fetch, 30)) add(t, "  launch_prefetch_bytes: %u\n", between(&fetch, 1, 8192));
  if (chance(&fetch, 30)) add(t, "  branch_cycles: %u\n", between(&fetch, 1, 64));
  if (chance(&fetch, 30)) add(t, "  stall_counts: true\n");
  if (chance(&fetch, 30)) add(t, "  parameters_at_launch: true\n");
  if (chance(&fetch, 30))
    add(t, "  barrier_cycles: %u\n  barrier_interval_cycles: %u\n", between(&fetch, 1, 100), between(&fetch, 0, 8));
  struct weir_rng gpcs = units; // likewise
  if (chance(&gpcs, 80)) add_gpcs(&gpcs, e);
  if (chance(&gpcs, 60)) e->facts.groups = between(&gpcs, 1, 4);
  add(t, "  groups: %u\n", e->facts.groups);
  if (chance(&own, 40)) add(t, "  code: %s\n", chance(&units, 50) ? "machine" : "assembled");
  if (chance(r, 20)) add(t, "  perturb: %u\n", between(r, 1, 9));
  if (operand_cycles >= 4) add(t, "  unit_conflicts: %s\n", truth(r, 50));
  own = *r;
  add(t, "  matrix_units: %u\n", share * between(&own, 1, 2));
  if (chance(r, 60)) add(t, "  call_parameters: %s\n", chance(r, 60) ? "local" : "registers");
  add_latencies(r, t);
}

static void add_read_only(struct weir_rng *r, struct text *t, const char *name, uint32_t line) {
  uint32_t ways = power(r, 1, 4);
  add(t, "%s: {size_bytes: %u, ways: %u, line_bytes: %u, mshrs: %u, mshr_merges: %u, miss_queue: %u}\n", name,
      ways * line * power(r, 2, 16), ways, line, between(r, 1, 8), between(r, 1, 16), between(r, 1, 4));
}

static void add_texture_cache(struct weir_rng *r, struct text *t, uint32_t line) {
  uint32_t ways = between(r, 1, 24);
  if (!line) return;
  add(t, "texture_cache: {size_bytes: %u, ways: %u, line_bytes: %u, fragment_fifo: %u, request_fifo: %u, ",
      ways * line * power(r, 1, 16), ways, line, between(r, 1, 64), between(r, 1, 4));
  add(t, "reorder_buffer: %u, result_fifo: %u}\n", between(r, 1, 64), between(r, 1, 4));
}

// As many sets as make whole KiB of all instances together; the first level's are a core's own.
static void add_size(struct weir_rng *r, struct text *t, const struct sizes *s, unsigned level, bool *fermi) {
  uint32_t instances = level ? s->channels * s->slices : 1, ways = chance(r, 50) ? power(r, 1, 16) : between(r, 1, 20),
           sets;
  for (;; ways = between(r, 1, 16)) {
    sets = power(r, chance(r, 90) ? 4 : 1, 64);
    if ((uint64_t)instances * sets * ways * s->line[level] % 1024 == 0) break;
  }
  *fermi = sets == 32 || sets == 64;
  add(t, "    size_kib: %u\n    ways: %u\n    line_bytes: %u\n    sector_bytes: %u\n",
      instances * sets * ways * s->line[level] / 1024, ways, s->line[level], s->sector[level]);
}

static bool is_discard(const char *key) { // nothing else drops lines
  return !strcmp(key, "discard");
}

// What caches do about hints: of each some effect or other, the past_first of a cache that is not the first among them.
static void add_hints(struct weir_rng *r, struct text *t, const struct sizes *s, unsigned level) {
  static const char *const keys[] = {
#define X(name, key, initial, from) key,
    WEIR_CACHE_HINTS(X)
#undef X
  };
  static const char *const effects[] = {
#define X(name, value, meaning) value,
    WEIR_HINT_EFFECTS(X)
#undef X
  };
  if (chance(r, 40)) return;
  add(t, "    hints: {last_ways: %u", between(r, 1, 8));
  static const char *const sizes[] = {"prefetch_64b", "prefetch_128b", "prefetch_256b"};
  for (unsigned i = 0; level == 1 && i < sizeof sizes / sizeof *sizes; i++)
    add(t, ", %s: %u", sizes[i], chance(r, 80) ? power(r, s->sector[1], s->interleave) : 0);
  for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
    if (chance(r, 70))
      add(t, ", %s: %s", keys[i], effects[between(r, 0, WEIR_EFFECT_OF_HINT_DROP - !is_discard(keys[i]))]);
  add(t, "}\n");
}

static void add_cache(struct weir_rng *r, struct example *e, const struct sizes *s, unsigned level) {
  static const char *const allocations[] = {"on_miss", "on_fill"};
  static const char *const first_hits[] = {"evict", "through", "back"},
                           *const hits[] = {"back", "back", "through", "evict"};
  struct text *t = &e->chip;
  bool fermi;
  add(t, "  - name: l%u\n", level + 1);
  add_size(r, t, s, level, &fermi);
  uint32_t bytes = level ? s->line[level - 1] : 0;
  if (level && bytes < s->instruction_line) bytes = s->instruction_line;
  if (level && bytes < s->constant_line) bytes = s->constant_line;
  if (level && bytes < s->texture_line) bytes = s->texture_line;
  uint32_t queue = level ? bytes / s->sector[level] + 1 : 1;
  const char *index = chance(r, 50) ? "linear" : fermi && chance(r, 50) ? "fermi" : chance(r, 50) ? "xor" : "mixed";
  if (level == 1 && chance(r, 30)) add(t, "    fetch_bytes: %u\n", power(r, s->sector[1], s->interleave));
  const char *hit = level ? one_of(r, hits) : one_of(r, first_hits);
  bool lazy = *hit == 'b' && chance(r, 70);
  const bool by_byte = !level && *hit == 't' && s->sector[0] == 32 && s->coalesce == 32;
  const char *miss = lazy ? "allocate_lazy" : by_byte && chance(r, 70) ? "keep_written" : "no_allocate";
  add(t, "    index: %s\n    replace: lru\n    allocate: %s\n    write_hit: %s\n    write_miss: %s\n", index,
      one_of(r, allocations), hit, miss);
  if (!level && *hit != 'b' && s->sector[0] == 32 && s->coalesce == 32 && chance(r, 50))
    add(t, "    combine_cycles: %u\n    combine_stores: %u\n", between(r, 1, 100), between(r, 1, 20));
  const bool halves = level == 1 && s->partition_cycles;
  uint32_t mshrs = chance(r, 30) ? between(r, 1, 3) : between(r, 4, 64);
  const uint32_t far_mshrs = halves && chance(r, 60) ? between(r, 1, 64) : 0;
  if (halves && mshrs == 1 && !far_mshrs) mshrs = 2;
  add(t, "    mshrs: %u\n    mshr_merges: %u\n    miss_queue: %u\n", mshrs, between(r, 1, 8), between(r, 2, 8));
  add(t, "    input_delay_cycles: %u\n    hit_latency_cycles: %u\n    input_queue: %u\n    banks: %u\n",
      between(r, 0, 30), between(r, 1, 30), between(r, queue, queue + 16), power(r, 1, 4));
  if (chance(r, 30)) add(t, "    bank_hash: true\n");
  if (chance(r, 30)) add(t, "    line_lookups: true\n");
  if (halves)
    add(t, "    partitions: 2\n    partition_cycles: %u\n    far_mshrs: %u\n", s->partition_cycles, far_mshrs);
  add_hints(r, t, s, level);
  const char *flush = level ? "false" : truth(r, 60), *shadow = truth(r, 20);
  add(t, "    flush_at_kernel_end: %s\n    shadow_tags: %s\n    census: %s\n", flush, halves ? "false" : shadow,
      truth(r, 40));
}

static void add_mesh(struct weir_rng *r, struct example *e, const struct sizes *s) {
  char cells[128][5];
  uint32_t cores = e->facts.cores, slices = s->channels * s->slices, n = 0, columns = between(r, 2, 5);
  for (uint32_t i = 0; i < cores; i++) snprintf(cells[n++], sizeof *cells, "G%u", i & 255u);
  for (uint32_t i = 0; i < slices; i++) snprintf(cells[n++], sizeof *cells, "L%u", i & 255u);
  while (n % columns) snprintf(cells[n++], sizeof *cells, ".");
  add(&e->chip, "  mesh: \"");
  for (uint32_t left = n; left; left--) {
    uint32_t i = between(r, 0, left - 1);
    add(&e->chip, "%s%s", cells[i], left == 1 ? "" : (left - 1) % columns ? " " : " / ");
    memcpy(cells[i], cells[left - 1], sizeof *cells);
  }
  add(&e->chip, "\"\n  hop_cycles: %u\n", between(r, 1, 3));
}

static void add_network(struct weir_rng *r, struct example *e, const struct sizes *s) {
  uint32_t needed = (uint32_t)weir_div_up(s->line[0] + s->header, s->flit);
  add(&e->chip,
      "network:\n  flit_bytes: %u\n  latency_cycles: %u\n  input_queue_flits: %u\n  output_queue_packets: %u\n",
      s->flit, between(r, 0, 12), between(r, needed, needed * 4), between(r, 1, 16));
  add(&e->chip, "  header_bytes: %u\n  queue_per_output: %s\n", s->header, truth(r, 40));
  const bool is_mesh = chance(r, 25) && !s->partition_cycles;
  if (is_mesh)
    add_mesh(r, e, s);
  else if (chance(r, 30))
    add(&e->chip, "  core_flits: %u\n", between(r, 2, 4));
  struct weir_rng own = *r; // so that the other draws of a seed stay
  if (e->facts.gpc_cores && !is_mesh && chance(&own, 40)) add(&e->chip, "  gpc_flits: %u\n", between(&own, 4, 12));
  if (e->facts.groups && !is_mesh && chance(&own, 70))
    add(&e->chip, "  coalesced_reads: %u\n  coalesced_cycles: %u\n", between(&own, 2, 5), power(&own, 1, 512));
}

static void add_dram(struct weir_rng *r, struct example *e, const struct sizes *s) {
  struct text *t = &e->chip;
  uint32_t banks = power(r, 2, 16), atom = power(r, 16, 128), low = power(r, 1, 16), bits = weir_log2(banks);
  uint32_t sector = s->sector[e->facts.levels - 1], split = between(r, 0, bits - 1);
  while (atom * low < sector) low *= 2;
  add(t, "dram:\n  channels: %u\n  slices_per_channel: %u\n  interleave_bytes: %u\n  hash_slices: %s\n", s->channels,
      s->slices, s->interleave, truth(r, 50));
  add(t, "  address_map: R%u B%u", between(r, 8, 20), bits - split);
  if (split) add(t, " C%u B%u", between(r, 1, 3), split);
  if (low > 1) add(t, " C%u", weir_log2(low));
  add(t, " S%u\n", weir_log2(atom));
  while (s->slices > banks) banks *= 2; // the reader says so
  uint32_t cl = between(r, 2, 20), wl = between(r, 1, cl), ras = between(r, 5, 40), burst = between(r, 1, 4);
  add(t, "  banks: %u\n  bank_groups: %u\n  atom_bytes: %u\n  burst_cycles: %u\n", banks, power(r, 1, 2), atom, burst);
  add(t, "  queue: %u\n  return_queue: %u\n  request_queue: %u\n  reply_queue: %u\n  fixed_latency_core_cycles: %u\n",
      between(r, 1, chance(r, 30) ? 2 : 64), between(r, 1, 32), between(r, 1, 16), between(r, 1, 16),
      between(r, 0, 60));
  if (chance(r, 40)) {
    const uint32_t room = between(r, 1, 40), high = between(r, 1, room);
    add(t, "  write_queue: %u\n  write_high: %u\n  write_low: %u\n  write_idle: %u\n", room, high, between(r, 1, high),
        between(r, 0, 2000));
  }
  add(t, "  ccd: %u\n  ccdl: %u\n  rrd: %u\n  rcd: %u\n  ras: %u\n  rp: %u\n", between(r, burst, 6), between(r, 0, 6),
      between(r, 0, 8), between(r, wl + 1, wl + 15), ras, between(r, 1, 20));
  add(t, "  rc: %u\n  cl: %u\n  wl: %u\n  cdlr: %u\n  wr: %u\n  rtpl: %u\n", between(r, ras, ras + 20), cl, wl,
      between(r, 0, 8), between(r, 0, 12), between(r, 0, 6));
}

static void add_energy(struct weir_rng *r, struct example *e) {
  struct text *t = &e->chip;
  add(t, "energy:\n  levels:\n");
  for (unsigned l = 0; l < e->facts.levels; l++) {
    add(t, "    - {name: l%u, tag_pj: %.2f, read_pj: %.2f, write_pj: %.2f, fill_pj: %.2f, predictor_pj: %.2f", l + 1,
        decimal(r, 9), decimal(r, 99), decimal(r, 99), decimal(r, 99), decimal(r, 2));
    add(t, ", leakage_mw: %.2f, predictor_tag_pj: %.2f, predictor_leakage_mw: %.2f, parallel: %s}\n", decimal(r, 99),
        decimal(r, 9), decimal(r, 99), truth(r, 40));
  }
  add(t, "  shared_pj: %.2f\n  network_pj_per_bit: %.2f\n  dram_pj_per_bit: %.2f\n  dram_activate_pj: %.2f\n",
      decimal(r, 99), decimal(r, 3), decimal(r, 20), decimal(r, 9000));
  if (chance(r, 60)) return;
  add(t, "  core_warp_pj: %.2f\n  core_lane_pj: %.2f\n  core_static_mw: %.2f\n  network_hop_pj_per_bit: %.2f\n",
      decimal(r, 99), decimal(r, 9), decimal(r, 900), decimal(r, 2));
  add(t, "  network_static_mw: %.2f\n  controller_request_pj: %.2f\n  controller_static_mw: %.2f\n", decimal(r, 900),
      decimal(r, 900), decimal(r, 900));
  add(t, "  dram_write_pj_per_bit: %.2f\n  dram_static_mw: %.2f\n", decimal(r, 9), decimal(r, 900));
}

static void choose_sizes(struct weir_rng *r, struct example *e, struct sizes *s) {
  static const uint32_t channels[] = {1, 1, 2, 2, 3, 4, 6};
  uint32_t sector = 256;
  for (unsigned l = 0; l < e->facts.levels; l++) {
    s->line[l] = l == 2 ? power(r, sector, sector * 8 < 256 ? sector * 8 : 256) : power(r, 32, 256);
    uint32_t most = s->line[l] < sector ? s->line[l] : sector, least = s->line[l] / 8 > 32 ? s->line[l] / 8 : 32;
    s->sector[l] = l == 2 ? sector : chance(r, 40) ? most : least < most ? power(r, least, most) : most;
    sector = s->sector[l];
  }
  s->coalesce = power(r, 32, s->sector[0] < 128 ? s->sector[0] : 128);
  s->instruction_line = power(r, 32, 128);
  s->constant_line = power(r, 32, 128);
  s->texture_line = chance(r, 60) ? power(r, 32, 128) : 0;
  s->channels = one_of(r, channels);
  s->slices = power(r, 1, 2);
  uint32_t longest = s->instruction_line > s->constant_line ? s->instruction_line : s->constant_line;
  if (longest < s->texture_line) longest = s->texture_line;
  for (unsigned l = 0; l < e->facts.levels; l++) longest = s->line[l] > longest ? s->line[l] : longest;
  s->interleave = power(r, longest < 64 ? 64 : longest, 2048);
  s->header = between(r, 0, 16);
  s->flit = between(r, 4, 64);
}

// A link to the host, which no launch uses. What it draws is drawn from a copy: the rest of the example does not depend on it.
static void add_link(struct weir_rng own, struct text *t) {
  static const char *const ways[] = {"to_device", "to_host"};
  if (chance(&own, 50)) return;
  add(t, "link:\n  raw_mb_per_s: %u\n  copy_engines: %u\n", between(&own, 1000, 64000), between(&own, 1, 2));
  for (unsigned i = 0; i < 2; i++) {
    add(t, "  %s: {latency_ns: %u, payload_bytes: %u, header_bytes: %u, pageable_latency_ns: %u, ", ways[i],
        between(&own, 0, 10000), power(&own, 32, 4096), between(&own, 0, 32), between(&own, 0, 10000));
    if (chance(&own, 50))
      add(t, "immediate_latency_ns: %u, immediate_mb_per_s: %u, ", between(&own, 0, 9000), between(&own, 1, 500));
    add(t, "pageable_mb_per_s: %u}\n", between(&own, 1, 500)); // half of 1000 is left at least
  }
}

// Cycles between the partitions of the second level, which a third of the chips has that can; 0: one partition. Drawn from a copy,
// as those of the link.
static uint32_t draw_partitions(struct weir_rng own, const struct example *e, const struct sizes *s) {
  if (e->facts.levels != 2 || s->channels % 2 || !chance(&own, 33)) return 0;
  return between(&own, 1, 40);
}

// The text with more behind the first place where `after` ends.
static void insert(struct text *t, const char *after, const char *more) {
  char *at = strstr(t->at, after) + strlen(after);
  if (t->length + strlen(more) >= MAX_TEXT) abort();
  memmove(at + strlen(more), at, strlen(at) + 1);
  memcpy(at, more, strlen(more));
  t->length += strlen(more);
}

// One array for shared memory and a first-level cache with a data pool, where the cache is larger than shared memory. Behind the
// rest, from a copy of what is drawn from: the other draws of a seed stay.
static void share_array(struct weir_rng own, struct example *e) {
  const uint32_t kib = (uint32_t)strtoul(strstr(e->chip.at, "size_kib: ") + strlen("size_kib: "), NULL, 10),
                 shared_kib = e->facts.shared_bytes >> 10;
  char more[128];
  if (kib <= shared_kib || !chance(&own, 50)) return;
  snprintf(more, sizeof more, "  unified_kib: %u\n  carveouts_kib: \"0 %u\"\n", between(&own, shared_kib + 1, kib),
           shared_kib);
  insert(&e->chip, "core:\n", more);
  insert(&e->chip, "  - name: l1\n", "    data_pool: true\n");
}

void make_chip(struct weir_rng *r, struct example *e) {
  struct sizes s;
  e->facts = (struct chip_facts){.cores = between(r, 1, 5),
                                 .lanes = chance(r, 25) ? 64 : 32,
                                 .max_warps = between(r, 2, 24),
                                 .shared_bytes = UINT32_C(1) << between(r, 12, 15),
                                 .levels = chance(r, 30) ? 3 : 2};
  choose_sizes(r, e, &s);
  s.partition_cycles = draw_partitions(*r, e, &s);
  head(r, &e->chip);
  add_core(r, e, &s);
  add_read_only(r, &e->chip, "instruction_cache", s.instruction_line);
  add_read_only(r, &e->chip, "constant_cache", s.constant_line);
  add_texture_cache(r, &e->chip, s.texture_line);
  add(&e->chip, "caches:\n");
  for (unsigned l = 0; l < e->facts.levels; l++) add_cache(r, e, &s, l);
  add_network(r, e, &s);
  add_dram(r, e, &s);
  add_energy(r, e);
  static const uint32_t periods[] = {0, 0, 0, 50, 500, 20000};
  add_link(*r, &e->chip);
  add(&e->chip, "copies_pass_l2: %s\nsample_cycles: %u\n", truth(r, 50), one_of(r, periods));
  struct weir_rng own = *r;                                                  // so that the other draws of a seed stay
  if (chance(&own, 30)) add(&e->chip, "most_core_cycles: %u\n", UINT32_MAX); // more than any run takes
  if (chance(&own, 30)) add(&e->chip, "most_flits: %u\n", UINT32_MAX);
  share_array(own, e);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files: what the bundled ones say, and every way in which one can be wrong, with its line.
#include "chip_test.h"

#include <glob.h>

static char *bundled; // the text of the GTX 480's file

static int load(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  size_t size;
  bundled = weir_file_read(WEIR_SOURCE_DIR "/chips/fermi-gtx480.yaml", 0, &size, &sink);
  return bundled ? 0 : -1;
}

static int unload(void **state) {
  weir_free(bundled);
  return remove_yaml(state);
}

// The bundled text with its first `from` behind `after` replaced by `to`; its line in *line.
static char *edit(const char *after, const char *from, const char *to, unsigned *line) {
  const char *begin = strstr(bundled, after);
  const char *at = begin ? strstr(begin, from) : NULL;
  if (!at) fail_msg("no '%s' behind '%s'", from, after);
  *line = 1;
  for (const char *p = bundled; p < at; p++) *line += *p == '\n';
  size_t head = (size_t)(at - bundled), size = strlen(bundled) + strlen(to) + 1;
  char *text = weir_alloc(size);
  snprintf(text, size, "%.*s%s%s", (int)head, bundled, to, at + strlen(from));
  return text;
}

// The edited file is refused with `part`, `lines` below the edit.
static void assert_refused_at(const char *after, const char *from, const char *to, int lines, const char *part) {
  unsigned line;
  char *text = edit(after, from, to, &line);
  struct weir_sink sink = {0};
  assert_null(weir_chip_read(write_yaml(text), &sink));
  assert_says(&sink, line + (unsigned)lines, part);
  weir_free(text);
}

static void assert_refused(const char *after, const char *from, const char *to, const char *part) {
  assert_refused_at(after, from, to, 0, part);
}

// ---- the bundled chips -----------------------------------------------------------------------------------------------

// Fermi: L1 16 KiB = 32 sets × 4 × 128; L2 768 KiB = 12 slices × 64 sets × 8 × 128 (the reference figures' chip).
static void gtx480_has_the_geometry_of_the_reference(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("fermi-gtx480");
  assert_string_equal(weir_chip_name(c), "fermi-gtx480");
  assert_int_equal(weir_chip_lanes(c), 32);
  assert_int_equal(weir_chip_levels(c), 2);
  assert_string_equal(weir_chip_level_name(c, 1), "l2");
  assert_int_equal(weir_chip_instances(c, 0), 15);
  assert_int_equal(weir_chip_sets(c, 0), 32);
  assert_int_equal(weir_chip_instances(c, 1), 12);
  assert_int_equal(weir_chip_sets(c, 1), 64);
  assert_int_equal(c->core.latency[WEIR_CLASS_F64_DIV].latency_cycles, 330);
  assert_int_equal(c->core.latency[WEIR_CLASS_F64_DIV].interval_cycles, 130);
  assert_int_equal(c->core.latency[WEIR_CLASS_INT_ADD].latency_cycles, 4);
  // No row of their own: the default's.
  assert_int_equal(c->core.latency[WEIR_CLASS_F64_CONVERT].latency_cycles, 1);
  assert_int_equal(c->core.latency[WEIR_CLASS_F64_CONVERT].unit, WEIR_UNIT_MAIN);
  assert_int_equal(c->core.latency[WEIR_CLASS_F64_SFU].latency_cycles, 8);
  assert_int_equal(c->core.latency[WEIR_CLASS_F64_SFU].unit, WEIR_UNIT_SPECIAL);
  assert_int_equal(c->core.scheduler, WEIR_SCHEDULE_GTO);
  assert_true(c->copies_pass_l2);
  weir_chip_config_free(c);
}

// Zhao et al. table II: 32 sets × 4 × 128 B in the L1; 6 × 2 slices of 64 sets × 8 × 128 B are 768 KiB, not sectored; both
// hashed. Eight bytes per data beat, four beats per command cycle: a line takes the bus for four cycles.
static void bucl_has_the_values_of_the_paper(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("fermi-bucl");
  assert_int_equal(weir_chip_lanes(c), 32);
  assert_int_equal(c->core.max_warps * c->core.warp_lanes, 1536);
  assert_int_equal(c->core.scheduler, WEIR_SCHEDULE_GTO);
  assert_int_equal(weir_chip_instances(c, 0), 15);
  assert_int_equal(weir_chip_sets(c, 0), 32);
  assert_int_equal(c->caches[0].mshrs, 32);
  assert_int_equal(weir_chip_instances(c, 1), 12);
  assert_int_equal(weir_chip_sets(c, 1), 64);
  assert_int_equal(c->caches[1].sector_bytes, 128);
  for (unsigned i = 0; i < 2; i++) assert_int_equal(c->caches[i].index, WEIR_INDEX_FERMI);
  assert_int_equal(128 / c->dram.atom_bytes * c->dram.burst_cycles * 4 * 8, 128);
  const uint32_t timing[] = {c->dram.cl,  c->dram.rp, c->dram.rc,  c->dram.ras,
                             c->dram.rcd, c->dram.wr, c->dram.rrd, c->dram.cdlr};
  const uint32_t printed[] = {12, 12, 40, 28, 12, 12, 6, 5};
  assert_memory_equal(timing, printed, sizeof printed);
  weir_chip_config_free(c);
}

// Tian et al. table 1; L2 and L3 over 4 slices: 64 × 16 × 64 B × 4 = 256 KiB, 1024 × 16 × 64 B × 4 = 4 MiB. Memory: four
// channels at 400 MHz (Hechtman et al., HPCA 2014, table 1), DDR3-800E: 15, 37.5 and 52.5 ns of 2.5 ns clocks.
static void gcn_has_the_geometry_of_the_paper(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("gcn-apu");
  assert_int_equal(weir_chip_lanes(c), 64);
  assert_int_equal(weir_chip_levels(c), 3);
  assert_int_equal(weir_chip_instances(c, 0), 8);
  assert_int_equal(weir_chip_instances(c, 2), 4);
  const unsigned sets[] = {32, 64, 1024};
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(weir_chip_sets(c, i), sets[i]);
    assert_string_equal(c->caches[i].replace, "plru");
  }
  assert_int_equal(c->caches[0].input_delay_cycles + c->caches[0].hit_latency_cycles, 4);
  assert_int_equal(c->caches[1].input_delay_cycles + c->caches[1].hit_latency_cycles, 4 + 16);
  assert_int_equal(c->caches[2].input_delay_cycles + c->caches[2].hit_latency_cycles, 15 + 30);
  assert_int_equal(c->core.scheduler, WEIR_SCHEDULE_OLDEST);
  const uint32_t memory[] = {
    c->dram.channels, c->dram.slices_per_channel, c->dram.cl, c->dram.rcd, c->dram.rp, c->dram.wr, c->dram.ras,
    c->dram.rc};
  assert_memory_equal(memory, ((const uint32_t[]){4, 1, 6, 6, 6, 6, 15, 21}), sizeof memory);
  assert_true(c->clocks.dram_mhz == 400);
  weir_chip_config_free(c);
}

// "key: value", and "{key: value…}", have a comment; "key:" that opens a section need not.
static void check_sources(const char *path) {
  struct weir_sink sink = {0};
  size_t size;
  char *text = weir_file_read(path, 0, &size, &sink);
  assert_non_null(text);
  unsigned values = 0;
  const bool whole = !strstr(text, "\nbase:"); // else what differs from its base
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    char *begin = line + strspn(line, " -"), *colon = strchr(begin, ':');
    if (*begin == '#' || !colon || !colon[1] || colon[2] == '#') continue;
    char *comment = strstr(colon, " # ");
    if (!comment || strlen(comment) < 6) fail_msg("%s: no source behind '%s'", path, line);
    values++;
  }
  assert_true(values > (whole ? 100 : 3));
  weir_free(text);
}

static void every_value_has_a_source(void **state) {
  (void)state;
  glob_t found;
  assert_int_equal(glob(WEIR_SOURCE_DIR "/chips/*.yaml", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    check_sources(found.gl_pathv[i]);
    weir_chip_config_free(read_good(found.gl_pathv[i]));
  }
  globfree(&found);
}

// ---- wrong files -----------------------------------------------------------------------------------------------------

static void unknown_missing_and_doubled_keys(void **state) {
  (void)state;
  assert_refused("core:", "max_warps", "max_warp", "the core has no key 'max_warp'; did you mean 'max_warps'?");
  assert_refused("name: l2", "mshr_merges", "merges", "a cache has no key 'merges'");
  assert_refused("latency:", "int_add", "int_plus", "latency has no key 'int_plus'");
  assert_refused_at("dram:", "  banks: 16", "  # none", -5, "the DRAM lacks the key 'banks'"); // where the DRAM begins
  assert_refused_at("network:", "flit_bytes: 40", "flit_bytes: 40\n  flit_bytes: 40", 1, "'flit_bytes' is given twice");
}

static void wrong_types(void **state) {
  (void)state;
  assert_refused("core:", "count: 15", "count: many", "count must be an integer from 1 to 1024, not 'many'");
  assert_refused("core:", "count: 15", "count: 15k", "not '15k'");
  assert_refused("core:", "count: 15", "count: 15.5", "not '15.5'");
  assert_refused("core:", "count: 15", "count: -1", "not '-1'");
  assert_refused("core:", "count: 15", "count:", "not ''");
  assert_refused("core:", "count: 15", "count: [15]", "count must be a scalar, not a list");
  assert_refused("clocks:", "core_mhz: 700 ", "core_mhz: fast ", "a number from 1 to 100000");
  assert_refused("clocks:", "core_mhz: 700 ", "core_mhz: 0x2bc ", "a number from 1 to 100000");
  assert_refused("core:", "skip_l1_global: false", "skip_l1_global: 2", "must be true or false");
  assert_refused("core:", "unit: main}", "unit: sfu}", "must be one of main, special, matrix, not 'sfu'");
  assert_refused("core:", "default: {", "int_bits: {", "default");
  assert_refused("core:", "scheduler: gto", "scheduler: random", "must be one of lrr, gto, oldest, gty, not 'random'");
  assert_refused("core:", "{latency_cycles: 1, interval_cycles: 1, unit: main}", "4",
                 "a latency must be a mapping, not a scalar");
}

static void out_of_range(void **state) {
  (void)state;
  assert_refused("core:", "count: 15", "count: 0", "from 1 to 1024, not '0'");
  assert_refused("core:", "count: 15", "count: 1025", "not '1025'");
  assert_refused("core:", "count: 15", "count: 4294967297", "not '4294967297'"); // 2^32 + 1 is not 1
  assert_refused("core:", "count: 15", "count: 99999999999999999999999", "from 1 to 1024");
  assert_refused("name: l1", "ways: 4", "ways: 65", "from 1 to 64");
  assert_refused("name: l1", "line_bytes: 128", "line_bytes: 512", "a power of two from 16 to 256");
  assert_refused("name: l1", "line_bytes: 128", "line_bytes: 96", "a power of two");
  assert_refused("clocks:", "core_mhz: 700 ", "core_mhz: 1e999 ", "from 1 to 100000");
  assert_refused("clocks:", "core_mhz: 700 ", "core_mhz: nan ", "from 1 to 100000");
  assert_refused("energy:", "tag_pj: 1 ", "tag_pj: -1 ", "from 0 to");
}

static void a_segment_longer_than_a_sector(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = read_good("fermi-gtx480");
  assert_true(weir_chip_set(c, "l1.sector_bytes=64", "test", &sink));
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "core.coalesce_bytes (128) must not exceed the sector of l1 (64 bytes)");
  weir_chip_config_free(c);
}

static void values_that_do_not_go_together(void **state) {
  (void)state;
  assert_refused("core:", "warp_lanes: 32", "warp_lanes: 48", "core.warp_lanes must be 32 or 64, not 48");
  assert_refused("core:", "lanes_per_cycle: 32", "lanes_per_cycle: 24", "(24) must divide warp_lanes (32)");
  assert_refused("core:", "coalesce_bytes: 128", "coalesce_bytes: 256", "a power of two from 32 to 128");
  assert_refused("instruction_cache:", "size_bytes: 2048", "size_bytes: 256", "no power of two of sets of 4 ways");
  assert_refused("name: l1", "size_kib: 16 ", "size_kib: 24 ", "l1.size_kib (24) must be a power of two of sets");
  assert_refused("name: l2", "size_kib: 768", "size_kib: 512", "12 slices × sets × 8 ways × 128 bytes");
  assert_refused("name: l1", "sector_bytes: 128", "sector_bytes: 256", "l1.sector_bytes (256) must be");
  assert_refused("name: l1", "sector_bytes: 128", "sector_bytes: 16", "is less than that of the next level (32)");
  assert_refused("name: l1", "replace: lru", "replace: lruu", "no replacement policy: 'lruu'; did you mean 'lru'?");
  assert_refused("name: l1", "write_miss: no_allocate", "write_miss: allocate_lazy", "needs write_hit: back");
  assert_refused("dram:", "R12 B3 C4 B1 C2 S6", "R12 B3 C4 X1 C2 S6", "dram.address_map 'R12 B3 C4 X1 C2 S6'");
  assert_refused("dram:", "R12 B3 C4 B1 C2 S6", "R12 B2 C5 B1 C2 S6", "has 3 bits of banks");
  assert_refused("core:", "operand_cycles: 5", "operand_cycles: 3", "core.operand_cycles (3) leaves no time");
  assert_refused("core:", "main_units: 2", "partitioned: true\n  main_units: 3",
                 "core.partitioned needs main_units (3), special_units (1) and matrix_units (0)");
  assert_refused("core:", "f64_div: {latency_cycles: 330, interval_cycles: 130, unit: special}",
                 "f64_div: {latency_cycles: 330, interval_cycles: 130, unit: matrix}",
                 "core.latency.f64_div.unit is matrix, of which core.matrix_units says that there are none");
  assert_refused("core:", "latency_cycles: 330", "latency_cycles: 4000",
                 "core.latency.f64_div.latency_cycles and what");
  assert_refused("network:", "input_queue_flits: 64", "input_queue_flits: 3", "a line's packet (4 flits)"); // 136 / 40
  assert_refused("dram:", "wl: 4 ", "wl: 12", "dram.wl (12) must be less than dram.rcd (12)");
  assert_refused("name: l2", "banks: 1", "partition_cycles: 9\n    banks: 1",
                 "l2.partition_cycles (9) must be 0 with one partition");
  assert_refused("name: l2", "banks: 1", "partitions: 3\n    banks: 1", "a power of two from 1 to 2");
  const char *above_cl = "base: fermi-gtx480\nname: a\ndram: {wl: 13, cl: 12, rcd: 14}\n";
  struct weir_sink sink = {0}; // below rcd, as it must, but above cl
  assert_null(weir_chip_read(write_yaml(above_cl), &sink));
  assert_says(&sink, 3, "dram.wl (13) must not exceed dram.cl (12)");
  assert_refused("dram:", "rc: 40", "rc: 4", "dram.rc (4) is less than dram.ras (28)");
  assert_refused("dram:", "queue: 64", "write_queue: 8\n  queue: 64", "(8) needs write_high from 1 to 8, not 0");
  assert_refused("dram:", "queue: 64", "write_queue: 8\n  write_high: 9\n  queue: 64",
                 "needs write_high from 1 to 8, not 9");
  assert_refused("dram:", "queue: 64", "write_queue: 8\n  write_high: 7\n  queue: 64",
                 "dram.write_queue (8) needs write_low from 1 to write_high (7), not 0");
  assert_refused("dram:", "queue: 64", "write_queue: 8\n  write_high: 7\n  write_low: 8\n  queue: 64",
                 "needs write_low from 1 to write_high (7), not 8");
}

// `set` makes the chip, of which `before` has been set if it is not NULL, one that cannot be, and it is said why.
static void expect_flaw(const char *chip, const char *before, const char *set, const char *says) {
  struct weir_chip_config *c = read_good(chip);
  struct weir_sink sink = {0};
  if (before) assert_true(weir_chip_set(c, before, "--set", &sink));
  assert_true(weir_chip_set(c, set, "--set", &sink));
  assert_false(weir_chip_validate(c, &sink));
  bool said = false;
  for (size_t k = 0; k < sink.count; k++) said |= strstr(sink.diags[k].message, says) != NULL;
  if (!said) fail_msg("%s on %s: '%s' is not said", set, chip, says);
  weir_sink_free(&sink);
  weir_chip_config_free(c);
}

// What two partitions need, each broken alone in a chip that has them.
static void partitions_need_pairs(void **state) {
  (void)state;
  static const char *const flaws[][4] = {
    {"ampere-a100", NULL, "l2.partition_cycles=0", "l2.partition_cycles must be 1 or more with two partitions"},
    {"ampere-a100", "l2.far_mshrs=0", "l2.mshrs=1", "l2.partitions (2) need two mshrs or more, or far_mshrs"},
    {"ampere-a100", NULL, "l2.mshrs=65535", "l2.far_mshrs (192) and mshrs (65535) must not exceed 65535 together"},
    {"volta-v100", NULL, "l2.far_mshrs=1", "l2.far_mshrs (1) must be 0 with one partition"},
    {"ampere-a100", NULL, "l2.shadow_tags=true", "l2.shadow_tags cannot be measured of two partitions"},
    {"ampere-a100", NULL, "l1.partitions=2", "l1.partitions must be 1 but in the only shared cache"},
    {"gcn-apu", NULL, "l2.partitions=2", "l2.partitions must be 1 but in the only shared cache"},
    {"apu-1c4g", NULL, "llc.partitions=2", "llc.partitions must be 1 on a chip with CPU cores"},
    {"fermi-bucl", "dram.channels=3", "l2.partitions=2",
     "l2.partitions (2) need an even number of dram.channels, not "},
  };
  for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++)
    expect_flaw(flaws[i][0], flaws[i][1], flaws[i][2], flaws[i][3]);
}

static void gpcs_have_cores_and_ports(void **state) {
  (void)state;
  expect_flaw("volta-v100", NULL, "network.gpc_flits=9", "network.gpc_flits (9) needs GPCs (core.gpcs)");
  expect_flaw("hopper-h100", NULL, "network.gpc_flits=1",
              "network.gpc_flits (1) is less than what one core takes (core_flits, 2)");
  expect_flaw("volta-v100", NULL, "network.coalesced_reads=2",
              "network.coalesced_reads (2) needs groups of cores (core.groups)");
  expect_flaw("volta-v100", NULL, "core.cluster_latency_cycles=180",
              "core.cluster_latency_cycles (180) needs GPCs (core.gpcs), in which clusters are");
}

static void fermi_index_needs_its_sets(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("fermi-gtx480");
  struct weir_sink sink = {0};
  assert_true(weir_chip_set(c, "l1.size_kib=128", "--set", &sink)); // 256 sets
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "fermi is known for 32 and 64 sets; this cache has 256");
  assert_true(weir_chip_set(c, "l1.index=xor", "--set", &sink));
  assert_true(weir_chip_validate(c, &sink));
  weir_chip_config_free(c);
}

// A line of 128 bytes is two bursts of one row, whichever bits are above; with banks from bit 6 on it would be of two banks.
static void a_sector_lies_in_one_row(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("fermi-bucl");
  struct weir_sink sink = {0};
  assert_true(weir_chip_set(c, "dram.address_map=R12 B4 C6 S6", "--set", &sink));
  assert_true(weir_chip_validate(c, &sink));
  assert_true(weir_chip_set(c, "dram.address_map=R12 C6 B4 S6", "--set", &sink));
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "a sector of l2 (128 bytes) does not lie in one row");
  weir_chip_config_free(c);
}

// A request goes to one slice, and comes back in the pieces that the core counts; data do not overtake one another on a bus.
static void parts_fit_together(void **state) {
  (void)state;
  static const struct {
    const char *chip, *set[3], *says;
  } cases[] = {
    {"fermi-gtx480", {"dram.interleave_bytes=128"}, NULL},
    {"fermi-gtx480",
     {"dram.interleave_bytes=64", "instruction_cache.line_bytes=64"},
     "l1.line_bytes (128) must not exceed dram.interleave_bytes (64)"},
    {"fermi-gtx480",
     {"dram.interleave_bytes=128", "instruction_cache.line_bytes=256"},
     "instruction_cache.line_bytes (256) must not exceed dram.interleave_bytes (128)"},
    {"fermi-gtx480",
     {"dram.interleave_bytes=128", "constant_cache.line_bytes=256"},
     "constant_cache.line_bytes (256) must not exceed dram.interleave_bytes (128)"},
    {"gcn-apu", {"l3.sector_bytes=32"}, "l2.sector_bytes (64) must be that of the next level (32) behind the network"},
    {"gcn-apu", {"l2.sector_bytes=32", "l3.sector_bytes=32"}, NULL},
    {"fermi-gtx480", {"dram.ccd=1"}, "dram.ccd (1) is less than dram.burst_cycles (2)"},
    {"fermi-gtx480", {"dram.ccd=1", "dram.burst_cycles=1"}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_chip_config *c = read_good(cases[i].chip);
    struct weir_sink sink = {0};
    for (unsigned k = 0; k < 3 && cases[i].set[k]; k++) assert_true(weir_chip_set(c, cases[i].set[k], "--set", &sink));
    assert_int_equal(weir_chip_validate(c, &sink), cases[i].says == NULL);
    if (cases[i].says) assert_says(&sink, 0, cases[i].says);
    weir_chip_config_free(c);
  }
}

// A rate of 15754 in packets of 64 and 20 bytes leaves 12003.05, in such of 128 and 24 bytes 13266.53.
static void a_link_is_whole(void **state) {
  (void)state;
  static const struct {
    const char *chip, *set[3], *says;
  } cases[] = {
    {"volta-v100", {"link.raw_mb_per_s=0"}, NULL},
    {"volta-v100", {"link.raw_mb_per_s=31508"}, NULL},
    {"volta-v100", {"link.to_device.pageable_mb_per_s=12003"}, NULL},
    {"volta-v100",
     {"link.to_device.pageable_mb_per_s=12004"},
     "link.to_device.pageable_mb_per_s (12004) exceeds the 12003.0"},
    {"volta-v100", {"link.to_device.immediate_mb_per_s=12004"}, "link.to_device.immediate_mb_per_s (12004) exceeds"},
    {"volta-v100", {"link.to_host.pageable_mb_per_s=13266"}, NULL},
    {"volta-v100",
     {"link.to_host.pageable_mb_per_s=13267"},
     "link.to_host.pageable_mb_per_s (13267) exceeds the 13266.5"},
    {"volta-v100",
     {"link.to_device.immediate_mb_per_s=0"},
     "link.to_device.immediate_latency_ns (6300) needs link.to_device.immediate_mb_per_s, which is not given"},
    {"volta-v100", {"link.to_device.immediate_mb_per_s=0", "link.to_device.immediate_latency_ns=0"}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_chip_config *c = read_good(cases[i].chip);
    struct weir_sink sink = {0};
    for (unsigned k = 0; k < 3 && cases[i].set[k]; k++) assert_true(weir_chip_set(c, cases[i].set[k], "--set", &sink));
    assert_int_equal(weir_chip_validate(c, &sink), cases[i].says == NULL);
    if (cases[i].says) assert_says(&sink, 0, cases[i].says);
    weir_chip_config_free(c);
  }
  static const struct {
    const char *link, *says;
  } files[] = {
    {"{raw_mb_per_s: 8000}", "link.raw_mb_per_s (8000) needs link.copy_engines, which is not given"},
    {"{raw_mb_per_s: 8000, copy_engines: 2, to_host: {payload_bytes: 128, pageable_mb_per_s: 9}}",
     "link.raw_mb_per_s (8000) needs link.to_device.payload_bytes, which is not given"},
    {"{raw_mb_per_s: 8000, copy_engines: 2, to_device: {payload_bytes: 128}}",
     "link.raw_mb_per_s (8000) needs link.to_device.pageable_mb_per_s, which is not given"},
    {"{copy_engines: 1}", "link.copy_engines (1) needs link.raw_mb_per_s, which is not given"},
    {"{to_host: {latency_ns: 5}}", "link.to_host.latency_ns (5) needs link.raw_mb_per_s, which is not given"},
    {"{bandwidth: 5}", "the link has no key 'bandwidth'"},
    {"{to_host: {lanes: 5}}", "the link to the host has no key 'lanes'"},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char text[200];
    struct weir_sink sink = {0};
    snprintf(text, sizeof text, "base: fermi-gtx480\nname: x\nlink: %s\n", files[i].link);
    assert_null(weir_chip_read(write_yaml(text), &sink));
    assert_says(&sink, 3, files[i].says);
  }
  assert_refused("dram:", "energy:", "link: {raw_mb_per_s: 1}\nenergy:", "the link lacks the key 'copy_engines'");
}

// From 16 KiB to 1 MiB, as in the paper's figure 2, each by one override.
static void first_level_of_gcn_grows(void **state) {
  (void)state;
  for (unsigned kib = 16; kib <= 1024; kib *= 2) {
    struct weir_chip_config *c = read_good("gcn-apu");
    struct weir_sink sink = {0};
    char assignment[32];
    snprintf(assignment, sizeof assignment, "l1.size_kib=%u", kib);
    assert_true(weir_chip_set(c, assignment, "--set", &sink));
    assert_true(weir_chip_validate(c, &sink));
    assert_int_equal(weir_chip_sets(c, 0), 2 * kib); // 8 ways × 64 bytes are half a KiB
    weir_chip_config_free(c);
  }
}

// All of its keys or none; 4 × 24 × 128 bytes are 12 KiB. size_bytes=0 takes the cache away and leaves the rest as it is.
static void a_texture_cache_is_whole(void **state) {
  (void)state;
  assert_refused("texture_cache:", "size_bytes: 12288", "size_bytes: 12289",
                 "(12289) is no power of two of sets of 24");
  assert_refused("texture_cache:", "size_bytes: 12288", "size_bytes: 9216",
                 "(9216) is no power of two of sets of 24 ways");
  assert_refused_at("texture_cache:", "  ways: 24", "  # none", -1, "the texture cache lacks the key 'ways'");
  assert_refused("texture_cache:", "fragment_fifo: 128", "fragment_fifo: 0", "from 1 to 65535, not '0'");
  assert_refused("texture_cache:", "line_bytes: 128", "line_bytes: 96", "a power of two");
  assert_refused("texture_cache:", "result_fifo", "result_queue", "the texture cache has no key 'result_queue'");
  assert_refused("core:", "call_parameters: local", "call_parameters: stack", "must be one of registers, local");
  static const struct {
    const char *chip, *set[3], *says;
  } cases[] = {
    {"fermi-gtx480", {"texture_cache.size_bytes=0"}, NULL},
    {"fermi-gtx480", {"texture_cache.size_bytes=24576"}, NULL},
    {"fermi-gtx480",
     {"dram.interleave_bytes=128", "texture_cache.line_bytes=256", "texture_cache.size_bytes=24576"},
     "texture_cache.line_bytes (256) must not exceed dram.interleave_bytes (128)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_chip_config *c = read_good(cases[i].chip);
    struct weir_sink sink = {0};
    for (unsigned k = 0; k < 3 && cases[i].set[k]; k++) assert_true(weir_chip_set(c, cases[i].set[k], "--set", &sink));
    assert_int_equal(weir_chip_validate(c, &sink), cases[i].says == NULL);
    if (cases[i].says) assert_says(&sink, 0, cases[i].says);
    weir_chip_config_free(c);
  }
  struct weir_sink sink = {0};
  static const char *const parts[][2] = {{"size_bytes: 12288", "(12288) needs texture_cache.ways, which is not given"},
                                         {"line_bytes: 64", "(64) needs texture_cache.size_bytes, which is not given"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char text[128];
    snprintf(text, sizeof text, "base: gcn-apu\nname: a\ntexture_cache:\n  %s\n", parts[i][0]);
    assert_null(weir_chip_read(write_yaml(text), &sink));
    assert_says(&sink, 4, parts[i][1]);
  }
  struct weir_chip_config *c = read_good("gcn-apu"); // has none
  assert_false(weir_chip_set(c, "texture_cache.size_bytes=12288", "--set", &sink));
  assert_says(&sink, 0, "texture_cache.size_bytes");
  weir_chip_config_free(c);
}

static void names(void **state) {
  (void)state;
  assert_refused("caches:", "name: l1", "name: core", "core.name means something else");
  assert_refused("caches:", "name: l1", "name: shared", "means something else");
  assert_refused("caches:", "name: l1", "name: L 1", "must be a word of at most 15 small letters");
  assert_refused_at("caches:", "name: l1", "name: l2", 20, "'l2' is given twice"); // at the second
  assert_refused("energy:", "name: l2", "name: l3", "stands where cache 'l2' is expected");
}

static void hostile_files(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const struct {
    const char *text;
    unsigned line;
    const char *says;
  } files[] = {
    {"", 0, "is empty"},
    {"[1, 2]\n", 1, "a chip must be a mapping, not a list"},
    {"just words\n", 1, "a chip must be a mapping, not a scalar"},
    {"name: 'x\n", 2, "not valid YAML"},
    {"name: x\n\tsummary: y\n", 2, "not valid YAML"},
    {"name: *nobody\n", 1, "not valid YAML"},
    {"{[a]: 1}\n", 1, "a key of a chip is a list"},
    {"core: &core\n  count: 1\n  latency: *core\n", 3, ""},
  };
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
    assert_null(weir_chip_read(write_yaml(files[i].text), &sink));
    if (*files[i].says) assert_says(&sink, files[i].line, files[i].says);
    weir_sink_free(&sink);
  }
  char *deep = weir_alloc(10001);
  memset(deep, '[', 10000);
  assert_null(weir_chip_read(write_yaml(deep), &sink));
  assert_says(&sink, 0, "lists and mappings nested more than 64 deep");
  weir_free(deep);
}

static void all_errors_at_once(void **state) {
  (void)state;
  unsigned line;
  char *text = edit("core:", "count: 15             # Fermi: SMs of a GTX 480\n  warp_lanes: 32",
                    "count: x\n  warp_lanes: y", &line);
  struct weir_sink sink = {0};
  assert_null(weir_chip_read(write_yaml(text), &sink));
  assert_int_equal(sink.errors, 2);
  char place[24];
  snprintf(place, sizeof place, ".yaml:%u:", line + 1);
  assert_non_null(strstr(sink.diags[1].message, place));
  assert_says(&sink, line, "count must be");
  weir_free(text);
}

static void unknown_chip(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  assert_null(weir_chip_read("gcn-apo", &sink));
  assert_says(&sink, 0, "there is no chip 'gcn-apo'; did you mean 'gcn-apu'?");
  assert_null(weir_chip_read("zzzzzzzzzz", &sink));
  assert_says(&sink, 0, "there is no chip 'zzzzzzzzzz'");
  assert_null(weir_chip_read("", &sink));
  assert_says(&sink, 0, "there is no chip ''");
  assert_null(weir_chip_read("./nowhere.yaml", &sink));
  assert_says(&sink, 0, "nowhere.yaml");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gtx480_has_the_geometry_of_the_reference),
    cmocka_unit_test(bucl_has_the_values_of_the_paper),
    cmocka_unit_test(gcn_has_the_geometry_of_the_paper),
    cmocka_unit_test(every_value_has_a_source),
    cmocka_unit_test(unknown_missing_and_doubled_keys),
    cmocka_unit_test(wrong_types),
    cmocka_unit_test(out_of_range),
    cmocka_unit_test(a_segment_longer_than_a_sector),
    cmocka_unit_test(values_that_do_not_go_together),
    cmocka_unit_test(partitions_need_pairs),
    cmocka_unit_test(gpcs_have_cores_and_ports),
    cmocka_unit_test(fermi_index_needs_its_sets),
    cmocka_unit_test(a_sector_lies_in_one_row),
    cmocka_unit_test(parts_fit_together),
    cmocka_unit_test(first_level_of_gcn_grows),
    cmocka_unit_test(a_link_is_whole),
    cmocka_unit_test(a_texture_cache_is_whole),
    cmocka_unit_test(names),
    cmocka_unit_test(hostile_files),
    cmocka_unit_test(all_errors_at_once),
    cmocka_unit_test(unknown_chip),
  };
  return cmocka_run_group_tests(tests, load, unload);
}

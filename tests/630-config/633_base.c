// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files that build on another by `base`: what they change, what they keep, where each value comes from, what is refused.
#include "chip_test.h"

static struct weir_chip_config *read_text(const char *text) {
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read(write_yaml(text), &sink);
  assert_clean(&sink);
  return c;
}

static void refuse_text(const char *text, unsigned line, const char *says) {
  struct weir_sink sink = {0};
  assert_null(weir_chip_read(write_yaml(text), &sink));
  assert_says(&sink, line, says);
}

struct listing {
  char *text;
  size_t size;
  FILE *to;
  const char *skip[4]; // paths that begin so are left out
};

static void show(void *context, const struct weir_chip_setting *s) {
  struct listing *l = context;
  for (unsigned i = 0; i < 4 && l->skip[i]; i++)
    if (!strncmp(s->path, l->skip[i], strlen(l->skip[i]))) return;
  fprintf(l->to, "%s=%s\n", s->path, s->value);
}

// Every setting but those named, a line each.
static char *settings(const struct weir_chip_config *c, const char *a, const char *b, const char *d) {
  struct listing l = {.skip = {a, b, d}};
  l.to = open_memstream(&l.text, &l.size);
  assert_non_null(l.to);
  weir_chip_settings(c, show, &l);
  assert_int_equal(fclose(l.to), 0);
  return l.text;
}

static struct weir_chip_setting found;
static char found_value[64], found_file[256], found_source[256];

static void find(void *context, const struct weir_chip_setting *s) {
  if (strcmp(s->path, context)) return;
  found = *s;
  snprintf(found_value, sizeof found_value, "%s", s->value);
  snprintf(found_file, sizeof found_file, "%s", s->file ? s->file : "");
  snprintf(found_source, sizeof found_source, "%s", s->source ? s->source : "");
}

static void assert_setting(const struct weir_chip_config *c, const char *path, const char *value, const char *file,
                           unsigned line, const char *source) {
  found = (struct weir_chip_setting){0};
  weir_chip_settings(c, find, (void *)(uintptr_t)path);
  assert_string_equal(found_value, value);
  if (!strstr(found_file, file)) fail_msg("%s is from '%s'", path, found_file);
  if (line) assert_int_equal(found.line, line);
  assert_string_equal(found_source, source);
}

// A file with nothing but a name is its base; what it gives changes just that.
static void what_differs(void **state) {
  (void)state;
  struct weir_chip_config *base = read_good("fermi-gtx480");
  struct weir_chip_config *same = read_text("base: fermi-gtx480\nname: same\n");
  char *a = settings(base, NULL, NULL, NULL), *b = settings(same, NULL, NULL, NULL);
  assert_string_equal(a, b);
  assert_string_equal(weir_chip_name(same), "same");
  assert_string_equal(weir_chip_summary(same), weir_chip_summary(base));
  free(a), free(b);
  struct weir_chip_config *c = read_text("base: fermi-gtx480\nname: c\ncore:\n  count: 7 # a source\n  latency:\n"
                                         "    int_add: {latency_cycles: 9}\n"
                                         "caches:\n  - name: l2\n    ways: 16\n    mshrs: 64\n");
  a = settings(base, "core.count", "core.latency.int_add.latency", "l2.");
  b = settings(c, "core.count", "core.latency.int_add.latency", "l2.");
  assert_string_equal(a, b);
  assert_int_equal(c->core.count, 7);
  assert_int_equal(c->core.latency[WEIR_CLASS_INT_ADD].latency_cycles, 9);
  assert_int_equal(c->core.latency[WEIR_CLASS_INT_ADD].interval_cycles,
                   base->core.latency[WEIR_CLASS_INT_ADD].interval_cycles);
  assert_int_equal(c->caches_count, 2);
  assert_int_equal(c->caches[1].ways, 16);
  assert_int_equal(c->caches[1].size_kib, base->caches[1].size_kib);
  assert_setting(c, "core.count", "7", "weir-chip-test", 4, "a source");
  assert_setting(c, "core.warp_lanes", "32", "fermi-gtx480.yaml", 0, "Fermi");
  assert_setting(c, "l2.mshrs", "64", "weir-chip-test", 10, "");
  assert_setting(c, "l2.size_kib", "768", "fermi-gtx480.yaml", 0, "Fermi: 12 slices of 64 KiB");
  struct weir_sink sink = {0};
  assert_true(weir_chip_set(c, "core.count=3", "--set", &sink));
  assert_setting(c, "core.count", "3", "", 0, "");
  struct weir_chip_config *copy = weir_chip_copy(c);
  weir_chip_config_free(c);
  assert_setting(copy, "l2.mshrs", "64", "weir-chip-test", 10, "");
  weir_chip_config_free(copy);
  weir_chip_config_free(same);
  weir_chip_config_free(base);
  free(a), free(b);
}

// An element that the base has not is added behind its own, whole; what lies behind it keeps its origin.
static void new_elements(void **state) {
  (void)state;
  struct weir_chip_config *base = read_good("apu-1c4g");
  char text[4000] =
    "base: apu-1c4g\nname: two-kinds\nnetwork:\n  mesh: \". C0 C1 . / L0 L1 L2 L3 / G0 G1 G2 G3\"\ncpus:\n";
  strcat(
    text,
    "  - {name: small, count: 1, mhz: 1000, width: 1, window: 8, load_ports: 1, store_buffer: 16, redirect_cycles: 3,\n"
    "     refetch_cycles: 1, perceptrons: 64, history_bits: 8, targets: 64, returns: 4,\n"
    "     latency: {unknown: 1, integer: 1, multiply: 4, divide: 22, float_add: 5, float_multiply: 5,\n"
    "       float_divide: 20, vector: 2, system: 20},\n"
    "     l1i: {size_bytes: 8192, ways: 4, line_bytes: 64, mshrs: 4, latency_cycles: 2},\n"
    "     l1d: {size_bytes: 8192, ways: 4, line_bytes: 64, mshrs: 4, latency_cycles: 2},\n"
    "     l2: {size_bytes: 65536, ways: 8, line_bytes: 64, mshrs: 8, latency_cycles: 8}}\n");
  strcat(text,
         "energy:\n  cpus:\n    - {name: small, instruction_pj: 1, multiply_pj: 1, float_pj: 1, branch_pj: 1,\n"
         "       misprediction_pj: 1, memory_pj: 1, static_mw: 1,\n"
         "       l1i: {tag_pj: 0, read_pj: 1, write_pj: 1, fill_pj: 1, leakage_mw: 1, parallel: true},\n"
         "       l1d: {tag_pj: 0, read_pj: 1, write_pj: 1, fill_pj: 1, leakage_mw: 1, parallel: true},\n"
         "       l2: {tag_pj: 1, read_pj: 1, write_pj: 1, fill_pj: 1, leakage_mw: 1, parallel: false}}\n");
  struct weir_chip_config *c = read_text(text);
  assert_int_equal(c->cpus_count, 2);
  assert_string_equal(c->cpus[0].name, "cpu");
  assert_string_equal(c->cpus[1].name, "small");
  assert_int_equal(c->cpus[0].mhz, base->cpus[0].mhz);
  assert_int_equal(weir_chip_cpu_cores(c), 2);
  assert_setting(c, "cpu.width", "4", "apu-1c4g.yaml", 0, "Holey t2");
  assert_setting(c, "small.width", "1", "weir-chip-test", 6, "");
  assert_setting(c, "copies_pass_l2", "false", "apu-1c4g.yaml", 0,
                 "inferred: host copies are the CPU's writes to memory");
  weir_chip_config_free(c);
  weir_chip_config_free(base);
}

// A base may have a base; a path is looked up beside the file that names it.
static void chains(void **state) {
  (void)state;
  char middle[] = "/tmp/weir-base-XXXXXX";
  const int fd = mkstemp(middle);
  assert_true(fd >= 0);
  static const char text[] = "base: fermi-gtx480\nname: middle\ncore:\n  count: 5\n  max_warps: 40\n";
  assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
  close(fd);
  char path[64], top[200];
  snprintf(path, sizeof path, "%s.yaml", middle);
  assert_int_equal(rename(middle, path), 0);
  snprintf(top, sizeof top, "base: %s\nname: top\ncore:\n  count: 6\n", weir_path_name(path)); // both are in /tmp
  struct weir_chip_config *c = read_text(top);
  assert_int_equal(c->core.count, 6);
  assert_int_equal(c->core.max_warps, 40);
  assert_setting(c, "core.max_warps", "40", weir_path_name(path), 5, "");
  weir_chip_config_free(c);
  unlink(path);
}

// A class without a row in the base follows the default, also the new one; a row that begins here begins with the base's default,
// and the new default leaves rows alone, this file's and the base's.
static void latencies_without_a_row(void **state) {
  (void)state;
  struct weir_chip_config *c = read_text("base: fermi-gtx480\nname: c\ncore:\n  latency:\n"
                                         "    default: {latency_cycles: 6}\n    f32_abs: {interval_cycles: 3}\n");
  const struct weir_latency_config *l = c->core.latency;
  assert_int_equal(l[WEIR_CLASS_F64_CONVERT].latency_cycles, 6);
  assert_int_equal(l[WEIR_CLASS_F32_ABS].latency_cycles, 1);
  assert_int_equal(l[WEIR_CLASS_F32_ABS].interval_cycles, 3);
  assert_int_equal(l[WEIR_CLASS_F32_ADD].latency_cycles, 4);
  weir_chip_config_free(c);
}

static void what_is_refused(void **state) {
  (void)state;
  refuse_text("base: fermi-gtx481\nname: a\n", 0, "there is no chip 'fermi-gtx481'; did you mean 'fermi-gtx480'?");
  refuse_text("base: ./none.yaml\nname: a\n", 0, "none.yaml");
  refuse_text("base: fermi-gtx480\n", 1, "lacks the key 'name'");
  refuse_text("base: fermi-gtx480\nname: a\ncore:\n  counts: 3\n", 4, "has no key 'counts'; did you mean 'count'?");
  refuse_text("base: fermi-gtx480\nname: a\ncaches:\n  - name: l2\n    ways: 16\n  - name: l2\n    mshrs: 4\n", 6,
              "'l2' is given twice");
  refuse_text("base: fermi-gtx480\nname: a\ncaches:\n  - ways: 16\n", 4, "lacks the key 'name'");
  refuse_text("base: fermi-gtx480\nname: a\ndram:\n  wl: 12\n", 4, "dram.wl (12) must be less than dram.rcd (12)");
  refuse_text("base: [fermi-gtx480]\nname: a\n", 1, "lacks the key");
#define UNIFIED "base: fermi-gtx480\nname: a\ncore:\n  unified_kib: 64\n"
  refuse_text(UNIFIED, 0, "core.carveouts_kib 'none' must be whole KiB with spaces between, as \"0 8 16 32 64 96\"");
  refuse_text(UNIFIED "  carveouts_kib: \"48 x\"\n", 5, "must be whole KiB with spaces between");
  refuse_text(UNIFIED "  carveouts_kib: \"48 48\"\n", 5, "'48 48' must have each size larger than the one before");
  refuse_text(UNIFIED "  carveouts_kib: \"48 64\"\n", 5,
              "core.carveouts_kib '48 64': 64 KiB leave nothing of the array of 64 KiB (core.unified_kib) to l1");
  refuse_text(UNIFIED "  carveouts_kib: \"48 72\"\n", 5, "72 KiB leave nothing of the array of 64 KiB");
  refuse_text(UNIFIED "  carveouts_kib: \"48 58\"\n", 5,
              "what 58 KiB leave of the array is no multiple of a way of l1 (4096 bytes)");
  refuse_text(
    UNIFIED "  carveouts_kib: \"32 48\"\n", 0,
    "l1.size_kib (16) must be what the least carve-out (32) leaves of core.unified_kib (64; 0: no carve-outs)");
  refuse_text(
    UNIFIED "  carveouts_kib: \"32 48\"\ncaches:\n  - name: l1\n    data_pool: true\n", 0,
    "l1.size_kib (16) must be at least what the least carve-out (32) leaves of core.unified_kib (64), with l1.data_pool");
  refuse_text("base: fermi-gtx480\nname: a\ncaches:\n  - name: l1\n    data_pool: true\n", 5,
              "l1.data_pool needs the first level's cache, in one array with shared memory (core.unified_kib)");
  refuse_text(UNIFIED "  carveouts_kib: \"48\"\ncaches:\n  - name: l2\n    data_pool: true\n", 8,
              "l2.data_pool needs the first level's cache");
  refuse_text(UNIFIED "  shared_bytes: 61440\n  carveouts_kib: \"48 56\"\n", 5,
              "core.shared_bytes (61440) exceed the largest carve-out (56 KiB)");
  refuse_text("base: fermi-gtx480\nname: a\ncore:\n  shared_bytes: 512\n  block_reserved_bytes: 1024\n", 5,
              "core.block_reserved_bytes (1024) exceed core.shared_bytes (512)");
  char self[200];
  snprintf(self, sizeof self, "base: %s\nname: a\n", write_yaml(""));
  refuse_text(self, 1, "is one its own base?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_differs),    cmocka_unit_test(new_elements),
    cmocka_unit_test(chains),          cmocka_unit_test(latencies_without_a_row),
    cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, remove_yaml);
}

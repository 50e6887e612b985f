// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Meshes as chip files draw them, and values that a chip file may leave out.
#include "chip_test.h"

#include "config/mesh_map.h"

static char message[200];

static const char *map(struct weir_chip_config *c, const char *mesh, struct weir_mesh_params *requests,
                       struct weir_mesh_params *replies) {
  weir_free(c->network.mesh);
  c->network.mesh = weir_text_copy(mesh);
  return weir_mesh_map(c, requests, replies, message, sizeof message);
}

// Two CPU cores, four cores, four slices: ports 0 to 3 are the GPU's, 4 and 5 the CPUs'.
static void test_places(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("apu-2c4g");
  struct weir_mesh_params q, a;
  c->network.hop_cycles = 3;
  assert_null(map(c, "C0  L0 G3/ G1+L1 . G0+C1+L3 /.  G2 L2", &q, &a));
  assert_int_equal(q.columns, 3);
  assert_int_equal(q.rows, 3);
  assert_int_equal(q.hop_cycles, 3);
  const uint16_t cores[] = {5, 3, 7, 2, 0, 5}, slices[] = {1, 3, 8, 5};
  assert_memory_equal(q.input_node, cores, sizeof cores);
  assert_memory_equal(a.output_node, cores, sizeof cores);
  assert_memory_equal(q.output_node, slices, sizeof slices);
  assert_memory_equal(a.input_node, slices, sizeof slices);
  assert_null(map(c, "none", &q, &a));
  assert_int_equal(q.columns + a.columns, 0);
  weir_chip_config_free(c);
}

static void test_flaws(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("apu-2c4g");
  struct weir_mesh_params q, a;
  static const char *const cases[][2] = {
    {"C0 L0 L1 C1 / L2 L3 G0 G1", "G2 is missing"},
    {"C0 L0 L1 / L2 L3 G0 G1", "is a row of another length than the first: ' L2 L3 G0 G1'"},
    {"C0 L0 L1 C1 / / L2 L3 G0 G1", "is a row of another length"},
    {"", "is a row of another length"},
    {"C0 L0 L1 C1 G0 G1 G2 G3 L2 L3 L0", "is drawn twice: 'L0'"},
    {"C0 L0 L1 C1 G0 G1 G2 G3 L2 Q3", "is none of C, L or G with a number, nor a dot: 'Q3'"},
    {"C0 L0 L1 C1 G0 G1 G2 G L2 L3", "nor a dot: 'G'"},
    {"C0 L0 L1 C1 G0 G1 G2 G-3 L2 L3", "nor a dot: 'G-3'"},
    {"C0 L0 L1 C1 G0 G1 G2 G3x L2 L3", "nor a dot: 'G3x'"},
    {"C0+ L0 L1 C1 G0 G1 G2 G3 L2", "L3 is missing"},
    {"C0++L3 L0 L1 C1 G0 G1 G2 G3 L2", "nor a dot: ''"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *flaw = map(c, cases[i][0], &q, &a);
    assert_non_null(flaw);
    if (!strstr(flaw, cases[i][1])) fail_msg("'%s': '%s', not '%s'", cases[i][0], flaw, cases[i][1]);
  }
  weir_chip_config_free(c);
}

// A mesh of 32 × 32 routers, the most there may be, with whatever it serves in the last row; and one of a row more.
static void test_size(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("apu-2c4g");
  struct weir_mesh_params q, a;
  char drawing[33 * 66] = "";
  for (unsigned row = 0; row < 31; row++)
    for (unsigned column = 0; column < 32; column++) strcat(drawing, column < 31 ? ". " : "./");
  char *last = drawing + strlen(drawing);
  strcpy(last, "C0 C1 L0 L1 L2 L3 G0 G1 G2 G3");
  for (unsigned column = 10; column < 32; column++) strcat(last, " .");
  assert_null(map(c, drawing, &q, &a));
  assert_int_equal(q.columns * q.rows, 1024);
  assert_int_equal(q.input_node[3], 31 * 32 + 9); // G3
  assert_int_equal(a.input_node[0], 31 * 32 + 2); // L0
  strcat(drawing, "/");
  for (unsigned column = 0; column < 32; column++) strcat(drawing, " .");
  const char *flaw = map(c, drawing, &q, &a);
  assert_non_null(flaw);
  assert_non_null(strstr(flaw, "is a row too many: a mesh has at most 1024 routers"));
  weir_chip_config_free(c);
}

// What --set takes away need not be redrawn; what it adds must be.
static void test_fewer_cores(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = read_good("apu-2c4g");
  assert_true(weir_chip_set(c, "core.count=1", "--set", &sink));
  assert_true(weir_chip_set(c, "cpu.count=1", "--set", &sink));
  assert_true(weir_chip_validate(c, &sink));
  assert_true(weir_chip_set(c, "core.count=5", "--set", &sink));
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "network.mesh G4 is missing");
  assert_true(weir_chip_set(c, "core.count=1", "--set", &sink));
  assert_true(weir_chip_set(c, "network.core_flits=2", "--set", &sink)); // links move one
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "network.core_flits (2) must be 1 in a mesh");
  assert_true(weir_chip_set(c, "network.core_flits=1", "--set", &sink));
  assert_true(weir_chip_set(c, "network.gpc_flits=8", "--set", &sink));
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "network.gpc_flits (8) must be 0 in a mesh");
  assert_true(weir_chip_set(c, "network.gpc_flits=0", "--set", &sink));
  assert_true(weir_chip_set(c, "core.groups=1", "--set", &sink));
  assert_true(weir_chip_set(c, "network.coalesced_reads=2", "--set", &sink));
  assert_false(weir_chip_validate(c, &sink));
  assert_says(&sink, 0, "network.coalesced_reads (2) must be 1 in a mesh");
  weir_chip_config_free(c);
}

// A chip without CPU cores and mesh need not speak of them.
static void test_left_out(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = read_good("gcn-apu");
  assert_int_equal(weir_chip_cpu_cores(c), 0);
  assert_string_equal(c->network.mesh, "none");
  assert_int_equal(c->network.hop_cycles, 1);
  assert_false(weir_chip_set(c, "cpu.count=2", "--set", &sink));
  assert_says(&sink, 0, "has no 'cpu.count'");
  weir_chip_config_free(c);
}

static void test_cpu_flaws(void **state) {
  (void)state;
  static const char *const cases[][2] = {
    {"cpu.count=9", "from 1 to 8"},
    {"cpu.width=0", "cpu.width must be an integer from 1 to 64"},
    {"cpu.l1d.size_bytes=49152", "a power of two"},
    {"cpu.l1d.ways=3", "cpu.l1d.size_bytes (32768) is no power of two of sets of 3 ways"},
    {"cpu.l2.line_bytes=128", "cpu.l2.line_bytes (128) must be the sector of the first shared cache (64)"},
    {"cpu.latency.divide=0", "cpu.latency.divide must be an integer"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    struct weir_chip_config *c = read_good("apu-2c4g");
    assert_false(weir_chip_set(c, cases[i][0], "--set", &sink) && weir_chip_validate(c, &sink));
    assert_says(&sink, 0, cases[i][1]);
    weir_chip_config_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_places),      cmocka_unit_test(test_flaws),    cmocka_unit_test(test_size),
    cmocka_unit_test(test_fewer_cores), cmocka_unit_test(test_left_out), cmocka_unit_test(test_cpu_flaws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

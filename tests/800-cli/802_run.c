// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// run --json: the members are the declared ones, the numbers agree with each other, and the same run is the same text.
#include "folder.h"

#include "conform.h"
#include "run/numbers.h"
#include "run/object.h"

#include <math.h>

static json_t *parse(const struct process *p) {
  json_error_t error;
  json_t *v = json_loads(p->out, 0, &error);
  if (!v) fail_msg("no JSON: %s\n%s%s", error.text, p->out, p->err);
  return v;
}

static json_t *run_json(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  json_t *v = parse(&p);
  process_free(&p);
  return v;
}
#define RUN(...) run_json((const char *const[]){"run", __VA_ARGS__, "--json", NULL})

static void functional(void **state) {
  (void)state;
  json_t *run = RUN("matrixmul", "--functional");
  conform("run", run, weir_run_members, false);
  assert_string_equal(weir_run_text(run, "check"), "passed");
  assert_string_equal(weir_run_text(run, "program"), "matrixmul");
  assert_true(json_is_null(json_object_get(run, "chip")));
  // 256 × 256 elements in 16 × 16 blocks of 8 warps; a warp runs the loop over k 256 times
  double n = weir_run_number(run, "total.warp_instructions");
  assert_true(n > 256 * 8 * 256.0 && n < 256 * 8 * 256.0 * 32);
  json_decref(run);
}

// Sums over kernels are the totals, and what a cache is asked for is either found or not.
static void agrees(const json_t *run) {
  static const char *const summed[] = {"cycles",   "warp_instructions", "thread_instructions", "l1.loads.accesses",
                                       "l1.fills", "l2.loads.misses",   "dram.bytes"};
  for (size_t i = 0; i < sizeof summed / sizeof summed[0]; i++) {
    double sum = 0;
    size_t k;
    json_t *kernel;
    json_array_foreach(json_object_get(run, "kernels"), k, kernel) sum += weir_run_number(kernel, summed[i]);
    assert_true(sum == weir_run_number(json_object_get(run, "total"), summed[i]));
  }
  const json_t *loads = weir_run_member(run, "total.l1.loads");
  assert_true(weir_run_number(loads, "accesses") ==
              weir_run_number(loads, "hits") + weir_run_number(loads, "hits_on_miss") +
                weir_run_number(loads, "misses"));
  assert_true(weir_run_number(run, "total.ipc") > 0);
  assert_true(weir_run_total(run).energy_pj > 0);
}

// Each static load: the transactions histogram counts its executions, and weighs up to its accesses.
static void loads_agree(const json_t *run) {
  size_t i;
  json_t *load, *count;
  const char *transactions;
  assert_true(json_array_size(json_object_get(run, "loads")) > 0);
  json_array_foreach(json_object_get(run, "loads"), i, load) {
    double executions = 0, accesses = 0;
    json_object_foreach(json_object_get(load, "by_transactions"), transactions, count) {
      executions += json_number_value(count);
      accesses += json_number_value(count) * atof(transactions);
    }
    assert_true(executions == weir_run_number(load, "executions"));
    assert_true(accesses == weir_run_number(load, "transactions"));
    assert_true(weir_run_number(load, "line") > 0);
  }
}

// Within half a per cent, as two launches do not begin and end alike: of the last kernel but what the one before it, with fewer passes over the buffer, takes for the same: 32 bytes to an access.
static double bytes_per_cycle(const json_t *run) {
  const json_t *kernels = json_object_get(run, "kernels"), *one = json_array_get(kernels, 1),
               *more = json_array_get(kernels, 2);
  return 32 * (weir_run_number(more, "l1.loads.accesses") - weir_run_number(one, "l1.loads.accesses")) /
    (weir_run_number(more, "cycles") - weir_run_number(one, "cycles"));
}

// What cores get of a buffer that the L2 has and their L1s have no room for: one of them a sector of 32 bytes per cycle where its port moves
// one flit, and more than three quarters of two sectors where it moves two; eight of a GPC nearly all of its eight flits, and without
// that bound more than three quarters of the sixteen that their ports move. Where loads of a sector are one they pass what a GPC takes once, so
// that cores of a group get more than its flits.
static void cores_get_what_ports_move(void **state) {
  (void)state;
  static const struct {
    const char *cores, *blocks, *flits, *reads;
    double least, most;
  } cases[] = {{"core.count=1", "1", "network.core_flits=1", "network.coalesced_reads=1", 31, 32},
               {"core.count=1", "1", "network.core_flits=2", "network.coalesced_reads=1", 48, 64},
               {"core.count=8", "8", "network.gpc_flits=8", "network.coalesced_reads=1", 0.95 * 256, 256},
               {"core.count=8", "8", "network.gpc_flits=0", "network.coalesced_reads=1", 0.75 * 512, 512},
               {"core.count=8", "8", "network.gpc_flits=8", "network.coalesced_reads=8", 1.2 * 256, 512}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char scheme[80];
    snprintf(scheme, sizeof scheme, "none,launch.blocks=%s,launch.footprint_kib=384", cases[i].blocks);
    json_t *run = RUN("one-buffer-rrze", "--chip", "hopper-h100", "--set", cases[i].cores, "--set", "core.gpcs=1",
                      "--set", "core.groups=1", "--set", cases[i].flits, "--set", cases[i].reads, "--scheme", scheme);
    const double bytes = bytes_per_cycle(run);
    assert_true(bytes > cases[i].least && bytes <= 1.005 * cases[i].most);
    json_decref(run);
  }
}

// Where the L2 is asked for fewer loads than the L1s miss, the report says why.
static void the_report_tells_coalesced_loads(void **state) {
  (void)state;
  static const char *const reads[] = {"network.coalesced_reads=1", "network.coalesced_reads=4"};
  for (unsigned i = 0; i < 2; i++) {
    struct process p =
      process_run("run", "one-buffer-rrze", "--chip", "hopper-h100", "--set", "core.count=8", "--set", "core.groups=1",
                  "--set", reads[i], "--scheme", "none,launch.blocks=8,launch.footprint_kib=384");
    assert_int_equal(p.status, 0);
    assert_int_equal(strstr(p.out, "l2 coalesced: ") != NULL, i);
    process_free(&p);
  }
}

static double sum_over(const json_t *object, const char *counter) {
  const char *name;
  json_t *member;
  double sum = 0;
  json_object_foreach((json_t *)object, name, member) sum += weir_run_number(member, counter);
  return sum;
}

// Each static load's groups are together what it was counted for, the groups of the run are those of its loads, and the
// accesses of all of them are those that the first level counted.
static void groups_agree(const json_t *run) {
  static const char *const counters[] = {"executions", "all_hit_executions", "transactions",  "accesses",
                                         "hits",       "hits_on_miss",       "misses",        "bypasses",
                                         "fills",      "zero_reuse_fills",   "latency_cycles"};
  const json_t *all = weir_run_member(run, "load_groups"), *l1 = weir_run_member(run, "total.l1");
  assert_int_equal(json_object_size(all), 6);
  for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
    double sum = 0;
    size_t i;
    json_t *load;
    json_array_foreach(json_object_get(run, "loads"), i, load) {
      assert_true(sum_over(json_object_get(load, "groups"), counters[c]) == weir_run_number(load, counters[c]));
      sum += weir_run_number(load, counters[c]);
    }
    assert_true(sum_over(all, counters[c]) == sum);
  }
  assert_true(fabs(sum_over(all, "share") - 1) < 1e-9);
  assert_true(sum_over(all, "accesses") == weir_run_number(l1, "loads.accesses")); // no textures
  assert_true(sum_over(all, "hits") == weir_run_number(l1, "loads.hits"));
  assert_true(sum_over(all, "hits_on_miss") == weir_run_number(l1, "loads.hits_on_miss"));
  assert_true(sum_over(all, "misses") == weir_run_number(l1, "loads.misses"));
  assert_true(sum_over(all, "bypasses") == weir_run_number(l1, "loads.bypasses"));
  assert_true(sum_over(all, "fills") == weir_run_number(l1, "fills"));
  assert_true(sum_over(all, "zero_reuse_fills") >= weir_run_number(l1, "zero_reuse_evictions"));
}

static void groups_of_programs(void **state) {
  (void)state;
  if (WEIR_SANITIZED) skip(); // for its time: it takes no way through weir that no other test takes
  static const char *const programs[][2] = {{"nn", "gcn-apu"}, {"spmv", "fermi-gtx480"}, {"backprop", "fermi-bucl"}};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    json_t *run = RUN(programs[i][0], "--chip", programs[i][1], "--scheme", i % 2 ? "pcbp" : "lru");
    groups_agree(run);
    json_decref(run);
  }
}

static double column_sum(const json_t *samples, const char *column) {
  size_t i;
  json_t *v;
  double sum = 0;
  json_array_foreach(json_object_get(samples, column), i, v) sum += json_number_value(v);
  return sum;
}

// As many numbers in every column; together they are the run's.
static void samples(void **state) {
  (void)state;
  json_t *run = RUN("nn", "--scheme", "lru,sample_cycles=500"), *v;
  conform("run", run, weir_run_members, true);
  const json_t *samples = weir_run_member(run, "samples"), *slices = weir_run_member(samples, "input_utilisation");
  const char *name;
  double cycles = weir_run_number(run, "total.cycles"), period = weir_run_number(samples, "period_cycles");
  size_t n = (size_t)ceil(cycles / period), i, k;
  assert_true(period == 500);
  json_object_foreach((json_t *)samples, name, v) if (json_is_array(v) && v != slices)
    assert_int_equal(json_array_size(v), n);
  assert_true(column_sum(samples, "cycles") == cycles);
  assert_true(column_sum(samples, "instructions") == weir_run_number(run, "total.warp_instructions"));
  assert_true(column_sum(samples, "hits") == weir_run_number(run, "total.l1.loads.hits"));
  assert_true(column_sum(samples, "misses") == weir_run_number(run, "total.l1.loads.misses"));
  assert_true(json_number_value(json_array_get(weir_run_member(samples, "end_cycle"), n - 1)) == cycles);
  assert_int_equal(json_array_size(slices), 4); // of gcn-apu
  json_t *slice, *taken;
  json_array_foreach(slices, i, slice) {
    assert_int_equal(json_array_size(slice), n);
    json_array_foreach(slice, k, taken) assert_true(json_number_value(taken) >= 0 && json_number_value(taken) <= 1);
  }
  json_decref(run);
}

static void on_a_chip(void **state) {
  (void)state;
  json_t *run = RUN("nw", "--scheme", "pcbp,threshold=6", "--set", "l1.size_kib=32");
  conform("run", run, weir_run_members, true);
  assert_string_equal(weir_run_text(run, "chip"), "gcn-apu");
  assert_string_equal(weir_run_text(run, "scheme"), "pcbp,threshold=6");
  assert_string_equal(weir_run_text(run, "check"), "passed");
  agrees(run);
  loads_agree(run);
  groups_agree(run);
  assert_null(json_object_get(run, "samples"));
  json_decref(run);
}

static void same_again(void **state) {
  (void)state;
  json_t *a = RUN("backprop", "--scheme", "pcbp", "--seed", "7"),
         *b = RUN("backprop", "--scheme", "pcbp", "--seed", "7");
  json_object_del(a, "host");
  json_object_del(b, "host");
  assert_true(json_equal(a, b));
  json_decref(a);
  json_decref(b);
}

static void report(void **state) {
  (void)state;
  struct process p = process_run("run", "nn");
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "nn (small) on gcn-apu under scheme none");
  assert_holds(p.out, "check against the reference: passed");
  assert_holds(p.out, "all hit");
  assert_holds(p.out, "die unused");
  assert_holds(p.out, "loads, by how many accesses they become");
  assert_holds(p.out, "nn.cl:");
  assert_string_equal(p.err, "");
  process_free(&p);
}

static void assert_occupancy(json_t *run, double registers, double blocks, const char *limit) {
  const json_t *launch = json_array_get(json_object_get(run, "kernels"), 0);
  assert_true(weir_run_number(launch, "registers") == registers);
  assert_true(weir_run_number(launch, "core_blocks") == blocks);
  assert_string_equal(weir_run_text(launch, "limited_by"), limit);
  json_decref(run);
}

// Blocks have 128 threads, two warps of gcn-apu's 40. Its 65536 registers come in fours.
static void registers(void **state) {
  (void)state;
  write_text_file(file("walk.yaml"),
                  "module: " WEIR_SOURCE_DIR "/examples/teaching/teaching.ptx\n"
                  "buffers:\n  in: {bytes: 65536, fill: iota}\n  out: {bytes: 512, fill: zero}\n"
                  "launches:\n  - {kernel: walk, grid: [64], block: [128],"
                  " args: [in, out, {s32: 4}, {s32: 32}, {s32: 4}]}\n");
  const char *walk = file("walk.yaml");
  assert_occupancy(RUN(walk, "--registers", "32"), 32, 16, "blocks");           // 20 of warps, but 16 at most
  assert_occupancy(RUN(walk, "--registers", "64,walk=99"), 99, 5, "registers"); // 65536 / (100 × 128)
  assert_occupancy(RUN(walk, "--registers", "64", "--registers", "walk=200"), 200, 2, "registers");
  struct process p = process_run("run", walk, "--registers", "200");
  assert_holds(p.out, "blocks per core  limited by");
  process_free(&p);
}

static void step_limit(void **state) {
  (void)state;
  struct process p = process_run("run", "matrixmul", "--functional", "--step-limit", "1000", "--json");
  assert_int_equal(p.status, 2);
  assert_string_equal(p.out, "");
  assert_holds(p.err, "matrixmul");
  process_free(&p);
  p = process_run("run", "backprop", "--chip", "fermi-gtx480", "--threads", "2", "--step-limit", "100000000");
  assert_int_equal(p.status, 0);
  assert_holds(p.err, "some kernels ran on one thread: --step-limit counts the instructions of all cores");
  process_free(&p);
  p = process_run("run", "backprop", "--functional", "--threads", "2", "--step-limit", "100000000");
  assert_int_equal(p.status, 0);
  assert_holds(p.err, "some kernels ran on one thread: --step-limit counts the instructions of all warps");
  process_free(&p);
  p = process_run("run", "backprop", "--functional", "--threads", "2");
  assert_int_equal(p.status, 0);
  assert_string_equal(p.err, "");
  process_free(&p);
  p = process_run("run", "backprop", "--chip", "fermi-gtx480", "--threads", "2");
  assert_int_equal(p.status, 0);
  assert_null(strstr(p.err, "on one thread"));
  process_free(&p);
}

// Of kernel after kernel: lines of instructions that one has asked for ahead come to cores that wait for the next to begin.
static void launches_that_begin_late(void **state) {
  (void)state;
  json_t *soon = RUN("nw", "--launches", "1..12", "--chip", "hopper-h200", "--set", "core.launch_cycles=0"),
         *late = RUN("nw", "--launches", "1..12", "--chip", "hopper-h200", "--set", "core.launch_cycles=4000");
  const double launches = (double)json_array_size(json_object_get(soon, "kernels")),
               more = weir_run_number(late, "total.cycles") - weir_run_number(soon, "total.cycles");
  assert_true(launches > 10);
  assert_true(fabs(more / launches - 4000) < 200);
  assert_true(weir_run_number(late, "total.core_cycles") < 132 * weir_run_number(late, "total.cycles"));
  json_decref(soon);
  json_decref(late);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cores_get_what_ports_move),
    cmocka_unit_test(the_report_tells_coalesced_loads),
    cmocka_unit_test(functional),
    cmocka_unit_test(on_a_chip),
    cmocka_unit_test(same_again),
    cmocka_unit_test(report),
    cmocka_unit_test(step_limit),
    cmocka_unit_test(groups_of_programs),
    cmocka_unit_test(samples),
    cmocka_unit_test(registers),
    cmocka_unit_test(launches_that_begin_late),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

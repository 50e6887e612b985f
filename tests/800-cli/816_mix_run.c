// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Mixes from end to end: what is counted of each program, what goes on behind it, and what does not change it.
#include "weir_process.h"

#include "conform.h"
#include "batch/batch.h"
#include "run/object.h"
#include "run/numbers.h"

#include <math.h>

#define TRACE WEIR_SOURCE_DIR "/tests/450-trace/data/mcf.wtrace"
#define ON_CHIP "--chip", "apu-2c4g"

// A program of the GPU whose every pass is the same 4 blocks × 1 warp of 64 × (3 + 30 × 6 + 1) instructions, over 30
// KiB.
enum { PASS = 4 * (3 + 30 * 6 + 1) };
static const char ptx[] =
  ".version 7.0\n.target sm_70\n.address_size 64\n"
  ".entry walk(.param .u64 in)\n{\n.reg .b64 %a;\n.reg .b32 %t, %i, %v;\n.reg .pred %p;\n"
  "ld.param.u64 %a, [in];\nmov.u32 %t, %tid.x;\nmov.u32 %i, 0;\n"
  "$again:\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, %t;\nadd.u64 %a, %a, 1024;\nadd.u32 %i, %i, 1;\n"
  "setp.lt.u32 %p, %i, 30;\n@%p bra $again;\nret;\n}\n";
static const char yaml[] = "module: walk.ptx\nbuffers:\n  in: {bytes: 32768, fill: iota}\n"
                           "launches:\n  - {kernel: walk, grid: [4, 1, 1], block: [64, 1, 1], args: [in]}\n%s";

static char folder[] = "/tmp/weir-mix-XXXXXX";
static char walk[64], dumping[64], mix[1024];

static void write_file(const char *name, const char *format, const char *last) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, format, last);
  fclose(f);
}

static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(walk, sizeof walk, "%s/walk.yaml", folder);
  snprintf(dumping, sizeof dumping, "%s/dumping.yaml", folder);
  snprintf(mix, sizeof mix, "%s+%s", TRACE, walk);
  write_file("walk.ptx", "%s", ptx);
  write_file("walk.yaml", yaml, "checksum: [in]\n");
  write_file("dumping.yaml", yaml, "dump: [in]\n");
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static json_t *run_of(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  json_t *v = json_loads(p.out, 0, NULL), *one;
  size_t i;
  assert_non_null(v);
  process_free(&p);
  if (json_is_object(v)) json_object_del(v, "host");
  json_array_foreach(v, i, one) json_object_del(one, "host");
  return v;
}
#define RUN_OF(...) run_of((const char *const[]){__VA_ARGS__, "--json", NULL})
#define COUNTS(cpu, gpu) "--cpu-instructions", cpu, "--gpu-instructions", gpu, "--warmup", "20K"

// All that is said of a program but how often it began again, which is of the whole run, and energy, as shares of what all use
// go by the times of all.
static json_t *counted(const json_t *run, int requester) {
  json_t *a = json_deep_copy(weir_run_requester(run, requester));
  assert_true(json_is_true(json_object_get(a, "counted")));
  json_object_del(a, "restarts");
  json_object_del(a, "energy_pj");
  json_object_del(a, "energy_counts");
  return a;
}

static double total_at_ports(const json_t *run, int requester, const char *counter) {
  json_t *port;
  size_t i;
  double sum = 0;
  json_array_foreach(weir_run_member(run, "mix.ports"), i, port) if (weir_run_number(port, "requester") == requester)
    sum += weir_run_number(json_object_get(json_object_get(port, "shared"), "llc"), counter);
  return sum;
}

// ---- counts ---------------------------------------------------------------------------------------------------------

static void each_up_to_its_count(void **state) {
  (void)state;
  json_t *run = RUN_OF("run", mix, ON_CHIP, COUNTS("50K", "5K")), *cpu = counted(run, 1), *gpu = counted(run, 0);
  conform("run", run, weir_run_members, false);
  assert_int_equal(json_array_size(weir_run_member(run, "mix.programs")), 2);
  assert_int_equal(json_array_size(weir_run_member(run, "mix.ports")), 6); // four cores of the GPU, two CPU cores
  // a core retires up to four instructions at a time, and the GPU's four cores issue one each
  assert_in_range((uint64_t)weir_run_number(cpu, "instructions"), 50000, 50003);
  assert_in_range((uint64_t)weir_run_number(gpu, "instructions"), 5000, 5003);
  assert_string_equal(weir_run_text(cpu, "kind"), "cpu");
  assert_string_equal(weir_run_text(cpu, "name"), TRACE);
  double ipc = weir_run_number(cpu, "instructions") / weir_run_number(cpu, "cycles");
  assert_true(fabs(weir_run_number(cpu, "ipc") - ipc) < 1e-12);
  // clocks of 2.6 and 1.3 GHz, whose periods are whole picoseconds
  assert_true(weir_run_number(cpu, "time_ps") == weir_run_number(cpu, "cycles") * 385);
  assert_true(weir_run_number(gpu, "time_ps") == weir_run_number(gpu, "cycles") * 769);
  assert_true(weir_run_number(cpu, "core.instructions") == weir_run_number(cpu, "instructions"));
  assert_true(weir_run_number(run, "mix.counts.cpu") == 50000);
  assert_true(weir_run_number(run, "mix.counts.warmup") == 20000);
  json_decref(cpu);
  json_decref(gpu);
  json_decref(run);
}

// The members that no table of room stats names are read by the names that they are written with.
static void every_number_is_there(void **state) {
  (void)state;
  struct process p = process_run("run", mix, ON_CHIP, COUNTS("50K", "5K"), "--json");
  json_t *run = json_loads(p.out, 0, NULL);
  const struct weir_program_numbers a = weir_run_requester_numbers(run, 1);
  const struct weir_port_numbers port = weir_port_of(json_array_get(weir_run_ports(run), 0));
  const struct weir_launch_numbers launch = weir_launch_of(json_array_get(weir_run_member(run, "kernels"), 0));
  const struct weir_host_numbers host = weir_run_host(run);
  struct weir_policy_numbers policy;
  assert_true(weir_run_policy(run, WEIR_LAST_SHARED_CACHE, "replace", 0, &policy));
  assert_string_equal(policy.level, "llc");
  assert_string_equal(weir_run_cache(run, WEIR_FIRST_CACHE).name, "l1");
  const double all[] = {a.requester,
                        a.instructions,
                        a.cycles,
                        a.time_ps,
                        a.ipc,
                        a.restarts,
                        a.energy_pj,
                        a.core.branches,
                        a.l1i.loads.misses,
                        a.l1d.fills,
                        a.l2.stores.misses,
                        a.traffic.dram_bytes,
                        weir_last_share(&a.shared).occupancy,
                        port.port,
                        port.requester,
                        weir_last_share(&port.shared).line_cycles,
                        launch.launches,
                        launch.online_threads,
                        launch.registers,
                        launch.spilled_registers,
                        launch.core_blocks,
                        host.seconds,
                        host.cpu_seconds,

                        host.instructions_per_second,
                        host.peak_rss_bytes,
                        host.buffer_bytes,
                        policy.cost_bits,
                        policy.instances,
                        weir_run_load_group(run, "1").share,
                        weir_run_cache(run, WEIR_FIRST_CACHE).tag_pj,
                        weir_run_cache(run, WEIR_FIRST_CACHE).data_pj,
                        weir_run_cache(run, WEIR_FIRST_CACHE).leakage_pj,
                        weir_run_cache(run, WEIR_FIRST_CACHE).predictor_pj};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (isnan(all[i])) fail_msg("number %zu is not there", i);
  json_decref(run);
  process_free(&p);
}

// The other's count says when the run ends, and nothing else of this one: all go on behind their counts.
static void frozen(void **state) {
  (void)state;
  if (WEIR_SANITIZED) skip(); // for its time: it takes no way through weir that no other test takes
  json_t *run = RUN_OF("run", mix, ON_CHIP, COUNTS("50K", "5K")), *a = counted(run, 1), *c = counted(run, 0);
  json_t *longer = RUN_OF("run", mix, ON_CHIP, COUNTS("50K", "300K")), *b = counted(longer, 1);
  assert_true(json_equal(a, b));
  json_t *even_longer = RUN_OF("run", mix, ON_CHIP, COUNTS("150K", "5K")), *d = counted(even_longer, 0);
  assert_true(json_equal(c, d));
  // the early finisher went on: its core asked more of the shared cache than is said of it
  const struct weir_program_numbers early = weir_program_of(b);
  const double then = weir_last_share(&early.shared).accesses;
  assert_true(total_at_ports(longer, 1, "accesses") > 2 * then);
  assert_true(total_at_ports(longer, 2, "accesses") == 0); // no program runs there
  for (json_t **all = (json_t *[]){run, longer, even_longer, a, b, c, d, NULL}; *all; all++) json_decref(*all);
}

static void begins_again(void **state) {
  (void)state;
  json_t *run = RUN_OF("run", mix, ON_CHIP, COUNTS("450K", "100K")), *gpu = counted(run, 0);
  double executed = weir_run_number(run, "total.warp_instructions");
  double restarts = weir_run_number(weir_run_requester(run, 0), "restarts");
  assert_true(executed >= 100000);
  assert_true(restarts == ceil(executed / PASS) - 1);
  // 20 K of warm-up and 450 K are more than the trace's 400 K
  assert_true(weir_run_number(weir_run_requester(run, 1), "restarts") == 1);
  // launches of all passes are one kernel's, by the name that they all have
  json_t *kernels = weir_run_member(run, "kernels");
  double launches = 0, instructions = 0;
  for (size_t i = 0; i < json_array_size(kernels); i++) {
    assert_string_equal(weir_run_text(json_array_get(kernels, i), "name"), "walk");
    launches += weir_run_number(json_array_get(kernels, i), "launches");
    instructions += weir_run_number(json_array_get(kernels, i), "warp_instructions");
  }
  assert_true(launches == restarts + 1);
  assert_true(instructions == executed);
  json_decref(gpu);
  json_decref(run);
}

// What a reader is shown is what the run object has.
static void report(void **state) {
  (void)state;
  struct process p = process_run("run", mix, ON_CHIP, COUNTS("50K", "5K"));
  json_t *run = RUN_OF("run", mix, ON_CHIP, COUNTS("50K", "5K"));
  const struct weir_program_numbers cpu = weir_run_requester_numbers(run, 1);
  char row[64];
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "check against the reference: there is none\n"); // a launch file has none
  snprintf(row, sizeof row, "mcf.wtrace  CPU 1        50,00%.0f  %.3f", cpu.instructions - 50000, cpu.ipc);
  assert_holds(p.out, row);
  snprintf(row, sizeof row, "  %.3f  ", weir_last_share(&cpu.shared).demand_misses * 1000 / cpu.instructions);
  assert_holds(p.out, row);
  snprintf(row, sizeof row, "geometric mean of their IPCs: %.3f\n", weir_run_mean_ipc(run));
  assert_holds(p.out, row);
  json_decref(run);
  process_free(&p);
}

// Names of weir's own come before files by chance of that name.
static void names_before_files(void **state) {
  (void)state;
  char path[128], before[4096];
  snprintf(path, sizeof path, "%s/mcf", folder);
  assert_int_equal(symlink("/bin/true", path), 0);
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  struct process p = process_run("run", "mcf"); // on the default chip, without CPU cores
  assert_int_equal(chdir(before), 0);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "has no CPU cores for 'mcf'");
  process_free(&p);
}

static void list(void **state) {
  (void)state;
  struct process p = process_run("list", "cpu-programs", "mcf");
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "name: mcf\n");
  assert_holds(p.out, "like: 429.mcf\n");
  process_free(&p);
}

// ---- the GPU's results ----------------------------------------------------------------------------------------------

static void first_pass_is_checked(void **state) {
  (void)state;
  json_t *whole = RUN_OF("run", TRACE "+backprop", ON_CHIP, COUNTS("10K", "250K")); // a pass is 246,796
  assert_string_equal(weir_run_text(whole, "check"), "passed");
  assert_true(json_is_true(weir_run_member(whole, "complete")));
  json_t *alone = RUN_OF("run", "backprop", "--functional");
  assert_true(json_equal(weir_run_member(whole, "checksums"), weir_run_member(alone, "checksums")));
  json_t *part = RUN_OF("run", TRACE "+backprop", ON_CHIP, COUNTS("10K", "20K"));
  assert_string_equal(weir_run_text(part, "check"), "none");
  assert_true(json_is_false(weir_run_member(part, "complete")));
  assert_int_equal(json_object_size(weir_run_member(part, "checksums")), 0);
  json_decref(whole);
  json_decref(alone);
  json_decref(part);
}

// Without CPU programs there is no default count: it runs to its end, and is the one program of the chip.
static void alone_on_the_gpu(void **state) {
  (void)state;
  json_t *run = RUN_OF("run", walk, ON_CHIP), *gpu = counted(run, 0);
  json_t *stopped = RUN_OF("run", walk, ON_CHIP, "--gpu-instructions", "500");
  assert_true(weir_run_number(run, "total.warp_instructions") == PASS);
  assert_true(weir_run_number(gpu, "instructions") == PASS);
  assert_true(weir_run_number(run, "mix.counts.gpu") == 0);
  assert_int_equal(json_array_size(weir_run_member(run, "mix.programs")), 1);
  assert_int_equal(json_object_size(weir_run_member(run, "checksums")), 1);
  assert_in_range((uint64_t)weir_run_number(stopped, "total.warp_instructions"), 500, 503);
  assert_int_equal(json_object_size(weir_run_member(stopped, "checksums")), 0);
  json_decref(run);
  json_decref(gpu);
  json_decref(stopped);
}

static void cpus_alone(void **state) {
  (void)state;
  json_t *run = RUN_OF("run", TRACE "+" TRACE, ON_CHIP, "--cpu-instructions", "30K", "--warmup", "0");
  json_t *a = counted(run, 1), *b = counted(run, 2);
  assert_null(weir_run_requester(run, 0));
  assert_true(weir_run_number(a, "time_ps") > 0 && weir_run_number(b, "time_ps") > 0);
  assert_int_equal(json_array_size(weir_run_member(run, "kernels")), 0);
  assert_true(weir_run_number(run, "mix.counts.warmup") == 0);
  json_decref(a);
  json_decref(b);
  json_decref(run);
}

// ---- jobs, sweeps, the store ----------------------------------------------------------------------------------------

static void any_number_of_jobs(void **state) {
  (void)state;
  json_t *one = RUN_OF("compare", mix, ON_CHIP, "--schemes", "lru,helm", "--jobs", "1", COUNTS("30K", "3K"));
  json_t *two = RUN_OF("compare", mix, ON_CHIP, "--schemes", "lru,helm", "--jobs", "2", COUNTS("30K", "3K"));
  json_t *alone = RUN_OF("run", mix, ON_CHIP, "--scheme", "helm", COUNTS("30K", "3K"));
  assert_int_equal(json_array_size(one), 2);
  assert_true(json_equal(one, two));
  assert_true(json_equal(json_array_get(one, 1), alone));
  json_decref(one);
  json_decref(two);
  json_decref(alone);
}

// What both wait for is there sooner: the best by the mean of IPCs.
static void best_of_a_sweep(void **state) {
  (void)state;
  json_t *run =
           RUN_OF("run", mix, ON_CHIP, "--scheme", "lru,llc.hit_latency_cycles=best:200|20|100", COUNTS("200K", "3K")),
         *one;
  json_t *tried = weir_run_member(run, "sweep.tried");
  size_t i;
  double most = 0;
  assert_int_equal(json_array_size(tried), 3);
  json_array_foreach(tried, i, one) most = fmax(most, weir_run_number(one, "mean_ipc"));
  assert_true(weir_run_number(run, "sweep.best.llc.hit_latency_cycles") == 20);
  double product =
    weir_run_number(weir_run_requester(run, 0), "ipc") * weir_run_number(weir_run_requester(run, 1), "ipc");
  assert_true(fabs(most - sqrt(product)) < 1e-12);
  assert_true(fabs(weir_run_number(json_array_get(tried, 1), "mean_ipc") - most) < 1e-12);
  json_decref(run);
}

static json_t *through_store(struct weir_store *s, uint64_t cpu_count) {
  struct weir_sink sink = {0};
  struct weir_batch b = {0};
  weir_batch_add(
    &b,
    &(struct weir_experiment){
      .program = mix, .chip = "apu-2c4g", .scheme = "lru", .seed = 1, .counts = {cpu_count, 3000, WEIR_NO_WARMUP}});
  assert_true(weir_batch_check(&b, &sink) &&
              weir_batch_run(&b, &(struct weir_batch_options){.jobs = 1, .store = s}, &sink));
  assert_non_null(b.items[0].run);
  json_t *run = json_incref(b.items[0].run);
  weir_batch_free(&b);
  return run;
}

// What is there is not run again: even the wall time is that of the first run. Counts and traces tell runs apart.
static void stored(void **state) {
  (void)state;
  char path[128];
  struct weir_sink sink = {0};
  snprintf(path, sizeof path, "%s/results.sqlite", folder);
  struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
  json_t *first = through_store(s, 20000), *again = through_store(s, 20000), *other = through_store(s, 21000);
  assert_true(json_equal(first, again));
  assert_true(weir_run_number(other, "mix.counts.cpu") == 21000);
  json_decref(first);
  json_decref(again);
  json_decref(other);
  weir_store_close(s);
}

// Experiments that differ in a count alone are two runs of a batch.
static void counts_tell_apart(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_batch b = {0};
  struct weir_experiment e = {
    .program = mix, .chip = "apu-2c4g", .scheme = "lru", .counts = {1000, 3000, WEIR_NO_WARMUP}};
  weir_batch_add(&b, &e);
  e.counts.cpu++;
  weir_batch_add(&b, &e);
  e.counts.warmup = 1;
  weir_batch_add(&b, &e);
  e.counts.gpu++;
  weir_batch_add(&b, &e);
  weir_batch_add(&b, &e);
  assert_true(weir_batch_check(&b, &sink));
  assert_int_equal(b.run_count, 4);
  weir_batch_free(&b);
}

// In a process of its own: each reads a trace once.
static void key_of(const char *program, char key[static WEIR_HASH_TEXT]) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (!child) {
    struct weir_sink sink = {0};
    struct weir_experiment e = {.program = program, .chip = "apu-2c4g", .scheme = "lru"};
    bool ok = weir_experiment_key(&e, key, &sink) && write(ends[1], key, WEIR_HASH_TEXT) == WEIR_HASH_TEXT;
    _exit(!ok);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  assert_int_equal(read(ends[0], key, WEIR_HASH_TEXT), WEIR_HASH_TEXT);
  close(ends[0]);
  close(ends[1]);
}

static void copy_trace(const char *bytes, const char *name) {
  char command[1024];
  snprintf(command, sizeof command, "head -c %s " TRACE " > %s/%s", bytes, folder, name);
  assert_int_equal(system(command), 0);
}

static void keys_of_contents(void **state) {
  (void)state;
  char program[512], before[WEIR_HASH_TEXT], after[WEIR_HASH_TEXT];
  snprintf(program, sizeof program, "%s/copy.wtrace+%s", folder, walk);
  copy_trace("60000", "copy.wtrace");
  key_of(program, before);
  copy_trace("60001", "copy.wtrace");
  key_of(program, after);
  assert_string_not_equal(before, after);
  copy_trace("60000", "copy.wtrace");
  key_of(program, after);
  assert_string_equal(before, after);
  write_file("walk.ptx", "%s\n", ptx); // what the GPU's program is made of
  key_of(program, after);
  assert_string_not_equal(before, after);
  write_file("walk.ptx", "%s", ptx);
}

// ---- what cannot be run ---------------------------------------------------------------------------------------------

static void refuses(const char *message, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status != 2) fail_msg("status %d instead of 2: %s%s", p.status, p.out, p.err);
  assert_holds(p.err, message);
  process_free(&p);
}
#define REFUSES(message, ...) refuses(message, (const char *const[]){__VA_ARGS__, NULL})

static void cannot_be_run(void **state) {
  (void)state;
  char program[512];
  snprintf(program, sizeof program, "%s+%s", TRACE, dumping);
  REFUSES("dumps buffers once it has ended", "run", program, ON_CHIP);
  REFUSES("dumps buffers once it has ended", "compare", program, ON_CHIP, "--schemes", "lru,srrip");
  copy_trace("40000", "damaged.wtrace");
  snprintf(program, sizeof program, "%s/damaged.wtrace", folder);
  REFUSES("damaged.wtrace", "run", program, ON_CHIP, "--warmup", "0");
  REFUSES("damaged.wtrace", "compare", program, ON_CHIP, "--schemes", "lru,srrip", "--warmup", "0");
}

// A trace that shows only where it is read that bytes in its middle are not what they were.
static void damage_met_on_the_way(void **state) {
  (void)state;
  char program[512], path[128];
  copy_trace("100000", "damaged.wtrace");
  snprintf(path, sizeof path, "%s/damaged.wtrace", folder);
  FILE *f = fopen(path, "r+");
  fseek(f, 34000, SEEK_SET);
  fwrite("damage", 6, 1, f);
  fclose(f);
  snprintf(program, sizeof program, "%s+%s", path, walk);
  REFUSES(path, "run", path, ON_CHIP, "--warmup", "0");
  REFUSES(path, "run", program, ON_CHIP, "--warmup", "0");
  REFUSES(path, "run", program, ON_CHIP); // the warm-up meets it
  REFUSES(path, "compare", program, ON_CHIP, "--schemes", "lru,srrip", "--warmup", "0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_up_to_its_count),
    cmocka_unit_test(every_number_is_there),
    cmocka_unit_test(frozen),
    cmocka_unit_test(begins_again),
    cmocka_unit_test(first_pass_is_checked),
    cmocka_unit_test(alone_on_the_gpu),
    cmocka_unit_test(cpus_alone),
    cmocka_unit_test(any_number_of_jobs),
    cmocka_unit_test(best_of_a_sweep),
    cmocka_unit_test(stored),
    cmocka_unit_test(keys_of_contents),
    cmocka_unit_test(cannot_be_run),
    cmocka_unit_test(report),
    cmocka_unit_test(list),
    cmocka_unit_test(counts_tell_apart),
    cmocka_unit_test(damage_met_on_the_way),
    cmocka_unit_test(names_before_files),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}

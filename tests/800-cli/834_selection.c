// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// --kernels, --launches, --max-launches, --warm: what is selected is timed as it would be alone, the rest computes.
#include "folder.h"

#include <jansson.h>

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"

// One thread adds 1 to the first word of each of 64 lines of 128 bytes: launches 0, 2 and 3 of a, launch 1 of b. Buffers of zeros
// are not copied in, so that no cache has them at first.
static const char LAUNCHES[] =
  "module: walk.ptx\nbuffers:\n  a: {bytes: 8192, fill: zero}\n  b: {bytes: 8192, fill: zero}\n"
  "launches:\n  - {kernel: walk, grid: [1], block: [1], args: [a]}\n"
  "  - {kernel: other, grid: [1], block: [1], args: [b]}\n"
  "  - {kernel: walk, grid: [1], block: [1], args: [a]}\n"
  "  - {kernel: walk, grid: [1], block: [1], args: [a]}\nchecksum: [a, b]\n";
#define BODY                                                                                                           \
  "{\n.reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %p;\nld.param.u64 %d1, [a];\nmov.u32 %r1, 0;\nL:\n"                 \
  "mad.wide.u32 %d2, %r1, 128, %d1;\nld.global.u32 %r2, [%d2];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d2], %r2;\n"     \
  "add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p, %r1, 64;\n@%p bra L;\nret;\n}\n"
#define PUT                                                                                                            \
  "{\n.reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %p;\nld.param.u64 %d1, [a];\nmov.u32 %r1, 0;\nL:\n"                 \
  "mad.wide.u32 %d2, %r1, 128, %d1;\nst.global.u32 [%d2], %r1;\n"                                                      \
  "add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p, %r1, 64;\n@%p bra L;\nret;\n}\n"
static const char KERNELS[] =
  ".version 3.1\n.target sm_20\n.address_size 64\n"
  ".visible .entry walk(.param .u64 .ptr .global a)\n" BODY ".visible .entry put(.param .u64 .ptr .global a)\n" PUT
  ".visible .entry other(.param .u64 .ptr .global a)\n" BODY;

// The same with a store in place of a load and a store, and a launch that reads what it wrote.
static const char PARTS[] = "module: walk.ptx\nbuffers:\n  a: {bytes: 8192, fill: zero}\n"
                            "launches:\n  - {kernel: put, grid: [1], block: [1], args: [a]}\n"
                            "  - {kernel: walk, grid: [1], block: [1], args: [a]}\nchecksum: [a]\n";

// The L1 fetches each line in four pieces of 32 bytes. What else misses in a first launch is its code.
enum { DATA = 64 * 128 / 32 };

static int write_files(void **state) {
  make_folder(state);
  write_text_file(file("walk.ptx"), KERNELS);
  write_text_file(file("walk.yaml"), LAUNCHES);
  write_text_file(file("parts.yaml"), PARTS);
  return 0;
}

#define RUN(...)                                                                                                       \
  run_object((const char *const[]){"run", file("walk.yaml"), "--chip", "fermi-gtx480", "--json", __VA_ARGS__, NULL})

static json_t *run_object(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  json_t *run = json_loads(p.out, 0, NULL);
  assert_non_null(run);
  process_free(&p);
  json_object_del(run, "host");
  return run;
}

static json_t *kernel(const json_t *run, size_t k) {
  return json_array_get(json_object_get(run, "kernels"), k);
}

static json_int_t at(const json_t *o, const char *a, const char *b, const char *c) {
  o = json_object_get(json_object_get(json_object_get(o, a), b), c);
  assert_true(json_is_integer(o));
  return json_integer_value(o);
}

// L2 load misses of the run's k-th timed launch; the launch must have the number.
static json_int_t misses(const json_t *run, size_t k, json_int_t number) {
  assert_int_equal(json_integer_value(json_object_get(kernel(run, k), "launch")), number);
  return at(kernel(run, k), "l2", "loads", "misses");
}

// Of these, those of its code, by lines of 128 bytes, and of its parameters, by lines of 64.
static json_int_t code_misses(const json_t *run, size_t k) {
  const json_int_t code = json_integer_value(json_object_get(kernel(run, k), "instruction_cache_misses"));
  assert_true(code > 0);
  return 4 * code + 2 * json_integer_value(json_object_get(kernel(run, k), "constant_cache_misses"));
}

static void all_of_it(void **state) {
  (void)state;
  json_t *whole = RUN("--seed=1"), *all = RUN("--launches", "0.."), *named = RUN("--kernels", "walk|other");
  json_t *selection = json_object_get(all, "selection");
  assert_int_equal(json_integer_value(json_object_get(selection, "selected")), 4);
  json_object_del(all, "selection");
  json_object_del(named, "selection");
  assert_true(json_equal(whole, all));
  assert_true(json_equal(whole, named));
  json_decref(whole);
  json_decref(all);
  json_decref(named);
}

// Launch 2 alone finds empty caches, as launch 0 did; after its own copy in launch 0 it finds a's lines. Either way every launch has
// added its 1.
static void cold_and_warm(void **state) {
  (void)state;
  json_t *whole = RUN("--seed=1"), *cold = RUN("--launches", "2"), *warm = RUN("--launches", "2", "--warm");
  assert_int_equal(misses(whole, 0, 0), at(kernel(whole, 0), "l2", "loads", "accesses"));
  assert_int_equal(misses(whole, 2, 2), 0);
  assert_int_equal(misses(cold, 0, 2), misses(whole, 0, 0));
  assert_int_equal(misses(warm, 0, 2), misses(cold, 0, 2) - DATA);
  assert_true(json_equal(json_object_get(cold, "checksums"), json_object_get(whole, "checksums")));
  assert_true(json_equal(json_object_get(warm, "checksums"), json_object_get(whole, "checksums")));
  assert_true(json_equal(json_object_get(kernel(cold, 0), "cycles"), json_object_get(kernel(whole, 0), "cycles")));
  assert_true(
    json_equal(json_object_get(json_object_get(cold, "total"), "cycles"), json_object_get(kernel(cold, 0), "cycles")));
  assert_int_equal(json_array_size(json_object_get(cold, "kernels")), 1);
  json_decref(whole);
  json_decref(cold);
  json_decref(warm);
}

// Launch 0 writes one word of each of 64 sectors, launch 1 reads these. It misses them as it does when the caches are empty: nobody has
// what else is in them.
static void warm_by_parts(void **state) {
  (void)state;
  static const char *const options[] = {"run", NULL, "--chip", "fermi-gtx480", "--json", "--launches", "1", NULL, NULL};
  const char *argv[9];
  memcpy(argv, options, sizeof argv);
  argv[1] = file("parts.yaml");
  json_t *cold = run_object(argv);
  argv[7] = "--warm";
  json_t *warm = run_object(argv);
  assert_int_equal(misses(warm, 0, 1), misses(cold, 0, 1));
  json_decref(cold);
  json_decref(warm);
}

// A launch that is skipped empties the caches for the next one; there is none between 2 and 3.
// On a chip whose launches are cold, the third launch finds nothing of what the first has left, nor the fourth of the third,
// nor their code.
static void cold_by_a_key(void **state) {
  (void)state;
  json_t *run = RUN("--set", "cold_launches=true"), *kept = RUN("--seed=1");
  assert_true(misses(kept, 2, 2) == 0);
  assert_true(misses(run, 2, 2) == DATA + code_misses(run, 2));
  assert_true(misses(run, 3, 3) == DATA + code_misses(run, 3));
  json_decref(run);
  json_decref(kept);
}

static void in_between(void **state) {
  (void)state;
  json_t *cold = RUN("--kernels", "^w"), *warm = RUN("--kernels", "^w", "--warm"),
         *two = RUN("--kernels", "^w", "--max-launches=2");
  assert_int_equal(misses(cold, 1, 2), DATA);
  assert_int_equal(misses(cold, 2, 3), 0);
  assert_int_equal(misses(warm, 0, 0), misses(cold, 0, 0));
  assert_int_equal(misses(warm, 1, 2), 0);
  assert_int_equal(json_array_size(json_object_get(two, "kernels")), 2);
  assert_int_equal(misses(two, 1, 2), DATA);
  json_t *skipped = json_object_get(json_object_get(two, "selection"), "skipped_kernels");
  assert_int_equal(json_array_size(skipped), 2);
  assert_string_equal(json_string_value(json_array_get(skipped, 0)), "other");
  json_decref(cold);
  json_decref(warm);
  json_decref(two);
}

static void wrong_selections(void **state) {
  (void)state;
  static const struct {
    const char *option, *value, *said;
  } wrong[] = {
    {"--kernels", "(", "'(' is none"},
    {"--kernels", "nosuch", "by --kernels 'nosuch': the program has 4 launches, of kernels walk, other"},
    {"--launches", "4..", "by --launches 4..: the program has 4 launches"},
    {"--launches", "3..1", "'3..1' runs backwards"},
    {"--launches", "one", "not 'one'"},
    {"--launches", "1..2x", "not '1..2x'"},
    {"--max-launches", "0", "not '0'"},
    {"--warm", NULL, "all are"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct process p = process_run("run", file("walk.yaml"), wrong[i].option, wrong[i].value);
    assert_int_equal(p.status, 2);
    assert_non_null(strstr(p.err, wrong[i].said));
    process_free(&p);
  }
  struct process p = process_run("run", file("walk.yaml"), "--functional", "--launches", "1");
  assert_int_equal(p.status, 2);
  process_free(&p);
  p = process_run("run", "floyd", "--chip", "apu-1c4g", "--launches", "1");
  assert_int_equal(p.status, 2);
  assert_non_null(strstr(p.err, "--gpu-instructions"));
  process_free(&p);
}

// A program's launches are selected as those of a launch file with the same launches.
static void of_a_program(void **state) {
  (void)state;
  static const char *const members[] = {"selection", "kernels", "total"};
  json_t *file_run = run_object((const char *const[]){"run", WEIR_SOURCE_DIR "/tests/820-device/vector.yaml", "--chip",
                                                      "fermi-gtx480", "--launches", "1", "--json", NULL});
  struct process p = process_run("run", "--chip", "fermi-gtx480", "--launches", "1", "--json", "--", SUBJECT, "exit");
  json_t *runs = json_loads(p.out, 0, NULL), *own = json_array_get(runs, 0);
  assert_non_null(own);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    assert_true(json_equal(json_object_get(own, members[i]), json_object_get(file_run, members[i])));
  process_free(&p);
  p = process_run("run", "--chip", "fermi-gtx480", "--kernels", "nosuch", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 2);
  assert_non_null(strstr(p.err, "nothing was selected by --kernels 'nosuch'"));
  process_free(&p);
  p = process_run("compare", "--scheme", "lru", "--kernels", "nosuch", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 2);
  assert_non_null(strstr(p.err, "nothing was selected by --kernels 'nosuch'"));
  process_free(&p);
  json_decref(runs);
  json_decref(file_run);
}

// Runs of other selections are other runs, in a store and in a sweep.
static void kept_apart(void **state) {
  (void)state;
  struct process p =
    process_run("compare", file("walk.yaml"), "--scheme", "lru", "--launches", "0", "--store", file("s.sqlite"));
  assert_int_equal(p.status, 0);
  assert_non_null(strstr(p.err, "1 of 4 launches were timed"));
  process_free(&p);
  p = process_run("compare", file("walk.yaml"), "--scheme", "lru", "--launches", "2", "--store", file("s.sqlite"));
  assert_null(strstr(p.err, "had been made before"));
  process_free(&p);
  write_text_file(file("sweep.yaml"),
                  "programs: walk.yaml\nschemes: lru\nlaunches: 0..2\nkernels: walk\nmax_launches: 1\n");
  p = process_run("sweep", file("sweep.yaml"), "--csv", "--store", file("t.sqlite"));
  assert_int_equal(p.status, 0);
  json_t *first = run_object((const char *const[]){"run", file("walk.yaml"), "--launches", "0", "--json", NULL});
  char cycles[32];
  snprintf(cycles, sizeof cycles, ",%lld,",
           json_integer_value(json_object_get(json_object_get(first, "total"), "cycles")));
  assert_non_null(strstr(p.out, cycles));
  assert_non_null(strstr(p.out, ",timed,launched\n"));
  assert_non_null(strstr(p.out, ",1,4\n")); // what the row is of
  process_free(&p);
  json_decref(first);
  p = process_run("sweep", file("sweep.yaml"), "--store", file("t.sqlite"));
  assert_non_null(strstr(p.out, "numbers are of the launches that were timed, not of whole runs"));
  process_free(&p);
  write_text_file(file("sweep.yaml"), "programs: walk.yaml\nschemes: lru\nwarm: maybe\n");
  p = process_run("sweep", file("sweep.yaml"), "--dry-run");
  assert_int_equal(p.status, 2);
  assert_non_null(strstr(p.err, "sweep.yaml:3"));
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_of_it),    cmocka_unit_test(cold_and_warm), cmocka_unit_test(warm_by_parts),
    cmocka_unit_test(in_between),   cmocka_unit_test(cold_by_a_key), cmocka_unit_test(wrong_selections),
    cmocka_unit_test(of_a_program), cmocka_unit_test(kept_apart),
  };
  return cmocka_run_group_tests(tests, write_files, remove_folder);
}

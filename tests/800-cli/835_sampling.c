// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// --sample auto: which launches are timed, that the others compute, and what is said of them.
#include "folder.h"

#include <jansson.h>
#include <math.h>

// A thread adds 1 to each of n words (`add`), or writes n into them (`put`); each block has n words of its own. `walk` adds 1 to the first
// word of each of 64 lines of 128 bytes, from the n-th on. `look` reads the n-th line of constants, and the next one.
#define BODY(value)                                                                                                    \
  "{\n.reg .b32 %r<6>; .reg .b64 %d<3>; .reg .pred %p;\nld.param.u64 %d1, [a];\nld.param.u32 %r3, [n];\n"              \
  "mov.u32 %r4, %ctaid.x;\nmul.lo.u32 %r4, %r4, %r3;\nmov.u32 %r1, 0;\nL:\nadd.u32 %r5, %r4, %r1;\n"                   \
  "mad.wide.u32 %d2, %r5, 4, %d1;\nld.global.u32 %r2, [%d2];\n" value "st.global.u32 [%d2], %r2;\n"                    \
  "add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p, %r1, %r3;\n@%p bra L;\nret;\n}\n"
static const char KERNELS[] =
  ".version 3.1\n.target sm_20\n.address_size 64\n.const .align 64 .b32 table[400];\n"
  ".visible .entry look(.param .u64 .ptr .global a, .param .u32 n)\n"
  "{\n.reg .b32 %r<4>; .reg .b64 %d<4>;\nld.param.u64 %d1, [a];\nld.param.u32 %r1, [n];\nmov.u64 %d2, table;\n"
  "mad.wide.u32 %d3, %r1, 64, %d2;\nld.const.u32 %r2, [%d3];\nld.const.u32 %r3, [%d3+64];\nadd.u32 %r2, %r2, %r3;\n"
  "st.global.u32 [%d1], %r2;\nret;\n}\n"
  ".visible .entry add(.param .u64 .ptr .global a, .param .u32 n)\n" BODY("add.u32 %r2, %r2, 1;\n") ".visible .entry put(.param .u64 .ptr .global a, .param .u32 n)\n" BODY(
    "mov.u32 %r2, %r3;\n") ".visible .entry walk(.param .u64 .ptr .global a, .param .u32 n)\n"
                           "{\n.reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p;\nld.param.u64 %d1, [a];\nld.param.u32 %r3, [n];\nmov.u32 %r1, 0;\nL:\n"
                           "mad.wide.u32 %d2, %r3, 128, %d1;\nld.global.u32 %r2, [%d2];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d2], %r2;\n"
                           "add.u32 %r1, %r1, 1;\nadd.u32 %r3, %r3, 1;\nsetp.ne.u32 %p, %r1, 64;\n@%p bra L;\nret;\n}\n";

static int write_files(void **state) {
  make_folder(state);
  write_text_file(file("k.ptx"), KERNELS);
  return 0;
}

// launches: "KERNEL BLOCKS N TIMES", … ends with NULL.
static void write_launches(const char *name, const char *const *launches) {
  FILE *f = fopen(file(name), "w");
  assert_non_null(f);
  fputs("module: k.ptx\nbuffers:\n  a: {bytes: 131072, fill: zero}\nlaunches:\n", f);
  for (; *launches; launches++) {
    char kernel[8];
    unsigned blocks, n, times;
    assert_int_equal(sscanf(*launches, "%7s %u %u %u", kernel, &blocks, &n, &times), 4);
    while (times--) fprintf(f, "  - {kernel: %s, grid: [%u], block: [1], args: [a, {u32: %u}]}\n", kernel, blocks, n);
  }
  fputs("checksum: [a]\n", f);
  fclose(f);
}

struct pair {
  json_t *whole, *sampled;
};

static json_t *run_object(const char *name, const char *option) {
  struct process p = process_run("run", file(name), "--chip", "fermi-gtx480", "--json", option);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  json_t *run = json_loads(p.out, 0, NULL);
  assert_non_null(run);
  process_free(&p);
  return run;
}

static json_int_t total(const json_t *run, const char *counter) {
  return json_integer_value(json_object_get(json_object_get(run, "total"), counter));
}

static json_int_t of_sample(const struct pair *p, const char *member) {
  return json_integer_value(json_object_get(json_object_get(p->sampled, "sampling"), member));
}

static double cycles_error(const struct pair *p) {
  const json_t *error = json_object_get(json_object_get(p->sampled, "sampling"), "cycles_error");
  assert_true(json_is_real(error));
  return json_real_value(error);
}

// Whatever is timed, all launches are executed once, and every instruction is counted.
static struct pair run_both(const char *name, const char *const *launches) {
  write_launches(name, launches);
  struct pair p = {run_object(name, NULL), run_object(name, "--sample=auto")};
  assert_true(json_equal(json_object_get(p.whole, "checksums"), json_object_get(p.sampled, "checksums")));
  assert_int_equal(total(p.whole, "warp_instructions"), total(p.sampled, "warp_instructions"));
  return p;
}

static void end(struct pair *p) {
  json_decref(p->whole);
  json_decref(p->sampled);
}

// Of 40 launches alike the 1st, 2nd, 3rd, 8th and 32nd are timed. All but the first are equal in every cycle, so that the
// estimate is the truth and no spread is left.
static void launches_alike(void **state) {
  (void)state;
  static const json_int_t timed[] = {0, 1, 2, 7, 31};
  struct pair p = run_both("alike.yaml", (const char *const[]){"add 1 64 40", NULL});
  const json_t *kernels = json_object_get(p.sampled, "kernels");
  assert_int_equal(json_array_size(kernels), 5);
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(json_integer_value(json_object_get(json_array_get(kernels, i), "launch")), timed[i]);
  assert_int_equal(of_sample(&p, "launched"), 40);
  assert_int_equal(of_sample(&p, "timed"), 5);
  assert_int_equal(total(p.sampled, "cycles"), total(p.whole, "cycles"));
  assert_true(cycles_error(&p) < 1e-6);
  end(&p);
}

// add changes memory with every launch. put leaves what it found from its second launch on: 1024 words' 1024 × 7 instructions are more
// than 131072 bytes / 32, so that it is worth a look, and what is looked at are launches that are not timed: the 3rd in a row is
// taken as the state, the 4th runs on it, the 5th and 6th are timed, and all behind them are what these are, even if their number is
// a power of two.
static void launches_that_change_nothing(void **state) {
  (void)state;
  struct pair p = run_both("put.yaml", (const char *const[]){"put 1 1024 40", NULL});
  assert_int_equal(of_sample(&p, "timed"), 3 + 2);
  assert_int_equal(of_sample(&p, "not_run"), 40 - 6);
  assert_int_equal(total(p.sampled, "cycles"), total(p.whole, "cycles"));
  assert_true(cycles_error(&p) < 1e-6);
  end(&p);
  if (WEIR_SANITIZED) return; // for its time
  p = run_both("add.yaml", (const char *const[]){"add 1 1024 40", NULL});
  assert_int_equal(of_sample(&p, "not_run"), 0);
  end(&p);
  p = run_both("both.yaml",
               (const char *const[]){"put 1 1024 10", "add 1 1024 3", "put 1 1024 10", "put 2 1024 9", NULL});
  end(&p);
}

// The first launch of two blocks finds new data, and is far from the second. As they are little beside the 40 before them, no third
// is timed for that; but those that repeat the second do not differ from it.
static void repeats_of_a_stratum_that_began_cold(void **state) {
  (void)state;
  if (WEIR_SANITIZED) skip(); // for its time
  struct pair p = run_both("cold.yaml", (const char *const[]){"put 1 1024 40", "put 2 1024 20", NULL});
  assert_int_equal(of_sample(&p, "timed"), 3 + 2 + 2 + 2);
  assert_true(cycles_error(&p) < 0.01);
  const double off = (double)(total(p.sampled, "cycles") - total(p.whole, "cycles"));
  assert_true(fabs(off) <= cycles_error(&p) * (double)total(p.sampled, "cycles") + 1);
  end(&p);
}

// The first launch of a kernel finds colder caches than those behind it, the first of its next stratum (on data that the L2 has) does
// not: two are enough there, and the third is timed where they differ (that of 256 words finds new data, the second does not).
// The strata are of blocks, and of instructions per block: twice the blocks with twice the instructions are one step, not two.
static void strata_of_one_kernel(void **state) {
  (void)state;
  struct pair p = run_both("strata.yaml", (const char *const[]){"add 8 128 3", "add 4 128 5", "add 4 64 4", NULL});
  assert_int_equal(of_sample(&p, "timed"), 3 + 2 + 2);
  end(&p);
  p = run_both("new.yaml", (const char *const[]){"add 4 64 3", "add 4 256 5", NULL});
  assert_int_equal(of_sample(&p, "timed"), 3 + 3);
  end(&p);
  p = run_both("grow.yaml", (const char *const[]){"add 4 64 3", "add 5 64 1", "add 7 64 3", NULL});
  assert_int_equal(of_sample(&p, "timed"), 3); // 5 and 7 blocks are of the first stratum, their instructions of two
  end(&p);
}

// Launches of one grid, long and short in turn: what is expected to be short and proves long is taken back and timed. (A word is
// added to once per launch, or the checksum would be another.)
static void launches_taken_back(void **state) {
  (void)state;
  struct pair p = run_both("turns.yaml",
                           (const char *const[]){"add 1 64 2", "add 1 64 3", "add 1 1000 1", "add 1 64 1",
                                                 "add 1 1000 1", "add 1 70 2", "add 1 1000 2", "add 1 64 3",
                                                 "add 1 1000 1", "add 1 127 1", "add 1 999 1", NULL});
  const json_t *strata = json_object_get(json_object_get(p.sampled, "sampling"), "strata");
  assert_int_equal(json_array_size(strata), 2); // 64 to 127 words, 999 and 1000: each within two powers of two
  end(&p);
}

// 4096 blocks alike: 128 at a time (16 cores of 8 blocks), so that a wave and three more show what the rest is like. Not the first time:
// the L2, which has room for all of it, is still being filled.
static void a_launch_that_becomes_steady(void **state) {
  (void)state;
  if (WEIR_SANITIZED) skip(); // for its time
  struct pair p = run_both("long.yaml", (const char *const[]){"add 4096 8 2", NULL});
  assert_int_equal(of_sample(&p, "stopped"), 1);
  const double whole = (double)total(p.whole, "cycles"), estimated = (double)total(p.sampled, "cycles");
  assert_true(fabs(estimated / whole - 1) < 0.05);
  const json_t *kernel = json_array_get(json_object_get(p.sampled, "kernels"), 1);
  assert_true(json_integer_value(json_object_get(kernel, "blocks")) < 1024);
  assert_int_equal(total(p.sampled, "blocks"), 2 * 4096);
  end(&p);
  p = run_both("short.yaml", (const char *const[]){"add 512 8 2", NULL});
  assert_int_equal(of_sample(&p, "stopped"), 0);
  assert_int_equal(total(p.sampled, "cycles"), total(p.whole, "cycles"));
  end(&p);
}

static json_int_t l2_misses(const json_t *kernel) {
  return json_integer_value(json_object_get(json_object_get(json_object_get(kernel, "l2"), "loads"), "misses"));
}

static json_int_t launch_of(const json_t *kernel) {
  return json_integer_value(json_object_get(kernel, "launch"));
}

// Every launch that was timed found in the L2 what it finds in the whole run.
static void assert_found_the_same(const struct pair *p) {
  const json_t *whole = json_object_get(p->whole, "kernels"), *timed = json_object_get(p->sampled, "kernels"), *k;
  size_t i;
  json_array_foreach(timed, i, k) {
    const json_t *same = json_array_get(whole, (size_t)launch_of(k));
    assert_int_equal(launch_of(same), launch_of(k));
    assert_int_equal(l2_misses(k), l2_misses(same));
  }
}

// Each launch walks over 32 lines that the one before it has walked over and over 32 that none has: the L1 fetches these in four pieces
// of 32 bytes each. So it is of the 8th, too, although the 7th was not timed: that one is warmed.
static void launches_on_what_the_one_before_left(void **state) {
  (void)state;
  enum { LAUNCHES = 20 };
  char texts[LAUNCHES][20];
  const char *launches[LAUNCHES + 1] = {NULL};
  for (int i = 0; i < LAUNCHES; i++) {
    snprintf(texts[i], sizeof texts[i], "walk 1 %d 1", 32 * i);
    launches[i] = texts[i];
  }
  struct pair p = run_both("walk.yaml", launches);
  const json_t *eighth = json_array_get(json_object_get(p.sampled, "kernels"), 3);
  assert_int_equal(launch_of(eighth), 7);
  assert_int_equal(l2_misses(eighth), 32 * 4);
  assert_int_equal(of_sample(&p, "warmed"), 1);
  assert_found_the_same(&p);
  end(&p);
}

// The same of constants, 64 bytes a line: each launch finds one of its two lines.
static void constants_that_the_one_before_read(void **state) {
  (void)state;
  enum { LAUNCHES = 20 };
  char texts[LAUNCHES][20];
  const char *launches[LAUNCHES + 1] = {NULL};
  for (int i = 0; i < LAUNCHES; i++) {
    snprintf(texts[i], sizeof texts[i], "look 1 %d 1", i);
    launches[i] = texts[i];
  }
  struct pair p = run_both("look.yaml", launches);
  const json_t *timed = json_object_get(p.sampled, "kernels"), *k;
  size_t i;
  assert_int_equal(launch_of(json_array_get(timed, 3)), 7);
  json_array_foreach(timed, i, k) if (i) assert_int_equal(
    json_integer_value(json_object_get(k, "constant_cache_misses")), 1); // the first: both, and its parameters
  assert_found_the_same(&p);
  end(&p);
}

// Of a kernel whose launches are alike those before the 8th and the 32nd are warmed. One that does not come again (put's 7th launch is
// warmed, its 8th would be timed) is not waited for: all others of add are not.
static void what_is_warmed(void **state) {
  (void)state;
  struct pair p = run_both("alike.yaml", (const char *const[]){"add 1 64 40", NULL});
  assert_int_equal(of_sample(&p, "warmed"), 2);
  end(&p);
  p = run_both("ends.yaml", (const char *const[]){"put 1 64 7", "add 1 64 40", NULL});
  assert_int_equal(of_sample(&p, "warmed"), 1 + 2);
  end(&p);
  p = run_both("put.yaml", (const char *const[]){"put 1 1024 40", NULL});
  assert_int_equal(of_sample(&p, "warmed"), 1); // the 4th, on whose caches the 5th is timed
  end(&p);
}

// The 7th is expected to be short, and to be warmed for the 8th. It proves long, and is timed after all, on what the six before it left:
// 69 words, 9 sectors of the 125 that it reads.
static void a_launch_taken_back_leaves_nothing(void **state) {
  (void)state;
  struct pair p = run_both("back.yaml",
                           (const char *const[]){"add 1 64 1", "add 1 65 1", "add 1 66 1", "add 1 67 1", "add 1 68 1",
                                                 "add 1 69 1", "add 1 1000 1", NULL});
  const json_t *kernels = json_object_get(p.sampled, "kernels"), *last = json_array_get(kernels, 3);
  assert_int_equal(json_array_size(kernels), 4);
  assert_int_equal(l2_misses(last), 1000 / 8 - 9);
  assert_found_the_same(&p);
  end(&p);
}

// Words 64, 68, 72 and so on, 8 instructions each and 6 more: the 17th launch, of 128 words, is the first with more than 1023, which is
// foretold from how they grow, so that the 16th is warmed. That one's 124 words lie in all of the sectors that the 17th reads.
static void launches_that_grow(void **state) {
  (void)state;
  enum { LAUNCHES = 17 };
  char texts[LAUNCHES][20];
  const char *launches[LAUNCHES + 1] = {NULL};
  for (int i = 0; i < LAUNCHES; i++) {
    snprintf(texts[i], sizeof texts[i], "add 1 %d 1", 64 + 4 * i);
    launches[i] = texts[i];
  }
  struct pair p = run_both("grows.yaml", launches);
  const json_t *kernels = json_object_get(p.sampled, "kernels"),
               *last = json_array_get(kernels, json_array_size(kernels) - 1);
  assert_int_equal(launch_of(last), 16);
  assert_int_equal(l2_misses(last), 0);
  assert_found_the_same(&p);
  end(&p);
}

static void what_is_said(void **state) {
  (void)state;
  gives(process_run("run", file("alike.yaml"), "--sample", "auto"), 0, "5 of 40 launches were timed");
  gives(process_run("compare", file("alike.yaml"), "--scheme", "lru", "--no-store", "--sample", "auto"), 0,
        "its numbers are estimates: cycles within");
  write_text_file(file("sweep.yaml"), "programs: alike.yaml\nschemes: lru\nsample: auto\n");
  gives(process_run("sweep", file("sweep.yaml"), "--store", file("s.sqlite")), 0,
        "numbers are estimates of whole runs");
  gives(process_run("run", file("alike.yaml"), "--sample", "some"), 2, "takes auto, not 'some'");
  gives(process_run("run", file("alike.yaml"), "--sample", "auto", "--launches", "1"), 2, "it excludes --kernels");
  gives(process_run("run", file("alike.yaml"), "--sample", "auto", "--functional"), 2, "a functional run times none");
  gives(process_run("run", file("alike.yaml"), "--sample", "auto", "--scheme", "opt"), 2, "'opt' foresees");
  gives(process_run("run", "floyd", "--sample", "auto", "--chip", "apu-1c4g"), 2, "--gpu-instructions");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(launches_alike),
    cmocka_unit_test(launches_that_change_nothing),
    cmocka_unit_test(repeats_of_a_stratum_that_began_cold),
    cmocka_unit_test(strata_of_one_kernel),
    cmocka_unit_test(launches_taken_back),
    cmocka_unit_test(a_launch_that_becomes_steady),
    cmocka_unit_test(launches_on_what_the_one_before_left),
    cmocka_unit_test(constants_that_the_one_before_read),
    cmocka_unit_test(what_is_warmed),
    cmocka_unit_test(a_launch_taken_back_leaves_nothing),
    cmocka_unit_test(launches_that_grow),
    cmocka_unit_test(what_is_said),
  };
  return cmocka_run_group_tests(tests, write_files, remove_folder);
}

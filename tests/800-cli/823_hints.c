// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hints on the command line: that they reach the caches, as a file's text and as options, and as the PTX itself; and what is
// refused with exit code 2.
#include "weir_process.h"

#define LAUNCH                                                                                                         \
  "module: k.ptx\nbuffers:\n  a: {bytes: 16384, fill: zero}\n"                                                         \
  "launches:\n  - {kernel: k, grid: [1], block: [32], args: [a]}\n"

static char folder[] = "/tmp/weir_hints_XXXXXX", launch[64], hints[64], ptx[64], written[64], source[64];

// A warp reads the same line eight times: once missing, seven times hit; past the L1 no time at all.
static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(launch, sizeof launch, "%s/k.yaml", folder);
  snprintf(hints, sizeof hints, "%s/hints.txt", folder);
  snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
  snprintf(source, sizeof source, "%s/k.cu", folder);
  snprintf(written, sizeof written, "%s/w.ptx", folder);
  write_text_file(launch, LAUNCH);
  write_text_file(
    ptx,
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global k_param_0)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "ld.param.u64 %d1, [k_param_0];\nmov.u32 %r1, 0;\nmov.u32 %r2, %tid.x;\n"
    "mad.wide.u32 %d2, %r2, 4, %d1;\nL:\nld.global.u32 %r3, [%d2];\n" // 12
    "add.u32 %r1, %r1, 1;\nadd.u32 %r2, %r3, 1;\nsetp.ne.u32 %p, %r1, 8;\n@%p bra L;\n"
    "st.global.u32 [%d2], %r2;\nret;\n}\n"); // 17
  return 0;
}

// Of the run that ended well, at the cache whose name is given in quotation marks.
static long loads_that_hit(struct process *p, const char *cache) {
  if (p->status) print_error("%s", p->err);
  assert_int_equal(p->status, 0);
  const char *level = strstr(p->out, cache), *loads = level ? strstr(level, "\"loads\"") : NULL;
  const char *hits = loads ? strstr(loads, "\"hits\":") : NULL;
  assert_non_null(hits);
  const long n = strtol(hits + strlen("\"hits\":"), NULL, 10);
  process_free(p);
  return n;
}

static long hits_of(const char *option, const char *value) {
  struct process p =
    process_run_all((const char *const[]){"run", launch, "--chip", "ampere-a40", "--json", option, value, NULL});
  return loads_that_hit(&p, "\"l1\"");
}

// Four sectors of the line, each missed once; or each of the eight times.
static void test_effect(void **state) {
  (void)state;
  assert_int_equal(hits_of("--seed", "1"), 28);
  assert_int_equal(hits_of("--hint", "k.ptx:12=cg"), 0);
  assert_int_equal(hits_of("--hint", "k.ptx:12[param_0]=L1::no_allocate"), 0);
  assert_int_equal(hits_of("--hint", "k.ptx:12#1=cs"), 28);
  write_text_file(hints, "# one\n\n  k.ptx:12=cv # two\n");
  assert_int_equal(hits_of("--hints", hints), 0);
}

static void refuse(const char *const *argv, const char *err) {
  struct process p = process_run_all(argv);
  if (p.status != 2) print_error("%s%s", p.out, p.err);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, err);
  process_free(&p);
}

static void test_refused(void **state) {
  (void)state;
  refuse((const char *const[]){"run", launch, "--hint", "k.ptx:13=cg", NULL},
         "no load or store of global memory is at k.ptx:13");
  write_text_file(hints, "k.ptx:12=cg\nk.ptx:12[x]=cg\n");
  refuse((const char *const[]){"run", launch, "--hints", hints, NULL},
         "hints.txt:2: error: k.ptx:12 has no access to the array 'x'");
  refuse((const char *const[]){"run", launch, "--hints", "/nowhere", NULL}, "/nowhere");
  refuse((const char *const[]){"compare", launch, "--scheme", "lru", "--hint", "k.ptx:12=gc", NULL},
         "there is no hint 'gc'");
  refuse((const char *const[]){"hint", ptx, NULL}, "--hint or --hints is missing");
  refuse((const char *const[]){"hint", ptx, "--hint", "k.ptx:12=L2::evict_last", NULL}, "it needs PTX 8.8 and sm_100");
}

static void test_written(void **state) {
  (void)state;
  struct process p = process_run_all((const char *const[]){"hint", ptx, "--hint", "k.ptx:12=cs", "-o", written, NULL});
  assert_int_equal(p.status, 0);
  process_free(&p);
  p = process_run_all((const char *const[]){"hint", written, "--hint", "w.ptx:17=wt", NULL});
  assert_int_equal(p.status, 2); // the printer's lines are others
  process_free(&p);
  p = process_run_all((const char *const[]){"hint", ptx, "--hint", "k.ptx:17=wt", NULL});
  assert_holds(p.out, "st.global.wt.u32");
  assert_holds(p.out, "ld.global.u32");
  process_free(&p);
}

// Loads of L2 that hit, of a line that is read again behind 8192 others: 1 MiB in an L2 of 384 KiB.
static long second_level_hits(const char *policy, const char *first) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s%s%s",
           ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global a)\n{\n"
           ".reg .b32 %r<6>; .reg .b64 %d<6>; .reg .pred %p;\nld.param.u64 %d1, [a];\n"
           ".shared .align 16 .b8 s[16];\nmov.u32 %r1, 0;\n",
           policy, first,
           "\nmov.u32 %r2, %tid.x;\nadd.u32 %r2, %r2, 32;\nL:\n"
           "mad.wide.u32 %d3, %r2, 128, %d1;\nld.global.cg.u32 %r3, [%d3];\nadd.u32 %r1, %r1, %r3;\n"
           "add.u32 %r2, %r2, 32;\nsetp.lt.u32 %p, %r2, 8224;\n@%p bra L;\nadd.u32 %r1, %r1, %r3;\n"
           "mul.wide.u32 %d4, %r1, 4;\nadd.u64 %d4, %d4, %d1;\nld.global.cg.u32 %r4, [%d4];\nret;\n}\n");
  write_text_file(ptx, text);
  write_text_file(launch,
                  "module: k.ptx\nbuffers:\n  a: {bytes: 1052672, fill: zero}\n"
                  "launches:\n  - {kernel: k, grid: [1], block: [32], args: [a]}\n");
  struct process p = process_run_all((const char *const[]){"run", launch, "--chip", "ampere-a40", "--set",
                                                           "l2.size_kib=384", "--set", "copies_pass_l2=false", "--set",
                                                           "core.launch_prefetch_bytes=0", "--json", NULL});
  return loads_that_hit(&p, "\"l2\"");
}

// What is to go last is still there; a policy whose range or fraction leaves the line out says that it is as any other.
static void test_policy(void **state) {
  (void)state;
  static const char *const load = "ld.global.cg.L2::cache_hint.u32 %r1, [%d1], %d2;";
  assert_int_equal(second_level_hits("createpolicy.fractional.L2::evict_last.b64 %d2, 1.0;\n", load), 1);
  assert_int_equal(second_level_hits("createpolicy.fractional.L2::evict_unchanged.b64 %d2, 1.0;\n", load), 0);
  assert_int_equal(second_level_hits("createpolicy.range.L2::evict_last.b64 %d2, [%d1], 4096, 65536;\n", load), 1);
  assert_int_equal(second_level_hits("createpolicy.range.L2::evict_last.b64 %d2, [%d1+8192], 4096, 65536;\n", load), 0);
}

// The line that an atomic, a reduction, or a copy into shared memory brings stays as that of a load does.
static void test_policy_of_others(void **state) {
  (void)state;
  static const char *const last = "createpolicy.fractional.L2::evict_last.b64 %d2, 1.0;\n",
                           *const unchanged = "createpolicy.fractional.L2::evict_unchanged.b64 %d2, 1.0;\n";
  static const char *const others[] = {
    "red.global.add.L2::cache_hint.u32 [%d1], 0, %d2;",
    "atom.global.add.L2::cache_hint.u32 %r1, [%d1], 0, %d2;",
    "atom.global.cas.L2::cache_hint.b32 %r1, [%d1], 0, 0, %d2;",
    "cp.async.cg.shared.global.L2::cache_hint [s], [%d1], 16, %d2;\ncp.async.wait_all;",
    "cp.async.ca.shared.global.L2::cache_hint [s], [%d1], 8, 4, %d2;\ncp.async.wait_all;",
  };
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
    assert_int_equal(second_level_hits(last, others[i]), 1);
    assert_int_equal(second_level_hits(unchanged, others[i]), 0);
  }
}

#define NO_EFFECT "cache hints without effect on fermi-gtx480: cs at l1 of 1 access, cs at l2 of 1 access\n"

// One load has the hint, and Fermi's caches ignore it at both levels; an A40's do not. A comparison says so once, not by scheme.
static void test_ignored(void **state) {
  (void)state;
  struct process p = process_run_all((const char *const[]){"hint", ptx, "--hint", "k.ptx:12=cs", "-o", written, NULL});
  assert_int_equal(p.status, 0);
  process_free(&p);
  p = process_run_all((const char *const[]){"check", written, "--chip", "fermi-gtx480", NULL});
  assert_int_equal(p.status, 0);
  assert_holds(p.err, NO_EFFECT);
  process_free(&p);
  p = process_run_all((const char *const[]){"check", written, "--chip", "ampere-a40", NULL});
  assert_int_equal(p.status, 0);
  assert_null(strstr(p.err, "without effect"));
  process_free(&p);
  refuse((const char *const[]){"check", written, "--chip", "fermi-gtx", NULL}, "there is no chip 'fermi-gtx'");
  p = process_run_all((const char *const[]){"compare", launch, "--chip", "fermi-gtx480", "--scheme", "lru", "--scheme",
                                            "plru", "--hint", "k.ptx:12=cs", NULL});
  assert_int_equal(p.status, 0);
  const char *told = strstr(p.err, NO_EFFECT);
  assert_non_null(told);
  assert_null(strstr(told + strlen(NO_EFFECT), "without effect"));
  process_free(&p);
  p = process_run_all(
    (const char *const[]){"run", launch, "--chip", "fermi-gtx480", "--json", "--hint", "k.ptx:12=cs", NULL});
  assert_holds(p.out, "\"ignored_hints\": \"cs at l1 of 1 access, cs at l2 of 1 access\"");
  process_free(&p);
}

#define SOURCE                                                                                                         \
  "// a\n// b\n__global__ void k(const float *x, float *y, float *z) {\n"                                              \
  "  const int i = threadIdx.x;\n  float s = x[i];\n  s += y[i];\n  z[i] = s + y[i + 1] * y[i];\n}\n// c\n// d\n// e\n"

static void make_source(void) {
  write_text_file(source, SOURCE);
  write_text_file(ptx,
                  ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n"
                  ".visible .entry _Z1kPKfPfS1_(.param .u64 _Z1kPKfPfS1__param_0, .param .u64 _Z1kPKfPfS1__param_1, "
                  ".param .u64 _Z1kPKfPfS1__param_2)\n{\n"
                  ".reg .f32 %f<9>; .reg .b32 %r<4>; .reg .b64 %d<9>;\n"
                  "ld.param.u64 %d1, [_Z1kPKfPfS1__param_0];\nld.param.u64 %d2, [_Z1kPKfPfS1__param_1];\n"
                  "ld.param.u64 %d3, [_Z1kPKfPfS1__param_2];\n.loc 1 5 1\nld.global.f32 %f1, [%d1];\n.loc 1 6 1\n"
                  "ld.global.f32 %f2, [%d2];\n.loc 1 7 1\nld.global.f32 %f3, [%d2+4];\nld.global.f32 %f4, [%d2];\n"
                  "add.f32 %f5, %f1, %f2;\nfma.rn.f32 %f5, %f3, %f4, %f5;\nst.global.f32 [%d3], %f5;\nret;\n}\n");
}

// The lines 5 and 7 change, each within three others; of y line 7 has two accesses, which is said once.
static void test_patch(void **state) {
  (void)state;
  make_source();
  char expected[1000], text[1000] = "";
  snprintf(expected, sizeof expected,
           "--- a%s\n+++ b%s\n@@ -2,9 +2,9 @@\n // b\n __global__ void k(const float *x, float *y, float *z) {\n"
           "   const int i = threadIdx.x;\n-  float s = x[i];\n+  float s = __ldcs(&x[i]);\n   s += y[i];\n"
           "-  z[i] = s + y[i + 1] * y[i];\n+  __stwt(&z[i], s + y[i + 1] * y[i]);\n }\n // c\n // d\n",
           source, source);
  struct process p =
    process_run_all((const char *const[]){"hint", ptx, "--hint", "k.cu:5=cs", "--hint", "k.cu:7[param_2]=wt", "--hint",
                                          "k.cu:7[param_1]=lu", "--patch", written, NULL});
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  assert_string_equal(p.out, "");
  const char *told = strstr(p.err, "k.cu:7: note: param_1 is not written as lu: the line has 2 accesses of 'y'");
  if (!told) print_error("%s", p.err);
  assert_non_null(told);
  assert_null(strstr(strstr(told, "is not written") + 1, "is not written"));
  process_free(&p);
  FILE *f = fopen(written, "r");
  assert_non_null(f);
  assert_true(fread(text, 1, sizeof text - 1, f) > 0);
  fclose(f);
  assert_string_equal(text, expected);
  refuse((const char *const[]){"hint", ptx, "--hint", "k.cu:7[param_1]=lu", "--patch", written, NULL},
         "none of the hints can be written into CUDA source");
  unlink(source);
  refuse((const char *const[]){"hint", ptx, "--hint", "k.cu:5=cs", "--patch", written, NULL},
         "the source is not at hand");
}

static int remove_files(void **state) {
  (void)state;
  unlink(source), unlink(launch), unlink(hints), unlink(ptx), unlink(written);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_effect),  cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_written), cmocka_unit_test(test_ignored),
                                     cmocka_unit_test(test_policy),  cmocka_unit_test(test_policy_of_others),
                                     cmocka_unit_test(test_patch)};
  return cmocka_run_group_tests(tests, make_files, remove_files);
}

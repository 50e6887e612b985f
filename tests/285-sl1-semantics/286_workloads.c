// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every bundled workload at size small leaves the same results with S-L1 and without, on warps of 32 and of 64 lanes, and
// passes its own check: every second one in either way, all in both in `make test-all`, and there alone the two longest, of which
// of_interleaved_texts has shorter runs. WEIR_SL1_WORKLOADS=NAME runs that one alone, WEIR_SL1_OPTIONS=LIST with those options alone.
#include "base/alloc.h"
#include "exec/program.h"
#include "host/app.h"
#include "ptx/parse.h"
#include "sl1/gather.h"
#include "sl1/interleave.h"
#include "sl1/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "all.h"

// The paper's choices; and all that is different, where the source's word is not taken for anything.
static const char *const choices[] = {
  "threshold=60,counters=on",
  "line_bytes=32,threshold=20,alias=search,layout=interleaved,write_miss=around,floor_percent=20,rw_factor=1,"
  "static_proof=off,original_slice=off,counters=on",
};

// Runs launches, and notices whether any of them filled a line.
static bool filled;

static void note_fills(const struct weir_launch *x) {
  uint32_t structures;
  const uint64_t *counts = weir_sl1_counts(x->program, x->kernel->name, x->memory, &structures);
  for (uint32_t s = 0; counts && s < structures; s++) filled |= counts[s * WEIR_SL1_COUNTERS + WEIR_SL1_FILLS] > 0;
}

static bool launch(void *context, const struct weir_launch *x, struct weir_fault *fault) {
  const bool good = ((const struct weir_backend *)context)->launch(NULL, x, fault);
  note_fills(x);
  return good;
}

static struct weir_app *run_app(const char *name, const struct weir_app_options *options) {
  struct weir_sink sink = {0};
  struct weir_backend functional = weir_functional_backend(NULL);
  struct weir_app *a = weir_app_open(name, options, &sink);
  if (!a || !weir_app_run(a, (struct weir_backend){.context = &functional, .launch = launch})) {
    weir_sink_print(&sink, stderr);
    fail_msg("%s does not run", name);
  }
  if (weir_app_check(a) != WEIR_CHECK_PASSED) {
    weir_sink_print(&sink, stderr);
    fail_msg("%s: wrong results", name);
  }
  weir_sink_free(&sink);
  return a;
}

static void assert_same_results(const char *name, struct weir_app *a, struct weir_app *b) {
  unsigned count, others;
  const struct weir_result *want = weir_host_results(weir_app_host(a), &count);
  const struct weir_result *got = weir_host_results(weir_app_host(b), &others);
  assert_int_equal(count, others);
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(want[i].name, "rounds"))
      return; // as many as the clock leaves time for, so that nothing else is the same
  for (unsigned i = 0; i < count; i++) {
    const uint8_t *x = weir_host_bytes(weir_app_host(a), want[i].address, want[i].bytes);
    const uint8_t *y = weir_host_bytes(weir_app_host(b), got[i].address, want[i].bytes);
    assert_int_equal(want[i].bytes, got[i].bytes);
    for (uint64_t at = 0; at < want[i].bytes; at++)
      if (x[at] != y[at]) fail_msg("%s: byte %llu of '%s' differs", name, (unsigned long long)at, want[i].name);
  }
}

static void same_with_sl1(const char *name, unsigned lanes, const char *list) {
  struct weir_sink sink = {0};
  struct weir_app_options options = {
    .size = WEIR_SIZE_SMALL, .seed = 1, .lanes = lanes, .program = weir_program_defaults()};
  struct weir_app *plain = run_app(name, &options);
  options.program.sl1 = true;
  assert_true(
    weir_param_set_list(&weir_sl1_table, &options.program.sl1_options, list, weir_option_place("test"), &sink));
  filled = false;
  struct weir_app *cached = run_app(name, &options);
  assert_same_results(name, plain, cached);
  weir_app_free(plain);
  weir_app_free(cached);
}

static void run_all(unsigned parity, unsigned lanes, const char *list) {
  unsigned count, used = 0, ran = 0;
  const char *only = getenv("WEIR_SL1_WORKLOADS"), *chosen = getenv("WEIR_SL1_OPTIONS");
  const struct weir_workload *const *all = weir_workloads(&count);
  for (unsigned i = 0; i < count; i++) {
    const char *name = all[i]->name;
    const bool left_out = i % 2 != parity || !strcmp(name, "dna") || !strcmp(name, "opinion");
    if (only ? strcmp(only, name) != 0 : left_out && !test_all()) continue;
    same_with_sl1(name, lanes, chosen ? chosen : list);
    used += filled;
    ran++;
    if (only) printf("%s, %u lanes: lines %s\n", only, lanes, filled ? "filled" : "not used");
  }
  printf("%u of %u workloads filled lines\n", used, ran);
  assert_true(only || used >= (test_all() ? 10 : 5)); // the ten of Mokhtari and Stumm's Table 1, at least
}

static void all_pass_with_32_lanes(void **state) {
  (void)state;
  run_all(0, 32, choices[0]);
}

static void all_pass_with_64_lanes(void **state) {
  (void)state;
  run_all(1, 64, choices[1]);
}

// ---- interleaved texts (sl1/interleave.h) -----------------------------------------------------------------------------------

static struct weir_app_options interleaved(unsigned unit, bool sl1) {
  struct weir_app_options o = {.size = WEIR_SIZE_SMALL, .seed = 1, .lanes = 32, .program = weir_program_defaults()};
  o.program.sl1 = sl1;
  o.program.sl1_options.counters = true;
  o.program.sl1_options.threshold = 60;
  o.program.shape = (struct weir_shape){.blocks = 2, .block = 64, .footprint_kib = 96, .interleave = unit};
  return o;
}

// Each way the programs pass their own checks; and lines of 16 bytes are of one thread still.
static void of_interleaved_texts(void **state) {
  (void)state;
  static const char *const programs[] = {"wc", "opinion", "dna", "affinity"};
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
    struct weir_app_options bytes = interleaved(1, false), lines = interleaved(16, true);
    weir_app_free(run_app(programs[i], &bytes));
    filled = false;
    weir_app_free(run_app(programs[i], &lines));
    assert_true(filled);
  }
}

static uint64_t seen;

static void side_by_side(void *context, const struct weir_winstr *w) {
  (void)context;
  if (w->what->op_class != WEIR_CLASS_LOAD || w->space != WEIR_MEM_GLOBAL || w->what->access_bytes != 1) return;
  if (w->active != UINT32_MAX) return;
  seen++;
  for (unsigned lane = 1; lane < 32; lane++) assert_int_equal(w->address[lane], w->address[0] + lane);
}

static bool watched(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  (void)context;
  return weir_functional_launch(l, &(struct weir_observer){.saw = side_by_side}, fault);
}

// The threads of wc go through their characters in step, so that each load of a warp is of 32 bytes in a row.
static void bytes_side_by_side(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const struct weir_app_options options = interleaved(1, false);
  struct weir_app *a = weir_app_open("wc", &options, &sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, (struct weir_backend){.launch = watched}));
  assert_true(seen >= UINT64_C(96) * 1024 / 128 * 4); // a warp's chunks are as long as any
  weir_app_free(a);
}

// A text that a kernel writes, or loads more of at once than a unit, stays as it is.
static void refuses(void **state) {
  (void)state;
  static const char start[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".entry k(.param .u64 .ptr .global .align 4 text)\n{\n.reg .b64 %a;\n.reg .b32 %v;\n"
                              "ld.param.u64 %a, [text];\n";
  static const char *const bodies[][2] = {{"ld.global.u32 %v, [%a];\nret;\n}\n", "a load is wider than the unit"},
                                          {"st.global.u32 [%a], 1;\nret;\n}\n", "it does not only load from it"}};
  for (unsigned i = 0; i < 2; i++) {
    struct weir_sink sink = {0};
    char text[512];
    snprintf(text, sizeof text, "%s%s", start, bodies[i][0]);
    struct weir_module *m = weir_ptx_parse("k.ptx", text, strlen(text), &sink);
    assert_non_null(m);
    assert_null(weir_interleave_apply(m, 1, &sink));
    assert_int_equal(sink.errors, 1);
    assert_non_null(strstr(sink.diags[0].message, bodies[i][1]));
    weir_module_free(m);
    weir_sink_free(&sink);
  }
}

// ---- gathered texts (sl1/gather.h) --------------------------------------------------------------------------------------------

static uint64_t loaded, foreseen;

static void count_bytes(void *context, const struct weir_winstr *w) {
  (void)context;
  if (w->what->op_class == WEIR_CLASS_LOAD && w->space == WEIR_MEM_GLOBAL && w->what->access_bytes == 1)
    loaded += (unsigned)__builtin_popcountll(w->active);
}

static bool counted(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  (void)context;
  return weir_functional_launch(l, &(struct weir_observer){.saw = count_bytes}, fault);
}

// Before the second kernel the text is spoilt on the device: it reads what was gathered.
static bool spoilt(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  const struct weir_app_options *options = context;
  uint64_t bytes;
  const uint64_t *told = weir_memory_at(l->memory, weir_program_variable(l->program, WEIR_GATHER_NAME, &bytes), 40);
  if (strstr(l->kernel->name, WEIR_GATHER_ADDRESSES)) {
    if (!weir_functional_launch(l, NULL, fault)) return false;
    const uint32_t threads = l->grid[0] * l->block[0],
                   *counts = weir_memory_at(l->memory, told[WEIR_GATHER_COUNTS], threads * 4);
    for (uint32_t t = 0; t < threads; t++) foreseen += counts[t];
    return true;
  }
  const uint64_t text = options->program.shape.footprint_kib * UINT64_C(1024);
  memset(weir_memory_at(l->memory, told[WEIR_GATHER_TEXT], text), 0xFF, text);
  const bool good = weir_functional_launch(l, NULL, fault);
  note_fills(l);
  return good;
}

static void gathers(const char *name, unsigned row, bool sl1) {
  struct weir_sink sink = {0};
  struct weir_app_options options = interleaved(0, false);
  struct weir_app *whole = weir_app_open(name, &options, &sink);
  options = interleaved(row, sl1);
  options.program.shape.gather = true;
  struct weir_app *parts = weir_app_open(name, &options, &sink);
  weir_sink_print(&sink, stderr);
  assert_true(whole && parts);
  loaded = foreseen = 0;
  filled = false;
  assert_true(weir_app_run(whole, (struct weir_backend){.launch = counted}));
  assert_true(weir_app_run(parts, (struct weir_backend){.context = &options, .launch = spoilt}));
  assert_int_equal(weir_app_check(parts), WEIR_CHECK_PASSED);
  assert_same_results(name, whole, parts);
  assert_true(foreseen > 0);
  assert_int_equal(foreseen, loaded);
  weir_app_free(whole);
  weir_app_free(parts);
  weir_sink_free(&sink);
}

static void of_gathered_texts(void **state) {
  (void)state;
  gathers("wc", 0, false);
  gathers("opinion", 0, false);
  gathers("wc", 4, false); // rows without S-L1, in which a thread ends
}

// S-L1 on what was gathered: a thread's lines are the rows of 16 bytes that the host has laid out for it.
static void of_gathered_lines(void **state) {
  (void)state;
  gathers("wc", 16, true);
  assert_true(filled);
  gathers("opinion", 16, true);
  assert_true(filled);
  gathers("wc", 0, true); // bytes of threads side by side are in nobody's line
  assert_false(filled);
}

static void refuses_to_gather(struct weir_module *m, const char *why) {
  struct weir_sink sink = {0};
  assert_non_null(m);
  assert_null(weir_gather_apply(m, 1, &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(strstr(sink.diags[0].message, why));
  weir_module_free(m);
  weir_sink_free(&sink);
}

// How far affinity's and dna's threads go depends on what they have read: the end of a line, or which fragment.
static void does_not_foresee(void **state) {
  (void)state;
  static const char *const programs[] = {"affinity", "dna"};
  static const char start[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".entry k(.param .u64 .ptr .global .align 4 text, .param .u64 .ptr .global .align 4 at)\n{\n"
    ".reg .b64 %a, %b, %c;\n.reg .b32 %v;\n"
    "ld.param.u64 %a, [text];\nld.param.u64 %b, [at];\n";
  static const char *const bodies[][2] = {
    {"ld.global.u64 %c, [%b];\nadd.s64 %a, %a, %c;\nld.global.u8 %v, [%a];\nst.global.u64 [%b], 1;\nret;\n}\n",
     "what it loads depends on what may be written meanwhile"},
    {"atom.global.add.u64 %c, [%b], 1;\nadd.s64 %a, %a, %c;\nld.global.u8 %v, [%a];\nret;\n}\n",
     "what it loads depends on more than registers and loads"}};
  struct weir_sink sink = {0};
  for (unsigned i = 0; i < 2; i++) {
    char *path = weir_app_module(programs[i], &sink);
    refuses_to_gather(weir_ptx_read(path, &sink), "what it loads depends on what it has loaded");
    weir_free(path);
  }
  for (unsigned i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", start, bodies[i][0]);
    refuses_to_gather(weir_ptx_parse("k.ptx", text, strlen(text), &sink), bodies[i][1]);
  }
  weir_sink_free(&sink);
}

// Two kernels run at other times, and in other places: an address, and whether it is read, must not depend on that, which other results may.
static void needs_what_two_kernels_agree_in(void **state) {
  (void)state;
  static const char start[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".entry k(.param .u64 .ptr .global .align 4 text, .param .u64 .ptr .global .align 4 at)\n{\n"
    ".reg .b64 %a, %b, %c;\n.reg .b32 %u, %v;\n.reg .pred %p;\n"
    "ld.param.u64 %a, [text];\nld.param.u64 %b, [at];\n";
  static const char *const address = "mov.u64 %%c, %s;\nadd.s64 %%a, %%a, %%c;\nld.global.u8 %%v, [%%a];\nret;\n}\n",
                           *const path =
                             "mov.u32 %%u, %s;\nsetp.eq.u32 %%p, %%u, 0;\n@%%p bra done;\nld.global.u8 %%v, [%%a];\n"
                             "done:\nret;\n}\n",
                           *const result =
                             "mov.u32 %%u, %s;\nst.global.u32 [%%b], %%u;\nld.global.u8 %%v, [%%a];\nret;\n}\n";
  static const struct {
    const char *form, *special;
    bool refused;
  } cases[] = {{address, "%clock64", true},   {address, "%globaltimer", true},
               {path, "%clock", true},        {path, "%smid", true},
               {path, "%nsmid", true},        {path, "%warpid", true},
               {path, "%gridid", true},       {path, "%dynamic_smem_size", true},
               {path, "%laneid", false},      {path, "%ctaid.y", false},
               {path, "%lanemask_lt", false}, {result, "%clock", false}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    char body[256], text[1024];
    snprintf(body, sizeof body, cases[i].form, cases[i].special);
    snprintf(text, sizeof text, "%s%s", start, body);
    struct weir_module *m = weir_ptx_parse("k.ptx", text, strlen(text), &sink);
    if (cases[i].refused) {
      refuses_to_gather(m,
                        "k.ptx:11: error: kernel 'k' cannot read its text gathered: "
                        "what it loads depends on what two kernels need not agree in");
      continue;
    }
    struct weir_module *made = weir_gather_apply(m, 1, &sink);
    if (!made) fail_msg("refuses %s", cases[i].special);
    weir_module_free(made);
    weir_module_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_pass_with_32_lanes),
                                     cmocka_unit_test(all_pass_with_64_lanes),
                                     cmocka_unit_test(of_interleaved_texts),
                                     cmocka_unit_test(bytes_side_by_side),
                                     cmocka_unit_test(refuses),
                                     cmocka_unit_test(of_gathered_texts),
                                     cmocka_unit_test(of_gathered_lines),
                                     cmocka_unit_test(does_not_foresee),
                                     cmocka_unit_test(needs_what_two_kernels_agree_in)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

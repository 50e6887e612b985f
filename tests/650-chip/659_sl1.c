// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What schemes say of the program (S-L1 and its options, blocks and threads), every way to say it wrongly, and the room that
// a launch on a chip gives to the lines of a kernel.
#include "device.h"

#include "sl1/launch.h"

static struct weir_chip_config *chip;

static int read_chip(void **state) {
  (void)state;
  chip = read_good("fermi-gtx480");
  return 0;
}

static int free_chip(void **state) {
  weir_chip_config_free(chip);
  return remove_yaml(state);
}

// ---- the options ---------------------------------------------------------------------------------------------------------

// Mokhtari and Stumm, MEMSYS 2015: lines of 16 bytes (section 3.1), 300 simulated accesses (3.2.1), read-write structures
// at half their hits and only above 50 % (3.2.2). The rest are readings of what it leaves open.
static void defaults_are_the_papers(void **state) {
  (void)state;
  const struct weir_sl1_options o = weir_sl1_defaults();
  assert_int_equal(o.line_bytes, 16);
  assert_int_equal(o.threshold, 300);
  assert_int_equal(o.rw_factor, 2);
  assert_int_equal(o.floor_percent, 50);
  assert_int_equal(o.most_lines, 0);
  assert_int_equal(o.count, WEIR_SL1_COUNT_CALLS);
  assert_int_equal(o.leave, WEIR_SL1_LEAVE_WARP);
  assert_int_equal(o.scope, WEIR_SL1_PER_THREAD);
  assert_int_equal(o.alias, WEIR_SL1_ALIAS_AUTO);
  assert_int_equal(o.layout, WEIR_SL1_CONTIGUOUS);
  assert_int_equal(o.write_miss, WEIR_SL1_FETCH);
  assert_int_equal(o.cacheable, WEIR_SL1_CACHEABLE_BEST);
  assert_true(o.barrier_fence && o.static_proof && o.original_slice);
  assert_false(o.remonitor || o.counters);
}

// What differs from the defaults, in the table's order, says it all again.
static void options_as_text(void **state) {
  (void)state;
  static const struct {
    const char *given, *text;
  } cases[] = {
    {"", ""},
    {"line_bytes=16,alias=auto", ""},
    {"counters=on,line_bytes=8", "line_bytes=8,counters=true"},
    {"line_bytes=8,line_bytes=24,barrier_fence=off", "line_bytes=24,barrier_fence=false"},
    {"scope=block,layout=interleaved,write_miss=around,cacheable=none,count=iterations,alias=none,threshold=1",
     "threshold=1,count=iterations,scope=block,alias=none,layout=interleaved,write_miss=around,cacheable=none"},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    struct weir_sl1_options o = weir_sl1_defaults(), again = o;
    assert_true(weir_param_set_list(&weir_sl1_table, &o, cases[i].given, weir_option_place("here"), &sink));
    char *text = weir_param_changes(&weir_sl1_table, &o);
    assert_string_equal(text, cases[i].text);
    assert_true(weir_param_set_list(&weir_sl1_table, &again, text, weir_option_place("here"), &sink));
    assert_clean(&sink);
    assert_memory_equal(&o, &again, sizeof o);
    weir_free(text);
  }
}

static void mistakes_in_a_list_are_all_told(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_sl1_options o = weir_sl1_defaults();
  assert_false(weir_param_set_list(&weir_sl1_table, &o, "line_bytes=9,,scope=warp,=3,rw_factor=99999999999",
                                   weir_option_place("here"), &sink));
  assert_int_equal(sink.errors, 5);
  assert_non_null(
    strstr(sink.diags[0].message, "here: option 'line_bytes' of S-L1 must be one of 8, 16, 24, 32, not '9'"));
  assert_non_null(strstr(sink.diags[1].message, "here: '' is not of the form option=value"));
  assert_non_null(strstr(sink.diags[4].message, "must be an integer from 1 to 1000, not '99999999999'"));
  weir_sink_free(&sink);
  assert_non_null(weir_param_row(&weir_sl1_table, "scope"));
  assert_null(weir_param_row(&weir_sl1_table, "scop"));
}

// A row per field, in the order of the struct.
static void every_option_is_listed(void **state) {
  (void)state;
  assert_int_equal(weir_sl1_table.count, 17); // the fields of struct weir_sl1_options
  for (unsigned i = 0; i < weir_sl1_table.count; i++) {
    const struct weir_param *p = &weir_sl1_table.rows[i];
    assert_true(p->initial && *p->help);
    if (i) assert_true(p->offset > p[-1].offset);
  }
}

// ---- schemes -----------------------------------------------------------------------------------------------------------

// What the spec chooses over `base`, in a copy of the chip.
static struct weir_program_options over(const struct weir_program_options *base, const char *spec) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = weir_scheme_read_over(spec, own, base, &sink);
  assert_clean(&sink);
  struct weir_program_options o = *weir_scheme_program(s);
  weir_scheme_free(s);
  weir_chip_config_free(own);
  return o;
}

static struct weir_program_options chosen(const char *spec) {
  const struct weir_program_options plain = weir_program_defaults();
  return over(&plain, spec);
}

static void assert_refused(const char *spec, unsigned line, const char *says) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip);
  assert_null(weir_scheme_read(spec, own, &sink));
  assert_says(&sink, line, says);
  weir_chip_config_free(own);
}

static void keys(void **state) {
  (void)state;
  const struct weir_sl1_options defaults = weir_sl1_defaults();
  struct weir_program_options o = chosen("lru");
  assert_false(o.sl1);
  assert_true(!o.shape.blocks && !o.shape.block);
  assert_int_equal(o.sl1_options.line_bytes, defaults.line_bytes);
  o = chosen("lru,sl1=on");
  assert_true(o.sl1);
  o = chosen("lru,sl1.line_bytes=8,l1.size_kib=16,sl1.alias=none"); // an option turns it on
  assert_true(o.sl1);
  assert_int_equal(o.sl1_options.line_bytes, 8);
  assert_int_equal(o.sl1_options.alias, WEIR_SL1_ALIAS_NONE);
  assert_false(chosen("lru,sl1.line_bytes=8,sl1=off").sl1);
  o = chosen("lru,launch.blocks=30,launch.threads=96");
  assert_false(o.sl1);
  assert_int_equal(o.shape.blocks, 30);
  assert_int_equal(o.shape.block, 96);
  assert_true(chosen("sl1").sl1); // the bundled scheme: LRU and nothing else
}

// What was said before the scheme holds where the scheme says nothing.
static void schemes_change_what_was_chosen(void **state) {
  (void)state;
  struct weir_program_options base = weir_program_defaults();
  base.sl1 = true;
  base.sl1_options.line_bytes = 32;
  base.sl1_options.threshold = 7;
  struct weir_program_options o = over(&base, "lru,sl1.line_bytes=8");
  assert_int_equal(o.sl1_options.line_bytes, 8);
  assert_int_equal(o.sl1_options.threshold, 7);
  assert_true(o.sl1);
  assert_false(over(&base, "lru,sl1=off").sl1);
}

static void mistakes(void **state) {
  (void)state;
  assert_refused("lru,sl1=perhaps", 0, "scheme lru: sl1 must be true or false, not 'perhaps'");
  assert_refused("lru,sl1.lin_bytes=8", 0, "the program has no key 'sl1.lin_bytes'; did you mean 'sl1.line_bytes'?");
  assert_refused("lru,sl1.line_bytes=12", 0, "sl1.line_bytes must be one of 8, 16, 24, 32, not '12'");
  assert_refused("lru,sl1.threshold=0", 0, "sl1.threshold must be an integer from 1 to 1000000000, not '0'");
  assert_refused("lru,sl1.alias=serch", 0, "one of auto, search, none, not 'serch'; did you mean 'search'?");
  assert_refused("lru,sl1.counters=2", 0, "sl1.counters must be true or false, not '2'");
  assert_refused("lru,sl1.line_bytes=best:8|9", 0, "one of 8, 16, 24, 32, not '9'");
  assert_refused("lru,launch.thread=3", 0, "did you mean 'launch.threads'?");
  assert_refused("lru,launch.threads=1025", 0, "launch.threads must be an integer from 1 to 1024, not '1025'");
  assert_refused("lru,launch.blocks=0", 0, "launch.blocks must be an integer from 1 to 65536, not '0'");
  assert_refused("lru,launch.blocks=", 0, "not ''");
  assert_refused("lru,launhc.blocks=3", 0, "did you mean 'launch.blocks'?");
}

// ---- values left open ------------------------------------------------------------------------------------------------------

static void assert_combinations(const char *spec, unsigned count, const char *last) {
  struct weir_sink sink = {0};
  struct weir_chip_config *own = weir_chip_copy(chip);
  struct weir_scheme *s = weir_scheme_read(spec, own, &sink);
  assert_clean(&sink);
  assert_int_equal(weir_scheme_combinations(s), count);
  char *text = weir_scheme_combination(s, count - 1);
  assert_string_equal(text, last);
  weir_free(text);
  weir_scheme_free(s);
  weir_chip_config_free(own);
}

static void sweeps(void **state) {
  (void)state;
  assert_combinations("lru,launch.blocks=best:15|30|60,launch.threads=best:64..256/64", 12,
                      "lru,launch.blocks=60,launch.threads=256");
  assert_combinations("sl1,sl1.line_bytes=best:8|16,l1.size_kib=16", 2, "sl1,sl1.line_bytes=16,l1.size_kib=16");
  assert_combinations("lru,launch.blocks=best:15|30,launch.blocks=60", 1,
                      "lru,launch.blocks=best:15|30,launch.blocks=60");
}

// ---- scheme files ----------------------------------------------------------------------------------------------------------

#define HEAD "name: x\nsummary: s\ncitation: c\npolicies: []\n"

static void files(void **state) {
  (void)state;
  struct weir_program_options o = chosen(write_yaml(HEAD "program: {sl1: on}\n"));
  assert_true(o.sl1);
  assert_false(chosen(write_yaml(HEAD "program: {sl1: off}\n")).sl1);
  assert_true(chosen(write_yaml(HEAD "program: {sl1: {}}\n")).sl1);
  o = chosen(write_yaml(HEAD "program: {sl1: {line_bytes: 32, alias: none}, launch: {blocks: 120, threads: 64}}\n"));
  assert_true(o.sl1);
  assert_int_equal(o.sl1_options.line_bytes, 32);
  assert_int_equal(o.sl1_options.alias, WEIR_SL1_ALIAS_NONE);
  assert_int_equal(o.shape.blocks, 120);
  assert_int_equal(o.shape.block, 64);
  assert_refused(write_yaml(HEAD "program: {sl1: perhaps}\n"), 5, "sl1 must be true or false, not 'perhaps'");
  assert_refused(write_yaml(HEAD "program:\n  sl1:\n    line_byte: 8\n"), 7, "did you mean 'sl1.line_bytes'?");
  assert_refused(write_yaml(HEAD "program: {sl2: on}\n"), 5, "sl2");
  assert_refused(write_yaml(HEAD "program: {launch: 3}\n"), 5, "launch must be a mapping of names to values");
  assert_refused(write_yaml(HEAD "program: {sl1: [on]}\n"), 5,
                 "sl1 (unless true or false) must be a mapping of names to values");
}

// ---- the lines of a thread -------------------------------------------------------------------------------------------------

// Section 3.1: floor((free shared memory of a core / its threads) / bytes of a line). The paper's GPU has 48 KiB and 2048
// threads: 24 bytes each, one line of 16, three of 8 and none of 32.
static void the_papers_rule(void **state) {
  (void)state;
  enum { KIB = 1024 };
  const struct weir_sl1_need line16 = {16, 3, 0}, line8 = {8, 5, 0}, line32 = {32, 3, 0}, line24 = {24, 3, 0};
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 8, 256, 0), 1);
  assert_int_equal(weir_sl1_lines(&line8, 48 * KIB, 8, 256, 0), 3);
  assert_int_equal(weir_sl1_lines(&line24, 48 * KIB, 8, 256, 0), 1);
  assert_int_equal(weir_sl1_lines(&line32, 48 * KIB, 8, 256, 0), 0);
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 4, 256, 0), 3); // 48 bytes each
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 1, 256, 0), 3); // 192 bytes each, but there are three structures
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 8, 256, 2 * KIB), 1); // 16 bytes each, exactly
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 8, 256, 2 * KIB + 1),
                   0);                                                      // a block's lines begin at multiples of 16
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 3, 256, 15 * KIB), 0); // 3 KiB for 768 threads: 4 bytes
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 2, 32, 30 * KIB), 0);  // more than there is
  assert_int_equal(weir_sl1_lines(&line16, 48 * KIB, 0, 256, 0), 0);        // not even one block fits
}

// Says how much dynamic shared memory it has and what its variable says of its own. `__sl1` is as the pass declares it.
#define KERNEL(own_static)                                                                                             \
  ".version 7.0\n.target sm_70\n.address_size 64\n"                                                                    \
  ".visible .const .align 4 .u32 k__sl1[4] = {16, 3, 0, 0};\n.extern .shared .align 16 .b8 lines[];\n"                 \
  ".visible .entry k(.param .u64 out) {\n" own_static ".reg .b32 %r<3>; .reg .b64 %rd1;\n"                             \
  "ld.param.u64 %rd1, [out]; mov.u32 %r1, %dynamic_smem_size; ld.const.u32 %r2, [k__sl1+8];\n"                         \
  "st.global.v2.u32 [%rd1], {%r1, %r2}; mov.u32 %r1, lines; st.global.u32 [%rd1+8], %r1; ret; }\n"

struct found {
  uint32_t dynamic, own, base;
};

static struct found launch_sl1(const char *text, uint32_t blocks, uint32_t threads, uint32_t dynamic) {
  struct device d;
  open_device(&d, "fermi-gtx480", NULL);
  struct code c = load(&d, text);
  uint64_t steps = 0, out = weir_memory_alloc(d.memory, "out", 12);
  const struct weir_launch l = {.program = c.program,
                                .kernel = weir_program_kernel(c.program, "k"),
                                .memory = d.memory,
                                .grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .params = &out,
                                .steps = &steps,
                                .dynamic_shared_bytes = dynamic};
  struct weir_fault fault = {0};
  struct weir_backend backend = weir_chip_backend(d.chip);
  if (!backend.launch(backend.context, &l, &fault)) fail_msg("%s", fault.message);
  struct found f;
  memcpy(&f, weir_memory_at(d.memory, out, sizeof f), sizeof f);
  unload(&c);
  close_device(&d);
  return f;
}

// chips/fermi-gtx480.yaml: 15 cores of 48 warps, 8 blocks and 48 KiB. Eight blocks of 192 threads fill a core: 1536 threads.
static void launches_get_room(void **state) {
  (void)state;
  struct found f = launch_sl1(KERNEL(""), 240, 192, 0); // 32 bytes each: two lines, 2 × 192 × 16 bytes a block
  assert_int_equal(f.dynamic, 6144);
  assert_int_equal(f.own, 0);
  assert_int_equal(f.base, 0);
  f = launch_sl1(KERNEL(""), 15, 192, 0); // one block on a core: room for 16, but there are three structures
  assert_int_equal(f.dynamic, 3 * 192 * 16);
  f = launch_sl1(KERNEL(""), 60, 192, 0); // four on a core, of 64 bytes each
  assert_int_equal(f.dynamic, 3 * 192 * 16);
  f = launch_sl1(KERNEL(""), 76, 192, 0); // six on one of them: 42 bytes each
  assert_int_equal(f.dynamic, 2 * 192 * 16);
}

static void its_own_shared_memory_comes_first(void **state) {
  (void)state;
  struct found f = launch_sl1(KERNEL(""), 240, 192, 1000); // 8 × 1008 bytes are taken: 26 bytes each, one line
  assert_int_equal(f.own, 1008);
  assert_int_equal(f.dynamic, 1008 + 192 * 16);
  f = launch_sl1(KERNEL(".shared .align 4 .b8 own[1000]; .reg .b32 %x; mov.u32 %x, 1; st.shared.u32 [own], %x;\n"), 240,
                 192,
                 0); // static: 1000 bytes, the rest begins at 1008
  assert_int_equal(f.own, 0);
  assert_int_equal(f.base, 1008);
  assert_int_equal(f.dynamic, 192 * 16);
  f = launch_sl1(KERNEL(""), 240, 192, 5000); // 8 × 5008: 5 bytes each, no line
  assert_int_equal(f.own, UINT32_MAX);
  assert_int_equal(f.dynamic, 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(defaults_are_the_papers),
    cmocka_unit_test(options_as_text),
    cmocka_unit_test(mistakes_in_a_list_are_all_told),
    cmocka_unit_test(every_option_is_listed),
    cmocka_unit_test(keys),
    cmocka_unit_test(schemes_change_what_was_chosen),
    cmocka_unit_test(mistakes),
    cmocka_unit_test(sweeps),
    cmocka_unit_test(files),
    cmocka_unit_test(the_papers_rule),
    cmocka_unit_test(launches_get_room),
    cmocka_unit_test(its_own_shared_memory_comes_first),
  };
  return cmocka_run_group_tests(tests, read_chip, free_chip);
}

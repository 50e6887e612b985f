// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a report tells by source line: stores and atomics, bank conflicts of shared memory, and files of one name in two folders.
#include "weir_process.h"

#include "conform.h"
#include "run/object.h"

#include <math.h>

static char folder[] = "/tmp/weir_lines_XXXXXX", launches[64];

static void write_file(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  write_text_file(path, text);
}

// Lane i stores to word 32 i of shared memory in line 5 of one tile.h, and loads from word i in line 5 of another; line 9 of the
// kernel's own file loads, and misses, in 32 words that no lane else asked for.
#define HEAD                                                                                                           \
  ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"/src/k.cu\"\n.file 2 \"/src/tile.h\"\n"                    \
  ".file 3 \"/src/inner/tile.h\"\n"                                                                                    \
  ".visible .entry k(.param .u64 a) { .reg .b32 %r<8>; .reg .b64 %d<8>; .shared .align 4 .b8 s[4096];\n"               \
  "mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 128, %r2; mad.lo.u32 %r4, %r1, 4, %r2;\n"
#define CONFLICT ".loc 2 5 1\nst.shared.u32 [%r3], %r1;\n"
#define NONE ".loc 3 5 1\nld.shared.u32 %r5, [%r4];\n"
#define MISS ".loc 1 9 1\nld.param.u64 %d1, [a]; ld.global.u32 %r6, [%d1];\n"

static struct process run_on(const char *chip, const char *kernel, const char *ptx, const char *option) {
  strcpy(folder, "/tmp/weir_lines_XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(launches, sizeof launches, "%s/k.yaml", folder);
  write_file("k.ptx", ptx);
  char launch[256];
  snprintf(launch, sizeof launch,
           "module: k.ptx\nbuffers:\n  a: {bytes: 4096, fill: zero}\n"
           "launches:\n  - {kernel: %s, grid: [1], block: [32], args: [a]}\n",
           kernel);
  write_file("k.yaml", launch);
  struct process p = process_run("run", launches, "--chip", chip, option);
  char path[128];
  snprintf(path, sizeof path, "%s/k.ptx", folder);
  unlink(path);
  unlink(launches);
  rmdir(folder);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  return p;
}

static struct process run(const char *ptx, const char *option) {
  return run_on("fermi-gtx480", "k", ptx, option);
}

// The words of the line of the report that begins with `first`, one blank between them.
static void words_of(const struct process *p, const char *first, char *out) {
  char start[64];
  snprintf(start, sizeof start, "\n%s ", first);
  const char *at = strstr(p->out, start);
  if (!at) fail_msg("no line of %s in:\n%s", first, p->out);
  for (at++; *at != '\n'; at++)
    if (*at != ' ' || at[1] != ' ') *out++ = *at;
  while (out[-1] == ' ') out--;
  *out = 0;
}

// 32 passes where one would do: 31 extra, in which one instruction, this one, waits. Nothing missed.
static void a_conflict_has_a_row_and_the_last_word(void **state) {
  (void)state;
  char row[256];
  struct process p = run(HEAD CONFLICT "ret; }\n", NULL);
  words_of(&p, "tile.h:5", row);
  assert_string_equal(row, "tile.h:5 k 1 1 31 32.000 32 31");
  assert_holds(p.out,
               "\ntile.h:5 has 100 % of the cycles waited for bank conflicts, with up to 32 passes an access\n"
               "bank conflicts cost more than misses: memory instructions waited 31 cycles for them, loads that "
               "missed 0\n");
  process_free(&p);
}

// A load that misses waits for DRAM, longer than 31 cycles.
static void a_miss_costs_more(void **state) {
  (void)state;
  struct process p = run(HEAD CONFLICT MISS "ret; }\n", NULL);
  assert_holds(p.out, "bank conflicts cost less than misses: memory instructions waited ");
  process_free(&p);
}

static void without_conflicts(void **state) {
  (void)state;
  struct process p = run(HEAD NONE MISS "ret; }\n", NULL);
  assert_holds(p.out, "\nno bank conflicts in 1 accesses to shared memory\n");
  process_free(&p);
  p = run(HEAD MISS "ret; }\n", NULL);
  assert_null(strstr(p.out, "bank conflict"));
  process_free(&p);
}

// A store whose 32 lanes lie in 32 lines; and an atomic of all of them on one word, 32 accesses in the shared cache: the first misses,
// and 31 find the line or wait for it.
static void stores_and_atomics_have_rows(void **state) {
  (void)state;
  char row[256];
  struct process p = run(HEAD ".loc 1 11 1\nld.param.u64 %d1, [a]; mul.wide.u32 %d2, %r1, 128; add.u64 %d3, %d1, %d2;"
                              "st.global.u32 [%d3], %r1;\nret; }\n",
                         NULL);
  words_of(&p, "k.cu:11", row);
  assert_string_equal(row, "k.cu:11 k a store 1 32 32.000 0.0 %");
  process_free(&p);
  p = run(HEAD ".loc 1 12 1\nld.param.u64 %d1, [a]; red.global.add.u32 [%d1], 1;\nret; }\n", NULL);
  words_of(&p, "k.cu:12", row);
  assert_string_equal(row, "k.cu:12 k a atomic 1 32 32.000 96.9 %");
  process_free(&p);
}

// Alone, a file is told by its name. Beside another of that name, both by their folders too.
static void files_of_one_name(void **state) {
  (void)state;
  char row[256];
  struct process p = run(HEAD CONFLICT ".loc 3 5 1\nst.shared.u32 [%r3+4], %r1;\n" MISS "ret; }\n", NULL);
  words_of(&p, "src/tile.h:5", row);
  words_of(&p, "inner/tile.h:5", row);
  words_of(&p, "k.cu:9", row);
  process_free(&p);
}

// 32 neighbouring words are a line of four sectors that nobody comes back for: of one line none is used again, however many fills
// it takes. The kernel is one of a template, void ns::k<int>(int*).
static void lines_are_reused_and_names_read(void **state) {
  (void)state;
  char row[256];
  struct process p =
    run_on("volta-v100", "_ZN2ns1kIiEEvPT_",
           ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"/src/k.cu\"\n"
           ".visible .entry _ZN2ns1kIiEEvPT_(.param .u64 a) { .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
           "mov.u32 %r1, %tid.x; ld.param.u64 %d1, [a]; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
           ".loc 1 9 1\nld.global.u32 %r6, [%d3];\nret; }\n",
           NULL);
  words_of(&p, "k.cu:9", row);
  static const char *const expected = "k.cu:9 ns::k<int> a 1 4 4.000 0.0 % 0.0 % 0.0 % 100.0 % 0.0 % ";
  assert_memory_equal(row, expected, strlen(expected)); // then the latency
  assert_holds(p.out,
               "k.cu:9's loads of a are 100 % of the first level's fills; 100 % of the lines they bring die unused\n");
  process_free(&p);
}

static void in_the_run_object(void **state) {
  (void)state;
  struct process p = run(HEAD CONFLICT NONE "ret; }\n", "--json");
  json_t *run = json_loads(p.out, 0, NULL);
  assert_non_null(run);
  conform("run", run, weir_run_members, true);
  const json_t *list = weir_run_member(run, "shared");
  assert_int_equal(json_array_size(list), 2);
  static const char *const counters[] = {"accesses", "passes", "extra_passes", "worst_passes", "source_line"};
  static const double values[2][5] = {{1, 32, 31, 32, 5}, {1, 1, 0, 1, 5}};
  static const char *const texts[2][2] = {{"store", "/src/tile.h"}, {"load", "/src/inner/tile.h"}};
  for (size_t i = 0; i < 2; i++) {
    const json_t *access = json_array_get(list, i);
    for (size_t k = 0; k < 5; k++) assert_true(weir_run_number(access, counters[k]) == values[i][k]);
    assert_string_equal(weir_run_text(access, "access"), texts[i][0]);
    assert_string_equal(weir_run_text(access, "source_file"), texts[i][1]);
  }
  json_decref(run);
  process_free(&p);
}

// On a chip of sectors: loads of 4, 16 (four words a thread) and 32 sectors that nobody asked for, and of the first four again, which
// are there; a store to these, and one to four others; four sectors of thread-local memory, written, then read from the L2; a store to
// every second word of shared memory, two passes, and a load of one; and an atomic, which is neither load nor store.
#define SECTORS                                                                                                        \
  ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"/src/k.cu\"\n"                                             \
  ".visible .entry k(.param .u64 a) { .reg .b32 %r<16>; .reg .b64 %d<16>;\n"                                           \
  ".shared .align 4 .b8 s[256]; .local .align 4 .b8 l[4];\n"                                                           \
  "mov.u32 %r1, %tid.x; ld.param.u64 %d1, [a]; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"                     \
  "mul.wide.u32 %d4, %r1, 16; add.u64 %d4, %d4, %d1; mul.wide.u32 %d5, %r1, 32; add.u64 %d5, %d5, %d1;\n"              \
  ".loc 1 3 1\nld.global.u32 %r2, [%d3];\n"                                                                            \
  ".loc 1 4 1\nld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d4+1024];\n"                                                   \
  ".loc 1 5 1\nld.global.u32 %r7, [%d5+2048];\n"                                                                       \
  "mul.wide.u32 %d6, %r2, 4; add.u64 %d6, %d6, %d3;\n" /* the word is 0: the same address, once it has come */         \
  ".loc 1 6 1\nld.global.u32 %r8, [%d6];\n"                                                                            \
  ".loc 1 7 1\nst.global.u32 [%d6], %r8;\nst.global.u32 [%d3+512], %r1;\n"                                             \
  "st.local.u32 [l], %r1; ld.local.u32 %r9, [l];\n"                                                                    \
  "mov.u32 %r10, s; mad.lo.u32 %r11, %r1, 8, %r10; mad.lo.u32 %r12, %r1, 4, %r10;\n"                                   \
  ".loc 1 9 1\nst.shared.u32 [%r11], %r9;\n.loc 1 10 1\nld.shared.u32 %r13, [%r12];\n"                                 \
  "red.global.add.u32 [%d6], %r13;\nret; }\n"

static void under_the_profilers_names(void **state) {
  (void)state;
  static const struct {
    const char *metric;
    double value;
  } expected[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld", 4},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", 4 + 16 + 32 + 4},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit", 4},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss", 4 + 16 + 32},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st", 2},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st", 8},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit", 4},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss", 4},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld", 1},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld", 4},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st", 1},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st", 4},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared", 3},
    {"lts__t_sectors_srcunit_tex_op_read", 52 + 4},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit", 4},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_miss", 52},
    {"lts__t_sectors_srcunit_tex_op_write", 8 + 4},
    {"lts__t_sectors_srcunit_ltcfabric_op_read", 0},
    {"dram__sectors_write", 0},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld", 14},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st", 4},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate", 100.0 * 4 / 56},
  };
  struct process p = run_on("volta-v100", "k", SECTORS, "--json");
  json_t *run = json_loads(p.out, 0, NULL);
  assert_non_null(run);
  conform("run", run, weir_run_members, true);
  const json_t *launch = json_array_get(weir_run_member(run, "kernels"), 0), *l2 = weir_run_member(launch, "l2");
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const double is = weir_run_number(weir_run_member(launch, "ncu"), expected[i].metric);
    if (!(fabs(is - expected[i].value) < 1e-9)) fail_msg("%s is %g, not %g", expected[i].metric, is, expected[i].value);
  }
  const double instructions = weir_run_number(l2, "fetches") - weir_run_number(l2, "fetch_hits");
  assert_true(instructions > 0);
  assert_true(weir_run_number(launch, "ncu.dram__sectors_read") == 52 + instructions);
  json_decref(run);
  process_free(&p);
}

static void as_tables(void **state) {
  (void)state;
  char row[256];
  struct process p = run_on("volta-v100", "k", SECTORS, "--ncu");
  words_of(&p, "k", row);
  assert_string_equal(row, "k 1 4 56 14.000 7.1 % 2 8 4.000 50.0 % 8");
  words_of(&p, "k.cu:4", row);
  assert_string_equal(row, "k.cu:4 k a load 1 16 16.000 0.0 %");
  words_of(&p, "k.cu:6", row);
  assert_string_equal(row, "k.cu:6 k a load 1 4 4.000 100.0 %");
  words_of(&p, "k.cu:9", row);
  assert_string_equal(row, "k.cu:9 k 1 2 1 1");
  process_free(&p);
}

// Fermi's first level has no sectors.
static void not_of_every_chip(void **state) {
  (void)state;
  struct process p = process_run("run", "spmv", "--chip", "fermi-gtx480", "--ncu");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "--ncu: fermi-gtx480 does not count so");
  process_free(&p);
  p = run(HEAD MISS "ret; }\n", "--json");
  json_t *run = json_loads(p.out, 0, NULL);
  assert_true(json_is_null(weir_run_member(run, "total.ncu")));
  json_decref(run);
  process_free(&p);
}

// The load's pointer comes from shared memory, where the PTX loses it: the only buffer is at the heap's first address.
static void pointers_from_memory_have_allocations(void **state) {
  (void)state;
  struct process p =
    run(".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"/src/k.cu\"\n"
        ".visible .entry k(.param .u64 a) { .reg .b32 %r<8>; .reg .b64 %d<8>; .shared .align 8 .b8 s[8];\n"
        "ld.param.u64 %d1, [a]; st.shared.u64 [s], %d1; ld.shared.u64 %d2, [s];\n"
        "mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d2, %d3; \n"
        ".loc 1 7 1\nld.global.u32 %r2, [%d4]; ret; }\n",
        NULL);
  char words[256];
  words_of(&p, "k.cu:7", words);
  assert_non_null(strstr(words, " a 0xc0000000 1 "));
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_conflict_has_a_row_and_the_last_word),
    cmocka_unit_test(a_miss_costs_more),
    cmocka_unit_test(without_conflicts),
    cmocka_unit_test(stores_and_atomics_have_rows),
    cmocka_unit_test(files_of_one_name),
    cmocka_unit_test(lines_are_reused_and_names_read),
    cmocka_unit_test(in_the_run_object),
    cmocka_unit_test(under_the_profilers_names),
    cmocka_unit_test(as_tables),
    cmocka_unit_test(not_of_every_chip),
    cmocka_unit_test(pointers_from_memory_have_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

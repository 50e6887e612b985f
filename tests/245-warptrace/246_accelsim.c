// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Traces as Accel-Sim's tracer writes them, made by hand from the description of the format (util/tracer_nvbit/README.md of
// accel-sim-framework) and its writer: every way of writing addresses, every version, packed or not; and what is wrong with one, line by
// line.
#include "trace/stream.h"
#include "warptrace/sass.h"
#include "warptrace/warptrace.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-246-XXXXXX";

static const char *in_folder(const char *name) {
  static char path[2][128], which;
  which ^= 1;
  snprintf(path[(int)which], sizeof *path, "%s/%s", folder, name);
  return path[(int)which];
}

static void put(const char *name, enum weir_packing packing, const char *text) {
  struct weir_sink sink = {0};
  struct weir_stream *s = weir_stream_write_open(in_folder(name), packing, &sink);
  assert_non_null(s);
  weir_stream_write(s, text, strlen(text));
  assert_true(weir_stream_finish(s));
}

#define HEAD(grid, block, version)                                                                                     \
  "-kernel name = saxpy\n-kernel id = 1\n-grid dim = " grid "\n-block dim = " block "\n-shmem = 2048\n"                \
  "-nregs = 24\n-binary version = " version "\n-cuda stream id = 0\n-shmem base_addr = 0x00007fa000000000\n"           \
  "-local mem base_addr = 0x00007fb000000000\n-nvbit version = 1.5.5\n"

#define COLUMNS "\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [addresses]\n\n"

#define ONE_WARP(lines)                                                                                                \
  HEAD("(1,1,1)", "(32,1,1)", "70")                                                                                    \
  "-accelsim tracer version = 3\n" COLUMNS "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n" lines "\n#END_TB\n"

// ---- one warp ---------------------------------------------------------------------------------------------------------------

struct opened {
  struct weir_warptrace *trace;
  const struct weir_streamed_program *program;
  const struct weir_streams *streams;
  void *block;
  struct weir_winstr now;
};

static struct opened open_first(const char *name) {
  struct weir_sink sink = {0};
  struct opened o = {.trace = weir_warptrace_read(in_folder(name), &sink)};
  weir_sink_print(&sink, stderr);
  assert_non_null(o.trace);
  size_t i = 0;
  while (weir_warptrace_call(o.trace, i)->is_copy) i++;
  o.program = weir_warptrace_program(o.trace);
  o.streams = weir_warptrace_streams(o.trace, weir_warptrace_call(o.trace, i));
  o.block = o.streams->open(o.streams->context, 0);
  assert_non_null(o.block);
  weir_sink_free(&sink);
  return o;
}

static void close_first(struct opened *o) {
  assert_int_equal(o->streams->next(o->block, 0), WEIR_STREAM_END);
  o->streams->close(o->block);
  weir_warptrace_free(o->trace);
}

// The next instruction of warp 0.
static const struct weir_static *step(struct opened *o) {
  const uint32_t index = o->streams->next(o->block, 0);
  assert_int_not_equal(index, WEIR_STREAM_END);
  assert_true(o->streams->step(o->block, 0, &o->now));
  return &o->program->statics[index];
}

static void a_warp_of_a_kernel(void **state) {
  (void)state;
  static const char text[] = ONE_WARP("insts = 8\n"
                                      "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0\n"
                                      "0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000100 4\n"
                                      "0020 ffffffff 1 R8 LDG.E.128.STRONG.GPU 1 R2 16 1 0x7f0000001000 -16\n"
                                      "0030 0000000f 0 STG.E 2 R2 R4 4 2 0x7f0000002000 8 8 16\n"
                                      "0050 00000005 1 R5 ATOMG.E.ADD 2 R2 R4 4 0 0x7f0000003000 0x7f0000003004\n"
                                      "0060 00000000 0 BRA 0 0\n"
                                      "0010 80000000 1 R4 LDG.E.SYS 1 R2 4 2 0x7f0000000200\n"
                                      "0070 ffffffff 0 EXIT 0 0\n");
  put("kernel-1.traceg", WEIR_PLAIN, text);
  struct opened o = open_first("kernel-1.traceg");
  assert_int_equal(o.program->instruction_count, 8); // up to 0x70, in sixteens
  assert_string_equal(o.program->kernels[0].name, "saxpy");
  assert_int_equal(o.program->kernels[0].registers, 24);
  assert_int_equal(weir_warptrace_call(o.trace, 0)->dynamic_shared_bytes, 2048);
  const struct weir_static *s = step(&o);
  assert_int_equal(s->op_class, WEIR_CLASS_INT_MAD);
  assert_int_equal(s->dst_count, 1);
  assert_int_equal(s->src_count, 0); // R255 is 0
  s = step(&o);
  assert_int_equal(s->op_class, WEIR_CLASS_LOAD);
  assert_int_equal(o.now.spread, WEIR_SPREAD_ROW);
  for (unsigned l = 0; l < 32; l++)
    assert_int_equal(o.now.address[l], UINT64_C(0x7f0000000100) % (UINT64_C(1) << 40) + 4 * l);
  s = step(&o);
  assert_true(s->is_volatile);
  assert_int_equal(s->access_bytes, 16);
  assert_int_equal(s->dst_count, 4); // R8 to R11
  assert_int_equal(s->dst[3], 11);
  assert_int_equal(o.now.address[0] - o.now.address[31], 31 * 16);
  s = step(&o);
  assert_int_equal(s->op_class, WEIR_CLASS_STORE);
  assert_int_equal(s->dst_count, 0);
  assert_int_equal(o.now.active, 15);
  assert_int_equal(o.now.address[3] - o.now.address[0], 32);
  s = step(&o);
  assert_int_equal(s->op_class, WEIR_CLASS_ATOMIC);
  assert_int_equal(o.now.address[2] - o.now.address[0], 4);
  s = step(&o);
  assert_int_equal(s->op_class, WEIR_CLASS_BRANCH);
  assert_int_equal(o.now.active, 0);
  assert_ptr_equal(step(&o), &o.program->statics[1]); // the loop's second turn
  assert_int_equal(o.now.active, UINT64_C(1) << 31);
  assert_true(step(&o)->is_exit);
  close_first(&o);
}

// Shared and thread-local addresses are generic ones within their windows, or offsets; generic accesses go by their address.
static void spaces(void **state) {
  (void)state;
  static const char text[] = ONE_WARP("insts = 7\n"
                                      "0000 00000001 0 STS.64 2 R0 R2 8 1 0x7fa000000100 0\n"
                                      "0010 00000001 1 R2 LDS 1 R0 4 1 0x40 0\n"
                                      "0020 00000001 1 R2 LDL.LU 1 R0 4 1 0x7fb000000010 0\n"
                                      "0030 00000001 1 R2 LD.E 1 R4 4 1 0x7fa000000104 0\n"
                                      "0030 00000001 1 R2 LD.E 1 R4 4 1 0x7fb000000104 0\n"
                                      "0030 00000001 1 R2 LD.E 1 R4 4 1 0x7f0000000104 0\n"
                                      "0040 ffffffff 0 EXIT 0 0\n");
  static const struct {
    uint8_t space;
    uint64_t address;
  } expected[] = {{WEIR_MEM_SHARED, 0x100}, {WEIR_MEM_SHARED, 0x40},
                  {WEIR_MEM_LOCAL, 0x10},   {WEIR_MEM_SHARED, 0x104},
                  {WEIR_MEM_LOCAL, 0x104},  {WEIR_MEM_GLOBAL, UINT64_C(0x7f00000104) - 0x7f00000000 + 0x0000000000}};
  put("kernel-2.traceg", WEIR_PLAIN, text);
  struct opened o = open_first("kernel-2.traceg");
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
    step(&o);
    assert_int_equal(o.now.space, expected[i].space);
    if (expected[i].space != WEIR_MEM_GLOBAL) assert_int_equal(o.now.address[0], expected[i].address);
  }
  assert_int_equal(o.now.address[0], UINT64_C(0x7f0000000104) & weir_mask(40));
  step(&o);
  close_first(&o);
}

// The tracer's later versions: source lines in front, an immediate behind; barriers; blocks in any order, of several warps.
static void later_versions(void **state) {
  (void)state;
  static const char text[] = HEAD(
    "(2,1,1)", "(40,1,1)",
    "80") "-accelsim tracer version = 5\n-enable lineinfo = 1\n" COLUMNS
          "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 2\n"
          "7 0000 ffffffff 0 BAR.SYNC 0 0 0\n7 0010 ffffffff 0 EXIT 0 0 0\n"
          "warp = 1\ninsts = 2\n7 0000 000000ff 0 BAR.SYNC 0 0 0\n7 0010 000000ff 0 EXIT 0 0 0\n#END_TB\n"
          "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
          "9 0020 ffffffff 1 R0 LDG.E 1 R2 4 2 0x100 4 4 8 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 -3\n"
          "9 0010 ffffffff 0 EXIT 0 0 0\n"
          "warp = 1\ninsts = 1\n7 0010 000000ff 0 EXIT 0 0 0\n#END_TB\n";
  put("kernel-3.traceg", WEIR_PLAIN, text);
  struct opened o = open_first("kernel-3.traceg");
  const struct weir_static *s = step(&o); // of block 0, which comes second
  assert_int_equal(s->op_class, WEIR_CLASS_LOAD);
  assert_int_equal(s->source_line, 9);
  assert_int_equal(o.now.address[31] - o.now.address[0], 31 * 4 + 4);
  assert_int_equal(o.now.spread, WEIR_SPREAD_UNKNOWN);
  step(&o);
  close_first(&o);
}

// ---- packed, and several kernels ----------------------------------------------------------------------------------------------

#define EXIT_ALONE(registers)                                                                                          \
  "-kernel name = other\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = " registers "\n-binary version = 61\n"   \
  "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0008 ffffffff 0 EXIT 0 0\n#END_TB\n"

static void lists_and_packing(void **state) {
  (void)state;
  static const struct {
    const char *end;
    enum weir_packing packing;
  } as[] = {{"", WEIR_PLAIN}, {".gz", WEIR_GZIP}, {".xz", WEIR_XZ}, {".zst", WEIR_ZSTD}};
  for (unsigned i = 0; i < sizeof as / sizeof *as; i++) {
    char first[64], second[64], list[256];
    snprintf(first, sizeof first, "kernel-1-ctx_0x55.traceg%s", as[i].end);
    snprintf(second, sizeof second, "kernel-2-ctx_0x55.traceg%s", as[i].end);
    put(first, as[i].packing, ONE_WARP("insts = 1\n0020 ffffffff 0 EXIT 0 0\n"));
    put(second, as[i].packing, EXIT_ALONE("8"));
    snprintf(list, sizeof list, "MemcpyHtoD,0x00007f0000000000,4096\n%s\n%s\nMemcpyHtoD,0x7f0000001000,4\n%s\n", first,
             second, first);
    put("kernelslist.g", as[i].packing, list);
    struct opened o = open_first("kernelslist.g");
    static const bool copies[] = {true, false, false, true, false};
    for (unsigned c = 0; c < 5; c++) assert_int_equal(weir_warptrace_call(o.trace, c)->is_copy, copies[c]);
    assert_null(weir_warptrace_call(o.trace, 5));
    assert_int_equal(o.program->kernel_count, 2);
    assert_int_equal(weir_warptrace_call(o.trace, 4)->kernel, 0);
    assert_int_equal(weir_warptrace_call(o.trace, 2)->kernel, 1);
    assert_int_equal(o.program->kernels[1].entry, 3); // behind the three places of the first
    assert_int_equal(weir_warptrace_call(o.trace, 0)->address, UINT64_C(0x7f0000000000) & weir_mask(40));
    step(&o);
    close_first(&o);
  }
}

struct seen {
  unsigned count;
};

static bool count(void *context, const char *path) {
  ((struct seen *)context)->count += !access(path, R_OK);
  return true;
}

static void all_files_are_known(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct seen seen = {0};
  put("kernel-1.traceg", WEIR_PLAIN, ONE_WARP("insts = 1\n0020 ffffffff 0 EXIT 0 0\n"));
  put("kernelslist.g", WEIR_PLAIN, "MemcpyHtoD,0x7f0000000000,4096\nkernel-1.traceg\nkernel-1.traceg\n");
  assert_true(weir_warptrace_files(in_folder("kernelslist.g"), count, &seen, &sink));
  assert_int_equal(seen.count, 3);
}

// ---- opcodes ------------------------------------------------------------------------------------------------------------------

static void opcodes(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    uint8_t class, space, bytes;
  } rows[] = {
    {"FFMA.FTZ", WEIR_CLASS_F32_FMA, 0, 0},
    {"DFMA", WEIR_CLASS_F64_FMA, 0, 0},
    {"MUFU.RCP", WEIR_CLASS_SFU, 0, 0},
    {"MUFU.RCP64H", WEIR_CLASS_F64_SFU, 0, 0},
    {"F2F.F64.F32", WEIR_CLASS_F64_CONVERT, 0, 0},
    {"I2F.U32", WEIR_CLASS_F32_CONVERT, 0, 0},
    {"UIADD3", WEIR_CLASS_INT_ADD, 0, 0},
    {"VOTEU.ANY", WEIR_CLASS_VOTE, 0, 0},
    {"ULDC.64", WEIR_CLASS_INT_LOGIC, 0, 0},
    {"MEMBAR.SC.GPU", WEIR_CLASS_FENCE, 0, 0},
    {"FENCE.VIEW.ASYNC", WEIR_CLASS_FENCE, 0, 0},
    {"CGAERRBAR", WEIR_CLASS_NOP, 0, 0},
    {"ELECT", WEIR_CLASS_VOTE, 0, 0},
    {"UCGABAR_WAIT", WEIR_CLASS_BARRIER, 0, 0},
    {"UCLEA.HI", WEIR_CLASS_INT_ADD, 0, 0},
    {"UIADD3.64", WEIR_CLASS_INT_ADD, 0, 0},
    {"ULEPC", WEIR_CLASS_INT_LOGIC, 0, 0},
    {"USETMAXREG.DEALLOC.CTAPOOL", WEIR_CLASS_DEFAULT, 0, 0},
    {"BPT.TRAP", WEIR_CLASS_BRANCH, 0, 0},
    {"LDG.E.U8.CONSTANT", WEIR_CLASS_LOAD, WEIR_MEM_GLOBAL, 1},
    {"STG.E.64", WEIR_CLASS_STORE, WEIR_MEM_GLOBAL, 8},
    {"ATOMS.CAS.64", WEIR_CLASS_ATOMIC, WEIR_MEM_SHARED, 8},
    {"RED.E.ADD.F64.RN.STRONG.GPU", WEIR_CLASS_ATOMIC, WEIR_MEM_GLOBAL, 8},
    {"LDS.S16", WEIR_CLASS_LOAD, WEIR_MEM_SHARED, 2},
    {"LDL.LU.128", WEIR_CLASS_LOAD, WEIR_MEM_LOCAL, 16},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct weir_static s = {0};
    assert_true(weir_sass_describe(rows[i].opcode, &s));
    assert_int_equal(s.op_class, rows[i].class);
    assert_int_equal(s.space, rows[i].space);
    assert_int_equal(s.access_bytes, rows[i].bytes);
  }
  static const char *const unknown[] = {
    "TEX.B.LL",           "UTMALDG.2D", "CCTL.IVALL", "SYNCS.EXCH.64", "STAS.64", "LDGMC.E.ADD.F16x2",
    "HGMMA.64x64x16.F32", "FFM",        "U",          "ULDG"};
  for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    struct weir_static s = {0};
    assert_false(weir_sass_describe(unknown[i], &s));
    assert_int_equal(s.op_class, WEIR_CLASS_DEFAULT);
  }
}

// Copies beside the warp: what begins one, closes a group, and waits for all but so many groups, which the line's immediate says.
static void copies(void **state) {
  (void)state;
  static const char text[] =
    HEAD("(1,1,1)", "(32,1,1)",
         "80") "-accelsim tracer version = 4\n" COLUMNS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 5\n"
               "0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1 0x1000 16\n0010 ffffffff 0 LDGDEPBAR 0 0 0\n"
               "0020 ffffffff 0 DEPBAR.LE 0 0 2\n0030 ffffffff 0 DEPBAR.LE 0 0\n0040 ffffffff 0 EXIT 0 0\n#END_TB\n";
  static const struct {
    uint8_t role, groups;
  } expected[] = {
    {WEIR_COPY_BEGIN, 0}, {WEIR_COPY_COMMIT, 0}, {WEIR_COPY_WAIT, 2}, {WEIR_COPY_WAIT, 0}, {WEIR_COPY_NONE, 0}};
  put("kernel-5.traceg", WEIR_PLAIN, text);
  struct opened o = open_first("kernel-5.traceg");
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
    const struct weir_static *s = step(&o);
    assert_int_equal(s->copy_role, expected[i].role);
    assert_int_equal(s->copy_groups, expected[i].groups);
  }
  close_first(&o);
}

// Steps of 16 × 8 sums over 128 bits of a row: an HMMA.1688 of 16-bit elements is one. Of Volta's, in parts, the first stands for all.
static void matrices(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    uint8_t class, steps;
  } rows[] = {
    {"HMMA.1688.F32", WEIR_CLASS_F32_MATRIX, 1},
    {"HMMA.16816.F32.BF16", WEIR_CLASS_F32_MATRIX, 2},
    {"HMMA.1684.F32.TF32", WEIR_CLASS_F32_MATRIX, 1},
    {"HMMA.1688.F32.TF32", WEIR_CLASS_F32_MATRIX, 2},
    {"HMMA.884.F32.F32.STEP0", WEIR_CLASS_F32_MATRIX, 1},
    {"HMMA.884.F32.F32.STEP2", WEIR_CLASS_DEFAULT, 0},
    {"QMMA.16832.F32.E4M3.E4M3", WEIR_CLASS_F32_MATRIX, 2},
    {"IMMA.8816.S8.S8", WEIR_CLASS_INT_MATRIX, 1},
    {"IMMA.16832.S8.S8", WEIR_CLASS_INT_MATRIX, 2},
    {"IMMA.16864.S4.S4", WEIR_CLASS_INT_MATRIX, 2},
    {"BMMA.168256.XOR.POPC", WEIR_CLASS_INT_MATRIX, 2},
    {"DMMA.884", WEIR_CLASS_F64_MATRIX, 1},
    {"MOVM.16.MT88", WEIR_CLASS_SHUFFLE, 0},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct weir_static s = {0};
    assert_true(weir_sass_describe(rows[i].opcode, &s));
    assert_int_equal(s.op_class, rows[i].class);
    assert_int_equal(s.steps, rows[i].steps);
  }
}

// What an access says to caches: of PTX's L1::no_allocate the L2 hears, too, and so of .NA.
static void hints(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    uint8_t l1, l2;
  } rows[] = {
    {"LDG.E", WEIR_HINT_NONE, WEIR_HINT_NONE},
    {"LDG.E.NA.CONSTANT", WEIR_HINT_NO_ALLOCATE, WEIR_HINT_L1_NO_ALLOCATE},
    {"STG.E.NA.64", WEIR_HINT_NO_ALLOCATE, WEIR_HINT_L1_NO_ALLOCATE},
    {"LDG.E.EF.128", WEIR_HINT_EVICT_FIRST, WEIR_HINT_EVICT_FIRST},
    {"LDG.E.EL", WEIR_HINT_EVICT_LAST, WEIR_HINT_EVICT_LAST},
    {"LDL.LU", WEIR_HINT_LU, WEIR_HINT_LU},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct weir_static s = {0};
    assert_true(weir_sass_describe(rows[i].opcode, &s));
    assert_int_equal(s.l1_hint, rows[i].l1);
    assert_int_equal(s.l2_hint, rows[i].l2);
  }
}

// A Hopper kernel's instructions around clusters and dependent launches, by hand: known, all of them, and none accesses memory.
static void hopper(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  put("kernel-5.traceg", WEIR_PLAIN,
      ONE_WARP("insts = 9\n0000 ffffffff 0 ACQBULK 0 0\n"
               "0010 ffffffff 0 ELECT 0 0\n"
               "0020 ffffffff 0 UCGABAR_ARV 0 0\n"
               "0030 ffffffff 0 UCGABAR_WAIT 0 0\n"
               "0040 ffffffff 0 FENCE.VIEW.ASYNC 0 0\n"
               "0050 ffffffff 1 R4 LDG.E.NA.CONSTANT 1 R2 4 1 0x7f0000000100 4\n"
               "0060 ffffffff 0 CGAERRBAR 0 0\n"
               "0070 ffffffff 0 PREEXIT 0 0\n"
               "0080 ffffffff 0 EXIT 0 0\n"));
  struct weir_warptrace *t = weir_warptrace_read(in_folder("kernel-5.traceg"), &sink);
  assert_non_null(t);
  assert_int_equal(sink.count, 0);
  weir_warptrace_free(t);
  struct opened o = open_first("kernel-5.traceg");
  static const uint8_t classes[] = {WEIR_CLASS_DEFAULT, WEIR_CLASS_VOTE, WEIR_CLASS_BARRIER, WEIR_CLASS_BARRIER,
                                    WEIR_CLASS_FENCE,   WEIR_CLASS_LOAD, WEIR_CLASS_NOP,     WEIR_CLASS_NOP};
  for (unsigned i = 0; i < sizeof classes; i++) {
    const struct weir_static *s = step(&o);
    assert_int_equal(s->op_class, classes[i]);
    assert_false(s->is_barrier); // none waits for the block
    assert_int_equal(s->l2_hint, i == 5 ? WEIR_HINT_L1_NO_ALLOCATE : WEIR_HINT_NONE);
  }
  assert_true(step(&o)->is_exit);
  close_first(&o);
}

// Volta: every 16 bytes. Maxwell, Pascal: three of four words; Kepler: seven of eight.
static void places(void **state) {
  (void)state;
  assert_int_equal(weir_sass_index(0x30, 75), 3);
  assert_int_equal(weir_sass_index(0x38, 75), UINT32_MAX);
  static const uint32_t pascal[] = {UINT32_MAX, 0, 1, 2, UINT32_MAX, 3, 4, 5, UINT32_MAX, 6};
  for (unsigned i = 0; i < sizeof pascal / sizeof *pascal; i++) assert_int_equal(weir_sass_index(8 * i, 61), pascal[i]);
  assert_int_equal(weir_sass_index(8 * 7, 35), 6);
  assert_int_equal(weir_sass_index(8 * 8, 35), UINT32_MAX);
  assert_int_equal(weir_sass_index(8 * 9, 35), 7);
  assert_int_equal(weir_sass_index(4, 35), UINT32_MAX);
}

// ---- what is wrong --------------------------------------------------------------------------------------------------------------

static void says(const char *name, unsigned line, const char *what) {
  struct weir_sink sink = {0};
  char expected[512];
  struct weir_warptrace *t = weir_warptrace_read(in_folder(name), &sink);
  assert_null(t);
  assert_int_equal(sink.errors, 1);
  snprintf(expected, sizeof expected, "%s:%u: error: ", in_folder(name), line);
  if (strncmp(sink.diags[0].message, expected, strlen(expected)) != 0 || !strstr(sink.diags[0].message, what))
    fail_msg("%s does not say '%s' in line %u", sink.diags[0].message, what, line);
  weir_sink_free(&sink);
}

static void wrong_lines(void **state) {
  (void)state;
  static const struct {
    const char *text;
    unsigned line; // 22: the first instruction's
    const char *says;
  } wrong[] = {
    {ONE_WARP("insts = 1\n0000 ffffffff 0 NOP 0 0\n"), 22, "warp 0 ends with NOP, not with EXIT"},
    {ONE_WARP("insts = 2\n0000 ffffffff 0 EXIT 0 0\n"), 24, "expected an instruction: its offset"},
    {ONE_WARP("insts = 0\n"), 21, "expected 'insts = N'"},
    {ONE_WARP("insts = 1\n0004 ffffffff 0 EXIT 0 0\n"), 22, "no instruction of a machine of version 70 stands at 4"},
    {ONE_WARP("insts = 1\n0000 1ffffffff 0 EXIT 0 0\n"), 22, "expected the mask of active lanes"},
    {ONE_WARP("insts = 1\n0000 ffffffff 1 P0 EXIT 0 0\n"), 22, "expected a destination register, R0 to R255, not 'P0'"},
    {ONE_WARP("insts = 1\n0000 ffffffff 0 EXIT 19 R0 0\n"), 22, "expected the number of source registers, at most 18"},
    {ONE_WARP("insts = 1\n0000 ffffffff 0 EXIT 0 x\n"), 22, "expected the bytes of an access, or 0, not 'x'"},
    {ONE_WARP("insts = 1\n0000 ffffffff 0 EXIT 0 0 7 7\n"), 22, "more behind an instruction than belongs to it"},
    {ONE_WARP("insts = 1\n0000 ffffffff 1 R0 LDG.E 1 R2 0\n"), 22, "an access without addresses"},
    {ONE_WARP("insts = 1\n0000 ffffffff 1 R0 LDG.E 1 R2 4 1 0x100\n"), 22, "addresses cannot be read"},
    {ONE_WARP("insts = 1\n0000 00000001 1 R0 LDS 1 R2 4 1 0x7f0000000000 0\n"), 22, "is no address of shared memory"},
    {ONE_WARP("insts = 2\n0000 00000001 1 R0 LDG.E 1 R2 4 1 0x7f0000000000 0\n"
              "0010 00000001 1 R0 LDG.E 1 R2 4 1 0x7e0000000000 0\n"),
     23, "a multiple of 2^40 bytes apart"},
    {ONE_WARP("insts = 2\n0000 ffffffff 0 NOP 0 0\n0000 ffffffff 0 EXIT 0 0\n"), 23,
     "EXIT at 0 of 'saxpy', where there was NOP"},
    {HEAD("(2,1,1)", "(32,1,1)", "70") "#BEGIN_TB\nthread block = 2,0,0\n", 13,
     "expected 'thread block = X,Y,Z' of the grid"},
    {HEAD("(2,1,1)", "(64,1,1)", "70") "#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\n", 14, "expected warp 0, not 1"},
    {HEAD("(2,1,1)", "(64,1,1)", "70") "#BEGIN_TB\nthread block = 1,0,0\n#END_TB\n", 14, "has 2 warps, and 0 are here"},
    {HEAD("(2,1,1)", "(32,1,1)",
          "70") "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\n#END_TB\n",
     17, "has 2 thread blocks, and 1 are here"},
    {HEAD("(2,1,1)", "(32,1)", "70"), 4, "'(32,1)' is no block"},
    {HEAD("(2,1,1)", "(1024,2,1)", "70") "#BEGIN_TB\n", 12, "a block has 1024 threads at most"},
    {HEAD("(2,1,1)", "(32,1,1)", "seventy"), 7, "'seventy' is no value of 'binary version'"},
    {"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n-nregs = 3\n#BEGIN_TB\n", 5,
     "does not say 'binary version'"},
    {"-kernel name = k\n-colour = red\n", 2, "weir does not know what 'colour' says"},
    {"-kernel name = k\n", 1, "has no thread block"},
  };
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    put("kernel-9.traceg", WEIR_PLAIN, wrong[i].text);
    says("kernel-9.traceg", wrong[i].line, wrong[i].says);
  }
  put("kernelslist.g", WEIR_PLAIN, "MemcpyHtoD,0x7f0000000000\n");
  says("kernelslist.g", 1, "expected 'MemcpyHtoD,0xADDRESS,BYTES'");
  put("kernelslist.g", WEIR_PLAIN, "\nncclGroupStart\n");
  says("kernelslist.g", 2, "expected MemcpyHtoD or the file of a kernel, not 'ncclGroupStart'");
}

static void what_is_unknown_is_named(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  put("kernel-4.traceg", WEIR_PLAIN,
      ONE_WARP("insts = 4\n0000 ffffffff 1 R0 HGMMA.64x64x16.F32 2 R2 R4 0\n"
               "0000 ffffffff 1 R0 HGMMA.64x64x16.F32 2 R2 R4 0\n"
               "0010 ffffffff 0 CCTL.IVALL 1 R2 4 9 what ever\n"
               "0020 ffffffff 0 EXIT 0 0\n"));
  struct weir_warptrace *t = weir_warptrace_read(in_folder("kernel-4.traceg"), &sink);
  assert_non_null(t);
  assert_int_equal(sink.count, 1);
  assert_int_equal(sink.diags[0].severity, WEIR_WARNING);
  assert_non_null(strstr(sink.diags[0].message, "HGMMA.64x64x16.F32 (2), CCTL.IVALL (1)"));
  weir_warptrace_free(t);
  weir_sink_free(&sink);
}

static int set_up(void **state) {
  (void)state;
  return !mkdtemp(folder);
}

static int clean_up(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_warp_of_a_kernel),
    cmocka_unit_test(spaces),
    cmocka_unit_test(later_versions),
    cmocka_unit_test(lists_and_packing),
    cmocka_unit_test(all_files_are_known),
    cmocka_unit_test(opcodes),
    cmocka_unit_test(copies),
    cmocka_unit_test(matrices),
    cmocka_unit_test(hints),
    cmocka_unit_test(hopper),
    cmocka_unit_test(places),
    cmocka_unit_test(wrong_lines),
    cmocka_unit_test(what_is_unknown_is_named),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}

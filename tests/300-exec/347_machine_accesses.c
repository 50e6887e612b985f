// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loops and loads side by side as exec/assemble writes them, beside what ptxas makes of the same PTX (machine/accesses.csv): how many loads
// from global memory there are, and from shared memory of 4, 8 and 16 bytes. And that what is written so computes what the PTX does.
#include "harness.h"

#include "exec/assemble/assemble.h"
#include "exec/program.h"

#include <stdlib.h>

// ---- against ptxas --------------------------------------------------------------------------------------------------

// The kernel of scripts/machine-code.py.
static const char begin[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
  ".reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<99>; .reg .f64 %d<99>; .reg .pred %p<9>;\n"
  ".shared .align 4 .b8 x[20]; .shared .align 4 .b8 y[20]; .shared .align 4 .b8 z[8];\n.shared .align 4 .b8 sh[4096];\n"
  "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mov.u32 %r7, %tid.y;\n";
static const char end[] =
  "\nadd.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f4; cvt.rn.f32.u32 %f5, %r4; add.f32 %f1, %f1, %f5;\n"
  "cvt.rn.f32.f64 %f6, %d1; add.f32 %f1, %f1, %f6; cvt.rn.f32.f64 %f6, %d2; add.f32 %f1, %f1, %f6; st.global.f32 [%rd2+256], %f1; ret; }\n";

// <8:TEXT> stands for 8 of TEXT, with multiples of 4 for @.
static char *expand(char *to, const char *from) {
  for (; *from && *from != '|'; from++) {
    if (*from != '<') {
      *to++ = *from;
      continue;
    }
    char *text;
    const unsigned long count = strtoul(from + 1, &text, 10);
    from = strchr(text, '>');
    for (unsigned long k = 0; k < count; k++)
      for (const char *c = text + 1; c < from; c++) to += *c == '@' ? sprintf(to, "%lu", 4 * k) : (*to = *c, 1);
  }
  return to;
}

struct accesses {
  unsigned count[4]; // loads from global memory; of 4, 8, 16 bytes from shared memory
};

static struct accesses accesses_of(const struct weir_function *f) {
  struct accesses a = {{0}};
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[s].instruction;
    const unsigned bytes = weir_type_bytes((enum weir_type)in->form.type) * (in->form.vector ? in->form.vector : 1);
    if (in->opcode != WEIR_OP_LD) continue;
    if (in->form.space == WEIR_SPACE_GLOBAL) a.count[0]++;
    if (in->form.space == WEIR_SPACE_SHARED) a.count[bytes == 16 ? 3 : bytes == 8 ? 2 : 1]++;
  }
  return a;
}

// Of a loop whose runs are not known ptxas has an eighth copy, which it jumps over unless they come out below one.
static bool is_same(struct accesses here, struct accesses machine) {
  for (unsigned k = 0; k < 4; k++)
    if (here.count[k] != machine.count[k] && (here.count[k] % 7 || here.count[k] / 7 * 8 != machine.count[k]))
      return false;
  return true;
}

static void as_ptxas(void **state) {
  (void)state;
  static char line[8192], text[65536];
  unsigned rows = 0, others = 0;
  FILE *f = fopen(WEIR_SOURCE_DIR "/tests/300-exec/machine/accesses.csv", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    struct accesses machine;
    if (*line == '#') continue;
    assert_int_equal(sscanf(strchr(line, '|'), "|%u|%u|%u|%u", &machine.count[0], &machine.count[1], &machine.count[2],
                            &machine.count[3]),
                     4);
    strcpy(text, begin);
    strcpy(expand(text + strlen(text), line), end);
    struct weir_sink sink = {0};
    struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
    assert_non_null(m);
    struct weir_module *assembled =
      weir_assemble(m, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_90, .assembled = true});
    const struct accesses here = accesses_of(assembled->functions[0]);
    weir_module_free(assembled);
    weir_module_free(m);
    weir_sink_free(&sink);
    rows++;
    if (is_same(here, machine)) continue;
    others++;
    print_message("%u %u %u %u, ptxas %u %u %u %u: %.*s\n", here.count[0], here.count[1], here.count[2], here.count[3],
                  machine.count[0], machine.count[1], machine.count[2], machine.count[3], (int)strcspn(line, "|"),
                  line);
  }
  fclose(f);
  print_message("%u rows, %u others\n", rows, others);
  assert_true(rows >= 150);
  assert_in_range(others, 0, 6); // docs/VALIDATION.md
}

// ---- what it computes -----------------------------------------------------------------------------------------------

enum { THREADS = 64, WORDS = 40 };

// A kernel (to) leaves the same there, WORDS words a thread, as it is written and as it is assembled. How many loads it then has that are joined.
static unsigned both_ways(const char *text) {
  static uint32_t found[3][THREADS][WORDS];
  unsigned joined = 0;
  for (unsigned way = 0; way < 3; way++) {
    struct bench b;
    memset(&b, 0, sizeof b);
    b.module = weir_ptx_parse("test.ptx", text, strlen(text), &b.sink);
    if (!b.module) bench_fail(&b, text);
    b.memory = weir_memory_create();
    b.program = weir_program_build(
      b.module, 32, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_90, .assembled = way, .machine = way == 2},
      b.memory, &b.sink);
    if (!b.program) bench_fail(&b, text);
    struct weir_module *assembled =
      weir_assemble(b.module, (struct weir_code){.assembler = WEIR_ASSEMBLER_SM_90, .assembled = true});
    const struct accesses a = accesses_of(assembled->functions[0]);
    weir_module_free(assembled);
    joined = a.count[2] + a.count[3];
    uint64_t to = weir_memory_alloc(b.memory, "to", sizeof found[way]);
    memset(bench_at(&b, to, sizeof found[way]), 0, sizeof found[way]);
    bench_run(&b, "k", 1, THREADS, &to);
    memcpy(found[way], bench_at(&b, to, sizeof found[way]), sizeof found[way]);
    bench_close(&b);
  }
  for (unsigned way = 1; way < 3; way++)
    if (memcmp(found[0], found[way], sizeof found[0])) fail_msg("assembled it computes something else:\n%s", text);
  return joined;
}

#define KERNEL                                                                                                         \
  PTX_HEADER ".visible .entry k(.param .u64 to) {\n"                                                                   \
             ".reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n.shared .align 4 .b8 pad[32];\n"                \
             ".shared .align 4 .b8 sh[16384];\nld.param.u64 %rd1, [to];\nmov.u32 %r1, %tid.x;\n"                       \
             "mul.wide.u32 %rd2, %r1, 160;\nadd.u64 %rd1, %rd1, %rd2;\n"

static uint32_t next(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525 + 1013904223;
  return (*seed >> 8) % below;
}

// Loads and stores of a thread's own shared memory at random offsets of four bases, whose registers are written again at times.
static void random_loads_stay(void **state) {
  (void)state;
  static char text[32768];
  uint32_t seed = 1, joined = 0;
  for (unsigned n = 0; n < 200; n++) {
    char *to = text + sprintf(text, "%s", KERNEL);
    to += sprintf(to, "mov.u32 %%r2, sh;\nst.shared.u32 [pad], %%r2;\nbar.sync 0;\n");
    for (unsigned k = 0; k < 4; k++)
      to += sprintf(to,
                    next(&seed, 2) ? "mad.lo.u32 %%r%u, %%r1, 128, %%r2;\nadd.u32 %%r%u, %%r%u, %u;\n"
                                   : "shl.b32 %%r3, %%r1, 7;\nadd.u32 %%r%u, %%r2, %%r3;\nadd.u32 %%r%u, %%r%u, %u;\n",
                    10 + k, 10 + k, 10 + k, 1024 + 4 * next(&seed, 9));
    for (unsigned k = 0; k < 16; k++) to += sprintf(to, "add.u32 %%r%u, %%r1, %u;\n", 20 + k, 100 * k);
    for (unsigned k = 0; k < 40; k++) {
      const unsigned base = 10 + next(&seed, 4), value = 20 + next(&seed, 16), offset = 4 * next(&seed, 9);
      switch (next(&seed, 10)) {
      case 0: to += sprintf(to, "st.shared.u32 [%%r%u+%u], %%r%u;\n", base, offset, value); break;
      case 1: to += sprintf(to, "ld.shared.u32 %%r%u, [pad+%u];\n", value, offset % 32); break;
      case 2: to += sprintf(to, "add.u32 %%r%u, %%r%u, %u;\n", base, base, 4 * next(&seed, 5)); break;
      case 3: to += sprintf(to, "add.u32 %%r%u, %%r%u, %%r%u;\n", value, value, 20 + next(&seed, 16)); break;
      case 4: to += sprintf(to, "ld.shared.u32 %%r%u, [sh+%u];\n", value, offset); break;
      default: to += sprintf(to, "ld.shared.u32 %%r%u, [%%r%u+%u];\n", value, base, offset); break;
      }
    }
    for (unsigned k = 0; k < 16; k++) to += sprintf(to, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * k, 20 + k);
    sprintf(to, "ret;\n}\n");
    joined += both_ways(text);
  }
  assert_true(joined >= 200);
}

// Loops of known numbers of runs, up and down, of both kinds of numbers, with and without a rest, and within each other; a counter that has its
// start from elsewhere at times is not known.
static void known_loops_run_as_often(void **state) {
  (void)state;
  static const char *const loops[] = {
    "mov.u32 %r3, 0;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;\n",
    "mov.u32 %r3, 5;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.s32 %r3, %r3, -3; setp.ge.s32 %p1, %r3, -400; @%p1 bra L;\n",
    "mov.u32 %r3, 3;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 7; setp.le.u32 %p1, %r3, 20000; @%p1 bra L;\n",
    "mov.u32 %r3, 0;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 5003; @%p1 bra L;\n",
    "mov.u32 %r3, -2;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 3; @%p1 bra L;\n",
    "mov.u32 %r3, -2;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L;\n",
    "mov.u32 %r3, 9;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L;\n",
    "mov.u32 %r3, 0;\nL: setp.lt.u32 %p1, %r3, 6; mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; @%p1 bra L;\n",
    "mov.u32 %r3, 1;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 2; setp.gt.u32 %p1, 12, %r3; @%p1 bra L;\n",
    "mov.u32 %r4, 0;\nM: mov.u32 %r3, 0;\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;\n"
    "add.u32 %r2, %r2, %r4; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 7; @%p2 bra M;\n",
    "mov.u32 %r4, 0;\nmov.u32 %r3, 0;\nM:\nL: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;\n"
    "add.u32 %r2, %r2, %r4; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 7; @%p2 bra M;\n",
    "mov.u32 %r3, 0;\nsetp.lt.u32 %p3, %r1, 5; @%p3 bra L; mov.u32 %r3, 2;\n"
    "L: mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;\n",
    "mov.u32 %r3, 0;\nbra L;\nE: add.u32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 11; @%p1 bra O;\n"
    "L: mad.lo.u32 %r2, %r2, 3, %r3; setp.gt.u32 %p2, %r1, %r3; @%p2 bra E;\nadd.u32 %r2, %r2, 77; bra E;\nO:\n",
    "mov.u32 %r3, 0;\nbra L;\nE: add.u32 %r2, %r2, 5;\nF: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 11; @%p1 bra L; bra O;\n"
    "L: mad.lo.u32 %r2, %r2, 3, %r3; setp.gt.u32 %p2, %r1, %r3; @%p2 bra E;\nadd.u32 %r2, %r2, 77; bra F;\nO:\n",
    "mov.u32 %r3, 0;\nL: mad.lo.u32 %r2, %r2, 3, %r3; bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;\n",
    "mov.u64 %rd5, -4;\nL: mad.lo.u32 %r2, %r2, 3, %r1; add.s64 %rd5, %rd5, 3; setp.lt.s64 %p1, %rd5, 90; @%p1 bra L; cvt.u32.u64 %r3, %rd5;\n",
    "mov.u64 %rd5, 0x7ffffffffffffff0;\nL: mad.lo.u32 %r2, %r2, 3, %r1; add.s64 %rd5, %rd5, 3; setp.lt.u64 %p1, %rd5, 0x8000000000000007; @%p1 bra L;\n"
    "cvt.u32.u64 %r3, %rd5;\n",
    "mov.u64 %rd5, 7;\nL: mad.lo.u32 %r2, %r2, 3, %r1; add.s64 %rd5, %rd5, -3; setp.gt.s64 %p1, %rd5, -40; @%p1 bra L; cvt.u32.u64 %r3, %rd5;\n",
    "mov.u32 %r4, 0;\nL: add.u32 %r3, %r4, 1; mad.lo.u32 %r2, %r2, 3, %r4; setp.ne.u32 %p1, %r3, 13; mov.u32 %r4, %r3; @%p1 bra L;\n",
    "mov.u32 %r3, 0;\nL: setp.gt.u32 %p2, %r1, %r3; @%p2 bra M; mad.lo.u32 %r2, %r2, 5, %r3;\n"
    "M: add.u32 %r2, %r2, 3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;\n",
  };
  static char text[8192];
  for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
    sprintf(text, "%smov.u32 %%r2, %%r1;\nmov.u32 %%r3, pad;\n%sst.global.v2.u32 [%%rd1], {%%r2, %%r3};\nret;\n}\n",
            KERNEL, loops[k]);
    both_ways(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_ptxas), cmocka_unit_test(random_loads_stay),
                                     cmocka_unit_test(known_loops_run_as_often)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Small kernels on a chip of one core, changed by the test, to the cycle. Expectations come from the chip's own settings
// (rig.config), so that they state rules and not numbers. Every measurement is the second launch of a kernel, whose
// instructions the first has brought into the instruction cache, long after the first, and is made twice: the second time
// with all clocks just before 2^32 cycles of the core. Both must agree.
#ifndef WEIR_TESTS_GPU_TEST_H
#define WEIR_TESTS_GPU_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "chip/machine.h"
#include "config/chip_file.h"
#include "exec/texture.h"
#include "host/host.h"
#include "ptx/parse.h"

enum { RIG_TEXT = 1 << 16, RIG_MAX_OVERRIDES = 16, SEEN_WARPS = 16, SEEN_WORDS = 32 };

// A chip: fermi-gtx480 with one core and nothing in the way of the plain rules, then the test's overrides.
struct rig {
  struct weir_chip_config *config;
  struct weir_scheme *scheme;
  struct weir_sink sink;
  struct weir_code code;
  void (*look)(struct weir_chip *chip, void *seen); // at the chip after its run, finished; NULL: nobody does
  void *seen;
};

static inline void rig_set(struct rig *rig, const char *format, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!weir_chip_set(rig->config, text, "test", &rig->sink)) {
    weir_sink_print(&rig->sink, stderr);
    fail_msg("%s", text);
  }
}

static inline struct rig *rig_new(void) {
  struct rig *rig = calloc(1, sizeof *rig);
  assert_non_null(rig);
  rig->code = weir_code_written(WEIR_ASSEMBLER_SM_35);
  rig->config = weir_chip_read("fermi-gtx480", &rig->sink);
  assert_non_null(rig->config);
  rig->scheme = weir_scheme_read("lru", rig->config, &rig->sink);
  assert_non_null(rig->scheme);
  rig_set(rig, "core.count=1");
  rig_set(rig, "core.register_banks=0");  // no two operands in one bank
  rig_set(rig, "core.main_collectors=0"); // and no want of collectors
  rig_set(rig, "core.special_collectors=0");
  rig_set(rig, "core.unit_conflicts=false"); // nor two results of a unit at once
  rig_set(rig, "core.collector_reads=1");
  rig_set(rig, "instruction_cache.size_bytes=16384");
  return rig;
}

static inline void rig_free(struct rig *rig) {
  weir_scheme_free(rig->scheme);
  weir_chip_config_free(rig->config);
  weir_sink_free(&rig->sink);
  free(rig);
}

// What to run. `body` stands between the registers' declarations and ret; the argument `a` is a buffer of 64 KiB whose
// every 8 bytes hold their own address.
struct run {
  const char *body;
  uint32_t blocks, threads; // 0: 1, and one warp
  uint32_t shared_bytes;    // static, of a block
  const char *globals;      // what stands before the kernel
  const char *directives;   // … and before its body
  // The argument is this image's handle instead. Its texels begin `base` bytes into the buffer; the kernel cannot record.
  const struct weir_texture *texture;
};

static inline char *program_of(const struct run *run) {
  char *text = malloc(RIG_TEXT);
  assert_non_null(text);
  int n = snprintf(text, RIG_TEXT,
                   ".version 7.0\n.target sm_70\n.address_size 64\n%s\n"
                   ".visible .entry k(.param .u64 a) %s\n{\n"
                   ".reg .b32 %%r<100>;\n.reg .b64 %%d<100>;\n.reg .f32 %%f<100>;\n.reg .pred %%p<4>;\n"
                   ".shared .align 8 .b8 s[%u];\n%s\nret;\n}\n",
                   run->globals ? run->globals : "", run->directives ? run->directives : "",
                   run->shared_bytes ? run->shared_bytes : 8, run->body);
  assert_in_range(n, 1, RIG_TEXT - 1);
  return text;
}

static inline void fill_chase(struct weir_host *host, uint64_t buffer) {
  for (uint64_t at = 0; at < 65536; at += 8) {
    uint64_t self = buffer + at;
    memcpy(weir_host_bytes(host, self, 8), &self, 8);
  }
  weir_host_wrote(host, buffer, 65536);
}

static inline void launch(struct rig *rig, struct weir_host *host, const struct run *run, uint64_t buffer) {
  struct weir_dim grid = {.x = run->blocks}, block = {.x = run->threads ? run->threads : weir_chip_lanes(rig->config)};
  if (weir_launch_args(host, "k", grid, block, WEIR_ARG(buffer))) return;
  weir_sink_print(&rig->sink, stderr);
  fail_msg("the launch failed");
}

// What two launches of a kernel leave: the counts of each, and the words that its warps stored.
struct sight {
  struct weir_run_stats cold, counts;     // of the first launch, of the second
  uint64_t begin;                         // of the second, core cycle: its first blocks start
  uint64_t words[SEEN_WARPS][SEEN_WORDS]; // what record() left at the end of the second
};

static inline struct weir_program *program_for(struct rig *rig, const char *text, struct weir_memory *memory,
                                               struct weir_module **module) {
  *module = weir_ptx_parse("test.ptx", text, strlen(text), &rig->sink);
  struct weir_program *p =
    *module ? weir_program_build(*module, weir_chip_lanes(rig->config), rig->code, memory, &rig->sink) : NULL;
  if (p) return p;
  weir_sink_print(&rig->sink, stderr);
  fail_msg("%s", text);
  return NULL;
}

// Two launches, the second begun just after core cycle `start` (0: at once).
static inline void observe(struct rig *rig, const struct run *run, weir_cycle start, struct sight *sight) {
  char *text = program_of(run);
  struct weir_memory *memory = weir_memory_create();
  struct weir_module *module;
  struct weir_program *program = program_for(rig, text, memory, &module);
  struct weir_host *host = weir_host_create(program, memory, &rig->sink);
  struct weir_chip *chip = weir_chip_create(rig->config, rig->scheme, 1, &rig->sink);
  if (!chip) {
    weir_sink_print(&rig->sink, stderr);
    fail_msg("the chip cannot be built");
  }
  weir_host_attach(host, weir_chip_backend(chip));
  uint64_t buffer = weir_host_alloc(host, "chase", 65536);
  fill_chase(host, buffer);
  uint64_t argument = buffer;
  if (run->texture) {
    struct weir_texture t = *run->texture;
    t.base += buffer;
    argument = weir_texture_add(memory, &t);
  }
  launch(rig, host, run, argument);
  if (start) chip->now = start * chip->clocks.cores.period;
  sight->begin = chip->now / chip->clocks.cores.period + 1;
  launch(rig, host, run, argument);
  sight->cold = chip->kernels.kernels[0].counts;
  sight->counts = chip->kernels.kernels[1].counts;
  memcpy(sight->words, weir_host_bytes(host, buffer, sizeof sight->words), sizeof sight->words);
  weir_chip_finish(chip);
  if (rig->look) rig->look(chip, rig->seen);
  weir_host_free(host);
  weir_chip_free(chip);
  weir_program_free(program);
  weir_memory_free(memory);
  weir_module_free(module);
  free(text);
}

static inline struct weir_run_stats measure_from(struct rig *rig, const struct run *run, weir_cycle start) {
  struct sight sight;
  observe(rig, run, start, &sight);
  return sight.counts;
}

// Leaves the first n of the registers %d0, %d1, … of every warp in sight.words; four warps to a block. RECORD_PLACE can stand
// before what is timed.
#define RECORD_PLACE                                                                                                   \
  "mov.u32 %r90, %tid.x; shr.u32 %r91, %r90, 5; mov.u32 %r92, %ctaid.x; mad.lo.u32 %r91, %r92, 4, %r91;"               \
  "mul.wide.u32 %d90, %r91, 256; ld.param.u64 %d91, [a]; add.u64 %d90, %d90, %d91;"

#define READ(i) "mov.u64 %d" #i ", %clock64;"

static inline void record(char *body, unsigned n) {
  for (unsigned i = 0; i < n; i++) sprintf(body + strlen(body), "st.global.u64 [%%d90+%u], %%d%u;", 8 * i, i);
}

static inline uint64_t measure_run(struct rig *rig, const struct run *run) {
  uint64_t cycles = measure_from(rig, run, UINT64_C(0x1000000)).cycles;
  assert_int_equal(measure_from(rig, run, UINT64_C(0xFFFFFFF0)).cycles, cycles);
  return cycles;
}

// `before`, then `line` n times.
static inline uint64_t cycles_of(struct rig *rig, struct run run, const char *before, const char *line, unsigned n) {
  char *body = malloc(RIG_TEXT);
  assert_non_null(body);
  strcpy(body, before);
  for (unsigned i = 0; i < n; i++) strcat(body, line);
  run.body = body;
  uint64_t cycles = measure_run(rig, &run);
  free(body);
  return cycles;
}

// What one more of `line` costs, in units of 1 / 12 cycle: 12 more of them, after some that fill the pipeline. (12 so that
// both ends lie alike in their fetches of up to four instructions.)
static inline uint64_t cost_of_twelve(struct rig *rig, struct run run, const char *before, const char *line) {
  return cycles_of(rig, run, before, line, 48) - cycles_of(rig, run, before, line, 36);
}

// One warp with its whole program at hand.
static inline struct rig *lone_rig(void) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.fetch_instructions=16");
  rig_set(rig, "core.decode_cycles=1");
  rig_set(rig, "core.max_blocks=1");
  return rig;
}

// From %d0 to %d1.
static inline uint64_t between_with(struct rig *rig, const char *globals, const char *timed) {
  char body[2048] =
    "ld.param.u64 %d20, [a]; ld.global.u64 %d21, [%d20]; add.u64 %d22, %d21, %d21;"; // the line is there
  for (int i = 3; i < 16; i++) strcat(body, "mov.u64 %d23, 0;");
  strcat(body, "add.u64 %d22, %d22, %d22;"); // begins a fetch
  strcat(body, timed);
  strcat(body, RECORD_PLACE);
  record(body, 2);
  struct run run = {.body = body, .globals = globals};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  return s.words[0][1] - s.words[0][0];
}

static inline uint64_t between(struct rig *rig, const char *timed) {
  return between_with(rig, NULL, timed);
}

#endif

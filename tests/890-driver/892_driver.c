// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The device as a backend, on the driver's stand-in (fake_cuda.c). Each case has a process of its own, as each program
// that uses a driver.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/driver.h"
#include "ptx/parse.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAKE WEIR_BINARY_DIR "/tests/890-driver/fake/libcuda.so.1"
#define HEAD ".version 7.0\n.target sm_70, debug\n.address_size 64\n"

// ---- a program on the stand-in --------------------------------------------------------------------------------------

struct rig {
  struct weir_sink sink;
  struct weir_memory *memory;
  struct weir_module *module;
  struct weir_program *program;
  struct weir_host *host;
  struct weir_driver *driver;
};

#define MUST(condition)                                                                                                \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      weir_sink_print(&r->sink, stderr);                                                                               \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

static void rig_open(struct rig *r, const char *ptx, unsigned repeat) {
  *r = (struct rig){.memory = weir_memory_create()};
  r->module = weir_ptx_parse("text", ptx, strlen(ptx), &r->sink);
  MUST(r->module);
  r->program = weir_program_build(r->module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), r->memory, &r->sink);
  MUST(r->program);
  r->host = weir_host_create(r->program, r->memory, &r->sink);
  r->driver = weir_driver_open(&r->sink);
  MUST(r->driver);
  const struct weir_driver_options options = {.loads = WEIR_CACHE_CG, .repeat = repeat};
  MUST(weir_driver_load(r->driver, r->program, &options, &r->sink));
  weir_host_attach(r->host, weir_driver_backend(r->driver));
}

static void rig_close(struct rig *r) {
  weir_driver_close(r->driver);
  weir_host_free(r->host);
  weir_program_free(r->program);
  weir_module_free(r->module);
  weir_memory_free(r->memory);
  weir_sink_free(&r->sink);
}

static uint32_t word(struct rig *r, uint64_t address) {
  uint32_t value;
  weir_host_read(r->host, &value, address, sizeof value);
  return value;
}

static bool said(const struct rig *r, const char *part) {
  for (size_t k = 0; k < r->sink.count; k++)
    if (strstr(r->sink.diags[k].message, part)) return true;
  return false;
}

// Runs the body in a process that has the stand-in under the driver's name.
static void on_device(const char *switches, void (*body)(struct rig *r)) {
  fflush(NULL);
  const pid_t pid = fork();
  int status;
  if (!pid) {
    struct rig r;
    setenv("WEIR_FAKE_CUDA", switches, 1);
    if (!dlopen(FAKE, RTLD_NOW)) fprintf(stderr, "%s\n", dlerror()), _exit(1);
    body(&r);
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (status) print_error("on a device that is '%s'\n", switches);
  assert_int_equal(status, 0);
}

static const char *const placements[] = {"", "moved", "no-mapping", "narrow"};
enum { PLACEMENTS = 4 };

// ---- cases ----------------------------------------------------------------------------------------------------------

// to[i] = from[i] + more, one thread per word; not visible, as OpenCL compilers leave kernels.
#define ADD                                                                                                            \
  HEAD ".entry add(.param .u64 from, .param .u64 to, .param .u32 more)\n{\n"                                           \
       ".reg .b32 %r<4>;\n.reg .b64 %rd<5>;\n"                                                                         \
       "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\nld.param.u32 %r1, [more];\n"                             \
       "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n"      \
       "ld.global.u32 %r3, [%rd1];\nadd.s32 %r3, %r3, %r1;\nst.global.u32 [%rd2], %r3;\nret;\n}\n"

static bool add(struct rig *r, uint64_t from, uint64_t to, uint32_t more) {
  return weir_launch_args(r->host, "add", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){4, 1, 1}), WEIR_ARG(from),
                          WEIR_ARG(to), WEIR_ARG(more));
}

// What the host does between launches is seen by the next: a fill, and a buffer that is new and larger than what was
// there.
static void copies(struct rig *r) {
  enum { LARGE = 5 << 20 };
  static const uint32_t in[4] = {10, 20, 30, 40};
  rig_open(r, ADD, 1);
  uint64_t from = weir_host_upload(r->host, "from", in, sizeof in), to = weir_host_alloc(r->host, "to", sizeof in);
  MUST(add(r, from, to, 7));
  MUST(word(r, to) == 17 && word(r, to + 12) == 47 && word(r, from) == 10);
  weir_host_fill(r->host, from, 1, sizeof in);
  MUST(add(r, from, to, 1));
  MUST(word(r, to) == 0x01010102);
  uint64_t large = weir_host_alloc(r->host, "large", LARGE);
  MUST(add(r, to, large + LARGE - sizeof in, 1));
  MUST(word(r, large + LARGE - 4) == 0x01010103 && word(r, large) == 0);
  // On a device that reserves no more than what is needed at first, the last buffer is elsewhere.
  MUST(weir_driver_totals(r->driver)->same_addresses == !*getenv("WEIR_FAKE_CUDA"));
  MUST(weir_driver_totals(r->driver)->launches == 3);
  rig_close(r);
}

static void test_copies(void **state) {
  (void)state;
  for (unsigned k = 0; k < PLACEMENTS; k++) on_device(placements[k], copies);
}

// The launch is timed from the same contents every time: repeating it does not add again. The stand-in takes T, 10 T,
// T; T is a tenth of a microsecond for each of 12 instructions of one warp, its own among them.
static unsigned repeat;
static void repeated(struct rig *r) {
  static const double median[] = {[1] = 1, [2] = 5.5, [3] = 1};
  rig_open(r, ADD, repeat);
  uint64_t at = weir_host_alloc(r->host, "at", 16);
  MUST(add(r, at, at, 7) && word(r, at) == 7);
  MUST(weir_driver_totals(r->driver)->launches == 1);
  MUST(fabs(weir_driver_totals(r->driver)->milliseconds - median[repeat] * 12e-4) < 1e-6);
  rig_close(r);
}

static void test_repeated(void **state) {
  (void)state;
  for (repeat = 1; repeat <= 3; repeat++) on_device("", repeated);
}

// *out = *(buffer that the buffer points to): works where addresses are the same, and cannot be made to elsewhere.
#define FOLLOW                                                                                                         \
  HEAD ".visible .entry follow(.param .u64 list, .param .u64 out)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<4>;\n"           \
       "ld.param.u64 %rd1, [list];\nld.param.u64 %rd2, [out];\nld.global.u64 %rd3, [%rd1];\n"                          \
       "ld.global.u32 %r1, [%rd3];\nst.global.u32 [%rd2], %r1;\nret;\n}\n"

static bool follow(struct rig *r, uint64_t *out) {
  static const uint32_t value = 42;
  rig_open(r, FOLLOW, 1);
  uint64_t at = weir_host_upload(r->host, "value", &value, sizeof value);
  uint64_t list = weir_host_upload(r->host, "list", &at, sizeof at);
  *out = weir_host_alloc(r->host, "out", sizeof value);
  return weir_launch_args(r->host, "follow", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(list),
                          WEIR_ARG(*out));
}

static void followed(struct rig *r) {
  uint64_t out;
  MUST(follow(r, &out) && word(r, out) == 42);
  rig_close(r);
}

static void lost(struct rig *r) {
  uint64_t out;
  MUST(!follow(r, &out));
  MUST(said(r, "CUDA_ERROR_ILLEGAL_ADDRESS (700: an illegal memory access was encountered) (kernel 'follow')"));
  rig_close(r);
}

static void test_pointers_in_buffers(void **state) {
  (void)state;
  on_device("", followed);
  on_device("moved", lost);
}

// A struct by value with an address in it.
#define STRUCT                                                                                                         \
  HEAD ".visible .entry put(.param .align 8 .b8 s[16])\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"                      \
       "ld.param.u32 %r1, [s];\nld.param.u64 %rd1, [s+8];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"

static bool put(struct rig *r, uint64_t *out) {
  struct {
    uint32_t value, pad;
    uint64_t at;
  } s = {.value = 42};
  rig_open(r, STRUCT, 1);
  s.at = *out = weir_host_alloc(r->host, "out", 4);
  return weir_launch_args(r->host, "put", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(s));
}

static void put_there(struct rig *r) {
  uint64_t out;
  MUST(put(r, &out) && word(r, out) == 42);
  rig_close(r);
}

static void put_refused(struct rig *r) {
  uint64_t out;
  MUST(!put(r, &out) && said(r, "parameter 's' seems to hold an address in its bytes 8 to 15"));
  rig_close(r);
}

static void test_pointers_in_structs(void **state) {
  (void)state;
  on_device("", put_there);
  on_device("moved", put_refused);
}

// In PTX that says which parameters are pointers (.ptr), a number that looks like an address stays one.
#define NUMBER                                                                                                         \
  HEAD ".entry keep(.param .u64 .ptr .global .align 8 out, .param .u64 number)\n{\n.reg .b64 %rd<3>;\n"                \
       "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [number];\nst.global.u64 [%rd1], %rd2;\nret;\n}\n"

static void number(struct rig *r) {
  uint64_t kept;
  rig_open(r, NUMBER, 1);
  uint64_t out = weir_host_alloc(r->host, "out", 8);
  MUST(weir_launch_args(r->host, "keep", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(out),
                        WEIR_ARG(out)));
  weir_host_read(r->host, &kept, out, sizeof kept);
  MUST(kept == out);
  rig_close(r);
}

static void test_numbers(void **state) {
  (void)state;
  for (unsigned k = 0; k < PLACEMENTS; k++) on_device(placements[k], number);
}

// counter += 1, *out = factor × *pointer, where pointer holds counter's address: the device's, which nobody else knows.
#define VARIABLES                                                                                                      \
  HEAD ".global .u32 counter = 5;\n.const .u32 factor = 3;\n.global .u64 pointer = counter;\n"                         \
       ".entry count(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"                                       \
       "ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [counter];\nadd.s32 %r1, %r1, 1;\n"                              \
       "st.global.u32 [counter], %r1;\nld.global.u64 %rd2, [pointer];\nld.global.u32 %r2, [%rd2];\n"                   \
       "ld.const.u32 %r3, [factor];\nmul.lo.s32 %r2, %r2, %r3;\nst.global.u32 [%rd1], %r2;\nret;\n}\n"

static void variables(struct rig *r) {
  rig_open(r, VARIABLES, 3);
  uint64_t out = weir_host_alloc(r->host, "out", 4), counter = weir_program_variable(r->program, "counter", NULL);
  for (uint32_t n = 6; n <= 8; n++) {
    MUST(weir_launch_args(r->host, "count", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(out)));
    MUST(word(r, out) == 3 * n && word(r, counter) == n);
  }
  uint64_t factor = weir_program_variable(r->program, "factor", NULL);
  const uint32_t ten = 10;
  weir_host_write(r->host, factor, &ten, sizeof ten);
  MUST(weir_launch_args(r->host, "count", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(out)));
  MUST(word(r, out) == 90);
  rig_close(r);
}

static void test_variables(void **state) {
  (void)state;
  for (unsigned k = 0; k < PLACEMENTS; k++) on_device(placements[k], variables);
}

// Static shared memory, two __local arguments and the driver's own KiB lie apart: each thread writes its word of all
// three, then reads its neighbour's. Where the first argument would lie if the driver kept nothing, the static array's
// word 20 is behind its KiB: 1104 = 1024 + 80.
#define LOCALS                                                                                                         \
  HEAD                                                                                                                 \
    ".entry locals(.param .u64 .ptr .shared .align 4 a, .param .u64 .ptr .shared .align 4 b,\n"                        \
    ".param .u64 .ptr .global .align 4 out)\n{\n"                                                                      \
    ".shared .align 4 .b8 own[1100];\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"                                           \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nxor.b32 %r2, %r1, 1;\nmul.wide.u32 %rd2, %r2, 4;\n"             \
    "ld.param.u64 %rd3, [a];\nld.param.u64 %rd4, [b];\nld.param.u64 %rd5, [out];\nmov.u64 %rd6, own+80;\n"             \
    "add.s32 %r3, %r1, 100;\nadd.s32 %r4, %r1, 200;\nadd.s32 %r5, %r1, 300;\n"                                         \
    "add.s64 %rd7, %rd3, %rd1;\nst.shared.u32 [%rd7], %r3;\nadd.s64 %rd7, %rd4, %rd1;\nst.shared.u32 [%rd7], %r4;\n"   \
    "add.s64 %rd7, %rd6, %rd1;\nst.shared.u32 [%rd7], %r5;\nbar.sync 0;\n"                                             \
    "add.s64 %rd7, %rd3, %rd2;\nld.shared.u32 %r6, [%rd7];\nadd.s64 %rd7, %rd4, %rd2;\nld.shared.u32 %r7, [%rd7];\n"   \
    "add.s64 %rd7, %rd6, %rd2;\nld.shared.u32 %r8, [%rd7];\n"                                                          \
    "mul.lo.s64 %rd8, %rd1, 3;\nadd.s64 %rd8, %rd5, %rd8;\nst.global.u32 [%rd8], %r6;\nst.global.u32 [%rd8+4], %r7;\n" \
    "st.global.u32 [%rd8+8], %r8;\nret;\n}\n"

static void locals(struct rig *r) {
  rig_open(r, LOCALS, 1);
  uint64_t out = weir_host_alloc(r->host, "out", 48);
  MUST(weir_launch_args(r->host, "locals", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){4, 1, 1}),
                        WEIR_ARG_LOCAL(16), WEIR_ARG_LOCAL(16), WEIR_ARG(out)));
  for (uint32_t t = 0; t < 4; t++)
    for (uint32_t k = 0; k < 3; k++) MUST(word(r, out + 12 * t + 4 * k) == 100 * (k + 1) + (t ^ 1));
  rig_close(r);
}

static void test_locals(void **state) {
  (void)state;
  for (unsigned k = 0; k < PLACEMENTS; k++) on_device(placements[k], locals);
}

// More dynamic shared memory than a launch may have that does not ask for it.
#define DYNAMIC                                                                                                        \
  HEAD ".extern .shared .align 16 .b8 dynamic[];\n"                                                                    \
       ".entry large(.param .u64 out)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n"                                       \
       "ld.param.u64 %rd1, [out];\nmov.u64 %rd2, dynamic;\nmov.u32 %r1, 9;\nst.shared.u32 [%rd2+99996], %r1;\n"        \
       "ld.shared.u32 %r1, [%rd2+99996];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"

static bool large(struct rig *r, uint32_t bytes, uint64_t *out) {
  rig_open(r, DYNAMIC, 1);
  *out = weir_host_alloc(r->host, "out", 4);
  return weir_host_launch(r->host, "large", (struct weir_dim){1, 1, 1}, (struct weir_dim){1, 1, 1}, bytes,
                          (const struct weir_arg[]){WEIR_ARG(*out)}, 1);
}

static void fits(struct rig *r) {
  uint64_t out;
  MUST(large(r, 100000, &out) && word(r, out) == 9);
  rig_close(r);
}

static void does_not_fit(struct rig *r) {
  uint64_t out;
  MUST(!large(r, 300000, &out) && said(r, "300000 bytes of shared memory; this device gives a block 232448"));
  rig_close(r);
}

static void test_dynamic(void **state) {
  (void)state;
  on_device("", fits);
  on_device("", does_not_fit);
}

// A kernel of S-L1 gets room for as many lines as leave no block without: with blocks of 288 threads 7 are resident on the
// stand-in, each with a KiB of the driver's, so that (228 KiB - 7 KiB) / (7 × 288 threads) / 8 bytes = 14 lines would fit
// a thread. But the device gives out shared memory by the KiB: with 14, blocks take 14 × 288 × 8 + 1024 bytes = 32.5 KiB,
// of which 6 fit; with 13 31 KiB. What the kernel itself uses, 100 bytes, lies before them, rounded up to 16. It counts 10
// accesses and 7 hits of one structure in each launch, 30 and 2 of the other.
#define CACHED                                                                                                         \
  HEAD ".visible .const .u32 cached__sl1[4] = {8, 20, 0, 0};\n"                                                        \
       ".visible .global .u64 cached__sl1_counts[16];\n"                                                               \
       ".visible .entry cached(.param .u64 out)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [out];\n"  \
       ".reg .pred %p;\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p, %r1, 0;\n"                                               \
       "@%p red.global.add.u64 [cached__sl1_counts+32], 10;\n@%p red.global.add.u64 [cached__sl1_counts+40], 7;\n"     \
       "@%p red.global.add.u64 [cached__sl1_counts+96], 30;\n@%p red.global.add.u64 [cached__sl1_counts+104], 2;\n"    \
       "mov.u32 %r1, %dynamic_smem_size;\nst.global.u32 [%rd1], %r1;\nld.const.u32 %r2, [cached__sl1+8];\n"            \
       "st.global.u32 [%rd1+4], %r2;\nret;\n}\n"

static void cached(struct rig *r) {
  rig_open(r, CACHED, 2);
  uint64_t out = weir_host_alloc(r->host, "out", 8);
  const struct weir_arg args[] = {WEIR_ARG(out)};
  MUST(weir_host_launch(r->host, "cached", (struct weir_dim){1, 1, 1}, (struct weir_dim){288, 1, 1}, 0, args, 1));
  MUST(word(r, out) == 13 * 288 * 8 && word(r, out + 4) == 0);
  MUST(weir_host_launch(r->host, "cached", (struct weir_dim){1, 1, 1}, (struct weir_dim){288, 1, 1}, 100, args, 1));
  MUST(word(r, out) == 112 + 13 * 288 * 8 && word(r, out + 4) == 112);
  MUST(weir_driver_totals(r->driver)->sl1_lines == 13);
  MUST(weir_driver_totals(r->driver)->sl1_accesses == 80 && weir_driver_totals(r->driver)->sl1_hits == 18);
  rig_close(r);
}

static void test_lines(void **state) {
  (void)state;
  on_device("", cached);
}

// ---- what goes wrong ------------------------------------------------------------------------------------------------

#define FAULTY(body) HEAD ".entry bad()\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n" body "ret;\n}\n"

static const char *faulty, *name;
static void faults(struct rig *r) {
  rig_open(r, faulty, 1);
  MUST(!weir_host_launch(r->host, "bad", (struct weir_dim){1, 1, 1}, (struct weir_dim){1, 1, 1}, 0, NULL, 0));
  MUST(said(r, name) && said(r, "(kernel 'bad')"));
  rig_close(r);
}

static void test_faults(void **state) {
  (void)state;
  faulty = FAULTY("mov.u64 %rd1, 64;\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\n");
  name = "CUDA_ERROR_ILLEGAL_ADDRESS";
  on_device("", faults);
  faulty = FAULTY("mov.u64 %rd1, 0x40000001;\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\n");
  name = "CUDA_ERROR_MISALIGNED_ADDRESS";
  on_device("", faults);
  faulty = FAULTY("trap;\n");
  name = "CUDA_ERROR_LAUNCH_FAILED";
  on_device("", faults);
}

static void no_memory(struct rig *r) {
  rig_open(r, ADD, 1);
  uint64_t at = weir_host_alloc(r->host, "at", 16);
  MUST(!add(r, at, at, 7) && said(r, "CUDA_ERROR_OUT_OF_MEMORY"));
  rig_close(r);
}

static void constants(struct rig *r) {
  rig_open(r, HEAD ".entry c(.param .u64 .ptr .const .align 4 table)\n{\nret;\n}\n", 1);
  uint64_t at = weir_host_alloc(r->host, "at", 16);
  MUST(!weir_launch_args(r->host, "c", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(at)));
  MUST(said(r, "parameter 'table' points to constant memory"));
  rig_close(r);
}

static void test_refusals(void **state) {
  (void)state;
  on_device("full", no_memory);
  on_device("moved,full", no_memory);
  on_device("", constants);
}

// The compiler's log is shown, with what explains it: versions of text, driver and device.
static void not_compiled(struct rig *r) {
  const char *text = ADD;
  *r = (struct rig){.memory = weir_memory_create()};
  r->module = weir_ptx_parse("text", text, strlen(text), &r->sink);
  r->program = weir_program_build(r->module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), r->memory, &r->sink);
  r->driver = weir_driver_open(&r->sink);
  const struct weir_driver_options options = {.loads = WEIR_CACHE_CA, .repeat = 1};
  MUST(!weir_driver_load(r->driver, r->program, &options, &r->sink));
  MUST(said(r, "text: error: the driver (CUDA 12.4) does not take this PTX (version 7.0, target sm_70, debug)"));
  MUST(said(r, "compute capability 9.0: CUDA_ERROR_INVALID_PTX") && said(r, "ptxas fatal: Unsupported .version"));
  rig_close(r);
}

static void absent(struct rig *r) {
  r->sink = (struct weir_sink){0};
  MUST(!weir_driver_open(&r->sink) && said(r, "no CUDA device here: CUDA_ERROR_NO_DEVICE"));
  weir_sink_free(&r->sink);
}

static void test_no_device(void **state) {
  (void)state;
  on_device("old-driver", not_compiled);
  on_device("no-device", absent);
  on_device("init-fails", absent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_copies),   cmocka_unit_test(test_repeated),  cmocka_unit_test(test_pointers_in_buffers),
    cmocka_unit_test(test_numbers),  cmocka_unit_test(test_variables), cmocka_unit_test(test_pointers_in_structs),
    cmocka_unit_test(test_locals),   cmocka_unit_test(test_dynamic),   cmocka_unit_test(test_faults),
    cmocka_unit_test(test_refusals), cmocka_unit_test(test_no_device), cmocka_unit_test(test_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

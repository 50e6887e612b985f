// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Modules compiled separately, linked and executed: what a kernel computes says which definitions it met. By hand, and by
// nvcc -rdc=true where there is one.
#include "all.h"
#include "container.h"
#include "nvcc.h"

#include "binary/elf.h"
#include "exec/warp.h"
#include "ptx/link.h"
#include "ptx/parse.h"

enum { THREADS = 64, BLOCK = 32 };
#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

static struct weir_sink sink;

static void stop(const char *what) {
  weir_sink_print(&sink, stderr);
  fail_msg("%s", what);
}

static struct weir_module *parse(const char *path, const char *text) {
  struct weir_module *m = weir_ptx_parse(path, text, strlen(text), &sink);
  if (!m) stop("PTX does not parse");
  return m;
}

// Runs `kernel`(int *out, int n) over THREADS threads, a third of them past the end.
static bool execute(const struct weir_module *m, const char *kernel, uint32_t *out, struct weir_fault *fault) {
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *p = weir_program_build(m, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &sink);
  if (!p) stop("the program does not build");
  const uint64_t bytes = (THREADS - 20) * 4;
  struct {
    uint64_t out;
    uint32_t n;
  } params = {weir_memory_alloc(memory, "out", bytes), THREADS - 20};
  struct weir_launch launch = {.program = p,
                               .kernel = weir_program_kernel(p, kernel),
                               .memory = memory,
                               .grid = {THREADS / BLOCK, 1, 1},
                               .block = {BLOCK, 1, 1},
                               .params = &params,
                               .dynamic_shared_bytes = BLOCK * 4};
  assert_non_null(launch.kernel);
  const bool ok = weir_run_functional(&launch, fault);
  if (ok)
    memcpy(out, weir_memory_at(memory, params.out, bytes), bytes);
  else
    weir_fault_report(fault, &launch, &sink);
  weir_program_free(p);
  weir_memory_free(memory);
  return ok;
}

static void expect(struct weir_module *m, const char *kernel, uint32_t (*value)(uint32_t)) {
  static uint32_t out[THREADS];
  struct weir_fault fault;
  if (!m) stop("the modules do not link");
  if (!execute(m, kernel, out, &fault)) stop(fault.message);
  for (uint32_t i = 0; i < THREADS - 20; i++)
    if (out[i] != value(i)) fail_msg("out[%u] is %u, expected %u", i, out[i], value(i));
  weir_module_free(m);
}

// ---- by hand --------------------------------------------------------------------------------------------------------

#define INDEX                                                                                                          \
  "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"                 \
  "ld.param.u32 %r5, [n]; setp.ge.s32 %p1, %r4, %r5; @%p1 exit;\n"
#define REGISTERS ".reg .pred %p<2>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"

// out[i] = scale(i) + table[i % 4] + own, by way of dynamic shared memory
static const char kernel_text[] = HEAD
  ".extern .func (.param .b32 result) scale(.param .b32 x);\n"
  ".extern .global .align 4 .b8 table[];\n.extern .shared .align 4 .b8 buffer[];\n.global .u32 own = 1000;\n"
  ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGISTERS INDEX
  "shl.b32 %r6, %r3, 2; mov.u32 %r7, buffer; add.u32 %r7, %r7, %r6; st.shared.u32 [%r7], %r4;\n"
  "{ .param .b32 x; .param .b32 y; ld.shared.u32 %r8, [%r7]; st.param.b32 [x], %r8; call (y), scale, (x);"
  " ld.param.b32 %r9, [y]; }\n"
  "and.b32 %r10, %r4, 3; mul.wide.u32 %rd1, %r10, 4; mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1;\n"
  "ld.global.u32 %r11, [%rd2]; ld.global.u32 %r12, [own]; add.u32 %r9, %r9, %r11; add.u32 %r9, %r9, %r12;\n"
  "ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r9; ret; }\n";

// scale(x) = 3 x + own, with an own of its own
static const char scale_text[] =
  HEAD ".global .u32 own = 7;\n.visible .global .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
       ".func (.param .b32 result) helper(.param .b32 x) {\n" REGISTERS
       "ld.param.b32 %r1, [x]; mul.lo.s32 %r1, %r1, 3; st.param.b32 [result], %r1; ret; }\n"
       ".visible .func (.param .b32 result) scale(.param .b32 x) {\n" REGISTERS
       "ld.param.b32 %r1, [x]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), helper, (a);"
       " ld.param.b32 %r2, [b]; }\n"
       "ld.global.u32 %r3, [own]; add.u32 %r2, %r2, %r3; st.param.b32 [result], %r2; ret; }\n";

static uint32_t by_hand(uint32_t i) {
  return 3 * i + 7 + 10 * (i % 4 + 1) + 1000;
}

static void test_by_hand(void **state) {
  (void)state;
  struct weir_module *one[] = {parse("kernel.ptx", kernel_text), parse("scale.ptx", scale_text)};
  expect(weir_ptx_link(one, 2, &sink), "k", by_hand);
  struct weir_module *other[] = {parse("scale.ptx", scale_text), parse("kernel.ptx", kernel_text)};
  expect(weir_ptx_link(other, 2, &sink), "k", by_hand);
}

// A function called through its address, which an initialiser of another module holds.
static void test_by_address(void **state) {
  (void)state;
  static const char text[] = HEAD
    ".extern .global .u64 pointers[1];\n.visible .entry k(.param .u64 out, .param .u32 n) {\n" REGISTERS INDEX
    "ld.global.u64 %rd1, [pointers];\n{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r4;\n"
    "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %rd1, (x), prototype; ld.param.b32 %r9, [y]; }\n"
    "ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r9; ret; }\n";
  static const char holder[] = HEAD ".extern .func (.param .b32 result) scale(.param .b32 x);\n"
                                    ".visible .global .u64 pointers[1] = {scale};\n";
  struct weir_module *parts[] = {parse("k.ptx", text), parse("holder.ptx", holder), parse("scale.ptx", scale_text)};
  struct weir_module *m = weir_ptx_link(parts, 3, &sink);
  static uint32_t out[THREADS];
  struct weir_fault fault;
  if (!m || !execute(m, "k", out, &fault)) stop("not run");
  for (uint32_t i = 0; i < THREADS - 20; i++) assert_int_equal(out[i], 3 * i + 7);
  weir_module_free(m);
}

// A fault in the second module is told with that module's file and line, and the source file that it names.
static void test_fault_place(void **state) {
  (void)state;
  static const char kernel[] =
    HEAD ".extern .func store(.param .b64 to);\n"
         ".visible .entry k(.param .u64 out, .param .u32 n) {\n.reg .b64 %rd<2>;\n.loc 1 1 1\n"
         "{ .param .b64 a; mov.u64 %rd1, 0; st.param.b64 [a], %rd1; call store, (a); }\nret; }\n"
         ".file 1 \"kernel.cu\"\n";
  static const char store[] =
    HEAD ".visible .func store(.param .b64 to) {\n.reg .b64 %rd<2>;\nld.param.b64 %rd1, [to];\n"
         ".loc 1 99 3\nst.global.u32 [%rd1], 1;\nret; }\n.file 1 \"store.cu\"\n";
  struct weir_module *parts[] = {parse("kernel.ptx", kernel), parse("store.ptx", store)};
  struct weir_module *m = weir_ptx_link(parts, 2, &sink);
  uint32_t out[THREADS];
  struct weir_fault fault;
  if (!m) stop("the modules do not link");
  assert_false(execute(m, "k", out, &fault));
  assert_int_equal(sink.count, 1);
  const char *told = sink.diags[0].message;
  if (strncmp(told, "store.ptx:8:", 12) || !strstr(told, "store.cu:99") || !strstr(told, "st.global.u32 [%rd1], 1;"))
    fail_msg("%s", told);
  weir_sink_free(&sink);
  weir_module_free(m);
}

// ---- by nvcc --------------------------------------------------------------------------------------------------------

static const char kernel_source[] =
  "extern __device__ int twice(int x);\nextern __device__ int table[4];\nextern __constant__ int bias;\n"
  "static __device__ int own = 5;\nstatic __device__ __noinline__ int helper(int x) { return x + own; }\n"
  "template <class T> __device__ __noinline__ T shared_by_both(T x) { return x + 1; }\n"
  "__global__ void k(int *out, int n) {\n  extern __shared__ int s[];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  s[threadIdx.x] = i;\n  __syncthreads();\n"
  "  if (i < n) out[i] = twice(s[threadIdx.x]) + table[i & 3] + helper(i) + bias + shared_by_both(i);\n}\n"
  "int main() { k<<<1, 1, 4>>>(nullptr, 0); }\n";
static const char twice_source[] =
  "static __device__ int own = 100;\nstatic __device__ __noinline__ int helper(int x) { return x * 2 + own; }\n"
  "template <class T> __device__ __noinline__ T shared_by_both(T x) { return x + 1; }\n"
  "__device__ int table[4] = {1, 2, 3, 4};\n__constant__ int bias = 10000;\n"
  "__device__ int twice(int x) { return helper(x) + shared_by_both(x); }\n";

// twice(i) = 2 i + 100 + i + 1; table = i % 4 + 1; helper = i + 5; bias; i + 1
static uint32_t by_nvcc(uint32_t i) {
  return (3 * i + 101) + (i % 4 + 1) + (i + 5) + 10000 + (i + 1);
}

// All relocatable PTX of a program; the device runtime, if it is there, is known and left out.
static unsigned read_parts(const struct weir_binary *b, struct weir_module **parts, unsigned most) {
  unsigned count = 0;
  for (unsigned k = 0; k < b->image_count; k++) {
    if (!b->images[k].relocatable) continue;
    unsigned entries_count;
    const struct weir_place place = {.file = "program"};
    struct weir_fatbin_entry *entries =
      weir_fatbin_entries(b->images[k].data, b->images[k].bytes, place, &entries_count, &sink);
    size_t bytes;
    const struct weir_fatbin_entry *best = entries ? weir_fatbin_best(entries, entries_count, 0) : NULL;
    char *text = best ? weir_fatbin_text(best, place, &bytes, &sink) : NULL;
    if (!text) stop("no PTX in the fat binary");
    assert_int_equal(bytes, strlen(text));
    if (!weir_ptx_is_device_runtime(text)) {
      assert_true(count < most);
      parts[count++] = parse("program", text);
    }
    weir_free(text);
    weir_free(entries);
  }
  return count;
}

static void with_nvcc(const char *flags) {
  nvcc_run(flags, "-cudart shared -arch=sm_75 -rdc=true k.cu twice.cu");
  struct weir_binary b;
  struct weir_module *parts[4];
  if (!weir_binary_read(&b, nvcc_file("p"), &sink) || !weir_binary_check(&b, "p", &sink))
    stop("nvcc's program is refused");
  const unsigned count = read_parts(&b, parts, 4);
  assert_int_equal(count, 2);
  expect(weir_ptx_link(parts, count, &sink), "_Z1kPii", by_nvcc);
  weir_binary_free(&b);
}

static void test_by_nvcc(void **state) {
  (void)state;
  if (!nvcc_open()) skip();
  nvcc_source("k.cu", kernel_source);
  nvcc_source("twice.cu", twice_source);
  with_nvcc("-lineinfo --compress-mode=none -gencode arch=compute_80,code=compute_80");
  if (test_all()) with_nvcc("-G --compress-mode=speed"); // 154_nvcc has the others
  nvcc_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_by_hand),
    cmocka_unit_test(test_by_address),
    cmocka_unit_test(test_fault_place),
    cmocka_unit_test(test_by_nvcc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

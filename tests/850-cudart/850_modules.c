// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Modules as compilers register them: fat binaries made here, byte by byte, good and bad; kernels and variables in
// them; what is said of those that cannot be run; and calls that there is only a stub of.
#include "../150-binary/cubin.h"
#include "cudart/cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit, void *t,
                            void *b, dim3 *bd, dim3 *gd, int *warp);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t bytes,
                              int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s);
cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                  cudaStream_t s);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);
cudaError_t cudaGetLastError(void);
void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int normalized, int external);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *reference, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t bytes);
cudaError_t cudaUnbindTexture(const struct textureReference *reference);
cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(cudaGraphNode_t node, void *pointer);

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define STORE(name, value)                                                                                             \
  ".visible .entry " name "(.param .u64 at) { .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"                                    \
  " ld.param.u64 %rd1, [at]; mov.u32 %r1, " #value "; st.global.u32 [%rd1], %r1; ret; }\n"

// ---- fat binaries ---------------------------------------------------------------------------------------------------

enum { HEADER = 16, ENTRY = 0x50, PTX = 1, ELF = 2 };

static void put(uint8_t *at, uint64_t value, unsigned bytes) {
  for (unsigned k = 0; k < bytes; k++) at[k] = (uint8_t)(value >> (8 * k));
}

// A container of one entry for sm_75; freed by free.
static uint8_t *container(unsigned kind, const char *payload) {
  const size_t padded = (strlen(payload) + 1 + 7) / 8 * 8;
  uint8_t *c = calloc(1, HEADER + ENTRY + padded);
  put(c, 0xba55ed50, 4), put(c + 4, 1, 2), put(c + 6, HEADER, 2), put(c + 8, ENTRY + padded, 8);
  uint8_t *e = c + HEADER;
  put(e, kind, 2), put(e + 4, ENTRY, 4), put(e + 8, padded, 8);
  put(e + 0x18, 0, 2), put(e + 0x1a, 7, 2), put(e + 0x1c, 75, 4);
  strcpy((char *)e + ENTRY, payload);
  return c;
}

struct wrapper {
  int magic, version;
  const void *data, *more;
};

// One module with a kernel `k`, known by the address of `stub`.
struct module {
  struct wrapper wrapper;
  uint8_t *data[4]; // the array of version 2 ends with NULL
  void **handle;
  char stub;
};

static void open_module(struct module *m, unsigned kind, const char *payload) {
  *m = (struct module){.data = {container(kind, payload)}};
  m->wrapper = (struct wrapper){0x466243b1, 1, m->data[0], NULL};
  m->handle = __cudaRegisterFatBinary(&m->wrapper);
  __cudaRegisterFunction(m->handle, &m->stub, "k", "k", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(m->handle);
}

static void close_module(struct module *m) {
  __cudaUnregisterFatBinary(m->handle);
  for (unsigned k = 0; k < 4; k++) free(m->data[k]);
}

static const dim3 one = {1, 1, 1};

static cudaError_t launch(const void *function, void *at) {
  void *args[] = {&at};
  const cudaError_t e = cudaLaunchKernel(function, one, one, args, 0, NULL);
  assert_int_equal(cudaGetLastError(), e);
  return e;
}

static uint32_t launch_and_read(const void *function) {
  void *at;
  uint32_t value = 0;
  assert_int_equal(cudaMalloc(&at, 4), cudaSuccess);
  assert_int_equal(launch(function, at), cudaSuccess);
  assert_int_equal(cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  assert_int_equal(cudaFree(at), cudaSuccess);
  return value;
}

// ---- what is said ---------------------------------------------------------------------------------------------------

static char said[8192];

// Calls launch(), with what it says on stderr in `said`.
static cudaError_t launch_and_hear(const void *function) {
  FILE *file = tmpfile();
  fflush(stderr);
  const int own = dup(2);
  dup2(fileno(file), 2);
  const cudaError_t e = launch(function, NULL);
  fflush(stderr);
  dup2(own, 2);
  close(own);
  rewind(file);
  said[fread(said, 1, sizeof said - 1, file)] = 0;
  fclose(file);
  return e;
}

static void assert_said(const char *text) {
  if (!strstr(said, text)) fail_msg("'%s' is not in: %s", text, said);
}

// ---- the tests ------------------------------------------------------------------------------------------------------

static void test_ptx(void **state) {
  (void)state;
  struct module m;
  open_module(&m, PTX, HEAD STORE("k", 42));
  assert_int_equal(launch_and_read(&m.stub), 42);
  close_module(&m);
  assert_int_equal(launch(&m.stub, NULL), cudaErrorInvalidDeviceFunction);
}

static void test_refused(void **state) {
  (void)state;
  struct module m;
  open_module(&m, ELF, "machine code");
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorNoKernelImageForDevice);
  assert_said("-gencode arch=compute_75,code=[sm_75,compute_75]");
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorNoKernelImageForDevice);
  assert_string_equal(said, ""); // it was said
  close_module(&m);

  open_module(&m, PTX, HEAD ".visible .entry k() { nonsense; }\n");
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorInvalidPtx);
  assert_said("nonsense");
  close_module(&m);

  open_module(&m, PTX, HEAD STORE("other", 1));
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorInvalidDeviceFunction);
  assert_said("there is no kernel 'k'");
  close_module(&m);

  open_module(&m, PTX, HEAD);
  m.data[0][0] ^= 1;
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorInvalidKernelImage);
  assert_said("no fat binary");
  close_module(&m);

  open_module(&m, PTX, HEAD);
  put(m.data[0] + HEADER + 8, 1 << 20, 8); // the payload reaches past the container
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorInvalidKernelImage);
  close_module(&m);

  struct wrapper wrong = {1, 1, NULL, NULL};
  void **handle = __cudaRegisterFatBinary(&wrong);
  __cudaRegisterFunction(handle, &m.stub, "k", "k", -1, NULL, NULL, NULL, NULL, NULL);
  assert_int_equal(launch_and_hear(&m.stub), cudaErrorInvalidKernelImage);
  __cudaUnregisterFatBinary(handle);
}

// The PTX of one container, with machine code for `arch` behind it, which gives the kernel "one" 40 registers.
static void add_code(struct module *m, unsigned arch) {
  uint8_t *ptx = m->data[0];
  const size_t had = HEADER + ENTRY + (strlen((char *)ptx + HEADER + ENTRY) + 8) / 8 * 8;
  uint8_t *c = calloc(1, had + ENTRY + CUBIN_BYTES), *e = c + had;
  memcpy(c, ptx, had);
  put(c + 8, had - HEADER + ENTRY + CUBIN_BYTES, 8);
  put(e, ELF, 2), put(e + 4, ENTRY, 4), put(e + 8, CUBIN_BYTES, 8), put(e + 0x1c, arch, 4);
  cubin_make(e + ENTRY, 40, 50);
  free(ptx);
  m->wrapper.data = m->data[0] = c;
}

static int registers_with(unsigned arch) {
  struct module m = {.data = {container(PTX, HEAD STORE("one", 1))}};
  struct cudaFuncAttributes a;
  add_code(&m, arch);
  m.wrapper = (struct wrapper){0x466243b1, 1, m.data[0], NULL};
  m.handle = __cudaRegisterFatBinary(&m.wrapper);
  __cudaRegisterFunction(m.handle, &m.stub, "one", "one", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(m.handle);
  assert_int_equal(cudaFuncGetAttributes(&a, &m.stub), cudaSuccess);
  close_module(&m);
  return a.numRegs;
}

// A program's machine code for this chip (compute capability 2.0) gives registers; machine code for another says nothing.
static void test_registers(void **state) {
  (void)state;
  assert_int_equal(registers_with(20), 40);
  assert_in_range(registers_with(21), 1, 16);
  assert_in_range(registers_with(75), 1, 16);
}

// nvcc -rdc=true: the parts are linked, and the library for launches from device code is left out.
static void test_parts(void **state) {
  (void)state;
  struct module m = {
    .data = {container(PTX,
                       HEAD ".extern .func (.param .b32 r) f(.param .b32 x);\n"
                            ".visible .entry k(.param .u64 at) { .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
                            " .param .b32 x0; .param .b32 r0;\n mov.u32 %r1, 20; st.param.b32 [x0], %r1;\n"
                            " call.uni (r0), f, (x0); ld.param.b32 %r1, [r0];\n"
                            " ld.param.u64 %rd1, [at]; st.global.u32 [%rd1], %r1; ret; }\n"),
             container(PTX, "__nv_static_cuda_device_runtime_cu_: not to be parsed"),
             container(PTX,
                       HEAD ".visible .func (.param .b32 r) f(.param .b32 x) { .reg .u32 %r<3>;\n"
                            " ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; add.u32 %r2, %r2, 1;\n"
                            " st.param.b32 [r], %r2; ret; }\n")}};
  m.wrapper = (struct wrapper){0x466243b1, 2, NULL, m.data};
  m.handle = __cudaRegisterFatBinary(&m.wrapper);
  __cudaRegisterFunction(m.handle, &m.stub, "k", "k", -1, NULL, NULL, NULL, NULL, NULL);
  assert_int_equal(launch_and_read(&m.stub), 41);
  close_module(&m);
}

static void test_managed(void **state) {
  (void)state;
  struct module m;
  uint32_t *variable = NULL, **self = NULL;
  open_module(&m, PTX,
              HEAD ".visible .global .attribute(.managed) .align 4 .u32 counter = 5;\n"
                   ".visible .global .attribute(.managed) .align 8 .u64 self = counter;\n"
                   ".visible .entry k(.param .u64 at) { .reg .u64 %rd<2>; .reg .u32 %r<3>;\n"
                   " ld.param.u64 %rd1, [at]; ld.global.u32 %r1, [counter]; add.u32 %r1, %r1, 1;\n"
                   " st.global.u32 [counter], %r1;\n"
                   " ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 10; st.global.u32 [%rd1], %r2; ret; }\n");
  __cudaRegisterManagedVar(m.handle, (void **)&variable, "counter", "counter", 0, 4, 0, 0);
  __cudaRegisterManagedVar(m.handle, (void **)&self, "self", "self", 0, 8, 0, 0);
  assert_null(variable); // only recorded
  assert_true(__cudaInitModule(m.handle));
  assert_non_null(variable);
  assert_int_equal(*variable, 5);
  assert_ptr_equal(*self, variable); // the device has it at that address, too
  void *symbol;
  assert_int_equal(cudaGetSymbolAddress(&symbol, variable), cudaSuccess);
  assert_ptr_equal(symbol, variable);
  *variable = 100;
  assert_int_equal(launch(&m.stub, variable), cudaSuccess); // by its name and by its address
  assert_int_equal(*variable, 111);
  close_module(&m);
}

// nvcc 11 names a reference as C++ does, and not as the PTX has it (Itanium C++ ABI, 5.1: a name within namespaces is _ZN,
// each part after its length, E).
static void test_references(void **state) {
  (void)state;
  cudaGetLastError();
  static const char *const names[][2] = {
    {"line", "line"}, {"::line", "line"}, {"::plan::line", "_ZN4plan4lineE"}, {"::a::bc::line", "_ZN1a2bc4lineE"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct module m;
    char text[1024];
    static struct textureReference reference;
    snprintf(text, sizeof text,
             HEAD ".visible .global .texref %s;\n"
                  ".visible .entry k(.param .u64 at) { .reg .u64 %%rd<2>; .reg .u32 %%r<6>;\n"
                  " ld.param.u64 %%rd1, [at]; mov.u32 %%r1, 2;\n"
                  " tex.1d.v4.u32.s32 {%%r2,%%r3,%%r4,%%r5}, [%s, {%%r1}]; st.global.u32 [%%rd1], %%r2; ret; }\n",
             names[i][1], names[i][1]);
    open_module(&m, PTX, text);
    __cudaRegisterTexture(m.handle, &reference, NULL, names[i][0], 1, 0, 0);
    static const uint32_t texels[4] = {11, 22, 33, 44};
    void *at;
    assert_int_equal(cudaMalloc(&at, sizeof texels), cudaSuccess);
    assert_int_equal(cudaMemcpy(at, texels, sizeof texels, cudaMemcpyHostToDevice), cudaSuccess);
    const struct cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    assert_int_equal(cudaBindTexture(NULL, &reference, at, &words, sizeof texels), cudaSuccess);
    assert_int_equal(launch_and_read(&m.stub), 33);
    assert_int_equal(cudaUnbindTexture(&reference), cudaSuccess);
    cudaFree(at);
    close_module(&m);
  }
}

static void test_handles(void **state) {
  (void)state;
  struct module m;
  cudaKernel_t kernel;
  const char *name;
  size_t offset, bytes;
  void *at;
  open_module(&m, PTX, HEAD STORE("k", 7));
  assert_int_equal(__cudaGetKernel(&kernel, &m.stub), cudaSuccess);
  assert_int_equal(launch_and_read(kernel), 7);
  assert_int_equal(cudaFuncGetName(&name, kernel), cudaSuccess);
  assert_string_equal(name, "k");
  assert_int_equal(cudaFuncGetParamInfo(&m.stub, 0, &offset, &bytes), cudaSuccess);
  assert_int_equal(offset, 0);
  assert_int_equal(bytes, 8);
  assert_int_equal(cudaFuncGetParamInfo(&m.stub, 1, &offset, &bytes), cudaErrorInvalidValue);
  struct cudaFuncAttributes attributes_of_k;
  assert_int_equal(cudaFuncGetAttributes(&attributes_of_k, &m.stub), cudaSuccess);
  assert_int_equal(attributes_of_k.ptxVersion, 75); // what it was compiled for, on a chip of whatever capability
  assert_int_equal(__cudaGetKernel(&kernel, &offset), cudaErrorInvalidDeviceFunction);
  assert_int_equal(cudaMalloc(&at, 4), cudaSuccess);
  void *args[] = {&at};
  assert_int_equal(cudaLaunchKernel_ptsz(&m.stub, one, one, args, 0, cudaStreamPerThread), cudaSuccess);

  cudaLaunchAttribute attributes[2] = {{.id = cudaLaunchAttributeCooperative, .val.cooperative = 1},
                                       {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {1, 1, 1}}};
  cudaLaunchConfig_t config = {.gridDim = one, .blockDim = one, .attrs = attributes, .numAttrs = 2};
  assert_int_equal(cudaLaunchKernelExC(&config, &m.stub, args), cudaSuccess);
  config.gridDim.x = 1 << 20; // more blocks than can wait for each other
  assert_int_equal(cudaLaunchKernelExC(&config, &m.stub, args), cudaErrorCooperativeLaunchTooLarge);
  config.gridDim.x = 2;
  attributes[1].val.clusterDim.x = 2;
  assert_int_equal(cudaLaunchKernelExC(&config, &m.stub, args), cudaErrorInvalidClusterSize); // a GTX 480
  assert_int_equal(cudaLaunchKernelExC(NULL, &m.stub, args), cudaErrorInvalidValue);
  cudaFree(at);
  close_module(&m);
}

static void test_stub(void **state) {
  (void)state;
  cudaGetLastError();
  assert_int_equal(cudaGraphExternalSemaphoresSignalNodeGetParams(NULL, NULL), cudaErrorNotSupported);
  assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ptx),        cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_registers),  cmocka_unit_test(test_parts),
                                     cmocka_unit_test(test_managed),    cmocka_unit_test(test_handles),
                                     cmocka_unit_test(test_references), cmocka_unit_test(test_stub)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

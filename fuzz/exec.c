// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX of any shape, run: what the decoder takes ends, with a result or a fault, and touches nothing of the host's.
#include "mutate.h"

#include "base/alloc.h"
#include "exec/warp.h"
#include "ptx/parse.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFERS = 2, BYTES = 256, THREADS = 33, STEPS = 2000 };
static const uint64_t DEVICE_BYTES = UINT64_C(16) << 20;

static void say_nothing(void *context, const char *text, size_t bytes) {
  (void)context;
  (void)text;
  (void)bytes;
}

// Every parameter's words are a buffer's address, then small numbers.
static void run(const struct weir_program *p, const struct weir_kernel *k, struct weir_memory *memory,
                const uint64_t *buffer) {
  static const struct weir_services services = {.print = say_nothing, .heap_bytes = 1 << 16, .stack_bytes = 1 << 12};
  uint64_t *params = weir_new_array(uint64_t, k->param_bytes / 8 + 1), steps = 0;
  for (uint32_t n = 0; n <= k->param_bytes / 8; n++) params[n] = n < 2 * BUFFERS ? buffer[n % BUFFERS] : n;
  const struct weir_launch launch = {.program = p,
                                     .kernel = k,
                                     .memory = memory,
                                     .grid = {2, 1, 1},
                                     .block = {THREADS, 1, 1},
                                     .params = params,
                                     .step_limit = STEPS,
                                     .steps = &steps,
                                     .services = &services};
  struct weir_fault fault = {0};
  struct weir_sink sink = {0};
  if (!weir_run_functional(&launch, &fault)) weir_fault_report(&fault, &launch, &sink);
  weir_sink_free(&sink);
  weir_free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("fuzz.ptx", (const char *)data, size, &sink);
  for (unsigned lanes = 32; m && lanes <= 64; lanes += 32) {
    const struct weir_code code = {.assembler = lanes == 32 ? WEIR_ASSEMBLER_SM_90 : WEIR_ASSEMBLER_SM_35,
                                   .assembled = lanes == 32};
    struct weir_memory *memory = weir_memory_create();
    weir_memory_set_limit(memory, DEVICE_BYTES);
    struct weir_program *p = weir_program_build_partly(m, lanes, code, memory, &sink);
    uint32_t count = 0;
    const struct weir_kernel *kernels = p ? weir_program_kernels(p, &count) : NULL;
    uint64_t buffer[BUFFERS];
    for (unsigned b = 0; b < BUFFERS; b++) buffer[b] = weir_memory_alloc(memory, "buffer", BYTES);
    for (uint32_t k = 0; k < count && k < 4; k++) run(p, &kernels[k], memory, buffer);
    weir_program_free(p);
    weir_memory_free(memory);
  }
  weir_module_free(m);
  weir_sink_free(&sink);
  return 0;
}

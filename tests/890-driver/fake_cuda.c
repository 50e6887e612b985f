// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A libcuda.so.1 that stands in for the driver: it has the functions that src/driver calls, and runs what it is given
// on weir's own parser and functional engine. It is strict where drivers are: kernels and variables that are not
// .visible have no names, .target debug needs DWARF, PTX 8.5 is too new for CUDA 12.4, shared memory over 48 KiB must
// be asked for, copies stay within what is mapped, and an error of a kernel stays. As on compute capability 9.0, the
// first KiB of each block's shared memory is the driver's. Time is a tenth of a microsecond per warp instruction, half
// of that if all loads may use the L1 (.ca), and ten times as much in every third launch, from the second on.
//
// WEIR_FAKE_CUDA is a list of what is to be different; WEIR_FAKE_CUDA_LOG a file that is told of modules and launches.
#include "base/alloc.h"
#include "base/bits.h"
#include "driver/cuda.h"
#include "exec/program.h"
#include "exec/warp.h"
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRANULARITY (UINT64_C(2) << 20)
#define POOL_BYTES (UINT64_C(96) << 20) // memory that can be mapped
#define ELSEWHERE (UINT64_C(1) << 40)
enum {
  RESERVED = 1024,
  PLAIN_BLOCK_BYTES = 48 << 10,
  MOST_BLOCK_BYTES = 227 << 10,
  CORE_BYTES = 228 << 10,
  CORE_THREADS = 2048,
  CORE_BLOCKS = 32,
  SHARED_UNIT = 1024,
  NEWEST_PTX = 84
};

#define NEEDED(name, parameters) CUresult name parameters;
#define OPTIONAL NEEDED
#include "driver/functions.def"
#undef OPTIONAL
#undef NEEDED

struct CUmod_st {
  struct weir_module *ptx;
  struct weir_program *program;
  double cost; // of a warp instruction, in milliseconds
};

struct CUfunc_st {
  struct CUmod_st *module;
  const struct weir_kernel *kernel;
  uint32_t most_dynamic;
  struct CUfunc_st *next; // of all; nothing is freed: the driver goes with its process
};

struct CUevent_st {
  double time;
};

static struct weir_memory *memory;
static struct CUfunc_st *all_functions;
static double now;                                                             // milliseconds
static CUresult broken;                                                        // by a kernel: stays
static uint64_t reserved_bytes, created_bytes, mapped_bytes, accessible_bytes; // at WEIR_HEAP_BASE
static unsigned launches;

static bool switched(const char *name) {
  const char *list = getenv("WEIR_FAKE_CUDA"), *at = list ? strstr(list, name) : NULL;
  return at && strchr(",", at[strlen(name)]); // the end of the list too
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
  const char *path = getenv("WEIR_FAKE_CUDA_LOG");
  FILE *f = path ? fopen(path, "a") : NULL;
  if (!f) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(f, format, arguments);
  va_end(arguments);
  fclose(f);
}

// ---- the device -----------------------------------------------------------------------------------------------------

CUresult cuInit(unsigned int flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (switched("init-fails")) return CUDA_ERROR_NO_DEVICE;
  memory = weir_memory_create();
  // The addresses of weir's own heap: memory to be mapped, or nothing at all.
  uint64_t pool = weir_memory_alloc(memory, "mapped memory", POOL_BYTES);
  if (switched("moved") || switched("no-mapping")) weir_memory_release(memory, pool);
  weir_memory_alloc_static(memory, "the driver's own", 4096, 4096, false); // variables are not where weir has them
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  *version = 12040;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
    : error == CUDA_ERROR_MISALIGNED_ADDRESS  ? "CUDA_ERROR_MISALIGNED_ADDRESS"
    : error == CUDA_ERROR_LAUNCH_FAILED       ? "CUDA_ERROR_LAUNCH_FAILED"
    : error == CUDA_ERROR_NO_DEVICE           ? "CUDA_ERROR_NO_DEVICE"
    : error == CUDA_ERROR_OUT_OF_MEMORY       ? "CUDA_ERROR_OUT_OF_MEMORY"
    : error == CUDA_ERROR_INVALID_IMAGE       ? "CUDA_ERROR_INVALID_IMAGE"
    : error == CUDA_ERROR_INVALID_PTX         ? "CUDA_ERROR_INVALID_PTX"
    : error == CUDA_ERROR_INVALID_VALUE       ? "CUDA_ERROR_INVALID_VALUE"
    : error == CUDA_ERROR_NOT_FOUND           ? "CUDA_ERROR_NOT_FOUND"
                                              : NULL;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "an error";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  *count = !switched("no-device");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return ordinal ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  snprintf(name, (size_t)size, "stand-in %d", device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  (void)device;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = PLAIN_BLOCK_BYTES; break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED: *value = 1; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = CORE_BYTES; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = MOST_BLOCK_BYTES; break;
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: *value = !switched("no-mapping"); break;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: *value = RESERVED; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)device;
  *context = (CUcontext)memory;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- modules --------------------------------------------------------------------------------------------------------

// The text with a KiB of shared memory that comes first in every kernel.
static char *with_reserved(const char *text) {
  static const char pad[] = "\n.shared .align 16 .b8 fake__reserved[1024];\n";
  static const char use[] = "\t.reg .b32 %fake__start;\n\tmov.u32 %fake__start, fake__reserved;\n";
  char *out = NULL;
  size_t bytes;
  FILE *f = open_memstream(&out, &bytes);
  const char *at = strstr(text, ".address_size");
  if (!f || !at) abort();
  at += strcspn(at, "\n");
  fprintf(f, "%.*s%s", (int)(at - text), text, pad);
  for (const char *entry; (entry = strstr(at, ".entry "));) {
    const char *body = strstr(entry, "\n{\n"), *end = strstr(entry, ";\n\n");
    if (!body) break;
    body += end && end < body ? 0 : 3; // a declaration has none
    fprintf(f, "%.*s%s", (int)(body - at), at, end && end < body ? "" : use);
    at = body;
  }
  fputs(at, f);
  fclose(f);
  return out;
}

static CUresult refuse(unsigned count, CUjit_option *options, void **values, const char *why) {
  char *log = NULL;
  size_t size = 0;
  for (unsigned k = 0; k < count; k++) {
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER) log = values[k];
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = (size_t)(uintptr_t)values[k];
  }
  if (log) snprintf(log, size, "%s", why);
  return CUDA_ERROR_INVALID_PTX;
}

static bool has_sections(const struct weir_module *m) {
  for (uint32_t k = 0; k < m->item_count; k++)
    if (m->items[k].kind == WEIR_ITEM_TEXT && !strncmp(m->items[k].text, ".section", 8)) return true;
  return false;
}

static bool has_local_arguments(const struct weir_module *m) {
  for (uint32_t f = 0; f < m->function_count; f++)
    for (uint32_t k = 0; k < m->functions[f]->param_count; k++) {
      const struct weir_symbol *s = m->functions[f]->params[k];
      if (s->ptr_written && s->ptr_space == WEIR_SPACE_SHARED) return true;
    }
  return false;
}

// How many loads from global memory have which operator.
static void count_loads(struct CUmod_st *m) {
  unsigned with[WEIR_CACHE_WT + 1] = {0}, nc = 0;
  for (uint32_t f = 0; f < m->ptx->function_count; f++)
    for (uint32_t k = 0; k < m->ptx->functions[f]->statement_count; k++) {
      const struct weir_statement *s = &m->ptx->functions[f]->statements[k];
      if (s->kind != WEIR_STMT_INSTRUCTION || s->instruction->opcode != WEIR_OP_LD) continue;
      if (s->instruction->form.space != WEIR_SPACE_GLOBAL) continue;
      with[s->instruction->form.cache]++;
      nc += s->instruction->form.non_coherent;
    }
  m->cost = with[WEIR_CACHE_CA] && !with[WEIR_CACHE_CG] && !with[WEIR_CACHE_NONE] ? 0.5e-4 : 1e-4;
  note("module none=%u ca=%u cg=%u cv=%u nc=%u\n", with[WEIR_CACHE_NONE], with[WEIR_CACHE_CA], with[WEIR_CACHE_CG],
       with[WEIR_CACHE_CV], nc);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values) {
  if (switched("old-driver")) return refuse(count, options, values, "ptxas fatal: Unsupported .version 8.5");
  struct weir_sink sink = {0};
  struct CUmod_st *m = weir_new(struct CUmod_st);
  char *text = with_reserved(image);
  m->ptx = weir_ptx_parse("image", text, strlen(text), &sink);
  free(text);
  if (!m->ptx) return refuse(count, options, values, sink.diags[0].message);
  if (m->ptx->version_number > NEWEST_PTX) return refuse(count, options, values, "ptxas fatal: Unsupported .version");
  if (strstr(m->ptx->target, "texmode")) return refuse(count, options, values, "no module of CUDA's");
  if (strstr(m->ptx->target, "debug") && !has_sections(m->ptx))
    return refuse(count, options, values, "ptxas error: Debug information not found in presence of .target debug");
  if (has_local_arguments(m->ptx)) return CUDA_ERROR_INVALID_IMAGE; // as an H200's driver, 580.159
  m->program = weir_program_build_partly(m->ptx, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &sink);
  if (!m->program) return refuse(count, options, values, sink.diags[0].message);
  count_loads(m);
  *module = m;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  for (struct CUfunc_st **f = &all_functions, *gone; (gone = *f);) {
    if (gone->module != module) {
      f = &gone->next;
      continue;
    }
    *f = gone->next;
    weir_free(gone);
  }
  weir_program_free(module->program);
  weir_module_free(module->ptx);
  weir_free(module);
  return CUDA_SUCCESS;
}

static CUfunction known_function(CUmodule module, const struct weir_kernel *k) {
  for (struct CUfunc_st *f = all_functions; f; f = f->next)
    if (f->module == module && f->kernel == k) return f;
  struct CUfunc_st *f = weir_new(struct CUfunc_st);
  *f = (struct CUfunc_st){module, k, PLAIN_BLOCK_BYTES - (k->shared_bytes - RESERVED), all_functions};
  return all_functions = f;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  const struct weir_kernel *k = weir_program_kernel(module->program, name);
  const struct weir_symbol *s = weir_module_find(module->ptx, name);
  if (!k || s->function->linkage != WEIR_LINK_VISIBLE) return CUDA_ERROR_NOT_FOUND;
  *function = known_function(module, k);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  const struct weir_symbol *s = weir_module_find(module->ptx, name);
  uint64_t size;
  if (!s || s->kind != WEIR_SYM_VARIABLE || s->linkage != WEIR_LINK_VISIBLE) return CUDA_ERROR_NOT_FOUND;
  *address = weir_program_variable(module->program, name, &size);
  *bytes = size;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  if (attribute != CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  *value = (int)function->kernel->shared_bytes - RESERVED;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    note("carve-out %s %d\n", function->kernel->name, value);
    return CUDA_SUCCESS;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  const int all = value + (int)function->kernel->shared_bytes - RESERVED;
  if (value < 0 || all > MOST_BLOCK_BYTES) return CUDA_ERROR_INVALID_VALUE;
  function->most_dynamic = (uint32_t)value;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference) {
  note("prefer %s %d\n", function->kernel->name, (int)preference);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_threads,
                                                     size_t dynamic_shared_bytes) {
  const uint64_t threads = weir_align_up((uint64_t)block_threads, 32);
  const uint64_t shared = weir_align_up(function->kernel->shared_bytes + dynamic_shared_bytes, SHARED_UNIT);
  uint64_t n = CORE_THREADS / threads;
  if (n > CORE_BLOCKS) n = CORE_BLOCKS;
  if (n > CORE_BYTES / shared) n = CORE_BYTES / shared;
  *blocks = dynamic_shared_bytes > function->most_dynamic ? 0 : (int)n;
  return CUDA_SUCCESS;
}

// ---- launches -------------------------------------------------------------------------------------------------------

static CUresult of_fault(const struct weir_fault *fault) {
  return fault->kind == WEIR_FAULT_ACCESS  ? CUDA_ERROR_ILLEGAL_ADDRESS
    : fault->kind == WEIR_FAULT_MISALIGNED ? CUDA_ERROR_MISALIGNED_ADDRESS
                                           : CUDA_ERROR_LAUNCH_FAILED;
}

// A fault of the hardware: a bit of every buffer that the kernel was given.
static void spoil(const struct weir_launch *launch) {
  for (uint32_t i = 0; i < launch->kernel->param_count; i++) {
    const struct weir_kernel_param *p = &launch->kernel->params[i];
    uint64_t address = 0;
    if (p->bytes > sizeof address) continue;
    memcpy(&address, (const uint8_t *)launch->params + p->offset, p->bytes);
    uint8_t *at = weir_memory_at(memory, address, 1);
    if (at) *at ^= 1;
  }
}

static void run(CUfunction f, const struct weir_launch *launch) {
  struct weir_fault fault;
  if (!weir_run_functional(launch, &fault)) broken = of_fault(&fault);
  if (switched("wrong-l1") && f->module->cost < 1e-4) spoil(launch);
  now += (double)*launch->steps * f->module->cost * (launches++ % 3 == 1 ? 10 : 1);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **parameters, void **extra) {
  const struct weir_kernel *k = f->kernel;
  uint64_t steps = 0;
  if (stream || extra || shared_bytes > f->most_dynamic) return CUDA_ERROR_INVALID_VALUE;
  if (broken) return broken;
  uint8_t *params = weir_alloc_aligned(16, k->param_bytes);
  for (uint32_t i = 0; i < k->param_count; i++) memcpy(params + k->params[i].offset, parameters[i], k->params[i].bytes);
  note("launch %s %u,%u,%u %u,%u,%u %u\n", k->name, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes);
  run(f,
      &(struct weir_launch){.program = f->module->program,
                            .kernel = k,
                            .memory = memory,
                            .grid = {grid_x, grid_y, grid_z},
                            .block = {block_x, block_y, block_z},
                            .dynamic_shared_bytes = shared_bytes,
                            .params = params,
                            .steps = &steps});
  weir_free(params);
  return CUDA_SUCCESS; // errors come later: launches are asynchronous
}

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  *event = weir_new(struct CUevent_st);
  return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  weir_free(event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  event->time = now;
  return stream ? CUDA_ERROR_INVALID_VALUE : broken;
}

CUresult cuEventSynchronize(CUevent event) {
  (void)event;
  return broken;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  *milliseconds = (float)(end->time - start->time);
  return broken;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  if (switched("full")) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = weir_memory_alloc(memory, "allocated", bytes);
  return broken;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return weir_memory_release(memory, address) ? broken : CUDA_ERROR_INVALID_VALUE;
}

static void *bytes_at(CUdeviceptr address, size_t bytes) {
  const bool in_range = address - WEIR_HEAP_BASE < reserved_bytes;
  if (in_range && address - WEIR_HEAP_BASE + bytes > accessible_bytes) return NULL;
  return weir_memory_at(memory, address, bytes);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  void *at = bytes_at(to, bytes);
  if (!at) return CUDA_ERROR_INVALID_VALUE;
  memcpy(at, from, bytes);
  return broken;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  const void *at = bytes_at(from, bytes);
  if (!at) return CUDA_ERROR_INVALID_VALUE;
  if (!broken) memcpy(to, at, bytes);
  return broken;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  if (bytes % GRANULARITY || alignment % GRANULARITY || flags || reserved_bytes) return CUDA_ERROR_INVALID_VALUE;
  if (switched("narrow") && bytes > GRANULARITY) return CUDA_ERROR_OUT_OF_MEMORY;
  reserved_bytes = bytes;
  *address = switched("moved") || hint != WEIR_HEAP_BASE ? ELSEWHERE : hint;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  if (bytes != reserved_bytes || mapped_bytes || (address != ELSEWHERE && address != WEIR_HEAP_BASE))
    return CUDA_ERROR_INVALID_VALUE;
  reserved_bytes = 0;
  return CUDA_SUCCESS;
}

static bool is_device_memory(const CUmemAllocationProp *p) {
  return p->type == CU_MEM_ALLOCATION_TYPE_PINNED && p->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
    !p->location.id && !p->requestedHandleTypes;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
  (void)option;
  *granularity = GRANULARITY;
  return is_device_memory(properties) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  if (!bytes || bytes % GRANULARITY || flags || !is_device_memory(properties)) return CUDA_ERROR_INVALID_VALUE;
  if (switched("full") || mapped_bytes + bytes > POOL_BYTES) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = created_bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return handle == created_bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  if (offset || flags || bytes != handle || handle != created_bytes || address != WEIR_HEAP_BASE + mapped_bytes ||
      mapped_bytes + bytes > reserved_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  mapped_bytes += bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  if (address != WEIR_HEAP_BASE || bytes != mapped_bytes) return CUDA_ERROR_INVALID_VALUE;
  mapped_bytes = accessible_bytes = 0;
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count) {
  if (count != 1 || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
      address - WEIR_HEAP_BASE + bytes != mapped_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  accessible_bytes = mapped_bytes;
  return CUDA_SUCCESS;
}

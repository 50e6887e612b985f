// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Reads registered modules when they are needed, and finds what is in them.
#include "cudart/modules_private.h"

#include "base/alloc.h"
#include "binary/cubin.h"
#include "binary/fatbin.h"

#include <errno.h>
#include <string.h>

// What NVIDIA's library for launches from device code (libcudadevrt) adds to separately compiled programs: its PTX
// calls the driver's own functions, and programs that launch nothing from device code need nothing of it.
#define DEVICE_RUNTIME_MARK "_cuda_device_runtime_cu_"

struct texts {
  struct weir_device_text *all;
  unsigned count, capacity;
  uint32_t arch;                     // that the PTX was compiled for
  uint32_t machine_code;             // architecture of a part that has no PTX; 0: every part has
  unsigned major, minor;             // the device's compute capability
  struct weir_cubin_kernel *kernels; // of the machine code that the device would run
  unsigned kernel_count, kernel_capacity;
};

static cudaError_t add_entry(struct texts *t, const char *path, const struct weir_fatbin_entry *e,
                             struct weir_sink *sink) {
  size_t bytes;
  char *text = weir_fatbin_text(e, (struct weir_place){.file = path}, &bytes, sink);
  if (!text) return cudaErrorInvalidKernelImage;
  if (strstr(text, DEVICE_RUNTIME_MARK))
    weir_free(text);
  else {
    *weir_push(t->all, t->count, t->capacity) = (struct weir_device_text){path, text, bytes};
    t->arch = e->arch;
  }
  return cudaSuccess;
}

// Machine code is not run, and the PTX beside it is whole: what cannot be read of it is told and passed over.
static void add_machine_code(struct texts *t, const char *path, const struct weir_fatbin_entry *e) {
  const struct weir_place place = {.file = path};
  struct weir_sink sink = {0};
  size_t bytes;
  unsigned count = 0;
  uint8_t *code = weir_fatbin_bytes(e, place, &bytes, &sink);
  struct weir_cubin_kernel *kernels = code ? weir_cubin_kernels(code, bytes, place, &count, &sink) : NULL;
  for (unsigned k = 0; k < count; k++) *weir_push(t->kernels, t->kernel_count, t->kernel_capacity) = kernels[k];
  for (size_t k = 0; k < sink.count; k++)
    weir_device_say("%s: %s; its kernels' registers are estimated", path, sink.diags[k].message);
  weir_free(kernels); // the names are kept
  weir_free(code);
  weir_sink_free(&sink);
}

static cudaError_t add_container(struct texts *t, const char *path, const void *data, struct weir_sink *sink) {
  const struct weir_place place = {.file = path};
  const size_t size = data ? weir_fatbin_size(data) : 0;
  unsigned count;
  if (!size) return weir_fail(sink, place, "that is no fat binary"), cudaErrorInvalidKernelImage;
  struct weir_fatbin_entry *entries = weir_fatbin_entries(data, size, place, &count, sink);
  if (!entries) return cudaErrorInvalidKernelImage;
  const struct weir_fatbin_entry *best = weir_fatbin_best(entries, count, 10 * t->major + t->minor);
  const struct weir_fatbin_entry *code = weir_fatbin_machine_code(entries, count, t->major, t->minor);
  if (code) add_machine_code(t, path, code);
  cudaError_t e = cudaSuccess;
  if (best)
    e = add_entry(t, path, best, sink);
  else if (count)
    t->machine_code = entries[count - 1].arch;
  weir_free(entries);
  return e;
}

static cudaError_t no_ptx(const struct texts *t, const char *path, struct weir_sink *sink) {
  const unsigned arch = t->machine_code;
  weir_fail(sink, (struct weir_place){.file = path},
            "the program's device code is machine code for sm_%u alone, and weir runs PTX; build it with\n"
            "  nvcc -gencode arch=compute_%u,code=[sm_%u,compute_%u] …",
            arch, arch, arch, arch);
  return cudaErrorNoKernelImageForDevice;
}

static cudaError_t collect(struct texts *t, const struct weir_cuda_module *m, struct weir_sink *sink) {
  cudaError_t e = cudaSuccess;
  if (!m->parts)
    e = add_container(t, m->path, m->data, sink);
  else
    for (const void *const *part = m->parts; *part && !e; part++) e = add_container(t, m->path, *part, sink);
  return !e && t->machine_code ? no_ptx(t, m->path, sink) : e;
}

// Host code and kernels see one and the same variable, at the same address; and what host code gives as its symbol is the variable itself.
static void place_managed(struct weir_cuda_module *m) {
  for (struct weir_cuda_variable *v = m->variables; v; v = v->next) {
    uint64_t bytes, address;
    if (!v->managed || !(address = weir_program_variable(m->program, v->name, &bytes))) continue;
    *v->managed = v->placed = (void *)(uintptr_t)address;
    weir_cuda_set_add(&weir_cuda_variables, v->placed, v);
  }
}

void weir_cuda_forget_placed(struct weir_cuda_variable *v) {
  if (v->placed) weir_cuda_set_remove(&weir_cuda_variables, v->placed);
  v->placed = NULL;
}

static cudaError_t load(struct weir_device *d, struct weir_cuda_module *m, struct weir_sink *sink) {
  const struct weir_device_facts facts = weir_device_facts(d);
  struct texts t = {.major = facts.compute_major, .minor = facts.compute_minor};
  cudaError_t e = collect(&t, m, sink);
  if (!e) {
    m->program = weir_device_load(d, t.all, t.count, sink);
    m->arch = t.arch;
    if (!m->program) e = cudaErrorInvalidPtx;
    for (unsigned k = 0; m->program && k < t.kernel_count; k++)
      weir_device_count_registers(d, m->program, t.kernels[k].name, t.kernels[k].registers);
  }
  weir_cubin_free(t.kernels, t.kernel_count);
  for (unsigned k = 0; k < t.count; k++) weir_free((void *)(uintptr_t)t.all[k].text);
  weir_free(t.all);
  return e;
}

cudaError_t weir_cuda_module_load(struct weir_device *d, struct weir_cuda_module *m) {
  if (m->loaded) return m->error;
  struct weir_sink sink = {0};
  m->loaded = true;
  m->error = load(d, m, &sink);
  weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  if (!m->error) place_managed(m);
  return m->error;
}

struct weir_cuda_function *weir_cuda_function_known(const void *function) {
  return weir_cuda_set_find(&weir_cuda_functions, function);
}

cudaError_t weir_cuda_function(struct weir_device *d, const void *function, struct weir_cuda_function **f) {
  *f = weir_cuda_function_known(function);
  if (!*f) return cudaErrorInvalidDeviceFunction;
  if ((*f)->kernel) return cudaSuccess;
  const cudaError_t e = weir_cuda_module_load(d, (*f)->module);
  if (e) return e;
  (*f)->kernel = weir_program_kernel((*f)->module->program, (*f)->name);
  if ((*f)->kernel) return cudaSuccess;
  weir_device_say("%s: there is no kernel '%s' in this module's PTX", (*f)->module->path, (*f)->name);
  return cudaErrorInvalidDeviceFunction;
}

const struct weir_program *weir_cuda_function_program(const struct weir_cuda_function *f) {
  return f->module->program;
}

unsigned weir_cuda_function_arch(const struct weir_cuda_function *f) {
  return f->module->arch;
}

cudaError_t weir_cuda_variable(struct weir_device *d, const void *symbol, uint64_t *address, uint64_t *bytes) {
  struct weir_cuda_variable *v = weir_cuda_set_find(&weir_cuda_variables, symbol);
  if (!v) return cudaErrorInvalidSymbol;
  const cudaError_t e = weir_cuda_module_load(d, v->module);
  if (e) return e;
  *address = weir_program_variable(v->module->program, v->name, bytes);
  return *address ? cudaSuccess : cudaErrorInvalidSymbol;
}

bool weir_cuda_reference(const void *reference, bool *normalized_float) {
  const struct weir_cuda_variable *v = weir_cuda_set_find(&weir_cuda_variables, reference);
  if (!v || !v->is_reference) return false;
  *normalized_float = v->normalized_float;
  return true;
}

static void forget(void *module) {
  struct weir_cuda_module *m = module;
  m->loaded = false;
  m->program = NULL;
  for (unsigned k = 0; k < m->function_count; k++) m->functions[k]->kernel = NULL;
  for (struct weir_cuda_variable *v = m->variables; v; v = v->next) weir_cuda_forget_placed(v);
}

void weir_cuda_forget_modules(void) {
  weir_cuda_set_each(&weir_cuda_modules, forget);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // program_invocation_short_name

// How device code makes itself known before main: calls that the compiler writes. The wrapper's versions are those of
// fatbinary_section.h: 1 is one fat binary, 2 an array of those that `nvcc -rdc=true` compiled separately.
#include "cudart/modules_private.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2 };

struct wrapper {
  int magic, version;
  const void *data;
  const void *more; // version 2: the array
};

struct weir_cuda_set weir_cuda_modules, weir_cuda_functions, weir_cuda_variables;

static struct weir_cuda_module *module_of(void **handle) {
  return weir_cuda_set_find(&weir_cuda_modules, handle);
}

WEIR_CUDA_API(void **, __cudaRegisterFatBinary, void *wrapper) {
  static unsigned number;
  const struct wrapper *w = wrapper;
  struct weir_cuda_module *m = weir_new(struct weir_cuda_module);
  if (w && w->magic == WRAPPER_MAGIC) {
    m->data = w->data;
    if (w->version == WRAPPER_LINKED) m->parts = w->more;
  }
  weir_device_lock();
  m->path = weir_text_format("%s:module-%u.ptx", program_invocation_short_name, ++number);
  weir_cuda_set_add(&weir_cuda_modules, m, m);
  weir_device_unlock();
  return (void **)m;
}

WEIR_CUDA_API(void, __cudaRegisterFatBinaryEnd, void **handle) {
  (void)handle;
}

static void forget_variables(struct weir_cuda_module *m) {
  while (m->variables) {
    struct weir_cuda_variable *v = m->variables;
    m->variables = v->next;
    weir_cuda_forget_placed(v);
    weir_cuda_set_remove(&weir_cuda_variables, v->host);
    weir_free(v->own_name);
    weir_free(v);
  }
}

static void forget_functions(struct weir_cuda_module *m) {
  for (unsigned k = 0; k < m->function_count; k++) {
    struct weir_cuda_function *f = m->functions[k];
    // A template's stub is one for all modules that have the kernel: another's may stand there.
    if (weir_cuda_function_known(f->host) == f) weir_cuda_set_remove(&weir_cuda_functions, f->host);
    weir_cuda_set_remove(&weir_cuda_functions, f);
    weir_free(f);
  }
  weir_free(m->functions);
}

// At exit, and when a library with device code in it is closed.
WEIR_CUDA_API(void, __cudaUnregisterFatBinary, void **handle) {
  weir_device_lock();
  struct weir_cuda_module *m = module_of(handle);
  if (m) {
    if (m->program && weir_device_is_open()) weir_device_unload(weir_device_get(NULL), m->program);
    forget_variables(m);
    forget_functions(m);
    weir_cuda_set_remove(&weir_cuda_modules, handle);
    weir_free(m->path);
    weir_free(m);
  }
  weir_device_unlock();
}

WEIR_CUDA_API(void, __cudaRegisterFunction, void **handle, const char *host, char *device, const char *name,
              int thread_limit, void *thread, void *block, dim3 *block_dim, dim3 *grid_dim, int *warp_size) {
  (void)device, (void)thread_limit, (void)thread, (void)block, (void)block_dim, (void)grid_dim, (void)warp_size;
  weir_device_lock();
  struct weir_cuda_module *m = module_of(handle);
  if (m) {
    struct weir_cuda_function *f = weir_new(struct weir_cuda_function);
    *f = (struct weir_cuda_function){.module = m, .host = host, .name = name, .max_dynamic_shared = -1, .carveout = -1};
    *weir_push(m->functions, m->function_count, m->function_capacity) = f;
    weir_cuda_set_add(&weir_cuda_functions, host, f);
    weir_cuda_set_add(&weir_cuda_functions, f, f);
  }
  weir_device_unlock();
}

static void register_variable(void **handle, const struct weir_cuda_variable *v) {
  weir_device_lock();
  struct weir_cuda_module *m = module_of(handle);
  if (m) {
    struct weir_cuda_variable *kept = weir_new(struct weir_cuda_variable);
    *kept = *v;
    kept->module = m;
    kept->next = m->variables;
    m->variables = kept;
    weir_cuda_set_add(&weir_cuda_variables, kept->host, kept);
  } else {
    weir_free(v->own_name);
  }
  weir_device_unlock();
}

WEIR_CUDA_API(void, __cudaRegisterVar, void **handle, char *host, char *device, const char *name, int external,
              size_t bytes, int constant, int global) {
  (void)device, (void)external, (void)bytes, (void)constant, (void)global;
  register_variable(handle, &(struct weir_cuda_variable){.host = host, .name = name});
}

WEIR_CUDA_API(void, __cudaRegisterHostVar, void **handle, const char *name, char *host, size_t bytes) {
  (void)bytes;
  register_variable(handle, &(struct weir_cuda_variable){.host = host, .name = name});
}

WEIR_CUDA_API(void, __cudaRegisterManagedVar, void **handle, void **host, char *device, const char *name, int external,
              size_t bytes, int constant, int global) {
  (void)device, (void)external, (void)bytes, (void)constant, (void)global;
  register_variable(handle, &(struct weir_cuda_variable){.host = host, .name = name, .managed = host});
}

// nvcc 11 writes a reference's name as C++ has it, "::sheet" or "::plan::sheet": in the PTX that is "sheet" or, by the C++
// ABI's rules for a name within namespaces, "_ZN4plan5sheetE". NULL if the name is one of the PTX as it stands.
static char *name_in_ptx(const char *name) {
  if (strncmp(name, "::", 2)) return NULL;
  name += 2;
  if (!strstr(name, "::")) return weir_text_copy(name);
  char *mangled = weir_text_copy("_ZN");
  for (size_t length; *name; name += length + (name[length] ? 2 : 0)) {
    const char *end = strstr(name, "::");
    length = end ? (size_t)(end - name) : strlen(name);
    char *longer = weir_text_format("%s%zu%.*s%s", mangled, length, (int)length, name, end ? "" : "E");
    weir_free(mangled);
    mangled = longer;
  }
  return mangled;
}

static void register_reference(void **handle, struct weir_cuda_variable v) {
  v.own_name = name_in_ptx(v.name);
  if (v.own_name) v.name = v.own_name;
  v.is_reference = true;
  register_variable(handle, &v);
}

// References of CUDA 11 are variables of 8 bytes, whose value is the handle of what is bound.
WEIR_CUDA_API(void, __cudaRegisterTexture, void **handle, const struct textureReference *host, const void **device,
              const char *name, int dimensions, int normalized, int external) {
  (void)device, (void)dimensions, (void)external;
  register_reference(handle,
                     (struct weir_cuda_variable){.host = host, .name = name, .normalized_float = normalized != 0});
}

WEIR_CUDA_API(void, __cudaRegisterSurface, void **handle, const struct surfaceReference *host, const void **device,
              const char *name, int dimensions, int external) {
  (void)device, (void)dimensions, (void)external;
  register_reference(handle, (struct weir_cuda_variable){.host = host, .name = name});
}

// Before the first use of a __managed__ variable in host code: only now is its address asked for.
WEIR_CUDA_API(char, __cudaInitModule, void **handle) {
  struct weir_device *d;
  cudaError_t e = weir_cuda_enter(&d);
  struct weir_cuda_module *m = module_of(handle);
  if (!e) e = m ? weir_cuda_module_load(d, m) : cudaErrorInvalidResourceHandle;
  return weir_cuda_leave(e) == cudaSuccess;
}

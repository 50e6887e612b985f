// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/compile/tools.h"

#include "base/alloc.h"
#include "base/file.h"
#include "exec/texture.h"
#include "opencl/compile/cache.h"
#include "opencl/compile/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// builtins/*.cl, one after the other, as one text: builtins/builtins.cmake says in which folder.
__asm__(".pushsection .rodata\n"
        "weir_cl_builtins_text:\n"
        ".incbin \"" WEIR_CL_BUILTINS "/workitem.cl\"\n"
        ".incbin \"" WEIR_CL_BUILTINS "/native.cl\"\n"
        ".incbin \"" WEIR_CL_BUILTINS "/math.cl\"\n"
        ".incbin \"" WEIR_CL_BUILTINS "/vector.cl\"\n"
        ".incbin \"" WEIR_CL_BUILTINS "/atomic64.cl\"\n"
        ".incbin \"" WEIR_CL_BUILTINS "/image.cl\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char weir_cl_builtins_text[] __attribute__((visibility("hidden")));

static const char *const clang_names[] = {"clang-21", "clang-20", "clang-19", "clang-18",
                                          "clang-17", "clang-16", "clang"};
static const char *const libclc_paths[] = {"/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc",
                                           "/usr/local/share/clc/nvptx64--nvidiacl.bc"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void add_all(struct weir_cl_arguments *to, const char *const *items, size_t count) {
  for (size_t i = 0; i < count; i++) weir_cl_arguments_add(to, items[i]);
}

void weir_cl_tools_target(struct weir_cl_arguments *to) {
  static const char *const items[] = {
    "--target=nvptx64-nvidia-nvcl",     "-march=sm_70",         "-nogpulib",
    "-fno-crash-diagnostics",           "-Wno-linker-warnings", "-Wno-override-module",
    "-Wno-unused-command-line-argument"};
  add_all(to, items, COUNT(items));
}

void weir_cl_tools_language(struct weir_cl_arguments *to) {
  static const char *const items[] = {
    "-x",
    "cl",
    "-cl-std=CL1.2",
    "-Xclang",
    "-cl-ext=+cl_khr_3d_image_writes,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics",
    "-D__OPENCL_VERSION__=120",
    "-D__IMAGE_SUPPORT__=1"};
  add_all(to, items, COUNT(items));
}

void weir_cl_tools_libraries(struct weir_cl_arguments *to, const char *builtins_path, const char *libclc) {
  const char *const items[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", builtins_path,
                               "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc};
  add_all(to, items, COUNT(items));
}

// ---- builtins ------------------------------------------------------------------------------------------------------

// A sampler literal's bits (opencl-c-base.h) as a sampler: bit 0 normalised, 1 to 3 how to address, 4 and 5 the filter.
static uint64_t sampler_of(unsigned literal) {
  static const uint8_t addresses[8] = {WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_BORDER, WEIR_ADDRESS_WRAP,
                                       WEIR_ADDRESS_MIRROR};
  const uint8_t address = addresses[literal >> 1 & 7];
  const struct weir_sampler s = {.address = {address, address, address},
                                 .filter = literal & 0x20 ? WEIR_FILTER_LINEAR : WEIR_FILTER_POINT,
                                 .normalized = literal & 1};
  return weir_sampler_pack(&s);
}

static void builtins_source(struct weir_cl_text *to) {
  weir_cl_text_print(to, "__constant const ulong weir_samplers[64] = {\n");
  for (unsigned i = 0; i < 64; i++) weir_cl_text_print(to, "0x%llxul,\n", (unsigned long long)sampler_of(i));
  weir_cl_text_print(to, "};\n%s", weir_cl_builtins_text);
}

// Compiles them in `folder`, linked with what they need of libclc; the bitcode, or NULL.
static char *compile_builtins(const struct weir_cl_tools *t, const char *folder, const struct weir_cl_text *source,
                              size_t *size, struct weir_cl_text *log) {
  char *in = weir_text_format("%s/builtins.cl", folder), *out = weir_text_format("%s/builtins.bc", folder);
  struct weir_cl_arguments a = {0};
  struct weir_sink sink = {0};
  weir_cl_arguments_add(&a, t->clang);
  weir_cl_tools_target(&a);
  weir_cl_tools_language(&a);
  // The whole header: the declarations that clang makes up on demand cannot be defined.
  const char *const own[] = {"-include", "opencl-c.h", "-O2", "-c",      "-emit-llvm",
                             in,         "-o",         out,   "-Xclang", "-mlink-builtin-bitcode",
                             "-Xclang",  t->libclc,    NULL};
  add_all(&a, own, COUNT(own));
  char *bitcode = NULL;
  if (weir_file_write(in, source->bytes, source->count, &sink) && weir_cl_process_run(a.items, folder, out, log))
    bitcode = weir_file_read(out, 0, size, &sink);
  weir_sink_free(&sink);
  weir_cl_arguments_free(&a);
  weir_free(in);
  weir_free(out);
  return bitcode;
}

static weir_hash hash_tool(weir_hash h, const char *path) {
  struct stat st = {0};
  (void)stat(path, &st);
  h = weir_hash_text(h, path);
  h = weir_hash_bytes(h, &st.st_size, sizeof st.st_size);
  return weir_hash_bytes(h, &st.st_mtim, sizeof st.st_mtim);
}

// Whether this clang does; from the cache if it did before.
static bool works(struct weir_cl_tools *t, struct weir_cl_text *log) {
  struct weir_cl_text source = {0};
  const struct weir_cl_arguments nothing = {0};
  builtins_source(&source);
  t->identity = hash_tool(hash_tool(weir_hash_text(weir_hash_start(), WEIR_VERSION), t->clang), t->libclc);
  t->identity = weir_hash_text(t->identity, source.bytes);
  char *cache = weir_cl_cache_folder();
  struct weir_cl_result r = {.log = NULL};
  if (!weir_cl_cache_load(cache, t->identity, &r)) {
    char *folder = weir_cl_folder_new();
    if (!folder) weir_cl_text_print(log, "weir: error: no folder for temporary files can be made\n");
    if (folder) r.output = compile_builtins(t, folder, &source, &r.output_bytes, log);
    weir_cl_folder_remove(folder);
    r.log = weir_text_copy("");
    if (r.output) weir_cl_cache_store(cache, t->identity, &r, &nothing);
  }
  t->builtins = r.output;
  t->builtins_bytes = r.output_bytes;
  weir_free(r.log);
  weir_free(cache);
  weir_free(source.bytes);
  return t->builtins;
}

// ---- finding -------------------------------------------------------------------------------------------------------

static const char *find_libclc(struct weir_cl_text *log) {
  const char *named = getenv("LIBCLC");
  if (named && *named) {
    if (!access(named, R_OK)) return named;
    weir_cl_text_print(log, "weir: error: LIBCLC is %s, which cannot be read\n", named);
    return NULL;
  }
  for (size_t i = 0; i < COUNT(libclc_paths); i++)
    if (!access(libclc_paths[i], R_OK)) return libclc_paths[i];
  weir_cl_text_print(log,
                     "weir: error: OpenCL C needs libclc (nvptx64--nvidiacl.bc), which is not in %s; on Debian: "
                     "apt install libclc-19; or set LIBCLC to its path\n",
                     libclc_paths[0]);
  return NULL;
}

static bool try_clang(struct weir_cl_tools *t, const char *name, struct weir_cl_text *log) {
  char *clang = weir_cl_process_find(name);
  if (!clang) return false;
  t->clang = clang;
  weir_cl_text_print(log, "weir: note: trying %s\n", clang);
  if (works(t, log)) return true;
  weir_free(clang);
  return false;
}

static bool find(struct weir_cl_tools *t, struct weir_cl_text *log) {
  const char *named = getenv("CLANG"), *libclc = find_libclc(log);
  if (!libclc) return false;
  t->libclc = weir_text_copy(libclc);
  struct weir_cl_text tried = {0};
  bool found = false;
  if (named && *named) {
    found = try_clang(t, named, &tried);
  } else {
    for (size_t i = 0; i < COUNT(clang_names) && !found; i++) found = try_clang(t, clang_names[i], &tried);
  }
  if (!found)
    weir_cl_text_print(
      log,
      "%sweir: error: OpenCL C needs clang, version 16 or later, that knows nvptx64%s%s; on Debian: apt "
      "install clang-19; or set CLANG to its path\n",
      tried.bytes ? tried.bytes : "", named && *named ? ": CLANG is " : "", named && *named ? named : "");
  weir_free(tried.bytes);
  return found;
}

const struct weir_cl_tools *weir_cl_tools_find(struct weir_cl_text *log) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct weir_cl_tools *last;
  static char *last_key;
  const char *clang = getenv("CLANG"), *libclc = getenv("LIBCLC"), *path = getenv("PATH");
  char *key = weir_text_format("%s\n%s\n%s", clang ? clang : "", libclc ? libclc : "", path ? path : "");
  pthread_mutex_lock(&lock);
  struct weir_cl_tools *t = last;
  if (!last_key || strcmp(key, last_key)) {
    t = weir_new(struct weir_cl_tools); // the one before stays: somebody may be using it
    if (find(t, log)) {
      weir_free(last_key);
      last_key = weir_text_copy(key);
      last = t;
    } else {
      weir_free((void *)t->libclc);
      weir_free(t);
      t = NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  weir_free(key);
  return t;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memmem

#include "opencl/compile/compile.h"

#include "base/alloc.h"
#include "base/file.h"
#include "opencl/compile/cache.h"
#include "opencl/compile/kernels.h"
#include "opencl/compile/process.h"
#include "opencl/compile/ptx.h"
#include "opencl/compile/tools.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Counts the changes of what is made from the same source by the same tools, so that no older result is taken from a
// cache.
enum { TRANSLATION = 2 };

// One call of the compiler, from its options to its result.
struct job {
  enum weir_cl_stage stage;
  struct weir_cl_options options;
  const struct weir_cl_tools *tools;
  char *cache, *folder;              // NULL: none
  char *builtins;                    // the bitcode's path
  struct weir_cl_arguments included; // files that the result depends on
  struct weir_cl_text log, output;
};

static void open_job(struct job *j, enum weir_cl_stage stage) {
  *j = (struct job){.stage = stage};
  weir_cl_text_add(&j->log, "", 0);
}

static struct weir_cl_result close_job(struct job *j, enum weir_cl_status status) {
  const bool built = status == WEIR_CL_BUILT;
  if (!built) weir_free(j->output.bytes);
  weir_cl_folder_remove(j->folder);
  weir_cl_options_free(&j->options);
  weir_cl_arguments_free(&j->included);
  weir_free(j->cache);
  weir_free(j->builtins);
  return (struct weir_cl_result){status, built ? j->output.bytes : NULL, built ? j->output.count : 0, j->log.bytes};
}

// Options and tools; BUILT: go on.
static enum weir_cl_status prepare(struct job *j, const char *options) {
  if (!weir_cl_options_parse(&j->options, options, j->stage, &j->log)) return WEIR_CL_INVALID_OPTIONS;
  j->tools = weir_cl_tools_find(&j->log);
  j->cache = weir_cl_cache_folder();
  return j->tools ? WEIR_CL_BUILT : WEIR_CL_NO_COMPILER;
}

static bool write_file(struct job *j, const char *path, const void *bytes, size_t size) {
  struct weir_sink sink = {0};
  const bool ok = weir_file_write(path, bytes, size, &sink);
  if (!ok) weir_cl_text_print(&j->log, "weir: error: %s cannot be written\n", path);
  weir_sink_free(&sink);
  return ok;
}

static bool open_folder(struct job *j) {
  j->folder = weir_cl_folder_new();
  if (!j->folder) {
    weir_cl_text_print(&j->log, "weir: error: no folder for temporary files can be made\n");
    return false;
  }
  j->builtins = weir_text_format("%s/builtins.bc", j->folder);
  return write_file(j, j->builtins, j->tools->builtins, j->tools->builtins_bytes);
}

// ---- running clang -------------------------------------------------------------------------------------------------

static void add_all(struct weir_cl_arguments *a, const char *const *items, size_t count) {
  for (size_t i = 0; i < count; i++) weir_cl_arguments_add(a, items[i]);
}
#define ADD(a, ...)                                                                                                    \
  add_all(a, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void begin(struct job *j, struct weir_cl_arguments *a) {
  *a = (struct weir_cl_arguments){0};
  weir_cl_arguments_add(a, j->tools->clang);
  weir_cl_tools_target(a);
}

// Runs what `a` says with the output in FOLDER/name; its contents, or NULL. `a` is freed.
static char *finish(struct job *j, struct weir_cl_arguments *a, const char *name, size_t *size) {
  char *path = weir_text_format("%s/%s", j->folder, name), *text = NULL;
  struct weir_sink sink = {0};
  ADD(a, "-o", path, NULL);
  if (weir_cl_process_run(a->items, j->folder, path, &j->log)) {
    text = weir_file_read(path, 0, size, &sink);
    if (!text) weir_cl_text_print(&j->log, "weir: error: the compiler has written no %s\n", path);
  }
  weir_sink_free(&sink);
  weir_cl_arguments_free(a);
  weir_free(path);
  return text;
}

// From optimised IR, which FOLDER/program.ll holds too, to PTX and what it says of itself.
static bool make_ptx(struct job *j, const char *ir) {
  struct weir_cl_arguments a;
  size_t size;
  if (!weir_cl_ptx_is_whole(ir, &j->log)) return false;
  char *in = weir_text_format("%s/program.ll", j->folder);
  begin(j, &a);
  ADD(&a, "-x", "ir", j->options.level, "-Xclang", "-disable-llvm-passes", "-S", in);
  char *ptx = finish(j, &a, "program.ptx", &size);
  weir_free(in);
  if (!ptx) return false;
  weir_cl_ptx_clean(&j->output, ptx);
  weir_cl_kernels_describe(&j->output, ir);
  weir_free(ptx);
  return true;
}

// ---- sources -------------------------------------------------------------------------------------------------------

// Headers of clCompileProgram go below FOLDER/include by their names.
static bool write_headers(struct job *j, const struct weir_cl_source *s) {
  bool ok = true;
  for (unsigned i = 0; i < s->header_count && ok; i++) {
    const struct weir_cl_header *h = &s->headers[i];
    if (h->name[0] == '/' || strstr(h->name, "..")) {
      weir_cl_text_print(&j->log, "weir: error: header name '%s' leads out of the program\n", h->name);
      return false;
    }
    char *path = weir_text_format("%s/include/%s", j->folder, h->name);
    for (char *at = path + strlen(j->folder) + 1; (at = strchr(at, '/')); at++) {
      *at = 0;
      mkdir(path, 0700);
      *at = '/';
    }
    ok = write_file(j, path, h->text, h->bytes);
    weir_free(path);
  }
  return ok;
}

static bool has_includes(const struct job *j, const struct weir_cl_source *s) {
  return j->options.includes || memmem(s->text, s->bytes, "include", 7);
}

static weir_hash key_of(const struct job *j, const struct weir_cl_source *s) {
  const int translation = TRANSLATION;
  weir_hash h = weir_hash_bytes(j->tools->identity, &translation, sizeof translation);
  h = weir_hash_bytes(h, &j->stage, sizeof j->stage);
  h = weir_hash_text(h, s->options);
  h = weir_hash_bytes(h, &s->bytes, sizeof s->bytes);
  h = weir_hash_bytes(h, s->text, s->bytes);
  for (unsigned i = 0; i < s->header_count; i++) {
    h = weir_hash_text(h, s->headers[i].name);
    h = weir_hash_bytes(h, &s->headers[i].bytes, sizeof s->headers[i].bytes);
    h = weir_hash_bytes(h, s->headers[i].text, s->headers[i].bytes);
  }
  char *here = has_includes(j, s) ? getcwd(NULL, 0) : NULL; // relative paths
  h = weir_hash_text(h, here);
  weir_free(here);
  return h;
}

// The next file of a make rule, unescaped. False at its end.
static bool next_dependency(const char **at, struct weir_cl_text *path) {
  const char *p = *at;
  path->count = 0;
  while (*p == ' ' || *p == '\n' || (*p == '\\' && p[1] == '\n')) p++;
  for (; *p && *p != ' ' && *p != '\n'; p++) {
    if ((*p == '\\' && (p[1] == ' ' || p[1] == '#')) || (*p == '$' && p[1] == '$')) p++;
    weir_cl_text_add(path, p, 1);
  }
  *at = p;
  return path->count;
}

// What FOLDER/rule lists, but for what is in the key: the program itself and its headers.
static void read_dependencies(struct job *j, const char *program) {
  char *rule = weir_text_format("%s/rule", j->folder);
  struct weir_sink sink = {0};
  struct weir_cl_text path = {0};
  size_t size;
  char *text = access(rule, R_OK) ? NULL : weir_file_read(rule, 0, &size, &sink);
  const char *at = text ? strchr(text, ':') : NULL;
  if (at) at++;
  while (at && next_dependency(&at, &path))
    if (strcmp(path.bytes, program) && strncmp(path.bytes, j->folder, strlen(j->folder)))
      weir_cl_arguments_add(&j->included, path.bytes);
  weir_sink_free(&sink);
  weir_free(path.bytes);
  weir_free(text);
  weir_free(rule);
}

static void add_source(struct job *j, struct weir_cl_arguments *a, const struct weir_cl_source *s,
                       const char *program) {
  char *include = weir_text_format("-I%s/include", j->folder), *rule = weir_text_format("%s/rule", j->folder);
  weir_cl_tools_language(a);
  // -gdwarf-2: newer versions describe call sites, which LLVM 19 does not live through on this target in some programs.
  ADD(a, "-Xclang", "-finclude-default-header", "-gline-tables-only", "-gdwarf-2", "-cl-kernel-arg-info",
      j->options.level);
  if (s->header_count) weir_cl_arguments_add(a, include);
  add_all(a, (const char *const *)j->options.clang.items, j->options.clang.count);
  ADD(a, "-I."); // beside the program's own folder, which it does not know
  if (has_includes(j, s)) ADD(a, "-MD", "-MT", "program", "-MF", rule);
  weir_cl_arguments_add(a, program);
  weir_free(include);
  weir_free(rule);
}

static bool translate(struct job *j, const struct weir_cl_source *s, const char *program) {
  struct weir_cl_arguments a;
  size_t size;
  begin(j, &a);
  add_source(j, &a, s, program);
  if (j->stage == WEIR_CL_STAGE_COMPILE) {
    ADD(&a, "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm");
    j->output.bytes = finish(j, &a, "program.bc", &j->output.count);
    return j->output.bytes;
  }
  weir_cl_tools_libraries(&a, j->builtins, j->tools->libclc);
  ADD(&a, "-S", "-emit-llvm");
  char *ir = finish(j, &a, "program.ll", &size);
  const bool ok = ir && make_ptx(j, ir);
  weir_free(ir);
  return ok;
}

static bool compile_source(struct job *j, const struct weir_cl_source *s) {
  if (!open_folder(j) || !write_headers(j, s)) return false;
  char *program = weir_cl_cache_source(j->cache, s->text, s->bytes);
  if (!program) {
    program = weir_text_format("%s/program.cl", j->folder);
    if (!write_file(j, program, s->text, s->bytes)) {
      weir_free(program);
      return false;
    }
  }
  const bool ok = translate(j, s, program);
  if (ok) read_dependencies(j, program);
  weir_free(program);
  return ok;
}

static void store(struct job *j, weir_hash key) {
  const struct weir_cl_result r = {WEIR_CL_BUILT, j->output.bytes, j->output.count, j->log.bytes};
  weir_cl_cache_store(j->cache, key, &r, &j->included);
}

static struct weir_cl_result from_source(enum weir_cl_stage stage, const struct weir_cl_source *s) {
  struct job j;
  struct weir_cl_result r;
  open_job(&j, stage);
  const enum weir_cl_status status = prepare(&j, s->options);
  if (status != WEIR_CL_BUILT) return close_job(&j, status);
  const weir_hash key = key_of(&j, s);
  if (weir_cl_cache_load(j.cache, key, &r)) {
    struct weir_cl_result unused = close_job(&j, WEIR_CL_FAILED);
    weir_cl_result_free(&unused);
    return r;
  }
  if (!compile_source(&j, s)) return close_job(&j, WEIR_CL_FAILED);
  store(&j, key);
  return close_job(&j, WEIR_CL_BUILT);
}

struct weir_cl_result weir_cl_build(const struct weir_cl_source *source) {
  return from_source(WEIR_CL_STAGE_BUILD, source);
}

struct weir_cl_result weir_cl_compile(const struct weir_cl_source *source) {
  return from_source(WEIR_CL_STAGE_COMPILE, source);
}

// ---- linking -------------------------------------------------------------------------------------------------------

// Writes the objects and names them: the first is the module that the others are linked into.
static bool add_objects(struct job *j, struct weir_cl_arguments *a, const struct weir_cl_object *objects,
                        unsigned count) {
  bool ok = true;
  ADD(a, "-x", "ir", j->options.level);
  for (unsigned i = 0; i < count && ok; i++) {
    char *path = weir_text_format("%s/object-%u.bc", j->folder, i);
    ok = write_file(j, path, objects[i].bytes, objects[i].size);
    if (i) ADD(a, "-Xclang", "-mlink-bitcode-file", "-Xclang");
    weir_cl_arguments_add(a, path);
    weir_free(path);
  }
  return ok;
}

static bool link_objects(struct job *j, const struct weir_cl_object *objects, unsigned count) {
  struct weir_cl_arguments a;
  size_t size;
  if (!open_folder(j)) return false;
  begin(j, &a);
  if (!add_objects(j, &a, objects, count)) {
    weir_cl_arguments_free(&a);
    return false;
  }
  if (j->options.create_library) {
    ADD(&a, "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm");
    j->output.bytes = finish(j, &a, "library.bc", &j->output.count);
    return j->output.bytes;
  }
  weir_cl_tools_libraries(&a, j->builtins, j->tools->libclc);
  ADD(&a, "-S", "-emit-llvm");
  char *ir = finish(j, &a, "program.ll", &size);
  const bool ok = ir && make_ptx(j, ir);
  weir_free(ir);
  return ok;
}

struct weir_cl_result weir_cl_link(const struct weir_cl_object *objects, unsigned count, const char *options) {
  struct job j;
  open_job(&j, WEIR_CL_STAGE_LINK);
  const enum weir_cl_status status = prepare(&j, options);
  if (status != WEIR_CL_BUILT) return close_job(&j, status);
  return close_job(&j, count && link_objects(&j, objects, count) ? WEIR_CL_BUILT : WEIR_CL_FAILED);
}

void weir_cl_result_free(struct weir_cl_result *r) {
  weir_free(r->output);
  weir_free(r->log);
  *r = (struct weir_cl_result){0};
}

bool weir_cl_compiler_available(char **why) {
  struct weir_cl_text log = {0};
  const bool found = weir_cl_tools_find(&log);
  if (why) *why = found ? NULL : weir_text_copy(log.bytes ? log.bytes : "");
  weir_free(log.bytes);
  return found;
}

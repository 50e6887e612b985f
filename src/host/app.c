// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/app.h"

#include "base/alloc.h"
#include "base/file.h"
#include "host/launch_file.h"
#include "host/recorded.h"
#include "ptx/hints.h"
#include "ptx/parse.h"
#include "sl1/apply.h"
#include "sl1/gather.h"
#include "sl1/interleave.h"

#include <string.h>
#include <unistd.h>

// Invariant: exactly one of workload, file and recorded is set.
struct weir_app {
  char *name;
  struct weir_memory *memory;
  struct weir_module *module;
  struct weir_module
    *contiguous; // that the module that reads an interleaved or gathered text was made of; NULL: it was not
  struct weir_module *original; // that S-L1 made the module of; NULL: without S-L1
  struct weir_sl1_report sl1;
  struct weir_program *program;
  struct weir_host *host;
  const struct weir_workload *workload;
  void *state;
  bool prepared;
  struct weir_launch_file *file;
  struct weir_recorded_program *recorded;
};

static bool is_launch_file(const char *name) {
  const char *dot = strrchr(name, '.');
  return strchr(name, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"))) || !access(name, F_OK);
}

static bool report_unknown(const char *name, struct weir_sink *sink) {
  unsigned count;
  const struct weir_workload *const *all = weir_workloads(&count);
  const char **names = weir_new_array(const char *, count);
  for (unsigned i = 0; i < count; i++) names[i] = all[i]->name;
  const char *nearest = weir_nearest(name, names, count);
  if (nearest)
    weir_fail_plain(sink, "no workload is named '%s'; did you mean '%s'?", name, nearest);
  else
    weir_fail_plain(sink, "no workload is named '%s', and no launch file is there by that name", name);
  weir_free(names);
  return false;
}

static bool apply_sl1(struct weir_app *a, const struct weir_sl1_options *options, bool restrict_pointers,
                      struct weir_sink *sink) {
  a->original = a->module;
  a->module = weir_sl1_apply(a->original, options, restrict_pointers, &a->sl1, sink);
  weir_memory_set_line(a->memory, options->line_bytes);
  return a->module;
}

static bool apply_text_passes(struct weir_app *a, const struct weir_shape *shape, struct weir_sink *sink) {
  if (!shape->gather && !shape->interleave) return true;
  a->contiguous = a->module;
  a->module = shape->gather ? weir_gather_apply(a->contiguous, shape->interleave ? shape->interleave : 1, sink)
                            : weir_interleave_apply(a->contiguous, shape->interleave, sink);
  return a->module;
}

static bool apply_hints(struct weir_app *a, const char *lines, struct weir_sink *sink) {
  struct weir_hints *h = weir_hints_read(lines, sink);
  const bool ok = h && weir_hints_apply(h, a->module, sink) && weir_hints_all_found(h, sink);
  weir_hints_free(h);
  return ok;
}

// Reads the module into a program and a host on it.
static bool load(struct weir_app *a, const char *path, const struct weir_app_options *options, bool restrict_pointers,
                 struct weir_sink *sink) {
  const struct weir_program_options *o = &options->program;
  a->module = weir_ptx_read(path, sink);
  if (!a->module) return false;
  a->memory = weir_memory_create();
  if (options->memory_bytes) weir_memory_set_limit(a->memory, options->memory_bytes);
  if (o->hints && !apply_hints(a, o->hints, sink)) return false;
  if (!apply_text_passes(a, &o->shape, sink)) return false;
  if (o->sl1 && !apply_sl1(a, &o->sl1_options, restrict_pointers, sink)) return false;
  a->program = weir_program_build(a->module, options->lanes, options->code, a->memory, sink);
  if (!a->program) return false;
  a->host = weir_host_create(a->program, a->memory, sink);
  weir_host_set_step_limit(a->host, options->step_limit);
  weir_host_set_shape(a->host, o->shape);
  return true;
}

// What a scheme may ask of a launch, and which workloads can be launched so: those of which threads share the work out among
// themselves, however many there are, and microbenchmarks.
static const struct {
  enum weir_launch_key key;
  const char *name;
} launch_keys[] = {{WEIR_TAKES_THREADS, "blocks and threads (launch.blocks, launch.threads)"},
                   {WEIR_TAKES_FOOTPRINT, "a footprint (launch.footprint_kib)"},
                   {WEIR_TAKES_STRIDE, "a stride (launch.stride)"},
                   {WEIR_TAKES_INTERLEAVE, "an interleaved text (launch.interleave)"},
                   {WEIR_TAKES_GATHER, "a gathered text (launch.gather)"}};

static unsigned asked_of(const struct weir_shape *s) {
  return (s->blocks || s->block ? WEIR_TAKES_THREADS : 0u) | (s->footprint_kib ? WEIR_TAKES_FOOTPRINT : 0u) |
    (s->stride ? WEIR_TAKES_STRIDE : 0u) | (s->interleave ? WEIR_TAKES_INTERLEAVE : 0u) |
    (s->gather ? WEIR_TAKES_GATHER : 0u);
}

static bool fail_key(const char *name, unsigned key, const char *text, struct weir_sink *sink) {
  unsigned count, length = 0;
  const struct weir_workload *const *all = weir_workloads(&count);
  char names[512] = "";
  for (unsigned i = 0; i < count && length < sizeof names; i++)
    if (weir_workload_takes(all[i]) & key)
      length += (unsigned)snprintf(names + length, sizeof names - length, "%s%s", *names ? ", " : "", all[i]->name);
  return weir_fail_plain(sink, "'%s' cannot be given %s: that is for %s", name, text, names);
}

static bool can_be_launched(const char *name, unsigned takes, const struct weir_shape *shape, struct weir_sink *sink) {
  const unsigned asked = asked_of(shape) & ~takes;
  for (size_t i = 0; i < sizeof launch_keys / sizeof *launch_keys; i++)
    if (asked & launch_keys[i].key) return fail_key(name, launch_keys[i].key, launch_keys[i].name, sink);
  return true;
}

static char *workload_module(const struct weir_workload *w, struct weir_sink *sink) {
  char relative[256];
  snprintf(relative, sizeof relative, "workloads/%s/%s.ptx", w->name, w->name);
  char *path = weir_data_path(relative);
  if (!path)
    weir_fail_plain(sink, "%s is missing: weir is not installed as a whole (set WEIR_DATA to its folder)", relative);
  return path;
}

static bool open_workload(struct weir_app *a, const struct weir_app_options *options, struct weir_sink *sink) {
  const struct weir_workload *w = a->workload;
  if (options->input && !w->input_help)
    return weir_fail_plain(sink, "the workload '%s' makes its own input and takes no --input", w->name);
  if (!can_be_launched(w->name, weir_workload_takes(w), &options->program.shape, sink)) return false;
  char *path = workload_module(w, sink);
  if (!path) return false;
  bool ok = load(a, path, options, w->restrict_pointers, sink);
  weir_free(path);
  if (!ok) return false;
  a->state = weir_alloc(w->state_bytes);
  a->prepared = true; // a state prepared in part is released too
  return w->prepare(a->host, a->state, options->size, options->input, options->seed) && !weir_host_is_over(a->host);
}

// What a file is that is no launch file, and what to do with it, by its suffix; NULL: it may be one.
static const char *no_launch_file(const char *name) {
  static const struct {
    const char *suffix, *is;
  } others[] = {
    {".ptx", "is a module: give a launch file (YAML) that says what to run of it (docs/LAUNCH-FILES.md)"},
    {".cu",
     "is CUDA source: compile it (nvcc -cudart shared -lineinfo -o program FILE.cu) and run the program (weir run -- "
     "./program)"},
    {".cl", "is OpenCL C: run the program that builds it (weir run -- ./program)"},
    {".c", "is source: compile it, and run the program (weir run -- ./program)"},
    {".cpp", "is source: compile it, and run the program (weir run -- ./program)"},
  };
  const char *dot = strrchr(name, '.');
  for (unsigned i = 0; dot && i < sizeof others / sizeof *others; i++)
    if (!strcmp(dot, others[i].suffix)) return others[i].is;
  return NULL;
}

// NULL and a diagnostic also if its module cannot be read.
static struct weir_launch_file *read_file(const char *name, struct weir_sink *sink) {
  enum { MOST_BYTES = 64 << 20 };
  size_t size;
  const char *wrong = no_launch_file(name);
  if (wrong) return weir_fail(sink, (struct weir_place){.file = name}, "%s", wrong), NULL;
  char *text = weir_file_read(name, MOST_BYTES, &size, sink);
  struct weir_launch_file *f = text ? weir_launch_file_parse(name, text, size, sink) : NULL;
  weir_free(text);
  if (!f || !access(f->module, R_OK)) return f;
  weir_fail(sink, f->module_place, "the module '%s' cannot be read", f->module);
  weir_launch_file_free(f);
  return NULL;
}

static bool open_file(struct weir_app *a, const struct weir_app_options *options, struct weir_sink *sink) {
  if (options->input) return weir_fail_plain(sink, "a launch file names its own inputs and takes no --input");
  if (!can_be_launched(a->name, 0, &options->program.shape, sink)) return false;
  a->file = read_file(a->name, sink);
  return a->file && load(a, a->file->module, options, a->file->restrict_pointers, sink) &&
    weir_launch_file_prepare(a->file, a->host, a->program);
}

// Whatever changes a program: this one is as it was.
static const char *change_of(const struct weir_app_options *o) {
  return o->input ? "--input" : o->program.hints ? "--hint" : o->program.sl1 ? "S-L1" : NULL;
}

static bool open_recorded(struct weir_app *a, const struct weir_app_options *options, struct weir_sink *sink) {
  const char *change = change_of(options);
  if (change)
    return weir_fail(sink, (struct weir_place){.file = a->name}, "is a recording: %s has no meaning for it", change);
  if (!can_be_launched(a->name, 0, &options->program.shape, sink)) return false;
  a->memory = weir_memory_create();
  a->recorded = weir_recorded_open(a->name, options->lanes, a->memory, sink);
  if (!a->recorded) return false;
  a->program = weir_recorded_program(a->recorded);
  a->host = weir_host_create(a->program, a->memory, sink);
  weir_host_set_step_limit(a->host, options->step_limit);
  return true;
}

struct weir_app *weir_app_open(const char *name, const struct weir_app_options *options, struct weir_sink *sink) {
  struct weir_app *a = weir_new(struct weir_app);
  a->name = weir_text_copy(name);
  a->workload = weir_workload_find(name);
  bool ok = a->workload      ? open_workload(a, options, sink)
    : weir_recorded_is(name) ? open_recorded(a, options, sink)
    : is_launch_file(name)   ? open_file(a, options, sink)
                             : report_unknown(name, sink);
  if (ok) return a;
  weir_app_free(a);
  return NULL;
}

char *weir_app_module(const char *name, struct weir_sink *sink) {
  const struct weir_workload *w = weir_workload_find(name);
  if (w) return workload_module(w, sink);
  if (weir_recorded_is(name))
    return weir_fail(sink, (struct weir_place){.file = name}, "is a recording, and has no PTX"), NULL;
  if (!is_launch_file(name)) return report_unknown(name, sink), NULL;
  struct weir_launch_file *f = read_file(name, sink);
  char *path = f ? weir_text_copy(f->module) : NULL;
  weir_launch_file_free(f);
  return path;
}

void weir_app_free(struct weir_app *a) {
  if (!a) return;
  if (a->prepared && a->workload->release) a->workload->release(a->state);
  weir_free(a->state);
  weir_launch_file_free(a->file);
  weir_host_free(a->host);
  if (a->program) weir_program_free(a->program);
  weir_recorded_free(a->recorded);
  if (a->module) weir_module_free(a->module);
  weir_sl1_report_free(&a->sl1);
  if (a->original) weir_module_free(a->original);
  if (a->contiguous) weir_module_free(a->contiguous);
  if (a->memory) weir_memory_free(a->memory);
  weir_free(a->name);
  weir_free(a);
}

bool weir_app_run(struct weir_app *a, struct weir_backend backend) {
  weir_host_attach(a->host, backend);
  return a->workload ? a->workload->run(a->host, a->state)
    : a->recorded    ? weir_recorded_run(a->recorded, a->host)
                     : weir_launch_file_run(a->file, a->host);
}

enum weir_check_outcome weir_app_check(struct weir_app *a) {
  if (!a->workload) return WEIR_CHECK_NONE;
  return a->workload->check(a->host, a->state) ? WEIR_CHECK_PASSED : WEIR_CHECK_FAILED;
}

const char *weir_app_name(const struct weir_app *a) {
  return a->name;
}

struct weir_host *weir_app_host(struct weir_app *a) {
  return a->host;
}

const struct weir_program *weir_app_program(const struct weir_app *a) {
  return a->program;
}

struct weir_memory *weir_app_memory(struct weir_app *a) {
  return a->memory;
}

const struct weir_sl1_report *weir_app_sl1(const struct weir_app *a) {
  return a->original ? &a->sl1 : NULL;
}

bool weir_app_dump(struct weir_app *a, struct weir_sink *sink) {
  return !a->file || weir_launch_file_dump(a->file, weir_app_host(a), sink);
}

bool weir_app_dumps(const struct weir_app *a) {
  return a->file && a->file->dump.count;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir advise: which cache hints help a program.
#include "advise/advise.h"
#include "advise/build.h"
#include "advise/html.h"
#include "advise/patch.h"
#include "advise/print.h"
#include "base/alloc.h"
#include "base/file.h"
#include "cli/program.h"
#include "run/object.h"

#include <stdlib.h>
#include <string.h>

static void print(const struct weir_advice *a, const struct weir_advise_options *ao, const struct options *o) {
  if (o->format != OUTPUT_JSON) {
    weir_advice_print(a, ao, o->output_path, stdout);
    return;
  }
  json_t *json = weir_advice_json(a);
  char *text = weir_json_text(json, true);
  puts(text);
  free(text);
  json_decref(json);
}

// The hints as --hints reads them: also where there are none, so that what follows can go on.
static bool write_hints(const struct weir_advice *a, const char *path, struct weir_sink *sink) {
  if (!path) return true;
  char *hints = weir_advice_requests(a, "");
  const bool ok = weir_file_write(path, hints, strlen(hints), sink);
  weir_free(hints);
  return ok;
}

// Perturbed runs of the program, and as many of its answer, take at most half of all.
static unsigned most_perturbed(const struct options *o) {
  return o->runs ? o->runs / 4 : UINT32_MAX;
}

static unsigned perturbed_of(const struct options *o) {
  if (o->perturb != NOT_GIVEN) return o->perturb;
  return most_perturbed(o) < DEFAULT_PERTURB ? most_perturbed(o) : DEFAULT_PERTURB;
}

static struct weir_advise_options options_of(const struct options *o, const struct weir_experiment *e) {
  return (struct weir_advise_options){.experiment = e,
                                      .program = o->program,
                                      .lines = o->lines,
                                      .runs = o->runs,
                                      .perturb = perturbed_of(o),
                                      .jobs = o->jobs,
                                      .budget = o->budget,
                                      .chips = o->chips,
                                      .chip_count = o->chip_count,
                                      .remedies = o->remedies,
                                      .bound = o->advise_bound};
}

// The same in the program's CUDA source, where the functions of CUDA C++ and the text of its lines allow.
static bool write_patch(struct weir_advice *a, const char *path, struct weir_sink *sink) {
  char **written = &a->patched.requests;
  *written = weir_text_copy("");
  struct weir_patch p = {.program = weir_run_text(a->run, "program")};
  for (unsigned i = 0; i < a->chosen_count; i++) {
    const struct weir_trial *t = &a->trials[a->chosen[i]];
    const struct weir_site *s = &a->sites.all[t->site];
    const struct weir_patch_wish w = {s->source_file, s->function, s->line, s->array, s->store, t->hint};
    if (!weir_patch_add(&p, &w, sink)) continue;
    char *own = weir_site_requests(s, t->hint, ""), *all = weir_text_format("%s%s", *written, own);
    weir_free(own);
    weir_free(*written);
    *written = all;
  }
  char *text = weir_patch_text(&p);
  const bool ok = weir_file_write(path, text, strlen(text), sink);
  weir_free(text);
  weir_patch_free(&p);
  return ok;
}

// The patch; and, where a command builds the program with it, what came of it.
static int patch(struct weir_advice *a, const struct weir_advise_options *ao, const struct options *o,
                 struct weir_sink *sink) {
  if (!o->patch_path) return WEIR_EXIT_OK;
  if (!write_patch(a, o->patch_path, sink)) return WEIR_EXIT_USER;
  return o->build_command ? weir_advice_build(a, ao, o->build_command, sink) : WEIR_EXIT_OK;
}

static bool write_page(const struct weir_advice *a, const char *path, struct weir_sink *sink) {
  if (!path) return true;
  char *page = weir_advice_html(a);
  const bool ok = weir_file_write(path, page, strlen(page), sink);
  weir_free(page);
  return ok;
}

// All that names and options can be wrong about, before anything runs.
static bool fits(const struct options *o, const struct weir_experiment *e, struct weir_sink *sink) {
  const char *const paths[] = {o->output_path, o->patch_path, o->html_path};
  bool ok = o->program || weir_program_known(e->program, sink);
  for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) ok &= weir_file_writable(paths[i], sink);
  for (unsigned i = 0; i < o->chip_count; i++) {
    struct weir_experiment there = *e;
    struct weir_setup setup;
    there.chip = o->chips[i];
    const bool read = weir_setup_read(&setup, &there, sink);
    if (read) weir_setup_free(&setup);
    ok &= read;
  }
  return ok;
}

static int run(const struct options *o) {
  if (o->scheme_count > 1) return weir_usage_error("advise", "one --scheme only: advice is for one");
  if (perturbed_of(o) > most_perturbed(o))
    return weir_usage_error("advise", "--perturb %u needs --runs %u or more: perturbed runs are at most half of all",
                            o->perturb, 4 * o->perturb);
  if (o->build_command && !o->patch_path)
    return weir_usage_error("advise", "--build is for the program with its patch, so --patch is missing");
  if (o->program && !weir_program_options("advise", o)) return WEIR_EXIT_USER;
  const struct weir_experiment e = weir_options_experiment(o, o->program ? o->program[0] : o->arguments[0],
                                                           o->scheme_count ? o->schemes[0] : WEIR_DEFAULT_SCHEME);
  const struct weir_advise_options ao = options_of(o, &e);
  struct weir_sink sink = {0};
  struct weir_advice a = {0};
  int status = fits(o, &e, &sink) ? weir_advise(&a, &ao, &sink) : WEIR_EXIT_USER;
  if (!status && !write_hints(&a, o->output_path, &sink)) status = WEIR_EXIT_USER;
  if (!status) status = patch(&a, &ao, o, &sink);
  if (!status && !write_page(&a, o->html_path, &sink)) status = WEIR_EXIT_USER;
  if (!status) print(&a, &ao, o);
  weir_advice_free(&a);
  const int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0, "NAME[,key=value...] (weir list schemes; " DEFAULT_SCHEME_HELP ")", 0},
  {"lines", KEY_LINES, "N", 0, "try hints on so many sites: a line's accesses to an array (default: 5)", 0},
  {"runs", KEY_RUNS, "N", 0,
   "at most the effort of N runs of the program, but for --remedies, --bound, --chips and --build; 0: any number (default: 12)",
   0},
  {"budget", KEY_BUDGET, "TIME", 0, "begin no run that would end after TIME: 90s, 2m, 1h", 0},
  {"perturb", KEY_PERTURB, "N", 0,
   "measure the gain in N runs whose blocks and warps start late by chance (core.perturb), at most a quarter of --runs; 0: "
   "in none (default: 2)",
   0},
  {"html", KEY_HTML, "FILE", 0, "write the advice to FILE as a page of the annotated source", 0},
  {"remedies", KEY_REMEDIES, 0, 0,
   "also try what there is beside hints: S-L1, and less shared memory for more of a first-level cache", 0},
  {"bound", KEY_ADVISE_BOUND, 0, 0, "also say what the best of decisions would do (scheme opt: two runs more)", 0},
  {"chips", KEY_CHIPS, "CHIP,...", 0, "try the advice on these chips, too", 0},
  {"output", KEY_OUT, "FILE", 0, "write the hints to FILE, for --hints", 0},
  {"patch", KEY_PATCH, "FILE", 0, "write the hints into the program's CUDA source: a unified diff to FILE", 0},
  {"build", KEY_BUILD, "COMMAND", 0,
   "run COMMAND in a shell, which applies the patch and builds the program anew, and measure what came of it", 0},
  ROW_SIZE,
  ROW_SET,
  ROW_REGISTERS,
  ROWS_PROGRAM,
  ROW_STRICT,
  ROW_JOBS,
  ROW_JSON("the advice"),
  ROW_PLUGIN,
  {0},
};

const struct command command_advise = {
  .name = "advise",
  .arguments = "PROGRAM\n-- ./program ARGUMENT...",
  .summary = "find the cache hints that a program gains from",
  .description =
    "Runs the program once, picks the loads and stores that matter to the caches, and tries hints on them: each alone, then "
    "the best together. Says for each line and array what it does to the caches, which hint helps it and by how much, and what "
    "no hint mends (docs/ADVISE.md).",
  .options = options,
  .least = 1,
  .most = 1,
  .takes_program = true,
  .run = run,
};

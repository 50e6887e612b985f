// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir look: what happens inside one cache.
#include "base/alloc.h"
#include "base/file.h"
#include "cli/options.h"
#include "look/html.h"
#include "look/print.h"
#include "look/step.h"

#include <stdlib.h>
#include <string.h>

static bool write_text(char *text, const char *path, struct weir_sink *sink) { // takes it
  const bool ok = weir_file_write(path, text, strlen(text), sink);
  weir_free(text);
  return ok;
}

static void print(const struct weir_look *l, const struct options *o) {
  if (o->format != OUTPUT_JSON) {
    weir_look_print(l, stdout);
    return;
  }
  json_t *json = weir_look_json(l);
  char *text = weir_json_text(json, true);
  puts(text);
  free(text);
  json_decref(json);
}

static int run(const struct options *o) {
  if (o->scheme_count > 1) return weir_usage_error("look", "one --scheme only: a look is at one run");
  if (o->step && o->format == OUTPUT_JSON) return weir_usage_error("look", "--step and --json exclude each other");
  if (o->core != NOT_GIVEN && o->slice != NOT_GIVEN)
    return weir_usage_error("look", "--core and --slice exclude each other: a look is at one cache");
  const struct weir_experiment e =
    weir_options_experiment(o, o->arguments[0], o->scheme_count ? o->schemes[0] : WEIR_DEFAULT_SCHEME);
  const struct weir_look_options lo = {
    .experiment = &e,
    .cache = o->cache,
    .by_core = o->core != NOT_GIVEN,
    .by_slice = o->slice != NOT_GIVEN,
    .instance = o->core != NOT_GIVEN ? o->core
      : o->slice != NOT_GIVEN        ? o->slice
                                     : 0,
    .launch = o->launch,
    .set = o->only_set == NOT_GIVEN ? WEIR_LOOK_ANY : o->only_set,
    .most_events = o->max_events,
  };
  struct weir_sink sink = {0};
  struct weir_look l = {0};
  bool ok =
    weir_file_writable(o->log_path, &sink) && weir_file_writable(o->output_path, &sink) && weir_look(&l, &lo, &sink);
  if (ok && o->log_path) ok = write_text(weir_look_csv(&l), o->log_path, &sink);
  if (ok && o->output_path) ok = write_text(weir_look_html(&l), o->output_path, &sink);
  if (ok && o->step) weir_look_step(&l, stdin, stdout);
  if (ok && !o->step) print(&l, o);
  weir_look_free(&l);
  const int complaints = weir_conclude(&sink);
  return ok ? complaints : WEIR_EXIT_USER;
}

static const struct argp_option options[] = {
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0, "NAME[,key=value...] (weir list schemes; " DEFAULT_SCHEME_HELP ")", 0},
  {"cache", KEY_CACHE, "NAME", 0, "the cache, as the chip file names it: l1, l2, ... (default: the first)", 0},
  {"core", KEY_CORE, "N", 0, "of a first-level cache: the core's (default: 0)", 0},
  {"slice", KEY_SLICE, "N", 0, "of a shared cache: the slice (default: 0)", 0},
  {"launch", KEY_LAUNCH, "N", 0, "the launch, from 0 (default: 0)", 0},
  {"only-set", KEY_ONLY_SET, "N", 0, "count and log what happens in this set alone", 0},
  {"log", KEY_LOG, "FILE", 0, "write the events to FILE as CSV", 0},
  {"output", KEY_OUT, "FILE", 0, "write a page to step through the events to FILE (HTML; it needs no other file)", 0},
  {"step", KEY_STEP, 0, 0, "step through the events in the terminal instead of printing tables", 0},
  {"max-events", KEY_MAX_EVENTS, "N", 0,
   "keep so many events for the log and the page; all are counted (default: 100K)", 0},
  ROW_SIZE,
  ROW_SET,
  ROW_REGISTERS,
  ROWS_PROGRAM,
  ROW_JSON("what was seen"),
  ROW_PLUGIN,
  {0},
};

const struct command command_look = {
  .name = "look",
  .arguments = "PROGRAM",
  .summary = "look into one cache: what comes, what goes, and why it misses",
  .description =
    "Runs the program and watches one cache in one launch: its accesses, fills and evictions with their causes, the three C's of "
    "its misses per load and line, reuse distances, and the misses of other sizes (docs/LOOK.md).",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};

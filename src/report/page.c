// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/page.h"

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/file.h"
#include "page/page.h"
#include "report/reproduce.h"
#include "report/share.h"
#include "report/source.h"
#include "run/numbers.h"
#include "run/object.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// page.css and page.js: page/page.cmake says in which folder.
__asm__(".pushsection .rodata\n"
        "weir_report_page_style:\n"
        ".incbin \"" WEIR_REPORT_PAGE "/page.css\"\n"
        ".byte 0\n"
        "weir_report_page_script:\n"
        ".incbin \"" WEIR_REPORT_PAGE "/page.js\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char weir_report_page_style[] __attribute__((visibility("hidden")));
extern const char weir_report_page_script[] __attribute__((visibility("hidden")));

enum { MOST_BYTES = 1 << 20 }; // of a chip's file

static void set(json_t *row, const char *name, double value) { // NaN: left out
  if (isnan(value)) return;
  const bool whole = value == floor(value) && fabs(value) < 9e15;
  json_object_set_new(row, name, whole ? json_integer((json_int_t)value) : json_real(value));
}

static void add(json_t *row, const char *name, double value) {
  const json_t *before = json_object_get(row, name);
  set(row, name, value + (before ? json_number_value(before) : 0));
}

static void copy(json_t *row, const json_t *from, const char *name) {
  json_t *value = json_object_get(from, name);
  if (value && !json_is_null(value)) json_object_set(row, name, value);
}

static double hits_of(const struct weir_access_numbers *n) {
  return n->hits + n->hits_on_miss;
}

// ---- kernels -----------------------------------------------------------------------------------------------------------

// The launches of a kernel are one row.
static json_t *kernels_of(const json_t *run) {
  json_t *rows = json_object(), *launch;
  size_t i;
  json_array_foreach(weir_run_member(run, "kernels"), i, launch) {
    const struct weir_launch_numbers is = weir_launch_of(launch);
    const struct weir_run_numbers n = weir_launch_counts(launch);
    const struct weir_access_numbers loads = weir_cache_of(&n, WEIR_FIRST_CACHE).loads;
    json_t *row = json_object_get(rows, is.name);
    if (!row) {
      char *name = weir_demangle(is.name);
      json_object_set_new(rows, is.name, row = json_pack("{s:s}", "kernel", name));
      weir_free(name);
    }
    add(row, "launches", is.launches);
    add(row, "cycles", n.cycles);
    add(row, "warp_instructions", n.warp_instructions);
    add(row, "accesses", loads.accesses);
    add(row, "hits", hits_of(&loads));
    copy(row, launch, "limited_by"); // of the last
    copy(row, launch, "core_blocks");
    copy(row, launch, "registers");
  }
  json_t *list = json_array();
  const char *name;
  json_t *row;
  json_object_foreach(rows, name, row) json_array_append(list, row);
  json_decref(rows);
  return list;
}

// ---- lines -------------------------------------------------------------------------------------------------------------

// The texts of lines, by program, file and line: runs share them.
static void add_source(json_t *sources, const char *key, const json_t *load, const char *program) {
  if (json_object_get(sources, key)) return;
  char *text =
    weir_source_line(weir_run_text(load, "source_file"), (unsigned)weir_run_number(load, "source_line"), program);
  json_object_set_new(sources, key, text ? json_string(text) : json_null());
  weir_free(text);
}

// The loads of a line, of one array, are one row.
static json_t *lines_of(const json_t *run, json_t *sources) {
  json_t *rows = json_object(), *load;
  const char *program = weir_run_text(run, "program");
  size_t i;
  json_array_foreach(weir_run_member(run, "loads"), i, load) {
    const struct weir_load_numbers n = weir_load_of(load);
    const bool source = *weir_run_text(load, "source_file");
    const char *file = weir_run_text(load, source ? "source_file" : "file");
    const double line = weir_run_number(load, source ? "source_line" : "line");
    char *key = weir_text_format("%s\n%s\n%.0f", program, file, line);
    char *id = weir_text_format("%s\n%s\n%s", key, weir_run_text(load, "function"), weir_run_array(load));
    json_t *row = json_object_get(rows, id);
    if (!row) {
      char *function = weir_demangle(weir_run_text(load, "function"));
      row = json_pack("{s:s, s:s, s:s, s:o}", "file", file, "source", key, "function", function, "line",
                      json_integer((json_int_t)line));
      json_object_set_new(rows, id, row);
      if (*weir_run_array(load)) json_object_set_new(row, "array", json_string(weir_run_array(load)));
      weir_free(function);
      if (source) add_source(sources, key, load, program);
    }
    add(row, "executions", n.executions);
    add(row, "transactions", n.transactions);
    add(row, "hits", n.hits + n.hits_on_miss + n.texture_hits);
    add(row, "bypasses", n.bypasses);
    add(row, "fills", n.fills);
    add(row, "lines", n.lines);
    add(row, "zero_reuse_fills", n.zero_reuse_fills);
    add(row, "latency_cycles", n.latency_cycles);
    weir_free(key);
    weir_free(id);
  }
  json_t *list = json_array();
  const char *id;
  json_t *row;
  json_object_foreach(rows, id, row) json_array_append(list, row);
  json_decref(rows);
  return list;
}

// ---- a run ---------------------------------------------------------------------------------------------------------------

static void add_chip(json_t *chips, const char *name) {
  if (!*name || json_object_get(chips, name)) return;
  struct weir_sink unheard = {0};
  size_t bytes;
  char *relative = weir_text_format("chips/%s.yaml", name);
  char *path = strchr(name, '/') ? weir_text_copy(name) : weir_data_path(relative);
  char *text = path ? weir_file_read(path, MOST_BYTES, &bytes, &unheard) : NULL;
  json_t *value = text ? json_string(text) : NULL; // NULL: also if it is no UTF-8
  json_object_set_new(chips, name, value ? value : json_null());
  weir_sink_free(&unheard);
  weir_free(text);
  weir_free(path);
  weir_free(relative);
}

static void set_rates(json_t *row, const json_t *run) {
  const struct weir_run_numbers n = weir_run_total(run);
  const struct weir_cache_numbers first = weir_cache_of(&n, WEIR_FIRST_CACHE),
                                  shared = weir_cache_of(&n, WEIR_FIRST_SHARED_CACHE);
  set(row, "cycles", n.cycles);
  set(row, "time_ps", n.time_ps);
  set(row, "warp_instructions", n.warp_instructions);
  set(row, "thread_instructions", n.thread_instructions);
  set(row, "ipc", n.ipc);
  set(row, "thread_ipc", n.thread_ipc);
  if (first.name) set(row, "l1_hit_rate", weir_share(hits_of(&first.loads), first.loads.accesses));
  if (shared.name) set(row, "l2_hit_rate", weir_share(hits_of(&shared.loads), shared.loads.accesses));
  set(row, "dram_bytes", n.dram.bytes);
  set(row, "energy_mj", n.energy_pj / 1e9);
}

// What it is stays in `is`.
static void call_by_names(json_t *row, const json_t *names) {
  const char *of;
  json_t *name, *is = json_object();
  json_object_foreach((json_t *)names, of, name) {
    json_object_set(is, of, json_object_get(row, of));
    json_object_set(row, of, name);
  }
  json_object_set_new(row, "is", is);
}

static json_t *row_of(const json_t *run, json_t *sources, json_t *chips) {
  static const char *const same[] = {"program", "size", "chip", "scheme", "seed",  "set",   "check",        "complete",
                                     "hints",   "weir", "sl1",  "policy", "sweep", "bound", "ignored_hints"};
  json_t *row = json_object();
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) copy(row, run, same[i]);
  char *label = weir_run_label(run);
  json_object_set_new(row, "program", json_string(label));
  weir_free(label);
  call_by_names(row, json_object_get(run, "names"));
  set_rates(row, run);
  json_object_set_new(row, "kernels", kernels_of(run));
  json_object_set_new(row, "lines", lines_of(run, sources));
  char *command = weir_reproduce(run);
  json_object_set_new(row, "command", json_string(command));
  weir_free(command);
  add_chip(chips, weir_run_text(run, "chip"));
  return row;
}

static char *data_of(const json_t *runs, const char *command) { // freed by free
  json_t *rows = json_array(), *sources = json_object(), *chips = json_object(), *run;
  size_t i;
  json_array_foreach((json_t *)runs, i, run) json_array_append_new(rows, row_of(run, sources, chips));
  json_t *all = json_pack("{s:s, s:o, s:o, s:o}", "command", command, "runs", rows, "sources", sources, "chips", chips);
  char *text = json_dumps(all, JSON_COMPACT);
  if (!text) abort();
  json_decref(all);
  return text;
}

void weir_report_page(const json_t *runs, const char *command, FILE *to) {
  char *data = data_of(runs, command);
  weir_page_begin(to, "weir report", weir_report_page_style);
  fputs(
    "<main id=\"page\"><noscript>This page draws its tables and charts by a script, which this browser does not run."
    "</noscript></main>\n",
    to);
  weir_page_data(to, "data", data);
  weir_page_vega(to);
  weir_page_script(to, weir_report_page_script);
  weir_page_end(to);
  free(data);
}

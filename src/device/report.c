// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The run object of this process. Invariant: once it is there, the file is a whole run object at any time: a new one takes
// its place in one step.
#include "device/device_private.h"

#include "base/alloc.h"
#include "base/file.h"
#include "config/config.h"
#include "run/environment.h"
#include "ptx/hints.h"
#include "report/report.h"
#include "run/run.h"
#include "run/trace_events.h"
#include "gpu/occupancy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A snapshot is written when this many times the cost of the last one has gone by: 2 % of the time at most.
static const double TIMES_ITS_COST = 50;

static struct {
  enum { TO_NOWHERE, TO_STDERR, TO_FILE } kind;
  char *path, *temporary; // of TO_FILE
  char *timeline;         // NULL: nowhere
  char *recording;        // likewise
  bool indented;          // somebody will read it, not the launcher
  unsigned snapshots;
  double written, cost; // when the last snapshot was written, and how long that took; seconds
} report;

// The program may go elsewhere before it ends.
static char *absolute(const char *path) {
  char *here = *path == '/' ? NULL : getcwd(NULL, 0), *whole = here ? weir_text_format("%s/%s", here, path) : NULL;
  free(here);
  return whole ? whole : weir_text_copy(path);
}

// Beside the run object, or where it was asked for.
static char *place_of(const char *results, const char *asked, const char *ending) {
  if (!asked) return NULL;
  return results ? weir_text_format("%s%s", report.path, ending) : absolute(asked);
}

static bool settle(const char *results, const char *named, const struct weir_experiment *e) {
  const struct timespec now = weir_real_time(CLOCK_REALTIME);
  if (results)
    report.path =
      weir_text_format("%s/%010lld%09ld-%ld.json", results, (long long)now.tv_sec, now.tv_nsec, (long)getpid());
  else if (named && strcmp(named, "none") && strcmp(named, "stderr"))
    report.path = absolute(named), report.indented = true;
  if (report.path) report.temporary = weir_text_format("%s.part", report.path);
  report.timeline = place_of(results, e->timeline, WEIR_TIMELINE_ENDING);
  report.recording = place_of(results, e->recording, WEIR_RECORDING_ENDING);
  report.kind = report.path ? TO_FILE : named && !strcmp(named, "none") ? TO_NOWHERE : TO_STDERR;
  return report.kind == TO_FILE;
}

bool weir_report_open(struct weir_device *d, struct weir_sink *sink) {
  const bool to_file = settle(getenv(WEIR_ENV_RESULTS), getenv(WEIR_ENV_REPORT), &d->experiment);
  if (report.recording) {
    d->recording = weir_recording_start(report.recording, &d->experiment, &d->setup, sink);
    if (!d->recording) return false;
  }
  if (!to_file) return true;
  int file = open(report.temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return weir_fail(sink, (struct weir_place){.file = report.path}, "cannot be written: %s", strerror(errno));
  close(file);
  unlink(report.temporary);
  return true;
}

// ---- making it -------------------------------------------------------------------------------------------------------------

static const struct weir_program **programs(const struct weir_device *d, unsigned *count) {
  const struct weir_program **list = weir_new_array(const struct weir_program *, d->module_count);
  for (unsigned i = 0; i < d->module_count; i++) list[i] = d->modules[i].program;
  *count = d->module_count;
  return list;
}

// Of the programs' modules; freed by weir_free.
static struct weir_run_sl1 *sl1_reports(const struct weir_device *d, unsigned *count) {
  struct weir_run_sl1 *list = NULL;
  unsigned capacity = 0;
  *count = 0;
  for (unsigned i = 0; i < d->module_count; i++)
    for (unsigned k = 0; k < d->modules[i].text_count; k++)
      *weir_push(list, *count, capacity) = (struct weir_run_sl1){d->modules[i].program, &d->modules[i].reports[k]};
  return list;
}

void weir_report_fold(struct weir_device *d) {
  if (d->launches <= WEIR_DEVICE_APART) return;
  if (d->chip) weir_chip_fold_kernels(d->chip);
  d->kernel_count = weir_kernel_stats_fold(d->kernels, d->kernel_count);
}

// The names in core.kernel_registers that no launch had; freed by free_texts.
static char **not_launched(const struct weir_device *d, const struct weir_run *r, unsigned *count) {
  char **list = NULL;
  unsigned capacity = 0;
  const char *at = d->setup.chip ? d->setup.chip->core.kernel_registers : "";
  *count = 0;
  for (char *name; (name = weir_registers_kernel(&at));) {
    unsigned k = 0;
    while (k < r->kernel_count && strcmp(r->kernels[k].name, name)) k++;
    if (k == r->kernel_count)
      *weir_push(list, *count, capacity) = name;
    else
      weir_free(name);
  }
  return list;
}

static void free_texts(char **list, unsigned count) {
  for (unsigned k = 0; k < count; k++) weir_free(list[k]);
  weir_free(list);
}

static json_t *run_object(struct weir_device *d, const char *end, bool whole) {
  weir_report_fold(d);
  struct weir_run_process process = {.command = d->command,
                                     .end = end,
                                     .faults = d->faults,
                                     .fault_count = d->fault_count,
                                     .refused = d->refused,
                                     .refused_count = d->refused_count,
                                     .strays = d->strays,
                                     .stray_count = d->stray_count,
                                     .timeline = weir_device_timeline(d)};
  struct weir_run r = {.experiment = &d->experiment,
                       .setup = &d->setup,
                       .buffer_bytes = d->peak_bytes,
                       .complete = whole,
                       .process = &process,
                       .chip = d->chip,
                       .selecting = d->setup.selection ? &d->selecting : NULL,
                       .records = whole ? d->records : NULL, // a snapshot is not worth the time
                       .kernels = d->kernels,
                       .kernel_count = d->kernel_count,
                       .total = &d->total,
                       .seconds = d->simulated_seconds,
                       .cpu_seconds = d->simulated_cpu_seconds,
                       .peak_rss_bytes = weir_peak_rss_bytes()};
  r.programs = programs(d, &r.program_count);
  r.sl1 = sl1_reports(d, &r.sl1_count);
  r.memory = d->memory;
  if (d->chip) {
    r.kernels = weir_chip_kernels(d->chip, &r.kernel_count);
    r.total = weir_chip_total(d->chip);
  }
  struct weir_run_stats estimated;
  if (d->setup.sample) {
    weir_sampling_total(&d->sampling, &estimated);
    r.sampling = &d->sampling;
    r.total = &estimated;
  }
  char **names = not_launched(d, &r, &process.not_launched_count);
  char **files = d->hints ? weir_hints_unfound(d->hints, &process.unfound_count) : NULL;
  process.not_launched = names;
  process.unfound_hints = files;
  json_t *run = weir_run_to_json(&r);
  free_texts(names, process.not_launched_count);
  weir_free(files);
  weir_free((void *)r.programs);
  weir_free((void *)r.sl1);
  return run;
}

// ---- writing it ------------------------------------------------------------------------------------------------------------

static bool write_all(int file, const char *text, size_t bytes) {
  while (bytes) {
    ssize_t n = write(file, text, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n;
    bytes -= (size_t)n;
  }
  return true;
}

static void write_file(const char *text) {
  int file = open(report.temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool ok = file >= 0 && write_all(file, text, strlen(text));
  if (file >= 0) ok &= !close(file);
  if (ok && !rename(report.temporary, report.path)) return;
  weir_device_say("%s cannot be written: %s", report.path, strerror(errno));
  unlink(report.temporary);
}

static void put(json_t *run) {
  if (report.kind == TO_STDERR) {
    weir_print_report(run, stderr);
  } else {
    char *text = weir_json_text(run, report.indented);
    write_file(text);
    free(text);
  }
  json_decref(run);
}

void weir_report_snapshot(struct weir_device *d) {
  double began = weir_seconds_now();
  if (report.kind != TO_FILE || (report.snapshots > 1 && began < report.written + TIMES_ITS_COST * report.cost)) return;
  put(run_object(d, "unknown", false));
  report.snapshots++;
  report.written = weir_seconds_now();
  report.cost = report.written - began;
}

// Whoever started the program finds them in the run object.
static void tell_unfound_hints(const struct weir_device *d) {
  if (report.kind == TO_FILE) return;
  struct weir_sink unfound = {0};
  if (d->hints && !weir_hints_all_found(d->hints, &unfound)) weir_sink_print(&unfound, stderr);
  weir_sink_free(&unfound);
}

// What the next run is told.
static void write_records(const struct weir_device *d) {
  const char *where = d->experiment.records;
  FILE *to = where && !strncmp(where, "write:", 6) ? fopen(where + 6, "wb") : NULL;
  if (!to) return;
  if (!weir_chip_write_records(d->chip, to)) unlink(where + 6); // whoever reads it says that there are none
  fclose(to);
}

static void write_timeline(struct weir_device *d) {
  if (!report.timeline) return;
  weir_log_settle(&d->log);
  json_t *file = weir_trace_events(&d->log, d->setup.chip->link.copy_engines, weir_path_name(d->command[0]));
  char *text = weir_json_text(file, false);
  struct weir_sink sink = {0};
  if (!weir_file_write(report.timeline, text, strlen(text), &sink)) weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  free(text);
  json_decref(file);
}

// Of a process that did not end by itself there is none.
static void end_recording(struct weir_device *d, bool whole) {
  struct weir_sink sink = {0};
  if (d->recording && !weir_recording_end(d->recording, whole && !d->lost, &sink)) weir_sink_print(&sink, stderr);
  d->recording = NULL;
  weir_sink_free(&sink);
}

void weir_report_write(struct weir_device *d, const char *end, bool whole) {
  struct weir_device_own own;
  weir_device_enter(&own);
  end_recording(d, whole);
  weir_timeline_drain(&d->timeline);
  write_timeline(d);
  if (report.kind != TO_NOWHERE) {
    tell_unfound_hints(d);
    if (d->chip) weir_chip_finish(d->chip);
    write_records(d);
    put(run_object(d, end, whole));
  }
  weir_device_leave(&own);
}

void weir_report_amend(const char *end) {
  json_t *run = report.kind == TO_FILE ? json_load_file(report.path, 0, NULL) : NULL;
  if (!run) return;
  json_object_set_new(json_object_get(run, "process"), "end", json_string(end));
  put(run);
}

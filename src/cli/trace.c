// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir trace: records CPU programs, and looks into traces.
#include "base/alloc.h"
#include "cli/options.h"
#include "launcher/command.h"
#include "trace/convert.h"
#include "trace/misses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_INTERVAL = 10000000, BATCH = 512 };

// ---- what is in a trace ---------------------------------------------------------------------------------------------

// Of a ChampSim trace by reading it, as nothing in it says so.
static bool totals_of(struct weir_trace_reader *r, struct weir_trace_totals *totals, struct weir_sink *sink) {
  struct weir_trace_inst batch[BATCH];
  *totals = weir_trace_info(r)->totals;
  if (weir_trace_info(r)->champsim)
    for (size_t n; (n = weir_trace_read(r, batch, BATCH));)
      for (size_t i = 0; i < n; i++) weir_trace_count(totals, batch[i].what, 1);
  return !sink->errors;
}

static json_t *named_counts(const uint64_t *counts, const char *const *names, unsigned count) {
  json_t *o = json_object();
  for (unsigned i = 0; i < count; i++) json_object_set_new(o, names[i], json_integer((json_int_t)counts[i]));
  return o;
}

static json_t *segments_json(const struct weir_trace_info *info, const struct weir_trace_totals *totals) {
  json_t *list = json_array();
  for (unsigned i = 0; i < info->segment_count; i++) {
    const struct weir_trace_segment *s = &info->segments[i];
    const uint64_t instructions = info->champsim ? totals->instructions : s->instructions;
    json_array_append_new(list,
                          json_pack("{s:i, s:I, s:I, s:f}", "thread", (int)s->thread, "first", (json_int_t)s->first,
                                    "instructions", (json_int_t)instructions, "weight", s->weight));
  }
  return list;
}

// What no UTF-8 can say is shown as a question mark.
static json_t *text_json(const char *text) {
  json_t *t = json_string(text);
  char *shown = weir_text_copy(text);
  for (char *c = shown; *c; c++)
    if (*c & 0x80) *c = '?';
  if (!t) t = json_string(shown);
  weir_free(shown);
  return t;
}

static json_t *info_json(const struct weir_trace_info *info, const struct weir_trace_totals *t) {
  json_t *o = json_object(), *arguments = json_array();
  for (unsigned i = 0; i < info->argument_count; i++) json_array_append_new(arguments, text_json(info->arguments[i]));
  json_object_set_new(o, "format", json_string(info->champsim ? "champsim" : "weir"));
  json_object_set_new(o, "command", arguments);
  json_object_set_new(o, "isa", text_json(info->isa));
  json_object_set_new(o, "recorder", text_json(info->recorder));
  json_object_set_new(o, "run_instructions", json_integer((json_int_t)info->run_instructions));
  json_object_set_new(o, "instructions", json_integer((json_int_t)t->instructions));
  json_object_set_new(o, "loads", json_integer((json_int_t)t->loads));
  json_object_set_new(o, "stores", json_integer((json_int_t)t->stores));
  json_object_set_new(o, "taken", json_integer((json_int_t)t->taken));
  json_object_set_new(o, "kinds", named_counts(t->kinds, weir_trace_kind_names, WEIR_TRACE_KINDS));
  json_object_set_new(o, "branches",
                      named_counts(t->branches + 1, weir_trace_branch_names + 1, WEIR_TRACE_BRANCHES - 1));
  json_object_set_new(o, "static_instructions", json_integer(info->static_count));
  json_object_set_new(o, "dropped_accesses", json_integer((json_int_t)info->dropped_accesses));
  json_object_set_new(o, "segments", segments_json(info, t));
  json_object_set_new(o, "file_bytes", json_integer((json_int_t)info->file_bytes));
  return o;
}

static void print_share(const char *what, uint64_t count, uint64_t of) {
  if (count) printf("  %-16s %15" PRIu64 "  %5.1f %%\n", what, count, of ? 100 * (double)count / (double)of : 0);
}

static void print_segments(const struct weir_trace_info *info) {
  if (info->champsim || (info->segment_count == 1 && !info->segments[0].first && info->segments[0].weight >= 1)) return;
  puts("segments:\n  thread           first    instructions  weight");
  for (unsigned i = 0; i < info->segment_count; i++)
    printf("  %6u %15" PRIu64 " %15" PRIu64 "  %.4f\n", info->segments[i].thread, info->segments[i].first,
           info->segments[i].instructions, info->segments[i].weight);
}

static void print_info(const char *path, const struct weir_trace_info *info, const struct weir_trace_totals *t) {
  printf("%s: a %s trace", path, info->champsim ? "ChampSim" : "weir");
  for (unsigned i = 0; i < info->argument_count; i++) printf("%s%s", i ? " " : " of ", info->arguments[i]);
  printf("\n%" PRIu64 " instructions", t->instructions);
  if (info->run_instructions) printf(" of %" PRIu64 " that its first thread executed", info->run_instructions);
  if (info->static_count) printf(", %u different ones", info->static_count);
  printf("\n%" PRIu64 " bytes, %.3f per instruction\n", info->file_bytes,
         t->instructions ? (double)info->file_bytes / (double)t->instructions : 0);
  print_share("loads", t->loads, t->instructions);
  print_share("stores", t->stores, t->instructions);
  puts("kinds:");
  for (unsigned i = 0; i < WEIR_TRACE_KINDS; i++) print_share(weir_trace_kind_names[i], t->kinds[i], t->instructions);
  puts("branches:");
  for (unsigned i = 1; i < WEIR_TRACE_BRANCHES; i++)
    print_share(weir_trace_branch_names[i], t->branches[i], t->instructions);
  print_share("taken", t->taken, t->instructions);
  print_segments(info);
  if (info->dropped_accesses)
    printf("%" PRIu64 " accesses were not recorded: more than %d of one instruction\n", info->dropped_accesses,
           WEIR_TRACE_ACCESSES);
}

static void print_json(json_t *o) {
  char *text = weir_json_text(o, true);
  puts(text);
  free(text);
  json_decref(o);
}

static int show_info(const struct options *o, struct weir_sink *sink) {
  struct weir_trace_reader *r = weir_trace_open(o->arguments[0], sink);
  struct weir_trace_totals totals;
  if (r && totals_of(r, &totals, sink)) {
    if (o->format == OUTPUT_JSON)
      print_json(info_json(weir_trace_info(r), &totals));
    else
      print_info(o->arguments[0], weir_trace_info(r), &totals);
  }
  weir_trace_close(r);
  return weir_conclude(sink);
}

// ---- which caches it misses -----------------------------------------------------------------------------------------

static json_t *miss_caches_json(const struct weir_miss_cache *caches, unsigned count) {
  json_t *list = json_array();
  for (unsigned i = 0; i < count; i++)
    json_array_append_new(list,
                          json_pack("{s:I, s:i, s:I, s:f}", "bytes", (json_int_t)caches[i].bytes, "ways",
                                    (int)caches[i].ways, "misses", (json_int_t)caches[i].misses, "mpki",
                                    caches[i].per_thousand));
  return list;
}

static json_t *misses_json(const struct weir_misses *m) {
  return json_pack("{s:I, s:I, s:I, s:o, s:o, s:s}", "instructions", (json_int_t)m->instructions, "accesses",
                   (json_int_t)m->accesses, "lines", (json_int_t)m->lines, "private",
                   miss_caches_json(m->private, WEIR_MISS_PRIVATE), "caches",
                   miss_caches_json(m->caches, WEIR_MISS_SIZES), "class", weir_trace_class_names[m->class]);
}

static void print_miss_cache(const struct weir_miss_cache *c) {
  printf("%5" PRIu64 " KiB %5u %15" PRIu64 " %7.3f\n", c->bytes >> 10, c->ways, c->misses, c->per_thousand);
}

static void print_misses(const char *path, const struct weir_misses *m) {
  printf("%s: %" PRIu64 " accesses of %" PRIu64 " instructions to %" PRIu64 " lines of %d bytes\n", path, m->accesses,
         m->instructions, m->lines, WEIR_MISS_LINE);
  puts("     size  ways          misses    MPKI\nprivate:");
  for (unsigned i = 0; i < WEIR_MISS_PRIVATE; i++) print_miss_cache(&m->private[i]);
  puts("last level, each behind those:");
  for (unsigned i = 0; i < WEIR_MISS_SIZES; i++) print_miss_cache(&m->caches[i]);
  printf("class: %s\n", weir_trace_class_names[m->class]);
}

static int show_misses(const struct options *o, struct weir_sink *sink) {
  struct weir_trace_reader *r = weir_trace_open(o->arguments[0], sink);
  struct weir_misses m = weir_misses_default;
  if (r && weir_trace_select_thread(r, o->trace_thread) && weir_misses_count(&m, r, o->skip, sink)) {
    if (o->format == OUTPUT_JSON)
      print_json(misses_json(&m));
    else
      print_misses(o->arguments[0], &m);
  }
  weir_trace_close(r);
  return weir_conclude(sink);
}

// ---- which parts of it ----------------------------------------------------------------------------------------------

struct parts {
  struct weir_trace_window windows[WEIR_PHASE_MOST];
  unsigned count;
};

static void choose(const struct options *o, const struct weir_phase_interval *intervals, size_t count,
                   struct parts *parts) {
  struct weir_phase phases[WEIR_PHASE_MOST];
  const uint64_t length = o->interval ? o->interval : DEFAULT_INTERVAL;
  parts->count = (unsigned)weir_phases_choose(intervals, count, o->phases, o->seed, phases);
  for (unsigned i = 0; i < parts->count; i++)
    parts->windows[i] = (struct weir_trace_window){phases[i].interval * length,
                                                   intervals[phases[i].interval].instructions, phases[i].weight};
  fprintf(stderr, "weir: %u of %zu intervals of %" PRIu64 " instructions stand for the run\n", parts->count, count,
          length);
}

static void only_part(const struct options *o, double weight, struct parts *parts) {
  parts->windows[0] = (struct weir_trace_window){o->skip, o->length, weight};
  parts->count = 1;
}

// ---- recording and converting ---------------------------------------------------------------------------------------

static int conclude(const struct options *o, const char *path, bool ok, struct weir_sink *sink) {
  struct weir_trace_reader *r = ok ? weir_trace_open(path, sink) : NULL;
  if (r) {
    const struct weir_trace_info *info = weir_trace_info(r);
    fprintf(stderr, "weir: %s: ", path);
    if (!info->champsim) {
      fprintf(stderr, "%" PRIu64 " instructions, ", info->totals.instructions);
      if (o->length && info->totals.instructions < o->length) fputs("where the program ended, ", stderr);
    }
    fprintf(stderr, "%" PRIu64 " bytes\n", info->file_bytes);
  }
  weir_trace_close(r);
  return weir_conclude(sink);
}

static int record(const struct options *o, struct weir_sink *sink) {
  char *file = weir_command_find(o->program[0], sink);
  if (!file) return weir_conclude(sink);
  const struct weir_trace_command command = {file, o->program};
  const char *slash = strrchr(o->program[0], '/');
  char *path =
    o->output_path ? weir_text_copy(o->output_path) : weir_text_format("%s.wtrace", slash ? slash + 1 : o->program[0]);
  struct parts parts;
  bool ok = true;
  if (weir_trace_names_champsim(path))
    ok =
      weir_fail_plain(sink, "programs are recorded in weir's format; then 'weir trace TRACE -o %s' converts it", path);
  if (ok && o->phases) {
    struct weir_phase_interval *intervals;
    size_t count;
    ok = weir_trace_profile(&command, o->interval ? o->interval : DEFAULT_INTERVAL, &intervals, &count, sink);
    if (ok) choose(o, intervals, count, &parts);
    weir_free(intervals);
  } else {
    only_part(o, 1, &parts);
  }
  ok = ok && weir_trace_record(&command, parts.windows, parts.count, o->phases, path, sink);
  const int status = conclude(o, path, ok, sink);
  weir_free(path);
  weir_free(file);
  return status;
}

static int convert(const struct options *o, struct weir_sink *sink) {
  struct weir_trace_reader *r = weir_trace_open(o->arguments[0], sink);
  struct parts parts;
  bool ok = r && weir_trace_select_thread(r, o->trace_thread);
  if (ok && o->phases && weir_trace_info(r)->segments[0].weight < 1)
    ok = weir_fail_plain(sink, "'%s' holds phases already, which have weights of their own", o->arguments[0]);
  if (ok && o->phases) {
    struct weir_phase_profile profile = {0};
    ok = weir_trace_profile_read(r, o->interval ? o->interval : DEFAULT_INTERVAL, &profile, sink);
    if (ok) choose(o, profile.intervals, profile.count, &parts);
    ok = ok && weir_trace_select_thread(r, o->trace_thread);
    weir_phase_free(&profile);
  } else {
    only_part(o, -1, &parts);
  }
  ok = ok && weir_trace_convert(r, parts.windows, parts.count, o->output_path, sink);
  weir_trace_close(r);
  return conclude(o, o->output_path, ok, sink);
}

// ---- the command ----------------------------------------------------------------------------------------------------

static const char *wrong_use(const struct options *o) {
  const bool shows = o->info || o->misses;
  if (o->info && o->misses) return "--info and --misses exclude each other";
  if (shows && o->program) return "--info and --misses take a trace; a program is recorded first";
  if (shows && (o->output_path || o->phases || o->length)) return "--info and --misses only show a trace";
  if (o->info && o->skip) return "--skip goes with --misses, or with a recording";
  if (!shows && o->format == OUTPUT_JSON) return "--json goes with --info or --misses";
  if (!shows && !o->program && !o->output_path)
    return "what to do with the trace? --info, --misses, or -o FILE for a copy";
  if (o->phases && (o->skip || o->length))
    return "--phases chooses which parts are recorded; --skip and --length would, too";
  if (o->trace_thread && (o->info || o->program)) return "--thread goes with --misses, or with a copy";
  if (o->interval && !o->phases) return "--interval goes with --phases";
  return NULL;
}

static int run(const struct options *o) {
  struct weir_sink sink = {0};
  const char *wrong = wrong_use(o);
  if (wrong) return weir_usage_error("trace", "%s", wrong);
  return o->program ? record(o, &sink)
    : o->info       ? show_info(o, &sink)
    : o->misses     ? show_misses(o, &sink)
                    : convert(o, &sink);
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0,
   "the trace to write (default: the program's name with .wtrace); a name that ends in "
   ".champsim or .champsimtrace, and .gz, .xz or .zst, makes a copy in ChampSim's format",
   0},
  {"skip", KEY_SKIP, "N", 0,
   "leave out the first N instructions of each thread; with --misses, let them only fill the caches", 0},
  {"length", KEY_LENGTH, "N", 0,
   "then record N instructions of each thread, and stop the program (default: to its end)", 0},
  {"phases", KEY_PHASES, "MOST", OPTION_ARG_OPTIONAL,
   "run the program twice, and record only intervals that stand for all of it, at most MOST (default: 10)", 0},
  {"interval", KEY_INTERVAL, "N", 0, "instructions of such an interval (default: 10000000)", 0},
  {"thread", KEY_TRACE_THREAD, "N", 0,
   "of a trace of several threads, take thread N (default: 0, the first); a copy has it alone", 0},
  ROW_SEED,
  {"info", KEY_INFO, 0, 0, "tell what is in a trace", 0},
  {"misses", KEY_MISSES, 0, 0,
   "tell how often its data accesses miss last-level caches of 512 KiB to 8 MiB behind private ones, and what kind of "
   "program that makes it: sensitive, streaming or compute",
   0},
  {"json", KEY_JSON, 0, 0, "print that as JSON (docs/TRACES.md)", 0},
  {0}};

const struct command command_trace = {
  .name = "trace",
  .arguments = "TRACE\n-- ./program ARGUMENT...",
  .summary = "record a CPU program's instructions, or tell what a trace of them holds",
  .description = "The program after -- is for x86-64; it runs under qemu-user, and each instruction is "
                 "recorded with its "
                 "registers, addresses and outcome. TRACE is weir's or ChampSim's, packed or not. docs/TRACES.md has "
                 "the format.",
  .options = options,
  .least = 1,
  .most = 1,
  .takes_program = true,
  .run = run,
};

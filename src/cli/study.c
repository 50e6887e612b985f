// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir study: a paper's figures, regenerated beside the published numbers.
#include "base/alloc.h"
#include "cli/output.h"
#include "report/study.h"

#include <stdlib.h>
#include <string.h>

struct figures {
  struct output output;
  json_t *tables; // JSON only
  char *heading;
  unsigned printed;
};

static void show_figure(void *context, const struct weir_table *t) {
  struct figures *f = context;
  weir_output_files(&f->output, t);
  if (f->tables) {
    json_array_append_new(f->tables, weir_table_json(t));
    return;
  }
  if (f->output.options->format == OUTPUT_CELLS) {
    weir_table_cells(t, stdout);
    return;
  }
  puts(f->printed++ ? "" : f->heading);
  weir_output_print(&f->output, t);
}

static void print_json(const struct weir_study *s, const struct figures *f) {
  json_t *o = json_object();
  json_object_set_new(o, "weir", json_string(WEIR_VERSION));
  json_object_set_new(o, "study", json_string(s->name));
  json_object_set_new(o, "citation", json_string(s->citation));
  json_object_set_new(o, "size", json_string(weir_size_names[f->output.options->size]));
  json_object_set_new(o, "judged", s->judged ? json_string(s->judged) : json_null());
  json_object_set(o, "figures", f->tables);
  char *text = weir_json_text(o, true);
  puts(text);
  free(text);
  json_decref(o);
}

// Asked for by name, a figure should have what is asked of it.
static bool can_draw(const struct weir_study *s, const struct options *o, struct weir_sink *sink) {
  if ((!o->svg_path && !o->pdf_path) || !o->figure) return true;
  for (const struct weir_figure *f = s->figures; f->number; f++)
    if (weir_study_names(o->figure, f->number) && !f->chart)
      return weir_fail_plain(sink, "figure '%s' of %s is a table: there is no chart of it to draw", f->number, s->name);
  return true;
}

static int run_study(const struct weir_study *s, const struct options *o, struct weir_sink *sink) {
  struct weir_study_options study = {.size = o->size,
                                     .figure = o->figure,
                                     .jobs = o->jobs,
                                     .store = o->store,
                                     .seed = o->seed,
                                     .mixes = o->mixes,
                                     .results = o->results,
                                     .from = o->from,
                                     .counts = o->counts};
  struct figures f = {.tables = o->format == OUTPUT_JSON ? json_array() : NULL};
  char *size = o->from ? weir_text_format("from %s", o->from) : weir_text_format("size %s", weir_size_names[o->size]);
  f.heading = weir_text_format("%s (%s)\n%s; %s%s\"paper\" columns: the published numbers\n", s->title, s->citation,
                               size, s->judged ? s->judged : "", s->judged ? "; " : "");
  weir_free(size);
  int status = WEIR_EXIT_USER;
  if (can_draw(s, o, sink) && weir_output_start(&f.output, o, sink))
    status = weir_study_run(s, &study, show_figure, &f, sink);
  if (json_array_size(f.tables)) print_json(s, &f);
  weir_output_end(&f.output);
  json_decref(f.tables);
  weir_free(f.heading);
  return status;
}

static int unknown(const char *name) {
  unsigned count;
  const struct weir_study *const *studies = weir_studies(&count);
  const char **names = weir_new_array(const char *, count + 1);
  for (unsigned i = 0; i < count; i++) names[i] = studies[i]->name;
  const char *nearest = weir_nearest(name, names, count);
  int status = nearest ? weir_usage_error("study", "there is no study '%s'; did you mean '%s'?", name, nearest)
                       : weir_usage_error("study", "there is no study '%s'", name);
  weir_free(names);
  return status;
}

static int print_studies(void) {
  unsigned count;
  const struct weir_study *const *studies = weir_studies(&count);
  for (unsigned i = 0; i < count; i++)
    printf("%s  %s [%s]\n", studies[i]->name, studies[i]->title, studies[i]->citation);
  return WEIR_EXIT_OK;
}

static int run(const struct options *o) {
  if (!o->argument_count) return print_studies();
  const struct weir_study *s = weir_study_find(o->arguments[0]);
  if (!s) return unknown(o->arguments[0]);
  if (!o->results + !o->from + !o->check < 2)
    return weir_usage_error("study", "--results, --from and --check exclude one another");
  if (o->sample && !o->check) return weir_usage_error("study", "--sample says what --check runs, which is not given");
  struct weir_sink sink = {0};
  int status = o->check ? weir_study_check(s, o->check, o->sample, o->jobs, &sink) : run_study(s, o, &sink);
  int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  ROW_SIZE,
  {"figure", KEY_FIGURE, "N[,N…]", 0, "these figures or tables only", 0},
  {"mixes", KEY_MIXES, "N", 0, "of a study that draws mixes of programs: how many of each kind", 0},
  ROWS_COUNTS,
  ROW_JOBS,
  ROW_SEED,
  {"csv", KEY_CSV_PATH, "DIR", 0, "also write each figure to DIR/N.csv", 0},
  {"results", KEY_RESULTS, "FILE", 0,
   "keep what the figures need of the runs in FILE, and run only what FILE lacks or has of another model, chip, workload "
   "or scheme; without --figure, the figures are those that FILE was made for; what it has of others stays",
   0},
  {"from", KEY_FROM, "FILE", 0, "make the figures from such a file, its size and its mixes; nothing runs", 0},
  {"check", KEY_CHECK, "FILE", 0,
   "run such a file's rows again; any that differs in a count is named, and the status is 1", 0},
  {"sample", KEY_SAMPLE, "TEXT", 0, "check a few cheap rows, by TEXT others each time; none: fingerprints alone", 0},
  {"cells", KEY_CELLS, 0, 0,
   "print every cell on a line: figure, row, column, ours, the paper's, between tabs; first the headings, with no row",
   0},
  ROW_CHART("draw bar charts in the terminal, as wide as it is (or COLUMNS); other figures are printed as tables"),
  ROW_ASCII,
  ROWS_PLOT("each chart", "N"),
  ROW_JSON("the figures"),
  ROW_STORE,
  {0},
};

const struct command command_study = {
  .name = "study",
  .arguments = "[NAME]",
  .summary = "regenerate a paper's figures beside its published numbers",
  .description =
    "Without NAME: lists the studies. Results are kept as they are made: a study that was interrupted goes "
    "on where it stopped, and figures that share runs share their results. --plot takes",
  .keys = &weir_plot_table,
  .options = options,
  .least = 0,
  .most = 1,
  .run = run,
};

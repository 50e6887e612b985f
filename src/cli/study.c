// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir study: a paper's figures, regenerated beside the published numbers.
#include "base/alloc.h"
#include "base/file.h"
#include "cli/options.h"
#include "experiment/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
  const struct options *options;
  json_t *tables; // JSON only
  char *heading;
  unsigned printed;
  struct weir_sink *sink;
};

// DIR/NUMBER.csv
static void write_csv(struct output *out, const struct weir_table *t) {
  char *path = weir_text_format("%s/%s.csv", out->options->csv_path, t->name), *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) abort();
  weir_table_csv(t, f);
  fclose(f);
  weir_file_write(path, text, size, out->sink);
  free(text);
  weir_free(path);
}

static void print_figure(void *context, const struct weir_table *t) {
  struct output *out = context;
  if (out->options->csv_path) write_csv(out, t);
  if (out->tables) {
    json_array_append_new(out->tables, weir_table_json(t));
    return;
  }
  puts(out->printed++ ? "" : out->heading);
  weir_table_print(t, stdout);
}

// Before the runs, so that a mistake does not cost them.
static bool make_folder(const char *path, struct weir_sink *sink) {
  struct stat st;
  if (!path || !mkdir(path, 0777)) return true;
  if (errno == EEXIST && !stat(path, &st)) errno = !S_ISDIR(st.st_mode) ? ENOTDIR : access(path, W_OK) ? errno : 0;
  return !errno || weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be used: %s", strerror(errno));
}

static void print_json(const struct weir_study *s, const struct output *out) {
  json_t *o = json_object();
  json_object_set_new(o, "weir", json_string(WEIR_VERSION));
  json_object_set_new(o, "study", json_string(s->name));
  json_object_set_new(o, "citation", json_string(s->citation));
  json_object_set_new(o, "size", json_string(weir_size_names[out->options->size]));
  json_object_set(o, "figures", out->tables);
  char *text = weir_json_text(o, true);
  puts(text);
  free(text);
  json_decref(o);
}

static int run_study(const struct weir_study *s, const struct options *o, struct weir_sink *sink) {
  struct weir_study_options study = {.size = o->size, .figure = o->figure, .jobs = o->jobs, .store = o->store,
                                     .seed = o->seed};
  struct output out = {.options = o, .tables = o->format == OUTPUT_JSON ? json_array() : NULL, .sink = sink};
  out.heading = weir_text_format("%s (%s)\nsize %s; \"paper\" columns: the published numbers\n", s->title, s->citation,
                                 weir_size_names[o->size]);
  int status = weir_study_run(s, &study, print_figure, &out, sink);
  if (json_array_size(out.tables)) print_json(s, &out);
  json_decref(out.tables);
  weir_free(out.heading);
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
  struct weir_sink sink = {0};
  int status = make_folder(o->csv_path, &sink) ? run_study(s, o, &sink) : WEIR_EXIT_USER;
  int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  ROW_SIZE,
  {"figure", KEY_FIGURE, "N", 0, "one figure or table only", 0},
  ROW_JOBS,
  ROW_SEED,
  {"csv", KEY_CSV_PATH, "DIR", 0, "also write each figure to DIR/N.csv", 0},
  ROW_JSON("the figures"),
  {"store", KEY_STORE, "FILE", 0, "where results are kept (default: $XDG_CACHE_HOME/weir/results.sqlite)", 0},
  {0},
};

const struct command command_study = {
  .name = "study",
  .arguments = "[NAME]",
  .summary = "regenerate a paper's figures beside its published numbers",
  .description = "Without NAME: lists the studies. Results are kept as they are made: a study that was interrupted goes "
                 "on where it stopped, and figures that share runs share their results.",
  .options = options,
  .least = 0,
  .most = 1,
  .run = run,
};

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir list: what there is to run, and to run it on and under.
#include "base/alloc.h"
#include "base/file.h"
#include "base/bundled.h"
#include "base/param.h"
#include "policy/host.h"
#include "cli/copies.h"
#include "cli/options.h"
#include "trace/programs.h"
#include "run/object.h"

#include <stdlib.h>
#include <string.h>

// One entry of a list, and, asked for by name, its details.
struct entry {
  const char *name, *summary, *citation;
};

static void put_entry(json_t *list, const char *kind, struct entry e) {
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(e.name));
  if (kind) json_object_set_new(o, "kind", json_string(kind));
  json_object_set_new(o, "summary", json_string(e.summary));
  if (e.citation) json_object_set_new(o, "citation", json_string(e.citation));
  json_array_append_new(list, o);
}

// ---- workloads ------------------------------------------------------------------------------------------------------

static void list_workloads(json_t *list, struct weir_sink *sink) {
  (void)sink;
  unsigned count;
  const struct weir_workload *const *w = weir_workloads(&count);
  for (unsigned i = 0; i < count; i++) {
    put_entry(list, NULL, (struct entry){w[i]->name, w[i]->summary, w[i]->citation});
    json_t *o = json_array_get(list, i);
    json_object_set_new(o, "small", json_string(w[i]->small_text));
    json_object_set_new(o, "paper", json_string(w[i]->paper_text));
    if (w[i]->input_help) json_object_set_new(o, "input", json_string(w[i]->input_help));
  }
}

static void list_cpu_programs(json_t *list, struct weir_sink *sink) {
  (void)sink;
  unsigned count;
  const struct weir_cpu_program *p = weir_cpu_programs(&count);
  for (unsigned i = 0; i < count; i++) {
    put_entry(list, weir_trace_class_names[p[i].measured], (struct entry){p[i].name, p[i].summary, NULL});
    json_t *o = json_array_get(list, i);
    json_object_set_new(o, "like", json_string(p[i].spec));
    json_object_set_new(o, "like_kind", json_string(weir_trace_class_names[p[i].paper]));
    char *path = weir_cpu_program_path(p[i].name);
    json_object_set_new(o, "trace", path ? json_string(path) : json_null());
    weir_free(path);
  }
}

// ---- chips and schemes: the YAML files of a folder of weir's data ------------------------------------------------------

static void list_folder(json_t *list, const char *folder, void (*each)(json_t *, const char *, struct weir_sink *),
                        struct weir_sink *sink) {
  unsigned count;
  char **names = weir_bundled_names(folder, &count);
  if (!names)
    weir_fail_plain(sink, "weir's folder '%s' is not where it was installed; WEIR_DATA can name its place", folder);
  for (unsigned i = 0; i < count; i++) {
    each(list, names[i], sink);
    weir_free(names[i]);
  }
  weir_free(names);
}

static json_t *explained(const char *name, const char *unit, const char *help) {
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(name));
  json_object_set_new(o, "unit", json_string(unit));
  json_object_set_new(o, "help", json_string(help));
  return o;
}

static void put_setting(void *context, const struct weir_chip_setting *s) {
  json_t *o = explained(s->path, s->type, s->help);
  json_object_set_new(o, "value", json_string(s->value));
  if (s->file) json_object_set_new(o, "file", json_string(weir_path_name(s->file)));
  if (s->file) json_object_set_new(o, "line", json_integer(s->line));
  if (s->source) json_object_set_new(o, "source", json_string(s->source));
  json_array_append_new(context, o);
}

static void list_chip(json_t *list, const char *name, struct weir_sink *sink) {
  struct weir_chip_config *c = weir_chip_read(name, sink);
  if (!c) return;
  put_entry(list, NULL, (struct entry){name, weir_chip_summary(c), NULL});
  json_t *paths = json_array();
  weir_chip_settings(c, put_setting, paths);
  json_t *o = json_array_get(list, json_array_size(list) - 1), *copies = weir_copies_json(c);
  json_object_set_new(o, "settings", paths);
  if (copies) json_object_set_new(o, "copies", copies);
  weir_chip_config_free(c);
}

// What a scheme leaves open.
static json_t *sweeps_json(const struct weir_scheme *s) {
  json_t *sweeps = json_array();
  for (unsigned k = 0; k < weir_scheme_sweep_count(s); k++) {
    const struct weir_sweep *sweep = weir_scheme_sweep(s, k);
    json_t *o = json_object(), *values = json_array();
    for (unsigned i = 0; i < sweep->count; i++) json_array_append_new(values, json_string(sweep->values[i]));
    json_object_set_new(o, "name", json_string(sweep->key));
    json_object_set_new(o, "values", values);
    json_array_append_new(sweeps, o);
  }
  return sweeps;
}

static void list_scheme(json_t *list, const char *name, struct weir_sink *sink) {
  struct weir_chip_config *c = weir_chip_read(DEFAULT_CHIP, sink);
  struct weir_scheme *s = c ? weir_scheme_read(name, c, sink) : NULL;
  if (s) {
    put_entry(list, NULL, (struct entry){name, weir_scheme_summary(s), weir_scheme_citation(s)});
    json_object_set_new(json_array_get(list, json_array_size(list) - 1), "sweeps", sweeps_json(s));
    weir_scheme_free(s);
  }
  if (c) weir_chip_config_free(c);
}

static void list_chips(json_t *list, struct weir_sink *sink) {
  list_folder(list, "chips", list_chip, sink);
}

static void list_schemes(json_t *list, struct weir_sink *sink) {
  list_folder(list, "schemes", list_scheme, sink);
}

// ---- policies -------------------------------------------------------------------------------------------------------

static json_t *knob_json(const struct weir_knob *k) {
  const struct weir_param row = weir_knob_row(k, 0);
  char takes[300];
  weir_param_describe(&row, takes, sizeof takes);
  json_t *o = explained(k->name, takes, k->help);
  json_object_set_new(o, "default", weir_knob_json(k, k->initial));
  if (k->type == WEIR_KNOB_INT || k->type == WEIR_KNOB_REAL) {
    json_object_set_new(o, "lowest", json_real(k->lowest));
    json_object_set_new(o, "highest", json_real(k->highest));
  }
  json_t *choices = k->type == WEIR_KNOB_CHOICE ? json_array() : NULL;
  for (unsigned i = 0; choices && k->choices[i]; i++) json_array_append_new(choices, json_string(k->choices[i]));
  if (choices) json_object_set_new(o, "choices", choices);
  return o;
}

static void list_policies(json_t *list, struct weir_sink *sink) {
  (void)sink;
  unsigned count;
  const struct weir_policy *const *p = weir_policies(&count);
  for (unsigned i = 0; i < count; i++) {
    const char *kind = weir_policy_kind_name(p[i]->kind);
    put_entry(list, kind, (struct entry){p[i]->name, p[i]->summary, p[i]->citation});
    json_t *knobs = json_array(), *counters = json_array();
    for (const struct weir_knob *k = p[i]->knobs; k && k->name; k++) json_array_append_new(knobs, knob_json(k));
    for (const struct weir_policy_counter *c = p[i]->counters; c && c->name; c++)
      json_array_append_new(counters, explained(c->name, c->unit, c->help));
    json_t *o = json_array_get(list, i);
    json_object_set_new(o, "knobs", knobs);
    json_object_set_new(o, "counters", counters);
  }
}

// ---- the command ----------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  void (*list)(json_t *list, struct weir_sink *sink);
  void (*file)(json_t *list, const char *path, struct weir_sink *sink); // one of the user's own; NULL: there are none
} lists[] = {{"workloads", list_workloads, NULL},
             {"cpu-programs", list_cpu_programs, NULL},
             {"chips", list_chips, list_chip},
             {"schemes", list_schemes, list_scheme},
             {"policies", list_policies, NULL}};
enum { LISTS = sizeof lists / sizeof lists[0], SHOWN_VALUES = 4 };

// "; sweeps warps: 1 2 3 ... 48"
static void print_sweeps(const json_t *sweeps) {
  size_t i, j;
  json_t *sweep, *value;
  json_array_foreach((json_t *)sweeps, i, sweep) {
    printf("%s %s:", i ? "," : "; sweeps", weir_run_text(sweep, "name"));
    size_t count = json_array_size(json_object_get(sweep, "values"));
    json_array_foreach(json_object_get(sweep, "values"), j, value) {
      if (j < SHOWN_VALUES - 1 || j + 1 == count)
        printf(" %s", json_string_value(value));
      else if (j == SHOWN_VALUES - 1)
        fputs(" ...", stdout);
    }
  }
}

static void print_summaries(const json_t *list) {
  size_t i;
  json_t *o;
  int name_width = 0, kind_width = 0;
  json_array_foreach((json_t *)list, i, o) {
    int n = (int)strlen(weir_run_text(o, "name")), k = (int)strlen(weir_run_text(o, "kind"));
    name_width = n > name_width ? n : name_width;
    kind_width = k > kind_width ? k : kind_width;
  }
  json_array_foreach((json_t *)list, i, o) {
    printf("%-*s  ", name_width, weir_run_text(o, "name"));
    if (kind_width) printf("%-*s  ", kind_width, weir_run_text(o, "kind"));
    const char *citation = weir_run_text(o, "citation");
    fputs(weir_run_text(o, "summary"), stdout);
    print_sweeps(json_object_get(o, "sweeps"));
    const char *like = weir_run_text(o, "like");
    if (*like) printf("; like %s%s", like, json_is_null(json_object_get(o, "trace")) ? "; no trace is here" : "");
    printf("%s%s%s\n", *citation ? " [" : "", citation, *citation ? "]" : "");
  }
}

static char *text_of(const json_t *v) { // freed by free
  return json_is_string(v) ? strdup(json_string_value(v)) : weir_json_text(v, false);
}

static void print_value(const char *name, const json_t *v) {
  char *text = text_of(v);
  printf("%s: %s\n", name, text);
  free(text);
}

// A setting of a chip, which has a value, a knob of a policy, which has a default, or a counter.
static void print_part(const json_t *part) {
  const json_t *initial = json_object_get(part, "default"), *v = initial ? initial : json_object_get(part, "value");
  char *value = v ? text_of(v) : NULL;
  printf("  %s%s%s (%s): %s\n", weir_run_text(part, "name"), value ? " = " : "", value ? value : "",
         weir_run_text(part, "unit"), weir_run_text(part, "help"));
  const char *file = weir_run_text(part, "file"), *source = weir_run_text(part, "source");
  if (*file) printf("      %s:%.0f%s%s\n", file, weir_run_number(part, "line"), *source ? ": " : "", source);
  free(value);
}

static void print_sweep(const json_t *sweep) {
  size_t i;
  json_t *value;
  printf("  %s:", weir_run_text(sweep, "name"));
  json_array_foreach(json_object_get(sweep, "values"), i, value) printf(" %s", json_string_value(value));
  putchar('\n');
}

static void print_detail(const json_t *o) {
  const char *name;
  json_t *v, *part;
  size_t i;
  json_object_foreach((json_t *)o, name, v) {
    if (!json_is_array(v)) print_value(name, v);
    if (json_is_array(v) && json_array_size(v)) printf("%s:\n", name);
    json_array_foreach(v, i, part) {
      if (!strcmp(name, "sweeps"))
        print_sweep(part);
      else
        print_part(part);
    }
  }
}

// Leaves only the entries of that name (a replace and a bypass policy may share one).
static void select_named(json_t *list, const char *name) {
  for (size_t i = json_array_size(list); i-- > 0;)
    if (strcmp(weir_run_text(json_array_get(list, i), "name"), name)) json_array_remove(list, i);
}

static bool refuse_name(const json_t *list, const char *what, const char *name, struct weir_sink *sink) {
  size_t count = json_array_size(list);
  const char **names = weir_new_array(const char *, count + 1);
  for (size_t i = 0; i < count; i++) names[i] = weir_run_text(json_array_get(list, i), "name");
  const char *nearest = weir_nearest(name, names, count);
  weir_fail_plain(sink, "no '%s' among the %s%s%s%s", name, what, nearest ? "; did you mean '" : "",
                  nearest ? nearest : "", nearest ? "'?" : "");
  weir_free(names);
  return false;
}

static bool narrow(json_t *list, const char *what, const char *name, struct weir_sink *sink) {
  json_t *all = json_copy(list);
  select_named(list, name);
  bool ok = json_array_size(list) || refuse_name(all, what, name, sink);
  json_decref(all);
  return ok;
}

static void print_list(const json_t *list, bool details, enum output_format format) {
  size_t i;
  json_t *o;
  if (format == OUTPUT_JSON) {
    char *text = weir_json_text(list, true);
    puts(text);
    free(text);
  } else if (details) {
    json_array_foreach((json_t *)list, i, o) print_detail(o);
  } else {
    print_summaries(list);
  }
}

static int run(const struct options *o) {
  const char *names[LISTS], *what = o->arguments[0];
  int which = -1;
  for (int i = 0; i < LISTS; i++) {
    names[i] = lists[i].name;
    if (!strcmp(what, names[i])) which = i;
  }
  const char *nearest = weir_nearest(what, names, LISTS);
  if (which < 0 && nearest) return weir_usage_error("list", "there is no list '%s'; did you mean '%s'?", what, nearest);
  if (which < 0) return weir_usage_error("list", "there is no list '%s'", what);
  struct weir_sink sink = {0};
  json_t *list = json_array();
  bool details = o->argument_count > 1;
  const bool file = details && lists[which].file && weir_is_own_path(o->arguments[1]);
  if (file)
    lists[which].file(list, o->arguments[1], &sink);
  else
    lists[which].list(list, &sink);
  if (file ? !sink.errors : !details || narrow(list, what, o->arguments[1], &sink))
    print_list(list, details, o->format);
  json_decref(list);
  return weir_conclude(&sink);
}

static const struct argp_option options[] = {ROW_JSON("the list"), ROW_PLUGIN, {0}};

const struct command command_list = {
  .name = "list",
  .arguments = "workloads|cpu-programs|chips|schemes|policies [NAME|FILE]",
  .summary = "list what there is, with citations, or all about one NAME (a chip or scheme also by its FILE)",
  .options = options,
  .least = 1,
  .most = 2,
  .run = run,
};

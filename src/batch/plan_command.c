// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs behind "--" in a sweep file.
#include "base/alloc.h"
#include "base/file.h"
#include "batch/plan_private.h"

#include <regex.h>
#include <string.h>

struct words {
  const char **all;
  unsigned count, capacity;
};

struct reading {
  struct weir_plan *plan;
  struct weir_yaml *y;
  struct words words, inputs, environment;
  const char *name, *folder, *ignored;
};

static const char *keep(struct reading *r, const char *text) {
  return weir_arena_text(&r->plan->texts, text, strlen(text));
}

static void push(struct reading *r, struct words *w, const char *text) {
  *weir_push(w->all, w->count, w->capacity) = keep(r, text);
}

// What is named relative to the sweep file.
static const char *beside(struct reading *r, const char *name) {
  char *path = weir_path_beside(r->y->path, name);
  const char *kept = keep(r, path);
  weir_free(path);
  return kept;
}

bool weir_plan_fail_key(struct weir_yaml *y, const yaml_node_t *key, const char *name, const char *what,
                        const char *const *names, size_t count) {
  const char *near = weir_nearest(name, names, count);
  return weir_fail(y->sink, weir_yaml_place(y, key), "%s has no key '%s'%s%s%s", what, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// ---- words -------------------------------------------------------------------------------------------------------------

// Words between blanks, as they are: no shell looks at them.
static bool split(struct reading *r, const char *text, const yaml_node_t *node) {
  if (strpbrk(text, "\"'\\$`*?|&;<>"))
    return weir_fail(
      r->y->sink, weir_yaml_place(r->y, node),
      "no shell reads a command line: write one with quotes or characters of the shell's as a list of words, "
      "{command: [./program, 'a word']}, or let sh -c read it");
  while (*(text += strspn(text, " \t\n"))) {
    const size_t length = strcspn(text, " \t\n");
    *weir_push(r->words.all, r->words.count, r->words.capacity) = weir_arena_text(&r->plan->texts, text, length);
    text += length;
  }
  return r->words.count || weir_fail(r->y->sink, weir_yaml_place(r->y, node), "the command line is empty");
}

static bool read_texts(struct reading *r, struct words *w, yaml_node_t *node, const char *what) {
  const bool is_list = node->type == YAML_SEQUENCE_NODE;
  const unsigned count = is_list ? (unsigned)(node->data.sequence.items.top - node->data.sequence.items.start) : 1;
  for (unsigned i = 0; i < count; i++) {
    yaml_node_t *one = is_list ? weir_yaml_node(r->y, node->data.sequence.items.start[i]) : node;
    const char *text = weir_yaml_text(r->y, one, what);
    if (!text) return false;
    push(r, w, text);
  }
  return count || weir_fail(r->y->sink, weir_yaml_place(r->y, node), "%s: the list is empty", what);
}

static bool read_words(struct reading *r, yaml_node_t *node) {
  if (node->type != YAML_SCALAR_NODE) return read_texts(r, &r->words, node, "command");
  return split(r, (const char *)node->data.scalar.value, node);
}

// ---- a mapping -----------------------------------------------------------------------------------------------------------

static bool read_variable(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  struct reading *r = context;
  (void)key;
  const char *text = weir_yaml_text(r->y, value, name);
  char *assignment = text ? weir_text_format("%s=%s", name, text) : NULL;
  if (text) push(r, &r->environment, assignment);
  weir_free(assignment);
  return text;
}

static bool read_text(struct reading *r, const char **to, yaml_node_t *value, const char *what) {
  const char *text = weir_yaml_text(r->y, value, what);
  if (text) *to = keep(r, text);
  return text;
}

static bool read_ignored(struct reading *r, yaml_node_t *value) {
  regex_t ignored;
  char why[200];
  if (!read_text(r, &r->ignored, value, "ignore_output")) return false;
  const int wrong = regcomp(&ignored, r->ignored, REG_EXTENDED);
  if (!wrong) {
    regfree(&ignored);
    return true;
  }
  regerror(wrong, &ignored, why, sizeof why);
  return weir_fail(r->y->sink, weir_yaml_place(r->y, value),
                   "ignore_output is a POSIX extended regular expression, and '%s' is none: %s", r->ignored, why);
}

static bool read_key(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  static const char *const names[] = {"command", "name", "folder", "env", "inputs", "ignore_output"};
  struct reading *r = context;
  if (!strcmp(name, "command")) return read_words(r, value);
  if (!strcmp(name, "name")) return read_text(r, &r->name, value, name);
  if (!strcmp(name, "folder")) return read_text(r, &r->folder, value, name);
  if (!strcmp(name, "ignore_output")) return read_ignored(r, value);
  if (!strcmp(name, "env")) return weir_yaml_each(r->y, value, "env", read_variable, r);
  if (!strcmp(name, "inputs")) return read_texts(r, &r->inputs, value, name);
  return weir_plan_fail_key(r->y, key, name, "a program of its own", names, sizeof names / sizeof *names);
}

// ---- both ----------------------------------------------------------------------------------------------------------------

static const char *joined(struct reading *r) {
  char *text = weir_text_copy("");
  for (unsigned i = 0; i < r->words.count; i++) {
    char *longer = weir_text_format("%s%s%s", text, i ? " " : "", r->words.all[i]);
    weir_free(text);
    text = longer;
  }
  const char *kept = keep(r, text);
  weir_free(text);
  return kept;
}

static const char *const *kept_list(struct reading *r, const struct words *w) { // with a NULL behind it
  const char **list = weir_arena_array(&r->plan->texts, const char *, w->count + 1);
  for (unsigned i = 0; i < w->count; i++) list[i] = w->all[i];
  return list;
}

// An argument 0 with a slash in it is a file of the folder that the program runs in; another is looked for as a shell does, by whoever
// starts it.
static void add(struct reading *r, const yaml_node_t *node) {
  struct weir_plan *p = r->plan;
  struct weir_command_line *l = weir_arena_alloc(&p->texts, sizeof *l);
  const char *folder = beside(r, r->folder ? r->folder : "."), *first = r->words.all[0];
  char *inner = r->folder ? weir_text_format("%s/%s", r->folder, first) : NULL;
  const char *path = *first == '/' ? first : beside(r, inner ? inner : first);
  const char **inputs = (const char **)kept_list(r, &r->inputs);
  for (unsigned i = 0; i < r->inputs.count; i++) inputs[i] = beside(r, inputs[i]);
  *l = (struct weir_command_line){.argv = (char *const *)kept_list(r, &r->words),
                                  .path = strchr(first, '/') ? path : NULL,
                                  .folder = folder,
                                  .environment = kept_list(r, &r->environment),
                                  .environment_count = r->environment.count,
                                  .inputs = inputs,
                                  .input_count = r->inputs.count,
                                  .ignored = r->ignored,
                                  .tells_inputs = true};
  weir_free(inner);
  *weir_push(p->commands, p->command_count, p->command_capacity) =
    (struct weir_plan_command){r->name ? r->name : joined(r), l, weir_yaml_place(r->y, node)};
}

bool weir_plan_is_command(const yaml_node_t *node) {
  return node->type == YAML_MAPPING_NODE ||
    (node->type == YAML_SCALAR_NODE && !strncmp((const char *)node->data.scalar.value, "-- ", 3));
}

const char *weir_plan_read_command(struct weir_plan *p, struct weir_yaml *y, yaml_node_t *node) {
  struct reading r = {.plan = p, .y = y};
  const bool is_mapping = node->type == YAML_MAPPING_NODE;
  bool ok = is_mapping ? weir_yaml_each(y, node, "a program of its own", read_key, &r)
                       : split(&r, (const char *)node->data.scalar.value + 3, node);
  if (ok && !r.words.count) ok = weir_fail(y->sink, weir_yaml_place(y, node), "a program of its own has no 'command'");
  if (ok) add(&r, node);
  weir_free(r.words.all);
  weir_free(r.inputs.all);
  weir_free(r.environment.all);
  return ok ? p->commands[p->command_count - 1].name : NULL;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "batch/plan_private.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/param_rows.h"
#include "base/yaml.h"
#include "scheme/values.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct list {
  const char **values;
  unsigned count, capacity;
};

struct set { // one combination of the values under `set`
  const char **assignments;
  unsigned count;
};

enum axis { PROGRAM, CHIP, SCHEME, SIZE, SEED, AXES };
static const char *const axis_names[AXES] = {"program", "chip", "scheme", "size", "seed"};

struct rule { // of `exclude`: all of it must match
  struct list patterns[AXES], sets;
};

struct reading {
  struct weir_plan *plan;
  struct weir_yaml y;
  struct list axes[AXES];
  struct list set_paths, *set_values; // a list per path
  unsigned set_capacity, set_count;
  struct rule *rules;
  unsigned rule_count, rule_capacity;
  struct list combinations;  // of a scheme's knobs
  struct list labels;        // of these, if the scheme has a name
  struct weir_select select; // of every run
  const char *clock;         // of every program behind "--"; NULL: the real one
};

static const char *keep(struct reading *r, const char *text) {
  return weir_arena_text(&r->plan->texts, text, strlen(text));
}

static void push(struct list *l, const char *text) {
  *weir_push(l->values, l->count, l->capacity) = text;
}

static bool put_label(struct reading *r, const char *of, const char *text, const yaml_node_t *node) {
  struct weir_plan *p = r->plan;
  if (!*text) return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "the name is empty");
  *weir_push(p->labels, p->label_count, p->label_capacity) =
    (struct weir_plan_label){of, text, weir_yaml_place(&r->y, node)};
  return true;
}

// ---- lists of values ---------------------------------------------------------------------------------------------------

// A scalar: a value, or in the words of schemes a list of them, "1..8|12".
static bool read_scalar(struct reading *r, struct list *l, yaml_node_t *node, const char *what, bool ranges) {
  const char *text = weir_yaml_text(&r->y, node, what);
  if (!text) return false;
  if (!*text) return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s is empty", what);
  if (!ranges || (!strstr(text, "..") && !strchr(text, '|')) || strstr(text, "best")) {
    push(l, keep(r, text));
    return true;
  }
  struct weir_values v = {0};
  char message[300], *list = weir_text_format("best:%s", text);
  const char *wrong = weir_values_read(&v, list, message, sizeof message);
  if (wrong) weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s: %s", what, wrong);
  for (unsigned i = 0; !wrong && i < v.count; i++) push(l, keep(r, v.text[i]));
  weir_values_free(&v);
  weir_free(list);
  return !wrong;
}

// A scalar, or a list of scalars.
static bool read_list(struct reading *r, struct list *l, yaml_node_t *node, const char *what, bool ranges) {
  if (node->type != YAML_SEQUENCE_NODE) return read_scalar(r, l, node, what, ranges);
  const yaml_node_item_t *first = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  if (first == top) return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s: the list is empty", what);
  bool ok = true;
  for (const yaml_node_item_t *i = first; i < top; i++)
    ok &= read_scalar(r, l, weir_yaml_node(&r->y, *i), what, ranges);
  return ok;
}

static bool seed_of(const char *text, uint64_t *seed) {
  char *end;
  *seed = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && *seed <= INT64_MAX;
}

static bool value_fits(struct reading *r, enum axis axis, const char *text, const yaml_node_t *node) {
  uint64_t seed;
  enum weir_size size;
  if (axis == SIZE && !weir_size_of(text, &size))
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "a size is small or paper, not '%s'", text);
  if (axis == SEED && !seed_of(text, &seed))
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "a seed is a whole number from 0, not '%s'", text);
  return true;
}

// A size, a seed or a range of seeds: told where it stands if it is none.
static bool read_number(struct reading *r, enum axis axis, yaml_node_t *node, const char *what) {
  struct list *l = &r->axes[axis];
  const unsigned before = l->count;
  bool ok = read_scalar(r, l, node, what, axis == SEED);
  for (unsigned i = before; ok && i < l->count; i++) ok = value_fits(r, axis, l->values[i], node);
  return ok;
}

typedef bool read_value(struct reading *r, enum axis axis, yaml_node_t *node, const char *what);

// One, or a list of them.
static bool read_values(struct reading *r, enum axis axis, yaml_node_t *node, const char *what, read_value *read) {
  if (node->type != YAML_SEQUENCE_NODE) return read(r, axis, node, what);
  const yaml_node_item_t *first = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  if (first == top) return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s: the list is empty", what);
  bool ok = true;
  for (const yaml_node_item_t *i = first; i < top; i++) ok &= read(r, axis, weir_yaml_node(&r->y, *i), what);
  return ok;
}

static bool read_name(struct reading *r, enum axis axis, yaml_node_t *node, const char *what);

static bool read_named_key(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  static const char *const names[] = {"program", "chip", "name"};
  struct reading *r = context;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return weir_yaml_text(&r->y, value, name);
  return weir_plan_fail_key(&r->y, key, name, "a named element", names, sizeof names / sizeof *names);
}

// {program: nn, name: NAME}, or the same of a chip.
static bool read_named(struct reading *r, enum axis axis, yaml_node_t *node, const char *what) {
  if (!weir_yaml_each(&r->y, node, what, read_named_key, r)) return false;
  yaml_node_t *of = weir_yaml_member(&r->y, node, axis_names[axis]), *label = weir_yaml_member(&r->y, node, "name");
  if (!of || !label)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "a mapping under %s has the keys '%s' and 'name'", what,
                     axis_names[axis]);
  if (!read_name(r, axis, of, what)) return false;
  const struct list *l = &r->axes[axis];
  return put_label(r, l->values[l->count - 1], keep(r, (const char *)label->data.scalar.value), label);
}

// A program or a chip. What names a file beside the sweep file is that file.
static bool read_name(struct reading *r, enum axis axis, yaml_node_t *node, const char *what) {
  struct weir_plan *p = r->plan;
  struct list *l = &r->axes[axis];
  const bool is_mapping = node->type == YAML_MAPPING_NODE;
  if (is_mapping && (axis == CHIP || weir_yaml_member(&r->y, node, "program"))) return read_named(r, axis, node, what);
  if (axis == PROGRAM && weir_plan_is_command(node)) {
    const char *command = weir_plan_read_command(p, &r->y, node);
    if (command) push(l, command);
    return command;
  }
  if (!read_scalar(r, l, node, what, false)) return false;
  const char **last = &l->values[l->count - 1];
  char *beside = weir_path_beside(r->y.path, *last);
  const bool is_path = strchr(*last, '/') || strstr(*last, ".yaml");
  if (is_path && !access(beside, R_OK)) *last = keep(r, beside);
  weir_free(beside);
  const struct weir_plan_name name = {*last, weir_yaml_place(&r->y, node)};
  if (axis == PROGRAM)
    *weir_push(p->programs, p->program_count, p->program_capacity) = name;
  else
    *weir_push(p->chips, p->chip_count, p->chip_capacity) = name;
  return true;
}

// ---- schemes ------------------------------------------------------------------------------------------------------------

// Every text so far, with each of the values.
static void multiply(struct reading *r, struct list *texts, const char *key, const struct list *values) {
  struct list longer = {0};
  for (unsigned i = 0; i < texts->count; i++)
    for (unsigned k = 0; k < values->count; k++) {
      char *text = weir_text_format("%s,%s=%s", texts->values[i], key, values->values[k]);
      push(&longer, keep(r, text));
      weir_free(text);
    }
  weir_free(texts->values);
  *texts = longer;
}

// In a name stands what its schemes differ in: "NAME,threshold=4".
static void multiply_labels(struct reading *r, const char *key, const struct list *values) {
  if (values->count > 1) multiply(r, &r->labels, key, values);
}

static bool read_knob(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  struct reading *r = context;
  struct list values = {0};
  (void)key;
  if (!strcmp(name, "scheme") || !strcmp(name, "name")) return weir_yaml_text(&r->y, value, name);
  const bool ok = read_list(r, &values, value, name, true);
  if (ok && (uint64_t)values.count * r->combinations.count > WEIR_PLAN_MOST) {
    weir_free(values.values);
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, value), "the scheme has more than %d combinations",
                     WEIR_PLAN_MOST);
  }
  if (ok) multiply_labels(r, name, &values);
  if (ok) multiply(r, &r->combinations, name, &values);
  weir_free(values.values);
  return ok;
}

// "NAME,key=value", or {scheme: NAME, key: values, name: what tables call it}.
static bool read_scheme(struct reading *r, yaml_node_t *node) {
  if (node->type != YAML_MAPPING_NODE) return read_scalar(r, &r->axes[SCHEME], node, "a scheme", false);
  const yaml_node_t *name = weir_yaml_member(&r->y, node, "scheme");
  if (!name)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "a scheme with knobs has its name under 'scheme'");
  const yaml_node_t *label = weir_yaml_member(&r->y, node, "name");
  r->combinations = r->labels = (struct list){0};
  push(&r->combinations, keep(r, (const char *)name->data.scalar.value));
  if (label) push(&r->labels, keep(r, (const char *)label->data.scalar.value));
  bool ok = weir_yaml_each(&r->y, node, "a scheme", read_knob, r);
  for (unsigned i = 0; ok && i < r->combinations.count; i++) {
    push(&r->axes[SCHEME], r->combinations.values[i]);
    if (label) ok = put_label(r, r->combinations.values[i], r->labels.values[i], label);
  }
  weir_free(r->combinations.values);
  weir_free(r->labels.values);
  return ok;
}

static bool read_schemes(struct reading *r, yaml_node_t *node) {
  if (node->type != YAML_SEQUENCE_NODE) return read_scheme(r, node);
  bool ok = true;
  for (const yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++)
    ok &= read_scheme(r, weir_yaml_node(&r->y, *i));
  return ok;
}

// ---- set, exclude ---------------------------------------------------------------------------------------------------------

static bool read_set(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  struct reading *r = context;
  struct list *l = weir_push(r->set_values, r->set_count, r->set_capacity);
  (void)key;
  *l = (struct list){0};
  push(&r->set_paths, keep(r, name));
  return read_list(r, l, value, name, true);
}

static bool read_rule_key(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  static const char *const names[] = {"program", "chip", "scheme", "size", "seed", "set"};
  struct reading *r = context;
  struct rule *rule = &r->rules[r->rule_count - 1];
  for (unsigned a = 0; a < AXES; a++)
    if (!strcmp(name, axis_names[a])) return read_list(r, &rule->patterns[a], value, name, a == SEED);
  if (!strcmp(name, "set")) return read_list(r, &rule->sets, value, name, false);
  return weir_plan_fail_key(&r->y, key, name, "exclude", names, AXES + 1);
}

static bool read_exclude(struct reading *r, yaml_node_t *node) {
  if (node->type != YAML_SEQUENCE_NODE)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "exclude must be a list of mappings, not %s",
                     weir_yaml_kind(node));
  bool ok = true;
  for (const yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
    *weir_push(r->rules, r->rule_count, r->rule_capacity) = (struct rule){0};
    ok &= weir_yaml_each(&r->y, weir_yaml_node(&r->y, *i), "an element of exclude", read_rule_key, r);
  }
  return ok;
}

// ---- which launches are timed --------------------------------------------------------------------------------------------

#define SELECT weir_select
static const struct weir_param select_rows[] = {
  TEXT(SELECT, kernels, NULL), TEXT(SELECT, launches, NULL), UINT_AT(SELECT, most, "max_launches", 1, INT64_MAX, NULL),
  BOOL(SELECT, warm, NULL),    TEXT(SELECT, sample, NULL),
};
static const struct weir_param_table select_table = TABLE_OF("a sweep file", SELECT, select_rows);

static const struct weir_param *select_row(const char *name) {
  for (unsigned i = 0; i < select_table.count; i++)
    if (!strcmp(select_rows[i].name, name)) return &select_rows[i];
  return NULL;
}

static bool read_select(struct reading *r, const struct weir_param *row, yaml_node_t *node) {
  const char *text = weir_yaml_text(&r->y, node, row->name);
  char message[300];
  if (!text) return false;
  void *at = (char *)&r->select + row->offset;
  if (row->type == WEIR_PARAM_TEXT && *text) { // the plan's, as all its texts are
    *(const char **)at = keep(r, text);
    return true;
  }
  if (weir_param_parse(row, text, at)) return true;
  weir_param_refuse(&select_table, row, row->name, text, message, sizeof message);
  return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s", message);
}

static bool read_clock(struct reading *r, yaml_node_t *node) {
  const char *text = weir_yaml_text(&r->y, node, "clock");
  if (!text) return false;
  const bool is_real = !strcmp(text, "real");
  if (!is_real && strcmp(text, "modelled") != 0 && strcmp(text, "still") != 0)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "clock is real, modelled or still, not '%s'", text);
  r->clock = is_real ? NULL : keep(r, text);
  return true;
}

// ---- the file --------------------------------------------------------------------------------------------------------------

static bool read_key(void *context, const char *name, yaml_node_t *key, yaml_node_t *value) {
  static const char *const names[] = {"programs", "chips",    "schemes",      "sizes", "seeds",  "set",  "exclude",
                                      "kernels",  "launches", "max_launches", "warm",  "sample", "clock"};
  struct reading *r = context;
  const struct weir_param *selects = select_row(name);
  if (selects) return read_select(r, selects, value);
  if (!strcmp(name, "programs")) return read_values(r, PROGRAM, value, "programs", read_name);
  if (!strcmp(name, "chips")) return read_values(r, CHIP, value, "chips", read_name);
  if (!strcmp(name, "schemes")) return read_schemes(r, value);
  if (!strcmp(name, "sizes")) return read_values(r, SIZE, value, "sizes", read_number);
  if (!strcmp(name, "seeds")) return read_values(r, SEED, value, "seeds", read_number);
  if (!strcmp(name, "set")) return weir_yaml_each(&r->y, value, "set", read_set, r);
  if (!strcmp(name, "exclude")) return read_exclude(r, value);
  if (!strcmp(name, "clock")) return read_clock(r, value);
  return weir_plan_fail_key(&r->y, key, name, "a sweep file", names, sizeof names / sizeof *names);
}

static bool matches(const struct list *patterns, const char *text) {
  for (unsigned i = 0; i < patterns->count; i++)
    if (!fnmatch(patterns->values[i], text, 0)) return true;
  return !patterns->count;
}

static bool matches_a_set(const struct list *patterns, const struct set *s) {
  for (unsigned i = 0; i < s->count; i++)
    if (matches(patterns, s->assignments[i])) return true;
  return !patterns->count;
}

static bool is_excluded(const struct reading *r, const char *const values[AXES], const struct set *s) {
  for (unsigned i = 0; i < r->rule_count; i++) {
    bool all = matches_a_set(&r->rules[i].sets, s);
    for (unsigned a = 0; a < AXES; a++)
      all &= matches(&r->rules[i].patterns[a], values[a]) ||
        matches(&r->rules[i].patterns[a], weir_plan_label(r->plan, values[a]));
    if (all) return true;
  }
  return false;
}

// The k-th combination of the values under `set`: the last path's change fastest.
static struct set set_of(struct reading *r, unsigned k) {
  struct set s = {weir_arena_alloc(&r->plan->texts, (r->set_count + 1) * sizeof *s.assignments), r->set_count};
  for (unsigned i = r->set_count; i--;) {
    const struct list *l = &r->set_values[i];
    char *text = weir_text_format("%s=%s", r->set_paths.values[i], l->values[k % l->count]);
    s.assignments[i] = keep(r, text);
    weir_free(text);
    k /= l->count;
  }
  return s;
}

static const struct weir_command_line *command_of(const struct weir_plan *p, const char *name) {
  for (unsigned i = 0; i < p->command_count; i++)
    if (p->commands[i].name == name) return p->commands[i].line;
  return NULL;
}

static void add(struct reading *r, const char *const values[AXES], const struct set *s) {
  const struct weir_command_line *command = command_of(r->plan, values[PROGRAM]);
  if (command && values[SIZE] != r->axes[SIZE].values[0]) return; // it has no size
  if (is_excluded(r, values, s)) {
    r->plan->excluded++;
    return;
  }
  struct weir_experiment e = {.program = values[PROGRAM],
                              .command = command,
                              .clock = command ? r->clock : NULL,
                              .chip = values[CHIP],
                              .scheme = values[SCHEME],
                              .select = r->select,
                              .sets = s->assignments,
                              .set_count = s->count};
  if (!command) weir_size_of(values[SIZE], &e.size);
  seed_of(values[SEED], &e.seed);
  *weir_push(r->plan->items, r->plan->count, r->plan->capacity) = e;
}

static bool add_all(struct reading *r) {
  uint64_t sets = 1, all;
  for (unsigned i = 0; i < r->set_count && sets <= WEIR_PLAN_MOST; i++) sets *= r->set_values[i].count;
  all = sets;
  for (unsigned a = 0; a < AXES && all <= WEIR_PLAN_MOST; a++) all *= r->axes[a].count;
  if (all > WEIR_PLAN_MOST)
    return weir_fail(r->y.sink, (struct weir_place){.file = r->y.path}, "asks for more than %d runs", WEIR_PLAN_MOST);
  struct set *combinations = weir_new_array(struct set, (size_t)sets + 1);
  for (unsigned k = 0; k < sets; k++) combinations[k] = set_of(r, k);
  const unsigned chips = r->axes[CHIP].count, schemes = r->axes[SCHEME].count, seeds = r->axes[SEED].count,
                 sizes = r->axes[SIZE].count;
  for (uint64_t i = 0; i < all; i++) { // the scheme changes fastest, then set, chip, seed, size, program
    uint64_t rest = i;
    const char *values[AXES];
    values[SCHEME] = r->axes[SCHEME].values[rest % schemes], rest /= schemes;
    const struct set *s = &combinations[rest % sets];
    rest /= sets;
    values[CHIP] = r->axes[CHIP].values[rest % chips], rest /= chips;
    values[SEED] = r->axes[SEED].values[rest % seeds], rest /= seeds;
    values[SIZE] = r->axes[SIZE].values[rest % sizes], rest /= sizes;
    values[PROGRAM] = r->axes[PROGRAM].values[rest];
    add(r, values, s);
  }
  weir_free(combinations);
  return true;
}

static const struct weir_plan_label *label_of(const struct weir_plan *p, const char *of) {
  for (unsigned i = 0; i < p->label_count; i++)
    if (p->labels[i].of == of) return &p->labels[i];
  return NULL;
}

const char *weir_plan_label(const struct weir_plan *p, const char *of) {
  const struct weir_plan_label *l = label_of(p, of);
  return l ? l->text : of;
}

// No name is another's: rows would be mistaken for one another.
static bool names_differ(struct reading *r, enum axis axis) {
  bool ok = true;
  struct list called = {0};
  for (unsigned i = 0; i < r->axes[axis].count; i++) push(&called, weir_plan_label(r->plan, r->axes[axis].values[i]));
  for (unsigned i = 0; i < called.count; i++) {
    const struct weir_plan_label *l = label_of(r->plan, r->axes[axis].values[i]);
    for (unsigned k = 0; l && k < called.count; k++) {
      if (k == i || strcmp(called.values[k], l->text)) continue;
      ok = weir_fail(r->y.sink, l->place, "two %ss are called '%s'", axis_names[axis], l->text);
      break;
    }
  }
  weir_free(called.values);
  return ok;
}

static bool is_whole(struct reading *r) {
  static const char *const defaults[AXES] = {[CHIP] = "gcn-apu", [SIZE] = "small", [SEED] = "1"};
  bool ok = true;
  for (unsigned a = 0; a < AXES; a++) {
    if (r->axes[a].count) continue;
    if (defaults[a])
      push(&r->axes[a], defaults[a]);
    else
      ok = weir_fail(r->y.sink, (struct weir_place){.file = r->y.path}, "has no '%ss'", axis_names[a]);
  }
  return ok;
}

static void free_reading(struct reading *r) {
  for (unsigned a = 0; a < AXES; a++) weir_free(r->axes[a].values);
  for (unsigned i = 0; i < r->set_count; i++) weir_free(r->set_values[i].values);
  for (unsigned i = 0; i < r->rule_count; i++) {
    for (unsigned a = 0; a < AXES; a++) weir_free(r->rules[i].patterns[a].values);
    weir_free(r->rules[i].sets.values);
  }
  weir_free(r->set_values);
  weir_free(r->set_paths.values);
  weir_free(r->rules);
}

bool weir_plan_read(struct weir_plan *p, const char *path, struct weir_sink *sink) {
  *p = (struct weir_plan){0};
  size_t size;
  struct reading r = {.plan = p};
  p->text = weir_file_read(path, 0, &size, sink);
  bool ok = p->text && weir_yaml_load(&r.y, path, p->text, size, sink);
  if (ok) {
    ok = weir_yaml_each(&r.y, yaml_document_get_root_node(&r.y.document), "a sweep file", read_key, &r) &&
      is_whole(&r) && names_differ(&r, PROGRAM) && names_differ(&r, CHIP) && names_differ(&r, SCHEME);
    ok = ok && add_all(&r);
    weir_yaml_free(&r.y);
  }
  free_reading(&r);
  return ok;
}

void weir_plan_free(struct weir_plan *p) {
  weir_free(p->items);
  weir_free(p->programs);
  weir_free(p->chips);
  weir_free(p->commands);
  weir_free(p->labels);
  weir_free(p->text);
  weir_arena_free(&p->texts);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct weir_place mark_place(const struct weir_yaml *y, yaml_mark_t mark) {
  return (struct weir_place){y->path, y->text, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

struct weir_place weir_yaml_place(const struct weir_yaml *y, const yaml_node_t *node) {
  return mark_place(y, node->start_mark);
}

yaml_node_t *weir_yaml_node(struct weir_yaml *y, int index) {
  return yaml_document_get_node(&y->document, index);
}

// A reader's error (bytes that are no UTF-8) has an offset instead of a mark.
static void report_syntax(struct weir_yaml *y, const yaml_parser_t *p) {
  struct weir_place place = mark_place(y, p->problem_mark);
  if (p->error == YAML_READER_ERROR) {
    place.line = 1;
    place.column = 0;
    for (size_t i = 0; i < p->problem_offset; i++) place.line += y->text[i] == '\n';
  }
  weir_fail(y->sink, place, "not valid YAML: %s%s%s", p->context ? p->context : "", p->context ? ", " : "",
            p->problem ? p->problem : "cannot be read");
}

// libyaml takes time that grows with the square of the depth, and no file of weir's is deep: read once for that alone, and as
// far as it goes.
static bool is_shallow(struct weir_yaml *y, const char *text, size_t size) {
  enum { DEEPEST = 64 };
  yaml_parser_t p;
  if (!yaml_parser_initialize(&p)) abort(); // out of memory
  yaml_parser_set_input_string(&p, (const unsigned char *)text, size);
  int depth = 0;
  bool ok = true;
  for (bool end = false; ok && !end;) {
    yaml_event_t e;
    if (!yaml_parser_parse(&p, &e)) break; // it is reported when it is loaded
    depth += e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT;
    depth -= e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT;
    end = e.type == YAML_STREAM_END_EVENT;
    if (depth > DEEPEST)
      ok = weir_fail(y->sink, mark_place(y, e.start_mark), "lists and mappings nested more than %d deep", DEEPEST);
    yaml_event_delete(&e);
  }
  yaml_parser_delete(&p);
  return ok;
}

static bool load_one(struct weir_yaml *y, yaml_parser_t *p) {
  if (!yaml_parser_load(p, &y->document)) {
    report_syntax(y, p);
    return false;
  }
  if (!yaml_document_get_root_node(&y->document)) {
    yaml_document_delete(&y->document);
    return weir_fail(y->sink, (struct weir_place){.file = y->path}, "is empty");
  }
  yaml_document_t second;
  bool ok = yaml_parser_load(p, &second);
  if (!ok) {
    report_syntax(y, p);
  } else {
    yaml_node_t *root = yaml_document_get_root_node(&second);
    if (root) ok = weir_fail(y->sink, weir_yaml_place(y, root), "a second YAML document; one is expected");
    yaml_document_delete(&second);
  }
  if (!ok) yaml_document_delete(&y->document);
  return ok;
}

bool weir_yaml_load(struct weir_yaml *y, const char *path, const char *text, size_t size, struct weir_sink *sink) {
  *y = (struct weir_yaml){.path = path, .text = text, .sink = sink};
  if (!is_shallow(y, text, size)) return false;
  yaml_parser_t p;
  if (!yaml_parser_initialize(&p)) abort(); // out of memory
  yaml_parser_set_input_string(&p, (const unsigned char *)text, size);
  bool ok = load_one(y, &p);
  yaml_parser_delete(&p);
  return ok;
}

void weir_yaml_free(struct weir_yaml *y) {
  yaml_document_delete(&y->document);
}

const char *weir_yaml_kind(const yaml_node_t *node) {
  return node->type == YAML_MAPPING_NODE ? "a mapping" : node->type == YAML_SEQUENCE_NODE ? "a list" : "a scalar";
}

static const char *scalar(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

bool weir_yaml_fail_twice(struct weir_yaml *y, const yaml_node_t *key, const char *name) {
  return weir_fail(y->sink, weir_yaml_place(y, key), "the key '%s' is given twice", name);
}

yaml_node_t *weir_yaml_member(struct weir_yaml *y, const yaml_node_t *node, const char *name) {
  if (node->type != YAML_MAPPING_NODE) return NULL;
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
    const char *key = scalar(weir_yaml_node(y, p->key));
    yaml_node_t *value = weir_yaml_node(y, p->value);
    if (key && !strcmp(key, name) && value->type == YAML_SCALAR_NODE) return value;
  }
  return NULL;
}

static bool is_plain(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool report_unknown(struct weir_yaml *y, const yaml_node_t *key, const char *what,
                           const struct weir_yaml_key *keys, unsigned count) {
  enum { MOST = 64 };
  const char *names[MOST], *word = scalar(key);
  unsigned n = count < MOST ? count : MOST;
  for (unsigned i = 0; i < n; i++) names[i] = keys[i].name;
  if (!word) return weir_fail(y->sink, weir_yaml_place(y, key), "a key of %s is %s", what, weir_yaml_kind(key));
  const char *nearest = weir_nearest(word, names, n);
  if (nearest)
    return weir_fail(y->sink, weir_yaml_place(y, key), "%s has no key '%s'; did you mean '%s'?", what, word, nearest);
  return weir_fail(y->sink, weir_yaml_place(y, key), "%s has no key '%s'", what, word);
}

static unsigned find_key(const yaml_node_t *key, const struct weir_yaml_key *keys, unsigned count) {
  const char *word = scalar(key);
  for (unsigned i = 0; word && i < count; i++)
    if (!strcmp(word, keys[i].name)) return i;
  return count;
}

bool weir_yaml_map(struct weir_yaml *y, yaml_node_t *node, const char *what, const struct weir_yaml_key *keys,
                   unsigned count, yaml_node_t **values) {
  memset(values, 0, count * sizeof *values);
  if (node->type != YAML_MAPPING_NODE)
    return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a mapping, not %s", what, weir_yaml_kind(node));
  bool ok = true;
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
    yaml_node_t *key = weir_yaml_node(y, p->key);
    unsigned i = find_key(key, keys, count);
    if (i == count)
      ok = report_unknown(y, key, what, keys, count);
    else if (values[i])
      ok = weir_yaml_fail_twice(y, key, keys[i].name);
    else
      values[i] = weir_yaml_node(y, p->value);
  }
  for (unsigned i = 0; i < count; i++)
    if (keys[i].required && !values[i])
      ok = weir_fail(y->sink, weir_yaml_place(y, node), "%s lacks the key '%s'", what, keys[i].name);
  return ok;
}

static bool is_doubled(struct weir_yaml *y, const yaml_node_pair_t *first, const yaml_node_pair_t *p,
                       const char *name) {
  for (; first < p; first++) {
    const char *other = scalar(weir_yaml_node(y, first->key));
    if (other && !strcmp(other, name)) return true;
  }
  return false;
}

bool weir_yaml_each(struct weir_yaml *y, yaml_node_t *node, const char *what,
                    bool (*each)(void *context, const char *name, yaml_node_t *key, yaml_node_t *value),
                    void *context) {
  enum { MOST = 1024 };
  const yaml_node_pair_t *first = node->data.mapping.pairs.start, *top = node->data.mapping.pairs.top;
  if (node->type != YAML_MAPPING_NODE || top - first > MOST)
    return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a mapping of names to values, at most %d", what,
                     MOST);
  bool ok = true;
  for (const yaml_node_pair_t *p = first; p < top; p++) {
    yaml_node_t *key = weir_yaml_node(y, p->key);
    const char *name = weir_yaml_text(y, key, "a key");
    if (name && is_doubled(y, first, p, name))
      ok = weir_yaml_fail_twice(y, key, name);
    else
      ok &= name && each(context, name, key, weir_yaml_node(y, p->value));
  }
  return ok;
}

bool weir_yaml_pair(struct weir_yaml *y, yaml_node_t *node, const char *what, const char **key, yaml_node_t **value) {
  if (node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.top - node->data.mapping.pairs.start != 1)
    return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a mapping of one key", what);
  yaml_node_pair_t *p = node->data.mapping.pairs.start;
  *key = weir_yaml_text(y, weir_yaml_node(y, p->key), what);
  *value = weir_yaml_node(y, p->value);
  return *key;
}

const char *weir_yaml_text(struct weir_yaml *y, yaml_node_t *node, const char *what) {
  const char *text = scalar(node);
  if (!text) {
    weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a scalar, not %s", what, weir_yaml_kind(node));
  } else if (strlen(text) != node->data.scalar.length) {
    weir_fail(y->sink, weir_yaml_place(y, node), "%s holds a zero byte", what);
    text = NULL;
  }
  return text;
}

// The magnitude of an integer; false if it is none or does not fit.
static bool magnitude(const char *text, uint64_t *out) {
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  const char *digits = base == 16 ? text + 2 : text;
  if (!*digits || digits[strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789")]) return false;
  errno = 0;
  *out = strtoull(digits, NULL, base);
  return !errno;
}

bool weir_yaml_u64(struct weir_yaml *y, yaml_node_t *node, const char *what, uint64_t low, uint64_t high,
                   uint64_t *out) {
  const char *text = scalar(node);
  if (is_plain(node) && magnitude(text, out) && *out >= low && *out <= high) return true;
  return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be an integer from %" PRIu64 " to %" PRIu64, what, low,
                   high);
}

bool weir_yaml_s64(struct weir_yaml *y, yaml_node_t *node, const char *what, int64_t low, int64_t high, int64_t *out) {
  const char *text = scalar(node);
  uint64_t size = 0;
  bool negative = text && text[0] == '-';
  bool ok = is_plain(node) && magnitude(text + negative, &size) && size <= (uint64_t)INT64_MAX + negative;
  *out = (int64_t)(negative ? -size : size);
  return (ok && *out >= low && *out <= high) ||
    weir_fail(y->sink, weir_yaml_place(y, node), "%s must be an integer from %" PRId64 " to %" PRId64, what, low, high);
}

// YAML's names for what decimal digits cannot write.
static bool special(const char *text, double *out) {
  bool negative = text[0] == '-';
  if (!strcmp(text + negative, ".inf"))
    *out = negative ? -INFINITY : INFINITY;
  else if (!strcmp(text, ".nan"))
    *out = NAN;
  else
    return false;
  return true;
}

static bool number_text(struct weir_yaml *y, yaml_node_t *node, const char *what) {
  const char *text = scalar(node);
  double ignored;
  if (is_plain(node) && (special(text, &ignored) || (*text && !text[strspn(text, "+-.0123456789eE")]))) return true;
  return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a number", what);
}

bool weir_yaml_f64(struct weir_yaml *y, yaml_node_t *node, const char *what, double *out) {
  if (!number_text(y, node, what)) return false;
  const char *text = scalar(node);
  char *end;
  if (special(text, out)) return true;
  *out = strtod(text, &end);
  if (!*end && end != text && !isinf(*out)) return true;
  return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a number in double precision's range", what);
}

bool weir_yaml_f32(struct weir_yaml *y, yaml_node_t *node, const char *what, float *out) {
  if (!number_text(y, node, what)) return false;
  const char *text = scalar(node);
  char *end;
  double d;
  if (special(text, &d)) {
    *out = (float)d;
    return true;
  }
  *out = strtof(text, &end);
  if (!*end && end != text && !isinf(*out)) return true;
  return weir_fail(y->sink, weir_yaml_place(y, node), "%s must be a number in single precision's range", what);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/yaml.h"

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

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// docs/run.schema.json: the tables of members as a JSON Schema (draft 2020-12). A table is written once, as a definition.
#include "base/alloc.h"
#include "cli/pages.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

struct definitions {
  json_t *all; // by name
  const struct weir_member **tables;
  uint32_t count, capacity;
};

static json_t *type_of(const char *name) {
  return json_pack("{s:s}", "type", name);
}

static json_t *scalar(void) {
  return json_pack("{s:[s,s,s]}", "type", "number", "boolean", "string");
}

static json_t *counter(void) {
  return json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);
}

static json_t *table_schema(struct definitions *d, const struct weir_member *table);

static bool is_wildcard(const struct weir_member *m) {
  return *m->name == '<';
}

static bool is_include(const struct weir_member *m) {
  return !strcmp(m->name, "…");
}

// What a list holds: objects of the table, what its one row stands for, or numbers (columns, which may be lists again).
static json_t *elements(struct definitions *d, const struct weir_member *table) {
  if (!table) return json_pack("{s:[s,s]}", "type", "number", "array");
  return is_wildcard(table) && table->kind == WEIR_TEXT ? type_of("string") : table_schema(d, table);
}

static json_t *value_schema(struct definitions *d, const struct weir_member *m) {
  switch (m->kind) {
  case WEIR_INTEGER: return counter();
  case WEIR_REAL: return type_of("number");
  case WEIR_SCALAR: return scalar();
  case WEIR_TEXT: return type_of("string");
  case WEIR_BOOLEAN: return type_of("boolean");
  case WEIR_OBJECT: return m->members ? table_schema(d, m->members) : type_of("object");
  case WEIR_LIST: return json_pack("{s:s, s:o}", "type", "array", "items", elements(d, m->members));
  }
  abort();
}

static json_t *member_schema(struct definitions *d, const struct weir_member *m) {
  json_t *schema = value_schema(d, m);
  if (strstr(m->meaning, "null")) schema = json_pack("{s:[o,{s:s}]}", "anyOf", schema, "type", "null");
  json_object_set_new(schema, "description", json_string(m->meaning));
  if (*m->unit) json_object_set_new(schema, "$comment", json_string(m->unit));
  return schema;
}

static void put_members(struct definitions *d, const struct weir_member *table, json_t *schema) {
  json_t *properties = json_object_get(schema, "properties"), *required = json_object_get(schema, "required");
  for (const struct weir_member *m = table; m->name; m++) {
    if (is_include(m)) {
      put_members(d, m->members, schema);
    } else if (is_wildcard(m)) {
      json_object_set_new(schema, "additionalProperties", member_schema(d, m));
    } else {
      json_object_set_new(properties, m->name, member_schema(d, m));
      if (!strstr(m->meaning, "there only")) json_array_append_new(required, json_string(m->name));
    }
  }
}

// Of a functional run the counts are few.
static void require_little(json_t *schema) {
  json_object_set_new(schema, "required", json_pack("[s]", "warp_instructions"));
}

static json_t *object_schema(struct definitions *d, const struct weir_member *table) {
  json_t *schema =
    json_pack("{s:s, s:{}, s:b, s:[]}", "type", "object", "properties", "additionalProperties", 0, "required");
  put_members(d, table, schema);
  return schema;
}

static bool has_counts(const struct weir_member *table) {
  for (const struct weir_member *m = table; m->name; m++)
    if (is_include(m) && m->members == weir_counts_members) return true;
  return table == weir_counts_members;
}

static json_t *table_schema(struct definitions *d, const struct weir_member *table) {
  uint32_t i = 0;
  while (i < d->count && d->tables[i] != table) i++;
  char name[32];
  snprintf(name, sizeof name, "object%u", i + 1);
  if (i == d->count) {
    *weir_push(d->tables, d->count, d->capacity) = table;
    json_object_set_new(d->all, name, json_null()); // its place, before those within it
    json_t *schema = object_schema(d, table);
    if (has_counts(table)) require_little(schema);
    json_object_set_new(d->all, name, schema);
  }
  return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name));
}

void weir_print_schema(FILE *to) {
  struct definitions d = {.all = json_object()};
  json_t *run = object_schema(&d, weir_run_members);
  json_object_set_new(json_object_get(json_object_get(run, "properties"), "schema_version"), "const",
                      json_integer(WEIR_SCHEMA_VERSION));
  json_t *schema = json_pack("{s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title",
                             "weir's run object", "$comment", "Made by 'weir help --schema'. Do not edit.");
  json_object_update(schema, run);
  json_object_set_new(schema, "$defs", d.all);
  char *text = weir_json_text(schema, true);
  fprintf(to, "%s\n", text);
  free(text);
  json_decref(run);
  json_decref(schema);
  weir_free(d.tables);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stream/fields.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 1, ENTRY = 3 };

void weir_fields_add(struct weir_fields *f, struct weir_field field) {
  *weir_push(f->field, f->size, f->capacity) = field;
}

void weir_fields_free(struct weir_fields *f) {
  weir_free(f->field);
}

int weir_field_compare(const void *a, const void *b) {
  const struct weir_field *x = a, *y = b;
  int order = memcmp(x->at, y->at, x->length < y->length ? x->length : y->length);
  return order ? order : (x->length > y->length) - (x->length < y->length);
}

static int compare(const void *a, const void *b) {
  const struct weir_field *x = a, *y = b;
  int order = weir_field_compare(x, y);
  return order ? order : (x->group > y->group) - (x->group < y->group);
}

void weir_fields_sort(struct weir_fields *f) {
  size_t kept = 0;
  if (f->size) qsort(f->field, f->size, sizeof *f->field, compare);
  for (size_t i = 0; i < f->size; i++)
    if (kept && !compare(&f->field[kept - 1], &f->field[i]))
      f->field[kept - 1].count += f->field[i].count;
    else
      f->field[kept++] = f->field[i];
  f->size = kept;
}

uint32_t weir_fields_different(const struct weir_fields *f) {
  uint32_t different = 0;
  for (size_t i = 0; i < f->size; i++) different += i == 0 || weir_field_compare(&f->field[i - 1], &f->field[i]);
  return different;
}

uint32_t weir_table_size(uint32_t different) {
  uint32_t size = 64;
  while (size < 2 * different) size *= 2;
  return size;
}

static uint32_t hash(const struct weir_field *f) {
  uint32_t h = UINT32_C(0x811C9DC5);
  for (uint32_t i = 0; i < f->length; i++) h = (h ^ (unsigned char)f->at[i]) * UINT32_C(0x01000193);
  return h;
}

static void write_report(const struct weir_fields *f, uint32_t *report, uint64_t words) {
  report[0] = (uint32_t)f->size;
  for (size_t i = 0; i < f->size && HEAD + ENTRY * (i + 1) <= words; i++) {
    uint32_t *entry = report + HEAD + ENTRY * i;
    entry[0] = hash(&f->field[i]);
    entry[1] = f->field[i].group;
    entry[2] = f->field[i].count;
  }
}

static uint32_t *words_of(struct weir_host *h, const struct weir_report *r) {
  return weir_host_bytes(h, r->at, r->words * sizeof(uint32_t));
}

void weir_report_expect(struct weir_host *h, struct weir_report *r, const struct weir_fields *sorted) {
  r->words = HEAD + ENTRY * (uint64_t)sorted->size;
  r->want = weir_new_array(uint32_t, r->words);
  write_report(sorted, r->want, r->words);
  r->at = weir_host_alloc(h, "report", r->words * sizeof(uint32_t));
  weir_host_result(h, "report", r->at, r->words * sizeof(uint32_t));
}

void weir_report_give(struct weir_host *h, const struct weir_report *r, const struct weir_fields *sorted) {
  write_report(sorted, words_of(h, r), r->words);
}

bool weir_report_check(struct weir_host *h, const struct weir_report *r) {
  return weir_check_u32(h, "report", words_of(h, r), r->want, r->words);
}

void weir_report_free(struct weir_report *r) {
  weir_free(r->want);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Fields of a text, counted: what a program's hash table holds, in an order that does not depend on where in the table
// it is. Invariant: `at` points into a text that outlives the list.
#ifndef WEIR_STREAM_FIELDS_H
#define WEIR_STREAM_FIELDS_H

#include "stream/stream.h"

struct weir_field {
  const char *at;
  uint32_t length, group, count;
};

struct weir_fields {
  struct weir_field *field;
  size_t size, capacity;
};

int weir_field_compare(const void *a, const void *b); // two fields by their texts, as qsort has it
void weir_fields_add(struct weir_fields *f, struct weir_field field);
// In ascending order of text, then group; equal ones become one, with the sum of their counts.
void weir_fields_sort(struct weir_fields *f);
uint32_t weir_fields_different(const struct weir_fields *f); // texts, of sorted fields
void weir_fields_free(struct weir_fields *f);

// The size of a table for so many different fields: a power of two, at least half of it empty.
uint32_t weir_table_size(uint32_t different);

// The result of a program that fills a table: how many fields it found, then each one's hash, group and count. The
// reference's fields say how long it is; what does not fit is left out.
struct weir_report {
  uint64_t at, words; // device address
  uint32_t *want;
};

void weir_report_expect(struct weir_host *h, struct weir_report *r, const struct weir_fields *sorted);
void weir_report_give(struct weir_host *h, const struct weir_report *r, const struct weir_fields *sorted);
bool weir_report_check(struct weir_host *h, const struct weir_report *r);
void weir_report_free(struct weir_report *r);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "host/graph_private.h"

void weir_entries_add(struct weir_entries *e, uint32_t row, uint32_t column) {
  size_t count = e->count;
  *weir_push(e->row, count, e->row_capacity) = row;
  *weir_push(e->column, e->count, e->column_capacity) = column;
}

void weir_entries_add_value(struct weir_entries *e, uint32_t row, uint32_t column, float value) {
  size_t count = e->count;
  *weir_push(e->value, count, e->value_capacity) = value;
  weir_entries_add(e, row, column);
}

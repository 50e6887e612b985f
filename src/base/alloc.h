// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Heap allocation that cannot return NULL: out of memory ends the process with a message and exit code 1.
#ifndef WEIR_BASE_ALLOC_H
#define WEIR_BASE_ALLOC_H

#include <stddef.h>

void *weir_alloc(size_t bytes);                           // zeroed
void *weir_alloc_aligned(size_t alignment, size_t bytes); // zeroed; alignment a power of two
void *weir_alloc_pages(size_t bytes);                     // zeroed, whole pages that cost memory once they are touched
void weir_free_pages(void *p, size_t bytes);              // as many as were asked for
void *weir_alloc_table(size_t bytes);        // zeroed, aligned to 64 bytes; a large one costs memory once it is touched
void weir_free_table(void *p, size_t bytes); // as many as were asked for; p may be NULL
void *weir_realloc(void *p, size_t bytes);   // grown part is not zeroed
char *weir_text_copy(const char *text);
char *weir_text_format(const char *format, ...) __attribute__((format(printf, 1, 2))); // what printf would print
void weir_free(void *p);

#define weir_new(type) ((type *)weir_alloc(sizeof(type)))
#define weir_new_array(type, n) ((type *)weir_alloc(sizeof(type) * (size_t)(n)))

// Makes room for one more element of a growing array: `items`, its `count` and its `capacity` are lvalues.
#define weir_push(items, count, capacity)                                                                              \
  ((count) == (capacity) ? (void)((capacity) = (capacity) ? (capacity)*2 : 8,                                          \
                                  (items) = weir_realloc((items), (size_t)(capacity) * sizeof *(items)))               \
                         : (void)0,                                                                                    \
   &(items)[(count)++])

#endif

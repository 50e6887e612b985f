// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "base/alloc.h"

#include "base/sanitizer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *checked(void *p, size_t bytes) {
  if (p || !bytes) return p;
  fprintf(stderr, "weir: out of memory (%zu bytes asked for)\n", bytes);
  exit(1);
}

void *weir_alloc(size_t bytes) {
  return checked(calloc(1, bytes ? bytes : 1), bytes);
}

void *weir_alloc_aligned(size_t alignment, size_t bytes) {
  size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  void *p = checked(aligned_alloc(alignment, rounded ? rounded : alignment), bytes);
  return memset(p, 0, rounded);
}

void *weir_alloc_pages(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return checked(p == MAP_FAILED ? NULL : p, bytes);
}

void weir_free_pages(void *p, size_t bytes) {
  munmap(p, bytes);
}

enum { TABLE_ALIGNMENT = 64, PAGE = 4 << 10, TABLE_PAGES_FROM = PAGE };

#ifdef WEIR_SANITIZES_ADDRESSES
// The sanitizer does not know of pages: a table ends where a page that cannot be touched begins.
static size_t rounded(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

static size_t before_table(size_t bytes) {
  const size_t table = rounded(bytes, TABLE_ALIGNMENT);
  return rounded(table, PAGE) - table;
}

static void *table_pages(size_t bytes) {
  char *pages = weir_alloc_pages(rounded(bytes, PAGE) + PAGE);
  mprotect(pages + rounded(bytes, PAGE), PAGE, PROT_NONE);
  return pages + before_table(bytes);
}

static void free_table_pages(char *p, size_t bytes) {
  weir_free_pages(p - before_table(bytes), rounded(bytes, PAGE) + PAGE);
}
#else
static void *table_pages(size_t bytes) {
  return weir_alloc_pages(bytes);
}

static void free_table_pages(void *p, size_t bytes) {
  weir_free_pages(p, bytes);
}
#endif

void *weir_alloc_table(size_t bytes) {
  return bytes < TABLE_PAGES_FROM ? weir_alloc_aligned(TABLE_ALIGNMENT, bytes) : table_pages(bytes);
}

void weir_free_table(void *p, size_t bytes) {
  if (bytes < TABLE_PAGES_FROM)
    weir_free(p);
  else if (p)
    free_table_pages(p, bytes);
}

void *weir_realloc(void *p, size_t bytes) {
  return checked(realloc(p, bytes), bytes);
}

char *weir_text_copy(const char *text) {
  return checked(strdup(text), strlen(text) + 1);
}

void weir_free(void *p) {
  free(p);
}

char *weir_text_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = weir_alloc((size_t)length + 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

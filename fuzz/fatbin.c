// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Fat binaries of any bytes: nothing is read outside them, entries lie within, and every text is NUL-terminated.
#include "base/alloc.h"
#include "binary/cubin.h"
#include "binary/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct weir_place place = {.file = "fuzz.fatbin"};

static void check_text(const struct weir_fatbin_entry *e) {
  struct weir_sink sink = {0};
  size_t bytes;
  char *text = weir_fatbin_text(e, place, &bytes, &sink);
  if (!text != (sink.errors > 0)) abort(); // says why exactly when it fails
  if (text && text[bytes]) abort();
  weir_free(text);
  weir_sink_free(&sink);
}

// Machine code: kernels with names and registers, or why not.
static void check_code(const struct weir_fatbin_entry *e) {
  struct weir_sink sink = {0};
  size_t bytes;
  unsigned count;
  uint8_t *code = weir_fatbin_bytes(e, place, &bytes, &sink);
  struct weir_cubin_kernel *k = code ? weir_cubin_kernels(code, bytes, place, &count, &sink) : NULL;
  if (!k != (sink.errors > 0)) abort();
  for (unsigned i = 0; k && i < count; i++)
    if (!k[i].registers || !k[i].name) abort();
  if (k) weir_cubin_free(k, count);
  weir_free(code);
  weir_sink_free(&sink);
}

static void check_entry(const struct weir_fatbin_entry *e, const uint8_t *data, size_t size) {
  if (e->payload < data || e->payload > data + size) abort();
  if (e->payload_bytes > (size_t)(data + size - e->payload)) abort();
  if (e->text_bytes < 1 << 24) e->kind == WEIR_FATBIN_ELF ? check_code(e) : check_text(e); // larger ones only take time
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  unsigned count;
  struct weir_fatbin_entry *entries = weir_fatbin_entries(data, size, place, &count, &sink);
  if (!entries != (sink.errors > 0)) abort();
  for (unsigned k = 0; entries && k < count; k++) check_entry(&entries[k], data, size);
  const struct weir_fatbin_entry *best = entries ? weir_fatbin_best(entries, count, 0) : NULL;
  if (best && best->kind != WEIR_FATBIN_PTX) abort();
  weir_free(entries);
  weir_sink_free(&sink);
  return 0;
}

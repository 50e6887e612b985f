// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX of any shape, and any choice of options: what parses is transformed, the same each time, into what parses again,
// and once more.
#include "mutate.h"

#include "base/alloc.h"
#include "ptx/parse.h"
#include "sl1/sl1.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Chosen by the last bytes of the text, which are white space or the end of a comment in most.
static struct weir_sl1_options choose(const uint8_t *data, size_t size) {
  static const uint32_t line_bytes[] = {8, 16, 24, 32};
  struct weir_sl1_options o = weir_sl1_defaults();
  uint32_t bits = 0;
  for (size_t i = size < 4 ? 0 : size - 4; i < size; i++) bits = bits << 8 | data[i];
  bits *= 0x9E3779B1u; // white space alone makes a choice, too
  o.line_bytes = line_bytes[bits >> 30];
  o.alias = (enum weir_sl1_alias)((bits >> 26 & 15) % 3);
  o.scope = (enum weir_sl1_scope)(bits >> 25 & 1);
  o.count = (enum weir_sl1_count)(bits >> 24 & 1);
  o.layout = (enum weir_sl1_layout)(bits >> 23 & 1);
  o.write_miss = (enum weir_sl1_write_miss)(bits >> 22 & 1);
  o.cacheable = (enum weir_sl1_cacheable)(bits >> 21 & 1);
  o.barrier_fence = bits >> 20 & 1;
  o.remonitor = bits >> 19 & 1;
  o.static_proof = bits >> 18 & 1;
  o.original_slice = bits >> 17 & 1;
  o.counters = bits >> 16 & 1;
  o.most_lines = bits >> 14 & 3;
  return o;
}

static struct weir_module *parse_again(const char *text) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("transformed.ptx", text, strlen(text), &sink);
  if (m) {
    weir_sink_free(&sink);
    return m;
  }
  fputs(text, stderr);
  weir_sink_print(&sink, stderr);
  abort();
}

// Candidates may get a line; a kernel without any is as it was.
static void check_report(const struct weir_sl1_report *r) {
  for (uint32_t i = 0; i < r->kernel_count; i++) {
    const struct weir_sl1_kernel *k = &r->kernels[i];
    uint32_t candidates = 0, loops = 0;
    for (uint32_t s = 0; s < k->structure_count; s++) candidates += k->structures[s].verdict == WEIR_SL1_CANDIDATE;
    for (uint32_t l = 0; l < k->loop_count; l++) loops += !k->loops[l].left_alone;
    if (candidates != k->candidates || (k->transformed && (!candidates || !loops))) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("fuzz.ptx", (const char *)data, size, &sink);
  weir_sink_free(&sink);
  if (!m) return 0;
  const struct weir_sl1_options o = choose(data, size);
  struct weir_sl1_report report;
  char *text = weir_sl1_transform(m, &o, &report), *same = weir_sl1_transform(m, &o, NULL);
  check_report(&report);
  if (strcmp(text, same) != 0) abort();
  struct weir_module *once = parse_again(text);
  char *more = weir_sl1_transform(once, &o, NULL);
  struct weir_module *twice = parse_again(more);
  weir_module_free(twice);
  weir_module_free(once);
  weir_module_free(m);
  weir_sl1_report_free(&report);
  weir_free(more);
  weir_free(same);
  weir_free(text);
  return 0;
}

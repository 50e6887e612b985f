// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX of any shape: parsing reports or succeeds; what was parsed prints as PTX that parses and prints the same again.
#include "mutate.h"

#include "base/alloc.h"
#include "ptx/cfg.h"
#include "ptx/check.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *printed(const struct weir_module *m, size_t *size) {
  char *text = NULL;
  FILE *f = open_memstream(&text, size);
  if (!f) abort();
  weir_ptx_print(m, f);
  fclose(f);
  return text;
}

static void print_is_stable(const struct weir_module *m) {
  size_t size, again_size;
  char *text = printed(m, &size);
  struct weir_sink sink = {0};
  struct weir_module *again = weir_ptx_parse("printed.ptx", text, size, &sink);
  if (!again) {
    fputs(text, stderr);
    weir_sink_print(&sink, stderr);
    abort();
  }
  char *text_again = printed(again, &again_size);
  if (strcmp(text, text_again) != 0) {
    fprintf(stderr, "%s----\n%s", text, text_again);
    abort();
  }
  free(text);
  free(text_again);
  weir_module_free(again);
  weir_sink_free(&sink);
}

// Every block's post-dominators lead to the exit, however the branches go.
static void check_graph(const struct weir_function *f) {
  struct weir_cfg cfg;
  weir_cfg_build(&cfg, f);
  for (uint32_t b = 0; b < cfg.block_count; b++) {
    uint32_t at = b, steps = 0;
    for (; at != cfg.block_count; at = cfg.blocks[at].post_dominator)
      if (steps++ > cfg.block_count) abort();
    weir_cfg_reconvergence(&cfg, cfg.blocks[b].first);
  }
  weir_cfg_free(&cfg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("fuzz.ptx", (const char *)data, size, &sink);
  if (!m != (sink.errors > 0)) abort(); // says why exactly when it fails
  if (m) {
    weir_ptx_check(m, &sink);
    print_is_stable(m);
    for (uint32_t i = 0; i < m->function_count; i++)
      if (m->functions[i]->has_body) check_graph(m->functions[i]);
    weir_module_free(m);
  }
  weir_sink_free(&sink);
  return 0;
}

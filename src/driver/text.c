// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A module as the driver's compiler wants it.
#include "base/alloc.h"
#include "driver/driver_private.h"
#include "ptx/cache_operator.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>

// Stores the shared-space address of dynamic shared memory: what lies before it is the driver's.
static const char probe[] =
  ".extern .shared .align 16 .b8 " WEIR_PROBE "_memory[];\n"
  ".visible .entry " WEIR_PROBE "(.param .u64 " WEIR_PROBE "_result)\n"
  "{\n"
  "\t.reg .b32 %start;\n"
  "\t.reg .b64 %result;\n"
  "\tld.param.u64 %result, [" WEIR_PROBE "_result];\n"
  "\tmov.u32 %start, " WEIR_PROBE "_memory;\n"
  "\tst.global.u32 [%result], %start;\n"
  "\tret;\n"
  "}\n";

static char *printed(const struct weir_module *m, const char *more) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f) abort();
  weir_ptx_print(m, f);
  fputs(more, f);
  fclose(f);
  return text;
}

// ptxas takes the target option debug only together with DWARF sections, which OpenCL compilers leave to it.
static void drop_debug(struct weir_module *m) {
  for (uint32_t k = 0; k < m->item_count; k++)
    if (m->items[k].kind == WEIR_ITEM_TEXT && !strncmp(m->items[k].text, ".section", 8)) return;
  for (uint32_t k = 0; k < m->item_count; k++) {
    struct weir_item *item = &m->items[k];
    if (item->kind != WEIR_ITEM_TEXT || strncmp(item->text, ".target", 7)) continue;
    char *text = weir_arena_text(&m->arena, item->text, strlen(item->text)), *rest = text, *part;
    char *kept = weir_arena_text(&m->arena, text, strlen(text) + 1);
    kept[0] = 0;
    while ((part = strsep(&rest, ","))) {
      if (strstr(part, "debug")) continue;
      if (kept[0]) strcat(kept, ",");
      strcat(kept, part);
    }
    item->text = kept;
  }
}

// What the host names must be visible to it. OpenCL compilers do not say so.
static void make_visible(struct weir_module *m) {
  for (uint32_t k = 0; k < m->function_count; k++) {
    struct weir_function *f = m->functions[k];
    if (f->entry && f->linkage == WEIR_LINK_NONE) f->linkage = WEIR_LINK_VISIBLE;
  }
  for (uint32_t k = 0; k < m->item_count; k++) {
    if (m->items[k].kind != WEIR_ITEM_VARIABLE || m->items[k].joined) continue;
    struct weir_symbol *s = m->items[k].variable;
    if (s->linkage != WEIR_LINK_NONE || (s->space != WEIR_SPACE_GLOBAL && s->space != WEIR_SPACE_CONST)) continue;
    char *visible = weir_text_format(".visible %s", s->written);
    s->written = weir_arena_text(&m->arena, visible, strlen(visible));
    weir_free(visible);
  }
}

char *weir_driver_text(const struct weir_module *m, enum weir_cache_op loads, bool with_probe) {
  struct weir_sink sink = {0};
  char *text = printed(m, "");
  struct weir_module *copy = weir_ptx_parse(m->path, text, strlen(text), &sink);
  if (!copy) { // printing is the inverse of parsing: a fault of weir's
    weir_sink_print(&sink, stderr);
    abort();
  }
  free(text);
  weir_ptx_set_load_operator(copy, loads);
  drop_debug(copy);
  make_visible(copy);
  text = printed(copy, with_probe ? probe : "");
  weir_module_free(copy);
  return text;
}

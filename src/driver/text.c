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
static const char probe[] = ".extern .shared .align 16 .b8 " WEIR_PROBE "_memory[];\n"
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

static bool is_directive(const struct weir_item *item, const char *name) {
  return item->kind == WEIR_ITEM_TEXT && !strncmp(item->text, name, strlen(name));
}

static bool has_sections(const struct weir_module *m) {
  for (uint32_t k = 0; k < m->item_count; k++)
    if (is_directive(&m->items[k], ".section")) return true;
  return false;
}

static bool is_of_images(const struct weir_instruction *in) {
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  return effect == WEIR_EFFECT_TEXTURE || effect == WEIR_EFFECT_SURFACE_LOAD || effect == WEIR_EFFECT_SURFACE_STORE ||
    effect == WEIR_EFFECT_QUERY;
}

static bool has_images(const struct weir_module *m) {
  for (uint32_t f = 0; f < m->function_count; f++)
    for (uint32_t k = 0; k < m->functions[f]->statement_count; k++) {
      const struct weir_statement *s = &m->functions[f]->statements[k];
      if (s->kind == WEIR_STMT_INSTRUCTION && is_of_images(s->instruction)) return true;
    }
  return false;
}

// The text as the module keeps it; frees it.
static const char *kept(struct weir_module *m, char *text) {
  const char *copy = weir_arena_text(&m->arena, text, strlen(text));
  weir_free(text);
  return copy;
}

// OpenCL compilers leave two options that CUDA does not want: debug, which ptxas takes only together with DWARF
// sections, and the mode of textures, which means nothing where there are none and is not that of CUDA's modules.
static void set_target(struct weir_module *m, struct weir_item *item) {
  const bool debug = has_sections(m), images = has_images(m);
  char *rest = weir_arena_text(&m->arena, item->text, strlen(item->text)), *part;
  char *kept = weir_arena_text(&m->arena, item->text, strlen(item->text));
  kept[0] = 0;
  while ((part = strsep(&rest, ","))) {
    if ((strstr(part, "debug") && !debug) || (strstr(part, "texmode") && !images)) continue;
    if (kept[0]) strcat(kept, ",");
    strcat(kept, part);
  }
  item->text = kept;
}

// An older driver refuses a newer version, whatever the text uses of it.
static void set_version(struct weir_module *m, struct weir_item *item, unsigned newest) {
  if (m->version_number <= newest) return;
  item->text = kept(m, weir_text_format(".version %u.%u", newest / 10, newest % 10));
}

static void set_head(struct weir_module *m, unsigned newest) {
  for (uint32_t k = 0; k < m->item_count; k++) {
    if (is_directive(&m->items[k], ".target")) set_target(m, &m->items[k]);
    if (is_directive(&m->items[k], ".version")) set_version(m, &m->items[k], newest);
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
    s->written = kept(m, weir_text_format(".visible %s", s->written));
  }
}

// CUDA's driver refuses a whole module (CUDA_ERROR_INVALID_IMAGE) for one kernel parameter that says it points to shared
// memory, though ptxas takes it: OpenCL's __local arguments. Without .ptr the parameter is the integer that it is.
static void hide_local_argument(struct weir_module *m, struct weir_symbol *s) {
  if (!s->ptr_written || s->ptr_space != WEIR_SPACE_SHARED) return;
  s->written = kept(m, weir_text_format(".param .%s %s", weir_type_name(s->type), s->name));
}

static void hide_local_arguments(struct weir_module *m) {
  for (uint32_t f = 0; f < m->function_count; f++)
    for (uint32_t k = 0; k < m->functions[f]->param_count; k++) hide_local_argument(m, m->functions[f]->params[k]);
}

char *weir_driver_text(const struct weir_module *m, enum weir_cache_op loads, bool with_probe, unsigned newest) {
  struct weir_sink sink = {0};
  char *text = printed(m, "");
  struct weir_module *copy = weir_ptx_parse(m->path, text, strlen(text), &sink);
  if (!copy) { // printing is the inverse of parsing: a fault of weir's
    weir_sink_print(&sink, stderr);
    abort();
  }
  free(text);
  weir_ptx_set_load_operator(copy, loads);
  set_head(copy, newest);
  make_visible(copy);
  hide_local_arguments(copy);
  text = printed(copy, with_probe ? probe : "");
  weir_module_free(copy);
  return text;
}

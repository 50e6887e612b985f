// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which source line an instruction belongs to. A function of a toolkit's header (__ldg, tex1Dfetch) that was inlined is not
// what a programmer wants to read of: such an instruction belongs to the line that called it. A toolkit is known by where it is
// installed; other headers, wherever they lie (/opt/project, /usr/src/app, /usr/local/include), are a program's own.
#include "ptx/parser.h"

#include "base/alloc.h"

#include <string.h>

enum { LOOKS_BACK = 4096 }; // .loc directives

static bool same(struct weir_source a, struct weir_source b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

// The latest .loc of that position in this function, 1-based; 0: none.
static uint32_t find(const struct weir_parser *p, struct weir_source at) {
  for (uint32_t i = p->loc_count, n = 0; i > p->function_locs && n < LOOKS_BACK; i--, n++)
    if (same(p->locs[i - 1].at, at)) return i;
  return 0;
}

void weir_source_loc(struct weir_parser *p, struct weir_source at, const struct weir_source *caller) {
  struct weir_loc loc = {.at = at};
  if (caller) loc.inlined = true, loc.caller = *caller, loc.outer = find(p, *caller);
  *weir_push(p->locs, p->loc_count, p->loc_capacity) = loc;
}

void weir_source_begin(struct weir_parser *p) {
  p->function_locs = p->loc_count;
}

void weir_source_take(struct weir_parser *p, struct weir_instruction *i) {
  if (p->loc_count == p->function_locs) return;
  const struct weir_loc *loc = &p->locs[p->loc_count - 1];
  i->source_file = loc->at.file, i->source_line = loc->at.line, i->source_column = loc->at.column;
  if (loc->inlined)
    *weir_push(p->inlined, p->inlined_count, p->inlined_capacity) = (struct weir_inlined){i, p->loc_count};
}

static bool is_toolkit(const struct weir_module *m, uint32_t file) {
  static const char *const roots[] = {"/usr/include/", "/usr/lib", "/usr/local/cuda", "/opt/cuda", "/opt/nvidia/"};
  const char *path = file < m->file_count ? m->files[file] : NULL;
  for (unsigned i = 0; path && i < sizeof roots / sizeof *roots; i++)
    if (!strncmp(path, roots[i], strlen(roots[i]))) return true;
  return path && (strstr(path, "/targets/x86_64-linux/include/") || strstr(path, "/lib/clang/"));
}

void weir_source_settle(struct weir_parser *p) {
  for (uint32_t k = 0; k < p->inlined_count; k++) {
    struct weir_instruction *i = p->inlined[k].instruction;
    const struct weir_loc *loc = &p->locs[p->inlined[k].loc - 1];
    while (loc && loc->inlined && is_toolkit(p->m, i->source_file)) {
      i->source_file = loc->caller.file, i->source_line = loc->caller.line, i->source_column = loc->caller.column;
      loc = loc->outer ? &p->locs[loc->outer - 1] : NULL;
    }
  }
}

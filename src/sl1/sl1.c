// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/sl1.h"

#include "base/alloc.h"
#include "ptx/print.h"
#include "sl1/write.h"

#include <stdlib.h>
#include <string.h>

struct target {
  bool sync_votes;  // of sm_70 and above
  uint16_t version; // that the text needs
};

static struct target target_of(const struct weir_module *m) {
  const char *sm = m->target ? strstr(m->target, "sm_") : NULL;
  const bool volta = sm && atoi(sm + 3) >= 70;
  const uint16_t least = volta ? 62 : 41; // activemask; %dynamic_smem_size
  return (struct target){volta, m->version_number > least ? m->version_number : least};
}

// ---- one kernel -----------------------------------------------------------------------------------------------------

static bool uses_dynamic(const struct weir_operand *o) {
  const struct weir_symbol *s = o->symbol;
  if (s && s->kind == WEIR_SYM_VARIABLE && s->space == WEIR_SPACE_SHARED && s->linkage == WEIR_LINK_EXTERN) return true;
  for (uint32_t k = 0; k < o->part_count; k++)
    if (uses_dynamic(&o->parts[k])) return true;
  return false;
}

static bool function_uses_dynamic(const struct weir_function *f) {
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (f->statements[s].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[s].instruction;
    for (uint32_t k = 0; k < in->operand_count; k++)
      if (uses_dynamic(&in->operands[k])) return true;
  }
  return false;
}

// Whether the kernel may use dynamic shared memory itself: an extern array, here or in a function, or an argument.
static bool has_own(const struct weir_module *m, const struct weir_function *kernel) {
  for (uint32_t k = 0; k < kernel->param_count; k++)
    if (kernel->params[k]->ptr_written && kernel->params[k]->ptr_space == WEIR_SPACE_SHARED) return true;
  for (uint32_t k = 0; k < m->function_count; k++)
    if ((m->functions[k] == kernel || !m->functions[k]->entry) && function_uses_dynamic(m->functions[k])) return true;
  return false;
}

static void put_variables(struct weir_sl1_writer *w) {
  const struct weir_sl1_analysis *a = w->a;
  const uint32_t n = a->candidate_count;
  // Several modules that are linked may have the kernel: the instance of a template.
  const char *linkage = a->f->symbol->linkage == WEIR_LINK_WEAK ? ".weak" : ".visible";
  weir_sl1_put(
    w, "// S-L1: bytes of a line, most lines of a thread, bytes of dynamic shared memory that are the kernel's own\n");
  weir_sl1_put(w, "%s .const .align 4 .u32 %s__sl1[4] = {%u, %u, %u, 0};\n", linkage, w->kernel, a->o->line_bytes,
               weir_sl1_most_lines(w), has_own(a->m, a->f) ? UINT32_MAX : 0);
  weir_sl1_put(w, ".extern .shared .align 16 .b8 %s__sl1_lines[];\n", w->kernel);
  if (a->o->scope == WEIR_SL1_PER_BLOCK) weir_sl1_put(w, ".shared .align 4 .u32 %s__sl1_sums[%u];\n", w->kernel, 2 * n);
  if (a->o->counters) weir_sl1_put(w, "%s .global .align 8 .u64 %s__sl1_counts[%u];\n", linkage, w->kernel, 8 * n);
}

// Blocks that a slice leaves for by no branch, or goes on at, get a label.
static void find_labels(struct weir_sl1_writer *w) {
  const struct weir_sl1_analysis *a = w->a;
  for (uint32_t k = 0; k < a->main_count; k++)
    if (!a->mains[k].left_alone && a->mains[k].test != a->loops.loops[a->mains[k].loop].header)
      w->labelled[a->mains[k].test] = true;
  for (uint32_t b = 0; b + 1 < a->cfg.block_count; b++) {
    const uint32_t main = a->main_of[b];
    if (main == WEIR_NO_LOOP || a->mains[main].left_alone || a->main_of[b + 1] == main) continue;
    const uint32_t last = a->cfg.blocks[b].first + a->cfg.blocks[b].count - 1;
    w->labelled[b + 1] |= !weir_sl1_leaves(a->cfg.instructions[last]);
  }
}

// What stands before the first statement of a block.
static void begin_block(struct weir_sl1_writer *w, uint32_t block) {
  const struct weir_sl1_analysis *a = w->a;
  const uint32_t main = a->main_of[block];
  if (w->labelled[block]) weir_sl1_put(w, "^e%u:\n", block);
  if (main == WEIR_NO_LOOP || a->mains[main].left_alone || !block) return;
  if (a->loops.loops[a->mains[main].loop].header != block || a->main_of[block - 1] != main) return;
  const uint32_t before = a->cfg.blocks[block].first - 1;
  if (!weir_sl1_leaves(a->cfg.instructions[before])) weir_sl1_put(w, "\tbra \t^o%u;\n", main);
}

static void put_instruction(struct weir_sl1_writer *w, uint32_t i) {
  const struct weir_sl1_analysis *a = w->a;
  const uint32_t block = a->cfg.block_of[i], main = a->main_of[block];
  if (main == WEIR_NO_LOOP || a->mains[main].left_alone) {
    weir_ptx_print_instruction(a->cfg.instructions[i], true, w->to);
    return;
  }
  weir_sl1_put_back(w, main, i);
}

// The main loop that begins with this statement, or WEIR_NO_LOOP.
static uint32_t starting(const struct weir_sl1_analysis *a, uint32_t s) {
  const uint32_t main = a->owner[s] < a->cfg.block_count ? a->main_of[a->owner[s]] : WEIR_NO_LOOP;
  return main != WEIR_NO_LOOP && !a->mains[main].left_alone && a->mains[main].start == s ? main : WEIR_NO_LOOP;
}

static void put_body(struct weir_sl1_writer *w) {
  const struct weir_sl1_analysis *a = w->a;
  uint32_t block = UINT32_MAX;
  bool entered = false;
  for (uint32_t s = 0; s < a->f->statement_count; s++) {
    const struct weir_statement *statement = &a->f->statements[s];
    if (a->owner[s] != block && a->owner[s] < a->cfg.block_count && statement->kind != WEIR_STMT_CLOSE)
      begin_block(w, block = a->owner[s]);
    if (statement->kind == WEIR_STMT_LOC) w->loc = statement->text;
    if (!entered && (statement->kind == WEIR_STMT_OPEN || statement->kind == WEIR_STMT_INSTRUCTION))
      weir_sl1_put_entry(w);
    entered |= statement->kind == WEIR_STMT_OPEN || statement->kind == WEIR_STMT_INSTRUCTION;
    if (starting(a, s) != WEIR_NO_LOOP) weir_sl1_put_slices(w, starting(a, s));
    if (statement->kind == WEIR_STMT_INSTRUCTION)
      put_instruction(w, a->cfg.at_statement[s]);
    else
      weir_ptx_print_statement(a->f, s, w->to);
  }
}

static void put_kernel(const struct weir_sl1_analysis *a, const char *prefix, bool sync_votes, FILE *to) {
  struct weir_sl1_writer w = {
    .a = a, .to = to, .body = to, .prefix = prefix, .kernel = a->f->symbol->name, .sync_votes = sync_votes};
  w.exit_of = weir_new_array(uint32_t, a->cfg.block_count + 1);
  w.labelled = weir_new_array(bool, a->cfg.block_count + 1);
  for (uint32_t k = 0; k < a->main_count; k++) w.mains += !a->mains[k].left_alone;
  find_labels(&w);
  put_variables(&w);
  weir_ptx_print_head(a->f, to);
  fputs("\n{\n", to);
  weir_sl1_put_registers(&w);
  put_body(&w);
  fputs("}\n\n", to);
  weir_free(w.labelled);
  weir_free(w.exit_of);
}

// ---- report ---------------------------------------------------------------------------------------------------------

static bool is_transformed(const struct weir_sl1_analysis *a) {
  for (uint32_t k = 0; k < a->main_count; k++)
    if (!a->mains[k].left_alone) return true;
  return false;
}

static struct weir_sl1_loop loop_at(const struct weir_sl1_analysis *a, uint32_t block, const char *left_alone) {
  const struct weir_instruction *in = a->cfg.instructions[a->cfg.blocks[block].first];
  return (struct weir_sl1_loop){in->line, in->source_file, in->source_line, left_alone};
}

static void report_kernel(struct weir_sl1_report *r, const struct weir_sl1_analysis *a) {
  struct weir_sl1_kernel *k = &r->kernels[r->kernel_count++];
  *k = (struct weir_sl1_kernel){.name = a->f->symbol->name,
                                .structure_count = a->structure_count,
                                .candidates = a->candidate_count,
                                .untraced = a->untraced,
                                .transformed = is_transformed(a)};
  k->structures = weir_arena_array(&r->arena, struct weir_sl1_structure, a->structure_count + 1);
  memcpy(k->structures, a->structures, sizeof *k->structures * a->structure_count);
  k->loops = weir_arena_array(&r->arena, struct weir_sl1_loop, a->main_count + a->loops.irreducible_count + 1);
  for (uint32_t m = 0; m < a->main_count; m++)
    k->loops[k->loop_count++] = loop_at(a, a->loops.loops[a->mains[m].loop].header, a->mains[m].left_alone);
  for (uint32_t b = 0; b < a->loops.irreducible_count; b++)
    if (a->main_of[a->loops.irreducible[b]] == WEIR_NO_LOOP)
      k->loops[k->loop_count++] = loop_at(a, a->loops.irreducible[b], "it is entered at more than one place");
}

void weir_sl1_report_free(struct weir_sl1_report *r) {
  weir_arena_free(&r->arena);
  *r = (struct weir_sl1_report){0};
}

// ---- the module -----------------------------------------------------------------------------------------------------

struct pass {
  const struct weir_module *m;
  const struct weir_sl1_options *o;
  struct weir_sl1_report *report;
  struct target target;
  const char *prefix;
  FILE *to;
};

static void put_function(struct pass *p, uint32_t item) {
  const struct weir_function *f = p->m->items[item].function;
  if (!f->entry || !f->has_body) {
    weir_ptx_print_item(p->m, item, p->to);
    return;
  }
  struct weir_sl1_analysis a;
  weir_sl1_analyse(&a, p->m, f, p->o);
  if (is_transformed(&a))
    put_kernel(&a, p->prefix, p->target.sync_votes, p->to);
  else
    weir_ptx_print_item(p->m, item, p->to);
  if (p->report) report_kernel(p->report, &a);
  weir_sl1_analysis_free(&a);
}

static void put_item(struct pass *p, uint32_t item) {
  const struct weir_item *i = &p->m->items[item];
  if (i->kind == WEIR_ITEM_FUNCTION)
    put_function(p, item);
  else if (i->kind == WEIR_ITEM_TEXT && !strncmp(i->text, ".version", 8))
    fprintf(p->to, ".version %u.%u\n", p->target.version / 10u, p->target.version % 10u);
  else
    weir_ptx_print_item(p->m, item, p->to);
}

// A word that no name of the module's begins with.
static char *free_prefix(const struct weir_module *m) {
  for (unsigned n = 0;; n++) {
    char *prefix = n ? weir_text_format("sl1x%u", n) : weir_text_format("sl1");
    char *found = weir_text_format("%s_", prefix);
    const bool taken = m->text && strstr(m->text, found);
    weir_free(found);
    if (!taken) return prefix;
    weir_free(prefix);
  }
}

char *weir_sl1_transform(const struct weir_module *m, const struct weir_sl1_options *o,
                         struct weir_sl1_report *report) {
  char *text = NULL, *prefix = free_prefix(m);
  size_t bytes = 0;
  struct pass p = {
    .m = m, .o = o, .report = report, .target = target_of(m), .prefix = prefix, .to = open_memstream(&text, &bytes)};
  if (report) {
    *report = (struct weir_sl1_report){0};
    report->kernels = weir_arena_array(&report->arena, struct weir_sl1_kernel, m->function_count + 1);
  }
  for (uint32_t i = 0; i < m->item_count; i++) put_item(&p, i);
  fclose(p.to);
  weir_free(prefix);
  return text;
}

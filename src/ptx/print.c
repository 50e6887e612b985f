// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/print.h"

#include <assert.h>

static const char *const linkages[] = {[WEIR_LINK_NONE] = "",
                                       [WEIR_LINK_EXTERN] = ".extern ",
                                       [WEIR_LINK_VISIBLE] = ".visible ",
                                       [WEIR_LINK_WEAK] = ".weak ",
                                       [WEIR_LINK_COMMON] = ".common "};

static const char *const specials[] = {
#define X(name, spelling) [WEIR_SR_##name] = spelling,
  WEIR_PTX_SPECIALS(X)
#undef X
};

static void put_operand(FILE *to, const struct weir_operand *o);

static void put_list(FILE *to, const struct weir_operand *parts, uint32_t count, const char *separator) {
  for (uint32_t i = 0; i < count; i++) {
    if (i) fputs(separator, to);
    put_operand(to, &parts[i]);
  }
}

static void put_register(FILE *to, const struct weir_symbol *s, uint32_t index) {
  fputs(s->name, to);
  if (s->parameterised) fprintf(to, "%u", index);
}

static void put_address(FILE *to, const struct weir_operand *o) {
  fputc('[', to);
  if (o->symbol) put_register(to, o->symbol, o->index);
  if (o->text) fputs(o->text, to);
  if (o->part_count) fputs(", ", to);
  put_list(to, o->parts, o->part_count, ", ");
  fputc(']', to);
}

static void put_special(FILE *to, const struct weir_operand *o) {
  fputs(specials[o->special], to);
  if (o->special == WEIR_SR_ENVREG || o->special == WEIR_SR_PM) fprintf(to, "%u", o->special_index);
}

static void put_operand(FILE *to, const struct weir_operand *o) {
  switch (o->kind) {
  case WEIR_OPERAND_REGISTER:
    if (o->negated) fputc(o->symbol->type == WEIR_T_PRED ? '!' : '-', to);
    put_register(to, o->symbol, o->index);
    if (o->component) fprintf(to, ".%s", o->text);
    break;
  case WEIR_OPERAND_INTEGER:
  case WEIR_OPERAND_FLOAT: fputs(o->text, to); break;
  case WEIR_OPERAND_SPECIAL: put_special(to, o); break;
  case WEIR_OPERAND_SYMBOL:
    fputs(o->symbol->name, to);
    if (o->text) fputs(o->text, to);
    break;
  case WEIR_OPERAND_ADDRESS: put_address(to, o); break;
  case WEIR_OPERAND_VECTOR:
  case WEIR_OPERAND_LIST:
    fputc(o->kind == WEIR_OPERAND_VECTOR ? '{' : '(', to);
    put_list(to, o->parts, o->part_count, ", ");
    fputc(o->kind == WEIR_OPERAND_VECTOR ? '}' : ')', to);
    break;
  case WEIR_OPERAND_PAIR: put_list(to, o->parts, 2, "|"); break;
  case WEIR_OPERAND_SINK: fputc('_', to); break;
  }
}

void weir_ptx_print_operand(const struct weir_operand *o, FILE *to) {
  put_operand(to, o);
}

void weir_ptx_print_guard(const struct weir_instruction *i, FILE *to) {
  if (!i->guard) return;
  fputs(i->guard_negated ? "@!" : "@", to);
  put_register(to, i->guard, i->guard_index);
  fputc(' ', to);
}

void weir_ptx_print_instruction(const struct weir_instruction *i, bool with_guard, FILE *to) {
  fputc('\t', to);
  if (with_guard) weir_ptx_print_guard(i, to);
  fputs(weir_opcode_name(i->opcode), to);
  for (unsigned m = 0; m < i->modifier_count; m++) fprintf(to, ".%s", i->modifiers[m]);
  if (i->operand_count) fputs(" \t", to);
  put_list(to, i->operands, i->operand_count, ", ");
  fputc(';', to);
  const unsigned machine = i->machine ? i->machine - 1u : 1;
  if (machine != 1) fprintf(to, "\t// %u machine instructions", machine);
  fputc('\n', to);
}

// A declaration; `next` is the statement or item behind it, which may continue it.
static void put_declaration(FILE *to, const struct weir_symbol *s, bool continued) {
  if (s->kind == WEIR_SYM_PROTOTYPE || s->kind == WEIR_SYM_TARGETS) {
    fprintf(to, "%s: %s\n", s->name, s->text);
    return;
  }
  fputs(s->written, to);
  if (s->initial_text) fprintf(to, " = %s", s->initial_text);
  fputs(continued ? ", " : ";\n", to);
}

void weir_ptx_print_statement(const struct weir_function *f, uint32_t index, FILE *to) {
  const struct weir_statement *s = &f->statements[index], *next = index + 1 < f->statement_count ? s + 1 : NULL;
  switch (s->kind) {
  case WEIR_STMT_INSTRUCTION: weir_ptx_print_instruction(s->instruction, true, to); break;
  case WEIR_STMT_LABEL: fprintf(to, "%s:\n", s->symbol->name); break;
  case WEIR_STMT_DECLARATION:
    if (!s->joined) fputc('\t', to);
    put_declaration(to, s->symbol, next && next->kind == WEIR_STMT_DECLARATION && next->joined);
    break;
  case WEIR_STMT_OPEN: fputs("\t{\n", to); break;
  case WEIR_STMT_CLOSE: fputs("\t}\n", to); break;
  case WEIR_STMT_LOC: fprintf(to, "\t.loc %s\n", s->text); break;
  case WEIR_STMT_PRAGMA:
  case WEIR_STMT_TEXT: fprintf(to, "\t%s\n", s->text); break;
  }
}

static void put_parameters(FILE *to, struct weir_symbol *const *params, uint32_t count) {
  fputc('(', to);
  for (uint32_t i = 0; i < count; i++) fprintf(to, "%s\n\t%s", i ? "," : "", params[i]->written);
  fputs(count ? "\n)" : ")", to);
}

static void put_body(FILE *to, const struct weir_function *f) {
  fputs("\n{\n", to);
  for (uint32_t i = 0; i < f->statement_count; i++) weir_ptx_print_statement(f, i, to);
  fputs("}\n\n", to);
}

void weir_ptx_print_head(const struct weir_function *f, FILE *to) {
  fprintf(to, "%s%s ", linkages[f->linkage], f->entry ? ".entry" : ".func");
  if (f->returns_written) put_parameters(to, f->returns, f->return_count), fputc(' ', to);
  fputs(f->symbol->name, to);
  if (f->params_written) put_parameters(to, f->params, f->param_count);
  for (uint32_t i = 0; i < f->directive_count; i++) fprintf(to, "\n%s", f->directives[i]);
}

static void put_function(FILE *to, const struct weir_function *f) {
  weir_ptx_print_head(f, to);
  if (f->has_body)
    put_body(to, f);
  else
    fputs(";\n\n", to);
}

void weir_ptx_print_item(const struct weir_module *m, uint32_t index, FILE *to) {
  const struct weir_item *item = &m->items[index], *next = index + 1 < m->item_count ? item + 1 : NULL;
  switch (item->kind) {
  case WEIR_ITEM_FUNCTION: put_function(to, item->function); break;
  case WEIR_ITEM_VARIABLE:
    put_declaration(to, item->variable, next && next->kind == WEIR_ITEM_VARIABLE && next->joined);
    break;
  case WEIR_ITEM_TEXT: fprintf(to, "%s\n", item->text); break;
  }
}

void weir_ptx_print(const struct weir_module *m, FILE *to) {
  for (uint32_t i = 0; i < m->item_count; i++) weir_ptx_print_item(m, i, to);
}

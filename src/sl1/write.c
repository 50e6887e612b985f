// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sl1/write.h"

#include "base/alloc.h"
#include "ptx/print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Nobody else writes to the file, so that it need not be locked.
static void translate(struct weir_sl1_writer *w, const char *text) {
  for (size_t plain; *text; text += plain + 1) {
    plain = strcspn(text, "~^");
    fwrite_unlocked(text, 1, plain, w->to);
    if (!text[plain]) break;
    putc_unlocked(text[plain] == '~' ? '%' : '$', w->to);
    fwrite_unlocked(w->prefix, 1, strlen(w->prefix), w->to);
    putc_unlocked('_', w->to);
  }
}

void weir_sl1_put(struct weir_sl1_writer *w, const char *format, ...) {
  char text[512];
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  if ((size_t)length < sizeof text) {
    translate(w, text);
  } else { // names of C++ have no bound
    char *whole = weir_alloc((size_t)length + 1);
    vsnprintf(whole, (size_t)length + 1, format, again);
    translate(w, whole);
    weir_free(whole);
  }
  va_end(again);
  va_end(arguments);
}

void weir_sl1_put_loc(struct weir_sl1_writer *w) {
  if (w->loc) fprintf(w->to, "\t.loc %s\n", w->loc);
}

void weir_sl1_begin_aside(struct weir_sl1_writer *w) {
  struct weir_sl1_aside *aside = &w->aside[w->inner];
  if (!aside->to) aside->to = open_memstream(&aside->text, &aside->bytes);
  w->to = aside->to;
  weir_sl1_put_loc(w);
}

void weir_sl1_end_aside(struct weir_sl1_writer *w) {
  w->to = w->body;
}

void weir_sl1_flush_aside(struct weir_sl1_writer *w) {
  struct weir_sl1_aside *aside = &w->aside[w->inner];
  if (!aside->to) return;
  fclose(aside->to);
  fwrite(aside->text, 1, aside->bytes, w->body);
  free(aside->text);
  *aside = (struct weir_sl1_aside){0};
}

void weir_sl1_put_name(struct weir_sl1_writer *w, uint32_t i) {
  const struct weir_sl1_structure *s = &w->a->structures[w->a->candidates[i].structure];
  fprintf(w->to, "%s", s->parameter);
  if (s->offset) fprintf(w->to, "+%u", s->offset);
}

void weir_sl1_put_address(struct weir_sl1_writer *w, const struct weir_instruction *in, char name[WEIR_SL1_NAME]) {
  const struct weir_operand *o = weir_sl1_address(in);
  const bool narrow = o->base_is_register && weir_type_bytes(o->symbol->type) == 4;
  struct weir_operand base = *o;
  base.kind = o->base_is_register ? WEIR_OPERAND_REGISTER : WEIR_OPERAND_SYMBOL;
  base.text = NULL;
  snprintf(name, WEIR_SL1_NAME, "~a");
  if (!o->symbol) {
    weir_sl1_put(w, "\tmov.u64 \t~a, %lld;\n", (long long)o->offset);
    return;
  }
  if (o->base_is_register && !o->offset && !narrow && strlen(o->symbol->name) < WEIR_SL1_NAME - 12) {
    snprintf(name, WEIR_SL1_NAME, o->symbol->parameterised ? "%s%u" : "%s", o->symbol->name, o->index);
    return;
  }
  weir_sl1_put(w,
               narrow                               ? "\tcvt.u64.u32 \t~a, "
                 : o->offset && o->base_is_register ? "\tadd.s64 \t~a, "
                                                    : "\tmov.u64 \t~a, ");
  weir_ptx_print_operand(&base, w->to);
  const bool added = !narrow && o->base_is_register && o->offset;
  if (added) fprintf(w->to, ", %lld", (long long)o->offset);
  fputs(";\n", w->to);
  if (!added && o->offset) weir_sl1_put(w, "\tadd.s64 \t~a, ~a, %lld;\n", (long long)o->offset);
}

void weir_sl1_put_skip(struct weir_sl1_writer *w, const struct weir_instruction *in, uint32_t n) {
  if (!in->guard) return;
  struct weir_instruction opposite = *in;
  opposite.guard_negated = !in->guard_negated;
  fputc('\t', w->to);
  weir_ptx_print_guard(&opposite, w->to);
  weir_sl1_put(w, "bra \t^a%u_next;\n", n);
}

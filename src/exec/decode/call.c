// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Calls. Arguments and results are .param variables of the caller's frame, copied to and from those of the callee's.
#include "base/bits.h"
#include "exec/decode/decode.h"
#include "exec/limits.h"

struct parts {
  const struct weir_operand *results, *callee, *arguments, *prototype;
};

// call (results), callee, (arguments), prototype — each list may be missing.
static struct parts parts_of(const struct weir_instruction *in) {
  struct parts p = {0};
  unsigned k = 0;
  if (k < in->operand_count && in->operands[k].kind == WEIR_OPERAND_LIST) p.results = &in->operands[k++];
  if (k < in->operand_count) p.callee = &in->operands[k++];
  if (k < in->operand_count && in->operands[k].kind == WEIR_OPERAND_LIST) p.arguments = &in->operands[k++];
  if (k < in->operand_count) p.prototype = &in->operands[k];
  return p;
}

// Where the callee's formal parameters lie in its frame: results, then arguments, each aligned: the same rule for
// every function, so that an indirect call needs to know only the prototype.
uint64_t weir_place_formal(uint64_t *offset, uint64_t bytes, uint32_t align) {
  const uint64_t at = weir_align_up(*offset, align > 8 ? align : 8);
  *offset = at + bytes;
  return at;
}

// What an actual argument or result has to say of its formal one where no declaration does.
static bool measure(const struct weir_operand *o, uint64_t *bytes, uint32_t *align) {
  if (o->kind != WEIR_OPERAND_REGISTER && o->kind != WEIR_OPERAND_SYMBOL) return false;
  *bytes = o->symbol->bytes;
  *align = o->symbol->align;
  return true;
}

// A register or a constant: a vector of 4 or 8 bytes a lane.
static void copy_vector(struct weir_decoder *d, const struct weir_operand *o, bool into_callee, uint64_t bytes,
                        struct weir_argument_copy *c) {
  const unsigned width = bytes > 4 ? 8 : 4;
  if (bytes > 8 || (o->kind == WEIR_OPERAND_REGISTER && (weir_operand_width(o) != width || o->component)))
    weir_cannot(d, "an argument or result has another size than the function's");
  if (d->failed) return;
  const struct weir_ref r = into_callee ? weir_source_float(d, o, width) : weir_in_frame(weir_result(d, o, width));
  c->in_vector = true;
  c->width = (uint8_t)width;
  c->bank = r.bank;
  if (into_callee)
    c->from = r.offset;
  else
    c->to = r.offset;
}

static void copy_variable(struct weir_decoder *d, const struct weir_operand *o, bool into_callee, uint64_t bytes,
                          struct weir_argument_copy *c) {
  const struct weir_location at = weir_locations_get(&d->locations, o->symbol);
  if (at.where != WEIR_AT_FRAME || o->symbol->bytes != bytes) {
    weir_cannot(d,
                at.where != WEIR_AT_FRAME ? "arguments and results are .param variables, registers or constants"
                                          : "an argument or result has another size than the function's");
    return;
  }
  if (into_callee)
    c->from = (uint32_t)at.value;
  else
    c->to = (uint32_t)at.value;
}

// `formals` are those of the function called; NULL: it is known only when the call is made.
static struct weir_argument_copy *copies(struct weir_decoder *d, const struct weir_operand *list,
                                         struct weir_symbol **formals, uint64_t *offset, bool into_callee,
                                         uint32_t *count) {
  *count = list ? list->part_count : 0;
  struct weir_argument_copy *c = weir_arena_array(&d->program->arena, struct weir_argument_copy, *count + 1);
  for (uint32_t k = 0; k < *count; k++) {
    const struct weir_operand *o = &list->parts[k];
    uint64_t bytes;
    uint32_t align;
    if (formals) {
      bytes = formals[k]->bytes;
      align = formals[k]->align;
    } else if (!measure(o, &bytes, &align)) {
      weir_cannot(d, "arguments of an indirect call are .param variables or registers");
      return c;
    }
    const uint32_t formal = (uint32_t)weir_place_formal(offset, bytes, align);
    if (*offset > WEIR_MAX_LOCAL_BYTES) {
      weir_cannot(d, "its arguments and results have more bytes than a thread's local memory");
      return c;
    }
    c[k] = (struct weir_argument_copy){.bytes = (uint32_t)bytes};
    if (into_callee)
      c[k].to = formal;
    else
      c[k].from = formal;
    if (o->kind == WEIR_OPERAND_SYMBOL)
      copy_variable(d, o, into_callee, bytes, &c[k]);
    else if (into_callee || o->kind != WEIR_OPERAND_SINK)
      copy_vector(d, o, into_callee, bytes, &c[k]);
    else
      c[k].bytes = 0;
  }
  return c;
}

// A function's own formal parameters that are registers, and where they come from and go to.
void weir_keep_formals(struct weir_decoder *d) {
  const struct weir_function *f = d->function;
  struct weir_formal *formals =
    weir_arena_array(&d->program->arena, struct weir_formal, (size_t)f->param_count + f->return_count + 1);
  uint32_t n = 0;
  for (unsigned results = 0; results < 2; results++) {
    struct weir_symbol **list = results ? f->returns : f->params;
    const uint32_t count = results ? f->return_count : f->param_count;
    for (uint32_t k = 0; k < count && !f->entry; k++) {
      const struct weir_symbol *s = list[k];
      if (s->kind != WEIR_SYM_REGISTER) continue;
      const struct weir_location at = weir_locations_get(&d->locations, s);
      formals[n++] = (struct weir_formal){.local = (uint32_t)at.value,
                                          .bytes = (uint32_t)s->bytes,
                                          .slot = d->slot[s->first],
                                          .width = weir_width(s->type)};
    }
    *(results ? &d->code->formal_results : &d->code->formal_params) = results ? n - d->code->formal_params : n;
  }
  d->code->formals = formals;
}

void weir_decode_call(struct weir_decoder *d) {
  const struct parts p = parts_of(d->in);
  struct weir_call *call = weir_arena_new(&d->program->arena, struct weir_call);
  const bool direct = p.callee->kind != WEIR_OPERAND_REGISTER;
  const struct weir_function *f = NULL;
  struct weir_ref pointer = {0};
  call->target = WEIR_PC_NONE;
  if (direct) {
    const struct weir_location at = weir_locations_get(&d->locations, p.callee->symbol);
    call->target = (uint32_t)at.value;
    f = d->module->functions[call->target];
  } else {
    pointer = weir_source(d, p.callee, 8);
  }
  uint64_t offset = 0;
  call->results = copies(d, p.results, f ? f->returns : NULL, &offset, false, &call->result_count);
  call->arguments = copies(d, p.arguments, f ? f->params : NULL, &offset, true, &call->argument_count);
  call->formal_bytes = (uint32_t)offset;
  call->frame_bytes = d->code->local_bytes;
  if (d->count) weir_cannot(d, "its target and its arguments should be registers, constants or .param variables");
  struct weir_insn *i = weir_emit_kind(d, WEIR_KIND_CALL);
  weir_set_a(i, pointer);
  i->call = call;
}

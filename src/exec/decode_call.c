// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Calls. Arguments and results are .param variables of the caller's frame, copied to and from those of the callee's.
#include "base/bits.h"
#include "exec/decode.h"

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
uint32_t weir_place_formal(uint32_t *offset, uint64_t bytes, uint32_t align) {
  const uint32_t at = (uint32_t)weir_align_up(*offset, align > 8 ? align : 8);
  *offset = at + (uint32_t)bytes;
  return at;
}

static struct weir_copy *copies(struct weir_decoder *d, const struct weir_operand *list, uint32_t *offset,
                                bool into_callee, uint32_t *count) {
  *count = list ? list->part_count : 0;
  struct weir_copy *c = weir_arena_array(&d->program->arena, struct weir_copy, *count + 1);
  for (uint32_t k = 0; k < *count; k++) {
    const struct weir_symbol *s = list->parts[k].symbol;
    const struct weir_location at = s ? weir_locations_get(&d->locations, s) : (struct weir_location){0};
    if (at.where != WEIR_AT_FRAME) {
      weir_cannot(d, "arguments and results that are no .param variables are not supported");
      *count = 0;
      return c;
    }
    const uint32_t formal = weir_place_formal(offset, s->bytes, s->align), mine = (uint32_t)at.value;
    c[k] = into_callee ? (struct weir_copy){mine, formal, (uint32_t)s->bytes}
                       : (struct weir_copy){formal, mine, (uint32_t)s->bytes};
  }
  return c;
}

void weir_decode_call(struct weir_decoder *d) {
  const struct parts p = parts_of(d->in);
  struct weir_call *call = weir_arena_new(&d->program->arena, struct weir_call);
  uint32_t offset = 0;
  call->results = copies(d, p.results, &offset, false, &call->result_count);
  call->arguments = copies(d, p.arguments, &offset, true, &call->argument_count);
  call->frame_bytes = d->code->local_bytes;
  call->target = WEIR_PC_NONE;
  struct weir_ref pointer = {0};
  if (p.callee->kind == WEIR_OPERAND_REGISTER) {
    pointer = weir_source(d, p.callee, 8);
  } else {
    const struct weir_location at = weir_locations_get(&d->locations, p.callee->symbol);
    if (at.where == WEIR_AT_FUNCTION) call->target = (uint32_t)((at.value - WEIR_FUNCTION_BASE) / 8);
    else weir_cannot(d, "the function has no body in this module");
  }
  if (d->count) weir_cannot(d, "its target should be a 64-bit register");
  struct weir_insn *i = weir_emit_kind(d, WEIR_KIND_CALL);
  weir_set_a(i, pointer);
  i->call = call;
}

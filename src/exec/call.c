// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Calls. A frame has registers of its own and a part of each thread's local memory, in which its .local and .param
// variables lie; arguments and results are copied between the caller's and the callee's part.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/machine.h"

#include <string.h>

static uint8_t *local_of(const struct weir_warp *w, unsigned lane) {
  return w->local + (size_t)lane * w->block->local_bytes;
}

static uint8_t *element(const struct weir_warp *w, const struct weir_argument_copy *c, uint32_t offset, unsigned lane) {
  return (uint8_t *)weir_at(w, c->bank, offset) + (size_t)lane * c->width;
}

static void copy_arguments(struct weir_warp *w, const struct weir_call *call, uint32_t from, uint32_t to,
                           uint64_t mask) {
  for (uint32_t k = 0; k < call->argument_count; k++) {
    const struct weir_argument_copy *c = &call->arguments[k];
    for (uint64_t m = mask; m; m &= m - 1) {
      const unsigned l = weir_lowest(m);
      memcpy(local_of(w, l) + to + c->to, c->in_vector ? element(w, c, c->from, l) : local_of(w, l) + from + c->from,
             c->bytes);
    }
  }
}

static void copy_results(struct weir_warp *w, const struct weir_call *call, uint32_t from, uint32_t to, uint64_t mask) {
  for (uint32_t k = 0; k < call->result_count; k++) {
    const struct weir_argument_copy *c = &call->results[k];
    for (uint64_t m = mask; m; m &= m - 1) {
      const unsigned l = weir_lowest(m);
      if (c->in_vector) memset(element(w, c, c->to, l), 0, c->width);
      memcpy(c->in_vector ? element(w, c, c->to, l) : local_of(w, l) + to + c->to, local_of(w, l) + from + c->from,
             c->bytes);
    }
  }
}

// Formal parameters that are registers: loaded when the function begins; results that are: stored when it is done.
static void load_formals(struct weir_warp *w, const struct weir_function_code *code, uint32_t local, uint64_t mask) {
  for (uint32_t k = 0; k < code->formal_params; k++) {
    const struct weir_formal *f = &code->formals[k];
    for (uint64_t m = mask; m; m &= m - 1) {
      uint64_t value = 0;
      memcpy(&value, local_of(w, weir_lowest(m)) + local + f->local, f->bytes);
      memcpy((uint8_t *)weir_at(w, WEIR_BANK_FRAME, f->slot) + (size_t)weir_lowest(m) * f->width, &value, f->width);
    }
  }
}

static void store_formals(struct weir_warp *w, const struct weir_function_code *code, uint32_t local, uint64_t mask) {
  for (uint32_t k = 0; k < code->formal_results; k++) {
    const struct weir_formal *f = &code->formals[code->formal_params + k];
    for (uint64_t m = mask; m; m &= m - 1)
      memcpy(local_of(w, weir_lowest(m)) + local + f->local,
             (uint8_t *)weir_at(w, WEIR_BANK_FRAME, f->slot) + (size_t)weir_lowest(m) * f->width, f->bytes);
  }
}

static void set_frame(struct weir_warp *w) {
  const struct weir_frame *f = &w->frames[w->frame_count - 1];
  w->bank[WEIR_BANK_FRAME] = f->registers;
  uint64_t *base = weir_at(w, WEIR_BANK_WARP, weir_slot_offset(w->block->program, WEIR_SLOT_LOCAL));
  for (unsigned l = 0; l < w->block->lanes; l++) base[l] = f->local;
}

// The next frame's register storage, kept from one call to the next.
static struct weir_frame *next_frame(struct weir_warp *w, uint32_t bytes) {
  if (w->frame_count == w->frame_capacity) {
    const uint32_t old = w->frame_capacity;
    w->frame_capacity = old * 2;
    struct weir_frame *more = weir_new_array(struct weir_frame, w->frame_capacity);
    memcpy(more, w->frames, old * sizeof *more);
    if (w->frames != w->first_frames) weir_free(w->frames);
    w->frames = more;
  }
  struct weir_frame *f = &w->frames[w->frame_count];
  if (f->capacity < bytes) {
    weir_free(f->registers);
    f->registers = weir_alloc_aligned(64, weir_align_up(bytes, 64));
    f->capacity = bytes;
  }
  return f;
}

static void enter(struct weir_warp *w, const struct weir_call *call, uint32_t function, uint64_t mask) {
  const struct weir_function_code *code = &w->block->program->functions[function];
  struct weir_frame *f = next_frame(w, code->frame_bytes);
  const struct weir_frame *caller = &w->frames[w->frame_count - 1];
  f->function = function;
  f->base = w->depth;
  f->local = caller->local + call->frame_bytes;
  f->alive = mask;
  f->call = call;
  f->back = (struct weir_simt_entry){w->pc + 1, w->rpc, w->active};
  copy_arguments(w, call, caller->local, f->local, mask);
  w->frame_count++;
  weir_frame_start(f->registers, code);
  set_frame(w);
  load_formals(w, code, f->local, mask);
  w->pc = code->entry;
  w->rpc = WEIR_PC_NONE;
  w->active = mask;
}

void weir_call_finish(struct weir_warp *w) {
  const struct weir_frame *f = &w->frames[--w->frame_count];
  const struct weir_frame *caller = &w->frames[w->frame_count - 1];
  w->pc = f->back.pc;
  w->rpc = f->back.rpc;
  w->active = f->back.mask & caller->alive & w->live;
  store_formals(w, &w->block->program->functions[f->function], f->local, w->active);
  set_frame(w);
  copy_results(w, f->call, f->local, caller->local, w->active);
}

// Lanes that name different functions go one function at a time: the others come back to this instruction.
static bool target(struct weir_warp *w, const struct weir_insn *i, uint64_t *mask, uint32_t *function) {
  if (i->call->target != WEIR_PC_NONE) {
    *function = i->call->target;
    return true;
  }
  const uint64_t *pointer = weir_at(w, i->a_bank, i->a);
  const uint64_t first = pointer[weir_lowest(*mask)];
  uint64_t same = 0;
  for (uint64_t rest = *mask; rest; rest &= rest - 1)
    if (pointer[weir_lowest(rest)] == first) same |= rest & -rest;
  const uint64_t index = (first - WEIR_FUNCTION_BASE) / 8 - w->block->program->first_function;
  if (first % 8 || first < WEIR_FUNCTION_BASE || index >= w->block->program->function_count)
    return weir_raise(w, weir_lowest(*mask), "call of address 0x%llx, which is no function of this module",
                      (unsigned long long)first);
  *function = (uint32_t)index;
  *mask = same;
  return true;
}

// Lanes that come back to the call later wait in the stack; those whose guard is false stand at the next instruction,
// where the others meet them.
static void set_aside(struct weir_warp *w, uint64_t mask, uint64_t later) {
  if (mask == w->active) return;
  const uint32_t next = w->pc + 1, again = w->pc;
  const struct weir_simt_entry meet = {next, w->rpc, w->active};
  if (next != w->rpc) *weir_push(w->stack, w->depth, w->stack_capacity) = meet;
  if (later) *weir_push(w->stack, w->depth, w->stack_capacity) = (struct weir_simt_entry){again, next, later};
  w->rpc = next;
  w->active = mask;
}

static bool has_room(struct weir_warp *w, const struct weir_call *call, const struct weir_function_code *code,
                     uint64_t mask) {
  const uint64_t local = (uint64_t)w->frames[w->frame_count - 1].local + call->frame_bytes + code->local_bytes;
  if (w->frame_count <= w->block->call_depth && local <= w->block->local_bytes) return true;
  return weir_raise(w, weir_lowest(mask), "call stack overflow: %u nested calls, %llu bytes of local memory",
                    w->frame_count, (unsigned long long)local);
}

bool weir_call(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  uint32_t function = 0;
  const uint64_t all = mask;
  if (!target(w, i, &mask, &function)) return false;
  const struct weir_function_code *code = &w->block->program->functions[function];
  if (code->builtin) {
    if (!weir_serve(w, i->call, code->builtin, mask)) return false;
    if (all != mask) set_aside(w, mask, all & ~mask);
    w->pc++;
    return true;
  }
  if (!code->pcs)
    return weir_raise(w, weir_lowest(mask), "call of function '%s', which has no body in this module", code->name);
  if (weir_align_up(i->call->formal_bytes, 8) != weir_align_up(code->formal_bytes, 8))
    return weir_raise(w, weir_lowest(mask), "call of function '%s' by a prototype that is not its own", code->name);
  if (!has_room(w, i->call, code, mask)) return false;
  set_aside(w, mask, all & ~mask);
  enter(w, i->call, function, mask);
  return true;
}

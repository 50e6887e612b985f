// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One instruction of one warp. Register-only instructions, which are most, are one indirect call; the rest is told
// apart by kind.
#include "base/bits.h"
#include "exec/access.h"

// Most have no guard; their predicates' line in the frame may have left the host's cache.
static inline uint64_t guarded(const struct weir_warp *w, const struct weir_insn *i) {
  if (i->guard == WEIR_PRED_TRUE && !i->guard_flip) return w->active;
  return w->active & (*weir_predicate(w, i->guard) ^ -(uint64_t)i->guard_flip);
}

static void branch(struct weir_warp *w, const struct weir_insn *i, uint64_t taken) {
  const uint32_t target = (uint32_t)i->imm, reconvergence = (uint32_t)(i->imm >> 32);
  if (taken == w->active)
    w->pc = target;
  else if (!taken)
    w->pc++;
  else
    weir_simt_diverge(w, target, taken, w->pc + 1, reconvergence);
}

// brx.idx: lanes go one target at a time; an index past the table is undefined in PTX and a fault here.
static bool branch_table(struct weir_warp *w, const struct weir_insn *i, uint64_t taken) {
  const struct weir_branch_table *t = i->table;
  const uint32_t *index = weir_at(w, i->a_bank, i->a), reconvergence = (uint32_t)(i->imm >> 32);
  for (uint64_t m = taken; m; m &= m - 1)
    if (index[weir_lowest(m)] >= t->count)
      return weir_raise(w, weir_lowest(m), "brx.idx: index %u into a table of %u targets", index[weir_lowest(m)],
                        t->count);
  const uint32_t here = w->pc;
  const uint32_t first = taken ? t->target[index[weir_lowest(taken)]] : here + 1;
  uint64_t same = 0;
  for (uint64_t m = taken; m; m &= m - 1)
    if (t->target[index[weir_lowest(m)]] == first) same |= m & -m;
  if (same == w->active || !taken)
    w->pc = first;
  else if (same == taken)
    weir_simt_diverge(w, first, same, here + 1, reconvergence);
  else
    weir_simt_diverge(w, first, same, here, reconvergence); // the others come back to this instruction
  return true;
}

static bool control(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  switch ((enum weir_kind)i->kind) {
  case WEIR_KIND_BRANCH: branch(w, i, mask); return true;
  case WEIR_KIND_TABLE: return branch_table(w, i, mask);
  case WEIR_KIND_CALL:
    if (mask) return weir_call(w, i, mask);
    break;
  case WEIR_KIND_RET: weir_simt_return(w, mask); break;
  case WEIR_KIND_EXIT: weir_simt_exit(w, mask); break;
  case WEIR_KIND_TRAP:
    if (mask && i->text) return weir_raise(w, weir_lowest(mask), "%s", i->text);
    if (mask) return weir_raise_kind(w, WEIR_FAULT_TRAP, weir_lowest(mask), "trap");
    break;
  case WEIR_KIND_BARRIER:
    if (mask && !weir_barrier(w, i, mask, out)) return false;
    break;
  case WEIR_KIND_CLUSTER:
    if (mask && !weir_cluster_barrier(w, i, mask, out)) return false;
    break;
  case WEIR_KIND_WARPGROUP:
    if (mask) weir_warpgroup_meet(w);
    break;
  default: break;
  }
  w->pc++;
  return true;
}

// What cores do not see: no accesses but those to a kernel's parameters. False: a fault.
static __attribute__((noinline)) bool run_before(struct weir_warp *w, const struct weir_insn *i) {
  for (uint32_t k = 0; k < i->before_count; k++) {
    const struct weir_insn *b = &i->before[k];
    const uint64_t mask = guarded(w, b);
    if (!mask) continue;
    if (b->kind == WEIR_KIND_ALU)
      b->alu(w, b, mask);
    else if (!(b->kind == WEIR_KIND_MEMORY ? b->memory(w, b, mask, NULL) : control(w, b, mask, NULL)))
      return false;
  }
  return true;
}

static inline bool execute(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  if (__builtin_expect(i->kind == WEIR_KIND_ALU, 1)) {
    if (mask) i->alu(w, i, mask);
    w->pc++;
  } else if (i->kind == WEIR_KIND_MEMORY) {
    if (mask && !i->memory(w, i, mask, out)) return false;
    w->pc++;
  } else if (i->kind == WEIR_KIND_UNIFORM) {
    if (mask && out && weir_reads_uniform(i)) weir_show_parameter(w, i, out);
    w->pc++;
  } else if (!control(w, i, mask, out)) {
    return false;
  }
  if (w->pc == w->rpc || !w->active) weir_simt_settle(w);
  return true;
}

static void note_exit(struct weir_warp *w) {
  w->block->exited++;
  weir_barrier_exited(w->block);
  if (weir_block_done(w->block)) weir_cluster_exited(w->block);
}

// Behind the other operands of its list.
static const uint64_t *policy_of(const struct weir_warp *w, const struct weir_insn *i) {
  const struct weir_ref *policy = &i->list[i->count];
  return weir_at(w, policy->bank, policy->offset);
}

static __attribute__((noinline)) void tell(const struct weir_warp *w, const struct weir_winstr *what, bool exits) {
  const struct weir_block_state *b = w->block;
  const struct weir_listener *l = b->launch->listener;
  const uint32_t *grid = b->launch->grid;
  l->stepped(l->context, ((uint64_t)b->index[2] * grid[1] + b->index[1]) * grid[0] + b->index[0], w->index, what,
             exits);
}

// What is known of the warp's next instruction before it has run.
static inline void describe(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                            struct weir_winstr *out) {
  const struct weir_program *program = w->launch->program;
  const struct weir_static *s = &program->statics[w->pc];
  out->what = s;
  out->pc = program->first_pc + w->pc;
  out->space = s->space;
  out->spread = WEIR_SPREAD_UNKNOWN;
  out->active = mask;
  if (__builtin_expect(s->has_policy, 0) && mask) out->policy = policy_of(w, i)[weir_lowest(mask)];
}

static enum weir_step step_streamed(struct weir_warp *w, struct weir_winstr *out, struct weir_fault *fault) {
  const enum weir_step step = weir_streamed_step(w, out, fault);
  if (w->block->launch->listener && step != WEIR_STEP_FAULT) tell(w, out, step == WEIR_STEP_EXITED);
  return step;
}

static inline void prefetch_lanes(const struct weir_warp *w, uint8_t bank, uint32_t offset) {
  const uint8_t *lanes = w->bank[bank] + offset;
  __builtin_prefetch(lanes, 1);
  __builtin_prefetch(lanes + 64, 1);
}

void weir_warp_prefetch_operands(const struct weir_warp *w) {
  if (!w->code) return; // its instructions are a stream
  const struct weir_insn *i = &w->code[w->pc];
  prefetch_lanes(w, WEIR_BANK_FRAME, i->d);
  prefetch_lanes(w, i->a_bank, i->a);
  prefetch_lanes(w, i->b_bank, i->b);
  prefetch_lanes(w, i->c_bank, i->c);
}

enum weir_step weir_warp_step(struct weir_warp *w, struct weir_winstr *out, struct weir_fault *fault) {
  const struct weir_launch *launch = w->launch;
  if (__builtin_expect(launch->streams != NULL, 0)) return step_streamed(w, out, fault);
  const struct weir_insn *i = &w->code[w->pc];
  const struct weir_program *program = launch->program;
  const struct weir_static *s = &program->statics[w->pc];
  if (launch->step_limit && *launch->steps >= launch->step_limit) {
    weir_raise_runaway(w, fault);
    return WEIR_STEP_FAULT;
  }
  if (__builtin_expect(i->before != NULL, 0) && !run_before(w, i)) {
    *fault = w->block->fault;
    return WEIR_STEP_FAULT;
  }
  const uint64_t mask = guarded(w, i);
  describe(w, i, mask, out);
  if (!execute(w, i, mask, out)) {
    *fault = w->block->fault;
    return WEIR_STEP_FAULT;
  }
  out->next = program->first_pc + w->pc;
  ++*launch->steps;
  if (w->exited) note_exit(w);
  if (__builtin_expect(launch->listener != NULL, 0)) tell(w, out, w->exited);
  if (w->exited) return WEIR_STEP_EXITED;
  return s->is_barrier || s->is_cluster_barrier ? WEIR_STEP_BARRIER : WEIR_STEP_DONE_ONE;
}

// Each step counts itself.
static bool run_streamed(struct weir_warp *w, uint64_t most, const struct weir_observer *o) {
  struct weir_winstr access;
  for (uint64_t n = 0; !w->waiting && !w->exited && n < most && n < WEIR_TURN_WEIGHT; n++) {
    if (weir_streamed_step(w, &access, &w->block->fault) == WEIR_STEP_FAULT) return false;
    weir_observe(o, &access);
  }
  return true;
}

static __attribute__((noinline)) bool show(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                           const struct weir_observer *o) {
  struct weir_winstr access;
  describe(w, i, mask, &access);
  if (!i->memory(w, i, mask, &access)) return false;
  weir_observe(o, &access);
  return true;
}

// As execute() does it, but what the next instruction needs stays in the host's registers until one is neither register-only nor
// memory's.
bool weir_warp_run(struct weir_warp *w, uint64_t most, const struct weir_observer *observer, uint64_t *steps) {
  if (w->block->launch->streams) return run_streamed(w, most, observer);
  uint64_t left = most;
  int room = WEIR_TURN_WEIGHT - w->spent;
  bool good = true;
  w->spent = 0;
  while (good && left && room > 0 && !w->waiting && !w->exited) {
    const struct weir_insn *i = &w->code[w->pc];
    const struct weir_insn *const reconvergence = w->rpc == WEIR_PC_NONE ? NULL : &w->code[w->rpc];
    const uint8_t *frame = w->bank[WEIR_BANK_FRAME];
    const uint64_t active = w->active;
    for (; left && i != reconvergence; i++, left--) {
      if (__builtin_expect(i->plain, 1)) {
        i->alu(w, i, active);
        continue;
      }
      if (__builtin_expect(i->before != NULL, 0)) {
        if (weir_ends_turn(i, left == most)) break;
        w->pc = (uint32_t)(i - w->code);
        if (!run_before(w, i)) return false;
      }
      const uint64_t mask = active & (*(const uint64_t *)(const void *)(frame + i->guard) ^ -(uint64_t)i->guard_flip);
      if (__builtin_expect(i->kind == WEIR_KIND_ALU, 1)) {
        if (mask) i->alu(w, i, mask);
      } else if (i->kind == WEIR_KIND_UNIFORM) {
        const uint64_t more = (i->count < left ? i->count : left) - 1;
        i += more;
        left -= more;
      } else if (i->kind == WEIR_KIND_BRANCH && (mask == active || !mask)) { // all go one way
        if (mask) i = &w->code[(uint32_t)i->imm] - 1;
      } else {
        w->pc = (uint32_t)(i - w->code);
        if (i->kind != WEIR_KIND_MEMORY || weir_ends_turn(i, left == most)) break;
        if (mask && !(observer ? show(w, i, mask, observer) : i->memory(w, i, mask, NULL))) {
          *steps += most - left + 1;
          return false;
        }
        room -= i->weight;
        if (room <= 0) {
          i++;
          left--;
          break;
        }
      }
    }
    w->pc = (uint32_t)(i - w->code);
    if (i == reconvergence) {
      weir_simt_settle(w);
    } else if (left && room > 0) {
      if (i->kind == WEIR_KIND_MEMORY) break; // it ends the turn: neither it nor what runs before it has run
      left--;
      good = execute(w, i, guarded(w, i), NULL);
    }
  }
  *steps += most - left;
  if (good && w->exited) note_exit(w);
  return good;
}

bool weir_warp_publish(struct weir_warp *w, const struct weir_observer *observer, uint64_t *steps) {
  const struct weir_insn *i = &w->code[w->pc];
  w->spent = i->weight;
  if (i->before && !run_before(w, i)) return false;
  const uint64_t mask = guarded(w, i);
  ++*steps;
  if (mask && !(observer ? show(w, i, mask, observer) : i->memory(w, i, mask, NULL))) return false;
  w->pc++;
  if (w->pc == w->rpc || !w->active) weir_simt_settle(w);
  if (w->exited) note_exit(w);
  return true;
}

uint32_t weir_warp_pc(const struct weir_warp *w) {
  return w->launch->program->first_pc + w->pc;
}

bool weir_warp_waiting(const struct weir_warp *w) {
  return w->waiting;
}

bool weir_warp_exited(const struct weir_warp *w) {
  return w->exited;
}

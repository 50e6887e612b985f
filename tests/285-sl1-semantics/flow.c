// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loops, branches, and what is in them.
#include "maker.h"

// A predicate; uniform: the same for all threads of the block.
uint32_t a_condition(struct maker *m, bool uniform) {
  const uint32_t p = fresh(m, P), r = fresh(m, R), bits = 1u << below(m, 4);
  if (uniform && m->loop_count)
    say(m, "and.b32 %%r%u, %%r%u, %u;", r, m->loops[m->loop_count - 1].counter, bits);
  else if (uniform)
    say(m, "and.b32 %%r%u, %%bid, %u;", r, bits);
  else if (chance(m, 40))
    say(m, "and.b32 %%r%u, %%gid, %u;", r, bits);
  else
    say(m, "shr.u32 %%r%u, %%v%u, %u;", r, below(m, VALUES), 28 + below(m, 4));
  if (chance(m, 50))
    say(m, "setp.%s.s32 %%p%u, %%r%u, 0;", pick(m, "eq", "ne"), p, r);
  else
    say(m, "setp.%s.u32 %%p%u, %%r%u, 1;", pick(m, "lt", "gt"), p, r);
  return p;
}

static void compute(struct maker *m) {
  const uint32_t to = below(m, VALUES), a = below(m, VALUES), b = below(m, VALUES);
  say(m, "%s %%v%u, %%v%u, %%v%u;",
      pick(m, "add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "and.b32", "or.b32", "max.u32", "min.s32", "mul.hi.u32"),
      to, a, b);
  if (chance(m, 30)) say(m, "shf.l.wrap.b32 %%v%u, %%v%u, %%v%u, %u;", to, to, to, below(m, 32));
}

static void branch(struct maker *m, uint32_t budget) {
  const bool uniform = m->divergent ? false : chance(m, 30), divergent = m->divergent;
  const uint32_t p = a_condition(m, uniform), other = label(m), join = label(m);
  const bool has_else = chance(m, 40);
  m->divergent |= !uniform;
  say(m, "@%s%%p%u bra $L%u;", chance(m, 50) ? "!" : "", p, has_else ? other : join);
  statements(m, 1 + below(m, 2), budget);
  if (has_else) {
    say(m, "bra%s $L%u;", chance(m, 50) ? ".uni" : "", join);
    put_label(m, other);
    statements(m, 1 + below(m, 2), budget);
  }
  put_label(m, join);
  m->divergent = divergent;
}

// By a table of labels.
static void dispatch(struct maker *m, uint32_t budget) {
  const uint32_t r = fresh(m, R), table = label(m), join = label(m), first = m->labels;
  const bool divergent = m->divergent;
  m->labels += 4;
  m->divergent = true;
  say(m, "shr.u32 %%r%u, %%v%u, 30;", r, below(m, VALUES));
  say(m, "$L%u: .branchtargets $L%u, $L%u, $L%u, $L%u;", table, first, first + 1, first + 2, join);
  say(m, "brx.idx %%r%u, $L%u;", r, table);
  for (uint32_t i = 0; i < 3; i++) {
    put_label(m, first + i);
    statements(m, 1, budget);
    if (chance(m, 60)) say(m, "bra $L%u;", join);
  }
  put_label(m, join);
  m->divergent = divergent;
}

// How often a loop goes around: a number, a parameter, or different for every thread. Returns the %r of the bound.
static uint32_t a_bound(struct maker *m, struct loop *l, uint32_t most) {
  const uint32_t r = fresh(m, R), kind = l->uniform ? below(m, 2) : below(m, 4), half = most / 2 + 1;
  l->trips = most;
  uint32_t mask = 1;
  while (mask * 2 + 1 <= half) mask = mask * 2 + 1;
  if (kind == 0) {
    say(m, "mov.u32 %%r%u, %u;", r, most);
  } else if (kind == 1) {
    const struct sl1_scalar *s = &m->k->scalars[below(m, m->k->scalar_count)];
    say(m, "ld.param.u32 %%r%u, [%s];", r, s->name);
    say(m, "min.u32 %%r%u, %%r%u, %u;", r, r, most);
  } else if (kind == 2) {
    say(m, "and.b32 %%r%u, %%v%u, %u;", r, below(m, VALUES), mask);
    say(m, "add.s32 %%r%u, %%r%u, %u;", r, r, most - mask);
  } else {
    say(m, "and.b32 %%r%u, %%gid, %u;", r, mask);
    say(m, "add.s32 %%r%u, %%r%u, %u;", r, r, most - mask);
  }
  return r;
}

static void leave(struct maker *m) {
  const struct loop *l = &m->loops[m->loop_count - 1];
  if (l->uniform && m->divergent) return;
  const uint32_t p = a_condition(m, l->uniform), way = below(m, 6);
  if (l->uniform && (way < 3 || m->loop_count > 1)) return; // uniform breaks are rare: bounds are
  bool inside = false;                                      // of a loop that all threads go around together
  for (uint32_t i = 0; i < m->loop_count; i++) inside |= m->loops[i].uniform;
  if (way <= 2)
    say(m, "@%%p%u bra $L%u;", p, l->again);
  else if (way == 3 && m->returns && !inside)
    say(m, "@%%p%u bra $Lend;", p);
  else if (way == 4 && m->returns && !inside && chance(m, 50))
    say(m, "@%%p%u %s;", p, pick(m, "ret", "exit"));
  else if (way == 5 && m->loop_count > 1 && !inside)
    say(m, "@%%p%u bra $L%u;", p, m->loops[0].out);
  else
    say(m, "@%%p%u bra $L%u;", p, l->out);
}

// A break happens seldom, so that loops get somewhere.
static void leave_seldom(struct maker *m) {
  if (m->loops[m->loop_count - 1].uniform) {
    leave(m);
    return;
  }
  const uint32_t p = fresh(m, P), r = fresh(m, R), past = label(m);
  const bool divergent = m->divergent;
  say(m, "and.b32 %%r%u, %%v%u, 4080;", r, below(m, VALUES));
  say(m, "setp.ge.u32 %%p%u, %%r%u, 256;", p, r);
  say(m, "@%%p%u bra $L%u;", p, past);
  m->divergent = true;
  leave(m);
  put_label(m, past);
  m->divergent = divergent;
}

static void a_loop(struct maker *m, uint32_t budget) {
  const uint32_t most = m->loop_count == 0 ? 12 + below(m, 44) : 2 + below(m, budget < 12 ? 2 : 6);
  struct loop *l = &m->loops[m->loop_count];
  *l = (struct loop){.counter = fresh(m, R), .again = label(m), .out = label(m)};
  l->uniform = !m->divergent && (m->k->exchanges || m->shuffles) && chance(m, 60);
  for (uint32_t i = 0; i < m->loop_count; i++) l->uniform &= m->loops[i].uniform;
  const bool divergent = m->divergent;
  m->divergent |= !l->uniform;
  const uint32_t bound = a_bound(m, l, most), head = label(m), p = fresh(m, P), kind = below(m, 3);
  for (uint32_t i = 0; i < MOST_WALKERS; i++)
    if (chance(m, 45) && start_walker(m, &l->walkers[l->walker_count], most)) l->walker_count++;
  say(m, "mov.u32 %%r%u, 0;", l->counter);
  m->loop_count++;
  if (!l->uniform && chance(m, 4))
    say(m, "@%%p%u bra $L%u;", a_condition(m, false), l->again); // a loop with two entries
  put_label(m, head);
  if (m->lines && chance(m, 20)) say(m, ".pragma \"nounroll\";");
  if (kind) {
    say(m, "setp.ge.u32 %%p%u, %%r%u, %%r%u;", p, l->counter, bound);
    say(m, "@%%p%u bra $L%u;", p, l->out);
  }
  statements(m, 2 + below(m, 6), budget / most + 1);
  put_label(m, l->again);
  for (uint32_t i = 0; i < l->walker_count; i++) advance(m, &l->walkers[i]);
  say(m, "add.s32 %%r%u, %%r%u, 1;", l->counter, l->counter);
  if (kind == 0) { // tested at the end
    say(m, "setp.lt.u32 %%p%u, %%r%u, %%r%u;", p, l->counter, bound);
    say(m, "@%%p%u bra $L%u;", p, head);
  } else if (kind == 1) {
    say(m, "bra%s $L%u;", chance(m, 50) ? ".uni" : "", head);
  } else { // in two branches, as LLVM does
    const uint32_t again = fresh(m, P);
    say(m, "setp.ne.s32 %%p%u, %%r%u, %%r%u;", again, l->counter, bound);
    say(m, "@%%p%u bra $L%u;", again, head);
    say(m, "bra.uni $L%u;", l->out);
  }
  put_label(m, l->out);
  m->loop_count--;
  m->divergent = divergent;
}

static void statement(struct maker *m, uint32_t budget) {
  if (m->lines && chance(m, 40)) say(m, ".loc 1 %u %u", ++m->source_line, 1 + below(m, 40));
  const uint32_t kind = below(m, 100);
  const bool uniform = !m->divergent;
  if (kind < 12 && m->loop_count < MOST_LOOPS - 1 && budget > 3)
    a_loop(m, budget);
  else if (kind < 22)
    branch(m, budget);
  else if (kind < 27 && m->loop_count)
    leave_seldom(m);
  else if (kind < 32)
    compute(m);
  else if (kind < 46)
    other_statement(m);
  else if (kind < 49 && m->dispatches)
    dispatch(m, budget);
  else if (kind < 60 && m->k->exchanges && uniform)
    exchange(m);
  else if (kind < 60 && m->shuffles && uniform)
    shuffle(m);
  else if (kind < 63)
    count_up(m);
  else
    access_something(m);
}

void statements(struct maker *m, uint32_t count, uint32_t budget) {
  const bool scope = chance(m, 8);
  if (scope) {
    const uint32_t name = label(m);
    say(m, "{");
    say(m, ".reg .b32 %%scoped;");
    say(m, "mov.u32 %%scoped, %u;", name);
    say(m, "add.s32 %%v0, %%v0, %%scoped;");
  }
  for (uint32_t i = 0; i < count; i++) statement(m, budget);
  if (m->loop_count && chance(m, 70)) access_something(m);
  if (!m->loop_count && budget > 20) a_loop(m, budget); // the main loops
  if (scope) say(m, "}");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Addresses: which bytes, by which pointer, and by which instructions.
#include "maker.h"

static bool is_own(const struct sl1_buffer *b) {
  return b->role == SL1_OWN || b->role == SL1_EXCHANGE || b->role == SL1_OUT;
}

// Where the pointer is at the time of an access, in a register.
static uint32_t pointer_now(struct maker *m, uint32_t pointer) {
  const uint32_t base = m->base[pointer];
  const struct sl1_pointer *p = &m->k->pointers[pointer];
  const uint32_t d = fresh(m, RD);
  switch (m->tricks[pointer]) {
  case RELOADED: say(m, "ld.param.u64 %%rd%u, [%s+%d];", d, p->name, p->member < 0 ? 0 : p->member); return d;
  case COPIED: say(m, "mov.%s %%rd%u, %%rd%u;", pick(m, "u64", "b64", "s64"), d, base); return d;
  case SPLIT: {
    const uint32_t low = fresh(m, R), high = fresh(m, R);
    say(m, "mov.b64 {%%r%u, %%r%u}, %%rd%u;", low, high, base);
    say(m, "mov.b64 %%rd%u, {%%r%u, %%r%u};", d, low, high);
    return d;
  }
  case ALIGNED: // pointers are to multiples of their granule
    say(m, "and.b64 %%rd%u, %%rd%u, %d;", d, base, -(int)m->k->buffers[p->buffer].granule);
    return d;
  case MIXED: {
    const uint32_t difference = fresh(m, RD), other = m->base[below(m, m->k->pointer_count)];
    say(m, "sub.s64 %%rd%u, %%rd%u, %%rd%u;", difference, base, other);
    say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", d, other, difference);
    return d;
  }
  case SHIFTED: { // by a number, and back
    const uint32_t distance = fresh(m, RD), there = fresh(m, RD);
    say(m, "ld.param.u64 %%rd%u, [%s_distance];", distance, m->k->name);
    say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", there, base, distance);
    say(m, "sub.s64 %%rd%u, %%rd%u, %%rd%u;", d, there, distance);
    return d;
  }
  case FAR: // of another structure's, as it happens
    say(m, "ld.param.u64 %%rd%u, [%s_far];", d, m->k->name);
    say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", d, m->base[m->k->far_from], d);
    return d;
  case SPILLED:
    say(m, "st.local.u64 [spill_%llu+%u], %%rd%u;", (unsigned long long)m->k->seed, pointer * 8, base);
    say(m, "ld.local.u64 %%rd%u, [spill_%llu+%u];", d, (unsigned long long)m->k->seed, pointer * 8);
    return d;
  default: return base;
  }
}

void load_pointers(struct maker *m) {
  for (uint32_t i = 0; i < m->k->pointer_count; i++) {
    const struct sl1_pointer *p = &m->k->pointers[i];
    m->base[i] = fresh(m, RD);
    if (p->member >= 0)
      say(m, "ld.param.u64 %%rd%u, [%s+%d];", m->base[i], p->name, p->member);
    else
      say(m, "ld.param.u64 %%rd%u, [%s];", m->base[i], p->name);
    if (chance(m, 40)) continue;
    const uint32_t d = fresh(m, RD);
    say(m, "cvta.to.global.u64 %%rd%u, %%rd%u;", d, m->base[i]);
    m->base[i] = d;
  }
}

uint32_t an_index(struct maker *m, uint32_t count, enum style style) {
  const uint32_t r = fresh(m, R), from = fresh(m, R);
  const struct loop *l = m->loop_count ? &m->loops[chance(m, 75) ? m->loop_count - 1 : below(m, m->loop_count)] : NULL;
  if (chance(m, 10)) {
    say(m, "mov.u32 %%r%u, %u;", r, below(m, count));
    return r;
  }
  if (chance(m, 15)) style = (enum style)below(m, STYLES);
  if (style == RANDOM || !l)
    say(m, "mov.u32 %%r%u, %%v%u;", from, below(m, VALUES));
  else if (style == COMMON)
    say(m, "add.s32 %%r%u, %%r%u, %u;", from, l->counter, below(m, 3)); // the same for all threads
  else if (style == CHUNKS)
    say(m, "mad.lo.s32 %%r%u, %%gid, %u, %%r%u;", from, 1 + below(m, count), l->counter); // one each
  else
    say(m, "shr.u32 %%r%u, %%r%u, %u;", from, l->counter, 1 + below(m, 3));
  say(m, "and.b32 %%r%u, %%r%u, %u;", r, from, count - 1);
  return r;
}

// The place of granule `index` of thread `thread` by a pointer, or by the variable's name (pointer NONE).
static void granule(struct maker *m, uint32_t pointer, uint32_t buffer, uint32_t thread, uint32_t index,
                    struct place *p) {
  const struct sl1_buffer *b = &m->k->buffers[buffer];
  const uint32_t byte = fresh(m, RD), r = fresh(m, R), base = fresh(m, RD);
  *p = (struct place){.rd = fresh(m, RD),
                      .granule = b->granule,
                      .writable = is_own(b),
                      .constant = b->role == SL1_READ,
                      .atomics = pointer != NONE && m->k->pointers[pointer].atomics,
                      .strong = pointer != NONE && m->k->pointers[pointer].strong};
  if (is_own(b)) {
    if (b->order == SL1_CHUNKED) {
      say(m, "mul.lo.s32 %%r%u, %%r%u, %u;", r, thread, b->chunk);
      say(m, "mad.wide.u32 %%rd%u, %%r%u, %u, 0;", byte, index, b->granule);
      say(m, "cvt.u64.u32 %%rd%u, %%r%u;", base, r);
      say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", byte, byte, base);
    } else {
      say(m, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;", r, index, sl1_threads(m->k), thread);
      say(m, "mul.wide.u32 %%rd%u, %%r%u, %u;", byte, r, b->granule);
    }
  } else {
    say(m, "mul.wide.u32 %%rd%u, %%r%u, %u;", byte, index, b->granule);
  }
  if (pointer == NONE) {
    const uint32_t name = fresh(m, RD);
    say(m, "mov.u64 %%rd%u, %s;", name, m->k->variable);
    say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", p->rd, name, byte);
    return;
  }
  const uint32_t now = pointer_now(m, pointer);
  p->offset = -(int64_t)m->k->pointers[pointer].offset;
  if (p->offset && chance(m, 50)) { // in a register, or in the instruction
    const uint32_t moved = fresh(m, RD);
    say(m, "add.s64 %%rd%u, %%rd%u, %lld;", moved, now, (long long)p->offset);
    p->offset = 0;
    say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", p->rd, byte, moved);
    return;
  }
  say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", p->rd, now, byte);
}

// By any of the pointers to it.
bool a_place_of(struct maker *m, uint32_t buffer, uint32_t thread, uint32_t index, struct place *p) {
  uint32_t ways[SL1_MOST_POINTERS + 1], count = 0;
  for (uint32_t i = 0; i < m->k->pointer_count; i++)
    if (m->k->pointers[i].buffer == buffer) ways[count++] = i;
  if (m->k->buffers[buffer].variable) ways[count++] = NONE;
  if (!count) return false;
  granule(m, ways[below(m, count)], buffer, thread, index, p);
  return true;
}

static uint32_t own_thread(struct maker *m) {
  const uint32_t r = fresh(m, R);
  say(m, "mov.u32 %%r%u, %%gid;", r);
  return r;
}

// A granule of the thread's own by the pointer that lies in memory.
static void by_stored_pointer(struct maker *m, uint32_t buffer, struct place *p) {
  struct place table;
  const struct sl1_buffer *b = &m->k->buffers[buffer], *target = &m->k->buffers[b->target];
  a_place_of(m, buffer, NONE, own_thread(m), &table);
  *p = (struct place){.rd = chance(m, 50) ? table.rd : fresh(m, RD),
                      .granule = target->granule,
                      .writable = true,
                      .atomics = chance(m, 10),
                      .strong = chance(m, 10)};
  say(m, "ld.global.u64 %%rd%u, [%%rd%u+%lld];", p->rd, table.rd, (long long)table.offset);
}

static bool one_place(struct maker *m, bool write, struct place *p) {
  uint32_t fit[SL1_MOST_BUFFERS], count = 0;
  for (uint32_t i = 0; i < m->k->buffer_count; i++) {
    const enum sl1_role role = m->k->buffers[i].role;
    if (role != SL1_COUNT && role != SL1_OUT && (!write || role != SL1_READ)) fit[count++] = i;
  }
  if (!count) return false;
  const uint32_t buffer = fit[below(m, count)];
  const struct sl1_buffer *b = &m->k->buffers[buffer];
  if (b->role == SL1_POINTERS) {
    by_stored_pointer(m, buffer, p);
    return true;
  }
  const uint32_t index = an_index(m, b->count, m->styles[buffer]);
  return a_place_of(m, buffer, b->role == SL1_READ ? NONE : own_thread(m), index, p);
}

// One of two places, as a condition has it; by selp, by a predicated move, or by a branch.
static void either(struct maker *m, const struct place *a, const struct place *b, struct place *p) {
  const uint32_t condition = a_condition(m, false), kind = below(m, 3);
  uint32_t at[2] = {fresh(m, RD), fresh(m, RD)};
  say(m, "add.s64 %%rd%u, %%rd%u, %lld;", at[0], a->rd, (long long)a->offset);
  say(m, "add.s64 %%rd%u, %%rd%u, %lld;", at[1], b->rd, (long long)b->offset);
  *p = (struct place){.rd = fresh(m, RD),
                      .granule = a->granule < b->granule ? a->granule : b->granule,
                      .writable = a->writable && b->writable,
                      .constant = a->constant && b->constant,
                      .atomics = a->atomics && b->atomics};
  if (kind == 0) {
    say(m, "selp.b64 %%rd%u, %%rd%u, %%rd%u, %%p%u;", p->rd, at[0], at[1], condition);
    return;
  }
  say(m, "mov.u64 %%rd%u, %%rd%u;", p->rd, at[0]);
  if (kind == 1) {
    say(m, "@%%p%u mov.u64 %%rd%u, %%rd%u;", condition, p->rd, at[1]);
    return;
  }
  const uint32_t past = label(m);
  say(m, "@!%%p%u bra $L%u;", condition, past);
  say(m, "mov.u64 %%rd%u, %%rd%u;", p->rd, at[1]);
  put_label(m, past);
}

bool a_place(struct maker *m, bool write, struct place *p) {
  for (uint32_t i = m->loop_count; i-- > 0;) {
    const struct loop *l = &m->loops[i];
    if (!l->walker_count || !chance(m, 50)) continue;
    *p = l->walkers[below(m, l->walker_count)].at;
    if (!write || p->writable) return true;
  }
  struct place a, b;
  if (!one_place(m, write, &a)) return false;
  if (!chance(m, 12) || !one_place(m, write, &b)) {
    *p = a;
    return true;
  }
  either(m, &a, &b, p);
  return true;
}

// A pointer that goes granule by granule through what the thread may access of a buffer, and begins anew at its end.
bool start_walker(struct maker *m, struct walker *w, uint32_t trips) {
  const uint32_t buffer = below(m, m->k->buffer_count);
  const struct sl1_buffer *b = &m->k->buffers[buffer];
  if (b->role != SL1_READ && b->role != SL1_OWN) return false;
  const bool shared = b->role == SL1_READ;
  w->step = shared || b->order == SL1_CHUNKED ? b->granule : sl1_threads(m->k) * b->granule;
  w->wraps = trips > b->count || chance(m, 20);
  const uint32_t zero = fresh(m, R), thread = own_thread(m);
  say(m, "mov.u32 %%r%u, 0;", zero);
  if (!a_place_of(m, buffer, thread, zero, &w->at)) return false;
  w->first = w->at.rd;
  w->end = fresh(m, RD);
  say(m, "add.s64 %%rd%u, %%rd%u, %u;", w->end, w->first, b->count * w->step);
  w->at.rd = fresh(m, RD);
  if (!shared || !w->wraps) {
    say(m, "mov.u64 %%rd%u, %%rd%u;", w->at.rd, w->first);
    return true;
  }
  const uint32_t index = an_index(m, b->count, m->styles[buffer]), byte = fresh(m, RD);
  say(m, "mul.wide.u32 %%rd%u, %%r%u, %u;", byte, index, b->granule);
  say(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;", w->at.rd, w->first, byte);
  return true;
}

void advance(struct maker *m, const struct walker *w) {
  say(m, "add.s64 %%rd%u, %%rd%u, %u;", w->at.rd, w->at.rd, w->step);
  if (!w->wraps) return;
  const uint32_t p = fresh(m, P);
  say(m, "setp.%s.u64 %%p%u, %%rd%u, %%rd%u;", pick(m, "eq", "ge"), p, w->at.rd, w->end);
  if (chance(m, 50))
    say(m, "@%%p%u mov.u64 %%rd%u, %%rd%u;", p, w->at.rd, w->first);
  else
    say(m, "selp.b64 %%rd%u, %%rd%u, %%rd%u, %%p%u;", w->at.rd, w->first, w->at.rd, p);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a kernel does beside its buffers: shared and local memory of its own, functions, fences, and what threads tell
// each other.
#include "maker.h"

static unsigned long long seed(const struct maker *m) {
  return (unsigned long long)m->k->seed;
}

// A word of the thread's own in static or dynamic shared memory; `lid` is %r.
static uint32_t shared_word(struct maker *m, const char *thread) {
  const uint32_t a = fresh(m, R), base = fresh(m, R), index = an_index(m, SHARED_WORDS, COMMON);
  say(m, "mov.u32 %%r%u, %s_%llu;", base, m->k->dynamic_shared && chance(m, 60) ? "dynamic" : "own", seed(m));
  say(m, "mad.lo.s32 %%r%u, %s, %u, %%r%u;", a, thread, SHARED_WORDS * 4, base);
  say(m, "mad.lo.s32 %%r%u, %%r%u, 4, %%r%u;", a, index, a);
  return a;
}

static void shared(struct maker *m) {
  const uint32_t a = shared_word(m, "%lid"), r = fresh(m, R);
  if (chance(m, 50)) {
    say(m, "st.shared.u32 [%%r%u], %%r%u;", a, a_value(m));
    return;
  }
  if (m->generic && chance(m, 50)) {
    const uint32_t wide = fresh(m, RD);
    say(m, "cvt.u64.u32 %%rd%u, %%r%u;", wide, a);
    say(m, "cvta.shared.u64 %%rd%u, %%rd%u;", wide, wide);
    say(m, "ld.u32 %%r%u, [%%rd%u];", r, wide);
  } else {
    say(m, "ld%s.shared.u32 %%r%u, [%%r%u];", chance(m, 20) ? ".volatile" : "", r, a);
  }
  mix(m, r);
}

static void local(struct maker *m) {
  const uint32_t a = fresh(m, R), base = fresh(m, R), r = fresh(m, R), index = an_index(m, LOCAL_BYTES / 4, RANDOM);
  say(m, "mov.u32 %%r%u, local_%llu;", base, seed(m));
  say(m, "mad.lo.s32 %%r%u, %%r%u, 4, %%r%u;", a, index, base);
  if (chance(m, 50)) {
    say(m, "st.local.u32 [%%r%u], %%r%u;", a, a_value(m));
    return;
  }
  say(m, "ld.local.u32 %%r%u, [%%r%u];", r, a);
  mix(m, r);
}

static void fence(struct maker *m) {
  say(m, "%s;",
      pick(m, "membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta", "fence.acq_rel.cta"));
}

// Straight to shared memory, past all registers.
static void copy(struct maker *m) {
  struct place p;
  const uint32_t a = shared_word(m, "%lid"), r = fresh(m, R);
  if (!a_place(m, false, &p) || p.granule < 4) return;
  say(m, "cp.async.ca.shared.global [%%r%u], [%%rd%u+%lld], 4;", a, p.rd, (long long)p.offset);
  say(m, "cp.async.wait_all;");
  say(m, "ld.shared.u32 %%r%u, [%%r%u];", r, a);
  mix(m, r);
}

static void prefetch(struct maker *m) {
  struct place p;
  if (a_place(m, false, &p))
    say(m, "prefetch.global.%s [%%rd%u+%lld];", pick(m, "L1", "L2"), p.rd, (long long)p.offset);
}

static void call_with_pointer(struct maker *m, bool writes) {
  struct place p;
  if (!a_place(m, writes, &p)) return;
  const uint32_t address = fresh(m, RD), r = fresh(m, R);
  const char *uniform = m->divergent ? "" : ".uni";
  say(m, "add.s64 %%rd%u, %%rd%u, %lld;", address, p.rd, (long long)p.offset);
  const uint32_t v = a_value(m);
  say(m, "{");
  say(m, ".param .b64 argument0;");
  say(m, ".param .b32 argument1;");
  say(m, "st.param.b64 [argument0+0], %%rd%u;", address);
  if (writes) {
    say(m, "st.param.b32 [argument1+0], %%r%u;", v);
    say(m, "call%s put_%llu, (argument0, argument1);", uniform, seed(m));
  } else {
    say(m, ".param .b32 result;");
    say(m, "st.param.b32 [argument1+0], %u;", 1 + below(m, p.granule));
    say(m, "call%s (result), sum_%llu, (argument0, argument1);", uniform, seed(m));
    say(m, "ld.param.b32 %%r%u, [result+0];", r);
  }
  say(m, "}");
  if (!writes) mix(m, r);
}

static void call(struct maker *m) {
  const uint32_t kind = below(m, 4), r = fresh(m, R), v = a_value(m);
  const char *uniform = m->divergent ? "" : ".uni";
  if (kind < 2) {
    call_with_pointer(m, kind == 0);
    return;
  }
  if (kind == 2 && m->fences) {
    say(m, "call%s order_%llu;", uniform, seed(m));
    return;
  }
  say(m, "{");
  say(m, ".param .b32 argument;");
  say(m, ".param .b32 result;");
  say(m, "st.param.b32 [argument+0], %%r%u;", v);
  say(m, "call%s (result), hash_%llu, (argument);", uniform, seed(m));
  say(m, "ld.param.b32 %%r%u, [result+0];", r);
  say(m, "}");
  mix(m, r);
}

void shuffle(struct maker *m) {
  const uint32_t r = fresh(m, R), p = fresh(m, P);
  say(m, "shfl.sync.%s.b32 %%r%u|%%p%u, %%v%u, %u, 31, -1;", pick(m, "bfly", "idx"), r, p, below(m, VALUES),
      below(m, 32));
  mix(m, r);
}

void other_statement(struct maker *m) {
  const uint32_t kind = below(m, 10);
  if (kind < 2 && m->own_shared)
    shared(m);
  else if (kind == 2 && m->own_shared && m->hints)
    copy(m);
  else if (kind < 5 && m->local)
    local(m);
  else if (kind < 7 && m->calls)
    call(m);
  else if (kind == 7 && m->fences)
    fence(m);
  else if (kind == 8 && m->hints)
    prefetch(m);
  else
    access_something(m);
}

// All threads of the block, or of each warp, meet.
static void meet(struct maker *m, bool warp) {
  const uint32_t r = fresh(m, R), kind = below(m, 6);
  if (chance(m, 20)) fence(m);
  if (warp) {
    say(m, "bar.warp.sync -1;");
  } else if (kind == 0 && sl1_block_threads(m->k) % 64 == 0) {
    say(m, "bar.sync 1, %u;", sl1_block_threads(m->k));
  } else if (kind == 1) {
    const uint32_t p = a_condition(m, false);
    say(m, "bar.red.popc.u32 %%r%u, 0, %%p%u;", r, p);
    mix(m, r);
  } else {
    say(m, "%s;", pick(m, "bar.sync 0", "barrier.sync 0", "barrier.sync.aligned 0"));
  }
}

// The thread that this one reads from, %r, counted in the block.
static uint32_t partner(struct maker *m, bool warp) {
  const uint32_t r = fresh(m, R), threads = sl1_block_threads(m->k);
  if (warp) {
    say(m, "xor.b32 %%r%u, %%lid, %u;", r, 1 + below(m, 31));
  } else {
    say(m, "add.s32 %%r%u, %%lid, %u;", r, below(m, threads));
    say(m, "rem.u32 %%r%u, %%r%u, %u;", r, r, threads);
  }
  return r;
}

static void exchange_shared(struct maker *m) {
  char thread[16];
  say(m, "st.shared.u32 [%%r%u], %%r%u;", shared_word(m, "%lid"), a_value(m));
  meet(m, false);
  snprintf(thread, sizeof thread, "%%r%u", partner(m, false));
  const uint32_t r = fresh(m, R), from = shared_word(m, thread);
  say(m, "ld.shared.u32 %%r%u, [%%r%u];", r, from);
  mix(m, r);
  meet(m, false);
}

void exchange(struct maker *m) {
  const bool warp = m->shuffles && chance(m, 40);
  if (m->own_shared && !warp && chance(m, 30)) {
    exchange_shared(m);
    return;
  }
  for (uint32_t i = 0; i < m->k->buffer_count; i++) {
    struct place p;
    const struct sl1_buffer *b = &m->k->buffers[i];
    if (b->role != SL1_EXCHANGE) continue;
    const uint32_t own = fresh(m, R);
    say(m, "mov.u32 %%r%u, %%gid;", own);
    for (uint32_t stores = 1 + below(m, 2); stores; stores--)
      if (a_place_of(m, i, own, an_index(m, b->count, m->styles[i]), &p)) store(m, &p);
    meet(m, warp);
    const uint32_t other = partner(m, warp), thread = fresh(m, R);
    say(m, "mad.lo.s32 %%r%u, %%bid, %u, %%r%u;", thread, sl1_block_threads(m->k), other);
    if (a_place_of(m, i, thread, an_index(m, b->count, m->styles[i]), &p)) load(m, &p);
    meet(m, warp);
    return;
  }
}

void write_functions(struct maker *m) {
  say(m, ".func (.param .b32 result) hash_%llu(.param .b32 value)", seed(m));
  say(m, "{ .reg .b32 %%r<3>; ld.param.u32 %%r0, [value]; mul.lo.s32 %%r1, %%r0, 40503; shr.u32 %%r2, %%r1, 7;");
  say(m, "  xor.b32 %%r1, %%r1, %%r2; st.param.b32 [result+0], %%r1; ret; }");
  say(m, ".func order_%llu() { membar.gl; ret; }", seed(m));
  say(m, ".func put_%llu(.param .b64 to, .param .b32 value)", seed(m));
  say(m, "{ .reg .b32 %%r<1>; .reg .b64 %%rd<1>; ld.param.u64 %%rd0, [to]; ld.param.u32 %%r0, [value];");
  say(m, "  st.u8 [%%rd0], %%r0; ret; }");
  say(m, ".func (.param .b32 result) sum_%llu(.param .b64 from, .param .b32 count)", seed(m));
  say(m,
      "{ .reg .b32 %%r<5>; .reg .b64 %%rd<3>; .reg .pred %%p; ld.param.u64 %%rd0, [from]; ld.param.u32 %%r0, [count];");
  say(m, "  mov.u32 %%r1, 0; mov.u32 %%r2, 0;");
  say(m, "$again: cvt.u64.u32 %%rd1, %%r1; add.s64 %%rd2, %%rd0, %%rd1; ld.u8 %%r3, [%%rd2];");
  say(m, "  mad.lo.s32 %%r2, %%r2, 3, %%r3; add.s32 %%r1, %%r1, 1; setp.lt.u32 %%p, %%r1, %%r0; @%%p bra $again;");
  say(m, "  st.param.b32 [result+0], %%r2; ret; }");
}

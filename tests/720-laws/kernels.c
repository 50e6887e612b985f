// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random kernels without races, so that there is one right result whatever the order in which warps go: a thread reads `in`,
// which nobody writes; writes its own slots of `out`, of shared and of local memory; reads what others have put into shared
// memory between two barriers, of their cluster if it is another block's; and its atomics commute, on words that one operation each has
// for itself, with results that nobody uses.
#include "laws.h"

#include "base/bits.h"

enum {
  SLOT = 16,
  SLOTS = 4,
  IN_BYTES = 1 << 14,
  LOCAL_BYTES = 64,
  CONST_BYTES = 256,
  ATOMIC_WORDS = 64,
  ATOMIC_OPS = 7
};

struct maker {
  struct weir_rng *r;
  struct text *t;
  uint32_t predicates, labels, counters;         // used so far
  uint32_t threads, block, blocks, shared_words; // of all blocks; of a block; shared words for atomics
  uint32_t in_mask;                              // reaches so far into `in`
  bool blocked, local;                           // blocked: a thread's slots lie side by side
  uint32_t cluster;                              // blocks
  int left;                                      // instructions of a warp, about
};

static const struct element {
  const char *type, *reg;
  uint32_t bytes;
} elements[] = {{"u8", "%r", 1},  {"s16", "%r", 2}, {"u32", "%r", 4}, {"u32", "%r", 4}, {"s32", "%r", 4},
                {"b32", "%r", 4}, {"f32", "%f", 4}, {"u64", "%l", 8}, {"f64", "%d", 8}};

static uint32_t word(struct maker *m) {
  return between(m->r, 0, 11);
}

static uint32_t wide(struct maker *m) {
  return between(m->r, 0, 5);
}

// ---- arithmetic ---------------------------------------------------------------------------------------------------------------

static void integers(struct maker *m) {
  static const char *const two[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32", "or.b32",
                                    "min.s32", "max.u32", "mul.hi.u32", "div.u32", "rem.u32"};
  switch (between(m->r, 0, 5)) {
  case 0: add(m->t, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", word(m), word(m), word(m), word(m)); break;
  case 1: add(m->t, "shr.u32 %%r%u, %%r%u, %u;\n", word(m), word(m), between(m->r, 0, 15)); break;
  case 2: add(m->t, "popc.b32 %%r%u, %%r%u;\n", word(m), word(m)); break;
  case 3:
    add(m->t, "cvt.u64.u32 %%l%u, %%r%u;\nadd.u64 %%l%u, %%l%u, %%l%u;\n", wide(m), word(m), wide(m), wide(m), wide(m));
    break;
  default: add(m->t, "%s %%r%u, %%r%u, %%r%u;\n", one_of(m->r, two), word(m), word(m), word(m)); break;
  }
}

static void floats(struct maker *m) {
  static const char *const two[] = {"add.f32", "mul.f32", "sub.f32", "max.f32", "min.f32", "div.rn.f32"};
  static const char *const one[] = {"sqrt.rn.f32", "rcp.rn.f32", "abs.f32", "neg.f32", "ex2.approx.f32"};
  switch (between(m->r, 0, 4)) {
  case 0: add(m->t, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", wide(m), wide(m), wide(m), wide(m)); break;
  case 1: add(m->t, "%s %%f%u, %%f%u;\n", one_of(m->r, one), wide(m), wide(m)); break;
  case 2: add(m->t, "cvt.rn.f32.u32 %%f%u, %%r%u;\n", wide(m), word(m)); break;
  case 3: add(m->t, "fma.rn.f64 %%d%u, %%d%u, %%d%u, %%d%u;\n", wide(m), wide(m), wide(m), wide(m)); break;
  default: add(m->t, "%s %%f%u, %%f%u, %%f%u;\n", one_of(m->r, two), wide(m), wide(m), wide(m)); break;
  }
}

static uint32_t predicate(struct maker *m) { // a new one, of a data-dependent condition
  static const char *const compares[] = {"lt.u32", "ge.s32", "ne.u32", "eq.u32"};
  uint32_t p = m->predicates++;
  if (chance(m->r, 50)) { // some lanes of each warp
    add(m->t, "and.b32 %%a0, %%r%u, %u;\nsetp.eq.u32 %%p%u, %%a0, 0;\n", word(m), between(m->r, 1, 7), p);
  } else {
    add(m->t, "setp.%s %%p%u, %%r%u, %%r%u;\n", one_of(m->r, compares), p, word(m), word(m));
  }
  return p;
}

// ---- memory -----------------------------------------------------------------------------------------------------------------

struct access {
  const struct element *e;
  uint32_t lanes, bytes; // lanes: of the vector
};

static struct access choose_access(struct maker *m, uint32_t most) {
  for (;;) {
    struct access a = {.e = &one_of(m->r, elements), .lanes = chance(m->r, 70) ? 1 : chance(m->r, 50) ? 2 : 4};
    a.bytes = a.e->bytes * a.lanes;
    if (a.bytes <= most) return a;
  }
}

static void add_type(struct maker *m, const struct access *a) {
  add(m->t, "%s.%s ", a->lanes == 4 ? ".v4" : a->lanes == 2 ? ".v2" : "", a->e->type);
}

static void add_registers(struct maker *m, const struct access *a, bool load) {
  uint32_t first = a->e->reg[1] == 'r' ? between(m->r, 0, 8) : between(m->r, 0, 2);
  if (a->lanes == 1) {
    add(m->t, "%s%u", a->e->reg, first);
    return;
  }
  for (uint32_t i = 0; i < a->lanes; i++)
    add(m->t, "%s%s%u", i ? ", " : "{", a->e->reg, load ? first + i : first + between(m->r, 0, 3));
  add(m->t, "}");
}

// %b0 = base + (a value & mask), aligned to the access; values that neighbours have side by side, apart, or alike.
static void address_in(struct maker *m, const char *base, uint32_t bytes, uint32_t mask) {
  switch (between(m->r, 0, 4)) {
  case 0: add(m->t, "mul.lo.u32 %%a0, %%tid0, %u;\n", bytes); break;
  case 1: add(m->t, "mad.lo.u32 %%a0, %%tid0, %u, %u;\n", bytes * between(m->r, 1, 40), between(m->r, 0, 4096)); break;
  case 2: add(m->t, "mov.u32 %%a0, %u;\n", between(m->r, 0, 1 << 20)); break;
  case 3: add(m->t, "mad.lo.u32 %%a0, %%r%u, %u, %%tid0;\n", word(m), bytes); break;
  default: add(m->t, "mov.u32 %%a0, %%r%u;\n", word(m)); break;
  }
  add(m->t, "and.b32 %%a0, %%a0, %u;\ncvt.u64.u32 %%b0, %%a0;\nadd.u64 %%b0, %%b0, %s;\n", mask & ~(bytes - 1), base);
}

static void load_in(struct maker *m) {
  static const char *const kinds[] = {"ld.global",
                                      "ld.global",
                                      "ld.global",
                                      "ld.global.ca",
                                      "ld.global.cg",
                                      "ld.global.cs",
                                      "ld.global.lu",
                                      "ld.global.cv",
                                      "ld.volatile.global",
                                      "ld.global.nc",
                                      "ld",
                                      "ld.global.L1::evict_last",
                                      "ld.global.L1::evict_first",
                                      "ld.global.L1::evict_normal",
                                      "ld.global.L1::evict_unchanged",
                                      "ld.global.L1::no_allocate",
                                      "ld.global.L1::evict_last.L2::evict_first",
                                      "ld.global.L2::evict_last",
                                      "ld.global.L2::evict_first",
                                      "ld.global.L2::evict_normal",
                                      "ld.global.L2::64B",
                                      "ld.global.cg.L2::128B",
                                      "ld.global.L2::256B"};
  struct access a = choose_access(m, 32);
  address_in(m, "%in", a.bytes, m->in_mask);
  if (chance(m->r, 15)) add(m->t, "@%%p%u ", between(m->r, 0, m->predicates - 1));
  add(m->t, "%s", one_of(m->r, kinds));
  add_type(m, &a);
  add_registers(m, &a, true);
  add(m->t, ", [%%b0];\n");
}

// A word of `in` by the texture unit; past the end of the words it is 0, and no access.
static void texture(struct maker *m) {
  const uint32_t first = between(m->r, 0, 8), past = chance(m->r, 10) ? IN_BYTES : 0;
  switch (between(m->r, 0, 3)) {
  case 0: add(m->t, "mov.u32 %%a0, %%tid0;\n"); break;
  case 1: add(m->t, "mul.lo.u32 %%a0, %%tid0, %u;\n", between(m->r, 1, 40)); break;
  case 2: add(m->t, "mov.u32 %%a0, %u;\n", between(m->r, 0, 1 << 12)); break;
  default: add(m->t, "mov.u32 %%a0, %%r%u;\n", word(m)); break;
  }
  add(m->t, "and.b32 %%a0, %%a0, %u;\n", m->in_mask >> 2 | past);
  if (chance(m->r, 15)) add(m->t, "@%%p%u ", between(m->r, 0, m->predicates - 1));
  add(m->t, "tex.1d.v4.u32.s32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%image, {%%a0}];\n", first, first + 1, first + 2,
      first + 3);
}

// %b0 = one of the thread's own slots.
static void own_slot(struct maker *m) {
  uint32_t k = between(m->r, 0, SLOTS - 1);
  if (m->blocked)
    add(m->t, "mad.wide.u32 %%b0, %%gid, %u, %%out;\nadd.u64 %%b0, %%b0, %u;\n", SLOT * SLOTS, k * SLOT);
  else
    add(m->t, "mad.wide.u32 %%b0, %%gid, %u, %%out;\nadd.u64 %%b0, %%b0, %u;\n", SLOT, k * SLOT * m->threads);
}

static void own(struct maker *m, bool load) {
  static const char *const loads[] = {"ld.global",          "ld.global",    "ld.global.cg",
                                      "ld.volatile.global", "ld.global.cv", "ld"};
  static const char *const stores[] = {"st.global",    "st.global",          "st.global",
                                       "st.global.wb", "st.global.cg",       "st.global.cs",
                                       "st.global.wt", "st.volatile.global", "st"};
  struct access a = choose_access(m, SLOT);
  own_slot(m);
  if (chance(m->r, 20)) add(m->t, "@%%p%u ", between(m->r, 0, m->predicates - 1));
  add(m->t, "%s", load ? one_of(m->r, loads) : one_of(m->r, stores));
  add_type(m, &a);
  const uint32_t offset = a.bytes * between(m->r, 0, SLOT / a.bytes - 1);
  if (load)
    add_registers(m, &a, true), add(m->t, ", [%%b0+%u];\n", offset);
  else
    add(m->t, "[%%b0+%u], ", offset), add_registers(m, &a, false), add(m->t, ";\n");
}

static void local_access(struct maker *m) {
  struct access a = choose_access(m, 16);
  bool load = chance(m->r, 50);
  add(m->t, "and.b32 %%a0, %%%s, %u;\nmov.u64 %%b1, buffer;\ncvt.u64.u32 %%b0, %%a0;\nadd.u64 %%b0, %%b0, %%b1;\n",
      chance(m->r, 50) ? "r0" : "tid0", (LOCAL_BYTES - 1) & ~(a.bytes - 1));
  add(m->t, "%s.local", load ? "ld" : "st");
  add_type(m, &a);
  if (load)
    add_registers(m, &a, true), add(m->t, ", [%%b0];\n");
  else
    add(m->t, "[%%b0], "), add_registers(m, &a, false), add(m->t, ";\n");
}

static void constant(struct maker *m) {
  struct access a = choose_access(m, 16);
  add(m->t, "mov.u64 %%b1, table;\n");
  address_in(m, "%b1", a.bytes, CONST_BYTES - 1);
  add(m->t, "ld.const");
  add_type(m, &a);
  add_registers(m, &a, true);
  add(m->t, ", [%%b0];\n");
}

static void shared_own(struct maker *m) {
  struct access a = choose_access(m, 8);
  bool load = chance(m->r, 50);
  add(m->t, "%s.shared", load ? "ld" : "st");
  add_type(m, &a);
  if (load)
    add_registers(m, &a, true), add(m->t, ", [%%mine];\n");
  else
    add(m->t, "[%%mine], "), add_registers(m, &a, false), add(m->t, ";\n");
}

static void atomic(struct maker *m) {
  static const char *const operations[] = {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "add.u64"};
  uint32_t k = between(m->r, 0, ATOMIC_OPS - 1), bytes = k == 6 ? 8 : 4;
  address_in(m, "%acc", bytes, (chance(m->r, 30) ? 1 : ATOMIC_WORDS) * bytes - 1);
  const char *value = k == 6 ? "l" : "r";
  if (chance(m->r, 20)) add(m->t, "@%%p%u ", between(m->r, 0, m->predicates - 1));
  if (chance(m->r, 50))
    add(m->t, "red.global.%s [%%b0+%u], %%%s%u;\n", operations[k], k * ATOMIC_WORDS * 8, value, wide(m));
  else
    add(m->t, "atom.global.%s %%t%s, [%%b0+%u], %%%s%u;\n", operations[k], value, k * ATOMIC_WORDS * 8, value, wide(m));
}

static void shared_atomic(struct maker *m) {
  add(m->t, "and.b32 %%a0, %%r%u, %u;\nshl.b32 %%a0, %%a0, 2;\nmov.u32 %%a1, counts;\nadd.u32 %%a0, %%a0, %%a1;\n",
      word(m), m->shared_words - 1);
  add(m->t, "red.shared.add.u32 [%%a0], %%r%u;\n", word(m));
}

// What a neighbour has in shared memory, between barriers of the whole block.
static void exchange(struct maker *m) {
  add(m->t, "st.shared.u32 [%%mine], %%r%u;\nbar.sync 0;\n", word(m));
  add(m->t,
      "add.u32 %%a0, %%ltid, %u;\nrem.u32 %%a0, %%a0, %u;\nmov.u32 %%a1, slots;\nmad.lo.u32 %%a0, %%a0, 8, %%a1;\n",
      between(m->r, 1, 40), m->block);
  add(m->t, "ld.shared.u32 %%r%u, [%%a0];\nbar.sync 0;\n", word(m));
}

#define SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

// Into %a3 and %b3: the address in some block of the cluster that %a0 is in this one's, in the window and as a generic one.
static void map(struct maker *m, struct weir_rng *r) {
  add(m->t, "mov.u32 %%a2, %%cluster_ctarank;\nadd.u32 %%a2, %%a2, %u;\nrem.u32 %%a2, %%a2, %u;\n",
      between(r, 0, m->cluster), m->cluster);
  add(m->t,
      "mapa.shared::cluster.u32 %%a3, %%a0, %%a2;\ncvt.u64.u32 %%b3, %%a3;\ncvta.shared::cluster.u64 %%b3, %%b3;\n");
}

// What a thread of another block has in shared memory, between barriers of the cluster.
static void cluster_exchange(struct maker *m, struct weir_rng *r) {
  add(m->t, "st.shared.u32 [%%mine], %%r%u;\n" SYNC, between(r, 0, 11));
  add(m->t,
      "add.u32 %%a0, %%ltid, %u;\nrem.u32 %%a0, %%a0, %u;\nmov.u32 %%a1, slots;\nmad.lo.u32 %%a0, %%a0, 8, %%a1;\n",
      between(r, 0, 40), m->block);
  map(m, r);
  add(m->t, chance(r, 50) ? "ld.shared::cluster.u32 %%r%u, [%%a3];\n" : "ld.u32 %%r%u, [%%b3];\n", between(r, 0, 11));
  add(m->t, SYNC);
}

static void cluster_atomic(struct maker *m, struct weir_rng *r) {
  add(m->t, "and.b32 %%a0, %%r%u, %u;\nshl.b32 %%a0, %%a0, 2;\nmov.u32 %%a1, counts;\nadd.u32 %%a0, %%a0, %%a1;\n",
      between(r, 0, 11), m->shared_words - 1);
  map(m, r);
  add(m->t, chance(r, 50) ? "red.shared::cluster.add.u32 [%%a3], %%r%u;\n" : "red.add.u32 [%%b3], %%r%u;\n",
      between(r, 0, 11));
}

static void call(struct maker *m) {
  add(m->t,
      "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x], %%r%u;\nst.param.b32 [y], %%r%u;\n"
      "call.uni (z), helper, (x, y);\nld.param.b32 %%r%u, [z];\n}\n",
      word(m), word(m), word(m));
}

// Matrices of a whole warp: what a thread holds becomes what others held, which has one result whatever the order of warps.
static void matrix(struct maker *m, struct weir_rng *r) {
  const uint32_t from = between(r, 0, 255) * 32, line = 8 * between(r, 2, 8);
  switch (between(r, 0, m->blocked ? 4 : 3)) {
  case 0:
    add(m->t,
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f0,%%f1,%%f2,%%f3},{%%r0,%%r1,%%r2,%%r3},{%%r4,%%r5},"
        "{%%f2,%%f3,%%f4,%%f5};\n");
    break;
  case 1:
    add(m->t,
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%%r0,%%r1,%%r2,%%r3},{%%r4,%%r5,%%r6,%%r7},{%%r8,%%r9},"
        "{%%r1,%%r2,%%r3,%%r0};\n");
    break;
  case 2:
    add(m->t, "mov.u32 %%a0, %u;\nwmma.load.a.sync.aligned.%s.m16n16k16%s.s8 {%%r%u,%%r%u}, [%%in+%u], %%a0;\n",
        2 * line, chance(r, 50) ? "row" : "col", chance(r, 50) ? ".global" : "", between(r, 0, 3), between(r, 4, 7),
        from);
    break;
  case 3: // of what neighbours have in shared memory, between barriers of the whole block
    add(m->t,
        "st.shared.u32 [%%mine], %%r%u;\nbar.sync 0;\nand.b32 %%a0, %%mine, -16;\n"
        "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%%r0,%%r1,%%r2,%%r3}, [%%a0];\nbar.sync 0;\n",
        between(r, 0, 11), chance(r, 50) ? ".trans" : "");
    break;
  default: // to the slots of the warp's own threads, which lie side by side
    add(m->t,
        "and.b32 %%a0, %%gid, -32;\nmad.wide.u32 %%b0, %%a0, %u, %%out;\nmov.u32 %%a0, %u;\n"
        "wmma.store.d.sync.aligned.%s.m16n16k16.global.f32 [%%b0], {%%f0,%%f1,%%f2,%%f3,%%f4,%%f5,%%f0,%%f1}, %%a0;\n",
        SLOT * SLOTS, 4 * between(r, 4, 8), chance(r, 50) ? "row" : "col");
  }
}

// Products that run beside their warp, of what neighbours have in shared memory, between barriers of the whole block: two core matrices of B, and of A as
// many again and again. They are waited for, or not yet.
static void product(struct maker *m, struct weir_rng *r) {
  static const char *const waits[] = {"wgmma.wait_group.sync.aligned 0;\n", "wgmma.wait_group.sync.aligned 1;\n", ""};
  const bool bytes = chance(r, 50);
  add(m->t,
      "st.shared.u32 [%%mine], %%r%u;\nbar.sync 0;\nmov.u32 %%a0, slots;\nshr.u32 %%a0, %%a0, 4;\n"
      "cvt.u64.u32 %%b0, %%a0;\nor.b64 %%b0, %%b0, 0x%x;\nwgmma.fence.sync.aligned;\n",
      between(r, 0, 11), 128 >> 4 << 16);
  for (uint32_t n = between(r, 1, 3); n; n--) {
    const char *a = chance(r, 50) ? "%b0" : "{%r4,%r5,%r6,%r7}";
    if (bytes)
      add(m->t, "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%%r0,%%r1,%%r2,%%r3}, %s, %%b0, %s;\n", a,
          chance(r, 50) ? "1" : "%p0");
    else
      add(m->t, "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%%f0,%%f1,%%f2,%%f3}, %s, %%b0, %u, 1, -1;\n", a,
          between(r, 0, 1));
    if (chance(r, 70)) add(m->t, "wgmma.commit_group.sync.aligned;\n");
  }
  add(m->t, "%sbar.sync 0;\n", one_of(r, waits));
}

// Copies that run beside their warp: of each thread to its own slot of shared memory, of a warp's first lane to the warp's slots, and from these to its
// own slots of `out` or, added, to `acc`. A copy is waited for, or not yet.
static void copy(struct maker *m, struct weir_rng *r) {
  static const char *const waits[] = {"cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;",
                                      "cp.async.commit_group; cp.async.wait_group 1;", ""};
  const uint32_t what = between(r, 0, 3), bytes = 16 * between(r, 1, 4), label = m->labels++;
  const bool reads = chance(r, 50);
  add(m->t, "and.b32 %%a0, %%r%u, %u;\ncvt.u64.u32 %%b0, %%a0;\nadd.u64 %%b0, %%b0, %%in;\n", between(r, 0, 11),
      (IN_BYTES / 2 - 1) & ~15u);
  add(m->t,
      "mov.u32 %%a1, %%laneid;\nsetp.eq.u32 %%pc, %%a1, 0;\nshl.b32 %%a1, %%a1, 3;\nsub.u32 %%a1, %%mine, %%a1;\n");
  switch (what) {
  case 0:
    add(m->t, "cp.async.ca.shared.global [%%mine], [%%b0], %u;\n%s\n", chance(r, 50) ? 4 : 8, one_of(r, waits));
    break;
  case 1:
    add(m->t,
        "mov.u32 %%a2, bars;\nmov.u32 %%a3, %%ltid;\nshr.u32 %%a3, %%a3, 5;\nmad.lo.u32 %%a2, %%a3, 8, %%a2;\n"
        "@%%pc mbarrier.init.shared.b64 [%%a2], 1;\n@%%pc mbarrier.arrive.expect_tx.shared.b64 _, [%%a2], %u;\n"
        "@%%pc cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%%a1], [%%b0], %u, [%%a2];\n"
        "WAIT%u: mbarrier.%s.parity.shared.b64 %%pw, [%%a2], 0;\n@!%%pw bra WAIT%u;\n",
        4 * bytes, 4 * bytes, label, reads ? "try_wait" : "test_wait", label);
    break;
  case 2:
    add(m->t,
        "mad.wide.u32 %%b0, %%gid, %u, %%out;\n@%%pc cp.async.bulk.global.shared::cta.bulk_group [%%b0], [%%a1], %u;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s %u;\n",
        SLOT * (m->blocked ? SLOTS : 1), m->blocked ? bytes : SLOT, reads ? ".read" : "", between(r, 0, 1));
    break;
  default:
    add(m->t,
        "@%%pc cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%%acc+%u], [%%a1], %u;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s 0;\n",
        16 * between(r, 0, 8), bytes, reads ? ".read" : "");
  }
  add(m->t, "ld.shared.u32 %%r%u, [%%mine];\n", between(r, 0, 11));
}

// ---- statements -----------------------------------------------------------------------------------------------------------------

static void simple(struct maker *m, int times) {
  uint32_t what = between(m->r, 0, 99);
  m->left -= 4 * times;
  if (what < 22)
    integers(m);
  else if (what < 34)
    floats(m);
  else if (what < 52)
    load_in(m);
  else if (what < 58)
    texture(m);
  else if (what < 68)
    own(m, false);
  else if (what < 76)
    own(m, true);
  else if (what < 81 && m->local)
    local_access(m);
  else if (what < 85)
    constant(m);
  else if (what < 89)
    shared_own(m);
  else if (what < 93)
    atomic(m);
  else if (what < 94)
    add(m->t, "membar.gl;\n");
  else
    call(m);
}

static void statements(struct maker *m, int count, int times, int depth);

static void branch(struct maker *m, int times, int depth) {
  uint32_t p = predicate(m), label = m->labels++;
  bool both = chance(m->r, 50);
  add(m->t, "@%s%%p%u bra ELSE%u;\n", chance(m->r, 50) ? "!" : "", p, label);
  statements(m, (int)between(m->r, 1, 3), times, depth + 1);
  if (both) add(m->t, "bra END%u;\n", label);
  add(m->t, "ELSE%u:\n", label);
  if (both) {
    statements(m, (int)between(m->r, 1, 3), times, depth + 1);
    add(m->t, "END%u:\n", label);
  }
}

static void loop(struct maker *m, int times, int depth) {
  uint32_t c = m->counters++, label = m->labels++, most = between(m->r, 1, 4);
  bool diverges = chance(m->r, 50);
  if (diverges)
    add(m->t, "rem.u32 %%c%u, %%r%u, %u;\n", c, word(m), most);
  else
    add(m->t, "mov.u32 %%c%u, %u;\n", c, most);
  add(m->t, "LOOP%u:\n", label);
  statements(m, (int)between(m->r, 1, 4), times * (int)most, depth + 1);
  uint32_t p = m->predicates++;
  add(m->t, "sub.u32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%p%u, %%c%u, 0;\n@%%p%u bra LOOP%u;\n", c, c, p, c, p, label);
}

static void statements(struct maker *m, int count, int times, int depth) {
  for (int i = 0; i < count && (m->left > 0 || depth); i++) {
    uint32_t what = between(m->r, 0, 99);
    struct weir_rng own = *m->r; // so that the other draws of a seed stay
    struct weir_rng also = own;
    weir_rng_next(&also);
    struct weir_rng third = also;
    weir_rng_next(&third);
    if (!depth && m->block % 32 == 0 && chance(&own, 12)) matrix(m, &own);
    if (!depth && chance(&also, 8)) copy(m, &also);
    struct weir_rng clustered = own; // likewise
    if (m->cluster > 1 && !depth && chance(&clustered, 15)) cluster_exchange(m, &clustered);
    if (m->cluster > 1 && chance(&clustered, 10)) cluster_atomic(m, &clustered);
    if (!depth && m->block % 128 == 0 && chance(&third, 8)) product(m, &third);
    if (depth < 3 && what < 10 && m->predicates < 180)
      branch(m, times, depth);
    else if (depth < 2 && what < 20 && m->left > 0)
      loop(m, times, depth);
    else if (!depth && what < 25)
      exchange(m);
    else if (what < 28)
      shared_atomic(m);
    else
      simple(m, times);
  }
}

// ---- the module -------------------------------------------------------------------------------------------------------------

static void begin(struct maker *m, uint32_t block_x) {
  add(m->t,
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 acc, .param .u64 image) %s\n{\n"
      ".reg .b32 %%r<16>;\n.reg .b32 %%a<4>;\n.reg .b32 %%c<64>;\n.reg .b64 %%l<8>;\n.reg .b64 %%b<4>;\n"
      ".reg .f32 %%f<8>;\n.reg .f64 %%d<8>;\n.reg .pred %%p<256>;\n.reg .b32 %%tid0, %%ltid, %%gid, %%mine, %%tr;\n"
      ".reg .b64 %%in, %%out, %%acc, %%image, %%tl;\n",
      m->cluster > 1 ? ".explicitcluster" : "");
  enum { PAST = 256 }; // that a bulk copy to the slots of a warp that is not whole may reach
  add(m->t, ".reg .pred %%pc, %%pw;\n.shared .align 16 .b8 slots[%u];\n.shared .align 16 .b8 counts[%u];\n",
      m->block * 8 + PAST, m->shared_words * 4);
  add(m->t, ".shared .align 8 .b8 bars[%u];\n", 8 * (m->block / 32 + 1));
  add(m->t,
      "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u64 %%acc, [acc];\n"
      "ld.param.u64 %%image, [image];\n"
      "mov.u32 %%a0, %%tid.x;\nmov.u32 %%a1, %%tid.y;\nmad.lo.u32 %%ltid, %%a1, %u, %%a0;\n"
      "mov.u32 %%a0, %%ctaid.x;\nmov.u32 %%a1, %%ctaid.y;\nmov.u32 %%a2, %%nctaid.x;\n"
      "mad.lo.u32 %%a0, %%a1, %%a2, %%a0;\nmad.lo.u32 %%gid, %%a0, %u, %%ltid;\n"
      "mov.u32 %%a1, slots;\nmad.lo.u32 %%mine, %%ltid, 8, %%a1;\n",
      block_x, m->block);
  add(m->t, "mov.u32 %%tid0, %%%s;\n", chance(m->r, 70) ? "gid" : "ltid");
  for (unsigned i = 0; i < 12; i++)
    add(m->t, "mad.lo.u32 %%r%u, %%gid, %u, %u;\n", i, between(m->r, 0, 9), between(m->r, 0, 99999));
  for (unsigned i = 0; i < 6; i++)
    add(m->t, "cvt.rn.f32.u32 %%f%u, %%r%u;\ncvt.rn.f64.u32 %%d%u, %%r%u;\ncvt.u64.u32 %%l%u, %%r%u;\n", i, i, i, i + 1,
        i, i);
  add(m->t, "mov.b64 %%b1, 0;\nst.shared.u64 [%%mine], %%b1;\n");
  if (m->local) add(m->t, ".local .align 16 .b8 buffer[%u];\nmov.u64 %%b2, buffer;\n", LOCAL_BYTES);
  for (unsigned i = 0; m->local && i < LOCAL_BYTES; i += 16) add(m->t, "st.local.v2.u64 [%%b2+%u], {%%b1, %%l0};\n", i);
  add(m->t,
      "mov.u32 %%a1, counts;\nand.b32 %%a0, %%ltid, %u;\nmad.lo.u32 %%a0, %%a0, 4, %%a1;\nmov.u32 %%a2, 0;\n"
      "st.shared.u32 [%%a0], %%a2;\n%s",
      m->shared_words - 1, m->cluster > 1 ? SYNC : "bar.sync 0;\n");
  predicate(m);
}

// Everything that is in registers, and what was added up in shared memory, goes where it can be compared.
static void end(struct maker *m) {
  add(m->t,
      "%smov.u32 %%a1, counts;\nand.b32 %%a0, %%ltid, %u;\nmad.lo.u32 %%a0, %%a0, 4, %%a1;\n"
      "ld.shared.u32 %%a2, [%%a0];\n",
      m->cluster > 1 ? SYNC : "bar.sync 0;\n", m->shared_words - 1);
  for (unsigned i = 0; i < 12; i++) add(m->t, "xor.b32 %%a2, %%a2, %%r%u;\n", i);
  for (unsigned i = 0; i < 6; i++)
    add(m->t, "mov.b32 %%a3, %%f%u;\nxor.b32 %%a2, %%a2, %%a3;\nmov.b64 %%b1, %%d%u;\nxor.b64 %%l0, %%l0, %%b1;\n", i,
        i);
  own_slot(m);
  add(m->t, "st.global.u32 [%%b0], %%a2;\nst.global.u64 [%%b0+8], %%l0;\nret;\n}\n");
}

static void add_helper(struct maker *m) {
  add(m->t,
      ".func (.param .b32 z) helper(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %%r<4>;\n.reg .pred %%p<2>;\n"
      "ld.param.b32 %%r0, [x];\nld.param.b32 %%r1, [y];\nand.b32 %%r2, %%r0, %u;\nsetp.ne.u32 %%p0, %%r2, 0;\n"
      "@%%p0 bra ODD;\nmul.lo.u32 %%r0, %%r0, %%r1;\nODD:\nadd.u32 %%r0, %%r0, %u;\nst.param.b32 [z], %%r0;\nret;\n}\n",
      between(m->r, 1, 3), between(m->r, 1, 99));
}

static void add_table(struct maker *m) {
  add(m->t, ".const .align 16 .b8 table[%u] = {", CONST_BYTES);
  for (unsigned i = 0; i < CONST_BYTES; i++) add(m->t, "%s%u", i ? ", " : "", between(m->r, 0, 255));
  add(m->t, "};\n");
}

static void add_launches(struct maker *m, struct example *e, const uint32_t grid[2], const uint32_t block[2]) {
  struct text *t = &e->launches;
  char cluster[24] = "";
  if (m->cluster > 1) snprintf(cluster, sizeof cluster, ", cluster: [%u]", m->cluster);
  add(t, "module: kernel.ptx\nbuffers:\n  in:  {bytes: %u, fill: {lcg: {seed: %u, shift: 3, mask: 0xffffff}}}\n",
      IN_BYTES, between(m->r, 1, 1 << 30));
  add(t, "  out: {bytes: %u, fill: zero}\n  acc: {bytes: %u, fill: iota}\nlaunches:\n", m->threads * SLOT * SLOTS,
      ATOMIC_OPS * ATOMIC_WORDS * 8);
  for (uint32_t n = between(m->r, 1, 3); n; n--)
    add(t, "  - {kernel: k, grid: [%u, %u], block: [%u, %u], args: [in, out, acc, {texture: in}]%s}\n", grid[0],
        grid[1], block[0], block[1], cluster);
  add(t, "checksum: [in, out, acc]\n");
}

static uint32_t at_most_power(uint32_t n, uint32_t most) { // of two, not above either
  uint32_t p = 1;
  while (p * 2 <= n && p * 2 <= most) p *= 2;
  return p;
}

// A divisor of the grid's width that each GPC has room for.
static uint32_t cluster_of(const struct weir_rng *r, const struct chip_facts *f, uint32_t width) {
  struct weir_rng own = *r; // so that the other draws of a seed stay
  const uint32_t most = f->gpc_cores < 8 ? f->gpc_cores : 8;
  uint32_t n = most > 1 ? between(&own, 2, most) : 1;
  while (width % n) n--;
  return n;
}

void make_kernel(struct weir_rng *r, struct example *e) {
  const struct chip_facts *f = &e->facts;
  uint32_t warps = between(r, 1, f->max_warps < 4 ? f->max_warps : 4), threads = warps * f->lanes;
  if (chance(r, 40)) threads -= between(r, 0, f->lanes - 1);
  uint32_t y = threads % 2 == 0 && chance(r, 30) ? 2 : 1, most = 12 / warps ? 12 / warps : 1;
  uint32_t grid[2] = {between(r, 1, most), 1}, block[2] = {threads / y, y};
  if (chance(r, 20) && grid[0] % 2 == 0) grid[0] /= 2, grid[1] = 2;
  struct maker m = {.r = r,
                    .t = &e->kernel,
                    .block = threads,
                    .blocks = grid[0] * grid[1],
                    .shared_words = at_most_power(threads, 64),
                    .blocked = chance(r, 40),
                    .local = chance(r, 40),
                    .in_mask = ((uint32_t)IN_BYTES >> between(r, 0, 6)) - 1,
                    .left = (int)between(r, 40, 260)};
  m.threads = m.block * m.blocks;
  m.cluster = e->cluster = cluster_of(r, f, grid[0]);
  add(m.t, ".version 7.4\n.target sm_70\n.address_size 64\n");
  add_table(&m);
  add_helper(&m);
  begin(&m, block[0]);
  statements(&m, 1000, 1, 0);
  end(&m);
  add_launches(&m, e, grid, block);
}

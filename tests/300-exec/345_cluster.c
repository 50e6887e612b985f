// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clusters of thread blocks: where a block is in its cluster, addresses of the others' shared memory, what is read and written there, the
// barrier with threads that leave, and what is refused. Expectations are the PTX ISA's ("Cluster of Cooperative Thread Arrays", "mapa",
// "getctarank", "barrier.cluster", "isspacep"), worked out by hand.
#include "harness.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(params, directives, body)                                                                               \
  HEADER ".visible .entry k(" params ") " directives " {\n .reg .b64 %rd<20>; .reg .b32 %r<40>; .reg .pred %p<8>;\n"   \
         " .shared .align 16 .b32 words[64]; .shared .align 8 .b64 bar;\n" body " ret; }\n"

struct grid {
  uint32_t grid[3], cluster[3], threads;
};

static bool run(const struct bench *b, const struct grid *g, const void *params, struct weir_fault *fault) {
  struct weir_launch launch = bench_launch(b, "k", 1, g->threads, params);
  memcpy(launch.grid, g->grid, sizeof launch.grid);
  memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
  return weir_run_functional(&launch, fault);
}

// Runs it with a buffer of so many words, which is its one parameter; to be freed.
static uint32_t *words_of(const char *text, const struct grid *g, uint32_t words) {
  struct bench b;
  struct weir_fault fault;
  bench_open(&b, text, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 4 * words);
  if (!run(&b, g, &out, &fault)) fail_msg("%s", fault.message);
  uint32_t *got = weir_alloc(4 * words);
  memcpy(got, bench_at(&b, out, 4 * words), 4 * words);
  bench_close(&b);
  return got;
}

// ---- registers ----------------------------------------------------------------------------------------------------------

enum { REGISTERS = 15 };
#define STORE(k, what) " mov.u32 %r9, " what "; st.global.u32 [%rd1+" #k "], %r9;\n"
#define STORE3(x, y, z, what) STORE(x, what ".x") STORE(y, what ".y") STORE(z, what ".z")
#define WHERE                                                                                                          \
  " ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"                  \
  " mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mad.lo.u32 %r3, %r3, %r5, %r2; mad.lo.u32 %r3, %r3, %r4, %r1;\n"   \
  " mul.wide.u32 %rd2, %r3, 60; add.u64 %rd1, %rd1, %rd2;\n" STORE3(0, 4, 8, "%clusterid") STORE3(12, 16, 20,          \
                                                                                                  "%nclusterid")       \
    STORE3(24, 28, 32, "%cluster_ctaid") STORE3(36, 40, 44, "%cluster_nctaid") STORE(48, "%cluster_ctarank") STORE(    \
      52,                                                                                                              \
      "%cluster_nctarank") " mov.pred %p1, %is_explicit_cluster; selp.u32 %r9, 1, 0, %p1; st.global.u32 [%rd1+56], %r9;\n"

static void check_registers(const char *text, const uint32_t given[3], const uint32_t is[3], bool is_explicit) {
  static const uint32_t grid[3] = {4, 6, 2};
  const struct grid g = {{4, 6, 2}, {given[0], given[1], given[2]}, 1};
  uint32_t *got = words_of(text, &g, 48 * REGISTERS), *at = got;
  for (uint32_t n = 0; n < 48; n++, at += REGISTERS) {
    const uint32_t block[3] = {n % 4, n / 4 % 6, n / 24};
    for (unsigned k = 0; k < 3; k++) {
      assert_int_equal(at[k], block[k] / is[k]);
      assert_int_equal(at[3 + k], grid[k] / is[k]);
      assert_int_equal(at[6 + k], block[k] % is[k]);
      assert_int_equal(at[9 + k], is[k]);
    }
    assert_int_equal(at[12], block[0] % is[0] + is[0] * (block[1] % is[1]) + is[0] * is[1] * (block[2] % is[2]));
    assert_int_equal(at[13], is[0] * is[1] * is[2]);
    assert_int_equal(at[14], is_explicit);
  }
  weir_free(got);
}

static void blocks_know_where_they_are(void **state) {
  static const uint32_t none[3] = {0, 0, 0}, one[3] = {1, 1, 1}, six[3] = {2, 3, 1}, eight[3] = {4, 1, 2};
  (void)state;
  check_registers(KERNEL(".param .u64 out", "", WHERE), none, one, false);
  check_registers(KERNEL(".param .u64 out", "", WHERE), one, one, true);
  check_registers(KERNEL(".param .u64 out", "", WHERE), six, six, true);
  check_registers(KERNEL(".param .u64 out", ".explicitcluster .maxclusterrank 8", WHERE), eight, eight, true);
  check_registers(KERNEL(".param .u64 out", ".reqnctapercluster 2, 3, 1", WHERE), none, six, true);
  check_registers(KERNEL(".param .u64 out", ".explicitcluster .reqnctapercluster 4, 1, 2", WHERE), none, eight, true);
}

// ---- addresses ----------------------------------------------------------------------------------------------------------

#define OUT(bytes)                                                                                                     \
  " ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;\n"             \
  " mad.lo.u32 %r4, %r1, %r3, %r2; mul.wide.u32 %rd2, %r4, " #bytes "; add.u64 %rd1, %rd1, %rd2;\n"

// Thread t of each of four blocks asks where word t of rank t's array is, in every way that there is, and which block's that is. Its own
// memory is in the window .shared, by either of its addresses; another's is not.
static void addresses_come_back(void **state) {
  static const char text[] = KERNEL(
    ".param .u64 out", "",
    OUT(40) " mov.u32 %r5, words; shl.b32 %r6, %r2, 2; add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd3, %r5;\n"
            " mapa.shared::cluster.u32 %r10, %r5, %r2; getctarank.shared::cluster.u32 %r11, %r10;\n"
            " mapa.shared::cluster.u64 %rd4, %rd3, %r2; getctarank.shared::cluster.u64 %r12, %rd4;\n"
            " cvta.shared::cluster.u64 %rd5, %rd3; mapa.u64 %rd6, %rd5, %r2; getctarank.u64 %r13, %rd6;\n"
            " cvta.to.shared::cluster.u64 %rd7, %rd6; cvta.shared::cluster.u64 %rd8, %rd4;\n"
            " mapa.shared::cluster.u32 %r14, words+4, 3; getctarank.shared::cluster.u32 %r15, words;\n"
            " isspacep.shared::cluster %p1, %rd6; isspacep.shared %p2, %rd6; isspacep.shared::cta %p3, %rd5;\n"
            " isspacep.shared::cluster %p4, %rd1; selp.u32 %r16, 1, 0, %p1; selp.u32 %r17, 2, 0, %p2;\n"
            " selp.u32 %r18, 4, 0, %p3; selp.u32 %r19, 8, 0, %p4; or.b32 %r16, %r16, %r17; or.b32 %r18, %r18, %r19;\n"
            " or.b32 %r16, %r16, %r18; cvt.u32.u64 %r20, %rd4; cvt.u32.u64 %r21, %rd7; cvt.u32.u64 %r22, %rd6;\n"
            " cvt.u32.u64 %r23, %rd8; sub.u32 %r22, %r22, %r23;\n"
            " st.global.v2.u32 [%rd1], {%r10, %r11}; st.global.v2.u32 [%rd1+8], {%r20, %r12};\n"
            " st.global.v2.u32 [%rd1+16], {%r21, %r13}; st.global.v2.u32 [%rd1+24], {%r14, %r15};\n"
            " st.global.v2.u32 [%rd1+32], {%r16, %r22};\n");
  (void)state;
  uint32_t *got = words_of(text, &(struct grid){{4, 1, 1}, {4, 1, 1}, 4}, 16 * 10), *at = got;
  for (uint32_t rank = 0; rank < 4; rank++)
    for (uint32_t t = 0; t < 4; t++, at += 10) {
      for (unsigned k = 0; k < 6; k += 2) {
        assert_int_equal(at[k], ((t + 1) << 24) + 4 * t); // exec/cluster.h
        assert_int_equal(at[k + 1], t);
      }
      assert_int_equal(at[6], (4u << 24) + 4);
      assert_int_equal(at[7], rank);
      assert_int_equal(at[8], 1 | (rank == t ? 2 : 0) | 4);
      assert_int_equal(at[9], 0); // mapa of a generic address is the generic address of mapa
    }
  weir_free(got);
}

// ---- the others' memory -------------------------------------------------------------------------------------------------

#define SYNC " barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"

// Two clusters of four blocks of 32 threads. Each puts 1000 × block + t into its own memory, reads word t of the next rank's in the window
// and of the one after that by a generic address; writes its rank into word 32 + t of the next one's; and all threads of a cluster
// count in rank 0's last word, and take the maximum in rank 3's.
static void blocks_share_memory(void **state) {
  static const char text[] = KERNEL(
    ".param .u64 out", "",
    " ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
    " shl.b32 %r4, %r2, 2; mov.u32 %r5, words; add.u32 %r5, %r5, %r4; mad.lo.u32 %r6, %r3, 1000, %r2;\n"
    " st.shared.u32 [%r5], %r6;\n" SYNC
    " add.u32 %r7, %r1, 1; and.b32 %r7, %r7, 3; add.u32 %r8, %r1, 2; and.b32 %r8, %r8, 3;\n"
    " mapa.shared::cluster.u32 %r9, %r5, %r7; ld.shared::cluster.u32 %r10, [%r9];\n"
    " cvt.u64.u32 %rd3, %r5; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd4, %rd3, %r8; ld.u32 %r11, [%rd4];\n"
    " st.shared::cluster.u32 [%r9+128], %r1;\n" SYNC
    " mapa.shared::cluster.u32 %r12, words, 0; mapa.shared::cluster.u32 %r13, words, 3; mov.u32 %r14, words;\n"
    " ld.shared.u32 %r15, [%r5+128];\n" SYNC " setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%r14+252], 0;\n" SYNC
    " atom.relaxed.cluster.shared::cluster.add.u32 %r16, [%r12+252], 1;\n"
    " cvt.u64.u32 %rd5, %r13; cvta.shared::cluster.u64 %rd5, %rd5; red.relaxed.cluster.max.u32 [%rd5+252], %r6;\n" SYNC
    " ld.shared::cluster.u32 %r17, [%r12+252]; ld.shared::cluster.u32 %r18, [%r13+252];\n"
    " mad.lo.u32 %r19, %r3, 32, %r2; mul.wide.u32 %rd2, %r19, 24; add.u64 %rd1, %rd1, %rd2;\n"
    " st.global.v2.u32 [%rd1], {%r10, %r11}; st.global.v2.u32 [%rd1+8], {%r15, %r16};\n"
    " st.global.v2.u32 [%rd1+16], {%r17, %r18};\n" SYNC);
  bool seen[2][128] = {{false}};
  (void)state;
  uint32_t *got = words_of(text, &(struct grid){{8, 1, 1}, {4, 1, 1}, 32}, 256 * 6), *at = got;
  for (uint32_t block = 0; block < 8; block++)
    for (uint32_t t = 0; t < 32; t++, at += 6) {
      const uint32_t first = block & ~3u, rank = block & 3;
      assert_int_equal(at[0], 1000 * (first + ((rank + 1) & 3)) + t);
      assert_int_equal(at[1], 1000 * (first + ((rank + 2) & 3)) + t);
      assert_int_equal(at[2], (rank + 3) & 3);
      assert_true(at[3] < 128 && !seen[block / 4][at[3]]); // each count was read once
      seen[block / 4][at[3]] = true;
      assert_int_equal(at[4], 128);
      assert_int_equal(at[5], 1000 * (first + 3) + 31);
    }
  weir_free(got);
}

// A block may spin on its own memory until another one writes there: clusters are resident as a whole, beside as many others as there are.
static void blocks_wait_for_each_other(void **state) {
  static const char text[] =
    KERNEL(".param .u64 out", ".reqnctapercluster 8",
           " ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r3, %ctaid.x;\n" SYNC
           " setp.eq.u32 %p1, %r1, 0; @%p1 bra $N;\n"
           "$W: ld.volatile.shared.u32 %r4, [words]; setp.eq.u32 %p2, %r4, 0; @%p2 bra $W;\n"
           "$N: add.u32 %r5, %r4, 1; @%p1 mov.u32 %r5, 1; add.u32 %r6, %r1, 1; setp.eq.u32 %p3, %r6, 8; @%p3 bra $E;\n"
           " mapa.shared::cluster.u32 %r7, words, %r6; st.relaxed.cluster.shared::cluster.u32 [%r7], %r5;\n"
           "$E: mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r5;\n" SYNC);
  (void)state;
  uint32_t *got = words_of(text, &(struct grid){{512, 1, 1}, {0, 0, 0}, 64}, 512);
  for (uint32_t k = 0; k < 512; k++) assert_int_equal(got[k], k % 8 + 1);
  weir_free(got);
}

// Arrivals at rank 0's mbarrier from all threads of four blocks end its phase.
static void others_arrive_at_an_mbarrier(void **state) {
  static const char text[] = KERNEL(
    ".param .u64 out", "",
    " ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; or.b32 %r3, %r1, %r2;\n"
    " setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [bar], 128; mov.u32 %r4, 0;\n" SYNC
    " mapa.shared::cluster.u32 %r5, words, 0; atom.shared::cluster.add.u32 %r6, [%r5], 1;\n"
    " mapa.shared::cluster.u32 %r7, bar, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n"
    " setp.ne.u32 %p2, %r1, 0; @%p2 bra $E;\n"
    "$W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p3, [bar], 0; @!%p3 bra $W;\n"
    " ld.shared.u32 %r8, [words]; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r8;\n"
    "$E: barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\n");
  (void)state;
  uint32_t *got = words_of(text, &(struct grid){{4, 1, 1}, {4, 1, 1}, 32}, 32);
  for (uint32_t k = 0; k < 32; k++) assert_int_equal(got[k], 128);
  weir_free(got);
}

// ---- the barrier --------------------------------------------------------------------------------------------------------

// Ten times each thread writes its word and, between arriving and waiting, counts for itself; then it reads a word of the next rank's.
// Of 160 threads a block those of its last warp, and odd ones of the one before, leave before they ever arrive; lanes arrive in two
// halves, of which the second warp's wait in two as well, and the first block's fourth warp leaves after five rounds. With clusters of one
// block it is the block's own barrier.
static void threads_that_leave_are_not_waited_for(void **state) {
  static const char text[] = KERNEL(
    ".param .u64 out", "",
    OUT(
      4) " mov.u32 %r30, %cluster_nctarank; setp.ge.u32 %p1, %r2, 128; @%p1 exit; setp.ge.u32 %p1, %r2, 96;\n"
         " and.b32 %r5, %r2, 1; setp.eq.u32 %p2, %r5, 1; and.pred %p1, %p1, %p2; @%p1 bra $X;\n"
         " mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r31, words; shr.u32 %r8, %r2, 1; and.b32 %r8, %r8, 60;\n"
         " add.u32 %r31, %r31, %r8; add.u32 %r9, %r1, 1; setp.ge.u32 %p3, %r9, %r30; @%p3 mov.u32 %r9, 0;\n"
         " mapa.shared::cluster.u32 %r10, %r31, %r9; or.b32 %r11, %r1, 0; shr.u32 %r12, %r2, 5;\n"
         "$L: mad.lo.u32 %r13, %r6, 16, %r1; st.shared.u32 [%r31], %r13; and.b32 %r14, %r2, 16;\n"
         " setp.ne.u32 %p4, %r14, 0; @%p4 bra $A; barrier.cluster.arrive; bra $B;\n"
         "$A: barrier.cluster.arrive.release;\n"
         "$B: add.u32 %r6, %r6, 1; setp.eq.u32 %p7, %r12, 1; @%p7 bra $P; barrier.cluster.wait;\n"
         "$R: ld.shared::cluster.u32 %r15, [%r10]; add.u32 %r7, %r7, %r15;\n"
         " barrier.cluster.arrive; barrier.cluster.wait.acquire;\n"
         " setp.eq.u32 %p5, %r6, 5; setp.eq.and.u32 %p5, %r12, 3, %p5; setp.eq.and.u32 %p5, %r1, 0, %p5; @%p5 bra $D;\n"
         " setp.lt.u32 %p6, %r6, 10; @%p6 bra $L;\n"
         "$D: st.global.u32 [%rd1], %r7; bra $X;\n"
         "$P: @%p4 bra $Q; barrier.cluster.wait; bra $R;\n$Q: barrier.cluster.wait; bra $R;\n$X:");
  (void)state;
  for (uint32_t size = 1; size <= 8; size *= 2) {
    uint32_t *got = words_of(text, &(struct grid){{size, 1, 1}, {size, 1, 1}, 160}, 160 * size);
    for (uint32_t n = 0; n < 160 * size; n++) {
      const uint32_t t = n % 160, rank = n / 160, next = (rank + 1) % size, fourth = t / 32 == 3;
      const uint32_t rounds = !rank && fourth ? 5 : 10;
      // Words of the next rank: 16 × the round and that rank; what the warp that leaves wrote in round 4 stays.
      const uint32_t sum = 16 * (!next && fourth && rank ? 10 + 5 * 4 : rounds * (rounds - 1) / 2) + rounds * next;
      assert_int_equal(got[n], t >= 128 || (t >= 96 && t % 2) ? 0 : sum);
    }
    weir_free(got);
  }
}

// ---- what is refused ----------------------------------------------------------------------------------------------------

static void assert_fault(const char *body, const char *says) {
  static const char *const parts[] = {
    HEADER ".visible .entry k() {\n .reg .b64 %rd<20>; .reg .b32 %r<40>; .reg .pred %p<8>; .shared .align 8 .b64 bar;\n"
           " .shared .align 16 .b32 words[64]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x;\n"
           " setp.eq.u32 %p1, %r1, 0; ",
    " ret; }\n"};
  char text[2048];
  struct bench b;
  struct weir_fault fault;
  snprintf(text, sizeof text, "%s%s%s", parts[0], body, parts[1]);
  bench_open(&b, text, 32);
  assert_false(run(&b, &(struct grid){{4, 1, 1}, {4, 1, 1}, 64}, NULL, &fault));
  if (!strstr(fault.message, says)) fail_msg("'%s' says '%s'", body, fault.message);
  bench_close(&b);
}

static void misuse_is_told(void **state) {
  (void)state;
  assert_fault("mapa.shared::cluster.u32 %r3, words, 4; ld.shared::cluster.u32 %r4, [%r3];",
               "out-of-bounds load of 4 bytes at 0x5000000 in shared memory: of no block of the cluster, which has 4");
  assert_fault("mapa.shared::cluster.u32 %r3, words, 99; st.shared::cluster.u32 [%r3], 0;", "out-of-bounds store");
  assert_fault("mapa.shared::cluster.u32 %r3, words, 1; @%p1 atom.shared::cluster.inc.u32 %r4, [%r3+264], 1;",
               "out-of-bounds atomic of 4 bytes at 0x2000108 in shared memory: block 1 of the cluster has 256 bytes");
  assert_fault("mov.u32 %r3, words; cvt.u64.u32 %rd3, %r3; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd4, %rd3, 2;\n"
               "ld.u32 %r4, [%rd4+1024];",
               "out-of-bounds load of 4 bytes at 0x13000400 in memory: block 2 of the cluster has 256 bytes");
  assert_fault("mapa.shared::cluster.u32 %r3, words, 1; @%p1 ld.shared.u32 %r4, [%r3];",
               "which is the block's own; memory of the cluster is reached by .shared::cluster");
  assert_fault("mapa.shared::cluster.u32 %r3, words, 0; ld.shared::cluster.u32 %r4, [%r3+2];", "misaligned load");
  assert_fault("@%p1 exit; mov.u32 %r5, 0; mapa.shared::cluster.u32 %r3, words, 0;\n"
               "$L: ld.shared::cluster.u32 %r4, [%r3]; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 100; @%p2 bra $L;",
               "block 0 of the cluster has exited, and its shared memory with it");
  assert_fault("barrier.cluster.wait;", "barrier.cluster.wait by a thread that has not arrived");
  assert_fault("barrier.cluster.arrive; barrier.cluster.arrive;",
               "barrier.cluster.arrive by a thread that has not waited since it last arrived");
  assert_fault("@%p1 bra $N; barrier.cluster.arrive; barrier.cluster.wait; bra $E;\n$N: bar.sync 1, 96;\n$E:",
               "barrier 1 cannot be met");
  // The second warp of rank 0 waits for the first, and that for the cluster.
  assert_fault(
    "setp.ge.and.u32 %p2, %r2, 32, %p1; @%p2 bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait;",
    "barrier.cluster cannot be met: 224 of 256 threads of the cluster arrived; 2 of the block's 2 warps wait at "
    "barriers, 0 exited");
}

static void assert_flaw(const char *directives, const struct grid *g, const char *says) {
  char text[1024];
  struct bench b;
  snprintf(text, sizeof text, HEADER ".visible .entry k() %s { ret; }\n", directives);
  bench_open(&b, text, 32);
  struct weir_launch launch = bench_launch(&b, "k", 1, 1, NULL);
  memcpy(launch.grid, g->grid, sizeof launch.grid);
  memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
  char *flaw = weir_cluster_flaw(&launch);
  struct weir_fault fault;
  if (!says)
    assert_null(flaw);
  else
    assert_string_equal(flaw, says);
  assert_true(weir_run_functional(&launch, &fault) == !says);
  if (says) assert_string_equal(fault.message, says);
  weir_free(flaw);
  bench_close(&b);
}

static void launches_are_checked(void **state) {
  (void)state;
  assert_flaw("", &(struct grid){{7, 3, 1}, {0, 0, 0}, 0}, NULL);
  assert_flaw("", &(struct grid){{32, 4, 2}, {16, 1, 1}, 0}, NULL);
  assert_flaw("", &(struct grid){{7, 3, 1}, {1, 2, 1}, 0},
              "a grid of 7 × 3 × 1 blocks cannot be divided into clusters of 1 × 2 × 1");
  assert_flaw("", &(struct grid){{64, 1, 1}, {32, 1, 1}, 0},
              "a cluster of 32 × 1 × 1 blocks is too large: at most 16 in all");
  assert_flaw("", &(struct grid){{64, 1, 1}, {1u << 31, 1u << 31, 4}, 0},
              "a cluster of 2147483648 × 2147483648 × 4 blocks is too large: at most 16 in all");
  assert_flaw(".reqnctapercluster 2", &(struct grid){{7, 3, 1}, {0, 0, 0}, 0},
              "a grid of 7 × 3 × 1 blocks cannot be divided into clusters of 2 × 1 × 1");
  assert_flaw(".reqnctapercluster 2", &(struct grid){{8, 3, 1}, {4, 1, 1}, 0},
              "kernel 'k' requires clusters of 2 × 1 × 1 blocks (.reqnctapercluster)");
  assert_flaw(".maxclusterrank 4", &(struct grid){{8, 1, 1}, {8, 1, 1}, 0},
              "kernel 'k' allows at most 4 blocks in a cluster (.maxclusterrank), not 8");
  assert_flaw(".explicitcluster", &(struct grid){{8, 1, 1}, {0, 0, 0}, 0},
              "kernel 'k' is to be launched in clusters (.explicitcluster)");
}

static void clusters_have_one_thread(void **state) {
  struct bench b;
  (void)state;
  bench_open(&b, HEADER ".visible .entry k() { ret; }\n", 32);
  struct weir_launch launch = bench_launch(&b, "k", 4, 32, NULL);
  assert_null(weir_functional_alone(&launch));
  launch.cluster[0] = launch.cluster[1] = launch.cluster[2] = 1;
  assert_null(weir_functional_alone(&launch));
  launch.cluster[0] = 2;
  assert_string_equal(weir_functional_alone(&launch), "blocks of a cluster reach each other's shared memory");
  bench_close(&b);
}

// ---- bulk copies --------------------------------------------------------------------------------------------------------

// Rank 0 copies 64 bytes to ranks 0, 2 and 3 at once; every rank copies 16 bytes of its own to the next one, and adds 16 more to what that has. Each
// waits for the bytes that are for it. Words of rank r: 16 of the first copy, 4 that are 100 (r - 1) + k, 4 that are 1000 r + k plus these, two that the
// rank before it has stored asynchronously, and one to which it has added 5.
static void bulk_copies_reach_other_blocks(void **state) {
  enum { BLOCKS = 4, WORDS = 28 };
  static const char text[] = KERNEL(
    ".param .u64 out", "",
    " .shared .align 16 .b32 own[4]; .reg .b16 %h1; ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, words; mov.u32 %r3, bar;\n"
    " mov.u32 %r4, own; mov.u32 %r5, 0;\n"
    "$I: mad.lo.u32 %r6, %r1, 100, %r5; mad.lo.u32 %r7, %r1, 1000, %r5; shl.b32 %r8, %r5, 2; add.u32 %r9, %r4, %r8; st.shared.u32 [%r9], %r6;\n"
    " add.u32 %r9, %r2, %r8; st.shared.u32 [%r9+80], %r7; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4; @%p1 bra $I;\n"
    " setp.eq.u32 %p2, %r1, 1; selp.u32 %r10, 44, 108, %p2; mbarrier.init.shared.b64 [%r3], 1;\n"
    " mbarrier.arrive.expect_tx.shared.b64 _, [%r3], %r10; fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
    " barrier.cluster.arrive.release; barrier.cluster.wait.acquire; setp.ne.u32 %p3, %r1, 0; @%p3 bra $N; mov.b16 %h1, 13;\n"
    " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], 64, [%r3], %h1;\n"
    "$N: add.u32 %r11, %r1, 1; and.b32 %r11, %r11, 3; mapa.shared::cluster.u32 %r12, %r2, %r11; mapa.shared::cluster.u32 %r13, %r3, %r11;\n"
    " cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12+64], [%r4], 16, [%r13];\n"
    " cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r12+80], [%r4], 16, [%r13];\n"
    " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r12+96], {%r1, %r11}, [%r13];\n"
    " red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12+104], 5, [%r13];\n"
    "$W: mbarrier.try_wait.parity.shared.b64 %p4, [%r3], 0; @!%p4 bra $W; mov.u32 %r5, 0; mul.wide.u32 %rd2, %r1, 112; add.u64 %rd2, %rd2, %rd1;\n"
    "$O: shl.b32 %r8, %r5, 2; add.u32 %r9, %r2, %r8; ld.shared.u32 %r6, [%r9]; cvt.u64.u32 %rd3, %r8; add.u64 %rd3, %rd3, %rd2;\n"
    " st.global.u32 [%rd3+64], %r6; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 28; @%p1 bra $O; barrier.cluster.arrive; barrier.cluster.wait;");
  const struct grid g = {{BLOCKS, 1, 1}, {BLOCKS, 1, 1}, 1};
  struct bench b;
  struct weir_fault fault;
  (void)state;
  bench_open(&b, text, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 4 * (16 + BLOCKS * WORDS));
  uint32_t *words = bench_at(&b, out, 4 * (16 + BLOCKS * WORDS));
  for (uint32_t k = 0; k < 16; k++) words[k] = 7 * k + 1;
  if (!run(&b, &g, &out, &fault)) fail_msg("%s", fault.message);
  for (uint32_t r = 0; r < BLOCKS; r++) {
    const uint32_t *got = words + 16 + r * WORDS, from = (r + BLOCKS - 1) % BLOCKS;
    for (uint32_t k = 0; k < 16; k++) assert_int_equal(got[k], r == 1 ? 0 : 7 * k + 1);
    for (uint32_t k = 0; k < 4; k++) {
      assert_int_equal(got[16 + k], 100 * from + k);
      assert_int_equal(got[20 + k], 1000 * r + k + 100 * from + k);
    }
    assert_int_equal(got[24], from);
    assert_int_equal(got[25], r);
    assert_int_equal(got[26], 5);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bulk_copies_reach_other_blocks),
    cmocka_unit_test(blocks_know_where_they_are),
    cmocka_unit_test(addresses_come_back),
    cmocka_unit_test(blocks_share_memory),
    cmocka_unit_test(blocks_wait_for_each_other),
    cmocka_unit_test(others_arrive_at_an_mbarrier),
    cmocka_unit_test(threads_that_leave_are_not_waited_for),
    cmocka_unit_test(misuse_is_told),
    cmocka_unit_test(launches_are_checked),
    cmocka_unit_test(clusters_have_one_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

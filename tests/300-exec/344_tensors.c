// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tensor maps: a box of a random tensor, of one to five dimensions, partly outside of it, to shared memory and from there to another tensor, or
// added to it; against the same element by element. What cuTensorMapEncodeTiled refuses.
#include "base/rng.h"
#include "exec/tensor.h"
#include "harness.h"

#include <stddef.h>

enum { RANKS = 5, WORDS = 1 << 14, MOST_BOX = 4096, DUMP = 4 * WORDS };

// The map lies in the kernel's parameters, as a __grid_constant__ does; `back` in global memory.
static const char format[] =
  ".version 8.6\n.target sm_90\n.address_size 64\n"
  ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 back, .param .u64 dump, .param .u32 bytes, .param .align 4 .b8 at[20]) {\n"
  " .reg .b64 %%rd<9>; .reg .b32 %%r<9>, %%c<5>; .reg .pred %%p; .shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 bar;\n"
  " mov.u64 %%rd1, map; cvta.param.u64 %%rd1, %%rd1; ld.param.u64 %%rd2, [back]; ld.param.u64 %%rd3, [dump]; ld.param.u32 %%r1, [bytes];\n"
  " ld.param.u32 %%c0, [at]; ld.param.u32 %%c1, [at+4]; ld.param.u32 %%c2, [at+8]; ld.param.u32 %%c3, [at+12]; ld.param.u32 %%c4, [at+16];\n"
  " mov.u32 %%r2, s; mov.u32 %%r3, bar; mbarrier.init.shared.b64 [%%r3], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %%r1;\n"
  " prefetch.tensormap [%%rd1]; cp.async.bulk.prefetch.tensor.%ud.L2.global.tile [%%rd1, {%s}];\n"
  " cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r2], [%%rd1, {%s}], [%%r3];\n"
  "$W: mbarrier.try_wait.parity.shared.b64 %%p, [%%r3], 0; @!%%p bra $W; mov.u32 %%r4, 0;\n"
  "$L: add.u32 %%r5, %%r2, %%r4; ld.shared.u32 %%r6, [%%r5]; cvt.u64.u32 %%rd4, %%r4; add.u64 %%rd4, %%rd4, %%rd3; st.global.u32 [%%rd4], %%r6;\n"
  " add.u32 %%r4, %%r4, 4; setp.lt.u32 %%p, %%r4, %%r1; @%%p bra $L; fence.proxy.async;\n"
  " %s [%%rd2, {%s}], [%%r2]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n";

struct params {
  _Alignas(64) uint8_t map[WEIR_TENSOR_MAP_BYTES];
  uint64_t back, dump;
  uint32_t bytes;
  int32_t at[RANKS];
};

struct tensor {
  uint32_t rank, element, swizzle;                          // element: bytes
  uint64_t extent[RANKS], strides[RANKS - 1], pitch[RANKS]; // pitch: bytes, of each dimension
  uint32_t box[RANKS], steps[RANKS], moved[RANKS], bytes;
  int32_t at[RANKS];
};

static uint32_t up(uint32_t n, uint32_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Of at most MOST_BOX bytes a box. Where it is swizzled its rows are as long as the pattern.
static struct tensor random_tensor(struct weir_rng *r) {
  for (;;) {
    struct tensor t = {.rank = 1 + (uint32_t)weir_rng_below(r, RANKS), .element = 1u << weir_rng_below(r, 4)};
    t.swizzle = (uint32_t)weir_rng_below(r, 4);
    uint64_t pitch = t.element, bytes = t.element;
    for (uint32_t k = 0; k < t.rank; k++) {
      t.extent[k] = 1 + weir_rng_below(r, k ? 7 : 60);
      t.steps[k] = k && weir_rng_below(r, 3) == 0 ? 2 : 1;
      t.box[k] = k ? 1 + (uint32_t)weir_rng_below(r, 8) : 16 / t.element * (1 + (uint32_t)weir_rng_below(r, 8));
      if (!k && t.swizzle) t.box[k] = (16u << t.swizzle) / t.element;
      t.moved[k] = (t.box[k] + t.steps[k] - 1) / t.steps[k];
      t.at[k] = (int32_t)weir_rng_below(r, 2 * t.extent[k] + 6) - (int32_t)t.extent[k] / 2 - 3;
      t.pitch[k] = pitch;
      pitch = up((uint32_t)(pitch * t.extent[k]), 16);
      if (k + 1 < t.rank) t.strides[k] = pitch;
      bytes *= t.moved[k];
    }
    t.bytes = (uint32_t)bytes;
    if (t.box[0] <= 256 && pitch <= DUMP && bytes <= MOST_BOX) return t;
  }
}

static struct weir_tensor_map map_of(const struct tensor *t, uint64_t address) {
  static const uint32_t types[] = {
    [1] = WEIR_TENSOR_U8, [2] = WEIR_TENSOR_U16, [4] = WEIR_TENSOR_U32, [8] = WEIR_TENSOR_U64};
  const struct weir_tensor_request r = {.type = types[t->element],
                                        .rank = t->rank,
                                        .swizzle = t->swizzle,
                                        .address = address,
                                        .extent = t->extent,
                                        .strides = t->strides,
                                        .box = t->box,
                                        .steps = t->steps};
  struct weir_tensor_map map;
  bool supported;
  const char *why = weir_tensor_encode(&r, &map, &supported);
  if (why) fail_msg("%s", why);
  return map;
}

// Where the n-th element of the box lies in the tensor, or -1.
static int64_t place(const struct tensor *t, uint32_t n) {
  int64_t at = 0;
  bool inside = true;
  for (uint32_t k = 0; k < t->rank; k++) {
    const int64_t i = t->at[k] + (int64_t)(n % t->moved[k]) * t->steps[k];
    n /= t->moved[k];
    inside &= i >= 0 && i < (int64_t)t->extent[k];
    at += i * (int64_t)t->pitch[k];
  }
  return inside ? at : -1;
}

// Where it lies in shared memory. With rows of 128 bytes, the units of 16 of row r are found at their number combined with r mod 8; of 64
// bytes, with r / 2 mod 4; of 32, with r / 4 mod 2.
static uint32_t shared_place(const struct tensor *t, uint32_t n) {
  const uint32_t row_bytes = t->box[0] * t->element, row = n / t->box[0], within = n % t->box[0] * t->element;
  const uint32_t with = t->swizzle == 3 ? row % 8 : t->swizzle == 2 ? row / 2 % 4 : t->swizzle == 1 ? row / 4 % 2 : 0;
  return row * row_bytes + (within / 16 ^ with) * 16 + within % 16;
}

static void names(char *text, uint32_t rank) {
  for (uint32_t k = 0; k < rank; k++) sprintf(text + strlen(text), "%s%%c%u", k ? ", " : "", k);
}

static uint64_t value(const uint8_t *at, uint32_t bytes) {
  uint64_t v = 0;
  memcpy(&v, at, bytes);
  return v;
}

static void run(struct weir_rng *r, bool adds) {
  const struct tensor t = random_tensor(r);
  char text[8192], coordinates[64] = "", last[160];
  names(coordinates, t.rank);
  snprintf(last, sizeof last,
           adds ? "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.add.tile.bulk_group"
                : "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group",
           t.rank);
  snprintf(text, sizeof text, format, t.rank, coordinates, t.rank, coordinates, last, coordinates);
  struct bench b;
  bench_open(&b, text, 32);
  const uint64_t from = weir_memory_alloc(b.memory, "from", DUMP), to = weir_memory_alloc(b.memory, "to", DUMP),
                 dump = weir_memory_alloc(b.memory, "dump", MOST_BOX), map = weir_memory_alloc(b.memory, "map", 128);
  uint8_t *source = bench_at(&b, from, DUMP), *target = bench_at(&b, to, DUMP), *dumped = bench_at(&b, dump, MOST_BOX);
  static uint8_t expected[DUMP];
  for (uint32_t k = 0; k < DUMP; k++) source[k] = (uint8_t)weir_rng_below(r, 256), target[k] = (uint8_t)(k * 5);
  memcpy(expected, target, DUMP);
  struct params p = {.back = map, .dump = dump, .bytes = t.bytes};
  const struct weir_tensor_map own = map_of(&t, from), back = map_of(&t, to);
  memcpy(p.map, &own, sizeof own);
  memcpy(bench_at(&b, map, 128), &back, sizeof back);
  memcpy(p.at, t.at, sizeof p.at);
  bench_run(&b, "k", 1, 1, &p);
  for (uint32_t n = 0; n < t.bytes / t.element; n++) {
    const int64_t at = place(&t, n);
    const uint64_t v = at < 0 ? 0 : value(source + at, t.element);
    assert_true(value(dumped + shared_place(&t, n), t.element) == v);
    if (at < 0) continue;
    const uint64_t sum = v + (adds ? value(expected + at, t.element) : 0);
    memcpy(expected + at, &sum, t.element);
  }
  assert_memory_equal(target, expected, DUMP);
  bench_close(&b);
}

static void boxes(void **state) {
  struct weir_rng r = weir_rng_seed(344, 1);
  (void)state;
  for (unsigned k = 0; k < 300; k++) run(&r, false);
}

static void boxes_are_added(void **state) {
  struct weir_rng r = weir_rng_seed(344, 2);
  (void)state;
  for (unsigned k = 0; k < 100; k++) run(&r, true);
}

// ---- what is refused --------------------------------------------------------------------------------------------------------

static const char *refused(struct weir_tensor_request r, bool *supported) {
  struct weir_tensor_map map;
  const char *why = weir_tensor_encode(&r, &map, supported);
  assert_non_null(why);
  return why;
}

static void wrong_maps(void **state) {
  static const uint64_t extent[] = {64, 64}, none[] = {0, 64}, stride[] = {128}, odd[] = {136};
  static const uint32_t box[] = {64, 8}, large[] = {64, 257}, narrow[] = {4, 8}, steps[] = {1, 1}, steep[] = {1, 9};
  const struct weir_tensor_request good = {.type = WEIR_TENSOR_F16,
                                           .rank = 2,
                                           .address = 4096,
                                           .extent = extent,
                                           .strides = stride,
                                           .box = box,
                                           .steps = steps};
  struct weir_tensor_map map;
  bool supported;
  (void)state;
  assert_null(weir_tensor_encode(&good, &map, &supported));
  assert_int_equal(weir_tensor_box_bytes(&map), 64 * 8 * 2);
#define WRONG(member, value, text)                                                                                     \
  {                                                                                                                    \
    struct weir_tensor_request r = good;                                                                               \
    r.member = value;                                                                                                  \
    assert_non_null(strstr(refused(r, &supported), text));                                                             \
    assert_true(supported);                                                                                            \
  }
  WRONG(rank, 0, "1 to 5 dimensions")
  WRONG(rank, 6, "1 to 5 dimensions")
  WRONG(address, 4104, "multiple of 16")
  WRONG(extent, none, "an extent is")
  WRONG(strides, odd, "a stride is")
  WRONG(box, large, "1 to 256 elements")
  WRONG(box, narrow, "a row of the box is a multiple of 16")
  WRONG(swizzle, 1, "longer than what is swizzled")
  WRONG(steps, steep, "1 to 8")
  WRONG(l2_promotion, 4, "no such mode")
  WRONG(type, 99, "no such type")
  struct weir_tensor_request r = good;
  r.interleave = 1;
  refused(r, &supported);
  assert_false(supported);
}

static void assert_fault(uint64_t (*of)(struct params *), const char *says) {
  char text[8192];
  snprintf(text, sizeof text, format, 2u, "%c0, %c1", 2u, "%c0, %c1",
           "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", "%c0, %c1");
  struct tensor t = {
    .rank = 2, .element = 4, .extent = {16, 4}, .strides = {64}, .pitch = {4, 64}, .box = {16, 4}, .steps = {1, 1}};
  struct bench b;
  struct weir_fault fault;
  bench_open(&b, text, 32);
  const uint64_t from = weir_memory_alloc(b.memory, "from", 256), dump = weir_memory_alloc(b.memory, "dump", MOST_BOX);
  struct params p = {.back = dump, .dump = dump, .bytes = 256};
  const struct weir_tensor_map map = map_of(&t, from);
  memcpy(p.map, &map, sizeof map);
  of(&p);
  const struct weir_launch launch = bench_launch(&b, "k", 1, 1, &p);
  assert_false(weir_run_functional(&launch, &fault));
  if (!strstr(fault.message, says)) fail_msg("'%s'", fault.message);
  bench_close(&b);
}

static uint64_t no_map(struct params *p) {
  return p->map[0] = 0;
}

static uint64_t no_filling(struct params *p) {
  return p->map[offsetof(struct weir_tensor_map, nan)] = 16;
}

static uint64_t other_rank(struct params *p) {
  struct weir_tensor_map map;
  memcpy(&map, p->map, sizeof map);
  map.rank = 3;
  memcpy(p->map, &map, sizeof map);
  return 0;
}

// The tensor is larger than its buffer.
static uint64_t past_the_end(struct params *p) {
  struct weir_tensor_map map;
  memcpy(&map, p->map, sizeof map);
  map.last[1] = 9;
  memcpy(p->map, &map, sizeof map);
  return (uint64_t)(p->at[1] = 4);
}

static void misuse_is_told(void **state) {
  (void)state;
  assert_fault(no_map, "there is no tensor map at");
  assert_fault(no_filling, "there is no tensor map at");
  assert_fault(other_rank, "a copy of 2 dimensions by a tensor map of 3");
  assert_fault(past_the_end, "past the end of 'from'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes),
    cmocka_unit_test(boxes_are_added),
    cmocka_unit_test(wrong_maps),
    cmocka_unit_test(misuse_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

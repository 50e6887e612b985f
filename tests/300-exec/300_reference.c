// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The micro-kernels of shared/reference, all cases of its table: checksum of the last output buffer and number of warp
// instructions against what an independent simulator gives for the same PTX.
#include "harness.h"

#include "base/file.h"

#define SHARED WEIR_SOURCE_DIR "/../shared/reference/"

struct buffer {
  uint64_t address;
  uint32_t words;
};

static struct bench bench;

static struct buffer buffer(uint32_t words) {
  return (struct buffer){weir_memory_alloc(bench.memory, "buffer", (uint64_t)words * 4), words};
}

static uint32_t *words_of(struct buffer b) {
  return bench_at(&bench, b.address, (uint64_t)b.words * 4);
}

static struct buffer iota(uint32_t words) {
  struct buffer b = buffer(words);
  for (uint32_t i = 0; i < words; i++) words_of(b)[i] = i;
  return b;
}

static struct buffer random_words(uint32_t words, uint32_t seed, uint32_t mask) {
  struct buffer b = buffer(words);
  for (uint32_t i = 0; i < words; i++) {
    seed = seed * 1664525u + 1013904223u;
    words_of(b)[i] = seed >> 8 & mask;
  }
  return b;
}

static struct buffer ring(uint32_t words) {
  struct buffer b = buffer(words);
  for (uint32_t i = 0; i < words; i++) words_of(b)[i] = (i + 32) % words;
  return b;
}

static uint64_t checksum(struct buffer b) {
  uint64_t h = 0;
  for (uint32_t i = 0; i < b.words; i++) h = h * 31 + words_of(b)[i];
  return h;
}

struct row {
  char name[32];
  uint32_t a, b, grid, block;
  uint64_t warp_instructions, checksum;
};

// Parameters of every kernel: its buffers' addresses, then 32-bit scalars (padded to 8 bytes each, they pack to 4).
struct arguments {
  uint64_t buffers[3];
  uint32_t scalars[4];
  unsigned buffer_count, scalar_count;
};

static size_t pack(const struct arguments *a, uint8_t *to) {
  memcpy(to, a->buffers, a->buffer_count * 8);
  memcpy(to + a->buffer_count * 8, a->scalars, a->scalar_count * 4);
  return a->buffer_count * 8 + a->scalar_count * 4;
}

static bool is(const struct row *r, const char *name) {
  return !strcmp(r->name, name);
}

// Fills in the arguments of the case as README's table has them and returns the last output buffer.
static struct buffer arrange(const struct row *r, struct arguments *x) {
  const uint32_t n = 256 * r->grid, mask19 = (1u << 19) - 1, mask20 = (1u << 20) - 1;
  struct buffer in = {0}, in2 = {0}, out = {0};
  if (is(r, "chase")) {
    in = ring(r->a / 4), out = buffer(1);
    *x = (struct arguments){{in.address, out.address}, {r->b}, 2, 1};
  } else if (is(r, "strided_load")) {
    in = iota(mask19 + 1), out = buffer(7680);
    *x = (struct arguments){{in.address, out.address}, {r->a, r->b, mask19}, 2, 3};
  } else if (is(r, "copy")) {
    in = iota(n), out = buffer(n);
    *x = (struct arguments){{in.address, out.address}, {0}, 2, 0};
  } else if (is(r, "reuse")) {
    in = iota(15 * r->a), out = buffer(3840);
    *x = (struct arguments){{in.address, out.address}, {r->a, r->b}, 2, 2};
  } else if (is(r, "gather")) {
    in = random_words(n, 1, r->a - 1), in2 = iota(r->a), out = buffer(n);
    *x = (struct arguments){{in.address, in2.address, out.address}, {0}, 3, 0};
  } else if (is(r, "hot_and_stream")) {
    in = iota(r->a), in2 = iota(7680 * r->b), out = buffer(7680);
    *x = (struct arguments){{in.address, in2.address, out.address}, {r->b, r->a - 1}, 3, 2};
  } else if (is(r, "reduce")) {
    in = iota(n), out = buffer(r->a);
    *x = (struct arguments){{in.address, out.address}, {0}, 2, 0};
  } else if (is(r, "fma_chain")) {
    const float half = 0.5f, one = 1.0f;
    out = buffer(15 * r->a);
    *x = (struct arguments){{out.address}, {r->b}, 1, 3};
    memcpy(&x->scalars[1], &half, 4);
    memcpy(&x->scalars[2], &one, 4);
  } else if (is(r, "diverge")) {
    out = buffer(n);
    *x = (struct arguments){{out.address}, {0}, 1, 0};
  } else if (is(r, "count")) {
    in = random_words(n, 7, UINT32_MAX), out = buffer(r->b);
    *x = (struct arguments){{in.address, out.address}, {r->b - 1}, 2, 1};
  } else {
    in = iota(n), out = buffer(mask20 + 1);
    *x = (struct arguments){{in.address, out.address}, {r->a, mask20}, 2, 2};
  }
  return out;
}

static void check(const struct row *r) {
  struct arguments x;
  uint8_t params[64] = {0};
  const struct buffer out = arrange(r, &x);
  const struct weir_kernel *k = weir_program_kernel(bench.program, r->name);
  assert_int_equal(k->param_bytes, pack(&x, params));
  const uint64_t steps = bench_run(&bench, r->name, r->grid, r->block, params);
  if (checksum(out) != r->checksum || steps != r->warp_instructions)
    fail_msg("%s %u %u: checksum %llu, expected %llu; %llu warp instructions, expected %llu", r->name, r->a, r->b,
             (unsigned long long)checksum(out), (unsigned long long)r->checksum, (unsigned long long)steps,
             (unsigned long long)r->warp_instructions);
}

static void test_cases(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  size_t size;
  char *table = weir_file_read(SHARED "gpgpusim-gtx480.csv", 0, &size, &sink);
  if (!table) skip();
  unsigned cases = 0;
  for (char *line = strchr(table, '\n') + 1; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    struct row r = {0};
    unsigned long long skipped[8], instructions, sum;
    char second[32];
    const int n = sscanf(line, "%31[^,],%u,%31[^,],%u,%u,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu", r.name, &r.a,
                         second, &r.grid, &r.block, &instructions, &skipped[0], &skipped[1], &skipped[2], &skipped[3],
                         &skipped[4], &skipped[5], &skipped[6], &sum);
    assert_int_equal(n, 14);
    r.b = (uint32_t)strtoul(second, NULL, 10);
    r.warp_instructions = instructions;
    r.checksum = sum;
    check(&r);
    cases++;
  }
  assert_int_equal(cases, 28);
  weir_free(table);
  weir_sink_free(&sink);
}

static int open_bench(void **state) {
  (void)state;
  bench.module = weir_ptx_read(SHARED "micro.ptx", &bench.sink);
  if (bench.module) bench_build(&bench, 32);
  return 0;
}

static int close_bench(void **state) {
  (void)state;
  bench_close(&bench);
  return 0;
}

int main(void) {
  FILE *f = fopen(SHARED "micro.ptx", "r");
  if (!f) return 77;
  fclose(f);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
  return cmocka_run_group_tests(tests, open_bench, close_bench);
}

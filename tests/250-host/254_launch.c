// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the host hands to a launch, what it refuses, and which copies a backend is told of.
#include "host_test.h"

#include "host/host.h"
#include "ptx/parse.h"

static const char text[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                           ".entry scalars(.param .u8 a, .param .u32 b, .param .u64 c, .param .f32 d) { ret; }\n"
                           ".entry local(.param .u64 .ptr .global .align 4 out, .param .u64 .ptr .shared .align 4 p,"
                           " .param .u64 .ptr .shared .align 4 q) { .shared .align 4 .b8 fixed[20];"
                           " .reg .b32 %r1; st.shared.u32 [fixed], %r1; ret; }\n"
                           ".entry exact() .reqntid 32, 2 { ret; }\n"
                           ".entry most() .maxntid 64, 2, 1 { ret; }\n";

// A backend that keeps what it was handed.
struct seen {
  unsigned copies, launches;
  uint64_t address[8], bytes[8];
  uint32_t grid[3], block[3], dynamic, limit;
  uint8_t params[64];
};

static void copied_in(void *context, uint64_t address, uint64_t bytes) {
  struct seen *s = context;
  s->address[s->copies] = address;
  s->bytes[s->copies++] = bytes;
}

static bool launched(void *context, const struct weir_launch *launch, struct weir_fault *fault) {
  (void)fault;
  struct seen *s = context;
  s->launches++;
  memcpy(s->grid, launch->grid, sizeof s->grid);
  memcpy(s->block, launch->block, sizeof s->block);
  s->dynamic = launch->dynamic_shared_bytes;
  s->limit = (uint32_t)launch->step_limit;
  memcpy(s->params, launch->params, launch->kernel->param_bytes);
  return true;
}

struct rig {
  struct weir_sink sink;
  struct weir_module *module;
  struct weir_memory *memory;
  struct weir_program *program;
  struct weir_host *host;
  struct seen seen;
};

static int set_up(void **state) {
  struct rig *r = weir_new(struct rig);
  r->module = weir_ptx_parse("k.ptx", text, strlen(text), &r->sink);
  r->memory = weir_memory_create();
  r->program =
    r->module ? weir_program_build(r->module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), r->memory, &r->sink) : NULL;
  weir_sink_print(&r->sink, stderr);
  if (!r->program) return -1;
  r->host = weir_host_create(r->program, r->memory, &r->sink);
  *state = r;
  return 0;
}

static int tear_down(void **state) {
  struct rig *r = *state;
  weir_host_free(r->host);
  weir_program_free(r->program);
  weir_memory_free(r->memory);
  weir_module_free(r->module);
  weir_sink_free(&r->sink);
  weir_free(r);
  return 0;
}

static void attach(struct rig *r) {
  weir_host_attach(r->host, (struct weir_backend){&r->seen, copied_in, launched});
}

static const struct weir_dim one = {1, 1, 1};

static void scalars_at_their_offsets(void **state) {
  struct rig *r = *state;
  attach(r);
  weir_host_set_step_limit(r->host, 77);
  uint8_t a = 0xAB;
  uint32_t b = 0x12345678;
  uint64_t c = UINT64_C(0x1122334455667788);
  float d = 1.5f;
  assert_true(weir_launch_args(r->host, "scalars", ((struct weir_dim){3, 0, 2}), ((struct weir_dim){8, 4, 0}),
                               WEIR_ARG(a), WEIR_ARG(b), WEIR_ARG(c), WEIR_ARG(d)));
  assert_memory_equal(r->seen.params, &a, 1); // offsets by natural alignment: 0, 4, 8, 16
  assert_memory_equal(r->seen.params + 4, &b, 4);
  assert_memory_equal(r->seen.params + 8, &c, 8);
  assert_memory_equal(r->seen.params + 16, &d, 4);
  assert_memory_equal(r->seen.grid, ((uint32_t[]){3, 1, 2}), 12); // 0 counts as 1
  assert_memory_equal(r->seen.block, ((uint32_t[]){8, 4, 1}), 12);
  assert_int_equal(r->seen.limit, 77);
}

// 20 bytes of static shared memory; then 12 bytes at 32 (the next multiple of 16), then 8 bytes at 48.
static void local_arguments_follow_static_shared_memory(void **state) {
  struct rig *r = *state;
  attach(r);
  uint64_t out = weir_host_alloc(r->host, "out", 4), p, q;
  assert_true(weir_launch_args(r->host, "local", one, one, WEIR_ARG(out), WEIR_ARG_LOCAL(12), WEIR_ARG_LOCAL(8)));
  memcpy(&p, r->seen.params + 8, 8);
  memcpy(&q, r->seen.params + 16, 8);
  assert_int_equal(p, 32);
  assert_int_equal(q, 48);
  assert_int_equal(r->seen.dynamic, 56 - 20);
}

static void assert_refused(struct rig *r, bool launched_it, const char *message) {
  assert_false(launched_it);
  assert_int_equal(r->seen.launches, 0);
  assert_message(&r->sink, r->sink.count - 1, message);
}

static void wrong_arguments(void **state) {
  struct rig *r = *state;
  attach(r);
  uint32_t word = 0;
  uint64_t address = 0;
  assert_refused(r, weir_launch_args(r->host, "scalar", one, one, WEIR_ARG(word)),
                 "k.ptx has no kernel 'scalar'; did you mean 'scalars'?");
  assert_refused(r, weir_launch_args(r->host, "scalars", one, one, WEIR_ARG(word)),
                 "kernel 'scalars' takes 4 arguments, not 1");
  assert_refused(
    r,
    weir_launch_args(r->host, "scalars", one, one, WEIR_ARG(word), WEIR_ARG(word), WEIR_ARG(address), WEIR_ARG(word)),
    "argument 1 of 'scalars' has 4 bytes, but the parameter 'a' has 1");
  assert_refused(r,
                 weir_launch_args(r->host, "local", one, one, WEIR_ARG_LOCAL(4), WEIR_ARG_LOCAL(4), WEIR_ARG_LOCAL(4)),
                 "argument 1 of 'local' is no pointer to local (shared) memory");
  assert_refused(r,
                 weir_launch_args(r->host, "local", one, one, WEIR_ARG(address), WEIR_ARG(address), WEIR_ARG_LOCAL(4)),
                 "argument 2 of 'local' points to local (shared) memory: it takes a number of bytes");
  assert_refused(
    r, weir_launch_args(r->host, "local", one, one, WEIR_ARG(address), WEIR_ARG_LOCAL(4), WEIR_ARG_LOCAL(1 << 20)),
    "bytes of shared memory; 1048576 are the most");
}

static bool launch_shape(struct rig *r, const char *kernel, struct weir_dim grid, struct weir_dim block) {
  return weir_host_launch(r->host, kernel, grid, block, 0, NULL, 0);
}

static void wrong_shapes(void **state) {
  struct rig *r = *state;
  attach(r);
  assert_refused(r, launch_shape(r, "most", one, (struct weir_dim){65, 2, 1}),
                 "at most 128 threads in a block (.maxntid), not 130");
  assert_refused(r, launch_shape(r, "exact", one, (struct weir_dim){64, 1, 1}),
                 "requires blocks of 32 × 2 × 1 threads (.reqntid)");
  assert_refused(r, launch_shape(r, "exact", one, (struct weir_dim){1025, 1, 1}), "is too large: at most 1024 in all");
  assert_refused(r, launch_shape(r, "exact", one, (struct weir_dim){4, 2, 65}), "is too large");
  assert_refused(r, launch_shape(r, "exact", (struct weir_dim){1, 65536, 1}, (struct weir_dim){32, 2, 1}),
                 "is larger than");
  assert_true(launch_shape(r, "exact", (struct weir_dim){2147483647, 65535, 1}, (struct weir_dim){32, 2, 1}));
  assert_true(launch_shape(r, "most", one, (struct weir_dim){128, 1, 1})); // by the number of threads, not by side
}

static void copies_pass_in_order(void **state) {
  struct rig *r = *state;
  uint64_t a = weir_host_alloc(r->host, "a", 16), b = weir_host_alloc(r->host, "b", 16);
  weir_host_write(r->host, b, "0123", 4);
  weir_host_fill(r->host, a, 1, 16); // on the device: no copy
  weir_host_wrote(r->host, a, 8);
  assert_int_equal(r->seen.copies, 0);
  attach(r);
  assert_int_equal(r->seen.copies, 2);
  assert_true(r->seen.address[0] == b && r->seen.bytes[0] == 4 && r->seen.address[1] == a && r->seen.bytes[1] == 8);
  uint64_t c = weir_host_upload(r->host, "c", "45", 2);
  assert_int_equal(r->seen.copies, 3);
  assert_true(r->seen.address[2] == c && r->seen.bytes[2] == 2);
  char back[3] = {0};
  weir_host_read(r->host, back, c, 2);
  assert_string_equal(back, "45");
  assert_int_equal(weir_host_buffer_bytes(r->host), 34);
}

static void checksums(void **state) {
  struct rig *r = *state;
  uint64_t a = weir_host_upload(r->host, "a", (uint32_t[]){1, 2, 3}, 12);
  weir_host_result(r->host, "all", a, 12);
  weir_host_result(r->host, "part", a, 5); // the second word's three missing bytes count as zero
  weir_host_result(r->host, "none", a, 0);
  unsigned count;
  const struct weir_result *results = weir_host_results(r->host, &count);
  assert_int_equal(count, 3);
  assert_string_equal(results[0].name, "all");
  assert_int_equal(weir_host_checksum(r->host, &results[0]), (1 * 31 + 2) * 31 + 3);
  assert_int_equal(weir_host_checksum(r->host, &results[1]), 1 * 31 + 2);
  assert_int_equal(weir_host_checksum(r->host, &results[2]), 0);
}

static void checksums_of_many_words(void **state) {
  struct rig *r = *state;
  enum { WORDS = 101 };
  uint32_t words[WORDS];
  for (uint32_t i = 0; i < WORDS; i++) words[i] = ~(i * 0x9e3779b9u);
  const uint64_t a = weir_host_upload(r->host, "a", words, sizeof words);
  uint64_t want = 0;
  for (unsigned n = 0; n <= WORDS; n++) {
    weir_host_result(r->host, "some", a, n * 4);
    unsigned count;
    const struct weir_result *results = weir_host_results(r->host, &count);
    assert_true(weir_host_checksum(r->host, &results[n]) == want);
    if (n < WORDS) want = want * 31 + words[n];
  }
}

int main(void) {
#define RIGGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    RIGGED(scalars_at_their_offsets), RIGGED(local_arguments_follow_static_shared_memory),
    RIGGED(wrong_arguments),          RIGGED(wrong_shapes),
    RIGGED(copies_pass_in_order),     RIGGED(checksums),
    RIGGED(checksums_of_many_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

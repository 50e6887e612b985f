// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launch files as text: what a right one says, and what is said about each mistake.
#include "host_test.h"

#include "host/launch_file.h"

#include <time.h>

static struct weir_launch_file *parse(const char *text, struct weir_sink *sink) {
  return weir_launch_file_parse("dir/f.yaml", text, strlen(text), sink);
}

static void assert_bad(const char *text, const char *message) {
  struct weir_sink sink = {0};
  assert_null(parse(text, &sink));
  assert_int_equal(sink.errors, 1);
  assert_message(&sink, 0, message);
  weir_sink_free(&sink);
}

static void everything_once(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_launch_file *f = parse("module: ../m.ptx\n"
                                     "buffers:\n"
                                     "  z: {bytes: 10, fill: zero}\n"
                                     "  i: {bytes: 8, fill: iota}\n"
                                     "  c: {bytes: 8, fill: {constant: -2}}\n"
                                     "  d: {bytes: 8, fill: {constant: 1.5}}\n"
                                     "  r: {bytes: 8, fill: {ring: 32}}\n"
                                     "  l: {bytes: 8, fill: {lcg: {seed: 1, shift: 8, mask: 0xFF}}}\n"
                                     "  u: {bytes: 8, fill: {uniform: {seed: 3, low: -1, high: 2.5}}}\n"
                                     "  f: {bytes: 8, fill: {file: x.bin}}\n"
                                     "launches:\n"
                                     "  - {kernel: k, grid: [4], block: [32, 2, 1], shared_bytes: 64,\n"
                                     "     args: [z, {s32: -8}, {u64: 0xFFFFFFFFFFFFFFFF}, {f32: 0.1}, {f64: .inf},\n"
                                     "            {u8: 255}, {s16: -32768}, {local_bytes: 12}]}\n"
                                     "checksum: [i, z]\n"
                                     "dump: [u]\n",
                                     &sink);
  assert_clean(&sink);
  assert_string_equal(f->module, "dir/../m.ptx");
  assert_int_equal(f->buffer_count, 8);
  const struct weir_launch_buffer *b = f->buffers;
  assert_string_equal(b[0].name, "z");
  assert_int_equal(b[0].bytes, 10);
  assert_int_equal(b[0].fill.kind, WEIR_FILL_ZERO);
  assert_int_equal(b[1].fill.kind, WEIR_FILL_IOTA);
  assert_int_equal(b[2].fill.value, 0xFFFFFFFE);
  assert_int_equal(b[3].fill.value, 0x3FC00000); // 1.5f
  assert_int_equal(b[4].fill.kind, WEIR_FILL_RING);
  assert_int_equal(b[4].fill.value, 32);
  assert_true(b[5].fill.seed == 1 && b[5].fill.shift == 8 && b[5].fill.mask == 255);
  assert_true(b[6].fill.seed == 3 && b[6].fill.low == -1 && b[6].fill.high == 2.5f);
  assert_string_equal(b[7].fill.file, "dir/x.bin");
  assert_int_equal(f->checksum.count, 2);
  assert_int_equal(f->checksum.buffer[0], 1);
  assert_int_equal(f->dump.buffer[0], 6);
  weir_launch_file_free(f);
}

static void assert_value(const struct weir_launch_value *v, uint32_t size, const void *bytes) {
  assert_int_equal(v->buffer, -1);
  assert_false(v->local);
  assert_int_equal(v->size, size);
  assert_memory_equal(v->bytes, bytes, size);
}

static void arguments(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_launch_file *f = parse(
    "module: /m.ptx\nbuffers: {a: {bytes: 4, fill: zero}}\nlaunches:\n"
    "  - {kernel: k, grid: [7], block: [32, 2], cluster: [7, 1], args: [a, {s32: -8}, {u64: 18446744073709551615}, {f32: 0.1},"
    " {f64: -.inf}, {u8: 0xff}, {s16: -32768}, {local_bytes: 12}, {texture: a}]}\n",
    &sink);
  assert_clean(&sink);
  assert_string_equal(f->module, "/m.ptx");
  const struct weir_launch_step *s = f->launches;
  assert_int_equal(f->launch_count, 1);
  assert_string_equal(s->kernel, "k");
  assert_true(s->grid.x == 7 && s->grid.y == 1 && s->grid.z == 1 && s->block.x == 32 && s->block.y == 2);
  assert_true(s->cluster.x == 7 && s->cluster.y == 1 && s->cluster.z == 1);
  assert_int_equal(s->shared_bytes, 0);
  assert_int_equal(s->arg_count, 9);
  assert_int_equal(s->args[0].buffer, 0);
  assert_int_equal(s->args[0].size, 8);
  assert_value(&s->args[1], 4, &(int32_t){-8});
  assert_value(&s->args[2], 8, &(uint64_t){UINT64_MAX});
  assert_value(&s->args[3], 4, &(uint32_t){0x3DCCCCCD}); // 0.1 rounded once
  assert_value(&s->args[4], 8, &(uint64_t){UINT64_C(0xFFF0000000000000)});
  assert_value(&s->args[5], 1, &(uint8_t){255});
  assert_value(&s->args[6], 2, &(int16_t){INT16_MIN});
  assert_true(s->args[7].local);
  assert_int_equal(s->args[7].size, 12);
  assert_true(s->args[8].texture);
  assert_int_equal(s->args[8].buffer, 0);
  assert_int_equal(s->args[8].size, 8);
  weir_launch_file_free(f);
}

// A right file but for one part.
#define BUFFERS(b) "module: m.ptx\nbuffers:\n  a: " b "\nlaunches: [{kernel: k, grid: [1], block: [1], args: []}]\n"
#define LAUNCH(l) "module: m.ptx\nbuffers: {a: {bytes: 4, fill: zero}}\nlaunches:\n  - " l "\n"
#define ARGS(args) LAUNCH("{kernel: k, grid: [1], block: [1], args: " args "}")

static void wrong_shape(void **state) {
  (void)state;
  assert_bad("", "dir/f.yaml: error: is empty");
  assert_bad("- 1\n", "dir/f.yaml:1:1: error: a launch file must be a mapping, not a list");
  assert_bad("a: [1\nb: 2\n", "dir/f.yaml:2:2: error: not valid YAML");
  assert_bad("a: \xff\n", "dir/f.yaml:1: error: not valid YAML");
  assert_bad("--- {module: 1}\n--- 2\n", "dir/f.yaml:2:5: error: a second YAML document");
  assert_bad(BUFFERS("{bytes: 4, fill: zero}") "modul: x\n",
             "dir/f.yaml:5:1: error: a launch file has no key 'modul'; did you mean 'module'?");
  assert_bad(BUFFERS("{bytes: 4, fill: zero}") "module: x\n", "dir/f.yaml:5:1: error: the key 'module' is given twice");
  assert_bad("module: m.ptx\nbuffers: {}\n", "dir/f.yaml:1:1: error: a launch file lacks the key 'launches'");
}

// A launch file's text with that many buffers, each of which is an argument once; the processor's seconds to read it.
static double seconds(unsigned buffers) {
  char *text = weir_alloc((size_t)buffers * 128 + 64), *at = stpcpy(text, "module: m.ptx\nbuffers:\n");
  for (unsigned k = 0; k < buffers; k++) at += sprintf(at, "  b%u: {bytes: 4, fill: zero}\n", k);
  at = stpcpy(at, "launches:\n");
  for (unsigned k = 0; k < buffers; k++) at += sprintf(at, "  - {kernel: k, grid: [1], block: [1], args: [b%u]}\n", k);
  struct weir_sink sink = {0};
  const clock_t began = clock();
  struct weir_launch_file *f = parse(text, &sink);
  const double took = (double)(clock() - began) / CLOCKS_PER_SEC;
  assert_clean(&sink);
  weir_launch_file_free(f);
  weir_free(text);
  return took;
}

// Four times as many take less than nine times as long, where a square would take sixteen times. Others may be at work on the
// machine: what is too slow is measured again.
static void many_buffers(void **state) {
  (void)state;
  enum { SIZE = 6000, FACTOR = 4, MOST = 9, TRIES = 8 };
  double ratio = MOST;
  for (unsigned k = 0; k < TRIES && ratio >= MOST; k++) ratio = seconds(FACTOR * SIZE) / seconds(SIZE);
  if (ratio >= MOST) fail_msg("%d times the buffers take %.1f times as long", FACTOR, ratio);
}

// What nests deep is refused at the depth where it is too deep, not read to its end: libyaml takes quadratic time for it.
static void wrong_depth(void **state) {
  (void)state;
  enum { DEEP = 50000 };
  char *text = weir_alloc(DEEP * 4 + 64), *at = text;
  for (unsigned k = 0; k < DEEP; k++) at = stpcpy(at, "{a: ");
  assert_bad(text, "dir/f.yaml:1:257: error: lists and mappings nested more than 64 deep");
  at = text;
  for (unsigned k = 0; k < DEEP; k++) at = stpcpy(at, "[");
  assert_bad(text, "dir/f.yaml:1:65: error: lists and mappings nested more than 64 deep");
  weir_free(text);
}

static void wrong_buffers(void **state) {
  (void)state;
  assert_bad(BUFFERS("{bytes: 4}"), "dir/f.yaml:3:6: error: a buffer lacks the key 'fill'");
  assert_bad(BUFFERS("{bytes: -4, fill: zero}"), "dir/f.yaml:3:14: error: bytes must be an integer from 0");
  assert_bad(BUFFERS("{bytes: '4x', fill: zero}"), "dir/f.yaml:3:14: error: bytes must be an integer");
  assert_bad(BUFFERS("{bytes: 99999999999999, fill: zero}"), "dir/f.yaml:3:14: error: bytes must be an integer");
  assert_bad(BUFFERS("{bytes: 4, fill: ones}"), "dir/f.yaml:3:23: error: 'ones' is no fill");
  assert_bad(BUFFERS("{bytes: 4, fill: [zero]}"), "dir/f.yaml:3:23: error: fill must be a mapping of one key");
  assert_bad(BUFFERS("{bytes: 4, fill: {wheel: 3}}"), "dir/f.yaml:3:23: error: 'wheel' is no fill");
  assert_bad(BUFFERS("{bytes: 6, fill: iota}"), "dir/f.yaml:3:23: error: this fill makes 32-bit words, but 6 bytes");
  assert_bad(BUFFERS("{bytes: 4, fill: {constant: x}}"), "dir/f.yaml:3:34: error: constant must be an integer");
  assert_bad(BUFFERS("{bytes: 4, fill: {lcg: {seed: 1, shift: 32, mask: 1}}}"),
             "dir/f.yaml:3:46: error: shift must be");
  assert_bad(BUFFERS("{bytes: 4, fill: {lcg: {seed: 1, mask: 1}}}"),
             "dir/f.yaml:3:29: error: lcg lacks the key 'shift'");
  assert_bad(BUFFERS("{bytes: 4, fill: {uniform: {seed: 1, low: 2, high: 1}}}"), "low above its high");
  assert_bad(BUFFERS("{bytes: 4, fill: zero}\n  a: {bytes: 4, fill: zero}"),
             "dir/f.yaml:4:3: error: the buffer 'a' is given twice");
  assert_bad("module: m\nbuffers: {a: {bytes: 68719476736, fill: zero}, b: {bytes: 1, fill: zero}}\n"
             "launches: [{kernel: k, grid: [1], block: [1], args: []}]\n",
             "dir/f.yaml:2:10: error: the buffers have more than 64 GiB in all");
}

static void wrong_launches(void **state) {
  (void)state;
  assert_bad("module: m\nbuffers: {}\nlaunches: []\n",
             "dir/f.yaml:3:11: error: launches must have 1 to 1048576 elements, not 0");
  assert_bad(LAUNCH("{kernel: k, grid: [1], block: [1]}"), "dir/f.yaml:4:5: error: a launch lacks the key 'args'");
  assert_bad(LAUNCH("{kernel: k, grid: [1], block: [1,1,1,1], args: []}"),
             "dir/f.yaml:4:35: error: block must be a list");
  assert_bad(LAUNCH("{kernel: k, grid: [0], block: [1], args: []}"),
             "dir/f.yaml:4:24: error: grid must be an integer from 1");
  assert_bad(LAUNCH("{kernel: k, grid: [4], block: [1], cluster: 2, args: []}"),
             "dir/f.yaml:4:49: error: cluster must be a list of one to three sizes");
  assert_bad(LAUNCH("{kernel: [k], grid: [1], block: [1], args: []}"),
             "dir/f.yaml:4:14: error: kernel must be a scalar");
  assert_bad(LAUNCH("{kernel: k, grid: [1], block: [1], shared_bytes: x, args: []}"),
             "shared_bytes must be an integer");
  assert_bad(LAUNCH("{kernel: k, grid: [1], block: [1], registers: 0, args: []}"),
             "registers must be an integer from 1");
  assert_bad(LAUNCH("{kernel: k, grid: [1], block: [1], carveout_percent: 101, args: []}"),
             "dir/f.yaml:4:58: error: carveout_percent must be an integer from 0 to 100");
  assert_bad(ARGS("a"), "dir/f.yaml:4:46: error: args must be a list");
  assert_bad(ARGS("[b]"), "dir/f.yaml:4:47: error: no buffer is named 'b'");
  assert_bad(ARGS("[{texture: b}]"), "dir/f.yaml:4:57: error: ");
  assert_bad("module: m.ptx\nbuffers: {a: {bytes: 3, fill: zero}}\nlaunches:\n"
             "  - {kernel: k, grid: [1], block: [1], args: [{texture: a}]}\n",
             "dir/f.yaml:4:57: error: a texture has 1 to 134217728 words, not 3 bytes");
  assert_bad(ARGS("[{i32: 1}]"), "dir/f.yaml:4:47: error: an argument has no type 'i32'; did you mean '");
  assert_bad(ARGS("[{s32: 1, u32: 2}]"), "dir/f.yaml:4:47: error: an argument");
  assert_bad(ARGS("[{s32: 2147483648}]"),
             "dir/f.yaml:4:53: error: s32 must be an integer from -2147483648 to 2147483647");
  assert_bad(ARGS("[{u8: 256}]"), "dir/f.yaml:4:52: error: u8 must be an integer from 0 to 255");
  assert_bad(ARGS("[{u32: 1.5}]"), "dir/f.yaml:4:53: error: u32 must be an integer");
  assert_bad(ARGS("[{f32: 1e39}]"), "dir/f.yaml:4:53: error: f32 must be a number in single precision's range");
  assert_bad(ARGS("[{f64: one}]"), "dir/f.yaml:4:53: error: f64 must be a number");
  assert_bad(ARGS("[]") "checksum: a\n", "dir/f.yaml:5:11: error: checksum must be a list of buffers");
  assert_bad(ARGS("[]") "dump: [b]\n", "dir/f.yaml:5:8: error: no buffer is named 'b'");
}

static void all_mistakes_at_once(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  assert_null(parse("module: [x]\n"
                    "buffers: {out: {bytes: 4, fill: one}}\n"
                    "launches: [{kernel: k, grid: [1], block: [1], args: [oot]}]\n"
                    "extra: 1\n",
                    &sink));
  assert_int_equal(sink.errors, 4);
  assert_message(&sink, 0, "dir/f.yaml:4:1: error: a launch file has no key 'extra'");
  assert_message(&sink, 1, "dir/f.yaml:1:9: error: module must be a scalar");
  assert_message(&sink, 2, "dir/f.yaml:2:33: error: 'one' is no fill");
  assert_message(&sink, 3, "dir/f.yaml:3:54: error: no buffer is named 'oot'; did you mean 'out'?");
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(everything_once), cmocka_unit_test(arguments),
    cmocka_unit_test(wrong_shape),     cmocka_unit_test(many_buffers),
    cmocka_unit_test(wrong_depth),     cmocka_unit_test(wrong_buffers),
    cmocka_unit_test(wrong_launches),  cmocka_unit_test(all_mistakes_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launch files: which module, which buffers with which fill, which launches. Invariant: a file that was read has no
// unknown key, and every buffer that it names is one of its own; names live in the arena.
//
//   module: kernels.ptx                # relative to this file
//   buffers:                           # allocated in the order written, each aligned to 256 bytes
//     in:  {bytes: 4096, fill: iota}
//     out: {bytes: 4096, fill: zero}
//   launches:                          # in order
//     - {kernel: copy, grid: [4, 1, 1], block: [256, 1, 1], args: [in, out, {s32: 8}]} # and perhaps cluster: [2, 1, 1]
//   checksum: [out]                    # optional
//   dump: [out]                        # optional
//   restrict: true                     # optional: no two pointers of a kernel point to the same bytes
//
// Fills: zero, iota, {constant: v}, {ring: k}, {lcg: {seed, shift, mask}}, {uniform: {seed, low, high}} (f32),
// {file: path}. All but zero are copied from the host, and so pass through the L2.
#ifndef WEIR_HOST_LAUNCH_FILE_H
#define WEIR_HOST_LAUNCH_FILE_H

#include "base/arena.h"
#include "host/launch.h"

enum weir_fill_kind {
  WEIR_FILL_ZERO,
  WEIR_FILL_IOTA,     // word i = i
  WEIR_FILL_CONSTANT, // word i = value
  WEIR_FILL_RING,     // word i = (i + value) mod n
  WEIR_FILL_LCG,      // s = s × 1664525 + 1013904223; word = (s >> shift) & mask
  WEIR_FILL_UNIFORM,  // f32 in [low, high)
  WEIR_FILL_FILE,     // the file's bytes (gunzipped), as many as the buffer has
};

struct weir_fill {
  enum weir_fill_kind kind;
  uint32_t value;
  uint64_t seed;
  uint32_t shift, mask;
  float low, high;
  const char *file; // resolved
  struct weir_place place;
};

struct weir_launch_buffer {
  const char *name;
  uint64_t bytes;
  struct weir_fill fill;
  struct weir_place place; // of its size
  uint64_t address;        // once prepared
};

struct weir_launch_value {
  int32_t buffer; // index, or -1: `bytes` holds the value, or the argument is local
  bool local;     // {local_bytes: n}: `size` bytes of shared memory
  bool texture;   // {texture: buffer}: `bytes` holds the handle of its words, once prepared
  uint32_t size;
  uint8_t bytes[8];
};

// A launch's keys that are integers: X(name, lowest, highest, "help", what else base/param.h has of a row). A row is the
// member, the key and its reader.
// clang-format off
#define WEIR_LAUNCH_INTEGERS(X)                                                                                       \
  X(shared_bytes, 0, 1 << 20, "of shared memory, beside the kernel's own", .optional = true,                          \
    .place = offsetof(struct weir_launch_step, places.shared))                                                        \
  X(registers, 1, UINT16_MAX, "per thread, instead of weir's estimate", .optional = true)                             \
  X(carveout_percent, 0, 100, "of the most shared memory, that the launch prefers beside its first-level cache",       \
    .optional = true, .place = offsetof(struct weir_launch_step, places.carveout))
// clang-format on

struct weir_launch_step {
  const char *kernel;
  struct weir_dim grid, block, cluster; // cluster: zeros: not given
#define X(name, ...) uint32_t name;     // 0: not given
  WEIR_LAUNCH_INTEGERS(X)
#undef X
  unsigned arg_count;
  struct weir_launch_value *args;
  struct weir_launch_places places;
};

struct weir_buffer_list {
  unsigned count;
  uint32_t *buffer;
};

struct weir_launch_file {
  struct weir_arena arena;
  const char *path, *text;
  const char *module; // resolved
  struct weir_place module_place;
  bool restrict_pointers;
  struct weir_launch_buffer *buffers;
  struct weir_launch_step *launches;
  uint32_t launch_count, buffer_count;
  struct weir_buffer_list checksum, dump;
};

// Reads the text of a launch file (copied). NULL and every error of it if there is any.
struct weir_launch_file *weir_launch_file_parse(const char *path, const char *text, size_t size,
                                                struct weir_sink *sink);
void weir_launch_file_free(struct weir_launch_file *f);

// Checks all launches against the module, then allocates and fills the buffers.
bool weir_launch_file_prepare(struct weir_launch_file *f, struct weir_host *h, const struct weir_program *program);
bool weir_launch_file_run(const struct weir_launch_file *f, struct weir_host *h);

// Writes each buffer under `dump` to PATH.NAME.bin, PATH being the launch file's without its ending.
bool weir_launch_file_dump(const struct weir_launch_file *f, struct weir_host *h, struct weir_sink *sink);

#endif

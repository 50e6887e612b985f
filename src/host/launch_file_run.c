// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/file.h"
#include "exec/texture.h"
#include "host/launch_file_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The arguments as the host takes them; freed by weir_free.
static struct weir_arg *arguments(const struct weir_launch_file *f, const struct weir_launch_step *s) {
  struct weir_arg *args = weir_new_array(struct weir_arg, s->arg_count);
  for (unsigned i = 0; i < s->arg_count; i++) {
    const struct weir_launch_value *v = &s->args[i];
    const void *bytes = v->local      ? NULL
      : v->buffer >= 0 && !v->texture ? (const void *)&f->buffers[v->buffer].address
                                      : v->bytes;
    args[i] = (struct weir_arg){bytes, v->size};
  }
  return args;
}

static bool check_step(const struct weir_launch_file *f, const struct weir_launch_step *s,
                       const struct weir_program *program, struct weir_sink *sink) {
  const struct weir_kernel *k = weir_launch_kernel(program, s->kernel, s->places.kernel, sink);
  if (!k) return false;
  struct weir_arg *args = arguments(f, s);
  bool ok = weir_launch_check(k, &s->grid, &s->block, s->shared_bytes, args, s->arg_count, &s->places, sink);
  const struct weir_launch launch = {
    .kernel = k, .grid = {s->grid.x, s->grid.y, s->grid.z}, .cluster = {s->cluster.x, s->cluster.y, s->cluster.z}};
  ok &= weir_launch_check_cluster(&launch, s->cluster.x ? s->places.cluster : s->places.grid, sink);
  weir_free(args);
  return ok;
}

static void add_results(const struct weir_launch_file *f, struct weir_host *h) {
  for (unsigned i = 0; i < f->checksum.count; i++) {
    const struct weir_launch_buffer *b = &f->buffers[f->checksum.buffer[i]];
    weir_host_result(h, b->name, b->address, b->bytes);
  }
}

static bool allocate(struct weir_launch_buffer *b, struct weir_host *h) {
  const uint64_t left = weir_host_left(h);
  if (b->bytes > left)
    return weir_fail(weir_host_sink(h), b->place,
                     "the buffer '%s' has %" PRIu64 " bytes; %" PRIu64 " of the device's memory are left", b->name,
                     b->bytes, left);
  b->address = weir_host_alloc(h, b->name, b->bytes);
  return !weir_host_is_over(h);
}

static void add_texture(struct weir_launch_value *v, const struct weir_launch_buffer *b, struct weir_memory *m) {
  const struct weir_texture t = {.base = b->address,
                                 .pitch_bytes = b->bytes,
                                 .slice_bytes = b->bytes,
                                 .width = (uint32_t)(b->bytes / 4),
                                 .height = 1,
                                 .depth = 1,
                                 .dimensions = 1,
                                 .linear_memory = true,
                                 .channels = 1,
                                 .channel_bytes = 4,
                                 .kind = WEIR_TEXEL_UNSIGNED,
                                 .swizzle = {WEIR_FROM_0, WEIR_FROM_1, WEIR_FROM_2, WEIR_FROM_3}};
  const uint64_t handle = weir_texture_add(m, &t);
  memcpy(v->bytes, &handle, sizeof handle);
}

static void add_textures(struct weir_launch_file *f, struct weir_host *h) {
  for (unsigned i = 0; i < f->launch_count; i++)
    for (unsigned k = 0; k < f->launches[i].arg_count; k++) {
      struct weir_launch_value *v = &f->launches[i].args[k];
      if (v->texture) add_texture(v, &f->buffers[v->buffer], weir_host_memory(h));
    }
}

bool weir_launch_file_prepare(struct weir_launch_file *f, struct weir_host *h, const struct weir_program *program) {
  bool ok = true;
  for (unsigned i = 0; i < f->launch_count; i++) ok &= check_step(f, &f->launches[i], program, weir_host_sink(h));
  for (unsigned i = 0; ok && i < f->buffer_count; i++) ok = allocate(&f->buffers[i], h);
  for (unsigned i = 0; ok && i < f->buffer_count; i++) ok &= weir_apply_fill(&f->buffers[i], h);
  if (ok) add_textures(f, h);
  if (ok) add_results(f, h);
  return ok;
}

bool weir_launch_file_run(const struct weir_launch_file *f, struct weir_host *h) {
  bool ok = true;
  for (unsigned i = 0; ok && i < f->launch_count; i++) {
    const struct weir_launch_step *s = &f->launches[i];
    struct weir_arg *args = arguments(f, s);
    weir_host_set_registers(h, s->registers);
    weir_host_set_cluster(h, s->cluster);
    weir_host_set_shared_preference(h, s->places.carveout.line ? weir_prefer_shared(s->carveout_percent) : 0);
    ok = weir_host_launch(h, s->kernel, s->grid, s->block, s->shared_bytes, args, s->arg_count);
    weir_free(args);
  }
  return ok;
}

// "dir/case.yaml" and buffer "out" give "dir/case.out.bin".
static char *dump_path(const char *path, const char *name) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  size_t stem = dot ? (size_t)(dot - path) : strlen(path), size = stem + strlen(name) + sizeof "..bin";
  char *out = weir_alloc(size);
  snprintf(out, size, "%.*s.%s.bin", (int)stem, path, name);
  return out;
}

bool weir_launch_file_dump(const struct weir_launch_file *f, struct weir_host *h, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < f->dump.count; i++) {
    const struct weir_launch_buffer *b = &f->buffers[f->dump.buffer[i]];
    char *path = dump_path(f->path, b->name);
    ok &= weir_file_write(path, weir_host_bytes(h, b->address, b->bytes), (size_t)b->bytes, sink);
    weir_free(path);
  }
  return ok;
}

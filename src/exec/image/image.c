// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From what a lane's operands hold to an image, its sampler and its bytes.
#include "exec/image/image.h"

#include <inttypes.h>
#include <string.h>

#define IS_SAMPLER (UINT64_C(1) << 63)

// What lies at an address: of a reference's variable, or of a kernel's parameter.
static bool referred(const struct weir_warp *w, uint64_t address, uint64_t *value) {
  const struct weir_launch *launch = w->block->launch;
  const uint64_t bytes = launch->kernel->param_bytes, offset = address - WEIR_PARAM_BASE;
  const uint8_t *at = address >= WEIR_PARAM_BASE && offset < bytes && bytes - offset >= sizeof *value
    ? w->block->state->params + offset
    : weir_memory_at(launch->memory, address, sizeof *value);
  if (at) memcpy(value, at, sizeof *value);
  return at != NULL;
}

// The handle, or the one that lies where it points to.
static uint64_t settled(const struct weir_warp *w, uint64_t handle) {
  const struct weir_memory *m = w->block->launch->memory;
  uint64_t value;
  const bool known = handle & IS_SAMPLER || weir_texture_find(m, handle) || weir_texture_removed(m, handle);
  return !known && referred(w, handle, &value) ? value : handle;
}

static bool no_image(struct weir_view *v, uint64_t handle) {
  if (weir_texture_removed(v->w->block->launch->memory, handle))
    return weir_raise(v->w, v->lane, "the texture or surface 0x%" PRIx64 " has been destroyed", handle);
  if (!handle) return weir_raise(v->w, v->lane, "no texture or surface is bound here (its handle is 0)");
  return weir_raise(v->w, v->lane, "0x%" PRIx64 " is the handle of no texture or surface", handle);
}

static uint64_t operand(const struct weir_warp *w, uint8_t bank, uint32_t offset, unsigned lane) {
  return ((const uint64_t *)weir_at(w, bank, offset))[lane];
}

static bool open_image(struct weir_view *v, uint64_t handle) {
  if (v->open && v->handle == handle) return true;
  const uint64_t at = settled(v->w, handle);
  v->image = weir_texture_find(v->w->block->launch->memory, at);
  if (!v->image) return no_image(v, at);
  v->open = true;
  v->handle = handle;
  v->near = NULL;
  v->texel_bytes = (uint32_t)v->image->channels * v->image->channel_bytes;
  return true;
}

static bool open_sampler(struct weir_view *v, uint64_t handle) {
  if (v->sampler_open && v->sampler_handle == handle) return true;
  const uint64_t at = settled(v->w, handle);
  if (!(at & IS_SAMPLER)) return weir_raise(v->w, v->lane, "0x%" PRIx64 " is no sampler", at);
  v->sampler = weir_sampler_unpack(at);
  v->sampler_open = true;
  v->sampler_handle = handle;
  return true;
}

static bool wrong_shape(struct weir_view *v, const struct weir_image_op *op) {
  const struct weir_texture *t = v->image;
  return weir_raise(v->w, v->lane, "%uD%s coordinates for %uD%s image 0x%" PRIx64, op->dimensions,
                    op->layered ? " layered" : "", t->dimensions, t->layered ? " layered" : "", v->handle);
}

bool weir_view_open(struct weir_view *v, const struct weir_insn *i, unsigned lane) {
  const struct weir_image_op *op = i->image;
  v->lane = lane;
  if (!open_image(v, operand(v->w, i->a_bank, i->a, lane))) return false;
  if (v->image->dimensions != op->dimensions || v->image->layered != op->layered) return wrong_shape(v, op);
  if (op->has_sampler) return open_sampler(v, operand(v->w, i->b_bank, i->b, lane));
  v->sampler = v->image->sampler;
  return true;
}

bool weir_view_open_any(struct weir_view *v, const struct weir_insn *i, unsigned lane) {
  const uint64_t handle = operand(v->w, i->a_bank, i->a, lane);
  v->lane = lane;
  if (i->image->query >= WEIR_QUERY_UNNORMALIZED && settled(v->w, handle) & IS_SAMPLER) return open_sampler(v, handle);
  if (!open_image(v, handle)) return false;
  v->sampler = v->image->sampler;
  return true;
}

void *weir_view_at(struct weir_view *v, uint64_t address, uint32_t bytes) {
  const struct weir_allocation *a = v->near;
  if (!a || address < a->base || address - a->base > a->bytes || a->bytes - (address - a->base) < bytes) {
    a = v->near = weir_memory_find(v->w->block->launch->memory, address);
    if (!a || address - a->base > a->bytes || a->bytes - (address - a->base) < bytes) {
      v->near = NULL;
      weir_raise(v->w, v->lane,
                 "image 0x%" PRIx64 ": %" PRIu32 " bytes at 0x%" PRIx64 " lie in no allocation (has it been freed?)",
                 v->handle, bytes, address);
      return NULL;
    }
  }
  return a->host + (address - a->base);
}

uint64_t weir_view_address(const struct weir_view *v, const uint32_t texel[3]) {
  const struct weir_texture *t = v->image;
  return t->base + texel[2] * t->slice_bytes + texel[1] * t->pitch_bytes + (uint64_t)texel[0] * v->texel_bytes;
}

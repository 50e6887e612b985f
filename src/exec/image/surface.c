// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Surfaces: suld and sust (PTX ISA, "Surface Instructions"). x counts bytes, but in a formatted store texels. Every
// lane's place is known before any is written.
#include "base/bits.h"
#include "exec/image/image.h"
#include "exec/ops/fill.h"

#include <inttypes.h>
#include <string.h>

static int32_t value_at(const struct weir_warp *w, struct weir_ref r, unsigned lane) {
  return ((const int32_t *)weir_at(w, r.bank, r.offset))[lane];
}

static bool outside_fault(struct weir_view *v, const struct weir_image_op *op, const int64_t at[3]) {
  const struct weir_texture *t = v->image;
  return weir_raise(v->w, v->lane,
                    "surface access at (%" PRId64 ", %" PRId64 ", %" PRId64 "), x in %s, is outside surface 0x%" PRIx64
                    " of %u × %u × %u texels of %u bytes",
                    at[0], at[1], at[2], op->element_bytes ? "bytes" : "texels", v->handle, t->width, t->height,
                    t->depth, v->texel_bytes);
}

// Brings a coordinate within [0, most] as the instruction's mode says. False: it lies outside and does not count.
static bool bring_in(int64_t *x, int64_t most, unsigned mode) {
  if (*x >= 0 && *x <= most) return true;
  if (mode != WEIR_OUTSIDE_CLAMP || most < 0) return false;
  *x = *x < 0 ? 0 : most;
  return true;
}

// The lane's place; *host NULL: outside under .zero. False: a fault.
static bool locate(struct weir_view *v, const struct weir_insn *i, unsigned lane, void **host, uint64_t *address) {
  const struct weir_image_op *op = i->image;
  if (!weir_view_open(v, i, lane)) return false;
  const struct weir_texture *t = v->image;
  const uint32_t unit = op->element_bytes ? 1 : v->texel_bytes;
  const uint32_t bytes = op->element_bytes ? (uint32_t)op->element_bytes * op->elements : v->texel_bytes;
  int64_t at[3] = {0};
  for (unsigned d = 0; d < op->dimensions; d++) at[d] = value_at(v->w, op->at[d], lane);
  if (op->layered) at[2] = (uint32_t)value_at(v->w, op->layer, lane);
  const int64_t given[3] = {at[0], at[1], at[2]};
  const int64_t row = (int64_t)t->width * v->texel_bytes;
  *host = NULL;
  *address = 0;
  bool inside = bring_in(&at[0], row < bytes ? -1 : (row - bytes) / unit, op->outside);
  inside &= bring_in(&at[1], (int64_t)t->height - 1, op->outside);
  inside &= bring_in(&at[2], (int64_t)t->depth - 1, op->outside);
  if (!inside) return op->outside == WEIR_OUTSIDE_ZERO || outside_fault(v, op, given);
  if (op->element_bytes && at[0] != given[0]) at[0] -= at[0] % bytes; // a row may end in a part of an element
  if (op->element_bytes && at[0] % bytes)
    return weir_raise(v->w, lane, "misaligned surface access: x is %" PRId64 " bytes, no multiple of %u", at[0], bytes);
  *address = t->base + (uint64_t)at[2] * t->slice_bytes + (uint64_t)at[1] * t->pitch_bytes + (uint64_t)at[0] * unit;
  *host = weir_view_at(v, *address, bytes);
  return *host != NULL;
}

static bool locate_lanes(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out,
                         struct weir_view *v, void **host) {
  const bool formatted = !i->image->element_bytes;
  *v = (struct weir_view){.w = w};
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    uint64_t address;
    if (!locate(v, i, l, &host[l], &address)) return false;
    if (!out) continue;
    out->address[l] = formatted ? address & ~UINT64_C(3) : address;
    if (!host[l]) out->active &= ~(UINT64_C(1) << l);
  }
  return true;
}

static bool memory_surface_load(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                struct weir_winstr *out) {
  const struct weir_image_op *op = i->image;
  void *host[WEIR_MAX_LANES];
  struct weir_view v;
  if (!locate_lanes(w, i, mask, out, &v, host)) return false;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_IMAGE_LOAD)) return true;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    for (unsigned k = 0; k < op->elements; k++) {
      void *d = weir_at(w, WEIR_BANK_FRAME, op->data[k].offset);
      uint64_t value = 0;
      if (host[l]) memcpy(&value, (const uint8_t *)host[l] + k * op->element_bytes, op->element_bytes);
      if (op->wide[k])
        ((uint64_t *)d)[l] = value;
      else
        ((uint32_t *)d)[l] = (uint32_t)value;
    }
  }
  return true;
}

static uint64_t source(const struct weir_warp *w, const struct weir_image_op *op, unsigned k, unsigned lane) {
  const void *s = weir_at(w, op->data[k].bank, op->data[k].offset);
  return op->wide[k] ? ((const uint64_t *)s)[lane] : ((const uint32_t *)s)[lane];
}

static bool memory_surface_store(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                 struct weir_winstr *out) {
  const struct weir_image_op *op = i->image;
  void *host[WEIR_MAX_LANES];
  struct weir_view v;
  if (!locate_lanes(w, i, mask, out, &v, host)) return false;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_IMAGE_STORE)) return true;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    for (unsigned k = 0; k < op->elements && host[l]; k++) {
      const uint64_t value = source(w, op, k, l);
      memcpy((uint8_t *)host[l] + k * op->element_bytes, &value, op->element_bytes);
    }
  }
  return true;
}

// sust.p. Lanes may name different surfaces, so that each is looked up again when its turn to be written comes.
static bool memory_surface_format(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                  struct weir_winstr *out) {
  const struct weir_image_op *op = i->image;
  void *host[WEIR_MAX_LANES];
  struct weir_view v;
  if (!locate_lanes(w, i, mask, out, &v, host)) return false;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_IMAGE_STORE)) return true;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    uint32_t value[4] = {0};
    for (unsigned k = 0; k < op->elements; k++) value[k] = (uint32_t)source(w, op, k, l);
    if (!host[l]) continue;
    if (!weir_view_open(&v, i, l)) return false;
    weir_texel_write(v.image, value, op->elements, host[l]);
  }
  return true;
}

void weir_fill_surface(struct weir_ops *t) {
  t->memory[WEIR_M_surface_load] = memory_surface_load;
  t->memory[WEIR_M_surface_store] = memory_surface_store;
  t->memory[WEIR_M_surface_format] = memory_surface_format;
}

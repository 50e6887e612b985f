// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Textures: tex, tld4, txq and suq. Every lane's result is known before any is written.
#include "base/bits.h"
#include "exec/half.h"
#include "exec/image/image.h"
#include "exec/ops/fill.h"
#include "exec/ops/types.h"

static uint32_t value_at(const struct weir_warp *w, struct weir_ref r, unsigned lane) {
  return ((const uint32_t *)weir_at(w, r.bank, r.offset))[lane];
}

static void coordinates(const struct weir_warp *w, const struct weir_image_op *op, unsigned lane,
                        struct weir_coordinates *c) {
  *c = (struct weir_coordinates){.integer = op->integer};
  for (unsigned d = 0; d < op->dimensions; d++) c->bits[d] = value_at(w, op->at[d], lane);
  if (op->layered) c->layer = value_at(w, op->layer, lane);
}

static uint32_t half(uint32_t bits) {
  return weir_half_bits(&weir_f16, float32(bits), WEIR_ROUND_RN);
}

// The four results as the instruction's type has them.
static void put_results(const struct weir_warp *w, const struct weir_image_op *op, unsigned lane, uint32_t result[4]) {
  if (op->type == WEIR_T_F16)
    for (unsigned k = 0; k < 4; k++) result[k] = half(result[k]);
  if (op->type == WEIR_T_F16X2)
    for (unsigned k = 0; k < 2; k++) result[k] = half(result[2 * k]) | half(result[2 * k + 1]) << 16;
  for (unsigned k = 0; k < op->elements; k++)
    ((uint32_t *)weir_at(w, WEIR_BANK_FRAME, op->data[k].offset))[lane] = result[k];
}

// A lane that reads no texel makes no access.
void weir_fetch_report(struct weir_winstr *out, unsigned lane, uint64_t address) {
  if (!out) return;
  out->address[lane] = address & ~UINT64_C(3);
  if (!address) out->active &= ~(UINT64_C(1) << lane);
}

typedef bool (*fetch_fn)(struct weir_view *v, const struct weir_image_op *op, const struct weir_coordinates *c,
                         uint32_t result[4], uint64_t *address);

static bool fetch_sample(struct weir_view *v, const struct weir_image_op *op, const struct weir_coordinates *c,
                         uint32_t result[4], uint64_t *address) {
  (void)op;
  return weir_sample(v, c, result, address);
}

static bool fetch_gather(struct weir_view *v, const struct weir_image_op *op, const struct weir_coordinates *c,
                         uint32_t result[4], uint64_t *address) {
  return weir_gather(v, c, op->query, result, address);
}

static bool fetch_lanes(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out,
                        fetch_fn fetch) {
  const struct weir_image_op *op = i->image;
  uint32_t result[WEIR_MAX_LANES][4];
  struct weir_view v = {.w = w};
  for (uint64_t m = mask; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    struct weir_coordinates c;
    uint64_t address;
    coordinates(w, op, l, &c);
    if (!weir_view_open(&v, i, l) || !fetch(&v, op, &c, result[l], &address)) return false;
    weir_fetch_report(out, l, address);
  }
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_IMAGE_LOAD)) return true;
  for (uint64_t m = mask; m; m &= m - 1) put_results(w, op, weir_lowest(m), result[weir_lowest(m)]);
  return true;
}

bool weir_fetch_apart(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  return fetch_lanes(w, i, mask, out, fetch_sample);
}

// Do all lanes that run hold the same there?
static bool is_same(const struct weir_warp *w, uint8_t bank, uint32_t offset, uint64_t mask) {
  const uint64_t *value = weir_at(w, bank, offset), first = value[weir_lowest(mask)];
  for (; mask; mask &= mask - 1)
    if (value[weir_lowest(mask)] != first) return false;
  return true;
}

enum { MOST_TEXELS = 1 << 28 }; // along a dimension: what is computed with is less than twice that far from 0

bool weir_fetch_together(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_fetch *f) {
  const struct weir_image_op *op = i->image;
  struct weir_view v = {.w = w};
  if (op->type == WEIR_T_F16 || op->type == WEIR_T_F16X2 || !is_same(w, i->a_bank, i->a, mask) ||
      (op->has_sampler && !is_same(w, i->b_bank, i->b, mask)) || !weir_view_open(&v, i, weir_lowest(mask)))
    return false;
  const struct weir_texture *t = v.image;
  const uint32_t extent[3] = {t->width, t->height, t->depth};
  const uint64_t bytes[3] = {v.texel_bytes, t->pitch_bytes, t->slice_bytes};
  uint64_t all = v.texel_bytes;
  for (unsigned d = 0; d < 3; d++) {
    if (!extent[d] || extent[d] > MOST_TEXELS || bytes[d] > UINT64_MAX / 4 / MOST_TEXELS) return false;
    f->extent[d] = (int32_t)extent[d];
    f->bytes[d] = bytes[d];
    f->mode[d] = (uint8_t)weir_sample_mode(&v, d, op->integer);
    all += (extent[d] - 1) * bytes[d];
  }
  f->image = t;
  f->texels = weir_memory_at(w->block->launch->memory, t->base, all);
  f->normalized = v.sampler.normalized && !op->integer;
  f->filtered = weir_sample_filters(&v, op->integer);
  f->words = t->channel_bytes == 4;
  return f->texels != NULL;
}

static bool memory_gather(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  return fetch_lanes(w, i, mask, out, fetch_gather);
}

// ---- queries --------------------------------------------------------------------------------------------------------

// OpenCL's numbers for a channel's data type (cl_channel_type); txq answers with the source language's.
static uint32_t data_type(const struct weir_texture *t) {
  enum { SNORM_INT8 = 0x10D0, UNORM_INT8 = 0x10D2, SIGNED_INT8 = 0x10D7, UNSIGNED_INT8 = 0x10DA, HALF_FLOAT = 0x10DD };
  const unsigned size = t->channel_bytes == 1 ? 0 : t->channel_bytes == 2 ? 1 : 2;
  if (t->kind == WEIR_TEXEL_FLOAT) return HALF_FLOAT + (size == 2);
  if (t->normalized_float) return (t->kind == WEIR_TEXEL_SIGNED ? SNORM_INT8 : UNORM_INT8) + size;
  return (t->kind == WEIR_TEXEL_SIGNED ? SIGNED_INT8 : UNSIGNED_INT8) + size;
}

// And for the channels' order (cl_channel_order), from where the results come from.
static uint32_t channel_order(const struct weir_texture *t) {
  enum { R = 0x10B0, A, RG, RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE };
  const uint8_t *s = t->swizzle;
  const bool grey = s[0] == WEIR_FROM_0 && s[1] == WEIR_FROM_0 && s[2] == WEIR_FROM_0;
  switch (t->channels) {
  case 1: return grey ? s[3] == WEIR_FROM_0 ? INTENSITY : LUMINANCE : s[0] == WEIR_FROM_0 ? R : A;
  case 2: return s[1] == WEIR_FROM_1 ? RG : RA;
  case 3: return RGB;
  default: return s[0] == WEIR_FROM_2 ? BGRA : s[0] == WEIR_FROM_1 ? ARGB : RGBA;
  }
}

static uint32_t address_mode(unsigned mode) {
  static const uint8_t number[] = {[WEIR_ADDRESS_WRAP] = WEIR_PTX_WRAP,
                                   [WEIR_ADDRESS_MIRROR] = WEIR_PTX_MIRROR,
                                   [WEIR_ADDRESS_CLAMP] = WEIR_PTX_CLAMP_TO_EDGE,
                                   [WEIR_ADDRESS_BORDER] = WEIR_PTX_CLAMP_TO_BORDER};
  return number[mode];
}

static uint32_t answer(const struct weir_view *v, unsigned query) {
  const struct weir_texture *t = v->image;
  const struct weir_sampler *s = &v->sampler;
  switch ((enum weir_query)query) {
  case WEIR_QUERY_WIDTH: return t->width;
  case WEIR_QUERY_HEIGHT: return t->height;
  case WEIR_QUERY_DEPTH: return t->layered ? 1 : t->depth;
  case WEIR_QUERY_LAYERS: return t->layered ? t->depth : 1;
  case WEIR_QUERY_LEVELS:
  case WEIR_QUERY_SAMPLES: return 1;
  case WEIR_QUERY_DATA_TYPE: return data_type(t);
  case WEIR_QUERY_ORDER: return channel_order(t);
  case WEIR_QUERY_NORMALIZED: return s->normalized;
  case WEIR_QUERY_UNNORMALIZED: return !s->normalized;
  case WEIR_QUERY_FILTER: return s->filter == WEIR_FILTER_LINEAR ? WEIR_PTX_LINEAR : WEIR_PTX_NEAREST;
  case WEIR_QUERY_ADDRESS_0:
  case WEIR_QUERY_ADDRESS_1:
  case WEIR_QUERY_ADDRESS_2: return address_mode(s->address[query - WEIR_QUERY_ADDRESS_0]);
  case WEIR_QUERY_NONE: break;
  }
  return 0;
}

static bool memory_query(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  const struct weir_image_op *op = i->image;
  uint32_t result[WEIR_MAX_LANES];
  struct weir_view v = {.w = w};
  (void)out;
  for (uint64_t m = mask; m; m &= m - 1) {
    if (!weir_view_open_any(&v, i, weir_lowest(m))) return false;
    result[weir_lowest(m)] = answer(&v, op->query);
  }
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, op->data[0].offset);
  for (; mask; mask &= mask - 1) d[weir_lowest(mask)] = result[weir_lowest(mask)];
  return true;
}

void weir_fill_texture(struct weir_ops *t) {
  t->memory[WEIR_M_gather] = memory_gather;
  t->memory[WEIR_M_query] = memory_query;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stored texels to results and back (CUDA C++ Programming Guide, "Texture Fetching"; OpenCL 1.2 section 8.3).
#include "base/bits.h"
#include "exec/half.h"
#include "exec/image/image.h"
#include "exec/ops/types.h"
#include "ptx/ir.h"

#include <math.h>
#include <string.h>

bool weir_texel_is_float(const struct weir_texture *t) {
  return t->kind == WEIR_TEXEL_FLOAT || t->normalized_float;
}

// Half the range of the type for signed integers, all of it for unsigned ones.
static uint32_t largest(const struct weir_texture *t) {
  return (uint32_t)weir_mask(8u * t->channel_bytes - (t->kind == WEIR_TEXEL_SIGNED));
}

static uint32_t read_channel(const struct weir_texture *t, const uint8_t *at) {
  uint32_t raw = 0;
  memcpy(&raw, at, t->channel_bytes);
  if (t->kind == WEIR_TEXEL_FLOAT) return t->channel_bytes == 2 ? bits32((float)weir_half_value(&weir_f16, raw)) : raw;
  if (t->kind == WEIR_TEXEL_UNSIGNED) return t->normalized_float ? bits32((float)raw / (float)largest(t)) : raw;
  const unsigned unused = 32 - 8u * t->channel_bytes;
  const int32_t value = (int32_t)(raw << unused) >> unused;
  // The most negative number, and the one above it, are both −1.
  return t->normalized_float ? bits32(fmaxf((float)value / (float)largest(t), -1)) : (uint32_t)value;
}

void weir_texel_read(const struct weir_texture *t, const uint8_t *texel, uint32_t result[4]) {
  for (unsigned k = 0; k < 4; k++) {
    const unsigned from = t->swizzle[k];
    if (from < t->channels)
      result[k] = read_channel(t, texel + from * t->channel_bytes);
    else
      result[k] = from != WEIR_FROM_ONE ? 0 : weir_texel_is_float(t) ? bits32(1) : 1;
  }
}

// Rounded to the nearest integer, ties to the even one, and held within the type's range; no number is 0.
static uint32_t normalized(const struct weir_texture *t, float value) {
  const float most = (float)largest(t), least = t->kind == WEIR_TEXEL_SIGNED ? -most - 1 : 0;
  const float scaled = value * most;
  if (!(scaled > least)) return scaled != scaled ? 0 : (uint32_t)(int32_t)least;
  return scaled >= most ? largest(t) : (uint32_t)(int32_t)rintf(scaled);
}

static uint32_t saturated(const struct weir_texture *t, uint32_t value) {
  const uint32_t most = largest(t);
  if (t->kind == WEIR_TEXEL_UNSIGNED) return value > most ? most : value;
  const int32_t number = (int32_t)value, least = -(int32_t)most - 1;
  return number > (int32_t)most ? most : number < least ? (uint32_t)least : value;
}

static uint32_t stored(const struct weir_texture *t, uint32_t value) {
  if (t->kind == WEIR_TEXEL_FLOAT)
    return t->channel_bytes == 2 ? weir_half_bits(&weir_f16, float32(value), WEIR_ROUND_RN) : value;
  return t->normalized_float ? normalized(t, float32(value)) : saturated(t, value);
}

// Channels that no value is given for become 0; PTX lets them be anything.
void weir_texel_write(const struct weir_texture *t, const uint32_t *value, unsigned count, uint8_t *texel) {
  for (unsigned channel = 0; channel < t->channels; channel++) {
    uint32_t bits = 0;
    for (unsigned k = count; k-- > 0;)
      if (t->swizzle[k] == channel) bits = stored(t, value[k]);
    memcpy(texel + channel * t->channel_bytes, &bits, t->channel_bytes);
  }
}

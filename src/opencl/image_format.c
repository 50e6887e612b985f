// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Image formats: OpenCL 1.2 section 5.3.1, tables 5.6 to 5.8. All that full profile requires, and the same types in
// orders of fewer channels.
#include "opencl/image.h"

#include "exec/half.h"
#include "ptx/ir.h"

#include <math.h>
#include <string.h>

struct order {
  cl_channel_order order;
  uint8_t channels;
  uint8_t swizzle[4];
  bool border_one;
};

enum { X = WEIR_FROM_0, Y = WEIR_FROM_1, Z = WEIR_FROM_2, W = WEIR_FROM_3, O = WEIR_FROM_ZERO, I = WEIR_FROM_ONE };

static const struct order orders[] = {
  {CL_RGBA, 4, {X, Y, Z, W}, false}, {CL_R, 1, {X, O, O, I}, true},          {CL_RG, 2, {X, Y, O, I}, true},
  {CL_A, 1, {O, O, O, X}, false},    {CL_INTENSITY, 1, {X, X, X, X}, false}, {CL_LUMINANCE, 1, {X, X, X, I}, true},
  {CL_BGRA, 4, {Z, Y, X, W}, false}, {CL_ARGB, 4, {Y, Z, W, X}, false},
};

struct type {
  cl_channel_type type;
  uint8_t bytes, kind;
  bool normalized;
};

static const struct type types[] = {
  {CL_UNORM_INT8, 1, WEIR_TEXEL_UNSIGNED, true},      {CL_UNORM_INT16, 2, WEIR_TEXEL_UNSIGNED, true},
  {CL_SNORM_INT8, 1, WEIR_TEXEL_SIGNED, true},        {CL_SNORM_INT16, 2, WEIR_TEXEL_SIGNED, true},
  {CL_SIGNED_INT8, 1, WEIR_TEXEL_SIGNED, false},      {CL_SIGNED_INT16, 2, WEIR_TEXEL_SIGNED, false},
  {CL_SIGNED_INT32, 4, WEIR_TEXEL_SIGNED, false},     {CL_UNSIGNED_INT8, 1, WEIR_TEXEL_UNSIGNED, false},
  {CL_UNSIGNED_INT16, 2, WEIR_TEXEL_UNSIGNED, false}, {CL_UNSIGNED_INT32, 4, WEIR_TEXEL_UNSIGNED, false},
  {CL_HALF_FLOAT, 2, WEIR_TEXEL_FLOAT, false},        {CL_FLOAT, 4, WEIR_TEXEL_FLOAT, false},
};

enum { ORDERS = sizeof orders / sizeof *orders, TYPES = sizeof types / sizeof *types };

// Table 5.8: which orders take which types.
static bool goes_with(cl_channel_order order, const struct type *t) {
  switch (order) {
  case CL_INTENSITY:
  case CL_LUMINANCE: return t->normalized || t->kind == WEIR_TEXEL_FLOAT;
  case CL_BGRA:
  case CL_ARGB: return t->bytes == 1;
  default: return true;
  }
}

static bool known_order(cl_channel_order o) {
  return o >= CL_R && o <= CL_ABGR;
}

static bool known_type(cl_channel_type t) {
  return t >= CL_SNORM_INT8 && t <= CL_UNORM_INT24;
}

cl_int weir_cl_image_format(const cl_image_format *format, struct weir_cl_format *out) {
  if (!format || !known_order(format->image_channel_order) || !known_type(format->image_channel_data_type))
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  for (unsigned i = 0; i < ORDERS; i++) {
    for (unsigned j = 0; j < TYPES; j++) {
      const struct order *o = &orders[i];
      const struct type *t = &types[j];
      if (o->order != format->image_channel_order || t->type != format->image_channel_data_type) continue;
      if (!goes_with(o->order, t)) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
      *out = (struct weir_cl_format){*format, o->channels, t->bytes, t->kind, t->normalized, {0}, o->border_one};
      memcpy(out->swizzle, o->swizzle, sizeof out->swizzle);
      return CL_SUCCESS;
    }
  }
  return CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

static bool image_type(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context c, cl_mem_flags flags, cl_mem_object_type type,
                                                           cl_uint num_entries, cl_image_format *formats,
                                                           cl_uint *num_formats) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return CL_INVALID_CONTEXT;
  const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR |
    CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
    CL_MEM_HOST_NO_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;
  if ((flags & ~known) || !image_type(type) || (formats && !num_entries)) return CL_INVALID_VALUE;
  cl_uint count = 0;
  for (unsigned i = 0; i < ORDERS; i++) {
    for (unsigned j = 0; j < TYPES; j++) {
      if (!goes_with(orders[i].order, &types[j])) continue;
      if (formats && count < num_entries) formats[count] = (cl_image_format){orders[i].order, types[j].type};
      count++;
    }
  }
  if (num_formats) *num_formats = count;
  return CL_SUCCESS;
}

// Section 8.3.1: rounded to nearest even, values outside saturate, NaN is 0.
static int32_t normalize(float value, float most, float least) {
  if (!(value == value)) return 0;
  const float scaled = value * most;
  return (int32_t)rintf(scaled > most ? most : scaled < least ? least : scaled);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

static uint32_t pack_channel(const struct weir_cl_format *f, float real, int32_t integer, uint32_t natural) {
  const unsigned bits = f->channel_bytes * 8u;
  if (f->kind == WEIR_TEXEL_FLOAT) {
    uint32_t raw;
    memcpy(&raw, &real, sizeof raw);
    return f->channel_bytes == 2 ? weir_half_bits(&weir_f16, real, WEIR_ROUND_RN) : raw;
  }
  const int64_t high_signed = (INT64_C(1) << (bits - 1)) - 1, high = (INT64_C(1) << bits) - 1;
  if (f->kind == WEIR_TEXEL_SIGNED) {
    if (f->normalized) return (uint32_t)normalize(real, (float)high_signed, (float)(-high_signed - 1));
    return (uint32_t)clamp(integer, -high_signed - 1, high_signed);
  }
  return f->normalized ? (uint32_t)normalize(real, (float)high, 0) : (uint32_t)clamp(natural, 0, high);
}

void weir_cl_image_pack(const struct weir_cl_format *f, const void *color, uint8_t *texel) {
  for (unsigned c = 0; c < f->channels; c++) {
    unsigned component = 0; // the first that this channel gives when it is read
    while (component < 3 && f->swizzle[component] != c) component++;
    float real;
    int32_t integer;
    uint32_t natural;
    memcpy(&real, (const char *)color + component * 4, 4);
    memcpy(&integer, &real, 4);
    memcpy(&natural, &real, 4);
    const uint32_t value = pack_channel(f, real, integer, natural);
    memcpy(texel + c * f->channel_bytes, &value, f->channel_bytes); // little-endian
  }
}

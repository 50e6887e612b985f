// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/trigonometry.h"

#include "exec/ops/types.h"

// 1 / (2 pi): one word of integer part, then 256 bits of fraction.
static const uint64_t turn[5] = {0, UINT64_C(0x28be60db9391054a), UINT64_C(0x7f09d5f47d4d3770),
                                 UINT64_C(0x36d8a5664f10e410), UINT64_C(0x7f9458eaf7aef158)};

static uint64_t turn_bits(unsigned from) {
  const unsigned word = from / 64, shift = from % 64;
  return shift ? turn[word] << shift | turn[word + 1] >> (64 - shift) : turn[word];
}

double weir_reduce_far(double x) {
  const uint64_t b = bits64(x);
  const int exponent = (int)(b >> 52 & 0x7ff) - 1023 - 23; // of the mantissa's last bit, -4 … 104
  const uint64_t mantissa = (b & UINT64_C(0xfffffffffffff)) >> 29 | UINT64_C(1) << 23;
  const unsigned from = (unsigned)(64 + exponent);
  const unsigned __int128 window = (unsigned __int128)turn_bits(from) << 64 | turn_bits(from + 64);
  const int64_t turns = (int64_t)(uint64_t)(window * mantissa >> 64); // whole turns fall off the top
  const double angle = (double)turns * 0x1p-64 * 0x1.921fb54442d18p+2;
  return x < 0 ? -angle : angle;
}

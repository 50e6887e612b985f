// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cvt of one value, any pair of types. Results narrower than 64 bits have undefined upper bits.
#ifndef WEIR_EXEC_CONVERT_H
#define WEIR_EXEC_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

struct weir_conversion {
  uint8_t to, from; // enum weir_type
  uint8_t rounding; // enum weir_rounding
  bool sat, ftz, relu;
};

uint64_t weir_convert(const struct weir_conversion *c, uint64_t bits);

#endif

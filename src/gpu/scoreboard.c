// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/scoreboard.h"

void weir_scoreboard_set_each(uint64_t *row, const struct weir_decoded *d, bool pending) {
  for (unsigned i = 0; i < d->writes; i++) {
    const uint64_t bit = UINT64_C(1) << d->registers[i] % 64;
    row[d->registers[i] / 64] = weir_set_to(row[d->registers[i] / 64], bit, pending);
  }
}

bool weir_scoreboard_any(const uint64_t *row, const struct weir_decoded *d) {
  uint64_t pending = 0;
  for (unsigned i = 0; i < d->count; i++) pending |= row[d->registers[i] / 64] >> d->registers[i] % 64;
  return pending & 1;
}

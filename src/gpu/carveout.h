// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What kernels take of an array that is shared memory and first-level cache in one.
#ifndef WEIR_GPU_CARVEOUT_H
#define WEIR_GPU_CARVEOUT_H

#include "gpu/core.h"

#include <stdint.h>

// NULL, or what is wrong with the text: of core.carveouts_kib.
const char *weir_carveouts_read(struct weir_carveouts *c, const char *text);

// Who chooses a launch's carve-out.
#define WEIR_CARVEOUT_BY(X) X(NOBODY, NULL) X(USE, "use") X(PREFERENCE, "preference") X(BLOCK, "a block")

enum weir_carveout_by {
#define X(name, text) WEIR_CARVEOUT_BY_##name,
  WEIR_CARVEOUT_BY(X)
#undef X
};

struct weir_carveout {
  uint32_t kib; // 0 where core.unified_kib is 0
  enum weir_carveout_by by;
};

const char *weir_carveout_by_name(enum weir_carveout_by by); // NULL: of nobody, as there is no carve-out

// The least of k->carveouts that holds so many bytes of shared memory, or the largest; 0 where core.unified_kib is 0.
uint32_t weir_carveout_for(const struct weir_core_config *k, uint64_t shared_bytes);

// That of a launch whose blocks need `block_bytes` each, of which a core could hold `blocks` but for shared memory. `preference`:
// weir_launch's shared_preference.
struct weir_carveout weir_carveout_choose(const struct weir_core_config *k, uint64_t block_bytes, uint32_t blocks,
                                          uint8_t preference);

#endif

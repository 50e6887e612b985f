// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/names.h"

const char *const weir_look_end_names[] = {"replaced", "written", "invalidated", "discarded", "kernel_end", "way_lost"};
const char *const weir_look_result_names[] = {"hit", "hit_on_miss", "miss", "bypass"};
const char *const weir_look_request_names[] = {"load",     "store",   "atomic",    "instruction",
                                               "constant", "texture", "write-back"};

uint64_t weir_look_bucket_from(unsigned bucket) {
  return bucket ? UINT64_C(1) << (bucket - 1) : 0;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The words for what is seen.
#ifndef WEIR_LOOK_NAMES_H
#define WEIR_LOOK_NAMES_H

#include <stdint.h>

extern const char *const weir_look_end_names[];     // by enum weir_line_end
extern const char *const weir_look_result_names[];  // by enum weir_access_result
extern const char *const weir_look_request_names[]; // by enum weir_mreq_kind

uint64_t weir_look_bucket_from(unsigned bucket); // of distances: 0, 1, 2, 4, …

#endif

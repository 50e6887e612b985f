// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a scheme says of the program, by key: S-L1 and its options, how many blocks and threads to launch with.
#ifndef WEIR_SCHEME_PROGRAM_H
#define WEIR_SCHEME_PROGRAM_H

#include "base/diag.h"
#include "host/host.h"

// Whether a key is about the program: "sl1", "sl1.KEY", "launch.KEY". Those that are no options of S-L1, NULL-terminated.
bool weir_scheme_is_program(const char *key);
extern const char *const weir_scheme_program_keys[];

// Gives such a key a value.
bool weir_scheme_set_program(struct weir_program_options *o, const char *key, const char *value, const char *where,
                             struct weir_sink *sink);

#endif

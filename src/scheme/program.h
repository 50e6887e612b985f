// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a scheme says of the program, by key: S-L1 and its options, how many blocks and threads to launch with.
#ifndef WEIR_SCHEME_PROGRAM_H
#define WEIR_SCHEME_PROGRAM_H

#include "base/param.h"
#include "host/host.h"

// "sl1", "sl1.OPTION", "launch.blocks", "launch.threads", "launch.footprint_kib", "launch.stride", "launch.interleave", "launch.gather": the members of a struct weir_program_options.
extern const struct weir_param_table weir_program_table;

// Whether a key is about the program, rightly spelled or not.
bool weir_scheme_is_program(const char *key);

// Gives such a key a value. An option of S-L1 turns it on.
bool weir_scheme_set_program(struct weir_program_options *o, const char *key, const char *value,
                             struct weir_place where, struct weir_sink *sink);

#endif

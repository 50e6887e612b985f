// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program behind "--" has read, and whether that is still the same. Invariant: a run that names its inputs is as good as a new one
// while they are.
#ifndef WEIR_BATCH_INPUTS_H
#define WEIR_BATCH_INPUTS_H

#include "base/hash.h"

#include <jansson.h>
#include <stdbool.h>

// Of what is there now: a file's bytes; a folder's names; "absent". A file that has not changed since it was hashed is not read again.
void weir_input_hash(const char *path, char text[static WEIR_HASH_TEXT]);

// Whether all that a run object lists as process.inputs is as it was; false of one that lists none.
bool weir_inputs_same(const json_t *run);

#endif

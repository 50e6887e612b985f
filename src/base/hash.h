// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// XXH3, 128 bits, of libxxhash: names contents in the results store and the compiler cache. Each call hashes what came
// before, canonically, and then its bytes, so that a hash is of a sequence of pieces.
#ifndef WEIR_BASE_HASH_H
#define WEIR_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned __int128 weir_hash;

enum { WEIR_HASH_TEXT = 33 }; // 32 hexadecimal digits and the NUL

weir_hash weir_hash_start(void);
weir_hash weir_hash_bytes(weir_hash h, const void *bytes, size_t size);
weir_hash weir_hash_text(weir_hash h, const char *text); // with its NUL; NULL counts as ""
bool weir_hash_file(weir_hash *h, const char *path);     // its bytes as stored; false: cannot be read
void weir_hash_print(weir_hash h, char text[static WEIR_HASH_TEXT]);

#endif

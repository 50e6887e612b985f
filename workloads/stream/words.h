// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Words that look like a language's, for texts made from a seed. Invariant: every word has 2 to 12 lower-case letters;
// the lower its number, the more often weir_words_pick returns it (Zipf's law).
#ifndef WEIR_STREAM_WORDS_H
#define WEIR_STREAM_WORDS_H

#include "stream/stream.h"

enum { WEIR_WORDS = 4096 };

struct weir_words {
  char word[WEIR_WORDS][16];
};

void weir_words_make(struct weir_words *w, struct weir_rng *rng);
const char *weir_words_pick(const struct weir_words *w, struct weir_rng *rng);

// A paragraph: sentences in lines of about 70 characters, then an empty line. The context is the words.
weir_stream_maker weir_words_paragraph;

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stream/words.h"

#include "base/bits.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void weir_words_make(struct weir_words *w, struct weir_rng *rng) {
  static const char *const syllables[] = {"an", "ti",  "on",  "er",  "the", "ing", "re",  "se", "co",  "ma", "li", "de",
                                          "st", "ven", "tra", "per", "al",  "mo",  "sub", "is", "ent", "pa", "or", "u"};
  const uint64_t count = sizeof syllables / sizeof syllables[0];
  for (unsigned i = 0; i < WEIR_WORDS; i++) {
    uint64_t parts = 1 + weir_rng_below(rng, i < 64 ? 2 : 4); // frequent words are short
    w->word[i][0] = 0;
    for (uint64_t part = 0; part < parts || !w->word[i][1]; part++)
      strcat(w->word[i], syllables[weir_rng_below(rng, count)]);
  }
}

// A rank in proportion to 1/rank: uniform in its logarithm, by halves.
const char *weir_words_pick(const struct weir_words *w, struct weir_rng *rng) {
  uint64_t half = UINT64_C(1) << weir_rng_below(rng, 12);
  return w->word[half - 1 + weir_rng_below(rng, half)];
}

void weir_words_paragraph(struct weir_text *t, struct weir_rng *rng, void *context) {
  uint64_t column = 0;
  for (uint64_t sentences = 2 + weir_rng_below(rng, 6); sentences > 0; sentences--) {
    uint64_t words = 4 + weir_rng_below(rng, 16);
    for (uint64_t i = 0; i < words; i++) {
      const char *word = weir_words_pick(context, rng);
      char first = i == 0 ? (char)toupper((unsigned char)word[0]) : word[0];
      const char *after = i + 1 == words ? "." : weir_rng_below(rng, 12) ? "" : ",";
      bool wraps = column + strlen(word) > 70;
      if (column) weir_text_add(t, wraps ? "\n" : " ");
      weir_text_add(t, "%c%s%s", first, word + 1, after);
      column = (wraps ? 0 : column + 1) + strlen(word) + strlen(after);
    }
  }
  weir_text_add(t, "\n\n");
}

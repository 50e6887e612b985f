// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A text file, packed or not, line by line and word by word. Invariant: what is wrong with it is said with the file's name and the line's
// number.
#ifndef WEIR_WARPTRACE_TEXT_H
#define WEIR_WARPTRACE_TEXT_H

#include "base/diag.h"

#include <stdint.h>

struct weir_text;

struct weir_text *weir_text_open(const char *path, struct weir_sink *sink); // NULL and a diagnostic
// The next line that has anything but blanks; NULL: there is none, or a diagnostic was given. Until the next call.
char *weir_text_line(struct weir_text *t);
bool weir_text_close(struct weir_text *t); // false: it could not be read to its end

// False and a diagnostic at the line read last.
bool weir_text_fail(const struct weir_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The next word of a line from *at on, which moves behind it and ends with NUL; NULL: there is none.
char *weir_word(char **at);
// A whole word as a number of this base, with a sign only if `negative`; false: it is none, or more than `most`.
bool weir_word_number(const char *word, int base, uint64_t most, uint64_t *value);
bool weir_word_difference(const char *word, int64_t *value); // decimal, with a sign

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How the tables of keys are written. `s` is the struct that a section describes, `m` its member and the key's name.
#ifndef WEIR_CONFIG_KEYS_PRIVATE_H
#define WEIR_CONFIG_KEYS_PRIVATE_H

#include "config/keys.h"

#define UINT(s, m, low, high, text)                                                                                    \
  { .name = #m, .type = WEIR_KEY_UINT, .offset = offsetof(struct s, m), .lowest = low, .highest = high, .help = text }
#define POW2(s, m, low, high, text)                                                                                    \
  {                                                                                                                    \
    .name = #m, .type = WEIR_KEY_UINT, .offset = offsetof(struct s, m), .lowest = low, .highest = high,                \
    .power_of_two = true, .help = text                                                                                 \
  }
#define REAL(s, m, low, high, text)                                                                                    \
  { .name = #m, .type = WEIR_KEY_REAL, .offset = offsetof(struct s, m), .lowest = low, .highest = high, .help = text }
#define BOOL(s, m, text)                                                                                               \
  { .name = #m, .type = WEIR_KEY_BOOL, .offset = offsetof(struct s, m), .help = text }
#define ENUM(s, m, names, text)                                                                                        \
  { .name = #m, .type = WEIR_KEY_ENUM, .offset = offsetof(struct s, m), .choices = names, .help = text }
#define TEXT(s, m, text)                                                                                               \
  { .name = #m, .type = WEIR_KEY_TEXT, .offset = offsetof(struct s, m), .help = text }
#define NAME(s, m, text)                                                                                               \
  { .name = #m, .type = WEIR_KEY_NAME, .offset = offsetof(struct s, m), .help = text }
#define SECTION(s, m, of)                                                                                              \
  { .name = #m, .type = WEIR_KEY_SECTION, .offset = offsetof(struct s, m), .section = &of }
#define LIST(s, m, of, low, high)                                                                                      \
  { .name = #m, .type = WEIR_KEY_LIST, .offset = offsetof(struct s, m), .section = &of, .lowest = low, .highest = high }

#define SECTION_OF(title, s, table)                                                                                    \
  { .what = title, .size = sizeof(struct s), .keys = table, .count = sizeof table / sizeof *table }

// Keys that a file may leave out, which then means `value`.
#define UINT_OR(s, m, low, high, value, text)                                                                          \
  {                                                                                                                    \
    .name = #m, .type = WEIR_KEY_UINT, .offset = offsetof(struct s, m), .lowest = low, .highest = high, .help = text,  \
    .absent = value                                                                                                    \
  }
#define REAL_OR(s, m, low, high, value, text)                                                                          \
  {                                                                                                                    \
    .name = #m, .type = WEIR_KEY_REAL, .offset = offsetof(struct s, m), .lowest = low, .highest = high, .help = text,  \
    .absent = value                                                                                                    \
  }
#define BOOL_OR(s, m, value, text)                                                                                     \
  { .name = #m, .type = WEIR_KEY_BOOL, .offset = offsetof(struct s, m), .help = text, .absent = value }
#define ENUM_OR(s, m, names, value, text)                                                                              \
  {                                                                                                                    \
    .name = #m, .type = WEIR_KEY_ENUM, .offset = offsetof(struct s, m), .choices = names, .help = text,                \
    .absent = value                                                                                                    \
  }
#define TEXT_OR(s, m, value, text)                                                                                     \
  { .name = #m, .type = WEIR_KEY_TEXT, .offset = offsetof(struct s, m), .help = text, .absent = value }
#define SECTION_OR_NONE(s, m, of)                                                                                      \
  { .name = #m, .type = WEIR_KEY_SECTION, .offset = offsetof(struct s, m), .section = &of, .absent = "none" }
#define LIST_OR_NONE(s, m, of, high)                                                                                   \
  { .name = #m, .type = WEIR_KEY_LIST, .offset = offsetof(struct s, m), .section = &of, .highest = high, .absent = "" }

#endif

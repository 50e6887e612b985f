// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How the rows of a table of parameters are written: `s` is the struct that it describes, `m` the member and the row's name.
// Further members of a row (.initial, .unit) follow its help.
#ifndef WEIR_BASE_PARAM_ROWS_H
#define WEIR_BASE_PARAM_ROWS_H

#include "base/param.h"

#define WEIR_ROW_AT(s, m, called, kind)                                                                                \
  .name = called, .type = WEIR_PARAM_##kind, .bytes = (uint8_t)sizeof(((struct s *)0)->m),                             \
  .offset = offsetof(struct s, m)

// Under another name than the member's.
#define UINT_AT(s, m, called, least, most, text, ...)                                                                  \
  { WEIR_ROW_AT(s, m, called, UINT), .low = least, .high = most, .help = text, __VA_ARGS__ }
#define BOOL_AT(s, m, called, text, ...)                                                                               \
  { WEIR_ROW_AT(s, m, called, BOOL), .help = text, __VA_ARGS__ }
#define CHOICE_AT(s, m, called, names, text, ...)                                                                      \
  { WEIR_ROW_AT(s, m, called, CHOICE), .choices = names, .help = text, __VA_ARGS__ }
#define SECTION_AT(s, m, called, of, ...)                                                                              \
  { .name = called, .type = WEIR_PARAM_SECTION, .offset = offsetof(struct s, m), .table = &of, __VA_ARGS__ }

#define UINT(s, m, least, most, text, ...) UINT_AT(s, m, #m, least, most, text, __VA_ARGS__)
#define POW2(s, m, least, most, text, ...) UINT_AT(s, m, #m, least, most, text, .power_of_two = true, __VA_ARGS__)
#define REAL(s, m, least, most, text, ...)                                                                             \
  { WEIR_ROW_AT(s, m, #m, REAL), .lowest = least, .highest = most, .help = text, __VA_ARGS__ }
#define BOOL(s, m, text, ...) BOOL_AT(s, m, #m, text, __VA_ARGS__)
#define CHOICE(s, m, names, text, ...) CHOICE_AT(s, m, #m, names, text, __VA_ARGS__)
#define TEXT(s, m, text, ...)                                                                                          \
  { WEIR_ROW_AT(s, m, #m, TEXT), .help = text, __VA_ARGS__ }
#define NAME(s, m, text, ...)                                                                                          \
  { WEIR_ROW_AT(s, m, #m, NAME), .help = text, __VA_ARGS__ }
#define SECTION(s, m, of, ...) SECTION_AT(s, m, #m, of, __VA_ARGS__)
#define LIST(s, m, of, least, most, ...)                                                                               \
  { WEIR_ROW_AT(s, m, #m, LIST), .table = &of, .low = least, .high = most, __VA_ARGS__ }
#define CUSTOM(s, m, reader, ...)                                                                                      \
  { WEIR_ROW_AT(s, m, #m, CUSTOM), .read = reader, __VA_ARGS__ }
#define CUSTOM_OF_ALL(called, reader, ...) /* `at` is the struct */                                                    \
  { .name = called, .type = WEIR_PARAM_CUSTOM, .read = reader, __VA_ARGS__ }

#define TABLE_OF(title, s, table_rows, ...)                                                                            \
  {                                                                                                                    \
    .what = title, .size = sizeof(struct s), .rows = table_rows, .count = sizeof table_rows / sizeof *table_rows,      \
    __VA_ARGS__                                                                                                        \
  }

// A list's count must follow its pointer.
#define LIST_MEMBERS(s, m, n)                                                                                          \
  _Static_assert(offsetof(struct s, n) == offsetof(struct s, m) + sizeof(void *) &&                                    \
                   sizeof(((struct s *)0)->n) == sizeof(uint32_t),                                                     \
                 #m " is a list")

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of the PTX room share: modules from text, their printed text, and a token stream cut by rules of its
// own, so that the lexer under test is not its own judge.
#ifndef WEIR_TEST_PTX_TEST_H
#define WEIR_TEST_PTX_TEST_H

#include "base/alloc.h"
#include "ptx/cfg.h"
#include "ptx/check.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"

// Fails the test, showing what the parser said, if the text is not accepted.
static inline struct weir_module *parse_ok(const char *text) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  if (!m) weir_sink_print(&sink, stderr);
  assert_non_null(m);
  weir_sink_free(&sink);
  return m;
}

// A kernel with registers of every kind around the statements.
static inline char *kernel_text(const char *statements) {
  static const char format[] = HEAD ".global .align 4 .b8 var[64];\n.entry k(.param .u64 par)\n{\n"
                                    ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;"
                                    " .reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n%s\nret;\n}\n";
  int size = snprintf(NULL, 0, format, statements);
  char *text = weir_alloc((size_t)size + 1);
  snprintf(text, (size_t)size + 1, format, statements);
  return text;
}

static inline struct weir_module *parse_kernel(const char *statements) {
  char *text = kernel_text(statements);
  struct weir_module *m = parse_ok(text);
  weir_free(text);
  return m;
}

// The n-th instruction of the module's last function.
static inline const struct weir_instruction *instruction(const struct weir_module *m, uint32_t n) {
  const struct weir_function *f = m->functions[m->function_count - 1];
  for (uint32_t i = 0; i < f->statement_count; i++)
    if (f->statements[i].kind == WEIR_STMT_INSTRUCTION && !n--) return f->statements[i].instruction;
  fail_msg("no such instruction");
  return NULL;
}

static inline char *print_text(const struct weir_module *m) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  weir_ptx_print(m, f);
  fclose(f);
  return text;
}

// Behind white space and comments.
static inline const char *skip_blank(const char *at) {
  for (;;) {
    if (isspace((unsigned char)*at))
      at++;
    else if (strncmp(at, "//", 2) == 0)
      at += strcspn(at, "\n");
    else if (strncmp(at, "/*", 2) == 0)
      at = strstr(at, "*/") ? strstr(at, "*/") + 2 : at + strlen(at);
    else
      return at;
  }
}

// A word of letters, digits and _ $ %; a string; or one other character.
static inline size_t token_length(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_$%", at[n]))) n++;
  if (n || *at != '"') return n ? n : *at != 0;
  for (n = 1; at[n] && at[n] != '"'; n++) n += at[n] == '\\';
  return n + 1;
}

// Fails the test where the token streams part.
static inline void same_tokens(const char *a, const char *b) {
  for (;;) {
    a = skip_blank(a), b = skip_blank(b);
    size_t n = token_length(a);
    if (n != token_length(b) || memcmp(a, b, n) != 0) fail_msg("'%.60s' was printed as '%.60s'", a, b);
    if (!n) return;
    a += n, b += n;
  }
}

#endif

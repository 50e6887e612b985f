// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // vasprintf

#include "opencl/compile/options.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void weir_cl_text_add(struct weir_cl_text *t, const char *bytes, size_t count) {
  if (t->capacity - t->count <= count) {
    t->capacity = t->capacity * 2 + count + 64;
    t->bytes = weir_realloc(t->bytes, t->capacity);
  }
  if (count) memcpy(t->bytes + t->count, bytes, count);
  t->count += count;
  t->bytes[t->count] = 0;
}

void weir_cl_text_print(struct weir_cl_text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  weir_cl_text_add(t, text, (size_t)length);
  free(text);
}

void weir_cl_arguments_add(struct weir_cl_arguments *a, const char *argument) {
  *weir_push(a->items, a->count, a->capacity) = argument ? weir_text_copy(argument) : NULL;
}

void weir_cl_arguments_free(struct weir_cl_arguments *a) {
  for (size_t i = 0; i < a->count; i++) weir_free(a->items[i]);
  weir_free(a->items);
  *a = (struct weir_cl_arguments){0};
}

// ---- words ---------------------------------------------------------------------------------------------------------

// The next word: quotes of both kinds keep spaces, a backslash keeps a quote, a space or itself. False at the end.
static bool next_word(const char **at, struct weir_cl_text *word) {
  const char *p = *at;
  char quote = 0;
  word->count = 0;
  while (isspace((unsigned char)*p)) p++;
  const bool any = *p;
  for (; *p && (quote || !isspace((unsigned char)*p)); p++)
    if (*p == quote)
      quote = 0;
    else if (!quote && (*p == '"' || *p == '\''))
      quote = *p;
    else if (*p == '\\' && p[1] && strchr(quote ? "\\\"'" : "\\\"' ", p[1]))
      weir_cl_text_add(word, ++p, 1);
    else
      weir_cl_text_add(word, p, 1);
  weir_cl_text_add(word, "", 0);
  *at = p;
  return any;
}

// ---- what each option is -------------------------------------------------------------------------------------------

enum effect { PASS, LEVEL, VALUE /* the rest, or the next word, is its value */, IGNORE, IGNORE_NEXT, LIBRARY };

struct option {
  const char *text;
  bool prefix; // what follows belongs to it
  enum effect effect;
  unsigned stages; // 1 << enum weir_cl_stage
};

enum { COMPILING = 1 << WEIR_CL_STAGE_COMPILE | 1 << WEIR_CL_STAGE_BUILD, LINKING = 1 << WEIR_CL_STAGE_LINK, ANY = 7 };

static const struct option options_known[] = {
  {"-D", true, VALUE, COMPILING},
  {"-U", true, VALUE, COMPILING},
  {"-I", true, VALUE, COMPILING},
  {"-include", false, VALUE, COMPILING},
  {"-cl-single-precision-constant", false, PASS, COMPILING},
  {"-cl-denorms-are-zero", false, PASS, COMPILING},
  {"-cl-fp32-correctly-rounded-divide-sqrt", false, PASS, COMPILING},
  {"-cl-opt-disable", false, LEVEL, COMPILING},
  {"-cl-mad-enable", false, PASS, COMPILING},
  {"-cl-no-signed-zeros", false, PASS, COMPILING},
  {"-cl-unsafe-math-optimizations", false, PASS, COMPILING},
  {"-cl-finite-math-only", false, PASS, COMPILING},
  {"-cl-fast-relaxed-math", false, PASS, COMPILING},
  {"-cl-uniform-work-group-size", false, PASS, COMPILING},
  {"-cl-strict-aliasing", false, IGNORE, COMPILING}, // of OpenCL 1.0; clang's optimiser does so anyway
  {"-cl-kernel-arg-info", false, PASS, COMPILING},
  {"-cl-std=", true, PASS, COMPILING},
  {"-create-library", false, LIBRARY, LINKING},
  {"-cl-", true, IGNORE, LINKING},                  // arithmetic is as each program was compiled
  {"-enable-link-options", false, IGNORE, LINKING}, // a library here may always be linked with options
  {"-w", false, PASS, COMPILING},
  {"-Werror", false, PASS, COMPILING},
  {"-W", true, PASS, COMPILING},
  {"-O0", false, LEVEL, COMPILING},
  {"-O1", false, LEVEL, COMPILING},
  {"-O2", false, LEVEL, COMPILING},
  {"-O3", false, LEVEL, COMPILING},
  {"-O", true, IGNORE, ANY},
  // Of other vendors' compilers: what they choose has no counterpart here.
  {"-cl-nv-maxrregcount", false, IGNORE_NEXT, ANY},
  {"-cl-nv-opt-level", false, IGNORE_NEXT, ANY},
  {"-cl-nv-arch", false, IGNORE_NEXT, ANY},
  {"-cl-nv-", true, IGNORE, ANY},
  {"-nv-", true, IGNORE, ANY},
  {"-cl-intel-", true, IGNORE, ANY},
  {"-fbin-", true, IGNORE, ANY},
  {"-fno-bin-", true, IGNORE, ANY},
  {"-save-temps", true, IGNORE, ANY},
  {"-x", true, IGNORE_NEXT, ANY},
  {"-g", false, IGNORE, ANY}, // lines are always there
  {"-s", false, IGNORE_NEXT, ANY},
  {"-m32", false, IGNORE, ANY},
  {"-m64", false, IGNORE, ANY},
  {"-fno-alias", false, IGNORE, ANY},
  {"-dump-opt-llvm", true, IGNORE, ANY},
};

static const char *const standards[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0"};

static const struct option *option_of(const char *word, enum weir_cl_stage stage) {
  for (size_t i = 0; i < sizeof options_known / sizeof *options_known; i++) {
    const struct option *o = &options_known[i];
    const bool same = o->prefix ? !strncmp(word, o->text, strlen(o->text)) : !strcmp(word, o->text);
    if (same && o->stages & 1u << stage) return o;
  }
  return NULL;
}

static bool wrong(struct weir_cl_text *log, const char *word) {
  const char *names[sizeof options_known / sizeof *options_known];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) names[i] = options_known[i].text;
  const char *nearest = weir_nearest(word, names, sizeof names / sizeof *names);
  weir_cl_text_print(log, "weir: error: unknown build option '%s'", word);
  if (nearest && strlen(nearest) > 3) weir_cl_text_print(log, "; did you mean '%s'?", nearest);
  weir_cl_text_add(log, "\n", 1);
  return false;
}

static bool standard_known(const char *word, struct weir_cl_text *log) {
  const char *name = word + strlen("-cl-std=");
  for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
    if (!strcmp(name, standards[i])) return true;
  weir_cl_text_print(log, "weir: error: '%s': expected CL1.0, CL1.1, CL1.2 or CL2.0\n", word);
  return false;
}

// ---- one after the other -------------------------------------------------------------------------------------------

// An option with a value, in one word ("-Dname") or two ("-D name"); clang takes both as two.
static bool take_value(struct weir_cl_options *o, const struct option *known, const char **at,
                       struct weir_cl_text *word, struct weir_cl_text *log) {
  const size_t length = strlen(known->text);
  o->includes |= !strcmp(known->text, "-I") || !strcmp(known->text, "-include");
  weir_cl_arguments_add(&o->clang, known->text);
  const bool apart = word->count == length;
  if (apart && !next_word(at, word)) {
    weir_cl_text_print(log, "weir: error: build option '%s' has no value\n", known->text);
    return false;
  }
  weir_cl_arguments_add(&o->clang, word->bytes + (apart ? 0 : length));
  return true;
}

static bool pass(struct weir_cl_options *o, const char *word, struct weir_cl_text *log) {
  if (!strncmp(word, "-cl-std=", 8) && !standard_known(word, log)) return false;
  weir_cl_arguments_add(&o->clang, word);
  if (!strcmp(word, "-cl-denorms-are-zero")) { // clang's own does nothing for this target
    weir_cl_arguments_add(&o->clang, "-Xclang");
    weir_cl_arguments_add(&o->clang, "-fdenormal-fp-math-f32=preserve-sign,preserve-sign");
  }
  return true;
}

// "-x clc++", "-cl-nv-maxrregcount 32": the next word too, unless the value is in this one or there is none.
static void ignore(const struct option *known, const char **at, struct weir_cl_text *word, struct weir_cl_text *log) {
  weir_cl_text_print(log, "weir: note: build option '%s' has no effect here\n", word->bytes);
  const char *after = *at;
  if (known->effect == IGNORE_NEXT && word->count == strlen(known->text) && next_word(&after, word) &&
      word->bytes[0] != '-')
    *at = after;
}

static bool take(struct weir_cl_options *o, const char **at, struct weir_cl_text *word, enum weir_cl_stage stage,
                 struct weir_cl_text *log) {
  const struct option *known = option_of(word->bytes, stage);
  if (!known) return wrong(log, word->bytes);
  switch (known->effect) {
  case PASS: return pass(o, word->bytes, log);
  case LEVEL: return snprintf(o->level, sizeof o->level, "%s", word->count > 3 ? "-O0" : word->bytes) > 0;
  case VALUE: return take_value(o, known, at, word, log);
  case LIBRARY: return o->create_library = true;
  default: ignore(known, at, word, log); return true;
  }
}

bool weir_cl_options_parse(struct weir_cl_options *o, const char *options, enum weir_cl_stage stage,
                           struct weir_cl_text *log) {
  *o = (struct weir_cl_options){.level = "-O3"};
  struct weir_cl_text word = {0};
  bool ok = true;
  for (const char *at = options ? options : ""; next_word(&at, &word);) ok = take(o, &at, &word, stage, log) && ok;
  weir_free(word.bytes);
  return ok;
}

void weir_cl_options_free(struct weir_cl_options *o) {
  weir_cl_arguments_free(&o->clang);
}

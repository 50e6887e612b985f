// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/cuda_text.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char *refuse(char why[WEIR_WHY_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

static char *refuse(char why[WEIR_WHY_BYTES], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, WEIR_WHY_BYTES, format, arguments);
  va_end(arguments);
  return NULL;
}

// ---- reading ------------------------------------------------------------------------------------------------------------

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Behind the comment or literal that begins at `at`; `at`: none does.
static size_t behind_literal(const char *text, size_t at) {
  const char quote = text[at];
  if (!strncmp(text + at, "//", 2)) return at + strcspn(text + at, "\n");
  if (!strncmp(text + at, "/*", 2)) {
    const char *end = strstr(text + at + 2, "*/");
    return end ? (size_t)(end - text) + 2 : strlen(text);
  }
  if (quote != '"' && (quote != '\'' || (at && in_name(text[at - 1])))) return at;
  for (at++; text[at] && text[at] != quote && text[at] != '\n'; at++) at += text[at] == '\\' && text[at + 1];
  return at + (text[at] == quote);
}

// Blanks where the text has comments and literals, and the text elsewhere: places stay.
static char *without_comments(const char *text) {
  char *bare = weir_text_copy(text);
  for (size_t i = 0; text[i];) {
    const size_t end = behind_literal(text, i);
    if (end == i) i++;
    for (; i < end; i++)
      if (text[i] != '\n') bare[i] = ' ';
  }
  return bare;
}

static size_t skip_blanks(const char *text, size_t at) {
  while (isspace((unsigned char)text[at])) at++;
  return at;
}

// Of the last character before `at` that is no blank; −1: none is.
static long before(const char *text, size_t at) {
  while (at && isspace((unsigned char)text[at - 1])) at--;
  return (long)at - 1;
}

// Behind the bracket that closes the one at `at`; 0: none does.
static size_t behind(const char *text, size_t at) {
  unsigned depth = 0;
  for (; text[at]; at++) {
    depth += strchr("([{", text[at]) != NULL;
    depth -= strchr(")]}", text[at]) != NULL;
    if (!depth) return at + 1;
  }
  return 0;
}

// The next occurrence of the name, as a whole word, from `at` on and before `end`; `end`: there is none.
static size_t find_name(const char *text, const char *name, size_t at, size_t end) {
  const size_t length = strlen(name);
  for (; at + length <= end; at++)
    if (!strncmp(text + at, name, length) && !in_name(text[at + length]) && !(at && in_name(text[at - 1]))) return at;
  return end;
}

// ---- the kernel ---------------------------------------------------------------------------------------------------------

struct lines {
  size_t start, end; // of the line that is asked for
};

static bool find_line(const char *text, unsigned line, struct lines *is) {
  size_t at = 0;
  for (; line > 1 && text[at]; at++) line -= text[at] == '\n';
  is->start = at;
  is->end = at + strcspn(text + at, "\n");
  return line == 1;
}

// Its parameters' list, of the definition whose body has the line. False: none has.
static bool find_kernel(const char *bare, const char *kernel, const struct lines *l, size_t *open, size_t *close) {
  const size_t all = strlen(bare);
  for (size_t at = 0; (at = find_name(bare, kernel, at, all)) < all; at++) {
    const size_t list = skip_blanks(bare, at + strlen(kernel));
    if (bare[list] != '(' || !behind(bare, list)) continue;
    const size_t body = skip_blanks(bare, behind(bare, list));
    if (bare[body] != '{' || body > l->start || behind(bare, body) < l->end) continue;
    *open = list;
    *close = behind(bare, list) - 1;
    return true;
  }
  return false;
}

// The parameter of that number as text; to be freed. NULL: there are fewer.
static char *parameter_text(const char *bare, size_t open, size_t close, int number) {
  size_t start = open + 1, at = start;
  unsigned depth = 0;
  for (; at <= close; at++) {
    const bool ends = !depth && (at == close || bare[at] == ',');
    if (ends && !number--) return weir_text_format("%.*s", (int)(at - start), bare + start);
    if (ends) start = at + 1;
    depth += strchr("([{<", bare[at]) != NULL;
    depth -= at < close && strchr(")]}>", bare[at]) != NULL;
  }
  return NULL;
}

// "float" of "const float *__restrict__ x"; the name goes to `name`. Both to be freed; NULL: it is no plain pointer.
static char *element_of(const char *declared, char **name) {
  static const char *const no_type[] = {"const", "__restrict__", "__restrict", "restrict", "__grid_constant__"};
  char *type = weir_text_copy(""), *last = NULL;
  unsigned stars = 0;
  for (size_t at = 0; declared[at] && declared[at] != '=';) {
    size_t length = 0;
    while (in_name(declared[at + length]) || (length && declared[at + length] == ':')) length++;
    stars += declared[at] == '*';
    if (length) {
      char *more = last ? weir_text_format("%s%s%s", type, *type ? " " : "", last) : weir_text_copy(type);
      weir_free(type), weir_free(last);
      type = more;
      last = weir_text_format("%.*s", (int)length, declared + at);
      for (unsigned i = 0; last && i < sizeof no_type / sizeof *no_type; i++)
        if (!strcmp(last, no_type[i])) weir_free(last), last = NULL;
    }
    at += length ? length : 1;
  }
  const bool plain = stars == 1 && last && *type && !strpbrk(declared, "&[(<");
  if (plain) *name = last;
  if (!plain) weir_free(type), weir_free(last);
  return plain ? type : NULL;
}

// ---- functions with hints -------------------------------------------------------------------------------------------------

static bool is_among(const char *types, const char *type) {
  char *one = weir_text_format("|%s|", type);
  const bool is = strstr(types, one) != NULL;
  weir_free(one);
  return is;
}

// Types without members, so that an element may be read as volatile.
static bool is_scalar(const char *type) {
  return is_among(
    "|char|signed char|short|int|long|long long|unsigned char|unsigned short|unsigned int|unsigned|"
    "unsigned long|unsigned long long|float|double|int8_t|int16_t|int32_t|int64_t|uint8_t|uint16_t|uint32_t|"
    "uint64_t|std::int8_t|std::int16_t|std::int32_t|std::int64_t|std::uint8_t|std::uint16_t|std::uint32_t|"
    "std::uint64_t|size_t|std::size_t|short int|unsigned short int|long int|unsigned long int|long long int|"
    "unsigned long long int|",
    type);
}

// CUDA C++ Programming Guide, "Load Functions Using Cache Hints" and "Store Functions Using Cache Hints": the types they take.
static bool takes_type(const char *type) {
  return is_scalar(type) ||
    is_among(
           "|char2|char4|short2|short4|int2|int4|longlong2|uchar2|uchar4|ushort2|ushort4|uint2|uint4|ulonglong2|float2|"
           "float4|double2|__half|__half2|half|half2|__nv_bfloat16|__nv_bfloat162|",
           type);
}

// "unsigned int" of the text from `at` to before `end`; to be freed. NULL: it has more than names.
static char *words_of(const char *bare, size_t at, size_t end) {
  char *words = weir_text_copy("");
  while ((at = skip_blanks(bare, at)) < end) {
    size_t length = 0;
    while (at + length < end && (in_name(bare[at + length]) || bare[at + length] == ':')) length++;
    char *more = weir_text_format("%s%s%.*s", words, *words ? " " : "", (int)length, bare + at);
    weir_free(words);
    words = more;
    if (!length) return weir_free(words), NULL;
    at += length;
  }
  return words;
}

static bool ends_with(const char *bare, long last, const char *word) {
  const long start = last + 1 - (long)strlen(word);
  return start >= 0 && find_name(bare, word, (size_t)start, (size_t)last + 1) == (size_t)start;
}

// What a name of that length is defined as where it stands; to be freed. NULL: it is only used there.
static char *defined_at(const char *bare, size_t at, size_t length) {
  const size_t next = skip_blanks(bare, at + length), line = at + length + strcspn(bare + at + length, "\n");
  const long last = before(bare, at);
  if (ends_with(bare, last, "define")) return words_of(bare, at + length, line);
  if (ends_with(bare, last, "using") && bare[next] == '=')
    return words_of(bare, next + 1, next + strcspn(bare + next, ";"));
  size_t start = at;
  while (start && !strchr(";{}", bare[start - 1])) start--;
  start = find_name(bare, "typedef", start, at);
  return bare[next] == ';' && start < at ? words_of(bare, start + strlen("typedef"), at) : NULL;
}

// What the name stands for by typedefs, aliases and macros; to be freed. NULL: by none, or not by all the same.
static char *meaning_of(const char *bare, const char *name) {
  const size_t all = strlen(bare);
  char *is = NULL;
  for (size_t at = 0; (at = find_name(bare, name, at, all)) < all; at++) {
    char *one = defined_at(bare, at, strlen(name));
    const bool differs = one && is && strcmp(one, is) != 0;
    if (one && !is)
      is = one;
    else
      weir_free(one);
    if (differs) return weir_free(is), NULL;
  }
  return is;
}

// The type itself, or what it stands for, that they take; to be freed. NULL: they do not.
static char *taken_type(const char *type, const char *bare, const char *headers) {
  enum { STEPS = 8 };
  if (takes_type(type)) return weir_text_copy(type);
  char *text = weir_text_format("%s\n%s", bare, headers ? headers : ""), *all = without_comments(text);
  char *is = weir_text_copy(type);
  for (unsigned i = 0; i < STEPS && is && !takes_type(is); i++) {
    char *more = meaning_of(all, is);
    weir_free(is);
    is = more;
  }
  weir_free(all), weir_free(text);
  if (is && takes_type(is)) return is;
  weir_free(is);
  return NULL;
}

// "__ldcs"; "" of none, which is an access without a function; NULL: there is no such function.
static const char *function_of(const char *hint, bool store) {
  static const struct {
    const char *hint, *load, *store;
  } functions[] = {{"none", "", ""},           {"ca", "__ldca", NULL}, {"cg", "__ldcg", "__stcg"},
                   {"cs", "__ldcs", "__stcs"}, {"lu", "__ldlu", NULL}, {"cv", "__ldcv", NULL},
                   {"wb", NULL, "__stwb"},     {"wt", NULL, "__stwt"}};
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i].hint, hint)) return store ? functions[i].store : functions[i].load;
  return NULL;
}

// Where the name of such a function begins that has the address at `ampersand` as its first argument; 0: there is none.
static size_t function_around(const char *bare, size_t ampersand) {
  static const char *const names[] = {"__ldg",  "__ldca", "__ldcg", "__ldcs", "__ldlu",
                                      "__ldcv", "__stwb", "__stcg", "__stcs", "__stwt"};
  const long open = before(bare, ampersand), last = open < 0 || bare[open] != '(' ? -1 : before(bare, (size_t)open);
  for (unsigned i = 0; last >= 0 && i < sizeof names / sizeof *names; i++) {
    const long start = last + 1 - (long)strlen(names[i]);
    if (start > 0 && find_name(bare, names[i], (size_t)start, (size_t)last + 1) == (size_t)start) return (size_t)start;
  }
  return 0;
}

// ---- the access ---------------------------------------------------------------------------------------------------------

struct access {
  const char *text, *bare;
  size_t start, end; // of "x[i]"
  const char *name;
  const char *scalar; // the element's type as the kernel declares it; NULL: unknown, or it has members
};

static char *replace(const char *text, size_t start, size_t end, const char *by) {
  return weir_text_format("%.*s%s%s", (int)start, text, by, text + end);
}

// The one use of the name on the line, which is a subscript.
static bool find_access(struct access *a, const struct lines *l, char why[WEIR_WHY_BYTES]) {
  unsigned uses = 0;
  size_t open = 0;
  for (size_t at = l->start; (at = find_name(a->bare, a->name, at, l->end)) < l->end; at++) {
    const long last = before(a->bare, at);
    if (last >= 0 && (a->bare[last] == '.' || (last && a->bare[last] == '>' && a->bare[last - 1] == '-'))) continue;
    if (!uses++) a->start = at;
  }
  if (!uses) return refuse(why, "the line does not name '%s'", a->name);
  if (uses > 1) return refuse(why, "the line has %u accesses of '%s'", uses, a->name);
  open = skip_blanks(a->bare, a->start + strlen(a->name));
  a->end = a->bare[open] == '[' ? behind(a->bare, open) : 0;
  if (!a->end || a->end > l->end) return refuse(why, "'%s' is used otherwise than by a subscript on the line", a->name);
  const size_t next = skip_blanks(a->bare, a->end);
  if (a->bare[next] == '[' || a->bare[next] == '.' || !strncmp(a->bare + next, "->", 2))
    return refuse(why, "a part of an element of '%s' is accessed", a->name);
  return true;
}

// Is the assignment at `at` one that reads as well ("+=", "++")?
static bool changes(const char *bare, size_t at) {
  if (!strncmp(bare + at, "++", 2) || !strncmp(bare + at, "--", 2)) return true;
  if (strchr("+-*/%&|^", bare[at]) && bare[at] && bare[at + 1] == '=') return true;
  return (!strncmp(bare + at, "<<", 2) || !strncmp(bare + at, ">>", 2)) && bare[at + 2] == '=';
}

static bool is_written(const struct access *a) {
  const size_t next = skip_blanks(a->bare, a->end);
  return a->bare[next] == '=' && a->bare[next + 1] != '=';
}

static bool is_changed(const struct access *a) {
  const long last = before(a->bare, a->start);
  const bool ahead = last > 0 && strchr("+-", a->bare[last]) && a->bare[last - 1] == a->bare[last];
  return ahead || changes(a->bare, skip_blanks(a->bare, a->end));
}

static bool takes_address(const struct access *a, size_t *ampersand) {
  const long last = before(a->bare, a->start), left = last < 0 ? -1 : before(a->bare, (size_t)last);
  if (last < 0 || a->bare[last] != '&') return false;
  *ampersand = (size_t)last;
  return left < 0 || !(in_name(a->bare[left]) || strchr(")]&", a->bare[left]));
}

// Within a function already: another in its place, or none.
static char *hint_in_function(const struct access *a, const struct lines *l, size_t ampersand, bool store,
                              const char *function, char why[WEIR_WHY_BYTES]) {
  const size_t start = function_around(a->bare, ampersand), next = skip_blanks(a->bare, a->end);
  if (!start) return refuse(why, "the line takes the address of an element of '%s'", a->name);
  const size_t length = strcspn(a->bare + start, " \t(");
  if ((a->bare[start + 2] == 's') != store)
    return refuse(why, "the line has no %s of '%s'", store ? "store" : "load", a->name);
  if (*function) return replace(a->text, start, start + length, function);
  if (a->bare[next] != ')' || start < l->start || next >= l->end)
    return refuse(why, "the function around the element of '%s' is to be taken away by hand", a->name);
  char *plain = weir_text_format("%.*s", (int)(a->end - a->start), a->text + a->start);
  char *text = replace(a->text, start, next + 1, plain);
  weir_free(plain);
  return text;
}

// PTX, "ld": a volatile load does what a relaxed one of the system's scope does, which no first-level cache serves, as with .cg and
// .cv. To the compiler it is a load like any other, while NVIDIA's functions are assembly that may change memory: it keeps values in
// registers across it and folds offsets into its address, so that all else stays the code that it was.
static bool is_volatile_load(const char *hint) {
  return !strcmp(hint, "cg") || !strcmp(hint, "cv");
}

static char *hint_load(const struct access *a, const char *hint, char why[WEIR_WHY_BYTES]) {
  if (is_changed(a)) return refuse(why, "one expression reads and writes the element of '%s'", a->name);
  if (is_written(a)) return refuse(why, "the line has no load of '%s'", a->name);
  const char *element = a->text + a->start;
  const int bytes = (int)(a->end - a->start), name = (int)strlen(a->name);
  char *load = a->scalar && is_volatile_load(hint)
    ? weir_text_format("((const volatile %s *)%s)%.*s", a->scalar, a->name, bytes - name, element + name)
    : weir_text_format("%s(&%.*s)", function_of(hint, false), bytes, element);
  char *text = replace(a->text, a->start, a->end, load);
  weir_free(load);
  return text;
}

// Does a statement begin here?
static bool begins_statement(const char *bare, size_t at) {
  const long last = before(bare, at);
  if (last < 0 || strchr(";{})", bare[last])) return true;
  return last >= 3 && find_name(bare, "else", (size_t)last - 3, (size_t)last + 1) == (size_t)last - 3;
}

// Where the value that is assigned at `at` ends: at a semicolon. 0: it does not on the line, or a comma comes first.
static size_t end_of_value(const char *bare, size_t at, size_t end) {
  for (unsigned depth = 0; at < end; at++) {
    if (!depth && bare[at] == ';') return at;
    if (!depth && strchr(",)]}", bare[at])) return 0;
    depth += strchr("([{", bare[at]) != NULL;
    depth -= strchr(")]}", bare[at]) != NULL;
  }
  return 0;
}

static char *hint_store(const struct access *a, size_t end_of_line, const char *function, char why[WEIR_WHY_BYTES]) {
  if (is_changed(a)) return refuse(why, "one expression reads and writes the element of '%s'", a->name);
  if (!is_written(a)) return refuse(why, "the line has no store of '%s'", a->name);
  const size_t value = skip_blanks(a->bare, skip_blanks(a->bare, a->end) + 1);
  const size_t end = end_of_value(a->bare, value, end_of_line);
  if (!begins_statement(a->bare, a->start) || !end)
    return refuse(why, "the store of '%s' is no statement of the line by itself", a->name);
  char *call = weir_text_format("%s(&%.*s, %.*s)", function, (int)(a->end - a->start), a->text + a->start,
                                (int)(end - value), a->text + value);
  char *text = replace(a->text, a->start, end, call);
  weir_free(call);
  return text;
}

static char *hint_access(struct access *a, const struct lines *l, bool store, const char *hint,
                         char why[WEIR_WHY_BYTES]) {
  const char *function = function_of(hint, store);
  size_t ampersand;
  if (!find_access(a, l, why)) return NULL;
  if (takes_address(a, &ampersand)) return hint_in_function(a, l, ampersand, store, function, why);
  if (!*function) return refuse(why, "the access of '%s' has no hint", a->name);
  return store ? hint_store(a, l->end, function, why) : hint_load(a, hint, why);
}

// ---- all of it ----------------------------------------------------------------------------------------------------------

// The name that the array has on the line, and its elements' type if it is a scalar; both to be freed.
static char *name_of(const char *bare, const struct weir_cuda_access *a, const struct lines *l, char **scalar,
                     char why[WEIR_WHY_BYTES]) {
  size_t open, close;
  char *name = NULL;
  if (a->parameter < 0) return weir_text_copy(a->variable);
  if (!find_kernel(bare, a->kernel, l, &open, &close))
    return refuse(why, "the line is not in the body of a function '%s': it is inlined there, or made by a macro",
                  a->kernel);
  char *declared = parameter_text(bare, open, close, a->parameter);
  char *type = declared ? element_of(declared, &name) : NULL;
  char *taken = type ? taken_type(type, bare, a->headers) : NULL;
  const bool takes = taken != NULL;
  if (!type)
    refuse(why, "parameter %d of '%s' is not declared as a plain pointer", a->parameter, a->kernel);
  else if (!takes)
    refuse(why, "no such function takes elements of the type '%s'", type);
  if (type && !takes) weir_free(name);
  if (takes && is_scalar(taken)) *scalar = weir_text_copy(type);
  weir_free(declared), weir_free(type), weir_free(taken);
  return takes ? name : NULL;
}

char *weir_cuda_text_hint(const char *text, const struct weir_cuda_access *a, char why[WEIR_WHY_BYTES]) {
  struct lines l;
  if (!function_of(a->hint, a->store))
    return refuse(why, "no function of CUDA C++ has this hint for a %s", a->store ? "store" : "load");
  if (!find_line(text, a->line, &l)) return refuse(why, "the file has no such line");
  char *bare = without_comments(text), *scalar = NULL, *name = name_of(bare, a, &l, &scalar, why), *hinted = NULL;
  struct access is = {.text = text, .bare = bare, .name = name, .scalar = scalar};
  if (name) hinted = hint_access(&is, &l, a->store, a->hint, why);
  weir_free(name), weir_free(scalar), weir_free(bare);
  return hinted;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The module's level: versions, targets, files, sections, and which kind of declaration comes next.
#include "ptx/parse.h"

#include "base/alloc.h"
#include "base/file.h"
#include "ptx/parser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 30, MAX_FILES = 1 << 16, OLDEST = 30, NEWEST_MAJOR = 9 };

static void keep_text(struct weir_parser *p, const struct weir_token *at) {
  struct weir_item *item = weir_push(p->items, p->item_count, p->item_capacity);
  *item = (struct weir_item){.kind = WEIR_ITEM_TEXT, .text = weir_parse_written(p, at->start), .line = at->line};
}

static bool parse_version(struct weir_parser *p, const struct weir_token *at) {
  struct weir_token number = p->token;
  if (!weir_parse_expect(p, WEIR_TOKEN_NUMBER, "a version")) return false;
  p->m->version = weir_parse_text(p, &number);
  char *end;
  unsigned long major = strtoul(p->m->version, &end, 10), minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
  if (*end || minor > 9 || major * 10 + minor < OLDEST || major > NEWEST_MAJOR)
    return weir_parse_error(p, &number, "PTX version %.20s; weir reads 3.0 to 9.x", p->m->version);
  p->m->version_number = (uint16_t)(major * 10 + minor);
  keep_text(p, at);
  return true;
}

// Of a name such as sm_90a the number and the letter.
static void note_architecture(struct weir_parser *p) {
  static const char prefix[] = "sm_";
  const struct weir_token *t = &p->token;
  if (t->kind != WEIR_TOKEN_NAME || t->length < sizeof prefix || strncmp(t->start, prefix, sizeof prefix - 1) != 0)
    return;
  uint32_t number = 0;
  size_t i = sizeof prefix - 1;
  for (; i < t->length && isdigit((unsigned char)t->start[i]) && number < 1000; i++)
    number = number * 10 + (uint32_t)(t->start[i] - '0');
  p->m->target_number = (uint16_t)number;
  p->m->target_feature = i < t->length ? t->start[i] : 0;
}

bool weir_module_runs_on(const struct weir_module *m, unsigned capability) {
  if (m->target_feature == 'a') return capability == m->target_number;
  if (m->target_feature == 'f' && capability / 10 != m->target_number / 10u) return false;
  return capability >= m->target_number;
}

static bool parse_target(struct weir_parser *p, const struct weir_token *at) {
  const char *from = p->token.start;
  do {
    note_architecture(p);
    if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a target")) return false;
  } while (weir_parse_accept(p, ','));
  p->m->target = weir_parse_written(p, from);
  keep_text(p, at);
  return true;
}

static bool parse_address_size(struct weir_parser *p, const struct weir_token *at) {
  struct weir_token number = p->token;
  uint64_t size;
  if (!weir_parse_integer(p, &size)) return false;
  if (size != 64)
    return weir_parse_error(p, &number, "weir runs programs with 64-bit addresses; this module has %.*s-bit ones",
                            (int)(number.length > 20 ? 20 : number.length), number.start);
  p->m->address_size = 64;
  keep_text(p, at);
  return true;
}

static void note_file(struct weir_parser *p, uint64_t number, const struct weir_token *name) {
  if (number >= p->m->file_count) {
    const char **files = weir_arena_array(p->arena, const char *, number * 2 + 8);
    if (p->m->file_count) memcpy(files, p->m->files, p->m->file_count * sizeof *files);
    p->m->files = files;
    p->m->file_count = (uint32_t)number * 2 + 8;
  }
  p->m->files[number] = weir_arena_text(p->arena, name->start + 1, name->length - 2);
}

// .file number ["folder"] "path" [, timestamp, size]
static bool parse_file(struct weir_parser *p, const struct weir_token *at) {
  uint64_t number, ignored;
  if (!weir_parse_integer(p, &number)) return false;
  if (number >= MAX_FILES) return weir_parse_error(p, at, "file number over %d", MAX_FILES - 1);
  struct weir_token name = p->token;
  if (!weir_parse_expect(p, WEIR_TOKEN_STRING, "a path in quotes")) return false;
  if (p->token.kind == WEIR_TOKEN_STRING) name = weir_parse_take(p); // clang writes folder and name
  note_file(p, number, &name);
  while (weir_parse_accept(p, ','))
    if (!weir_parse_integer(p, &ignored)) return false;
  keep_text(p, at);
  return true;
}

// .section .debug_info { … }: kept as it is.
static bool parse_section(struct weir_parser *p, const struct weir_token *at) {
  while (p->token.kind == WEIR_TOKEN_DIRECTIVE || p->token.kind == WEIR_TOKEN_NAME ||
         p->token.kind == WEIR_TOKEN_STRING)
    weir_parse_take(p);
  if (p->token.kind != '{') return weir_parse_unexpected(p, "'{'");
  while (p->token.kind != '}' && p->token.kind != WEIR_TOKEN_END) weir_parse_take(p);
  if (!weir_parse_expect(p, '}', "'}'")) return false;
  keep_text(p, at);
  return true;
}

// .pragma "…"; or the rest of any other directive that ends at a semicolon
static bool parse_other(struct weir_parser *p, const struct weir_token *at) {
  while (p->token.kind != ';') {
    if (p->token.kind == '{' || p->token.kind == '}' || p->token.kind == WEIR_TOKEN_END)
      return weir_parse_unexpected(p, "';'");
    weir_parse_take(p);
  }
  weir_parse_take(p);
  keep_text(p, at);
  return true;
}

// .alias name, function; the name's declaration shares the function's body.
static bool parse_alias(struct weir_parser *p, const struct weir_token *at) {
  struct weir_symbol *symbols[2];
  for (unsigned i = 0; i < 2; i++) {
    struct weir_token name = p->token;
    if (i && !weir_parse_expect(p, ',', "','")) return false;
    if (i) name = p->token;
    if (!weir_parse_expect(p, WEIR_TOKEN_NAME, "a function's name")) return false;
    struct weir_name *e = weir_names_find(p->names, name.start, name.length, 0);
    if (!e) return weir_scope_undeclared(p, &name);
    symbols[i] = e->value;
    if (symbols[i]->kind != WEIR_SYM_FUNCTION) return weir_parse_error(p, &name, "expected a function's name");
  }
  symbols[0]->function = symbols[1]->function;
  return parse_other(p, at);
}

// @@DWARF lines of old compilers
static bool parse_dwarf_line(struct weir_parser *p) {
  struct weir_token at = weir_parse_take(p);
  while (p->token.line == at.line && p->token.kind != WEIR_TOKEN_END) weir_parse_take(p);
  keep_text(p, &at);
  return true;
}

static const struct directive {
  const char *name;
  bool (*parse)(struct weir_parser *, const struct weir_token *);
  bool ends_with_line;
} directives[] = {
  {".version", parse_version, true}, {".target", parse_target, true},    {".address_size", parse_address_size, true},
  {".file", parse_file, true},       {".section", parse_section, false}, {".pragma", parse_other, false},
  {".alias", parse_alias, false},
};

// A directive that has no semicolon to recover at is left with its line.
static bool parse_known(struct weir_parser *p, const struct directive *d) {
  struct weir_token at = weir_parse_take(p);
  if (d->parse(p, &at)) return true;
  while (d->ends_with_line && p->token.line == at.line && p->token.kind != WEIR_TOKEN_END) weir_parse_take(p);
  return d->ends_with_line;
}

static const char *const linkages[] = {[WEIR_LINK_EXTERN] = ".extern",
                                       [WEIR_LINK_VISIBLE] = ".visible",
                                       [WEIR_LINK_WEAK] = ".weak",
                                       [WEIR_LINK_COMMON] = ".common"};

static enum weir_linkage linkage_named(const struct weir_token *t) {
  for (enum weir_linkage l = WEIR_LINK_EXTERN; l <= WEIR_LINK_COMMON; l++)
    if (weir_token_is(t, linkages[l])) return l;
  return WEIR_LINK_NONE;
}

static bool parse_declaration(struct weir_parser *p) {
  struct weir_token at = p->token;
  enum weir_linkage linkage = linkage_named(&at);
  if (linkage) weir_parse_take(p);
  struct weir_token kind = p->token;
  if (kind.kind != WEIR_TOKEN_DIRECTIVE) return weir_parse_unexpected(p, "a declaration");
  if (weir_token_is(&kind, ".func") || weir_token_is(&kind, ".entry")) return weir_parse_function(p, linkage);
  if (weir_parse_is_declaration(&kind)) return weir_parse_declaration(p, linkage, at.start);
  return weir_parse_error(p, &kind, "unknown directive '%.*s'", kind.length > 60 ? 60 : (int)kind.length, kind.start);
}

static bool parse_item(struct weir_parser *p) {
  struct weir_token at = p->token;
  if (at.kind == '@') return parse_dwarf_line(p);
  if (at.kind != WEIR_TOKEN_DIRECTIVE) return weir_parse_unexpected(p, "a directive");
  for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
    if (weir_token_is(&at, directives[i].name)) return parse_known(p, &directives[i]);
  return parse_declaration(p);
}

// Behind an error at the module's level: behind the next semicolon or, if a brace opens first, its closing one.
static void recover(struct weir_parser *p) {
  weir_parse_recover(p);
  unsigned open = 0;
  do {
    if (p->token.kind == WEIR_TOKEN_END) return;
    if (p->token.kind == '{')
      open++;
    else if (p->token.kind == '}' && open)
      open--;
    else if (!open && p->token.kind != '}')
      return;
    weir_parse_take(p);
  } while (open);
}

static void parse_items(struct weir_parser *p) {
  while (p->token.kind != WEIR_TOKEN_END) {
    if (p->token.kind == ';')
      weir_parse_take(p);
    else if (!parse_item(p))
      recover(p);
  }
  weir_parse_open_comment(p);
  if (!p->m->version)
    weir_parse_error(p, &p->token, "no .version: not a PTX module");
  else if (!p->m->target)
    weir_parse_error(p, &p->token, "no .target");
}

static void settle_items(struct weir_parser *p) {
  struct weir_module *m = p->m;
  m->items = weir_arena_array(p->arena, struct weir_item, p->item_count);
  m->item_count = p->item_count;
  if (p->item_count) memcpy(m->items, p->items, p->item_count * sizeof *p->items);
  m->functions = weir_arena_array(p->arena, struct weir_function *, p->item_count);
  for (uint32_t i = 0; i < m->item_count; i++)
    if (m->items[i].kind == WEIR_ITEM_FUNCTION) {
      m->items[i].function->index = m->function_count;
      m->functions[m->function_count++] = m->items[i].function;
    }
}

static bool has_nul(struct weir_parser *p, size_t size) {
  const char *nul = memchr(p->m->text, 0, size);
  if (!nul) return false;
  struct weir_token at = {.line = 1};
  for (const char *c = p->m->text; c < nul; c++) at.line += *c == '\n';
  weir_parse_error(p, &at, "a NUL byte: not a text");
  return true;
}

static struct weir_module *new_module(const char *path, const char *text, size_t size) {
  struct weir_module *m = weir_new(struct weir_module);
  m->path = weir_arena_text(&m->arena, path, strlen(path));
  m->text = weir_arena_text(&m->arena, text, size);
  m->names = weir_new(struct weir_names);
  return m;
}

static void free_parser(struct weir_parser *p) {
  weir_names_free(&p->mnemonics);
  weir_free(p->pending);
  weir_free(p->controls);
  weir_free(p->statements);
  weir_free(p->items);
  weir_free(p->locs);
  weir_free(p->inlined);
  weir_free(p);
}

struct weir_module *weir_ptx_parse(const char *path, const char *text, size_t size, struct weir_sink *sink) {
  struct weir_module *m = new_module(path, text, size);
  struct weir_parser *p = weir_new(struct weir_parser);
  *p = (struct weir_parser){.m = m,
                            .arena = &m->arena,
                            .sink = sink,
                            .errors_before = sink->errors,
                            .names = m->names,
                            .lexer = {.at = m->text, .line_start = m->text, .line = 1}};
  weir_sink_follow(sink, m->text);
  if (size > MAX_BYTES)
    weir_fail(sink, (struct weir_place){.file = path}, "larger than 1 GiB");
  else if (!has_nul(p, size)) {
    p->token = weir_lex(&p->lexer);
    parse_items(p);
    weir_check_controls(p);
    settle_items(p);
    weir_source_settle(p);
  }
  weir_sink_follow(sink, NULL);
  bool failed = weir_parse_failed(p);
  free_parser(p);
  if (!failed) return m;
  weir_module_free(m);
  return NULL;
}

struct weir_module *weir_ptx_read(const char *path, struct weir_sink *sink) {
  size_t size;
  char *text = weir_file_read(path, MAX_BYTES, &size, sink);
  if (!text) return NULL;
  struct weir_module *m = weir_ptx_parse(path, text, size, sink);
  weir_free(text);
  return m;
}

struct weir_symbol *weir_module_find(const struct weir_module *m, const char *name) {
  struct weir_name *e = weir_names_find(m->names, name, strlen(name), 0);
  return e ? e->value : NULL;
}

void weir_module_free(struct weir_module *m) {
  if (!m) return;
  for (uint32_t i = 0; i < m->part_count; i++) weir_module_free(m->parts[i]);
  if (!m->written) {
    weir_names_free(m->names);
    weir_free(m->names);
  }
  weir_arena_free(&m->arena);
  weir_free(m);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/hints.h"

#include "base/alloc.h"
#include "base/file.h"
#include "ptx/arrays.h"
#include "ptx/hint_forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
  char *text; // that the others lie in
  char *file;
  const char *array, *hint;
  uint32_t line, number; // number 0: all of the line
  char *origin;          // "--hint", or a file
  unsigned origin_line;  // 0: an option
  bool found;
};

struct weir_hints {
  struct request *requests;
  unsigned count, capacity;
  weir_hint_listener *listener; // NULL: nobody
  void *context;
};

static struct weir_place place_of(const struct request *r) {
  if (r->origin_line) return (struct weir_place){.file = r->origin, .line = r->origin_line};
  return weir_option_place(r->origin);
}

// ---- reading ------------------------------------------------------------------------------------------------------------

// A number of at least 1 that the text begins with; 0: none.
static uint32_t number_at(const char *text, const char **end) {
  char *stop;
  const unsigned long n = *text >= '0' && *text <= '9' ? strtoul(text, &stop, 10) : 0;
  *end = n ? stop : text;
  return n > UINT32_MAX ? 0 : (uint32_t)n;
}

// "FILE:LINE", "FILE:LINE#2" or "FILE:LINE[ARRAY]", in place.
static bool read_where(struct request *r, char *where) {
  const char *rest;
  char *colon = strrchr(where, ':');
  if (!colon || colon == where) return false;
  *colon = 0;
  r->file = where;
  r->line = number_at(colon + 1, &rest);
  if (*rest == '#') {
    r->number = number_at(rest + 1, &rest);
    return r->line && r->number && !*rest;
  }
  if (*rest == '[') {
    const size_t length = strlen(rest);
    r->array = rest + 1;
    if (length < 3 || rest[length - 1] != ']') return false;
    where[rest - where + (ptrdiff_t)length - 1] = 0;
    return r->line;
  }
  return r->line && !*rest;
}

static bool read_request(struct request *r, struct weir_sink *sink) {
  char *copy = weir_text_copy(r->text), *equals = strrchr(r->text, '=');
  bool ok = equals;
  if (ok) {
    *equals = 0;
    r->hint = equals + 1;
    ok = read_where(r, r->text);
  }
  if (!ok)
    weir_fail(sink, place_of(r),
              "'%s' is no hint for an access: write FILE:LINE=HINT, FILE:LINE#N=HINT or FILE:LINE[ARRAY]=HINT", copy);
  else if (!weir_hint_form_find(r->hint))
    ok = weir_hint_form_unknown(r->hint, place_of(r), sink);
  weir_free(copy);
  return ok;
}

// "hints.txt:3" or "--hint".
static void read_origin(struct request *r, const char *text, size_t length) {
  r->origin = weir_text_format("%.*s", (int)length, text);
  char *colon = strrchr(r->origin, ':');
  const char *rest;
  if (!colon) return;
  r->origin_line = number_at(colon + 1, &rest);
  if (r->origin_line) *colon = 0;
}

struct weir_hints *weir_hints_read(const char *lines, struct weir_sink *sink) {
  struct weir_hints *h = weir_new(struct weir_hints);
  bool ok = true;
  for (const char *line = lines, *end; *line; line = *end ? end + 1 : end) {
    end = line + strcspn(line, "\n");
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    if (!tab) continue;
    struct request r = {.text = weir_text_format("%.*s", (int)(end - tab - 1), tab + 1)};
    read_origin(&r, line, (size_t)(tab - line));
    ok &= read_request(&r, sink);
    *weir_push(h->requests, h->count, h->capacity) = r;
  }
  if (ok) return h;
  weir_hints_free(h);
  return NULL;
}

void weir_hints_free(struct weir_hints *h) {
  for (unsigned i = 0; h && i < h->count; i++) {
    weir_free(h->requests[i].text);
    weir_free(h->requests[i].origin);
  }
  if (h) weir_free(h->requests);
  weir_free(h);
}

// Its text between blanks, without the comment: behind a # that begins the line or follows a blank, as line#2 is no comment.
static const char *request_in(const char *line, const char *end, size_t *length) {
  while (line < end && strchr(" \t\r", *line)) line++;
  const char *stop = line;
  while (stop < end && !(*stop == '#' && (stop == line || strchr(" \t", stop[-1])))) stop++;
  while (stop > line && strchr(" \t\r", stop[-1])) stop--;
  *length = (size_t)(stop - line);
  return line;
}

char *weir_hints_lines(const char *path, struct weir_sink *sink) {
  size_t bytes;
  char *text = weir_file_read(path, 16 << 20, &bytes, sink);
  if (!text) return NULL;
  char *lines = weir_text_copy("");
  unsigned number = 0;
  for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
    size_t length;
    end = line + strcspn(line, "\n");
    number++;
    const char *request = request_in(line, end, &length);
    if (!length) continue;
    char *more = weir_text_format("%s%s:%u\t%.*s\n", lines, path, number, (int)length, request);
    weir_free(lines);
    lines = more;
  }
  weir_free(text);
  return lines;
}

// ---- finding the accesses -----------------------------------------------------------------------------------------------

// Is `name` the path, or the end of it from a slash on?
static bool is_file(const char *path, const char *name) {
  const size_t all = path ? strlen(path) : 0, some = strlen(name);
  if (!path || some > all || strcmp(path + all - some, name)) return false;
  return some == all || path[all - some - 1] == '/';
}

static bool is_on_line(const struct weir_function *f, const struct weir_instruction *i, const struct request *r) {
  const struct weir_module *m = f->home;
  if (i->line == r->line && is_file(m->path, r->file)) return true;
  return i->source_line == r->line && i->source_file < m->file_count && is_file(m->files[i->source_file], r->file);
}

// By its name, or by what follows its function's in it: param_2.
static bool is_array(const struct weir_function *f, struct weir_array array, const char *name) {
  char *is = weir_array_name(f, array);
  const size_t length = strlen(f->symbol->name);
  const bool whole = !strncmp(name, f->symbol->name, length) && name[length] == '_';
  const bool same = is && (!strcmp(is, name) || (whole && !strcmp(is, name + length + 1)));
  weir_free(is);
  return same;
}

void weir_hints_listen(struct weir_hints *h, weir_hint_listener *listener, void *context) {
  h->listener = listener;
  h->context = context;
}

struct walk {
  const struct weir_hints *h;
  struct weir_module *m;
  struct request *r;
  struct weir_sink *sink;
  unsigned found;
  bool ok;
};

static void tell(const struct walk *w, const struct weir_function *f, const struct weir_arrays *arrays,
                 const struct weir_instruction *i) {
  char *array = weir_array_name(f, weir_array_of(arrays, i));
  w->h->listener(w->h->context, &(struct weir_hint_match){f, i, array, w->r->hint});
  weir_free(array);
}

static void visit_function(struct walk *w, const struct weir_function *f) {
  struct weir_arrays *arrays = w->r->array || w->h->listener ? weir_arrays_of(f) : NULL;
  uint32_t number = 0;
  for (uint32_t k = 0; k < f->statement_count; k++) {
    const struct weir_statement *s = &f->statements[k];
    if (s->kind != WEIR_STMT_INSTRUCTION || !weir_access_address(s->instruction)) continue;
    if (!is_on_line(f, s->instruction, w->r)) continue;
    number++;
    if (w->r->number && w->r->number != number) continue;
    if (w->r->array && !is_array(f, weir_array_of(arrays, s->instruction), w->r->array)) continue;
    if (!weir_hint_form_fits(w->r->hint, s->instruction) && !w->r->number && !w->r->array)
      continue; // of loads, not stores
    w->found++;
    w->ok &= weir_hint_form_set(w->m, s->instruction, w->r->hint, place_of(w->r), w->sink);
    if (w->h->listener) tell(w, f, arrays, s->instruction);
  }
  weir_arrays_free(arrays);
}

// Is it one of the words between commas?
static bool is_listed(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at++)
    if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ',')) return true;
  return false;
}

// What the request's line has: "ld param_1, st an unknown array". All in order for one that counts, else each once.
static unsigned list_line(const struct weir_module *m, const struct request *r, char *text, size_t size) {
  unsigned count = 0;
  size_t used = 0;
  *text = 0;
  for (uint32_t n = 0; n < m->function_count; n++) {
    const struct weir_function *f = m->functions[n];
    struct weir_arrays *arrays = weir_arrays_of(f);
    for (uint32_t k = 0; k < f->statement_count; k++) {
      const struct weir_instruction *i = f->statements[k].instruction;
      if (f->statements[k].kind != WEIR_STMT_INSTRUCTION || !weir_access_address(i) || !is_on_line(f, i, r)) continue;
      char *name = weir_array_name(f, weir_array_of(arrays, i));
      char *word = weir_text_format("%s %s", weir_opcode_name(i->opcode), name ? name : "an unknown array");
      if (used < size && (r->number || !is_listed(text, word)))
        used += (size_t)snprintf(text + used, size - used, "%s%s", count ? ", " : "", word);
      weir_free(word);
      weir_free(name);
      count++;
    }
    weir_arrays_free(arrays);
  }
  return count;
}

static bool has_file(const struct weir_module *m, const char *name) {
  if (is_file(m->path, name)) return true;
  for (uint32_t i = 0; i < m->file_count; i++)
    if (is_file(m->files[i], name)) return true;
  for (uint32_t i = 0; i < m->part_count; i++)
    if (has_file(m->parts[i], name)) return true;
  return false;
}

// A line of the module's files that has not what the request names.
static bool fail_line(const struct weir_module *m, const struct request *r, struct weir_sink *sink) {
  char has[1024];
  const unsigned count = list_line(m, r, has, sizeof has);
  if (!count) return weir_fail(sink, place_of(r), "no load or store of global memory is at %s:%u", r->file, r->line);
  if (r->array)
    return weir_fail(sink, place_of(r), "%s:%u has no access to the array '%s', but %s", r->file, r->line, r->array,
                     has);
  if (r->number)
    return weir_fail(sink, place_of(r), "%s:%u has no access number %u in any function, but %s", r->file, r->line,
                     r->number, has);
  return weir_fail(sink, place_of(r), "no access at %s:%u takes the hint '%s': it has %s", r->file, r->line, r->hint,
                   has);
}

bool weir_hints_apply(struct weir_hints *h, struct weir_module *m, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < h->count; i++) {
    struct walk w = {.h = h, .m = m, .r = &h->requests[i], .sink = sink, .ok = true};
    for (uint32_t n = 0; n < m->function_count; n++) visit_function(&w, m->functions[n]);
    w.r->found |= w.found > 0;
    if (!w.found && has_file(m, w.r->file)) {
      w.r->found = true; // its file is; that is no second error
      w.ok = fail_line(m, w.r, sink);
    }
    ok &= w.ok;
  }
  return ok;
}

bool weir_hints_all_found(const struct weir_hints *h, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < h->count; i++)
    if (!h->requests[i].found)
      ok = weir_fail(sink, place_of(&h->requests[i]),
                     "no PTX of the program comes from a file '%s'; without line information (nvcc "
                     "-lineinfo) name the PTX file and its line",
                     h->requests[i].file);
  return ok;
}

char **weir_hints_unfound(const struct weir_hints *h, unsigned *count) {
  char **files = weir_new_array(char *, h->count);
  *count = 0;
  for (unsigned i = 0; i < h->count; i++)
    if (!h->requests[i].found) files[(*count)++] = h->requests[i].file;
  return files;
}

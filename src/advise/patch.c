// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/patch.h"

#include "advise/cuda_text.h"
#include "base/alloc.h"
#include "base/demangle.h"
#include "base/file.h"
#include "report/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTEXT = 3, MOST_BYTES = 16 << 20 };

// ---- hints in the text ----------------------------------------------------------------------------------------------------

// Behind the text so far that of the files which `text` includes by "NAME" from the folder of `path`, and what these include.
static char *with_headers(char *so_far, const char *text, const char *path, unsigned depth) {
  enum { DEEPEST = 4 };
  for (const char *at = text; depth < DEEPEST && (at = strstr(at, "#include \""));) {
    at += strlen("#include \"");
    char *name = weir_text_format("%.*s", (int)strcspn(at, "\"\n"), at), *where = weir_path_beside(path, name);
    struct weir_sink unheard = {0};
    size_t bytes;
    char *header = weir_file_read(where, MOST_BYTES, &bytes, &unheard);
    if (header) {
      char *more = weir_text_format("%s\n%s", so_far, header);
      weir_free(so_far);
      so_far = with_headers(more, header, where, depth + 1);
    }
    weir_sink_free(&unheard);
    weir_free(header), weir_free(where), weir_free(name);
  }
  return so_far;
}

static struct weir_patch_file *file_of(struct weir_patch *p, const char *name) {
  for (unsigned i = 0; i < p->count; i++)
    if (!strcmp(p->files[i].name, name)) return &p->files[i];
  struct weir_sink unheard = {0};
  size_t bytes;
  struct weir_patch_file f = {.name = name, .path = weir_source_path(name, p->program)};
  if (f.path) f.before = weir_file_read(f.path, MOST_BYTES, &bytes, &unheard);
  if (f.before) f.now = weir_text_copy(f.before);
  if (f.before) f.headers = with_headers(weir_text_copy(""), f.before, f.path, 0);
  weir_sink_free(&unheard);
  struct weir_patch_file *new = weir_push(p->files, p->count, p->capacity);
  *new = f;
  return new;
}

static bool is_cuda(const char *name) {
  static const char *const no[] = {".cl", ".ptx", ".clcpp"};
  const char *end = strrchr(name, '.');
  for (unsigned i = 0; end && i < sizeof no / sizeof *no; i++)
    if (!strcmp(end, no[i])) return false;
  return true;
}

// The last part of "space::k"; within `name`.
static const char *last_part(const char *name) {
  const char *last = name;
  for (const char *at = name; (at = strstr(at, "::"));) last = at += 2;
  return last;
}

// "k_param_2" → 2; −1: a variable.
static int parameter_of(const char *array) {
  const char *last = NULL;
  for (const char *at = array; (at = strstr(at, "param_"));) last = at += strlen("param_");
  if (!last || *last < '0' || *last > '9') return -1;
  return atoi(last);
}

static char *hinted(const struct weir_patch_file *f, const struct weir_patch_wish *w, char why[WEIR_WHY_BYTES]) {
  char *kernel = weir_demangle_short(w->function), *variable = weir_demangle_short(w->array);
  const struct weir_cuda_access a = {.line = w->line,
                                     .kernel = last_part(kernel),
                                     .parameter = parameter_of(w->array),
                                     .variable = last_part(variable),
                                     .store = w->store,
                                     .hint = w->hint,
                                     .headers = f->headers};
  char *text = weir_cuda_text_hint(f->now, &a, why);
  weir_free(kernel);
  weir_free(variable);
  return text;
}

// Once of all accesses that an unrolled line has.
static void tell_refusal(struct weir_patch *p, const struct weir_patch_wish *w, const char *why,
                         struct weir_sink *sink) {
  char *text = weir_text_format("%s%s is not written as %s: %s", *w->array ? w->array : "(array unknown)",
                                w->store ? " store" : "", w->hint, why);
  char *whole = weir_text_format("%s:%u: %s", w->file, w->line, text);
  bool told = false;
  for (unsigned i = 0; i < p->refused; i++) told |= !strcmp(p->refusals[i], whole);
  if (!told) {
    weir_report(sink, WEIR_NOTE, (struct weir_place){.file = *w->file ? w->file : w->function, .line = w->line}, "%s",
                text);
    *weir_push(p->refusals, p->refused, p->room) = whole;
  } else {
    weir_free(whole);
  }
  weir_free(text);
}

bool weir_patch_add(struct weir_patch *p, const struct weir_patch_wish *w, struct weir_sink *sink) {
  char why[WEIR_WHY_BYTES] = "", *text = NULL;
  struct weir_patch_file *f = *w->file ? file_of(p, w->file) : NULL;
  if (!f)
    snprintf(why, sizeof why, "the PTX has no line information (nvcc -lineinfo)");
  else if (!is_cuda(w->file))
    snprintf(why, sizeof why, "it is no CUDA C++, whose functions __ldcs and others have hints");
  else if (!f->now)
    snprintf(why, sizeof why, "the source is not at hand");
  else if (!*w->array)
    snprintf(why, sizeof why, "the array is not known");
  else if (strchr(w->array, '+'))
    snprintf(why, sizeof why, "the pointer is in a structure");
  else
    text = hinted(f, w, why);
  if (text) {
    weir_free(f->now);
    f->now = text;
    return true;
  }
  tell_refusal(p, w, why, sink);
  return false;
}

// ---- the diff ---------------------------------------------------------------------------------------------------------------

struct text_line {
  const char *start;
  size_t length; // with its newline
};

// Both texts have as many lines.
static struct text_line *lines_of(const char *text, size_t *count) {
  struct text_line *all = NULL;
  size_t n = 0, capacity = 0;
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, "\n");
    length += at[length] == '\n';
    *weir_push(all, n, capacity) = (struct text_line){at, length};
    at += length;
  }
  *count = n;
  return all;
}

static bool differs(const struct text_line *a, const struct text_line *b) {
  return a->length != b->length || memcmp(a->start, b->start, a->length) != 0;
}

static void put_line(FILE *to, char mark, const struct text_line *l) {
  fputc(mark, to);
  fwrite(l->start, 1, l->length, to);
  if (l->start[l->length - 1] != '\n') fputs("\n\\ No newline at end of file\n", to);
}

// Lines from `first` to before `end`: of neighbours that differ the old ones come before the new ones.
static void put_hunk(FILE *to, const struct text_line *old, const struct text_line *now, size_t first, size_t end) {
  fprintf(to, "@@ -%zu,%zu +%zu,%zu @@\n", first + 1, end - first, first + 1, end - first);
  for (size_t i = first, stop; i < end; i = stop) {
    for (stop = i; stop < end && differs(&old[stop], &now[stop]); stop++) put_line(to, '-', &old[stop]);
    for (size_t k = i; k < stop; k++) put_line(to, '+', &now[k]);
    if (stop == i) put_line(to, ' ', &old[stop++]);
  }
}

// Relative to the working directory, or to the root; to be freed.
static char *told_path(const char *path) {
  char here[PATH_MAX], *whole = realpath(path, NULL), *told;
  const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
  const bool below = whole && length > 1 && !strncmp(whole, here, length) && whole[length] == '/';
  told = weir_text_copy(below ? whole + length + 1 : whole ? whole + 1 : path);
  free(whole); // realpath's
  return told;
}

static void put_file(FILE *to, const struct weir_patch_file *f) {
  size_t count, last = 0;
  struct text_line *old = lines_of(f->before, &count), *now = lines_of(f->now, &count);
  char *path = told_path(f->path);
  fprintf(to, "--- a/%s\n+++ b/%s\n", path, path);
  for (size_t i = 0; i < count; i = last) {
    while (i < count && !differs(&old[i], &now[i])) i++;
    if (i == count) break;
    const size_t first = i > CONTEXT ? i - CONTEXT : 0;
    last = i + 1; // behind the last change of the hunk
    for (size_t next = last; next < count && next < last + 2 * CONTEXT + 1; next++)
      if (differs(&old[next], &now[next])) last = next + 1;
    last = last + CONTEXT < count ? last + CONTEXT : count;
    put_hunk(to, old, now, first, last);
  }
  weir_free(path);
  weir_free(old);
  weir_free(now);
}

char *weir_patch_text(const struct weir_patch *p) {
  char *text = NULL;
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  for (unsigned i = 0; i < p->count; i++)
    if (p->files[i].now && strcmp(p->files[i].before, p->files[i].now) != 0) put_file(to, &p->files[i]);
  fclose(to);
  char *kept = weir_text_copy(text);
  free(text); // the stream's
  return kept;
}

void weir_patch_free(struct weir_patch *p) {
  for (unsigned i = 0; i < p->count; i++) {
    weir_free(p->files[i].path);
    weir_free(p->files[i].before);
    weir_free(p->files[i].now);
    weir_free(p->files[i].headers);
  }
  for (unsigned i = 0; i < p->refused; i++) weir_free(p->refusals[i]);
  weir_free(p->refusals);
  weir_free(p->files);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memmem, memrchr

#include "opencl/compile/kernels.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- LLVM's metadata -----------------------------------------------------------------------------------------------

struct nodes { // of `!N = !{…}`, by number: where the brace is; NULL: no such list
  const char **items;
  size_t count, capacity;
};

static const char *line_after(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

static struct nodes nodes_of(const char *ir) {
  struct nodes n = {0};
  for (const char *line = ir; *line; line = line_after(line)) {
    char *after;
    if (line[0] != '!' || line[1] < '0' || line[1] > '9') continue;
    const unsigned long number = strtoul(line + 1, &after, 10);
    if (strncmp(after, " = !{", 5) || number > (1u << 24)) continue;
    while (n.count <= number) *weir_push(n.items, n.count, n.capacity) = NULL;
    n.items[number] = after + 4;
  }
  return n;
}

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The text within quotes; what cannot stand in a field becomes a space. Returns what follows the closing quote.
static const char *quoted(const char *at, struct weir_cl_text *to) {
  for (; *at && *at != '"'; at++) {
    char c = *at;
    if (c == '\\' && digit_of(at[1]) >= 0 && digit_of(at[2]) >= 0) {
      c = (char)(digit_of(at[1]) * 16 + digit_of(at[2]));
      at += 2;
    }
    weir_cl_text_add(to, c == '\t' || c == '\n' || !c ? " " : &c, 1);
  }
  return *at ? at + 1 : at;
}

// The next entry of a list: a string's text, or what is written after the type ("i32 8": "8"). False at the list's end.
static bool next_entry(const char **at, struct weir_cl_text *to) {
  const char *p = *at;
  to->count = 0;
  weir_cl_text_add(to, "", 0);
  while (*p == ' ' || *p == ',' || *p == '{') p++;
  if (!*p || *p == '}' || *p == '\n') return false;
  if (p[0] == '!' && p[1] == '"') {
    *at = quoted(p + 2, to);
    return true;
  }
  const size_t length = strcspn(p, ",}\n");
  const char *value = memrchr(p, ' ', length);
  value = value ? value + 1 : p;
  weir_cl_text_add(to, value, (size_t)(p + length - value));
  *at = p + length;
  return true;
}

// The list that a function's line names under `key`; an empty one if it names none.
static const char *list_of(const struct nodes *n, const char *line, const char *key) {
  const char *end = line_after(line);
  char mark[64];
  const int length = snprintf(mark, sizeof mark, " !%s !", key);
  const char *at = memmem(line, (size_t)(end - line), mark, (size_t)length);
  const unsigned long number = at ? strtoul(at + length, NULL, 10) : n->count;
  return number < n->count && n->items[number] ? n->items[number] : "{}";
}

// ---- describing ----------------------------------------------------------------------------------------------------

struct lists { // of one kernel's arguments, read side by side
  const char *space, *access, *type, *base, *qualifiers, *name;
};

static enum weir_cl_access access_of(const char *text) {
  static const char *const names[] = {"none", "read_only", "write_only", "read_write"};
  for (unsigned i = 1; i < 4; i++)
    if (!strcmp(text, names[i])) return (enum weir_cl_access)i;
  return WEIR_CL_NO_ACCESS;
}

// Address spaces as OpenCL C's metadata number them (SPIR).
static enum weir_cl_kind kind_of(const char *space, const char *base, enum weir_cl_access access) {
  if (access != WEIR_CL_NO_ACCESS) return WEIR_CL_IMAGE;
  if (!strcmp(base, "sampler_t")) return WEIR_CL_SAMPLER;
  switch (space[0]) {
  case '1': return WEIR_CL_GLOBAL;
  case '2': return WEIR_CL_CONSTANT;
  case '3': return WEIR_CL_LOCAL;
  default: return WEIR_CL_VALUE;
  }
}

static void describe_arguments(struct weir_cl_text *to, struct lists l) {
  struct weir_cl_text space = {0}, access = {0}, type = {0}, base = {0}, qualifiers = {0}, name = {0};
  while (next_entry(&l.space, &space) && next_entry(&l.access, &access) && next_entry(&l.type, &type) &&
         next_entry(&l.base, &base) && next_entry(&l.qualifiers, &qualifiers)) {
    next_entry(&l.name, &name);
    const enum weir_cl_access a = access_of(access.bytes);
    weir_cl_text_print(to, "//weir\targ\t%d\t%d\t-%s%s%s\t%s\t%s\n", kind_of(space.bytes, base.bytes, a), a,
                       strstr(qualifiers.bytes, "const") ? "c" : "", strstr(qualifiers.bytes, "restrict") ? "r" : "",
                       strstr(qualifiers.bytes, "volatile") ? "v" : "", type.bytes, name.bytes);
  }
  weir_free(space.bytes);
  weir_free(access.bytes);
  weir_free(type.bytes);
  weir_free(base.bytes);
  weir_free(qualifiers.bytes);
  weir_free(name.bytes);
}

// "name(8,8,1)", as CL_KERNEL_ATTRIBUTES has it; nothing if the function has no such attribute.
static void add_attribute(struct weir_cl_text *to, const char *name, const char *list, uint32_t sizes[3]) {
  struct weir_cl_text entry = {0};
  for (unsigned i = 0; i < 3 && next_entry(&list, &entry); i++) sizes[i] = (uint32_t)strtoul(entry.bytes, NULL, 10);
  weir_free(entry.bytes);
  if (sizes[0]) weir_cl_text_print(to, "%s%s(%u,%u,%u)", to->count ? " " : "", name, sizes[0], sizes[1], sizes[2]);
}

static void describe_kernel(struct weir_cl_text *to, const struct nodes *n, const char *line) {
  const char *name = strchr(line, '@');
  if (!name || name >= line_after(line)) return;
  name += name[1] == '"' ? 2 : 1;
  struct weir_cl_text attributes = {0};
  uint32_t required[3] = {0}, hint[3] = {0};
  add_attribute(&attributes, "reqd_work_group_size", list_of(n, line, "reqd_work_group_size"), required);
  add_attribute(&attributes, "work_group_size_hint", list_of(n, line, "work_group_size_hint"), hint);
  weir_cl_text_print(to, "//weir\tkernel\t%.*s\t%u\t%u\t%u\t%s\n", (int)strcspn(name, "(\""), name, required[0],
                     required[1], required[2], attributes.bytes ? attributes.bytes : "");
  weir_free(attributes.bytes);
  describe_arguments(to,
                     (struct lists){list_of(n, line, "kernel_arg_addr_space"),
                                    list_of(n, line, "kernel_arg_access_qual"), list_of(n, line, "kernel_arg_type"),
                                    list_of(n, line, "kernel_arg_base_type"), list_of(n, line, "kernel_arg_type_qual"),
                                    list_of(n, line, "kernel_arg_name")});
}

void weir_cl_kernels_describe(struct weir_cl_text *to, const char *ir) {
  static const char mark[] = " spir_kernel ";
  struct nodes n = nodes_of(ir);
  weir_cl_text_add(to, "\n", 1);
  for (const char *line = ir; *line; line = line_after(line)) {
    const size_t length = (size_t)(line_after(line) - line);
    if (!strncmp(line, "define ", 7) && memmem(line, length, mark, sizeof mark - 1)) describe_kernel(to, &n, line);
  }
  weir_free(n.items);
}

// ---- reading -------------------------------------------------------------------------------------------------------

enum { FIELDS = 7 };

// The fields of a line, in place; how many.
static unsigned split(char *line, char *fields[FIELDS]) {
  unsigned count = 0;
  for (char *at = line; at && count < FIELDS; count++) {
    fields[count] = at;
    at = strchr(at, '\t');
    if (at) *at++ = 0;
  }
  return count;
}

static void read_arg(struct weir_cl_kernel *k, char *const f[FIELDS]) {
  struct weir_cl_arg *args = weir_realloc((void *)k->args, sizeof *args * (k->arg_count + 1));
  const unsigned long kind = strtoul(f[2], NULL, 10), access = strtoul(f[3], NULL, 10);
  args[k->arg_count++] = (struct weir_cl_arg){
    .kind = kind <= WEIR_CL_SAMPLER ? (enum weir_cl_kind)kind : WEIR_CL_VALUE,
    .access = access <= WEIR_CL_READ_WRITE ? (enum weir_cl_access)access : WEIR_CL_NO_ACCESS,
    .is_const = strchr(f[4], 'c'),
    .is_restrict = strchr(f[4], 'r'),
    .is_volatile = strchr(f[4], 'v'),
    .type = weir_text_copy(f[5]),
    .name = weir_text_copy(f[6]),
  };
  k->args = args;
}

static void read_line(struct weir_cl_kernels *kernels, uint32_t *capacity, char *line) {
  char *f[FIELDS];
  const unsigned count = split(line, f);
  if (count == FIELDS && !strcmp(f[1], "kernel")) {
    struct weir_cl_kernel *k = weir_push(kernels->items, kernels->count, *capacity);
    *k = (struct weir_cl_kernel){.name = weir_text_copy(f[2]), .attributes = weir_text_copy(f[6])};
    for (unsigned i = 0; i < 3; i++) k->reqd_work_group_size[i] = (uint32_t)strtoul(f[3 + i], NULL, 10);
  } else if (count == FIELDS && !strcmp(f[1], "arg") && kernels->count) {
    read_arg(&kernels->items[kernels->count - 1], f);
  }
}

bool weir_cl_kernels_read(struct weir_cl_kernels *kernels, const char *ptx, size_t bytes) {
  static const char mark[] = "\n//weir\t";
  *kernels = (struct weir_cl_kernels){0};
  uint32_t capacity = 0;
  const char *at = ptx, *end = ptx + bytes;
  while ((at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
    const char *line = at + 1, *stop = memchr(line, '\n', (size_t)(end - line));
    char *copy = strndup(line, (size_t)((stop ? stop : end) - line));
    if (copy) read_line(kernels, &capacity, copy);
    weir_free(copy);
    at = line;
  }
  return kernels->count > 0;
}

const struct weir_cl_kernel *weir_cl_kernels_find(const struct weir_cl_kernels *kernels, const char *name) {
  for (uint32_t i = 0; i < kernels->count; i++)
    if (!strcmp(kernels->items[i].name, name)) return &kernels->items[i];
  return NULL;
}

void weir_cl_kernels_free(struct weir_cl_kernels *kernels) {
  for (uint32_t i = 0; i < kernels->count; i++) {
    const struct weir_cl_kernel *k = &kernels->items[i];
    for (uint32_t j = 0; j < k->arg_count; j++) {
      weir_free((void *)k->args[j].type);
      weir_free((void *)k->args[j].name);
    }
    weir_free((void *)k->args);
    weir_free((void *)k->name);
    weir_free((void *)k->attributes);
  }
  weir_free(kernels->items);
  *kernels = (struct weir_cl_kernels){0};
}

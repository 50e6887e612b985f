// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/accelsim_program.h"

#include "base/alloc.h"
#include "warptrace/sass.h"

#include <inttypes.h>
#include <string.h>

// By what an instruction is named in reports: its line, where the trace has lines, or the bytes from its kernel's beginning to it.
enum { NO_FILE, BY_OFFSET, BY_LINE, FILES };
static const char *const files[FILES] = {[BY_OFFSET] = "SASS", [BY_LINE] = "source"};

enum { MOST_INSTRUCTIONS = 1 << 20, MOST_NAMED = 12 };

struct weir_traced_kernel *weir_traced_kernel(struct weir_traced_program *p, const char *name, uint32_t registers) {
  for (size_t i = 0; i < p->count; i++)
    if (!strcmp(p->all[i].name, name)) return &p->all[i];
  struct weir_traced_kernel k = {.name = weir_text_copy(name), .number = (uint32_t)p->count, .registers = registers};
  struct weir_traced_kernel *own = weir_push(p->all, p->count, p->capacity);
  *own = k;
  return own;
}

static void reach(struct weir_traced_kernel *k, uint32_t count) {
  if (count <= k->count) return;
  if (count > k->capacity) {
    const uint32_t capacity = 2 * count;
    k->statics = weir_realloc(k->statics, capacity * sizeof *k->statics);
    k->instructions = weir_realloc(k->instructions, capacity * sizeof *k->instructions);
    memset(k->statics + k->capacity, 0, (capacity - k->capacity) * sizeof *k->statics);
    memset(k->instructions + k->capacity, 0, (capacity - k->capacity) * sizeof *k->instructions);
    k->capacity = capacity;
  }
  k->count = count;
}

// A register of the kernel's, but for the one that is 0.
static void add(uint32_t *list, uint8_t *count, unsigned most, const struct weir_traced_kernel *k, unsigned reg) {
  if (reg < WEIR_SASS_ZERO && *count < most) list[(*count)++] = k->number * WEIR_SASS_REGISTERS + reg;
}

// A trace names the first register of several: of what a load brings, the width tells how many they are.
static void fill(struct weir_static *s, const struct weir_traced_kernel *k, const struct weir_traced_line *l) {
  const bool loads = s->space != WEIR_MEM_NONE && s->op_class != WEIR_CLASS_STORE;
  const unsigned each = loads && s->access_bytes > 4 ? s->access_bytes / 4u : 1;
  for (unsigned i = 0; i < l->destinations; i++)
    for (unsigned r = 0; l->destination[i] != WEIR_SASS_ZERO && r < each; r++)
      add(s->dst, &s->dst_count, WEIR_STATIC_MAX_DST, k, l->destination[i] + r);
  for (unsigned i = 0; i < l->sources; i++) add(s->src, &s->src_count, WEIR_STATIC_MAX_SRC, k, l->source[i]);
  s->operand_count = s->src_count;
  s->source_file = l->source_line ? BY_LINE : BY_OFFSET;
  s->source_line = l->source_line ? l->source_line : (uint32_t)l->offset;
  s->function = k->number;
}

bool weir_traced_find(struct weir_traced_kernel *k, const struct weir_traced_line *l, const struct weir_text *t,
                      uint32_t *index) {
  *index = weir_sass_index(l->offset, l->version);
  if (*index >= MOST_INSTRUCTIONS)
    return weir_text_fail(t, "no instruction of a machine of version %u stands at %" PRIx64, l->version, l->offset);
  reach(k, *index + 1);
  struct weir_traced_instruction *own = &k->instructions[*index];
  own->executions++;
  if (own->opcode)
    return !strcmp(own->opcode, l->opcode) ||
      weir_text_fail(t,
                     "%s at %" PRIx64 " of '%s', where there was %s: functions that are called have offsets of their "
                     "own, which a trace does not tell apart",
                     l->opcode, l->offset, k->name, own->opcode);
  own->opcode = weir_text_copy(l->opcode);
  own->known = weir_sass_describe(l->opcode, &k->statics[*index]);
  fill(&k->statics[*index], k, l);
  return true;
}

struct weir_streamed_program weir_traced_program(const struct weir_traced_program *p, const char *path) {
  struct weir_streamed_program s = {.path = path,
                                    .lanes = 32,
                                    .registers = (uint32_t)p->count * WEIR_SASS_REGISTERS,
                                    .files = files,
                                    .file_count = FILES,
                                    .function_count = (uint32_t)p->count,
                                    .kernel_count = (uint32_t)p->count};
  for (size_t i = 0; i < p->count; i++) s.instruction_count += p->all[i].count;
  struct weir_static *statics = weir_new_array(struct weir_static, s.instruction_count + 1);
  struct weir_kernel *kernels = weir_new_array(struct weir_kernel, p->count + 1);
  struct weir_streamed_function *functions = weir_new_array(struct weir_streamed_function, p->count + 1);
  uint32_t first = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct weir_traced_kernel *k = &p->all[i];
    kernels[i] = (struct weir_kernel){.name = k->name,
                                      .entry = first,
                                      .function = i,
                                      .registers = k->registers,
                                      .registers_counted = true,
                                      .shared_align = 1};
    functions[i] = (struct weir_streamed_function){k->name, path};
    if (k->count) memcpy(statics + first, k->statics, k->count * sizeof *statics);
    first += k->count;
  }
  s.statics = statics;
  s.kernels = kernels;
  s.functions = functions;
  return s;
}

void weir_traced_close(struct weir_streamed_program *s) {
  weir_free((void *)(uintptr_t)s->statics);
  weir_free((void *)(uintptr_t)s->kernels);
  weir_free((void *)(uintptr_t)s->functions);
}

void weir_traced_free(struct weir_traced_program *p) {
  for (size_t i = 0; i < p->count; i++) {
    struct weir_traced_kernel *k = &p->all[i];
    for (uint32_t n = 0; n < k->count; n++) weir_free(k->instructions[n].opcode);
    weir_free(k->instructions);
    weir_free(k->statics);
    weir_free(k->name);
  }
  weir_free(p->all);
}

// ---- what is not known ----------------------------------------------------------------------------------------------------

struct unknown {
  const char *opcode[MOST_NAMED];
  uint64_t executions[MOST_NAMED];
  unsigned count;
  bool more;
};

static void note(struct unknown *u, const struct weir_traced_instruction *i) {
  unsigned n = 0;
  while (n < u->count && strcmp(u->opcode[n], i->opcode) != 0) n++;
  if (n == MOST_NAMED) {
    u->more = true;
    return;
  }
  if (n == u->count) u->opcode[u->count++] = i->opcode;
  u->executions[n] += i->executions;
}

void weir_traced_tell(const struct weir_traced_program *p, const char *path, struct weir_sink *sink) {
  struct unknown u = {0};
  for (size_t i = 0; i < p->count; i++)
    for (uint32_t n = 0; n < p->all[i].count; n++)
      if (p->all[i].instructions[n].opcode && !p->all[i].instructions[n].known) note(&u, &p->all[i].instructions[n]);
  if (!u.count) return;
  char list[1024];
  size_t used = 0;
  for (unsigned n = 0; n < u.count && used < sizeof list; n++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s (%" PRIu64 ")", n ? ", " : "", u.opcode[n],
                             u.executions[n]);
  weir_report(
    sink, WEIR_WARNING, (struct weir_place){.file = path},
    "weir does not know these instructions, which run as class default and access no memory (executions): %s%s", list,
    u.more ? ", …" : "");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where shared variables lie: no two that one kernel may touch overlap, and those of different kernels do, so that each
// kernel needs only its own. A kernel touches what it and the functions that it reaches name.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode/decode.h"
#include "exec/limits.h"

#include <string.h>

// An assembled module's variables lie as those of the module that it was made of.
static const struct weir_module *written(const struct weir_module *m) {
  return m->written ? m->written : m;
}

// What each function names, as a list: below `shared_count` a variable, else shared_count + a function. One node more than
// there are functions stands for "any function": a call by pointer goes to it, for pointers come from tables and from other
// kernels' objects.
struct uses {
  const struct weir_symbol **shared;
  uint32_t shared_count, shared_capacity, function_count;
  struct weir_locations number; // [variable] → its place in `shared`
  uint32_t *named, named_count, named_capacity;
  uint32_t *first; // [node] → in `named`; one more for the end
};

// A kernel touches a variable.
struct touch {
  uint32_t kernel, variable;
};

struct touches {
  struct touch *all;
  uint32_t count, capacity;
};

static void collect(struct uses *u, const struct weir_symbol *s) {
  if (s->kind != WEIR_SYM_VARIABLE || s->space != WEIR_SPACE_SHARED) return;
  if (weir_locations_get(&u->number, s).where == WEIR_AT_SHARED) return;
  weir_locations_put(&u->number, s, WEIR_AT_SHARED, u->shared_count);
  *weir_push(u->shared, u->shared_count, u->shared_capacity) = s;
}

static void name(struct uses *u, uint64_t what) {
  *weir_push(u->named, u->named_count, u->named_capacity) = (uint32_t)what;
}

static void name_operand(struct weir_decoder *d, struct uses *u, const struct weir_operand *o) {
  const struct weir_symbol *s = o->symbol;
  if (s && s->kind == WEIR_SYM_VARIABLE) {
    const struct weir_location at = weir_locations_get(&u->number, s);
    if (at.where == WEIR_AT_SHARED) name(u, at.value);
  } else if (s && s->kind == WEIR_SYM_FUNCTION) {
    const struct weir_location at = weir_locations_get(&d->locations, s);
    if (at.where == WEIR_AT_FUNCTION) name(u, u->shared_count + at.value);
  }
  for (uint32_t k = 0; k < o->part_count; k++) name_operand(d, u, &o->parts[k]);
}

static bool is_indirect_call(const struct weir_instruction *in) {
  if (in->opcode != WEIR_OP_CALL) return false;
  const unsigned callee = in->operand_count > 1 && in->operands[0].kind == WEIR_OPERAND_LIST;
  return in->operands[callee].kind == WEIR_OPERAND_REGISTER;
}

static void name_all(struct weir_decoder *d, struct uses *u, const struct weir_function *f) {
  for (uint32_t k = 0; k < f->statement_count; k++) {
    if (f->statements[k].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_instruction *in = f->statements[k].instruction;
    if (is_indirect_call(in)) name(u, u->shared_count + u->function_count);
    for (unsigned o = 0; o < in->operand_count; o++) name_operand(d, u, &in->operands[o]);
  }
}

static void collect_all(struct uses *u, const struct weir_module *m) {
  for (uint32_t k = 0; k < m->item_count; k++)
    if (m->items[k].kind == WEIR_ITEM_VARIABLE) collect(u, m->items[k].variable);
  for (uint32_t f = 0; f < m->function_count; f++)
    for (uint32_t k = 0; k < m->functions[f]->statement_count; k++)
      if (m->functions[f]->statements[k].kind == WEIR_STMT_DECLARATION)
        collect(u, m->functions[f]->statements[k].symbol);
}

static void find_uses(struct weir_decoder *d, struct uses *u) {
  const struct weir_module *m = written(d->module);
  u->first = weir_new_array(uint32_t, (size_t)u->function_count + 2);
  for (uint32_t f = 0; f < u->function_count; f++) {
    u->first[f] = u->named_count;
    name_all(d, u, m->functions[f]);
  }
  u->first[u->function_count] = u->named_count;
  for (uint32_t f = 0; f < u->function_count; f++)
    if (!m->functions[f]->entry) name(u, u->shared_count + f);
  u->first[u->function_count + 1] = u->named_count;
}

// Every variable that each kernel touches, once. `seen` says of variables and nodes by which kernel they were met last.
static void find_touches(const struct weir_decoder *d, const struct uses *u, struct touches *t) {
  const size_t most = (size_t)u->shared_count + u->function_count + 1;
  uint32_t *seen = weir_new_array(uint32_t, most), *open = weir_new_array(uint32_t, most);
  for (uint32_t n = 0; n < d->program->kernel_count; n++) {
    uint32_t open_count = 0;
    open[open_count++] = d->program->kernels[n].function;
    seen[u->shared_count + open[0]] = n + 1;
    while (open_count) {
      const uint32_t node = open[--open_count];
      for (uint32_t k = u->first[node]; k < u->first[node + 1]; k++) {
        const uint32_t what = u->named[k];
        if (seen[what] == n + 1) continue;
        seen[what] = n + 1;
        if (what < u->shared_count)
          *weir_push(t->all, t->count, t->capacity) = (struct touch){n, what};
        else
          open[open_count++] = what - u->shared_count;
      }
    }
  }
  weir_free(seen);
  weir_free(open);
}

// By variable, in place of by kernel: a counting sort.
static void sort(struct touches *t, uint32_t variables) {
  uint32_t *next = weir_new_array(uint32_t, (size_t)variables + 1);
  struct touch *sorted = weir_new_array(struct touch, t->count);
  for (uint32_t k = 0; k < t->count; k++) next[t->all[k].variable + 1]++;
  for (uint32_t v = 0; v < variables; v++) next[v + 1] += next[v];
  for (uint32_t k = 0; k < t->count; k++) sorted[next[t->all[k].variable]++] = t->all[k];
  weir_free(next);
  weir_free(t->all);
  t->all = sorted;
}

static bool is_dynamic(const struct weir_symbol *s) {
  return s->bytes == 0;
}

// Variables in the order declared, each behind all that lie before it and share a kernel with it: so behind the ends, so
// far, of its kernels. Ends past what a block may have stay just there.
static void place(struct weir_decoder *d, const struct uses *u, const struct touches *t) {
  uint64_t *end = weir_new_array(uint64_t, d->program->kernel_count);
  for (uint32_t v = 0, k = 0, next = 0; v < u->shared_count; v++, k = next) {
    const struct weir_symbol *s = u->shared[v];
    uint64_t at = 0;
    while (next < t->count && t->all[next].variable == v) next++;
    if (is_dynamic(s)) {
      const uint32_t align = weir_alignment(s) > 16 ? weir_alignment(s) : 16;
      for (uint32_t n = k; n < next; n++) {
        uint32_t *kernel = &d->program->kernels[t->all[n].kernel].shared_align;
        if (align > *kernel) *kernel = align;
      }
      weir_locations_put(&d->locations, s, WEIR_AT_EXTERN_SHARED, 0);
      continue;
    }
    for (uint32_t n = k; n < next; n++)
      if (end[t->all[n].kernel] > at) at = end[t->all[n].kernel];
    at = weir_align_up(at, weir_alignment(s));
    weir_locations_put(&d->locations, s, WEIR_AT_SHARED, at);
    const uint64_t past = at + s->bytes > WEIR_MAX_SHARED_BYTES ? WEIR_MAX_SHARED_BYTES + 1 : at + s->bytes;
    for (uint32_t n = k; n < next; n++) end[t->all[n].kernel] = past;
  }
  for (uint32_t n = 0; n < d->program->kernel_count; n++) {
    struct weir_kernel *kernel = &d->program->kernels[n];
    const struct weir_function *f = d->module->functions[kernel->function];
    kernel->shared_bytes = (uint32_t)end[n];
    if (end[n] > WEIR_MAX_SHARED_BYTES)
      weir_fail(d->sink, weir_place_of(f->home, f->symbol), "kernel '%s' has more than %d bytes of .shared variables",
                kernel->name, WEIR_MAX_SHARED_BYTES);
  }
  weir_free(end);
}

void weir_layout_shared(struct weir_decoder *d) {
  struct uses u = {.function_count = d->module->function_count};
  struct touches t = {0};
  for (uint32_t n = 0; n < d->program->kernel_count; n++) d->program->kernels[n].shared_align = 1;
  collect_all(&u, written(d->module));
  if (u.shared_count) {
    find_uses(d, &u);
    find_touches(d, &u, &t);
    sort(&t, u.shared_count);
    place(d, &u, &t);
  }
  weir_free(u.shared);
  weir_locations_free(&u.number);
  weir_free(u.named);
  weir_free(u.first);
  weir_free(t.all);
}

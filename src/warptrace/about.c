// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/about.h"

#include "base/alloc.h"

#include <string.h>

// Whole numbers of a structure: what JSON calls them, and the most that each may be.
struct number {
  const char *name;
  uint32_t offset, bytes;
  uint64_t most;
};
#define NUMBER(type, member, most)                                                                                     \
  { #member, offsetof(struct type, member), sizeof((struct type *)0)->member, most }
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))
enum { MOST_SHARED = 1 << 20, MOST_REGISTERS = 1 << 24, MOST_THREADS = 1024, MOST_PREFERENCE = 101 };

// `class`, registers, flags and texts beside these.
static const struct number static_numbers[] = {
  NUMBER(weir_static, space, WEIR_MEM_CALL),
  NUMBER(weir_static, l1_hint, WEIR_HINT_COUNT - 1),
  NUMBER(weir_static, l2_hint, WEIR_HINT_COUNT - 1),
  NUMBER(weir_static, access_bytes, 32),
  NUMBER(weir_static, element_bytes, 32),
  NUMBER(weir_static, operand_count, WEIR_STATIC_MAX_SRC),
  NUMBER(weir_static, machine, UINT8_MAX),
  NUMBER(weir_static, steps, UINT8_MAX),
  NUMBER(weir_static, line, UINT32_MAX),
  NUMBER(weir_static, source_file, UINT32_MAX),
  NUMBER(weir_static, source_line, UINT32_MAX),
  NUMBER(weir_static, copy_role, WEIR_COPY_ROLES - 1),
  NUMBER(weir_static, copy_groups, UINT8_MAX),
  NUMBER(weir_static, function, UINT32_MAX),
};

static const struct number kernel_numbers[] = {
  NUMBER(weir_kernel, entry, UINT32_MAX),         NUMBER(weir_kernel, function, UINT32_MAX),
  NUMBER(weir_kernel, shared_bytes, MOST_SHARED), NUMBER(weir_kernel, shared_align, MOST_SHARED),
  NUMBER(weir_kernel, local_bytes, UINT32_MAX),   NUMBER(weir_kernel, registers, UINT16_MAX),
  NUMBER(weir_kernel, registers_counted, 1),      NUMBER(weir_kernel, maxnreg, UINT32_MAX),
  NUMBER(weir_kernel, minnctapersm, UINT16_MAX),  NUMBER(weir_kernel, multiplies, 1),
};

static const struct number call_numbers[] = {
  NUMBER(weir_warptrace_call, address, (UINT64_C(1) << 40) - 1),
  NUMBER(weir_warptrace_call, bytes, UINT64_C(1) << 40),
  NUMBER(weir_warptrace_call, kernel, UINT32_MAX),
  NUMBER(weir_warptrace_call, dynamic_shared_bytes, MOST_SHARED),
  NUMBER(weir_warptrace_call, registers, UINT16_MAX),
  NUMBER(weir_warptrace_call, shared_preference, MOST_PREFERENCE),
  NUMBER(weir_warptrace_call, cooperative, 1),
  NUMBER(weir_warptrace_call, first, UINT32_MAX),
  NUMBER(weir_warptrace_call, instructions, INT64_MAX),
};

static const char *const classes[] = {
#define X(name, key, help) key,
  WEIR_OP_CLASSES(X)
#undef X
};

// ---- writing ------------------------------------------------------------------------------------------------------------

static void put_number(json_t *o, const char *name, uint64_t value) {
  if (value) json_object_set_new(o, name, json_integer((json_int_t)value));
}

static void put_numbers(json_t *o, const void *from, const struct number *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t value = 0;
    memcpy(&value, (const char *)from + numbers[i].offset, numbers[i].bytes);
    put_number(o, numbers[i].name, value);
  }
}

static json_t *list(const uint32_t *values, size_t count) {
  json_t *l = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(l, json_integer(values[i]));
  return l;
}

static json_t *text_or_null(const char *text) {
  json_t *t = text ? json_string(text) : NULL;
  return t ? t : json_null(); // also of what is no UTF-8
}

static json_t *instruction(const struct weir_static *s, const char *array) {
  json_t *o = json_pack("{s:s}", "class", classes[s->op_class]);
  put_numbers(o, s, static_numbers, COUNT_OF(static_numbers));
  put_number(o, "volatile", s->is_volatile);
  put_number(o, "exit", s->is_exit);
  put_number(o, "barrier", s->is_barrier);
  put_number(o, "non_coherent", s->non_coherent);
  put_number(o, "texture", s->is_texture);
  put_number(o, "policy", s->has_policy);
  put_number(o, "l2_prefetch", s->l2_prefetch);
  put_number(o, "bulk", s->is_bulk);
  put_number(o, "reads_bulk", s->reads_bulk);
  put_number(o, "of_products", s->of_products);
  if (s->dst_count) json_object_set_new(o, "dst", list(s->dst, s->dst_count));
  if (s->src_count) json_object_set_new(o, "src", list(s->src, s->src_count));
  if (array) json_object_set_new(o, "array", text_or_null(array));
  return o;
}

static json_t *kernel(const struct weir_kernel *k) {
  json_t *o = json_pack("{s:o}", "name", text_or_null(k->name));
  put_numbers(o, k, kernel_numbers, COUNT_OF(kernel_numbers));
  json_object_set_new(o, "maxntid", list(k->maxntid, 3));
  json_object_set_new(o, "reqntid", list(k->reqntid, 3));
  return o;
}

static json_t *call(const struct weir_warptrace_call *c) {
  json_t *o = json_pack("{s:s}", "call", c->is_copy ? "copy" : "launch");
  put_numbers(o, c, call_numbers, COUNT_OF(call_numbers));
  if (c->is_copy) return o;
  json_object_set_new(o, "grid", list(c->grid, 3));
  json_object_set_new(o, "block", list(c->block, 3));
  if (c->window.bytes)
    json_object_set_new(
      o, "window",
      json_pack("[I,I,I]", (json_int_t)c->window.address, (json_int_t)c->window.bytes, (json_int_t)c->window.policy));
  return o;
}

json_t *weir_warptrace_ends(const struct weir_streamed_program *p, const struct weir_warptrace_calls *calls) {
  json_t *functions = json_array(), *files = json_array(), *instructions = json_array(), *kernels = json_array(),
         *all = json_array();
  for (uint32_t f = 0; f < p->function_count; f++)
    json_array_append_new(functions,
                          json_pack("[o,o]", text_or_null(p->functions[f].name), text_or_null(p->functions[f].path)));
  for (uint32_t f = 0; f < p->file_count; f++) json_array_append_new(files, text_or_null(p->files[f]));
  for (uint32_t i = 0; i < p->instruction_count; i++)
    json_array_append_new(instructions, instruction(&p->statics[i], p->arrays ? p->arrays[i] : NULL));
  for (uint32_t k = 0; k < p->kernel_count; k++) json_array_append_new(kernels, kernel(&p->kernels[k]));
  for (size_t i = 0; i < calls->count; i++) json_array_append_new(all, call(&calls->all[i]));
  return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "path", text_or_null(p->path), "registers", (int)p->registers,
                   "functions", functions, "files", files, "kernels", kernels, "instructions", instructions, "calls",
                   all);
}

// ---- reading ------------------------------------------------------------------------------------------------------------

// What is left out is 0.
static bool get_number(const json_t *o, const char *name, uint64_t most, uint64_t *value) {
  const json_t *n = json_object_get(o, name);
  *value = (uint64_t)json_integer_value(n);
  return !n || (json_is_integer(n) && json_integer_value(n) >= 0 && *value <= most);
}

static bool get_numbers(const json_t *o, void *to, const struct number *numbers, size_t count) {
  bool ok = json_is_object(o);
  for (size_t i = 0; ok && i < count; i++) {
    uint64_t value;
    ok = get_number(o, numbers[i].name, numbers[i].most, &value);
    memcpy((char *)to + numbers[i].offset, &value, numbers[i].bytes);
  }
  return ok;
}

// Of at most so many elements below `limit`.
static bool get_list(const json_t *l, uint32_t *values, size_t room, uint64_t limit, uint8_t *count) {
  bool ok = !l || (json_is_array(l) && json_array_size(l) <= room);
  const size_t n = ok ? json_array_size(l) : 0;
  for (size_t i = 0; ok && i < n; i++) {
    const json_t *value = json_array_get(l, i);
    ok = json_is_integer(value) && json_integer_value(value) >= 0 && (uint64_t)json_integer_value(value) < limit;
    values[i] = (uint32_t)json_integer_value(value);
  }
  *count = (uint8_t)n;
  return ok;
}

static bool get_three(const json_t *o, const char *name, uint32_t values[3]) {
  uint8_t count;
  return get_list(json_object_get(o, name), values, 3, UINT64_C(1) << 31, &count) && count == 3;
}

static bool get_class(const json_t *o, uint8_t *class) {
  const char *name = json_string_value(json_object_get(o, "class"));
  for (*class = 0; name && *class < WEIR_CLASS_COUNT; ++*class)
    if (!strcmp(classes[*class], name)) return true;
  return false;
}

static bool get_flags(const json_t *o, struct weir_static *s) {
  uint64_t v[9], prefetch;
  const bool ok = get_number(o, "volatile", 1, &v[0]) && get_number(o, "exit", 1, &v[1]) &&
    get_number(o, "barrier", 1, &v[2]) && get_number(o, "non_coherent", 1, &v[3]) &&
    get_number(o, "texture", 1, &v[4]) && get_number(o, "policy", 1, &v[5]) && get_number(o, "bulk", 1, &v[6]) &&
    get_number(o, "reads_bulk", 1, &v[7]) && get_number(o, "of_products", 1, &v[8]) &&
    get_number(o, "l2_prefetch", WEIR_PREFETCH_SIZES - 1, &prefetch);
  if (!ok) return false;
  s->is_volatile = v[0] & 1;
  s->is_exit = v[1] & 1;
  s->is_barrier = v[2] & 1;
  s->non_coherent = v[3] & 1;
  s->is_texture = v[4] & 1;
  s->has_policy = v[5] & 1;
  s->is_bulk = v[6] & 1;
  s->reads_bulk = v[7] & 1;
  s->of_products = v[8] & 1;
  s->l2_prefetch = prefetch & 3;
  return true;
}

// An access says how much it accesses, and is a load, store or atomic.
static bool access_can_be(const struct weir_static *s) {
  if (s->space == WEIR_MEM_NONE) return true;
  return s->op_class >= WEIR_CLASS_LOAD && s->access_bytes && s->element_bytes && s->element_bytes <= s->access_bytes;
}

static bool get_instruction(const json_t *o, const struct weir_streamed_program *p, struct weir_static *s) {
  return get_numbers(o, s, static_numbers, COUNT_OF(static_numbers)) && get_class(o, &s->op_class) && get_flags(o, s) &&
    get_list(json_object_get(o, "dst"), s->dst, WEIR_STATIC_MAX_DST, p->registers, &s->dst_count) &&
    get_list(json_object_get(o, "src"), s->src, WEIR_STATIC_MAX_SRC, p->registers, &s->src_count) &&
    s->operand_count <= s->src_count && s->function < p->function_count && access_can_be(s);
}

static bool get_kernel(const json_t *o, const struct weir_streamed_program *p, struct weir_kernel *k) {
  k->name = json_string_value(json_object_get(o, "name"));
  return k->name && get_numbers(o, k, kernel_numbers, COUNT_OF(kernel_numbers)) &&
    get_three(o, "maxntid", k->maxntid) && get_three(o, "reqntid", k->reqntid) && k->entry < p->instruction_count &&
    k->function < p->function_count && !(k->shared_align & (k->shared_align - 1));
}

static bool get_window(const json_t *o, struct weir_access_window *w) {
  const json_t *l = json_object_get(o, "window");
  w->address = (uint64_t)json_integer_value(json_array_get(l, 0));
  w->bytes = (uint64_t)json_integer_value(json_array_get(l, 1));
  w->policy = (uint64_t)json_integer_value(json_array_get(l, 2));
  return true;
}

// A grid's blocks fit 32 bits, as their frames do.
static bool get_launch(const json_t *o, const struct weir_streamed_program *p, struct weir_warptrace_call *c) {
  if (!get_three(o, "grid", c->grid) || !get_three(o, "block", c->block) || !get_window(o, &c->window)) return false;
  uint64_t threads = 1;
  c->blocks = 1;
  for (unsigned i = 0; i < 3; i++) {
    if (!c->grid[i] || !c->block[i] || c->block[i] > MOST_THREADS) return false;
    threads *= c->block[i];
    c->blocks *= c->grid[i];
    if (c->blocks > UINT32_MAX) return false;
  }
  return threads <= MOST_THREADS && c->kernel < p->kernel_count;
}

static bool get_call(const json_t *o, const struct weir_streamed_program *p, struct weir_warptrace_call *c) {
  const char *what = json_string_value(json_object_get(o, "call"));
  if (!what || !get_numbers(o, c, call_numbers, COUNT_OF(call_numbers))) return false;
  c->is_copy = !strcmp(what, "copy");
  return c->is_copy ? c->address + c->bytes <= UINT64_C(1) << 40 : !strcmp(what, "launch") && get_launch(o, p, c);
}

static uint32_t size_of(const json_t *o, const char *name) {
  return (uint32_t)json_array_size(json_object_get(o, name));
}

static void get_texts(const json_t *ends, struct weir_streamed_program *p) {
  struct weir_streamed_function *functions = weir_new_array(struct weir_streamed_function, p->function_count + 1);
  const char **files = weir_new_array(const char *, p->file_count + 1);
  for (uint32_t f = 0; f < p->function_count; f++) {
    const json_t *o = json_array_get(json_object_get(ends, "functions"), f);
    const char *name = json_string_value(json_array_get(o, 0)), *path = json_string_value(json_array_get(o, 1));
    functions[f] = (struct weir_streamed_function){name ? name : "?", path ? path : "?"};
  }
  for (uint32_t f = 0; f < p->file_count; f++)
    files[f] = json_string_value(json_array_get(json_object_get(ends, "files"), f));
  p->functions = functions;
  p->files = files;
}

static bool get_program(const json_t *ends, struct weir_streamed_program *p) {
  const json_t *instructions = json_object_get(ends, "instructions"), *kernels = json_object_get(ends, "kernels");
  struct weir_static *statics = weir_new_array(struct weir_static, p->instruction_count + 1);
  struct weir_kernel *all = weir_new_array(struct weir_kernel, p->kernel_count + 1);
  const char **arrays = weir_new_array(const char *, p->instruction_count + 1);
  p->statics = statics;
  p->kernels = all;
  p->arrays = arrays;
  bool ok = true;
  for (uint32_t i = 0; ok && i < p->instruction_count; i++) {
    const json_t *o = json_array_get(instructions, i);
    ok = get_instruction(o, p, &statics[i]);
    arrays[i] = json_string_value(json_object_get(o, "array"));
  }
  for (uint32_t k = 0; ok && k < p->kernel_count; k++) ok = get_kernel(json_array_get(kernels, k), p, &all[k]);
  return ok;
}

bool weir_warptrace_remember(const json_t *ends, unsigned lanes, struct weir_streamed_program *p,
                             struct weir_warptrace_calls *calls) {
  uint64_t registers;
  *calls = (struct weir_warptrace_calls){0};
  *p = (struct weir_streamed_program){
    .path = json_string_value(json_object_get(ends, "path")),
    .lanes = lanes,
    .instruction_count = size_of(ends, "instructions"),
    .function_count = size_of(ends, "functions"),
    .file_count = size_of(ends, "files"),
    .kernel_count = size_of(ends, "kernels"),
  };
  bool ok = p->path && get_number(ends, "registers", MOST_REGISTERS, &registers);
  p->registers = ok ? (uint32_t)registers : 0;
  get_texts(ends, p);
  ok = ok && get_program(ends, p);
  const json_t *all = json_object_get(ends, "calls");
  for (size_t i = 0; ok && i < json_array_size(all); i++) {
    struct weir_warptrace_call c = {0};
    ok = get_call(json_array_get(all, i), p, &c);
    *weir_push(calls->all, calls->count, calls->capacity) = c;
  }
  if (!ok) weir_warptrace_forget(p, calls);
  return ok;
}

void weir_warptrace_forget(struct weir_streamed_program *p, struct weir_warptrace_calls *calls) {
  weir_free((void *)(uintptr_t)p->functions);
  weir_free((void *)(uintptr_t)p->files);
  weir_free((void *)(uintptr_t)p->statics);
  weir_free((void *)(uintptr_t)p->kernels);
  weir_free((void *)(uintptr_t)p->arrays);
  weir_free(calls->all);
  *p = (struct weir_streamed_program){0};
  *calls = (struct weir_warptrace_calls){0};
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "kernel.h"

#include "base/alloc.h"
#include "maker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void say(struct maker *m, const char *format, ...) {
  va_list arguments;
  fputs("  ", m->to);
  va_start(arguments, format);
  vfprintf(m->to, format, arguments);
  va_end(arguments);
  fputc('\n', m->to);
}

void put_label(struct maker *m, uint32_t l) {
  fprintf(m->to, "$L%u:\n", l);
}

// ---- the plan: threads, buffers, pointers

static void draw_shape(struct maker *m) {
  static const uint32_t blocks[][3] = {{64, 1, 1}, {32, 2, 1}, {32, 1, 1}, {128, 1, 1}, // whole warps of 32
                                       {40, 1, 1}, {33, 1, 1}, {8, 3, 2},  {5, 7, 1}};
  struct sl1_kernel *k = m->k;
  memcpy(k->block, blocks[below(m, m->shuffles ? 4 : 8)], sizeof k->block);
  k->grid[0] = 1 + below(m, 2);
  k->grid[1] = chance(m, 15) ? 2 : 1;
  k->grid[2] = 1;
}

static struct sl1_buffer *add_buffer(struct maker *m, enum sl1_role role) {
  m->styles[m->k->buffer_count] = (enum style)below(m, STYLES);
  struct sl1_buffer *b = &m->k->buffers[m->k->buffer_count++];
  const uint32_t threads = sl1_threads(m->k);
  *b = (struct sl1_buffer){
    .role = role, .order = chance(m, 60) ? SL1_CHUNKED : SL1_INTERLEAVED, .granule = 1u << below(m, 5)};
  switch (role) {
  case SL1_READ: b->count = 16u << below(m, 6); break;
  case SL1_COUNT: b->granule = 4, b->count = 1u << below(m, 5); break;
  case SL1_POINTERS: b->granule = 8, b->count = threads; break;
  case SL1_OUT: b->granule = 4, b->count = 8, b->order = SL1_INTERLEAVED; break;
  default: b->count = 1u << below(m, 5);
  }
  b->chunk = b->granule * (b->count + below(m, 4));
  if (role == SL1_READ || role == SL1_COUNT || role == SL1_POINTERS)
    b->bytes = b->count * b->granule;
  else
    b->bytes = threads * (b->order == SL1_CHUNKED ? b->chunk : b->count * b->granule);
  return b;
}

static bool is_written(const struct sl1_buffer *b) {
  return b->role == SL1_OWN || b->role == SL1_EXCHANGE || b->role == SL1_POINTERS;
}

static void add_pointer(struct maker *m, uint32_t buffer) {
  struct sl1_kernel *k = m->k;
  const struct sl1_buffer *b = &k->buffers[buffer];
  const uint32_t steps = b->bytes / b->granule;
  const uint32_t offset = chance(m, 60) ? 0 : b->granule * below(m, steps < 24 ? steps : 24);
  m->tricks[k->pointer_count] = chance(m, 65) ? PLAIN
    : chance(m, 70)                           ? (enum trick)(1 + below(m, 2))
                                              : (enum trick)below(m, TRICKS);
  k->pointers[k->pointer_count++] =
    (struct sl1_pointer){.buffer = buffer,
                         .offset = offset,
                         .member = -1,
                         .atomics = b->role == SL1_OWN && b->granule >= 4 && chance(m, 12),
                         .strong = b->role == SL1_OWN && chance(m, 12)};
}

static void add_variable(struct maker *m) {
  struct sl1_buffer *b = add_buffer(m, chance(m, 50) ? SL1_OWN : SL1_READ);
  b->variable = true;
  b->direct = chance(m, 50);
  snprintf(m->k->variable, sizeof m->k->variable, "table_%llu", (unsigned long long)m->k->seed);
}

static void draw_buffers(struct maker *m) {
  struct sl1_kernel *k = m->k;
  add_buffer(m, SL1_OUT);
  add_buffer(m, SL1_READ);
  const uint32_t own = k->buffer_count;
  add_buffer(m, SL1_OWN);
  for (uint32_t more = below(m, 4); more; more--) add_buffer(m, chance(m, 50) ? SL1_READ : SL1_OWN);
  if (k->exchanges) add_buffer(m, SL1_EXCHANGE);
  if (chance(m, 15)) add_buffer(m, SL1_COUNT);
  if (chance(m, 8)) add_buffer(m, SL1_POINTERS)->target = own, k->aliases = true;
  if (chance(m, 12)) add_variable(m);
}

static void draw_pointers(struct maker *m) {
  struct sl1_kernel *k = m->k;
  for (uint32_t i = 0; i < k->buffer_count; i++)
    if (!k->buffers[i].direct) add_pointer(m, i);
  for (uint32_t more = chance(m, 35) ? 1 + below(m, 2) : 0; more; more--) {
    const uint32_t buffer = 1 + below(m, k->buffer_count - 1); // any but what is put out
    k->aliases |= is_written(&k->buffers[buffer]) && !k->buffers[buffer].direct;
    if (!k->buffers[buffer].direct) add_pointer(m, buffer);
  }
  for (uint32_t i = 0; i < k->buffer_count; i++) k->aliases |= k->buffers[i].variable && is_written(&k->buffers[i]);
  for (uint32_t i = 0; i < k->pointer_count; i++) k->aliases |= m->tricks[i] == MIXED; // whose address is P + (Q - P)?
  if (k->pointer_count > 1 && chance(m, 6)) {
    k->far_from = below(m, k->pointer_count - 1);
    k->far_to = k->pointer_count - 1;
    m->tricks[k->far_to] = FAR;
    k->aliases = true;
  }
  const bool in_struct = chance(m, 20);
  for (uint32_t i = 0; i < k->pointer_count; i++) {
    struct sl1_pointer *p = &k->pointers[i];
    if (in_struct && chance(m, 60)) {
      p->member = (int32_t)k->struct_bytes;
      k->struct_bytes += 8;
      snprintf(p->name, sizeof p->name, "%s_struct", k->name);
    } else {
      snprintf(p->name, sizeof p->name, "%s_p%u", k->name, i);
    }
  }
  for (k->scalar_count = 0; k->scalar_count < SL1_MOST_SCALARS; k->scalar_count++) {
    struct sl1_scalar *s = &k->scalars[k->scalar_count];
    s->value = 1 + below(m, 60);
    snprintf(s->name, sizeof s->name, "%s_n%u", k->name, k->scalar_count);
  }
}

static void draw_features(struct maker *m) {
  struct sl1_kernel *k = m->k;
  k->distance = 8 * below(m, 1000);
  k->exchanges = chance(m, 25);
  m->shuffles = chance(m, 15);
  m->returns = !k->exchanges && !m->shuffles && chance(m, 30);
  m->fences = chance(m, 35);
  m->calls = chance(m, 25);
  m->generic = chance(m, 25);
  m->own_shared = chance(m, 35);
  m->local = chance(m, 25);
  m->hints = chance(m, 25);
  m->lines = chance(m, 40);
  m->dispatches = chance(m, 15);
}

// ---- the text

static void write_signature(struct maker *m) {
  const struct sl1_kernel *k = m->k;
  const char *comma = "";
  fprintf(m->to, "%s.entry %s(\n", chance(m, 70) ? ".visible " : "", k->name);
  for (uint32_t i = 0; i < k->pointer_count; i++) {
    if (k->pointers[i].member >= 0) continue;
    fprintf(m->to, "%s  .param .u64 %s%s", comma, pick(m, "", "", ".ptr ", ".ptr .global .align 1 "),
            k->pointers[i].name);
    comma = ",\n";
  }
  for (uint32_t i = 0; i < k->scalar_count; i++) {
    fprintf(m->to, "%s  .param .u32 %s", comma, k->scalars[i].name);
    comma = ",\n";
  }
  fprintf(m->to, "%s  .param .u64 %s_distance,\n  .param .u64 %s_far", comma, k->name, k->name);
  if (k->struct_bytes) fprintf(m->to, "%s  .param .align 8 .b8 %s_struct[%u]", comma, k->name, k->struct_bytes);
  fprintf(m->to, "\n)%s\n{\n", chance(m, 15) ? " .maxntid 128, 1, 1" : "");
}

static void write_entry(struct maker *m) {
  const struct sl1_kernel *k = m->k;
  say(m, "mov.u32 %%lid, %%tid.z;");
  say(m, "mov.u32 %%bid, %%ntid.y;");
  say(m, "mov.u32 %%gid, %%tid.y;");
  say(m, "mad.lo.s32 %%lid, %%lid, %%bid, %%gid;");
  say(m, "mov.u32 %%bid, %%ntid.x;");
  say(m, "mov.u32 %%gid, %%tid.x;");
  say(m, "mad.lo.s32 %%lid, %%lid, %%bid, %%gid;");
  say(m, "mov.u32 %%gid, %%ctaid.y;");
  say(m, "mov.u32 %%bid, %%ctaid.x;");
  say(m, "mad.lo.s32 %%bid, %%gid, %u, %%bid;", k->grid[0]);
  say(m, "mad.lo.s32 %%gid, %%bid, %u, %%lid;", sl1_block_threads(k));
  for (uint32_t i = 0; i < VALUES; i++) say(m, "mul.lo.s32 %%v%u, %%gid, %u;", i, 40503 * (2 * i + 1));
  for (uint32_t i = 0; i < LOCAL_BYTES / 4 && m->local; i++)
    say(m, "st.local.u32 [local_%llu+%u], %%v%u;", (unsigned long long)k->seed, 4 * i, i % VALUES);
  load_pointers(m);
}

static void write_exit(struct maker *m) {
  fputs("$Lend:\n", m->to);
  for (uint32_t i = 0; i < VALUES; i++) {
    struct place p;
    const uint32_t index = fresh(m, R), thread = fresh(m, R);
    say(m, "mov.u32 %%r%u, %u;", index, i);
    say(m, "mov.u32 %%r%u, %%gid;", thread);
    a_place_of(m, 0, thread, index, &p);
    say(m, "st.global.u32 [%%rd%u+%lld], %%v%u;", p.rd, (long long)p.offset, i);
  }
  say(m, "ret;");
}

static void write_declarations(struct maker *m) {
  static const char *const types[] = {"b32", "b64", "b16", "f32", "f64", "pred"};
  static const char *const names[] = {"%r", "%rd", "%rs", "%f", "%fd", "%p"};
  const unsigned long long seed = m->k->seed;
  for (unsigned i = 0; i < 6; i++) say(m, ".reg .%s %s<%u>;", types[i], names[i], m->registers[i] + 1);
  say(m, ".reg .b32 %%v<%u>, %%gid, %%lid, %%bid;", VALUES);
  if (m->local) say(m, ".local .align 8 .b8 local_%llu[%u];", seed, LOCAL_BYTES);
  for (uint32_t i = 0; i < m->k->pointer_count; i++) {
    if (m->tricks[i] != SPILLED) continue;
    say(m, ".local .align 8 .b8 spill_%llu[%u];", seed, m->k->pointer_count * 8);
    break;
  }
}

static void write_globals(struct maker *m) {
  const struct sl1_kernel *k = m->k;
  const unsigned long long seed = k->seed;
  fputs(".version 7.8\n.target sm_80\n.address_size 64\n", m->to);
  if (m->lines) fputs(".file 1 \"random.cl\"\n", m->to);
  for (uint32_t i = 0; i < k->buffer_count; i++)
    if (k->buffers[i].variable)
      fprintf(m->to, ".visible .global .align 16 .b8 %s[%u];\n", k->variable, k->buffers[i].bytes);
  if (m->own_shared)
    fprintf(m->to, ".shared .align 16 .b8 own_%llu[%u];\n", seed, sl1_block_threads(k) * SHARED_WORDS * 4);
  if (k->dynamic_shared) fprintf(m->to, ".extern .shared .align 16 .b8 dynamic_%llu[];\n", seed);
  if (m->calls) write_functions(m);
}

// The body says how many registers there are to declare, so it is written first.
static void write_module(struct maker *m) {
  char *body = NULL, *text = NULL;
  size_t body_size, size;
  m->to = open_memstream(&body, &body_size);
  write_entry(m);
  statements(m, 3 + below(m, 3), 200 + below(m, 600));
  write_exit(m);
  fclose(m->to);
  m->to = open_memstream(&text, &size);
  write_globals(m);
  write_signature(m);
  write_declarations(m);
  fputs(body, m->to);
  fputs("}\n", m->to);
  fclose(m->to);
  m->k->text = text;
  free(body);
}

void sl1_kernel_draw(struct sl1_kernel *k, uint64_t seed) {
  struct maker m = {.k = k, .rng = weir_rng_seed(seed, 285)};
  *k = (struct sl1_kernel){.seed = seed};
  snprintf(k->name, sizeof k->name, "kernel_%llu", (unsigned long long)seed);
  draw_features(&m);
  draw_shape(&m);
  if (m.own_shared && chance(&m, 50)) k->dynamic_shared = sl1_block_threads(k) * SHARED_WORDS * 4 + below(&m, 20);
  draw_buffers(&m);
  draw_pointers(&m);
  write_module(&m);
}

void sl1_kernel_free(struct sl1_kernel *k) {
  free(k->text);
  *k = (struct sl1_kernel){0};
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The timing model's half of an instruction: its class, registers and memory access.
#include "exec/decode/decode.h"
#include "exec/mbarrier.h"
#include "ptx/hint_forms.h"
#include "ptx/matrix.h"

enum operation {
#define X(kind, integer, single, twice) OPERATION_##kind,
#include "exec/operations.def"
#undef X
};

// A kind without classes does not compile.
static const uint8_t operations[WEIR_OPCODE_COUNT] = {
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms)                                \
  [WEIR_OP_##name] = OPERATION_##kind,
#include "ptx/opcodes.def"
#undef OPCODE
};

static const uint8_t classes[][3] = {
#define X(kind, integer, single, twice)                                                                                \
  [OPERATION_##kind] = {WEIR_CLASS_##integer, WEIR_CLASS_##single, WEIR_CLASS_##twice},
#include "exec/operations.def"
#undef X
};

static bool is_float(unsigned type) {
  return weir_type_class((enum weir_type)type) == 'f';
}

// The widest floating-point type among what it makes and what it takes decides: cvt and set have two types.
static bool tests_mbarrier(const struct weir_instruction *in, const struct weir_insn *i) {
  return in->opcode == WEIR_OP_MBARRIER && i->kind == WEIR_KIND_MEMORY && weir_mbarrier_tests(i->sub);
}

static uint8_t class_of(const struct weir_instruction *in, const struct weir_insn *i) {
  if (in->opcode == WEIR_OP_MBARRIER && i->kind == WEIR_KIND_ALU)
    return WEIR_CLASS_INT_LOGIC; // of a state in a register
  if (tests_mbarrier(in, i)) return WEIR_CLASS_LOAD;
  if (in->opcode == WEIR_OP_CP && weir_has_modifier(in, "reduce")) return WEIR_CLASS_ATOMIC;
  if (in->opcode == WEIR_OP_CP && weir_has_modifier(in, "bulk_group")) return WEIR_CLASS_STORE;
  if (weir_wmma_does(in, "load")) return WEIR_CLASS_LOAD;
  if (weir_wmma_does(in, "store")) return WEIR_CLASS_STORE;
  const unsigned type = in->form.type, from = in->form.source_type;
  const bool twice = type == WEIR_T_F64 || from == WEIR_T_F64, floats = is_float(type) || is_float(from);
  return classes[operations[in->opcode]][twice ? 2 : floats ? 1 : 0];
}

// Groups that it does not wait for: more than a core keeps apart are as many as that.
static uint8_t groups_of(const struct weir_instruction *in) {
  const uint64_t groups = in->operands[0].bits;
  return groups < UINT8_MAX ? (uint8_t)groups : UINT8_MAX;
}

static void fill_copy(struct weir_static *s, const struct weir_instruction *in, const struct weir_insn *i) {
  if (tests_mbarrier(in, i)) s->copy_role = WEIR_COPY_TEST;
  s->of_products = in->opcode == WEIR_OP_WGMMA;
  if (weir_opcode_effect(in->opcode) != WEIR_EFFECT_COPY && !s->of_products) return;
  s->is_bulk = weir_has_modifier(in, "bulk");
  s->reads_bulk = weir_has_modifier(in, "read");
  s->copy_role = weir_has_modifier(in, "mbarrier") ? WEIR_COPY_ARRIVE
    : weir_has_modifier(in, "commit_group")        ? WEIR_COPY_COMMIT
    : weir_has_modifier(in, "wait_group")          ? WEIR_COPY_WAIT
    : weir_has_modifier(in, "wait_all")            ? WEIR_COPY_DRAIN
    : weir_has_modifier(in, "fence")               ? WEIR_COPY_NONE
                                                   : WEIR_COPY_BEGIN;
  if (s->copy_role == WEIR_COPY_WAIT) s->copy_groups = groups_of(in);
}

static uint8_t space_of(unsigned reach) {
  switch (reach) {
  case WEIR_REACH_SHARED:
  case WEIR_REACH_CLUSTER: return WEIR_MEM_SHARED;
  case WEIR_REACH_LOCAL: return WEIR_MEM_LOCAL;
  case WEIR_REACH_CONST: return WEIR_MEM_CONST;
  case WEIR_REACH_FRAME: return WEIR_MEM_CALL;
  case WEIR_REACH_KERNEL: return WEIR_MEM_PARAM;
  default: return WEIR_MEM_GLOBAL;
  }
}

// Instructions that are nothing but a hint. What they are about is below the first level, but for prefetches into it, which are
// loads there.
static void fill_hints(struct weir_static *s, const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  s->l1_hint = weir_hint_of_form(f, f->l1_evict);
  s->l2_hint = weir_hint_of_form(f, f->l2_evict);
  s->l2_hint = weir_hint_behind(s->l1_hint, s->l2_hint);
  if (in->opcode == WEIR_OP_DISCARD) s->l1_hint = s->l2_hint = WEIR_HINT_DISCARD;
  if (in->opcode == WEIR_OP_APPLYPRIORITY) s->l1_hint = s->l2_hint = WEIR_HINT_APPLY_NORMAL;
  if (in->opcode == WEIR_OP_PREFETCH && !f->level_l1) s->l1_hint = WEIR_HINT_PREFETCH_L2;
}

static uint8_t prefetch_of(const struct weir_form *f) {
  switch (f->l2_prefetch_bytes) {
  case 64: return WEIR_PREFETCH_64B;
  case 128: return WEIR_PREFETCH_128B;
  case 256: return WEIR_PREFETCH_256B;
  default: return WEIR_PREFETCH_NONE;
  }
}

// What threads beyond the block must see, first-level caches cannot give, for they are not coherent: PTX ISA, "Memory Consistency
// Model", volatile is relaxed with the scope of the system. Measured on an H200: ld.volatile and ld.relaxed.gpu are served by the L2
// (docs/differences/h200.md).
static bool is_strong(const struct weir_form *f) {
  const bool ordered = f->order == WEIR_ORDER_RELAXED || f->order == WEIR_ORDER_ACQUIRE;
  return f->order == WEIR_ORDER_VOLATILE || f->order == WEIR_ORDER_MMIO || (ordered && f->scope > WEIR_SCOPE_CTA);
}

static void fill_access(struct weir_static *s, const struct weir_instruction *in, const struct weir_insn *i) {
  const struct weir_form *f = &in->form;
  const unsigned element = weir_type_bytes((enum weir_type)f->type);
  s->space = space_of(i->reach);
  fill_hints(s, in);
  s->element_bytes = (uint8_t)(element ? element : weir_opcode_effect(in->opcode) == WEIR_EFFECT_COPY ? i->bytes : 4);
  s->access_bytes = (uint8_t)(s->element_bytes * (f->vector > 1 ? f->vector : 1));
  s->is_volatile = is_strong(f);
  s->has_policy = f->cache_hint;
  s->l2_prefetch = prefetch_of(f) & 3u;
  s->non_coherent = f->non_coherent;
}

// What tex reads depends on the image: see exec/texture.h for what is reported. A formatted store likewise.
// As rows of words, of which as many as it has.
static void fill_bulk(struct weir_static *s, const struct weir_instruction *in, const struct weir_insn *i) {
  fill_access(s, in, i);
  s->access_bytes = s->element_bytes = 4;
}

static void fill_image(struct weir_static *s, const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  const bool fetch = effect == WEIR_EFFECT_TEXTURE;
  s->space = WEIR_MEM_GLOBAL;
  s->element_bytes = (uint8_t)(fetch || f->formatted ? 4 : weir_type_bytes((enum weir_type)f->type));
  s->access_bytes = (uint8_t)(fetch || f->formatted ? 4 : s->element_bytes * f->vector);
  s->non_coherent = fetch;
  s->is_texture = effect != WEIR_EFFECT_SURFACE_STORE;
}

static void fill_matrix(struct weir_static *s, const struct weir_insn *i) {
  s->space = space_of(i->reach);
  s->access_bytes = i->bytes;
  s->element_bytes = i->bytes < 4 ? i->bytes : 4;
}

// A product of matrices in shared memory; not what is about groups of these.
static bool is_product(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_WGMMA && in->form.type != WEIR_T_NONE;
}

// Two steps of wgmma take the time of one of mma: chips with wgmma give mma half of what their units can (docs/CHIPS.md, "Matrix units"; NVIDIA,
// H100 tensor core GPU architecture, 2022: 2048 multiply-adds of 16 bits per SM and cycle). It has at least two.
static uint8_t steps_of(const struct weir_instruction *in) {
  if (in->opcode != WEIR_OP_MMA && !is_product(in) && !weir_wmma_does(in, "mma")) return 0;
  const struct weir_matrix a = weir_matrix_of(in, WEIR_MATRIX_A);
  const uint32_t products = (uint32_t)a.shape.m * a.shape.n * a.shape.k * (weir_matrix_is_quad(&a, in) ? 4 : 1);
  const uint8_t steps = weir_matrix_steps(products, a.bits);
  return is_product(in) ? steps / 2 : steps;
}

static bool is_matrix(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_WMMA || in->opcode == WEIR_OP_LDMATRIX || in->opcode == WEIR_OP_STMATRIX;
}

static bool is_image(enum weir_effect effect) {
  return effect == WEIR_EFFECT_TEXTURE || effect == WEIR_EFFECT_SURFACE_LOAD || effect == WEIR_EFFECT_SURFACE_STORE;
}

// A product that runs beside its warp makes nobody wait for its sums by their registers, nor waits for them.
static void fill_registers(struct weir_static *s, const struct weir_instruction *in, const struct weir_registers *r,
                           uint32_t first) {
  const bool beside = is_product(in);
  for (unsigned k = 0; k < r->dst_count && k < WEIR_STATIC_MAX_DST && !beside; k++)
    s->dst[s->dst_count++] = first + r->dst[k];
  for (unsigned k = 0; k < r->src_count && s->src_count < WEIR_STATIC_MAX_SRC; k++) {
    if (beside && weir_has_register(r->dst, r->dst_count, r->src[k])) continue;
    s->src[s->src_count++] = first + r->src[k];
    if (k < r->operand_count) s->operand_count = s->src_count;
  }
}

void weir_fill_static(struct weir_decoder *d, uint32_t pc, uint32_t first_register) {
  const struct weir_instruction *in = d->in;
  const struct weir_insn *i = &d->program->code[pc];
  struct weir_static *s = &d->program->statics[pc];
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  struct weir_registers r;
  weir_registers_of(in, &r);
  weir_break_silence(d, pc, &r);
  s->machine = in->machine > 2 ? (uint8_t)(in->machine - 1) : 0;
  s->op_class = class_of(in, i);
  s->steps = steps_of(in);
  if (is_image(effect))
    fill_image(s, in);
  else if (i->kind == WEIR_KIND_MEMORY && is_matrix(in))
    fill_matrix(s, i);
  else if (i->kind == WEIR_KIND_MEMORY && in->opcode == WEIR_OP_CP && weir_has_modifier(in, "bulk"))
    fill_bulk(s, in, i);
  else if (in->opcode == WEIR_OP_WGMMA)
    s->op_class = is_product(in) ? s->op_class : WEIR_CLASS_DEFAULT; // no access of the load/store unit
  else if ((i->kind == WEIR_KIND_MEMORY && effect != WEIR_EFFECT_QUERY) || weir_reads_uniform(i))
    fill_access(s, in, i);
  else if (effect == WEIR_EFFECT_COPY)
    s->op_class = WEIR_CLASS_DEFAULT; // commits, or waits
  fill_copy(s, in, i);
  s->is_exit = in->opcode == WEIR_OP_EXIT || (in->opcode == WEIR_OP_RET && d->code->is_kernel);
  s->is_barrier = i->kind == WEIR_KIND_BARRIER || i->kind == WEIR_KIND_WARPGROUP;
  s->is_cluster_barrier = i->kind == WEIR_KIND_CLUSTER;
  fill_registers(s, in, &r, first_register);
  s->line = in->line;
  s->source_file = in->source_file;
  s->source_line = in->source_line;
  s->function = (uint32_t)(d->code - d->program->functions);
  d->program->columns[pc] = in->column;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The timing model's half of an instruction: its class, registers and memory access.
#include "exec/decode.h"

static bool is_float(unsigned type) {
  return weir_type_class((enum weir_type)type) == 'f';
}

// The class of an arithmetic opcode for integers, f32 (and narrower) and f64.
static uint8_t by_type(unsigned type, uint8_t integer, uint8_t single, uint8_t twice) {
  return !is_float(type) ? integer : type == WEIR_T_F64 ? twice : single;
}

static uint8_t memory_class(const struct weir_instruction *in) {
  switch (in->opcode) {
    case WEIR_OP_ST: case WEIR_OP_SUST: return WEIR_CLASS_STORE;
    case WEIR_OP_ATOM: case WEIR_OP_RED: return WEIR_CLASS_ATOMIC;
    default: return WEIR_CLASS_LOAD;
  }
}

static uint8_t class_of(const struct weir_instruction *in) {
  const unsigned type = in->form.type, from = in->form.source_type;
  switch (in->opcode) {
    case WEIR_OP_MIN: case WEIR_OP_MAX: return by_type(type, WEIR_CLASS_INT_MAX, WEIR_CLASS_F32_MAX, WEIR_CLASS_F64_MAX);
    case WEIR_OP_ABS: return by_type(type, WEIR_CLASS_INT_MAX, WEIR_CLASS_F32_ADD, WEIR_CLASS_F64_ADD);
    case WEIR_OP_SAD: case WEIR_OP_VABSDIFF2: case WEIR_OP_VABSDIFF4: return WEIR_CLASS_INT_MAX;
    case WEIR_OP_MUL: return by_type(type, WEIR_CLASS_INT_MUL, WEIR_CLASS_F32_MUL, WEIR_CLASS_F64_MUL);
    case WEIR_OP_MUL24: return WEIR_CLASS_INT_MUL;
    case WEIR_OP_MAD: case WEIR_OP_MADC: case WEIR_OP_MAD24: case WEIR_OP_FMA: case WEIR_OP_DP4A: case WEIR_OP_DP2A:
      return by_type(type, WEIR_CLASS_INT_MAD, WEIR_CLASS_F32_MAD, WEIR_CLASS_F64_MAD);
    case WEIR_OP_DIV: return by_type(type, WEIR_CLASS_INT_DIV, WEIR_CLASS_F32_DIV, WEIR_CLASS_F64_DIV);
    case WEIR_OP_REM: return WEIR_CLASS_INT_DIV;
    case WEIR_OP_SQRT: case WEIR_OP_RCP: case WEIR_OP_RSQRT: case WEIR_OP_SIN: case WEIR_OP_COS: case WEIR_OP_EX2:
    case WEIR_OP_LG2: case WEIR_OP_TANH: return type == WEIR_T_F64 ? WEIR_CLASS_F64_DIV : WEIR_CLASS_SFU;
    case WEIR_OP_CVT: case WEIR_OP_SET: {
      const bool twice = type == WEIR_T_F64 || from == WEIR_T_F64;
      return twice ? WEIR_CLASS_F64_ADD : is_float(type) || is_float(from) ? WEIR_CLASS_F32_ADD : WEIR_CLASS_INT_LOGIC;
    }
    case WEIR_OP_SETP: return by_type(type, WEIR_CLASS_INT_LOGIC, WEIR_CLASS_F32_ADD, WEIR_CLASS_F64_ADD);
    case WEIR_OP_MOV: case WEIR_OP_SELP: case WEIR_OP_SLCT: case WEIR_OP_AND: case WEIR_OP_OR: case WEIR_OP_XOR:
    case WEIR_OP_NOT: case WEIR_OP_CNOT: case WEIR_OP_LOP3: case WEIR_OP_SHL: case WEIR_OP_SHR: case WEIR_OP_SHF:
    case WEIR_OP_BFE: case WEIR_OP_BFI: case WEIR_OP_PRMT: case WEIR_OP_CVTA: case WEIR_OP_ISSPACEP:
    case WEIR_OP_TXQ: case WEIR_OP_SUQ:
      return WEIR_CLASS_INT_LOGIC;
    case WEIR_OP_VOTE: case WEIR_OP_SHFL: case WEIR_OP_MATCH: case WEIR_OP_REDUX: case WEIR_OP_ACTIVEMASK:
      return WEIR_CLASS_WARP;
    case WEIR_OP_BRA: case WEIR_OP_BRX: case WEIR_OP_CALL: case WEIR_OP_RET: case WEIR_OP_EXIT: case WEIR_OP_TRAP:
    case WEIR_OP_BRKPT:
      return WEIR_CLASS_BRANCH;
    case WEIR_OP_BAR: case WEIR_OP_BARRIER: return WEIR_CLASS_BARRIER;
    case WEIR_OP_MEMBAR: case WEIR_OP_FENCE: return WEIR_CLASS_FENCE;
    case WEIR_OP_NANOSLEEP: case WEIR_OP_PMEVENT: return WEIR_CLASS_NOP;
    default: return by_type(type, WEIR_CLASS_INT_ADD, WEIR_CLASS_F32_ADD, WEIR_CLASS_F64_ADD);
  }
}

static uint8_t space_of(unsigned reach) {
  switch (reach) {
    case WEIR_REACH_SHARED: return WEIR_MEM_SHARED;
    case WEIR_REACH_LOCAL: return WEIR_MEM_LOCAL;
    case WEIR_REACH_CONST: return WEIR_MEM_CONST;
    case WEIR_REACH_FRAME:
    case WEIR_REACH_KERNEL: return WEIR_MEM_PARAM;
    default: return WEIR_MEM_GLOBAL;
  }
}

// A hint for L1 wins over the cache operator, which wins over one for L2: the nearest cache decides first.
static uint8_t hint_of(const struct weir_form *f) {
  static const uint8_t operator_hint[] = {
    [WEIR_CACHE_NONE] = WEIR_HINT_NONE, [WEIR_CACHE_CA] = WEIR_HINT_CA, [WEIR_CACHE_CG] = WEIR_HINT_CG,
    [WEIR_CACHE_CS] = WEIR_HINT_CS,     [WEIR_CACHE_LU] = WEIR_HINT_LU, [WEIR_CACHE_CV] = WEIR_HINT_CV,
    [WEIR_CACHE_WB] = WEIR_HINT_WB,     [WEIR_CACHE_WT] = WEIR_HINT_WT};
  static const uint8_t evict_hint[] = {
    [WEIR_EVICT_NONE] = WEIR_HINT_NONE,         [WEIR_EVICT_NORMAL] = WEIR_HINT_NONE,
    [WEIR_EVICT_UNCHANGED] = WEIR_HINT_NONE,    [WEIR_EVICT_FIRST] = WEIR_HINT_EVICT_FIRST,
    [WEIR_EVICT_LAST] = WEIR_HINT_EVICT_LAST,   [WEIR_EVICT_NO_ALLOCATE] = WEIR_HINT_NO_ALLOCATE};
  if (evict_hint[f->l1_evict]) return evict_hint[f->l1_evict];
  return operator_hint[f->cache] ? operator_hint[f->cache] : evict_hint[f->l2_evict];
}

static void fill_access(struct weir_static *s, const struct weir_instruction *in, const struct weir_insn *i) {
  const struct weir_form *f = &in->form;
  const unsigned element = weir_type_bytes((enum weir_type)f->type);
  s->op_class = memory_class(in);
  s->space = space_of(i->reach);
  s->hint = hint_of(f);
  s->element_bytes = (uint8_t)(element ? element : in->opcode == WEIR_OP_CP ? i->bytes : 4);
  s->access_bytes = (uint8_t)(s->element_bytes * (f->vector > 1 ? f->vector : 1));
  s->is_volatile = f->order == WEIR_ORDER_VOLATILE;
  s->non_coherent = f->non_coherent;
}

// What tex reads depends on the image: see exec/texture.h for what is reported. A formatted store likewise.
static void fill_image(struct weir_static *s, const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  const bool fetch = in->opcode == WEIR_OP_TEX || in->opcode == WEIR_OP_TLD4;
  s->op_class = memory_class(in);
  s->space = WEIR_MEM_GLOBAL;
  s->element_bytes = (uint8_t)(fetch || f->formatted ? 4 : weir_type_bytes((enum weir_type)f->type));
  s->access_bytes = (uint8_t)(fetch || f->formatted ? 4 : s->element_bytes * f->vector);
  s->non_coherent = fetch;
}

static bool is_image(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_TEX || in->opcode == WEIR_OP_TLD4 || in->opcode == WEIR_OP_SULD ||
         in->opcode == WEIR_OP_SUST;
}

static bool is_query(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_TXQ || in->opcode == WEIR_OP_SUQ;
}

void weir_fill_static(struct weir_decoder *d, uint32_t pc, uint32_t first_register) {
  const struct weir_instruction *in = d->in;
  const struct weir_insn *i = &d->program->code[pc];
  struct weir_static *s = &d->program->statics[pc];
  struct weir_registers r;
  weir_registers_of(in, &r);
  s->op_class = class_of(in);
  if (is_image(in)) fill_image(s, in);
  else if (i->kind == WEIR_KIND_MEMORY && !is_query(in)) fill_access(s, in, i);
  s->is_exit = in->opcode == WEIR_OP_EXIT || (in->opcode == WEIR_OP_RET && d->code->is_kernel);
  s->is_barrier = i->kind == WEIR_KIND_BARRIER;
  for (unsigned k = 0; k < r.dst_count && k < WEIR_STATIC_MAX_DST; k++) s->dst[s->dst_count++] = first_register + r.dst[k];
  for (unsigned k = 0; k < r.src_count && k < WEIR_STATIC_MAX_SRC; k++) s->src[s->src_count++] = first_register + r.src[k];
  s->line = in->line;
  s->source_file = in->source_file;
  s->source_line = in->source_line;
  s->function = (uint32_t)(d->code - d->program->functions);
  d->program->columns[pc] = in->column;
}

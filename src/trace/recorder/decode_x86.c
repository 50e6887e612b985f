// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/recorder/decode_x86.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

// ---- registers ------------------------------------------------------------------------------------------------------

// General registers are 1 to 16, vector registers 32 to 63, those of x87 and MMX 64 to 71, masks 72 to 79, others one each
// kind: what shares bits is one register.
enum { VECTOR = 32, X87 = 64, MASK = 72, SEGMENT = 80, CONTROL = 81, X87_STATUS = 82 };

#define GENERAL(q, d, w, b, number)                                                                                    \
  [X86_REG_##q] = (number), [X86_REG_##d] = (number), [X86_REG_##w] = (number), [X86_REG_##b] = (number)
#define VECTORS(n) [X86_REG_XMM##n] = VECTOR + (n), [X86_REG_YMM##n] = VECTOR + (n), [X86_REG_ZMM##n] = VECTOR + (n)
#define STACKED(n) [X86_REG_ST##n] = X87 + (n), [X86_REG_MM##n] = X87 + (n), [X86_REG_FP##n] = X87 + (n)

static const uint8_t numbers[X86_REG_ENDING] = {
  GENERAL(RAX, EAX, AX, AL, 1),
  GENERAL(RCX, ECX, CX, CL, 2),
  GENERAL(RDX, EDX, DX, DL, 3),
  GENERAL(RBX, EBX, BX, BL, 4),
  GENERAL(RBP, EBP, BP, BPL, 5),
  GENERAL(RSP, ESP, SP, SPL, WEIR_TRACE_STACK_POINTER),
  GENERAL(RSI, ESI, SI, SIL, 7),
  GENERAL(RDI, EDI, DI, DIL, 8),
  GENERAL(R8, R8D, R8W, R8B, 9),
  GENERAL(R9, R9D, R9W, R9B, 10),
  GENERAL(R10, R10D, R10W, R10B, 11),
  GENERAL(R11, R11D, R11W, R11B, 12),
  GENERAL(R12, R12D, R12W, R12B, 13),
  GENERAL(R13, R13D, R13W, R13B, 14),
  GENERAL(R14, R14D, R14W, R14B, 15),
  GENERAL(R15, R15D, R15W, R15B, 16),
  [X86_REG_AH] = 1,
  [X86_REG_CH] = 2,
  [X86_REG_DH] = 3,
  [X86_REG_BH] = 4,
  [X86_REG_EFLAGS] = WEIR_TRACE_FLAGS,
  [X86_REG_RIP] = WEIR_TRACE_PC,
  [X86_REG_EIP] = WEIR_TRACE_PC,
  [X86_REG_IP] = WEIR_TRACE_PC,
  VECTORS(0),
  VECTORS(1),
  VECTORS(2),
  VECTORS(3),
  VECTORS(4),
  VECTORS(5),
  VECTORS(6),
  VECTORS(7),
  VECTORS(8),
  VECTORS(9),
  VECTORS(10),
  VECTORS(11),
  VECTORS(12),
  VECTORS(13),
  VECTORS(14),
  VECTORS(15),
  VECTORS(16),
  VECTORS(17),
  VECTORS(18),
  VECTORS(19),
  VECTORS(20),
  VECTORS(21),
  VECTORS(22),
  VECTORS(23),
  VECTORS(24),
  VECTORS(25),
  VECTORS(26),
  VECTORS(27),
  VECTORS(28),
  VECTORS(29),
  VECTORS(30),
  VECTORS(31),
  STACKED(0),
  STACKED(1),
  STACKED(2),
  STACKED(3),
  STACKED(4),
  STACKED(5),
  STACKED(6),
  STACKED(7),
  [X86_REG_K0] = MASK,
  [X86_REG_K1] = MASK + 1,
  [X86_REG_K2] = MASK + 2,
  [X86_REG_K3] = MASK + 3,
  [X86_REG_K4] = MASK + 4,
  [X86_REG_K5] = MASK + 5,
  [X86_REG_K6] = MASK + 6,
  [X86_REG_K7] = MASK + 7,
  [X86_REG_CS] = SEGMENT,
  [X86_REG_DS] = SEGMENT,
  [X86_REG_ES] = SEGMENT,
  [X86_REG_FS] = SEGMENT,
  [X86_REG_GS] = SEGMENT,
  [X86_REG_SS] = SEGMENT,
  [X86_REG_FPSW] = X87_STATUS,
};

static uint8_t number_of(unsigned reg) {
  if (reg >= X86_REG_CR0 && reg <= X86_REG_DR15) return CONTROL;
  return reg < X86_REG_ENDING ? numbers[reg] : 0;
}

static void add(uint8_t *list, uint8_t *count, uint8_t number) {
  if (!number || *count == WEIR_TRACE_REGISTERS || (*count && memchr(list, number, *count))) return;
  list[(*count)++] = number;
}

static void drop(uint8_t *list, uint8_t *count, uint8_t number) {
  uint8_t kept = 0;
  for (uint8_t i = 0; i < *count; i++)
    if (list[i] != number) list[kept++] = list[i];
  memset(list + kept, 0, (size_t)(*count - kept));
  *count = kept;
}

static bool zeroes_itself(const cs_insn *insn) { // xor eax, eax: depends on nothing
  const cs_x86 *x86 = &insn->detail->x86;
  switch (insn->id) {
  case X86_INS_XOR:
  case X86_INS_SUB:
  case X86_INS_PXOR:
  case X86_INS_XORPS:
  case X86_INS_XORPD:
    return x86->op_count == 2 && x86->operands[0].type == X86_OP_REG && x86->operands[1].type == X86_OP_REG &&
      x86->operands[0].reg == x86->operands[1].reg;
  default: return false;
  }
}

// fs and gs never change where a program runs, so reading them is no dependence.
static void registers(struct weir_trace_static *to, csh handle, const cs_insn *insn) {
  cs_regs read, written;
  uint8_t reads = 0, writes = 0;
  if (cs_regs_access(handle, insn, read, &reads, written, &writes)) return;
  for (uint8_t i = 0; i < writes; i++) add(to->destinations, &to->destination_count, number_of(written[i]));
  for (uint8_t i = 0; i < reads && !zeroes_itself(insn); i++)
    if (number_of(read[i]) != SEGMENT) add(to->sources, &to->source_count, number_of(read[i]));
}

// ---- branches -------------------------------------------------------------------------------------------------------

static bool target_is_known(const cs_insn *insn) {
  const cs_x86 *x86 = &insn->detail->x86;
  return x86->op_count && x86->operands[x86->op_count - 1].type == X86_OP_IMM;
}

static bool in_group(const cs_insn *insn, uint8_t group) {
  return memchr(insn->detail->groups, group, insn->detail->groups_count);
}

static enum weir_trace_branch branch_of(const cs_insn *insn) {
  if (in_group(insn, CS_GRP_RET) || insn->id == X86_INS_RET) return WEIR_TRACE_RETURN;
  if (in_group(insn, CS_GRP_CALL)) return target_is_known(insn) ? WEIR_TRACE_CALL : WEIR_TRACE_INDIRECT_CALL;
  if (insn->id == X86_INS_JMP) return target_is_known(insn) ? WEIR_TRACE_JUMP : WEIR_TRACE_INDIRECT;
  switch (insn->id) {
  case X86_INS_LOOP:
  case X86_INS_LOOPE:
  case X86_INS_LOOPNE:
  case X86_INS_JRCXZ:
  case X86_INS_JECXZ: return WEIR_TRACE_CONDITIONAL;
  default: return in_group(insn, CS_GRP_JUMP) ? WEIR_TRACE_CONDITIONAL : WEIR_TRACE_NO_BRANCH;
  }
}

// Its registers as ChampSim has them (docs/TRACES.md): every branch writes the PC; what jumps relative to it reads it.
static void branch_registers(struct weir_trace_static *to) {
  if (!to->branch) {
    drop(to->sources, &to->source_count, WEIR_TRACE_PC);
    drop(to->destinations, &to->destination_count, WEIR_TRACE_PC);
    return;
  }
  add(to->destinations, &to->destination_count, WEIR_TRACE_PC);
  const bool stack =
    to->branch == WEIR_TRACE_CALL || to->branch == WEIR_TRACE_INDIRECT_CALL || to->branch == WEIR_TRACE_RETURN;
  if (stack) {
    add(to->sources, &to->source_count, WEIR_TRACE_STACK_POINTER);
    add(to->destinations, &to->destination_count, WEIR_TRACE_STACK_POINTER);
  }
  drop(to->sources, &to->source_count, WEIR_TRACE_PC);
  if (to->branch != WEIR_TRACE_INDIRECT && to->branch != WEIR_TRACE_RETURN)
    add(to->sources, &to->source_count, WEIR_TRACE_PC);
}

// ---- latency --------------------------------------------------------------------------------------------------------

static const struct {
  const char *begins;
  enum weir_trace_kind kind;
} mnemonics[] = {
  // the first that fits
  {"syscall", WEIR_TRACE_SYSTEM},      {"cpuid", WEIR_TRACE_SYSTEM},        {"mfence", WEIR_TRACE_SYSTEM},
  {"lfence", WEIR_TRACE_SYSTEM},       {"sfence", WEIR_TRACE_SYSTEM},       {"xgetbv", WEIR_TRACE_SYSTEM},
  {"rdtsc", WEIR_TRACE_SYSTEM},        {"xsave", WEIR_TRACE_SYSTEM},        {"xrstor", WEIR_TRACE_SYSTEM},
  {"fxsave", WEIR_TRACE_SYSTEM},       {"fxrstor", WEIR_TRACE_SYSTEM},      {"int", WEIR_TRACE_SYSTEM},
  {"imul", WEIR_TRACE_MULTIPLY},       {"mulx", WEIR_TRACE_MULTIPLY},       {"div", WEIR_TRACE_DIVIDE},
  {"idiv", WEIR_TRACE_DIVIDE},         {"fmul", WEIR_TRACE_FLOAT_MULTIPLY}, {"fimul", WEIR_TRACE_FLOAT_MULTIPLY},
  {"fdiv", WEIR_TRACE_FLOAT_DIVIDE},   {"fidiv", WEIR_TRACE_FLOAT_DIVIDE},  {"fsqrt", WEIR_TRACE_FLOAT_DIVIDE},
  {"fsin", WEIR_TRACE_FLOAT_DIVIDE},   {"fcos", WEIR_TRACE_FLOAT_DIVIDE},   {"fptan", WEIR_TRACE_FLOAT_DIVIDE},
  {"fpatan", WEIR_TRACE_FLOAT_DIVIDE}, {"fyl2x", WEIR_TRACE_FLOAT_DIVIDE},  {"f2xm1", WEIR_TRACE_FLOAT_DIVIDE},
  {"fprem", WEIR_TRACE_FLOAT_DIVIDE},  {"fscale", WEIR_TRACE_FLOAT_DIVIDE}, {"fld", WEIR_TRACE_INTEGER},
  {"fst", WEIR_TRACE_INTEGER},         {"fxch", WEIR_TRACE_INTEGER},        {"fnst", WEIR_TRACE_INTEGER},
  {"f", WEIR_TRACE_FLOAT_ADD},
};

// Of SSE and AVX, without the v of AVX.
static enum weir_trace_kind vector_kind(const char *name) {
  const size_t length = strlen(name);
  static const char *const multiply[] = {"mul", "fmadd", "fmsub", "fnmadd", "fnmsub", "dpp"};
  static const char *const divide[] = {"div", "sqrt"};
  static const char *const additive[] = {"add", "sub", "max", "min", "cmp", "round", "hadd", "hsub"};
  const bool is_float = length > 2 && (name[length - 2] == 'p' || name[length - 2] == 's') &&
    (name[length - 1] == 's' || name[length - 1] == 'd');
  if (!strncmp(name, "cvt", 3) || !strncmp(name, "comis", 5) || !strncmp(name, "ucomis", 6))
    return WEIR_TRACE_FLOAT_ADD;
  if (!strncmp(name, "pmul", 4) || !strncmp(name, "pmadd", 5)) return WEIR_TRACE_MULTIPLY;
  for (unsigned i = 0; is_float && i < sizeof multiply / sizeof *multiply; i++)
    if (!strncmp(name, multiply[i], strlen(multiply[i]))) return WEIR_TRACE_FLOAT_MULTIPLY;
  for (unsigned i = 0; is_float && i < sizeof divide / sizeof *divide; i++)
    if (!strncmp(name, divide[i], strlen(divide[i]))) return WEIR_TRACE_FLOAT_DIVIDE;
  for (unsigned i = 0; is_float && i < sizeof additive / sizeof *additive; i++)
    if (!strncmp(name, additive[i], strlen(additive[i]))) return WEIR_TRACE_FLOAT_ADD;
  return WEIR_TRACE_VECTOR;
}

static bool uses_vectors(const struct weir_trace_static *s) {
  for (unsigned i = 0; i < s->source_count + s->destination_count; i++) {
    const uint8_t number = i < s->source_count ? s->sources[i] : s->destinations[i - s->source_count];
    if (number >= VECTOR && number < X87) return true;
  }
  return false;
}

static enum weir_trace_kind kind_of(const cs_insn *insn, const struct weir_trace_static *s) {
  const char *name = insn->mnemonic;
  for (size_t prefix; (prefix = !strncmp(name, "lock ", 5) ? 5
                         : !strncmp(name, "rep ", 4)       ? 4
                         : !strncmp(name, "repe ", 5)      ? 5
                         : !strncmp(name, "repne ", 6)     ? 6
                         : !strncmp(name, "notrack ", 8)   ? 8
                                                           : 0);)
    name += prefix;
  if (uses_vectors(s)) return vector_kind(name + (name[0] == 'v'));
  if (!strcmp(name, "mul")) return WEIR_TRACE_MULTIPLY;
  for (unsigned i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
    if (!strncmp(name, mnemonics[i].begins, strlen(mnemonics[i].begins))) return mnemonics[i].kind;
  return WEIR_TRACE_INTEGER;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static uint8_t base_of(const x86_op_mem *mem) {
  return number_of(mem->base != X86_REG_INVALID ? mem->base : mem->index);
}

static void bases(struct weir_x86 *to, const cs_insn *insn) {
  const cs_x86 *x86 = &insn->detail->x86;
  uint8_t load = 0, store = 0;
  for (uint8_t i = 0; i < x86->op_count; i++) {
    if (x86->operands[i].type != X86_OP_MEM || insn->id == X86_INS_LEA) continue;
    const uint8_t base = base_of(&x86->operands[i].mem), access = x86->operands[i].access;
    if (access & CS_AC_READ && !load) load = base;
    if (access & CS_AC_WRITE && !store) store = base;
    to->loads_and_stores |= access == (CS_AC_READ | CS_AC_WRITE);
  }
  if (insn->detail->x86.prefix[0] == X86_PREFIX_LOCK || insn->id == X86_INS_XCHG) to->loads_and_stores = true;
  to->load_base = load ? load : store ? store : WEIR_TRACE_STACK_POINTER;
  to->store_base = store ? store : WEIR_TRACE_STACK_POINTER;
}

void weir_x86_decode(struct weir_x86 *to, uint64_t pc, const void *bytes, size_t size) {
  static csh handle;
  *to = (struct weir_x86){.what = {.pc = pc, .length = (uint8_t)size, .kind = WEIR_TRACE_INTEGER}};
  if (!handle && (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) || cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON))) {
    fputs("weir: capstone cannot be started\n", stderr);
    exit(WEIR_EXIT_INTERNAL);
  }
  cs_insn *insn;
  if (!cs_disasm(handle, bytes, size, pc, 1, &insn)) return;
  registers(&to->what, handle, insn);
  to->what.branch = (uint8_t)branch_of(insn);
  branch_registers(&to->what);
  to->what.kind = (uint8_t)kind_of(insn, &to->what);
  bases(to, insn);
  cs_free(insn, 1);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/champsim.h"

#include <string.h>

enum {
  AT_BRANCH = 8,
  AT_TAKEN = 9,
  AT_WRITTEN = 10,
  AT_READ = AT_WRITTEN + WEIR_CHAMPSIM_WRITTEN,
  AT_STORES = 16,
  AT_LOADS = AT_STORES + 8 * WEIR_CHAMPSIM_WRITTEN,
  SOME_REGISTER = 127, // stands for what an indirect branch reads, where that is memory alone
};

static uint64_t take64(const uint8_t *from) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; i++) value |= (uint64_t)from[i] << (8 * i);
  return value;
}

static void put64(uint8_t *to, uint64_t value) {
  for (unsigned i = 0; i < 8; i++) to[i] = (uint8_t)(value >> (8 * i));
}

bool weir_champsim_plausible(const uint8_t record[WEIR_CHAMPSIM_BYTES]) {
  return record[AT_BRANCH] <= 1 && record[AT_TAKEN] <= 1 && take64(record);
}

// ---- reading --------------------------------------------------------------------------------------------------------

static uint8_t take_registers(const uint8_t *from, unsigned most, uint8_t *to) {
  uint8_t count = 0;
  for (unsigned i = 0; i < most; i++)
    if (from[i]) to[count++] = from[i];
  return count;
}

static bool has(const uint8_t *registers, unsigned count, uint8_t which) {
  return count && memchr(registers, which, count);
}

static bool reads_other(const struct weir_trace_static *s) {
  for (unsigned i = 0; i < s->source_count; i++)
    if (s->sources[i] != WEIR_TRACE_STACK_POINTER && s->sources[i] != WEIR_TRACE_FLAGS &&
        s->sources[i] != WEIR_TRACE_PC)
      return true;
  return false;
}

// By what it reads and writes, in ChampSim's order of asking.
static enum weir_trace_branch branch_of(const struct weir_trace_static *s) {
  const bool sp = has(s->sources, s->source_count, WEIR_TRACE_STACK_POINTER);
  const bool flags = has(s->sources, s->source_count, WEIR_TRACE_FLAGS);
  const bool pc = has(s->sources, s->source_count, WEIR_TRACE_PC), other = reads_other(s);
  const bool to_sp = has(s->destinations, s->destination_count, WEIR_TRACE_STACK_POINTER);
  if (!has(s->destinations, s->destination_count, WEIR_TRACE_PC)) return WEIR_TRACE_NO_BRANCH;
  if (!sp && !flags && !other) return WEIR_TRACE_JUMP;
  if (!sp && !pc && !flags && other) return WEIR_TRACE_INDIRECT;
  if (!sp && pc && !to_sp && (flags || other)) return WEIR_TRACE_CONDITIONAL;
  if (sp && pc && to_sp && !flags) return other ? WEIR_TRACE_INDIRECT_CALL : WEIR_TRACE_CALL;
  return sp && !pc && to_sp ? WEIR_TRACE_RETURN : WEIR_TRACE_OTHER_BRANCH;
}

void weir_champsim_take(const uint8_t record[WEIR_CHAMPSIM_BYTES], struct weir_trace_static *what,
                        uint64_t *addresses) {
  *what = (struct weir_trace_static){.pc = take64(record), .kind = WEIR_TRACE_UNKNOWN};
  what->destination_count = take_registers(record + AT_WRITTEN, WEIR_CHAMPSIM_WRITTEN, what->destinations);
  what->source_count = take_registers(record + AT_READ, WEIR_CHAMPSIM_READ, what->sources);
  what->branch = (uint8_t)branch_of(what);
  if (!what->branch && record[AT_BRANCH]) what->branch = WEIR_TRACE_OTHER_BRANCH;
  what->taken = what->branch && record[AT_TAKEN];
  for (unsigned i = 0; i < WEIR_CHAMPSIM_READ + WEIR_CHAMPSIM_WRITTEN; i++) {
    const bool store = i >= WEIR_CHAMPSIM_READ;
    const uint64_t address = take64(record + (store ? AT_STORES + 8 * (i - WEIR_CHAMPSIM_READ) : AT_LOADS + 8 * i));
    if (!address) continue;
    addresses[what->access_count] = address;
    what->accesses[what->access_count++].store = store;
  }
}

// ---- writing --------------------------------------------------------------------------------------------------------

static bool add(uint8_t *registers, unsigned most, uint8_t which) {
  for (unsigned i = 0; i < most; i++) {
    if (registers[i] == which) return true;
    if (registers[i]) continue;
    registers[i] = which;
    return true;
  }
  return false;
}

// What makes ChampSim see the branch that it is comes first; then there is room for one that is read besides, if any.
static void put_branch(const struct weir_trace_static *s, uint8_t *written, uint8_t *read) {
  const bool call = s->branch == WEIR_TRACE_CALL || s->branch == WEIR_TRACE_INDIRECT_CALL;
  const bool indirect = s->branch == WEIR_TRACE_INDIRECT || s->branch == WEIR_TRACE_INDIRECT_CALL;
  if (s->branch == WEIR_TRACE_NO_BRANCH || s->branch == WEIR_TRACE_OTHER_BRANCH) return;
  add(written, WEIR_CHAMPSIM_WRITTEN, WEIR_TRACE_PC);
  if (call || s->branch == WEIR_TRACE_RETURN) {
    add(written, WEIR_CHAMPSIM_WRITTEN, WEIR_TRACE_STACK_POINTER);
    add(read, WEIR_CHAMPSIM_READ, WEIR_TRACE_STACK_POINTER);
  }
  if (call || s->branch == WEIR_TRACE_JUMP || s->branch == WEIR_TRACE_CONDITIONAL)
    add(read, WEIR_CHAMPSIM_READ, WEIR_TRACE_PC);
  if (s->branch == WEIR_TRACE_CONDITIONAL && has(s->sources, s->source_count, WEIR_TRACE_FLAGS))
    add(read, WEIR_CHAMPSIM_READ, WEIR_TRACE_FLAGS);
  if (indirect && !reads_other(s)) add(read, WEIR_CHAMPSIM_READ, SOME_REGISTER);
}

// Registers that would make ChampSim see another branch.
static bool may_be_read(const struct weir_trace_static *s, uint8_t which) {
  const bool other = which != WEIR_TRACE_STACK_POINTER && which != WEIR_TRACE_FLAGS && which != WEIR_TRACE_PC;
  switch (s->branch) {
  case WEIR_TRACE_JUMP:
  case WEIR_TRACE_CALL: return false;
  case WEIR_TRACE_INDIRECT:
  case WEIR_TRACE_INDIRECT_CALL:
  case WEIR_TRACE_CONDITIONAL: return other;
  case WEIR_TRACE_RETURN: return which != WEIR_TRACE_PC;
  default: return true;
  }
}

static bool put_accesses(const struct weir_trace_inst *inst, uint8_t record[WEIR_CHAMPSIM_BYTES]) {
  unsigned loads = 0, stores = 0;
  bool all = true;
  for (unsigned k = 0; k < inst->what->access_count; k++) {
    const bool store = inst->what->accesses[k].store;
    unsigned *const n = store ? &stores : &loads;
    if (*n == (store ? WEIR_CHAMPSIM_WRITTEN : WEIR_CHAMPSIM_READ))
      all = false;
    else
      put64(record + (store ? AT_STORES : AT_LOADS) + 8 * (*n)++, inst->addresses[k]);
  }
  return all;
}

bool weir_champsim_put(const struct weir_trace_inst *inst, uint8_t record[WEIR_CHAMPSIM_BYTES]) {
  const struct weir_trace_static *s = inst->what;
  uint8_t *const written = record + AT_WRITTEN, *const read = record + AT_READ;
  bool all = true;
  memset(record, 0, WEIR_CHAMPSIM_BYTES);
  put64(record, s->pc);
  record[AT_BRANCH] = s->branch != WEIR_TRACE_NO_BRANCH;
  record[AT_TAKEN] = s->taken;
  put_branch(s, written, read);
  for (unsigned i = 0; i < s->destination_count; i++) all &= add(written, WEIR_CHAMPSIM_WRITTEN, s->destinations[i]);
  for (unsigned i = 0; i < s->source_count; i++)
    if (may_be_read(s, s->sources[i])) all &= add(read, WEIR_CHAMPSIM_READ, s->sources[i]);
  return put_accesses(inst, record) && all;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/occupancy.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAID = 65535 };

const char *weir_occupancy_limit_name(enum weir_occupancy_limit l) {
  static const char *const names[] = {
#define X(name, text) [WEIR_LIMITED_BY_##name] = text,
    WEIR_OCCUPANCY_LIMITS(X)
#undef X
  };
  return names[l];
}

const char *weir_registers_by_name(enum weir_registers_by by) {
  static const char *const names[] = {
#define X(name, text) [WEIR_REGISTERS_BY_##name] = text,
    WEIR_REGISTERS_BY(X)
#undef X
  };
  return names[by];
}

// ---- core.kernel_registers --------------------------------------------------------------------------------------------

// One part of the list at *at, which moves behind it: its kernel's name, of *length (0: all kernels), and the number; 0 if
// it is none.
static uint32_t next_said(const char **at, const char **name, size_t *length) {
  const char *start = *at, *end = start + strcspn(start, ","), *equals = end;
  while (equals > start && *equals != '=') equals--;
  const char *number = *equals == '=' ? equals + 1 : start;
  char *rest;
  const unsigned long n = *number >= '0' && *number <= '9' ? strtoul(number, &rest, 10) : 0;
  const bool good = n && n <= MOST_SAID && rest == end;
  *name = start;
  *length = *equals == '=' ? (size_t)(equals - start) : 0;
  *at = *end ? end + 1 : end;
  return good && (*equals != '=' || *length) ? (uint32_t)n : 0;
}

uint32_t weir_registers_said(const char *kernel_registers, const char *kernel) {
  uint32_t all = 0;
  for (const char *at = kernel_registers, *name; at && *at;) {
    size_t length;
    const uint32_t n = next_said(&at, &name, &length);
    if (!length)
      all = n;
    else if (kernel && strlen(kernel) == length && !strncmp(kernel, name, length))
      return n;
  }
  return all;
}

char *weir_registers_kernel(const char **at) {
  while (**at) {
    const char *name;
    size_t length;
    next_said(at, &name, &length);
    if (length) return weir_text_format("%.*s", (int)length, name);
  }
  return NULL;
}

const char *weir_registers_wrong(const char *kernel_registers) {
  if (!strcmp(kernel_registers, "estimated")) return NULL;
  for (const char *at = kernel_registers, *name; at && *at;) {
    size_t length;
    if (!next_said(&at, &name, &length))
      return "must be estimated, or N or KERNEL=N with commas between, N from 1 to 65535";
  }
  return NULL;
}

// ---- occupancy ----------------------------------------------------------------------------------------------------------

static uint64_t product(const uint32_t d[3]) {
  return (uint64_t)d[0] * d[1] * d[2];
}

static uint64_t round_down(uint64_t n, uint64_t unit) {
  return n / unit * unit;
}

// Of a thread, if so many warps are to fit the core.
static uint64_t registers_of(const struct weir_core_config *k, uint64_t warps) {
  return round_down(round_down(k->registers / warps, k->warp_register_unit) / k->warp_lanes, k->register_unit);
}

// What an assembler may give a thread: .maxnreg; and so few that .minnctapersm blocks (one, if not given) of as many threads
// as .reqntid or .maxntid say fit the core (PTX ISA, "Performance-Tuning Directives").
static uint64_t most_registers(const struct weir_core_config *k, const struct weir_kernel *kernel) {
  uint64_t most = k->thread_registers;
  if (kernel->maxnreg && kernel->maxnreg < most) most = kernel->maxnreg;
  const uint64_t threads = kernel->reqntid[0] ? product(kernel->reqntid) : product(kernel->maxntid);
  if (!threads) return most;
  const uint64_t blocks = kernel->minnctapersm ? kernel->minnctapersm : 1;
  const uint64_t fits = registers_of(k, blocks * weir_div_up(threads, k->warp_lanes));
  return fits && fits < most ? fits : most;
}

// An estimate that leaves no room for the block that is launched is wrong: a program that runs is assembled for it.
static void choose_registers(struct weir_occupancy *o, const struct weir_core_config *k,
                             const struct weir_kernel *kernel, uint32_t registers, uint64_t warps) {
  const uint32_t said[] = {
    [WEIR_REGISTERS_BY_CHIP] = weir_registers_said(k->kernel_registers, kernel->name),
    [WEIR_REGISTERS_BY_LAUNCH] = registers,
    [WEIR_REGISTERS_BY_PTXAS] = weir_registers_said(k->ptxas_registers, kernel->name),
    [WEIR_REGISTERS_BY_MACHINE_CODE] = kernel->registers_counted ? kernel->registers : 0,
  };
  o->by = WEIR_REGISTERS_BY_CHIP;
  while (o->by != WEIR_REGISTERS_BY_ESTIMATE && !said[o->by]) o->by--;
  o->registers = said[o->by];
  if (o->registers) return;
  const uint64_t most = most_registers(k, kernel);
  o->registers = kernel->registers < most ? kernel->registers : (uint32_t)most;
  o->spilled = kernel->registers - o->registers;
  const uint64_t fits = registers_of(k, warps ? warps : 1);
  if (fits && fits < o->registers) o->registers = (uint32_t)fits;
}

static void limit(struct weir_occupancy *o, enum weir_occupancy_limit by, uint64_t have, uint64_t each) {
  if (!each || have / each >= o->blocks) return;
  o->blocks = (uint32_t)(have / each);
  o->limit = by;
}

struct weir_occupancy weir_occupancy(const struct weir_core_config *k, const struct weir_kernel *kernel,
                                     uint32_t registers, uint64_t block_threads, uint64_t dynamic_shared_bytes,
                                     uint8_t preference) {
  struct weir_occupancy o = {.blocks = k->max_blocks, .limit = WEIR_LIMITED_BY_BLOCKS};
  const uint64_t warps = weir_div_up(block_threads, k->warp_lanes);
  const uint64_t shared = weir_dynamic_shared_base(kernel) + dynamic_shared_bytes + k->block_reserved_bytes;
  choose_registers(&o, k, kernel, registers, warps);
  const uint64_t thread = weir_div_up(o.registers, k->register_unit) * k->register_unit;
  const uint64_t warp = weir_div_up(thread * k->warp_lanes, k->warp_register_unit) * k->warp_register_unit;
  limit(&o, WEIR_LIMITED_BY_WARPS, k->max_warps, warps);
  struct weir_occupancy others = o;
  limit(&others, WEIR_LIMITED_BY_REGISTERS, k->registers, warp * warps);
  o.carveout = weir_carveout_choose(k, shared, others.blocks, preference);
  const uint64_t carved = (uint64_t)o.carveout.kib << 10;
  limit(&o, WEIR_LIMITED_BY_SHARED, k->unified_kib && carved < k->shared_bytes ? carved : k->shared_bytes, shared);
  limit(&o, WEIR_LIMITED_BY_REGISTERS, k->registers, warp * warps);
  if (kernel->multiplies && !k->matrix_units) o.blocks = 0;
  return o;
}

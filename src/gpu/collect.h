// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The operand collector: registers lie in banks that serve one access per cycle; an instruction holds a collector from the
// cycle after issue until its last operand is read. Register r of warp w lies in bank (r + w) mod banks (GPGPU-Sim
// shader.cc, register_bank). Every instruction comes here, so all of this is compiled into who issues it.
#ifndef WEIR_GPU_COLLECT_H
#define WEIR_GPU_COLLECT_H

#include "gpu/sm.h"

#include "base/bits.h"

static inline struct weir_register_bank *weir_bank_of(struct weir_sm *m, uint32_t r, uint32_t warp, uint32_t banks) {
  return &m->banks[weir_is_pow2(banks) ? (r + warp) & (banks - 1) : (r + warp) % banks];
}

// Reads wait at their bank in the order in which they came, also behind one whose collector is busy with another bank, and for
// the first cycle in which nothing is written to it. Beyond the window nothing is known to be.
static inline weir_cycle weir_read_register(struct weir_register_bank *b, weir_cycle from) {
  weir_cycle at = weir_later(b->free_from, from);
  while (at - b->writes_from < 64 && b->writes >> (at - b->writes_from) & 1) at++;
  b->free_from = at + 1;
  return at;
}

// Reads the operands of an instruction issued now, from cycle `from` on, when there is a collector for it, a register per bank and
// cycle; returns the cycle in which the last is read.
static inline weir_cycle weir_sm_collect(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d, weir_cycle now,
                                         weir_cycle from) {
  const uint32_t banks = m->shared->config->register_banks, per_cycle = m->shared->config->collector_reads;
  const uint32_t *reads = d->registers + d->writes;
  const weir_cycle taken = weir_later(now + 1, from);
  // In GPGPU-Sim an instruction without operands goes on at once.
  weir_cycle last = taken + (d->operands || !m->shared->config->unit_conflicts);
  if (!banks) return last;
  m->bank_cycle = now;
  for (unsigned i = 0, in_cycle = 0; i < d->operands; i++, in_cycle++) {
    if (in_cycle == per_cycle) {
      in_cycle = 0;
      last++;
    }
    last = weir_read_register(weir_bank_of(m, reads[i], warp, banks), last);
  }
  return last;
}

// Its results take their banks in cycle `when`. The bank's window of writes moves up to the core's only when one is added: what
// has passed is not asked for.
static inline void weir_sm_write_registers(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d,
                                           weir_cycle when) {
  const uint32_t banks = m->shared->config->register_banks;
  if (!banks || when - m->bank_cycle >= 64) return;
  for (unsigned i = 0; i < d->writes; i++) {
    struct weir_register_bank *b = weir_bank_of(m, d->registers[i], warp, banks);
    const uint64_t by = m->bank_cycle - b->writes_from;
    b->writes = (by < 64 ? b->writes >> by : 0) | UINT64_C(1) << (when - m->bank_cycle);
    b->writes_from = m->bank_cycle;
  }
}

#endif

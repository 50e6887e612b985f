// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The operand collector: registers lie in banks that serve one access per cycle; an instruction holds a collector from the
// cycle after issue until its last operand is read. Register r of warp w lies in bank (r + w) mod banks (GPGPU-Sim
// shader.cc, register_bank).
#include "gpu/sm.h"

#include "base/bits.h"

// Moves the window of booked cycles up to `now`.
static void slide(struct weir_sm *m, weir_cycle now) {
  uint64_t by = now - m->bank_cycle;
  if (!by) return;
  for (uint32_t b = 0; b < m->shared->config->register_banks; b++)
    m->bank_busy[b] = by < 64 ? m->bank_busy[b] >> by : 0;
  m->bank_cycle = now;
}

static uint32_t bank_of(uint32_t r, uint32_t warp, uint32_t banks) {
  return weir_is_pow2(banks) ? (r + warp) & (banks - 1) : (r + warp) % banks;
}

static weir_cycle *soonest(weir_cycle *collectors, uint32_t count) {
  weir_cycle *best = collectors;
  for (uint32_t i = 1; i < count; i++)
    if (collectors[i] < *best) best = &collectors[i];
  return best;
}

// The first cycle from `from` on in which nothing is written to the bank. Beyond the window nothing is known to be.
static weir_cycle unwritten(const struct weir_sm *m, uint32_t bank, weir_cycle from) {
  while (from - m->bank_cycle < 64 && m->bank_busy[bank] >> (from - m->bank_cycle) & 1) from++;
  return from;
}

// Reads wait at their bank in the order in which they came, also behind one whose collector is busy with another bank.
static weir_cycle read_register(struct weir_sm *m, uint32_t bank, weir_cycle from) {
  weir_cycle at = unwritten(m, bank, m->bank_free[bank] > from ? m->bank_free[bank] : from);
  m->bank_free[bank] = at + 1;
  return at;
}

weir_cycle weir_sm_collect(struct weir_sm *m, uint32_t warp, const struct weir_static *s, weir_cycle now,
                           weir_cycle *collectors, uint32_t count) {
  uint32_t banks = m->shared->config->register_banks, per_cycle = m->shared->config->collector_reads;
  weir_cycle *collector = count ? soonest(collectors, count) : NULL, taken = now + 1;
  if (collector && *collector > taken) taken = *collector;
  // GPGPU-Sim reads no guard, and an instruction without operands goes on at once.
  const bool exact = m->shared->config->unit_conflicts;
  const unsigned reads = exact ? s->operand_count : s->src_count;
  weir_cycle last = taken + (reads || !exact);
  if (banks) {
    slide(m, now);
    for (unsigned i = 0; i < reads; i++)
      last = read_register(m, bank_of(s->src[i], warp, banks), i && i % per_cycle == 0 ? last + 1 : last);
  }
  if (collector) *collector = last + 1;
  return last;
}

void weir_sm_write_registers(struct weir_sm *m, uint32_t warp, const struct weir_static *s, weir_cycle when) {
  uint32_t banks = m->shared->config->register_banks;
  if (!banks || when - m->bank_cycle >= 64) return;
  for (unsigned i = 0; i < s->dst_count; i++)
    m->bank_busy[bank_of(s->dst[i], warp, banks)] |= UINT64_C(1) << (when - m->bank_cycle);
}

weir_cycle *weir_sm_next_collector(struct weir_sm *m, bool special) {
  uint32_t count = special ? m->shared->config->special_collectors : m->shared->config->main_collectors;
  return count ? soonest(special ? m->special_collectors : m->main_collectors, count) : NULL;
}

weir_cycle weir_sm_collector_free(struct weir_sm *m, bool special) {
  const weir_cycle *next = weir_sm_next_collector(m, special);
  return next ? *next : 0;
}

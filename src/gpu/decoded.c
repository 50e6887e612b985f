// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/decoded.h"

#include "base/alloc.h"
#include "gpu/wheel.h"

#include <string.h>

// Of what does not go to the load/store unit.
static const struct weir_latency_config *latency_of(const struct weir_core_config *k, const struct weir_static *s) {
  return &k->latency[s->op_class < WEIR_CLASS_FENCE ? s->op_class : WEIR_CLASS_INT_LOGIC];
}

// Where in the scoreboard its registers lie.
static void place(struct weir_decoded *d) {
  d->first_word = UINT32_MAX;
  for (unsigned i = 0; i < d->count; i++)
    if (d->registers[i] / 64 < d->first_word) d->first_word = d->registers[i] / 64;
  if (!d->count) d->first_word = 0;
  for (unsigned i = 0; i < d->count; i++) {
    const uint32_t word = d->registers[i] / 64 - d->first_word;
    const uint64_t bit = UINT64_C(1) << d->registers[i] % 64;
    d->scattered |= word > 1;
    d->touched[word & 1] |= bit;
    if (i < d->writes) d->written[word & 1] |= bit;
  }
}

// Machine instructions of the ordinary units that go through one after the other. The chip's row of what special units execute is of the whole
// sequence.
static uint32_t in_turn(const struct weir_latency_config *l, uint8_t slots) {
  return l->unit == WEIR_UNIT_MAIN ? slots : 1;
}

// Cycles that its steps take a unit, one after the other. A core looks so far ahead, and no farther: of an instruction with more steps than
// fit before that, as many as do.
static uint32_t in_steps(const struct weir_core_config *k, const struct weir_latency_config *l, uint32_t cycles,
                         uint8_t steps) {
  const uint32_t spent = k->operand_cycles + l->latency_cycles + k->writeback_cycles + 64;
  const uint32_t most = (WEIR_WHEEL_CYCLES - spent) / (k->unit_backlog + 2);
  if (steps < 2 || cycles * steps <= most) return steps ? cycles * steps : cycles;
  return cycles > most ? cycles : most;
}

enum { FAR = 64 }; // instructions behind it: those further off wait for nothing

static bool guards_first(const struct weir_static *statics, uint32_t count, uint32_t i, uint32_t number) {
  for (uint32_t k = i + 1; k < count && k - i <= FAR; k++) {
    const struct weir_static *s = &statics[k];
    if (weir_has_register(s->src, s->operand_count, number)) return false;
    if (weir_has_register(s->src + s->operand_count, s->src_count - s->operand_count, number)) return true;
    if (weir_has_register(s->dst, s->dst_count, number)) return false;
  }
  return false;
}

bool weir_writes_guard(const struct weir_static *statics, uint32_t count, uint32_t i) {
  for (unsigned k = 0; k < statics[i].dst_count; k++)
    if (guards_first(statics, count, i, statics[i].dst[k])) return true;
  return false;
}

void weir_decode_timing(struct weir_decoded *d, const struct weir_core_config *k, const struct weir_static *s,
                        bool loads_data, bool writes_guard) {
  const struct weir_latency_config *l = latency_of(k, s);
  const uint32_t passes = k->warp_lanes / k->lanes_per_cycle;
  const uint8_t slots = s->machine ? s->machine : 1;
  const uint32_t cycles = in_steps(k, l, l->interval_cycles * passes, s->steps);
  const bool memory = s->op_class >= WEIR_CLASS_FENCE && !weir_is_move(k, s);
  *d = (struct weir_decoded){
    .unit = (uint8_t)(memory ? WEIR_UNIT_MEMORY : l->unit),
    .writes = s->dst_count,
    .count = (uint8_t)(s->dst_count + s->src_count),
    // GPGPU-Sim reads no guard.
    .operands = k->unit_conflicts ? s->operand_count : s->src_count,
    .loads_data = loads_data,
    .results = s->dst_count || s->is_exit,
    .slots = slots,
    .beside = s->of_products && s->copy_role == WEIR_COPY_BEGIN,
    .least_cycles = (uint8_t)(writes_guard ? k->guard_cycles : 0),
    .stall_cycles = (uint8_t)(s->op_class == WEIR_CLASS_BRANCH ? k->branch_cycles : 0),
    .latency = l->latency_cycles,
    .occupancy = cycles * in_turn(l, slots),
    .result_cycles =
      l->latency_cycles + cycles * in_turn(l, slots) - l->interval_cycles * passes + passes - 1 + k->writeback_cycles,
  };
  memcpy(d->registers, s->dst, s->dst_count * sizeof *s->dst);
  memcpy(d->registers + s->dst_count, s->src, s->src_count * sizeof *s->src);
  place(d);
}

// ---- stall counts -----------------------------------------------------------------------------------------------------

enum { MOST_STALL = UINT8_MAX };

// A register's last writer, on a clock of the code in a row on which nothing waits for a load: when it issues, and when what reads it may.
struct write {
  uint64_t issued, ready;
  bool varies; // no count tells when
};

static uint32_t register_of(const struct weir_static *s, unsigned r) {
  return r < s->src_count ? s->src[r] : s->dst[r - s->src_count];
}

static uint32_t registers_of(const struct weir_static *statics, uint32_t count) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++)
    for (unsigned r = 0; r < statics[i].src_count + statics[i].dst_count; r++)
      if (register_of(&statics[i], r) >= n) n = register_of(&statics[i], r) + 1;
  return n;
}

// What stands behind it is not what runs next.
static bool goes_elsewhere(const struct weir_static *s) {
  return (s->op_class == WEIR_CLASS_BRANCH || s->is_exit) && s->src_count == s->operand_count;
}

static struct write write_of(const struct weir_decoded *d, const struct weir_core_config *k, uint64_t issued) {
  if (d->unit != WEIR_UNIT_MAIN) return (struct write){.issued = issued, .varies = true};
  const uint32_t cycles = k->operand_cycles + d->result_cycles;
  return (struct write){.issued = issued, .ready = issued + (cycles > d->least_cycles ? cycles : d->least_cycles)};
}

void weir_decode_stalls(struct weir_decoded *d, const struct weir_core_config *k, const struct weir_static *statics,
                        uint32_t count) {
  struct write *writes = weir_new_array(struct write, registers_of(statics, count) + 1);
  uint64_t now = 1, waited = 0; // when the next one issues, and when the last one did that waits for what varies
  for (uint32_t i = 0; i < count; i++) {
    const struct weir_static *s = &statics[i];
    uint64_t at = now, from = 0;
    bool waits = false;
    for (unsigned r = 0; r < s->src_count + s->dst_count; r++) {
      struct write *w = &writes[register_of(s, r)];
      waits |= w->varies;
      w->varies = false;
      if (w->ready > at) at = w->ready, from = w->issued;
    }
    if (at > now && waited > from && !d[i - 1].stall_cycles) {
      const uint64_t stall = at - now + d[i - 1].slots;
      d[i - 1].stall_cycles = (uint8_t)(stall < MOST_STALL ? stall : MOST_STALL);
    }
    if (waits) waited = at;
    for (unsigned r = 0; r < s->dst_count; r++) writes[s->dst[r]] = write_of(&d[i], k, at);
    now = at + (d[i].stall_cycles > d[i].slots ? d[i].stall_cycles : d[i].slots);
    if (goes_elsewhere(s)) now += WEIR_WHEEL_CYCLES; // longer than any result takes
  }
  weir_free(writes);
}

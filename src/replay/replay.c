// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "replay/replay.h"

#include "chip/replay.h"
#include "config/config.h"
#include "scheme/policies.h"

#include <string.h>

_Static_assert((int)WEIR_REPLAYED_LEVELS >= (int)WEIR_MAX_LEVELS, "a place for each level");

// ---- what can be replayed -----------------------------------------------------------------------------------------------

static bool number_is(const struct weir_recording *s, const char *name, uint32_t ours, const char *key,
                      const struct weir_chip_config *chip, struct weir_sink *sink) {
  const json_t *theirs = json_object_get(s->about, name);
  const json_int_t n = json_is_boolean(theirs) ? json_is_true(theirs) : json_integer_value(theirs);
  return n == ours ||
    weir_fail(sink, (struct weir_place){.file = s->path},
              "was recorded with %s %lld; the chip '%s' has %u, so its cores would ask for other things", key,
              (long long)n, chip->name, ours);
}

static bool at_most(const struct weir_recording *s, const char *name, uint32_t ours, const char *what,
                    const struct weir_chip_config *chip, struct weir_sink *sink) {
  const json_int_t n = json_integer_value(json_object_get(s->about, name));
  return (n >= 1 && n <= ours) ||
    weir_fail(sink, (struct weir_place){.file = s->path}, "was recorded with %lld %s; the chip '%s' has %u",
              (long long)n, what, chip->name, ours);
}

static bool cores_fit(const struct weir_recording *s, const struct weir_chip_config *chip, struct weir_sink *sink) {
  const struct weir_core_config *k = &chip->core;
  const bool alike = number_is(s, "warp_lanes", k->warp_lanes, "core.warp_lanes", chip, sink) &&
    number_is(s, "coalesce_bytes", k->coalesce_bytes, "core.coalesce_bytes", chip, sink) &&
    number_is(s, "coalesce_by_element", k->coalesce_by_element, "core.coalesce_by_element", chip, sink) &&
    number_is(s, "skip_l1_global", k->skip_l1_global, "core.skip_l1_global", chip, sink);
  return alike && at_most(s, "cores", k->count, "cores", chip, sink) &&
    at_most(s, "warps", k->max_warps, "warps of a core", chip, sink);
}

static bool knows_no_time(const struct weir_policy_choice *c, struct weir_sink *sink) {
  const struct weir_policy *p = c->policy;
  if (p->kind != WEIR_POLICY_THROTTLE && !p->epoch_cycles) return true;
  return weir_fail_plain(sink, "--scheme: the policy '%s' %s, and a replay has no time; weir run has", p->name,
                         p->kind == WEIR_POLICY_THROTTLE ? "holds warps back" : "decides by epochs");
}

static bool policies_fit(const struct weir_setup *setup, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned l = 0; l < setup->chip->caches_count; l++) {
    const struct weir_level_policies *p = weir_scheme_level(setup->scheme, l);
    ok &= knows_no_time(&p->replace, sink);
    for (unsigned i = 0; i < p->companion_count; i++) ok &= knows_no_time(&p->companions[i], sink);
  }
  return ok;
}

static bool fits(const struct weir_recording *s, const struct weir_setup *setup, const struct weir_experiment *e,
                 struct weir_sink *sink) {
  if (weir_chip_cpu_cores(setup->chip))
    return weir_fail_plain(sink, "--chip: '%s' has CPU cores; a recording is of a GPU alone", e->chip);
  if (weir_setup_foresees(setup) || weir_scheme_sweep_count(setup->scheme))
    return weir_fail_plain(sink, "--scheme: '%s' needs more than one run; a replay is one", e->scheme);
  return cores_fit(s, setup->chip, sink) && policies_fit(setup, sink);
}

// ---- the replay ---------------------------------------------------------------------------------------------------------

struct replay {
  struct weir_replay of;
  const struct weir_replay_options *options;
  const json_t *launches;
  const struct weir_core_config *core;
  uint64_t accesses;
};

static void memory(void *context, uint64_t address, uint32_t bytes, bool writes) {
  const struct replay *p = context;
  p->options->memory(p->options->context, p->of.now, address, bytes, writes);
}

static void access(struct replay *p, const struct weir_recorded *r) {
  struct weir_mreq *q = weir_replay_request(&p->of);
  *q = (struct weir_mreq){.address = r->address,
                          .place = r->address,
                          .bytes = (uint16_t)r->bytes,
                          .l1_hint = r->l1_hint & 63u,
                          .l2_prefetch = r->prefetch & 3u,
                          .l2_hint = r->l2_hint & 31u,
                          .pc = r->pc,
                          .core = r->core,
                          .warp = r->warp,
                          .mshr = WEIR_NO_MSHR,
                          .kind = r->kind & 7u,
                          .lanes = r->lanes,
                          .transactions = r->transactions,
                          .ready_warps = r->ready_warps,
                          .full = r->full,
                          .local = (r->flags & WEIR_RECORDING_LOCAL) != 0};
  weir_replay_access(&p->of, q, r->flags & WEIR_RECORDING_PAST);
  p->accesses++;
}

// What a damaged file could ask for and no core does.
static bool is_possible(const struct replay *p, const struct weir_recorded *r) {
  const uint64_t span = (r->address & 255) + r->bytes;
  const bool core = r->core < p->core->count && r->warp < p->core->max_warps && r->ready_warps <= p->core->max_warps &&
    r->transactions <= WEIR_TRANSACTIONS_COUNTED && r->lanes <= p->core->warp_lanes;
  return weir_replay_is_access(r) && core && r->bytes && span <= 256 && r->address < UINT64_C(1) << 56 &&
    r->l1_hint < WEIR_HINT_COUNT && r->l2_hint < WEIR_HINT_COUNT &&
    (r->kind != WEIR_MREQ_ATOMIC || r->flags & WEIR_RECORDING_PAST);
}

static bool take(struct replay *p, const struct weir_recorded *r) {
  if (r->cycle < p->of.now) return false;
  p->of.now = r->cycle;
  switch (r->kind) {
  case WEIR_RECORDING_COPY: weir_replay_copy(&p->of, r->address, r->bytes); return true;
  case WEIR_RECORDING_END: weir_replay_end_launch(&p->of); return true;
  case WEIR_RECORDING_LAUNCH: {
    const json_t *launch = json_array_get(p->launches, (size_t)r->address);
    const json_int_t kib = json_integer_value(json_object_get(launch, "carveout_kib"));
    const json_int_t latency = json_integer_value(json_object_get(launch, "fetch_cycles"));
    const bool ok = launch && kib >= 0 && kib <= UINT16_MAX && latency >= 0 && latency <= UINT32_MAX;
    if (ok)
      weir_replay_launch(&p->of, (uint32_t)kib,
                         p->options->fetch_cycles == WEIR_REPLAY_AS_RECORDED ? (weir_cycle)latency
                                                                             : p->options->fetch_cycles);
    return ok;
  }
  default: break;
  }
  if (!is_possible(p, r)) return false;
  access(p, r);
  return true;
}

enum { AHEAD = 8 };

// The record is some accesses ahead, and not yet known to be possible.
static void expect(const struct replay *p, const struct weir_recorded *r) {
  if (r->core < p->core->count && !(r->flags & WEIR_RECORDING_PAST)) weir_replay_expect(&p->of, r->core, r->address);
}

static bool take_all(struct replay *p, struct weir_recording *s, struct weir_sink *sink) {
  for (uint64_t n = 0; n < s->blocks; n++) {
    const struct weir_recorded *records;
    const uint32_t count = weir_recording_read(s, n, &records, sink);
    if (!count) return false;
    for (uint32_t i = 0; i < count; i++) {
      if (p->of.expects && i + AHEAD < count) expect(p, &records[i + AHEAD]);
      if (!take(p, &records[i]))
        return weir_fail(sink, (struct weir_place){.file = s->path}, "is damaged: record %llu is none",
                         (unsigned long long)(n * WEIR_RECORDING_BLOCK + i));
    }
  }
  return true;
}

static void sum_up(const struct replay *p, const struct weir_chip_config *chip, struct weir_replayed *out) {
  const struct weir_run_stats *n = weir_chip_total(p->of.chip);
  out->levels = chip->caches_count;
  for (unsigned l = 0; l < out->levels; l++) {
    out->names[l] = weir_chip_level_name(chip, l);
    out->loads[l] = n->levels[l].loads;
    out->stores[l] = n->levels[l].stores;
  }
  out->accesses = p->accesses;
  out->dram_reads = p->of.dram_reads;
  out->dram_writes = p->of.dram_writes;
  out->dram_bytes = p->of.dram_bytes;
}

bool weir_replay_recording(struct weir_recording *s, const struct weir_setup *setup, const struct weir_experiment *e,
                           const struct weir_replay_options *options, struct weir_replayed *out,
                           struct weir_sink *sink) {
  *out = (struct weir_replayed){0};
  if (!fits(s, setup, e, sink)) return false;
  struct weir_chip *chip = weir_chip_create(setup->chip, setup->scheme, e->seed, sink);
  if (!chip) return false;
  struct replay p = {.options = options, .launches = json_object_get(s->ends, "launches"), .core = &setup->chip->core};
  weir_replay_begin(&p.of, chip);
  if (options->memory) {
    p.of.memory = memory;
    p.of.context = &p;
  }
  const bool ok = take_all(&p, s, sink);
  if (ok) sum_up(&p, setup->chip, out);
  weir_chip_free(chip);
  return ok;
}

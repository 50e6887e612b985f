// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/members.h"

#include "base/alloc.h"
#include "chip/machine.h"

#include <string.h>

// ---- who serves what ------------------------------------------------------------------------------------------------------

// A core's neighbours are other members': blocks come to cores in turn, and where they are few, to the first ones.
uint8_t weir_owner_of_core(const void *chip, uint32_t core) {
  return (uint8_t)(core % ((const struct weir_chip *)chip)->members.count);
}

// A channel's slices are its own member's, and so are the two slices that share a shared cache's line between its partitions.
uint8_t weir_owner_of_channel(const void *chip, uint32_t channel) {
  const struct weir_chip *c = chip;
  const uint32_t channels = c->config->dram.channels;
  const bool paired = c->config->caches_count > 1 && c->config->caches[1].partitions == 2;
  if (paired && channels % 2) return 0;
  return (uint8_t)(channel % (paired ? channels / 2 : channels) % c->members.count);
}

uint8_t weir_owner_of_slice(const void *chip, uint32_t slice) {
  return weir_owner_of_channel(chip, slice / ((const struct weir_chip *)chip)->config->dram.slices_per_channel);
}

// ---- how many -------------------------------------------------------------------------------------------------------------

static bool is_ours(const struct weir_policy *policy) {
  unsigned count;
  const struct weir_policy *const *all = weir_policies(&count);
  for (unsigned i = 0; i < weir_policies_built_in(); i++)
    if (all[i] == policy) return true;
  return false;
}

// Who writes a policy outside of weir may keep something beside what the cache carves for it.
static bool are_ours(const struct weir_level_policies *p) {
  bool ours = is_ours(p->replace.policy);
  for (unsigned i = 0; i < p->companion_count; i++) ours &= is_ours(p->companions[i].policy);
  return ours;
}

// What several cores, or slices, share beside the network, and count or decide by in the order in which they are served.
static const char *shared_by_all(const struct weir_chip *c) {
  if (c->config->cpus_count) return "the chip has CPU cores";
  for (unsigned l = 0; l < c->config->caches_count; l++)
    if (c->config->caches[l].census) return "a census counts the lines of all caches of a level";
  if (c->foresight.records || c->foresight.told) return "a policy foresees";
  if (c->watch.by) return "a cache is looked at";
  for (unsigned l = 0; l < c->config->caches_count; l++)
    if (!are_ours(weir_scheme_level(c->scheme, l))) return "a policy is not one of weir's";
  return NULL;
}

static unsigned how_many(struct weir_chip *c) {
  if (c->threads <= 1) return 1;
  c->members.alone = shared_by_all(c);
  if (c->members.alone) return 1;
  const unsigned most = c->config->core.count < WEIR_MAX_CREW ? c->config->core.count : WEIR_MAX_CREW;
  return c->threads < most ? c->threads : most;
}

static uint32_t most_parts(const struct weir_chip *c) {
  const uint32_t cores = c->config->core.count, slices = weir_chip_slice_count(c);
  return cores > slices ? cores : slices;
}

void weir_members_build(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  m->count = how_many(c);
  m->all = weir_alloc_aligned(_Alignof(struct weir_chip_member), m->count * sizeof *m->all);
  m->asides = weir_new_array(struct weir_aside *, m->count);
  m->pools = weir_new_array(struct weir_mreq_pool *, m->count);
  for (unsigned k = 0; k < m->count; k++) {
    m->asides[k] = &m->all[k].aside;
    m->pools[k] = k ? &m->all[k].pool : &c->fabric.pool;
    m->all[k].shared.pool = m->pools[k];
    m->all[k].due = weir_new_array(uint32_t, most_parts(c));
    m->all[k].shared.stats = k ? &m->all[k].stats : &c->stats;
  }
  if (m->count > 1) m->crew = weir_crew_create(m->count);
}

void weir_members_free(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  weir_crew_free(m->crew);
  for (unsigned k = 0; k < m->count; k++) {
    weir_aside_free(&m->all[k].aside);
    weir_free(m->all[k].requests.asks);
    weir_free(m->all[k].replies.asks);
    weir_mreq_pool_free(m->pools[k]);
    weir_free(m->all[k].due);
    if (!k) continue;
    weir_free(m->all[k].shared.pcs);
    weir_free(m->all[k].shared.bank_counts);
  }
  weir_free(m->all);
  weir_free(m->asides);
  weir_free(m->pools);
}

static bool is_shared(const struct weir_policy_instance *i) {
  return i->view.scope && i->view.scope->count > 1;
}

static void look_for_scope(struct weir_cache *cache, void *found) {
  bool shared = is_shared(&cache->replace);
  for (unsigned i = 0; i < cache->params.companion_count; i++) shared |= is_shared(&cache->companions[i]);
  *(bool *)found |= shared;
}

void weir_members_wire(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  if (m->count == 1) return;
  bool shared = false;
  for (unsigned l = 1; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, look_for_scope, &shared);
  m->slices_side_by_side = !shared;
  struct weir_network *requests = &c->fabric.requests, *replies = &c->fabric.replies;
  requests->asks = weir_new_array(struct weir_network_asks *, requests->params.inputs);
  replies->asks = weir_new_array(struct weir_network_asks *, replies->params.inputs);
  for (uint32_t i = 0; i < requests->params.inputs; i++) requests->asks[i] = &m->all[weir_owner_of_core(c, i)].requests;
  for (uint32_t i = 0; i < replies->params.inputs; i++) replies->asks[i] = &m->all[weir_owner_of_slice(c, i)].replies;
}

// ---- counts -----------------------------------------------------------------------------------------------------------------

void weir_members_learn(struct weir_chip *c, uint32_t before, uint32_t count) {
  for (unsigned k = 0; k < c->members.count; k++) {
    struct weir_sm_shared *s = &c->members.all[k].shared;
    s->decoded = c->decoded;
    s->places = c->places;
    if (!k) {
      s->pcs = c->pcs;
      s->bank_counts = c->bank_counts;
    } else if (count > before) {
      s->pcs = weir_realloc(s->pcs, count * sizeof *s->pcs);
      s->bank_counts = weir_realloc(s->bank_counts, count * sizeof *s->bank_counts);
      memset(s->pcs + before, 0, (count - before) * sizeof *s->pcs);
      memset(s->bank_counts + before, 0, (count - before) * sizeof *s->bank_counts);
    }
  }
}

void weir_members_gather(struct weir_chip *c) {
  for (unsigned k = 1; k < c->members.count; k++) {
    weir_run_stats_add(&c->stats, &c->members.all[k].stats);
    c->members.all[k].stats = (struct weir_run_stats){0};
  }
}

void weir_members_gather_pcs(struct weir_chip *c) {
  for (unsigned k = 1; k < c->members.count; k++) {
    struct weir_sm_shared *s = &c->members.all[k].shared;
    for (uint32_t pc = 0; pc < c->pc_count; pc++) {
      weir_pc_stats_add(&c->pcs[pc], &s->pcs[pc]);
      weir_bank_counts_add(&c->bank_counts[pc], &s->bank_counts[pc]);
    }
    memset(s->pcs, 0, c->pc_count * sizeof *s->pcs);
    memset(s->bank_counts, 0, c->pc_count * sizeof *s->bank_counts);
  }
}

uint64_t weir_members_blocks(const struct weir_chip *c) {
  uint64_t n = c->stats.blocks;
  for (unsigned k = 1; k < c->members.count; k++) n += c->members.all[k].stats.blocks;
  return n;
}

// ---- a launch ---------------------------------------------------------------------------------------------------------------

// What comes in the order of the cores whatever they do.
static const char *ordered_by_core(const struct weir_launch *l) {
  if (l->kernel->served) return "they may call printf, malloc, free or assert";
  if (weir_cluster_blocks(l) > 1) return "blocks of a cluster reach each other's shared memory";
  return l->step_limit ? "--step-limit counts the instructions of all cores" : NULL;
}

void weir_members_begin_launch(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  const struct weir_launch *l = &m->all[0].clocked;
  const char *why = ordered_by_core(l);
  m->side_by_side = m->crew && !why;
  if (m->crew && why) m->launch_alone = why;
  for (unsigned k = 0; k < m->count; k++) {
    struct weir_chip_member *one = &m->all[k];
    if (k) {
      one->clocked = *l;
      one->clocked.steps = m->side_by_side ? &one->steps : l->steps;
    }
    one->meetings = 0;
    one->clocked.meetings = &one->meetings;
    one->shared.launch = &one->clocked;
  }
}

void weir_members_end_launch(struct weir_chip *c, const struct weir_launch *launch) {
  for (unsigned k = 0; k < c->members.count; k++) {
    weir_aside_finish(&c->members.all[k].aside);
    *launch->steps += c->members.all[k].steps;
    c->members.all[k].steps = 0;
  }
  weir_members_gather(c);
}

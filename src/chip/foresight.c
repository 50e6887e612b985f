// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/foresight.h"

#include "base/alloc.h"
#include "chip/machine.h"
#include "mem/oracle.h"

struct weir_records {
  uint32_t counts[WEIR_MAX_LEVELS]; // caches of each level; 0: it is not recorded
  struct weir_access_log **logs[WEIR_MAX_LEVELS];
  uint64_t *launches, launch_count, launch_capacity; // blocks of each
  uint16_t *cores;                                   // of each block, in the order of their start: that of the launches
  uint64_t block_count, block_capacity;
};

static bool level_foresees(const struct weir_scheme *scheme, unsigned level) {
  const struct weir_level_policies *p = weir_scheme_level(scheme, level);
  bool foresees = p->replace.policy->foresees;
  for (unsigned i = 0; i < p->companion_count; i++) foresees |= p->companions[i].policy->foresees;
  return foresees;
}

bool weir_chip_foresees(const struct weir_chip_config *config, const struct weir_scheme *scheme) {
  for (unsigned l = 0; l < config->caches_count; l++)
    if (level_foresees(scheme, l)) return true;
  return false;
}

void weir_chip_log_accesses(struct weir_chip *c) {
  c->foresight.records = true;
}

void weir_chip_foretell(struct weir_chip *c, const struct weir_records *records) {
  c->foresight.told = records;
}

// ---- beside the caches --------------------------------------------------------------------------------------------------

static void attach(struct weir_cache *cache, void *context) {
  struct weir_chip *c = context;
  const unsigned level = cache->params.level, i = cache->params.instance;
  struct weir_foresight *f = &c->foresight;
  if (f->own) {
    f->own->logs[level][i] = weir_access_log_create(cache->params.sets, cache->usable, cache->sectors);
    f->oracles[level][i] = weir_oracle_record(f->own->logs[level][i]);
  } else {
    f->oracles[level][i] = weir_oracle_foretell(f->told->logs[level][i]);
  }
  cache->oracle = f->oracles[level][i];
}

void weir_chip_build_foresight(struct weir_chip *c) {
  struct weir_foresight *f = &c->foresight;
  if (!f->records && !f->told) return;
  if (f->records) f->own = weir_new(struct weir_records);
  for (unsigned l = 0; l < c->config->caches_count; l++) {
    if (!level_foresees(c->scheme, l) || (!f->own && !f->told->counts[l])) continue;
    const uint32_t count = weir_chip_instances(c->config, l);
    f->oracles[l] = weir_new_array(struct weir_oracle *, count);
    if (f->own) {
      f->own->counts[l] = count;
      f->own->logs[l] = weir_new_array(struct weir_access_log *, count);
    }
    weir_chip_each_cache(c, l, attach, c);
  }
}

void weir_chip_free_foresight(struct weir_chip *c) {
  struct weir_foresight *f = &c->foresight;
  for (unsigned l = 0; l < c->config->caches_count; l++) {
    for (uint32_t i = 0; f->oracles[l] && i < weir_chip_instances(c->config, l); i++)
      weir_oracle_free(f->oracles[l][i]);
    weir_free(f->oracles[l]);
  }
  weir_free(f->first);
  weir_free(f->following);
  weir_records_free(f->own);
  *f = (struct weir_foresight){0};
}

// ---- blocks ---------------------------------------------------------------------------------------------------------------

// The next launch begins: the cores of its blocks in the record, or NULL: that has no such launch.
static const uint16_t *cores_of_next(struct weir_foresight *f, uint64_t blocks) {
  const struct weir_records *r = f->told;
  if (f->launch >= r->launch_count) return NULL;
  const uint64_t before = f->blocks, recorded = r->launches[f->launch++];
  f->blocks += recorded;
  return recorded == blocks && f->blocks <= r->block_count ? r->cores + before : NULL;
}

void weir_foresight_launch(struct weir_foresight *f, uint32_t cores, uint64_t blocks) {
  if (f->own) *weir_push(f->own->launches, f->own->launch_count, f->own->launch_capacity) = blocks;
  const uint16_t *of = f->told ? cores_of_next(f, blocks) : NULL;
  f->placed = of != NULL;
  if (!of) return;
  weir_free(f->first);
  weir_free(f->following);
  f->first = weir_new_array(uint64_t, cores);
  f->following = weir_new_array(uint64_t, blocks);
  for (uint64_t b = blocks; b--;) {
    f->following[b] = f->first[of[b]];
    f->first[of[b]] = b + 1;
  }
}

void weir_foresight_place(struct weir_foresight *f, uint32_t core) {
  if (f->own) *weir_push(f->own->cores, f->own->block_count, f->own->block_capacity) = (uint16_t)core;
}

bool weir_foresight_next(struct weir_foresight *f, uint32_t core, uint64_t *block) {
  if (!f->first[core]) return false;
  *block = f->first[core] - 1;
  f->first[core] = f->following[*block];
  return true;
}

// ---- records --------------------------------------------------------------------------------------------------------------

void weir_records_free(struct weir_records *r) {
  if (!r) return;
  for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++) {
    for (uint32_t i = 0; r->logs[l] && i < r->counts[l]; i++) weir_access_log_free(r->logs[l][i]);
    weir_free(r->logs[l]);
  }
  weir_free(r->launches);
  weir_free(r->cores);
  weir_free(r);
}

// A list: how many, then they.
static bool write_list(const void *items, size_t size, uint64_t count, FILE *to) {
  return fwrite(&count, sizeof count, 1, to) == 1 && (!count || fwrite(items, size, count, to) == count);
}

static void *read_list(size_t size, uint64_t *count, FILE *from) {
  if (fread(count, sizeof *count, 1, from) != 1) return NULL;
  void *items = weir_alloc(size * *count);
  if (fread(items, size, *count, from) == *count) return items;
  weir_free(items);
  return NULL;
}

bool weir_chip_write_records(const struct weir_chip *c, FILE *to) {
  static const struct weir_records none;
  const struct weir_records *r = c->foresight.own ? c->foresight.own : &none; // nothing was launched
  bool ok = fwrite(r->counts, sizeof r->counts, 1, to) == 1;
  for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++)
    for (uint32_t i = 0; i < r->counts[l]; i++) ok = ok && weir_access_log_write(r->logs[l][i], to);
  ok = ok && write_list(r->launches, sizeof *r->launches, r->launch_count, to) &&
    write_list(r->cores, sizeof *r->cores, r->block_count, to);
  return ok && !fflush(to);
}

struct weir_records *weir_records_read(FILE *from) {
  struct weir_records *r = weir_new(struct weir_records);
  bool ok = fread(r->counts, sizeof r->counts, 1, from) == 1;
  for (unsigned l = 0; ok && l < WEIR_MAX_LEVELS; l++) {
    r->logs[l] = weir_new_array(struct weir_access_log *, r->counts[l]);
    for (uint32_t i = 0; ok && i < r->counts[l]; i++) ok = (r->logs[l][i] = weir_access_log_read(from));
  }
  ok = ok && (r->launches = read_list(sizeof *r->launches, &r->launch_count, from)) &&
    (r->cores = read_list(sizeof *r->cores, &r->block_count, from));
  if (ok) return r;
  weir_records_free(r);
  return NULL;
}

bool weir_records_bound(const struct weir_records *r, unsigned level, struct weir_bound_counts *total,
                        struct weir_bound_counts *pcs, uint32_t pc_count) {
  for (uint32_t i = 0; i < r->counts[level]; i++) weir_optimum(r->logs[level][i], total, pcs, pc_count);
  return r->counts[level] != 0;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "advise/remedy.h"

#include "base/alloc.h"
#include "config/config.h"
#include "run/numbers.h"
#include "run/object.h"

#include <string.h>

// ---- which there are ------------------------------------------------------------------------------------------------------

static struct weir_remedy *add(struct weir_remedy *all, unsigned *count, char *name, char *how) { // takes both
  if (*count == WEIR_REMEDIES) {
    weir_free(name), weir_free(how);
    return NULL;
  }
  all[*count] = (struct weir_remedy){.name = name, .how = how};
  return &all[(*count)++];
}

static void set(struct weir_remedy *r, char *assignment) { // takes it
  r->sets[r->set_count++] = assignment;
}

// The largest that a kernel of the run was given.
static unsigned carveout_of(const json_t *run) {
  size_t i;
  json_t *launch;
  double most = 0;
  json_array_foreach((json_t *)weir_run_member(run, "kernels"), i, launch) {
    const double kib = weir_launch_of(launch).carveout_kib;
    if (kib > most) most = kib;
  }
  return (unsigned)most;
}

// "0 8 16": those of the chip up to this one.
static char *carveouts_up_to(const struct weir_carveouts *c, unsigned last) {
  char *text = weir_text_copy("");
  for (unsigned i = 0; i <= last; i++) {
    char *more = weir_text_format("%s%s%u", text, i ? " " : "", c->kib[i]);
    weir_free(text);
    text = more;
  }
  return text;
}

// Kernels get the least that holds as many blocks as all else allows: what is left to try is less, the largest first.
static void add_carveouts(struct weir_remedy *all, unsigned *count, const struct weir_core_config *k,
                          const json_t *run) {
  const struct weir_carveouts *c = &k->carveouts;
  const unsigned used = carveout_of(run);
  for (unsigned i = c->count; k->unified_kib && i-- > 0;) {
    if (c->kib[i] >= used || c->kib[i] * 1024 <= k->block_reserved_bytes) continue;
    struct weir_remedy *r =
      add(all, count, weir_text_format("carve-out of %u KiB at most", c->kib[i]),
          weir_text_format("cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, %u)",
                           100 * c->kib[i] / c->kib[c->count - 1]));
    char *list = carveouts_up_to(c, i);
    if (r) {
      set(r, weir_text_format("core.carveouts_kib=%s", list));
      set(r, weir_text_format("core.shared_bytes=%u", c->kib[i] * 1024)); // a block has no more
    }
    weir_free(list);
  }
}

// Devices of compute capability 2.x and 3.x split 64 KiB in two: 16 and 48, and 3.x 32 and 32, too (CUDA C++ Programming Guide,
// cudaFuncSetCacheConfig). 48 KiB are half as many ways again, in twice the sets.
static void add_splits(struct weir_remedy *all, unsigned *count, const struct weir_chip_config *c) {
  const double device = c->device.compute_capability;
  const struct weir_cache_config *l1 = &c->caches[0];
  if (device < 2 || device >= 4 || l1->size_kib != 16 || c->core.shared_bytes != 49152) return;
  struct weir_remedy *r = add(all, count, weir_text_copy("48 KiB of L1, 16 of shared memory"),
                              weir_text_copy("cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1)"));
  if (r) {
    set(r, weir_text_format("%s.size_kib=48", l1->name));
    set(r, weir_text_format("%s.ways=%u", l1->name, l1->ways * 3 / 2));
    set(r, weir_text_copy("core.shared_bytes=16384"));
  }
  if (device < 3) return;
  r = add(all, count, weir_text_copy("32 KiB of L1, 32 of shared memory"),
          weir_text_copy("cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferEqual)"));
  if (!r) return;
  set(r, weir_text_format("%s.size_kib=32", l1->name));
  set(r, weir_text_copy("core.shared_bytes=32768"));
}

unsigned weir_remedies_of(struct weir_remedy remedies[WEIR_REMEDIES], const struct weir_setup *setup,
                          const struct weir_experiment *e, const json_t *run) {
  unsigned count = 0;
  if (!setup->program.sl1 && !e->sl1) {
    struct weir_remedy *r =
      add(remedies, &count, weir_text_copy("S-L1"), weir_text_copy("weir sl1 writes it into PTX"));
    r->sl1 = true;
  }
  add_carveouts(remedies, &count, &setup->chip->core, run);
  add_splits(remedies, &count, setup->chip);
  return count;
}

// ---- what they do ---------------------------------------------------------------------------------------------------------

static struct weir_wanted wanted_of(const struct weir_remedy *r) {
  return (struct weir_wanted){
    .sl1 = r->sl1 ? "" : NULL, .sets = (const char *const *)r->sets, .set_count = r->set_count};
}

// The first thing that is wrong, in one line; to be freed.
static char *complaint(const struct weir_sink *sink) {
  for (size_t i = 0; i < sink->count; i++)
    if (sink->diags[i].severity == WEIR_ERROR) return weir_text_copy(sink->diags[i].message);
  return weir_text_copy("it did not run\n");
}

static int run_one(struct weir_remedy *r, struct weir_trials *trials) {
  struct weir_sink unheard = {0};
  struct weir_wanted w = wanted_of(r);
  int status = weir_trials_run(trials, &w, 1, &unheard);
  r->outcome = w.outcome;
  r->failure = status == WEIR_EXIT_USER ? complaint(&unheard) : w.failure;
  if (status == WEIR_EXIT_USER) {
    weir_free(w.failure);
    status = WEIR_EXIT_OK;
  }
  json_decref(w.run);
  weir_sink_free(&unheard);
  return status;
}

int weir_remedies_run(struct weir_remedy *remedies, unsigned count, struct weir_trials *trials) {
  struct weir_wanted wanted[WEIR_REMEDIES];
  struct weir_sink unheard = {0};
  for (unsigned i = 0; i < count; i++) wanted[i] = wanted_of(&remedies[i]);
  int status = weir_trials_run(trials, wanted, count, &unheard);
  weir_sink_free(&unheard);
  for (unsigned i = 0; i < count; i++) {
    remedies[i].outcome = wanted[i].outcome;
    remedies[i].failure = wanted[i].failure;
    json_decref(wanted[i].run);
  }
  if (status != WEIR_EXIT_USER) return status;
  status = WEIR_EXIT_OK; // one of them does not fit the chip, and so none was run
  for (unsigned i = 0; i < count && !status; i++) {
    weir_free(remedies[i].failure);
    status = run_one(&remedies[i], trials);
  }
  return status;
}

void weir_remedies_free(struct weir_remedy *remedies, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    for (unsigned k = 0; k < remedies[i].set_count; k++) weir_free(remedies[i].sets[k]);
    weir_free(remedies[i].name);
    weir_free(remedies[i].how);
    weir_free(remedies[i].failure);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a batch's items have of its runs: each its own, and of a sweep the best.
#include "base/alloc.h"
#include "batch/items.h"
#include "run/numbers.h"
#include "run/object.h"
#include "run/sweep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool sweeps(const struct weir_batch_item *item) {
  return item->setup.scheme;
}

// ---- as runs end -----------------------------------------------------------------------------------------------------

// The less the better. Programs of CPUs alone end a given number of instructions: the fewest cycles are their highest IPC.
static double cost(const struct weir_batch_item *item, const struct weir_batch_run *r) {
  if (!isnan(r->mean_ipc)) return -r->mean_ipc;
  if (weir_scheme_objective(item->setup.scheme) == WEIR_HIGHEST_IPC && r->thread_ipc > 0) return -r->thread_ipc;
  return r->cycles;
}

static bool better(const struct weir_batch *b, const struct weir_batch_item *item, unsigned combination) {
  if (!item->run) return true;
  double ours = cost(item, &b->runs[item->runs[combination]]), best = cost(item, &b->runs[item->runs[item->best]]);
  return ours < best || (ours == best && combination < item->best);
}

static void offer(struct weir_batch *b, struct weir_batch_item *item, unsigned combination, json_t *run) {
  if (sweeps(item) && (b->runs[item->runs[combination]].wrong || !better(b, item, combination))) return;
  json_decref(item->run);
  item->run = json_incref(run);
  item->best = combination;
}

// What decides a sweep: of a mix, the speed of its programs.
static const char *const deciding[] = {"mix", NULL};

static void read_too(struct weir_batch *b, const char *const *names) {
  for (; *names; names++) *weir_push(b->reads, b->read_count, b->read_capacity) = *names;
}

const char *const *weir_batch_reads(struct weir_batch *b, unsigned k) {
  if (!b->keep || b->runs[k].experiment.command) return NULL;
  if (b->reads) return b->reads;
  read_too(b, b->members);
  read_too(b, weir_store_members);
  read_too(b, deciding);
  *weir_push(b->reads, b->read_count, b->read_capacity) = NULL;
  return b->reads;
}

void weir_batch_take(struct weir_batch *b, unsigned k, json_t *run) {
  struct weir_batch_run *r = &b->runs[k];
  r->ended = true;
  const struct weir_run_numbers total = weir_run_total(run);
  r->cycles = total.cycles;
  r->warp_instructions = total.warp_instructions;
  r->thread_ipc = total.thread_instructions / total.cycles;
  r->mean_ipc = weir_run_mean_ipc(run);
  snprintf(r->check, sizeof r->check, "%s", weir_run_text(run, "check"));
  r->wrong = r->check[0] == 'f';
  if (weir_batch_reads(b, k)) {
    json_t *kept = b->keep(run, &total);
    json_decref(run);
    run = kept;
  }
  for (unsigned i = 0; i < b->count; i++)
    for (unsigned c = 0; c < b->items[i].run_count; c++)
      if (b->items[i].runs[c] == k) offer(b, &b->items[i], c, run);
  json_decref(run);
}

// ---- once all are done -----------------------------------------------------------------------------------------------

static json_t *sweep_json(const struct weir_batch *b, const struct weir_batch_item *item) {
  struct weir_sweep_result sweep = {.scheme = item->setup.scheme,
                                    .best = item->best,
                                    .tried = weir_new_array(struct weir_sweep_tried, item->run_count)};
  for (unsigned c = 0; c < item->run_count; c++) {
    const struct weir_batch_run *r = &b->runs[item->runs[c]];
    if (r->ended)
      sweep.tried[sweep.count++] = (struct weir_sweep_tried){c, r->cycles, r->thread_ipc, r->mean_ipc, r->check};
  }
  json_t *o = weir_sweep_json(&sweep);
  weir_free(sweep.tried);
  return o;
}

static void settle(struct weir_batch *b, struct weir_batch_item *item) {
  if (!sweeps(item)) {
    if (item->run_count) item->failure = b->runs[item->runs[0]].failure;
    return;
  }
  bool done = true;
  for (unsigned c = 0; c < item->run_count; c++) done &= b->runs[item->runs[c]].state == WEIR_BATCH_DONE;
  if (!item->run && done) item->failure = "none of its sweep's runs ended with right results\n";
  if (!item->run) return;
  json_t *own = json_copy(item->run); // another item may have the same run as its own result
  json_object_set_new(own, "scheme", json_string(item->experiment.scheme));
  json_object_set_new(own, "sweep", sweep_json(b, item));
  json_decref(item->run);
  item->run = own;
}

void weir_batch_settle(struct weir_batch *b) {
  for (unsigned i = 0; i < b->count; i++) settle(b, &b->items[i]);
}

// ---- what there is to say --------------------------------------------------------------------------------------------

unsigned weir_batch_ended(const struct weir_batch *b) {
  unsigned count = 0;
  for (unsigned k = 0; k < b->run_count; k++) count += b->runs[k].ended;
  return count;
}

char *weir_batch_choice(const struct weir_batch_item *item) {
  const struct weir_scheme *s = item->setup.scheme;
  char *text = weir_text_copy("");
  for (unsigned k = 0; s && item->run && k < weir_scheme_sweep_count(s); k++) {
    char *longer = weir_text_format("%s%s%s=%s", text, *text ? " " : "", weir_scheme_sweep(s, k)->key,
                                    weir_scheme_choice_of(s, item->best, k));
    weir_free(text);
    text = longer;
  }
  return text;
}

int weir_batch_status(const struct weir_batch *b, FILE *to) {
  bool crashed = false, refused = false;
  for (unsigned k = 0; k < b->run_count; k++) {
    const struct weir_batch_run *r = &b->runs[k];
    const struct weir_experiment *e = &r->experiment;
    const char *scheme = e->scheme ? e->scheme : "no chip";
    if (r->failure) fprintf(to, "weir: %s under %s failed: %s", e->program, scheme, r->failure);
    if (r->wrong) fprintf(to, "weir: %s under %s: its results are wrong (weir run says where)\n", e->program, scheme);
    crashed |= r->wrong || (r->failure && !r->user_error);
    refused |= r->failure && r->user_error;
  }
  return crashed ? WEIR_EXIT_INTERNAL : refused ? WEIR_EXIT_USER : WEIR_EXIT_OK;
}

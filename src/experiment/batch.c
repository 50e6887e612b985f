// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/batch.h"

#include "base/alloc.h"
#include "experiment/jobs.h"
#include "experiment/progress.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

static const double WAIT_SECONDS = 0.2;

enum item_state { PENDING, RUNNING, DONE };

struct runner {
  struct weir_batch *batch;
  const struct weir_batch_options *options;
  struct weir_job *jobs;
  unsigned *item_of; // by job
  unsigned job_count, running, done;
  enum item_state *state;     // by item
  uint64_t *reached;          // by item: warp instructions so far; shared with the children
  struct weir_app *app;       // of the program that is open
  unsigned app_item;          // an item of that program
  struct weir_sink app_sink;  // that it reports to
  struct weir_progress progress;
  struct weir_sink *sink;
};

void weir_batch_add(struct weir_batch *b, const struct weir_experiment *e) {
  *weir_push(b->items, b->count, b->capacity) = (struct weir_batch_item){.experiment = *e};
}

void weir_batch_free(struct weir_batch *b) {
  for (unsigned i = 0; i < b->count; i++) {
    json_decref(b->items[i].run);
    weir_free(b->items[i].failure);
    weir_setup_free(&b->items[i].setup);
  }
  weir_free(b->items);
}

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static bool same_program(const struct weir_experiment *a, const struct weir_experiment *b) {
  return !strcmp(a->program, b->program);
}

static bool same_setup(const struct weir_experiment *a, const struct weir_experiment *b) {
  return same_text(a->chip, b->chip) && same_text(a->scheme, b->scheme);
}

// Whether no item before it says the same, so that each mistake is complained of once.
static bool is_first(const struct weir_batch *b, unsigned i,
                     bool (*same)(const struct weir_experiment *, const struct weir_experiment *)) {
  for (unsigned k = 0; k < i; k++)
    if (same(&b->items[k].experiment, &b->items[i].experiment)) return false;
  return true;
}

bool weir_batch_check(struct weir_batch *b, struct weir_sink *sink) {
  bool ok = true;
  for (unsigned i = 0; i < b->count; i++)
    if (is_first(b, i, same_program)) ok &= weir_program_known(b->items[i].experiment.program, sink);
  for (unsigned i = 0; i < b->count; i++) {
    struct weir_sink repeated = {0};
    struct weir_sink *to = is_first(b, i, same_setup) ? sink : &repeated;
    ok &= weir_setup_read(&b->items[i].setup, &b->items[i].experiment, to);
    weir_sink_free(&repeated);
  }
  return ok;
}

// ---- one job --------------------------------------------------------------------------------------------------------

static void reach(void *context, uint64_t warp_instructions) {
  __atomic_store_n((uint64_t *)context, warp_instructions, __ATOMIC_RELAXED);
}

// In the child: the answer is the run object, or, with a status other than 0, why there is none.
static int work(void *context, FILE *answer) {
  struct runner *r = context;
  unsigned i = r->item_of[r->running];
  struct weir_batch_item *item = &r->batch->items[i];
  struct weir_watch watch = {reach, &r->reached[i]};
  json_t *run = weir_experiment_run(&item->experiment, &item->setup, r->app, &watch, &r->app_sink);
  if (!run) {
    weir_sink_print(&r->app_sink, answer);
    return WEIR_EXIT_USER;
  }
  char *text = weir_json_text(run, false);
  return fputs(text, answer) < 0 ? WEIR_EXIT_INTERNAL : WEIR_EXIT_OK;
}

static void finish(struct runner *r, unsigned i, char *failure, bool user_error) {
  struct weir_batch_item *item = &r->batch->items[i];
  item->failure = failure;
  item->user_error = user_error;
  r->state[i] = DONE;
  r->done++;
}

static char *death(int status) {
  int signal = WTERMSIG(status);
  return WIFSIGNALED(status) ? weir_text_format("ended by signal %d (%s)\n", signal, strsignal(signal))
                             : weir_text_format("ended with status %d\n", WEXITSTATUS(status));
}

static void take_answer(struct runner *r, unsigned job) {
  unsigned i = r->item_of[job];
  struct weir_batch_item *item = &r->batch->items[i];
  int status = r->jobs[job].status;
  char *answer = weir_job_answer(&r->jobs[job]), *failure = NULL;
  bool user_error = WIFEXITED(status) && WEXITSTATUS(status) == WEIR_EXIT_USER && *answer;
  item->run = WIFEXITED(status) && !WEXITSTATUS(status) ? json_loads(answer, 0, NULL) : NULL;
  if (!item->run) failure = user_error ? weir_text_copy(answer) : death(status);
  if (item->run && r->options->store) weir_store_put(r->options->store, item->key, item->run, r->sink);
  if (item->run) reach(&r->reached[i], (uint64_t)weir_run_number(item->run, "total.warp_instructions"));
  free(answer);
  finish(r, i, failure, user_error);
}

// ---- programs -------------------------------------------------------------------------------------------------------

// Whether two items' programs are prepared alike.
static bool same_app(const struct weir_batch_item *a, const struct weir_batch_item *b) {
  const struct weir_experiment *x = &a->experiment, *y = &b->experiment;
  return !strcmp(x->program, y->program) && same_text(x->input, y->input) && x->size == y->size &&
         x->seed == y->seed && x->step_limit == y->step_limit && a->setup.lanes == b->setup.lanes;
}

static void close_app(struct runner *r) {
  if (r->app) weir_app_free(r->app);
  r->app = NULL;
  malloc_trim(0); // the next program's forks begin without this one's memory
  weir_sink_free(&r->app_sink);
}

// A pending item, one of the open program if there is any; the batch's count if nothing is pending.
static unsigned next_item(const struct runner *r) {
  const struct weir_batch *b = r->batch;
  unsigned first = b->count;
  for (unsigned i = b->count; i-- > 0;)
    if (r->state[i] == PENDING && r->app && same_app(&b->items[i], &b->items[r->app_item])) first = i;
  for (unsigned i = 0; first == b->count && i < b->count; i++)
    if (r->state[i] == PENDING) return i;
  return first;
}

static void show(struct runner *r, const char *doing);

static char *sink_text(const struct weir_sink *sink) { // freed by weir_free
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) abort();
  weir_sink_print(sink, f);
  fclose(f);
  return text;
}

// Opens item i's program unless it is the open one. If it cannot be, all items of that program have failed.
static bool open_app(struct runner *r, unsigned i) {
  struct weir_batch_item *items = r->batch->items;
  if (r->app && same_app(&items[i], &items[r->app_item])) return true;
  close_app(r);
  char doing[96];
  snprintf(doing, sizeof doing, "preparing %s", items[i].experiment.program);
  show(r, doing);
  weir_jobs_end(); // it may take long: an interruption ends the process as it is, and children go with their parent
  r->app = weir_experiment_open(&items[i].experiment, items[i].setup.lanes, &r->app_sink);
  weir_jobs_begin();
  r->app_item = i;
  if (r->app) return true;
  for (unsigned k = 0; k < r->batch->count; k++)
    if (r->state[k] == PENDING && same_app(&items[i], &items[k])) finish(r, k, sink_text(&r->app_sink), true);
  return false;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// What an item's program will execute in all, known once one run of it is done; 0: not known.
static double expected(const struct runner *r, unsigned i) {
  const struct weir_batch_item *items = r->batch->items;
  for (unsigned k = 0; k < r->batch->count; k++)
    if (items[k].run && same_app(&items[k], &items[i])) return weir_run_number(items[k].run, "total.warp_instructions");
  return 0;
}

static void show(struct runner *r, const char *doing) {
  if (!r->progress.on) return;
  struct weir_progress_state s = {.done = r->done, .running = r->running, .doing = doing};
  unsigned count = r->batch->count, known = 0;
  double all = 0; // of the items known
  for (unsigned i = 0; i < count; i++) {
    uint64_t reached = __atomic_load_n(&r->reached[i], __ATOMIC_RELAXED);
    double of_item = r->state[i] == DONE ? (double)reached : expected(r, i);
    s.warp_instructions += reached;
    all += of_item;
    known += of_item > 0 || r->state[i] == DONE;
  }
  // an item not known counts as the mean of those that are
  if (all > 0) s.fraction = (double)s.warp_instructions / (all * count / known);
  weir_progress_show(&r->progress, &s);
}

static void start_job(struct runner *r, unsigned i) {
  r->item_of[r->running] = i;
  if (!weir_job_start(&r->jobs[r->running], work, r)) {
    finish(r, i, weir_text_format("cannot be started: %s\n", strerror(errno)), false);
    return;
  }
  r->state[i] = RUNNING;
  r->running++;
}

// How many may run now. One per processor; but the last ones all at once, unless a number was asked for: three runs that
// take turns on two processors end after 1.5 times one run, and after twice that if the third waits.
static unsigned job_limit(const struct runner *r) {
  unsigned left = r->batch->count - r->done;
  return !r->options->jobs && left < 2 * r->job_count ? left : r->job_count;
}

static void start_jobs(struct runner *r) {
  unsigned i;
  while (r->running < job_limit(r) && (i = next_item(r)) < r->batch->count)
    if (open_app(r, i)) start_job(r, i);
  if (next_item(r) == r->batch->count) close_app(r);
}

static void remove_job(struct runner *r, unsigned job) {
  r->running--;
  r->jobs[job] = r->jobs[r->running];
  r->item_of[job] = r->item_of[r->running];
}

static bool run_all(struct runner *r) {
  for (start_jobs(r); r->running; start_jobs(r)) {
    unsigned job;
    enum weir_wait what = weir_jobs_wait(r->jobs, r->running, WAIT_SECONDS, &job);
    if (what == WEIR_WAIT_ENDED) {
      // ctrl-C goes to the whole process group: a child may be gone before our own signal is here
      if (WIFSIGNALED(r->jobs[job].status) && WTERMSIG(r->jobs[job].status) == SIGINT) return false;
      take_answer(r, job);
      remove_job(r, job);
    } else if (what == WEIR_WAIT_INTERRUPTED) {
      return false;
    }
    show(r, NULL);
  }
  return true;
}

// What the store has is done. False if a file that a key depends on cannot be read.
static bool recall(struct runner *r) {
  bool ok = true;
  for (unsigned i = 0; i < r->batch->count && r->options->store; i++) {
    struct weir_batch_item *item = &r->batch->items[i];
    bool known = weir_experiment_key(&item->experiment, item->key, r->sink);
    ok &= known;
    item->run = known ? weir_store_get(r->options->store, item->key) : NULL;
    if (item->run) finish(r, i, NULL, false);
  }
  return ok;
}

bool weir_batch_run(struct weir_batch *b, const struct weir_batch_options *o, struct weir_sink *sink) {
  size_t shared = sizeof(uint64_t) * (b->count + 1);
  struct runner r = {.batch = b, .options = o, .sink = sink, .job_count = o->jobs ? o->jobs : weir_processors()};
  r.jobs = weir_new_array(struct weir_job, 2 * r.job_count);
  r.item_of = weir_new_array(unsigned, 2 * r.job_count);
  r.state = weir_new_array(enum item_state, b->count + 1);
  r.reached = mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(r.reached != MAP_FAILED);
  bool ok = recall(&r);
  weir_progress_start(&r.progress, b->count);
  weir_jobs_begin();
  ok = ok && run_all(&r);
  weir_jobs_kill(r.jobs, r.running);
  weir_jobs_end();
  close_app(&r);
  weir_progress_stop(&r.progress);
  munmap(r.reached, shared);
  weir_free(r.jobs);
  weir_free(r.item_of);
  weir_free(r.state);
  return ok;
}

int weir_batch_status(const struct weir_batch *b, FILE *to) {
  bool crashed = false, refused = false;
  for (unsigned i = 0; i < b->count; i++) {
    const struct weir_batch_item *item = &b->items[i];
    const struct weir_experiment *e = &item->experiment;
    const char *scheme = e->scheme ? e->scheme : "no chip";
    bool wrong = item->run && *weir_run_text(item->run, "check") == 'f';
    if (item->failure) fprintf(to, "weir: %s under %s failed: %s", e->program, scheme, item->failure);
    if (wrong) fprintf(to, "weir: %s under %s: its results are wrong (weir run says where)\n", e->program, scheme);
    crashed |= wrong || (item->failure && !item->user_error);
    refused |= item->failure && item->user_error;
  }
  return crashed ? WEIR_EXIT_INTERNAL : refused ? WEIR_EXIT_USER : WEIR_EXIT_OK;
}

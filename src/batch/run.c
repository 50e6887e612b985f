// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A batch's runs: which is next, in which process, and what comes back.
#include "base/alloc.h"
#include "batch/inputs.h"
#include "batch/items.h"
#include "batch/jobs.h"
#include "batch/progress.h"
#include "run/object.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

static const double WAIT_SECONDS = 0.2;

struct runner {
  struct weir_batch *batch;
  const struct weir_batch_options *options;
  struct weir_job *jobs;
  unsigned *run_of; // by job
  unsigned job_count, running, elsewhere, done;
  unsigned processors;        // for the next job
  uint64_t *reached;          // by run: warp instructions so far; shared with the children
  struct weir_opened *open;   // program
  unsigned open_run;          // a run of that program
  struct weir_sink open_sink; // that it reports to
  struct weir_progress progress;
  struct weir_sink *sink;
};

static void reach(void *context, uint64_t warp_instructions) {
  __atomic_store_n((uint64_t *)context, warp_instructions, __ATOMIC_RELAXED);
}

// ---- one job --------------------------------------------------------------------------------------------------------

static bool put_json(const json_t *object, FILE *to) { // in a line
  char *text = weir_json_text(object, false);
  const bool ok = fputs(text, to) >= 0;
  free(text);
  return ok;
}

// What a child's JSON is made of: never given back, since the child ends with it. Its pages are there at once and not one by one.
static void *of_one_piece(size_t bytes) {
  enum { PIECE = 1 << 18, ALIGNMENT = 16 };
  static char *piece;
  static size_t left;
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes > left) {
    const size_t size = bytes > PIECE ? bytes : PIECE;
    piece = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (piece == MAP_FAILED) abort();
    left = size;
  }
  left -= bytes;
  return piece + left;
}

static void leave(void *p) {
  (void)p;
}

// In the child: the answer is the run object or, with a status other than 0, why there is none.
static int work(void *context, FILE *answer) {
  struct runner *r = context;
  unsigned k = r->run_of[r->running];
  const struct weir_batch_run *run = &r->batch->runs[k];
  struct weir_watch watch = {reach, &r->reached[k]};
  struct weir_experiment experiment = run->experiment;
  experiment.processors = r->processors;
  experiment.ends = true;
  if (!experiment.command) json_set_alloc_funcs(of_one_piece, leave);
  json_t *object = experiment.command ? r->options->run_command(&experiment, &r->open_sink)
                                      : weir_experiment_run(&experiment, &run->setup, r->open, &watch, &r->open_sink);
  if (!object) {
    weir_sink_print(&r->open_sink, answer);
    return WEIR_EXIT_USER;
  }
  return put_json(object, answer) ? WEIR_EXIT_OK : WEIR_EXIT_INTERNAL;
}

static void finish(struct runner *r, unsigned k, char *failure, bool user_error) {
  struct weir_batch_run *run = &r->batch->runs[k];
  run->failure = failure;
  run->user_error = user_error;
  run->state = WEIR_BATCH_DONE;
  r->done++;
}

static char *death(int status) {
  int signal = WTERMSIG(status);
  return WIFSIGNALED(status) ? weir_text_format("ended by signal %d (%s)\n", signal, strsignal(signal))
                             : weir_text_format("ended with status %d\n", WEXITSTATUS(status));
}

// Ends the runner's claim to run k, which is stored by now or never will be.
static void release(struct runner *r, unsigned k) {
  if (r->options->store && *r->batch->runs[k].key) weir_store_release(r->options->store, r->batch->runs[k].key);
}

// A command line's run that does not say what it has read may be another the next time.
static bool can_be_kept(const struct weir_experiment *e, const json_t *object) {
  return !e->command || weir_run_member(object, "process.inputs");
}

// False if it should have been stored and was not.
static bool store(struct runner *r, unsigned k, const char *text, const json_t *object) {
  struct weir_store *s = r->options->store;
  const char *key = r->batch->runs[k].key;
  if (!s || !*key || !object || !can_be_kept(&r->batch->runs[k].experiment, object)) return true;
  return weir_store_put(s, key, text, object, r->sink) || !r->options->must_keep || !weir_store_can_write(s);
}

static json_t *read_answer(struct runner *r, unsigned k, const char *answer) {
  const char *const *members = weir_batch_reads(r->batch, k);
  return members ? weir_json_members(answer, members) : json_loads(answer, 0, NULL);
}

static bool take_answer(struct runner *r, unsigned job) {
  unsigned k = r->run_of[job];
  struct weir_batch_run *run = &r->batch->runs[k];
  int status = r->jobs[job].status;
  struct weir_job_text a = weir_job_answer(&r->jobs[job]);
  const char *answer = a.text;
  char *failure = NULL;
  bool user_error = WIFEXITED(status) && WEXITSTATUS(status) == WEIR_EXIT_USER && *answer;
  json_t *object = WIFEXITED(status) && !WEXITSTATUS(status) ? read_answer(r, k, answer) : NULL;
  if (!object) failure = user_error ? weir_text_copy(answer) : death(status);
  const bool stored = store(r, k, answer, object);
  release(r, k);
  if (object) weir_batch_take(r->batch, k, object);
  if (object) reach(&r->reached[k], (uint64_t)run->warp_instructions);
  weir_job_text_free(&a);
  finish(r, k, failure, user_error);
  return stored;
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

// A run without a key, since a file that it depends on cannot be read, tells so itself.
static bool has_key(struct weir_batch_run *run) {
  struct weir_sink untold = {0};
  if (!weir_experiment_key(&run->experiment, run->key, &untold)) *run->key = 0;
  weir_sink_free(&untold);
  return *run->key;
}

// `members`: no more of it is needed.
static json_t *kept_in(struct weir_store *s, const struct weir_batch_run *run, const char *const *members,
                       struct weir_sink *sink) {
  json_t *object = members ? weir_store_get_members(s, run->key, members, sink) : weir_store_get(s, run->key, sink);
  if (!object || !run->experiment.command || weir_inputs_same(object)) return object;
  json_decref(object);
  return NULL;
}

static json_t *kept(struct weir_batch *b, unsigned k, const struct weir_batch_options *o, struct weir_sink *sink) {
  const char *const *members = weir_batch_reads(b, k);
  json_t *object = kept_in(o->store, &b->runs[k], members, sink);
  for (unsigned i = 0; !object && i < o->other_count; i++) object = kept_in(o->others[i], &b->runs[k], members, sink);
  return object;
}

// Takes a run that the store has; false: it has none.
static bool recall(struct runner *r, unsigned k) {
  json_t *object = kept(r->batch, k, r->options, r->sink);
  if (!object) return false;
  r->batch->recalled++;
  weir_batch_take(r->batch, k, object);
  reach(&r->reached[k], (uint64_t)r->batch->runs[k].warp_instructions);
  finish(r, k, NULL, false);
  return true;
}

static void recall_all(struct runner *r) {
  for (unsigned k = 0; k < r->batch->run_count && r->options->store; k++)
    if (has_key(&r->batch->runs[k])) recall(r, k);
}

// Whether this process makes run k. Another may be at it, or have ended it since we looked.
static bool claim(struct runner *r, unsigned k) {
  struct weir_batch_run *run = &r->batch->runs[k];
  if (!r->options->store || !*run->key) return true;
  if (!weir_store_claim(r->options->store, run->key)) {
    run->state = WEIR_BATCH_ELSEWHERE;
    r->elsewhere++;
    return false;
  }
  if (!recall(r, k)) return true;
  release(r, k);
  return false;
}

// What nobody is at any more has ended, or is ours.
static void look_elsewhere(struct runner *r) {
  for (unsigned k = 0; k < r->batch->run_count && r->elsewhere; k++) {
    struct weir_batch_run *run = &r->batch->runs[k];
    if (run->state != WEIR_BATCH_ELSEWHERE || !weir_store_claim(r->options->store, run->key)) continue;
    release(r, k);
    run->state = WEIR_BATCH_PENDING;
    r->elsewhere--;
  }
}

// ---- programs -------------------------------------------------------------------------------------------------------

// Whether two runs' programs are prepared alike.
static bool same_program(const struct weir_batch_run *a, const struct weir_batch_run *b) {
  const struct weir_experiment *x = &a->experiment, *y = &b->experiment;
  return x->command == y->command && !strcmp(x->program, y->program) && weir_same_text(x->input, y->input) &&
    x->size == y->size && x->seed == y->seed && x->step_limit == y->step_limit && a->setup.lanes == b->setup.lanes &&
    a->setup.code.assembler == b->setup.code.assembler && a->setup.code.assembled == b->setup.code.assembled &&
    a->setup.code.machine == b->setup.code.machine && a->setup.memory_bytes == b->setup.memory_bytes &&
    weir_program_options_same(&a->setup.program, &b->setup.program);
}

static void close_program(struct runner *r) {
  weir_experiment_close(r->open);
  r->open = NULL;
  malloc_trim(0); // the next program's forks begin without this one's memory
  weir_sink_free(&r->open_sink);
}

// A pending run, one of the open program if there is any; the batch's count if nothing is pending.
static unsigned next_run(const struct runner *r) {
  const struct weir_batch *b = r->batch;
  unsigned first = b->run_count;
  for (unsigned k = 0; k < b->run_count; k++) {
    if (b->runs[k].state != WEIR_BATCH_PENDING) continue;
    if (!r->open || same_program(&b->runs[k], &b->runs[r->open_run])) return k;
    if (first == b->run_count) first = k;
  }
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

// Opens run k's program unless it is the open one. If it cannot be, all runs of that program have failed.
static bool open_program(struct runner *r, unsigned k) {
  struct weir_batch_run *runs = r->batch->runs;
  if (runs[k].experiment.command) return true; // it opens itself
  if (r->open && same_program(&runs[k], &runs[r->open_run])) return true;
  close_program(r);
  char doing[96];
  snprintf(doing, sizeof doing, "preparing %s", runs[k].experiment.program);
  show(r, doing);
  weir_jobs_end(); // it may take long: an interruption ends the process as it is, and children go with their parent
  r->open = weir_experiment_open(&runs[k].experiment, &runs[k].setup, &r->open_sink);
  weir_jobs_begin();
  r->open_run = k;
  if (r->open) return true;
  for (unsigned i = 0; i < r->batch->run_count; i++)
    if (runs[i].state == WEIR_BATCH_PENDING && same_program(&runs[k], &runs[i]))
      finish(r, i, sink_text(&r->open_sink), true);
  release(r, k);
  return false;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// What a run's program will execute in all, known once one run of it is done; 0: not known.
static double expected(const struct runner *r, unsigned k) {
  const struct weir_batch_run *runs = r->batch->runs;
  for (unsigned i = 0; i < r->batch->run_count; i++)
    if (runs[i].ended && same_program(&runs[i], &runs[k])) return runs[i].warp_instructions;
  return 0;
}

static void show(struct runner *r, const char *doing) {
  if (!r->progress.on) return;
  struct weir_progress_state s = {.done = r->done, .running = r->running, .doing = doing};
  unsigned count = r->batch->run_count, known = 0;
  double all = 0; // of the runs known
  for (unsigned k = 0; k < count; k++) {
    bool done = r->batch->runs[k].state == WEIR_BATCH_DONE;
    uint64_t reached = __atomic_load_n(&r->reached[k], __ATOMIC_RELAXED);
    double of_run = done ? (double)reached : expected(r, k);
    s.warp_instructions += reached;
    all += of_run;
    known += of_run > 0 || done;
  }
  // a run not known counts as the mean of those that are
  if (all > 0) s.fraction = (double)s.warp_instructions / (all * count / known);
  weir_progress_show(&r->progress, &s);
}

// Runs that leave processors idle, to the end, share them. A number of jobs that was asked for says how many may be used.
static unsigned processors_of_job(const struct runner *r) {
  return r->options->jobs ? 1 : r->job_count / (r->batch->run_count - r->done);
}

static void start_job(struct runner *r, unsigned k) {
  r->run_of[r->running] = k;
  r->processors = processors_of_job(r);
  if (!weir_job_start(&r->jobs[r->running], work, r)) {
    release(r, k);
    finish(r, k, weir_text_format("cannot be started: %s\n", strerror(errno)), false);
    return;
  }
  r->batch->runs[k].state = WEIR_BATCH_RUNNING;
  r->running++;
}

// How many may run now. One per processor; but the last ones all at once, unless a number was asked for: three runs that
// take turns on two processors end after 1.5 times one run, and after twice that if the third waits.
static unsigned job_limit(const struct runner *r) {
  unsigned left = r->batch->run_count - r->done - r->elsewhere;
  return !r->options->jobs && left < 2 * r->job_count ? left : r->job_count;
}

static void start_jobs(struct runner *r) {
  unsigned k;
  while (r->running < job_limit(r) && (k = next_run(r)) < r->batch->run_count)
    if (claim(r, k) && open_program(r, k)) start_job(r, k);
  if (next_run(r) == r->batch->run_count) close_program(r);
}

static void remove_job(struct runner *r, unsigned job) {
  r->running--;
  r->jobs[job] = r->jobs[r->running];
  r->run_of[job] = r->run_of[r->running];
}

static bool run_all(struct runner *r) {
  for (start_jobs(r); r->running || r->elsewhere; start_jobs(r)) {
    unsigned job;
    enum weir_wait what = weir_jobs_wait(r->jobs, r->running, WAIT_SECONDS, &job);
    if (what == WEIR_WAIT_ENDED) {
      // ctrl-C goes to the whole process group: a child may be gone before our own signal is here
      if (WIFSIGNALED(r->jobs[job].status) && WTERMSIG(r->jobs[job].status) == SIGINT) return false;
      const bool stored = take_answer(r, job);
      remove_job(r, job);
      if (!stored) return false;
    } else if (what == WEIR_WAIT_INTERRUPTED) {
      return false;
    }
    if (r->options->store) weir_store_sync(r->options->store, false);
    look_elsewhere(r);
    show(r, NULL);
  }
  return true;
}

static bool is_in_some(const char *key, const struct weir_batch_options *o, struct weir_sink *sink) {
  bool is = weir_store_has(o->store, key, sink);
  for (unsigned i = 0; !is && i < o->other_count; i++) is = weir_store_has(o->others[i], key, sink);
  return is;
}

void weir_batch_look_up(struct weir_batch *b, const struct weir_batch_options *o, struct weir_sink *sink) {
  for (unsigned k = 0; k < b->run_count; k++) {
    struct weir_batch_run *run = &b->runs[k];
    if (!has_key(run)) continue;
    json_t *object = run->experiment.command ? kept(b, k, o, sink) : NULL; // which says what it depends on
    run->kept = object || (!run->experiment.command && is_in_some(run->key, o, sink));
    json_decref(object);
  }
}

bool weir_batch_run(struct weir_batch *b, const struct weir_batch_options *o, struct weir_sink *sink) {
  size_t shared = sizeof(uint64_t) * (b->run_count + 1);
  struct runner r = {.batch = b, .options = o, .sink = sink, .job_count = o->jobs ? o->jobs : weir_processors()};
  r.jobs = weir_new_array(struct weir_job, 2 * r.job_count);
  r.run_of = weir_new_array(unsigned, 2 * r.job_count);
  r.reached = mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(r.reached != MAP_FAILED);
  recall_all(&r);
  weir_progress_start(&r.progress, b->run_count);
  weir_jobs_begin();
  const bool ok = run_all(&r);
  weir_jobs_kill(r.jobs, r.running);
  for (unsigned job = 0; job < r.running; job++) release(&r, r.run_of[job]);
  weir_jobs_end();
  close_program(&r);
  weir_progress_stop(&r.progress);
  weir_batch_settle(b);
  munmap(r.reached, shared);
  weir_free(r.jobs);
  weir_free(r.run_of);
  return ok;
}

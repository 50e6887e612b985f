// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir gpu: a program on a real CUDA device, without L1, with the hardware's, and with S-L1.
#include "base/alloc.h"
#include "cli/gpu.h"
#include "batch/batch.h"
#include "batch/jobs.h"
#include "run/mix.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { VARIANTS = 3, MOST_BLOCKS = INT32_MAX, MOST_THREADS = 1024, MOST_CONFIGURATIONS = 256 };

static const struct gpu_variant variants[VARIANTS] = {
  {"no L1", WEIR_CACHE_CG, false}, {"hardware L1", WEIR_CACHE_CA, false}, {"S-L1", WEIR_CACHE_CG, true}};

// ---- what to run ----------------------------------------------------------------------------------------------------

// "60x256"; `rest` is what follows it.
static bool read_pair(const char *at, struct weir_shape *threads, char **rest) {
  if (*at < '0' || *at > '9') return false;
  unsigned long blocks = strtoul(at, rest, 10);
  if (**rest != 'x' || (*rest)[1] < '0' || (*rest)[1] > '9') return false;
  unsigned long block = strtoul(*rest + 1, rest, 10);
  *threads = (struct weir_shape){.blocks = (uint32_t)blocks, .block = (uint32_t)block};
  return blocks && blocks <= MOST_BLOCKS && block && block <= MOST_THREADS;
}

// "60x256,120x512"; without the option one configuration, the program's own. 0 if it is wrong.
static unsigned read_threads(const char *list, struct weir_shape *all) {
  unsigned count = 0;
  all[0] = (struct weir_shape){0};
  if (!list) return 1;
  for (char *rest = (char *)list; count < MOST_CONFIGURATIONS; rest++) {
    if (!read_pair(rest, &all[count++], &rest)) return 0;
    if (!*rest) return count;
    if (*rest != ',') return 0;
  }
  return 0;
}

static void plan(struct gpu_runs *runs, const struct options *o, const struct weir_sl1_options *sl1,
                 const struct weir_shape *threads, unsigned configurations) {
  runs->variants = o->sl1 ? VARIANTS : VARIANTS - 1;
  runs->count = runs->variants * configurations;
  runs->cells = weir_new_array(struct gpu_cell, runs->count);
  for (unsigned k = 0; k < runs->count; k++)
    runs->cells[k] = (struct gpu_cell){
      .options = o, .sl1 = sl1, .variant = &variants[k % runs->variants], .shape = threads[k / runs->variants]};
}

// ---- running it -----------------------------------------------------------------------------------------------------

// Runs the work in a child. Its exit status; *answer is what it wrote, or NULL.
static int in_child(int (*work)(void *context, FILE *answer), void *context, json_t **answer) {
  struct weir_job job;
  unsigned which;
  enum weir_wait end;
  *answer = NULL;
  if (!weir_job_start(&job, work, context)) return perror("weir: no process for the device"), WEIR_EXIT_INTERNAL;
  while ((end = weir_jobs_wait(&job, 1, 60, &which)) == WEIR_WAIT_TIMEOUT) continue;
  if (end == WEIR_WAIT_INTERRUPTED) {
    weir_jobs_kill(&job, 1);
    return WEIR_EXIT_INTERRUPTED;
  }
  struct weir_job_text said = weir_job_answer(&job);
  *answer = *said.text ? json_loads(said.text, 0, NULL) : NULL;
  weir_job_text_free(&said);
  if (WIFEXITED(job.status)) return WEXITSTATUS(job.status);
  fprintf(stderr, "weir: the process that used the device was ended by signal %d\n", WTERMSIG(job.status));
  return WEIR_EXIT_INTERNAL;
}

// Launch files have no check of their own: then variants must agree with the first that ran.
static void judge(struct gpu_cell *c, const struct gpu_cell *first) {
  const char *check = json_string_value(json_object_get(c->answer, "check"));
  if (!check) {
    c->check = "stopped";
  } else if (strcmp(check, "none")) {
    c->right = !strcmp(check, "passed");
    c->check = c->right ? "passed" : "failed";
  } else {
    const json_t *results = json_object_get(c->answer, "results");
    const bool any = json_array_size(results);
    c->right = c == first || json_equal(results, json_object_get(first->answer, "results"));
    c->check = !any ? "none" : c == first ? "reference" : c->right ? "same" : "differs";
  }
}

// 2 if one was stopped, 1 if one computed something wrong.
static int run_cells(struct gpu_runs *runs) {
  const struct gpu_cell *first = NULL;
  int status = WEIR_EXIT_OK;
  for (unsigned k = 0; k < runs->count; k++) {
    struct gpu_cell *c = &runs->cells[k];
    const int end = in_child(weir_gpu_run, c, &c->answer);
    if (end == WEIR_EXIT_USER || end == WEIR_EXIT_NO_DEVICE || end == WEIR_EXIT_INTERRUPTED) {
      runs->count = 0; // nothing that the other cells could do better
      return end;
    }
    if (!first && c->answer) first = c;
    judge(c, first);
    if (end)
      status = end;
    else if (!c->answer)
      status = WEIR_EXIT_USER;
    else if (!c->right && !status)
      status = WEIR_EXIT_INTERNAL;
  }
  return status;
}

// ---- showing it -----------------------------------------------------------------------------------------------------

static void print_json(const struct weir_table *t, const struct gpu_runs *runs) {
  const struct options *o = runs->cells->options;
  const json_t *same = json_object_get(runs->cells->answer, "same_addresses");
  json_t *whole = json_object();
  json_object_set_new(whole, "program", json_string(o->arguments[0]));
  json_object_set_new(whole, "size", json_string(weir_size_names[o->size]));
  json_object_set_new(whole, "seed", json_integer((json_int_t)o->seed));
  json_object_set_new(whole, "repeat", json_integer(o->repeat));
  json_object_set(whole, "device", runs->device);
  json_object_set_new(whole, "same_addresses", same ? json_boolean(json_is_true(same)) : json_null());
  json_object_set_new(whole, "table", weir_table_json(t));
  char *text = weir_json_text(whole, true);
  puts(text);
  free(text);
  json_decref(whole);
}

static void show(const struct gpu_runs *runs, enum output_format format) {
  struct weir_table t;
  weir_gpu_table(&t, runs);
  if (format == OUTPUT_JSON)
    print_json(&t, runs);
  else if (format == OUTPUT_CSV)
    weir_table_csv(&t, stdout);
  else
    weir_table_print(&t, stdout);
  weir_table_free(&t);
}

static int run_planned(struct gpu_runs *runs, enum output_format format) {
  weir_jobs_begin();
  int status = in_child(weir_gpu_describe, NULL, &runs->device);
  if (!status) status = run_cells(runs);
  weir_jobs_end();
  if (runs->device && runs->count) show(runs, format);
  return status;
}

static int run(const struct options *given) {
  struct options o = *given;
  struct weir_shape threads[MOST_CONFIGURATIONS];
  const unsigned configurations = read_threads(o.threads, threads);
  if (!configurations)
    return weir_usage_error("gpu",
                            "--threads takes BLOCKSxTHREADS,..., as in 60x256,120x512, with at most %d threads "
                            "in a block, not '%s'",
                            MOST_THREADS, o.threads);
  struct weir_sink sink = {0};
  struct weir_sl1_options sl1 = weir_sl1_defaults();
  struct gpu_runs runs = {0};
  if (!o.repeat) o.repeat = DEFAULT_REPEAT;
  bool ready = weir_mix_is(o.arguments[0])
    ? weir_fail_plain(&sink, "'%s' has CPU programs, or several: a device runs one workload or launch file",
                      o.arguments[0])
    : weir_program_known(o.arguments[0], &sink);
  if (o.sl1) ready &= weir_param_set_list(&weir_sl1_table, &sl1, o.sl1, weir_option_place("--sl1"), &sink);
  weir_conclude(&sink);
  if (!ready) return WEIR_EXIT_USER;
  plan(&runs, &o, &sl1, threads, configurations);
  struct gpu_cell *cells = runs.cells;
  const unsigned count = runs.count;
  const int status = run_planned(&runs, o.format);
  for (unsigned k = 0; k < count; k++) json_decref(cells[k].answer);
  json_decref(runs.device);
  weir_free(cells);
  return status;
}

static const struct argp_option options[] = {
  {"sl1", KEY_SL1, "KEY=VALUE,...", OPTION_ARG_OPTIONAL,
   "also with S-L1, a first-level cache in software, in place of the hardware's (options: weir sl1 --help)", 0},
  {"threads", KEY_THREADS, "BLOCKSxTHREADS,...", 0,
   "launch with so many blocks of so many threads, each in turn; of workloads that can have any (default: its own)", 0},
  {"repeat", KEY_REPEAT, "N", 0, "launches of which the median counts (default: 3)", 0},
  ROW_SIZE,
  ROW_SEED,
  ROW_INPUT,
  {"json", KEY_JSON, 0, 0, "print the table and the device as JSON", 0},
  {"csv", KEY_CSV, 0, 0, "print the table as comma-separated values", 0},
  {0},
};

const struct command command_gpu = {
  .name = "gpu",
  .arguments = "PROGRAM",
  .summary = "run a program on a real CUDA device: without L1, with the hardware's, and with S-L1",
  .description = "PROGRAM is a bundled workload or a launch file. Its PTX is compiled by the driver of this machine, "
                 "which is opened when it is needed; its kernels are timed on the first device (CUDA_VISIBLE_DEVICES "
                 "chooses) with global loads past the L1 (.cg), through it (.ca) and, with --sl1, through a cache in "
                 "software; and its results are checked. Exits with 3 if there is no driver or no device, with 1 if "
                 "results are wrong. docs/GPU.md says what is measured.",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What weir gpu does in processes of its own: there the driver is opened, a program prepared, run and checked.
#include "cli/gpu.h"
#include "driver/driver.h"

#include <inttypes.h>
#include <unistd.h>

static void answer_with(json_t *o, FILE *to) {
  json_dumpf(o, to, JSON_COMPACT);
  json_decref(o);
}

int weir_gpu_describe(void *context, FILE *answer) {
  (void)context;
  struct weir_sink sink = {0};
  struct weir_driver *d = weir_driver_open(&sink);
  weir_conclude(&sink);
  if (!d) return WEIR_EXIT_NO_DEVICE;
  const struct weir_driver_device *v = weir_driver_device(d);
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(v->name));
  json_object_set_new(o, "compute_capability", json_sprintf("%d.%d", v->major, v->minor));
  json_object_set_new(o, "cuda", json_sprintf("%d.%d", v->version / 1000, v->version % 1000 / 10));
  json_object_set_new(o, "multiprocessors", json_integer(v->cores));
  json_object_set_new(o, "multiprocessor_shared_bytes", json_integer(v->core_shared_bytes));
  json_object_set_new(o, "block_shared_bytes", json_integer(v->block_shared_bytes));
  json_object_set_new(o, "global_l1", json_boolean(v->global_l1));
  answer_with(o, answer);
  weir_driver_close(d);
  return WEIR_EXIT_OK;
}

static struct weir_app *open_app(const struct gpu_cell *c, struct weir_sink *sink) {
  const struct options *o = c->options;
  const struct weir_app_options options = {
    .size = o->size,
    .input = o->input,
    .seed = o->seed,
    .lanes = 32,
    .program = {.sl1 = c->variant->sl1, .sl1_options = *c->sl1, .shape = c->shape},
  };
  struct weir_app *app = weir_app_open(o->arguments[0], &options, sink);
  if (!app || weir_program_module(weir_app_program(app))) return app;
  weir_fail(sink, (struct weir_place){.file = o->arguments[0]}, "is a recording: a GPU runs programs");
  weir_app_free(app);
  return NULL;
}

static json_t *results_json(struct weir_app *app) {
  struct weir_host *h = weir_app_host(app);
  json_t *list = json_array();
  unsigned count;
  const struct weir_result *results = weir_host_results(h, &count);
  for (unsigned k = 0; k < count; k++)
    json_array_append_new(list,
                          json_pack("{s:s, s:o}", "name", results[k].name, "checksum",
                                    json_sprintf("%016" PRIx64, weir_host_checksum(h, &results[k]))));
  return list;
}

static json_t *measured(struct weir_app *app, const struct weir_driver *d) {
  const struct weir_driver_totals *t = weir_driver_totals(d);
  json_t *o = json_object();
  json_object_set_new(o, "milliseconds", json_real(t->milliseconds));
  json_object_set_new(o, "launches", json_integer((json_int_t)t->launches));
  json_object_set_new(o, "lines", json_integer(t->sl1_lines));
  if (t->sl1_accesses) json_object_set_new(o, "hit_rate", json_real((double)t->sl1_hits / (double)t->sl1_accesses));
  json_object_set_new(o, "same_addresses", json_boolean(t->same_addresses));
  json_object_set_new(o, "check", json_string(weir_check_names[weir_app_check(app)]));
  json_object_set_new(o, "results", results_json(app));
  return o;
}

static int run_on(struct weir_driver *d, const struct gpu_cell *c, struct weir_app *app, FILE *answer,
                  struct weir_sink *sink) {
  const struct weir_driver_options options = {.loads = c->variant->loads, .repeat = c->options->repeat};
  if (weir_driver_load(d, weir_app_program(app), &options, sink) && weir_app_run(app, weir_driver_backend(d)))
    answer_with(measured(app, d), answer);
  return WEIR_EXIT_OK;
}

int weir_gpu_run(void *cell, FILE *answer) {
  const struct gpu_cell *c = cell;
  struct weir_sink sink = {0};
  struct weir_driver *d = NULL;
  dup2(STDERR_FILENO, STDOUT_FILENO); // where the driver writes what kernels print: the table stands alone
  struct weir_app *app = open_app(c, &sink);
  int status = !app                  ? WEIR_EXIT_USER
    : !(d = weir_driver_open(&sink)) ? WEIR_EXIT_NO_DEVICE
                                     : run_on(d, c, app, answer, &sink);
  if (sink.count) fprintf(stderr, "weir: with %s:\n", c->variant->name);
  weir_driver_close(d);
  weir_app_free(app);
  weir_conclude(&sink);
  return status;
}

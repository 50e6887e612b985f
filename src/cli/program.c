// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/program.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/ptxas.h"
#include "config/chip_file.h"
#include "config/config.h"
#include "launcher/command.h"
#include "run/mix.h"
#include "report/report.h"
#include "stats/ncu.h"
#include "trace/programs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALLED = 128 }; // plus the signal's number, as a shell reports it

// ---- where a report goes ------------------------------------------------------------------------------------------------

static void print_json(json_t *const *runs, unsigned count, bool as_list, FILE *to) {
  json_t *list = json_array();
  for (unsigned i = 0; i < count; i++) json_array_append(list, runs[i]);
  char *text = weir_json_text(as_list ? list : runs[0], true);
  fprintf(to, "%s\n", text);
  free(text);
  json_decref(list);
}

static void print(const struct options *o, json_t *const *runs, unsigned count, bool as_list, FILE *to) {
  if (o->format == OUTPUT_JSON) {
    print_json(runs, count, as_list, to);
    return;
  }
  for (unsigned i = 0; i < count; i++) {
    if (i) fputc('\n', to);
    if (o->ncu)
      weir_print_ncu(runs[i], to);
    else
      weir_print_report(runs[i], to);
  }
}

bool weir_print_runs(const struct options *o, json_t *const *runs, unsigned count, bool as_list,
                     struct weir_sink *sink) {
  if (!o->output_path) {
    print(o, runs, count, as_list, stdout);
    return true;
  }
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  print(o, runs, count, as_list, f);
  bool ok = !fclose(f) && weir_file_write(o->output_path, text, bytes, sink);
  free(text);
  return ok;
}

// ---- programs -----------------------------------------------------------------------------------------------------------

bool weir_program_options(const char *command, const struct options *o) {
  const char *given = o->input          ? "--input"
    : o->size != WEIR_SIZE_SMALL        ? "--size"
    : weir_mix_counts_given(&o->counts) ? "a count of instructions"
                                        : NULL;
  if (given) weir_usage_error(command, "%s is for workloads: a program after -- has arguments of its own", given);
  return !given;
}

bool weir_clock_option(const char *command, const struct options *o) {
  if (!o->clock) return true;
  if (!o->program) weir_usage_error(command, "--clock is for a program after --: nothing else looks at one");
  const bool is = !strcmp(o->clock, "real") || !strcmp(o->clock, "modelled") || !strcmp(o->clock, "still");
  if (o->program && !is) weir_usage_error(command, "--clock is real, modelled or still, not '%s'", o->clock);
  return o->program && is;
}

bool weir_ncu_fits(const struct options *o, const struct weir_setup *setup, struct weir_sink *sink) {
  if (!o->ncu || weir_chip_has_sectors(setup->chip, WEIR_NCU_SECTOR)) return true;
  return weir_fail(sink, weir_option_place("--ncu"),
                   "%s does not count so: that takes two levels of data caches in sectors of %d bytes, as NVIDIA's "
                   "chips have them from Volta on (--chip volta-v100)",
                   weir_chip_name(setup->chip), WEIR_NCU_SECTOR);
}

// Of a program that used no device there is none.
static bool write_timeline(const struct options *o, const struct weir_command_result *r, struct weir_sink *sink) {
  if (!o->timeline_path || !r->timeline) return true;
  char *text = weir_json_text(r->timeline, false);
  const bool ok = weir_file_write(o->timeline_path, text, strlen(text), sink);
  free(text);
  return ok;
}

int weir_program_status(const struct weir_command_result *r) {
  return r->signalled ? SIGNALLED + r->status : r->status;
}

static int report(const struct options *o, const struct weir_command_result *r, struct weir_sink *sink) {
  for (const char *line = r->foreign, *end; line && *line; line = end + 1) {
    end = strchr(line, '\n');
    fprintf(stderr, "weir: %s loaded %.*s\n", o->program[0], (int)(end - line), line);
  }
  if (!r->run_count && !r->foreign)
    fprintf(
      stderr,
      "weir: %s used no device: it allocated and launched nothing, neither by the CUDA runtime (linked with -cudart "
      "shared) nor by OpenCL\n",
      o->program[0]);
  if (!write_timeline(o, r, sink)) return WEIR_EXIT_USER;
  bool on_stdout = !o->output_path && o->format == OUTPUT_TEXT && r->run_count;
  if (on_stdout) putchar('\n');
  if (r->run_count || o->format == OUTPUT_JSON || o->output_path)
    if (!weir_print_runs(o, r->runs, r->run_count, true, sink)) return WEIR_EXIT_USER;
  return weir_program_status(r);
}

int weir_run_program(const struct options *o) {
  struct weir_experiment e = weir_options_experiment(o, o->program[0],
                                                     o->functional       ? NULL
                                                       : o->scheme_count ? o->schemes[0]
                                                                         : WEIR_DEFAULT_SCHEME);
  struct weir_sink sink = {0};
  struct weir_setup setup;
  struct weir_command_result result = {0};
  int status = WEIR_EXIT_USER;
  bool to_stdout = o->format == OUTPUT_JSON && !o->output_path;
  char *counts;
  if (weir_ptxas_ask(o, &e, &counts, &sink) && weir_setup_read_process(&setup, &e, &sink)) {
    weir_setup_tell_idle(&setup, &e, &sink);
    const bool fits = weir_ncu_fits(o, &setup, &sink);
    weir_setup_free(&setup);
    if (fits && weir_command_run(&e, o->program, to_stdout ? WEIR_STREAMS_TO_STDERR : WEIR_STREAMS_OWN, &result, &sink))
      status = weir_command_selected(&result, &sink) && weir_command_hinted(&result, &sink) ? report(o, &result, &sink)
                                                                                            : WEIR_EXIT_USER;
  }
  weir_command_result_free(&result);
  weir_free(counts);
  weir_conclude(&sink);
  return status;
}

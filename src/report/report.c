// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/report.h"

#include "report/part.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

// ---- heading and totals ---------------------------------------------------------------------------------------------

// What a program's own check is, weir does not know; but it knows how the program ended.
static void print_process(const json_t *run, FILE *to) {
  const char *end = weir_run_text(run, "process.end");
  size_t faults = json_array_size(weir_run_member(run, "process.faults"));
  fputc('\n', to);
  if (!json_is_true(weir_run_member(run, "complete")))
    fprintf(to, "incomplete: %s%s; this is what was known by then\n",
            !strcmp(end, "unknown") ? "how the process ended is not known" : "the process ended by ",
            !strcmp(end, "unknown") ? "" : end);
  size_t strays = json_array_size(weir_run_member(run, "process.strays"));
  if (strays)
    fprintf(to, "%zu instruction%s left all buffers, where a real device would not have noticed\n", strays,
            strays == 1 ? "" : "s");
  size_t i;
  json_t *name;
  json_array_foreach(weir_run_member(run, "process.not_launched"), i, name)
    fprintf(to, "--registers names '%s', and no kernel of that name was launched\n", json_string_value(name));
  if (faults) fprintf(to, "%zu launch%s stopped by a fault\n", faults, faults == 1 ? " was" : "es were");
}

static const char *why_unchecked(const json_t *run) {
  return !weir_run_requester(run, 0)                 ? "no program runs on the GPU"
    : json_is_true(weir_run_member(run, "complete")) ? "there is none"
                                                     : "none, as the GPU's program was stopped before its end";
}

// What the program launched in vain comes first: nothing below is of it, and the program may not have looked.
static void print_refused(const json_t *run, FILE *to) {
  size_t i;
  json_t *text;
  json_array_foreach(weir_run_member(run, "process.refused"), i, text)
    fprintf(to, "not run: %s\n", json_string_value(text));
}

void weir_print_heading(const json_t *run, FILE *to) {
  print_refused(run, to);
  const char *check = weir_run_text(run, "check");
  bool mix = json_array_size(weir_run_programs(run));
  bool bundled = mix || *check != 'n'; // a launch file has neither sizes nor a reference
  fprintf(to, "%s%s%s%s", weir_run_text(run, "program"), bundled ? " (" : "", bundled ? weir_run_text(run, "size") : "",
          bundled ? ")" : "");
  if (*weir_run_text(run, "chip"))
    fprintf(to, " on %s under scheme %s", weir_run_text(run, "chip"), weir_run_text(run, "scheme"));
  else
    fputs(", results only", to);
  if (weir_run_member(run, "process"))
    print_process(run, to);
  else
    fprintf(to, "\ncheck against the reference: %s\n",
            *check != 'n' ? check
              : mix       ? why_unchecked(run)
                          : "there is none");
  const char *name;
  json_t *v;
  json_object_foreach(weir_run_member(run, "checksums"), name, v)
    fprintf(to, "checksum of %s: %s\n", name, json_string_value(v));
}

static void print_speed(const json_t *run, FILE *to) {
  const struct weir_host_numbers host = weir_run_host(run);
  const bool cpus = weir_run_total(run).cpu_instructions > 0;
  const double rate = host.instructions_per_second;
  fprintf(to,
          "\nsimulated in %.2f s, %.2f s of processor time: %.2f million %s instructions per second, %.2f of processor "
          "time; at most %.0f MiB\n",
          host.seconds, host.cpu_seconds, rate * 1e-6, cpus ? "CPU and warp" : "warp",
          host.cpu_seconds > 0 ? rate * host.seconds / host.cpu_seconds * 1e-6 : 0, host.peak_rss_bytes / (1 << 20));
}

static void total_row(struct weir_table *t, const char *what, double value, const char *unit) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], what);
  c[1].ours = value;
  weir_table_text(t, &c[2], unit);
}

static void print_totals(const json_t *run, const struct weir_run_numbers *total, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, "totals", "");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "what", weir_totals_of(run), NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "value", "", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "unit", "", NULL);
  for (const struct weir_member *m = weir_counts_members; m->name; m++) {
    double v = m->kind == WEIR_INTEGER ? weir_run_number(weir_run_member(run, "total"), m->name) : NAN;
    if (v > 0) total_row(&t, m->name, v, m->unit);
  }
  if (!isnan(total->dram.bytes)) total_row(&t, "dram bytes", total->dram.bytes, "bytes");
  if (total->energy_pj > 0) total_row(&t, "energy", total->energy_pj / 1e3, "nJ");
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (total->ipc > 0) fprintf(to, "\n%.3f warp instructions per core cycle\n", total->ipc);
}

static void print_policies(const json_t *list, FILE *to) {
  size_t i;
  json_t *p;
  if (json_array_size(list)) fputc('\n', to);
  json_array_foreach((json_t *)list, i, p) {
    const struct weir_policy_numbers is = weir_policy_of(p);
    fprintf(to, "%s %s %s: %.0f bits of storage per cache\n", is.level, is.kind, is.name, is.cost_bits);
  }
}

void weir_print_report(const json_t *run, FILE *to) {
  const struct weir_run_numbers total = weir_run_total(run);
  weir_print_heading(run, to);
  weir_print_timeline(run, to);
  if (!json_array_size(weir_run_member(run, "kernels")) && !json_array_size(weir_run_programs(run))) {
    fputs("\nnothing was launched\n", to);
    return;
  }
  weir_print_selection(run, to);
  weir_print_sweep(run, to);
  weir_print_mix(run, to);
  print_totals(run, &total, to);
  if (weir_run_member(run, "process")) weir_print_kernels(run, to);
  if (*weir_run_text(run, "chip")) {
    weir_print_occupancy(run, to);
    weir_print_caches(run, to);
    weir_print_loads(run, to);
    weir_print_bound(run, to);
    print_policies(weir_run_member(run, "policy"), to);
  }
  weir_print_sl1(run, to);
  print_speed(run, to);
}

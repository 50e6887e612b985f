// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Command lines in a batch: one process of the program per experiment.
#include "base/alloc.h"
#include "base/hash.h"
#include "launcher/command.h"
#include "run/object.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNALLED = 128 }; // plus the signal's number, as a shell reports it

// ---- what is ignored -------------------------------------------------------------------------------------------------------

// Copies what is left of a line; how much that is. A line may have any bytes in it.
static size_t copy_unignored(char *to, const char *line, size_t size, const regex_t *ignored) {
  size_t kept = 0, at = 0;
  regmatch_t m = {.rm_eo = (regoff_t)size};
  while (at < size && !regexec(ignored, line, 1, &m, REG_STARTEND | (at ? REG_NOTBOL : 0))) {
    const size_t end = (size_t)m.rm_eo > at ? (size_t)m.rm_eo : at + 1; // an empty match takes nothing away
    const size_t until = m.rm_eo > m.rm_so ? (size_t)m.rm_so : end;
    memcpy(to + kept, line + at, until - at);
    kept += until - at;
    at = end;
    m = (regmatch_t){.rm_so = (regoff_t)at, .rm_eo = (regoff_t)size};
  }
  memcpy(to + kept, line + at, size - at);
  return kept + size - at;
}

// Takes what is ignored out of what was printed.
static void ignore_output(struct weir_command_result *r, const regex_t *ignored) {
  char *left = weir_alloc(r->out_bytes + 1);
  size_t kept = 0;
  for (size_t at = 0, size; at < r->out_bytes; at += size) {
    const char *line = r->out + at, *end = memchr(line, '\n', r->out_bytes - at);
    size = end ? (size_t)(end - line) : r->out_bytes - at;
    kept += copy_unignored(left + kept, line, size, ignored);
    if (end) left[kept++] = '\n', size++;
  }
  weir_free(r->out);
  r->out = left;
  r->out_bytes = kept;
}

// False if what is to be ignored is no regular expression, which the caller has made sure of.
static bool ignore(struct weir_command_result *r, const char *text) {
  regex_t ignored;
  if (!text) return true;
  if (regcomp(&ignored, text, REG_EXTENDED)) return false;
  ignore_output(r, &ignored);
  regfree(&ignored);
  return true;
}

// ---- in the job -----------------------------------------------------------------------------------------------------------

static json_t *first_that_launched(const struct weir_command_result *r) {
  for (unsigned i = 0; i < r->run_count; i++)
    if (json_array_size(json_object_get(r->runs[i], "kernels"))) return json_incref(r->runs[i]);
  return NULL;
}

static void tell_nothing_launched(const struct weir_command_result *r, struct weir_sink *sink) {
  const char *foreign = r->foreign ? r->foreign : "", *err = r->err ? r->err : "";
  weir_fail_plain(sink, "it launched nothing on a device%s%s%s%s", *foreign ? "; it loaded\n" : "", foreign,
                  *err ? "; it said:\n" : "", err);
}

// What only the launcher knows of the program's end.
static void put_end(json_t *run, const struct weir_command_result *r, const struct weir_command_line *line) {
  json_t *process = json_object_get(run, "process");
  char output[WEIR_HASH_TEXT];
  weir_hash_print(weir_hash_bytes(weir_hash_start(), r->out, r->out_bytes), output);
  json_object_set_new(process, "printed", json_string(output));
  json_object_set_new(process, "status", json_integer(r->signalled ? SIGNALLED + r->status : r->status));
  const bool ended_well = !r->signalled && !r->status;
  if (line->tells_inputs && ended_well && r->inputs && !r->changed) json_object_set(process, "inputs", r->inputs);
  if (line->tells_inputs && r->changed) json_object_set_new(process, "changed_input", json_string(r->changed));
}

json_t *weir_command_experiment(const struct weir_experiment *e, struct weir_sink *sink) {
  const struct weir_command_line *line = e->command;
  struct weir_command_result r;
  json_t *run = NULL;
  if (weir_command_run(e, line->argv, WEIR_STREAMS_KEPT, &r, sink) && weir_command_selected(&r, sink) &&
      weir_command_hinted(&r, sink) && ignore(&r, line->ignored)) {
    run = first_that_launched(&r);
    if (run)
      put_end(run, &r, line);
    else
      tell_nothing_launched(&r, sink);
  }
  weir_command_result_free(&r);
  return run;
}

// ---- of all of them -------------------------------------------------------------------------------------------------------

static bool comparable(const struct weir_experiment *a, const struct weir_experiment *b) {
  return a->command == b->command && !strcmp(a->chip, b->chip) && a->sets == b->sets; // of a plan they are shared
}

// The first item that the i-th is compared with; i: it is that itself.
static unsigned first_like(const struct weir_batch *b, unsigned i) {
  unsigned k = 0;
  while (k < i && !(b->items[k].run && comparable(&b->items[k].experiment, &b->items[i].experiment))) k++;
  return k;
}

static bool agrees(const struct weir_batch_item *a, const struct weir_batch_item *b, struct weir_sink *sink) {
  const char *x = a->experiment.scheme, *y = b->experiment.scheme;
  const double one = weir_run_number(a->run, "process.status"), other = weir_run_number(b->run, "process.status");
  if (one < other || one > other)
    weir_report(sink, WEIR_WARNING, (struct weir_place){0}, "it ends with status %.0f under %s, with %.0f under %s",
                one, x, other, y);
  else if (strcmp(weir_run_text(a->run, "process.printed"), weir_run_text(b->run, "process.printed")) != 0)
    weir_report(sink, WEIR_WARNING, (struct weir_place){0}, "what it prints differs between %s and %s", x, y);
  else
    return true;
  return false;
}

// What --registers names and nothing was is told once: all were given the same.
static void warn_of_registers(const json_t *run, struct weir_sink *sink) {
  size_t k;
  json_t *name;
  json_array_foreach(weir_run_member(run, "process.not_launched"), k, name)
    weir_report(sink, WEIR_WARNING, (struct weir_place){0},
                "--registers names '%s', and no kernel of that name was launched", json_string_value(name));
}

static void tell_changed(const struct weir_batch_item *item, struct weir_sink *sink) {
  const char *file = weir_run_text(item->run, "process.changed_input");
  if (*file)
    weir_report(sink, WEIR_NOTE, (struct weir_place){0},
                "%s is not kept in the store: %s, which it read, changed while it ran (docs/STORE.md)",
                item->experiment.program, file);
}

bool weir_command_agree(const struct weir_batch *b, struct weir_sink *sink) {
  bool same = true;
  for (unsigned i = 0; i < b->count; i++) {
    const struct weir_batch_item *item = &b->items[i];
    if (!item->experiment.command || !item->run) continue;
    const unsigned first = first_like(b, i);
    if (first < i) {
      same &= agrees(&b->items[first], item, sink);
      continue;
    }
    warn_of_registers(item->run, sink);
    tell_changed(item, sink);
  }
  return same;
}

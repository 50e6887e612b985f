// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // sigabbrev_np

// A program's run, from the check of its file to its run objects.
#include "base/alloc.h"
#include "base/file.h"
#include "launcher/command_private.h"
#include "batch/jobs.h"
#include "run/environment.h"
#include "run/object.h"
#include "run/selection.h"
#include "run/trace_events.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- until it ends --------------------------------------------------------------------------------------------------------

// What a terminal sends, it sends to the program too; what a process sends to weir alone is passed on.
static void pass_on(pid_t pid, const siginfo_t *signal) {
  if (signal->si_signo != SIGCHLD && signal->si_code <= 0) kill(pid, signal->si_signo);
}

static void wait_for(const struct weir_command *c, struct weir_command_result *r) {
  int status = 0;
  sigset_t set = weir_command_signals();
  siginfo_t signal;
  const struct timespec a_while = {.tv_sec = 1}; // that an end without SIGCHLD may go unseen
  while (!weir_child_ended(c->pid, &status))
    if (sigtimedwait(&set, &signal, &a_while) > 0) pass_on(c->pid, &signal);
  r->signalled = WIFSIGNALED(status);
  r->status = r->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
}

// ---- what it left ---------------------------------------------------------------------------------------------------------

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *name, const char *ending) {
  const size_t length = strlen(name), of_ending = strlen(ending);
  return length > of_ending && !strcmp(name + length - of_ending, ending);
}

// Of a process that could not tell how it ended, and is the one that was waited for.
static void tell_end(json_t *run, const char *name, const struct weir_command *c, const struct weir_command_result *r) {
  const char *dash = strrchr(name, '-');
  json_t *process = json_object_get(run, "process");
  if (!dash || atol(dash + 1) != c->pid || strcmp(weir_run_text(run, "process.end"), "unknown")) return;
  char *end = r->signalled ? weir_text_format("SIG%s", sigabbrev_np(r->status)) : weir_text_copy("_exit");
  json_object_set_new(process, "end", json_string(end));
  weir_free(end);
}

// ---- libraries that are not weir's ----------------------------------------------------------------------------------------

static const char *why_foreign(const struct weir_command *c, const char *path) {
  const char *name = weir_path_name(path);
  if (!strncmp(name, "libcuda.so", 10) && !weir_command_has_library(c, name))
    return "the driver: a program with the CUDA runtime linked into it calls it (relink with nvcc -cudart shared), or one of "
           "the driver API";
  if (!weir_command_has_library(c, name))
    return "weir has libcudart.so.11.0, libcudart.so.12 and libcudart.so.13; rebuild the program with CUDA 11 or newer";
  return "the program names that file itself, or has a path of its own that is searched before LD_LIBRARY_PATH";
}

static void take_foreign(struct weir_command_result *r, const struct weir_command *c, const char *path) {
  struct weir_sink unheard = {0};
  size_t bytes;
  char *text = weir_file_read(path, 0, &bytes, &unheard), *rest = text;
  for (char *line; text && (line = strsep(&rest, "\n"));) {
    char *one = weir_text_format("%s, which is not weir's: %s\n", line, why_foreign(c, line));
    if (*line && !(r->foreign && strstr(r->foreign, one))) {
      char *longer = weir_text_format("%s%s", r->foreign ? r->foreign : "", one);
      weir_free(r->foreign);
      r->foreign = longer;
    }
    weir_free(one);
  }
  weir_free(text);
  weir_sink_free(&unheard);
}

// ---- all of it -------------------------------------------------------------------------------------------------------

static void take_timeline(struct weir_command_result *r, json_t *file) {
  if (!r->timeline)
    r->timeline = file;
  else
    weir_trace_events_join(r->timeline, file, r->timeline_count);
  if (r->timeline != file) json_decref(file);
  r->timeline_count++;
}

static void take(struct weir_command_result *r, const struct weir_command *c, const char *name,
                 struct weir_sink *sink) {
  char *path = weir_text_format("%s/%s", c->folder, name);
  json_t *run = ends_with(name, ".json") ? json_load_file(path, 0, NULL) : NULL;
  if (run) {
    tell_end(run, name, c, r);
    *weir_push(r->runs, r->run_count, r->run_capacity) = run;
  }
  if (ends_with(name, WEIR_TIMELINE_ENDING)) take_timeline(r, json_load_file(path, 0, NULL));
  if (ends_with(name, WEIR_RECORDING_ENDING) && !r->recordings++) weir_file_move(path, c->recording, sink);
  if (!strcmp(name, "foreign")) take_foreign(r, c, path);
  if (!strcmp(name, "opened")) weir_command_take_inputs(r, c, path);
  unlink(path);
  weir_free(path);
}

static void collect(struct weir_command_result *r, const struct weir_command *c, struct weir_sink *sink) {
  char **names = NULL;
  unsigned count = 0, capacity = 0;
  DIR *folder = opendir(c->folder);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') *weir_push(names, count, capacity) = weir_text_copy(entry->d_name);
  if (folder) closedir(folder);
  if (count) qsort(names, count, sizeof *names, by_name);
  for (unsigned i = 0; i < count; i++) {
    take(r, c, names[i], sink);
    weir_free(names[i]);
  }
  weir_free(names);
}

static char *kept(int file, size_t *bytes) {
  off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
  if (size < 0) return NULL;
  char *text = weir_alloc((size_t)size + 1);
  for (off_t at = 0; at < size;) {
    ssize_t n = pread(file, text + at, (size_t)(size - at), at);
    if (n <= 0) break;
    at += n;
  }
  *bytes = (size_t)size;
  return text;
}

static void end(struct weir_command *c) {
  sigprocmask(SIG_SETMASK, &c->before, NULL);
  for (int i = 0; i < 2; i++)
    if (c->files[i] >= 0) close(c->files[i]);
  if (c->folder) rmdir(c->folder);
  weir_free(c->folder);
  weir_free(c->libraries);
}

static bool run(const struct weir_experiment *e, const char *path, const struct weir_binary *binary, char *const argv[],
                enum weir_command_streams streams, struct weir_command_result *result, struct weir_sink *sink) {
  struct weir_command c = {.path = path,
                           .binary = binary,
                           .files = {-1, -1},
                           .libraries = weir_command_libraries(),
                           .recording = e->recording};
  bool started = weir_command_start(&c, e, argv, streams, sink);
  if (started) {
    size_t unused;
    wait_for(&c, result);
    collect(result, &c, sink);
    result->out = kept(c.files[0], &result->out_bytes);
    result->err = kept(c.files[1], &unused);
  }
  end(&c);
  return started;
}

// ---- a run before the run ---------------------------------------------------------------------------------------------

static bool foresees(const struct weir_experiment *e) {
  struct weir_setup setup;
  struct weir_sink unheard = {0};
  const bool ready = weir_setup_read_process(&setup, e, &unheard), yes = ready && weir_setup_foresees(&setup);
  if (ready) weir_setup_free(&setup);
  weir_sink_free(&unheard);
  return yes;
}

// Under a scheme that foresees the program runs once for its accesses alone: what it prints is not heard.
static bool run_twice(const struct weir_experiment *e, const char *path, const struct weir_binary *binary,
                      char *const argv[], enum weir_command_streams streams, struct weir_command_result *result,
                      struct weir_sink *sink) {
  const char *where = getenv("TMPDIR");
  char *file = weir_text_format("%s/weir-records-XXXXXX", where && *where == '/' ? where : "/tmp");
  const int made = mkstemp(file);
  if (made < 0) weir_fail_plain(sink, "no file '%s' can be made: %s", file, strerror(errno));
  if (made < 0) return false;
  close(made);
  char *to = weir_text_format("write:%s", file), *from = weir_text_format("read:%s", file);
  struct weir_experiment first = *e, second = *e;
  first.records = to;
  first.timeline = first.recording = NULL;
  second.records = from;
  struct weir_command_result unheard = {0};
  const bool ok = run(&first, path, binary, argv, WEIR_STREAMS_KEPT, &unheard, sink) &&
    run(&second, path, binary, argv, streams, result, sink);
  weir_command_result_free(&unheard);
  unlink(file);
  weir_free(file);
  weir_free(to);
  weir_free(from);
  return ok;
}

static void warn_of_libraries(const struct weir_binary *b, const char *path, struct weir_sink *sink) {
  weir_binary_report_libraries(b, path, WEIR_WARNING,
                               "whose kernels weir does not run: what the program asks of it is not done", sink);
}

bool weir_command_run(const struct weir_experiment *e, char *const argv[], enum weir_command_streams streams,
                      struct weir_command_result *result, struct weir_sink *sink) {
  struct weir_binary binary = {0};
  char *path = e->command && e->command->path ? weir_text_copy(e->command->path) : weir_command_find(argv[0], sink);
  *result = (struct weir_command_result){0};
  bool ok = path && weir_binary_read(&binary, path, sink) && weir_binary_check(&binary, path, sink) &&
    (foresees(e) ? run_twice : run)(e, path, &binary, argv, streams, result, sink);
  if (path && streams != WEIR_STREAMS_KEPT)
    warn_of_libraries(&binary, path, sink); // of many runs weir_command_fits says it once
  weir_binary_free(&binary);
  weir_free(path);
  return ok;
}

bool weir_command_fits(const char *path, struct weir_sink *sink) {
  struct weir_binary binary = {0};
  const bool fits = weir_binary_read(&binary, path, sink) && weir_binary_check(&binary, path, sink);
  warn_of_libraries(&binary, path, sink);
  weir_binary_free(&binary);
  return fits;
}

bool weir_command_selected(const struct weir_command_result *r, struct weir_sink *sink) {
  struct weir_sink unheard = {0};
  bool some = !r->run_count;
  for (unsigned i = 0; i < r->run_count && !some; i++) some = weir_selection_met(r->runs[i], &unheard);
  weir_sink_free(&unheard);
  return some || weir_selection_met(r->runs[0], sink);
}

// Of a process that was ended early nobody knows.
static bool is_unfound(const json_t *run, const char *file) {
  size_t i;
  json_t *is;
  json_array_foreach(
    weir_run_member(run, "process.unfound_hints"), i,
    is) if (!strcmp(json_string_value(is), file)) return json_is_true(weir_run_member(run, "complete"));
  return false;
}

bool weir_command_hinted(const struct weir_command_result *r, struct weir_sink *sink) {
  bool ok = true;
  size_t k;
  json_t *file;
  json_array_foreach(r->run_count ? weir_run_member(r->runs[0], "process.unfound_hints") : NULL, k, file) {
    const char *name = json_string_value(file);
    bool found = false;
    for (unsigned i = 0; i < r->run_count && !found; i++) found = !is_unfound(r->runs[i], name);
    if (!found)
      ok = weir_fail(
        sink, weir_option_place("--hint"),
        "no PTX of the program comes from a file '%s'; without line information (nvcc -lineinfo) name the PTX file "
        "and its line",
        name);
  }
  return ok;
}

void weir_command_result_free(struct weir_command_result *r) {
  for (unsigned i = 0; i < r->run_count; i++) json_decref(r->runs[i]);
  weir_free(r->runs);
  json_decref(r->timeline);
  json_decref(r->inputs);
  weir_free(r->changed);
  weir_free(r->foreign);
  weir_free(r->out);
  weir_free(r->err);
}

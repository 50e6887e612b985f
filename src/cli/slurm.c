// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cli/slurm.h"

#include "base/alloc.h"
#include "base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *weir_slurm_folder(const char *store) {
  return weir_text_format("%s.parts", store);
}

// ---- texts that a shell reads ----------------------------------------------------------------------------------------------

static char *quoted(const char *text) { // 'as one word'; freed by weir_free
  char *out = weir_alloc(4 * strlen(text) + 3), *to = out;
  *to++ = '\'';
  for (; *text; text++) {
    if (*text == '\'')
      to = stpcpy(to, "'\\''");
    else
      *to++ = *text;
  }
  strcpy(to, "'");
  return out;
}

// Path as it is from any folder; freed by weir_free.
static char *whole_path(const char *path) {
  char *real = realpath(path, NULL), *copy = weir_text_copy(real ? real : path);
  free(real);
  return copy;
}

static char *appended(char *text, const char *word) { // takes `text`
  char *longer = weir_text_format("%s %s", text, word);
  weir_free(text);
  return longer;
}

static char *appended_path(char *text, const char *path) {
  char *whole = whole_path(path), *word = quoted(whole), *longer = appended(text, word);
  weir_free(whole);
  weir_free(word);
  return longer;
}

// What a task runs, but for its shard and store.
static char *sweep_command(const struct options *o) {
  char *text = appended_path(weir_text_copy(""), "/proc/self/exe");
  text = appended(text, "sweep");
  text = appended_path(text, o->arguments[0]);
  for (unsigned i = 0; i < o->plugin_count; i++) text = appended_path(appended(text, "--plugin"), o->plugins[i]);
  if (o->step_limit) {
    char *limit = weir_text_format("--step-limit %llu", (unsigned long long)o->step_limit);
    text = appended(text, limit);
    weir_free(limit);
  }
  return text;
}

// ---- scripts ---------------------------------------------------------------------------------------------------------------

struct place {
  char *store, *folder; // quoted
};

static bool write_script(const char *folder, const char *name, const char *text, struct weir_sink *sink) {
  char *path = weir_text_format("%s/%s", folder, name);
  const bool ok = weir_file_write(path, text, strlen(text), sink);
  weir_free(path);
  return ok;
}

static bool write_scripts(const struct options *o, const char *folder, const struct place *at, unsigned tasks,
                          struct weir_sink *sink) {
  char *command = sweep_command(o), *weir = appended_path(weir_text_copy(""), "/proc/self/exe");
  char *task =
    weir_text_format("#!/bin/sh\n"
                     "# A task of the sweep: its part, into a store of its own.\n"
                     "exec%s --shard \"$SLURM_ARRAY_TASK_ID/%u\" --known %s \\\n"
                     "  --store %s/part-\"$SLURM_ARRAY_TASK_ID\".sqlite --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n",
                     command, tasks, at->store, at->folder);
  char *merge = weir_text_format("#!/bin/sh\n"
                                 "# After the tasks, however they ended: what they kept, in one store.\n"
                                 "%s store merge %s/part-*.sqlite --store %s &&%s --store %s --status\n",
                                 weir + 1, at->folder, at->store, command, at->store);
  const bool ok = write_script(folder, "task.sh", task, sink) && write_script(folder, "merge.sh", merge, sink);
  weir_free(command);
  weir_free(weir);
  weir_free(task);
  weir_free(merge);
  return ok;
}

// ---- submitting ------------------------------------------------------------------------------------------------------------

// The job's number, as sbatch --parsable says it ("12" or "12;cluster"); NULL and a diagnostic if it says none. Freed by weir_free.
static char *submit(const char *command, struct weir_sink *sink) {
  char said[256] = "";
  FILE *f = popen(command, "r");
  const size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;
  const int status = f ? pclose(f) : -1;
  said[n] = 0;
  said[strcspn(said, ";\n")] = 0;
  if (!status && *said) return weir_text_copy(said);
  weir_fail_plain(sink, "--slurm: sbatch refuses the job: %s", command);
  return NULL;
}

static bool has_sbatch(struct weir_sink *sink) {
  return !system("command -v sbatch >/dev/null 2>&1") ||
    weir_fail_plain(sink, "--slurm: there is no sbatch on PATH; --shard I/N divides a sweep without Slurm");
}

static bool submit_both(const struct options *o, const struct place *at, unsigned tasks, struct weir_sink *sink) {
  const char *extra = o->slurm ? o->slurm : "";
  char *command =
    weir_text_format("sbatch --parsable --requeue --job-name=weir-sweep --array=1-%u --output=%s/task-%%a.log "
                     "--open-mode=append %s %s/task.sh",
                     tasks, at->folder, extra, at->folder);
  char *array = submit(command, sink), *merge = NULL;
  weir_free(command);
  if (array) {
    command = weir_text_format(
      "sbatch --parsable --job-name=weir-merge --dependency=afterany:%s --output=%s/merge.log %s %s/merge.sh", array,
      at->folder, extra, at->folder);
    merge = submit(command, sink);
    weir_free(command);
  }
  if (merge)
    printf("array job %s of %u tasks, then job %s, which merges them into %s\n", array, tasks, merge, at->store);
  weir_free(array);
  weir_free(merge);
  return merge;
}

bool weir_slurm_submit(const struct options *o, const char *store, unsigned tasks, struct weir_sink *sink) {
  if (!has_sbatch(sink)) return false;
  char *whole = whole_path(store), *folder = weir_slurm_folder(whole);
  if (mkdir(folder, 0777) && access(folder, W_OK)) {
    weir_fail(sink, (struct weir_place){folder, NULL, 0, 0}, "cannot be made: %m");
    weir_free(whole);
    weir_free(folder);
    return false;
  }
  const struct place at = {quoted(whole), quoted(folder)};
  const bool ok = write_scripts(o, folder, &at, tasks, sink) && submit_both(o, &at, tasks, sink);
  weir_free(at.store);
  weir_free(at.folder);
  weir_free(whole);
  weir_free(folder);
  return ok;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/file.h"
#include "run/mix.h"
#include "run/model.h"
#include "batch/store.h"
#include "warptrace/warptrace.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

// The executable itself stands for the version: two builds that differ at all do not share results.
static bool hash_weir(weir_hash *h) {
  static weir_hash known;
  if (!known) {
    known = weir_hash_start();
    if (!weir_hash_file(&known, "/proc/self/exe")) return false;
  }
  *h = weir_hash_bytes(*h, &known, sizeof known);
  return true;
}

void weir_build(char build[static WEIR_HASH_TEXT]) {
  weir_hash h = weir_hash_start();
  hash_weir(&h);
  weir_hash_print(h, build);
}

static bool hash_named(weir_hash *h, const char *path, struct weir_sink *sink) {
  return weir_hash_file(h, path) || weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be read");
}

static int no_dots(const struct dirent *d) {
  return d->d_name[0] != '.';
}

// Every file of a folder, in the order of their names.
static void hash_folder(weir_hash *h, const char *folder) {
  struct dirent **files;
  int count = scandir(folder, &files, no_dots, alphasort);
  for (int i = 0; i < count; i++) {
    char *path = weir_text_format("%s/%s", folder, files[i]->d_name);
    *h = weir_hash_text(*h, files[i]->d_name);
    weir_hash_file(h, path);
    weir_free(path);
    free(files[i]);
  }
  if (count >= 0) free(files);
}

enum { DEEPEST_BASE = 8 }; // as config reads them

// What a file says, without its comments. *base: the file that it builds on, freed by weir_free; NULL: none.
static bool hash_document(weir_hash *h, const char *path, char **base, struct weir_sink *sink) {
  FILE *f = fopen(path, "rb");
  yaml_parser_t parser;
  *base = NULL;
  if (!f || !yaml_parser_initialize(&parser))
    return weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be read");
  yaml_parser_set_input_file(&parser, f);
  yaml_token_t token;
  bool names_base = false;
  for (bool more = true; more && yaml_parser_scan(&parser, &token); yaml_token_delete(&token)) {
    more = token.type != YAML_STREAM_END_TOKEN;
    const uint32_t type = token.type;
    *h = weir_hash_bytes(*h, &type, sizeof type);
    if (token.type != YAML_SCALAR_TOKEN) continue;
    const char *text = (const char *)token.data.scalar.value;
    *h = weir_hash_text(*h, text);
    if (names_base && !*base) *base = weir_text_copy(text);
    names_base = !strcmp(text, "base");
  }
  yaml_parser_delete(&parser);
  fclose(f);
  return true;
}

// A document that was hashed on its own: the runs of a sweep have few among them. One that has changed since is another.
struct document {
  char *path, *base;
  struct stat st;
  weir_hash hash;
};

static bool is_known(const struct document *d, const char *path, const struct stat *st) {
  return !strcmp(d->path, path) && weir_file_same(&d->st, st);
}

static const struct document *known_document(const char *path, struct weir_sink *sink) {
  static struct document *known;
  static unsigned count, capacity;
  struct document d = {.hash = weir_hash_start()};
  if (stat(path, &d.st)) memset(&d.st, 0, sizeof d.st); // then reading it fails, too
  for (unsigned i = 0; i < count; i++)
    if (is_known(&known[i], path, &d.st)) return &known[i];
  if (!hash_document(&d.hash, path, &d.base, sink)) return NULL;
  d.path = weir_text_copy(path);
  return memcpy(weir_push(known, count, capacity), &d, sizeof d);
}

// `alone`: each document goes in by a hash of its own, which is known from run to run; else word by word, as fingerprints have them.
static bool hash_words(weir_hash *h, const char *path, bool alone, char **base, struct weir_sink *sink) {
  if (!alone) return hash_document(h, path, base, sink);
  const struct document *d = known_document(path, sink);
  *base = d && d->base ? weir_text_copy(d->base) : NULL;
  if (d) *h = weir_hash_bytes(*h, &d->hash, sizeof d->hash);
  return d;
}

static bool hash_yaml(weir_hash *h, const char *folder, const char *name, size_t length, unsigned depth, bool alone,
                      struct weir_sink *sink);

// A file, and then the file that it builds on, if it names one.
static bool hash_documents(weir_hash *h, const char *folder, const char *path, unsigned depth, bool alone,
                           struct weir_sink *sink) {
  char *base;
  if (!hash_words(h, path, alone, &base, sink)) return false;
  char *beside = base ? weir_path_beside(path, base) : NULL;
  const char *file = beside && !access(beside, R_OK) ? beside : base;
  const bool ok = !base || depth == DEEPEST_BASE || hash_yaml(h, folder, file, strlen(file), depth + 1, alone, sink);
  weir_free(beside);
  weir_free(base);
  return ok;
}

// A data file "FOLDER/NAME.yaml" of weir's own, or a path.
static bool hash_yaml(weir_hash *h, const char *folder, const char *name, size_t length, unsigned depth, bool alone,
                      struct weir_sink *sink) {
  char *plain = weir_text_format("%.*s", (int)length, name), *relative = weir_text_format("%s/%s.yaml", folder, plain);
  char *bundled = weir_data_path(relative);
  bool ok = hash_documents(h, folder, bundled ? bundled : plain, depth, alone, sink);
  weir_free(bundled);
  weir_free(relative);
  weir_free(plain);
  return ok;
}

// A launch file, and every file that a text in it names (its module, buffers' contents).
static bool hash_launch_file(weir_hash *h, const char *path, struct weir_sink *sink) {
  if (!hash_named(h, path, sink)) return false;
  FILE *f = fopen(path, "rb");
  yaml_parser_t parser;
  if (!f || !yaml_parser_initialize(&parser)) return weir_fail_plain(sink, "%s cannot be read", path);
  yaml_parser_set_input_file(&parser, f);
  yaml_token_t token;
  enum { DEEPEST = 64 }; // as host reads it
  int depth = 0;
  bool more = true;
  while (more && yaml_parser_scan(&parser, &token)) {
    depth += token.type == YAML_FLOW_MAPPING_START_TOKEN || token.type == YAML_FLOW_SEQUENCE_START_TOKEN;
    depth -= token.type == YAML_FLOW_MAPPING_END_TOKEN || token.type == YAML_FLOW_SEQUENCE_END_TOKEN;
    more = token.type != YAML_STREAM_END_TOKEN && depth <= DEEPEST;
    if (token.type == YAML_SCALAR_TOKEN) {
      char *named = weir_path_beside(path, (const char *)token.data.scalar.value);
      if (!access(named, R_OK)) weir_hash_file(h, named);
      weir_free(named);
    }
    yaml_token_delete(&token);
  }
  yaml_parser_delete(&parser);
  fclose(f);
  return true;
}

static void hash_data(weir_hash *h, const char *relative) {
  char *folder = weir_data_path(relative);
  if (folder) hash_folder(h, folder);
  weir_free(folder);
}

// The inputs that all workloads share, read once.
static void hash_inputs(weir_hash *h) {
  static weir_hash known;
  if (!known) {
    known = weir_hash_start();
    hash_data(&known, "workloads/data");
  }
  *h = weir_hash_bytes(*h, &known, sizeof known);
}

struct hashing {
  weir_hash *h;
  struct weir_sink *sink;
};

static bool hash_one(void *context, const char *path) {
  const struct hashing *to = context;
  return hash_named(to->h, path, to->sink);
}

// A workload is the code in weir, its folder, and the shared inputs; a recording all files that it is in.
static bool hash_gpu(weir_hash *h, const char *program, struct weir_sink *sink) {
  struct hashing to = {h, sink};
  if (!weir_workload_find(program) && weir_warptrace_kind(program) != WEIR_WARPTRACE_NONE)
    return weir_warptrace_files(program, hash_one, &to, sink);
  if (!weir_workload_find(program)) return hash_launch_file(h, program, sink);
  char relative[256];
  snprintf(relative, sizeof relative, "workloads/%s", program);
  hash_data(h, relative);
  hash_inputs(h);
  return true;
}

// A study has the same trace in many mixes: each is read once.
static bool hash_trace(weir_hash *h, const char *path, struct weir_sink *sink) {
  static struct known {
    char *path;
    weir_hash hash;
  } * known;
  static unsigned count, capacity;
  unsigned i = 0;
  while (i < count && strcmp(known[i].path, path)) i++;
  if (i == count) {
    weir_hash hash = weir_hash_start();
    if (!hash_named(&hash, path, sink)) return false;
    *weir_push(known, count, capacity) = (struct known){weir_text_copy(path), hash};
  }
  *h = weir_hash_bytes(*h, &known[i].hash, sizeof known[i].hash);
  return true;
}

static bool hash_mix(weir_hash *h, const struct weir_mix *m, struct weir_sink *sink) {
  bool ok = !m->gpu || hash_gpu(h, m->gpu, sink);
  for (unsigned i = 0; ok && i < m->cpus; i++) ok = hash_trace(h, m->paths[i], sink);
  return ok;
}

// ---- a command line ----------------------------------------------------------------------------------------------------

extern char **environ;

static bool begins_with(const char *text, const char *start) {
  return !strncmp(text, start, strlen(start));
}

// What a terminal, a login or Slurm sets for itself, and weir's own variables, which the experiment has.
static bool is_of_the_session(const char *variable) {
  static const char *const names[] = {
    "_=",          "SHLVL=", "PWD=", "OLDPWD=", "COLUMNS=",   "LINES=",         "WINDOWID=",      "DISPLAY=",
    "XAUTHORITY=", "MAIL=",  "STY=", "TMPDIR=", "LS_COLORS=", "INVOCATION_ID=", "JOURNAL_STREAM="};
  static const char *const starts[] = {"WEIR_", "SLURM", "SSH_", "XDG_SESSION_", "DBUS_", "TERM",
                                       "TMUX",  "GPG_",  "HIST", "LESS",         "PS1",   "WAYLAND_"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (begins_with(variable, names[i])) return true;
  for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
    if (begins_with(variable, starts[i])) return true;
  return false;
}

// In whatever order it stands.
static weir_hash environment_hash(void) {
  weir_hash all = 0;
  for (char **v = environ; *v; v++)
    if (!is_of_the_session(*v)) all += weir_hash_text(weir_hash_start(), *v);
  return all;
}

enum { DEEPEST_FOLDER = 32 };

static bool is_folder(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISDIR(st.st_mode);
}

// A file, or all files of a folder and of those in it, in the order of their names.
static bool hash_input(weir_hash *h, const char *path, unsigned depth, struct weir_sink *sink) {
  struct dirent **files;
  *h = weir_hash_text(*h, weir_path_name(path)); // from wherever it is named
  if (!is_folder(path)) return hash_named(h, path, sink);
  const int count = depth < DEEPEST_FOLDER ? scandir(path, &files, no_dots, alphasort) : -1;
  bool ok = count >= 0 || weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be read");
  for (int i = 0; i < count; i++) {
    char *inner = weir_text_format("%s/%s", path, files[i]->d_name);
    ok = ok && hash_input(h, inner, depth + 1, sink);
    weir_free(inner);
    free(files[i]);
  }
  if (count >= 0) free(files);
  return ok;
}

// What the program is seen to read is in its run object, and checked when that is found.
static bool hash_command(weir_hash *h, const struct weir_command_line *l, const char *clock, struct weir_sink *sink) {
  char *folder = realpath(l->folder ? l->folder : ".", NULL);
  const weir_hash environment = environment_hash();
  *h = weir_hash_text(*h, "command");
  *h = weir_hash_text(*h, folder);
  free(folder);
  *h = weir_hash_bytes(*h, &environment, sizeof environment);
  for (unsigned i = 0; l->argv[i]; i++) *h = weir_hash_text(*h, l->argv[i]);
  *h = weir_hash_text(*h, NULL);
  for (unsigned i = 0; i < l->environment_count; i++) *h = weir_hash_text(*h, l->environment[i]);
  *h = weir_hash_text(*h, l->ignored);
  *h = weir_hash_text(*h, clock);
  bool ok = hash_named(h, l->path, sink);
  for (unsigned i = 0; ok && i < l->input_count; i++) ok = hash_input(h, l->inputs[i], 0, sink);
  return ok;
}

static bool hash_program(weir_hash *h, const struct weir_experiment *e, struct weir_sink *sink) {
  struct weir_mix m;
  if (e->command) return hash_command(h, e->command, e->clock, sink);
  *h = weir_hash_text(*h, e->program);
  if ((e->input && !hash_named(h, e->input, sink)) || !weir_mix_read(&m, e->program, sink)) return false;
  bool ok = hash_mix(h, &m, sink);
  weir_mix_release(&m);
  return ok;
}

// Nothing where every launch is timed: what was kept before there were selections stays valid.
static void hash_select(weir_hash *h, const struct weir_select *s) {
  const uint64_t numbers[] = {s->most, s->warm};
  if (s->sample) *h = weir_hash_text(*h, "sample");
  if (!s->kernels && !s->launches && !s->most) return;
  *h = weir_hash_text(*h, "select");
  *h = weir_hash_text(*h, s->kernels);
  *h = weir_hash_text(*h, s->launches);
  *h = weir_hash_bytes(*h, numbers, sizeof numbers);
}

static bool hash_chip(weir_hash *h, const struct weir_experiment *e, bool alone, struct weir_sink *sink) {
  *h = weir_hash_text(*h, e->chip);
  for (unsigned i = 0; i < e->set_count; i++) *h = weir_hash_text(*h, e->sets[i]);
  *h = weir_hash_text(*h, e->scheme);
  *h = weir_hash_text(*h, e->sl1);
  if (e->hints) *h = weir_hash_text(*h, e->hints);
  if (e->ptxas) *h = weir_hash_text(*h, e->ptxas);
  if (e->strict) *h = weir_hash_text(*h, "strict");
  hash_select(h, &e->select);
  return (!e->chip || hash_yaml(h, "chips", e->chip, strlen(e->chip), 0, alone, sink)) &&
    (!e->scheme || hash_yaml(h, "schemes", e->scheme, strcspn(e->scheme, ","), 0, alone, sink));
}

static bool hash_contents(weir_hash *h, const struct weir_experiment *e, bool alone, struct weir_sink *sink) {
  uint64_t numbers[] = {e->size,        e->seed,       e->step_limit, e->set_count,    e->plugin_count,
                        e->sl1 != NULL, e->counts.cpu, e->counts.gpu, e->counts.warmup};
  *h = weir_hash_bytes(*h, numbers, sizeof numbers);
  bool ok = hash_program(h, e, sink) && hash_chip(h, e, alone, sink);
  for (unsigned i = 0; ok && i < e->plugin_count; i++) ok = hash_named(h, e->plugins[i], sink);
  return ok;
}

bool weir_experiment_key(const struct weir_experiment *e, char key[static WEIR_HASH_TEXT], struct weir_sink *sink) {
  weir_hash h = weir_hash_start();
  bool ok = hash_weir(&h) && hash_contents(&h, e, true, sink);
  weir_hash_print(h, key);
  return ok;
}

bool weir_experiment_fingerprint(const struct weir_experiment *e, char text[static WEIR_HASH_TEXT],
                                 struct weir_sink *sink) {
  const uint64_t version = WEIR_MODEL_VERSION;
  weir_hash h = weir_hash_bytes(weir_hash_start(), &version, sizeof version);
  bool ok = hash_contents(&h, e, false, sink);
  weir_hash_print(h, text);
  return ok;
}

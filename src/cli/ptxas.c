// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // environ

#include "cli/ptxas.h"

#include "base/alloc.h"
#include "base/file.h"
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "config/config.h"
#include "gpu/occupancy.h"
#include "run/mix.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct assembling {
  const char *ptxas;
  char *folder; // for what it reads and says
  unsigned wanted;
  unsigned *known; // architectures of this ptxas, as 75
  unsigned known_count, known_capacity;
  char *counts; // "KERNEL=N,…" so far
  struct weir_sink *sink;
};

// ---- the process --------------------------------------------------------------------------------------------------------

static int spawn(pid_t *child, const char *const *argv, const char *log_path) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Of all that ptxas printed, freed by weir_free; NULL and a diagnostic if it cannot be started. *ok: it was content.
static char *output_of(const struct assembling *a, const char *const *argv, bool *ok) {
  char *log_path = weir_text_format("%s/log", a->folder), *text = NULL;
  size_t size;
  pid_t child;
  int status = 0;
  const int error = spawn(&child, argv, log_path);
  if (error) {
    weir_fail(a->sink, weir_option_place("--ptxas"), "%s cannot be started: %s%s", a->ptxas, strerror(error),
              strchr(a->ptxas, '/') ? "" : "; --ptxas=PATH says where it is");
  } else {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    *ok = WIFEXITED(status) && !WEXITSTATUS(status);
    text = weir_file_read(log_path, 0, &size, a->sink);
  }
  weir_free(log_path);
  return text;
}

// ---- architectures ------------------------------------------------------------------------------------------------------

// Those that its --help names: 'sm_75', and not 'sm_90a', which PTX for sm_90 is not.
static bool learn_architectures(struct assembling *a) {
  bool ok = false;
  char *text = output_of(a, (const char *const[]){a->ptxas, "--help", NULL}, &ok);
  for (const char *at = text; at && (at = strstr(at, "'sm_")); at++) {
    char *rest;
    const unsigned long n = isdigit((unsigned char)at[4]) ? strtoul(at + 4, &rest, 10) : 0;
    if (n && n < 10000 && *rest == '\'') *weir_push(a->known, a->known_count, a->known_capacity) = (unsigned)n;
  }
  if (text && !a->known_count)
    weir_fail(a->sink, weir_option_place("--ptxas"), "%s is no ptxas: its --help names no architecture", a->ptxas);
  weir_free(text);
  return a->known_count;
}

// The nearest to the chip's; of two, the newer.
static unsigned nearest(const struct assembling *a) {
  unsigned best = a->known[0];
  for (unsigned i = 1; i < a->known_count; i++) {
    const unsigned off = (unsigned)abs((int)a->known[i] - (int)a->wanted),
                   least = (unsigned)abs((int)best - (int)a->wanted);
    if (off < least || (off == least && a->known[i] > best)) best = a->known[i];
  }
  return best;
}

static void tell_architecture(const struct assembling *a, unsigned arch) {
  static bool told; // programs of one comparison have one chip
  if (arch == a->wanted || told) return;
  told = true;
  weir_report(a->sink, WEIR_NOTE, (struct weir_place){0},
              "%s does not assemble for sm_%u, which the chip is: the kernels' registers are those for sm_%u", a->ptxas,
              a->wanted, arch);
}

// ---- one text of PTX ------------------------------------------------------------------------------------------------------

// The text for that architecture: a .target above it comes down, and does not ask for debugging information, which may not
// be there. Freed by weir_free.
static char *retarget(const char *text, unsigned arch) {
  const char *at = strstr(text, ".target");
  const char *name = at ? strstr(at, "sm_") : NULL;
  char *rest;
  const unsigned long target = name ? strtoul(name + 3, &rest, 10) : 0;
  if (!target) return weir_text_copy(text);
  const bool mode = strcspn(rest, "\n") > strlen("texmode") && strstr(rest, "texmode_independent") &&
    strstr(rest, "texmode_independent") < rest + strcspn(rest, "\n");
  const bool above = target > arch;
  const size_t suffix = above ? 0 : strcspn(rest, ", \t\r\n");
  return weir_text_format("%.*ssm_%lu%.*s%s%s", (int)(name - text), text, above ? arch : target, (int)suffix, rest,
                          mode ? ", texmode_independent" : "", rest + strcspn(rest, "\n"));
}

static bool add_count(struct assembling *a, const char *path, const char *kernel, size_t length, unsigned registers) {
  char *name = weir_text_format("%.*s", (int)length, kernel);
  const unsigned known = weir_registers_said(a->counts, name);
  char *more = weir_text_format("%s%s%s=%u", a->counts, *a->counts ? "," : "", name, registers);
  const bool ok = !known || known == registers ||
    weir_fail(a->sink, (struct weir_place){.file = path}, "two kernels are '%s', one of %u registers and one of %u",
              name, known, registers);
  weir_free(name);
  weir_free(a->counts);
  a->counts = more;
  return ok;
}

// "Compiling entry function 'KERNEL' for 'sm_75'", and then "Used N registers".
static bool read_counts(struct assembling *a, const char *path, const char *log) {
  bool ok = true;
  static const char entry[] = "Compiling entry function '", used[] = "Used ";
  for (const char *at = log; (at = strstr(at, entry));) {
    const char *kernel = at + strlen(entry);
    const size_t length = strcspn(kernel, "'\n");
    const char *next = strstr(kernel, entry), *number = strstr(kernel, used);
    if (number && (!next || number < next))
      ok &= add_count(a, path, kernel, length, (unsigned)strtoul(number + strlen(used), NULL, 10));
    at = kernel;
  }
  return ok;
}

// "ptxas FILE, line N; error   : TEXT", or without the file: the first that is one.
static bool refuse(const struct assembling *a, const char *path, const char *log) {
  struct weir_place place = {.file = path};
  const char *error = strstr(log, "error"), *fatal = strstr(log, "fatal");
  const char *why = !error || (fatal && fatal < error) ? fatal : error, *line = why ? why : log;
  while (line > log && line[-1] != '\n') line--;
  const char *number = strstr(line, ", line ");
  if (why && number && number < why) place.line = (unsigned)strtoul(number + strlen(", line "), NULL, 10);
  const char *text = why ? strchr(why, ':') : NULL;
  text = text ? text + 1 + strspn(text + 1, " ") : line;
  return weir_fail(a->sink, place, "ptxas refuses this PTX: %.*s", (int)strcspn(text, "\n"), text);
}

static bool assemble(struct assembling *a, const char *path, const char *text) {
  const unsigned arch = nearest(a);
  char *file = weir_text_format("%s/text.ptx", a->folder), *option = weir_text_format("-arch=sm_%u", arch);
  char *fit = retarget(text, arch), *log = NULL;
  bool ok = false;
  tell_architecture(a, arch);
  if (weir_file_write(file, fit, strlen(fit), a->sink))
    log = output_of(a, (const char *const[]){a->ptxas, "-v", option, "-o", "/dev/null", file, NULL}, &ok);
  const bool counted = log && (ok ? read_counts(a, path, log) : refuse(a, path, log));
  weir_free(log);
  weir_free(fit);
  weir_free(option);
  weir_free(file);
  return counted;
}

// ---- a program's PTX ------------------------------------------------------------------------------------------------------

static bool assemble_image(struct assembling *a, const char *path, const struct weir_binary_image *image) {
  const struct weir_place place = {.file = path};
  unsigned count;
  size_t bytes;
  struct weir_fatbin_entry *entries = weir_fatbin_entries(image->data, image->bytes, place, &count, a->sink);
  const struct weir_fatbin_entry *best = entries ? weir_fatbin_best(entries, count, a->wanted) : NULL;
  char *text = best ? weir_fatbin_text(best, place, &bytes, a->sink) : NULL;
  const bool ok = entries && (!best || (text && assemble(a, path, text)));
  weir_free(text);
  weir_free(entries);
  return ok;
}

// The program after --. Separately compiled modules call one another, and ptxas counts before they are linked.
static bool assemble_binary(struct assembling *a, const char *path) {
  struct weir_binary b;
  if (!weir_binary_read(&b, path, a->sink)) return false;
  bool ok =
    b.has_ptx || weir_fail(a->sink, (struct weir_place){.file = path}, "it carries no PTX that --ptxas could assemble");
  for (unsigned k = 0; ok && k < b.image_count; k++) {
    if (b.images[k].relocatable)
      ok = weir_fail(a->sink, (struct weir_place){.file = path},
                     "it is linked of separate modules (-rdc=true): --ptxas takes programs of whole ones");
    else
      ok = assemble_image(a, path, &b.images[k]);
  }
  weir_binary_free(&b);
  return ok;
}

static bool assemble_named(struct assembling *a, const char *program) {
  struct weir_mix m;
  size_t size;
  if (!weir_mix_read(&m, program, a->sink)) return false;
  char *path = m.gpu ? weir_app_module(m.gpu, a->sink) : NULL;
  char *text = path ? weir_file_read(path, 0, &size, a->sink) : NULL;
  const bool ok = !m.gpu || (text && assemble(a, path, text));
  weir_free(text);
  weir_free(path);
  weir_mix_release(&m);
  return ok;
}

// ---- the whole --------------------------------------------------------------------------------------------------------------

// The chip's compute capability, as 75; 0 and a diagnostic: it has none.
static unsigned capability(const struct weir_experiment *e, struct weir_sink *sink) {
  struct weir_chip_config *c = weir_chip_read(e->chip, sink);
  bool ok = c;
  for (unsigned i = 0; ok && i < e->set_count; i++) ok = weir_chip_set(c, e->sets[i], "--set", sink);
  const unsigned found = ok ? weir_chip_capability(c) : 0;
  if (ok && !found)
    weir_fail(sink, weir_option_place("--ptxas"), "the chip '%s' is no CUDA device: its kernels have no ptxas",
              c->name);
  weir_chip_config_free(c);
  return found;
}

static char *folder_new(struct weir_sink *sink) {
  const char *base = getenv("TMPDIR");
  char *folder = weir_text_format("%s/weir-ptxas-XXXXXX", base && *base ? base : "/tmp");
  if (mkdtemp(folder)) return folder;
  weir_fail(sink, weir_option_place("--ptxas"), "%s cannot be made: %s", folder, strerror(errno));
  weir_free(folder);
  return NULL;
}

static void folder_remove(const char *folder) {
  static const char *const files[] = {"log", "text.ptx"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *path = weir_text_format("%s/%s", folder, files[i]);
    unlink(path);
    weir_free(path);
  }
  rmdir(folder);
}

bool weir_ptxas_ask(const struct options *o, struct weir_experiment *e, char **text, struct weir_sink *sink) {
  *text = NULL;
  if (!o->ptxas) return true;
  struct assembling a = {.ptxas = o->ptxas, .sink = sink, .wanted = capability(e, sink)};
  if (!a.wanted || !(a.folder = folder_new(sink))) return false;
  a.counts = weir_text_copy("");
  const bool ok =
    learn_architectures(&a) && (o->program ? assemble_binary(&a, o->program[0]) : assemble_named(&a, e->program));
  folder_remove(a.folder);
  weir_free(a.folder);
  weir_free(a.known);
  e->ptxas = *text = a.counts;
  return ok;
}

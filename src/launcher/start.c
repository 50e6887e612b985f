// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memfd_create, pipe2

// A program's start: which file, in which environment.
#include "base/alloc.h"
#include "base/file.h"
#include "launcher/command_private.h"
#include "run/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- which file ---------------------------------------------------------------------------------------------------------

static bool is_file(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool can_be_run(const char *path, struct weir_sink *sink) {
  struct stat st;
  if (stat(path, &st)) return weir_fail_plain(sink, "the program '%s' cannot be found: %s", path, strerror(errno));
  if (S_ISDIR(st.st_mode)) return weir_fail_plain(sink, "'%s' is a folder, not a program", path);
  return !access(path, X_OK) || weir_fail_plain(sink, "'%s' is not executable (chmod +x '%s'?)", path, path);
}

static char *on_path(const char *name) {
  char *folders = weir_text_copy(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin"), *rest = folders, *found = NULL;
  for (char *folder; !found && (folder = strsep(&rest, ":"));) {
    char *path = weir_text_format("%s/%s", *folder ? folder : ".", name);
    if (is_file(path) && !access(path, X_OK))
      found = path;
    else
      weir_free(path);
  }
  weir_free(folders);
  return found;
}

char *weir_command_find(const char *name, struct weir_sink *sink) {
  if (strchr(name, '/')) return can_be_run(name, sink) ? weir_text_copy(name) : NULL;
  char *found = on_path(name);
  if (found) return found;
  if (is_file(name))
    weir_fail_plain(sink, "no program '%s' is on the PATH; did you mean './%s'?", name, name);
  else
    weir_fail_plain(sink, "no program '%s' is on the PATH", name);
  return NULL;
}

// ---- its environment ------------------------------------------------------------------------------------------------------

// What is a file stays that file, wherever the program goes before it opens the device.
static char *absolute(const char *text, size_t length, bool is_path) {
  char *name = weir_text_format("%.*s", (int)length, text);
  char *real = is_path ? realpath(name, NULL) : NULL,
       *whole = weir_text_format("%s%s", real ? real : name, text + length);
  weir_free(name);
  free(real);
  return whole;
}

static bool names_file(const char *text, size_t length) { // as base/bundled.h has it
  return memchr(text, '/', length) || (length > 5 && !memcmp(text + length - 5, ".yaml", 5));
}

static void put_name(const char *variable, const char *text, size_t length) {
  char *value = absolute(text, length, names_file(text, length));
  setenv(variable, value, true);
  weir_free(value);
}

static void put_list(const char *variable, const char *const *texts, unsigned count, bool paths) {
  char *list = weir_text_copy("");
  for (unsigned i = 0; i < count; i++) {
    char *one = absolute(texts[i], strlen(texts[i]), paths),
         *longer = weir_text_format("%s%s%s", list, i ? ";" : "", one);
    weir_free(one);
    weir_free(list);
    list = longer;
  }
  setenv(variable, list, true);
  weir_free(list);
}

static void put_number(const char *variable, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  setenv(variable, text, true);
}

char *weir_command_libraries(void) {
  static const char *const places[] = {"lib/weir", "../lib/weir"};
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
    char *beside = weir_path_beside(self, places[i]), *folder = realpath(beside, NULL);
    weir_free(beside);
    if (!folder) continue;
    char *kept = weir_text_copy(folder);
    free(folder);
    return kept;
  }
  return NULL;
}

bool weir_command_has_library(const struct weir_command *c, const char *name) {
  if (!c->libraries) return false;
  char *path = weir_text_format("%s/%s", c->libraries, name);
  bool has = is_file(path);
  weir_free(path);
  return has;
}

// Without them the program would find NVIDIA's or none, and what it then does would be laid at its own door.
static bool libraries_are_there(const struct weir_command *c, struct weir_sink *sink) {
  static const char *const own[] = {"libweirends.so", "libcudart.so.13", "libweircl.so"};
  for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
    if (!weir_command_has_library(c, own[i]))
      return weir_fail_plain(sink, "weir's own library %s is not in %s: build weir anew (make), or install it anew",
                             own[i], c->libraries ? c->libraries : "lib/weir beside it");
  for (unsigned i = 0; i < c->binary->needed_count; i++) {
    const char *name = c->binary->needed[i];
    if (!strncmp(name, "libcudart.so", 12) && !weir_command_has_library(c, name))
      return weir_fail(sink, (struct weir_place){.file = c->path},
                       "it needs %s; weir has libcudart.so.11.0, libcudart.so.12 "
                       "and libcudart.so.13: rebuild it with CUDA 11 or newer",
                       name);
  }
  return true;
}

// Puts `text` before what the variable has.
static void put_first(const char *variable, const char *text) {
  const char *before = getenv(variable);
  char *value = weir_text_format("%s%s%s", text, before && *before ? ":" : "", before ? before : "");
  setenv(variable, value, true);
  weir_free(value);
}

static void preload(const char *folder, const char *name) {
  char *path = weir_text_format("%s/%s", folder, name);
  if (is_file(path)) put_first("LD_PRELOAD", path);
  weir_free(path);
}

static void put_libraries(const struct weir_command *c) {
  const struct weir_binary *binary = c->binary;
  const char *folder = c->libraries;
  put_first("LD_LIBRARY_PATH", folder);
  setenv("OCL_ICD_VENDORS", folder, true);
  preload(folder, "libweirends.so");
  put_first("ASAN_OPTIONS", "verify_asan_link_order=0"); // it would not have anything before itself
  for (unsigned i = 0; i < binary->needed_count && binary->fixed_paths; i++)
    if (!strncmp(binary->needed[i], "libcudart.so.", 13)) preload(folder, binary->needed[i]);
}

static void put_data(void) {
  char *chips = weir_data_path("chips"), *real = chips ? realpath(chips, NULL) : NULL;
  if (real) *strrchr(real, '/') = 0;
  if (real) setenv("WEIR_DATA", real, true);
  weir_free(chips);
  free(real);
}

static void put_text(const char *variable, const char *text) { // NULL: none
  if (text)
    setenv(variable, text, true);
  else
    unsetenv(variable);
}

static void put_environment(const struct weir_experiment *e, const struct weir_command *c) {
  put_name(WEIR_ENV_CHIP, e->chip, strlen(e->chip));
  const char *scheme = e->scheme ? e->scheme : WEIR_ENV_FUNCTIONAL;
  put_name(WEIR_ENV_SCHEME, scheme, strcspn(scheme, ","));
  put_text(WEIR_ENV_SL1, e->sl1 && !*e->sl1 ? "true" : e->sl1);
  put_text(WEIR_ENV_HINTS, e->hints);
  put_text(WEIR_ENV_PTXAS, e->ptxas);
  put_text(WEIR_ENV_CLOCK, e->clock);
  put_text(WEIR_ENV_TIMELINE, e->timeline);
  put_text(WEIR_ENV_RECORDING, e->recording);
  put_text(WEIR_ENV_RECORDS, e->records);
  put_text(WEIR_ENV_KERNELS, e->select.kernels);
  put_text(WEIR_ENV_LAUNCHES, e->select.launches);
  put_text(WEIR_ENV_SAMPLE, e->select.sample);
  put_number(WEIR_ENV_MAX_LAUNCHES, e->select.most);
  put_number(WEIR_ENV_WARM, e->select.warm);
  put_list(WEIR_ENV_SET, e->sets, e->set_count, false);
  put_list(WEIR_ENV_PLUGIN, e->plugins, e->plugin_count, true);
  put_number(WEIR_ENV_SEED, e->seed);
  put_number(WEIR_ENV_STEP_LIMIT, e->step_limit);
  put_number(WEIR_ENV_THREADS, e->threads);
  put_number(WEIR_ENV_STRICT, e->strict);
  setenv(WEIR_ENV_RESULTS, c->folder, true);
  put_text(WEIR_ENV_INPUTS, e->command && e->command->tells_inputs ? "true" : NULL);
  put_data();
  put_libraries(c);
}

// ---- its process ----------------------------------------------------------------------------------------------------------

static void put_streams(const struct weir_command *c, enum weir_command_streams streams) {
  if (streams == WEIR_STREAMS_TO_STDERR) dup2(2, 1);
  if (streams != WEIR_STREAMS_KEPT) return;
  int nothing = open("/dev/null", O_RDONLY); // 0 itself where weir was started without one
  if (nothing > 0) {
    dup2(nothing, 0);
    close(nothing);
  }
  dup2(c->files[0], 1);
  dup2(c->files[1], 2);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // one of many: it ends with the comparison
}

// Where it runs, and what its command line adds to the environment. After what weir puts there, whose names are relative to where
// weir runs. False: errno.
static bool put_place(const struct weir_command_line *l) {
  bool ok = true;
  for (unsigned i = 0; l && ok && i < l->environment_count; i++) ok = !putenv((char *)l->environment[i]);
  return ok && (!l || !l->folder || !chdir(l->folder));
}

static _Noreturn void tell_failure(int failure) {
  ssize_t told = write(failure, &errno, sizeof errno);
  _exit(told == sizeof errno ? 0 : 127);
}

static _Noreturn void become(const struct weir_command *c, const struct weir_experiment *e, char *const argv[],
                             enum weir_command_streams streams, int failure) {
  put_streams(c, streams);
  put_environment(e, c);
  if (!put_place(e->command)) tell_failure(failure);
  personality((unsigned long)personality(UINT32_MAX) | ADDR_NO_RANDOMIZE);
  sigprocmask(SIG_SETMASK, &c->before, NULL);
  execv(c->path, argv);
  tell_failure(failure);
}

static bool list_is_clean(const char *what, const char *const *texts, unsigned count, struct weir_sink *sink) {
  for (unsigned i = 0; i < count; i++)
    if (strchr(texts[i], ';')) return weir_fail_plain(sink, "%s: '%s' has a semicolon in it", what, texts[i]);
  return true;
}

static bool make_folder(struct weir_command *c, struct weir_sink *sink) {
  const char *where = getenv("TMPDIR");
  c->folder = weir_text_format("%s/weir-results-XXXXXX", where && *where == '/' ? where : "/tmp");
  return mkdtemp(c->folder) || weir_fail_plain(sink, "no folder '%s' can be made: %s", c->folder, strerror(errno));
}

sigset_t weir_command_signals(void) {
  static const int ours[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t set;
  sigemptyset(&set);
  for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++) sigaddset(&set, ours[i]);
  return set;
}

static void block_signals(struct weir_command *c) {
  sigset_t set = weir_command_signals();
  sigprocmask(SIG_BLOCK, &set, &c->before);
}

// The program's start closes the pipe; what is read from it is why there is none.
static int fork_program(struct weir_command *c, const struct weir_experiment *e, char *const argv[],
                        enum weir_command_streams streams) {
  int ends[2], reason = 0;
  if (pipe2(ends, O_CLOEXEC)) return errno;
  fflush(NULL);
  c->pid = fork();
  if (!c->pid) become(c, e, argv, streams, ends[1]);
  int failure = c->pid < 0 ? errno : 0;
  close(ends[1]);
  if (!failure && read(ends[0], &reason, sizeof reason) == sizeof reason) failure = reason;
  close(ends[0]);
  if (failure && c->pid > 0) waitpid(c->pid, NULL, 0);
  return failure;
}

bool weir_command_start(struct weir_command *c, const struct weir_experiment *e, char *const argv[],
                        enum weir_command_streams streams, struct weir_sink *sink) {
  block_signals(c);
  if (!list_is_clean("--set", e->sets, e->set_count, sink) ||
      !list_is_clean("--plugin", e->plugins, e->plugin_count, sink) || !libraries_are_there(c, sink) ||
      !make_folder(c, sink))
    return false;
  for (int i = 0; i < 2 && streams == WEIR_STREAMS_KEPT; i++) c->files[i] = memfd_create("weir-kept", MFD_CLOEXEC);
  clock_gettime(CLOCK_REALTIME_COARSE, &c->started); // by the clock that files have
  int failure = fork_program(c, e, argv, streams);
  return !failure || weir_fail_plain(sink, "'%s' cannot be started: %s", c->path, strerror(failure));
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/record.h"

#include "base/alloc.h"
#include "base/file.h"
#include "trace/container.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define QEMU "qemu-x86_64"
#define PROCESSOR "Nehalem" // x86-64-v2, as the processors had that the papers measured

// The words of a command line; all are freed with it.
struct words {
  char **word;
  unsigned count, capacity;
};

static void put(struct words *w, char *word) {
  *weir_push(w->word, w->count, w->capacity) = word;
}

static void free_words(struct words *w) {
  for (unsigned i = 0; i < w->count; i++) weir_free(w->word[i]);
  weir_free(w->word);
}

// ---- what must be there ---------------------------------------------------------------------------------------------

static bool has_plugins(const char *qemu) {
  char *command = weir_text_format("'%s' --help 2>/dev/null", qemu), line[512];
  FILE *f = popen(command, "re");
  bool found = false;
  while (f && fgets(line, sizeof line, f)) found |= !strncmp(line, "-plugin", 7);
  if (f) pclose(f);
  weir_free(command);
  return found;
}

static char *on_path(const char *name) {
  char *folders = weir_text_copy(getenv("PATH") ? getenv("PATH") : "/usr/bin"), *rest = folders, *found = NULL;
  for (char *folder; !found && (folder = strsep(&rest, ":"));) {
    found = weir_text_format("%s/%s", *folder ? folder : ".", name);
    if (access(found, X_OK)) weir_free(found), found = NULL;
  }
  weir_free(folders);
  return found;
}

static char *find_qemu(struct weir_sink *sink) {
  const char *named = getenv(WEIR_ENV_QEMU);
  char *qemu = named && *named ? weir_text_copy(named) : on_path(QEMU);
  if (!qemu) {
    weir_fail_plain(
      sink, "recording needs " QEMU ", which is not on the PATH (Debian and Ubuntu: apt-get install qemu-user)");
    return NULL;
  }
  if (!access(qemu, X_OK) && has_plugins(qemu)) return qemu;
  weir_fail_plain(
    sink, "'%s' is no QEMU that takes plugins; Debian's package qemu-user has one (" WEIR_ENV_QEMU " names another)",
    qemu);
  weir_free(qemu);
  return NULL;
}

static char *find_recorder(struct weir_sink *sink) {
  static const char *const places[] = {"lib/weir/libweirrecorder.so", "../lib/weir/libweirrecorder.so"};
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
    char *path = weir_path_beside(self, places[i]);
    if (!access(path, R_OK)) return path;
    weir_free(path);
  }
  weir_fail_plain(sink,
                  "this weir was built without capstone and cannot record; install libcapstone-dev and build it again "
                  "(it reads traces all the same)");
  return NULL;
}

static bool can_be_recorded(const char *file, struct weir_sink *sink) {
  Elf64_Ehdr head = {0};
  FILE *f = fopen(file, "rbe");
  if (!f) return weir_fail_plain(sink, "the program '%s' cannot be read: %s", file, strerror(errno));
  const size_t n = fread(&head, 1, sizeof head, f);
  fclose(f);
  if (n > 2 && !memcmp(&head, "#!", 2))
    return weir_fail_plain(sink, "'%s' is a script; name the program that runs it, and the script as its argument",
                           file);
  if (n < sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG))
    return weir_fail_plain(sink, "'%s' is no program", file);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
    return weir_fail_plain(sink,
                           "'%s' is not an x86-64 program (its ELF machine is %u); others are not recorded, but their "
                           "ChampSim traces can be read",
                           file, head.e_machine);
  return true;
}

// ---- running it -----------------------------------------------------------------------------------------------------

// QEMU takes two commas for one.
static char *with_commas(const char *text) {
  char *twice = weir_alloc(2 * strlen(text) + 1), *to = twice;
  for (; *text; text++) {
    if (*text == ',') *to++ = ',';
    *to++ = *text;
  }
  return twice;
}

static void append(char **text, const char *name, const char *value) {
  char *safe = with_commas(value), *longer = weir_text_format("%s,%s=%s", *text, name, safe);
  weir_free(safe);
  weir_free(*text);
  *text = longer;
}

static bool start(struct words *w, const struct weir_trace_command *command, struct weir_sink *sink) {
  char *recorder = find_recorder(sink), *qemu = recorder ? find_qemu(sink) : NULL;
  const bool ok = qemu && can_be_recorded(command->file, sink);
  if (ok) {
    char *safe = with_commas(recorder);
    put(w, qemu);
    put(w, weir_text_copy("-cpu"));
    put(w, weir_text_copy(PROCESSOR));
    put(w, weir_text_copy("-plugin"));
    put(w, weir_text_format("file=%s", safe));
    weir_free(safe);
  } else {
    weir_free(qemu);
  }
  weir_free(recorder);
  return ok;
}

// Runs the command and waits; what a terminal sends goes to the program, which decides. -1: it could not be started.
static int run(struct words *w, const struct weir_trace_command *command, struct weir_sink *sink) {
  put(w, weir_text_copy("-0"));
  put(w, weir_text_copy(command->arguments[0]));
  put(w, weir_text_copy(command->file));
  for (char *const *a = command->arguments + 1; *a; a++) put(w, weir_text_copy(*a));
  put(w, NULL);
  fflush(NULL);
  void (*const interrupt)(int) = signal(SIGINT, SIG_IGN), (*const quit)(int) = signal(SIGQUIT, SIG_IGN);
  const pid_t child = fork();
  if (!child) {
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    execv(w->word[0], w->word);
    _exit(127);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  signal(SIGINT, interrupt);
  signal(SIGQUIT, quit);
  if (child < 0) weir_fail_plain(sink, "QEMU cannot be started: %s", strerror(errno));
  return status;
}

static bool explain(int status, const char *program, struct weir_sink *sink) {
  if (status == -1) return false;
  if (WIFSIGNALED(status))
    return weir_fail_plain(sink, "'%s' was ended by signal %d (%s) before its trace was whole", program,
                           WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == WEIR_EXIT_USER) return weir_fail_plain(sink, "the recorder gave up, for the reason above");
  return weir_fail_plain(sink,
                         "nothing was recorded: QEMU ended with status %d before the recorder could finish (a program "
                         "that replaces itself by exec is recorded by naming the program that it becomes)",
                         WEXITSTATUS(status));
}

// The program's own status does not matter: it was recorded. It is told, as it may be the sign of a wrong argument.
static void note_status(int status, const char *program, struct weir_sink *sink) {
  if (WIFEXITED(status) && WEXITSTATUS(status))
    weir_report(sink, WEIR_NOTE, (struct weir_place){0}, "'%s' ended with status %d", program, WEXITSTATUS(status));
}

// Where the directory begins, as the trailer says, which the recorder writes last; 0: there is none.
static uint64_t directory_of(const char *path) {
  uint8_t trailer[WEIR_TRACE_TRAILER_BYTES];
  struct weir_cursor c = {trailer, trailer + sizeof trailer, false};
  FILE *f = fopen(path, "rbe");
  const bool read =
    f && !fseek(f, -(long)sizeof trailer, SEEK_END) && fread(trailer, 1, sizeof trailer, f) == sizeof trailer;
  if (f) fclose(f);
  return read && !memcmp(trailer + 16, WEIR_TRACE_END_MAGIC, WEIR_TRACE_MAGIC_BYTES) ? weir_cursor_low(&c, 8) : 0;
}

static bool is_whole(const char *path, int status, const char *program, uint64_t first, struct weir_sink *sink) {
  const uint64_t directory = directory_of(path);
  if (!directory) return explain(status, program, sink);
  if (directory == WEIR_TRACE_MAGIC_BYTES) // right after the magic: there is no chunk
    return weir_fail_plain(sink, "nothing was recorded: the program ended before its instruction %" PRIu64, first);
  struct weir_trace_reader *r = weir_trace_open(path, sink);
  weir_trace_close(r);
  return r;
}

bool weir_trace_record(const struct weir_trace_command *command, const struct weir_trace_window *windows,
                       unsigned count, bool first_thread, const char *path, struct weir_sink *sink) {
  struct words w = {0};
  bool ok = start(&w, command, sink);
  char *unfinished = weir_text_format("%s.recording-%d", path, (int)getpid());
  if (ok) {
    char **plugin = &w.word[w.count - 1];
    append(plugin, "trace", unfinished);
    if (first_thread) append(plugin, "first_thread", "1");
    for (unsigned i = 0; i < count; i++) {
      char *text = weir_text_format(
        "%" PRIu64 "+%" PRIu64 "*%.17g", windows[i].first,
        windows[i].instructions ? windows[i].instructions : UINT64_MAX - 1 - windows[i].first, windows[i].weight);
      append(plugin, "window", text);
      weir_free(text);
    }
    for (char *const *a = command->arguments; *a; a++) append(plugin, "argument", *a);
    const int status = run(&w, command, sink);
    ok = status != -1 && is_whole(unfinished, status, command->file, windows[0].first, sink);
    if (ok) note_status(status, command->file, sink);
    if (ok && rename(unfinished, path))
      ok = weir_fail(sink, (struct weir_place){.file = path}, "cannot be written: %s", strerror(errno));
    unlink(unfinished);
  }
  weir_free(unfinished);
  free_words(&w);
  return ok;
}

bool weir_trace_profile(const struct weir_trace_command *command, uint64_t interval,
                        struct weir_phase_interval **intervals, size_t *count, struct weir_sink *sink) {
  struct words w = {0};
  char path[] = "/tmp/weir-profile-XXXXXX", number[24];
  const int file = mkstemp(path);
  bool ok = file >= 0 || weir_fail_plain(sink, "a temporary file cannot be made in /tmp: %s", strerror(errno));
  ok = ok && start(&w, command, sink);
  *intervals = NULL;
  *count = 0;
  if (ok) {
    snprintf(number, sizeof number, "%" PRIu64, interval);
    append(&w.word[w.count - 1], "profile", path);
    append(&w.word[w.count - 1], "interval", number);
    const int status = run(&w, command, sink);
    size_t bytes;
    *intervals = (struct weir_phase_interval *)(void *)weir_file_read(path, 0, &bytes, sink);
    *count = *intervals ? bytes / sizeof **intervals : 0;
    ok = *count || explain(status, command->file, sink);
  }
  if (file >= 0) close(file), unlink(path);
  free_words(&w);
  return ok;
}

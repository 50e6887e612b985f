// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // posix_spawn_file_actions_addclosefrom_np

#include "opencl/compile/process.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// What the host program was told by these is not for clang.
static bool is_kept(const char *variable) {
  static const char *const dropped[] = {"LD_PRELOAD=", "CPATH=", "C_INCLUDE_PATH=", "CCC_", "CLANG_", "LD_AUDIT="};
  for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
    if (!strncmp(variable, dropped[i], strlen(dropped[i]))) return false;
  return true;
}

static char **environment(void) {
  size_t count = 0, kept = 0;
  while (environ && environ[count]) count++;
  char **result = weir_new_array(char *, count + 1);
  for (size_t i = 0; i < count; i++)
    if (is_kept(environ[i])) result[kept++] = environ[i];
  return result;
}

static int spawn(pid_t *child, char *const argv[], const char *log_path) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
#if __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char **variables = environment();
  const int error = posix_spawn(child, argv[0], &actions, &attributes, argv, variables);
  weir_free(variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Whether the child ended well. ECHILD: the host program ignores SIGCHLD, or its handler was faster.
static bool ended_well(pid_t child, const char *output, struct weir_cl_text *log) {
  int status;
  pid_t got;
  while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR)
    ;
  if (got < 0) return !access(output, R_OK);
  if (WIFSIGNALED(status))
    weir_cl_text_print(log, "weir: error: the compiler was ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool weir_cl_process_run(char *const argv[], const char *folder, const char *output, struct weir_cl_text *log) {
  char *log_path = weir_text_format("%s/log", folder);
  struct weir_sink sink = {0};
  pid_t child;
  size_t size = 0;
  unlink(output);
  const int error = spawn(&child, argv, log_path);
  const bool ok = !error && ended_well(child, output, log);
  if (error) weir_cl_text_print(log, "weir: error: %s cannot be started: %s\n", argv[0], strerror(error));
  char *text = error ? NULL : weir_file_read(log_path, 0, &size, &sink);
  if (text) weir_cl_text_add(log, text, size);
  weir_sink_free(&sink);
  weir_free(text);
  weir_free(log_path);
  return ok;
}

char *weir_cl_process_find(const char *name) {
  if (strchr(name, '/')) return access(name, X_OK) ? NULL : weir_text_copy(name);
  const char *path = getenv("PATH");
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    const size_t length = strcspn(at, ":");
    char *file = weir_text_format("%.*s/%s", (int)length, at, name);
    struct stat st;
    if (length && !access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode)) return file;
    weir_free(file);
    at += length + (at[length] == ':');
  }
  return NULL;
}

char *weir_cl_folder_new(void) {
  const char *base = getenv("TMPDIR");
  char *folder = weir_text_format("%s/weir-cl-XXXXXX", base && *base ? base : "/tmp");
  if (mkdtemp(folder)) return folder;
  weir_free(folder);
  return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where) {
  (void)st, (void)type, (void)where;
  return remove(path), 0;
}

void weir_cl_folder_remove(char *folder) {
  if (folder) nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  weir_free(folder);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// libweirends.so: what the launcher preloads, so that a process that ends without exit handlers (_exit, exec) is heard of.
// A front door may be loaded too late, and out of sight, to put itself before the C library; this is not. It knows nothing of
// devices: whoever has something to say sets weir_last_word. It also tells the launcher which of NVIDIA's libraries the process
// loaded in the place of weir's: one line each, a path, in the file `foreign` of the results folder.
#include "device/library/opens.h"

#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void (*weir_last_word)(const char *end);

extern char **environ;

// ---- libraries that are not weir's ----------------------------------------------------------------------------------------

static bool is_nvidias(const char *name) {
  return !strncmp(name, "libcudart.so", 12) || !strncmp(name, "libcuda.so", 10);
}

// Whether the file is the one of that name in the folder that this library is in.
static bool is_ours(const char *path, const char *name) {
  Dl_info own;
  char beside[4096];
  struct stat a, b;
  if (!dladdr((void *)is_ours, &own)) return false;
  const char *slash = strrchr(own.dli_fname, '/');
  snprintf(beside, sizeof beside, "%.*s/%s", slash ? (int)(slash - own.dli_fname) : 1, slash ? own.dli_fname : ".",
           name);
  return !stat(path, &a) && !stat(beside, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// The first one makes the file: whoever loaded none leaves nothing behind.
static int look(struct dl_phdr_info *info, size_t size, void *path) {
  (void)size;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (!slash || !is_nvidias(slash + 1) || is_ours(info->dlpi_name, slash + 1)) return 0;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return 1;
  dprintf(file, "%s\n", info->dlpi_name);
  close(file);
  return 0;
}

// Told whenever the process might end; the launcher takes each path once.
static void tell_foreign(void) {
  const char *results = getenv("WEIR_RESULTS");
  char path[4096];
  weir_tell_loaded();
  if (!results || !*results) return;
  if (snprintf(path, sizeof path, "%s/foreign", results) < (int)sizeof path) dl_iterate_phdr(look, path);
}

// What was loaded as the process ran.
__attribute__((destructor)) static void end(void) {
  tell_foreign();
}

// ---- ends -----------------------------------------------------------------------------------------------------------------

static void tell(const char *end) {
  tell_foreign();
  if (weir_last_word) weir_last_word(end);
}

_Noreturn void _exit(int status) {
  tell("_exit");
  for (;;) syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status) {
  _exit(status);
}

static int (*search)(const char *, char *const[], char *const[]);
static int (*by_file)(int, char *const[], char *const[]);

__attribute__((constructor)) static void find(void) {
  search = (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");
  by_file = (int (*)(int, char *const[], char *const[]))dlsym(RTLD_NEXT, "fexecve");
  tell_foreign(); // what the process was linked with: it may end by a signal
}

int execve(const char *path, char *const argv[], char *const envp[]) {
  tell("exec");
  return (int)syscall(SYS_execve, path, argv, envp);
}

int execv(const char *path, char *const argv[]) {
  return execve(path, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[]) {
  tell("exec");
  return search(file, argv, envp);
}

int execvp(const char *file, char *const argv[]) {
  return execvpe(file, argv, environ);
}

int fexecve(int file, char *const argv[], char *const envp[]) {
  tell("exec");
  return by_file(file, argv, envp);
}

// The words from `first` on as an array, with the NULL behind them.
#define GATHER(argv, first, rest)                                                                                      \
  va_list rest;                                                                                                        \
  size_t count = 1;                                                                                                    \
  va_start(rest, first);                                                                                               \
  while (va_arg(rest, char *)) count++;                                                                                \
  va_end(rest);                                                                                                        \
  char **argv = alloca((count + 1) * sizeof *argv);                                                                    \
  argv[0] = (char *)first;                                                                                             \
  va_start(rest, first);                                                                                               \
  for (size_t i = 1; i <= count; i++) argv[i] = va_arg(rest, char *);

int execl(const char *path, const char *arg, ...) {
  GATHER(argv, arg, rest)
  va_end(rest);
  return execve(path, argv, environ);
}

int execlp(const char *file, const char *arg, ...) {
  GATHER(argv, arg, rest)
  va_end(rest);
  return execvpe(file, argv, environ);
}

int execle(const char *path, const char *arg, ...) {
  GATHER(argv, arg, rest)
  char **envp = va_arg(rest, char **);
  va_end(rest);
  return execve(path, argv, envp);
}

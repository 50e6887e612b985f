// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// libweirends.so: what the launcher preloads, so that a process that ends without exit handlers (_exit, exec) is heard of.
// A front door may be loaded too late, and out of sight, to put itself before the C library; this is not. It knows nothing of
// devices: whoever has something to say sets weir_last_word.
#include <alloca.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void (*weir_last_word)(const char *end);

extern char **environ;

static void tell(const char *end) {
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
#define GATHER(argv, first, rest)                                        \
  va_list rest;                                                          \
  size_t count = 1;                                                      \
  va_start(rest, first);                                                 \
  while (va_arg(rest, char *)) count++;                                  \
  va_end(rest);                                                          \
  char **argv = alloca((count + 1) * sizeof *argv);                      \
  argv[0] = (char *)first;                                               \
  va_start(rest, first);                                                 \
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

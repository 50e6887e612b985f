// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The part of libweirends.so that tells the launcher what a process read: a file `opened` in the results folder, one entry per file,
// each ended by a NUL: a letter, a blank and the absolute path. r: opened, and there already; w: made or emptied by the process;
// a: it was not there. It sees what goes through the C library's open and fopen, the executable and the libraries that are loaded.
// Only with WEIR_INPUTS set.
#include "device/library/opens.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_PATH = 4096, SEEN = 4096 };

static _Atomic(uint64_t) seen[SEEN]; // hashes of what was told; one that falls on another's place is told again

static bool is_told(const char *entry) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char *c = entry; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
  return atomic_exchange(&seen[hash % SEEN], hash) == hash;
}

// What is no file that stays: devices, and what the system makes up.
static bool is_passing(const char *path) {
  return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5) || !strncmp(path, "/dev/", 5);
}

static void append(const char *results, const char *entry) {
  char to[MOST_PATH];
  if (snprintf(to, sizeof to, "%s/opened", results) >= (int)sizeof to) return;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  const size_t size = strlen(entry) + 1;
  if (write(file, entry, size) != (ssize_t)size) abort(); // what is not told would be taken for nothing read
  close(file);
}

// `folder` as openat has it. May be called where nothing may be changed but files: of errno, too.
static void tell(char kind, int folder, const char *path) {
  const char *results = getenv("WEIR_RESULTS"), *wanted = getenv("WEIR_INPUTS");
  if (!results || !*results || !wanted || !*wanted) return;
  char entry[2 * MOST_PATH], here[MOST_PATH] = "", link[64];
  const int before = errno;
  if (*path != '/' && folder == AT_FDCWD && !getcwd(here, sizeof here)) *here = 0;
  if (*path != '/' && folder != AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t n = readlink(link, here, sizeof here - 1);
    here[n > 0 ? n : 0] = 0;
  }
  snprintf(entry, sizeof entry, "%c %s%s%s", kind, here, *path == '/' ? "" : "/", path);
  if (!is_passing(entry + 2) && strncmp(entry + 2, results, strlen(results)) != 0 && !is_told(entry))
    append(results, entry);
  errno = before;
}

static int look(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  if (*info->dlpi_name == '/') tell('r', AT_FDCWD, info->dlpi_name);
  return 0;
}

void weir_tell_loaded(void) {
  char self[MOST_PATH];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  if (n > 0) tell('r', AT_FDCWD, self);
  dl_iterate_phdr(look, NULL);
}

// ---- before the C library ---------------------------------------------------------------------------------------------------

// What an attempt came to; `made` is whether it would have made or emptied the file.
static void told(bool ok, bool made, int folder, const char *path) {
  if (ok)
    tell(made ? 'w' : 'r', folder, path);
  else if (errno == ENOENT || errno == ENOTDIR)
    tell('a', folder, path);
}

static int opened(int file, int folder, const char *path, int flags) {
  told(file >= 0, (flags & O_TRUNC) || (flags & O_ACCMODE) == O_WRONLY, folder, path);
  return file;
}

static FILE *opened_stream(FILE *f, const char *path, const char *mode) {
  told(f, *mode == 'w' || (*mode == 'a' && !strchr(mode, '+')), AT_FDCWD, path);
  return f;
}

// The function that would have been called without this one.
#define NEXT(name)                                                                                                     \
  static __typeof__(name) *next;                                                                                       \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);

#define MODE(flags, mode)                                                                                              \
  unsigned mode = 0;                                                                                                   \
  if (flags & (O_CREAT | O_TMPFILE)) {                                                                                 \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode = va_arg(rest, unsigned);                                                                                     \
    va_end(rest);                                                                                                      \
  }

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    NEXT(name)                                                                                                         \
    MODE(flags, mode)                                                                                                  \
    return opened(next(path, flags, mode), AT_FDCWD, path, flags);                                                     \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
  int name(int folder, const char *path, int flags, ...) {                                                             \
    NEXT(name)                                                                                                         \
    MODE(flags, mode)                                                                                                  \
    return opened(next(folder, path, flags, mode), folder, path, flags);                                               \
  }
OPENAT(openat)
OPENAT(openat64)

// What _FORTIFY_SOURCE makes of calls without a mode. Headers declare them only there.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

int __open_2(const char *path, int flags) {
  return open(path, flags);
}
int __open64_2(const char *path, int flags) {
  return open64(path, flags);
}
int __openat_2(int folder, const char *path, int flags) {
  return openat(folder, path, flags);
}
int __openat64_2(int folder, const char *path, int flags) {
  return openat64(folder, path, flags);
}

#define FOPEN(name)                                                                                                    \
  FILE *name(const char *path, const char *mode) {                                                                     \
    NEXT(name)                                                                                                         \
    return opened_stream(next(path, mode), path, mode);                                                                \
  }
FOPEN(fopen)
FOPEN(fopen64)

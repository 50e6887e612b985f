// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // dladdr, mkostemp
#include "base/file.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zlib.h>

#ifndef WEIR_DATA_SOURCE
  #define WEIR_DATA_SOURCE "."
#endif

static const size_t DEFAULT_LIMIT = (size_t)1 << 30;

// The whole file; NULL and in *reason why not.
static char *read_all(gzFile f, size_t limit, size_t *size, const char **reason) {
  size_t capacity = 1 << 16, n = 0;
  char *text = weir_realloc(NULL, capacity + 1);
  int got, error = Z_OK;
  while ((got = gzread(f, text + n, (unsigned)(capacity - n > 1u << 30 ? 1u << 30 : capacity - n))) > 0) {
    n += (size_t)got;
    if (n > limit) break;
    if (n == capacity) text = weir_realloc(text, (capacity *= 2) + 1);
  }
  gzerror(f, &error); // gzread takes a file that ends within its data as ended
  *reason = n > limit          ? strerror(EFBIG)
    : error == Z_ERRNO         ? strerror(errno)
    : error == Z_BUF_ERROR     ? "the gzipped data end too early"
    : got < 0 || error != Z_OK ? "the gzipped data are damaged"
                               : NULL;
  if (*reason) {
    weir_free(text);
    return NULL;
  }
  text[n] = 0;
  *size = n;
  return text;
}

bool weir_file_is_endless(const char *path) {
  enum { MEMORY_DEVICES = 1, NULL_DEVICE = 3 }; // Linux, admin-guide/devices.txt
  struct stat st;
  return !stat(path, &st) && S_ISCHR(st.st_mode) && major(st.st_rdev) == MEMORY_DEVICES &&
    minor(st.st_rdev) != NULL_DEVICE;
}

static bool same_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool weir_file_same(const struct stat *before, const struct stat *now) {
  return before->st_dev == now->st_dev && before->st_ino == now->st_ino && before->st_size == now->st_size &&
    same_time(&before->st_mtim, &now->st_mtim) && same_time(&before->st_ctim, &now->st_ctim);
}

char *weir_file_read(const char *path, size_t limit, size_t *size, struct weir_sink *sink) {
  struct stat st;
  char *text = NULL;
  const char *reason = strerror(EISDIR);
  if (weir_file_is_endless(path)) {
    reason = "it has no end";
  } else if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
    gzFile f = gzopen(path, "rb");
    reason = strerror(errno);
    if (f) text = read_all(f, limit ? limit : DEFAULT_LIMIT, size, &reason);
    if (f) gzclose_r(f);
  }
  if (!text) weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be read: %s", reason);
  return text;
}

// Renaming would put a file where /dev/null was, if the user may.
static bool goes_through(const char *path) {
  struct stat st;
  return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool cannot_write(const char *path, struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){.file = path}, "cannot be written: %s", strerror(errno ? errno : EIO));
}

bool weir_draft_open(struct weir_draft *d, const char *path, struct weir_sink *sink) {
  *d = (struct weir_draft){.path = weir_text_copy(path)};
  int fd = -1;
  if (goes_through(path)) {
    d->to = fopen(path, "wb");
  } else {
    d->beside = weir_text_format("%s.XXXXXX", path);
    fd = mkostemp(d->beside, O_CLOEXEC);
    d->to = fd < 0 ? NULL : fdopen(fd, "wb");
  }
  if (d->to) return true;
  cannot_write(path, sink);
  weir_free(d->path);
  weir_free(d->beside);
  return false;
}

bool weir_draft_close(struct weir_draft *d, bool keep, struct weir_sink *sink) {
  const mode_t mask = umask(0);
  umask(mask);
  bool ok = !fflush(d->to) && !ferror(d->to) && (!d->beside || !fchmod(fileno(d->to), 0666 & ~mask));
  const int why = errno;
  ok = !fclose(d->to) && ok;
  if (!ok && why) errno = why;
  ok = ok && (!keep || !d->beside || !rename(d->beside, d->path));
  if (keep && !ok) cannot_write(d->path, sink);
  if (d->beside && !(keep && ok)) unlink(d->beside);
  weir_free(d->path);
  weir_free(d->beside);
  return ok;
}

bool weir_file_write(const char *path, const void *bytes, size_t size, struct weir_sink *sink) {
  struct weir_draft d;
  if (!weir_draft_open(&d, path, sink)) return false;
  fwrite(bytes, 1, size, d.to);
  return weir_draft_close(&d, true, sink);
}

bool weir_file_writable(const char *path, struct weir_sink *sink) {
  struct weir_draft d;
  struct stat st;
  if (!path) return true;
  if (!stat(path, &st) && S_ISDIR(st.st_mode)) return errno = EISDIR, cannot_write(path, sink);
  if (goes_through(path))
    return !access(path, W_OK) || errno == ENOENT || cannot_write(path, sink); // a link to what is to come
  return weir_draft_open(&d, path, sink) && weir_draft_close(&d, false, sink);
}

// Of another file system.
static bool copy(const char *from, const char *to, struct weir_sink *sink) {
  enum { PIECE = 1 << 16 };
  struct weir_draft d;
  FILE *f = fopen(from, "rb");
  if (!f) return weir_fail(sink, (struct weir_place){.file = from}, "cannot be read: %s", strerror(errno));
  bool ok = weir_draft_open(&d, to, sink);
  if (ok) {
    char *piece = weir_alloc(PIECE);
    for (size_t n; (n = fread(piece, 1, PIECE, f));) fwrite(piece, 1, n, d.to);
    weir_free(piece);
    const bool whole = !ferror(f) || weir_fail(sink, (struct weir_place){.file = from}, "cannot be read");
    ok = weir_draft_close(&d, whole, sink) && whole;
  }
  fclose(f);
  return ok;
}

bool weir_file_move(const char *from, const char *to, struct weir_sink *sink) {
  if (!goes_through(to) && !rename(from, to)) return true;
  const bool ok = copy(from, to, sink);
  unlink(from);
  return ok;
}

static char *join(const char *folder, size_t length, const char *name) {
  char *path = weir_alloc(length + strlen(name) + 2);
  memcpy(path, folder, length);
  if (length && folder[length - 1] != '/') path[length++] = '/';
  strcpy(path + length, name);
  return path;
}

const char *weir_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *weir_path_beside(const char *beside, const char *name) {
  const char *slash = strrchr(beside, '/');
  if (name[0] == '/' || !slash) return weir_text_copy(name);
  return join(beside, (size_t)(slash - beside) + 1, name);
}

static char *if_there(char *path) {
  if (path && !access(path, R_OK)) return path;
  weir_free(path);
  return NULL;
}

static char *share(const char *self, const char *from_there, const char *relative) {
  char *folder = weir_path_beside(self, from_there);
  char *path = join(folder, strlen(folder), relative);
  weir_free(folder);
  return path;
}

// The library that this is part of, in some other program; NULL: none. dladdr looks through all symbols: it is asked once.
static const char *library(void) {
  static const char *known;
  const char *name = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  Dl_info here;
  if (!name) {
    name = dladdr((void *)(uintptr_t)weir_data_path, &here) && strstr(here.dli_fname, ".so") ? here.dli_fname : "";
    __atomic_store_n(&known, name, __ATOMIC_RELEASE);
  }
  return *name ? name : NULL;
}

// Beside that library (lib/weir/libcudart.so.13), or beside the program.
static char *installed(const char *relative) {
  if (library()) return share(library(), "../../share/weir", relative);
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return NULL;
  self[n] = 0;
  return share(self, "../share/weir", relative);
}

char *weir_data_path(const char *relative) {
  const char *named = getenv("WEIR_DATA");
  char *path = named ? if_there(join(named, strlen(named), relative)) : NULL;
  if (!path) path = if_there(installed(relative));
  if (!path) path = if_there(join(WEIR_DATA_SOURCE, strlen(WEIR_DATA_SOURCE), relative));
  return path;
}

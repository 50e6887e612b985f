// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "batch/claims.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_DIGITS = 15 }; // of the hash: as many bits as an offset has

static bool lock(int file, short type, off_t at, off_t length) { // length 0: to the end
  struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = length};
  return !fcntl(file, F_SETLK, &l);
}

static off_t byte_of(const char *key) {
  char digits[KEY_DIGITS + 1] = "";
  strncpy(digits, key, KEY_DIGITS);
  return (off_t)strtoull(digits, NULL, 16);
}

static bool open_file(struct weir_claims *c, const char *store, int create) {
  if (c->path) return true;
  char *path = weir_text_format("%s-claims", store);
  c->file = open(path, O_RDWR | O_CLOEXEC | create, 0666);
  if (c->file >= 0)
    c->path = path;
  else
    weir_free(path);
  return c->path;
}

// Who closed it last took it away: a lock on it would bind nobody.
static bool is_gone(const struct weir_claims *c) {
  struct stat st;
  return !fstat(c->file, &st) && !st.st_nlink;
}

static void drop(struct weir_claims *c) {
  close(c->file);
  weir_free(c->path);
  *c = (struct weir_claims){0};
}

// Without a file, or on a file system without locks, there are no claims: processes at the same time may make a run twice.
bool weir_claims_take(struct weir_claims *c, const char *store, const char *key) {
  while (open_file(c, store, O_CREAT)) {
    if (!lock(c->file, F_WRLCK, byte_of(key), 1)) return errno != EAGAIN && errno != EACCES;
    if (!is_gone(c)) return true;
    drop(c);
  }
  return true;
}

void weir_claims_give(struct weir_claims *c, const char *key) {
  if (c->path) lock(c->file, F_UNLCK, byte_of(key), 1);
}

// Also of what a process that was killed has left.
void weir_claims_close(struct weir_claims *c, const char *store) {
  if (!open_file(c, store, 0)) return;
  if (lock(c->file, F_WRLCK, 0, 0) && !is_gone(c)) unlink(c->path); // nobody else has one
  drop(c);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs one harness where there is no libFuzzer.
//
// replay_NAME FOLDER...: over every file of the folders. The seeds must pass in every build.
//
// replay_NAME --mutate SECONDS INPUT FOLDER...: over mutations of them, drawn anew each time, for so long. The input that is running lies
// in the file INPUT, and stays there if the process ends by it; one that takes longer than ten seconds ends it, too.
#include "base/alloc.h"
#include "base/rng.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// What a harness knows of its inputs (mutate.h); a weak one is not there.
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { MOST_BYTES = 1 << 16, MOST_MUTATIONS = 5, PATIENCE_SECONDS = 10 };

struct seed {
  uint8_t *bytes;
  size_t size;
};

static struct seed *seeds;
static unsigned seed_count, seed_capacity;
static struct weir_rng drawn;

// Bytes as they are: a gzipped seed stays gzipped.
static void read_seed(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END)) perror(path), exit(1);
  struct seed s = {.size = (size_t)ftell(f)};
  rewind(f);
  s.bytes = weir_alloc(s.size);
  if (fread(s.bytes, 1, s.size, f) != s.size) perror(path), exit(1);
  fclose(f);
  *weir_push(seeds, seed_count, seed_capacity) = s;
}

static void read_folder(const char *folder) {
  DIR *d = opendir(folder);
  if (!d) perror(folder), exit(1);
  for (struct dirent *e; (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    read_seed(path);
  }
  closedir(d);
}

static size_t below(size_t n) {
  return (size_t)weir_rng_below(&drawn, n);
}

// ---- mutations -------------------------------------------------------------------------------------------------------

// `count` bytes at `at` become others, `with` of them; nothing if there is no room.
static size_t put(uint8_t *data, size_t size, size_t most, size_t at, size_t count, const uint8_t *with, size_t more) {
  if (size - count + more > most) return size;
  memmove(data + at + more, data + at + count, size - at - count);
  memcpy(data + at, with, more);
  return size - count + more;
}

// What knows nothing of the input: a bit, a byte, a number at an edge, a part dropped, doubled, or of another seed.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
  static const uint64_t edges[] = {0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, UINT32_MAX, INT64_MAX, UINT64_MAX};
  uint8_t part[64];
  const size_t at = below(size + 1), rest = size - at,
               length = rest ? below(rest < sizeof part ? rest : sizeof part) + 1 : 0;
  const struct seed *other = &seeds[below(seed_count)];
  switch (below(6)) {
  case 0:
    if (rest) data[at] ^= (uint8_t)(1u << below(8));
    return size;
  case 1:
    if (rest) data[at] = (uint8_t)weir_rng_next(&drawn);
    return size;
  case 2: {
    const size_t bytes = (size_t)1 << below(4);
    return put(data, size, most, at, rest < bytes ? rest : bytes,
               (const uint8_t *)&edges[below(sizeof edges / sizeof *edges)], bytes);
  }
  case 3: return put(data, size, most, at, length, part, 0);
  case 4: memcpy(part, data + at, length); return put(data, size, most, below(size + 1), 0, part, length);
  default: {
    const size_t from = below(other->size + 1),
                 more = other->size - from < sizeof part ? other->size - from : sizeof part;
    return put(data, size, most, at, below(length + 1), other->bytes + from, more);
  }
  }
}

static size_t draw_input(uint8_t *data) {
  const struct seed *s = &seeds[below(seed_count)];
  size_t size = s->size < MOST_BYTES ? s->size : MOST_BYTES;
  memcpy(data, s->bytes, size);
  for (size_t left = below(MOST_MUTATIONS) + 1; left; left--)
    size = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(data, size, MOST_BYTES, (unsigned)weir_rng_next(&drawn))
                                   : LLVMFuzzerMutate(data, size, MOST_BYTES);
  return size;
}

static void keep(FILE *f, const uint8_t *data, size_t size) {
  rewind(f);
  if (fwrite(data, 1, size, f) != size || fflush(f) || ftruncate(fileno(f), (off_t)size))
    perror("the input's file"), exit(1);
}

static void run_mutations(double seconds, const char *path) {
  FILE *f = fopen(path, "wb");
  if (!f) perror(path), exit(1);
  uint64_t runs = 0;
  uint8_t *data = weir_alloc(MOST_BYTES);
  struct timespec began, now;
  clock_gettime(CLOCK_MONOTONIC, &began);
  drawn = weir_rng_seed((uint64_t)began.tv_sec * 1000000000 + (uint64_t)began.tv_nsec, (uint64_t)getpid());
  do {
    const size_t size = draw_input(data);
    uint8_t *exact = weir_alloc(size); // so that a sanitizer sees its end
    memcpy(exact, data, size);
    keep(f, data, size);
    alarm(PATIENCE_SECONDS);
    LLVMFuzzerTestOneInput(exact, size);
    weir_free(exact);
    runs++;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((double)(now.tv_sec - began.tv_sec) + (double)(now.tv_nsec - began.tv_nsec) * 1e-9 < seconds);
  alarm(0);
  weir_free(data);
  fclose(f);
  unlink(path);
  printf("%llu executions\n", (unsigned long long)runs);
}

int main(int count, char **arguments) {
  const bool mutates = count > 3 && !strcmp(arguments[1], "--mutate");
  for (int i = mutates ? 4 : 1; i < count; i++) read_folder(arguments[i]);
  if (mutates && seed_count)
    run_mutations(strtod(arguments[2], NULL), arguments[3]);
  else
    for (unsigned i = 0; i < seed_count; i++) LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
  printf("%u seeds\n", seed_count);
  for (unsigned i = 0; i < seed_count; i++) weir_free(seeds[i].bytes);
  weir_free(seeds);
  return seed_count ? 0 : 1; // a corpus that is not there is no test
}

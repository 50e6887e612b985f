// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// assemble UNIT THREADS KIB: the CPU's part of BigKernel (Mokhtari and Stumm, IPDPS 2014), for its trace: as many threads of the CPU gather what
// blocks of 128 threads of the GPU will read, each a chunk of 1.5 KiB, units of UNIT bytes side by side, into buffers to copy from.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128, CHUNK = 1536, MOST_THREADS = 64 };

struct part {
  pthread_t thread;
  const uint8_t *from;
  uint8_t *to;
  size_t bytes;
};

static void *by_byte(void *context) {
  const struct part *p = context;
  uint8_t *to = p->to;
  for (const uint8_t *from = p->from; from < p->from + p->bytes; from += (size_t)BLOCK * CHUNK)
    for (size_t at = 0; at < CHUNK; at++)
      for (size_t t = 0; t < BLOCK; t++) *to++ = from[t * CHUNK + at];
  return NULL;
}

static void *by_line(void *context) {
  enum { UNIT = 16 };
  const struct part *p = context;
  uint8_t *to = p->to;
  for (const uint8_t *from = p->from; from < p->from + p->bytes; from += (size_t)BLOCK * CHUNK)
    for (size_t at = 0; at < CHUNK; at += UNIT)
      for (size_t t = 0; t < BLOCK; t++, to += UNIT) memcpy(to, from + t * CHUNK + at, UNIT);
  return NULL;
}

int main(int argc, char **argv) {
  struct part parts[MOST_THREADS];
  const unsigned long unit = argc == 4 ? strtoul(argv[1], NULL, 10) : 0,
                      threads = argc == 4 ? strtoul(argv[2], NULL, 10) : 0,
                      bytes = argc == 4 ? strtoul(argv[3], NULL, 10) * 1024 : 0;
  if ((unit != 1 && unit != 16) || !threads || threads > MOST_THREADS || bytes % (threads * BLOCK * CHUNK) || !bytes) {
    fprintf(stderr, "usage: assemble 1|16 THREADS KIB, a multiple of %d for each thread\n", BLOCK * CHUNK / 1024);
    return 2;
  }
  uint8_t *from = calloc(1, bytes), *to = calloc(1, bytes);
  if (!from || !to) return 1;
  for (unsigned long t = 0; t < threads; t++) {
    const size_t at = bytes / threads * t;
    parts[t] = (struct part){.from = from + at, .to = to + at, .bytes = bytes / threads};
    pthread_create(&parts[t].thread, NULL, unit == 1 ? by_byte : by_line, &parts[t]);
  }
  for (unsigned long t = 0; t < threads; t++) pthread_join(parts[t].thread, NULL);
  return 0;
}

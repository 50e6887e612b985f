// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs one harness over every file of the folders named, where there is no libFuzzer: the seeds must pass in every build.
#include "base/alloc.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Bytes as they are: a gzipped seed stays gzipped.
static void replay(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END)) perror(path), exit(1);
  size_t size = (size_t)ftell(f);
  rewind(f);
  uint8_t *data = weir_alloc(size);
  if (fread(data, 1, size, f) != size) perror(path), exit(1);
  fclose(f);
  LLVMFuzzerTestOneInput(data, size);
  weir_free(data);
}

static unsigned replay_folder(const char *folder) {
  DIR *d = opendir(folder);
  if (!d) perror(folder), exit(1);
  unsigned seeds = 0;
  for (struct dirent *e; (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    replay(path);
    seeds++;
  }
  closedir(d);
  return seeds;
}

int main(int count, char **folders) {
  unsigned seeds = 0;
  for (int i = 1; i < count; i++) seeds += replay_folder(folders[i]);
  printf("%u seeds\n", seeds);
  return seeds ? 0 : 1; // a corpus that is not there is no test
}

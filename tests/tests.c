// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// tests NNN_name: runs that test of this folder.
#include "tests.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  int (*run)(void);
} all[] = {
#define TEST(name) {#name, test_##name},
#include "tests.def"
#undef TEST
};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
    if (!strcmp(argv[1], all[i].name)) return all[i].run();
  fprintf(stderr, "usage: %s TEST, one of\n", argv[0]);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) fprintf(stderr, "  %s\n", all[i].name);
  return 2;
}

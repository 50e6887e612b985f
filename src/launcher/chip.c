// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which chip a program gets that names none.
#include "base/alloc.h"
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "config/chip_file.h"
#include "config/config.h"
#include "launcher/command.h"
#include "run/environment.h"

// A container without PTX is for nobody here, and what else is wrong with it is said when the program runs.
static bool takes_image(const struct weir_binary_image *image, unsigned capability, struct weir_sink *unheard) {
  unsigned count;
  struct weir_fatbin_entry *entries =
    weir_fatbin_entries(image->data, image->bytes, (struct weir_place){.file = "program"}, &count, unheard);
  const struct weir_fatbin_entry *best = entries ? weir_fatbin_best(entries, count, capability) : NULL;
  const bool takes = !best || best->arch <= capability;
  weir_free(entries);
  return takes;
}

static bool takes(const char *chip, const struct weir_binary *b, struct weir_sink *unheard) {
  struct weir_chip_config *c = weir_chip_read(chip, unheard);
  bool all = c;
  for (unsigned k = 0; all && k < b->image_count; k++)
    all = takes_image(&b->images[k], weir_chip_capability(c), unheard);
  if (c) weir_chip_config_free(c);
  return all;
}

const char *weir_command_default_chip(const char *name) {
  static const char *const chips[] = {WEIR_ENV_DEFAULT_CHIP, "blackwell-b200", "blackwell-rtx5090"};
  enum { CHIPS = sizeof chips / sizeof *chips };
  struct weir_sink unheard = {0};
  struct weir_binary b = {0};
  unsigned i = 0;
  char *path = weir_command_find(name, &unheard);
  if (path && weir_binary_read(&b, path, &unheard) && b.has_ptx)
    while (i < CHIPS && !takes(chips[i], &b, &unheard)) i++;
  weir_binary_free(&b);
  weir_free(path);
  weir_sink_free(&unheard);
  return chips[i < CHIPS ? i : 0];
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files (chips/NAME.yaml): read, changed by --set, checked, listed. What a file says is in config/config.h.
// Invariant: what weir_chip_read answers is valid; after weir_chip_set, weir_chip_validate says whether it still is.
#ifndef WEIR_CONFIG_CHIP_FILE_H
#define WEIR_CONFIG_CHIP_FILE_H

#include "base/diag.h"
#include "exec/assembler.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_chip_config; // its fields are in config/config.h

// `name` is a bundled chip's name or a path. NULL and diagnostics (file and line) if it cannot be read.
struct weir_chip_config *weir_chip_read(const char *name, struct weir_sink *sink);
struct weir_chip_config *weir_chip_copy(const struct weir_chip_config *c);
void weir_chip_config_free(struct weir_chip_config *c);

// One override, "path=value": a path names a part and a key of the chip file ("l1.size_kib", "core.schedulers",
// "dram.channels"). `option`, which it came from, opens the diagnostic and is the value's origin.
bool weir_chip_set(struct weir_chip_config *c, const char *assignment, const char *option, struct weir_sink *sink);

// Checks what single keys cannot (sizes that divide, ways within limits, levels that connect), and reads the texts that say
// several numbers (core.carveouts).
bool weir_chip_validate(struct weir_chip_config *c, struct weir_sink *sink);

const char *weir_chip_name(const struct weir_chip_config *c);
const char *weir_chip_summary(const struct weir_chip_config *c);
unsigned weir_chip_lanes(const struct weir_chip_config *c); // 32 or 64
struct weir_code weir_chip_code(const struct weir_chip_config *c);

// CUDA's compute capability times ten, as architectures are numbered: 75 for 7.5; 0: no CUDA device.
unsigned weir_chip_capability(const struct weir_chip_config *c);
unsigned weir_chip_warps(const struct weir_chip_config *c);        // that a core holds at most
uint64_t weir_chip_memory_bytes(const struct weir_chip_config *c); // of the device
unsigned weir_chip_levels(const struct weir_chip_config *c);
unsigned weir_chip_cpu_cores(const struct weir_chip_config *c);                     // of all kinds; 0: it has none
const char *weir_chip_level_name(const struct weir_chip_config *c, unsigned level); // "l1"

// Of the chips that come with weir, those that suit: "a, b", or that there is none; freed by weir_free.
char *weir_chips_that_suit(bool (*suits)(const struct weir_chip_config *c, const void *context), const void *context);

struct weir_chip_setting {
  const char *path, *value; // as --set takes them
  const char *type, *help;  // what values there are, and what they mean
  const char *file;         // that gives the value; NULL: none does
  unsigned line;
  const char *source; // the comment behind it there; NULL: there is none
};

// Calls `each` for every value that --set takes, in file order. What it is given lasts for the call.
void weir_chip_settings(const struct weir_chip_config *c,
                        void (*each)(void *context, const struct weir_chip_setting *s), void *context);

#endif

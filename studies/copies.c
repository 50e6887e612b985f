// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "copies.h"

#include "config/config.h"
#include "run/experiment.h"

#include <math.h>

static bool read_chip(struct weir_setup *setup, const char *chip) {
  struct weir_sink sink = {0};
  const struct weir_experiment e = {.chip = chip, .scheme = "lru"};
  const bool ok = weir_setup_read(setup, &e, &sink);
  weir_sink_free(&sink);
  return ok;
}

double study_link_ps(bool to_device, enum weir_link_memory memory, uint64_t bytes) {
  struct weir_setup setup;
  if (!read_chip(&setup, STUDY_LINK_CHIP)) return NAN;
  const struct weir_link *link = &setup.chip->link;
  const double ps = (double)weir_link_copy_ps(link, to_device ? &link->to_device : &link->to_host, memory, bytes);
  weir_setup_free(&setup);
  return ps;
}

double study_memory_ps(const char *chip, uint64_t bytes) {
  struct weir_setup setup;
  if (!read_chip(&setup, chip)) return NAN;
  const struct weir_chip_config *c = setup.chip;
  const double bytes_per_us = c->dram.channels * c->dram.atom_bytes / (double)c->dram.burst_cycles * c->clocks.dram_mhz;
  weir_setup_free(&setup);
  return 2 * (double)bytes / bytes_per_us * 1e6;
}

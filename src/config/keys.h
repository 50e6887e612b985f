// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of a chip file, declared once. Invariant: a table describes one struct of config.h member by member, in the order
// of that struct; reading, ranges, --set and `weir list` walk these tables and know no key by name (base/param.h).
#ifndef WEIR_CONFIG_KEYS_H
#define WEIR_CONFIG_KEYS_H

#include "base/param.h"
#include "config/config.h"

extern const struct weir_param_table weir_chip_table, weir_cpu_cluster_table, weir_energy_table, weir_hint_table,
  weir_link_table;

#endif

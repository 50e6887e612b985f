// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which router of a mesh serves what, as a chip file draws it: rows from the north, separated by '/', in each a word per router
// from the west, with as many words as the other rows have. A word names what is there, joined by '+': C0 is the first CPU
// core, L0 the first slice of the shared caches, G0 the first core of the GPU; "." is nothing. What the chip has not (--set
// may take cores away) is nothing, too; what it has is drawn exactly once.
#ifndef WEIR_CONFIG_MESH_MAP_H
#define WEIR_CONFIG_MESH_MAP_H

#include "config/config.h"
#include "mem/mesh.h"

#include <stddef.h>

// From network.mesh: the ports of the requests' network and of the answers', or no columns where that is "none". NULL if it
// is well-formed, else what is wrong with it, in `message`.
const char *weir_mesh_map(const struct weir_chip_config *c, struct weir_mesh_params *requests,
                          struct weir_mesh_params *replies, char *message, size_t size);

#endif

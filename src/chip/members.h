// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Threads of the host that serve a chip's parts side by side, and what each has of its own. Private to src/chip. Invariant: a part is
// one member's; what members count is the chip's when it is gathered; what they do does not depend on how many they are.
#ifndef WEIR_CHIP_MEMBERS_H
#define WEIR_CHIP_MEMBERS_H

#include "base/crew.h"
#include "exec/aside.h"
#include "gpu/sm.h"
#include "mem/network.h"

// The first member's counts and requests are the chip's own.
struct weir_chip_member {
  _Alignas(128) struct weir_sm_shared shared;
  struct weir_launch clocked; // the running launch, with this chip's clock
  uint64_t steps, meetings;   // meetings: of clusters, that cores have not been told of
  struct weir_aside aside;
  struct weir_network_asks requests, replies; // that its cores and its slices have sent
  struct weir_mreq_pool pool;
  struct weir_run_stats stats;
  // Of what it has served last: when its parts have something to do again, how many had, and the last core that faulted, + 1.
  weir_cycle cores, slices, drams;
  uint32_t served, faulty;
  uint32_t *due; // which of its parts have something to do in the cycle that it serves
};

struct weir_chip_members {
  struct weir_chip_member *all;
  struct weir_aside **asides; // theirs
  struct weir_mreq_pool **pools;
  unsigned count;
  struct weir_crew *crew;                             // NULL: there is one
  bool side_by_side;                                  // in this launch
  bool slices_side_by_side;                           // unless their policies share something
  uint32_t cores_served, slices_served, drams_served; // when they were served last
  const char *alone;                                  // why there is one, though more were asked for; or NULL
  const char *launch_alone;                           // why one launch or more had one of several; or NULL
};

struct weir_chip;

// Before the parts are built, and after they are gone.
void weir_members_build(struct weir_chip *c);
void weir_members_free(struct weir_chip *c);
void weir_members_wire(struct weir_chip *c); // the network is there
// The chip has come to know `count` PCs, of which the first `before` were known.
void weir_members_learn(struct weir_chip *c, uint32_t before, uint32_t count);

// A launch begins (c->members.all[0].clocked), and ends.
void weir_members_begin_launch(struct weir_chip *c);
void weir_members_end_launch(struct weir_chip *c, const struct weir_launch *launch);

// What they have counted goes into the chip's counts: but for those per PC, and those too.
void weir_members_gather(struct weir_chip *c);
void weir_members_gather_pcs(struct weir_chip *c);

// Thread blocks ended so far.
uint64_t weir_members_blocks(const struct weir_chip *c);

// Which member a part is.
uint8_t weir_owner_of_core(const void *chip, uint32_t core);
uint8_t weir_owner_of_slice(const void *chip, uint32_t slice);
uint8_t weir_owner_of_channel(const void *chip, uint32_t channel);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What cores that are stepped side by side do to memory that they share. Invariant: while they are stepped, nobody writes it. An
// access is checked, and its addresses are told, at once, as timing wants them; its data moves when all cores have had their cycle:
// stores and atomics in the order of the cores, and so do loads of bytes that one of these writes in the same cycle; other loads at
// any time before the next cycle's stores. A warp executes one instruction per cycle, so that until then its registers are what
// they were, and nobody has read what it loads.
#ifndef WEIR_EXEC_ASIDE_H
#define WEIR_EXEC_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

struct weir_warp;
struct weir_insn;

// An instruction whose data is to move.
struct weir_put_off {
  struct weir_warp *warp; // NULL: it has moved
  const struct weir_insn *insn;
  uint64_t mask;
  uint64_t low, high; // its bytes of shared memory are in [low, high)
  uint32_t core;
  bool writes;
  bool in_turn; // must be done in the order of the cores, whatever the others do
};

// Of one thread, which steps its cores in ascending order.
struct weir_aside {
  struct weir_put_off *list;
  uint32_t count, capacity;
  uint32_t core; // that is stepped now
  bool
    shared_follow; // something put off in this cycle is of its blocks' shared memory: what comes later there is put off, too
  bool strays;  // the instruction being executed has left all buffers: whoever is told is told in its turn
  bool ordered; // of the list, something writes or has a turn
};

// A core's cycle begins.
static inline void weir_aside_begin(struct weir_aside *a, uint32_t core) {
  a->core = core;
  a->shared_follow = false;
}

// All cores have had their cycle, core i from the thread whose aside is asides[owners[i]]: what has an order is done.
void weir_aside_settle(struct weir_aside *const *asides, uint32_t count, const uint8_t *owners, uint32_t cores);
// … and what is left of one thread's list.
void weir_aside_finish(struct weir_aside *a);
void weir_aside_free(struct weir_aside *a);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One DRAM channel: a fixed controller latency, an FR-FCFS queue per bank, the timing rules of GDDR5/DDR3, a data bus.
// All times are command cycles of the channel's clock, kept as "not before" cycles. Invariant: at most one column and one
// row command per cycle; a command issues only when every rule that names it allows.
//
// Rules (names as in JEDEC data sheets; after a command at cycle c, the other not before c + value):
//   rcd activate→column   rp precharge→activate   ras activate→precharge   rc activate→activate, same bank
//   rrd activate→activate, other banks   ccd column→column   ccdl column→column, same bank group
//   cl/wl column→data of a read/write   cdlr end of write data→read   wr end of write data→precharge
//   rtpl read→precharge, same bank group
// Derived as GPGPU-Sim derives them: activate→write rcd − (wl + 1); read→write cl + burst + 2 − wl; write→read
// wl + burst + cdlr; write→precharge wl + burst + wr; read→precharge burst.
//
// Where writes have a queue of their own (`write_queue`), reads go first until `write_high` writes wait, then writes until fewer than
// `write_low` do: GPGPU-Sim's separate write queue. There writes below the mark wait for ever; here they go, too, once no read
// has waited for `write_idle` cycles, as some are waited for.
#ifndef WEIR_MEM_DRAM_H
#define WEIR_MEM_DRAM_H

#include "mem/address_map.h"
#include "mem/mreq.h"
#include "stats/stats.h"
#include "stats/requester.h"

enum { WEIR_MAX_BANKS = 64, WEIR_MAX_BANK_GROUPS = 16 };

struct weir_dram_params {
  uint32_t banks, bank_groups, atom_bytes, burst_cycles; // atom: bytes a column command moves
  uint32_t queue;                 // requests the scheduler holds; reads alone, where writes have a queue
  uint32_t write_queue;           // writes it holds besides; 0: reads and writes share the queue
  uint32_t write_high, write_low; // writes go before reads from so many on, until fewer than so many wait
  uint32_t write_idle;            // and after so many command cycles without a read in the queue
  uint32_t outstanding;           // requests taken and not yet answered, at most
  uint32_t fixed_latency;         // command cycles between taking a request and scheduling it
  uint32_t ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, rtpl;
};

struct weir_dram_queue {
  struct weir_mreq *head, *tail; // oldest first
};

struct weir_dram_bank {
  struct weir_dram_queue queues[2]; // of reads, and of writes where these have their own
  struct weir_mreq *current;        // being served
  uint32_t left;                    // bytes of it still to move
  uint32_t row, open_row;           // row: its
  uint8_t group;
  bool open, write, opened_for_current, closed_for_current; // write: the current request is one
  weir_cycle read_from, write_from, precharge_from, activate_from;
};

struct weir_dram_transfer {
  struct weir_mreq *request; // NULL: not its last burst
  weir_cycle done;
};

enum { WEIR_MAX_TRANSFERS = 64 };

struct weir_dram {
  struct weir_dram_params params;
  const struct weir_address_map *map;
  struct weir_dram_bank banks[WEIR_MAX_BANKS];
  weir_cycle group_column_from[WEIR_MAX_BANK_GROUPS], group_precharge_from[WEIR_MAX_BANK_GROUPS];
  weir_cycle column_from, read_from, write_from, activate_from; // whole channel
  weir_cycle issue_from;                                        // no bank's next command can issue before
  uint64_t waiting[2], serving;                                 // banks with either queue, with a current request
  uint32_t queued[2], taken;                                    // in either queue
  bool writing, draining;                                       // writes are served; until there are few
  weir_cycle read_seen;                                         // last with a read in the queue
  uint32_t first_bank;                                          // round-robin
  struct weir_mreq_queue arriving;                              // in the fixed latency; `ready` says until when
  struct weir_dram_transfer transfers[WEIR_MAX_TRANSFERS];      // on the data bus, in order
  uint32_t transfer_head, transfer_count;
  struct weir_mreq_queue returns; // answers waiting for room above
  struct weir_mreq_pool *pool;
  struct weir_dram_stats *stats;
  struct weir_traffic_counts *ports; // by whose core a request is, what it has the channel do; NULL: not counted
};

void weir_dram_init(struct weir_dram *d, const struct weir_dram_params *p, const struct weir_address_map *map,
                    struct weir_mreq_pool *pool, struct weir_dram_stats *stats);

bool weir_dram_accepts(const struct weir_dram *d);
void weir_dram_send(struct weir_dram *d, struct weir_mreq *r, weir_cycle now);

// Whether writes wait in a queue of their own, or are being served.
bool weir_dram_writes(const struct weir_dram *d);

// One command cycle. `deliver` is offered each answer and takes it or not (false: offered again next cycle). Returns the
// next cycle at which there may be something to do (WEIR_NEVER: none).
weir_cycle weir_dram_tick(struct weir_dram *d, weir_cycle now, bool (*deliver)(void *context, struct weir_mreq *r),
                          void *context);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What all blocks of a launch share: parameters, special registers of the launch, uniform registers, and the thread numbers of the
// warps of a block, which are the same in all of them.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/machine.h"

#include <string.h>

static void set_specials(const struct weir_launch *l, uint8_t *bank) {
  const struct weir_program *p = l->program;
  const uint64_t extern_shared = weir_dynamic_shared_base(l->kernel);
  uint64_t *to = (uint64_t *)(void *)(bank + weir_slot_offset(p, WEIR_SLOT_EXTERN_SHARED));
  for (unsigned k = 0; k < 3; k++) {
    weir_broadcast(p, bank, WEIR_SLOT_NTID_X + k, l->block[k]);
    weir_broadcast(p, bank, WEIR_SLOT_NCTAID_X + k, l->grid[k]);
  }
  uint32_t cluster[3];
  weir_cluster_dims(l, cluster);
  for (unsigned k = 0; k < 3; k++) {
    weir_broadcast(p, bank, WEIR_SLOT_NCLUSTERID_X + k, l->grid[k] / cluster[k]);
    weir_broadcast(p, bank, WEIR_SLOT_CLUSTER_NCTAID_X + k, cluster[k]);
  }
  weir_broadcast(p, bank, WEIR_SLOT_CLUSTER_NCTARANK, weir_cluster_blocks(l));
  weir_broadcast(p, bank, WEIR_SLOT_EXPLICIT_CLUSTER, weir_cluster_is_explicit(l) ? UINT32_MAX : 0); // a predicate
  weir_broadcast(p, bank, WEIR_SLOT_NWARPID, (uint32_t)weir_div_up(weir_block_threads(l), p->lanes));
  weir_broadcast(p, bank, WEIR_SLOT_DYNAMIC_SMEM, l->dynamic_shared_bytes);
  weir_broadcast(p, bank, WEIR_SLOT_TOTAL_SMEM, (uint32_t)extern_shared + l->dynamic_shared_bytes);
  weir_broadcast(p, bank, WEIR_SLOT_RESERVED_SMEM, weir_reserved_shared_base(l));
  weir_broadcast(p, bank, WEIR_SLOT_RESERVED_SMEM_END, weir_reserved_shared_base(l) + WEIR_RESERVED_SHARED_BYTES);
  weir_broadcast(p, bank, WEIR_SLOT_ENVREG1, l->cooperative ? (uint32_t)(l->grid_workspace >> 32) : 0);
  weir_broadcast(p, bank, WEIR_SLOT_ENVREG2, l->cooperative ? (uint32_t)l->grid_workspace : 0);
  for (unsigned k = 0; k < p->lanes; k++) to[k] = extern_shared;
}

static void set_threads(const struct weir_launch *l, uint8_t *bank, uint32_t first) {
  const unsigned lanes = l->program->lanes;
  uint32_t *x = (uint32_t *)(void *)(bank + weir_slot_offset(l->program, WEIR_SLOT_TID_X));
  uint32_t *y = (uint32_t *)(void *)(bank + weir_slot_offset(l->program, WEIR_SLOT_TID_Y));
  uint32_t *z = (uint32_t *)(void *)(bank + weir_slot_offset(l->program, WEIR_SLOT_TID_Z));
  for (unsigned k = 0; k < lanes; k++) {
    x[k] = (first + k) % l->block[0];
    y[k] = (first + k) / l->block[0] % l->block[1];
    z[k] = (first + k) / l->block[0] / l->block[1];
  }
}

// By a warp of no block, all of whose lanes run.
static void compute_uniform(const struct weir_launch *l, const struct weir_launch_state *s) {
  const struct weir_program *p = l->program;
  const struct weir_function_code *code = &p->functions[l->kernel->function];
  struct weir_block_state b = {.launch = l, .program = p, .lanes = p->lanes, .state = s};
  struct weir_warp w = {.block = &b, .launch = l, .groups = (uint16_t)(p->lanes / 32)};
  w.present = w.all = weir_mask(p->lanes);
  w.bank[WEIR_BANK_CONST] = p->constants;
  w.bank[WEIR_BANK_LAUNCH] = s->bank;
  w.bank[WEIR_BANK_FRAME] = s->bank + weir_slot_offset(p, WEIR_LAUNCH_SLOTS);
  weir_frame_start(w.bank[WEIR_BANK_FRAME], code);
  for (uint32_t k = 0; k < code->uniform_count; k++) {
    const struct weir_insn *i = &code->uniform[k];
    if (i->kind == WEIR_KIND_ALU)
      i->alu(&w, i, w.all);
    else
      i->memory(&w, i, w.all, NULL);
  }
}

struct weir_launch_state *weir_launch_begin(const struct weir_launch *l) {
  if (l->streams) return NULL;
  const struct weir_program *p = l->program;
  const size_t own = weir_align_up(sizeof(struct weir_launch_state), 64),
               params = weir_align_up(l->kernel->param_bytes + 1, 64),
               bank = weir_align_up(p->functions[l->kernel->function].launch_bytes, 64),
               each = weir_slot_offset(p, WEIR_THREAD_SLOTS), warps = weir_div_up(weir_block_threads(l), p->lanes);
  struct weir_launch_state *s = weir_alloc_aligned(64, own + params + bank + warps * each);
  s->params = (uint8_t *)s + own;
  s->bank = s->params + params;
  s->threads = s->bank + bank;
  if (l->kernel->param_bytes) memcpy(s->params, l->params, l->kernel->param_bytes);
  set_specials(l, s->bank);
  for (size_t k = 0; k < warps; k++) set_threads(l, s->threads + k * each, (uint32_t)k * p->lanes);
  compute_uniform(l, s);
  return s;
}

void weir_launch_end(struct weir_launch_state *s) {
  weir_free(s);
}

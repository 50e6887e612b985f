// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Immediate dominators and post-dominators of a control-flow graph; private to ptx (ptx/cfg.h, ptx/loops.h give them).
#ifndef WEIR_PTX_DOMINATE_H
#define WEIR_PTX_DOMINATE_H

#include "ptx/cfg.h"

// Sets post_dominator of every block. A loop that nothing leaves counts as leading to the exit.
void weir_cfg_post_dominate(struct weir_cfg *cfg);

// dominator[block]: the immediate dominator; the entry's is itself, and WEIR_CFG_EXIT that of what nothing leads to.
void weir_cfg_dominate(const struct weir_cfg *cfg, uint32_t *dominator);

#endif

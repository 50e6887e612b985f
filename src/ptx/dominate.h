// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Immediate post-dominators of a control-flow graph; private to ptx (ptx/cfg.h gives them).
#ifndef WEIR_PTX_DOMINATE_H
#define WEIR_PTX_DOMINATE_H

#include "ptx/cfg.h"

// Sets post_dominator of every block. A loop that nothing leaves counts as leading to the exit.
void weir_cfg_post_dominate(struct weir_cfg *cfg);

#endif

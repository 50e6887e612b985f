// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

#include "exec/ops/convert.def"
#include "exec/ops/enter.h"
void WEIR_FILL(convert)(struct weir_ops *t) {
#include "exec/ops/convert.def"
}

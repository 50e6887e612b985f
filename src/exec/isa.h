// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The instruction set of the host that executes kernels. Invariant: all give the same bits.
#ifndef WEIR_EXEC_ISA_H
#define WEIR_EXEC_ISA_H

#include "base/diag.h"

// False and a diagnostic if WEIR_ISA names none that there is, or one that this processor does not have.
bool weir_isa_check(struct weir_sink *sink);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Everything in a module that weir cannot run, all of it at once. An unrolled loop repeats its instructions, so that those
// of one function that are written alike (mnemonic with all modifiers) and fail for one reason are one error, at the first.
#ifndef WEIR_PTX_CHECK_H
#define WEIR_PTX_CHECK_H

#include "base/diag.h"
#include "ptx/ir.h"

// Reports an error per construct that cannot be run; true if there is none.
bool weir_ptx_check(const struct weir_module *m, struct weir_sink *sink);

// The same with an error per instruction.
bool weir_ptx_check_each(const struct weir_module *m, struct weir_sink *sink);

// The same of everything but instructions: what stands in the way of all kernels, whichever is launched.
bool weir_ptx_check_frame(const struct weir_module *m, struct weir_sink *sink);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// S-L1 on the way from a module that was read to one that is run. Invariant: the module that comes back is as good as one
// read from a file: its text is the transformed one, its path the original's with " (S-L1)" behind it.
#ifndef WEIR_SL1_APPLY_H
#define WEIR_SL1_APPLY_H

#include "sl1/sl1.h"

// The module transformed; the original must outlive the report, whose names point into it. `restrict_pointers`: the source
// promises that no two pointers of a kernel point to the same bytes, which decides alias=auto. NULL and a diagnostic if the
// transformed text cannot be read back; there is no report then.
struct weir_module *weir_sl1_apply(const struct weir_module *m, const struct weir_sl1_options *o,
                                   bool restrict_pointers, struct weir_sl1_report *report, struct weir_sink *sink);

#endif

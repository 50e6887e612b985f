// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// IR back to PTX text: the identity on what was parsed, up to white space and comments.
#ifndef WEIR_PTX_PRINT_H
#define WEIR_PTX_PRINT_H

#include "ptx/ir.h"

#include <stdio.h>

void weir_ptx_print(const struct weir_module *m, FILE *to);

#endif

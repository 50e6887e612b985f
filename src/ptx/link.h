// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Several modules that were compiled separately (nvcc -rdc=true, clang -fgpu-rdc) to one. Invariant: within the linked
// module each name that is visible to other modules stands for one symbol; the others of that name are mentioned nowhere.
// Names that are a module's own stay apart, even where they are spelled alike. What is in it still tells the file and line
// that it came from. It is for execution: its directives are gone, so that it cannot be printed.
#ifndef WEIR_PTX_LINK_H
#define WEIR_PTX_LINK_H

#include "base/diag.h"
#include "ptx/ir.h"

// Links `count` modules, at least one. They are the linked module's from then on, freed with it, or at once if they cannot
// be linked: a symbol is defined twice, is declared in two ways, or is a variable that is used and defined nowhere (NULL,
// and a diagnostic for each). Of several .weak or .common definitions the first counts, unless there is a .visible one. A
// function without a body may be one that weir provides, so it is ptx/check.h that reports it.
struct weir_module *weir_ptx_link(struct weir_module **modules, unsigned count, struct weir_sink *sink);

// Whether a PTX text is NVIDIA's device runtime, which nvcc links into programs built by -rdc=true: it does nothing but
// call functions of the driver, so that it is to be left out. By the name of its source, cuda_device_runtime.cu, which nvcc
// puts into the names of a module's own symbols.
bool weir_ptx_is_device_runtime(const char *text);

#endif

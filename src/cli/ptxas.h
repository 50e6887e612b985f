// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// --ptxas: NVIDIA's assembler says how many registers a program's kernels use. Invariant: it runs before anything else does,
// and what it said is part of the experiment, so that a run depends on its experiment alone.
#ifndef WEIR_CLI_PTXAS_H
#define WEIR_CLI_PTXAS_H

#include "cli/options.h"

// With --ptxas, what it reports of the kernels of the experiment's program, assembled for its chip's compute capability or the
// nearest that this ptxas knows (which a note says). *text is that, as e->ptxas has it, freed by weir_free; without the option
// both are NULL. False and diagnostics if there is no such chip, program, PTX or ptxas, or if ptxas refuses the PTX.
bool weir_ptxas_ask(const struct options *o, struct weir_experiment *e, char **text, struct weir_sink *sink);

#endif

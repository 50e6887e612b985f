// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The program built anew with its patch: what the compiler makes of hints that were found without it.
#ifndef WEIR_ADVISE_BUILD_H
#define WEIR_ADVISE_BUILD_H

#include "advise/advise.h"

// Runs the program once more with the hints that the patch has (`a->patched.requests`), if these are not all of the advice;
// then the command, in a shell; then the program that it built, with no hint put on. The exit status.
int weir_advice_build(struct weir_advice *a, const struct weir_advise_options *o, const char *command,
                      struct weir_sink *sink);

#endif

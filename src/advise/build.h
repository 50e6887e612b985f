// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The program built anew with its patch: what the compiler makes of hints that were found without it.
#ifndef WEIR_ADVISE_BUILD_H
#define WEIR_ADVISE_BUILD_H

#include "advise/advise.h"

// Runs the program once more with the hints that the patch has (`written`, as --hints has them), if these are not all of the advice;
// then the command, in a shell; then the program that it built, with no hint put on. Takes `written`. The exit status.
int weir_advice_build(struct weir_advice *a, const struct weir_advise_options *o, const char *command, char *written,
                      struct weir_sink *sink);

#endif

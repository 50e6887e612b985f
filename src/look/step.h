// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The events one by one in a terminal.
#ifndef WEIR_LOOK_STEP_H
#define WEIR_LOOK_STEP_H

#include "look/look.h"

#include <stdio.h>

// Reads a line for each step: nothing: the next event; e: the next eviction; a number: that event; q, or the end: no more.
void weir_look_step(const struct weir_look *l, FILE *from, FILE *to);

#endif

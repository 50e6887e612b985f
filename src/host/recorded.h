// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that are there as what their warps did: recordings of weir's, and traces of Accel-Sim's tracer (warptrace). Invariant: once
// opened, its launches can be run on any chip with warps of as many lanes.
#ifndef WEIR_HOST_RECORDED_H
#define WEIR_HOST_RECORDED_H

#include "host/host.h"

struct weir_recorded_program;

// Is the file of that name one of these, by its name or first bytes?
bool weir_recorded_is(const char *name);

// NULL and a diagnostic if it cannot be read, or was recorded with warps of another width.
struct weir_recorded_program *weir_recorded_open(const char *name, unsigned lanes, struct weir_memory *memory,
                                                 struct weir_sink *sink);
struct weir_program *weir_recorded_program(struct weir_recorded_program *r); // that its launches are of
bool weir_recorded_run(struct weir_recorded_program *r, struct weir_host *h);
void weir_recorded_free(struct weir_recorded_program *r); // its program is freed by then

#endif

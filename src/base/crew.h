// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Threads that do one small piece of work after another together, thousands of times a second: the caller and its helpers each
// have a share of every piece, and the caller goes on when all shares are done. Invariant: a share is done exactly once, after what
// the caller did before and before what it does next; by whom is chance. A helper that the host does not run costs the caller the
// helper's work, no waiting: whoever is free first takes the share.
#ifndef WEIR_BASE_CREW_H
#define WEIR_BASE_CREW_H

enum { WEIR_MAX_CREW = 64 };

struct weir_crew;

// A crew of `members`, 1 to WEIR_MAX_CREW, the caller among them. As many helpers as the host lets start; none is an error.
struct weir_crew *weir_crew_create(unsigned members);
void weir_crew_free(struct weir_crew *c); // may be NULL
unsigned weir_crew_members(const struct weir_crew *c);

// work(context, k) for every member k, side by side.
void weir_crew_run(struct weir_crew *c, void (*work)(void *context, unsigned member), void *context);
// The same, of a piece that is long beside the 50 us that it takes to wake a helper: all that sleep are woken.
void weir_crew_run_long(struct weir_crew *c, void (*work)(void *context, unsigned member), void *context);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a cache is told of the future: a run is recorded, and in a second one each access knows when, by the order of the first,
// its line is used next (struct weir_access.next_use). Invariant: the n-th access to a line between two flushes is taken for
// the n-th of the record; one that the record does not have has no next use.
#ifndef WEIR_MEM_ORACLE_H
#define WEIR_MEM_ORACLE_H

#include "mem/access_log.h"
#include "policy/policy.h"

struct weir_oracle; // of one cache, that records or foretells

struct weir_oracle *weir_oracle_record(struct weir_access_log *log);         // the log stays the caller's
struct weir_oracle *weir_oracle_foretell(const struct weir_access_log *log); // likewise, and is not looked at again
void weir_oracle_free(struct weir_oracle *o);                                // may be NULL

// Writes a->next_use and a->position. taken: the access has been taken before, or is a copy from the host; else it is about to be.
void weir_oracle_show(struct weir_oracle *o, uint64_t line, bool taken, struct weir_access *a);

// An access has been taken, or something else has happened to lines; event.line is the number of ways of a WEIR_LOG_WAYS.
void weir_oracle_tell(struct weir_oracle *o, uint64_t line, uint32_t set, struct weir_log_event event);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/link.h"

enum { PS_PER_NS = 1000, PS_PER_US = 1000000 };

// One unit of rate, 10^6 bytes per second, is one byte per microsecond. Whole microseconds first: the rest cannot overflow.
weir_time weir_rate_ps(uint64_t bytes, uint32_t mb_per_s) {
  const uint64_t rest = bytes % mb_per_s;
  return bytes / mb_per_s * PS_PER_US + (rest * PS_PER_US + mb_per_s - 1) / mb_per_s;
}

static weir_time after(uint32_t latency_ns, weir_time span) {
  return (weir_time)latency_ns * PS_PER_NS + span;
}

double weir_link_payload_rate(const struct weir_link *l, const struct weir_link_way *way) {
  return (double)l->raw_mb_per_s * way->payload_bytes / ((double)way->payload_bytes + way->header_bytes);
}

weir_time weir_link_wire_ps(const struct weir_link *l, const struct weir_link_way *way, uint64_t bytes) {
  const uint64_t packets = bytes / way->payload_bytes + (bytes % way->payload_bytes != 0);
  return weir_rate_ps(bytes + packets * way->header_bytes, l->raw_mb_per_s);
}

// The driver takes the faster of its two ways.
static weir_time pinned_ps(const struct weir_link *l, const struct weir_link_way *way, uint64_t bytes) {
  const weir_time direct = after(way->latency_ns, weir_link_wire_ps(l, way, bytes));
  if (!way->immediate_mb_per_s) return direct;
  return weir_sooner(direct, after(way->immediate_latency_ns, weir_rate_ps(bytes, way->immediate_mb_per_s)));
}

weir_time weir_link_copy_ps(const struct weir_link *l, const struct weir_link_way *way, enum weir_link_memory memory,
                            uint64_t bytes) {
  if (!bytes || !l->raw_mb_per_s) return 0;
  if (memory == WEIR_LINK_PINNED) return pinned_ps(l, way, bytes);
  return after(way->pageable_latency_ns, weir_rate_ps(bytes, way->pageable_mb_per_s));
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "energy/array.h"

struct weir_energy_array weir_energy_array_of(const struct weir_level_stats *n) {
  return (struct weir_energy_array){.tags = (double)(n->tag_accesses + n->fills),
                                    .reads = (double)n->data_reads,
                                    .writes = (double)n->data_writes,
                                    .fills = (double)n->fills,
                                    .lookups = (double)(n->tag_accesses + n->writebacks),
                                    .predictor = (double)n->predictor_accesses};
}

struct weir_energy_array weir_energy_array_times(const struct weir_energy_array *n, double factor) {
  return (struct weir_energy_array){
#define X(name, unit, meaning) .name = n->name * factor,
    WEIR_ENERGY_ARRAY_FIELDS(X)
#undef X
  };
}

double weir_energy_tags(const struct weir_energy_level *level, const struct weir_energy_array *n) {
  return n->tags * level->tag_pj;
}

// In parallel, as Tian et al. section 5.1: an access reads tag and data, a fill accesses both again, so that A accesses
// and F fills cost (A + F)(t + d); a store's data goes in with its access; a line written back is read once more. Else
// tags come first, and data is touched only where there is something to read or write.
double weir_energy_data(const struct weir_energy_level *level, const struct weir_energy_array *n) {
  double touched =
    level->parallel ? n->lookups * level->read_pj : n->reads * level->read_pj + n->writes * level->write_pj;
  return touched + n->fills * level->fill_pj;
}

double weir_energy_dynamic(const struct weir_energy_level *level, const struct weir_energy_array *n) {
  return weir_energy_tags(level, n) + weir_energy_data(level, n) + n->predictor * level->predictor_pj;
}

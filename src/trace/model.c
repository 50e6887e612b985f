// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/model.h"

void weir_model_grow(struct weir_model *m, uint32_t ids, uint32_t slots) {
  if (ids > m->flow_capacity) {
    const uint32_t capacity = ids + ids / 2;
    m->flow = weir_realloc(m->flow, capacity * sizeof *m->flow);
    for (uint32_t i = m->flow_capacity; i < capacity; i++)
      m->flow[i] = (struct weir_model_flow){WEIR_MODEL_NONE, WEIR_MODEL_NONE, 0};
    m->flow_capacity = capacity;
  }
  if (slots > m->slot_capacity) {
    const uint32_t capacity = slots + slots / 2;
    m->slots = weir_realloc(m->slots, capacity * sizeof *m->slots);
    memset(m->slots + m->slot_capacity, 0, (capacity - m->slot_capacity) * sizeof *m->slots);
    m->slot_capacity = capacity;
  }
}

void weir_model_start(struct weir_model *m, uint32_t ids, uint32_t slots) {
  const size_t entries = (size_t)1 << WEIR_MODEL_CONTEXT_BITS;
  if (!m->contexts) {
    m->contexts = weir_new_array(uint32_t, entries);
    m->again = weir_new_array(uint64_t, (size_t)1 << WEIR_MODEL_AGAIN_BITS);
    m->strides = weir_new_array(uint64_t, entries);
  }
  weir_model_grow(m, ids, slots);
  for (uint32_t i = 0; i < m->flow_capacity; i++)
    m->flow[i] = (struct weir_model_flow){WEIR_MODEL_NONE, WEIR_MODEL_NONE, 0};
  if (m->slot_capacity) memset(m->slots, 0, m->slot_capacity * sizeof *m->slots);
  memset(m->contexts, 0, entries * sizeof *m->contexts);
  memset(m->again, 0, sizeof *m->again << WEIR_MODEL_AGAIN_BITS);
  memset(m->strides, 0, entries * sizeof *m->strides);
  memset(m->bases, 0, sizeof m->bases);
  m->history = 0;
  m->previous = 0;
}

void weir_model_free(struct weir_model *m) {
  weir_free(m->flow);
  weir_free(m->slots);
  weir_free(m->contexts);
  weir_free(m->again);
  weir_free(m->strides);
  *m = (struct weir_model){0};
}

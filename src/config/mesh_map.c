// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "config/mesh_map.h"

#include "config/chip_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { CPU_CORE, SLICE, GPU_CORE, KINDS };

static const char letters[KINDS + 1] = "CLG";

struct drawing {
  uint32_t counts[KINDS]; // that the chip has
  uint16_t nodes[KINDS][WEIR_MESH_PORTS];
  bool drawn[KINDS][WEIR_MESH_PORTS];
  uint32_t columns, rows, column; // so far
  char *message;
  size_t size;
};

static bool flaw(const struct drawing *d, const char *what, const char *at, size_t length) {
  snprintf(d->message, d->size, "%s: '%.*s'", what, (int)length, at);
  return false;
}

static bool draw_port(struct drawing *d, const char *at, size_t length) {
  const char *letter = memchr(letters, *at, KINDS);
  char *end;
  const unsigned long number = length > 1 ? strtoul(at + 1, &end, 10) : 0;
  if (!letter || length < 2 || at[1] < '0' || at[1] > '9' || end != at + length)
    return flaw(d, "is none of C, L or G with a number, nor a dot", at, length);
  const enum kind kind = (enum kind)(letter - letters);
  if (number >= d->counts[kind]) return true; // taken away
  if (d->drawn[kind][number]) return flaw(d, "is drawn twice", at, length);
  d->drawn[kind][number] = true;
  d->nodes[kind][number] = (uint16_t)(d->rows * d->columns + d->column);
  return true;
}

static bool draw_node(struct drawing *d, const char *at, size_t length) {
  if (length == 1 && *at == '.') return true;
  for (size_t part; length; at += part + (part < length), length -= part + (part < length)) {
    const char *plus = memchr(at, '+', length);
    part = plus ? (size_t)(plus - at) : length;
    if (!draw_port(d, at, part)) return false;
  }
  return true;
}

static uint32_t words_of(const char *row, size_t length) {
  uint32_t words = 0;
  for (size_t i = 0; i < length; i++) words += row[i] != ' ' && (!i || row[i - 1] == ' ');
  return words;
}

static bool draw_row(struct drawing *d, const char *row, size_t length) {
  const uint32_t words = words_of(row, length);
  if (!d->rows) d->columns = words;
  if (!words || words != d->columns) return flaw(d, "is a row of another length than the first", row, length);
  if ((d->rows + 1) * d->columns > WEIR_MESH_NODES)
    return flaw(d, "is a row too many: a mesh has at most 1024 routers", row, length);
  const char *end = row + length;
  for (d->column = 0; d->column < words; d->column++) {
    row += strspn(row, " ");
    const size_t word = strcspn(row, " /");
    if (!draw_node(d, row, (size_t)(end - row) < word ? (size_t)(end - row) : word)) return false;
    row += word;
  }
  d->rows++;
  return true;
}

static bool draw(struct drawing *d, const char *text) {
  for (size_t length;; text += length + 1) {
    length = strcspn(text, "/");
    if (!draw_row(d, text, length)) return false;
    if (!text[length]) break;
  }
  for (unsigned k = 0; k < KINDS; k++)
    for (uint32_t i = 0; i < d->counts[k]; i++)
      if (!d->drawn[k][i]) {
        snprintf(d->message, d->size, "%c%u is missing", letters[k], i);
        return false;
      }
  return true;
}

const char *weir_mesh_map(const struct weir_chip_config *c, struct weir_mesh_params *requests,
                          struct weir_mesh_params *replies, char *message, size_t size) {
  *requests = *replies = (struct weir_mesh_params){0};
  if (!strcmp(c->network.mesh, "none")) return NULL;
  struct drawing d = {.counts = {[CPU_CORE] = weir_chip_cpu_cores(c),
                                 [SLICE] = c->dram.channels * c->dram.slices_per_channel,
                                 [GPU_CORE] = c->core.count},
                      .message = message,
                      .size = size};
  if (d.counts[CPU_CORE] + d.counts[GPU_CORE] > WEIR_MESH_PORTS || d.counts[SLICE] > WEIR_MESH_PORTS) {
    snprintf(message, size, "a mesh has at most %d ports on each side", WEIR_MESH_PORTS);
    return message;
  }
  if (!draw(&d, c->network.mesh)) return message;
  *requests = *replies =
    (struct weir_mesh_params){.columns = d.columns, .rows = d.rows, .hop_cycles = c->network.hop_cycles};
  for (uint32_t i = 0; i < c->core.count; i++) requests->input_node[i] = replies->output_node[i] = d.nodes[GPU_CORE][i];
  for (uint32_t i = 0; i < d.counts[CPU_CORE]; i++)
    requests->input_node[c->core.count + i] = replies->output_node[c->core.count + i] = d.nodes[CPU_CORE][i];
  for (uint32_t i = 0; i < d.counts[SLICE]; i++) requests->output_node[i] = replies->input_node[i] = d.nodes[SLICE][i];
  return NULL;
}

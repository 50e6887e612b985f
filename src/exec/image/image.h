// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Images while instructions execute, private to exec. Invariant: every texel is read and written through device
// memory's checks, so that an image whose memory is gone is a fault and no crash.
#ifndef WEIR_EXEC_IMAGE_H
#define WEIR_EXEC_IMAGE_H

#include "exec/machine.h"
#include "exec/texture.h"

// The images of a device memory (exec/memory.c holds one).
struct weir_texture_table;
struct weir_texture_table *weir_texture_table_create(void);
void weir_texture_table_free(struct weir_texture_table *t);
struct weir_texture_table *weir_memory_textures(const struct weir_memory *m);
bool weir_texture_removed(const struct weir_memory *m, uint64_t handle); // it was one

// An image instruction as decoded (struct weir_insn's `image`; a is the handle, b the sampler).
struct weir_image_op {
  struct weir_ref at[3], layer;    // coordinates
  struct weir_ref data[4];         // destinations, or sources of a store
  bool wide[4];                    // data[k] has 64-bit slots
  uint8_t dimensions;              // coordinates
  uint8_t elements, element_bytes; // of data
  uint8_t type;                    // enum weir_type of what a fetch gives
  uint8_t query;                   // enum weir_query; of tld4 the component
  uint8_t outside;                 // enum weir_outside
  bool layered, integer, has_sampler;
};

// One image as a warp's instruction sees it.
struct weir_view {
  struct weir_warp *w;
  const struct weir_texture *image;
  struct weir_sampler sampler;
  const struct weir_allocation *near; // last allocation touched
  uint64_t handle, sampler_handle;    // of the above, as the operands held them
  uint32_t texel_bytes;
  unsigned lane; // for diagnostics
  bool open, sampler_open;
};

// Makes `v` the image and the sampler that lane `lane` names; looked up again only where they differ from the last
// lane's. False: a fault is raised.
bool weir_view_open(struct weir_view *v, const struct weir_insn *i, unsigned lane);
bool weir_view_open_any(struct weir_view *v, const struct weir_insn *i,
                        unsigned lane); // of any dimensions; samplers too
// Host pointer to bytes of the image, or NULL and a fault.
void *weir_view_at(struct weir_view *v, uint64_t address, uint32_t bytes);
// Address of texel (x, y, z), z being the layer of layered images; within bounds.
uint64_t weir_view_address(const struct weir_view *v, const uint32_t texel[3]);

// One image that all lanes read, for those that do so side by side (exec/ops/texture.c).
struct weir_fetch {
  const struct weir_texture *image;
  const uint8_t *texels; // the host's, of texel (0, 0, 0); all of them lie in one allocation
  int32_t extent[3];     // texels
  uint64_t bytes[3];     // from one texel to the next, along each dimension
  uint8_t mode[3];       // enum weir_texture_address that applies
  bool normalized;       // coordinates are, and no integers
  bool filtered, words;  // words: channels of four bytes, read as they are
};

// fetch.c: false: lanes read several images, or one that is out of the ordinary, or there is a fault to be raised.
bool weir_fetch_together(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_fetch *f);
// Then they read one after the other.
bool weir_fetch_apart(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out);
// A lane reads the texel at the address, or none: 0. `out` may be NULL.
void weir_fetch_report(struct weir_winstr *out, unsigned lane, uint64_t address);

// texel.c: a stored texel as four results of 32 bits, and back (sust.p).
void weir_texel_read(const struct weir_texture *t, const uint8_t *texel, uint32_t result[4]);
void weir_texel_write(const struct weir_texture *t, const uint32_t *value, unsigned count, uint8_t *texel);
bool weir_texel_is_float(const struct weir_texture *t); // read as floats

// sample.c: coordinates (bits of floats, or integers) to results. *address: of the texel that is timed, or 0 where only
// the border is read. False: a fault.
struct weir_coordinates {
  uint32_t bits[3];
  uint32_t layer;
  bool integer;
};
bool weir_sample_filters(const struct weir_view *v, bool integer);
// The address mode that applies along a dimension.
unsigned weir_sample_mode(const struct weir_view *v, unsigned dimension, bool integer);
bool weir_sample(struct weir_view *v, const struct weir_coordinates *c, uint32_t result[4], uint64_t *address);
// tld4: one component of the four texels around a point of a 2D image.
bool weir_gather(struct weir_view *v, const struct weir_coordinates *c, unsigned component, uint32_t result[4],
                 uint64_t *address);

#endif

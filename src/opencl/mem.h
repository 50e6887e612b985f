// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Memory objects: buffers and images. Invariants: a buffer's bytes lie at `address` in device memory, a sub-buffer's
// and a 1D buffer image's inside their parent's, which they hold; host memory given with CL_MEM_USE_HOST_PTR is a copy
// that mapping brings up to date and unmapping brings back (as OpenCL 1.2 section 5.2.1 allows), so that device
// addresses never depend on where the host's are.
#ifndef WEIR_OPENCL_MEM_H
#define WEIR_OPENCL_MEM_H

#include "exec/texture.h"
#include "opencl/command.h"

struct weir_cl_mem_callback {
  void(CL_CALLBACK *call)(cl_mem mem, void *user_data);
  void *user_data;
};

struct weir_cl_mapping {
  void *pointer;
  cl_map_flags flags;
  size_t origin[3], region[3]; // x in bytes
};

struct weir_cl_format {
  cl_image_format format;
  uint8_t channels, channel_bytes, kind; // as in struct weir_texture
  bool normalized;
  uint8_t swizzle[4];
  bool border_one;
};

struct _cl_mem {
  struct weir_cl_head object;
  cl_context context;
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size;
  void *host_ptr;   // the program's, with CL_MEM_USE_HOST_PTR
  uint64_t address; // on the device
  bool
    pinned; // a buffer with CL_MEM_ALLOC_HOST_PTR: it is the host's, and kernels reach it over the link, if the chip has one
  cl_mem parent; // of a sub-buffer or a 1D buffer image
  size_t origin; // in the parent
  struct weir_cl_mapping *mappings;
  size_t mapping_count, mapping_capacity;
  struct weir_cl_mem_callback *destructors;
  size_t destructor_count, destructor_capacity;

  // Images. Bytes of a row and of a slice (a layer, too) on the device; of host_ptr.
  struct weir_cl_format format;
  cl_image_desc desc; // as given, unused members 0
  size_t extent[3];   // texels: width, height or layers, depth or layers; 1 where there is none
  size_t row_bytes, slice_bytes, host_row_bytes, host_slice_bytes;
  uint64_t texture; // handle
};

cl_mem weir_cl_mem_new(cl_context context, cl_mem_object_type type, cl_mem_flags flags);
void weir_cl_mem_retain(cl_mem m);
void weir_cl_mem_release(cl_mem m);
static inline bool weir_cl_is_buffer(cl_mem m) {
  return weir_cl_is(m, MEM) && m->type == CL_MEM_OBJECT_BUFFER;
}
static inline bool weir_cl_is_image(cl_mem m) {
  return weir_cl_is(m, MEM) && m->type != CL_MEM_OBJECT_BUFFER;
}

// Whether a value that a program calls a memory object is one: kernels do not hold their arguments (OpenCL 1.2
// section 5.7.2), so that it may have been released, or may never have been one.
bool weir_cl_mem_lives(cl_mem m);

// CL_SUCCESS, CL_INVALID_VALUE or CL_INVALID_HOST_PTR of what a creator is given.
cl_int weir_cl_mem_check_flags(cl_mem_flags flags, const void *host_ptr);
// CL_INVALID_OPERATION if the flags keep the host from doing that.
cl_int weir_cl_mem_check_access(cl_mem m, bool reads, bool writes);
// The queue, that the object lives in its context, and that there is a device (there is none in a forked process).
cl_int weir_cl_mem_check_queue(cl_command_queue q, cl_mem m);

// Allocates m->size bytes on the device. False: there is no more.
bool weir_cl_mem_allocate(cl_mem m, const char *what);
// Its first value, of so many bytes, came from the program's memory: over the link, and the host has waited for it.
void weir_cl_mem_created(cl_mem m, uint64_t bytes);
// Whether the program has its pointer from mapping an object: such memory is pinned.
bool weir_cl_mem_is_mapped(const void *pointer);

#endif

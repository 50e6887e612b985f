// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Creation of images, and what is asked of them.
#include "opencl/image.h"
#include "opencl/transfer.h"

static bool one_dimension(cl_mem_object_type t) {
  return t == CL_MEM_OBJECT_IMAGE1D || t == CL_MEM_OBJECT_IMAGE1D_BUFFER || t == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

// The extents that the type has; false: one is 0 or above its limit.
static bool extents(const cl_image_desc *d, size_t extent[3]) {
  extent[0] = d->image_width;
  extent[1] = extent[2] = 1;
  size_t most[3] = {WEIR_CL_IMAGE_2D, WEIR_CL_IMAGE_2D, WEIR_CL_IMAGE_LAYERS};
  switch (d->image_type) {
  case CL_MEM_OBJECT_IMAGE1D: break;
  case CL_MEM_OBJECT_IMAGE1D_BUFFER: most[0] = WEIR_CL_IMAGE_BUFFER; break;
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    extent[1] = d->image_array_size;
    most[1] = WEIR_CL_IMAGE_LAYERS;
    break;
  case CL_MEM_OBJECT_IMAGE2D: extent[1] = d->image_height; break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    extent[1] = d->image_height;
    extent[2] = d->image_array_size;
    break;
  default:
    extent[1] = d->image_height;
    extent[2] = d->image_depth;
    most[0] = most[1] = most[2] = WEIR_CL_IMAGE_3D;
  }
  for (unsigned i = 0; i < 3; i++)
    if (!extent[i] || extent[i] > most[i]) return false;
  return true;
}

// Pitches of host memory, filled in where they are 0 (OpenCL 1.2 section 5.3.1.2); false: too small, or no multiple.
static bool host_pitches(cl_mem m, const cl_image_desc *d, bool has_pointer) {
  const size_t texel = weir_cl_texel_bytes(&m->format), width = m->extent[0] * texel;
  const bool array_1d = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
             slices = m->type == CL_MEM_OBJECT_IMAGE3D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || array_1d;
  size_t row = d->image_row_pitch, slice = slices ? d->image_slice_pitch : 0;
  if (!has_pointer && (row || slice)) return false;
  if (!row) row = width;
  if (row < width || row % texel) return false;
  const size_t least = array_1d ? row : row * m->extent[1];
  if (!slice) slice = least;
  if (slice < least || slice % row) return false;
  m->host_row_bytes = array_1d ? slice : row; // a layer is a row
  m->host_slice_bytes = array_1d ? slice * m->extent[1] : slice;
  return true;
}

static cl_int check_desc(const cl_image_desc *d) {
  if (!d || d->image_type < CL_MEM_OBJECT_IMAGE2D || d->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (d->num_mip_levels || d->num_samples) return CL_INVALID_IMAGE_DESCRIPTOR;
  const bool buffer = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  if (buffer != (d->mem_object != NULL)) return CL_INVALID_IMAGE_DESCRIPTOR;
  return !buffer || weir_cl_is_buffer(d->mem_object) ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
}

static void add_texture(cl_mem m) {
  const bool array_1d = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  struct weir_texture t = {
    .base = m->address,
    .pitch_bytes = m->row_bytes,
    .slice_bytes = array_1d ? m->row_bytes : m->slice_bytes,
    .width = (uint32_t)m->extent[0],
    .height = array_1d ? 1 : (uint32_t)m->extent[1],
    .depth = (uint32_t)m->extent[array_1d ? 1 : 2],
    .dimensions = one_dimension(m->type) ? 1
      : m->type == CL_MEM_OBJECT_IMAGE3D ? 3
                                         : 2,
    .layered = array_1d || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY,
    .linear_memory = m->type == CL_MEM_OBJECT_IMAGE1D_BUFFER,
    .channels = m->format.channels,
    .channel_bytes = m->format.channel_bytes,
    .kind = m->format.kind,
    .normalized_float = m->format.normalized,
    .border_one = m->format.border_one,
    .sampler = {.address = {WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP, WEIR_ADDRESS_CLAMP}},
  };
  for (unsigned i = 0; i < 4; i++) t.swizzle[i] = m->format.swizzle[i];
  m->texture = weir_texture_add(weir_device_memory(weir_cl_modelled()), &t);
}

static cl_int place_in_buffer(cl_mem m, cl_mem buffer) {
  if (m->size > buffer->size) return CL_INVALID_IMAGE_SIZE;
  m->parent = buffer;
  weir_cl_mem_retain(buffer);
  m->address = buffer->address;
  m->pinned = buffer->pinned;
  m->host_ptr = buffer->host_ptr;
  return CL_SUCCESS;
}

static cl_int place_alone(cl_mem m, void *host_ptr) {
  const struct weir_device_facts f = weir_device_facts(weir_cl_modelled());
  if (m->size > weir_cl_max_alloc_bytes(&f)) return CL_INVALID_IMAGE_SIZE;
  if (!weir_cl_mem_allocate(m, "image")) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (m->flags & CL_MEM_USE_HOST_PTR) m->host_ptr = host_ptr;
  if (host_ptr) {
    const struct weir_cl_box host = {.host = host_ptr,
                                     .row_bytes = m->host_row_bytes,
                                     .slice_bytes = m->host_slice_bytes},
                             device = {.mem = m,
                                       .address = m->address,
                                       .row_bytes = m->row_bytes,
                                       .slice_bytes = m->slice_bytes};
    weir_cl_box_copy(&host, &device, (size_t[]){m->row_bytes, m->extent[1], m->extent[2]});
    weir_cl_mem_created(m, m->size);
  }
  return CL_SUCCESS;
}

static cl_int set_up(cl_mem m, const cl_image_format *format, const cl_image_desc *d, void *host_ptr) {
  const cl_int code = weir_cl_image_format(format, &m->format);
  if (code != CL_SUCCESS) return code;
  if (!extents(d, m->extent)) return CL_INVALID_IMAGE_SIZE;
  if (!host_pitches(m, d, host_ptr)) return CL_INVALID_IMAGE_DESCRIPTOR;
  m->desc = *d;
  m->row_bytes = m->extent[0] * weir_cl_texel_bytes(&m->format);
  m->slice_bytes = m->row_bytes * m->extent[1];
  m->size = m->slice_bytes * m->extent[2];
  const cl_int placed = d->mem_object ? place_in_buffer(m, d->mem_object) : place_alone(m, host_ptr);
  if (placed == CL_SUCCESS) add_texture(m);
  return placed;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  cl_int code = check_desc(desc);
  if (code == CL_SUCCESS && desc->mem_object && desc->mem_object->context != c) code = CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS) code = weir_cl_mem_check_flags(flags, host_ptr);
  if (code == CL_SUCCESS && !weir_cl_modelled()) code = CL_OUT_OF_RESOURCES;
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  cl_mem m = weir_cl_mem_new(c, desc->image_type, flags);
  code = set_up(m, format, desc, host_ptr);
  weir_cl_code(errcode_ret, code);
  if (code == CL_SUCCESS) return m;
  weir_cl_mem_release(m);
  return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context c, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host_ptr,
                                                            cl_int *errcode_ret) {
  if (properties && *properties) return weir_cl_refuse(errcode_ret, CL_INVALID_PROPERTY);
  return clCreateImage(c, flags, format, desc, host_ptr, errcode_ret);
}

// The deprecated creators answer CL_INVALID_IMAGE_SIZE where the new one says that the descriptor is wrong.
static cl_mem create_old(cl_context c, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                         void *host_ptr, cl_int *errcode_ret) {
  cl_int code;
  cl_mem m = clCreateImage(c, flags, format, desc, host_ptr, &code);
  weir_cl_code(errcode_ret, code == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : code);
  return m;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context c, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t row, void *host_ptr,
                                                cl_int *errcode_ret) {
  const cl_image_desc d = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row};
  return create_old(c, flags, format, &d, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context c, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t row, size_t slice,
                                                void *host_ptr, cl_int *errcode_ret) {
  const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                           .image_width = width,
                           .image_height = height,
                           .image_depth = depth,
                           .image_row_pitch = row,
                           .image_slice_pitch = slice};
  return create_old(c, flags, format, &d, host_ptr, errcode_ret);
}

size_t weir_cl_image_shown_row(cl_mem m) {
  const bool array_1d = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  return m->host_ptr && !array_1d ? m->host_row_bytes : m->row_bytes;
}

size_t weir_cl_image_shown_slice(cl_mem m) {
  switch (m->type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY: return m->host_ptr ? m->host_row_bytes : m->row_bytes;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
  case CL_MEM_OBJECT_IMAGE3D: return m->host_ptr ? m->host_slice_bytes : m->slice_bytes;
  default: return 0;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem m, cl_image_info key, size_t size, void *to, size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is_image(m)) return CL_INVALID_MEM_OBJECT;
  const bool array = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  switch (key) {
  case CL_IMAGE_FORMAT: return weir_cl_answer(&m->format.format, sizeof(cl_image_format), size, to, size_ret);
  case CL_IMAGE_ELEMENT_SIZE: return WEIR_CL_ANSWER(size_t, weir_cl_texel_bytes(&m->format));
  case CL_IMAGE_ROW_PITCH: return WEIR_CL_ANSWER(size_t, weir_cl_image_shown_row(m));
  case CL_IMAGE_SLICE_PITCH: return WEIR_CL_ANSWER(size_t, weir_cl_image_shown_slice(m));
  case CL_IMAGE_WIDTH: return WEIR_CL_ANSWER(size_t, m->extent[0]);
  case CL_IMAGE_HEIGHT: return WEIR_CL_ANSWER(size_t, one_dimension(m->type) ? 0 : m->extent[1]);
  case CL_IMAGE_DEPTH: return WEIR_CL_ANSWER(size_t, m->type == CL_MEM_OBJECT_IMAGE3D ? m->extent[2] : 0);
  case CL_IMAGE_ARRAY_SIZE: return WEIR_CL_ANSWER(size_t, array ? m->desc.image_array_size : 0);
  case CL_IMAGE_BUFFER: return WEIR_CL_ANSWER(cl_mem, m->parent);
  case CL_IMAGE_NUM_MIP_LEVELS:
  case CL_IMAGE_NUM_SAMPLES: return WEIR_CL_ANSWER(cl_uint, 0);
  default: return CL_INVALID_VALUE;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// An image turned through samplers of every kind: literals in the program and sampler objects, nearest and linear, all
// ways of addressing, normalised coordinates or not; compared with section 8.2 of OpenCL 1.2 written out in C.
#include "program.h"

static const char *const source =
  "constant sampler_t literal = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
  "kernel void turn(read_only image2d_t in, write_only image2d_t out, sampler_t s, float co, float si, float2 scale) "
  "{\n"
  "  int2 p = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(out);\n"
  "  if (p.x >= size.x || p.y >= size.y) return;\n"
  "  float x = p.x - size.x * 0.5f, y = p.y - size.y * 0.5f;\n"
  "  float2 at = (float2)(x * co - y * si + size.x * 0.5f, x * si + y * co + size.y * 0.5f);\n"
  "  write_imagef(out, p, read_imagef(in, s, at * scale));\n"
  "}\n"
  "kernel void shift(read_only image2d_t in, write_only image2d_t out, int2 by) {\n"
  "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
  "  write_imagef(out, p, read_imagef(in, literal, p + by));\n"
  "}\n";

enum { W = 33, H = 20 };
static float pixels[H][W][4], got[H][W][4];

// A coordinate in texels, wrapped as the sampler says; −1: the border.
static int address(cl_addressing_mode mode, float u, int i, int size) {
  switch (mode) {
  case CL_ADDRESS_CLAMP_TO_EDGE: return i < 0 ? 0 : i >= size ? size - 1 : i;
  case CL_ADDRESS_CLAMP: return i < 0 || i >= size ? -1 : i;
  case CL_ADDRESS_REPEAT: return ((i % size) + size) % size;
  default: (void)u; return i < 0 ? -i - 1 : i >= size ? 2 * size - 1 - i : i; // mirrored, one period is enough here
  }
}

static float texel(int x, int y, int channel) {
  return x < 0 || y < 0 ? 0 : pixels[y][x][channel];
}

static float sampled(cl_addressing_mode mode, cl_filter_mode filter, float x, float y, int c) {
  if (filter == CL_FILTER_NEAREST)
    return texel(address(mode, x, (int)floorf(x), W), address(mode, y, (int)floorf(y), H), c);
  const float fx = floorf(x - 0.5f), fy = floorf(y - 0.5f), a = x - 0.5f - fx, b = y - 0.5f - fy;
  const int x0 = address(mode, x, (int)fx, W), x1 = address(mode, x, (int)fx + 1, W);
  const int y0 = address(mode, y, (int)fy, H), y1 = address(mode, y, (int)fy + 1, H);
  return (1 - a) * (1 - b) * texel(x0, y0, c) + a * (1 - b) * texel(x1, y0, c) + (1 - a) * b * texel(x0, y1, c) +
    a * b * texel(x1, y1, c);
}

static cl_mem image(cl_mem_flags flags, void *from) {
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
  cl_int code;
  cl_mem m = clCreateImage(context, flags, &format, &desc, from, &code);
  OK(code);
  return m;
}

static void read_image(cl_mem m) {
  const size_t origin[3] = {0}, region[3] = {W, H, 1};
  OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
}

static void turn(cl_kernel k, cl_mem out, cl_addressing_mode mode, cl_filter_mode filter, bool normalized) {
  cl_int code;
  cl_sampler s = clCreateSampler(context, normalized, mode, filter, &code);
  OK(code);
  const float co = cosf(0.7f), si = sinf(0.7f);
  const cl_float2 scale = {{normalized ? 1.0f / W : 1, normalized ? 1.0f / H : 1}};
  const size_t global[2] = {40, 24}, local[2] = {8, 8};
  ARG(k, 2, s);
  ARG(k, 3, co);
  ARG(k, 4, si);
  ARG(k, 5, scale);
  run(k, 2, NULL, global, local);
  read_image(out);
  int off = 0; // at a texel's edge, rounding decides which is nearest
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      const float dx = (float)x - W * 0.5f, dy = (float)y - H * 0.5f;
      const float u = dx * co - dy * si + W * 0.5f, v = dx * si + dy * co + H * 0.5f;
      for (int c = 0; c < 4; c++) {
        const float expected = sampled(mode, filter, u, v, c);
        // Section 8.2 leaves the filter's precision open; fractions of 8 bits are what devices have.
        const bool near = fabsf(got[y][x][c] - expected) <= (filter == CL_FILTER_LINEAR ? 0.02f : 0);
        off += !near;
        CHECK(near || off < 8, "mode %x filter %x normalized %d: (%d, %d) %d is %g, not %g", mode, filter, normalized,
              x, y, c, got[y][x][c], expected);
      }
    }
  OK(clReleaseSampler(s));
}

int main(void) {
  open_device();
  cl_program p = build(source, NULL);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 4; c++) pixels[y][x][c] = random_float(0, 1);
  cl_mem in = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, pixels), out = image(CL_MEM_WRITE_ONLY, NULL);
  cl_kernel k = kernel_of(p, "turn"), shift = kernel_of(p, "shift");
  ARG(k, 0, in);
  ARG(k, 1, out);
  static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                             CL_ADDRESS_MIRRORED_REPEAT};
  for (int m = 0; m < 4; m++)
    for (int normalized = m > 1; normalized < 2; normalized++) { // the last two need normalised coordinates
      turn(k, out, modes[m], CL_FILTER_NEAREST, normalized);
      turn(k, out, modes[m], CL_FILTER_LINEAR, normalized);
    }
  const cl_int2 by = {{5, -3}};
  const size_t size[2] = {W, H};
  ARG(shift, 0, in);
  ARG(shift, 1, out);
  ARG(shift, 2, by);
  run(shift, 2, NULL, size, NULL);
  read_image(out);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      CHECK(got[y][x][1] == (x + 5 < W && y - 3 >= 0 ? pixels[y - 3][x + 5][1] : 0), "shifted (%d, %d) is %g", x, y,
            got[y][x][1]);
  close_device();
  puts("PASSED");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Images of every dimension and kind of channel: a histogram of a 3D image, layers of arrays, 1D images and buffers,
// writing of integers and normalised bytes, and everything that a kernel may ask about an image.
#include "program.h"

static const char *const source =
  "const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
  "kernel void histogram(read_only image3d_t in, global uint *bins) {\n"
  "  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
  "  uint4 v = read_imageui(in, s, p);\n"
  "  atomic_inc(&bins[v.x & 15]);\n"
  "  atomic_inc(&bins[16 + (v.y & 15)]);\n"
  "}\n"
  "kernel void layers(read_only image2d_array_t in, read_only image1d_array_t lines, global int4 *out) {\n"
  "  int x = get_global_id(0), y = get_global_id(1), l = get_global_id(2);\n"
  "  int at = (l * get_global_size(1) + y) * get_global_size(0) + x;\n"
  "  int4 a = read_imagei(in, s, (int4)(x, y, l, 0));\n"
  "  int4 b = read_imagei(in, s, (float4)(x + 0.5f, y + 0.5f, l + 0.3f, 0));\n"
  "  int4 c = read_imagei(in, s, (int4)(x, y, 100, 0));\n"
  "  out[at] = (int4)(a.x, b.x, c.x, read_imagei(lines, s, (int2)(x, l)).x);\n"
  "}\n"
  "kernel void line(read_only image1d_t in, read_only image1d_buffer_t linear, write_only image1d_t out) {\n"
  "  int x = get_global_id(0);\n"
  "  write_imagef(out, x, read_imagef(in, x) * 0.5f + read_imagef(linear, x));\n"
  "}\n"
  "kernel void store(write_only image2d_array_t out, write_only image1d_array_t lines) {\n"
  "  int x = get_global_id(0), y = get_global_id(1);\n"
  "  write_imageui(out, (int4)(x, y, (x + y) & 1, 0), (uint4)(x, y, x * y, 77));\n"
  "  if (!y) write_imageui(lines, (int2)(x, x & 1), (uint4)(x * 1000, 0, 0, 0));\n"
  "}\n"
  "kernel void ask(read_only image3d_t a, read_only image2d_array_t b, read_only image1d_array_t c, write_only "
  "image1d_t d,\n"
  "                global int *o) {\n"
  "  o[0] = get_image_width(a); o[1] = get_image_height(a); o[2] = get_image_depth(a);\n"
  "  int4 s = get_image_dim(a); o[3] = s.x; o[4] = s.y; o[5] = s.z; o[6] = s.w;\n"
  "  o[7] = get_image_width(b); o[8] = get_image_height(b); o[9] = get_image_array_size(b);\n"
  "  o[10] = get_image_dim(b).x; o[11] = get_image_dim(b).y;\n"
  "  o[12] = get_image_width(c); o[13] = get_image_array_size(c); o[14] = get_image_width(d);\n"
  "  o[15] = get_image_channel_data_type(a) == CLK_UNSIGNED_INT8; o[16] = get_image_channel_order(a) == CLK_RG;\n"
  "  o[17] = get_image_channel_data_type(b) == CLK_SIGNED_INT16; o[18] = get_image_channel_order(b) == CLK_R;\n"
  "  o[19] = get_image_channel_data_type(d) == CLK_UNORM_INT8; o[20] = get_image_channel_order(d) == CLK_BGRA;\n"
  "}\n";

enum { W = 12, H = 7, D = 5, LAYERS = 3 };

static cl_mem image(cl_mem_object_type type, cl_channel_order order, cl_channel_type channel, size_t w, size_t h,
                    size_t d, size_t layers, cl_mem linear, void *from) {
  const cl_image_format format = {order, channel};
  const cl_image_desc desc = {.image_type = type,
                              .image_width = w,
                              .image_height = h,
                              .image_depth = d,
                              .image_array_size = layers,
                              .buffer = linear};
  cl_int code;
  cl_mem m = clCreateImage(context, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc, from, &code);
  CHECK(code == CL_SUCCESS, "image of type %#x: %d", type, code);
  return m;
}

static cl_mem volume, array, lines;

static void histogram(cl_program p) {
  static cl_uchar in[D][H][W][2];
  cl_uint bins[32] = {0}, expected[32] = {0};
  for (size_t i = 0; i < sizeof in / 2; i++) {
    cl_uchar *v = (cl_uchar *)in + 2 * i;
    v[0] = (cl_uchar)(next_random() & 15);
    v[1] = (cl_uchar)(next_random() & 7);
    expected[v[0]]++;
    expected[16 + v[1]]++;
  }
  volume = image(CL_MEM_OBJECT_IMAGE3D, CL_RG, CL_UNSIGNED_INT8, W, H, D, 0, NULL, in);
  cl_mem b = buffer(CL_MEM_READ_WRITE, sizeof bins, bins);
  cl_kernel k = kernel_of(p, "histogram");
  const size_t size[3] = {W, H, D};
  ARG(k, 0, volume);
  ARG(k, 1, b);
  run(k, 3, NULL, size, NULL);
  read_back(b, bins, sizeof bins);
  for (int i = 0; i < 32; i++) CHECK(bins[i] == expected[i], "bin %d has %u, not %u", i, bins[i], expected[i]);
}

static void layers(cl_program p) {
  static cl_short in[LAYERS][H][W];
  static cl_int flat[LAYERS][W];
  static cl_int4 out[LAYERS][H][W];
  for (int l = 0; l < LAYERS; l++)
    for (int x = 0; x < W; x++) {
      flat[l][x] = -100000 * l + x;
      for (int y = 0; y < H; y++) in[l][y][x] = (cl_short)(1000 * l - 100 * y + x);
    }
  array = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_R, CL_SIGNED_INT16, W, H, 0, LAYERS, NULL, in);
  lines = image(CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_R, CL_SIGNED_INT32, W, 0, 0, LAYERS, NULL, flat);
  cl_mem b = buffer(CL_MEM_WRITE_ONLY, sizeof out, NULL);
  cl_kernel k = kernel_of(p, "layers");
  const size_t size[3] = {W, H, LAYERS};
  ARG(k, 0, array);
  ARG(k, 1, lines);
  ARG(k, 2, b);
  run(k, 3, NULL, size, NULL);
  read_back(b, out, sizeof out);
  for (int l = 0; l < LAYERS; l++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        const cl_int4 v = out[l][y][x];
        CHECK(v.s[0] == in[l][y][x] && v.s[1] == in[l][y][x] && v.s[2] == in[LAYERS - 1][y][x] && v.s[3] == flat[l][x],
              "(%d, %d, %d): %d %d %d %d", x, y, l, v.s[0], v.s[1], v.s[2], v.s[3]);
      }
}

static void line(cl_program p) {
  cl_ushort in[W][4];
  cl_float linear[W][4];
  cl_uchar out[W][4];
  for (int x = 0; x < W; x++)
    for (int c = 0; c < 4; c++) {
      in[x][c] = (cl_ushort)(next_random() & 0xffff);
      linear[x][c] = random_float(0, 0.5f);
    }
  cl_mem b = buffer(CL_MEM_READ_ONLY, sizeof linear, linear);
  cl_mem a = image(CL_MEM_OBJECT_IMAGE1D, CL_RGBA, CL_UNORM_INT16, W, 0, 0, 0, NULL, in);
  cl_mem l = image(CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_RGBA, CL_FLOAT, W, 0, 0, 0, b, NULL);
  cl_mem o = image(CL_MEM_OBJECT_IMAGE1D, CL_BGRA, CL_UNORM_INT8, W, 0, 0, 0, NULL, NULL);
  cl_kernel k = kernel_of(p, "line");
  const size_t size = W, origin[3] = {0}, region[3] = {W, 1, 1};
  ARG(k, 0, a);
  ARG(k, 1, l);
  ARG(k, 2, o);
  run(k, 1, NULL, &size, NULL);
  OK(clEnqueueReadImage(queue, o, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
  static const int place[4] = {2, 1, 0, 3}; // of r, g, b, a in memory
  for (int x = 0; x < W; x++)
    for (int c = 0; c < 4; c++) {
      const float expected = ((float)in[x][c] / 65535 * 0.5f + linear[x][c]) * 255;
      CHECK(fabsf((float)out[x][place[c]] - expected) <= 0.51f, "%d.%d is %u, not %g", x, c, out[x][place[c]],
            expected);
    }
  cl_kernel ask = kernel_of(p, "ask");
  cl_int answers[21];
  static const cl_int expected[21] = {W, H, D, W, H, D, 0, W, H, LAYERS, W, H, W, LAYERS, W, 1, 1, 1, 1, 1, 1};
  cl_mem m = buffer(CL_MEM_WRITE_ONLY, sizeof answers, NULL);
  const size_t one = 1;
  ARG(ask, 0, volume);
  ARG(ask, 1, array);
  ARG(ask, 2, lines);
  ARG(ask, 3, o);
  ARG(ask, 4, m);
  run(ask, 1, NULL, &one, NULL);
  read_back(m, answers, sizeof answers);
  for (int i = 0; i < 21; i++) CHECK(answers[i] == expected[i], "answer %d is %d, not %d", i, answers[i], expected[i]);
}

static void store(cl_program p) {
  cl_uint out[2][H][W][4], flat[2][W];
  cl_mem o = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_RGBA, CL_UNSIGNED_INT32, W, H, 0, 2, NULL, NULL);
  cl_mem l = image(CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_R, CL_UNSIGNED_INT32, W, 0, 0, 2, NULL, NULL);
  cl_kernel k = kernel_of(p, "store");
  const size_t size[2] = {W, H}, origin[3] = {0}, region[3] = {W, H, 2}, line_region[3] = {W, 2, 1};
  ARG(k, 0, o);
  ARG(k, 1, l);
  run(k, 2, NULL, size, NULL);
  OK(clEnqueueReadImage(queue, o, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
  OK(clEnqueueReadImage(queue, l, CL_TRUE, origin, line_region, 0, 0, flat, 0, NULL, NULL));
  for (cl_uint y = 0; y < H; y++)
    for (cl_uint x = 0; x < W; x++) {
      const cl_uint *v = out[(x + y) & 1][y][x];
      CHECK(v[0] == x && v[1] == y && v[2] == x * y && v[3] == 77, "(%u, %u): %u %u %u %u", x, y, v[0], v[1], v[2],
            v[3]);
      CHECK(flat[x & 1][x] == x * 1000, "line %u: %u", x, flat[x & 1][x]);
    }
}

int main(void) {
  open_device();
  cl_program p = build(source, "");
  histogram(p);
  layers(p);
  line(p);
  store(p);
  close_device();
  puts("PASSED");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Structs and unions by value and in memory, packed and padded; vectors of three, which take the room of four; vload3
// and vstore3, which do not; halves in memory; swizzles, shuffles, conversions that saturate and round.
#include "program.h"

static const char *const source =
  "typedef struct { uchar tag; float3 centre; double radius; short2 cell; } ball;\n"
  "typedef struct __attribute__((packed)) { uchar tag; uint value; ushort last; } packed;\n"
  "typedef union { float f; uint u; } bits;\n"
  "kernel void use(ball b, packed p, bits x, float3 by, global float3 *v, global float *flat, global packed *list,\n"
  "                global uint *out) {\n"
  "  int i = get_global_id(0);\n"
  "  v[i] = v[i] * (float)b.radius + by + b.centre;\n"
  "  float3 w = vload3(i, flat);\n"
  "  vstore3(w.zyx + (float3)(b.cell.x, b.cell.y, b.tag), i, flat);\n"
  "  list[i].value += p.value + list[i].last * p.last + p.tag;\n"
  "  out[i] = x.u + sizeof(ball) * 1000000 + sizeof(packed) * 10000 + sizeof(float3) * 100;\n"
  "}\n"
  "kernel void convert(global const float *in, global half *h, global int *out) {\n"
  "  int i = get_global_id(0);\n"
  "  float f = in[i];\n"
  "  vstore_half(f, i, h);\n"
  "  global int *o = out + i * 12;\n"
  "  o[0] = convert_char_sat(f); o[1] = convert_uchar_sat(f); o[2] = convert_int_rte(f); o[3] = convert_int_rtz(f);\n"
  "  o[4] = convert_int_rtp(f); o[5] = convert_int_rtn(f); o[6] = convert_short_sat_rte(f * 1000);\n"
  "  o[7] = as_int(vload_half(i, h));\n"
  "  int4 a = (int4)(1, 2, 3, 4) * i, b = (int4)(-1, -2, -3, -4);\n"
  "  int4 s = shuffle2(a, b, (uint4)(7, 0, 5, 2));\n"
  "  o[8] = s.x + s.y * 10 + s.z * 100 + s.w * 1000;\n"
  "  int4 c = select(a, b, a > (int4)(5));\n"
  "  o[9] = c.x + c.y + c.z + c.w; o[10] = any(a > 10) * 2 + all(a >= 0); o[11] = popcount(i * 0x01010101) + clz(i + "
  "1);\n"
  "}\n";

enum { N = 64 };
struct ball {
  cl_uchar tag;
  cl_float3 centre;
  cl_double radius;
  cl_short2 cell;
};
struct __attribute__((packed)) packed {
  cl_uchar tag;
  cl_uint value;
  cl_ushort last;
};

static void use(cl_program p) {
  struct ball b = {.tag = 9, .centre = {{1, 2, 3}}, .radius = 2.5, .cell = {{-20, 30}}};
  const struct packed one = {200, 1000000, 3};
  const cl_float x = 1.0f;
  cl_float3 by = {{0.5f, 0.25f, 0.125f}}, v[N], before[N];
  cl_float flat[3 * N];
  struct packed list[N];
  cl_uint out[N];
  for (int i = 0; i < N; i++) {
    before[i] = v[i] = (cl_float3){{(float)i, (float)-i, (float)(2 * i)}};
    list[i] = (struct packed){(cl_uchar)i, (cl_uint)(i * 7), (cl_ushort)(i * 3)};
  }
  for (int i = 0; i < 3 * N; i++) flat[i] = (float)i;
  cl_kernel k = kernel_of(p, "use");
  cl_mem mv = buffer(CL_MEM_READ_WRITE, sizeof v, v), mf = buffer(CL_MEM_READ_WRITE, sizeof flat, flat);
  cl_mem ml = buffer(CL_MEM_READ_WRITE, sizeof list, list), mo = buffer(CL_MEM_WRITE_ONLY, sizeof out, NULL);
  const size_t size = N;
  ARG(k, 0, b);
  ARG(k, 1, one);
  ARG(k, 2, x);
  ARG(k, 3, by);
  ARG(k, 4, mv);
  ARG(k, 5, mf);
  ARG(k, 6, ml);
  ARG(k, 7, mo);
  run(k, 1, NULL, &size, NULL);
  read_back(mv, v, sizeof v);
  read_back(mf, flat, sizeof flat);
  read_back(ml, list, sizeof list);
  read_back(mo, out, sizeof out);
  static const float added[3] = {-20, 30, 9};
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < 3; c++) {
      const float expected = before[i].s[c] * 2.5f + by.s[c] + b.centre.s[c];
      CHECK(v[i].s[c] == expected, "v[%d].%d is %g, not %g", i, c, v[i].s[c], expected);
      CHECK(flat[3 * i + c] == (float)(3 * i + 2 - c) + added[c], "flat[%d] is %g", 3 * i + c, flat[3 * i + c]);
    }
    CHECK(list[i].value == (cl_uint)(i * 7 + 1000000 + i * 9 + 200) && list[i].tag == i, "list[%d] is %u", i,
          list[i].value);
    CHECK(out[i] == 0x3f800000 + sizeof b * 1000000 + sizeof one * 10000 + 1600, "sizes %u", out[i] - 0x3f800000);
  }
}

static int clamp(int v, int low, int high) {
  return v < low ? low : v > high ? high : v;
}

static void convert(cl_program p) {
  float in[N];
  cl_half h[N];
  cl_int out[N][12];
  for (int i = 0; i < N; i++) in[i] = (float)(i - 20) * 12 + 0.5f; // exact in half, too
  cl_kernel k = kernel_of(p, "convert");
  cl_mem mi = buffer(CL_MEM_READ_ONLY, sizeof in, in), mh = buffer(CL_MEM_READ_WRITE, sizeof h, NULL);
  cl_mem mo = buffer(CL_MEM_WRITE_ONLY, sizeof out, NULL);
  const size_t size = N;
  ARG(k, 0, mi);
  ARG(k, 1, mh);
  ARG(k, 2, mo);
  run(k, 1, NULL, &size, NULL);
  read_back(mo, out, sizeof out);
  for (int i = 0; i < N; i++) {
    const float f = in[i];
    float half;
    memcpy(&half, &out[i][7], sizeof half);
    const int a[4] = {i, 2 * i, 3 * i, 4 * i};
    int sum = 0;
    for (int c = 0; c < 4; c++) sum += a[c] > 5 ? -c - 1 : a[c];
    const int expected[12] = {clamp((int)f, -128, 127),
                              clamp((int)f, 0, 255),
                              (int)rintf(f),
                              (int)truncf(f),
                              (int)ceilf(f),
                              (int)floorf(f),
                              clamp((int)rintf(f * 1000), -32768, 32767),
                              out[i][7],
                              -4 + a[0] * 10 - 2 * 100 + a[2] * 1000,
                              sum,
                              (a[3] > 10) * 2 + 1,
                              __builtin_popcount((unsigned)i * 0x01010101u) + __builtin_clz((unsigned)i + 1)};
    CHECK(half == f, "half %d is %g, not %g", i, half, f);
    for (int c = 0; c < 12; c++)
      CHECK(out[i][c] == expected[c], "%g: result %d is %d, not %d", f, c, out[i][c], expected[c]);
  }
}

int main(void) {
  open_device();
  cl_program p = build(source, NULL);
  use(p);
  convert(p);
  close_device();
  puts("PASSED");
}

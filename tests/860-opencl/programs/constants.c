// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Constant memory: an argument that the host fills, tables in the program, a constant struct, and pointers to constant
// memory that pass through functions; a filter whose weights are all three.
#include "program.h"

static const char *const source =
  "typedef struct { char name; float gain; short steps[3]; } settings;\n"
  "constant settings fixed = {'w', 0.5f, {3, -4, 5}};\n"
  "constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};\n"
  "constant char digits[] = \"0123456789abcdef\";\n"
  "float weigh(constant float *w, global const float *in, int at, int n) {\n"
  "  float sum = 0;\n"
  "  for (int k = -2; k <= 2; k++) sum += w[k + 2] * in[clamp(at + k, 0, n - 1)];\n"
  "  return sum;\n"
  "}\n"
  "kernel void filter(global const float *in, global float *out, constant float *weights, constant settings *given, "
  "int n) {\n"
  "  int i = get_global_id(0);\n"
  "  if (i >= n) return;\n"
  "  out[i] = weigh(weights, in, i, n) * fixed.gain * given->gain + squares[i & 15] + fixed.steps[i % 3] +\n"
  "           given->steps[i % 3] + digits[(i * 7) & 15] + given->name;\n"
  "}\n";

enum { N = 300 };
struct settings {
  cl_char name;
  cl_float gain;
  cl_short steps[3];
};

int main(void) {
  float in[N], out[N];
  const float weights[5] = {0.5f, -1, 2, 4, 0.25f};
  const struct settings given = {'g', 2, {100, 200, 300}};
  static const int fixed_steps[3] = {3, -4, 5};
  open_device();
  for (int i = 0; i < N; i++) in[i] = (float)(next_random() % 64);
  cl_kernel k = kernel_of(build(source, ""), "filter");
  cl_mem mi = buffer(CL_MEM_READ_ONLY, sizeof in, in), mo = buffer(CL_MEM_WRITE_ONLY, sizeof out, NULL);
  cl_mem mw = buffer(CL_MEM_READ_ONLY, sizeof weights, weights), ms = buffer(CL_MEM_READ_ONLY, sizeof given, &given);
  const cl_int n = N;
  const size_t global = 320, local = 64;
  ARG(k, 0, mi);
  ARG(k, 1, mo);
  ARG(k, 2, mw);
  ARG(k, 3, ms);
  ARG(k, 4, n);
  run(k, 1, NULL, &global, &local);
  read_back(mo, out, sizeof out);
  for (int i = 0; i < N; i++) {
    float sum = 0; // quarters of small integers: exact
    for (int j = -2; j <= 2; j++) {
      const int at = i + j < 0 ? 0 : i + j >= N ? N - 1 : i + j;
      sum += weights[j + 2] * in[at];
    }
    const float expected = sum +
      (float)((i & 15) * (i & 15) + fixed_steps[i % 3] + given.steps[i % 3] + "0123456789abcdef"[(i * 7) & 15] + 'g');
    CHECK(out[i] == expected, "out[%d] is %g, not %g", i, out[i], expected);
  }
  close_device();
  puts("PASSED");
}

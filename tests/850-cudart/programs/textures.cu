// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture objects in every mode, against the formulas of the CUDA C++ Programming Guide ("Texture Fetching") computed
// here: nearest point and linear filtering, the four address modes, both kinds of coordinates, 1D, 2D and 3D, arrays and
// pitched memory. The hardware's weights have 8 fractional bits, so filtered values are compared to 1/256 of the range.
//
// Four images (1D, 2D and 3D arrays, pitched memory) in 16 modes: 64 launches of four blocks.
// fact: kernels.# = 64
// fact: total.blocks = 256
// fact: complete = 1
#include <cuda_runtime.h>
#include <math.h>
#include <vector>

#include "check.h"

struct shape {
  int width, height, depth; // 1: not there
};

static float texel(const std::vector<float> &image, const shape &s, int x, int y, int z) {
  return image[(size_t)((z * s.height + y) * s.width + x)];
}

// An index by the address mode; -1: the border.
static int address(int i, int n, cudaTextureAddressMode mode) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
  case cudaAddressModeClamp: return i < 0 ? 0 : n - 1;
  case cudaAddressModeBorder: return -1;
  case cudaAddressModeWrap: return ((i % n) + n) % n;
  default: {
    const int period = ((i % (2 * n)) + 2 * n) % (2 * n);
    return period < n ? period : 2 * n - 1 - period;
  }
  }
}

static const float border = 5.5f;

static float at(const std::vector<float> &image, const shape &s, int x, int y, int z,
                const cudaTextureAddressMode mode[3]) {
  x = address(x, s.width, mode[0]), y = address(y, s.height, mode[1]), z = address(z, s.depth, mode[2]);
  return x < 0 || y < 0 || z < 0 ? border : texel(image, s, x, y, z);
}

// tex(x, y, z) by the guide: nearest is T[floor(x)]; linear weighs the texels about x − 0.5.
static float expected(const std::vector<float> &image, const shape &s, const float c[3],
                      const cudaTextureAddressMode modes[3], bool linear, bool normalized) {
  const int n[3] = {s.width, s.height, s.depth};
  float p[3], fraction[3] = {0, 0, 0};
  int i[3];
  cudaTextureAddressMode mode[3];
  for (int k = 0; k < 3; k++) {
    // Wrap and mirror are for normalised coordinates only, and clamp without them.
    mode[k] = !normalized && (modes[k] == cudaAddressModeWrap || modes[k] == cudaAddressModeMirror) ? cudaAddressModeClamp
                                                                                                   : modes[k];
    p[k] = n[k] == 1 ? 0.5f : normalized ? c[k] * (float)n[k] : c[k];
    if (linear && n[k] > 1) p[k] -= 0.5f;
    i[k] = (int)floorf(p[k]);
    if (linear && n[k] > 1) fraction[k] = p[k] - (float)i[k];
  }
  float sum = 0;
  for (int corner = 0; corner < 8; corner++) {
    float weight = 1;
    for (int k = 0; k < 3; k++)
      weight *= corner >> k & 1 ? fraction[k] : 1 - fraction[k];
    if (weight != 0)
      sum += weight * at(image, s, i[0] + (corner & 1), i[1] + (corner >> 1 & 1), i[2] + (corner >> 2), mode);
  }
  return sum;
}

__global__ void fetch(cudaTextureObject_t t, const float *points, float *out, int n, int dimensions) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
  if (dimensions == 1)
    out[i] = tex1D<float>(t, x);
  else if (dimensions == 2)
    out[i] = tex2D<float>(t, x, y);
  else
    out[i] = tex3D<float>(t, x, y, z);
}

static float *device_points, *device_out;
static const int count = 512;

static void compare(const char *what, const cudaResourceDesc &r, const std::vector<float> &image, const shape &s,
                    const cudaTextureAddressMode mode[3], bool linear, bool normalized) {
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  for (int k = 0; k < 3; k++)
    d.addressMode[k] = mode[k];
  d.borderColor[0] = border;
  d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.normalizedCoords = normalized;
  std::vector<float> points(3 * count), out(count);
  unsigned state = 12345;
  for (int i = 0; i < 3 * count; i++) {
    state = state * 1664525u + 1013904223u;
    const int n = i % 3 == 0 ? s.width : i % 3 == 1 ? s.height : s.depth;
    // From one and a half image before the first texel to as far past the last; multiples of 1/64 are exact in the weights.
    const float c = (float)((int)(state >> 8) % (4 * 64 * n) - 64 * n - 32 * n) / 64.0f + 1.0f / 256.0f;
    points[(size_t)i] = normalized ? c / (float)n : c;
  }
  cudaTextureObject_t t = 0;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  CHECK(t != 0);
  OK(cudaMemcpy(device_points, points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice));
  fetch<<<(count + 127) / 128, 128>>>(t, device_points, device_out, count, s.depth > 1 ? 3 : s.height > 1 ? 2 : 1);
  LAUNCHED();
  OK(cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < count; i++) {
    const float want = expected(image, s, &points[(size_t)(3 * i)], mode, linear, normalized);
    if (fabsf(out[(size_t)i] - want) > (linear ? 100.0f / 256 : 0.0f) && !wrong++)
      printf("%s, mode %d, %s, %s: at (%g, %g, %g) %g, not %g\n", what, mode[0], linear ? "linear" : "point",
             normalized ? "normalised" : "not normalised", points[(size_t)(3 * i)], points[(size_t)(3 * i + 1)],
             points[(size_t)(3 * i + 2)], out[(size_t)i], want);
  }
  CHECK(wrong == 0);
  OK(cudaDestroyTextureObject(t));
}

static void compare_all(const char *what, const cudaResourceDesc &r, const std::vector<float> &image, const shape &s) {
  const cudaTextureAddressMode w = cudaAddressModeWrap, c = cudaAddressModeClamp, m = cudaAddressModeMirror,
                               b = cudaAddressModeBorder, modes[4][3] = {{w, c, m}, {c, b, w}, {m, w, b}, {b, m, c}};
  for (int i = 0; i < 16; i++)
    compare(what, r, image, s, modes[i / 4], i & 1, i & 2);
}

static std::vector<float> make_image(const shape &s) {
  std::vector<float> image((size_t)(s.width * s.height * s.depth));
  for (size_t i = 0; i < image.size(); i++)
    image[i] = (float)((i * 37 + i / 7) % 100);
  return image;
}

static void arrays() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const shape shapes[] = {{37, 1, 1}, {19, 11, 1}, {9, 7, 5}};
  for (int k = 0; k < 3; k++) {
    const shape &s = shapes[k];
    const std::vector<float> image = make_image(s);
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    if (k < 2) {
      OK(cudaMallocArray(&r.res.array.array, &format, (size_t)s.width, k ? (size_t)s.height : 0));
      OK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, image.data(), (size_t)s.width * 4, (size_t)s.width * 4,
                             (size_t)s.height, cudaMemcpyHostToDevice));
    } else {
      const cudaExtent extent = make_cudaExtent((size_t)s.width, (size_t)s.height, (size_t)s.depth);
      OK(cudaMalloc3DArray(&r.res.array.array, &format, extent));
      cudaMemcpy3DParms p;
      memset(&p, 0, sizeof p);
      p.srcPtr = make_cudaPitchedPtr((void *)image.data(), (size_t)s.width * 4, (size_t)s.width, (size_t)s.height);
      p.dstArray = r.res.array.array;
      p.extent = extent;
      p.kind = cudaMemcpyHostToDevice;
      OK(cudaMemcpy3D(&p));
    }
    compare_all(k == 0 ? "1D array" : k == 1 ? "2D array" : "3D array", r, image, s);
    OK(cudaFreeArray(r.res.array.array));
  }
}

static void pitched() {
  const shape s = {19, 11, 1};
  const std::vector<float> image = make_image(s);
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  r.res.pitch2D.width = (size_t)s.width;
  r.res.pitch2D.height = (size_t)s.height;
  OK(cudaMallocPitch(&r.res.pitch2D.devPtr, &r.res.pitch2D.pitchInBytes, (size_t)s.width * 4, (size_t)s.height));
  OK(cudaMemcpy2D(r.res.pitch2D.devPtr, r.res.pitch2D.pitchInBytes, image.data(), (size_t)s.width * 4,
                  (size_t)s.width * 4, (size_t)s.height, cudaMemcpyHostToDevice));
  compare_all("pitched", r, image, s);
  OK(cudaFree(r.res.pitch2D.devPtr));
}

int main() {
  OK(cudaMalloc(&device_points, 3 * count * sizeof(float)));
  OK(cudaMalloc(&device_out, count * sizeof(float)));
  arrays();
  pitched();
  OK(cudaFree(device_points));
  OK(cudaFree(device_out));
  return finish("textures");
}

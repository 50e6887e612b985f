// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every way of reading and writing images that weir runs, for nvcc to compile.
__global__ void fetches(cudaTextureObject_t t, float *f, float4 *f4, int *n, uchar4 *c, short2 *s, float x, int i) {
  f[0] = tex1Dfetch<float>(t, i);
  f4[0] = tex1Dfetch<float4>(t, i);
  n[0] = tex1Dfetch<int>(t, i);
  c[0] = tex1Dfetch<uchar4>(t, i);
  s[0] = tex1Dfetch<short2>(t, i);
  f[1] = tex1D<float>(t, x);
  n[1] = tex1D<int>(t, x);
  f[2] = tex2D<float>(t, x, x);
  c[2] = tex2D<uchar4>(t, x, x);
  f[3] = tex3D<float>(t, x, x, x);
  f[4] = tex1DLayered<float>(t, x, i);
  f[5] = tex2DLayered<float>(t, x, x, i);
  f[6] = tex2DLod<float>(t, x, x, x);
  f4[6] = tex2Dgather<float4>(t, x, x, 1);
  f[7] = tex2DGrad<float>(t, x, x, make_float2(x, x), make_float2(x, x));
}

__global__ void surfaces(cudaSurfaceObject_t s, float *f, float4 *f4, uchar4 *c, short2 *h, long long *l, int i) {
  f[0] = surf2Dread<float>(s, i * 4, i);
  f4[0] = surf2Dread<float4>(s, i * 16, i, cudaBoundaryModeClamp);
  c[0] = surf2Dread<uchar4>(s, i * 4, i, cudaBoundaryModeZero);
  h[0] = surf2Dread<short2>(s, i * 4, i);
  l[0] = surf2Dread<long long>(s, i * 8, i);
  f[1] = surf1Dread<float>(s, i * 4);
  f[2] = surf3Dread<float>(s, i * 4, i, i);
  f[3] = surf1DLayeredread<float>(s, i * 4, i);
  f[4] = surf2DLayeredread<float>(s, i * 4, i, i);
  surf2Dwrite(f[5], s, i * 4, i);
  surf2Dwrite(f4[5], s, i * 16, i, cudaBoundaryModeZero);
  surf2Dwrite(c[5], s, i * 4, i, cudaBoundaryModeClamp);
  surf2Dwrite(h[5], s, i * 4, i);
  surf2Dwrite(l[5], s, i * 8, i);
  surf1Dwrite(f[6], s, i * 4);
  surf3Dwrite(f[7], s, i * 4, i, i);
  surf1DLayeredwrite(f[8], s, i * 4, i);
  surf2DLayeredwrite(f[9], s, i * 4, i, i);
}

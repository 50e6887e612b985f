// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The rates of change of a heart-muscle cell, as Rodinia's myocyte divides them: a block of one work-item for the
// electrical module, a block of three for the calmodulin module of each place where calcium is kept. The equations are
// weir's own (reference.c says what they stand for, and has them once more).
#define INLINE static inline __attribute__((always_inline)) // clang 19 fails on calls with line information
#define PLACES 3 // dyad, below the membrane, cytosol
#define CALMODULIN 22
#define POOL(which) (CALMODULIN + (which) * PLACES)

INLINE float steady(float v, float half_way, float slope) {
  return 1 / (1 + exp((half_way - v) / slope));
}

INLINE float gate(float v, float x, float half_way, float slope, float least, float most, float centre, float width) {
  const float tau = least + most / (exp((v - centre) / width) + exp((centre - v) / width));
  return (steady(v, half_way, slope) - x) / tau;
}

INLINE float occupied(float calcium, float half_way) {
  return calcium * calcium / (calcium * calcium + half_way * half_way);
}

INLINE void electrical(float time, __global const float *y, __global const float *parameter, __global float *rate) {
  const float v = y[0], thermal = 26.7f;
  rate[1] = gate(v, y[1], -42, 7, 0.05f, 0.3f, -42, 12);
  rate[2] = gate(v, y[2], -70, -6, 0.4f, 12, -75, 12);
  rate[3] = gate(v, y[3], -71, -6, 1.5f, 90, -78, 13);
  rate[4] = gate(v, y[4], -8, 6.5f, 0.6f, 3, -10, 14);
  rate[5] = gate(v, y[5], -28, -7, 12, 60, -30, 16);
  rate[6] = (1 - occupied(y[13], 3) - y[6]) / 3;
  rate[7] = gate(v, y[7], -15, 8, 20, 300, -25, 18);
  rate[8] = gate(v, y[8], 5, 14, 80, 800, -5, 25);
  rate[9] = gate(v, y[9], 5, 12, 1.2f, 6, -20, 20);
  rate[10] = gate(v, y[10], -35, -6, 8, 60, -40, 15);

  const float to_na = v - thermal * log(140 / y[11]), to_k = v - thermal * log(5.4f / y[12]);
  const float to_ca_dyad = v - thermal / 2 * log(1800 / y[13]), to_ca_sl = v - thermal / 2 * log(1800 / y[14]);
  const float active_dyad = (y[POOL(4)] + y[POOL(5)] + y[POOL(6)]) / parameter[9];
  const float active_cytosol = (y[POOL(4) + 2] + y[POOL(5) + 2] + y[POOL(6) + 2]) / parameter[11];

  const float i_na = parameter[1] * y[1] * y[1] * y[1] * y[2] * y[3] * to_na + 0.001f * to_na;
  const float i_ca = parameter[2] * y[4] * y[5] * y[6] * (1 + 0.4f * active_dyad) * to_ca_dyad;
  const float i_kr = parameter[3] * y[7] * to_k * steady(v, -15, -22);
  const float i_ks = 0.02f * y[8] * y[8] * to_k;
  const float i_k1 = 0.35f * to_k * steady(to_k, 10, -12);
  const float i_to = parameter[4] * y[9] * y[10] * to_k;
  const float i_nak = 1.5f * occupied(y[11], 14) / (1 + 0.15f * exp(-v / (10 * thermal)) + 0.05f * exp(-v / thermal));
  const float in = exp(0.35f * v / thermal) * y[11] * y[11] * y[11] * 1.8f;
  const float out = exp(-0.65f * v / thermal) * 2744000 * 0.001f * y[14];
  const float i_ncx = 900 * (in - out) / (2.8e6f * (1.8f + 1.4f) * (1 + 0.3f * exp(-0.65f * v / thermal)));
  const float i_ca_sl = 0.0005f * to_ca_sl + 0.05f * y[14] / (y[14] + 0.5f);
  const float pulse = (time - 0.5f) / 0.4f;
  const float i_stimulus = -parameter[0] * exp(-pulse * pulse);

  const float per_current = 0.078f; // µM/ms of a single charge in the cytosol for 1 µA/µF
  rate[0] = -(i_na + i_ca + i_kr + i_ks + i_k1 + i_to + i_nak + i_ncx + i_ca_sl + i_stimulus);
  rate[11] = -0.001f * per_current * (i_na + 3 * i_nak + 3 * i_ncx);
  rate[12] = -0.001f * per_current * (i_kr + i_ks + i_k1 + i_to - 2 * i_nak + i_stimulus);

  const float open = y[17], inactivated = y[18];
  const float opening = 1.2f * occupied(y[13], 30) * (1 + 0.5f * active_dyad) * (1 - open - inactivated);
  rate[17] = opening - 0.5f * open - 0.05f * y[13] / (y[13] + 5) * open;
  rate[18] = 0.05f * y[13] / (y[13] + 5) * open - 0.005f * inactivated;

  const float release = 0.03f * open * (y[16] - y[13]);
  const float uptake = parameter[5] * occupied(y[15], 0.3f) * (1 + 0.3f * active_cytosol);
  const float leak = 0.00006f * (y[16] - y[15]);
  const float from_dyad = 0.03f * (y[13] - y[14]), from_sl = 0.06f * (y[14] - y[15]);
  rate[19] = 0.03f * y[15] * (70 - y[19]) - 0.02f * y[19];
  rate[20] = 0.1f * y[14] * (40 - y[20]) - 0.05f * y[20];
  rate[21] = 0.001f * y[16] * (2700 - y[21]) - 0.6f * y[21];
  rate[13] = (release - from_dyad - 0.5f * per_current * i_ca) / 0.003f;
  rate[14] = (from_dyad - from_sl - 0.5f * per_current * (i_ca_sl - 2 * i_ncx)) / 0.03f - rate[20];
  rate[15] = from_sl - uptake + leak - rate[19];
  rate[16] = (uptake - leak - release) / 0.05f - rate[21];
}

INLINE void calmodulin(int place, __global const float *y, __global const float *parameter, __global float *rate,
                __global float *bound) {
  const float calcium = y[13 + place];
  const float c0 = y[POOL(0) + place], c2 = y[POOL(1) + place], c4 = y[POOL(2) + place], n = y[POOL(3) + place];
  const float k = y[POOL(4) + place], p = y[POOL(5) + place], a = y[POOL(6) + place], b = y[POOL(7) + place];
  const float buffers = parameter[6 + place], kinases = parameter[9 + place], calcineurin = parameter[12 + place];

  const float first = occupied(calcium, 2), second = occupied(calcium, 6);
  const float first_two = 0.1f * first * c0 - 0.06f * (1 - first) * c2;
  const float second_two = 0.3f * second * c2 - 0.2f * (1 - second) * c4;
  const float to_buffer = 0.002f * c0 * (buffers - b) - 0.04f * b;
  const float to_calcineurin = 0.05f * c4 * (calcineurin - n) - 0.001f * n;
  const float to_kinase = 0.01f * c4 * (kinases - k - p - a) - 0.02f * k;
  const float activity = (k + p + a) / kinases;
  const float phosphorylated = 0.03f * k * activity - 0.004f * p * n / (n + 0.5f);
  const float trapped = 0.0008f * p - 0.01f * a * c4;

  rate[POOL(0) + place] = -first_two - to_buffer;
  rate[POOL(1) + place] = first_two - second_two;
  rate[POOL(2) + place] = second_two - to_calcineurin - to_kinase + trapped;
  rate[POOL(3) + place] = to_calcineurin;
  rate[POOL(4) + place] = to_kinase - phosphorylated;
  rate[POOL(5) + place] = phosphorylated - trapped;
  rate[POOL(6) + place] = trapped - 0.005f * a;
  rate[POOL(7) + place] = to_buffer;
  bound[place] = 2 * (first_two + second_two);
}

// `bound` is the calcium that calmodulin takes from each place: the host adds it to the balance, once both blocks are
// done.
__kernel void myc_rates(__global const float *y, __global const float *parameter, __global float *rate,
                        __global float *bound, float time) {
  const int item = get_local_id(0);
  if (get_group_id(0) == 0) {
    if (item == 0) electrical(time, y, parameter, rate);
  } else if (item < PLACES) {
    calmodulin(item, y, parameter, rate, bound);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// European calls priced by a binomial tree, in the manner of the AMD APP SDK's BinomialOption: a work-group has a tree
// of four options, a work-item one node of its last column; columns alternate between two arrays in local memory. Each
// option's stock price, strike and term follow from one number in [0, 1).
__kernel void binomial(int steps, __global const float4 *numbers, __global float4 *prices, __local float4 *even,
                       __local float4 *odd) {
  const float riskfree = 0.02f, volatility = 0.30f;
  const int node = get_local_id(0);
  const float4 number = numbers[get_group_id(0)];
  const float4 stock = mix((float4)(5.0f), (float4)(30.0f), number);
  const float4 strike = mix((float4)(1.0f), (float4)(100.0f), number);
  const float4 years = mix((float4)(0.25f), (float4)(10.0f), number);

  const float4 step = years / (float)steps;
  const float4 spread = volatility * sqrt(step);
  const float4 growth = exp(riskfree * step);
  const float4 up = exp(spread), down = 1.0f / up;
  const float4 probability = (growth - down) / (up - down);
  const float4 weight_up = probability / growth, weight_down = (1.0f - probability) / growth;

  even[node] = max(stock * exp(spread * (float)(2 * node - steps)) - strike, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int last = steps; last > 0; last -= 2) {
    if (node < last) odd[node] = weight_down * even[node] + weight_up * even[node + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (node < last - 1) even[node] = weight_down * odd[node] + weight_up * odd[node + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (node == 0) prices[get_group_id(0)] = even[0];
}

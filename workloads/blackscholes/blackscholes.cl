// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Prices of European options by the formula of Black and Scholes, in the manner of the AMD APP SDK's BlackScholes: four
// options per work-item, each made from one random number, and the normal distribution by a polynomial (Abramowitz and
// Stegun, 26.2.17).

static float4 between(float low, float high, float4 random)
{
  return low * random + high * (1.0f - random);
}

static float4 normal_distribution(float4 x)
{
  const float4 distance = fabs(x);
  const float4 k = 1.0f / (1.0f + 0.2316419f * distance);
  const float4 sum =
    k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float4 tail = 0.398942280f * exp(-0.5f * distance * distance) * sum;
  return x < 0.0f ? tail : 1.0f - tail;
}

__kernel void blackscholes(__global const float4 *random, __global float4 *call, __global float4 *put)
{
  const uint i = get_global_id(0);
  const float4 r = random[i];
  const float4 price = between(10.0f, 100.0f, r), strike = between(40.0f, 60.0f, r);
  const float4 years = between(1.0f, 10.0f, r), rate = between(0.01f, 0.05f, r), volatility = between(0.01f, 0.1f, r);

  const float4 deviation = volatility * sqrt(years);
  const float4 d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / deviation;
  const float4 n1 = normal_distribution(d1), n2 = normal_distribution(d1 - deviation);
  const float4 now = strike * exp(-rate * years);
  call[i] = price * n1 - now * n2;
  put[i] = now * (1.0f - n2) - price * (1.0f - n1);
}

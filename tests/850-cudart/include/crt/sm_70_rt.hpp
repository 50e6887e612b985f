// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// clang's header of intrinsics includes this file of the SDK's for what it leaves to it.
#ifndef WEIR_TEST_SM_70_RT_HPP
#define WEIR_TEST_SM_70_RT_HPP

template <typename T> static inline __device__ unsigned int __match_any_sync(unsigned int mask, T value) {
  if (sizeof(T) == 8)
    return __match64_any_sync(mask, (unsigned long long)value);
  return __match32_any_sync(mask, (unsigned int)value);
}
template <typename T> static inline __device__ unsigned int __match_all_sync(unsigned int mask, T value, int *all) {
  if (sizeof(T) == 8)
    return __match64_all_sync(mask, (unsigned long long)value, all);
  return __match32_all_sync(mask, (unsigned int)value, all);
}
static inline __device__ void __nanosleep(unsigned int ns) {
  asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What libclc has not for all types: mad_hi (a macro there), smoothstep of vectors between edges of double, and copies
// of 3-vectors, which lie 4 elements apart.

#define FOR_INTEGERS(X, ...)                                                                                           \
  X(char, ##__VA_ARGS__)                                                                                               \
  X(uchar, ##__VA_ARGS__)                                                                                              \
  X(short, ##__VA_ARGS__)                                                                                              \
  X(ushort, ##__VA_ARGS__)                                                                                             \
  X(int, ##__VA_ARGS__)                                                                                                \
  X(uint, ##__VA_ARGS__)                                                                                               \
  X(long, ##__VA_ARGS__)                                                                                               \
  X(ulong, ##__VA_ARGS__)

#define MAD_HI(type)                                                                                                   \
  type OVERLOAD mad_hi(type a, type b, type c) {                                                                       \
    return mul_hi(a, b) + c;                                                                                           \
  }
#define MAD_HI_WIDTHS(type)                                                                                            \
  MAD_HI(type)                                                                                                         \
  MAD_HI(type##2)                                                                                                      \
  MAD_HI(type##3)                                                                                                      \
  MAD_HI(type##4)                                                                                                      \
  MAD_HI(type##8)                                                                                                      \
  MAD_HI(type##16)
FOR_INTEGERS(MAD_HI_WIDTHS)

#define SMOOTHSTEP(n)                                                                                                  \
  double##n OVERLOAD smoothstep(double low, double high, double##n x) {                                                \
    return smoothstep((double##n)low, (double##n)high, x);                                                             \
  }
SMOOTHSTEP(2)
SMOOTHSTEP(3)
SMOOTHSTEP(4)
SMOOTHSTEP(8)
SMOOTHSTEP(16)

// The work-group's copy: work-item k takes elements k, k + size, … ; wait_group_events is libclc's barrier.
static size_t linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

static size_t linear_size(void) {
  return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

#define COPY(type, to_space, from_space)                                                                               \
  event_t OVERLOAD async_work_group_copy(to_space type##3 * to, const from_space type##3 * from, size_t count,         \
                                         event_t event) {                                                              \
    for (size_t k = linear_id(); k < count; k += linear_size())                                                        \
      to[k] = from[k];                                                                                                 \
    return event;                                                                                                      \
  }
#define STRIDED(type, to_space, from_space, to_stride, from_stride)                                                    \
  event_t OVERLOAD async_work_group_strided_copy(to_space type##3 * to, const from_space type##3 * from, size_t count, \
                                                 size_t stride, event_t event) {                                       \
    for (size_t k = linear_id(); k < count; k += linear_size())                                                        \
      to[k * to_stride] = from[k * from_stride];                                                                       \
    return event;                                                                                                      \
  }
#define COPIES(type)                                                                                                   \
  COPY(type, __local, __global)                                                                                        \
  COPY(type, __global, __local)                                                                                        \
  STRIDED(type, __local, __global, 1, stride)                                                                          \
  STRIDED(type, __global, __local, stride, 1)                                                                          \
  void OVERLOAD prefetch(const __global type##3 * p, size_t count) {}
FOR_INTEGERS(COPIES)
COPIES(float)
COPIES(double)

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics (OpenCL 1.2 extensions, 9.3): atom_ functions of 64 bits.

#define ATOM(name, type, space, operation)                                                                             \
  type OVERLOAD name(volatile space type *p, type value) {                                                             \
    return operation(p, value, __ATOMIC_RELAXED);                                                                      \
  }
#define ATOMS(type, space)                                                                                             \
  ATOM(atom_add, type, space, __atomic_fetch_add)                                                                      \
  ATOM(atom_sub, type, space, __atomic_fetch_sub)                                                                      \
  ATOM(atom_xchg, type, space, __atomic_exchange_n)                                                                    \
  ATOM(atom_min, type, space, __atomic_fetch_min)                                                                      \
  ATOM(atom_max, type, space, __atomic_fetch_max)                                                                      \
  ATOM(atom_and, type, space, __atomic_fetch_and)                                                                      \
  ATOM(atom_or, type, space, __atomic_fetch_or)                                                                        \
  ATOM(atom_xor, type, space, __atomic_fetch_xor)                                                                      \
  type OVERLOAD atom_inc(volatile space type *p) {                                                                     \
    return atom_add(p, (type)1);                                                                                       \
  }                                                                                                                    \
  type OVERLOAD atom_dec(volatile space type *p) {                                                                     \
    return atom_sub(p, (type)1);                                                                                       \
  }                                                                                                                    \
  type OVERLOAD atom_cmpxchg(volatile space type *p, type expected, type value) {                                      \
    return __sync_val_compare_and_swap(p, expected, value);                                                            \
  }
ATOMS(long, __global)
ATOMS(long, __local)
ATOMS(ulong, __global)
ATOMS(ulong, __local)

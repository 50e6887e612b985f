// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Work-item functions (OpenCL 1.2, 6.12.1): those that need what the host knows of the launch, struct weir_cl_ndrange
// of opencl/compile.h, and those that differ from libclc's, which has the rest.

// Inlined first of all, so that a caller's conversions are simplified together with the value.
#define OVERLOAD __attribute__((overloadable, always_inline))

struct ndrange {
  uint global_offset[3];
  uint work_dim;
};
extern __constant struct ndrange __weir_ndrange;

uint OVERLOAD get_work_dim(void) {
  return __weir_ndrange.work_dim;
}

size_t OVERLOAD get_global_offset(uint dimension) {
  return dimension < 3 ? __weir_ndrange.global_offset[dimension] : 0;
}

// No global id exceeds 2^31 − 1: said in such a way, it is computed in 32 bits, and an address from it by one mul.wide.
#define GLOBAL_ID(axis, dimension)                                                                                     \
  const int offset = __weir_ndrange.global_offset[dimension];                                                          \
  __builtin_assume(offset >= 0);                                                                                       \
  return __nvvm_read_ptx_sreg_ctaid_##axis() * __nvvm_read_ptx_sreg_ntid_##axis() +                                    \
         __nvvm_read_ptx_sreg_tid_##axis() + offset

size_t OVERLOAD get_global_id(uint dimension) {
  switch (dimension) {
  case 0: {
    GLOBAL_ID(x, 0);
  }
  case 1: {
    GLOBAL_ID(y, 1);
  }
  case 2: {
    GLOBAL_ID(z, 2);
  }
  default: return 0;
  }
}

// Sizes of dimensions that there are not are 1; libclc has 0.
#define BY_DIMENSION(function, x, y, z)                                                                                \
  size_t OVERLOAD function(uint dimension) {                                                                           \
    return dimension == 0 ? x : dimension == 1 ? y : dimension == 2 ? z : 1;                                           \
  }
BY_DIMENSION(get_local_size, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z())
BY_DIMENSION(get_num_groups, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(),
             __nvvm_read_ptx_sreg_nctaid_z())
BY_DIMENSION(get_global_size, __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_nctaid_x(),
             __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_nctaid_y(),
             __nvvm_read_ptx_sreg_ntid_z() * __nvvm_read_ptx_sreg_nctaid_z())

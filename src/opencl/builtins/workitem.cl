// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Work-item functions (OpenCL 1.2, 6.12.1) that need what the host knows of the launch: struct weir_cl_ndrange of
// opencl/compile.h. The rest is libclc's.

#define OVERLOAD __attribute__((overloadable))

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

// No global id exceeds 32 bits, which are one instruction where 64 are two.
size_t OVERLOAD get_global_id(uint dimension) {
  switch (dimension) {
  case 0:
    return (uint)__nvvm_read_ptx_sreg_ctaid_x() * (uint)__nvvm_read_ptx_sreg_ntid_x() +
           (uint)__nvvm_read_ptx_sreg_tid_x() + __weir_ndrange.global_offset[0];
  case 1:
    return (uint)__nvvm_read_ptx_sreg_ctaid_y() * (uint)__nvvm_read_ptx_sreg_ntid_y() +
           (uint)__nvvm_read_ptx_sreg_tid_y() + __weir_ndrange.global_offset[1];
  case 2:
    return (uint)__nvvm_read_ptx_sreg_ctaid_z() * (uint)__nvvm_read_ptx_sreg_ntid_z() +
           (uint)__nvvm_read_ptx_sreg_tid_z() + __weir_ndrange.global_offset[2];
  default: return 0;
  }
}

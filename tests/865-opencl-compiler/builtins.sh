#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# builtins.sh COMPILE_FILE: every function of section 6.12 of OpenCL 1.2 can be called: what clang's header declares (with the
# extensions that the device has) is compiled down to PTX, unoptimised, so that nothing is dropped before its code is made.
set -eu
compile=$1
here=$(dirname "$0")
clang=${CLANG:-clang-19}
command -v "$clang" >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export WEIR_CL_CACHE=none
"$clang" -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-nvcl -march=sm_70 -include opencl-c.h -E -P - -Xclang \
  -cl-ext=+cl_khr_3d_image_writes,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics </dev/null >"$work/header"
awk -f "$here/declarations.awk" "$work/header" >"$work/calls.cl"

# The net is as wide as it should be: among what is called is something of each group of 6.12.
for name in get_global_id get_work_dim native_powr half_tan sincos remquo mad_hi mul24 clamp smoothstep cross fast_normalize \
  bitselect vload4 vstore_half4_rte barrier mem_fence async_work_group_strided_copy prefetch atomic_cmpxchg atom_min shuffle2 \
  convert_uchar4_sat_rte read_imagef write_imageui get_image_array_size popcount; do
  grep -q "[ {]$name(" "$work/calls.cl" || {
    echo "no call of $name is made"
    exit 1
  }
done
[ "$(wc -l <"$work/calls.cl")" -gt 3000 ] || {
  echo "only $(wc -l <"$work/calls.cl") functions are called"
  exit 1
}
"$compile" "$work/calls.cl" "-w -cl-opt-disable" >"$work/calls.ptx"

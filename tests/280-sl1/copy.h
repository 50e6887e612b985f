// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A kernel that copies: thread t reads n bytes from a + t × chunk on, `sa` apart, and writes each plus 1 from b + t × chunk
// on, `sb` apart. The strides are in registers, so that nothing is proven of them.
#ifndef WEIR_TESTS_280_COPY_H
#define WEIR_TESTS_280_COPY_H

#include "harness.h"

#define COPY                                                                                                           \
  SL1_HEADER ".visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 1 b,\n"           \
             " .param .u32 n, .param .u32 sa, .param .u32 sb, .param .u32 chunk)\n{\n"                                 \
             ".reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"                                                \
             "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [sa];\n"     \
             "ld.param.u32 %r3, [sb];\nld.param.u32 %r4, [chunk];\nmov.u32 %r5, %tid.x;\n"                             \
             "mul.wide.u32 %rd3, %r4, %r5;\nadd.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n"                    \
             "cvt.u64.u32 %rd4, %r2;\ncvt.u64.u32 %rd5, %r3;\nmov.u32 %r6, 0;\n"                                       \
             "$LOOP:\nld.global.u8 %r7, [%rd1];\nadd.u32 %r7, %r7, 1;\nst.global.u8 [%rd2], %r7;\n"                    \
             "add.s64 %rd1, %rd1, %rd4;\nadd.s64 %rd2, %rd2, %rd5;\nadd.u32 %r6, %r6, 1;\n"                            \
             "setp.lt.u32 %p1, %r6, %r1;\n@%p1 bra $LOOP;\nret;\n}\n"

enum { THREADS = 32, CHUNK = 512, BYTES = THREADS * CHUNK };

struct copy_params {
  uint64_t a, b;
  uint32_t n, sa, sb, chunk;
};

static inline struct copy_params copy_setup(const struct sl1_bench *s, uint32_t n, uint32_t sa, uint32_t sb) {
  return (struct copy_params){sl1_buffer(s, "a", BYTES, 3, 7), sl1_buffer(s, "b", BYTES, 0xee, 0), n, sa, sb, CHUNK};
}

#endif

; SPDX-License-Identifier: Apache-2.0
; Copyright the weir authors
; Images, samplers and surfaces by clang's intrinsics, as OpenCL's built-in functions use them.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-nvcl"
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64, float, float)
declare { float, float, float, float } @llvm.nvvm.tex.2d.v4f32.f32(i64, i64, float, float)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.3d.v4s32.s32(i64, i64, i32, i32, i32)
declare { float, float, float, float } @llvm.nvvm.tex.2d.level.v4f32.f32(i64, i64, float, float, float)
declare void @llvm.nvvm.sust.p.2d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.b.2d.v4i8.zero(i64, i32, i32, i16, i16, i16, i16)
declare { i16, i16, i16, i16 } @llvm.nvvm.suld.2d.v4i8.clamp(i64, i32, i32)
declare i32 @llvm.nvvm.txq.width(i64)
declare i32 @llvm.nvvm.txq.channel.order(i64)
declare i32 @llvm.nvvm.suq.height(i64)
define void @k(ptr addrspace(1) %out, i64 %t, i64 %s, i64 %u, float %x, i32 %i) {
  %a4 = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %t, float %x, float %x)
  %a = extractvalue { float, float, float, float } %a4, 0
  %b4 = call { float, float, float, float } @llvm.nvvm.tex.2d.v4f32.f32(i64 %t, i64 %s, float %x, float %x)
  %b = extractvalue { float, float, float, float } %b4, 1
  %c4 = call { i32, i32, i32, i32 } @llvm.nvvm.tex.3d.v4s32.s32(i64 %t, i64 %s, i32 %i, i32 %i, i32 %i)
  %c = extractvalue { i32, i32, i32, i32 } %c4, 2
  %d4 = call { float, float, float, float } @llvm.nvvm.tex.2d.level.v4f32.f32(i64 %t, i64 %s, float %x, float %x, float 0.0)
  %d = extractvalue { float, float, float, float } %d4, 3
  %ab = fadd float %a, %b
  %abd = fadd float %ab, %d
  store float %abd, ptr addrspace(1) %out
  call void @llvm.nvvm.sust.p.2d.v4i32.trap(i64 %u, i32 %i, i32 %i, i32 %c, i32 2, i32 3, i32 4)
  call void @llvm.nvvm.sust.b.2d.v4i8.zero(i64 %u, i32 %i, i32 %i, i16 1, i16 2, i16 3, i16 4)
  %w = call i32 @llvm.nvvm.txq.width(i64 %t)
  %o = call i32 @llvm.nvvm.txq.channel.order(i64 %t)
  %h = call i32 @llvm.nvvm.suq.height(i64 %u)
  %wo = add i32 %w, %o
  %woh = add i32 %wo, %h
  %p = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %woh, ptr addrspace(1) %p
  %e4 = call { i16, i16, i16, i16 } @llvm.nvvm.suld.2d.v4i8.clamp(i64 %u, i32 %i, i32 %i)
  %e = extractvalue { i16, i16, i16, i16 } %e4, 1
  store i16 %e, ptr addrspace(1) %p
  ret void
}
@sampler = addrspace(1) global i64 32
!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"rdoimage", i32 1}
!2 = !{ptr @k, !"sampler", i32 2}
!3 = !{ptr @k, !"wroimage", i32 3}
!4 = !{ptr addrspace(1) @sampler, !"sampler", i32 1}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// OpenCL C to PTX at run time, by clang and libclc as child processes, with a cache on disk. Invariant: a compiled
// program is one PTX text that says everything of itself: lines of comment at its end describe its kernels
// (weir_cl_kernels_read), so that it can be kept as a file, given out as the program's binary and taken in again.
//
// What compiled kernels expect of the host: their declared arguments in `.param` order, with none hidden behind them,
//   __global, __constant   a 64-bit device address
//   __local                a 64-bit offset in the block's shared memory, from which on is what the host sized
//                          (`.ptr .shared`; 0 is the start of dynamic shared memory: exec/program.h, is_shared_pointer)
//   imageND_t              the handle of exec/texture.h, 64 bits
//   sampler_t              a value of weir_sampler_pack, 64 bits
//   values                 their bytes, aligned as `.param` says (a 3-vector takes the room of a 4-vector)
// and the module variable WEIR_CL_NDRANGE (`.const`, a struct weir_cl_ndrange), which the host writes before each
// launch where the module has it (weir_program_variable finds it): a program that asks for none of these facts has
// none. As NVIDIA's compiler does by %envreg, get_global_id adds the offset always; no global id exceeds 2^31 − 1 (the
// host refuses such a launch). printf is a call of `printf(format, buffer)` (ptx/builtin.h); a vector lies whole and
// aligned in the buffer.
//
// All functions may be called from any thread at once; none keeps a descriptor or a child.
#ifndef WEIR_OPENCL_COMPILE_H
#define WEIR_OPENCL_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_CL_NDRANGE "__weir_ndrange"

struct weir_cl_ndrange {
  uint32_t global_offset[3]; // 0 beyond work_dim
  uint32_t work_dim;
};

enum weir_cl_status {
  WEIR_CL_BUILT,
  WEIR_CL_FAILED,          // the program's fault: CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_…, CL_LINK_…
  WEIR_CL_INVALID_OPTIONS, // CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS, CL_INVALID_LINKER_OPTIONS
  WEIR_CL_NO_COMPILER,     // no clang or no libclc: CL_COMPILER_NOT_AVAILABLE
};

enum weir_cl_kind { WEIR_CL_VALUE, WEIR_CL_GLOBAL, WEIR_CL_CONSTANT, WEIR_CL_LOCAL, WEIR_CL_IMAGE, WEIR_CL_SAMPLER };
enum weir_cl_access { WEIR_CL_NO_ACCESS, WEIR_CL_READ_ONLY, WEIR_CL_WRITE_ONLY, WEIR_CL_READ_WRITE };

struct weir_cl_arg {
  enum weir_cl_kind kind;                  // the address qualifier follows: VALUE and SAMPLER private, IMAGE global
  enum weir_cl_access access;              // of an image
  bool is_const, is_restrict, is_volatile; // type qualifiers
  const char *type, *name;                 // "float4*", "out"
};

struct weir_cl_kernel {
  const char *name;
  uint32_t reqd_work_group_size[3]; // 0: not given
  uint32_t arg_count;
  const struct weir_cl_arg *args;
  const char *attributes; // CL_KERNEL_ATTRIBUTES: "reqd_work_group_size(8,8,1)", or ""
};

struct weir_cl_kernels {
  uint32_t count;
  struct weir_cl_kernel *items; // in the order of the source
};

struct weir_cl_result {
  enum weir_cl_status status;
  char *output;        // PTX (a build, a link) or LLVM bitcode (a compilation); NULL unless BUILT
  size_t output_bytes; // without the NUL that follows it
  char *log;           // build log, warnings too; "" at least
};

// A header of clCompileProgram: found by #include under `name`, before any file.
struct weir_cl_header {
  const char *name, *text;
  size_t bytes;
};

struct weir_cl_source {
  const char *text;
  size_t bytes;
  const char *options; // as given to clBuildProgram; NULL: none
  const struct weir_cl_header *headers;
  unsigned header_count;
};

// clBuildProgram: one program to PTX. The result is whole whatever its status; weir_cl_result_free frees it.
struct weir_cl_result weir_cl_build(const struct weir_cl_source *source);
// clCompileProgram: one program to LLVM bitcode (begins with "BC"), to be linked.
struct weir_cl_result weir_cl_compile(const struct weir_cl_source *source);

struct weir_cl_object {
  const char *bytes; // what weir_cl_compile, or weir_cl_link with -create-library, put out
  size_t size;
};

// clLinkProgram: to PTX, or with -create-library to bitcode again.
struct weir_cl_result weir_cl_link(const struct weir_cl_object *objects, unsigned count, const char *options);
void weir_cl_result_free(struct weir_cl_result *r);

// Whether programs can be compiled here (CL_DEVICE_COMPILER_AVAILABLE); *why, if not NULL, is a text to show if not,
// freed by weir_free.
bool weir_cl_compiler_available(char **why);

// What a PTX text made by weir_cl_build or weir_cl_link says of its kernels. False: the text was made by another
// compiler and describes none (kinds of arguments follow from `.param` alone). Freed by weir_cl_kernels_free.
bool weir_cl_kernels_read(struct weir_cl_kernels *kernels, const char *ptx, size_t bytes);
const struct weir_cl_kernel *weir_cl_kernels_find(const struct weir_cl_kernels *kernels,
                                                  const char *name); // NULL: none
void weir_cl_kernels_free(struct weir_cl_kernels *kernels);

#endif

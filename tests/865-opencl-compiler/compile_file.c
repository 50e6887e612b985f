// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// compile_file FILE [OPTIONS]: builds a program as clBuildProgram does; the PTX to stdout, the log to stderr. Exits 0,
// 1 if the program is wrong, 2 if it was called wrongly, 77 where no compiler is.
#include "base/alloc.h"
#include "base/file.h"
#include "opencl/compile/compile.h"

int main(int argc, char **argv) {
  struct weir_sink sink = {0};
  size_t bytes;
  char *text = argc > 1 ? weir_file_read(argv[1], 0, &bytes, &sink) : NULL;
  weir_sink_print(&sink, stderr);
  weir_sink_free(&sink);
  if (!text) return 2;
  struct weir_cl_result r =
    weir_cl_build(&(struct weir_cl_source){.text = text, .bytes = bytes, .options = argc > 2 ? argv[2] : NULL});
  static const int codes[] = {
    [WEIR_CL_BUILT] = 0, [WEIR_CL_FAILED] = 1, [WEIR_CL_INVALID_OPTIONS] = 2, [WEIR_CL_NO_COMPILER] = 77};
  const int code = codes[r.status];
  fputs(r.log, stderr);
  if (r.output) fwrite(r.output, 1, r.output_bytes, stdout);
  weir_cl_result_free(&r);
  weir_free(text);
  return code;
}

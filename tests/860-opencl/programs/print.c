// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// printf of section 6.12.13 of OpenCL 1.2: conversions, vectors, strings, %%. The program reads its own standard
// output.
#include "program.h"

#include <unistd.h>

static const char *const source =
  "kernel void print(int i, float f, double d, ulong wide, char4 bytes) {\n"
  "  float4 v = (float4)(1.5f, -2.25f, 0.0f, f);\n"
  "  uchar3 u = (uchar3)(1, 22, 255);\n"
  "  if (get_global_id(0) == 1) {\n"
  "    printf(\"%d|%5d|%-5d|%05d|%+d|%x|%#x|%X|%o|%u\\n\", i, i, i, i, i, i, i, i, i, i);\n"
  "    printf(\"%f|%.2f|%10.3e|%g|%a\\n\", f, f, d, d, 1.0);\n"
  "    printf(\"%lu|%lx|%hd|%hhd|%c|%s|%%\\n\", wide, wide, (short)-5, (char)-7, 'q', \"a string\");\n"
  "    printf(\"%v4hlf|%.1v4hlf|%v3hhu|%v4hhd\\n\", v, v, u, bytes);\n"
  "    printf(\"%v2d|%v2lf|%2v2hx\\n\", (int2)(i, -i), (double2)(d, 0.125), (ushort2)(0xab, 3));\n"
  "    printf(\"plain\\n\");\n"
  "  }\n"
  "}\n"
  "kernel void each(void) { printf(\"item %d of %d\\n\", (int)get_global_id(0), (int)get_global_size(0)); }\n";

static const char *const expected = "42|   42|42   |00042|+42|2a|0x2a|2A|52|42\n"
                                    "0.750000|0.75| 1.234e+03|1234|0x1p+0\n"
                                    "81985529216486895|123456789abcdef|-5|-7|q|a string|%\n"
                                    "1.500000,-2.250000,0.000000,0.750000|1.5,-2.2,0.0,0.8|1,22,255|1,-2,3,-4\n"
                                    "42,-42|1234.000000,0.125000|ab, 3\n"
                                    "plain\n";

// What the launches print.
static void capture(cl_program p, char *text, size_t size) {
  FILE *file = tmpfile();
  CHECK(file, "no temporary file");
  fflush(stdout);
  const int kept = dup(1);
  CHECK(dup2(fileno(file), 1) == 1, "standard output");
  cl_kernel k = kernel_of(p, "print"), each = kernel_of(p, "each");
  const cl_int i = 42;
  const cl_float f = 0.75f;
  const cl_double d = 1234;
  const cl_ulong wide = 0x123456789abcdef;
  const cl_char4 bytes = {{1, -2, 3, -4}};
  const size_t two = 2, five = 5;
  ARG(k, 0, i);
  ARG(k, 1, f);
  ARG(k, 2, d);
  ARG(k, 3, wide);
  ARG(k, 4, bytes);
  run(k, 1, NULL, &two, NULL);
  run(each, 1, NULL, &five, NULL);
  fflush(stdout);
  CHECK(dup2(kept, 1) == 1, "standard output");
  rewind(file);
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
}

int main(void) {
  static char text[8192];
  open_device();
  capture(build(source, NULL), text, sizeof text);
  CHECK(!strncmp(text, expected, strlen(expected)), "printed:\n%s\nnot:\n%s", text, expected);
  const char *rest = text + strlen(expected);
  for (int i = 0; i < 5; i++) {
    char line[32];
    snprintf(line, sizeof line, "item %d of 5\n", i);
    CHECK(strstr(rest, line), "no '%s' in:\n%s", line, rest);
  }
  CHECK(strlen(rest) == 5 * strlen("item 0 of 5\n"), "printed too:\n%s", rest);
  close_device();
  puts("PASSED");
}

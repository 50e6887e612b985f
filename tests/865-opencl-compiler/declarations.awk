# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# From clang's own declarations of OpenCL C's functions (its opencl-c.h, preprocessed) to a program that calls each of those
# whose arguments are scalars, 4-vectors, pointers, images, samplers or events. Vectors of other lengths are made by the same
# macros in every implementation.
BEGIN {
  RS = ";"
  type = "^(u?(char|short|int|long)4?|float4?|double4?|half4?|size_t|ptrdiff_t|event_t|sampler_t|image[a-z0-9_]*_t|" \
         "cl_mem_fence_flags|const|volatile|restrict)$"
  print "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"
}
{
  gsub(/#pragma[^\n]*\n/, "")
  while (gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\)/, "")) ;
  gsub(/[ \t\n]+/, " ")
  sub(/^ /, "")
}
/typedef|extern|static|[{}]|\.\.\./ {next}
/(2|3|8|16)[ ,)*]/ {next}
/^[a-z].*\(.*\)$/ {
  open = index($0, "(")
  head = substr($0, 1, open - 1)
  sub(/ $/, "", head)
  count = split(substr($0, open + 1, length($0) - open - 1), argument, ",")
  words = split(head, word, " ")
  name = word[words]
  if (words < 2) next
  result = substr(head, 1, length(head) - length(name))
  given = parameters = ""
  if (argument[1] == "void" || argument[1] == "") count = 0
  for (i = 1; i <= count; i++) {
    sub(/ $/, "", argument[i])
    parts = split(argument[i], part, /[ *]+/)
    if (parts > 1 && part[parts] !~ type) sub(/[A-Za-z_0-9]+$/, "", argument[i])
    parameters = parameters (i > 1 ? ", " : "") argument[i] " a" i
    given = given (i > 1 ? ", " : "") "a" i
  }
  made++
  print result "f" made "(" parameters ") { " (result ~ /^void *$/ ? "" : "return ") name "(" given "); }"
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Global offsets, sizes that no power of two divides, work-groups chosen by the implementation, one to three
// dimensions: every work-item function of section 6.12.1 of OpenCL 1.2 is checked by every work-item.
#include "program.h"

static const char *const source =
  "kernel void where(global uint *seen, global uint *wrong, uint dims, ulong4 offset, ulong4 size) {\n"
  "  ulong o[3] = {offset.x, offset.y, offset.z}, s[3] = {size.x, size.y, size.z}, at = 0;\n"
  "  uint bad = get_work_dim() != dims;\n"
  "  for (uint d = 0; d < 3; d++) {\n"
  "    bad |= (get_global_offset(d) != o[d]) << 1;\n"
  "    bad |= (get_global_size(d) != s[d]) << 2;\n"
  "    bad |= (get_global_id(d) != get_group_id(d) * get_local_size(d) + get_local_id(d) + o[d]) << 3;\n"
  "    bad |= (get_num_groups(d) * get_local_size(d) != s[d]) << 4;\n"
  "    bad |= (get_global_id(d) < o[d] || get_global_id(d) >= o[d] + s[d]) << 5;\n"
  "  }\n"
  "  bad |= (get_global_id(3) != 0 || get_global_offset(3) != 0 || get_global_size(3) != 1 || get_local_size(3) != 1 "
  "||\n"
  "          get_local_id(3) != 0 || get_group_id(3) != 0 || get_num_groups(3) != 1) << 6;\n"
  "  at = ((get_global_id(2) - o[2]) * s[1] + get_global_id(1) - o[1]) * s[0] + get_global_id(0) - o[0];\n"
  "  if (bad) atomic_or(wrong, bad);\n"
  "  atomic_inc(&seen[at]);\n"
  "}\n";

static void launch(cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local) {
  cl_ulong o[4] = {0}, s[4] = {1, 1, 1, 1};
  size_t items = 1;
  for (cl_uint d = 0; d < dims; d++) {
    o[d] = offset ? offset[d] : 0;
    items *= s[d] = global[d];
  }
  cl_uint *seen = calloc(items, sizeof *seen), wrong = 0;
  cl_mem ms = buffer(CL_MEM_READ_WRITE, items * sizeof *seen, seen),
         mw = buffer(CL_MEM_READ_WRITE, sizeof wrong, &wrong);
  ARG(k, 0, ms);
  ARG(k, 1, mw);
  ARG(k, 2, dims);
  OK(clSetKernelArg(k, 3, sizeof o, o));
  OK(clSetKernelArg(k, 4, sizeof s, s));
  run(k, dims, offset, global, local);
  read_back(ms, seen, items * sizeof *seen);
  read_back(mw, &wrong, sizeof wrong);
  CHECK(!wrong, "%u dimensions, of %zu: functions %#x", dims, global[0], wrong);
  for (size_t i = 0; i < items; i++) CHECK(seen[i] == 1, "work-item %zu of %zu ran %u times", i, items, seen[i]);
  OK(clReleaseMemObject(ms));
  OK(clReleaseMemObject(mw));
  free(seen);
}

int main(void) {
  open_device();
  cl_kernel k = kernel_of(build(source, ""), "where");
  launch(k, 1, NULL, (size_t[]){1009}, NULL);
  launch(k, 1, (size_t[]){77}, (size_t[]){1009}, NULL);
  launch(k, 1, (size_t[]){1000000}, (size_t[]){96}, (size_t[]){32});
  launch(k, 2, NULL, (size_t[]){37, 11}, NULL);
  launch(k, 2, (size_t[]){5, 0}, (size_t[]){37, 12}, (size_t[]){1, 12});
  launch(k, 2, (size_t[]){0, 9}, (size_t[]){64, 6}, (size_t[]){16, 2});
  launch(k, 3, (size_t[]){1, 2, 3}, (size_t[]){6, 10, 15}, (size_t[]){2, 5, 3});
  launch(k, 3, NULL, (size_t[]){7, 5, 3}, NULL);
  launch(k, 1, NULL, (size_t[]){64}, (size_t[]){64}); // the offset of a launch before is gone
  close_device();
  puts("PASSED");
}

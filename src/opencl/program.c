// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/program.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_program weir_cl_program_new(cl_context context) {
  cl_program p = weir_new(struct _cl_program);
  weir_cl_head_init(&p->object, WEIR_CL_MAGIC_PROGRAM);
  p->context = context;
  p->status = CL_BUILD_NONE;
  weir_cl_context_retain(context);
  return p;
}

void weir_cl_program_retain(cl_program p) {
  p->object.references++;
}

void weir_cl_program_unload(cl_program p) {
  struct weir_device *d = weir_cl_modelled();
  if (d && p->loaded) weir_device_unload(d, p->loaded);
  p->loaded = NULL;
  if (p->described) weir_cl_kernels_free(&p->kernels);
  p->described = false;
}

void weir_cl_program_release(cl_program p) {
  if (!weir_cl_head_release(&p->object)) return;
  weir_cl_program_unload(p);
  weir_cl_context_release(p->context);
  weir_free(p->source);
  weir_free(p->binary);
  weir_free(p->options);
  weir_free(p->log);
  weir_free(p);
}

bool weir_cl_is_bitcode(const char *bytes, size_t size) {
  return size >= 4 && !memcmp(bytes, "BC\xc0\xde", 4);
}

// Every PTX module begins with .version, after blanks and comments (PTX ISA, "PTX Module Directives").
static bool is_ptx(const char *bytes, size_t size) {
  const char *at = bytes, *end = bytes + size;
  while (at < end) {
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
      while (at < end && *at != '\n') at++;
    } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
      for (at += 2; at < end && !(at[-1] == '*' && *at == '/'); at++) continue;
      at += at < end;
    } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') {
      at++;
    } else {
      return end - at >= 8 && !memcmp(at, ".version", 8);
    }
  }
  return false;
}

void weir_cl_program_set_binary(cl_program p, char *bytes, size_t size) {
  weir_cl_program_unload(p);
  weir_free(p->binary);
  p->binary = bytes;
  p->binary_bytes = size;
}

// Appends the sink's text to the build log.
static void log_sink(cl_program p, const struct weir_sink *sink) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return;
  fputs(p->log ? p->log : "", f);
  weir_sink_print(sink, f);
  fclose(f);
  weir_free(p->log);
  p->log = weir_text_copy(text);
  free(text);
}

bool weir_cl_program_load(cl_program p) {
  static unsigned long count;
  weir_cl_program_unload(p);
  char *path = weir_text_format("program-%lu.ptx", ++count);
  const struct weir_device_text text = {path, p->binary, strlen(p->binary)};
  struct weir_sink sink = {0};
  p->loaded = weir_device_load(weir_cl_modelled(), &text, 1, &sink);
  if (sink.count) log_sink(p, &sink);
  weir_sink_free(&sink);
  weir_free(path);
  if (p->loaded) p->described = weir_cl_kernels_read(&p->kernels, p->binary, p->binary_bytes);
  return p->loaded;
}

cl_uint weir_cl_program_kernel_count(cl_program p) {
  if (p->described) return p->kernels.count;
  uint32_t count;
  weir_program_kernels(p->loaded, &count);
  return count;
}

const char *weir_cl_program_kernel_name(cl_program p, cl_uint i) {
  if (p->described) return p->kernels.items[i].name;
  uint32_t count;
  return weir_program_kernels(p->loaded, &count)[i].name;
}

// One text of all strings; lengths may be missing, or 0: to the NUL.
static char *join(cl_uint count, const char **strings, const size_t *lengths) {
  size_t total = 0;
  for (cl_uint i = 0; i < count; i++) total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
  char *text = weir_alloc(total + 1), *at = text;
  for (cl_uint i = 0; i < count; i++) {
    const size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    memcpy(at, strings[i], n);
    at += n;
  }
  return text;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context c, cl_uint count, const char **strings,
                                                              const size_t *lengths, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  if (!count || !strings) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  for (cl_uint i = 0; i < count; i++)
    if (!strings[i]) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  cl_program p = weir_cl_program_new(c);
  p->source = join(count, strings, lengths);
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return p;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context c, cl_uint count, const cl_device_id *devices,
                                                              const size_t *lengths, const unsigned char **binaries,
                                                              cl_int *status, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  if (!count || !devices || !lengths || !binaries) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  if (!weir_cl_devices_valid(count, devices)) return weir_cl_refuse(errcode_ret, CL_INVALID_DEVICE);
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count; i++) {
    const char *b = (const char *)binaries[i];
    cl_int s = CL_SUCCESS;
    if (!b || !lengths[i])
      s = CL_INVALID_VALUE;
    else if (!is_ptx(b, lengths[i]) && !weir_cl_is_bitcode(b, lengths[i]))
      s = CL_INVALID_BINARY;
    if (status) status[i] = s;
    if (s != CL_SUCCESS) code = s;
  }
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  cl_program p = weir_cl_program_new(c);
  char *copy = weir_alloc(lengths[0] + 1);
  memcpy(copy, binaries[0], lengths[0]);
  weir_cl_program_set_binary(p, copy, lengths[0]);
  p->type =
    weir_cl_is_bitcode(copy, lengths[0]) ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return p;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context c, cl_uint count,
                                                                      const cl_device_id *devices, const char *names,
                                                                      cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  if (!count || !devices || !names) return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  if (!weir_cl_devices_valid(count, devices)) return weir_cl_refuse(errcode_ret, CL_INVALID_DEVICE);
  return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE); // there are none of any name
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program p) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  weir_cl_program_retain(p);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program p) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  weir_cl_program_release(p);
  return CL_SUCCESS;
}

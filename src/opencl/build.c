// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// clBuildProgram, clCompileProgram and clLinkProgram. All of them are done before they return; a program that gives a
// callback gets it called as well.
#include "opencl/program.h"

#include "base/alloc.h"

#include <string.h>

typedef void(CL_CALLBACK *notify_fn)(cl_program program, void *user_data);

struct notice {
  notify_fn notify;
  cl_program program;
  void *user_data;
};

static void deliver(void *data) {
  struct notice *n = data;
  n->notify(n->program, n->user_data);
  weir_free(n);
}

static void notify_later(notify_fn notify, cl_program p, void *user_data) {
  if (!notify) return;
  struct notice *n = weir_new(struct notice);
  *n = (struct notice){notify, p, user_data};
  weir_cl_later(deliver, n);
}

static cl_int check_common(cl_uint device_count, const cl_device_id *devices, notify_fn notify, const void *user_data) {
  if (!device_count != !devices || (!notify && user_data)) return CL_INVALID_VALUE;
  return weir_cl_devices_valid(device_count, devices) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

// What was built before is gone, whatever comes of this.
static void begin(cl_program p, const char *options) {
  weir_cl_program_unload(p);
  weir_free(p->options);
  weir_free(p->log);
  p->options = weir_text_copy(options ? options : "");
  p->log = NULL;
  p->status = CL_BUILD_ERROR;
}

static void succeed(cl_program p, cl_program_binary_type type) {
  p->status = CL_BUILD_SUCCESS;
  p->type = type;
}

// Takes the compiler's output over. `failure` and `invalid` are what this call answers for a wrong program, wrong
// options.
static cl_int take(cl_program p, struct weir_cl_result *r, cl_int failure, cl_int invalid) {
  p->log = weir_text_copy(r->log);
  cl_int code = CL_SUCCESS;
  switch (r->status) {
  case WEIR_CL_BUILT:
    weir_cl_program_set_binary(p, r->output, r->output_bytes);
    r->output = NULL;
    break;
  case WEIR_CL_FAILED: code = failure; break;
  case WEIR_CL_INVALID_OPTIONS: code = invalid; break;
  case WEIR_CL_NO_COMPILER: code = CL_COMPILER_NOT_AVAILABLE; break;
  }
  weir_cl_result_free(r);
  return code;
}

static cl_int build(cl_program p, const char *options) {
  cl_int code = CL_SUCCESS;
  if (p->source) {
    const struct weir_cl_source source = {.text = p->source, .bytes = strlen(p->source), .options = options};
    struct weir_cl_result r = weir_cl_build(&source);
    code = take(p, &r, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS);
  } else if (weir_cl_is_bitcode(p->binary, p->binary_bytes)) {
    const struct weir_cl_object object = {p->binary, p->binary_bytes};
    struct weir_cl_result r = weir_cl_link(&object, 1, NULL);
    code = take(p, &r, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS);
  }
  if (code == CL_SUCCESS && !weir_cl_program_load(p)) code = CL_BUILD_PROGRAM_FAILURE;
  if (code == CL_SUCCESS) succeed(p, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  return code;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint device_count, const cl_device_id *devices,
                                               const char *options, notify_fn notify, void *user_data) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  cl_int code = check_common(device_count, devices, notify, user_data);
  if (code != CL_SUCCESS) return code;
  if (p->attached || (!p->source && !p->binary)) return CL_INVALID_OPERATION;
  if (!weir_cl_modelled()) return CL_OUT_OF_RESOURCES;
  begin(p, options);
  code = build(p, options);
  notify_later(notify, p, user_data);
  return code;
}

static cl_int compile(cl_program p, const char *options, cl_uint count, const cl_program *headers, const char **names) {
  struct weir_cl_header *list = weir_new_array(struct weir_cl_header, count);
  for (cl_uint i = 0; i < count; i++)
    list[i] = (struct weir_cl_header){names[i], headers[i]->source, strlen(headers[i]->source)};
  const struct weir_cl_source source = {p->source, strlen(p->source), options, list, count};
  struct weir_cl_result r = weir_cl_compile(&source);
  weir_free(list);
  const cl_int code = take(p, &r, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS);
  if (code == CL_SUCCESS) succeed(p, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  return code;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program p, cl_uint device_count, const cl_device_id *devices,
                                                 const char *options, cl_uint header_count, const cl_program *headers,
                                                 const char **names, notify_fn notify, void *user_data) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  cl_int code = check_common(device_count, devices, notify, user_data);
  if (code != CL_SUCCESS) return code;
  if (!header_count != !headers || !header_count != !names) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < header_count; i++) {
    if (!weir_cl_is(headers[i], PROGRAM)) return CL_INVALID_PROGRAM;
    if (!headers[i]->source || !names[i]) return CL_INVALID_VALUE;
  }
  if (p->attached || !p->source) return CL_INVALID_OPERATION;
  begin(p, options);
  code = compile(p, options, header_count, headers, names);
  notify_later(notify, p, user_data);
  return code;
}

static cl_int link_all(cl_program p, const char *options, cl_uint count, const cl_program *inputs) {
  struct weir_cl_object *objects = weir_new_array(struct weir_cl_object, count);
  for (cl_uint i = 0; i < count; i++) objects[i] = (struct weir_cl_object){inputs[i]->binary, inputs[i]->binary_bytes};
  struct weir_cl_result r = weir_cl_link(objects, count, options);
  weir_free(objects);
  cl_int code = take(p, &r, CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS);
  if (code == CL_COMPILER_NOT_AVAILABLE) code = CL_LINKER_NOT_AVAILABLE;
  if (code != CL_SUCCESS) return code;
  if (weir_cl_is_bitcode(p->binary, p->binary_bytes)) {
    succeed(p, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    return CL_SUCCESS;
  }
  if (!weir_cl_program_load(p)) return CL_LINK_PROGRAM_FAILURE;
  succeed(p, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  return CL_SUCCESS;
}

// What has been linked cannot be linked again: an executable is PTX.
static cl_int check_inputs(cl_context c, cl_uint count, const cl_program *inputs) {
  if (!count || !inputs) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (!weir_cl_is(inputs[i], PROGRAM)) return CL_INVALID_PROGRAM;
    if (inputs[i]->context != c) return CL_INVALID_CONTEXT;
    if (!inputs[i]->binary || !weir_cl_is_bitcode(inputs[i]->binary, inputs[i]->binary_bytes))
      return CL_INVALID_OPERATION;
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context c, cl_uint device_count, const cl_device_id *devices,
                                                  const char *options, cl_uint count, const cl_program *inputs,
                                                  notify_fn notify, void *user_data, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  cl_int code = check_common(device_count, devices, notify, user_data);
  if (code == CL_SUCCESS) code = check_inputs(c, count, inputs);
  if (code == CL_SUCCESS && !weir_cl_modelled()) code = CL_OUT_OF_RESOURCES;
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  cl_program p = weir_cl_program_new(c);
  begin(p, options);
  code = link_all(p, options, count, inputs);
  weir_cl_code(errcode_ret, code);
  if (code == CL_INVALID_LINKER_OPTIONS || code == CL_LINKER_NOT_AVAILABLE) {
    weir_cl_program_release(p);
    return NULL;
  }
  notify_later(notify, p, user_data); // a program whose link failed is there for its log
  return p;
}

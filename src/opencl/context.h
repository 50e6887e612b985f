// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Contexts and command queues. Invariant: whatever lives in a context holds a reference to it.
#ifndef WEIR_OPENCL_CONTEXT_H
#define WEIR_OPENCL_CONTEXT_H

#include "opencl/device.h"

struct weir_cl_context_callback {
  void(CL_CALLBACK *call)(cl_context context, void *user_data);
  void *user_data;
};

struct _cl_context {
  struct weir_cl_head object;
  cl_context_properties properties[5]; // as given, to the closing 0
  unsigned property_count;
  void(CL_CALLBACK *notify)(const char *what, const void *private_info, size_t bytes, void *user_data);
  void *user_data;
  struct weir_cl_context_callback *destructors;
  size_t destructor_count, destructor_capacity;
};

struct _cl_command_queue {
  struct weir_cl_head object;
  cl_context context;
  cl_command_queue_properties properties;
  cl_queue_properties *list; // of clCreateCommandQueueWithProperties, or NULL
  unsigned list_count;
  cl_int failed;   // what a command that failed since the last clFinish ended with
  unsigned number; // from 1 on, in the order in which they were made
  // On the time line. Of a queue that is in order, all is in `line`; of one that is not, each command has a stream of its own.
  struct weir_stream line;
  struct weir_item *barrier; // the last; NULL: none
  struct weir_item **open;   // since then
  unsigned open_count, open_capacity;
};

void weir_cl_context_retain(cl_context c);
void weir_cl_context_release(cl_context c);
void weir_cl_context_notify(cl_context c, const char *what); // the program's callback, if there is one

void weir_cl_queue_retain(cl_command_queue q);
void weir_cl_queue_release(cl_command_queue q);

#endif

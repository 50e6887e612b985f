// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The table through which the ICD loader calls us (cl_khr_icd). Every slot is filled.
#include "opencl/device.h"
#include "opencl/sharing.h"

#include <string.h>

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  return platform == &weir_cl_platform ? clGetExtensionFunctionAddress(name) : NULL;
}

// The functions of cl_khr_icd, the only extension that has any; the loader asks for the last one, too.
CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
  if (!name) return NULL;
  if (!strcmp(name, "clIcdGetPlatformIDsKHR")) return (void *)clIcdGetPlatformIDsKHR;
  if (!strcmp(name, "clGetPlatformInfo")) return (void *)clGetPlatformInfo;
  return NULL;
}

const cl_icd_dispatch weir_cl_dispatch = {
  // OpenCL 1.0
  .clGetPlatformIDs = clGetPlatformIDs,
  .clGetPlatformInfo = clGetPlatformInfo,
  .clGetDeviceIDs = clGetDeviceIDs,
  .clGetDeviceInfo = clGetDeviceInfo,
  .clCreateContext = clCreateContext,
  .clCreateContextFromType = clCreateContextFromType,
  .clRetainContext = clRetainContext,
  .clReleaseContext = clReleaseContext,
  .clGetContextInfo = clGetContextInfo,
  .clCreateCommandQueue = clCreateCommandQueue,
  .clRetainCommandQueue = clRetainCommandQueue,
  .clReleaseCommandQueue = clReleaseCommandQueue,
  .clGetCommandQueueInfo = clGetCommandQueueInfo,
  .clSetCommandQueueProperty = clSetCommandQueueProperty,
  .clCreateBuffer = clCreateBuffer,
  .clCreateImage2D = clCreateImage2D,
  .clCreateImage3D = clCreateImage3D,
  .clRetainMemObject = clRetainMemObject,
  .clReleaseMemObject = clReleaseMemObject,
  .clGetSupportedImageFormats = clGetSupportedImageFormats,
  .clGetMemObjectInfo = clGetMemObjectInfo,
  .clGetImageInfo = clGetImageInfo,
  .clCreateSampler = clCreateSampler,
  .clRetainSampler = clRetainSampler,
  .clReleaseSampler = clReleaseSampler,
  .clGetSamplerInfo = clGetSamplerInfo,
  .clCreateProgramWithSource = clCreateProgramWithSource,
  .clCreateProgramWithBinary = clCreateProgramWithBinary,
  .clRetainProgram = clRetainProgram,
  .clReleaseProgram = clReleaseProgram,
  .clBuildProgram = clBuildProgram,
  .clUnloadCompiler = clUnloadCompiler,
  .clGetProgramInfo = clGetProgramInfo,
  .clGetProgramBuildInfo = clGetProgramBuildInfo,
  .clCreateKernel = clCreateKernel,
  .clCreateKernelsInProgram = clCreateKernelsInProgram,
  .clRetainKernel = clRetainKernel,
  .clReleaseKernel = clReleaseKernel,
  .clSetKernelArg = clSetKernelArg,
  .clGetKernelInfo = clGetKernelInfo,
  .clGetKernelWorkGroupInfo = clGetKernelWorkGroupInfo,
  .clWaitForEvents = clWaitForEvents,
  .clGetEventInfo = clGetEventInfo,
  .clRetainEvent = clRetainEvent,
  .clReleaseEvent = clReleaseEvent,
  .clGetEventProfilingInfo = clGetEventProfilingInfo,
  .clFlush = clFlush,
  .clFinish = clFinish,
  .clEnqueueReadBuffer = clEnqueueReadBuffer,
  .clEnqueueWriteBuffer = clEnqueueWriteBuffer,
  .clEnqueueCopyBuffer = clEnqueueCopyBuffer,
  .clEnqueueReadImage = clEnqueueReadImage,
  .clEnqueueWriteImage = clEnqueueWriteImage,
  .clEnqueueCopyImage = clEnqueueCopyImage,
  .clEnqueueCopyImageToBuffer = clEnqueueCopyImageToBuffer,
  .clEnqueueCopyBufferToImage = clEnqueueCopyBufferToImage,
  .clEnqueueMapBuffer = clEnqueueMapBuffer,
  .clEnqueueMapImage = clEnqueueMapImage,
  .clEnqueueUnmapMemObject = clEnqueueUnmapMemObject,
  .clEnqueueNDRangeKernel = clEnqueueNDRangeKernel,
  .clEnqueueTask = clEnqueueTask,
  .clEnqueueNativeKernel = clEnqueueNativeKernel,
  .clEnqueueMarker = clEnqueueMarker,
  .clEnqueueWaitForEvents = clEnqueueWaitForEvents,
  .clEnqueueBarrier = clEnqueueBarrier,
  .clGetExtensionFunctionAddress = clGetExtensionFunctionAddress,
  .clCreateFromGLBuffer = clCreateFromGLBuffer,
  .clCreateFromGLTexture2D = clCreateFromGLTexture2D,
  .clCreateFromGLTexture3D = clCreateFromGLTexture3D,
  .clCreateFromGLRenderbuffer = clCreateFromGLRenderbuffer,
  .clGetGLObjectInfo = clGetGLObjectInfo,
  .clGetGLTextureInfo = clGetGLTextureInfo,
  .clEnqueueAcquireGLObjects = clEnqueueAcquireGLObjects,
  .clEnqueueReleaseGLObjects = clEnqueueReleaseGLObjects,
  .clGetGLContextInfoKHR = clGetGLContextInfoKHR,
  // cl_khr_d3d10_sharing
  .clGetDeviceIDsFromD3D10KHR = (void *)weir_cl_refuse_call,
  .clCreateFromD3D10BufferKHR = (void *)weir_cl_refuse_handle,
  .clCreateFromD3D10Texture2DKHR = (void *)weir_cl_refuse_handle,
  .clCreateFromD3D10Texture3DKHR = (void *)weir_cl_refuse_handle,
  .clEnqueueAcquireD3D10ObjectsKHR = (void *)weir_cl_refuse_call,
  .clEnqueueReleaseD3D10ObjectsKHR = (void *)weir_cl_refuse_call,
  // OpenCL 1.1
  .clSetEventCallback = clSetEventCallback,
  .clCreateSubBuffer = clCreateSubBuffer,
  .clSetMemObjectDestructorCallback = clSetMemObjectDestructorCallback,
  .clCreateUserEvent = clCreateUserEvent,
  .clSetUserEventStatus = clSetUserEventStatus,
  .clEnqueueReadBufferRect = clEnqueueReadBufferRect,
  .clEnqueueWriteBufferRect = clEnqueueWriteBufferRect,
  .clEnqueueCopyBufferRect = clEnqueueCopyBufferRect,
  // cl_ext_device_fission
  .clCreateSubDevicesEXT = clCreateSubDevicesEXT,
  .clRetainDeviceEXT = clRetainDeviceEXT,
  .clReleaseDeviceEXT = clReleaseDeviceEXT,
  // cl_khr_gl_event
  .clCreateEventFromGLsyncKHR = clCreateEventFromGLsyncKHR,
  // OpenCL 1.2
  .clCreateSubDevices = clCreateSubDevices,
  .clRetainDevice = clRetainDevice,
  .clReleaseDevice = clReleaseDevice,
  .clCreateImage = clCreateImage,
  .clCreateProgramWithBuiltInKernels = clCreateProgramWithBuiltInKernels,
  .clCompileProgram = clCompileProgram,
  .clLinkProgram = clLinkProgram,
  .clUnloadPlatformCompiler = clUnloadPlatformCompiler,
  .clGetKernelArgInfo = clGetKernelArgInfo,
  .clEnqueueFillBuffer = clEnqueueFillBuffer,
  .clEnqueueFillImage = clEnqueueFillImage,
  .clEnqueueMigrateMemObjects = clEnqueueMigrateMemObjects,
  .clEnqueueMarkerWithWaitList = clEnqueueMarkerWithWaitList,
  .clEnqueueBarrierWithWaitList = clEnqueueBarrierWithWaitList,
  .clGetExtensionFunctionAddressForPlatform = clGetExtensionFunctionAddressForPlatform,
  .clCreateFromGLTexture = clCreateFromGLTexture,
  // cl_khr_d3d11_sharing
  .clGetDeviceIDsFromD3D11KHR = (void *)weir_cl_refuse_call,
  .clCreateFromD3D11BufferKHR = (void *)weir_cl_refuse_handle,
  .clCreateFromD3D11Texture2DKHR = (void *)weir_cl_refuse_handle,
  .clCreateFromD3D11Texture3DKHR = (void *)weir_cl_refuse_handle,
  .clCreateFromDX9MediaSurfaceKHR = (void *)weir_cl_refuse_handle,
  .clEnqueueAcquireD3D11ObjectsKHR = (void *)weir_cl_refuse_call,
  .clEnqueueReleaseD3D11ObjectsKHR = (void *)weir_cl_refuse_call,
  // cl_khr_dx9_media_sharing
  .clGetDeviceIDsFromDX9MediaAdapterKHR = (void *)weir_cl_refuse_call,
  .clEnqueueAcquireDX9MediaSurfacesKHR = (void *)weir_cl_refuse_call,
  .clEnqueueReleaseDX9MediaSurfacesKHR = (void *)weir_cl_refuse_call,
  // cl_khr_egl_image
  .clCreateFromEGLImageKHR = clCreateFromEGLImageKHR,
  .clEnqueueAcquireEGLObjectsKHR = clEnqueueAcquireEGLObjectsKHR,
  .clEnqueueReleaseEGLObjectsKHR = clEnqueueReleaseEGLObjectsKHR,
  // cl_khr_egl_event
  .clCreateEventFromEGLSyncKHR = clCreateEventFromEGLSyncKHR,
  // OpenCL 2.0
  .clCreateCommandQueueWithProperties = clCreateCommandQueueWithProperties,
  .clCreatePipe = clCreatePipe,
  .clGetPipeInfo = clGetPipeInfo,
  .clSVMAlloc = clSVMAlloc,
  .clSVMFree = clSVMFree,
  .clEnqueueSVMFree = clEnqueueSVMFree,
  .clEnqueueSVMMemcpy = clEnqueueSVMMemcpy,
  .clEnqueueSVMMemFill = clEnqueueSVMMemFill,
  .clEnqueueSVMMap = clEnqueueSVMMap,
  .clEnqueueSVMUnmap = clEnqueueSVMUnmap,
  .clCreateSamplerWithProperties = clCreateSamplerWithProperties,
  .clSetKernelArgSVMPointer = clSetKernelArgSVMPointer,
  .clSetKernelExecInfo = clSetKernelExecInfo,
  // cl_khr_sub_groups
  .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfoKHR,
  // OpenCL 2.1
  .clCloneKernel = clCloneKernel,
  .clCreateProgramWithIL = clCreateProgramWithIL,
  .clEnqueueSVMMigrateMem = clEnqueueSVMMigrateMem,
  .clGetDeviceAndHostTimer = clGetDeviceAndHostTimer,
  .clGetHostTimer = clGetHostTimer,
  .clGetKernelSubGroupInfo = clGetKernelSubGroupInfo,
  .clSetDefaultDeviceCommandQueue = clSetDefaultDeviceCommandQueue,
  // OpenCL 2.2
  .clSetProgramReleaseCallback = clSetProgramReleaseCallback,
  .clSetProgramSpecializationConstant = clSetProgramSpecializationConstant,
  // OpenCL 3.0
  .clCreateBufferWithProperties = clCreateBufferWithProperties,
  .clCreateImageWithProperties = clCreateImageWithProperties,
  .clSetContextDestructorCallback = clSetContextDestructorCallback,
};

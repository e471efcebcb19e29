/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl_meta.h - the objects that operators are described with: tensors, arrays, scalars, lists, and
 * the executors that the first phase of an operator makes. Valid in C and in C++.
 *
 * How a call goes
 * ---------------
 *     aclTensor *out = aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, memory);
 *     aclnnXGetWorkspaceSize(..., out, &workspaceSize, &executor);     phase 1: checks everything
 *     aclrtMalloc(&workspace, workspaceSize, ...);                      when it is not 0
 *     aclnnX(workspace, workspaceSize, executor, stream);               phase 2: queues the work
 *     aclrtSynchronizeStream(stream);                                   now the memory behind out is written
 *
 * Who may end what, and when
 * --------------------------
 * - Phase 1 copies everything about its tensors and arrays, also the data addresses: from then on
 *   the objects may be destroyed or changed without effect on the executor. But an executor that gets
 *   other addresses by aclSet*TensorAddr needs its tensors until the last of these calls.
 * - Phase 2 ends the executor, also when it fails, unless it was made repeatable.
 * - Data memory and workspace must last until the stream has finished.
 *
 * What always holds
 * -----------------
 * - Any thread may call any function. Different objects may be used at the same time; one object
 *   must not be changed while another thread uses it. Executors may go from thread to thread.
 * - Handles (all pointers to the types below) are names that are never used twice. For a handle that
 *   is NULL, stale, foreign or of another kind a call returns a status: 161001 for NULL, else 161002;
 *   for executors 561103 in both cases (161001 for NULL in phase 2). No handle is ever followed.
 * - Every status but 0, and every NULL that a create function returns, leaves a sentence for
 *   aclGetRecentErrMsg.
 */
#ifndef ACLNN_ACL_META_H
#define ACLNN_ACL_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

/* 0, or a status of opdev/op_errno.h or of acl/. */
typedef int32_t aclnnStatus;

#ifdef __cplusplus
constexpr aclnnStatus OK = 0;
#else
enum { OK = 0 };
#endif

/* ---- Tensors ------------------------------------------------------------------------------ */

/*
 * Describes a tensor: a strided view of memory that the caller owns. Element (i0, i1, ...) is at
 * tensorData + (offset + i0 * stride[0] + i1 * stride[1] + ...) * size of an element.
 *
 * viewDims, viewDimsNum        shape; at most 25 dimensions; 0 dimensions are one element
 * stride                       in elements, viewDimsNum of them; NULL: contiguous
 * offset                       in elements, from tensorData to the first element
 * storageDims, storageDimsNum  their product is the number of elements at tensorData, and a view that
 *                              reaches outside of it is refused by phase 1. One flat dimension is fine.
 *                              0 dimensions: not known; then only the end of an allocation bounds it.
 * tensorData                   where the storage starts; NULL if the address comes later
 *
 * Nothing else is checked before an operator looks. Returns NULL without memory, when viewDims or
 * storageDims is NULL though its count is not 0, and for more than 25 dimensions. The caller ends
 * the tensor with aclDestroyTensor.
 */
ACL_FUNC_VISIBILITY aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                               const int64_t *stride, int64_t offset, aclFormat format,
                                               const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);

/*
 * Describes a tensor anew. Dimensions that are NULL keep the old shape, strides (strides of a new
 * shape are contiguous) or storage; a NULL address keeps the old one.
 * 161001 for a NULL tensor; 161002 for a stale one and for more than 25 dimensions.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                                              aclDataType dataType, const int64_t *stride, int64_t offset,
                                              aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                                              void *tensorDataAddr);

/* Ends the description, not the memory. NULL: 0, nothing done. 161002 for a stale tensor. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor *tensor);

/*
 * Shape, storage shape and strides, each in a new array that the caller releases: with delete[] in
 * C++, with free in C. (It is made by the process's operator new[] where it has one, else by malloc;
 * delete[] of GCC's library and free are then the same.) An array without elements is not NULL.
 * 161001 when a pointer is NULL, 161002 for a stale tensor, 561000 without memory.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                                                   uint64_t *storageDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                                  uint64_t *stridesNum);

/* What the tensor was created with. 161001 when a pointer is NULL, 161002 for a stale tensor. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);

/*
 * The address at which the storage starts. Setting it has no effect on executors that exist; addr
 * may be NULL. 161001 when tensor (or, getting it, addr) is NULL, 161002 for a stale tensor.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);

/* ---- Arrays and scalars ------------------------------------------------------------------- */

/*
 * Arrays of values, which are copied. NULL or size 0 give an array without values. NULL without
 * memory. The caller ends them with their destroy function: NULL: 0; 161002 for a stale one.
 * Their size: 161001 when a pointer is NULL, 161002 for a stale array.
 */
ACL_FUNC_VISIBILITY aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
ACL_FUNC_VISIBILITY aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
ACL_FUNC_VISIBILITY aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);

/*
 * A value of the type, copied from value. NULL when value is NULL, for a type whose elements are not
 * whole bytes, and without memory. The caller ends it. No operator of this library takes one.
 */
ACL_FUNC_VISIBILITY aclScalar *aclCreateScalar(void *value, aclDataType dataType);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar *scalar);

/* ---- Lists -------------------------------------------------------------------------------- */

/*
 * Lists of tensors and of scalars. Creating one copies the handles only; destroying it ends the
 * members too (those that are still alive). NULL or size 0 give a list without members. No operator
 * of this library takes one. Statuses as for arrays.
 */
ACL_FUNC_VISIBILITY aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
ACL_FUNC_VISIBILITY aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList *array);
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);

/* ---- Executors ---------------------------------------------------------------------------- */

/*
 * From now on phase 2 leaves the executor alive: it may be run any number of times, on any streams
 * and with any workspaces, until aclDestroyAclOpExecutor. Every executor of this library can be.
 * 561103 when it is NULL or stale.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);

/* Ends an executor, repeatable or not. Work that was queued goes on. 561103 when it is NULL or stale. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);

/*
 * Replaces the data address of a tensor for the next runs of an executor, and in the tensor.
 *
 * index   the position of the tensor among the inputs, the outputs, or all tensors of phase 1
 * tensor  the one that phase 1 was given at that position
 * addr    the new start of its storage; NULL only for a tensor without elements
 *
 * The new memory must be as large and as aligned as the old one, and must not be shared between an
 * output and another tensor (of aclnnAdd, aclnnMul and aclnnRelu, unless both are the same view); phase 2 checks this
 * and returns 161002.
 * 561103 for a NULL or stale executor; 161001 for a NULL tensor or address; 161002 for an index that
 * does not exist and for another tensor.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                      void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                       void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr);

/*
 * The same for a member of a list of tensors. No operator of this library takes a list, so the status is
 * 161002 for a live executor and list, whatever irIndex is.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList *tensors,
                                                             void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList *tensors,
                                                              void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList *tensors, void *addr);

/* An older spelling of the same six. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                      void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                       void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList *tensors,
                                                             void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList *tensors,
                                                              void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList *tensors, void *addr);

/* Dumping is not supported: 200001, and nothing is written. */
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors,
                                                 size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif

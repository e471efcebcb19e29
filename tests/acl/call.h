/* SPDX-License-Identifier: Apache-2.0 */
// Calls of phase 1 as values: arguments that succeed, which a test then spoils one by one.
#ifndef CALL_H
#define CALL_H

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_math.h"

using Sizes = std::vector<int64_t>;

enum class Handle { LIVE, NONE, STALE };

// A device, and memory on it: every tensor has a block of its own, made when it is first asked for.
enum { BLOCK_NBYTES = 1 << 16 };
void *device_block(int which);
bool start_device();
bool end_device();

struct Tensor {
    Sizes shape;
    aclFormat format = ACL_FORMAT_NCHW;
    aclDataType type = ACL_FLOAT;
    void *data = nullptr;
    Sizes stride;  // none: contiguous
    Sizes storage; // none: the shape
    int64_t offset = 0;
    Handle handle = Handle::LIVE;
};

struct Array {
    Sizes values;
    Handle handle = Handle::LIVE;
};

struct Scalar {
    std::vector<unsigned char> bytes; // of its value
    aclDataType type = ACL_FLOAT;
    Handle handle = Handle::LIVE;
};

template <typename Value> Scalar scalar(Value value, aclDataType type)
{
    const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(&value);
    Scalar made;
    made.bytes.assign(bytes, bytes + sizeof(value));
    made.type = type;
    return made;
}

// What an operator was called with. A call uses the members that its operator has.
struct Call {
    std::string function; // phase 1's
    std::vector<Tensor> tensors;
    std::vector<Array> arrays;
    Array mask; // of booleans
    bool align_corners = false;
    double scales[3] = {0, 0, 0}; // of the first axis first
    int64_t interpolation = 0, padding = 0;
    Scalar alpha = scalar(1.0F, ACL_FLOAT);
    bool keep_dims = false;
    aclDataType dtype = ACL_FLOAT;
    bool has_workspace_size = true, has_executor = true;

    // Fills in what the call leaves in the objects that it makes: phase 1 and what came of it.
    aclnnStatus status = -1;
    uint64_t workspace_size = 0;
    aclOpExecutor *executor = nullptr;
    std::string message;
};

// The operators, with arguments that succeed.
Call bilinear_backward();
Call bilinear();
Call nearest_1d_backward();
Call nearest_1d();
Call nearest_2d_backward();
Call nearest_2d();
Call grid_backward();
Call grid();
Call grid_3d_backward();
Call grid_3d();
Call add();
Call mul();
Call relu();
Call reduce_sum();

// Calls phase 1 with objects that are destroyed before it returns; notes status, results and message.
void phase_1(Call &call);

// Calls phase 2 on the executor of phase 1 and waits for the stream.
aclnnStatus phase_2(const Call &call);

#endif

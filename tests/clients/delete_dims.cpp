// SPDX-License-Identifier: Apache-2.0
// C++ ends the arrays that questions about tensors return with delete[], which the address sanitizer wants to see
// matched. C code in the same program may call free: see docs/acl.md.
#include "client.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static int64_t *ask(const aclTensor *tensor, const Shape &wanted,
                    aclnnStatus (*question)(const aclTensor *, int64_t **, uint64_t *))
{
    int64_t *dims = nullptr;
    uint64_t n = 0;
    if (question(tensor, &dims, &n) != 0 || Shape(dims, dims + n) != wanted)
        die("the answer is wrong\n");
    return dims;
}

int main()
{
    const int64_t shape[] = {2, 3}, stored = 6;
    aclTensor *tensor = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &stored, 1, nullptr);
    delete[] ask(tensor, {2, 3}, aclGetViewShape);
    delete[] ask(tensor, {3, 1}, aclGetViewStrides);
    delete[] ask(tensor, {6}, aclGetStorageShape);
    aclDestroyTensor(tensor);
    aclTensor *number = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    delete[] ask(number, {}, aclGetViewShape);
#ifndef __SANITIZE_ADDRESS__
    std::free(ask(number, {}, aclGetViewShape));
#endif
    aclDestroyTensor(number);
    return 0;
}

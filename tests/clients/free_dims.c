/* SPDX-License-Identifier: Apache-2.0 */
/* C ends the arrays that questions about tensors return with free. */
#include <stdio.h>
#include <stdlib.h>

#include "aclnn/acl_meta.h"

int main(void)
{
    const int64_t shape[] = {2, 3}, stored = 6;
    aclTensor *tensor = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &stored, 1, NULL);
    aclnnStatus (*const questions[])(const aclTensor *, int64_t **, uint64_t *) = {aclGetViewShape, aclGetViewStrides,
                                                                                   aclGetStorageShape};
    for (int k = 0; k < 3; k++) {
        int64_t *dims = NULL;
        uint64_t n = 0;
        if (questions[k](tensor, &dims, &n) != 0 || n != (k == 2 ? 1 : 2))
            return EXIT_FAILURE;
        free(dims);
    }
    return aclDestroyTensor(tensor) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

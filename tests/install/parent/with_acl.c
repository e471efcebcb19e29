/* SPDX-License-Identifier: Apache-2.0 */
#include <acl/acl.h>
#include <aclnnop/aclnn_upsample_bilinear_2d_backward.h>

int main(void)
{
    return aclInit(NULL) != ACL_SUCCESS || aclFinalize() != ACL_SUCCESS;
}

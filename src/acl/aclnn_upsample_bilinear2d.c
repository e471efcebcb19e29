/* Bilinear resize and its gradient: the checks in the order of the vendor's, then a plan. */
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"

#include <stdio.h>

#include "acl/aclnn_check.h"
#include "acl/message.h"
#include "aclnn/opdev/op_errno.h"

/* ---- Layouts ------------------------------------------------------------------------------ */

/* Which dimensions are the channels, the height and the width. */
struct layout {
    int c, h, w;
};

static const struct layout channels_first = {1, 2, 3}, channels_last = {3, 1, 2};

/* The result says what everything is read as: all but NCHW and ND as NHWC. */
static struct layout layout_of_result(const struct rg_acl_argument *out)
{
    const aclFormat format = out->tensor->format;
    return format == ACL_FORMAT_NCHW || format == ACL_FORMAT_ND ? channels_first : channels_last;
}

/* The tensor that is read speaks for itself once more, and there only NHWC is special. */
static struct layout layout_of_source(const struct rg_acl_argument *source)
{
    return source->tensor->format == ACL_FORMAT_NHWC ? channels_last : channels_first;
}

static aclnnStatus check_format(const struct rg_call *call, const struct rg_acl_argument *tensor)
{
    const aclFormat format = tensor->tensor->format;
    if (format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NHWC || format == ACL_FORMAT_ND)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID,
                       "%s: the format of %s is %d, must be ACL_FORMAT_NCHW (0), ACL_FORMAT_NHWC (1) or ACL_FORMAT_ND "
                       "(2)",
                       call->function, tensor->name, (int)format);
}

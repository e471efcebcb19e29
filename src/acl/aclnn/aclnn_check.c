/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/aclnn/aclnn_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "acl/object/strided.h"
#include "acl/object/type.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"
#include "base/plural.h"

void rg_dims_text(char text[RG_DIMS_TEXT], const int64_t *dims, uint64_t n)
{
    int length = snprintf(text, RG_DIMS_TEXT, "(");
    for (uint64_t d = 0; d < n && length < RG_DIMS_TEXT; d++)
        length += snprintf(text + length, (size_t)(RG_DIMS_TEXT - length), d > 0 ? ", %" PRId64 : "%" PRId64, dims[d]);
    if (length < RG_DIMS_TEXT)
        snprintf(text + length, (size_t)(RG_DIMS_TEXT - length), ")");
}

int64_t rg_acl_dim(const struct rg_acl_argument *tensor, int d)
{
    return (uint64_t)d < tensor->tensor->rank ? tensor->tensor->shape[d] : 0;
}

int64_t rg_acl_value(const struct rg_acl_argument *array, int i)
{
    return ((const int64_t *)array->array->values)[i];
}

bool rg_acl_is_empty(const struct rg_acl_argument *tensor)
{
    return rg_strided_is_empty(tensor->tensor);
}

aclnnStatus rg_acl_check_rank(const struct rg_call *call, const struct rg_acl_argument *tensor, uint64_t rank)
{
    char shape[RG_DIMS_TEXT];
    if (tensor->tensor->rank == rank)
        return ACLNN_SUCCESS;
    rg_dims_text(shape, tensor->tensor->shape, tensor->tensor->rank);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s has %" PRIu64 " dimension%s, %s, must have %" PRIu64, tensor->name, tensor->tensor->rank,
                       rg_plural(tensor->tensor->rank), shape, rank);
}

aclnnStatus rg_acl_check_rank_at_most(const struct rg_call *call, const struct rg_acl_argument *tensor, uint64_t rank)
{
    if (tensor->tensor->rank <= rank)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s has %" PRIu64 " dimensions, must have at most %" PRIu64, tensor->name, tensor->tensor->rank,
                       rank);
}

aclnnStatus rg_acl_check_length(const struct rg_call *call, const struct rg_acl_argument *array, uint64_t length)
{
    if (array->array->size == length)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s has %" PRIu64 " value%s, must have %" PRIu64,
                       array->name, array->array->size, rg_plural(array->array->size), length);
}

aclnnStatus rg_acl_check_type(const struct rg_call *call, const struct rg_acl_argument *tensor,
                              const aclDataType *types)
{
    const aclDataType type = tensor->tensor->type;
    char wanted[RG_DIMS_TEXT] = "";
    for (int i = 0, length = 0; types[i] != ACL_DT_UNDEFINED; i++) {
        if (types[i] == type)
            return ACLNN_SUCCESS;
        length +=
            snprintf(wanted + length, sizeof(wanted) - (size_t)length, i > 0 ? ", %s" : "%s", rg_type_name(types[i]));
    }
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "the type of %s is %s (%d), must be one of %s",
                       tensor->name, rg_type_name(type), (int)type, wanted);
}

aclnnStatus rg_acl_check_whole_bytes(const struct rg_call *call, const char *name, aclDataType type)
{
    if (rg_type_size(type) > 0)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "the type of %s is %s (%d), must have elements of whole bytes", name, rg_type_name(type),
                       (int)type);
}

aclnnStatus rg_acl_check_same_type(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                   const struct rg_acl_argument *other)
{
    const aclDataType type = tensor->tensor->type, wanted = other->tensor->type;
    if (type == wanted)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "the type of %s is %s (%d), must be %s (%d), that of %s", tensor->name, rg_type_name(type),
                       (int)type, rg_type_name(wanted), (int)wanted, other->name);
}

aclnnStatus rg_acl_check_same_format(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                     const struct rg_acl_argument *other)
{
    const aclFormat format = tensor->tensor->format, wanted = other->tensor->format;
    if (format == wanted)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "the format of %s is %s (%d), must be %s (%d), that of %s", tensor->name, rg_format_name(format),
                       (int)format, rg_format_name(wanted), (int)wanted, other->name);
}

aclnnStatus rg_acl_check_image_format(const struct rg_call *call, const struct rg_acl_argument *tensor, bool takes_nhwc)
{
    const aclFormat format = tensor->tensor->format;
    if (format == ACL_FORMAT_NCHW || format == ACL_FORMAT_ND || (format == ACL_FORMAT_NHWC && takes_nhwc))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "the format of %s is %s (%d), must be %s", tensor->name,
                       rg_format_name(format), (int)format,
                       takes_nhwc ? "ACL_FORMAT_NCHW, ACL_FORMAT_NHWC or ACL_FORMAT_ND"
                                  : "ACL_FORMAT_NCHW or ACL_FORMAT_ND");
}

aclnnStatus rg_acl_check_dim(const struct rg_call *call, const struct rg_acl_argument *tensor, int d, int64_t wanted,
                             const char *reason)
{
    char shape[RG_DIMS_TEXT];
    if (rg_acl_dim(tensor, d) == wanted)
        return ACLNN_SUCCESS;
    rg_dims_text(shape, tensor->tensor->shape, tensor->tensor->rank);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s has size %" PRId64 " in dimension %d of its shape %s, must have %" PRId64 ", %s",
                       tensor->name, rg_acl_dim(tensor, d), d, shape, wanted, reason);
}

aclnnStatus rg_acl_check_value(const struct rg_call *call, const struct rg_acl_argument *array, int i, int64_t wanted,
                               const char *reason)
{
    if (rg_acl_value(array, i) == wanted)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s[%d] is %" PRId64 ", must be %" PRId64 ", %s",
                       array->name, i, rg_acl_value(array, i), wanted, reason);
}

aclnnStatus rg_acl_check_shape(const struct rg_call *call, const struct rg_acl_argument *tensor, const int64_t *dims,
                               uint64_t n, const char *reason)
{
    char shape[RG_DIMS_TEXT], wanted[RG_DIMS_TEXT];
    bool is_same = tensor->tensor->rank == n;
    for (uint64_t d = 0; is_same && d < n; d++)
        is_same = tensor->tensor->shape[d] == dims[d];
    if (is_same)
        return ACLNN_SUCCESS;
    rg_dims_text(shape, tensor->tensor->shape, tensor->tensor->rank);
    rg_dims_text(wanted, dims, n);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s has shape %s, must have %s, %s", tensor->name,
                       shape, wanted, reason);
}

aclnnStatus rg_acl_check_same_shape(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                    const struct rg_acl_argument *other)
{
    char reason[64];
    snprintf(reason, sizeof(reason), "that of %s", other->name);
    return rg_acl_check_shape(call, tensor, other->tensor->shape, other->tensor->rank, reason);
}

aclnnStatus rg_acl_check_positive_dim(const struct rg_call *call, const struct rg_acl_argument *tensor, int d)
{
    char shape[RG_DIMS_TEXT];
    if (rg_acl_dim(tensor, d) > 0)
        return ACLNN_SUCCESS;
    rg_dims_text(shape, tensor->tensor->shape, tensor->tensor->rank);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s has size %" PRId64 " in dimension %d of its shape %s, must have more than 0", tensor->name,
                       rg_acl_dim(tensor, d), d, shape);
}

aclnnStatus rg_acl_check_positive_value(const struct rg_call *call, const struct rg_acl_argument *array, int i)
{
    if (rg_acl_value(array, i) > 0)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s[%d] is %" PRId64 ", must be more than 0",
                       array->name, i, rg_acl_value(array, i));
}

aclnnStatus rg_acl_check_choice(const struct rg_call *call, const char *name, int64_t value, int64_t n)
{
    if (value >= 0 && value < n)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %" PRId64 ", must be 0 to %" PRId64, name, value,
                       n - 1);
}

aclnnStatus rg_acl_check_scale(const struct rg_call *call, const char *name, double scale)
{
    if (isfinite(scale) && (scale <= 0 || isfinite((float)(1 / scale))))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %g, must be finite and have a finite inverse",
                       name, scale);
}

aclnnStatus rg_acl_check_scale_not_negative(const struct rg_call *call, const char *name, double scale)
{
    if (!(scale < 0))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %g, must not be negative", name, scale);
}

aclnnStatus rg_acl_check_filter(const struct rg_call *call, const char *name, double scale, int half_taps)
{
    if (scale <= 0 || isfinite((float)(half_taps * (double)(float)(1 / scale))))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %g, must have a filter of finite length", name,
                       scale);
}

static aclnnStatus refuse_sizes(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out,
                                const char *does, double ratio, int most)
{
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s is %g and the sizes are %" PRId64 " and %" PRId64 ", which %s by %.17g, must be at most %d",
                       name, scale, in, out, does, ratio, most);
}

aclnnStatus rg_acl_check_ratio(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out)
{
    const double least = 0.02; /* the device's arithmetic; its documents say that 50 is the most */
    double ratio = 0;
    if (scale > 0)
        ratio = 1 / scale;
    else if (out != 0)
        ratio = (double)in / (double)out;
    if (ratio >= least)
        return ACLNN_SUCCESS;
    if (scale > 0)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %.17g, must be at most 50", name, scale);
    if (in < 1 || out < 1)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                           "%s is 0 and the sizes are %" PRId64 " and %" PRId64 ", must be 1 or more", name, in, out);
    return refuse_sizes(call, name, scale, in, out, "grows", (double)out / (double)in, 50);
}

aclnnStatus rg_acl_check_growth(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out)
{
    const int most = 500;
    const double ratio = (double)out / (double)in;
    if (scale > most)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %.17g, must be at most %d", name, scale,
                           most);
    return ratio > most ? refuse_sizes(call, name, scale, in, out, "grows", ratio, most) : ACLNN_SUCCESS;
}

aclnnStatus rg_acl_check_shrinkage(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out)
{
    const int most = 50;
    const double ratio = scale > 0 ? 1 / scale : (double)in / (double)out;
    if (ratio <= most)
        return ACLNN_SUCCESS;
    if (scale > 0)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %.17g, must be at least 0.02", name, scale);
    return refuse_sizes(call, name, scale, in, out, "shrinks", ratio, most);
}

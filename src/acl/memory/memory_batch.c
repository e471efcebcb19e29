/* SPDX-License-Identifier: Apache-2.0 */
/* Many copies in one call. */
#include <stdint.h>

#include "acl/acl_rt.h"
#include "acl/tell/refuse.h"

struct batch {
    void **dsts;
    size_t *dest_maxs;
    void **srcs;
    size_t *sizes;
    size_t n;
    const aclrtMemcpyBatchAttr *attrs;
    const size_t *attrs_indexes;
    size_t n_attrs;
    size_t *fail_index;
};

static aclError check_pointers(const struct rg_function *function, const struct batch *batch)
{
    const struct {
        const void *pointer;
        const char *name;
    } needed[] = {{batch->dsts, "dsts"},           {batch->dest_maxs, "destMaxs"},
                  {batch->srcs, "srcs"},           {batch->sizes, "sizes"},
                  {batch->attrs, "attrs"},         {batch->attrs_indexes, "attrsIndexes"},
                  {batch->fail_index, "failIndex"}};
    for (size_t k = 0; k < sizeof(needed) / sizeof(needed[0]); k++)
        if (needed[k].pointer == NULL)
            return rg_runtime_fail_null(function, needed[k].name);
    return ACL_SUCCESS;
}

/* Attribute k is of the copies from attrsIndexes[k] to those of the next. */
static aclError check_attributes(const struct rg_function *function, const struct batch *batch)
{
    if (batch->n == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "numBatches is 0, must be positive");
    if (batch->n_attrs == 0 || batch->n_attrs > batch->n)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "numAttrs is %zu, must be from 1 to numBatches = %zu", batch->n_attrs, batch->n);
    for (size_t k = 0; k < batch->n_attrs; k++) {
        const size_t index = batch->attrs_indexes[k], least = k == 0 ? 0 : batch->attrs_indexes[k - 1] + 1;
        if (index < least || index >= batch->n || (k == 0 && index != 0))
            return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                                   "attrsIndexes[%zu] is %zu, must be 0 for the first, then more than the one "
                                   "before it, and less than numBatches = %zu",
                                   k, index, batch->n);
        const aclrtMemLocationType types[] = {batch->attrs[k].dstLoc.type, batch->attrs[k].srcLoc.type};
        for (int end = 0; end < 2; end++)
            if (types[end] != ACL_MEM_LOCATION_TYPE_HOST && types[end] != ACL_MEM_LOCATION_TYPE_DEVICE)
                return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                                       "attrs[%zu].%s.type is %d, must be ACL_MEM_LOCATION_TYPE_HOST (0) or "
                                       "ACL_MEM_LOCATION_TYPE_DEVICE (1)",
                                       k, end == 0 ? "dstLoc" : "srcLoc", (int)types[end]);
    }
    return ACL_SUCCESS;
}

static aclrtMemcpyKind kind_of(const aclrtMemcpyBatchAttr *attribute)
{
    const bool to_device = attribute->dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    const bool from_device = attribute->srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if (to_device)
        return from_device ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
    return from_device ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_HOST;
}

static aclError run(const struct rg_function *function, const struct batch *batch, bool is_async, aclrtStream stream)
{
    aclError status = check_pointers(function, batch);
    if (status != ACL_SUCCESS)
        return status;
    *batch->fail_index = SIZE_MAX;
    status = check_attributes(function, batch);
    if (status != ACL_SUCCESS)
        return status;
    for (size_t k = 0, attribute = 0; k < batch->n; k++) {
        if (attribute + 1 < batch->n_attrs && batch->attrs_indexes[attribute + 1] == k)
            attribute++;
        const aclrtMemcpyKind kind = kind_of(&batch->attrs[attribute]);
        status = is_async ? aclrtMemcpyAsync(batch->dsts[k], batch->dest_maxs[k], batch->srcs[k], batch->sizes[k], kind,
                                             stream)
                          : aclrtMemcpy(batch->dsts[k], batch->dest_maxs[k], batch->srcs[k], batch->sizes[k], kind);
        if (status != ACL_SUCCESS) {
            *batch->fail_index = k;
            return rg_runtime_fail(status, function, "copy %zu of %zu is refused for the reason above, must not be", k,
                                   batch->n);
        }
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)
{
    static const struct rg_function function = {.name = __func__};
    const struct batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
    return run(&function, &batch, false, NULL);
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex,
                               aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
    return run(&function, &batch, true, stream);
}

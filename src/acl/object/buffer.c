/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "acl/acl_base.h"
#include "acl/handle/handle_check.h"
#include "acl/tell/refuse.h"

struct buffer {
    void *data;
    size_t size;
};

static aclError refuse(const struct rg_function *function, const aclDataBuffer *handle)
{
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "dataBuffer is %p, must be a live data buffer",
                           (const void *)handle);
}

static aclError fail_dead(const struct rg_function *function, const aclDataBuffer *handle)
{
    rg_handle_tell_dead(function, "dataBuffer", RG_HANDLE_DATA_BUFFER, handle);
    return refuse(function, handle);
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct buffer *buffer = malloc(sizeof(*buffer));
    aclDataBuffer *handle = NULL;
    if (buffer != NULL) {
        *buffer = (struct buffer){data, size};
        handle = rg_handle_create(RG_HANDLE_DATA_BUFFER, buffer, free, &origin);
    }
    if (handle == NULL) {
        free(buffer);
        rg_runtime_fail_memory(&function);
    }
    return handle;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    static const struct rg_function function = {.name = __func__};
    if (dataBuffer == NULL)
        return rg_runtime_fail_null(&function, "dataBuffer");
    const struct rg_origin origin = rg_origin_here(&function);
    if (rg_handle_destroy(RG_HANDLE_DATA_BUFFER, dataBuffer, &origin))
        return ACL_SUCCESS;
    rg_handle_tell_ended(&function, "dataBuffer", RG_HANDLE_DATA_BUFFER, dataBuffer);
    return refuse(&function, dataBuffer);
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    static const struct rg_function function = {.name = __func__};
    struct buffer *buffer = rg_handle_acquire(RG_HANDLE_DATA_BUFFER, dataBuffer);
    if (buffer == NULL)
        return dataBuffer == NULL ? rg_runtime_fail_null(&function, "dataBuffer") : fail_dead(&function, dataBuffer);
    *buffer = (struct buffer){data, size};
    rg_handle_release(RG_HANDLE_DATA_BUFFER, dataBuffer);
    return ACL_SUCCESS;
}

/* What is noted; nothing, with a message, for what is no live buffer. */
static struct buffer look(const struct rg_function *function, const aclDataBuffer *handle)
{
    const struct buffer *buffer = rg_handle_acquire(RG_HANDLE_DATA_BUFFER, handle);
    if (buffer == NULL) {
        fail_dead(function, handle);
        return (struct buffer){NULL, 0};
    }
    const struct buffer noted = *buffer;
    rg_handle_release(RG_HANDLE_DATA_BUFFER, handle);
    return noted;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    static const struct rg_function function = {.name = __func__};
    return look(&function, dataBuffer).data;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
    static const struct rg_function function = {.name = __func__};
    return (uint32_t)look(&function, dataBuffer).size;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    static const struct rg_function function = {.name = __func__};
    return look(&function, dataBuffer).size;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The objects behind the handles of acl_meta.h. */
#ifndef RG_OBJECT_H
#define RG_OBJECT_H

#include <stdint.h>

#include "acl/handle/handle.h"
#include "aclnn/acl_meta.h"

enum { RG_MAX_DIMS = 25 };

struct rg_acl_tensor {
    uint64_t rank;
    int64_t shape[RG_MAX_DIMS];
    int64_t stride[RG_MAX_DIMS]; /* in elements, as is offset */
    int64_t offset;
    uint64_t storage_rank;
    int64_t storage_shape[RG_MAX_DIMS];
    aclDataType type;
    aclFormat format;
    void *data;
    unsigned n_changes;       /* by clients since it was created, but for addresses that they set through an executor */
    struct rg_origin changed; /* the last of them */
};

/* An int, float or bool array, and the value of a scalar. The values follow in the same allocation. */
struct rg_array {
    uint64_t size;
    aclDataType type; /* of a scalar's value */
    void *values;
};

/* A handle of the kind for the object, which destroy ends. On failure the object is ended at once,
 * and there is a message. */
void *rg_object_publish(const struct rg_origin *origin, enum rg_handle_kind kind, void *object,
                        void (*destroy)(void *object));

/* The live object behind the argument, pinned until rg_handle_release; NULL otherwise, with 161001 or
 * 161002 in *status and a message. */
void *rg_object_acquire(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                        const void *handle, aclnnStatus *status);

/* What all aclDestroy... of objects do: NULL is nothing to do, a stale handle is refused. */
aclnnStatus rg_object_destroy(struct rg_origin origin, const char *argument, enum rg_handle_kind kind,
                              const void *handle);

/* Refuses an out parameter that is NULL. */
aclnnStatus rg_object_check_pointer(const struct rg_function *function, const char *argument, const void *pointer);

#endif

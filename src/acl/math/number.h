/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the types that tensors and scalars have, as float32. */
#ifndef RG_NUMBER_H
#define RG_NUMBER_H

#include <stddef.h>

#include "acl/acl_base.h"

struct rg_number {
    aclDataType type;
    size_t size; /* bytes */
    /* Rounded to nearest even where float32 lacks the number. */
    float (*load)(const void *from);
    /* To nearest even. A NaN is stored as the one of base/half.h. NULL for types that only scalars have here. */
    void (*store)(void *to, float value);
};

/* NULL for a type that is no number. */
const struct rg_number *rg_number_of(aclDataType type);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Strided views of any rank and any type of whole bytes: the bytes they reach, and plain writes. */
#ifndef RG_STRIDED_H
#define RG_STRIDED_H

#include "acl/object/object.h"

bool rg_strided_is_empty(const struct rg_acl_tensor *view);

/* The elements that the view reaches, counted from its data address: [low, high). Equal when it is empty.
 * false when a size is negative, or their product or a distance in bytes does not fit in 64 bits. */
bool rg_strided_extent(const struct rg_acl_tensor *view, int64_t *low, int64_t *high);

/* Writes each element of from to its place in to, which has the same shape and type; zeros when from
 * is NULL. Memory between the elements is left alone. */
void rg_strided_write(const struct rg_acl_tensor *to, void *to_data, const struct rg_acl_tensor *from,
                      const void *from_data);

#endif

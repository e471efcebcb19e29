/* SPDX-License-Identifier: Apache-2.0 */
/* Element types and formats: sizes, names for messages, and their native counterparts. */
#ifndef RG_TYPE_H
#define RG_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_base.h"
#include "regrad.h"

/* Bytes of an element; 0 for a type whose elements are not whole bytes, and for what is no type. */
size_t rg_type_size(aclDataType type);

/* "ACL_FLOAT" and so on; "no type" and "no format" for other values. */
const char *rg_type_name(aclDataType type);
const char *rg_format_name(aclFormat format);

/* The type that operators compute in; false when there is none. */
bool rg_type_native(aclDataType type, regrad_dtype *native);

#endif

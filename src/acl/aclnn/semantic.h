/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about calls that are allowed, and perhaps not meant. */
#ifndef RG_SEMANTIC_H
#define RG_SEMANTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/tell/function.h"

/* One axis that a call resizes; in and out are the forward's. */
struct rg_semantic_axis {
    const char *scale_name;
    double scale;
    int64_t in, out;
    int64_t output_size; /* what the array of this name says */
};

/* Chips, of which several are a sum. */
enum rg_chip { RG_CHIP_A2_A3 = 1, RG_CHIP_910 = 2, RG_CHIP_310P = 4, RG_CHIP_950 = 8 };

enum rg_semantic_operator {
    RG_SEMANTIC_OTHER,
    RG_SEMANTIC_BILINEAR_GRADIENT,
    RG_SEMANTIC_BILINEAR_GRADIENT_V2,
    RG_SEMANTIC_GRID_GRADIENT,
    RG_SEMANTIC_VOLUME_SAMPLING /* and its gradient */
};

enum { RG_SEMANTIC_AXES = 3 };

/* What there is to think about in a call of phase 1 that has succeeded. */
struct rg_semantic {
    enum rg_semantic_operator which;
    int n_axes;
    struct rg_semantic_axis axes[RG_SEMANTIC_AXES];
    bool aligns_corners;
    bool is_copy; /* of equal sizes, whatever the scales and the type */
    aclDataType type;
    unsigned lacking; /* chips that refuse the type, where the operator does not say it */
    bool has_nd_format;
    const char *unwritten; /* the argument that a device leaves as it was; NULL for none */
    const char *why;       /* it does */
};

/* Tells what is odd, each kind once for each place, the address that the function returns to. */
void rg_semantic_tell(const struct rg_semantic *semantic, const struct rg_function *function, const void *place);

#endif

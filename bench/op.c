/* SPDX-License-Identifier: Apache-2.0 */
#include "op.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "regrad.h"

/* "regrad_upsample_bicubic2d_aa_backward" is "bicubic_aa" in lines. */
static void take_word(struct op *op)
{
    static const char before[] = "regrad_upsample_";
    const char *name = op->function + sizeof before - 1;
    const char *end = strstr(name, "_aa") != NULL ? "_aa" : "";
    snprintf(op->word, sizeof op->word, "%.*s%s", (int)strcspn(name, "123"), name, end);
}

static enum family family_of(const struct op *op)
{
    if (op->takes_law)
        return FAMILY_NEAREST;
    if (strstr(op->word, "_aa") != NULL)
        return FAMILY_ANTIALIASED;
    return strcmp(op->word, "bicubic") == 0 ? FAMILY_BICUBIC : FAMILY_LINEAR;
}

bool op_at(int index, struct op *op)
{
    static const struct op grids[] = {
        {"grid_sample", "regrad_grid_sampler_2d", 2, FAMILY_GRID_2D, false, false},
        {"grid_sample", "regrad_grid_sampler_2d_backward", 2, FAMILY_GRID_2D, true, false},
        {"grid_sample", "regrad_grid_sampler_3d", 3, FAMILY_GRID_3D, false, false},
        {"grid_sample", "regrad_grid_sampler_3d_backward", 3, FAMILY_GRID_3D, true, false},
    };
    const int n_grids = sizeof grids / sizeof grids[0];
    regrad_resize_operator resize;
    if (index < n_grids) {
        *op = grids[index];
        return true;
    }
    if (!regrad_resize_operator_at(index - n_grids, &resize))
        return false;
    *op = (struct op){.function = resize.name,
                      .n_axes = resize.n_axes,
                      .is_backward = resize.is_backward,
                      .takes_law = resize.takes_law};
    take_word(op);
    op->family = family_of(op);
    return true;
}

bool op_find(const char *word, int n_axes, bool is_backward, struct op *op)
{
    for (int i = 0; op_at(i, op); i++)
        if (strcmp(op->word, word) == 0 && (n_axes == 0 || op->n_axes == n_axes) && op->is_backward == is_backward)
            return true;
    return false;
}

bool op_matches(const struct op *op, const char *list)
{
    const char *name = op->function + strlen("regrad_");
    char pattern[64];
    for (const char *rest = list; rest != NULL && *rest != '\0';) {
        const size_t length = strcspn(rest, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, rest);
        if (length < sizeof pattern && fnmatch(pattern, name, 0) == 0)
            return true;
        rest += length + (rest[length] == ',');
    }
    return list == NULL;
}

bool op_is_in_aclnn(const struct op *op)
{
    static const char *const functions[] = {
        "regrad_upsample_nearest_exact1d_backward",
        "regrad_upsample_nearest_exact2d_backward",
        "regrad_upsample_bilinear2d_backward",
        "regrad_grid_sampler_2d_backward",
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(op->function, functions[i]) == 0)
            return true;
    return false;
}

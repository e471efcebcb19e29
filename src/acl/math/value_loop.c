/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/math/value_loop.h"

#include <stdbool.h>

/* ---- Terms ------------------------------------------------------------------------------------ */

static float add(float value, float self, float other)
{
    (void)value;
    return self + other;
}

static float multiply(float value, float self, float other)
{
    (void)value;
    return self * other;
}

/* NaN is neither 0 nor less. */
static float rectify(float value, float self, float other)
{
    (void)value, (void)other;
    return self <= 0 ? 0 : self;
}

static float sum(float value, float self, float other)
{
    (void)other;
    return value + self;
}

static float (*const steps[])(float value, float self, float other) = {
    [RG_ADD_STEP] = add,
    [RG_MULTIPLY_STEP] = multiply,
    [RG_RECTIFY_STEP] = rectify,
    [RG_SUM_STEP] = sum,
};

/* ---- The loop --------------------------------------------------------------------------------- */

void rg_value_loop_add(struct rg_value_loop *loop, struct rg_value_dim dim)
{
    if (dim.size != 1) /* else its strides may be any numbers */
        loop->dim[loop->n_dims++] = dim;
}

/* Where the loop is: indices, and the elements of the views. */
struct place {
    int64_t index[RG_VALUE_LOOP_DIMS];
    int64_t element[RG_N_VALUE_VIEWS];
};

/* Goes on to the next term. Returns the outermost dimension whose index has changed; -1 when there is no next one. */
static int go_on(const struct rg_value_loop *loop, struct place *place)
{
    for (int d = loop->n_dims - 1; d >= 0; d--) {
        const struct rg_value_dim *dim = &loop->dim[d];
        const bool is_last = ++place->index[d] == dim->size;
        for (int view = 0; view < RG_N_VALUE_VIEWS; view++)
            place->element[view] += is_last ? -(dim->size - 1) * dim->stride[view] : dim->stride[view];
        if (!is_last)
            return d;
        place->index[d] = 0;
    }
    return -1;
}

void rg_value_loop_run(const struct rg_value_loop *loop, void *const addresses[RG_N_VALUE_VIEWS])
{
    const struct rg_number *number = loop->number;
    const int64_t size = (int64_t)number->size;
    const char *const self = addresses[RG_SELF_VIEW], *const other = addresses[RG_OTHER_VIEW];
    char *const out = addresses[RG_OUT_VIEW];
    struct place place = {.element = {loop->offset[0], loop->offset[1], loop->offset[2]}};
    float value = 0;
    int d;
    do {
        char *const result = out + place.element[RG_OUT_VIEW] * size;
        value = steps[loop->step](value, number->load(self + place.element[RG_SELF_VIEW] * size),
                                  loop->alpha * number->load(other + place.element[RG_OTHER_VIEW] * size));
        d = go_on(loop, &place);
        if (d < loop->n_kept) {
            number->store(result, value);
            value = 0;
        }
    } while (d >= 0);
}

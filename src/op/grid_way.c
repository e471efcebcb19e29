/* SPDX-License-Identifier: Apache-2.0 */
/* Which way a grid sample is run. No results depend on it. docs/performance.md says what each threshold gains. */
#include "base/tensor.h"
#include "op/grid_unit.h"

enum {
    /* An image with more pixels than this for each point is not worth copying; less so when all of its pixels must be
     * visited anyway, for they get a gradient. */
    PIXELS_PER_POINT = 8,
    VISITED_PER_POINT = 64,
    LEAST_TILED = 9,         /* fewer channels leave most of a tile empty */
    APART_NBYTES = 1 << 17,  /* a packed image of up to so many bytes stays in a cache while it is made */
    TILES_NBYTES = 1 << 21,  /* tensors that are larger than this in all do not stay in a second-level cache */
    STEP_PIXELS = 1024,      /* of rows that are opened together, at least */
    SLACK_NBYTES = 12 << 10, /* of workspace for each slot, beyond what tensors have: sections, rounded sizes */
    MOST_PACKED = 1 << 30,   /* pixels; places of them must fit in 32 bits */
    MOST_TILED = INT32_MAX / RG_GRID_LANES / 4 /* the same of values in a tile, with as many beside the image */
};

/* Bytes of the input and of the results, in the arithmetic type. */
static double call_nbytes(const struct rg_grid_plan *plan)
{
    const double channels = (double)plan->channels, points = (double)plan->n_points;
    const double image = (double)plan->spec.in_h * (double)plan->spec.in_w * channels;
    const double samples = plan->forward ? points * channels : 0;
    const double grads = (plan->want_input_grad ? image : 0) + (plan->want_grid_grad ? 2 * points : 0);
    return (double)plan->n * (image + samples + grads) * (double)plan->base.t_nbytes;
}

/* Workspace is to be no larger than the input and the results. */
static bool fits(const struct rg_grid_plan *plan)
{
    const int64_t nbytes = rg_grid_teams_nbytes(plan);
    return nbytes >= 0 && (double)nbytes <= call_nbytes(plan) + SLACK_NBYTES * (double)plan->base.n_slots;
}

static bool is_long(const struct rg_grid_plan *plan)
{
    return rg_grid_is_long(plan->spec.in_h) || rg_grid_is_long(plan->spec.in_w);
}

/* Are there at most so many pixels for each point? */
static bool has_points_for(const struct rg_grid_plan *plan, int64_t most)
{
    return plan->spec.in_h * plan->spec.in_w / most <= plan->n_points;
}

/* ---- Packed ---- */

/* Is a tensor laid out as a packed image? */
static bool is_packed(const struct rg_grid_plan *plan, const regrad_tensor *view)
{
    const int64_t lanes = plan->lanes, width = view->shape[3];
    return regrad_dtype_size(view->dtype) == plan->base.t_nbytes && plan->channels == lanes &&
           (lanes == 1 || view->stride[1] == 1) && (width == 1 || view->stride[3] == lanes) &&
           (view->shape[2] == 1 || view->stride[2] == width * lanes);
}

/* Steps are whole RG_GRID_LANES of pixels, which kernels move at a time. */
static int64_t packed_step(const struct rg_grid_plan *plan)
{
    const int64_t width = plan->spec.in_w;
    int64_t step = 1;
    while (step < RG_GRID_LANES && (step * width % RG_GRID_LANES != 0 || step * width < STEP_PIXELS))
        step *= 2;
    return step;
}

/* A gradient that is made where it is, although it is small and its tensor is not, waits for memory. */
static bool pays_apart(const struct rg_grid_plan *plan, const regrad_tensor *input_grad)
{
    return rg_grid_is_far(input_grad) && plan->n_pixels * (int64_t)rg_grid_pixel_nbytes(plan) <= APART_NBYTES;
}

static bool can_pack(struct rg_grid_plan *plan)
{
    const regrad_tensor *input = &plan->base.input[plan->forward ? 0 : 1].view;
    const regrad_tensor *input_grad = &plan->base.output[0].view;
    if (!rg_grid_is_bilinear(plan) || plan->channels < 1 || plan->channels > RG_PACKED_LANES || is_long(plan) ||
        plan->spec.in_h * plan->spec.in_w > MOST_PACKED)
        return false;
    plan->lanes = plan->channels == 1 ? 1 : (plan->channels + 1) / 2 * 2;
    plan->step = packed_step(plan);
    plan->input_copied = plan->need_input && !rg_way_is_taken(RG_IN_PLACE, is_packed(plan, input), true);
    plan->grad_copied = plan->want_input_grad && !rg_way_is_taken(RG_IN_PLACE, is_packed(plan, input_grad), true);
    plan->grad_apart = rg_way_is_taken(RG_APART, plan->want_input_grad && !plan->grad_copied && !plan->input_copied,
                                       pays_apart(plan, input_grad));
    return fits(plan);
}

static bool pays_to_pack(const struct rg_grid_plan *plan)
{
    return !plan->input_copied || has_points_for(plan, PIXELS_PER_POINT);
}

/* ---- Tiles ---- */

static bool can_tile(struct rg_grid_plan *plan)
{
    plan->lanes = RG_GRID_LANES;
    plan->step = 1;
    plan->input_copied = plan->need_input;
    plan->grad_copied = plan->want_input_grad;
    plan->grad_apart = false;
    return plan->channels > 0 && !is_long(plan) && plan->n_pixels <= MOST_TILED && fits(plan);
}

static bool pays_to_tile(const struct rg_grid_plan *plan)
{
    return plan->channels >= LEAST_TILED &&
           has_points_for(plan, plan->want_input_grad ? VISITED_PER_POINT : PIXELS_PER_POINT);
}

/* ---- Planes ---- */

/* They can be done whatever the call. All rows are opened at once. */
static void do_planes(struct rg_grid_plan *plan)
{
    plan->way = &rg_grid_planes;
    plan->lanes = 1;
    plan->step = INT64_C(1) << 62;
    plan->input_copied = false;
    plan->grad_copied = plan->want_input_grad;
    plan->grad_apart = false;
    rg_plan_note(&plan->base, plan->way->word, true);
}

/* ---- All ---- */

/* The first one is taken that can be and pays, and planes if none is. What comes before it leaves no trace. */
static const struct {
    const struct rg_grid_way *way;
    bool (*can)(struct rg_grid_plan *plan); /* also says how */
    bool (*pays)(const struct rg_grid_plan *plan);
} ways[] = {
    {&rg_grid_packed, can_pack, pays_to_pack},
    {&rg_grid_tiles, can_tile, pays_to_tile},
};

static void choose_way(struct rg_grid_plan *plan)
{
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        plan->way = ways[k].way;
        const bool can = ways[k].can(plan);
        if (rg_plan_takes(&plan->base, plan->way->word, can, ways[k].pays(plan)))
            return;
    }
    do_planes(plan);
}

/* Groups that each slot does alone need no waiting for one another, but memory. */
static void choose_groups(struct rg_grid_plan *plan)
{
    if (plan->base.n_slots == 1 || plan->way == &rg_grid_packed)
        return;
    plan->groups_alone = plan->n_groups - plan->n_groups % plan->base.n_slots;
    if (!fits(plan))
        plan->groups_alone = 0;
}

static bool has_far_result(const struct rg_grid_plan *plan)
{
    for (int k = 0; k < plan->base.n_outputs; k++)
        if (plan->base.output[k].used && rg_grid_is_far(&plan->base.output[k].view))
            return true;
    return false;
}

static void choose_traits(struct rg_grid_plan *plan)
{
    const bool is_tiled = plan->way == &rg_grid_tiles;
    const bool pays = is_tiled ? call_nbytes(plan) > TILES_NBYTES : has_far_result(plan);
    plan->streams = rg_plan_takes(&plan->base, RG_STREAMED, plan->way != &rg_grid_planes, pays);
    rg_plan_note(&plan->base, RG_IN_PLACE,
                 plan->way == &rg_grid_packed &&
                     ((plan->need_input && !plan->input_copied) || (plan->want_input_grad && !plan->grad_copied)));
    rg_plan_note(&plan->base, RG_APART, plan->grad_apart);
    rg_plan_note(&plan->base, RG_LONG, plan->wide != NULL);
}

void rg_grid_choose_way(struct rg_grid_plan *plan)
{
    const int64_t n_pixels = plan->spec.in_h * plan->spec.in_w;
    plan->n_pixels = (n_pixels + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
    choose_way(plan);
    choose_groups(plan);
    choose_traits(plan);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which way a grid sample is run. No results depend on it. docs/performance.md says what each threshold gains. */
#include "base/tensor.h"
#include "op/grid_unit.h"

enum {
    PIXELS_PER_POINT = 32, /* an image with more pixels than this for each point is not worth copying */
    VECTOR_PIXELS = 16,    /* likewise of few lanes, where planes are read by vectors */
    /* Likewise of many lanes, for each neighbour of a point that can be gathered: with channels last, in rows that are
     * too short to be moved a vector at a time, of 16 bits, or none of these. */
    LAST_PIXELS = 2,
    NARROW_PIXELS = 1,
    SHORT_PIXELS = 16,
    WIDE_PIXELS = 3,
    DEEP_PIXELS = 5,   /* in three dimensions */
    NARROW = 4,        /* pixels of such a row are fewer */
    LEAST_MANY = 3,    /* fewer channels leave nearly all of RG_GRID_LANES lanes empty */
    LEAST_NEAREST = 9, /* likewise where they are read by vectors and there is no gradient to add to */
    LEAST_CUBIC = 5,
    FEW_POINTS = 8,          /* are gathered in any case, since vectors of points would be nearly empty */
    LEAST_GATHERED = 8,      /* likewise of neighbours that are gathered */
    RG_GRID_ABREAST = 2,     /* groups of packed images that are done at the same time; more, where these are small */
    APART_NBYTES = 1 << 17,  /* a packed image of up to so many bytes stays in a cache while it is made */
    STEP_NBYTES = 16 << 10,  /* of rows that are opened together, at least */
    THREAD_NBYTES = 1 << 17, /* of workspace for each slot, in all, beyond what tensors have */
    SLACK_NBYTES = 64 << 10, /* of workspace for each slot, beyond what tensors have: sections, rounded sizes */
    MOST_STEP = 16,          /* rows */
    MOST_PACKED = 1 << 30    /* pixels; places of them must fit in 32 bits */
};

/* Bytes of the input and of the results, in the arithmetic type. */
static double call_nbytes(const struct rg_grid_plan *plan)
{
    const double channels = (double)plan->channels, points = (double)plan->n_points;
    const double image = (double)plan->n_rows * (double)plan->spec.in_w * channels;
    const double samples = plan->forward ? points * channels : 0;
    const double grads =
        (plan->want_input_grad ? image : 0) + (plan->want_grid_grad ? (double)plan->n_axes * points : 0);
    return (double)plan->n * (image + samples + grads) * (double)plan->base.t_nbytes;
}

/* Workspace is to be no larger than the input and the results, and THREAD_NBYTES for each slot, of which it has some
 * for itself in any case. */
static bool fits(const struct rg_grid_plan *plan)
{
    const int64_t nbytes = rg_grid_teams_nbytes(plan);
    const int64_t slack = rg_min(SLACK_NBYTES, THREAD_NBYTES - rg_grid_slot_nbytes(plan));
    return nbytes >= 0 && (double)nbytes <= call_nbytes(plan) + (double)slack * (double)plan->base.n_slots;
}

/* ---- Packed ---- */

/* Are all channels side by side in no more lanes than they need? Only those of bilinear points. */
static bool packs_all(const struct rg_grid_plan *plan)
{
    return rg_grid_is_paired(plan) && plan->channels <= RG_PACKED_LANES;
}

/* Is a tensor laid out as a packed image of few lanes? */
static bool lies_packed(const struct rg_grid_plan *plan, const regrad_tensor *view)
{
    const int64_t lanes = plan->lanes, width = view->shape[3];
    return packs_all(plan) && regrad_dtype_size(view->dtype) == plan->base.t_nbytes && plan->channels == lanes &&
           (lanes == 1 || view->stride[1] == 1) && (width == 1 || view->stride[3] == lanes) &&
           (view->shape[2] == 1 || view->stride[2] == width * lanes);
}

static int64_t packed_step(const struct rg_grid_plan *plan)
{
    int64_t step = 1;
    while (step < MOST_STEP && step * plan->spec.in_w * (int64_t)rg_grid_pixel_nbytes(plan) < STEP_NBYTES)
        step *= 2;
    return step;
}

/* A gradient that is made where it is, although it is small and its tensor is not, waits for memory. */
static bool pays_apart(const struct rg_grid_plan *plan, const regrad_tensor *input_grad)
{
    return rg_grid_is_far(input_grad) &&
           rg_grid_image_pixels(plan, 1) * (int64_t)rg_grid_pixel_nbytes(plan) <= APART_NBYTES;
}

static int64_t count_lanes(const struct rg_grid_plan *plan)
{
    int64_t lanes = 1;
    while (lanes < plan->channels)
        lanes *= 2;
    return packs_all(plan) ? lanes : RG_GRID_LANES;
}

/* Also says how. */
static bool can_pack(struct rg_grid_plan *plan)
{
    const regrad_tensor *input = &plan->base.input[plan->forward ? 0 : 1].view;
    const regrad_tensor *input_grad = &plan->base.output[0].view;
    plan->lanes = count_lanes(plan);
    plan->pitch = plan->spec.in_w + (plan->lanes == RG_GRID_LANES && rg_grid_is_paired(plan));
    plan->beside = plan->lanes == RG_GRID_LANES ? RG_PACKED_NOWHERE + 1 : 0;
    plan->step = packed_step(plan);
    plan->input_copied = plan->need_input && !rg_way_is_taken(RG_IN_PLACE, lies_packed(plan, input), true);
    plan->grad_copied = plan->want_input_grad && !rg_way_is_taken(RG_IN_PLACE, lies_packed(plan, input_grad), true);
    plan->grad_apart = rg_way_is_taken(RG_APART, plan->want_input_grad && !plan->grad_copied && !plan->input_copied,
                                       pays_apart(plan, input_grad));
    const struct rg_grid_spec *const spec = &plan->spec;
    const bool is_long = rg_grid_is_long(spec->in_d) || rg_grid_is_long(spec->in_h) || rg_grid_is_long(spec->in_w);
    return plan->channels > 0 && !is_long && plan->n_rows <= MOST_PACKED / plan->pitch && fits(plan);
}

static const regrad_tensor *image_view(const struct rg_grid_plan *plan)
{
    return plan->want_input_grad ? &plan->base.output[0].view : &plan->base.input[plan->forward ? 0 : 1].view;
}

static bool is_short(const struct rg_grid_plan *plan)
{
    return regrad_dtype_size(image_view(plan)->dtype) < plan->base.t_nbytes;
}

/* Are pixels of one channel side by side, and read by vectors of points? */
static bool reads_vectors(const struct rg_grid_plan *plan)
{
    return plan->need_input && !is_short(plan) && plan->base.input[plan->forward ? 0 : 1].view.stride[1] != 1;
}

/* An image with more pixels than this for each point is not worth copying. */
static int64_t pixels_per_point(const struct rg_grid_plan *plan)
{
    const int64_t row = plan->pitch > plan->spec.in_w ? plan->spec.in_w : plan->n_rows * plan->spec.in_w;
    const int64_t wide = rg_grid_has_depth(plan) && rg_grid_is_bilinear(plan) ? DEEP_PIXELS : WIDE_PIXELS;
    const int64_t most = row < NARROW ? NARROW_PIXELS : is_short(plan) ? SHORT_PIXELS : wide;
    const int64_t pixels = image_view(plan)->stride[1] == 1 ? LAST_PIXELS : most;
    if (packs_all(plan) && reads_vectors(plan))
        return VECTOR_PIXELS;
    if (packs_all(plan) || plan->spec.interpolation == REGRAD_BICUBIC)
        return PIXELS_PER_POINT;
    return rg_grid_count_neighbours(plan) * pixels;
}

static int64_t least_many(const struct rg_grid_plan *plan)
{
    if (plan->want_input_grad || is_short(plan) || rg_grid_is_bilinear(plan))
        return LEAST_MANY;
    return plan->spec.interpolation == REGRAD_NEAREST ? LEAST_NEAREST : LEAST_CUBIC;
}

static bool pays_to_pack(const struct rg_grid_plan *plan)
{
    if (packs_all(plan) && !plan->input_copied)
        return true;
    return (rg_grid_is_paired(plan) || plan->channels >= least_many(plan)) &&
           plan->n_rows * plan->spec.in_w / pixels_per_point(plan) <= plan->n_points;
}

/* Channels that are read one by one are not gathered side by side as well. */
static bool pays_to_gather(const struct rg_grid_plan *plan)
{
    const bool one =
        plan->forward && plan->spec.interpolation == REGRAD_NEAREST && plan->base.input[0].view.stride[1] != 1;
    /* Many planes of volumes, which lie far apart, are added to one after another. */
    const bool apart =
        rg_grid_has_depth(plan) && !plan->need_input && !plan->grad_copied && plan->base.output[0].view.stride[1] != 1;
    const bool few = plan->n_points <= FEW_POINTS;
    return plan->channels >= LEAST_GATHERED && (few || (!reads_vectors(plan) && !one && !apart));
}

/* ---- All ---- */

/* Planes can be done whatever the call. All rows are opened at once. */
static void do_planes(struct rg_grid_plan *plan)
{
    const bool can = regrad_dtype_size(plan->base.output[0].view.dtype) == plan->base.t_nbytes; /* sums be there */
    plan->way = &rg_grid_planes;
    plan->pitch = plan->spec.in_w;
    plan->beside = 0;
    plan->step = INT64_C(1) << 62;
    plan->input_copied = false;
    plan->grad_copied = plan->want_input_grad && !rg_way_is_taken(RG_IN_PLACE, can, true);
    plan->grad_apart = false;
    rg_plan_note(&plan->base, RG_PLANES, true);
    const bool gathers = rg_plan_takes(&plan->base, RG_GATHERED, rg_grid_can_gather(plan), pays_to_gather(plan));
    plan->lanes = gathers ? RG_GRID_LANES : 1;
}

/* Groups that each slot does alone need no waiting for one another, but memory. */
static void choose_groups(struct rg_grid_plan *plan)
{
    if (plan->base.n_slots == 1)
        return;
    plan->groups_alone = plan->n_groups - plan->n_groups % plan->base.n_slots;
    if (!fits(plan))
        plan->groups_alone = 0;
}

/* Groups abreast locate points once, and read more of a pixel that has its channels side by side. */
static void choose_abreast(struct rg_grid_plan *plan)
{
    const int64_t n_groups = plan->n_alone > 0 ? plan->n_groups : plan->groups_alone / plan->base.n_slots;
    const bool packed = plan->way == &rg_grid_packed;
    const int64_t small = packed ? RG_GRID_WHOLE_NBYTES / rg_max(rg_grid_whole_nbytes(plan), 1) : n_groups;
    plan->abreast = rg_max(rg_min(rg_max(small, RG_GRID_ABREAST), n_groups), 1);
    while (packed && plan->abreast > 1 && !fits(plan))
        plan->abreast /= 2;
    const bool can = plan->abreast > 1 && (packed || !plan->grad_copied);
    if (!rg_plan_takes(&plan->base, RG_ABREAST, can, true))
        plan->abreast = 1;
}

static void choose_traits(struct rg_grid_plan *plan)
{
    const bool is_packed = plan->way == &rg_grid_packed;
    const struct rg_operand *results = plan->base.output; /* one that is not wanted has no elements */
    const bool far = rg_grid_is_far(&results[0].view) || rg_grid_is_far(&results[1].view);
    plan->streams = rg_plan_takes(&plan->base, RG_STREAMED, is_packed, far);
    rg_plan_note(&plan->base, RG_IN_PLACE,
                 (is_packed && plan->need_input && !plan->input_copied) ||
                     (plan->want_input_grad && !plan->grad_copied));
    rg_plan_note(&plan->base, RG_APART, plan->grad_apart);
    rg_plan_note(&plan->base, RG_LONG, plan->wide != NULL);
}

void rg_grid_choose_way(struct rg_grid_plan *plan)
{
    plan->way = &rg_grid_packed;
    plan->abreast = 1;
    const bool can = can_pack(plan);
    if (!rg_plan_takes(&plan->base, RG_PACKED, can, pays_to_pack(plan)))
        do_planes(plan);
    choose_groups(plan);
    choose_abreast(plan);
    choose_traits(plan);
}

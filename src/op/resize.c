/* SPDX-License-Identifier: Apache-2.0 */
/* Planning a resize: what is refused, and how the rest is run (op/resize_run.c). */
#include "op/resize.h"

#include <stdio.h>

#include "base/status.h"
#include "base/tensor.h"
#include "op/resize_interleave.h"
#include "op/resize_move.h"
#include "op/resize_route.h"

enum {
    MOST_RESULTS = 1 << 15, /* of one strip, the tables of which are indexed with 32 bits */
    RING_NBYTES = 1 << 16,  /* of two batches of source rows made ready together; two rows at least */
    LINE_VALUES = 1024,     /* values of a line, where that is enough for one step */
    LINES_VALUES = 16384,   /* the same of all lines together */
    SIDE_BY_SIDE = 4,       /* lines that kernels resample together */
    ADDED_VALUES = 6,    /* the same of gradients by nearest: so many rows, times the longer width by the shorter one */
    ADDED_LINEAR = 12,   /* of linear ones: so many rows, times the longer width by the gradient's */
    SPARSE_LANES = 3,    /* so many results of a block have terms where it pays to make no others */
    SPARSE_ROWS = 32,    /* or so few rows there are */
    STRIPS_A_THREAD = 8, /* at least, of a row that is long enough */
    GROUP_VALUES = 2048  /* the same of lines of groups, and of rows that are groups */
};

/* Forwards of nearest laws compute nothing. */
static bool moves_elements(const struct rg_resize *resize)
{
    return rg_axis_is_nearest(resize->law) && !resize->backward;
}

static regrad_status check_shapes(const struct rg_resize *resize)
{
    const struct rg_argument *source = &resize->source, *result = &resize->result;
    static const char *const orders[] = {"N, C, L", "N, C, H, W", "N, C, D, H, W"};
    const char *op = resize->op, *order = orders[resize->n_axes - 1];
    rg_check *const check = moves_elements(resize) ? rg_check_moved_tensor : rg_check_tensor;
    RG_FORWARD(check(op, source, resize->n_axes + 2));
    RG_FORWARD(check(op, result, resize->n_axes + 2));
    RG_FORWARD(rg_check_same_dtype(op, result, source));
    RG_FORWARD(rg_check_size(op, result, 0, source, 0, order));
    RG_FORWARD(rg_check_size(op, result, 1, source, 1, order));
    for (int d = 2; d < resize->n_axes + 2; d++) {
        RG_FORWARD(rg_check_positive(op, source, d));
        RG_FORWARD(rg_check_positive(op, result, d));
    }
    return rg_check_output(op, result);
}

static struct rg_axis_spec axis_spec(const struct rg_resize *resize, int axis)
{
    const int64_t source = resize->source.tensor->shape[2 + axis], result = resize->result.tensor->shape[2 + axis];
    return (struct rg_axis_spec){
        .law = resize->law,
        .in_size = resize->backward ? result : source,
        .out_size = resize->backward ? source : result,
        .scale = resize->scale[axis],
        .use_double = resize->source.tensor->dtype == REGRAD_FLOAT64,
        .gather = resize->gather,
        .coordinates = resize->coordinates,
    };
}

static const char *wanted_scale(const struct rg_resize *resize)
{
    if (resize->gather)
        return "0 (from sizes), or positive and finite in float32, and so must be its inverse";
    if (rg_axis_is_nearest(resize->law))
        return "0 (from sizes), or positive and finite, and so must be its inverse in float32";
    if (rg_axis_radius(resize->law) > 2)
        return "finite, and so must be three times its inverse in the type of coordinates (0 and less: from sizes)";
    if (rg_axis_radius(resize->law) > 1)
        return "finite, and so must be twice its inverse in the type of coordinates (0 and less: from sizes)";
    return "finite, and so must be its inverse in the type of coordinates (0 and less: from sizes)";
}

static regrad_status check_scale(const struct rg_resize *resize, int axis)
{
    const struct rg_axis_spec spec = axis_spec(resize, axis);
    if (rg_axis_scale_ok(&spec))
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s is %g, must be %s", resize->op, resize->scale_name[axis],
                   resize->scale[axis], wanted_scale(resize));
}

regrad_status rg_resize_check(const struct rg_resize *resize)
{
    RG_FORWARD(check_shapes(resize));
    for (int axis = 0; axis < resize->n_axes; axis++)
        RG_FORWARD(check_scale(resize, axis));
    return REGRAD_OK;
}

static void destroy(regrad_plan *base)
{
    struct rg_resize_plan *plan = (struct rg_resize_plan *)base;
    rg_axis_fini(&plan->depth);
    rg_axis_fini(&plan->height);
    if (!plan->one_map)
        rg_axis_fini(&plan->width);
    for (int64_t k = 0; k < plan->n_strips; k++)
        rg_columns_fini(&plan->strips[k].columns, &base->setup.memory);
    rg_memory_give(&base->setup.memory, plan->strips, plan->n_strips, sizeof *plan->strips);
    rg_plan_free(base, sizeof *plan);
}

static int describe(const regrad_plan *base, char *text, size_t size)
{
    const struct rg_resize_plan *plan = rg_as_resize(base);
    const char *layout = plan->channels_last ? "channels last" : "planes";
    if (!rg_plan_has_result(base))
        return snprintf(text, size, "nothing to do");
    const bool turned = rg_plan_goes(base, RG_TURNED);
    const long long height = rg_axis_longest(turned ? &plan->width : &plan->height),
                    width = rg_axis_longest(turned ? &plan->height : &plan->width);
    if (base->input[0].view.rank < 5)
        return snprintf(text, size, "%s, up to %lld x %lld terms", layout, height, width);
    return snprintf(text, size, "%s, up to %lld x %lld x %lld terms", layout, (long long)rg_axis_longest(&plan->depth),
                    height, width);
}

/* The axes of a call that count as depth, height and width; -1: there is none. */
struct roles {
    int depth, height, width;
};

/* Planes are summed before their rows, so what counts as depth is the axis of the two outer ones that leaves fewer
 * values; a copied one, for then nothing is summed before. */
static struct roles choose_roles(const struct rg_resize *resize)
{
    if (resize->n_axes < 3)
        return (struct roles){-1, resize->n_axes - 2, resize->n_axes - 1};
    const struct rg_axis_spec d = axis_spec(resize, 0), h = axis_spec(resize, 1);
    const struct roles in_order = {0, 1, 2}, exchanged = {1, 0, 2};
    const int64_t *source = resize->source.tensor->shape + 2, *result = resize->result.tensor->shape + 2;
    if (rg_axis_is_copied(&d) || rg_axis_is_copied(&h))
        return rg_axis_is_copied(&d) ? in_order : exchanged;
    return (double)result[0] * (double)source[1] <= (double)source[0] * (double)result[1] ? in_order : exchanged;
}

/* A tensor as rows. What lacks an axis is one plane deep, or one row high. */
static struct rg_resize_side make_side(const regrad_tensor *view, struct roles roles)
{
    const int64_t *shape = view->shape + 2, *stride = view->stride + 2;
    return (struct rg_resize_side){
        .dtype = view->dtype,
        .element_nbytes = (int64_t)regrad_dtype_size(view->dtype),
        .depth = roles.depth < 0 ? 1 : shape[roles.depth],
        .height = roles.height < 0 ? 1 : shape[roles.height],
        .width = shape[roles.width],
        .stride_n = view->stride[0],
        .stride_c = view->stride[1],
        .stride_d = roles.depth < 0 ? 0 : stride[roles.depth],
        .stride_h = roles.height < 0 ? 0 : stride[roles.height],
        .stride_w = stride[roles.width],
    };
}

/* What counts as a plane, and as a value of it. */
static void lay_out(struct rg_resize_plan *plan, const regrad_tensor *tensor, bool channels_last)
{
    struct rg_resize_side *source = &plan->source, *result = &plan->result;
    const int64_t n = tensor->shape[0], c = tensor->shape[1];
    plan->channels_last = channels_last;
    plan->inner = channels_last ? c : 1;
    plan->n_channels = channels_last ? 1 : c;
    plan->n_volumes = n * plan->n_channels;
    plan->n_rows = rg_resize_count_planes(plan) * result->height;
    source->solid = source->width == 1 || source->stride_w == plan->inner;
    result->solid = result->width == 1 || result->stride_w == plan->inner;
}

/* Channels can be summed together where both tensors store them last, */
static bool are_last(const struct rg_resize_plan *plan, const regrad_tensor *tensor)
{
    return tensor->shape[1] > 1 && plan->source.stride_c == 1 && plan->result.stride_c == 1;
}

/* and one result does not need more of them than a cache holds. */
static bool fit_a_cache(const struct rg_resize_plan *plan)
{
    return (double)plan->width.max_taps * (double)plan->inner * (double)plan->base.t_nbytes <= RG_RESIZE_HELD;
}

static bool are_same(const struct rg_axis_spec *a, const struct rg_axis_spec *b)
{
    return a->law == b->law && a->in_size == b->in_size && a->out_size == b->out_size && a->scale == b->scale;
}

/* An axis of length 1, which is copied. */
static struct rg_axis_spec one_row(bool use_double)
{
    return (struct rg_axis_spec){.law = RG_AXIS_LINEAR, .in_size = 1, .out_size = 1, .use_double = use_double};
}

/* The sizes that order and ways are chosen by: values between the passes, with the height or the width first. */
static bool is_width_first(const struct rg_resize_side *source, const struct rg_resize_side *result)
{
    const double after_height = (double)result->height * (double)source->width;
    const double after_width = (double)source->height * (double)result->width;
    return after_width < after_height;
}

/* Gradients can be added up so where rows are single ones of neighbouring values. */
static bool can_add(const struct rg_resize_plan *plan, const struct rg_axis_spec *width)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    return rg_axis_has_formula(width) && rg_max(width->in_size, width->out_size) <= INT32_MAX && source->depth == 1 &&
           result->depth == 1 && source->height == 1 && result->height == 1 && source->width != result->width &&
           plan->inner == 1 && source->stride_w == 1 && result->stride_w == 1;
}

/* For one run: each value waits for the one before it in all rows, tables are made for one. */
static bool adding_pays(const struct rg_resize_plan *plan, enum rg_axis_law law)
{
    const double source = (double)plan->source.width, result = (double)plan->result.width;
    const double longer = source > result ? source : result, shorter = source > result ? result : source;
    const double most = law == RG_AXIS_LINEAR ? ADDED_LINEAR * result : ADDED_VALUES * shorter;
    return plan->base.setup.once && (plan->n_rows == 1 || (double)plan->n_rows * longer <= most);
}

/* Are results moved, which are single sources or 0, or sums of values that are added one by one? */
static bool only_moves(const struct rg_resize_plan *plan, const struct rg_resize *resize,
                       const struct rg_axis_spec *width)
{
    if (resize->backward)
        return rg_way_is_taken(RG_MOVED, can_add(plan, width), adding_pays(plan, width->law));
    return moves_elements(resize);
}

/* Only the results that have terms are made, and put among zeros one by one. That pays where they are few beside the
 * blocks of all; and where rows are few, for then there is less to plan: of nearest laws always, of linear ones, which
 * have tables of terms too, where half of the results have none. */
static bool sparse_pays(const struct rg_resize_plan *plan, const struct rg_resize *resize)
{
    const double n_rows = (double)plan->n_rows * (double)plan->inner, n_all = (double)plan->result.width;
    const double n_each = rg_axis_is_nearest(resize->law) ? 1 : 2, n_made = n_each * (double)plan->source.width;
    return !rg_resize_has_short_rows(plan) && (n_made * (double)plan->base.kernels->lanes <= SPARSE_LANES * n_all ||
                                               (n_rows <= SPARSE_ROWS && n_made * n_each <= n_all));
}

static bool is_sparse(struct rg_resize_plan *plan, const struct rg_resize *resize, const struct rg_axis_spec *width)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    const bool can =
        resize->backward && rg_axis_has_formula(width) && source->width < result->width && result->stride_w == 1;
    return rg_plan_takes(&plan->base, RG_SPARSE, can, sparse_pays(plan, resize));
}

static struct rg_axis_spec spec_of_role(const struct rg_resize *resize, int axis)
{
    return axis >= 0 ? axis_spec(resize, axis) : one_row(resize->source.tensor->dtype == REGRAD_FLOAT64);
}

/* Where height and width have the same lengths and scale, they have one map. Of a width whose values are moved none is
 * needed.
 */
static regrad_status build_maps(struct rg_resize_plan *plan, const struct rg_resize *resize, struct roles roles)
{
    const struct rg_axis_spec depth = spec_of_role(resize, roles.depth), height = spec_of_role(resize, roles.height),
                              width = spec_of_role(resize, roles.width);
    struct rg_memory *memory = &plan->base.setup.memory;
    plan->moves = only_moves(plan, resize, &width);
    RG_FORWARD(rg_axis_init(&plan->depth, &depth, resize->backward, memory));
    RG_FORWARD(rg_axis_take_weights(&plan->depth));
    plan->sums_planes = !plan->moves && !plan->depth.identity;
    RG_FORWARD(rg_axis_init(&plan->height, &height, resize->backward, memory));
    RG_FORWARD(rg_axis_take_weights(&plan->height));
    if (!plan->moves && is_sparse(plan, resize, &width))
        return rg_axis_init_sparse(&plan->width, &width, memory);
    plan->one_map = are_same(&height, &width);
    if (plan->one_map)
        plan->width = plan->height;
    else if (plan->moves && rg_axis_has_formula(&width) && width.in_size != width.out_size)
        rg_axis_init_bare(&plan->width, &width, resize->backward, memory);
    return plan->one_map || plan->width.n_dst > 0 ? REGRAD_OK
                                                  : rg_axis_init(&plan->width, &width, resize->backward, memory);
}

static void turn_side(struct rg_resize_side *side, int64_t row)
{
    side->width = side->height;
    side->stride_w = row;
    side->height = 1;
}

/* A plane whose rows keep their width is one row of groups: its rows, as pixels are whose channels are stored last. */
static bool can_turn(const struct rg_resize_plan *plan, int64_t row)
{
    return plan->width.identity && !plan->height.identity && rg_resize_is_dense(&plan->source, plan->inner) &&
           rg_resize_is_dense(&plan->result, plan->inner) &&
           (double)plan->height.max_taps * (double)row * (double)plan->base.t_nbytes <= RG_RESIZE_HELD;
}

static regrad_status turn_planes(struct rg_resize_plan *plan)
{
    const int64_t row = plan->result.width * plan->inner;
    if (!rg_plan_takes(&plan->base, RG_TURNED, can_turn(plan, row), row <= GROUP_VALUES))
        return REGRAD_OK;
    plan->n_rows /= plan->result.height;
    plan->inner = row;
    turn_side(&plan->source, row);
    turn_side(&plan->result, row);
    rg_axis_fini(&plan->width);
    plan->width = plan->height;
    plan->height = (struct rg_axis_map){0};
    const struct rg_axis_spec height = one_row(plan->width.spec.use_double);
    RG_FORWARD(rg_axis_init(&plan->height, &height, plan->width.backward, &plan->base.setup.memory));
    return rg_axis_take_weights(&plan->height);
}

/* Are rows only taken, so that it matters neither to time nor to bits whether the width comes first? All weights must
 * be 1: then no term is so small that it becomes a -0. */
static bool only_takes_rows(const struct rg_resize_plan *plan)
{
    return plan->height.ones && plan->height.max_taps <= 1 && plan->width.ones;
}

/* n_source * n_result of the other axis: the values between the two passes. */
static void choose_order(struct rg_resize_plan *plan)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    const bool both = !only_takes_rows(plan) && !plan->height.identity && !rg_resize_keeps_width(plan);
    plan->width_first = both && is_width_first(source, result);
}

/* Values of a line that is to stay in a cache. Source rows that are their own lines may be longer, for then there are
 * fewer tables, but where rows are few, threads are to share their strips. */
static int64_t line_values(const struct rg_resize_plan *plan)
{
    const bool direct = plan->in_place && plan->height.max_taps == 1;
    const int64_t most = LINES_VALUES / rg_max(rg_min(plan->n_rows, SIDE_BY_SIDE), 1);
    const int n_threads = plan->base.setup.n_threads;
    if (!direct || plan->n_rows >= n_threads)
        return direct ? most : LINE_VALUES;
    return rg_min(most, rg_max(LINE_VALUES, plan->width.n_src / (STRIPS_A_THREAD * n_threads)));
}

/* Where a strip from `from` on ends: as many results as keep its sources within a limit, in steps of a vector; one step
 * at least. The ends of rows grow, so it is found by halves. */
static int64_t strip_end(const struct rg_resize_plan *plan, int64_t from)
{
    const struct rg_axis_map *map = &plan->width;
    const int64_t step = plan->grouped ? 1 : RG_MAX_LANES;
    const int64_t n_values = plan->route == RG_FUSED_GROUPS ? LINES_VALUES
                             : plan->grouped                ? GROUP_VALUES
                                                            : line_values(plan);
    const int64_t limit = rg_max(n_values / plan->inner, 1);
    const int64_t most_results = plan->width_first ? RING_NBYTES / 2 / (int64_t)plan->base.t_nbytes : MOST_RESULTS;
    const int64_t most = rg_min(rg_divide_up(most_results, step * plan->inner), rg_divide_up(map->n_dst - from, step));
    int64_t low = 1, high = rg_max(most, 1); /* steps */
    while (low < high) {
        const int64_t middle = high - (high - low) / 2, end = rg_min(from + middle * step, map->n_dst);
        if (rg_axis_end(map, end - 1) - rg_axis_begin(map, from) > limit)
            high = middle - 1;
        else
            low = middle;
    }
    return rg_min(from + low * step, map->n_dst);
}

static struct rg_piece cut_strip(const struct rg_resize_plan *plan, int64_t from)
{
    const struct rg_axis_map *map = &plan->width;
    if (rg_resize_is_one_strip(plan))
        return (struct rg_piece){map->begin, map->first, NULL, 0, map->n_dst, 0, map->n_src};
    const int64_t to = strip_end(plan, from), low = rg_axis_begin(map, from);
    return (struct rg_piece){.begin = map->begin,
                             .first = map->first,
                             .weight = plan->grouped ? map->weight : NULL,
                             .from = from,
                             .to = to,
                             .low = low,
                             .n_src = rg_axis_end(map, to - 1) - low};
}

/* Cuts the width into strips; once to count them and once to keep them. */
static bool cut_strips(struct rg_resize_plan *plan)
{
    int64_t n_strips = 0;
    for (int64_t from = 0; from < plan->width.n_dst; n_strips++)
        from = cut_strip(plan, from).to;
    plan->strips = rg_memory_take(&plan->base.setup.memory, n_strips, sizeof *plan->strips);
    if (plan->strips == NULL)
        return false;
    plan->n_strips = n_strips;
    for (int64_t k = 0, from = 0; k < n_strips; from = plan->strips[k++].piece.to) {
        const struct rg_piece *piece = &plan->strips[k].piece;
        plan->strips[k] = (struct rg_resize_strip){.piece = cut_strip(plan, from)};
        plan->has_long |= rg_resize_is_long(plan, piece);
        plan->max_from = rg_max(plan->max_from, rg_min(piece->n_src, rg_resize_most_sources(plan)));
        plan->max_to = rg_max(plan->max_to, piece->to - from);
    }
    return true;
}

/* Rows of groups take their time, and so do those that come one by one from the ring. */
static void choose_batch(struct rg_resize_plan *plan)
{
    const int64_t most = rg_min(RG_RESIZE_BATCH, LINES_VALUES / rg_max(rg_resize_line_length(plan), 1));
    plan->batch = plan->grouped || plan->width_first ? 1 : rg_max(rg_min(most, plan->n_rows), 1);
}

static void choose_ring_batch(struct rg_resize_plan *plan)
{
    const int64_t row_nbytes = rg_max(rg_booked(rg_resize_ring_length(plan), plan->base.t_nbytes), 1);
    plan->ring_batch = rg_max(RING_NBYTES / (2 * row_nbytes), 1);
}

static bool needs_columns(const struct rg_resize_plan *plan)
{
    return plan->route == RG_SHRINK || plan->route == RG_COLUMNS;
}

/* What kernels need to make results. */
static bool build_columns(struct rg_resize_plan *plan)
{
    for (int64_t k = 0; k < plan->n_strips && needs_columns(plan); k++) {
        const struct rg_columns_spec spec = {
            .piece = plan->strips[k].piece,
            .inner = plan->inner,
            .factor = plan->factor,
            .streamed = plan->streamed && plan->result.width * plan->inner % plan->base.kernels->lanes == 0,
            .kernels = plan->base.kernels,
            .memory = &plan->base.setup.memory,
        };
        if (!rg_columns_init(&plan->strips[k].columns, &plan->width, &spec))
            return false;
    }
    return true;
}

/* Tables, and how the rows are made from them. */
static regrad_status plan_rows(struct rg_resize_plan *plan, const struct rg_resize *resize, struct roles roles)
{
    const regrad_tensor *source = resize->source.tensor;
    lay_out(plan, source, are_last(plan, source));
    RG_FORWARD(build_maps(plan, resize, roles));
    if (!fit_a_cache(plan))
        lay_out(plan, source, false);
    RG_FORWARD(turn_planes(plan));
    choose_order(plan);
    rg_resize_choose_route(plan);
    if (plan->grouped || plan->route == RG_INTERLEAVED)
        RG_FORWARD(rg_axis_take_weights(&plan->width));
    if (plan->route == RG_INTERLEAVED)
        return rg_resize_plan_interleaved(plan) ? REGRAD_OK : REGRAD_ERROR_OUT_OF_MEMORY;
    if (!cut_strips(plan))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    choose_batch(plan);
    choose_ring_batch(plan);
    rg_resize_choose_traits(plan);
    if (!build_columns(plan) || !rg_resize_split(plan))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    return REGRAD_OK;
}

/* Without samples or channels there are no rows, and heights and widths may be of any size. */
static regrad_status fill_plan(struct rg_resize_plan *plan, const struct rg_resize *resize)
{
    regrad_plan *base = &plan->base;
    rg_plan_init(base, resize->op, resize->source.tensor->dtype);
    rg_plan_add_input(base, &resize->source, true);
    if (resize->unread.tensor != NULL)
        rg_plan_add_input(base, &resize->unread, false);
    rg_plan_add_output(base, &resize->result, true);
    base->run = rg_resize_run;
    base->describe = describe;
    base->destroy = destroy;
    const struct roles roles = choose_roles(resize);
    plan->height_outer = roles.depth > roles.height;
    plan->source = make_side(&base->input[0].view, roles);
    plan->result = make_side(&base->output[0].view, roles);
    return rg_plan_has_result(base) ? plan_rows(plan, resize, roles) : REGRAD_OK;
}

static regrad_status refuse_memory(const struct rg_resize *resize, const struct rg_memory *memory)
{
    char source[RG_SIZES_LENGTH], result[RG_SIZES_LENGTH];
    RG_FORWARD(rg_memory_check(memory, resize->op));
    return rg_fail(
        REGRAD_ERROR_OUT_OF_MEMORY, "%s: out of memory for the tables of %s.shape %s and %s.shape %s, must be smaller",
        resize->op, rg_argument_name(&resize->source),
        rg_format_sizes(source, resize->source.tensor->shape, resize->n_axes + 2), rg_argument_name(&resize->result),
        rg_format_sizes(result, resize->result.tensor->shape, resize->n_axes + 2));
}

regrad_status rg_resize_plan_create(const struct rg_resize *resize, struct rg_setup *setup, regrad_plan **plan)
{
    RG_FORWARD(rg_resize_check(resize));
    struct rg_resize_plan *made = rg_plan_allocate(setup, sizeof *made);
    if (made == NULL)
        return refuse_memory(resize, &setup->memory);
    if (fill_plan(made, resize) != REGRAD_OK) { /* there is no other reason */
        setup->memory = made->base.setup.memory;
        destroy(&made->base);
        return refuse_memory(resize, &setup->memory);
    }
    *plan = &made->base;
    return REGRAD_OK;
}

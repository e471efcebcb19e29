/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_line.h"

#include <string.h>

#include "kernel/value_kernels.h"

bool rg_resize_needs_ring(const struct rg_resize_plan *plan)
{
    return plan->width_first || !plan->source.solid || plan->sums_planes;
}

int64_t rg_resize_line_length(const struct rg_resize_plan *plan)
{
    const int64_t rest =
        plan->route == RG_FUSED_GROUPS ? (RG_MAX_LANES - plan->inner % RG_MAX_LANES) % RG_MAX_LANES : 0;
    return plan->factor > 0 ? 0 : plan->max_from * (plan->inner + rest);
}

static int64_t lines_nbytes(const struct rg_resize_plan *plan)
{
    const size_t t = plan->base.t_nbytes;
    return plan->batch * rg_booked(rg_resize_line_length(plan), t) +
           (plan->factor > 0 ? 0 : rg_booked(RG_LINE_ROOM, t));
}

/* A row of the result on its way to where it is not contiguous, or from the ring, or the sum of a long result. */
static int64_t out_length(const struct rg_resize_plan *plan)
{
    const bool needed = plan->width_first || !plan->result.solid || plan->has_long || plan->width.place != NULL;
    return needed ? plan->max_to * plan->inner + RG_LINE_ROOM : 0;
}

/* Sparse rows are made several at a time. */
static int64_t n_out(const struct rg_resize_plan *plan)
{
    return plan->width.place != NULL ? plan->batch : 1;
}

int64_t rg_resize_out_nbytes(const struct rg_resize_plan *plan)
{
    return rg_booked(out_length(plan), plan->base.t_nbytes);
}

int64_t rg_resize_ring_length(const struct rg_resize_plan *plan)
{
    return (plan->width_first ? plan->max_to : plan->max_from) * plan->inner;
}

/* A source row on its way to the line. */
static int64_t in_length(const struct rg_resize_plan *plan)
{
    return (plan->width_first || plan->sums_planes) && !plan->source.solid ? plan->max_from * plan->inner : 0;
}

int64_t rg_resize_slot_nbytes(const struct rg_resize_plan *plan)
{
    const size_t t = plan->base.t_nbytes;
    return lines_nbytes(plan) +
           (rg_resize_needs_ring(plan) ? 2 * plan->ring_batch * rg_booked(rg_resize_ring_length(plan), t) : 0) +
           n_out(plan) * rg_resize_out_nbytes(plan) + rg_booked(in_length(plan), t);
}

void rg_resize_grant_lines(const struct rg_resize_plan *plan, char *workspace, struct rg_resize_lines *lines)
{
    const size_t t = plan->base.t_nbytes;
    lines->ring_nbytes = rg_booked(rg_resize_ring_length(plan), t);
    lines->line_nbytes = rg_booked(rg_resize_line_length(plan), t);
    lines->line = rg_grant(&workspace, lines_nbytes(plan), 1);
    lines->ring = rg_grant(&workspace, rg_resize_needs_ring(plan) ? 2 * plan->ring_batch * lines->ring_nbytes : 0, 1);
    lines->out = rg_grant(&workspace, n_out(plan) * rg_resize_out_nbytes(plan), 1);
    lines->in = rg_grant(&workspace, in_length(plan), t);
}

/* A strip of source row h as values of the arithmetic type, in order. */
static void load_strip(const struct rg_resize_plan *plan, const char *plane, int64_t h, const struct rg_piece *piece,
                       void *to)
{
    const struct rg_resize_side *side = &plan->source;
    const char *from = plane + rg_resize_offset(side, h, piece->low);
    rg_load_fn *const load = plan->base.kernels->values->load[side->dtype];
    if (side->solid)
        load(to, from, 1, piece->n_src * plan->inner);
    else if (plan->inner == 1)
        load(to, from, side->stride_w, piece->n_src);
    else
        for (int64_t w = 0; w < piece->n_src; w++)
            load((char *)to + w * plan->inner * (int64_t)plan->base.t_nbytes,
                 from + w * side->stride_w * side->element_nbytes, 1, plan->inner);
}

struct rg_share rg_resize_columns_of(const struct rg_resize_plan *plan, const struct rg_piece *piece)
{
    const struct rg_axis_map *map = &plan->width;
    if (map->place == NULL)
        return (struct rg_share){piece->from, piece->to};
    return (struct rg_share){piece->from == 0 ? 0 : map->place[piece->from],
                             piece->to == map->n_dst ? plan->result.width : map->place[piece->to]};
}

/* Values of so many bytes, a constant. */
static inline void place_values(char *to, const void *from, const int64_t *place, int64_t n, size_t nbytes)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(to + place[k] * (int64_t)nbytes, (const char *)from + k * (int64_t)nbytes, nbytes);
}

enum { ROUNDED = 256 }; /* values of a sparse row that are rounded before they are put in their places */

/* Clears the columns of a strip, and puts those there that are in the map. */
static void store_sparse(const struct rg_resize_plan *plan, const struct rg_resize_row *row,
                         const struct rg_piece *piece, const char *from)
{
    const struct rg_resize_side *side = &plan->result;
    const struct rg_share columns = rg_resize_columns_of(plan, piece);
    char *to = row->result + rg_resize_offset(side, row->h, 0);
    double rounded[ROUNDED];
    memset(to + columns.begin * side->element_nbytes, 0,
           (size_t)((columns.end - columns.begin) * side->element_nbytes));
    for (int64_t at = piece->from; at < piece->to; at += ROUNDED, from += ROUNDED * plan->base.t_nbytes) {
        const int64_t n = rg_min(piece->to - at, ROUNDED), *place = plan->width.place + at;
        plan->base.kernels->values->store[side->dtype](rounded, 1, from, n);
        if (side->element_nbytes == 2)
            place_values(to, rounded, place, n, 2);
        else if (side->element_nbytes == 4)
            place_values(to, rounded, place, n, 4);
        else
            place_values(to, rounded, place, n, 8);
    }
}

void rg_resize_store_strip(const struct rg_resize_plan *plan, const struct rg_resize_row *row,
                           const struct rg_piece *piece, const void *from)
{
    const struct rg_resize_side *side = &plan->result;
    char *to = row->result + rg_resize_offset(side, row->h, piece->from);
    const int64_t n = piece->to - piece->from;
    rg_store_fn *const store = plan->base.kernels->values->store[side->dtype];
    if (plan->width.place != NULL)
        store_sparse(plan, row, piece, from);
    else if (side->solid)
        store(to, 1, from, n * plan->inner);
    else if (plan->inner == 1)
        store(to, side->stride_w, from, n);
    else
        for (int64_t w = 0; w < n; w++)
            store(to + w * side->stride_w * side->element_nbytes, 1,
                  (const char *)from + w * plan->inner * (int64_t)plan->base.t_nbytes, plan->inner);
}

void rg_resize_resample(const struct rg_resize_plan *plan, void *const *to, regrad_dtype dtype, const void *const *line,
                        int64_t n, const struct rg_resize_strip *strip, bool streamed, struct rg_ahead ahead)
{
    if (!plan->grouped)
        plan->base.kernels->resize[dtype]->cols(to, line, n, &strip->columns, streamed, ahead);
    else
        for (int64_t k = 0; k < n; k++)
            plan->base.kernels->resize[dtype]->groups(to[k], line[k], plan->inner, &strip->piece, streamed);
}

/* The planes that one of the result is made of, the first of which is row->source. */
static struct rg_rows planes_of(const struct rg_resize_plan *plan, const struct rg_resize_row *row)
{
    static const float one = 1;
    static const double wide_one = 1;
    const struct rg_axis_map *map = &plan->depth;
    const bool is_wide = plan->base.t_nbytes == sizeof(double);
    if (!plan->sums_planes)
        return (struct rg_rows){.weight = is_wide ? (const void *)&wide_one : &one, .n_rows = 1, .n_fresh = 1};
    const int64_t n = map->first[row->d + 1] - map->first[row->d];
    return (struct rg_rows){
        .weight = (const char *)map->weight + map->first[row->d] * (int64_t)plan->base.t_nbytes,
        .pitch = plan->source.stride_d * plan->source.element_nbytes,
        .n_rows = n,
        .n_fresh = n,
    };
}

/* The weighted sum of a part of source row h of all these planes. */
static void sum_planes(const struct rg_resize_plan *plan, const struct rg_resize_lines *lines,
                       const struct rg_resize_row *row, int64_t h, const struct rg_piece *piece, void *to)
{
    const struct rg_resize_side *side = &plan->source;
    struct rg_rows planes = planes_of(plan, row);
    const int64_t n_planes = planes.n_rows;
    planes.n = piece->n_src * plan->inner;
    if (side->solid || n_planes == 0) {
        planes.src = row->source + rg_resize_offset(side, h, piece->low);
        plan->base.kernels->resize[side->dtype]->rows(to, &planes, true);
        return;
    }
    planes.src = lines->in;
    planes.n_rows = planes.n_fresh = 1;
    for (int64_t d = 0; d < n_planes; d++) {
        load_strip(plan, row->source + d * planes.pitch, h, piece, lines->in);
        plan->base.kernels->resize[rg_plan_own_dtype(&plan->base)]->rows(to, &planes, d == 0);
        planes.weight = (const char *)planes.weight + plan->base.t_nbytes;
    }
}

struct rg_resize_strip rg_resize_part_of(const struct rg_resize_plan *plan, const struct rg_piece *piece, int64_t at)
{
    struct rg_resize_strip part = {.piece = *piece};
    part.piece.low += at;
    part.piece.n_src = rg_min(piece->n_src - at, rg_resize_most_sources(plan));
    return part;
}

void rg_resize_add_part(const struct rg_resize_plan *plan, void *sum, const void *line, const struct rg_piece *part)
{
    const int64_t nbytes = (int64_t)plan->base.t_nbytes, at = part->low - part->begin[part->from];
    const struct rg_rows rows = {
        .src = line,
        .pitch = plan->inner * nbytes,
        .weight = (const char *)part->weight + (part->first[part->from] + at) * nbytes,
        .n_rows = part->n_src,
        .n = plan->inner,
    };
    plan->base.kernels->resize[rg_plan_own_dtype(&plan->base)]->rows(sum, &rows, at == 0);
}

/* Makes source row h of what a plane is made of ready in the ring. */
static void make_ready(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                       const struct rg_resize_row *row, int64_t h, const struct rg_resize_strip *strip)
{
    const struct rg_piece *piece = &strip->piece;
    void *to = lines->ring + h % (2 * plan->ring_batch) * lines->ring_nbytes;
    const void *line = lines->line;
    if (!plan->width_first && !plan->sums_planes) {
        load_strip(plan, row->source, h, piece, to);
    } else if (!plan->width_first) {
        sum_planes(plan, lines, row, h, piece, to);
    } else if (rg_resize_is_long(plan, piece)) {
        for (int64_t at = 0; at < piece->n_src; at += rg_resize_most_sources(plan)) {
            const struct rg_resize_strip part = rg_resize_part_of(plan, piece, at);
            sum_planes(plan, lines, row, h, &part.piece, lines->line);
            rg_resize_add_part(plan, to, line, &part.piece);
        }
    } else {
        sum_planes(plan, lines, row, h, piece, lines->line);
        rg_resize_resample(plan, &to, rg_plan_own_dtype(&plan->base), &line, 1, strip, false, (struct rg_ahead){0});
    }
}

/* The same for batch number `batch` of the rows. */
static void make_batch_ready(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                             const struct rg_resize_row *row, int64_t batch, const struct rg_resize_strip *strip)
{
    const int64_t end = rg_min((batch + 1) * plan->ring_batch, plan->source.height);
    for (int64_t h = batch * plan->ring_batch; h < end; h++)
        make_ready(plan, lines, row, h, strip);
    lines->ready[batch % 2] = batch;
}

void rg_resize_forget_ring(struct rg_resize_lines *lines, int64_t plane)
{
    lines->plane = plane;
    lines->ready[0] = lines->ready[1] = -1;
}

const void *rg_resize_ready_rows(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                                 const struct rg_resize_row *row, int64_t h, int64_t *n,
                                 const struct rg_resize_strip *strip)
{
    const int64_t at = h % (2 * plan->ring_batch);
    *n = rg_min(*n, 2 * plan->ring_batch - at);
    if (lines->plane != row->plane)
        rg_resize_forget_ring(lines, row->plane);
    for (int64_t batch = h / plan->ring_batch; batch <= (h + *n - 1) / plan->ring_batch; batch++)
        if (lines->ready[batch % 2] != batch)
            make_batch_ready(plan, lines, row, batch, strip);
    return lines->ring + at * lines->ring_nbytes;
}

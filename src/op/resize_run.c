/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The separable operators. A resize is the product of two axis maps, and one fused pass makes the rows
 * of the result from the rows of the source that its height map names:
 *
 *     height first   sum the source rows into a line, then resample the line along the width
 *     width first    resample each source row along the width, then sum
 *
 * whichever has the smaller intermediate; which one is a function of the sizes only, and with it the
 * order of summation. A value of the result has one owner and needs nothing from other values, so slots
 * share the rows of all planes, or, where these are few, parts of every row.
 *
 * A row is `width` groups of `inner` neighbouring values: inner = 1 where a plane is one channel
 * (NCHW), inner = C where channels are stored last (NHWC). Both add the same terms in the same order.
 * Rows are widened to the arithmetic type when read and rounded once when stored.
 *
 * What is between stays in the first-level cache: strips of rows, several of which are resampled together.
 */
#include <string.h>

#include "kernel/value_kernels.h"
#include "op/resize_add.h"
#include "op/resize_interleave.h"
#include "op/resize_line.h"
#include "op/resize_move.h"

/* The source rows that row h of the result sums; src and n are still to be set. */
static struct rg_rows rows_of(const struct rg_resize_plan *plan, int64_t h)
{
    const struct rg_axis_map *map = &plan->height;
    const int64_t n = map->first[h + 1] - map->first[h], end = rg_axis_end(map, h);
    const int64_t seen = h == 0 ? 0 : rg_axis_end(map, h - 1);
    return (struct rg_rows){
        .weight = (const char *)map->weight + map->first[h] * (int64_t)plan->base.t_nbytes,
        .n_rows = n,
        .n_fresh = rg_min(end - seen, n),
        .copied = rg_plan_goes(&plan->base, RG_TURNED), /* then it is the width that is copied */
    };
}

/* The same as they are in the tensor. */
static struct rg_rows stored_rows(const struct rg_resize_plan *plan, const struct rg_resize_row *row,
                                  const struct rg_piece *piece)
{
    const struct rg_resize_side *side = &plan->source;
    struct rg_rows rows = rows_of(plan, row->h);
    rows.src = row->source + rg_resize_offset(side, plan->height.begin[row->h], piece->low);
    rows.pitch = side->stride_h * side->element_nbytes;
    rows.n = piece->n_src * plan->inner;
    return rows;
}

/* The weighted sum of n values of the source rows that row->h names, from the ring. */
static void sum_ready(const struct rg_resize_plan *plan, struct rg_resize_lines *lines, const struct rg_resize_row *row,
                      const struct rg_resize_strip *strip, void *to, int64_t n)
{
    struct rg_rows rows = rows_of(plan, row->h);
    const int64_t begin = plan->height.begin[row->h], n_taps = rows.n_rows;
    int64_t tap = 0;
    rows.pitch = lines->ring_nbytes;
    rows.n = n;
    rows.n_fresh = 0;
    do { /* once also where there is nothing to add: the sum is 0 then */
        rows.n_rows = n_taps - tap;
        if (rows.n_rows > 0)
            rows.src = rg_resize_ready_rows(plan, lines, row, begin + tap, &rows.n_rows, strip);
        plan->base.kernels->resize[rg_plan_own_dtype(&plan->base)]->rows(to, &rows, tap == 0);
        rows.weight = (const char *)rows.weight + rows.n_rows * (int64_t)plan->base.t_nbytes;
        tap += rows.n_rows;
    } while (tap < n_taps);
}

/* Does a row of the result sum nothing? Then it is +0; many are where the result is larger than the source. */
static bool is_clear(const struct rg_resize_plan *plan, const struct rg_resize_row *row)
{
    return plan->result.solid && (plan->height.first[row->h] == plan->height.first[row->h + 1] ||
                                  plan->depth.first[row->d] == plan->depth.first[row->d + 1]);
}

static void clear_strip(const struct rg_resize_plan *plan, const struct rg_resize_row *row,
                        const struct rg_piece *piece)
{
    const struct rg_resize_side *side = &plan->result;
    const struct rg_share columns = rg_resize_columns_of(plan, piece);
    char *to = row->result + rg_resize_offset(side, row->h, columns.begin);
    const size_t nbytes = (size_t)((columns.end - columns.begin) * plan->inner * side->element_nbytes);
    if (plan->streamed)
        plan->base.kernels->values->clear_far(to, nbytes);
    else
        memset(to, 0, nbytes);
}

static void make_width_first(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                             const struct rg_resize_row *row, const struct rg_resize_strip *strip)
{
    if (is_clear(plan, row)) {
        clear_strip(plan, row, &strip->piece);
        return;
    }
    sum_ready(plan, lines, row, strip, lines->out, (strip->piece.to - strip->piece.from) * plan->inner);
    rg_resize_store_strip(plan, row, &strip->piece, lines->out);
}

/* What the n rows of the result after the last one will read while this piece of it is made: a part of their sources.
 * Only where there is more to read than to write: else it costs more than it gains. */
static struct rg_ahead ahead_of(const struct rg_resize_plan *plan, const struct rg_resize_row *last, int64_t n,
                                const struct rg_piece *piece)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    const struct rg_axis_map *map = &plan->height;
    const int64_t end = rg_axis_end(map, last->h);
    const int64_t wanted =
        n * source->height / result->height * source->width * plan->inner * source->element_nbytes; /* rows are dense */
    if (!plan->prefetched)
        return (struct rg_ahead){0};
    return (struct rg_ahead){
        .from = last->source + rg_resize_offset(source, end, 0) + wanted / result->width * piece->from,
        .nbytes = wanted / result->width * (piece->to - piece->from),
    };
}

/* Resamples lines into n rows of the result. */
static void finish_rows(const struct rg_resize_plan *plan, const struct rg_resize_lines *lines,
                        const struct rg_resize_row *rows, const void *const *line, int64_t n,
                        const struct rg_resize_strip *strip)
{
    const struct rg_resize_side *side = &plan->result;
    const struct rg_piece *piece = &strip->piece;
    const bool sparse = plan->width.place != NULL, direct = side->solid && !sparse;
    const int64_t together = direct || sparse ? n : 1;
    void *to[RG_RESIZE_BATCH];
    for (int64_t at = 0; at < n; at += together) {
        for (int64_t k = 0; k < together; k++)
            to[k] = direct ? rows[k].result + rg_resize_offset(side, rows[k].h, piece->from)
                           : lines->out + k * rg_resize_out_nbytes(plan);
        rg_resize_resample(plan, to, direct ? side->dtype : rg_plan_own_dtype(&plan->base), line + at, together, strip,
                           direct && plan->streamed, ahead_of(plan, &rows[n - 1], n, piece));
        for (int64_t k = 0; k < together && !direct; k++)
            rg_resize_store_strip(plan, &rows[at + k], piece, to[k]);
    }
}

/* Can values of source rows be resampled as they are? Also those that follow them may be read. */
static bool is_line(const struct rg_resize_plan *plan, const struct rg_rows *rows, const struct rg_run *run)
{
    const char *start = (const char *)run->input[0] + rg_first_nbytes(&plan->base.input[0].view);
    return plan->in_place && rows->n_rows == 1 &&
           ((const char *)rows->src - start) / plan->source.element_nbytes + rows->n + RG_LINE_ROOM <= plan->n_sources;
}

/* What a row of the result needs, summed into a line unless it is one as it is. */
static const void *line_of(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                           const struct rg_resize_row *row, const struct rg_resize_strip *strip, void *line)
{
    if (rg_resize_needs_ring(plan)) {
        sum_ready(plan, lines, row, strip, line, strip->piece.n_src * plan->inner);
        return line;
    }
    const struct rg_rows stored = stored_rows(plan, row, &strip->piece);
    if (is_line(plan, &stored, lines->run))
        return stored.src;
    plan->base.kernels->resize[plan->source.dtype]->rows(line, &stored, true);
    return line;
}

/* The same for the first of n rows, and for those after it that may share source rows with it; returns how many. */
static int64_t lines_of(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                        const struct rg_resize_row *rows, int64_t n, const struct rg_resize_strip *strip, char *to,
                        const void **line)
{
    const struct rg_axis_map *map = &plan->height;
    const struct rg_resize_side *source = &plan->source;
    struct rg_band band = {.begin = map->begin, .first = map->first, .weight = map->weight};
    int64_t n_lines = 0;
    if (!plan->shares_rows) {
        line[0] = line_of(plan, lines, rows, strip, to);
        return 1;
    }
    for (; n_lines < n && rows[n_lines].source == rows->source && rows[n_lines].h == rows->h + n_lines; n_lines++)
        line[n_lines] = to + n_lines * lines->line_nbytes;
    band.from = rows->h;
    band.to = rows->h + n_lines;
    band.src = rows->source + rg_resize_offset(source, 0, strip->piece.low);
    band.pitch = source->stride_h * source->element_nbytes;
    band.n = strip->piece.n_src * plan->inner;
    plan->base.kernels->resize[source->dtype]->shared_rows(to, lines->line_nbytes, &band);
    return n_lines;
}

static void make_height_first(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                              const struct rg_resize_row *rows, int64_t n, const struct rg_resize_strip *strip)
{
    const void *line[RG_RESIZE_BATCH];
    struct rg_resize_row sums[RG_RESIZE_BATCH];
    int64_t n_sums = 0;
    for (int64_t k = 0; k < n; k++)
        if (is_clear(plan, &rows[k]))
            clear_strip(plan, &rows[k], &strip->piece);
        else
            sums[n_sums++] = rows[k];
    for (int64_t k = 0; k < n_sums;)
        k += lines_of(plan, lines, &sums[k], n_sums - k, strip, lines->line + k * lines->line_nbytes, &line[k]);
    if (plan->route != RG_ROWS && n_sums > 0)
        finish_rows(plan, lines, sums, line, n_sums, strip);
    for (int64_t k = 0; k < n_sums && plan->route == RG_ROWS; k++)
        rg_resize_store_strip(plan, &sums[k], &strip->piece, line[k]);
}

/* A long result of height first: a ring holds one part of its sources. */
static void make_long(const struct rg_resize_plan *plan, struct rg_resize_lines *lines, const struct rg_resize_row *row,
                      const struct rg_piece *piece)
{
    for (int64_t at = 0; at < piece->n_src; at += rg_resize_most_sources(plan)) {
        const struct rg_resize_strip part = rg_resize_part_of(plan, piece, at);
        rg_resize_forget_ring(lines, -1);
        rg_resize_add_part(plan, lines->out, line_of(plan, lines, row, &part, lines->line), &part.piece);
    }
    rg_resize_store_strip(plan, row, piece, lines->out);
}

/* A run in progress, seen by its slots. */
struct progress {
    const struct rg_resize_plan *plan;
    const struct rg_run *run;
    const char *source; /* plane 0 */
    char *result;
};

/* Goes through the rows of the result, plane after plane. */
struct cursor {
    const struct progress *progress;
    struct rg_resize_row row;
};

static void enter_plane(struct cursor *cursor, int64_t plane)
{
    const struct progress *progress = cursor->progress;
    const struct rg_resize_plan *plan = progress->plan;
    const int64_t volume = plane / plan->result.depth, d = plane % plan->result.depth;
    const int64_t first = rg_axis_begin(&plan->depth, d);
    cursor->row.source = progress->source + rg_resize_plane_nbytes(plan, &plan->source, volume, first);
    cursor->row.result = progress->result + rg_resize_plane_nbytes(plan, &plan->result, volume, d);
    cursor->row.plane = plane;
    cursor->row.d = d;
}

static struct cursor cursor_at(const struct progress *progress, int64_t row)
{
    const int64_t height = progress->plan->result.height;
    struct cursor cursor = {.progress = progress, .row.h = row % height};
    enter_plane(&cursor, row / height);
    return cursor;
}

/* The next n rows. */
static void take_rows(struct cursor *cursor, struct rg_resize_row *rows, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (cursor->row.h == cursor->progress->plan->result.height) {
            cursor->row.h = 0;
            enter_plane(cursor, cursor->row.plane + 1);
        }
        rows[k] = cursor->row;
        cursor->row.h++;
    }
}

static void make_rows(const struct progress *progress, struct rg_resize_lines *lines, const struct rg_resize_row *rows,
                      int64_t n, const struct rg_resize_strip *strip)
{
    const struct rg_resize_plan *plan = progress->plan;
    if (plan->width_first)
        make_width_first(plan, lines, rows, strip);
    else if (rg_resize_is_long(plan, &strip->piece))
        make_long(plan, lines, rows, &strip->piece);
    else
        make_height_first(plan, lines, rows, n, strip);
}

/* What one slot makes: parts of rows. */
struct task {
    struct rg_share rows, parts;
};

static struct task task_of(const struct rg_resize_plan *plan, int slot)
{
    const int n_slots = plan->base.n_slots;
    struct task task = {{0, plan->n_rows}, {0, rg_resize_count_parts(plan)}};
    if (plan->across)
        task.parts = rg_share_units(task.parts.end, n_slots, slot);
    else
        task.rows = rg_share_units(task.rows.end, n_slots, slot);
    return task;
}

/* Its columns, where rows are one strip. */
static struct rg_share columns_of(const struct rg_resize_plan *plan, const struct task *task)
{
    return (struct rg_share){task->parts.begin * RG_RESIZE_PART,
                             rg_min(task->parts.end * RG_RESIZE_PART, rg_resize_row_length(plan))};
}

/* Clears what is left of a plane that sums none, up to `most` rows, in one go. Returns how many it has cleared. */
static int64_t clear_plane(struct cursor *cursor, int64_t most)
{
    const struct rg_resize_plan *plan = cursor->progress->plan;
    const struct rg_resize_side *side = &plan->result;
    struct cursor next = *cursor;
    struct rg_resize_row row;
    take_rows(&next, &row, 1);
    if (plan->depth.first[row.d] != plan->depth.first[row.d + 1])
        return 0;
    const int64_t n = rg_min(most, side->height - row.h);
    memset(row.result + rg_resize_offset(side, row.h, 0), 0,
           (size_t)(n * side->width * plan->inner * side->element_nbytes));
    next.row.h = row.h + n;
    *cursor = next;
    return n;
}

/* These strips of a share of the rows, a line after another. */
static void run_strips(const struct progress *progress, struct rg_resize_lines *lines, struct rg_share share,
                       struct rg_share strips)
{
    const struct rg_resize_plan *plan = progress->plan;
    struct cursor cursor = cursor_at(progress, share.begin);
    struct rg_resize_row rows[RG_RESIZE_BATCH];
    const bool clears = plan->sums_planes && !plan->streamed && strips.begin == 0 && strips.end == plan->n_strips &&
                        rg_resize_is_dense(&plan->result, plan->inner);
    rg_resize_forget_ring(lines, -1);
    for (int64_t at = share.begin, n; at < share.end; at += n) {
        n = clears ? clear_plane(&cursor, share.end - at) : 0;
        if (n > 0)
            continue;
        n = rg_min(share.end - at, plan->batch);
        take_rows(&cursor, rows, n);
        for (int64_t k = strips.begin; k < strips.end; k++)
            make_rows(progress, lines, rows, n, &plan->strips[k]);
    }
}

/* Makes a strip of a row of the result of the source rows that the line does not hold; on the first row it holds none.
 */
static void make_fused(const struct rg_resize_plan *plan, const struct rg_resize_lines *lines,
                       const struct rg_resize_row *row, const struct rg_piece *piece, bool first)
{
    const struct rg_axis_map *map = &plan->height;
    const struct rg_resize_side *result = &plan->result;
    const int64_t begin = map->begin[row->h], end = rg_axis_end(map, row->h), next = row->h + 1;
    const int64_t n_held = first || row->h == 0 ? 0 : rg_max(rg_axis_end(map, row->h - 1) - begin, 0);
    struct rg_fused_groups fused = {.rows = stored_rows(plan, row, piece), .start = n_held == 0, .n = plan->inner};
    fused.rows.src = (const char *)fused.rows.src + n_held * fused.rows.pitch;
    fused.rows.weight = (const char *)fused.rows.weight + n_held * (int64_t)plan->base.t_nbytes;
    fused.rows.n_fresh = fused.rows.n_rows -= n_held;
    if (next < result->height && map->begin[next] < end) {
        fused.n_shared = end - map->begin[next];
        fused.next_weight = (const char *)map->weight + map->first[next] * (int64_t)plan->base.t_nbytes;
    }
    plan->base.kernels->resize[result->dtype]->fused_groups(row->result + rg_resize_offset(result, row->h, piece->from),
                                                            lines->line, &fused, piece, plan->streamed);
}

/* A strip of the rows, one after another. */
static void fuse_strip(const struct progress *progress, const struct rg_resize_lines *lines, struct rg_share share,
                       const struct rg_piece *piece)
{
    struct cursor cursor = cursor_at(progress, share.begin);
    struct rg_resize_row row;
    for (int64_t at = share.begin; at < share.end; at++) {
        take_rows(&cursor, &row, 1);
        if (is_clear(progress->plan, &row))
            clear_strip(progress->plan, &row, piece);
        else
            make_fused(progress->plan, lines, &row, piece, at == share.begin);
    }
}

static void fuse_groups(const struct progress *progress, const struct task *task, char *workspace)
{
    const struct rg_resize_plan *plan = progress->plan;
    struct rg_resize_lines lines = {.run = progress->run};
    rg_resize_grant_lines(plan, workspace, &lines);
    for (int64_t k = task->parts.begin; k < task->parts.end; k++)
        fuse_strip(progress, &lines, task->rows, &plan->strips[k].piece);
}

/* Rows, a plane after another, without lines. */
static void shrink_planes(const struct progress *progress, const struct task *task)
{
    const struct rg_resize_plan *plan = progress->plan;
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    const struct rg_axis_map *map = &plan->height;
    struct rg_band band = {.begin = map->begin, .first = map->first, .weight = map->weight};
    band.pitch = source->stride_h * source->element_nbytes;
    band.n = source->width;
    band.low = columns_of(plan, task).begin;
    band.high = columns_of(plan, task).end;
    for (int64_t at = task->rows.begin; at < task->rows.end; at += band.to - band.from) {
        const struct cursor cursor = cursor_at(progress, at);
        band.from = cursor.row.h;
        band.to = rg_min(result->height, band.from + task->rows.end - at);
        band.src = cursor.row.source;
        plan->base.kernels->resize[result->dtype]->shrink(cursor.row.result + rg_resize_offset(result, band.from, 0),
                                                          result->stride_h * result->element_nbytes, &band,
                                                          &plan->strips->columns, plan->streamed);
    }
}

static void make_lines(const struct progress *progress, const struct task *task, char *workspace)
{
    const struct rg_resize_plan *plan = progress->plan;
    struct rg_resize_lines lines = {.run = progress->run};
    rg_resize_grant_lines(plan, workspace, &lines);
    if (rg_resize_needs_ring(plan)) /* which holds one strip */
        for (int64_t k = task->parts.begin; k < task->parts.end; k++)
            run_strips(progress, &lines, task->rows, (struct rg_share){k, k + 1});
    else /* all strips of a row together: that reads memory in longer stretches */
        run_strips(progress, &lines, task->rows, task->parts);
}

/* ---- Copying: both axes keep their length ---- */

static void copy_values(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n, size_t nbytes)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(to + k * to_stride, from + k * from_stride, nbytes);
}

/* A row at a time, or all of a plane that are wanted where they follow one another. */
static void copy_rows(const struct progress *progress, const struct task *task)
{
    const struct rg_resize_plan *plan = progress->plan;
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    const int64_t element = source->element_nbytes, group = element * plan->inner;
    const struct rg_share columns = columns_of(plan, task);
    const int64_t w = columns.begin, n = columns.end - w;
    const bool dense =
        n == result->width && rg_resize_is_dense(source, plan->inner) && rg_resize_is_dense(result, plan->inner);
    struct cursor cursor = cursor_at(progress, task->rows.begin);
    struct rg_resize_row row;
    for (int64_t at = task->rows.begin, n_rows = 1; at < task->rows.end; at += n_rows) {
        take_rows(&cursor, &row, 1);
        const char *from = row.source + rg_resize_offset(source, row.h, w);
        char *to = row.result + rg_resize_offset(result, row.h, w);
        n_rows = dense ? rg_min(result->height - row.h, task->rows.end - at) : 1;
        cursor.row.h += n_rows - 1;
        if (source->solid && result->solid)
            memcpy(to, from, (size_t)(group * n * n_rows));
        else
            copy_values(to, result->stride_w * element, from, source->stride_w * element, n, (size_t)group);
    }
}

/* ---- Moving, where a result has one source or none ---- */

static void add_rows(const struct progress *progress, const struct task *task)
{
    struct cursor cursor = cursor_at(progress, task->rows.begin);
    struct rg_resize_row row;
    for (int64_t at = task->rows.begin; at < task->rows.end; at++) {
        take_rows(&cursor, &row, 1);
        rg_resize_add_row(progress->plan, &row, columns_of(progress->plan, task));
    }
}

/* Some rows side by side: what a stretch reads is found once for all of them. */
static void move_rows(const struct progress *progress, const struct task *task)
{
    const struct rg_resize_plan *plan = progress->plan;
    const struct rg_share columns = columns_of(plan, task);
    struct cursor cursor = cursor_at(progress, task->rows.begin);
    struct rg_resize_row rows[RG_RESIZE_BATCH];
    struct rg_moved moved;
    rg_moved_begin(&moved, plan);
    for (int64_t at = task->rows.begin; at < task->rows.end; at += RG_RESIZE_BATCH) {
        const int64_t n = rg_min(task->rows.end - at, RG_RESIZE_BATCH);
        take_rows(&cursor, rows, n);
        for (int64_t w = columns.begin; w < columns.end; w += moved.n) {
            rg_moved_take(&moved, w, columns.end);
            for (int64_t k = 0; k < n; k++)
                rg_moved_row(&moved, &rows[k], at + k > task->rows.begin);
        }
    }
}

/* ---- All routes ---- */

static void run_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct rg_resize_plan *plan = progress->plan;
    const struct task task = task_of(plan, slot);
    char *const all = progress->run->workspace; /* NULL where none is needed */
    char *const workspace = all == NULL ? NULL : all + (size_t)slot * plan->base.slot_nbytes;
    if (plan->route == RG_COPIED)
        copy_rows(progress, &task);
    else if (plan->route == RG_MOVED && plan->width.backward)
        add_rows(progress, &task);
    else if (plan->folded > 0)
        rg_moved_folded(plan, progress->source, progress->result, task.rows, columns_of(plan, &task));
    else if (plan->route == RG_MOVED)
        move_rows(progress, &task);
    else if (plan->route == RG_INTERLEAVED)
        rg_resize_run_interleaved(plan, progress->source, progress->result, slot, workspace);
    else if (plan->route == RG_SHRINK)
        shrink_planes(progress, &task);
    else if (plan->route == RG_FUSED_GROUPS)
        fuse_groups(progress, &task, workspace);
    else
        make_lines(progress, &task, workspace);
}

void rg_resize_run(const regrad_plan *base, struct rg_run *run)
{
    const struct rg_resize_plan *plan = rg_as_resize(base);
    struct progress progress = {
        .plan = plan,
        .run = run,
        .source = (const char *)run->input[0] + rg_first_nbytes(&base->input[0].view),
        .result = (char *)run->output[0] + rg_first_nbytes(&base->output[0].view),
    };
    rg_plan_parallel(base, run, run_slot, &progress);
}

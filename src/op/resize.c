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
#include "op/resize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/tensor.h"
#include "op/columns.h"
#include "rt/cache.h"
#include "rt/parallel.h"

enum {
    BATCH = 8,              /* the most rows that are resampled together */
    MOST_RESULTS = 1 << 15, /* of one strip, the tables of which are indexed with 32 bits */
    MOST_REDUCED = 1 << 24, /* the same of a row that is one strip */
    MOST_READY = 8,         /* source rows made ready together, at most; two such batches are kept */
    RING_NBYTES = 1 << 19,  /* of those, unless two rows need more */
    LINE_VALUES = 1024,     /* values of a line, where that is enough for one step */
    LINES_VALUES = 16384,   /* the same of all lines together */
    GROUP_VALUES = 2048,    /* the same of lines of groups */
    PART_VALUES = 1024,     /* results of a part of a row that is one strip */
    LEAST_GROUP = 16,       /* groups of as many values are resampled side by side */
    MOST_TERMS = 256,       /* results of more terms are added up one by one */
    ROW_NBYTES = 1 << 15,   /* of the results of a row in the ring, and of the sources of a vector of results */
    MAX_NBYTES = 192 * 1024 /* of the sources that a line holds of one result: groups of more are read as planes */
};

/* Rows are shared if that keeps as much of the slots at work. */
static const double ROWS_BUSY = 0.9;

/* One of the two tensors, seen as rows. */
struct side {
    regrad_dtype dtype;
    int64_t element_nbytes;
    int64_t height, width;
    int64_t stride_n, stride_c, stride_h, stride_w; /* in elements */
    bool solid;                                     /* a row is contiguous */
};

/* A part of the width, and how the kernels make it from a line. */
struct strip {
    struct rg_piece piece;
    struct rg_columns columns; /* unless results are summed in groups */
};

struct resize_plan {
    regrad_plan base;
    struct side source, result;
    struct rg_axis_map height, width;
    int64_t n_channels; /* channels that are planes of their own: C, or 1 when they are inner */
    int64_t inner;
    int64_t n_rows; /* of the result, in all planes */
    bool width_first;
    bool grouped; /* no columns */
    bool plain;   /* a row that sums one row needs no line; n_sources values follow one another then */
    int64_t n_sources;
    bool streamed;      /* the result goes past the caches */
    bool reads_far;     /* source rows come from beyond the caches, and are most of what is moved */
    int64_t batch;      /* rows of the result that are made together */
    int64_t ring_batch; /* rows of the source that are made ready together */
    int64_t n_strips;
    struct strip *strips;
    int64_t max_from, max_to; /* the most columns of a strip, in a line and in the result */
    bool has_long;            /* one result has more sources than a line holds */
    int factor;               /* of columns that are made without a line, or 0; there is one strip then */
    bool across;              /* slots share parts of each row, not rows */
};

static const struct resize_plan *as_resize(const regrad_plan *plan)
{
    return (const struct resize_plan *)plan;
}

/* ---- Running ---- */

/*
 * What one slot has between source and result. The ring holds values of source rows that wait to be summed, two batches
 * of ring_batch rows: row h is at h % (2 * ring_batch).
 */
struct lines {
    char *line;                       /* to be resampled, one for each row of a batch */
    char *ring, *out, *in;            /* rows of T */
    int64_t line_nbytes, ring_nbytes; /* of one row */
    const struct rg_run *run;
    const char *plane; /* whose rows the ring holds */
    int64_t ready[2];  /* which batches of rows its halves hold, or -1 */
};

/* A row of a tensor, in its plane. */
struct row {
    const char *source; /* planes */
    char *result;
    int64_t h; /* of the result */
};

/* A ring holds source rows, when they are not contiguous, or resampled ones. */
static bool needs_ring(const struct resize_plan *plan)
{
    return plan->width_first || !plan->source.solid;
}

/* Of one line; the next one is in its room. */
static int64_t line_length(const struct resize_plan *plan)
{
    return plan->factor > 0 ? 0 : plan->max_from * plan->inner;
}

static int64_t lines_nbytes(const struct resize_plan *plan)
{
    const size_t t = plan->base.t_nbytes;
    return plan->batch * rg_booked(line_length(plan), t) + (plan->factor > 0 ? 0 : rg_booked(RG_LINE_ROOM, t));
}

/* A row of the result on its way to where it is not contiguous, or from the ring, or the sum of a long result. */
static int64_t out_length(const struct resize_plan *plan)
{
    const bool needed = plan->width_first || !plan->result.solid || plan->has_long;
    return needed ? plan->max_to * plan->inner + RG_LINE_ROOM : 0;
}

static int64_t ring_length(const struct resize_plan *plan)
{
    return (plan->width_first ? plan->max_to : plan->max_from) * plan->inner;
}

/* A source row on its way to the line. */
static int64_t in_length(const struct resize_plan *plan)
{
    return plan->width_first && !plan->source.solid ? plan->max_from * plan->inner : 0;
}

static int64_t slot_nbytes(const struct resize_plan *plan)
{
    const size_t t = plan->base.t_nbytes;
    return lines_nbytes(plan) + (needs_ring(plan) ? 2 * plan->ring_batch * rg_booked(ring_length(plan), t) : 0) +
           rg_booked(out_length(plan), t) + rg_booked(in_length(plan), t);
}

static void grant_lines(const struct resize_plan *plan, char *workspace, struct lines *lines)
{
    const size_t t = plan->base.t_nbytes;
    lines->ring_nbytes = rg_booked(ring_length(plan), t);
    lines->line_nbytes = rg_booked(line_length(plan), t);
    lines->line = rg_grant(&workspace, lines_nbytes(plan), 1);
    lines->ring = rg_grant(&workspace, needs_ring(plan) ? 2 * plan->ring_batch * lines->ring_nbytes : 0, 1);
    lines->out = rg_grant(&workspace, out_length(plan), t);
    lines->in = rg_grant(&workspace, in_length(plan), t);
}

/* The address of columns from `column` on of row h. */
static int64_t offset_of(const struct side *side, int64_t h, int64_t column)
{
    return (h * side->stride_h + column * side->stride_w) * side->element_nbytes;
}

/* A strip of source row h as values of the arithmetic type, in order. */
static void load_strip(const struct resize_plan *plan, const char *plane, int64_t h, const struct rg_piece *piece,
                       void *to)
{
    const struct side *side = &plan->source;
    const char *from = plane + offset_of(side, h, piece->low);
    rg_load_fn *const load = plan->base.kernels->load[side->dtype];
    if (side->solid)
        load(to, from, 1, piece->n_src * plan->inner);
    else if (plan->inner == 1)
        load(to, from, side->stride_w, piece->n_src);
    else
        for (int64_t w = 0; w < piece->n_src; w++)
            load((char *)to + w * plan->inner * (int64_t)plan->base.t_nbytes,
                 from + w * side->stride_w * side->element_nbytes, 1, plan->inner);
}

static void store_strip(const struct resize_plan *plan, const struct row *row, const struct rg_piece *piece,
                        const void *from)
{
    const struct side *side = &plan->result;
    char *to = row->result + offset_of(side, row->h, piece->from);
    const int64_t n = piece->to - piece->from;
    rg_store_fn *const store = plan->base.kernels->store[side->dtype];
    if (side->solid)
        store(to, 1, from, n * plan->inner);
    else if (plan->inner == 1)
        store(to, side->stride_w, from, n);
    else
        for (int64_t w = 0; w < n; w++)
            store(to + w * side->stride_w * side->element_nbytes, 1,
                  (const char *)from + w * plan->inner * (int64_t)plan->base.t_nbytes, plan->inner);
}

/* Makes the results of n lines. */
static void resample(const struct resize_plan *plan, void *const *to, regrad_dtype dtype, const void *const *line,
                     int64_t n, const struct strip *strip, bool streamed, struct rg_ahead ahead)
{
    if (!plan->grouped)
        plan->base.kernels->cols[dtype](to, line, n, &strip->columns, streamed, ahead);
    else
        for (int64_t k = 0; k < n; k++)
            plan->base.kernels->groups[dtype](to[k], line[k], plan->inner, &strip->piece, streamed);
}

/* Puts one row, of T or as it is in the source, into the line. */
static void take_line(const struct resize_plan *plan, const struct lines *lines, regrad_dtype dtype, const void *src,
                      const struct rg_piece *piece)
{
    static const float one = 1;
    static const double wide_one = 1;
    const struct rg_rows rows = {
        .src = src,
        .weight = rg_plan_own_dtype(&plan->base) == REGRAD_FLOAT64 ? (const void *)&wide_one : &one,
        .n_rows = 1,
        .n_fresh = 1,
        .n = piece->n_src * plan->inner,
    };
    plan->base.kernels->rows[dtype](lines->line, &rows, true);
}

/* The same with a part of source row h of a plane. */
static void take_source(const struct resize_plan *plan, const struct lines *lines, const char *plane, int64_t h,
                        const struct rg_piece *piece)
{
    const struct side *side = &plan->source;
    if (side->solid) {
        take_line(plan, lines, side->dtype, plane + offset_of(side, h, piece->low), piece);
    } else {
        load_strip(plan, plane, h, piece, lines->in);
        take_line(plan, lines, rg_plan_own_dtype(&plan->base), lines->in, piece);
    }
}

/* The most sources of one result that a line holds. */
static int64_t most_sources(const struct resize_plan *plan)
{
    return MAX_NBYTES / (int64_t)plan->base.t_nbytes / plan->inner;
}

/* A long result is a strip of its own, and is summed part by part. */
static bool is_long(const struct resize_plan *plan, const struct rg_piece *piece)
{
    return plan->grouped && piece->n_src > most_sources(plan);
}

/* The part of a long result's sources from number `at` on. */
static struct strip part_of(const struct resize_plan *plan, const struct rg_piece *piece, int64_t at)
{
    struct strip part = {.piece = *piece};
    part.piece.low += at;
    part.piece.n_src = rg_min(piece->n_src - at, most_sources(plan));
    return part;
}

/* Adds a line that holds such a part to the result. */
static void add_part(const struct resize_plan *plan, void *sum, const void *line, const struct rg_piece *part)
{
    const int64_t nbytes = (int64_t)plan->base.t_nbytes, at = part->low - part->begin[part->from];
    const struct rg_rows rows = {
        .src = line,
        .pitch = plan->inner * nbytes,
        .weight = (const char *)part->weight + (part->first[part->from] + at) * nbytes,
        .n_rows = part->n_src,
        .n = plan->inner,
    };
    plan->base.kernels->rows[rg_plan_own_dtype(&plan->base)](sum, &rows, at == 0);
}

/* Makes source row h of a plane ready in the ring. */
static void make_ready(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t h,
                       const struct strip *strip)
{
    const struct rg_piece *piece = &strip->piece;
    void *to = lines->ring + h % (2 * plan->ring_batch) * lines->ring_nbytes;
    const void *line = lines->line;
    if (!plan->width_first) {
        load_strip(plan, plane, h, piece, to);
    } else if (is_long(plan, piece)) {
        for (int64_t at = 0; at < piece->n_src; at += most_sources(plan)) {
            const struct strip part = part_of(plan, piece, at);
            take_source(plan, lines, plane, h, &part.piece);
            add_part(plan, to, line, &part.piece);
        }
    } else {
        take_source(plan, lines, plane, h, piece);
        resample(plan, &to, rg_plan_own_dtype(&plan->base), &line, 1, strip, false, (struct rg_ahead){0});
    }
}

/* The same for batch number `batch` of the rows. */
static void make_batch_ready(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t batch,
                             const struct strip *strip)
{
    const int64_t end = rg_min((batch + 1) * plan->ring_batch, plan->source.height);
    for (int64_t h = batch * plan->ring_batch; h < end; h++)
        make_ready(plan, lines, plane, h, strip);
    lines->ready[batch % 2] = batch;
}

static void forget_ring(struct lines *lines, const char *plane)
{
    lines->plane = plane;
    lines->ready[0] = lines->ready[1] = -1;
}

/* Source row h of a plane and as many of the n - 1 after it as follow it in the ring; sets *n to their number. */
static const void *ready_rows(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t h,
                              int64_t *n, const struct strip *strip)
{
    const int64_t at = h % (2 * plan->ring_batch);
    *n = rg_min(*n, 2 * plan->ring_batch - at);
    if (lines->plane != plane)
        forget_ring(lines, plane);
    for (int64_t batch = h / plan->ring_batch; batch <= (h + *n - 1) / plan->ring_batch; batch++)
        if (lines->ready[batch % 2] != batch)
            make_batch_ready(plan, lines, plane, batch, strip);
    return lines->ring + at * lines->ring_nbytes;
}

/* The source rows that row h of the result sums; src and n are still to be set. */
static struct rg_rows rows_of(const struct resize_plan *plan, int64_t h)
{
    const struct rg_axis_map *map = &plan->height;
    const int64_t n = map->first[h + 1] - map->first[h], end = map->begin[h] + n;
    const int64_t seen = h == 0 ? 0 : map->begin[h - 1] + map->first[h] - map->first[h - 1];
    return (struct rg_rows){
        .weight = (const char *)map->weight + map->first[h] * (int64_t)plan->base.t_nbytes,
        .n_rows = n,
        .n_fresh = rg_min(end - seen, n),
    };
}

/* The same as they are in the tensor. */
static struct rg_rows stored_rows(const struct resize_plan *plan, const struct row *row, const struct rg_piece *piece)
{
    const struct side *side = &plan->source;
    struct rg_rows rows = rows_of(plan, row->h);
    rows.src = row->source + offset_of(side, plan->height.begin[row->h], piece->low);
    rows.pitch = side->stride_h * side->element_nbytes;
    rows.n = piece->n_src * plan->inner;
    return rows;
}

/* The weighted sum of n values of the source rows that row->h names, from the ring. */
static void sum_ready(const struct resize_plan *plan, struct lines *lines, const struct row *row,
                      const struct strip *strip, void *to, int64_t n)
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
            rows.src = ready_rows(plan, lines, row->source, begin + tap, &rows.n_rows, strip);
        plan->base.kernels->rows[rg_plan_own_dtype(&plan->base)](to, &rows, tap == 0);
        rows.weight = (const char *)rows.weight + rows.n_rows * (int64_t)plan->base.t_nbytes;
        tap += rows.n_rows;
    } while (tap < n_taps);
}

static void make_width_first(const struct resize_plan *plan, struct lines *lines, const struct row *row,
                             const struct strip *strip)
{
    sum_ready(plan, lines, row, strip, lines->out, (strip->piece.to - strip->piece.from) * plan->inner);
    store_strip(plan, row, &strip->piece, lines->out);
}

/* What the n rows of the result after the last one will read while this piece of it is made: a part of their sources.
 * Only where there is more to read than to write: else it costs more than it gains. */
static struct rg_ahead ahead_of(const struct resize_plan *plan, const struct row *last, int64_t n,
                                const struct rg_piece *piece)
{
    const struct side *source = &plan->source, *result = &plan->result;
    const struct rg_axis_map *map = &plan->height;
    const int64_t end = map->begin[last->h] + map->first[last->h + 1] - map->first[last->h];
    const int64_t wanted = n * source->height / result->height * source->stride_h * source->element_nbytes;
    if (!plan->reads_far)
        return (struct rg_ahead){0};
    return (struct rg_ahead){
        .from = last->source + offset_of(source, end, 0) + wanted / result->width * piece->from,
        .nbytes = wanted / result->width * (piece->to - piece->from),
    };
}

/* Resamples lines into n rows of the result. */
static void finish_rows(const struct resize_plan *plan, const struct lines *lines, const struct row *rows,
                        const void *const *line, int64_t n, const struct strip *strip)
{
    const struct side *side = &plan->result;
    const struct rg_piece *piece = &strip->piece;
    void *to[BATCH];
    for (int64_t k = 0; k < n && side->solid; k++)
        to[k] = rows[k].result + offset_of(side, rows[k].h, piece->from);
    if (side->solid)
        resample(plan, to, side->dtype, line, n, strip, plan->streamed, ahead_of(plan, &rows[n - 1], n, piece));
    for (int64_t k = 0; k < n && !side->solid; k++) {
        to[0] = lines->out;
        resample(plan, to, rg_plan_own_dtype(&plan->base), &line[k], 1, strip, false, (struct rg_ahead){0});
        store_strip(plan, &rows[k], piece, lines->out);
    }
}

/* Can values of source rows be resampled as they are? Also those that follow them may be read. */
static bool is_line(const struct resize_plan *plan, const struct rg_rows *rows, const struct rg_run *run)
{
    const char *start = (const char *)run->input[0] + rg_first_nbytes(&plan->base.input[0].view);
    return plan->plain && rows->n_rows == 1 &&
           ((const char *)rows->src - start) / plan->source.element_nbytes + rows->n + RG_LINE_ROOM <= plan->n_sources;
}

/* What a row of the result needs, summed into a line unless it is one as it is. */
static const void *line_of(const struct resize_plan *plan, struct lines *lines, const struct row *row,
                           const struct strip *strip, void *line)
{
    if (needs_ring(plan)) {
        sum_ready(plan, lines, row, strip, line, strip->piece.n_src * plan->inner);
        return line;
    }
    const struct rg_rows stored = stored_rows(plan, row, &strip->piece);
    if (is_line(plan, &stored, lines->run))
        return stored.src;
    plan->base.kernels->rows[plan->source.dtype](line, &stored, true);
    return line;
}

/* Does a row of the result sum nothing? Then it is +0; many are where the result is larger than the source. */
static bool is_clear(const struct resize_plan *plan, const struct row *row)
{
    return plan->result.solid && plan->height.first[row->h] == plan->height.first[row->h + 1];
}

static void clear_strip(const struct resize_plan *plan, const struct row *row, const struct rg_piece *piece)
{
    const struct side *side = &plan->result;
    char *to = row->result + offset_of(side, row->h, piece->from);
    const size_t nbytes = (size_t)((piece->to - piece->from) * plan->inner * side->element_nbytes);
    if (plan->streamed)
        plan->base.kernels->clear_far(to, nbytes);
    else
        memset(to, 0, nbytes);
}

static void make_height_first(const struct resize_plan *plan, struct lines *lines, const struct row *rows, int64_t n,
                              const struct strip *strip)
{
    const void *line[BATCH];
    struct row sums[BATCH];
    int64_t n_sums = 0;
    for (int64_t k = 0; k < n; k++) {
        if (is_clear(plan, &rows[k])) {
            clear_strip(plan, &rows[k], &strip->piece);
            continue;
        }
        line[n_sums] = line_of(plan, lines, &rows[k], strip, lines->line + n_sums * lines->line_nbytes);
        sums[n_sums++] = rows[k];
    }
    if (!plan->width.identity && n_sums > 0)
        finish_rows(plan, lines, sums, line, n_sums, strip);
    for (int64_t k = 0; k < n_sums && plan->width.identity; k++)
        store_strip(plan, &sums[k], &strip->piece, line[k]);
}

/* A long result of height first: a ring holds one part of its sources. */
static void make_long(const struct resize_plan *plan, struct lines *lines, const struct row *row,
                      const struct rg_piece *piece)
{
    for (int64_t at = 0; at < piece->n_src; at += most_sources(plan)) {
        const struct strip part = part_of(plan, piece, at);
        forget_ring(lines, NULL);
        add_part(plan, lines->out, line_of(plan, lines, row, &part, lines->line), &part.piece);
    }
    store_strip(plan, row, piece, lines->out);
}

/* A run in progress, seen by its slots. */
struct progress {
    const struct resize_plan *plan;
    const struct rg_run *run;
};

/* Where plane number `plane` starts on one side. */
static int64_t plane_offset(const struct resize_plan *plan, const struct side *side, int64_t plane)
{
    const int64_t n = plane / plan->n_channels, c = plane % plan->n_channels;
    return (n * side->stride_n + c * side->stride_c) * side->element_nbytes;
}

static const char *source_plane(const struct progress *progress, int64_t plane)
{
    const struct resize_plan *plan = progress->plan;
    return (const char *)progress->run->input[0] + rg_first_nbytes(&plan->base.input[0].view) +
           plane_offset(plan, &plan->source, plane);
}

static char *result_plane(const struct progress *progress, int64_t plane)
{
    const struct resize_plan *plan = progress->plan;
    return (char *)progress->run->output[0] + rg_first_nbytes(&plan->base.output[0].view) +
           plane_offset(plan, &plan->result, plane);
}

/* Goes through the rows of the result, plane after plane. */
struct cursor {
    const struct progress *progress;
    int64_t plane;
    struct row row;
};

static void enter_plane(struct cursor *cursor, int64_t plane)
{
    cursor->plane = plane;
    cursor->row.source = source_plane(cursor->progress, plane);
    cursor->row.result = result_plane(cursor->progress, plane);
}

static struct cursor cursor_at(const struct progress *progress, int64_t row)
{
    const int64_t height = progress->plan->result.height;
    struct cursor cursor = {.progress = progress, .row.h = row % height};
    enter_plane(&cursor, row / height);
    return cursor;
}

/* The next n rows. */
static void take_rows(struct cursor *cursor, struct row *rows, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (cursor->row.h == cursor->progress->plan->result.height) {
            cursor->row.h = 0;
            enter_plane(cursor, cursor->plane + 1);
        }
        rows[k] = cursor->row;
        cursor->row.h++;
    }
}

static void make_rows(const struct progress *progress, struct lines *lines, const struct row *rows, int64_t n,
                      const struct strip *strip)
{
    const struct resize_plan *plan = progress->plan;
    if (plan->width_first)
        make_width_first(plan, lines, rows, strip);
    else if (is_long(plan, &strip->piece))
        make_long(plan, lines, rows, &strip->piece);
    else
        make_height_first(plan, lines, rows, n, strip);
}

/* What one slot makes: parts of rows. A part is a strip, or PART_VALUES of a row that is one. */
struct task {
    struct rg_share rows, parts;
};

static int64_t count_parts(const struct resize_plan *plan)
{
    return plan->factor > 0 ? (plan->result.width + PART_VALUES - 1) / PART_VALUES : plan->n_strips;
}

static struct task task_of(const struct resize_plan *plan, int slot)
{
    const int n_slots = plan->base.n_slots;
    struct task task = {{0, plan->n_rows}, {0, count_parts(plan)}};
    if (plan->across)
        task.parts = rg_share_units(task.parts.end, n_slots, slot);
    else
        task.rows = rg_share_units(task.rows.end, n_slots, slot);
    return task;
}

/* These strips of a share of the rows, a line after another. */
static void run_strips(const struct progress *progress, struct lines *lines, struct rg_share share,
                       struct rg_share strips)
{
    const struct resize_plan *plan = progress->plan;
    struct cursor cursor = cursor_at(progress, share.begin);
    struct row rows[BATCH];
    forget_ring(lines, NULL);
    for (int64_t at = share.begin; at < share.end; at += plan->batch) {
        const int64_t n = rg_min(share.end - at, plan->batch);
        take_rows(&cursor, rows, n);
        for (int64_t k = strips.begin; k < strips.end; k++)
            make_rows(progress, lines, rows, n, &plan->strips[k]);
    }
}

/* Rows, a plane after another, without lines. */
static void reduce_planes(const struct progress *progress, const struct task *task)
{
    const struct resize_plan *plan = progress->plan;
    const struct side *source = &plan->source, *result = &plan->result;
    const struct rg_axis_map *map = &plan->height;
    struct rg_band band = {.begin = map->begin, .first = map->first, .weight = map->weight};
    band.pitch = source->stride_h * source->element_nbytes;
    band.n = source->width;
    band.low = task->parts.begin * PART_VALUES;
    band.high = rg_min(task->parts.end * PART_VALUES, result->width);
    for (int64_t at = task->rows.begin; at < task->rows.end; at += band.to - band.from) {
        const struct cursor cursor = cursor_at(progress, at);
        band.from = cursor.row.h;
        band.to = rg_min(result->height, band.from + task->rows.end - at);
        band.src = cursor.row.source;
        plan->base.kernels->reduce[result->dtype](cursor.row.result + offset_of(result, band.from, 0),
                                                  result->stride_h * result->element_nbytes, &band,
                                                  &plan->strips->columns, plan->streamed);
    }
}

static void make_lines(const struct progress *progress, const struct task *task, char *workspace)
{
    const struct resize_plan *plan = progress->plan;
    struct lines lines = {.run = progress->run};
    grant_lines(plan, workspace, &lines);
    if (needs_ring(plan)) /* which holds one strip */
        for (int64_t k = task->parts.begin; k < task->parts.end; k++)
            run_strips(progress, &lines, task->rows, (struct rg_share){k, k + 1});
    else /* all strips of a row together: that reads memory in longer stretches */
        run_strips(progress, &lines, task->rows, task->parts);
}

static void run_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct resize_plan *plan = progress->plan;
    const struct task task = task_of(plan, slot);
    if (plan->factor > 0)
        reduce_planes(progress, &task);
    else
        make_lines(progress, &task, progress->run->workspace + (size_t)slot * plan->base.slot_nbytes);
    if (plan->streamed)
        plan->base.kernels->settle();
}

static void run(const regrad_plan *base, const struct rg_run *run)
{
    struct progress progress = {as_resize(base), run};
    if (progress.plan->n_rows > 0)
        rg_parallel(base->n_slots, run_slot, &progress);
}

/* ---- Copying: both axes keep their length ---- */

static void copy_values(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n, size_t nbytes)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(to + k * to_stride, from + k * from_stride, nbytes);
}

static void copy_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct resize_plan *plan = progress->plan;
    const struct side *source = &plan->source, *result = &plan->result;
    const int64_t element = source->element_nbytes, group = element * plan->inner;
    const struct task task = task_of(plan, slot);
    const int64_t w = plan->strips[task.parts.begin].piece.from;
    const int64_t n = plan->strips[task.parts.end - 1].piece.to - w;
    for (int64_t row = task.rows.begin; row < task.rows.end; row++) {
        const int64_t plane = row / result->height, h = row % result->height;
        const char *from = source_plane(progress, plane) + offset_of(source, h, w);
        char *to = result_plane(progress, plane) + offset_of(result, h, w);
        if (source->solid && result->solid)
            memcpy(to, from, (size_t)(group * n));
        else
            copy_values(to, result->stride_w * element, from, source->stride_w * element, n, (size_t)group);
    }
}

static void run_copy(const regrad_plan *base, const struct rg_run *run)
{
    struct progress progress = {as_resize(base), run};
    if (progress.plan->n_rows > 0)
        rg_parallel(base->n_slots, copy_slot, &progress);
}

/* ---- Planning ---- */

static regrad_status check_shapes(const struct rg_resize *resize)
{
    const struct rg_argument *source = &resize->source, *result = &resize->result;
    const char *op = resize->op;
    RG_FORWARD(rg_check_tensor(op, source, resize->n_axes + 2));
    RG_FORWARD(rg_check_tensor(op, result, resize->n_axes + 2));
    RG_FORWARD(rg_check_same_dtype(op, result, source));
    RG_FORWARD(rg_check_size(op, result, 0, source->tensor->shape[0], "the batch size of", source));
    RG_FORWARD(rg_check_size(op, result, 1, source->tensor->shape[1], "the channels of", source));
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
    };
}

static const char *wanted_scale(enum rg_axis_law law)
{
    if (law == RG_AXIS_NEAREST)
        return "0 (from sizes), or positive and finite, and so must be its inverse in float32";
    if (law == RG_AXIS_GATHER)
        return "0 (from sizes), or positive and finite in float32, and so must be its inverse";
    return "finite, and so must be its inverse (0 and less: from sizes)";
}

static regrad_status check_scale(const struct rg_resize *resize, int axis)
{
    const struct rg_axis_spec spec = axis_spec(resize, axis);
    if (rg_axis_scale_ok(&spec))
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s is %g, must be %s", resize->op, resize->scale_name[axis],
                   resize->scale[axis], wanted_scale(resize->law));
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
    struct resize_plan *plan = (struct resize_plan *)base;
    rg_axis_fini(&plan->height);
    rg_axis_fini(&plan->width);
    for (int64_t k = 0; k < plan->n_strips; k++)
        rg_columns_fini(&plan->strips[k].columns);
    free(plan->strips);
    free(plan);
}

static int describe(const regrad_plan *base, char *text, size_t size)
{
    const struct resize_plan *plan = as_resize(base);
    const char *layout = plan->inner == 1 ? "planes" : "channels last";
    if (base->run == run_copy)
        return snprintf(text, size, "%s, copied", layout);
    return snprintf(text, size, "%s, %s first, up to %lld x %lld terms", layout, plan->width_first ? "width" : "height",
                    (long long)plan->height.max_taps, (long long)plan->width.max_taps);
}

/* A tensor as rows. One-dimensional signals are one row high. */
static struct side make_side(const regrad_tensor *view)
{
    const bool has_height = view->rank == 4;
    return (struct side){
        .dtype = view->dtype,
        .element_nbytes = (int64_t)regrad_dtype_size(view->dtype),
        .height = has_height ? view->shape[2] : 1,
        .width = view->shape[view->rank - 1],
        .stride_n = view->stride[0],
        .stride_c = view->stride[1],
        .stride_h = has_height ? view->stride[2] : 0,
        .stride_w = view->stride[view->rank - 1],
    };
}

/* Channels can be summed together where both tensors store them last, and one result does not need
 * more of them than a cache holds. */
static void choose_layout(struct resize_plan *plan, int64_t n, int64_t c)
{
    struct side *source = &plan->source, *result = &plan->result;
    const double nbytes = (double)plan->width.max_taps * (double)c * (double)plan->base.t_nbytes;
    const bool channels_last = c > 1 && source->stride_c == 1 && result->stride_c == 1 && nbytes <= MAX_NBYTES;
    plan->inner = channels_last ? c : 1;
    plan->n_channels = channels_last ? 1 : c;
    plan->n_rows = n * plan->n_channels * result->height;
    source->solid = source->width == 1 || source->stride_w == plan->inner;
    result->solid = result->width == 1 || result->stride_w == plan->inner;
}

static regrad_status build_maps(struct resize_plan *plan, const struct rg_resize *resize)
{
    static const struct rg_axis_spec one_row = {.law = RG_AXIS_NEAREST, .in_size = 1, .out_size = 1};
    struct rg_axis_spec height = resize->n_axes == 2 ? axis_spec(resize, 0) : one_row;
    const struct rg_axis_spec width = axis_spec(resize, resize->n_axes - 1);
    height.use_double = width.use_double;
    RG_FORWARD(rg_axis_init(&plan->height, &height, resize->backward));
    return rg_axis_init(&plan->width, &width, resize->backward);
}

/* n_source * n_result of the other axis: the values between the two passes. */
static void choose_order(struct resize_plan *plan)
{
    const struct side *source = &plan->source, *result = &plan->result;
    const bool both = !plan->height.identity && !plan->width.identity;
    const double after_height = (double)result->height * (double)source->width;
    const double after_width = (double)source->height * (double)result->width;
    plan->width_first = both && after_width < after_height;
}

/* The most sources between the first and the last of those that a vector of results has. */
static int64_t widest_step(const struct rg_axis_map *map)
{
    int64_t widest = 0;
    for (int64_t from = 0; from < map->n_dst; from += RG_MAX_LANES) {
        const int64_t last = rg_min(from + RG_MAX_LANES, map->n_dst) - 1;
        const int64_t end = map->begin[last] + map->first[last + 1] - map->first[last];
        widest = rg_max(widest, end - map->begin[from]);
    }
    return widest;
}

/* Results are made one by one where they are groups, or have many terms, or have them far apart. */
static bool makes_groups(const struct resize_plan *plan)
{
    const double row_nbytes = (double)widest_step(&plan->width) * (double)plan->inner * (double)plan->base.t_nbytes;
    return plan->inner >= LEAST_GROUP || plan->width.max_taps > MOST_TERMS || row_nbytes > ROW_NBYTES;
}

/* Rows of neighbours that shrink by a small integer need no line, if there are vectors. */
static void choose_factor(struct resize_plan *plan)
{
    const bool plain = plan->inner == 1 && !plan->width_first && !plan->grouped && plan->source.solid &&
                       plan->result.solid && plan->base.kernels->lanes > 1 && plan->result.width <= MOST_REDUCED;
    plan->factor = plain ? rg_columns_factor(&plan->width) : 0;
}

/* The strip from `from` on: as many results as keep its sources within the limit, in steps of a vector; one
 * step at least. */
static struct rg_piece cut_strip(const struct resize_plan *plan, int64_t from)
{
    const struct rg_axis_map *map = &plan->width;
    const int64_t step = plan->grouped ? 1 : RG_MAX_LANES;
    const int64_t limit = rg_max((plan->grouped ? GROUP_VALUES : LINE_VALUES) / plan->inner, 1);
    const int64_t most_results = plan->width_first ? ROW_NBYTES / (int64_t)plan->base.t_nbytes : MOST_RESULTS;
    int64_t to = from, high = map->begin[from];
    if (plan->factor > 0)
        return (struct rg_piece){map->begin, map->first, map->weight, 0, map->n_dst, 0, map->n_src};
    while (to < map->n_dst) {
        const int64_t last = rg_min(to + step, map->n_dst) - 1;
        const int64_t end = map->begin[last] + map->first[last + 1] - map->first[last];
        if (to > from && (end - map->begin[from] > limit || (to - from) * plan->inner >= most_results))
            break;
        to = last + 1;
        high = end;
    }
    return (struct rg_piece){.begin = map->begin,
                             .first = map->first,
                             .weight = map->weight,
                             .from = from,
                             .to = to,
                             .low = map->begin[from],
                             .n_src = high - map->begin[from]};
}

/* Cuts the width into strips; once to count them and once to keep them. */
static bool cut_strips(struct resize_plan *plan)
{
    int64_t n_strips = 0;
    for (int64_t from = 0; from < plan->width.n_dst; n_strips++)
        from = cut_strip(plan, from).to;
    plan->strips = calloc((size_t)n_strips, sizeof *plan->strips);
    if (plan->strips == NULL)
        return false;
    plan->n_strips = n_strips;
    for (int64_t k = 0, from = 0; k < n_strips; from = plan->strips[k++].piece.to) {
        struct rg_piece *piece = &plan->strips[k].piece;
        *piece = cut_strip(plan, from);
        plan->has_long |= is_long(plan, piece);
        plan->max_from = rg_max(plan->max_from, rg_min(piece->n_src, most_sources(plan)));
        plan->max_to = rg_max(plan->max_to, piece->to - from);
    }
    return true;
}

/* Does each row of a tensor follow the one before it, in all planes? */
static bool rows_follow(const struct resize_plan *plan, const struct side *side)
{
    const int64_t row = side->width * plan->inner, plane = row * side->height, sample = plane * plan->n_channels;
    const int64_t n_planes = plan->n_rows / plan->result.height;
    return side->solid && (side->height == 1 || side->stride_h == row) &&
           (plan->n_channels == 1 || side->stride_c == plane) &&
           (n_planes <= plan->n_channels || side->stride_n == sample);
}

/* Rows of groups take their time, and so do those that come one by one from the ring. */
static void choose_batch(struct resize_plan *plan)
{
    const int64_t most = rg_min(BATCH, LINES_VALUES / rg_max(line_length(plan), 1));
    plan->batch = plan->grouped || plan->width_first ? 1 : rg_max(rg_min(most, plan->n_rows), 1);
}

static void choose_ring_batch(struct resize_plan *plan)
{
    const int64_t row_nbytes = rg_max(rg_booked(ring_length(plan), plan->base.t_nbytes), 1);
    plan->ring_batch = rg_max(rg_min(RING_NBYTES / (2 * row_nbytes), MOST_READY), 1);
}

static bool has_ones(const struct rg_axis_map *map)
{
    const double *wide = map->weight;
    const float *narrow = map->weight;
    for (int64_t t = 0; t < map->first[map->n_dst]; t++)
        if ((map->weights_double ? wide[t] : (double)narrow[t]) != 1)
            return false;
    return true;
}

/* A sum that starts at +0 makes -0 to +0, of a source too; with weights of 1 nothing else can make a -0, and one sum
 * does what two would. */
static void choose_plain(struct resize_plan *plan)
{
    plan->n_sources = plan->n_rows / plan->result.height * plan->source.height * plan->source.width * plan->inner;
    plan->plain = rg_plan_own_dtype(&plan->base) == plan->source.dtype && rows_follow(plan, &plan->source) &&
                  !plan->width.identity && has_ones(&plan->height) && has_ones(&plan->width);
}

/* What kernels need to make results. */
static bool build_columns(struct resize_plan *plan)
{
    for (int64_t k = 0; k < plan->n_strips && !plan->grouped && !plan->width.identity; k++) {
        const struct rg_columns_spec spec = {
            .piece = plan->strips[k].piece,
            .inner = plan->inner,
            .factor = plan->factor,
            .streamed = plan->streamed && plan->result.width * plan->inner % plan->base.kernels->lanes == 0,
            .lanes = plan->base.kernels->lanes,
            .t_nbytes = plan->base.t_nbytes,
        };
        if (!rg_columns_init(&plan->strips[k].columns, &plan->width, &spec))
            return false;
    }
    return true;
}

/* Do source and result together exceed half of the caches? What of the other half is still there when the result is
 * read is worth less than not to fetch the result before it is written. */
static bool exceeds_caches(const struct resize_plan *plan)
{
    const struct side *source = &plan->source, *result = &plan->result;
    const double n_groups = (double)(plan->n_rows / result->height) * (double)plan->inner;
    const double n_values =
        (double)source->height * (double)source->width + (double)result->height * (double)result->width;
    return n_groups * n_values * (double)source->element_nbytes > (double)rg_cache_nbytes() / 2;
}

/* The part of all slots that is at work when these share n_units fairly. */
static double busy_part(int64_t n_units, int64_t n_slots)
{
    const int64_t most = (n_units + n_slots - 1) / n_slots;
    return n_units == 0 ? 0 : (double)n_units / ((double)most * (double)n_slots);
}

/* Rows are shared unless that leaves slots idle which parts of rows would not. */
static bool split(struct resize_plan *plan, int64_t slot_nbytes)
{
    const int n_threads = rg_num_threads();
    const double n_groups = (double)(plan->n_rows / plan->result.height) * (double)plan->inner;
    const double n_values = n_groups * ((double)plan->source.height * (double)plan->source.width +
                                        (double)plan->result.height * (double)plan->result.width);
    const int64_t n_parts = count_parts(plan);
    const double by_rows = busy_part(plan->n_rows, n_threads);
    plan->across = by_rows < ROWS_BUSY && busy_part(n_parts, n_threads) > by_rows;
    return rg_plan_split(&plan->base, plan->across ? n_parts : plan->n_rows, n_values, slot_nbytes);
}

static regrad_status fill_plan(struct resize_plan *plan, const struct rg_resize *resize)
{
    const regrad_tensor *source = resize->source.tensor, *result = resize->result.tensor;
    regrad_plan *base = &plan->base;
    rg_plan_init(base, resize->op, source->dtype);
    rg_plan_add_input(base, &resize->source, true);
    if (resize->unread.tensor != NULL)
        rg_plan_add_input(base, &resize->unread, false);
    rg_plan_add_output(base, &resize->result, true);
    base->describe = describe;
    base->destroy = destroy;
    plan->source = make_side(source);
    plan->result = make_side(result);
    RG_FORWARD(build_maps(plan, resize));
    choose_layout(plan, source->shape[0], source->shape[1]);
    choose_order(plan);
    plan->grouped = makes_groups(plan);
    choose_factor(plan);
    if (!cut_strips(plan))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    choose_batch(plan);
    choose_ring_batch(plan);
    choose_plain(plan);
    plan->streamed = exceeds_caches(plan);
    plan->reads_far =
        plan->streamed && plan->source.height * plan->source.width > plan->result.height * plan->result.width;
    if (!build_columns(plan))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    const bool copied = plan->height.identity && plan->width.identity;
    base->run = copied ? run_copy : run;
    if (!split(plan, copied ? 0 : slot_nbytes(plan)))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    return REGRAD_OK;
}

regrad_status rg_resize_plan_create(const struct rg_resize *resize, regrad_plan **plan)
{
    RG_FORWARD(rg_resize_check(resize));
    char source[RG_SIZES_LENGTH], result[RG_SIZES_LENGTH];
    struct resize_plan *made = calloc(1, sizeof *made);
    regrad_status status = made == NULL ? REGRAD_ERROR_OUT_OF_MEMORY : fill_plan(made, resize);
    if (status != REGRAD_OK) {
        if (made != NULL)
            destroy(&made->base);
        return rg_fail(status, "%s: out of memory for the tables of %s.shape %s and %s.shape %s, must be smaller",
                       resize->op, rg_argument_name(&resize->source),
                       rg_format_sizes(source, resize->source.tensor->shape, resize->n_axes + 2),
                       rg_argument_name(&resize->result),
                       rg_format_sizes(result, resize->result.tensor->shape, resize->n_axes + 2));
    }
    *plan = &made->base;
    return REGRAD_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

double arithmetic(bool use_double, double value)
{
    return use_double ? value : (double)(float)value;
}

/* ---- Sums and their bounds ---- */

void sum_add(struct sum *sum, long double weight, double error, double operand)
{
    sum->value += weight * operand;
    if (weight == 0 && error == 0)
        return; /* adds nothing and rounds nothing, unless operand is not finite, which the value then shows */
    sum->magnitude += (double)fabsl(weight * operand);
    sum->slack += error * fabs(operand);
    sum->n_terms++;
}

/* Below the normal range a rounding errs by up to half of the smallest number, whatever the size of the value;
 * a term has at most five roundings (weight, weight times operand, each axis). */
static double underflow(const struct sum *sum, bool use_double)
{
    return sum->magnitude == 0 ? 0 : 5 * (double)sum->n_terms * (use_double ? 0x1p-1074 : 0x1p-149);
}

double sum_bound(const struct sum *sum, regrad_dtype dtype)
{
    bool use_double = dtype == REGRAD_FLOAT64;
    double unit = use_double ? 0x1p-53 : 0x1p-24;
    return ((double)(sum->n_terms + 4) * sum->magnitude + sum->slack) * unit + underflow(sum, use_double);
}

bool sum_accepts(const struct sum *sum, regrad_dtype dtype, double result)
{
    double value = (double)sum->value;
    if (isnan(value) || isinf(value))
        return isnan(value) ? isnan(result) : result == value;
    double bound = sum_bound(sum, dtype);
    double largest = fabs(value) + bound;
    if (isinf(result))
        return largest >= number_max(dtype) + number_rounding(dtype, number_max(dtype)) &&
               signbit(result) == signbit(value);
    if (dtype == REGRAD_FLOAT16 || dtype == REGRAD_BFLOAT16)
        bound += number_rounding(dtype, largest);
    return (double)fabsl((long double)result - sum->value) <= bound;
}

/* ---- Tables ---- */

static void *grown(void *memory, int64_t n, size_t size)
{
    void *larger = realloc(memory, (size_t)n * size);
    if (!larger)
        abort();
    return larger;
}

/* Adds to the last output of the table. */
static void add_inexact(struct axis_table *table, int64_t index, double weight, double error)
{
    if (table->n == table->room) {
        table->room = 2 * table->room + 64;
        table->index = grown(table->index, table->room, sizeof *table->index);
        table->weight = grown(table->weight, table->room, sizeof *table->weight);
        table->error = grown(table->error, table->room, sizeof *table->error);
    }
    table->index[table->n] = index;
    table->weight[table->n] = weight;
    table->error[table->n++] = error;
}

static void add_tap(struct axis_table *table, int64_t index, double weight)
{
    add_inexact(table, index, weight, 0);
}

/* How far a number up to 2 may be off that was evaluated in double and rounded: in float by one in the last place, in
 * double by some operations. In units of the last place of 1. */
static double evaluation_error(bool use_double, double value)
{
    return use_double ? 16 : 2 * fabs(value) + 0x1p-24;
}

void axis_table_fini(struct axis_table *table)
{
    free(table->first);
    free(table->index);
    free(table->weight);
    free(table->error);
}

/* ---- What all axes share ---- */

/* Are indices and coordinates computed in double? Above 2^22 a float does not hold every quarter of a pixel. */
static bool is_wide(const struct rg_axis_spec *spec)
{
    bool moves = spec->law == RG_AXIS_NEAREST || spec->law == RG_AXIS_NEAREST_EXACT;
    return (spec->use_double && !moves) || spec->in_size > 1 << 22 || spec->out_size > 1 << 22;
}

/* r: input over output */
static double source_step(const struct rg_axis_spec *spec)
{
    bool wide = is_wide(spec);
    if (spec->coordinates == REGRAD_ALIGN_CORNERS)
        return spec->out_size > 1 ? arithmetic(wide, (double)(spec->in_size - 1) / (double)(spec->out_size - 1)) : 0;
    return arithmetic(wide, spec->scale > 0 ? 1.0 / spec->scale : (double)spec->in_size / (double)spec->out_size);
}

static double clamped(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* ---- Nearest ---- */

static void nearest_row(const struct rg_axis_spec *spec, int64_t o, struct axis_table *table)
{
    double place = spec->law == RG_AXIS_NEAREST_EXACT ? (double)o + 0.5 : (double)o;
    double source = floor(arithmetic(is_wide(spec), place * source_step(spec)));
    add_tap(table, (int64_t)fmin(source, (double)(spec->in_size - 1)), 1);
}

/* The first output that input i owns. */
static int64_t gather_begin(const struct rg_axis_spec *spec, int64_t i)
{
    bool wide = is_wide(spec);
    double m = arithmetic(wide, spec->scale > 0 ? spec->scale : (double)spec->out_size / (double)spec->in_size);
    double begin = arithmetic(wide, (double)i * m);
    if (spec->law == RG_AXIS_NEAREST_EXACT)
        begin = arithmetic(wide, begin - 0.5);
    return (int64_t)clamped(ceil(begin), 0, (double)spec->out_size);
}

static void gather_rows(const struct rg_axis_spec *spec, struct axis_table *table)
{
    int64_t o = 0;
    for (int64_t i = 0; i < spec->in_size; i++)
        for (int64_t end = gather_begin(spec, i + 1); o < end; o++) {
            table->first[o] = table->n;
            add_tap(table, i, 1);
        }
    for (; o < spec->out_size; o++)
        table->first[o] = table->n; /* nobody's */
}

/* ---- Linear and cubic ---- */

/* Where output o of such an axis reads, before it is clamped. */
static double coordinate(const struct rg_axis_spec *spec, int64_t o)
{
    bool wide = is_wide(spec);
    double r = source_step(spec);
    if (spec->coordinates != REGRAD_HALF_PIXEL)
        return arithmetic(wide, r * (double)o);
    return arithmetic(wide, arithmetic(wide, r * arithmetic(wide, (double)o + 0.5)) - 0.5);
}

static void linear_row(const struct rg_axis_spec *spec, int64_t o, struct axis_table *table)
{
    double source = fmax(coordinate(spec, o), 0);
    int64_t last = spec->in_size - 1;
    if (source >= (double)last) {
        add_tap(table, last, 1); /* both neighbours are the last input, and their weights sum to 1 */
        return;
    }
    double w1 = arithmetic(spec->use_double, source - floor(source));
    add_tap(table, (int64_t)source, arithmetic(spec->use_double, 1 - w1));
    add_tap(table, (int64_t)source + 1, w1);
}

/* The weight of neighbour k of four in cubic convolution, t behind the second one. A product, so that small weights
 * have all their digits. */
static long double cubic_weight(int k, long double t)
{
    const long double a = -0.75L, u = 1 - t;
    if (k == 0 || k == 3)
        return k == 0 ? a * t * u * u : a * u * t * t;
    return k == 1 ? u * (1 + t - (a + 2) * t * t) : t * (1 + u - (a + 2) * u * u);
}

static void cubic_row(const struct rg_axis_spec *spec, int64_t o, struct axis_table *table)
{
    double last = (double)(spec->in_size - 1), source = coordinate(spec, o), base = fmin(floor(source), last);
    double t = clamped(arithmetic(spec->use_double, source - base), 0, 1);
    long double merged = 0;
    for (int k = 0; k < 4; k++) {
        double index = clamped(base - 1 + k, 0, last);
        merged += cubic_weight(k, t);
        if (k < 3 && clamped(base + k, 0, last) == index)
            continue; /* the next one is clamped to the same input */
        const double weight = arithmetic(spec->use_double, (double)merged);
        if (last == 0)
            add_tap(table, 0, 1);
        else
            add_inexact(table, (int64_t)index, weight, evaluation_error(spec->use_double, weight));
        merged = 0;
    }
}

/* ---- Antialiased ---- */

static const long double pi = 3.14159265358979323846264338327950288L;

static long double sinc(long double x)
{
    long double whole = rintl(x), sine = sinl(pi * (x - whole));
    return x == 0 ? 1 : (fmodl(whole, 2) == 0 ? sine : -sine) / (pi * x);
}

/* The filter's half width where it is not stretched, and its value at x. */
static double filter_radius(enum rg_axis_law law)
{
    return law == RG_AXIS_AA_LINEAR ? 1 : law == RG_AXIS_AA_CUBIC ? 2 : 3;
}

static long double filter(enum rg_axis_law law, long double x)
{
    if (x >= (long double)filter_radius(law))
        return 0;
    if (law == RG_AXIS_AA_LINEAR)
        return 1 - x;
    if (law == RG_AXIS_AA_LANCZOS)
        return sinc(x) * sinc(x / 3);
    return x < 1 ? (1 - x) * (1 + x - 1.5L * x * x) : -0.5L * (x - 1) * (2 - x) * (2 - x);
}

/* Divides the weights from `from` on by their sum. In float one of them, up to 1, is off at times, and the sum then
 * twice as far; in double all are. */
static void normalise(const struct rg_axis_spec *spec, struct axis_table *table, int64_t from, double total)
{
    const double total_error = spec->law == RG_AXIS_AA_LINEAR ? 0
                               : spec->use_double             ? 16 * (double)(table->n - from)
                                                              : 4;
    for (int64_t k = from; k < table->n && total != 0; k++) {
        const double weight = table->weight[k] / total;
        table->weight[k] = arithmetic(spec->use_double, weight);
        if (spec->law != RG_AXIS_AA_LINEAR)
            table->error[k] = (table->error[k] + fabs(weight) * total_error) / fabs(total) + 2 * fabs(weight);
    }
}

static void filter_row(const struct rg_axis_spec *spec, int64_t o, struct axis_table *table)
{
    bool wide = is_wide(spec);
    double r = source_step(spec), radius = filter_radius(spec->law), size = (double)spec->in_size;
    double support = r >= 1 ? arithmetic(wide, radius * r) : radius, inverse = r >= 1 ? arithmetic(wide, 1 / r) : 1;
    double centre = arithmetic(wide, r * ((double)o + 0.5));
    double low = fmin(fmax(trunc(arithmetic(wide, centre - support) + 0.5), 0), size);
    double high = fmin(trunc(arithmetic(wide, centre + support) + 0.5), size), total = 0;
    int64_t n = (int64_t)clamped(high - low, 0, 2 * ceil(support) + 1), from = table->n;
    for (int64_t j = 0; j < n; j++) {
        double distance = arithmetic(wide, low + (double)j - centre) + 0.5;
        double x = fabs(arithmetic(wide, distance * inverse));
        double weight = arithmetic(spec->use_double, (double)filter(spec->law, x));
        total = arithmetic(spec->use_double, total + weight);
        add_inexact(table, (int64_t)low + j, weight,
                    spec->law == RG_AXIS_AA_LINEAR ? 0 : evaluation_error(spec->use_double, weight));
    }
    normalise(spec, table, from, total);
}

long double reference_exact_weights(const struct rg_axis_spec *spec, int64_t o, long double *weights)
{
    const bool aligns = spec->coordinates == REGRAD_ALIGN_CORNERS;
    const long double in = spec->in_size - aligns, out = spec->out_size - aligns;
    const long double r = out == 0 ? 0 : in / out, stretch = fmaxl(r, 1), centre = r * ((long double)o + 0.5L);
    const long double reach = stretch * filter_radius(spec->law) + 1;
    long double total = 0;
    for (int64_t j = 0; j < spec->in_size; j++) {
        const long double distance = fabsl((long double)j + 0.5L - centre);
        weights[j] = distance > reach ? 0 : filter(spec->law, distance / stretch);
        total += weights[j];
    }
    for (int64_t j = 0; j < spec->in_size && total != 0; j++)
        weights[j] = weights[j] == 0 ? 0 : weights[j] / total;
    return total;
}

/* ---- All laws ---- */

/* Does an axis that keeps its length copy? */
static bool is_copied(const struct rg_axis_spec *spec)
{
    if (spec->in_size != spec->out_size || spec->law == RG_AXIS_NEAREST || spec->law == RG_AXIS_NEAREST_EXACT)
        return false;
    return spec->law != RG_AXIS_CUBIC || source_step(spec) == 1;
}

static void add_row(const struct rg_axis_spec *spec, int64_t o, struct axis_table *table)
{
    if (is_copied(spec))
        add_tap(table, o, 1);
    else if (spec->law == RG_AXIS_NEAREST || spec->law == RG_AXIS_NEAREST_EXACT)
        nearest_row(spec, o, table);
    else if (spec->law == RG_AXIS_LINEAR)
        linear_row(spec, o, table);
    else if (spec->law == RG_AXIS_CUBIC)
        cubic_row(spec, o, table);
    else
        filter_row(spec, o, table);
}

struct axis_table reference_axis(const struct rg_axis_spec *spec)
{
    struct axis_table table = {.first = grown(NULL, spec->out_size + 1, sizeof *table.first)};
    if (spec->gather)
        gather_rows(spec, &table);
    for (int64_t o = 0; o < spec->out_size && !spec->gather; o++) {
        table.first[o] = table.n;
        add_row(spec, o, &table);
    }
    table.first[spec->out_size] = table.n;
    return table;
}

/* ---- Resize ---- */

/* Missing axes, which come first, have one input and one output. */
struct volume {
    struct rg_axis_spec axis[3];
    struct axis_table table[3];
};

static void volume_init(struct volume *volume, const struct reference_resize *resize)
{
    const struct rg_axis_spec one = {.law = RG_AXIS_LINEAR, .in_size = 1, .out_size = 1};
    for (int k = 0; k < 3; k++) {
        int given = k - 3 + resize->n_axes;
        volume->axis[k] = given >= 0 ? resize->axis[given] : one;
        volume->table[k] = reference_axis(&volume->axis[k]);
    }
}

static int64_t volume_size(const struct volume *volume, bool output)
{
    int64_t n = 1;
    for (int k = 0; k < 3; k++)
        n *= output ? volume->axis[k].out_size : volume->axis[k].in_size;
    return n;
}

/* What an output reads: on the first axes, and with the next axis. */
struct place {
    int64_t at;
    long double weight;
    double error; /* in units of the last place of 1 */
};

static struct place further(const struct volume *volume, const struct place *place, int axis, int64_t tap)
{
    double weight = volume->table[axis].weight[tap], error = volume->table[axis].error[tap];
    return (struct place){
        .at = place->at * volume->axis[axis].in_size + volume->table[axis].index[tap],
        .weight = place->weight * weight,
        .error = place->error * (fabs(weight) + error * 0x1p-24) + error * (double)fabsl(place->weight),
    };
}

/* From this place on this and the next axes: an output is added to, or adds to what it touches (backward). */
struct transfer {
    const struct volume *volume;
    bool backward;
    const double *from;
    struct sum *to;
};

static void transfer_output(const struct transfer *transfer, const int64_t *index, int axis, const struct place *place,
                            int64_t o)
{
    const struct axis_table *table = &transfer->volume->table[axis];
    for (int64_t tap = table->first[index[axis]]; tap < table->first[index[axis] + 1]; tap++) {
        struct place next = further(transfer->volume, place, axis, tap);
        if (axis < 2)
            transfer_output(transfer, index, axis + 1, &next, o);
        else if (transfer->backward)
            sum_add(&transfer->to[next.at], next.weight, next.error, transfer->from[o]);
        else
            sum_add(&transfer->to[o], next.weight, next.error, transfer->from[next.at]);
    }
}

static void transfer_volume(const struct transfer *transfer)
{
    const struct rg_axis_spec *axis = transfer->volume->axis;
    const struct place origin = {0, 1, 0};
    int64_t index[3], o = 0;
    for (index[0] = 0; index[0] < axis[0].out_size; index[0]++)
        for (index[1] = 0; index[1] < axis[1].out_size; index[1]++)
            for (index[2] = 0; index[2] < axis[2].out_size; index[2]++, o++)
                transfer_output(transfer, index, 0, &origin, o);
}

static void resize_planes(const struct reference_resize *resize, bool backward, const double *from, struct sum *to)
{
    struct volume volume;
    volume_init(&volume, resize);
    int64_t n_from = volume_size(&volume, backward), n_to = volume_size(&volume, !backward);
    memset(to, 0, (size_t)(resize->n_planes * n_to) * sizeof *to);
    for (int64_t plane = 0; plane < resize->n_planes; plane++)
        transfer_volume(&(struct transfer){&volume, backward, from + plane * n_from, to + plane * n_to});
    for (int k = 0; k < 3; k++)
        axis_table_fini(&volume.table[k]);
}

void reference_resize_forward(const struct reference_resize *resize, const double *in, struct sum *out)
{
    resize_planes(resize, false, in, out);
}

void reference_resize_backward(const struct reference_resize *resize, const double *grad_out, struct sum *grad_in)
{
    resize_planes(resize, true, grad_out, grad_in);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "data.h"

#include <math.h>
#include <string.h>

#include "chance.h"
#include "element.h"

static void fill_numbers(regrad_dtype dtype, char *data, int64_t n, uint64_t seed)
{
    const size_t size = regrad_dtype_size(dtype);
    double aligned[256];
    char *table = (char *)aligned;
    for (int i = 0; i < 256; i++)
        element_store(dtype, table, i, (i - 128) / 128.0);
    for (int64_t i = 0; i < n; i++)
        memcpy(data + (size_t)i * size, table + (chance_next(&seed) >> 56) * size, size);
}

/* Where a point lies, in pixels. */
struct pixel {
    double x, y;
};

/* A place in an image, as parts of its height and width. */
static struct pixel part_of_image(const struct shape *shape, double x, double y)
{
    return (struct pixel){x * (double)shape->in_w - 0.5, y * (double)shape->in_h - 0.5};
}

static struct pixel smooth_point(const struct shape *shape, int64_t row, int64_t column)
{
    const double u = ((double)column + 0.5) / (double)shape->out_w, v = ((double)row + 0.5) / (double)shape->out_h;
    const double x = 0.5 + 0.96 * (u - 0.5) - 0.05 * (v - 0.5) + 0.01 * sin(20 * v);
    const double y = 0.5 + 0.05 * (u - 0.5) + 0.96 * (v - 0.5) + 0.01 * cos(17 * u);
    return part_of_image(shape, x, y);
}

static struct pixel near_point(const struct shape *shape, int64_t row, uint64_t *state)
{
    const int64_t place = (int64_t)((double)row / (double)shape->out_h * (double)(shape->in_h * shape->in_w));
    const double x = (double)(place % shape->in_w), y = (double)(place / shape->in_w);
    return (struct pixel){x + chance_uniform(state, -4, 4), y + chance_uniform(state, -4, 4)};
}

static struct pixel random_point(const struct shape *shape, uint64_t *state)
{
    const double x = chance_uniform(state, 0, 1), y = chance_uniform(state, 0, 1);
    return part_of_image(shape, x, y);
}

/* Away from whole pixels. */
static double nudged(double pixel)
{
    const double whole = floor(pixel);
    return whole + 1.0 / 16 + (pixel - whole) * 7 / 8;
}

static double normalised(const struct shape *shape, double pixel, int64_t length)
{
    if (shape->align_corners)
        return length > 1 ? nudged(pixel) * 2 / (double)(length - 1) - 1 : 0;
    return (nudged(pixel) * 2 + 1) / (double)length - 1;
}

static struct pixel point(const struct shape *shape, struct pixel centre, int64_t row, int64_t column, uint64_t *state)
{
    switch (shape->points) {
    case POINTS_SMOOTH:
        return smooth_point(shape, row, column);
    case POINTS_NEAR:
        return near_point(shape, row, state);
    case POINTS_WINDOW:
        return (struct pixel){centre.x + (double)(column - shape->out_w / 2),
                              centre.y + (double)(row - shape->out_h / 2)};
    default:
        return random_point(shape, state);
    }
}

static void fill_grid(const struct shape *shape, char *data, uint64_t seed)
{
    int64_t at = 0;
    for (int64_t n = 0; n < shape->n; n++) {
        const struct pixel centre = random_point(shape, &seed);
        for (int64_t i = 0; i < shape->out_h * shape->out_w; i++) {
            const struct pixel pixel = point(shape, centre, i / shape->out_w, i % shape->out_w, &seed);
            element_store(shape->dtype, data, at++, normalised(shape, pixel.x, shape->in_w));
            element_store(shape->dtype, data, at++, normalised(shape, pixel.y, shape->in_h));
        }
    }
}

void data_fill(const struct shape *shape, const struct plan_of_memory *memory, char *base)
{
    fill_numbers(shape->dtype, base + memory->offset[GRAD_OUTPUT], shape_elements(shape, GRAD_OUTPUT), 1);
    fill_numbers(shape->dtype, base + memory->offset[INPUT], shape_elements(shape, INPUT), 2);
    if (memory->nbytes[GRID] > 0)
        fill_grid(shape, base + memory->offset[GRID], 3);
    memset(base + memory->written, 0xFF, memory->end - memory->written);
}

double data_difference(regrad_dtype dtype, const void *a, const void *b, int64_t n)
{
    static const int64_t most = INT64_C(1) << 22;
    const int64_t step = n / most + 1;
    double largest = 0, difference = 0;
    for (int64_t i = 0; i < n; i += step) {
        const double of_a = element_load(dtype, a, i), of_b = element_load(dtype, b, i);
        const double here = fabs(of_a - of_b);
        if (!(here <= difference))
            difference = isnan(here) ? (double)INFINITY : here;
        largest = fmax(largest, fabs(of_a));
    }
    return difference > 0 ? difference / largest : 0;
}

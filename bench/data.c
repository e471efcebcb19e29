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

/* Where a point lies, in pixels; z is 0 in two dimensions. */
struct pixel {
    double x, y, z;
};

/* A point's place in its grid, which has one slice in two dimensions; and its row, counted through all slices. */
struct place_in_grid {
    int64_t slice, line, column, row;
};

static bool has_depth(const struct shape *shape)
{
    return shape->op.n_axes == 3;
}

/* A place in an image, as parts of its width, height and depth. */
static struct pixel part_of_image(const struct shape *shape, double x, double y, double z)
{
    return (struct pixel){x * (double)shape->in[2] - 0.5, y * (double)shape->in[1] - 0.5,
                          has_depth(shape) ? z * (double)shape->in[0] - 0.5 : 0};
}

static struct pixel smooth_point(const struct shape *shape, struct place_in_grid at)
{
    const double u = ((double)at.column + 0.5) / (double)shape->out[2];
    const double v = ((double)at.line + 0.5) / (double)shape->out[1];
    const double w = ((double)at.slice + 0.5) / (double)shape->out[0];
    const double x = 0.5 + 0.96 * (u - 0.5) - 0.05 * (v - 0.5) - 0.04 * (w - 0.5) + 0.01 * sin(20 * v);
    const double y = 0.5 + 0.05 * (u - 0.5) + 0.96 * (v - 0.5) + 0.01 * cos(17 * u);
    const double z = 0.5 + 0.04 * (u - 0.5) + 0.96 * (w - 0.5) + 0.01 * sin(15 * v);
    return part_of_image(shape, x, y, z);
}

static struct pixel near_point(const struct shape *shape, struct place_in_grid at, uint64_t *state)
{
    const int64_t n_rows = shape->out[0] * shape->out[1], width = shape->in[2], height = shape->in[1];
    const int64_t place = (int64_t)((double)at.row / (double)n_rows * (double)shape_points(shape->in));
    struct pixel pixel = {(double)(place % width), (double)(place / width % height), (double)(place / width / height)};
    pixel.x += chance_uniform(state, -4, 4);
    pixel.y += chance_uniform(state, -4, 4);
    pixel.z += has_depth(shape) ? chance_uniform(state, -4, 4) : 0;
    return pixel;
}

static struct pixel random_point(const struct shape *shape, uint64_t *state)
{
    const double x = chance_uniform(state, 0, 1), y = chance_uniform(state, 0, 1);
    return part_of_image(shape, x, y, has_depth(shape) ? chance_uniform(state, 0, 1) : 0);
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

static struct pixel point(const struct shape *shape, struct pixel centre, struct place_in_grid at, uint64_t *state)
{
    switch (shape->points) {
    case POINTS_SMOOTH:
        return smooth_point(shape, at);
    case POINTS_NEAR:
        return near_point(shape, at, state);
    case POINTS_WINDOW:
        return (struct pixel){centre.x + (double)(at.column - shape->out[2] / 2),
                              centre.y + (double)(at.line - shape->out[1] / 2),
                              centre.z + (double)(at.slice - shape->out[0] / 2)};
    default:
        return random_point(shape, state);
    }
}

static struct place_in_grid place_in_grid(const struct shape *shape, int64_t i)
{
    const int64_t height = shape->out[1], width = shape->out[2], row = i / width;
    return (struct place_in_grid){.slice = row / height, .line = row % height, .column = i % width, .row = row};
}

static void fill_grid(const struct shape *shape, char *data, uint64_t seed)
{
    int64_t at = 0;
    for (int64_t n = 0; n < shape->n; n++) {
        const struct pixel centre = random_point(shape, &seed);
        for (int64_t i = 0; i < shape_points(shape->out); i++) {
            const struct pixel pixel = point(shape, centre, place_in_grid(shape, i), &seed);
            element_store(shape->dtype, data, at++, normalised(shape, pixel.x, shape->in[2]));
            element_store(shape->dtype, data, at++, normalised(shape, pixel.y, shape->in[1]));
            if (has_depth(shape))
                element_store(shape->dtype, data, at++, normalised(shape, pixel.z, shape->in[0]));
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align - finds how a photograph was warped, by gradient descent through grid sampling.
 *
 *     align PHOTO.jpg DIRECTORY [SEED]
 *
 * The photograph is the reference. A random affine map (turn, shrink, shear, shift; chosen by SEED)
 * warps it, and is put aside. What is left are two pictures. The program looks for the map that
 * brings the warped one back onto the reference:
 *
 *     minimise over the 6 numbers of the map    mean (sample(warped, grid(map)) - reference)^2
 *
 * Each step samples the warped picture (regrad_grid_sampler_2d), takes the gradient of the error
 * with respect to the grid (regrad_grid_sampler_2d_backward, grid_grad), and sums it into the
 * gradient of the 6 numbers by the chain rule. It starts on pictures of 1/16 of the size, made with
 * regrad_upsample_bilinear2d, where the way to go is short, and ends on the full size.
 *
 * Writes into DIRECTORY: align.png (reference, start, result, difference), input_grad.png (which
 * pixels of the warped picture the error depends on, at the start and at the end), and the
 * tensors of the last step as .npy files. Ends with status 1 when the map was not found.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "regrad.h"

enum { CHANNELS = 3, LEVELS = 5, STEPS = 60 };
static const double wanted_corner_error = 0.25; /* pixels of the full picture, at the worst corner */

/* Ends the program with the reason when a call has failed. */
static void must(regrad_status status)
{
    if (status != REGRAD_OK) {
        fprintf(stderr, "%s: %s\n", regrad_status_name(status), regrad_last_message());
        exit(EXIT_FAILURE);
    }
}

static void *need_memory(size_t nbytes)
{
    void *memory = aligned_alloc(64, (nbytes + 63) / 64 * 64 + 64);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", nbytes);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* ---- Images: planes of red, green and blue, 0 to 1 ------------------------------------------ */

struct image {
    int64_t h, w;
    float *planes; /* (1, 3, h, w) */
};

static size_t image_count(const struct image *image)
{
    return (size_t)(CHANNELS * image->h * image->w);
}

static struct image image_create(int64_t h, int64_t w)
{
    struct image image = {h, w, NULL};
    image.planes = need_memory(image_count(&image) * sizeof(float));
    return image;
}

static regrad_tensor image_tensor(const struct image *image)
{
    return regrad_tensor_contiguous(image->planes, REGRAD_FLOAT32, 4, (int64_t[]){1, CHANNELS, image->h, image->w});
}

static struct image image_from_picture(const struct picture *picture)
{
    struct image image = image_create(picture->height, picture->width);
    const int64_t area = image.h * image.w;
    for (int64_t p = 0; p < area; p++)
        for (int64_t c = 0; c < CHANNELS; c++)
            image.planes[c * area + p] = (float)picture->pixels[p * CHANNELS + c] / 255.0f;
    return image;
}

static unsigned char to_byte(double value)
{
    return (unsigned char)(fmin(fmax(value, 0), 1) * 255 + 0.5);
}

static struct picture picture_from_image(const struct image *image)
{
    struct picture picture = picture_create((int)image->w, (int)image->h);
    const int64_t area = image->h * image->w;
    for (int64_t p = 0; p < area; p++)
        for (int64_t c = 0; c < CHANNELS; c++)
            picture.pixels[p * CHANNELS + c] = to_byte(image->planes[c * area + p]);
    return picture;
}

/* No less than half the size: smaller, and bilinear would skip pixels. */
static struct image image_resize(const struct image *image, int64_t h, int64_t w)
{
    struct image resized = image_create(h, w);
    const regrad_tensor in = image_tensor(image), out = image_tensor(&resized);
    must(regrad_upsample_bilinear2d(&in, &out, REGRAD_HALF_PIXEL, 0, 0));
    return resized;
}

static struct image image_halve(const struct image *image)
{
    return image_resize(image, image->h / 2, image->w / 2);
}

/* 3/8 of the size, for a picture of several panels. */
static struct image image_shrink(const struct image *image)
{
    struct image half = image_halve(image);
    struct image shrunk = image_resize(&half, half.h * 3 / 4, half.w * 3 / 4);
    free(half.planes);
    return shrunk;
}

/* ---- Affine maps: (x, y) -> (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]), normalised ------ */

struct affine {
    double m[6];
};

static void affine_apply(const struct affine *map, double x, double y, double *u, double *v)
{
    *u = map->m[0] * x + map->m[1] * y + map->m[2];
    *v = map->m[3] * x + map->m[4] * y + map->m[5];
}

static struct affine affine_inverse(const struct affine *map)
{
    const double *m = map->m;
    const double det = m[0] * m[4] - m[1] * m[3];
    const double a = m[4] / det, b = -m[1] / det, c = -m[3] / det, d = m[0] / det;
    return (struct affine){{a, b, -(a * m[2] + b * m[5]), c, d, -(c * m[2] + d * m[5])}};
}

/* A number in [low, high), from a small linear congruential generator. */
static double random_between(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

/* A map that turns, shrinks, shears and shifts. It reads from 1.4 to 1.6 times the photograph's width
 * and height, so that the whole photograph stays in sight. */
static struct affine affine_random(uint64_t seed, int64_t h, int64_t w)
{
    uint64_t state = seed;
    (void)random_between(&state, 0, 1);
    const double sign = random_between(&state, 0, 1) < 0.5 ? -1 : 1;
    const double turn = sign * random_between(&state, 0.1, 0.25), shear = random_between(&state, -0.1, 0.1);
    const double grow_x = random_between(&state, 1.4, 1.6), grow_y = random_between(&state, 1.4, 1.6);
    const double shift_x = random_between(&state, -0.1, 0.1), shift_y = random_between(&state, -0.1, 0.1);
    const double aspect = (double)h / (double)w; /* a turn is one of pixels, and x and y differ in their units */
    return (struct affine){{grow_x * cos(turn), aspect * (shear - grow_y * sin(turn)), shift_x,
                            grow_x * sin(turn) / aspect, grow_y * cos(turn), shift_y}};
}

/* How far apart two maps put the worst of the four corners, in pixels. */
static double corner_error(const struct affine *map, const struct affine *truth, int64_t h, int64_t w)
{
    double worst = 0;
    for (int corner = 0; corner < 4; corner++) {
        const double x = corner & 1 ? 1 : -1, y = corner & 2 ? 1 : -1;
        double u[2], v[2];
        affine_apply(map, x, y, &u[0], &v[0]);
        affine_apply(truth, x, y, &u[1], &v[1]);
        worst = fmax(worst, hypot((u[0] - u[1]) * (double)w / 2, (v[0] - v[1]) * (double)h / 2));
    }
    return worst;
}

/* The normalised position of the centre of pixel k of n, with align_corners false. */
static double centre(int64_t k, int64_t n)
{
    return (double)(2 * k + 1) / (double)n - 1;
}

static void fill_grid(float *grid, const struct affine *map, int64_t h, int64_t w)
{
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            double u, v;
            affine_apply(map, centre(x, w), centre(y, h), &u, &v);
            *grid++ = (float)u;
            *grid++ = (float)v;
        }
    }
}

/* ---- One size of the two pictures, with its plans --------------------------------------------- */

struct level {
    struct image reference, warped, sampled, grad_output;
    float *grid, *grid_grad; /* (1, h, w, 2) */
    regrad_plan *sample, *sample_backward;
    void *workspace;
    size_t workspace_nbytes;
};

static regrad_tensor grid_tensor(float *grid, const struct image *image)
{
    return regrad_tensor_contiguous(grid, REGRAD_FLOAT32, 4, (int64_t[]){1, image->h, image->w, 2});
}

/* Takes over the two pictures. The plans are made once and run at every step. */
static void level_init(struct level *level, struct image reference, struct image warped)
{
    const int64_t h = reference.h, w = reference.w;
    const size_t grid_nbytes = (size_t)(h * w * 2) * sizeof(float);
    *level = (struct level){.reference = reference,
                            .warped = warped,
                            .sampled = image_create(h, w),
                            .grad_output = image_create(h, w),
                            .grid = need_memory(grid_nbytes),
                            .grid_grad = need_memory(grid_nbytes)};
    const regrad_tensor input = image_tensor(&level->warped), output = image_tensor(&level->sampled);
    const regrad_tensor grid = grid_tensor(level->grid, &reference);
    must(regrad_grid_sampler_2d_plan(&input, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, false, &output, &level->sample));

    const regrad_tensor grad_output = image_tensor(&level->grad_output);
    const regrad_tensor grid_grad = grid_tensor(level->grid_grad, &reference);
    must(regrad_grid_sampler_2d_backward_plan(&grad_output, &input, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, false, NULL,
                                              &grid_grad, &level->sample_backward));

    const size_t forward = regrad_plan_workspace_size(level->sample);
    const size_t backward = regrad_plan_workspace_size(level->sample_backward);
    level->workspace_nbytes = forward > backward ? forward : backward;
    level->workspace = need_memory(level->workspace_nbytes);
}

static void level_fini(struct level *level)
{
    regrad_plan_destroy(level->sample);
    regrad_plan_destroy(level->sample_backward);
    free(level->reference.planes);
    free(level->warped.planes);
    free(level->sampled.planes);
    free(level->grad_output.planes);
    free(level->grid);
    free(level->grid_grad);
    free(level->workspace);
}

/* Samples the warped picture through map. Returns the mean squared error against the reference,
 * and leaves its gradient with respect to the sampled picture in grad_output. */
static double level_error(struct level *level, const struct affine *map)
{
    fill_grid(level->grid, map, level->reference.h, level->reference.w);
    const void *inputs[] = {level->warped.planes, level->grid};
    void *outputs[] = {level->sampled.planes};
    must(regrad_plan_run(level->sample, inputs, outputs, level->workspace, level->workspace_nbytes));

    const size_t count = image_count(&level->reference);
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double difference = (double)level->sampled.planes[k] - (double)level->reference.planes[k];
        level->grad_output.planes[k] = (float)(2 * difference / (double)count);
        sum += difference * difference;
    }
    return sum / (double)count;
}

/* The gradient of the error of the last level_error with respect to the map's 6 numbers. */
static void level_gradient(struct level *level, double gradient[6])
{
    const void *inputs[] = {level->grad_output.planes, level->warped.planes, level->grid};
    void *outputs[] = {NULL, level->grid_grad};
    must(regrad_plan_run(level->sample_backward, inputs, outputs, level->workspace, level->workspace_nbytes));

    const int64_t h = level->reference.h, w = level->reference.w;
    memset(gradient, 0, 6 * sizeof(gradient[0]));
    const float *point = level->grid_grad;
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++, point += 2) {
            const double position[3] = {centre(x, w), centre(y, h), 1};
            for (int k = 0; k < 3; k++) {
                gradient[k] += point[0] * position[k];
                gradient[3 + k] += point[1] * position[k];
            }
        }
    }
}

/* ---- Gradient descent -------------------------------------------------------------------------- */

/* Each of the 6 numbers moves against its smoothed gradient, divided by the gradient's smoothed size
 * (the rule called Adam), so that one step length suits all. */
struct descent {
    double mean[6], square[6];
    int steps;
};

static void descent_step(struct descent *descent, struct affine *map, const double gradient[6], double length)
{
    const double keep_mean = 0.8, keep_square = 0.95;
    descent->steps++;
    for (int k = 0; k < 6; k++) {
        descent->mean[k] = keep_mean * descent->mean[k] + (1 - keep_mean) * gradient[k];
        descent->square[k] = keep_square * descent->square[k] + (1 - keep_square) * gradient[k] * gradient[k];
        const double mean = descent->mean[k] / (1 - pow(keep_mean, descent->steps));
        const double size = sqrt(descent->square[k] / (1 - pow(keep_square, descent->steps)));
        map->m[k] -= length * mean / (size + 1e-30);
    }
}

static void print_progress(const struct level *level, int step, double error, double corners)
{
    printf("%4d x %-4d %5d %12.2f %14.3f\n", (int)level->reference.w, (int)level->reference.h, step, 255 * sqrt(error),
           corners);
}

/* Moves map towards the smallest error on one level. Steps start at one pixel of the level and
 * shrink to a hundredth. truth is for the printed corner error alone; h, w: of the full size. */
static void descend(struct level *level, struct affine *map, const struct affine *truth, int64_t h, int64_t w)
{
    struct descent descent = {{0}, {0}, 0};
    for (int step = 0; step <= STEPS; step++) {
        const double error = level_error(level, map);
        if (step % 30 == 0)
            print_progress(level, step, error, corner_error(map, truth, h, w));
        if (step == STEPS)
            break;
        double gradient[6];
        level_gradient(level, gradient);
        descent_step(&descent, map, gradient, 2.0 / (double)level->reference.w * pow(0.01, (double)step / STEPS));
    }
}

/* ---- Pictures and files ------------------------------------------------------------------------ */

static const char *path_in(const char *directory, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

/* Writes count panels of one size side by side, each under its label. */
static void save_panels(const struct picture *panels, const char *const *labels, int count, const char *path)
{
    const int gap = 8, top = 28, width = panels[0].width, height = panels[0].height;
    struct picture sheet = picture_create(gap + count * (width + gap), top + height + gap);
    for (int k = 0; k < count; k++) {
        picture_label(&sheet, labels[k], gap + k * (width + gap), 5);
        picture_paste(&sheet, &panels[k], gap + k * (width + gap), top);
    }
    picture_save_png(&sheet, path);
    printf("wrote %s\n", path);
    picture_destroy(&sheet);
}

static void save_alignment(const struct level *level, const char *path)
{
    struct image difference = image_create(level->reference.h, level->reference.w);
    for (size_t k = 0; k < image_count(&difference); k++)
        difference.planes[k] = 4 * fabsf(level->sampled.planes[k] - level->reference.planes[k]);
    const struct image *shown[] = {&level->reference, &level->warped, &level->sampled, &difference};
    const char *const labels[] = {"reference", "start", "result", "difference x 4"};
    struct picture panels[4];
    for (int k = 0; k < 4; k++) {
        struct image shrunk = image_shrink(shown[k]);
        panels[k] = picture_from_image(&shrunk);
        free(shrunk.planes);
    }
    save_panels(panels, labels, 4, path);
    for (int k = 0; k < 4; k++)
        picture_destroy(&panels[k]);
    free(difference.planes);
}

/* How much the error, with the grid of map, depends on each pixel of the warped picture. */
static struct image error_input_grad(struct level *level, const struct affine *map)
{
    (void)level_error(level, map);
    struct image grad = image_create(level->warped.h, level->warped.w);
    const regrad_tensor grad_output = image_tensor(&level->grad_output), input = image_tensor(&level->warped);
    const regrad_tensor grid = grid_tensor(level->grid, &level->reference), input_grad = image_tensor(&grad);
    must(regrad_grid_sampler_2d_backward(&grad_output, &input, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, false, &input_grad,
                                         NULL));
    for (size_t k = 0; k < image_count(&grad); k++)
        grad.planes[k] = fabsf(grad.planes[k]);
    struct image shrunk = image_shrink(&grad);
    free(grad.planes);
    return shrunk;
}

/* The sum over the channels, from 0 to full, as black, red, yellow, white. */
static struct picture heat_map(const struct image *grad, double full)
{
    struct picture picture = picture_create((int)grad->w, (int)grad->h);
    const int64_t area = grad->h * grad->w;
    for (int64_t p = 0; p < area; p++) {
        double sum = 0;
        for (int64_t c = 0; c < CHANNELS; c++)
            sum += (double)grad->planes[c * area + p];
        for (int64_t c = 0; c < CHANNELS; c++)
            picture.pixels[p * CHANNELS + c] = to_byte(CHANNELS * sum / full - (double)c);
    }
    return picture;
}

/* Both on one scale, which is that of the start. */
static void save_input_grad(struct level *level, const struct affine *start, const struct affine *found,
                            const char *path)
{
    struct image grads[] = {error_input_grad(level, start), error_input_grad(level, found)};
    double largest = 0;
    for (size_t k = 0; k < image_count(&grads[0]); k++)
        largest = fmax(largest, (double)grads[0].planes[k]);
    struct picture panels[] = {heat_map(&grads[0], CHANNELS * largest), heat_map(&grads[1], CHANNELS * largest)};
    const char *const labels[] = {"gradient start", "gradient end"};
    save_panels(panels, labels, 2, path);
    for (int k = 0; k < 2; k++) {
        picture_destroy(&panels[k]);
        free(grads[k].planes);
    }
}

/* Writes a contiguous float32 tensor as a .npy file of version 1.0: magic bytes, version, the length of
 * the description (118 = 0x76, so that the data start at byte 128), the description, the data. */
static void save_npy(const regrad_tensor *tensor, const char *path)
{
    char header[129] = "\x93NUMPY\x01\0\x76\0", description[118];
    const int64_t *shape = tensor->shape;
    snprintf(description, sizeof(description), "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }",
             (int)shape[0], (int)shape[1], (int)shape[2], (int)shape[3]);
    snprintf(header + 10, sizeof(header) - 10, "%-117s\n", description);
    const size_t count = (size_t)(shape[0] * shape[1] * shape[2] * shape[3]);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(header, 1, 128, file) != 128 ||
        fwrite(tensor->data, sizeof(float), count, file) != count || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    printf("wrote %s\n", path);
}

/* The last step's tensors, for `regrad run`. */
static void save_tensors(struct level *level, const struct affine *map, const char *directory)
{
    double gradient[6];
    (void)level_error(level, map);
    level_gradient(level, gradient);
    const regrad_tensor input = image_tensor(&level->warped), grid = grid_tensor(level->grid, &level->warped);
    const regrad_tensor grad_output = image_tensor(&level->grad_output);
    save_npy(&input, path_in(directory, "photo.npy"));
    save_npy(&grid, path_in(directory, "grid.npy"));
    const regrad_tensor grid_grad = grid_tensor(level->grid_grad, &level->warped);
    save_npy(&grad_output, path_in(directory, "grad_output.npy"));
    save_npy(&grid_grad, path_in(directory, "grid_grad.npy"));
}

/* ---- The whole -------------------------------------------------------------------------------- */

/* The warp itself is bicubic, so that the search, which is bilinear, cannot meet it exactly. */
static struct image warp(const struct image *photo, const struct affine *map)
{
    struct image warped = image_create(photo->h, photo->w);
    float *points = need_memory((size_t)(photo->h * photo->w * 2) * sizeof(float));
    fill_grid(points, map, photo->h, photo->w);
    const regrad_tensor input = image_tensor(photo), grid = grid_tensor(points, photo), output = image_tensor(&warped);
    must(regrad_grid_sampler_2d(&input, &grid, REGRAD_BICUBIC, REGRAD_ZEROS, false, &output));
    free(points);
    return warped;
}

static void print_map(const char *label, const struct affine *map)
{
    printf("%-6s", label);
    for (int k = 0; k < 6; k++)
        printf(" %9.5f", map->m[k]);
    printf("\n");
}

/* Coarse to fine. levels[0] is the full size. */
static struct affine find_map(struct level levels[LEVELS], const struct affine *truth)
{
    printf("       size  step    RMS error    corners off\n                 (grey values)       (pixels)\n");
    struct affine map = {{1, 0, 0, 0, 1, 0}};
    for (int k = LEVELS - 1; k >= 0; k--)
        descend(&levels[k], &map, truth, levels[0].reference.h, levels[0].reference.w);
    return map;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: align PHOTO.jpg DIRECTORY [SEED]\n");
        return 2;
    }
    struct picture picture = picture_load_jpeg(argv[1]);
    struct image photo = image_from_picture(&picture);
    picture_destroy(&picture);
    if (photo.h < 64 || photo.w < 64) {
        fprintf(stderr, "%s: %d x %d pixels; at least 64 x 64 are wanted\n", argv[1], (int)photo.w, (int)photo.h);
        return 2;
    }

    const struct affine secret = affine_random(argc > 3 ? strtoull(argv[3], NULL, 10) : 1, photo.h, photo.w);
    const struct affine truth = affine_inverse(&secret), start = {{1, 0, 0, 0, 1, 0}};
    struct level levels[LEVELS];
    level_init(&levels[0], photo, warp(&photo, &secret));
    for (int k = 1; k < LEVELS; k++)
        level_init(&levels[k], image_halve(&levels[k - 1].reference), image_halve(&levels[k - 1].warped));

    const struct affine found = find_map(levels, &truth);
    save_alignment(&levels[0], path_in(argv[2], "align.png"));
    save_input_grad(&levels[0], &start, &found, path_in(argv[2], "input_grad.png"));
    save_tensors(&levels[0], &found, argv[2]);

    const double error = corner_error(&found, &truth, photo.h, photo.w);
    print_map("found", &found);
    print_map("true", &truth);
    printf("The corners are %.3f pixels off at worst; less than %.2f was wanted: %s.\n", error, wanted_corner_error,
           error < wanted_corner_error ? "found" : "NOT FOUND");
    for (int k = 0; k < LEVELS; k++)
        level_fini(&levels[k]);
    return error < wanted_corner_error ? EXIT_SUCCESS : EXIT_FAILURE;
}

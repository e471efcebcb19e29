/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of more than 2^31 elements through each operator: float16, many samples of small planes. Some of the
 * samples, those at the powers of two among them, are computed again alone and compared by memcmp. Skipped on a
 * machine that has not the memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "number.h"
#include "problem.h"

/* 2^21 + 5 samples of 8 x 8 x 16 elements: 5 samples more than 2^31 elements */
static const int64_t n_samples = (1 << 21) + 5;
enum { SAMPLE = 8 * 8 * 16 };

/* One tensor's memory; the large one is written and read by turns. */
struct region {
    unsigned char *data;
    size_t nbytes;
};

/* The large tensor, two of a quarter of its size, grid and grid_grad. Each operator's forward makes the large one from
 * the first, its gradient the first from the large one. */
static struct region regions[5];
enum { LARGE, FIRST, SECOND, GRID, GRID_GRAD };
static const int64_t sample_sizes[5] = {SAMPLE, SAMPLE / 4, SAMPLE / 4, 2 * 8 * 16, 2 * 8 * 16};

/* ---- Memory ---- */

/* A number of bytes from a file of lines "name: value kB", or of one value; -1 when it does not say. */
static double read_number(const char *path, const char *format)
{
    char line[200];
    double number = -1;
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (number < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, format, &number) != 1)
            number = -1;
    fclose(file);
    return number;
}

static double available_bytes(void)
{
    double available = read_number("/proc/meminfo", "MemAvailable: %lf") * 1024;
    double limit = read_number("/sys/fs/cgroup/memory.max", "%lf");
    double used = read_number("/sys/fs/cgroup/memory.current", "%lf");
    return limit >= 0 && limit - used < available ? limit - used : available;
}

static double wanted_bytes(void)
{
    double wanted = 0;
    for (int k = 0; k < 5; k++)
        wanted += 2.0 * (double)sample_sizes[k] * (double)n_samples;
    return wanted;
}

/* Repeats a block of random numbers whose length shares no factor with a sample. */
static void fill(struct region *region, double size)
{
    enum { BLOCK = 1000003 };
    static uint16_t block[BLOCK];
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < BLOCK; k++)
        number_encode(REGRAD_FLOAT16, rng_real(&rng, -size, size), &block[k]);
    for (size_t at = 0; at < region->nbytes; at += sizeof block)
        memcpy(region->data + at, block, region->nbytes - at < sizeof block ? region->nbytes - at : sizeof block);
}

static int allocate_regions(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        regions[k].nbytes = (size_t)(2 * sample_sizes[k] * n_samples);
        regions[k].data =
            mmap(NULL, regions[k].nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (regions[k].data == MAP_FAILED)
            return -1;
    }
    fill(&regions[GRID], 1.2);
    fill(&regions[FIRST], 2);
    return 0;
}

static int free_regions(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++)
        munmap(regions[k].data, regions[k].nbytes);
    return 0;
}

/* ---- Calls ---- */

/* A problem with all samples, and which region holds which tensor. */
struct big {
    struct problem problem;
    int in[MAX_INPUTS], out[MAX_OUTPUTS];
};

static void make_tensors(const struct big *big, int64_t first, regrad_tensor *in, regrad_tensor *out,
                         unsigned char *const *out_data)
{
    struct signature signature;
    problem_signature(&big->problem, &signature);
    for (int k = 0; k < signature.n_in; k++)
        in[k] = regrad_tensor_contiguous(regions[big->in[k]].data + 2 * first * sample_sizes[big->in[k]],
                                         REGRAD_FLOAT16, signature.in[k].rank, signature.in[k].shape);
    for (int k = 0; k < signature.n_out; k++)
        out[k] = regrad_tensor_contiguous(out_data[k], REGRAD_FLOAT16, signature.out[k].rank, signature.out[k].shape);
}

/* Computes `count` samples alone and compares. */
static void compare_samples(const struct big *big, int64_t first, int64_t count)
{
    static uint16_t alone[MAX_OUTPUTS][8 * SAMPLE];
    unsigned char *data[] = {(unsigned char *)alone[0], (unsigned char *)alone[1]};
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    struct big few = *big;
    struct signature signature;
    few.problem.n = count;
    make_tensors(&few, first, in, out, data);
    assert_int_equal(problem_call(&few.problem, in, out), REGRAD_OK);
    problem_signature(&few.problem, &signature);
    for (int k = 0; k < signature.n_out; k++) {
        const unsigned char *whole = regions[big->out[k]].data + 2 * first * sample_sizes[big->out[k]];
        if (memcmp(whole, alone[k], 2 * (size_t)operand_size(&signature.out[k])) != 0)
            fail_msg("%s: samples from %lld on are others than alone", problem_text(&big->problem), (long long)first);
    }
}

static void run_big(const struct big *big)
{
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    unsigned char *data[] = {regions[big->out[0]].data, regions[big->out[1]].data};
    struct signature signature;
    problem_signature(&big->problem, &signature);
    make_tensors(big, 0, in, out, data);
    if (problem_call(&big->problem, in, out) != REGRAD_OK)
        fail_msg("%s: %s", problem_text(&big->problem), regrad_last_message());
    for (int64_t power = 8; power < n_samples; power *= 2)
        compare_samples(big, power - 4, 8);
    compare_samples(big, 0, 8);
    compare_samples(big, n_samples - 8, 8);
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 200; k++)
        compare_samples(big, rng_below(&rng, n_samples - 8), 8);
}

static void run_resize(enum problem_kind kind)
{
    bool flat = kind == PROBLEM_NEAREST_EXACT_1D;
    for (int backward = 0; backward < 2; backward++)
        run_big(&(struct big){.problem = {.kind = kind,
                                          .backward = backward,
                                          .dtype = REGRAD_FLOAT16,
                                          .n = n_samples,
                                          .c = 8,
                                          .in_h = flat ? 1 : 4,
                                          .in_w = flat ? 32 : 8,
                                          .out_h = flat ? 1 : 8,
                                          .out_w = flat ? 128 : 16},
                              .in = {backward ? LARGE : FIRST},
                              .out = {backward ? FIRST : LARGE, GRID_GRAD}});
}

static void bilinear(void **state)
{
    (void)state;
    run_resize(PROBLEM_BILINEAR);
}

static void nearest_1d(void **state)
{
    (void)state;
    run_resize(PROBLEM_NEAREST_EXACT_1D);
}

static void nearest_2d(void **state)
{
    (void)state;
    run_resize(PROBLEM_NEAREST_EXACT_2D);
}

static void grid_sample(void **state)
{
    (void)state;
    struct problem problem = {.kind = PROBLEM_GRID,
                              .dtype = REGRAD_FLOAT16,
                              .n = n_samples,
                              .c = 8,
                              .in_h = 4,
                              .in_w = 8,
                              .out_h = 8,
                              .out_w = 16,
                              .padding = REGRAD_REFLECTION,
                              .wanted = {true, true}};
    run_big(&(struct big){problem, {FIRST, GRID}, {LARGE, GRID_GRAD}});
    problem.backward = true;
    run_big(&(struct big){problem, {LARGE, FIRST, GRID}, {SECOND, GRID_GRAD}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bilinear), cmocka_unit_test(nearest_1d),
                                       cmocka_unit_test(nearest_2d), cmocka_unit_test(grid_sample)};
    if (test_count(1000) < 1000) {
        printf("skipped: REGRAD_TEST_COUNT asks for a short run\n");
        return 77;
    }
    if (available_bytes() < wanted_bytes() + 0x1p30) {
        printf("skipped: %.1f GiB of memory are available, %.1f are needed\n", available_bytes() * 0x1p-30,
               wanted_bytes() * 0x1p-30 + 1);
        return 77;
    }
    return cmocka_run_group_tests(tests, allocate_regions, free_regions);
}

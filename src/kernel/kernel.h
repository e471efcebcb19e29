/*
 * The kernels: pure functions of pointers and counts. They allocate nothing, start no threads,
 * report no errors and know nothing of tensors. One table per instruction set; all tables compute
 * the same bits.
 *
 * The numerical contract
 * ----------------------
 * T is the arithmetic type: float, or double for float64 tensors. Every operation rounds once to T,
 * to nearest even; the files are compiled with -ffp-contract=off. A product is added with one fused
 * multiply-add, written fma(a, b, c) = round(a * b + c) below, in exactly the order given there.
 * A vector lane computes one result; no result is ever the sum over lanes. Hence the bits depend
 * neither on the width of vectors nor on where a row starts. The one thing left open is which NaN an
 * operation yields when it yields a NaN; store settles that.
 */
#ifndef RG_KERNEL_H
#define RG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "regrad.h"

enum { RG_N_DTYPES = 4 };

/* The alignment that makes a vector load never cross a cache line; what workspace is cut by. */
enum { RG_ALIGNMENT = 64 };

/* dst[k] = (T)src[k * stride] for k < n. src is of the storage type, stride in elements. Exact;
 * a NaN stays a NaN. */
typedef void rg_load_fn(void *dst, const void *src, int64_t stride, int64_t n);

/* dst[k * stride] = round(src[k]) for k < n: to nearest even, overflow to infinity, subnormals kept,
 * any NaN to the quiet NaN with sign 0 and empty payload (0x7FC00000, 0x7E00, 0x7FC0, 0x7FF8...0). dst is of the
 * storage type. Touches no byte between the elements. */
typedef void rg_store_fn(void *dst, int64_t stride, const void *src, int64_t n);

/* dst[k] = s where s = dst[k], or +0 at the start, and then s = fma(weight[r], (T)row r of src [k], s) for
 * r = 0 .. n_rows - 1 in this order, for k < n. src is of the storage type, its rows pitch bytes apart.
 * dst does not overlap src. */
typedef void rg_rows_fn(void *dst, const void *src, int64_t pitch, const void *weight, int64_t n_rows, int64_t n,
                        bool start);

/* Rows from .. to - 1 of an axis map (op/axis.h), and the n_src sources from low on that hold all that
 * they read. */
struct rg_piece {
    const int64_t *begin, *first;
    const void *weight;
    int64_t from, to;
    int64_t low, n_src;
};

/*
 * For each of n_lines lines and from <= i < to: dst[line][i - from] = s where s = +0 and then
 * s = fma(weight[t], src[line][begin[i] + (t - first[i]) - low], s) for t = first[i] .. first[i + 1] - 1.
 * Lines of dst have room for RG_COLS_ROOM values more, which are undefined afterwards. scratch has room
 * for RG_MAX_LANES * n_src values and is aligned to RG_ALIGNMENT. Nothing overlaps.
 */
enum { RG_MAX_LANES = 16, RG_COLS_ROOM = RG_MAX_LANES - 1 };
typedef void rg_cols_fn(void *const *dst, const void *const *src, int64_t n_lines, const struct rg_piece *piece,
                        void *scratch);

/* The same for one line of groups of n neighbouring values: dst[(i - from) * n + c] is the sum of
 * weight[t] * src[(begin[i] + (t - first[i]) - low) * n + c], for c < n. */
typedef void rg_groups_fn(void *dst, const void *src, int64_t n, const struct rg_piece *piece);

/* ---- Grid sample ---- */

/* How many points the grid kernels take at once, and the most neighbours that a point has. */
enum { RG_GRID_POINTS = 64, RG_GRID_NEIGHBOURS = 16 };

/* What does not change from point to point. */
struct rg_grid_spec {
    int64_t in_h, in_w;
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
};

/* A value of T for each neighbour of each point, at [k * RG_GRID_POINTS + p]; and one for each point. */
union rg_grid_values {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_NEIGHBOURS * RG_GRID_POINTS];
    double f64[RG_GRID_NEIGHBOURS * RG_GRID_POINTS];
};
union rg_grid_row {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS];
    double f64[RG_GRID_POINTS];
};

/*
 * The neighbours of up to RG_GRID_POINTS points. Neighbour k = ky * n_taps + kx of point p is in row
 * index_y[ky][p] and column index_x[kx][p] of the image. One of them is -1 when the neighbour is
 * outside; it then takes no part, and its weights are 0.
 */
struct rg_grid_points {
    int64_t n_taps; /* on each axis: 1 nearest, 2 bilinear, 4 bicubic */
    int64_t index_y[4][RG_GRID_POINTS], index_x[4][RG_GRID_POINTS];
    union rg_grid_values weight, weight_dx, weight_dy; /* the weight, and its derivatives by pixel x and y */
    union rg_grid_row slope_x, slope_y;                /* d pixel / d coordinate */
    bool active[RG_GRID_POINTS];                       /* false: no neighbour of this point takes part */
};

/* Finds the neighbours of n <= RG_GRID_POINTS points; x and y hold n values of T. The formulas stand in
 * body/grid.h and docs/operators.md. Entries from n on are left as they were. */
typedef void rg_grid_locate_fn(struct rg_grid_points *points, const void *x, const void *y, int64_t n,
                               const struct rg_grid_spec *spec);

/* dst[p] = (T)plane[offset[p]] for p < n, and +0 where offset[p] < 0. plane is of the storage type. */
typedef void rg_fetch_fn(void *dst, const void *plane, const int64_t *offset, int64_t n);

/* For p = 0 .. n - 1, and for each p for k = 0 .. n_neighbours - 1, in this order:
 * plane[o] = fma(weight[k][p], grad[p], plane[o]) where o = offset[k][p], unless o < 0.
 * plane holds T; rows of weight and offset are RG_GRID_POINTS apart. */
typedef void rg_grid_scatter_fn(void *plane, const int64_t *offset, const void *weight, const void *grad,
                                int64_t n_neighbours, int64_t n);

/* dst[p] = s where s = +0 and then s = fma(weight[k][p], value[k][p], s) for k = 0 .. n_neighbours - 1,
 * for p < n. Rows of weight and value are RG_GRID_POINTS apart. */
typedef void rg_grid_blend_fn(void *dst, const void *weight, const void *value, int64_t n_neighbours, int64_t n);

/* dst[p] = fma(a[p], b[p], dst[p]) for p < n. */
typedef void rg_muladd_fn(void *dst, const void *a, const void *b, int64_t n);

/* The kernels of one arithmetic type. load, store, fetch and rows are indexed by the storage type
 * (regrad_dtype) and NULL for the types that this arithmetic does not serve. */
struct rg_kernels {
    rg_load_fn *load[RG_N_DTYPES];
    rg_store_fn *store[RG_N_DTYPES];
    rg_fetch_fn *fetch[RG_N_DTYPES];
    rg_rows_fn *rows[RG_N_DTYPES];
    rg_cols_fn *cols;
    rg_groups_fn *groups;
    rg_grid_locate_fn *grid_locate;
    rg_grid_scatter_fn *grid_scatter;
    rg_grid_blend_fn *grid_blend;
    rg_muladd_fn *muladd;
};

struct rg_kernel_table {
    const char *name;
    struct rg_kernels f32; /* float32, float16, bfloat16 tensors */
    struct rg_kernels f64; /* float64 tensors */
};

extern const struct rg_kernel_table rg_kernels_scalar;
#if defined(__x86_64__)
extern const struct rg_kernel_table rg_kernels_avx2;
extern const struct rg_kernel_table rg_kernels_avx512;
#elif defined(__aarch64__)
extern const struct rg_kernel_table rg_kernels_neon;
#endif

/* The tables that this machine can run, best first; the last one is scalar. *n is their number. */
const struct rg_kernel_table *const *rg_kernel_tables(int *n);

/* The table in use: the best one, or the one that REGRAD_ISA names if the machine can run it. Chosen once. */
const struct rg_kernel_table *rg_kernel_select(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ways plans go. All ways give the same bits, so no other test sees when a fast one is no longer taken. Each row
 * of the table is a call, and the words that its plan says of itself; its results must be those of the general way, bit
 * by bit, and within the bounds of the reference. rg_seam (op/way.h) forces ways that this machine's caches or vectors
 * do not choose. The program ends with a line for each way, for CI:
 *
 *     route resize.shrink avx2 ran
 *     route resize.shrink scalar not-compiled
 *
 * Each of these edits must make this test fail; try them after a change of the routes, for instance with
 * `scripts/build.sh build/release && REGRAD_ISA=avx2 build/release/tests/check_routes`:
 *
 *     op/resize_route.c   routes[]             delete the row of RG_SHRINK, RG_FUSED_GROUPS or RG_ROWS
 *                         makes_groups         set `pays` to false
 *                         can_be_in_place      return false
 *                         choose_shared_rows   set `pays` to false
 *                         choose_streams       give false as `pays`, of RG_STREAMED or of RG_PREFETCHED
 *                         ends_in_vectors      return true (with 64-byte vectors)
 *                         rg_resize_split      set `pays` to false
 *                         choose_folded        return at once
 *     op/resize_interleave.c
 *                         has_rows_up_to       return false
 *     op/grid_way.c       rg_grid_choose_way   do planes always
 *                         lies_packed          return false
 *                         can_pack             set grad_apart to false
 *                         choose_abreast       give false as `pays`
 *                         do_planes            give false as `pays`, or set grad_copied to want_input_grad
 *                         choose_traits        set streams to false
 *     op/grid_window.c    rg_grid_ring         return 0
 *     op/resize.c         choose_order         set width_first to false
 *                         can_turn             return false
 *                         are_last             return false
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernel/resize_kernels.h"
#include "number.h"
#include "op/way.h"
#include "run.h"

#define BIT(way) (UINT64_C(1) << (way))
enum { FUSE = 1 << RG_FUSED_GROUPS, SHARE = 1 << RG_SHARED_ROWS };

/* Forces none; forbids, or forces, what wide vectors choose; has small caches, or is eager to wake threads. */
static const struct rg_seam as_is = {.forced = 0};
static const struct rg_seam unfused = {.forbidden = FUSE}, unshared = {.forbidden = SHARE, .cache_nbytes = 1 << 30};
static const struct rg_seam fused = {.forced = FUSE}, shared = {.forced = SHARE};
static const struct rg_seam small = {.forbidden = FUSE | SHARE, .cache_nbytes = 1024};
static const struct rg_seam small_full = {.forbidden = FUSE | SHARE | BIT(RG_SPARSE), .cache_nbytes = 1024};
static const struct rg_seam fused_small = {.forced = FUSE, .cache_nbytes = 1024};
static const struct rg_seam eager = {.forbidden = FUSE | SHARE, .values_per_slot = 64};
static const struct rg_seam fused_eager = {.forced = FUSE, .values_per_slot = 64};

/* For grid samples: as it is, all that pays for large tensors only, eager. Rings are only seen when they run. */
static _Atomic uint64_t met;
static const struct rg_seam sampled = {.met = &met}, sampled_eager = {.values_per_slot = 64, .met = &met};
static const struct rg_seam sampled_large = {.forced = BIT(RG_STREAMED) | BIT(RG_APART), .met = &met};

/* The ways that are forbidden to find what is computed without special ones. */
static const struct rg_seam general = {.forbidden = UINT64_MAX};

struct row {
    const char *call;  /* operator, type, sizes of the input and of the output, layouts of what is read and of what is
                          written, threads; "once": for one run; "wide": only for vectors of 64 bytes; "input", "grid":
                          only this gradient of  a grid sample */
    const char *words; /* what describe says of the ways */
    const struct rg_seam *seam; /* with which the plan is made */
    const char *without;        /* what it says where kernels that it wants are not compiled; NULL: it wants none */
};

static const struct row rows[] = {
    /* ---- Routes of a resize ---- */
    {"bilinear_grad float32 2x3x9x11 -> 9x11 planes planes 1", "copied", &as_is, NULL},
    {"bilinear_grad float16 2x3x9x11 -> 9x11 last planes 1", "copied, strided source", &as_is, NULL},
    {"bilinear_grad float32 2x3x9x11 -> 9x11 planes last 1", "copied, strided result", &as_is, NULL},
    {"bilinear_grad float32 2x3x20x37 -> 40x74 planes planes 1", "shrink", &as_is, "columns"},
    {"bilinear_grad float16 1x3x20x37 -> 60x111 planes planes 1", "shrink", &as_is, "columns"},
    {"bilinear_grad bfloat16 1x3x20x37 -> 80x148 planes planes 1", "shrink", &as_is, "columns"},
    {"bilinear_grad float64 1x3x9x37 -> 72x296 planes planes 1", "shrink", &as_is, "columns"},
    {"nearest_grad float32 1x3x9x37 -> 72x296 planes planes 1", "shrink", &as_is, "columns"},
    {"bilinear_grad float32 1x3x9x16 -> 72x128 planes planes 1", "shrink", &as_is, "columns"}, /* rows of one block */
    {"bilinear_grad float32 3x9x9x11 -> 20x23 planes planes 1", "interleaved", &as_is, "columns"},
    {"nearest_grad float16 2x70x9x5 -> 4x3 planes planes 1", "interleaved", &unshared, "rows, sparse"},
    {"bilinear bfloat16 5x20x1x2 -> 5x3 planes planes 1", "interleaved, width first", &as_is, "columns, width first"},
    {"bilinear_grad float64 40x3x9x5 -> 3x8 last last 1", "interleaved, width first", &as_is, "columns, width first"},
    {"linear1d float32 6x21x9 -> 4 planes planes 1", "interleaved", &unshared, "columns"},
    {"bilinear float16 2x40x5x3 -> 9x3 planes planes 1", "interleaved, turned", &as_is, "columns, turned"},
    {"bilinear_grad float32 1x32x9x3 -> 900x2 planes planes 1", "interleaved", &as_is, "columns, sparse, shared rows"},
    {"bilinear float32 2x16x9x11 -> 7x8 last planes 1", "interleaved, width first, strided source", &as_is,
     "columns, width first, strided source"},
    {"bilinear float64 2x20x3x3 -> 5x2 planes last 1", "interleaved, width first, strided result", &as_is,
     "columns, width first, strided result"},
    {"bilinear_grad float32 2x16x8x8 -> 16x16 planes planes 1", "interleaved", &as_is, "columns"}, /* else shrunk */
    {"trilinear float32 3x7x3x4x5 -> 5x7x9 planes planes 1", "interleaved", &as_is, "columns"},
    {"trilinear_grad float32 2x9x4x5x6 -> 7x8x9 planes planes 1", "interleaved", &as_is, "columns"},
    {"trilinear float16 2x10x6x2x1 -> 47x15x1 planes planes 1", "interleaved", &as_is, "rows"},
    {"trilinear_grad bfloat16 2x9x7x8x9 -> 4x5x3 last planes 1", "interleaved, strided source", &as_is,
     "columns, strided source, sparse"},
    {"trilinear float64 3x6x4x5x9 -> 3x8x4 planes last 1", "interleaved, width first, strided result", &as_is,
     "columns, width first, strided result"},
    {"trilinear float32 1x17x3x4x5 -> 4x6x5 planes planes 1", "interleaved, turned", &as_is, "columns, turned"},
    {"trilinear float32 2x10x9x14x14 -> 20x30x30 planes planes 1", "interleaved, width first", &as_is,
     "columns, width first"},
    {"trilinear_grad float16 17x3x4x5x4 -> 6x7x6 last last 1", "interleaved, width first", &as_is,
     "columns, width first"},
    {"nearest3d_grad float16 2x20x14x14x14 -> 3x3x4 planes planes 1", "interleaved", &as_is, "rows, sparse"},
    {"trilinear_grad float32 2x9x8x6x5 -> 1x6x20 planes planes 1", "interleaved, width first", &as_is,
     "columns, width first"},
    {"nearest3d_grad float32 2x8x21x9x10 -> 10x9x10 planes planes 1", "interleaved", &unshared, "rows"},
    {"nearest3d_grad float64 1x9x20x3x5 -> 5x3x4 last planes 1", "interleaved, strided source", &as_is,
     "rows, strided source, sparse"},
    {"trilinear_grad float64 1x2x8x6x5 -> 1x6x20 planes planes 1", "interleaved, width first", &as_is,
     "columns, width first"},
    {"trilinear_grad float64 1x2x8x6x5 -> 1x6x20 planes planes 2", "interleaved, width first", &eager,
     "columns, width first"},
    {"bilinear_grad float32 2x16x11x11 -> 22x22 planes planes 1", "shrink", &as_is, "columns"},
    {"bilinear_grad float32 1x3x9x11 -> 20x23 planes planes 1", "columns", &unshared, NULL}, /* few planes */
    {"bilinear_grad float32 1x3x9x37 -> 45x185 planes planes 1", "columns", &as_is, NULL},
    /* by 5 there is no such kernel */
    {"bilinear_grad float32 2x16x9x11 -> 23x28 last last 1", "groups", &unfused, NULL},
    {"bilinear_grad float32 2x15x9x11 -> 23x28 last last 1", "columns", &unshared, NULL},
    {"nearest_grad float32 1x2x1x5 -> 1x1281 planes planes 1", "groups, in place", &as_is, NULL},
    {"nearest_grad float32 1x2x2x8 -> 60000x8 planes planes 1", "rows", &unshared, NULL},
    {"bilinear float32 1x1x3x2049 -> 5x2049 planes planes 1", "rows", &as_is, NULL},
    {"bilinear_grad float16 1x3x20x37 -> 45x37 last planes 1", "rows, strided source", &as_is, NULL},
    {"bilinear_grad float32 1x3x20x37 -> 52x95 planes planes 1", "columns", &unshared, NULL},
    {"bilinear float32 1x3x20x37 -> 51x95 planes planes 1", "columns", &as_is, NULL},
    {"bilinear float64 1x3x20x37 -> 51x95 planes planes 1", "columns", &as_is, NULL},
    {"nearest float32 1x3x1x537 -> 1x1295 planes planes 1 once", "moved", &as_is, NULL},
    {"nearest float16 2x9x9x95 -> 9x30 planes planes 1", "moved", &as_is, NULL},
    {"nearest bfloat16 1x3x20x47 -> 51x31 planes planes 1", "moved", &as_is, NULL},
    {"nearest float64 2x9x20x67 -> 51x43 last planes 1", "moved, strided source", &as_is, NULL},
    {"nearest float16 2x9x20x67 -> 51x43 planes last 1", "moved, strided result", &as_is, NULL},
    {"nearest float32 2x9x20x67 -> 51x43 last last 1", "moved", &as_is, NULL},
    {"nearest float16 2x3x20x47 -> 51x31 last last 1", "moved", &as_is, NULL},                 /* short groups */
    {"nearest3d bfloat16 5x27x1x1x1 -> 3x3x3 planes planes 1", "moved, folded", &as_is, NULL}, /* several volumes */
    {"nearest3d float16 1x5x9x4x7 -> 11x7x9 planes planes 1", "moved, folded", &as_is, NULL}, /* the outer axis first */
    {"nearest3d float32 2x3x3x9x4 -> 2x12x16 last planes 1", "moved, folded, strided source", &as_is, NULL},
    {"nearest float64 2x3x9x8 -> 4x24 planes planes 1", "moved, folded", &as_is, NULL},
    {"nearest float32 2x5x3x2 -> 9x7 last last 1", "moved, folded", &as_is, NULL},
    {"nearest float16 2x5x3x2 -> 9x7 planes last 1", "moved, strided result", &as_is, NULL},
    {"nearest3d float32 1x3x20x30x3 -> 30x41x7 planes planes 5", "moved, folded, across", &eager, NULL},
    {"nearest1d float32 40x30x3 -> 5 planes planes 3", "moved, folded", &eager, NULL},
    {"nearest1d_grad float16 1x1x7 -> 1295 planes planes 1 once", "moved", &as_is, NULL},     /* one row */
    {"nearest_grad float64 1x3x1x1295 -> 1x700 planes planes 1 once", "moved", &as_is, NULL}, /* few rows */
    {"linear1d_grad float32 1x2x1295 -> 640 planes planes 1 once", "moved", &as_is, NULL},
    {"linear1d_grad bfloat16 2x2x700 -> 1295 planes planes 1 once", "moved", &as_is, NULL},
    {"bilinear_grad float64 1x1x1x7 -> 1x5295 planes planes 1 once", "moved", &as_is, NULL},
    {"linear1d_grad float32 1x1x9000 -> 7 planes planes 1 once", "moved", &as_is, NULL}, /* far apart */
    /* ---- Traits of a resize ---- */
    {"nearest_grad float16 2x9x40x237 -> 20x30 planes planes 1", "rows, sparse", &unshared, NULL},
    {"nearest_grad float32 2x3x17x237 -> 2x30 planes planes 1", "rows, sparse", &unshared, NULL},
    {"nearest1d_grad float64 2x3x300 -> 220 planes planes 1", "rows, sparse", &as_is, NULL},
    {"nearest1d_grad bfloat16 2x3x300 -> 299 last planes 1", "rows, strided source, sparse", &as_is, NULL},
    {"bilinear_grad float32 2x9x20x237 -> 12x9 planes planes 1", "columns, sparse", &unshared, NULL},
    {"bilinear_grad bfloat16 1x1x17x67 -> 2x9 planes planes 1", "columns, width first, sparse", &as_is, NULL},
    {"bilinear_grad float64 1x3x1x301 -> 1x75 planes planes 1", "columns, sparse", &unshared, NULL},
    {"bilinear float32 1x3x20x37 -> 45x37 planes planes 1", "groups, turned", &as_is, NULL},
    {"bilinear_grad float16 1x3x20x370 -> 45x370 planes planes 1", "groups, turned", &unfused, NULL},
    {"nearest_grad float32 2x3x9x5 -> 30x5 planes planes 1", "columns, turned, in place", &as_is, NULL},
    {"bilinear float64 2x3x20x5 -> 33x5 last last 1", "columns, turned", &as_is, NULL},
    {"nearest_grad bfloat16 2x3x30x20 -> 20x20 planes planes 1", "fused groups, turned", &fused, "groups, turned"},
    {"bilinear float32 1x3x10x50 -> 30x20 planes planes 1", "columns, width first", &as_is, NULL},
    {"bilinear float16 1x16x10x50 -> 30x20 last last 1", "groups, width first", &as_is, NULL},
    {"nearest1d_grad float32 1x2x1 -> 60000 planes planes 1", "groups, long, in place", &as_is, NULL},
    {"nearest1d_grad float16 1x2x1 -> 60000 planes planes 1", "groups, long", &as_is, NULL},
    {"bilinear_grad float32 1x2x7x1 -> 3x60000 planes planes 1", "groups, width first, long", &as_is, NULL},
    {"nearest1d_grad float16 1x2x1 -> 60000 last planes 1", "groups, long, strided source", &as_is, NULL},
    {"nearest1d_grad float32 1x3x100 -> 256 planes planes 1", "columns, in place", &as_is, NULL},
    {"nearest float32 2x3x20x37 -> 51x95 planes planes 1", "moved", &as_is, NULL},
    {"bilinear_grad float32 1x3x20x37 -> 52x95 last planes 1", "columns, strided source", &as_is, NULL},
    {"bilinear_grad float16 1x3x20x37 -> 52x95 planes last 1", "columns, strided result", &unshared, NULL},
    {"bilinear float32 1x3x10x50 -> 30x20 last planes 1", "columns, width first, strided source", &as_is, NULL},
    /* ---- Ways that are chosen by the width of vectors, and can be forced ---- */
    {"bilinear_grad float32 2x16x9x11 -> 23x28 last last 1 wide", "fused groups", &as_is, "groups"},
    {"bilinear_grad float32 2x16x9x11 -> 23x28 last last 1", "fused groups", &fused, "groups"},
    {"bilinear_grad float16 2x41x9x11 -> 23x28 last last 1", "fused groups", &fused, "groups"},
    {"nearest_grad bfloat16 1x67x9x11 -> 23x28 last last 1", "fused groups", &fused, "groups"},
    {"bilinear_grad float64 1x24x30x31 -> 28x23 last last 1", "fused groups", &fused, "groups"},
    {"bilinear_grad float32 1x3x20x3 -> 60x8 planes planes 1", "columns, shared rows", &as_is, "columns"},
    {"bilinear_grad float32 1x3x20x137 -> 52x301 planes planes 1", "columns", &as_is, NULL}, /* too long */
    {"nearest_grad float32 1x12x16x64 -> 17x4096 last last 1", "columns, width first", &unshared, NULL},
    {"nearest_grad float32 2x16x40x44 -> 27x28 last last 1", "fused groups", &fused, "groups, in place"},
    /* rows of zeros */
    {"bilinear_grad float32 1x3x20x37 -> 52x95 planes planes 1", "columns, shared rows", &shared, "columns"},
    {"bilinear_grad float16 2x3x20x137 -> 51x301 planes planes 1", "columns, shared rows", &shared, "columns"},
    {"nearest_grad bfloat16 2x3x20x37 -> 52x95 planes last 1", "columns, strided result, shared rows", &shared,
     "columns, strided result"},
    {"bilinear_grad float64 2x3x2x37 -> 4000x37 planes planes 1", "rows, shared rows", &shared, "rows"},
    /* ---- Beyond the caches ---- */
    {"bilinear_grad float32 2x3x20x48 -> 40x96 planes planes 1", "shrink, streamed", &small,
     "columns, prefetched, streamed"},
    {"bilinear_grad bfloat16 2x3x20x48 -> 60x144 planes planes 1", "shrink, streamed", &small,
     "columns, prefetched, streamed"},
    {"bilinear_grad float32 2x16x9x11 -> 23x28 last last 1", "groups, streamed", &small, NULL},
    {"bilinear_grad float16 2x32x9x11 -> 23x28 last last 1", "fused groups, streamed", &fused_small,
     "groups, streamed"},
    {"bilinear float32 1x3x20x48 -> 41x128 planes planes 1", "columns, streamed", &small, NULL},
    {"bilinear float64 1x3x20x48 -> 41x112 planes planes 1", "columns, streamed", &small, NULL},
    {"bilinear float32 1x3x20x48 -> 41x121 planes planes 1 wide", "columns", &small, NULL},
    {"bilinear_grad float32 1x3x20x48 -> 51x95 planes planes 1", "columns, prefetched, streamed", &small, NULL},
    {"nearest_grad float32 1x3x90x96 -> 32x31 planes planes 1", "columns, in place, streamed", &small_full, NULL},
    {"nearest_grad float32 1x3x90x96 -> 32x9 planes planes 1", "rows, sparse, streamed", &small, NULL},
    /* rows of zeros */
    {"bilinear_grad float16 1x3x20x48 -> 51x95 planes last 1", "columns, strided result", &small, NULL},
    {"bilinear_grad float32 1x3x20x48 -> 51x95 planes planes 1", "columns", &unshared, NULL},
    /* ---- Threads share rows, or parts of each ---- */
    {"bilinear_grad float32 2x3x20x37 -> 40x74 planes planes 3", "shrink", &eager, "columns"},
    {"bilinear_grad float16 2x3x20x37 -> 52x95 planes planes 5", "columns", &eager, NULL},
    {"bilinear_grad float32 7x9x9x11 -> 20x23 planes planes 3", "interleaved", &eager, "columns"},
    {"trilinear_grad float32 1x17x9x9x11 -> 13x20x23 planes planes 7", "interleaved, width first", &eager,
     "columns, width first"},
    {"bilinear float64 1x16x5x7 -> 30x3 planes planes 5", "interleaved, width first", &eager, "columns, width first"},
    {"bilinear float32 1x3x10x50 -> 30x20 planes planes 3", "columns, width first", &eager, NULL},
    {"nearest1d_grad float32 1x1x9000 -> 9000 planes planes 3", "copied, across", &eager, NULL},
    {"nearest1d_grad float32 1x4x5000 -> 10000 planes planes 3", "shrink, across", &eager, "columns, in place, across"},
    {"nearest1d_grad float16 1x4x9000 -> 20000 planes planes 3", "columns, across", &eager, NULL},
    {"nearest1d_grad bfloat16 1x1x5000 -> 10000 planes planes 3 once", "moved, across", &eager, NULL},
    {"linear1d_grad float16 1x1x5000 -> 7000 planes planes 3 once", "moved, across", &eager, NULL},
    {"bilinear_grad float32 1x16x1x900 -> 1x2000 last last 4", "groups, across", &eager, NULL},
    {"bilinear_grad float32 1x16x2x3000 -> 8x7000 last last 4", "fused groups, across", &fused_eager, "groups, across"},
    {"bilinear float32 1x1x2x9000 -> 4x3000 planes planes 3", "columns, width first, across", &eager, NULL},
    /* ---- Grid samples ---- */
    {"grid float32 2x3x120x37 -> 90x45 planes planes 1", "packed, ring", &sampled, NULL},
    {"grid_grad float16 2x1x120x37 -> 90x45 planes planes 1", "packed, ring", &sampled, NULL},
    {"grid_grad float64 2x8x120x37 -> 90x45 planes planes 1", "packed, ring", &sampled, NULL},
    {"grid_grad float32 2x4x40x37 -> 30x45 last last 1", "packed, in place", &sampled, NULL},
    {"grid_grad float32 2x1x40x37 -> 30x45 planes planes 1", "packed, in place", &sampled, NULL},
    {"grid float32 1x5x9x11 -> 12x13 planes planes 1", "packed", &sampled, NULL},
    {"grid_grad float32 5x1x20x17 -> 9x9 planes planes 1", "packed, in place, apart, streamed", &sampled_large, NULL},
    {"grid_grad float32 2x4x40x37 -> 30x45 last last 1 grid", "packed, in place, streamed", &sampled_large, NULL},
    {"grid float16 1x3x120x37 -> 90x45 planes planes 1", "packed, ring, streamed", &sampled_large, NULL},
    {"grid_grad float32 1x3x300x16 -> 300x16 planes planes 3", "packed, ring", &sampled_eager, NULL},
    {"grid float32 1x3x300x16 -> 300x16 planes planes 2", "packed, ring", &sampled_eager, NULL},
    {"grid_grad float32 1x1x50x30 -> 40x30 planes planes 3", "packed, in place", &sampled_eager, NULL},
    {"grid_grad float32 1x1x512x512 -> 160x210 planes planes 3", "packed, in place", &sampled_eager, NULL},
    {"grid float32 1x19x40x37 -> 30x45 planes planes 1", "packed, ring, abreast", &sampled, NULL},
    {"grid_grad bfloat16 2x40x40x37 -> 30x45 planes last 1", "packed, ring, abreast", &sampled, NULL},
    {"grid_bicubic_grad float64 1x16x40x37 -> 30x45 planes planes 1 input", "packed, ring", &sampled, NULL},
    {"grid_nearest_grad float32 1x16x60x37 -> 24x45 planes planes 1", "packed, ring", &sampled, NULL},
    {"grid_grad float32 1x32x40x37 -> 30x45 planes planes 1", "packed, ring, abreast, streamed", &sampled_large, NULL},
    {"grid_grad float32 1x33x120x37 -> 90x45 planes planes 2", "packed, ring", &sampled_eager, NULL},
    {"grid_bicubic_grad float16 1x3x40x37 -> 30x45 planes planes 1", "planes", &sampled, NULL},
    /* few points */
    {"grid_grad float32 1x16x64x64 -> 1x9 planes last 2", "planes, in place", &sampled_eager, NULL},
    {"grid_grad float32 1x16x64x64 -> 1x5 planes last 2", "planes, in place, gathered", &sampled_eager, NULL},
    {"grid float16 2x40x30x31 -> 3x4 last planes 1", "planes, abreast, gathered", &sampled, NULL},
    {"grid_grad float32 3x41x30x31 -> 9x12 last last 1", "planes, in place, abreast, gathered", &sampled, NULL},
    {"grid_nearest_grad float64 2x40x30x31 -> 3x4 planes planes 1", "planes, in place, abreast, gathered", &sampled,
     NULL},
    {"grid_nearest_grad bfloat16 2x20x30x31 -> 3x4 planes last 1", "planes, gathered", &sampled, NULL},
    {"grid_nearest_grad float32 1x40x64x64 -> 3x100 last planes 3", "planes, in place, gathered", &sampled_eager, NULL},
    {"grid_nearest_grad float32 1x70x64x64 -> 3x100 planes last 2", "planes, in place, abreast, gathered",
     &sampled_eager, NULL},
    {"grid_nearest_grad float32 2x1x9x9 -> 30x40 planes planes 1", "planes, in place", &sampled, NULL},
    {"grid float32 1x1x1x4194400 -> 1x9 planes planes 1", "planes, long", &sampled, NULL},
};

/* The families of operators and their ways; which of these ran, and which cannot since their kernels are
 * not compiled for this instruction set. */
static struct family {
    const char *name;
    uint64_t ways, ran, not_compiled;
} grids = {"grid",
           BIT(RG_PACKED) | BIT(RG_PLANES) | BIT(RG_APART) | BIT(RG_ABREAST) | BIT(RG_GATHERED) | BIT(RG_RING) |
               BIT(RG_LONG) | BIT(RG_IN_PLACE) | BIT(RG_STREAMED),
           0, 0},
  resizes = {"resize",
             (BIT(RG_N_WAYS) - 1) &
                 ~(BIT(RG_PACKED) | BIT(RG_PLANES) | BIT(RG_APART) | BIT(RG_ABREAST) | BIT(RG_GATHERED) | BIT(RG_RING)),
             0, 0};

static struct family *family_of(const struct problem *problem)
{
    return problem->kind == PROBLEM_GRID ? &grids : &resizes;
}

static bool is_compiled(enum rg_way way, regrad_dtype dtype)
{
    const struct rg_kernel_table *table = rg_kernel_select();
    const struct rg_resize_kernels *kernels = (dtype == REGRAD_FLOAT64 ? &table->f64 : &table->f32)->resize[dtype];
    return way == RG_INTERLEAVED    ? (dtype == REGRAD_FLOAT64 ? &table->f64 : &table->f32)->lanes > 1
           : way == RG_SHRINK       ? kernels->shrink != NULL
           : way == RG_FUSED_GROUPS ? kernels->fused_groups != NULL
           : way == RG_SHARED_ROWS  ? kernels->shared_rows != NULL
                                    : true;
}

/* The part of a plan's line that has the words, the fourth. */
static void find_words(const char *line, char words[PLAN_TEXT_SIZE])
{
    for (int k = 0; k < 3; k++)
        line = strstr(line, "; ") + 2;
    snprintf(words, PLAN_TEXT_SIZE, "%.*s", (int)strcspn(line, ";"), line);
}

/* The ways of these words. */
static uint64_t ways_of(const char *words)
{
    char padded[PLAN_TEXT_SIZE + 4], word[64];
    uint64_t ways = 0;
    snprintf(padded, sizeof padded, ", %s, ", words);
    for (int way = 0; way < RG_N_WAYS; way++) {
        snprintf(word, sizeof word, ", %s, ", rg_way_word((enum rg_way)way));
        ways |= strstr(padded, word) != NULL ? BIT(way) : 0;
    }
    return ways;
}

/* ---- Rows ---- */

struct call {
    struct problem problem;
    struct run_options options;
    bool wide, once;
};

static enum view_layout layout_of(const char *word)
{
    return strcmp(word, "last") == 0 ? VIEW_CHANNELS_LAST : VIEW_CONTIGUOUS;
}

static enum problem_kind kind_of(const char *op)
{
    static const struct {
        const char *word;
        enum problem_kind kind;
    } kinds[] = {
        {"nearest1d", PROBLEM_NEAREST_EXACT_1D},
        {"nearest3d", PROBLEM_NEAREST_EXACT_3D},
        {"nearest", PROBLEM_NEAREST_EXACT_2D},
        {"linear1d", PROBLEM_LINEAR},
        {"bilinear_aa", PROBLEM_BILINEAR_AA},
        {"bilinear", PROBLEM_BILINEAR},
        {"trilinear", PROBLEM_TRILINEAR},
        {"bicubic_aa", PROBLEM_BICUBIC_AA},
        {"bicubic", PROBLEM_BICUBIC},
        {"grid", PROBLEM_GRID},
    };
    size_t k = 0;
    while (strncmp(op, kinds[k].word, strlen(kinds[k].word)) != 0)
        k++;
    return kinds[k].kind;
}

/* Numbers with an x between them; returns how many there are. */
static int read_sizes(const char *text, int64_t *sizes)
{
    int n = 0;
    for (char *end; n < REGRAD_MAX_RANK; text = end + 1) {
        sizes[n++] = strtoll(text, &end, 10);
        if (*end != 'x')
            break;
    }
    return n;
}

static struct call read_call(const char *text)
{
    struct call call = {.options.by_plan = true};
    struct problem *problem = &call.problem;
    char op[32], dtype[16], sizes[2][64], in[16], out[16], wide[16] = "";
    int64_t size[REGRAD_MAX_RANK], out_size[REGRAD_MAX_RANK];
    const int n = sscanf(text, "%31s %15s %63s -> %63s %15s %15s %d %15s", op, dtype, sizes[0], sizes[1], in, out,
                         &call.options.n_threads, wide);
    assert_true(n >= 7);
    while (strcmp(dtype, regrad_dtype_name(problem->dtype)) != 0)
        problem->dtype = (regrad_dtype)(problem->dtype + 1);
    problem->kind = kind_of(op);
    problem->backward = strstr(op, "_grad") != NULL;
    const int n_axes = read_sizes(sizes[1], out_size);
    assert_int_equal(read_sizes(sizes[0], size), 2 + n_axes);
    assert_int_equal(n_axes, problem_n_axes(problem));
    problem->n = size[0];
    problem->c = size[1];
    for (int k = 0; k < n_axes; k++)
        problem_set_axis(problem, k, size[2 + k], out_size[k], 0);
    call.options.in_layout = layout_of(in);
    call.options.out_layout = layout_of(out);
    problem->interpolation = strstr(op, "nearest") != NULL   ? REGRAD_NEAREST
                             : strstr(op, "bicubic") != NULL ? REGRAD_BICUBIC
                                                             : REGRAD_BILINEAR;
    problem->padding = REGRAD_BORDER;
    problem->wanted[0] = strcmp(wide, "grid") != 0;
    problem->wanted[1] = strcmp(wide, "input") != 0;
    call.wide = strcmp(wide, "wide") == 0;
    call.once = strcmp(wide, "once") == 0;
    return call;
}

static struct run_result run_with(struct rng *rng, const struct call *call, const struct problem_data *data,
                                  const struct rg_seam *seam)
{
    const regrad_plan_options once = {.size = sizeof once, .once = 1};
    rg_seam = seam;
    struct run_result result = run_problem_with(rng, &call->problem, data, &call->options, call->once ? &once : NULL);
    rg_seam = NULL;
    return result;
}

/* Points that go through the image in order. */
static void place_points(struct rng *rng, const struct call *call, const struct problem_data *data)
{
    const struct problem *problem = &call->problem;
    double *grid = data->in[problem->backward ? 2 : 1];
    for (int64_t p = 0; p < problem->n * problem->out_h * problem->out_w; p++) {
        const int64_t w = p % problem->out_w, h = p / problem->out_w % problem->out_h;
        const double x = (2.0 * (double)w + rng_real(rng, 0, 2)) / (double)problem->out_w - 1;
        const double y = (2.0 * (double)h + rng_real(rng, 0, 2)) / (double)problem->out_h - 1;
        grid[2 * p] = number_round(problem->dtype, x);
        grid[2 * p + 1] = number_round(problem->dtype, y);
    }
}

/* What it says here. */
static const char *wanted_words(const struct row *row, const struct problem *problem)
{
    uint64_t missing = 0;
    for (int way = 0; way < RG_N_WAYS; way++)
        if ((ways_of(row->words) & BIT(way)) != 0 && !is_compiled((enum rg_way)way, problem->dtype))
            missing |= BIT(way);
    family_of(problem)->not_compiled |= missing;
    return missing != 0 ? row->without : row->words;
}

/* Adds the ways that the run chose where the list has them. */
static void add_met(char words[PLAN_TEXT_SIZE])
{
    const size_t route = strcspn(words, ",");
    char rest[PLAN_TEXT_SIZE];
    for (int way = 0; way < RG_N_WAYS; way++)
        if ((met & BIT(way)) != 0) {
            snprintf(rest, sizeof rest, "%s", words + route);
            snprintf(words + route, PLAN_TEXT_SIZE - route, ", %s%s", rg_way_word((enum rg_way)way), rest);
        }
}

/* Does its plan go the wanted way? */
static bool check_call(struct rng *rng, const struct call *call, const char *wanted, const struct rg_seam *seam)
{
    const struct problem *problem = &call->problem;
    struct call alone = {.problem = *problem, .options = {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 1, true}};
    char words[PLAN_TEXT_SIZE];
    struct problem_data data = problem_fill(rng, problem, DATA_REAL);
    if (problem->kind == PROBLEM_GRID)
        place_points(rng, call, &data);
    struct problem_solution solution = problem_solve(problem, &data);
    met = 0;
    struct run_result result = run_with(rng, call, &data, seam), base = run_with(rng, &alone, &data, &general);
    find_words(result.plan, words);
    add_met(words);
    if (strcmp(words, wanted) != 0)
        print_error("%s: \"%s\", not \"%s\": %s\n", problem_text(problem), words, wanted, result.plan);
    expect_same(problem, words, &base, &result);
    expect_solution(problem, &solution, &result);
    family_of(problem)->ran |= ways_of(words);
    problem_solution_fini(&solution);
    problem_data_fini(&data);
    run_result_fini(&result);
    run_result_fini(&base);
    return strcmp(words, wanted) == 0;
}

static void table(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    int n_astray = 0;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const struct call call = read_call(rows[k].call);
        if (!call.wide || rg_kernel_select()->f32.lanes * (int64_t)sizeof(float) == RG_ALIGNMENT)
            n_astray += !check_call(&rng, &call, wanted_words(&rows[k], &call.problem), rows[k].seam);
    }
    assert_int_equal(n_astray, 0);
    regrad_set_num_threads(0);
}

/* Any calls with any ways forced and forbidden. */
static void check_any(struct rng *rng, const struct problem *problem)
{
    const struct rg_seam seam = {.forced = rng_next(rng),
                                 .forbidden = rng_next(rng) & rng_next(rng) & rng_next(rng),
                                 .cache_nbytes = rng_chance(rng, 2) ? 1 : 0,
                                 .values_per_slot = rng_chance(rng, 2) ? 16 : 0};
    const enum view_layout layout = rng_chance(rng, 2) ? VIEW_CHANNELS_LAST : VIEW_STRIDED;
    struct call call = {.problem = *problem, .options = {layout, layout, (int)rng_between(rng, 1, 4), true}};
    struct call plain = {.problem = *problem, .options = {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 1, true}};
    call.problem.c = plain.problem.c = rng_chance(rng, 3) ? rng_between(rng, 16, 40) : problem->c;
    struct problem_data data = problem_fill(rng, &call.problem, DATA_REAL);
    struct run_result result = run_with(rng, &call, &data, &seam), base = run_with(rng, &plain, &data, &general);
    expect_same(&call.problem, result.plan, &base, &result);
    problem_data_fini(&data);
    run_result_fini(&result);
    run_result_fini(&base);
}

static void any(void **state)
{
    (void)state;
    for_random_problems(test_count(300), check_any);
    regrad_set_num_threads(0);
}

/* A row that is alone may have any stride; nothing is asked for so far away, not even where that is forced. */
static void lone_rows(void **state)
{
    (void)state;
    enum { N = 64, WIDE = 250, NARROW = 50 };
    static const struct rg_seam prefetched = {.forced = BIT(RG_STREAMED) | BIT(RG_PREFETCHED)};
    static float grad[N * WIDE], expected[N * NARROW], result[N * NARROW];
    regrad_tensor in = regrad_tensor_contiguous(grad, REGRAD_FLOAT32, 4, (const int64_t[]){N, 1, 1, WIDE});
    regrad_tensor out = regrad_tensor_contiguous(expected, REGRAD_FLOAT32, 4, (const int64_t[]){N, 1, 1, NARROW});
    for (int k = 0; k < N * WIDE; k++)
        grad[k] = (float)(k % 17);
    assert_int_equal(regrad_upsample_nearest_exact2d_backward(&in, &out, REGRAD_NEAREST_FORWARD_LAW, 0, 0), REGRAD_OK);
    in.stride[2] = INT64_C(1) << 60;
    out.data = result;
    rg_seam = &prefetched;
    assert_int_equal(regrad_upsample_nearest_exact2d_backward(&in, &out, REGRAD_NEAREST_FORWARD_LAW, 0, 0), REGRAD_OK);
    rg_seam = NULL;
    assert_memory_equal(result, expected, sizeof result);
}

/* Bytes have kernels of no instruction set; what becomes of them is in check_bytes. */
static void bytes(void **state)
{
    (void)state;
    const regrad_tensor in = regrad_tensor_contiguous(NULL, REGRAD_UINT8, 4, (const int64_t[]){1, 2, 3, 4});
    const regrad_tensor out = regrad_tensor_contiguous(NULL, REGRAD_UINT8, 4, (const int64_t[]){1, 2, 5, 6});
    char line[PLAN_TEXT_SIZE], words[PLAN_TEXT_SIZE];
    regrad_plan *plan = NULL;
    assert_int_equal(regrad_upsample_nearest_exact2d_plan(&in, &out, REGRAD_NEAREST_FORWARD_LAW, 0, 0, &plan),
                     REGRAD_OK);
    regrad_plan_describe(plan, line, sizeof line);
    regrad_plan_destroy(plan);
    find_words(line, words);
    assert_string_equal(words, "moved, folded");
    resizes.ran |= ways_of(words);
}

/* Each way ran, or cannot. Says which. */
static void check_family(const struct family *family)
{
    for (int way = 0; way < RG_N_WAYS; way++) {
        if ((family->ways & BIT(way)) == 0)
            continue;
        const bool ran = (family->ran & BIT(way)) != 0;
        char name[64];
        snprintf(name, sizeof name, "%s.%s", family->name, rg_way_word((enum rg_way)way));
        for (char *space = name; (space = strchr(space, ' ')) != NULL;)
            *space = '-';
        printf("route %s %s %s\n", name, regrad_isa(), ran ? "ran" : "not-compiled");
        if (!ran && (family->not_compiled & BIT(way)) == 0)
            fail_msg("no row of the table goes the way %s", name);
    }
}

static void all_ways(void **state)
{
    (void)state;
    check_family(&resizes);
    check_family(&grids);
}

int main(void)
{
    if (skip_without_isa())
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(any), cmocka_unit_test(bytes),
                                       cmocka_unit_test(lone_rows), cmocka_unit_test(all_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

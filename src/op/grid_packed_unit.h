/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear grid samples of few channels in progress: what each slot has for itself, packed images, and values between
 * these and tensors. */
#ifndef RG_GRID_PACKED_UNIT_H
#define RG_GRID_PACKED_UNIT_H

#include "kernel/packed_kernels.h"
#include "op/grid_values.h"

union rg_packed_tile {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS * RG_PACKED_LANES];
    double f64[RG_GRID_POINTS * RG_PACKED_LANES];
};

/* What one slot needs for the points that it is at. */
struct rg_packed_scratch {
    struct rg_packed_points points;
    int32_t place[RG_GRID_POINTS], band_place[RG_GRID_POINTS]; /* in all rows, and in the slot's */
    union rg_grid_values x, y;
    union rg_grid_values xy[2];                    /* values of both, in turns */
    union rg_grid_values channel[RG_PACKED_LANES]; /* those that are missing stay 0, */
    union rg_packed_tile tile;                     /* here too */
    int64_t span;                                  /* the most rows that are in use at a time */
};

/* The most bands that points are sorted by; see op/grid_packed_sort.h. */
enum { RG_PACKED_BANDS = 64 };

/* Sorted points of a sample, and how they were sorted. */
struct rg_packed_sort {
    int32_t *count;   /* of each slot's points in each band */
    uint8_t *code;    /* of each point: where it is */
    float *xy, *grad; /* records */
};

/* What a slot works on: a sample; as which one of how many; and where. */
struct rg_packed_unit {
    int64_t n;
    int slot, n_slots;
    struct rg_share rows, blocks; /* that are this slot's */
    struct rg_share view;         /* rows that are opened: in rings also those that only the input is needed of */
    struct rg_packed_scratch *scratch;
    char *input, *grad; /* packed images */
    struct rg_packed_sort sort;
    int32_t *low, *high;     /* of the team: rows that hold all that a section touches */
    int32_t *lowest;         /* the lowest row that a section or a later one touches */
    struct rg_share pixels;  /* of the packed images: made ready, but not stored yet */
    struct rg_share touched; /* rows of a packed image apart that are not all zeros */
    int32_t mask;            /* see struct rg_packed_window */
    bool banded;             /* it has but a band of the rows */
    bool sorted;             /* its points are, so that what they touch is near */
    bool apart;              /* the gradient is made in a packed image of the slot, and then moved past the caches */
    bool bounded;            /* no sum of what was spread can overflow, so none is NaN */
};

/* Is the input, or its gradient, to be in a packed image in the workspace? */
bool rg_packed_has_input_copy(const struct rg_grid_plan *plan);
bool rg_packed_has_grad_copy(const struct rg_grid_plan *plan);

/* The records that there is room for. */
int64_t rg_packed_records(const struct rg_grid_plan *plan);

/* Bytes of workspace that one slot needs for itself, and those that do a sample together. */
int64_t rg_packed_slot_nbytes(const struct rg_grid_plan *plan);
int64_t rg_packed_team_nbytes(const struct rg_grid_plan *plan);

/* The place of a slot, which does samples with n_slots - 1 others. */
struct rg_packed_unit rg_packed_make_unit(const struct rg_grid_progress *progress, int slot, int n_slots);

/* The unit's sample: its packed images are where it has them. */
void rg_packed_set_sample(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t n);

/* The gradient of the unit's sample in its tensor, where that is a packed image. */
char *rg_packed_grad_there(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

/* Pixel p of a packed image. */
char *rg_packed_nth_pixel(const struct rg_grid_progress *progress, char *packed, int64_t p);

/* All channels at pixels or points, side by side. tile has room for whole RG_GRID_LANES of them. */
void rg_packed_load_tile(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                         const struct rg_grid_tensor *place, char *tile, struct rg_grid_block block);
void rg_packed_store_tile(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                          const struct rg_grid_tensor *place, char *tile, struct rg_grid_block block);

/* The coordinates of a block of points, in the scratch. */
void rg_packed_load_points(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                           struct rg_grid_block block);

/* Where the slopes of a block can be put as they are, or NULL; and storing them, from the scratch. */
char *rg_packed_find_slopes(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                            struct rg_grid_block block);
void rg_packed_store_slopes(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                            struct rg_grid_block block);

#endif

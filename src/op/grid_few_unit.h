/* Bilinear grid samples of few channels in progress: what each slot has for itself, pictures, and values between these
 * and tensors. */
#ifndef RG_GRID_FEW_UNIT_H
#define RG_GRID_FEW_UNIT_H

#include "op/grid_values.h"

union rg_few_tile {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS * RG_FEW_LANES];
    double f64[RG_GRID_POINTS * RG_FEW_LANES];
};

/* What one slot needs for the points that it is at. */
struct rg_few_scratch {
    struct rg_few_points points;
    int32_t place[RG_GRID_POINTS];
    union rg_grid_row x, y;
    union rg_grid_row xy[2];                 /* values of both, in turns */
    union rg_grid_row channel[RG_FEW_LANES]; /* those that are missing stay 0, */
    union rg_few_tile tile;                  /* here too */
    int64_t span;                            /* the most rows that are in use at a time */
};

/* What a slot works on: a sample; as which one of how many; and where. */
struct rg_few_unit {
    int64_t n;
    int slot, n_slots;
    struct rg_share rows, blocks; /* that are this slot's */
    struct rg_share view;         /* rows that are opened: in rings also those that only the input is needed of */
    struct rg_few_scratch *scratch;
    char *input, *grad;     /* pictures */
    int32_t *low, *high;    /* of the team: rows that hold all that a stage touches */
    int32_t *lowest;        /* the lowest row that a stage or a later one touches */
    struct rg_share pixels; /* of the pictures: made ready, but not stored yet */
    int32_t mask;           /* see struct rg_few_window */
    bool placed;            /* the points' places are those in the unit's rows */
    bool bounded;           /* no sum of what was spread can overflow, so none is NaN */
};

/* Is the input, or its gradient, to be in a picture in the workspace? */
bool rg_few_has_input_copy(const struct rg_grid_plan *plan);
bool rg_few_has_grad_copy(const struct rg_grid_plan *plan);

/* Bytes of workspace that one slot needs for itself, and those that do a sample together. */
int64_t rg_few_slot_nbytes(const struct rg_grid_plan *plan);
int64_t rg_few_team_nbytes(const struct rg_grid_plan *plan);

/* The place of a slot, which does samples with n_slots - 1 others. */
struct rg_few_unit rg_few_make_unit(const struct rg_grid_progress *progress, int slot, int n_slots);

void rg_few_set_sample(const struct rg_grid_progress *progress, struct rg_few_unit *unit, int64_t n);

/* Pixel p of a picture. */
char *rg_few_nth_pixel(const struct rg_grid_progress *progress, char *picture, int64_t p);

/* All channels at pixels or points, side by side. tile has room for whole RG_GRID_LANES of them. */
void rg_few_load_tile(const struct rg_grid_progress *progress, const struct rg_few_unit *unit,
                      const struct rg_grid_place *place, char *tile, struct rg_grid_block block);
void rg_few_store_tile(const struct rg_grid_progress *progress, const struct rg_few_unit *unit,
                       const struct rg_grid_place *place, char *tile, struct rg_grid_block block);

/* The coordinates of a block of points, in the scratch. */
void rg_few_load_points(const struct rg_grid_progress *progress, const struct rg_few_unit *unit,
                        struct rg_grid_block block);

/* Where the slopes of a block can be put as they are, or NULL; and storing them, from the scratch. */
char *rg_few_find_slopes(const struct rg_grid_progress *progress, const struct rg_few_unit *unit,
                         struct rg_grid_block block);
void rg_few_store_slopes(const struct rg_grid_progress *progress, const struct rg_few_unit *unit,
                         struct rg_grid_block block);

#endif

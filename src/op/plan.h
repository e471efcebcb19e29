/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all plans have in common: their operands, and the way a run is checked, split and described.
 * A family of operators embeds struct regrad_plan as the first member of its own.
 */
#ifndef RG_PLAN_H
#define RG_PLAN_H

#include "base/tensor.h"
#include "kernel/kernel.h"
#include "op/check.h"
#include "op/setup.h"
#include "op/way.h"
#include "regrad.h"

enum { RG_MAX_INPUTS = 3, RG_MAX_OUTPUTS = 2, RG_NAME_LENGTH = 64 };

/* One tensor of a plan. Its data pointer and name come from the caller and may be gone: data is not
 * kept, the name is copied. */
struct rg_operand {
    regrad_tensor view;
    struct rg_extent extent; /* of the view; found once, as runs look at it */
    char name[RG_NAME_LENGTH];
    bool used; /* it is read, or written */
    bool kept; /* an input that is not used, but no output may lie on it, if its pointer is there */
};

/* The pointers of one run, and its workspace. */
struct rg_run {
    const void *input[RG_MAX_INPUTS];
    void *output[RG_MAX_OUTPUTS];
    char *workspace;
    int n_left_out; /* slots that the program's loop did not do; the run does no more then */
};

struct regrad_plan {
    /* What a family provides. */
    void (*run)(const regrad_plan *plan, struct rg_run *run);
    int (*describe)(const regrad_plan *plan, char *text, size_t size); /* as snprintf: what is special about it */
    void (*destroy)(regrad_plan *plan);

    const char *op;
    struct rg_setup setup;
    int n_inputs, n_outputs;
    struct rg_operand input[RG_MAX_INPUTS], output[RG_MAX_OUTPUTS];

    const struct rg_kernels *kernels;
    size_t t_nbytes;    /* of one value of the arithmetic type */
    int n_slots;        /* the most parts that a run is split into */
    size_t slot_nbytes; /* workspace of each */
    size_t workspace_nbytes;
    uint64_t ways; /* rg_way_bit of each that it goes */
};

/* Memory for a plan of so many bytes, all zeros but for its setup; NULL where there is none. And its end. */
void *rg_plan_allocate(struct rg_setup *setup, size_t nbytes);
void rg_plan_free(regrad_plan *plan, size_t nbytes);

/* Fills in what follows from the type of the tensors. */
void rg_plan_init(regrad_plan *plan, const char *op, regrad_dtype dtype);

void rg_plan_add_input(regrad_plan *plan, const struct rg_argument *argument, bool used);
void rg_plan_add_output(regrad_plan *plan, const struct rg_argument *argument, bool used);

/* Notes a way that follows from what is to be computed. Returns `holds`. */
bool rg_plan_note(regrad_plan *plan, enum rg_way way, bool holds);

/* Decides whether the plan goes this way, as rg_way_is_taken does, and notes it. */
bool rg_plan_takes(regrad_plan *plan, enum rg_way way, bool can, bool pays);

/* Does it? */
static inline bool rg_plan_goes(const regrad_plan *plan, enum rg_way way)
{
    return (plan->ways & rg_way_bit(way)) != 0;
}

/* Chooses n_slots for n_units pieces of work that move n_values values in all, and books slot_nbytes of
 * workspace for each. False when that is more than memory can be. */
bool rg_plan_split(regrad_plan *plan, int64_t n_units, double n_values, int64_t slot_nbytes);

/* Runs a task for each slot of the plan, on the threads that its setup says. False when the run is at its end, since
 * the program's loop has left out slots of this loop or of one before. */
bool rg_plan_parallel(const regrad_plan *plan, struct rg_run *run, void (*task)(void *context, int slot),
                      void *context);

/* The units of one slot of n_slots: [begin, end), a fair share of n_units. */
struct rg_share {
    int64_t begin, end;
};
struct rg_share rg_share_units(int64_t n_units, int n_slots, int slot);

/* Bytes that n values take in a workspace: rounded up, so that what follows is aligned. */
int64_t rg_booked(int64_t n_values, size_t value_nbytes);

/* Takes that many bytes at *place, which moves on. */
void *rg_grant(char **place, int64_t n_values, size_t value_nbytes);

/* The storage type that values of the plan's arithmetic have. */
regrad_dtype rg_plan_own_dtype(const regrad_plan *plan);

/* Is an output with elements wanted? If not, nothing is planned, and a run does nothing. */
bool rg_plan_has_result(const regrad_plan *plan);

/* Bytes from a view's data to its element (0, 0, ...); 0 without elements, whose offset may be any number. */
int64_t rg_first_nbytes(const regrad_tensor *view);

#endif

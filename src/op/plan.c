/* SPDX-License-Identifier: Apache-2.0 */
#include "op/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/plural.h"
#include "base/status.h"
#include "base/tensor.h"
#include "kernel/value_kernels.h"
#include "rt/parallel.h"

/* Fewer values than this are not worth waking a thread for. */
enum { VALUES_PER_SLOT = 16384 };

void *rg_plan_allocate(struct rg_setup *setup, size_t nbytes)
{
    regrad_plan *plan = rg_memory_take(&setup->memory, 1, nbytes);
    if (plan != NULL) {
        memset(plan, 0, nbytes);
        plan->setup = *setup;
    }
    return plan;
}

void rg_plan_free(regrad_plan *plan, size_t nbytes)
{
    const struct rg_memory memory = plan->setup.memory;
    rg_memory_give(&memory, plan, 1, nbytes);
}

void rg_plan_init(regrad_plan *plan, const char *op, regrad_dtype dtype)
{
    const struct rg_kernel_table *table = rg_kernel_select();
    plan->op = op;
    plan->kernels = dtype == REGRAD_FLOAT64 ? &table->f64 : &table->f32;
    plan->t_nbytes = dtype == REGRAD_FLOAT64 ? sizeof(double) : sizeof(float);
    plan->n_slots = 1;
}

/* A stride that is not walked may be any number, so that products with it, which are made all the same, overflow. One
 * that is farther than memory reaches becomes 0; others stay, since layouts are told by them. */
static void tame_strides(regrad_tensor *view)
{
    const int64_t farthest = INT64_C(1) << 40; /* then no address is out of range that is one step from an element */
    for (int d = 0; d < view->rank; d++)
        if (view->shape[d] == 1 && (view->stride[d] > farthest || view->stride[d] < -farthest))
            view->stride[d] = 0;
}

static void set_operand(struct rg_operand *operand, const struct rg_argument *argument, bool used)
{
    operand->used = used;
    if (argument->tensor != NULL)
        operand->view = *argument->tensor;
    operand->view.data = NULL;
    operand->view.name = NULL;
    tame_strides(&operand->view);
    rg_tensor_extent(&operand->view, &operand->extent); /* the view was checked: it has one */
    snprintf(operand->name, sizeof operand->name, "%s", rg_argument_name(argument));
}

void rg_plan_add_input(regrad_plan *plan, const struct rg_argument *argument, bool used)
{
    set_operand(&plan->input[plan->n_inputs++], argument, used);
}

void rg_plan_add_output(regrad_plan *plan, const struct rg_argument *argument, bool used)
{
    set_operand(&plan->output[plan->n_outputs++], argument, used);
}

bool rg_plan_note(regrad_plan *plan, enum rg_way way, bool holds)
{
    if (holds)
        plan->ways |= rg_way_bit(way);
    return holds;
}

bool rg_plan_takes(regrad_plan *plan, enum rg_way way, bool can, bool pays)
{
    return rg_plan_note(plan, way, rg_way_is_taken(way, can, pays));
}

/* How many values are worth waking a thread for. */
static double values_per_slot(void)
{
    return rg_seam != NULL && rg_seam->values_per_slot > 0 ? (double)rg_seam->values_per_slot : VALUES_PER_SLOT;
}

bool rg_plan_split(regrad_plan *plan, int64_t n_units, double n_values, int64_t slot_nbytes)
{
    const double worth = n_values / values_per_slot();
    const int64_t most = rg_min(n_units, plan->setup.n_threads);
    plan->n_slots = (int)rg_max(worth < (double)most ? (int64_t)worth : most, 1);
    plan->slot_nbytes = (size_t)slot_nbytes;
    int64_t total;
    if (!rg_mul(slot_nbytes, plan->n_slots, &total))
        return false;
    plan->workspace_nbytes = (size_t)total;
    if (plan->setup.loop.run == NULL)
        rg_parallel_prepare(plan->n_slots);
    return true;
}

struct task {
    const regrad_plan *plan;
    void (*run)(void *context, int slot);
    void *context;
};

/* Others look at what a slot stored when it is at its end, also at what it stored past the caches. */
static void run_task(void *context, int slot)
{
    const struct task *task = context;
    task->run(task->context, slot);
    if ((task->plan->ways & (rg_way_bit(RG_STREAMED) | rg_way_bit(RG_APART))) != 0)
        task->plan->kernels->values->fence();
}

bool rg_plan_parallel(const regrad_plan *plan, struct rg_run *run, void (*task)(void *context, int slot), void *context)
{
    struct task all = {plan, task, context};
    if (run->n_left_out == 0 && plan->setup.loop.run != NULL && plan->n_slots > 1)
        run->n_left_out = rg_given_loop(&plan->setup.loop, plan->n_slots, run_task, &all);
    else if (run->n_left_out == 0)
        rg_parallel(plan->n_slots, run_task, &all);
    return run->n_left_out == 0;
}

struct rg_share rg_share_units(int64_t n_units, int n_slots, int slot)
{
    const int64_t each = n_units / n_slots, left = n_units % n_slots;
    const int64_t begin = slot * each + rg_min(slot, left);
    return (struct rg_share){begin, begin + each + (slot < left)};
}

int64_t rg_booked(int64_t n_values, size_t value_nbytes)
{
    const int64_t nbytes = n_values * (int64_t)value_nbytes;
    return (nbytes + RG_ALIGNMENT - 1) / RG_ALIGNMENT * RG_ALIGNMENT;
}

void *rg_grant(char **place, int64_t n_values, size_t value_nbytes)
{
    char *granted = *place;
    *place += rg_booked(n_values, value_nbytes);
    return granted;
}

regrad_dtype rg_plan_own_dtype(const regrad_plan *plan)
{
    return plan->t_nbytes == sizeof(double) ? REGRAD_FLOAT64 : REGRAD_FLOAT32;
}

int64_t rg_first_nbytes(const regrad_tensor *view)
{
    return rg_tensor_is_empty(view) ? 0 : view->offset * (int64_t)regrad_dtype_size(view->dtype);
}

static bool is_empty(const struct rg_operand *operand)
{
    return operand->extent.low == operand->extent.high;
}

static regrad_status check_address(const regrad_plan *plan, const struct rg_operand *operand, const void *data)
{
    const size_t element = regrad_dtype_size(operand->view.dtype);
    if (is_empty(operand))
        return REGRAD_OK;
    RG_FORWARD(rg_check_pointer(plan->op, data, operand->name));
    if ((uintptr_t)data % element == 0)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s is at address %p, must be a multiple of %zu, the size of %s",
                   plan->op, operand->name, data, element, regrad_dtype_name(operand->view.dtype));
}

/* Does one end before the other begins, as nearly always? */
static bool are_far(const struct rg_operand *a, const void *a_data, const struct rg_operand *b, const void *b_data)
{
    const int64_t distance = (int64_t)((intptr_t)b_data - (intptr_t)a_data);
    return b->extent.low + distance >= a->extent.high || b->extent.high + distance <= a->extent.low;
}

static regrad_status check_apart(const regrad_plan *plan, const struct rg_operand *output, const void *output_data,
                                 const struct rg_operand *other, const void *other_data)
{
    if (are_far(output, output_data, other, other_data) ||
        !rg_tensors_overlap(&output->view, output_data, &other->view, other_data))
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s at address %p overlaps %s at address %p, must have memory of its own", plan->op,
                   output->name, output_data, other->name, other_data);
}

static regrad_status check_output_apart(const regrad_plan *plan, int which, const void *const *inputs,
                                        void *const *outputs)
{
    const struct rg_operand *output = &plan->output[which];
    if (!output->used)
        return REGRAD_OK;
    for (int k = 0; k < plan->n_inputs; k++)
        if (plan->input[k].used || (plan->input[k].kept && inputs[k] != NULL))
            RG_FORWARD(check_apart(plan, output, outputs[which], &plan->input[k], inputs[k]));
    for (int k = 0; k < which; k++)
        if (plan->output[k].used)
            RG_FORWARD(check_apart(plan, output, outputs[which], &plan->output[k], outputs[k]));
    return REGRAD_OK;
}

regrad_status regrad_plan_check(const regrad_plan *plan, const void *const *inputs, void *const *outputs)
{
    RG_FORWARD(rg_check_pointer("regrad_plan_check", plan, "plan"));
    RG_FORWARD(rg_check_pointer(plan->op, inputs, "inputs"));
    RG_FORWARD(rg_check_pointer(plan->op, outputs, "outputs"));
    for (int k = 0; k < plan->n_inputs; k++)
        if (plan->input[k].used)
            RG_FORWARD(check_address(plan, &plan->input[k], inputs[k]));
    for (int k = 0; k < plan->n_outputs; k++)
        if (plan->output[k].used)
            RG_FORWARD(check_address(plan, &plan->output[k], outputs[k]));
    for (int k = 0; k < plan->n_outputs; k++)
        RG_FORWARD(check_output_apart(plan, k, inputs, outputs));
    return REGRAD_OK;
}

static regrad_status check_workspace(const regrad_plan *plan, const void *workspace, size_t size)
{
    if (plan->workspace_nbytes == 0)
        return REGRAD_OK;
    RG_FORWARD(rg_check_pointer(plan->op, workspace, "workspace"));
    if (size < plan->workspace_nbytes)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: workspace_size is %zu, must be %zu or more", plan->op, size,
                       plan->workspace_nbytes);
    if ((uintptr_t)workspace % RG_ALIGNMENT != 0)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: workspace is at address %p, must be a multiple of %d",
                       plan->op, workspace, RG_ALIGNMENT);
    return REGRAD_OK;
}

bool rg_plan_has_result(const regrad_plan *plan)
{
    for (int k = 0; k < plan->n_outputs; k++)
        if (plan->output[k].used && !is_empty(&plan->output[k]))
            return true;
    return false;
}

regrad_status regrad_plan_run(const regrad_plan *plan, const void *const *inputs, void *const *outputs, void *workspace,
                              size_t workspace_size)
{
    RG_FORWARD(rg_check_pointer("regrad_plan_run", plan, "plan"));
    RG_FORWARD(regrad_plan_check(plan, inputs, outputs));
    RG_FORWARD(check_workspace(plan, workspace, workspace_size));
    if (!rg_plan_has_result(plan)) /* the other sizes may be any, and loops over them take any time */
        return REGRAD_OK;
    struct rg_run run = {.workspace = workspace};
    for (int k = 0; k < plan->n_inputs; k++)
        run.input[k] = plan->input[k].used ? inputs[k] : NULL;
    for (int k = 0; k < plan->n_outputs; k++)
        run.output[k] = plan->output[k].used ? outputs[k] : NULL;
    plan->run(plan, &run);
    if (run.n_left_out == 0)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_UNFINISHED,
                   "%s: options.parallel_for has returned with %d of %d tasks done, must do all; outputs are undefined",
                   plan->op, plan->n_slots - run.n_left_out, plan->n_slots);
}

size_t regrad_plan_workspace_size(const regrad_plan *plan)
{
    return plan == NULL ? 0 : plan->workspace_nbytes;
}

void regrad_plan_destroy(regrad_plan *plan)
{
    if (plan != NULL)
        plan->destroy(plan);
}

/* Long enough for any line: five operands of RG_NAME_LENGTH + RG_SIZES_LENGTH, and words. */
enum { LINE_LENGTH = 2048 };

/* The words of the ways that it goes; a plan without results goes none. */
static int describe_ways(const regrad_plan *plan, char *text, size_t size)
{
    int length = 0;
    for (int way = 0; way < RG_N_WAYS; way++)
        if (rg_plan_goes(plan, (enum rg_way)way))
            length += snprintf(text + length, size - (size_t)length, "%s%s", length == 0 ? "; " : ", ",
                               rg_way_word((enum rg_way)way));
    return length;
}

static int describe_operands(char *text, size_t size, const struct rg_operand *operand, int n)
{
    int length = 0;
    for (int k = 0; k < n; k++) {
        char sizes[RG_SIZES_LENGTH];
        const char *separator = k == 0 ? " " : ", ";
        if (operand[k].used)
            length += snprintf(text + length, size - (size_t)length, "%s%s %s", separator, operand[k].name,
                               rg_format_sizes(sizes, operand[k].view.shape, operand[k].view.rank));
        else
            length += snprintf(text + length, size - (size_t)length, "%s%s unused", separator, operand[k].name);
    }
    return length;
}

size_t regrad_plan_describe(const regrad_plan *plan, char *buffer, size_t size)
{
    char line[LINE_LENGTH];
    if (plan == NULL)
        return 0;
    int length = snprintf(line, sizeof line, "%s:", plan->op);
    length += describe_operands(line + length, sizeof line - (size_t)length, plan->input, plan->n_inputs);
    length += snprintf(line + length, sizeof line - (size_t)length, " ->");
    length += describe_operands(line + length, sizeof line - (size_t)length, plan->output, plan->n_outputs);
    length +=
        snprintf(line + length, sizeof line - (size_t)length, "; %s; ", regrad_dtype_name(plan->input[0].view.dtype));
    length += plan->describe(plan, line + length, sizeof line - (size_t)length);
    length += describe_ways(plan, line + length, sizeof line - (size_t)length);
    length += snprintf(line + length, sizeof line - (size_t)length, "; %s; %d thread%s%s; workspace %zu bytes",
                       regrad_isa(), plan->n_slots, rg_plural((uint64_t)plan->n_slots),
                       plan->setup.loop.run == NULL ? "" : " of the program", plan->workspace_nbytes);
    if (buffer != NULL && size > 0)
        snprintf(buffer, size, "%s", line);
    return (size_t)length;
}

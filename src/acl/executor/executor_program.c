/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/executor/executor_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acl/context/ignored.h"
#include "acl/executor/executor_overlap.h"
#include "acl/memory/memory_check.h"
#include "acl/object/strided.h"
#include "acl/object/type.h"
#include "acl/store/isolate_arena.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

/* The native library wants workspace aligned to this; clients' need not be. */
enum { WORKSPACE_ALIGNMENT = 64 };

void rg_program_release(struct rg_program *program)
{
    if (program == NULL || atomic_fetch_sub(&program->n_owners, 1) != 1)
        return;
    regrad_plan_destroy(program->plan);
    free(program);
}

uint64_t rg_program_workspace_size(const struct rg_program *program)
{
    const size_t size = program->work == RG_WORK_PLAN ? regrad_plan_workspace_size(program->plan) : 0;
    return size == 0 ? 0 : size + WORKSPACE_ALIGNMENT;
}

uint64_t rg_program_bytes(const struct rg_program *program, bool written)
{
    uint64_t bytes = 0;
    for (int i = 0; i < program->n_operands; i++) {
        const struct rg_acl_operand *operand = &program->operands[i];
        uint64_t n_elements = operand->is_used && operand->is_output == written ? 1 : 0;
        for (uint64_t d = 0; d < operand->view.rank; d++)
            n_elements *= (uint64_t)operand->view.shape[d];
        bytes += n_elements * rg_type_size(operand->view.type);
    }
    return bytes;
}

aclnnStatus rg_native_refusal(const struct rg_function *function, regrad_status status)
{
    /* What stands before the colon is the native function. */
    const char *message = regrad_last_message();
    const char *colon = strstr(message, ": ");
    const char *sentence = colon != NULL ? colon + 2 : message;
    switch (status) {
    case REGRAD_OK:
        return ACLNN_SUCCESS;
    case REGRAD_ERROR_NULL_POINTER:
        return rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, function, "%s", sentence);
    case REGRAD_ERROR_INVALID_ARGUMENT:
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function, "%s", sentence);
    case REGRAD_ERROR_OUT_OF_MEMORY:
    case REGRAD_ERROR_UNFINISHED: /* not without a parallel_for */
        break;
    }
    return rg_acl_fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, function, "%s", sentence);
}

static bool has_memory(const struct rg_acl_operand *operand)
{
    return operand->is_used && operand->low != operand->high;
}

static aclnnStatus check_address(const struct rg_function *function, const struct rg_acl_operand *operand,
                                 const void *address)
{
    if (!has_memory(operand))
        return ACLNN_SUCCESS;
    if (address == NULL) {
        rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, function, "the data address of %s is NULL, must not be", operand->name);
        rg_ignored_miss(RG_MAKES_MEMORY, NULL);
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    const uintptr_t element = rg_type_size(operand->view.type);
    if ((uintptr_t)address % element != 0)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function, "the data address of %s is %p, must be a multiple of %zu",
                           operand->name, address, (size_t)element);
    return ACLNN_SUCCESS;
}

/* Refuses bytes that leave their allocation always, and others if the check mode says so. */
static aclnnStatus check_memory(const struct rg_function *function, const struct rg_acl_operand *operand,
                                struct rg_memory_span bytes)
{
    const struct rg_memory_use use = {function, operand->name, "data address", bytes};
    const void *const address = bytes.address;
    if (!rg_memory_tell_use(&use))
        return ACLNN_SUCCESS;
    struct rg_memory_block block;
    if (!rg_memory_find(address, &block))
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function,
                           "the data address of %s is %p, must be in live device memory", operand->name, address);
    const int64_t before = (int64_t)((uintptr_t)address - (uintptr_t)block.base);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function,
                       "%s uses the bytes [%" PRId64 ", %" PRId64 ") from its data address, must stay within "
                       "[%" PRId64 ", %" PRId64 "), which is allocated there",
                       operand->name, operand->low, operand->high, -before, (int64_t)block.size - before);
}

/* What is to be on a device, as far as that is not settled. */
static struct rg_memory_span span_of(const struct rg_acl_operand *operand, const void *address)
{
    const bool is_settled = operand->is_elsewhere && address == operand->view.data;
    if (!has_memory(operand) || is_settled)
        return (struct rg_memory_span){0};
    return (struct rg_memory_span){address, operand->low, operand->high};
}

/* Is all of it on a device? */
static bool is_on_device(const struct rg_program *program, void *const *addresses)
{
    struct rg_memory_span used[RG_MAX_OPERANDS];
    for (int i = 0; i < program->n_operands; i++)
        used[i] = span_of(&program->operands[i], addresses[i]);
    return rg_memory_is_on_device(used, program->n_operands);
}

/* Checks the memory of an operand, and notes whether it is elsewhere than on a device. */
static aclnnStatus find_memory(const struct rg_function *function, const struct rg_acl_operand *operand,
                               const void *address, bool *is_elsewhere)
{
    const struct rg_memory_span bytes = span_of(operand, address);
    *is_elsewhere = !rg_memory_is_on_device(&bytes, 1);
    return *is_elsewhere ? check_memory(function, operand, bytes) : ACLNN_SUCCESS;
}

aclnnStatus rg_program_check_memory(const struct rg_function *function, const struct rg_program *program,
                                    void *const *addresses)
{
    aclnnStatus status = ACLNN_SUCCESS;
    bool is_elsewhere;
    if (is_on_device(program, addresses))
        return ACLNN_SUCCESS;
    for (int i = 0; i < program->n_operands && status == ACLNN_SUCCESS; i++)
        status = find_memory(function, &program->operands[i], addresses[i], &is_elsewhere);
    return status;
}

/* Where the library finds what is at the client's addresses. */
static void touch_addresses(const struct rg_program *program, void *const *addresses, void **touched)
{
    for (int i = 0; i < program->n_operands; i++)
        touched[i] = rg_memory_touch(addresses[i]);
}

/* The addresses of inputs and outputs apart, as the native library takes them. An output that is not used
 * may be anywhere and is not handed on; an input that is not read may still not be written. */
static void sort_addresses(const struct rg_program *program, void *const *addresses, const void **inputs,
                           void **outputs)
{
    int n_inputs = 0, n_outputs = 0;
    for (int i = 0; i < program->n_operands; i++) {
        const struct rg_acl_operand *operand = &program->operands[i];
        if (operand->is_output)
            outputs[n_outputs++] = operand->is_used ? addresses[i] : NULL;
        else
            inputs[n_inputs++] = addresses[i];
    }
}

/* The plan of a copy takes elements for 8 bytes wide. Distances between addresses grow or shrink with
 * them, so that what overlaps still does, and nothing else. */
static void scale_addresses(const struct rg_program *program, void **addresses)
{
    const uintptr_t size = rg_type_size(program->operands[0].view.type);
    for (int i = 0; i < program->n_operands; i++)
        addresses[i] = (void *)((uintptr_t)addresses[i] / size * 8);
}

aclnnStatus rg_program_check_overlap(const struct rg_function *function, const struct rg_program *program,
                                     void *const *addresses)
{
    if (program->work == RG_WORK_LOOP)
        return rg_operands_check_overlap(function, program->operands, program->n_operands, addresses);
    if (program->plan == NULL)
        return ACLNN_SUCCESS;
    void *scaled[RG_MAX_OPERANDS];
    memcpy(scaled, addresses, sizeof(scaled));
    if (program->work == RG_WORK_COPY)
        scale_addresses(program, scaled);
    const void *inputs[RG_MAX_OPERANDS];
    void *outputs[RG_MAX_OPERANDS];
    sort_addresses(program, scaled, inputs, outputs);
    const regrad_status status = regrad_plan_check(program->plan, inputs, outputs);
    if (status == REGRAD_OK || program->work != RG_WORK_COPY)
        return rg_native_refusal(function, status);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function,
                       "%s at address %p overlaps %s at address %p, must have memory of its own",
                       program->operands[1].name, addresses[1], program->operands[0].name, addresses[0]);
}

static aclnnStatus check_operands(const struct rg_function *function, const struct rg_program *program,
                                  void *const *addresses, bool *is_elsewhere)
{
    for (int i = 0; i < program->n_operands; i++) {
        aclnnStatus status = check_address(function, &program->operands[i], addresses[i]);
        if (status == ACLNN_SUCCESS)
            status = find_memory(function, &program->operands[i], addresses[i], &is_elsewhere[i]);
        if (status != ACLNN_SUCCESS)
            return status;
    }
    return ACLNN_SUCCESS;
}

bool rg_program_has_addresses(const struct rg_program *program, void *const *addresses)
{
    for (int i = 0; i < program->n_operands; i++) {
        const struct rg_acl_operand *operand = &program->operands[i];
        if (addresses[i] == NULL && has_memory(operand))
            return false;
    }
    return true;
}

aclnnStatus rg_program_settle(const struct rg_function *function, struct rg_program *program)
{
    void *addresses[RG_MAX_OPERANDS];
    bool is_elsewhere[RG_MAX_OPERANDS];
    for (int i = 0; i < program->n_operands; i++)
        addresses[i] = program->operands[i].view.data;
    if (!rg_program_has_addresses(program, addresses))
        return ACLNN_SUCCESS; /* phase 2 looks */
    const aclnnStatus status = check_operands(function, program, addresses, is_elsewhere);
    for (int i = 0; i < program->n_operands && status == ACLNN_SUCCESS; i++)
        program->operands[i].is_elsewhere = is_elsewhere[i];
    return status;
}

aclnnStatus rg_program_check(const struct rg_function *function, const struct rg_program *program,
                             void *const *addresses)
{
    bool is_elsewhere[RG_MAX_OPERANDS];
    const aclnnStatus status = check_operands(function, program, addresses, is_elsewhere);
    return status != ACLNN_SUCCESS ? status : rg_program_check_overlap(function, program, addresses);
}

static void write_zeros(const struct rg_program *program, void *const *addresses)
{
    for (int i = 0; i < program->n_operands; i++) {
        const struct rg_acl_operand *operand = &program->operands[i];
        if (operand->is_output && has_memory(operand))
            rg_strided_write(&operand->view, addresses[i], NULL, NULL);
    }
}

/* An operator with one input has it as the other, too, and does not look at that. */
static void run_loop(const struct rg_program *program, void *const *addresses)
{
    const int last = program->n_operands - 1;
    rg_value_loop_run(
        &program->loop,
        (void *[]){
            [RG_SELF_VIEW] = addresses[0], [RG_OTHER_VIEW] = addresses[last - 1], [RG_OUT_VIEW] = addresses[last]});
}

regrad_status rg_program_run(const struct rg_program *program, void *const *addresses, void *workspace)
{
    const void *inputs[RG_MAX_OPERANDS];
    void *outputs[RG_MAX_OPERANDS], *touched[RG_MAX_OPERANDS];
    const uintptr_t begin = (uintptr_t)rg_memory_touch(workspace);
    const uintptr_t first = (begin + WORKSPACE_ALIGNMENT - 1) & ~(uintptr_t)(WORKSPACE_ALIGNMENT - 1);
    touch_addresses(program, addresses, touched);
    switch (program->work) {
    case RG_WORK_NONE:
        return REGRAD_OK;
    case RG_WORK_PLAN:
        sort_addresses(program, touched, inputs, outputs);
        return regrad_plan_run(program->plan, inputs, outputs, (void *)first,
                               regrad_plan_workspace_size(program->plan));
    case RG_WORK_LOOP:
        run_loop(program, touched);
        return REGRAD_OK;
    case RG_WORK_COPY:
        rg_strided_write(&program->operands[1].view, touched[1], &program->operands[0].view, touched[0]);
        return REGRAD_OK;
    case RG_WORK_ZERO:
        write_zeros(program, touched);
        return REGRAD_OK;
    }
    return REGRAD_ERROR_INVALID_ARGUMENT;
}

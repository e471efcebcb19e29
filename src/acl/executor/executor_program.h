/* SPDX-License-Identifier: Apache-2.0 */
/* What the phases of an operator have in common: work, and the tensors that it is on. */
#ifndef RG_EXECUTOR_PROGRAM_H
#define RG_EXECUTOR_PROGRAM_H

#include <stdatomic.h>

#include "acl/math/value_loop.h"
#include "acl/object/object.h"
#include "regrad.h"

enum { RG_MAX_OPERANDS = 5 };

enum rg_program_work {
    RG_WORK_NONE,
    RG_WORK_PLAN, /* run the plan */
    RG_WORK_LOOP, /* run the loop: the last operand is the output */
    RG_WORK_COPY, /* copy the first input to the first output */
    RG_WORK_ZERO  /* write zeros to the outputs */
};

/* A tensor as phase 1 saw it. */
struct rg_acl_operand {
    const char *name;
    const void *handle;
    bool is_output;
    bool is_used;      /* its memory is read or written */
    bool is_unwanted;  /* a result that the caller does not want */
    bool is_elsewhere; /* than on a device, at the address of phase 1, and phase 1 has accepted that */
    int64_t low, high; /* the bytes that are, counted from its data address */
    struct rg_acl_tensor view;
};

/* What to do, apart from addresses. Immutable when it is finished; shared by executors and runs. */
struct rg_program {
    atomic_uint n_owners;
    const struct rg_function *function; /* phase 1's */
    enum rg_program_work work;
    regrad_plan *plan;         /* RG_WORK_COPY: only judges addresses; else, but for RG_WORK_PLAN, NULL */
    struct rg_value_loop loop; /* of RG_WORK_LOOP */
    int n_operands;
    struct rg_acl_operand operands[RG_MAX_OPERANDS];
};

void rg_program_release(struct rg_program *program);

/* May the program use these addresses, one for each operand? Refuses those that are NULL, that leave
 * their allocation, that are misaligned or shared with an output. */
aclnnStatus rg_program_check(const struct rg_function *function, const struct rg_program *program,
                             void *const *addresses);

/* Is there an address for everything that is read or written? One that is not may be set before phase 2. */
bool rg_program_has_addresses(const struct rg_program *program, void *const *addresses);

/* May the program use the addresses of its views? The same, but for what is shared, and notes what is elsewhere. */
aclnnStatus rg_program_settle(const struct rg_function *function, struct rg_program *program);

/* The part of it that a plan or a loop judges: what is misaligned for it, or shared with an output. */
aclnnStatus rg_program_check_overlap(const struct rg_function *function, const struct rg_program *program,
                                     void *const *addresses);

/* The part of it that may change while addresses stay the same: is there live memory? */
aclnnStatus rg_program_check_memory(const struct rg_function *function, const struct rg_program *program,
                                    void *const *addresses);

/* The status and the sentence of the native library, as this interface has them. */
aclnnStatus rg_native_refusal(const struct rg_function *function, regrad_status status);

/* The work itself. NULL or enough workspace. */
regrad_status rg_program_run(const struct rg_program *program, void *const *addresses, void *workspace);

/* Bytes that phase 2 must be given. */
uint64_t rg_program_workspace_size(const struct rg_program *program);

/* The bytes of all elements that the work reads, or writes. */
uint64_t rg_program_bytes(const struct rg_program *program, bool written);

#endif

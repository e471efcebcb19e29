/* SPDX-License-Identifier: Apache-2.0 */
#include "native/run_once.h"

#include <stdlib.h>

#include "base/status.h"
#include "op/plan.h"

const regrad_plan_options rg_for_one_run = {.size = sizeof rg_for_one_run, .once = 1};

regrad_status rg_run_once(regrad_plan *plan, const void *const *inputs, void *const *outputs)
{
    const size_t nbytes = plan->workspace_nbytes;
    void *workspace = nbytes == 0 ? NULL : aligned_alloc(RG_ALIGNMENT, nbytes);
    regrad_status status;
    if (nbytes != 0 && workspace == NULL)
        status =
            rg_fail(REGRAD_ERROR_OUT_OF_MEMORY, "%s: out of memory for a workspace of %zu bytes", plan->op, nbytes);
    else
        status = regrad_plan_run(plan, inputs, outputs, workspace, nbytes);
    free(workspace);
    regrad_plan_destroy(plan);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What may be wrong with the workspace that phase 2 is given. */
#include "acl/executor/executor_workspace.h"

#include <inttypes.h>
#include <stdio.h>

#include "acl/context/ignored.h"
#include "acl/memory/memory_check.h"
#include "acl/store/block_text.h"
#include "acl/tell/message.h"
#include "acl/tell/setting.h"
#include "aclnn/opdev/op_errno.h"
#include "base/plural.h"

enum { ALIGNMENT = 32 /* that devices want, and aclrtMalloc keeps */ };

struct workspace {
    const struct rg_function *function;
    const void *address;
    uint64_t size;   /* as phase 2 was told */
    uint64_t needed; /* as phase 1 has said */
};

static struct rg_finding begin(const struct workspace *workspace, const char *kind, bool is_refused)
{
    return (struct rg_finding){
        .kind = kind, .is_refused = is_refused, .function = workspace->function, .argument = "workspace"};
}

/* ---- Size ------------------------------------------------------------------------------------- */

/* Block: where the workspace lies, NULL if that does not matter. */
static void tell_size(const struct workspace *workspace, const char *has, uint64_t size,
                      const struct rg_memory_block *block)
{
    struct rg_finding finding = begin(workspace, "workspace-size", true);
    snprintf(finding.what, sizeof(finding.what), "the workspace %p %s %" PRIu64 " byte%s, and %" PRIu64 " %s needed",
             workspace->address, has, size, rg_plural(size), workspace->needed, workspace->needed == 1 ? "is" : "are");
    snprintf(finding.instead, sizeof(finding.instead), "allocate and pass as many bytes as %sGetWorkspaceSize returns",
             workspace->function->name);
    if (block != NULL)
        rg_memory_add_block(&finding, block, false);
    rg_check_tell(&finding);
}

static aclnnStatus check_size(const struct workspace *workspace)
{
    if (workspace->address == NULL && (workspace->size > 0 || workspace->needed > 0)) {
        rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, workspace->function,
                    "workspace is NULL, must hold workspaceSize = %" PRIu64 " byte%s, of which %" PRIu64 " %s needed",
                    workspace->size, rg_plural(workspace->size), workspace->needed,
                    workspace->needed == 1 ? "is" : "are");
        if (!rg_ignored_miss(RG_MAKES_MEMORY, NULL))
            tell_size(workspace, "has", 0, NULL);
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (workspace->size >= workspace->needed)
        return ACLNN_SUCCESS;
    tell_size(workspace, "is said to have", workspace->size, NULL);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, workspace->function,
                       "workspaceSize is %" PRIu64 ", must be at least %" PRIu64, workspace->size, workspace->needed);
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static aclnnStatus check_memory(const struct workspace *workspace)
{
    const struct rg_memory_use use = {
        workspace->function, "workspace", "address", {workspace->address, 0, (int64_t)workspace->needed}};
    struct rg_memory_block block;
    if (rg_memory_is_on_device(&use.bytes, 1))
        return ACLNN_SUCCESS;
    if (rg_memory_find(workspace->address, &block)) {
        const uint64_t left = block.size - (size_t)((uintptr_t)workspace->address - (uintptr_t)block.base);
        if (left < workspace->needed) {
            tell_size(workspace, "has", left, &block);
            return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, workspace->function,
                               "workspace has %" PRIu64 " byte%s left in its allocation, must have at least %" PRIu64,
                               left, rg_plural(left), workspace->needed);
        }
    }
    if (!rg_memory_tell_use(&use))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, workspace->function, "workspace is %p, must be in live device memory",
                       workspace->address);
}

static aclnnStatus check_alignment(const struct workspace *workspace)
{
    if ((uintptr_t)workspace->address % ALIGNMENT == 0)
        return ACLNN_SUCCESS;
    const int behind = (int)((uintptr_t)workspace->address % ALIGNMENT);
    struct rg_finding finding = begin(workspace, "workspace-alignment", false);
    snprintf(finding.what, sizeof(finding.what),
             "the address %p of the workspace is no multiple of %d; it lies %d byte%s behind one", workspace->address,
             ALIGNMENT, behind, rg_plural((uint64_t)behind));
    snprintf(finding.instead, sizeof(finding.instead),
             "pass an address of aclrtMalloc, or an address that lies a multiple of %d bytes behind it", ALIGNMENT);
    struct rg_memory_block block;
    if (rg_memory_find(workspace->address, &block))
        rg_memory_add_block(&finding, &block, false);
    return rg_check_tell(&finding) ? ACLNN_ERR_PARAM_INVALID : ACLNN_SUCCESS;
}

/* ---- Tensors ---------------------------------------------------------------------------------- */

static bool overlaps(const struct workspace *workspace, const struct rg_acl_operand *operand, const void *data)
{
    const uintptr_t first = (uintptr_t)data + (uintptr_t)operand->low, n = (uintptr_t)(operand->high - operand->low);
    const uintptr_t start = (uintptr_t)workspace->address;
    return operand->is_used && first < start + workspace->needed && start < first + n;
}

static aclnnStatus tell_overlap(const struct workspace *workspace, const struct rg_acl_operand *operand,
                                const void *data)
{
    struct rg_finding finding = begin(workspace, "workspace-overlap", false);
    const int64_t from_data = (int64_t)((uintptr_t)workspace->address - (uintptr_t)data);
    snprintf(finding.what, sizeof(finding.what),
             "the workspace %p of %" PRIu64 " byte%s lies on %s, which has the bytes [%" PRId64 ", %" PRId64
             ") from its data address %p; the workspace has [%" PRId64 ", %" PRId64 ") from there",
             workspace->address, workspace->needed, rg_plural(workspace->needed), operand->name, operand->low,
             operand->high, data, from_data, from_data + (int64_t)workspace->needed);
    snprintf(finding.instead, sizeof(finding.instead),
             "give the workspace memory of its own, until the stream has been synchronised");
    struct rg_memory_block block;
    if (rg_memory_find(workspace->address, &block))
        rg_memory_add_block(&finding, &block, false);
    return rg_check_tell(&finding) ? ACLNN_ERR_PARAM_INVALID : ACLNN_SUCCESS;
}

static aclnnStatus check_overlap(const struct workspace *workspace, const struct rg_program *program,
                                 void *const *addresses)
{
    for (int i = 0; i < program->n_operands; i++)
        if (overlaps(workspace, &program->operands[i], addresses[i]))
            return tell_overlap(workspace, &program->operands[i], addresses[i]);
    return ACLNN_SUCCESS;
}

aclnnStatus rg_program_check_workspace(const struct rg_function *function, const struct rg_program *program,
                                       void *const *addresses, const void *workspace, uint64_t size)
{
    const struct workspace given = {function, workspace, size, rg_program_workspace_size(program)};
    aclnnStatus status = check_size(&given);
    if (status != ACLNN_SUCCESS || given.needed == 0)
        return status;
    status = check_memory(&given);
    if (status == ACLNN_SUCCESS && rg_check_level() != RG_CHECK_OFF)
        status = check_alignment(&given);
    if (status == ACLNN_SUCCESS && rg_check_level() != RG_CHECK_OFF)
        status = check_overlap(&given, program, addresses);
    return status;
}

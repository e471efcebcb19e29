/* SPDX-License-Identifier: Apache-2.0 */
#include "op/setup.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "rt/parallel.h"

/* Every field begins and ends at a multiple of this, now and later. The structure is not going to be larger than the
 * other number: a size that is, was never set. */
enum { FIELD_NBYTES = sizeof(void *), MOST_NBYTES = 1024 };

static regrad_status check_size(const char *op, size_t size)
{
    if (size >= FIELD_NBYTES && size <= MOST_NBYTES && size % FIELD_NBYTES == 0)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: options.size is %zu, must be sizeof(regrad_plan_options), %zu",
                   op, size, sizeof(regrad_plan_options));
}

/* What is beyond our structure comes from a later version of it: without effect if it is zero. */
static regrad_status check_unknown(const char *op, const regrad_plan_options *options)
{
    for (size_t k = sizeof *options; k < options->size; k++)
        if (((const unsigned char *)options)[k] != 0)
            return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                           "%s: options.size is %zu and byte %zu of options is not 0, must be 0, or regrad a later "
                           "version than %s, which knows %zu bytes",
                           op, options->size, k, regrad_version(), sizeof *options);
    return REGRAD_OK;
}

static regrad_status check_fields(const char *op, const regrad_plan_options *options)
{
    if (options->threads < 0)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: options.threads is %d, must be 1 or more, or 0 for regrad_num_threads()", op,
                       options->threads);
    if ((options->allocate == NULL) != (options->free == NULL))
        return rg_fail(
            REGRAD_ERROR_INVALID_ARGUMENT, "%s: options.%s is NULL and options.%s is not, must be both or none", op,
            options->allocate == NULL ? "allocate" : "free", options->allocate == NULL ? "free" : "allocate");
    return REGRAD_OK;
}

regrad_status rg_setup_init(struct rg_setup *setup, const char *op, const regrad_plan_options *options)
{
    regrad_plan_options known = {.size = sizeof known};
    if (options != NULL) {
        RG_FORWARD(check_size(op, options->size));
        RG_FORWARD(check_unknown(op, options));
        memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
        RG_FORWARD(check_fields(op, &known));
    }
    setup->n_threads = known.threads > 0 ? (int)rg_min(known.threads, RG_MAX_THREADS) : rg_num_threads();
    setup->loop = (struct rg_loop){known.parallel_for, known.parallel_context};
    setup->memory = rg_memory_of_system();
    setup->once = known.once != 0;
    if (known.allocate != NULL)
        setup->memory = (struct rg_memory){known.allocate, known.free, known.memory_context, NULL};
    return REGRAD_OK;
}

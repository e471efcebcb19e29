/* SPDX-License-Identifier: Apache-2.0 */
#include "usage.h"

#include <math.h>
#include <stdlib.h>

static int compare_owners(const void *a, const void *b)
{
    const struct usage_owner *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    return (left->device > right->device) - (left->device < right->device);
}

static int compare_steps(const void *a, const void *b)
{
    const struct usage_step *left = a, *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/* Returns 0 when there is no memory for it. */
static int allocate(struct usage *usage, const struct record *record)
{
    size_t n = 0;
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        n++;
    *usage = (struct usage){.owners = calloc(n + 1, sizeof *usage->owners),
                            .steps = calloc(2 * n + 1, sizeof *usage->steps)};
    return usage->owners != NULL && usage->steps != NULL;
}

static void find_owners(struct usage *usage, const struct record *record)
{
    size_t n = 0;
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        usage->owners[n++] = (struct usage_owner){block->process, block->device, 0};
    qsort(usage->owners, n, sizeof usage->owners[0], compare_owners);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || compare_owners(&usage->owners[k], &usage->owners[usage->n_owners - 1]) != 0)
            usage->owners[usage->n_owners++] = usage->owners[k];
}

/* All allocations and frees in the order of time. */
static void find_steps(struct usage *usage, const struct record *record)
{
    for (const struct block *block = record->blocks; block != NULL; block = block->next) {
        const struct usage_owner key = {block->process, block->device, 0};
        const struct usage_owner *owner =
            bsearch(&key, usage->owners, usage->n_owners, sizeof usage->owners[0], compare_owners);
        const size_t place = (size_t)(owner - usage->owners);
        usage->steps[usage->n_steps++] = (struct usage_step){block->begin, block->bytes, place};
        if (block->end >= 0)
            usage->steps[usage->n_steps++] = (struct usage_step){block->end, -block->bytes, place};
    }
    qsort(usage->steps, usage->n_steps, sizeof usage->steps[0], compare_steps);
}

static void find_peak(struct usage *usage, size_t owner)
{
    double bytes = 0;
    for (size_t k = 0; k < usage->n_steps; k++) {
        bytes += usage->steps[k].owner == owner ? usage->steps[k].bytes : 0;
        usage->owners[owner].peak = fmax(usage->owners[owner].peak, bytes);
    }
    usage->most = fmax(usage->most, usage->owners[owner].peak);
}

int usage_find(struct usage *usage, const struct record *record)
{
    if (!allocate(usage, record))
        return 0;
    find_owners(usage, record);
    find_steps(usage, record);
    for (size_t k = 0; k < usage->n_owners; k++)
        find_peak(usage, k);
    return 1;
}

void usage_free(struct usage *usage)
{
    free(usage->owners);
    free(usage->steps);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A block begins with a page of its own for this; its memory comes from the system without malloc, which the tests
 * count. */
struct head {
    struct ledger *ledger;
    char *given;
    size_t size, alignment;
};

enum { PAGE = 4096, MISALIGNED = 4 };

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "ledger: %s\n", what);
    abort();
}

static size_t mapped_nbytes(size_t size)
{
    return PAGE + (size + MISALIGNED + PAGE - 1) / PAGE * PAGE;
}

void *ledger_allocate(void *context, size_t size, size_t alignment)
{
    struct ledger *ledger = context;
    require(size > 0 && alignment > 0 && alignment <= 64 && (alignment & (alignment - 1)) == 0, "a wrong alignment");
    require(size % alignment == 0, "a size that is no multiple of the alignment");
    ledger->n_asked++;
    if (ledger->n_until_refusal-- == 0)
        return NULL;
    struct head *head = mmap(NULL, mapped_nbytes(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head == MAP_FAILED)
        return NULL;
    memset((char *)head + PAGE, 0xA5, mapped_nbytes(size) - PAGE);
    *head = (struct head){ledger, (char *)head + PAGE, size, alignment};
    if (ledger->n_until_misaligned-- == 0)
        head->given += MISALIGNED;
    ledger->n_live++;
    ledger->live_nbytes += (int64_t)size;
    return head->given;
}

void ledger_free(void *context, void *memory, size_t size, size_t alignment)
{
    struct ledger *ledger = context;
    require(memory != NULL, "free of NULL");
    struct head *head = (struct head *)(void *)((char *)((uintptr_t)memory / PAGE * PAGE) - PAGE);
    require(head->ledger == ledger && head->given == memory, "memory that it has not given");
    require(head->size == size && head->alignment == alignment, "another size or alignment than was asked for");
    ledger->n_live--;
    ledger->live_nbytes -= (int64_t)size;
    munmap(head, mapped_nbytes(size));
}

regrad_plan_options ledger_options(struct ledger *ledger)
{
    *ledger = (struct ledger){.n_until_refusal = -1, .n_until_misaligned = -1};
    return (regrad_plan_options){.size = sizeof(regrad_plan_options),
                                 .allocate = ledger_allocate,
                                 .free = ledger_free,
                                 .memory_context = ledger};
}

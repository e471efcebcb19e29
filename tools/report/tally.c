/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rather than a copy or an event. */
static int is_operator(const char *function)
{
    return strncmp(function, "aclnn", 5) == 0;
}

int tally_find(const struct tallies *tallies, const char *function)
{
    for (int k = 0; k < tallies->n; k++)
        if (strcmp(tallies->of[k].function, function) == 0)
            return k;
    return -1;
}

static struct tally *find_or_add(struct tallies *tallies, const char *function)
{
    const int place = tally_find(tallies, function);
    if (place >= 0)
        return &tallies->of[place];
    if (tallies->n == MOST_TALLIES)
        return NULL;
    tallies->of[tallies->n] = (struct tally){.function = function, .least = INFINITY};
    return &tallies->of[tallies->n++];
}

static void add(struct tally *tally, const struct work *work)
{
    tally->n_runs++;
    if (work->end < 0) {
        tally->n_unfinished++;
        return;
    }
    const double time = work->end - work->begin;
    tally->n_failed += work->status != 0;
    tally->total += time;
    tally->least = fmin(tally->least, time);
    tally->most = fmax(tally->most, time);
    tally->bytes_read += work->bytes_read;
    tally->bytes_written += work->bytes_written;
}

static int compare(const void *a, const void *b)
{
    const struct tally *left = a, *right = b;
    const int order = is_operator(right->function) - is_operator(left->function);
    if (order != 0)
        return order;
    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    return strcmp(left->function, right->function);
}

void tally_works(struct tallies *tallies, const struct record *record)
{
    tallies->n = 0;
    for (const struct work *work = record->works; work != NULL; work = work->next) {
        struct tally *tally = find_or_add(tallies, work->function);
        if (tally != NULL)
            add(tally, work);
    }
    qsort(tallies->of, (size_t)tallies->n, sizeof tallies->of[0], compare);
}

int tally_colour(int place)
{
    return place < 0 ? N_COLOURS : place % N_COLOURS;
}

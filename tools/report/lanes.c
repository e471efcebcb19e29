/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct lane *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if ((left->device == LANE_OF_THREAD) != (right->device == LANE_OF_THREAD))
        return left->device == LANE_OF_THREAD ? 1 : -1;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

static struct lane lane_of_work(const struct work *work)
{
    return (struct lane){work->process, work->device, work->stream, work};
}

static struct lane lane_of_wait(const struct wait *wait)
{
    return (struct lane){wait->process, LANE_OF_THREAD, wait->thread, NULL};
}

static size_t count(const struct record *record)
{
    size_t n = 0;
    for (const struct work *work = record->works; work != NULL; work = work->next)
        n++;
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next)
        n++;
    return n;
}

/* Sorts, and keeps one of each. */
static void unify(struct lanes *lanes)
{
    size_t n = 0;
    qsort(lanes->of, lanes->n, sizeof lanes->of[0], compare);
    for (size_t k = 0; k < lanes->n; k++)
        if (k == 0 || compare(&lanes->of[k], &lanes->of[n - 1]) != 0)
            lanes->of[n++] = lanes->of[k];
    lanes->n = n;
}

int lanes_find(struct lanes *lanes, const struct record *record)
{
    *lanes = (struct lanes){.of = calloc(count(record) + 1, sizeof lanes->of[0]), .streams = record->streams};
    if (lanes->of == NULL)
        return 0;
    for (const struct stream *stream = record->streams; stream != NULL; stream = stream->next)
        lanes->has_devices |= stream->device != record->streams->device;
    for (const struct work *work = record->works; work != NULL; work = work->next) {
        lanes->has_devices |= work->device != record->works->device;
        lanes->of[lanes->n++] = lane_of_work(work);
    }
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next)
        lanes->of[lanes->n++] = lane_of_wait(wait);
    unify(lanes);
    return 1;
}

void lanes_free(struct lanes *lanes)
{
    free(lanes->of);
}

static size_t find(const struct lanes *lanes, const struct lane *lane)
{
    const struct lane *found = bsearch(lane, lanes->of, lanes->n, sizeof lanes->of[0], compare);
    return (size_t)(found - lanes->of);
}

size_t lanes_of_work(const struct lanes *lanes, const struct work *work)
{
    const struct lane lane = lane_of_work(work);
    return find(lanes, &lane);
}

size_t lanes_of_wait(const struct lanes *lanes, const struct wait *wait)
{
    const struct lane lane = lane_of_wait(wait);
    return find(lanes, &lane);
}

static int is_named(const char *name, const char *handle, size_t length)
{
    return strlen(name) == length && strncmp(name, handle, length) == 0;
}

/* Findings of programs that do not say their process may be of any. */
int lanes_of_handle(const struct lanes *lanes, double process, const char *handle, size_t length, struct lane *lane)
{
    for (const struct stream *stream = lanes->streams; stream != NULL; stream = stream->next)
        if ((process == 0 || stream->process == process) && is_named(stream->handle, handle, length)) {
            *lane = (struct lane){stream->process, stream->device, stream->number, NULL};
            return 1;
        }
    for (size_t k = 0; k < lanes->n; k++) {
        *lane = lanes->of[k];
        if (lane->work != NULL && (process == 0 || lane->process == process) &&
            is_named(lane->work->handle, handle, length))
            return 1;
    }
    return 0;
}

const char *lanes_name(char text[LANE_TEXT], const struct lanes *lanes, const struct lane *lane)
{
    if (lane->device == LANE_OF_THREAD)
        snprintf(text, LANE_TEXT, "thread %.15g waits", lane->number);
    else if (lanes->has_devices)
        snprintf(text, LANE_TEXT, "stream %.15g of device %.15g", lane->number, lane->device);
    else
        snprintf(text, LANE_TEXT, "stream %.15g", lane->number);
    return text;
}

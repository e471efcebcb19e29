/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of a record that have done work, and the threads that have waited: each has a lane in pictures. */
#ifndef LANES_H
#define LANES_H

#include <stddef.h>

#include "record.h"

enum { LANE_OF_THREAD = -2 }; /* for a device; -1 is the host */

struct lane {
    double process, device, number; /* of a stream, or of a thread */
    const struct work *work;        /* one of the stream's; NULL for a thread */
};

struct lanes {
    size_t n;
    struct lane *of;              /* by process; streams first, by device and number */
    int has_devices;              /* are there streams of several devices? */
    const struct stream *streams; /* also those that have done no work */
};

/* Returns 0 when there is no memory. Either way lanes_free is to follow. */
int lanes_find(struct lanes *lanes, const struct record *record);
void lanes_free(struct lanes *lanes);

/* Where a work, or a wait, is drawn. */
size_t lanes_of_work(const struct lanes *lanes, const struct work *work);
size_t lanes_of_wait(const struct lanes *lanes, const struct wait *wait);

/* Finds the stream that a program knows by a handle. Returns 0 when there is none. */
int lanes_of_handle(const struct lanes *lanes, double process, const char *handle, size_t length, struct lane *lane);

enum { LANE_TEXT = 96 };

/* "stream 1", "stream 1 of device 0" where there are several devices, "thread 77 waits" */
const char *lanes_name(char text[LANE_TEXT], const struct lanes *lanes, const struct lane *lane);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before, as a graph: a node for each thing that the host does and for each work of a stream, with the set of
 * nodes before it. The library keeps clocks instead; this is what they are held against.
 */
#ifndef ORDER_MODEL_H
#define ORDER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_NODES = 1536, MOST_STREAMS = 8, MOST_EVENTS = 6, BUFFER_SIZE = 256, NONE = -1 };

/* Bytes of a buffer that a node touches. */
struct touched {
    int buffer; /* a number that is never used twice */
    bool writes;
    bool bytes[BUFFER_SIZE];
};

struct node {
    uint64_t before[MOST_NODES / 64];
    int n_touched;
    struct touched touched[3];
};

struct model {
    int n;
    struct node nodes[MOST_NODES];
    int host;                  /* the latest node of the host */
    int last[MOST_STREAMS];    /* the latest work of each stream */
    int recorded[MOST_EVENTS]; /* the work that has recorded it last */
};

void model_begin(struct model *model);

/* Would a node race that comes after the host's latest and, on a stream, after that stream's? Returns the node that it
 * would race with, or NONE. stream NONE: the host. */
int model_find_race(const struct model *model, int stream, const struct touched *touched, int n);

/* Adds it. */
void model_add(struct model *model, int stream, const struct touched *touched, int n);

void model_record(struct model *model, int stream, int event);
void model_wait(struct model *model, int stream, int event);

/* The host has waited for a stream or an event. */
void model_synchronize(struct model *model, int stream);
void model_synchronize_event(struct model *model, int event);

#endif

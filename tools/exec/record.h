/* SPDX-License-Identifier: Apache-2.0 */
/* What a program left behind in its log of findings and in its trace. */
#ifndef RECORD_H
#define RECORD_H

#include <stdio.h>

#include "finding.h"

/* Times are in microseconds of the monotonic clock. -1 stands for an end that did not come. */
struct work {
    char *function, *handle; /* of the stream, as findings name it */
    int is_of_default_stream, is_blamed;
    double process, device, stream, ticket;
    double begin, end;
    double bytes_read, bytes_written;
    double status;
    struct work *next, *previous;
};

struct stream {
    char *handle;
    double process, device, number;
    struct stream *next;
};

struct block {
    char *address;
    double process, device; /* -1: of the host */
    double bytes;
    double begin, end;
    struct block *next;
};

struct wait {
    char *function;
    double process, thread, device, stream;
    double begin, end;
    struct wait *next, *previous;
};

/* Lists are in the order of the lines. */
struct record {
    struct finding *findings, *last_finding;
    struct finding *suppressed; /* those that are known, and count for nothing */
    int n_mistakes, n_notes, n_suppressed, n_unreadable;
    struct stream *streams; /* the last first */
    struct work *works, *last_work;
    struct block *blocks, *last_block;
    struct wait *waits, *last_wait;
    void *live;        /* a tree of the blocks that have not ended */
    double begin, end; /* of all there is; begin > end when there is nothing */
    double process;    /* of the first line; 0: there was none */
    int has_processes; /* are there several? */
    int is_out_of_memory;
};

void record_init(struct record *record);

/* Takes in all lines of a file, findings and trace alike; those that are neither are counted. */
void record_read(struct record *record, FILE *file);

/* Takes a finding over. */
void record_add_finding(struct record *record, struct finding *finding);

/* The programs have ended: so long lasts what has not ended by itself. */
void record_close(struct record *record, double time);

/* When the first work began; without work, the first wait or whatever there is. */
double record_origin(const struct record *record);

/* The end of what is in the record, or of the record where that did not come. */
double record_until(const struct record *record, double end);

void record_fini(struct record *record);

#endif

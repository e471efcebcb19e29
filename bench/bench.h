/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring shapes, and what comes out. */
#ifndef BENCH_H
#define BENCH_H

#include "measure.h"
#include "peer.h"
#include "shape.h"

enum { MAX_THREAD_COUNTS = 16 };

/* What is timed. The peers follow one another. */
enum timed { FLOOR, OURS, PLAN, CALL, ACLNN, FIRST_PEER, N_TIMED = FIRST_PEER + N_PEERS };

/* How it went for one of them: samples, or none and why. */
struct timing {
    struct samples samples;
    char note[192];
    double difference; /* peers: from our result, as data_difference */
    bool differs;      /* peers: by more than rounding explains */
};

/* A shape measured with a number of threads. */
struct result {
    const struct shape *shape;
    const char *workload;
    int n_threads;
    struct plan_of_memory memory;
    size_t workspace;
    char plan[512];
    const char *floor_loop;
    struct timing of[N_TIMED];
    const struct result *single;   /* the same shape with one thread; NULL where that was not measured */
    const struct result *smallest; /* the same operator and threads on the smallest shape; NULL but for random shapes */
    const struct result *beside;   /* the line that this one is shown as a part of, same threads; NULL for none */
};

struct bench {
    struct effort effort;
    int thread_counts[MAX_THREAD_COUNTS], n_thread_counts;
    bool wanted_peers[N_PEERS];
    const char *python;          /* the program that runs PyTorch */
    struct peer *peers[N_PEERS]; /* NULL: not wanted */
    int shared;                  /* a file in memory, which the peers see too */
};

/* Starts the peers that are wanted. */
void bench_begin(struct bench *bench);
void bench_end(struct bench *bench);

/* Runs a ready plan of a shape once. False as below. */
bool bench_once(const struct shape *shape, int n_threads);

/* Measures a shape with each number of threads; results[0 .. n_thread_counts). False, with a word on standard error,
 * when there is not enough memory. */
bool bench_shape(struct bench *bench, const struct shape *shape, struct result *results);

#endif

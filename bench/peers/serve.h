/* SPDX-License-Identifier: Apache-2.0 */
/* The side of a peer that is written in C: the protocol of ../peer.h on standard input and output. */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>
#include <stdint.h>

/* What a peer does when it is told to. False: it cannot, and `why` says why not. */
struct served {
    bool (*shape)(const char *text);
    bool (*threads)(const char *number);
    bool (*result)(const char *nothing);
    bool (*drop)(const char *nothing);
    double (*time)(int64_t runs, bool warm_up);
    const char *why;
};

/* Does what it is told until standard input ends. The peer has printed what it calls itself. */
void serve(const struct served *served);

#endif

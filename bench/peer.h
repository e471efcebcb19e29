/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another implementation, or regrad itself behind aclnn in another environment, timed by a child process. It reads one
 * command a line on standard input and answers each with one line:
 *
 *     (at the start)       its name and version, or "cannot" and why
 *     shape LINE           "ready", or "cannot" and why; takes copies of what is read from the shared memory
 *     threads N            "ready" or "cannot"; makes one run
 *     result               "ready"; puts what that run wrote into the shared memory
 *     time RUNS WARM_UP    seconds that one run takes, as timer_sample
 *     drop                 "ready"; forgets the shape
 *
 * The shared memory is file descriptor 3, laid out as shape_memory says.
 */
#ifndef PEER_H
#define PEER_H

#include "shape.h"

enum { PYTORCH, ONEDNN, CHECK_OFF, CHECK_WARN, CHECK_ERROR, STEPS, N_PEERS, SHARED_FILE = 3 };

struct peer;

/* Is it asked for the time of a shape? */
bool peer_is_for(int index, const struct shape *shape);

/* Starts peer 0 .. N_PEERS - 1. When it is not there, says so on standard error, and peer_is_there is false. The
 * peers share the file descriptor `shared`; `python` runs those that are written in it. */
struct peer *peer_create(int index, int shared, const char *python);
void peer_destroy(struct peer *peer);

/* Starts a peer again that had started once and has ended since. False where there was nothing to do. */
bool peer_revive(struct peer *peer);

bool peer_is_there(const struct peer *peer);

/* A short name for tables, and what the peer calls itself, version included; for one that is not there, why. */
const char *peer_name(int index);
const char *peer_version(const struct peer *peer);

/* Sends a command without arguments, with a text or with a number, and waits. False when the answer is not "ready";
 * peer_answer is then why. */
bool peer_tell(struct peer *peer, const char *command);
bool peer_tell_text(struct peer *peer, const char *command, const char *text);
bool peer_tell_number(struct peer *peer, const char *command, int number);
const char *peer_answer(const struct peer *peer);

/* As timer_sample; context is a struct peer. */
double peer_sample(void *context, int64_t batch, bool warm_up);

#endif

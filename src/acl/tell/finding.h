/* SPDX-License-Identifier: Apache-2.0 */
/* The check mode: how a mistake of the client is told. */
#ifndef RG_FINDING_H
#define RG_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/tell/place.h"

enum { RG_CHECK_OBJECTS = 3, RG_CHECK_TEXT = 512 };

/* Findings of a process. */
enum { RG_CHECK_MOST_TOLD = 1000 };

/* Something that has to do with a mistake: "executor 0x... was created", and where. */
struct rg_check_object {
    char what[RG_CHECK_TEXT];
    struct rg_place place;
};

/* A mistake. Strings that are pointers are literals. */
struct rg_finding {
    const char *kind;                   /* stable, in small letters and hyphens: docs/check has a page for each */
    bool is_note;                       /* may be meant: told, never refused */
    bool is_refused;                    /* whatever the level */
    bool is_at_exit;                    /* in no call */
    bool is_stopped;                    /* at an instruction of its own, not in a call */
    const void *once_for;               /* told once for this place; NULL: for that of the call */
    const struct rg_function *function; /* the call in which it was found */
    const char *argument;               /* of the call; NULL for none */
    uint64_t work;                      /* of a stream, by its ticket, that it is about; 0 for none */
    char what[RG_CHECK_TEXT];           /* a sentence without an end */
    char instead[RG_CHECK_TEXT];        /* what to do */
    int n_objects;
    struct rg_check_object object[RG_CHECK_OBJECTS];
};

/* Adds an object: what became of it, and where. */
void rg_check_add(struct rg_finding *finding, const struct rg_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Tells a finding: a block on standard error, a sentence in the thread's aclGetRecentErrMsg, a line in the log. The
 * same kind at the same place for the same argument is told once, from RG_CHECK_ALL on for each way to the place. Not
 * at all with RG_CHECK_OFF, or when its kind is suppressed. Without locks of the runtime. Is the call to be refused?
 */
bool rg_check_tell(const struct rg_finding *finding);

/* The same in a signal handler, for a place that is known and with another way to show frames; the kind has been
 * prepared before. One thread at a time. What is refused is told each time. */
void rg_check_prepare_fault(const char *kind);
void rg_check_tell_fault(const struct rg_finding *finding, const struct rg_place *place,
                         void (*describe)(const void *frame, struct rg_frame *is));

/* How many findings were told, notes not counted. */
unsigned rg_check_count(void);

/* How often a call was to be refused for a finding. */
unsigned rg_check_count_refused(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: what clients of the vendor's interface hold instead of pointers to our objects. A handle
 * value is never used again, so one that is stale, foreign, NULL or of another kind is told from a
 * live one without touching memory that is gone.
 */
#ifndef RG_HANDLE_H
#define RG_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/tell/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rg_handle_kind {
    RG_HANDLE_TENSOR,
    RG_HANDLE_TENSOR_LIST,
    RG_HANDLE_SCALAR,
    RG_HANDLE_SCALAR_LIST,
    RG_HANDLE_INT_ARRAY,
    RG_HANDLE_FLOAT_ARRAY,
    RG_HANDLE_BOOL_ARRAY,
    RG_HANDLE_EXECUTOR,
    RG_HANDLE_DATA_BUFFER,
    RG_HANDLE_STREAM,
    RG_HANDLE_EVENT,
    RG_HANDLE_CONTEXT,
    RG_HANDLE_PHYSICAL
};

/* A handle for object, which the table owns from now on and ends with destroy. NULL when there is
 * no memory; the object then still belongs to the caller. Any thread. */
void *rg_handle_create(enum rg_handle_kind kind, void *object, void (*destroy)(void *object),
                       const struct rg_origin *origin);

/* The object, which stays alive until the matching release; NULL when the handle is no live one of
 * this kind. Any thread. */
void *rg_handle_acquire(enum rg_handle_kind kind, const void *handle);
void rg_handle_release(enum rg_handle_kind kind, const void *handle);

/* Are the n handles live ones of this kind, and is what test says true of all the objects, with the arguments? With the
 * table locked: test must not use it. Any thread. */
bool rg_handle_test(enum rg_handle_kind kind, const void *const *handles, int n,
                    bool (*test)(const void *object, const void *argument), const void *const *arguments);

/* Ends the handle: nobody can acquire it again. The object is destroyed now, or by the last release.
 * false when the handle is no live one of this kind. Any thread. */
bool rg_handle_destroy(enum rg_handle_kind kind, const void *handle, const struct rg_origin *origin);

/* The handle ends with its owner, a handle as well: leaks of both are one. No matter for handles that are not live. Any
 * thread. */
void rg_handle_own(const void *owner, enum rg_handle_kind kind, const void *handle);

/* How many objects the table owns: what tests hold against leaks. Any thread. */
size_t rg_handle_count(void);

enum rg_handle_state { RG_HANDLE_FOREIGN /* never was one */, RG_HANDLE_LIVE, RG_HANDLE_DEAD };

/* What became of a handle. Of dead ones only the last thousand are known, and with RG_CHECK_OFF none: else the
 * functions are NULL. */
struct rg_handle_life {
    enum rg_handle_state state;
    enum rg_handle_kind kind; /* where created.function is not NULL */
    const void *handle;
    bool is_owned; /* of live ones: it ends with another live one */
    struct rg_origin created;
    struct rg_origin ended; /* of dead ones */
};

struct rg_handle_life rg_handle_look(const void *handle);

/* Calls visit for all live handles, with the table locked: visit must not use it. It returns whether the handle is to
 * be visited never again. */
void rg_handle_visit(bool (*visit)(const struct rg_handle_life *life, const void *object, void *argument),
                     void *argument);

#ifdef __cplusplus
}
#endif

#endif

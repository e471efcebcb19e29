/* What operators need of the runtime: order on a stream. */
#ifndef RG_RUNTIME_H
#define RG_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"

/*
 * Runs task(argument) on the stream, after all that was submitted to it before; NULL means the
 * default stream of the calling thread's current context. Takes argument over and ends it with
 * destroy in any case, also when it fails. What task returns is the status that the next
 * synchronisation of the stream reports, 0 for success.
 *
 * 107002 without a current context (for NULL), 107003 for a stream that is no live one.
 */
aclError rg_stream_submit(aclrtStream stream, aclError (*task)(void *argument), void *argument,
                          void (*destroy)(void *argument));

/* Is there a live stream (NULL: a default stream) to submit to? 0, or the status that
 * rg_stream_submit would return, with a message. */
aclError rg_stream_check(aclrtStream stream, const char *function);

/* Does a live allocation of ours (aclrtMalloc and its kin, host or device) hold the address? Then
 * its first byte and how many there are. Any thread. */
bool rg_memory_range(const void *address, const void **base, size_t *size);

/* Where the library finds what is at an address of the client: there, unless device memory is isolated. To be asked
 * when the memory is touched, and not before. Any thread; costs a branch. */
void *rg_memory_touch(const void *address);

/* Is it an address of isolated device memory? Then only what is in a live block may be touched. */
bool rg_memory_is_isolated(const void *address);

#endif

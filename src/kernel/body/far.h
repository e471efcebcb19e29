/* SPDX-License-Identifier: Apache-2.0 */
/* Memory past the caches; the same for both arithmetic types. */
#include "kernel/body/unit.h"
#include "kernel/value_kernels.h"

/* How many of nbytes come before the first whole vector at data, for stores past the caches. */
static size_t head_far(const void *data, size_t nbytes)
{
    const size_t vector = VF_LANES * sizeof(float), beyond = (uintptr_t)data % vector;
    const size_t before = beyond == 0 ? 0 : vector - beyond;
    return before < nbytes ? before : nbytes;
}

static void clear_far(void *data, size_t nbytes)
{
    const size_t vector = VF_LANES * sizeof(float), head = head_far(data, nbytes);
    char *at = (char *)data + head, *const end = (char *)data + nbytes;
    memset(data, 0, head);
    for (; (size_t)(end - at) >= vector; at += vector)
        vf_stream((float *)(void *)at, vf_set1(0));
    memset(at, 0, (size_t)(end - at));
}

static void copy_far(void *data, const void *from, size_t nbytes)
{
    const size_t vector = VF_LANES * sizeof(float), head = head_far(data, nbytes);
    char *const to = data;
    const char *const source = from;
    size_t at = head;
    memcpy(to, source, head);
    for (; nbytes - at >= vector; at += vector) {
        vf value;
        memcpy(&value, source + at, vector); /* from any address */
        vf_stream((float *)(void *)(to + at), value);
    }
    memcpy(to + at, source + at, nbytes - at);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regrad itself through the aclnn interface, in a process of its own, since the environment, which says how the
 * interface behaves, is read once. The protocol stands in ../peer.h.
 *
 *     aclnn_peer NAME      what it calls itself
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "aclnn.h"
#include "peer.h"
#include "peers/serve.h"
#include "timer.h"

static struct {
    struct shape shape;
    struct plan_of_memory memory;
    char *data; /* a copy of what is read */
    struct aclnn *aclnn;
    char why[160];
} peer;

static void drop_aclnn(void)
{
    if (peer.aclnn != NULL)
        aclnn_destroy(peer.aclnn);
    peer.aclnn = NULL;
}

static bool refuse(const char *why)
{
    snprintf(peer.why, sizeof peer.why, "%s", why);
    return false;
}

static bool do_shape(const char *text)
{
    if (!shape_parse(&peer.shape, text, peer.why, sizeof peer.why))
        return false;
    peer.memory = shape_memory(&peer.shape);
    const void *shared = mmap(NULL, peer.memory.end, PROT_READ, MAP_SHARED, SHARED_FILE, 0);
    peer.data = malloc(peer.memory.end);
    if (shared == MAP_FAILED || peer.data == NULL)
        return refuse("no memory");
    memcpy(peer.data, shared, peer.memory.end);
    munmap((void *)shared, peer.memory.end);
    return true;
}

static bool do_threads(const char *number)
{
    drop_aclnn();
    regrad_set_num_threads((int)strtol(number, NULL, 10));
    peer.aclnn = aclnn_create(&peer.shape, &peer.memory, peer.data);
    return true;
}

static bool do_result(const char *nothing)
{
    (void)nothing;
    char *shared = mmap(NULL, peer.memory.end, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FILE, 0);
    if (shared == MAP_FAILED)
        return refuse("no memory");
    aclnn_result(peer.aclnn, &peer.memory, shared);
    munmap(shared, peer.memory.end);
    return true;
}

static bool do_drop(const char *nothing)
{
    (void)nothing;
    drop_aclnn();
    free(peer.data);
    peer.data = NULL;
    return true;
}

static double do_time(int64_t runs, bool warm_up)
{
    return timer_sample(aclnn_run, peer.aclnn, runs, warm_up);
}

int main(int argc, char **argv)
{
    const struct served served = {do_shape, do_threads, do_result, do_drop, do_time, peer.why};
    printf("%s, regrad %s\n", argc > 1 ? argv[1] : "aclnn", regrad_version());
    serve(&served);
    return 0;
}

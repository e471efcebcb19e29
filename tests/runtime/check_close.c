/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that closes the library while a stream of it is busy, and again with nothing to do.
 *
 *     check_close LIBRARY
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

static atomic_int n_returned;

static void sleep_ms(int milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

static void take_long(void *argument)
{
    (void)argument;
    sleep_ms(1500);
    atomic_fetch_add(&n_returned, 1);
}

typedef aclError set_device(int32_t device);
typedef aclError create_stream(aclrtStream *stream);
typedef aclError launch(aclrtStream stream, aclrtHostFunc function, void *argument);

static void find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(function, &symbol, sizeof(symbol));
}

/* Opens, leaves work behind or not, and closes. */
static int visit(const char *path, int leaves_work)
{
    set_device *set = NULL, *reset = NULL;
    create_stream *create = NULL;
    launch *host_function = NULL;
    aclrtStream stream = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    find(library, "aclrtSetDevice", &set);
    find(library, "aclrtResetDevice", &reset);
    find(library, "aclrtCreateStream", &create);
    find(library, "aclrtLaunchHostFunc", &host_function);
    int status = set(0) != ACL_SUCCESS || create(&stream) != ACL_SUCCESS;
    if (leaves_work)
        status |= host_function(stream, take_long, NULL) != ACL_SUCCESS;
    else
        status |= reset(0) != ACL_SUCCESS;
    sleep_ms(10);
    return status | dlclose(library);
}

int main(int argc, char **argv)
{
    if (argc < 2 || visit(argv[1], 0) != 0 || visit(argv[1], 0) != 0 || visit(argv[1], 1) != 0)
        return 1;
    for (int k = 0; k < 300 && atomic_load(&n_returned) == 0; k++)
        sleep_ms(10);
    return atomic_load(&n_returned) == 1 ? visit(argv[1], 0) : 2;
}

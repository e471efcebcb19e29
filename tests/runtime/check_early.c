/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the library in it whose constructor, which the linker puts before the library's, forks while a stream
 * is busy. */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

static int n_failed;

static void take_time(void *argument)
{
    (void)argument;
    nanosleep(&(struct timespec){0, 300000000L}, NULL);
}

static void expect(int holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "%s: failed\n", what);
    n_failed += !holds;
}

__attribute__((constructor)) static void begin(void)
{
    aclrtStream stream = NULL;
    int status = -1;
    expect(aclInit(NULL) == ACL_SUCCESS, "aclInit");
    expect(aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
    expect(aclrtCreateStream(&stream) == ACL_SUCCESS, "aclrtCreateStream");
    expect(aclrtLaunchHostFunc(stream, take_time, NULL) == ACL_SUCCESS, "aclrtLaunchHostFunc");
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* rather than wait for ever */
        _exit(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    }
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child");
    expect(aclrtResetDevice(0) == ACL_SUCCESS, "aclrtResetDevice");
    expect(aclFinalize() == ACL_SUCCESS, "aclFinalize");
}

int main(void)
{
    return n_failed;
}

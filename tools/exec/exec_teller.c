/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "exec_teller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "finding_print.h"
#include "suppress.h"

static const double most_seconds = 10; /* of symbolisers, while a program waits */

/* ---- Answers ---------------------------------------------------------------------------------- */

/* What the program sends until it has no more; NULL when that is not to be had. A program that was stopped meanwhile
 * holds up nobody for long. */
static char *receive(int connection)
{
    const struct timeval patience = {.tv_sec = 1};
    char *text = NULL, part[4096];
    size_t size = 0;
    ssize_t n = -1;
    FILE *file = open_memstream(&text, &size);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    while (file != NULL && (n = recv(connection, part, sizeof part, 0)) > 0)
        fwrite(part, 1, (size_t)n, file);
    const int is_whole = n == 0;
    if (file != NULL && fclose(file) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

/* With the NUL, by which it is known to be whole. */
static void answer(int connection, const struct finding *finding, int is_known)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL)
        return;
    if (!is_known)
        finding_print_block(file, finding);
    const int is_whole = fclose(file) == 0;
    ssize_t n = 1;
    for (size_t sent = 0; is_whole && sent <= size && n > 0; sent += n > 0 ? (size_t)n : 0)
        n = send(connection, text + sent, size + 1 - sent, MSG_NOSIGNAL);
    free(text);
}

/* Takes a finding over that would be lost otherwise. */
static struct finding *keep_unlogged(struct teller *teller, struct finding *finding, const cJSON *line)
{
    if (finding == NULL || !json_is_true(line, "unlogged"))
        return finding;
    *teller->end = finding;
    teller->end = &finding->next;
    return NULL;
}

static void serve(struct teller *teller, int connection)
{
    int is_out_of_memory = 0;
    char *text = receive(connection);
    cJSON *line = text != NULL ? json_read(text) : NULL;
    struct finding *finding = line != NULL ? finding_read(line, &is_out_of_memory) : NULL;
    if (finding != NULL) {
        symbolise(teller->symbols, finding, most_seconds);
        answer(connection, finding, suppress_find(teller->suppressions, finding) != NULL);
    }
    finding_free(keep_unlogged(teller, finding, line));
    cJSON_Delete(line);
    free(text);
}

static void *run(void *argument)
{
    struct teller *teller = argument;
    struct pollfd files[] = {{.fd = teller->listener, .events = POLLIN}, {.fd = teller->stop[0], .events = POLLIN}};
    for (;;) {
        files[0].revents = files[1].revents = 0;
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return NULL;
        const int connection =
            (files[0].revents & POLLIN) != 0 ? accept4(teller->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (connection >= 0) {
            serve(teller, connection);
            close(connection);
        } else if (files[1].revents != 0) {
            return NULL;
        }
    }
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

/* An address of a socket has little room, which paths may not keep to. */
static int listen_in(int directory)
{
    enum { MOST_WAITING = 128 };
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" TELLER_NAME, directory);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listener, MOST_WAITING) == 0)
        return listener;
    if (listener >= 0)
        close(listener);
    return -1;
}

struct teller *teller_start(int directory, struct symbols *symbols, const struct suppression *suppressions)
{
    struct teller *teller = calloc(1, sizeof *teller);
    if (teller == NULL)
        return NULL;
    *teller = (struct teller){
        .symbols = symbols, .suppressions = suppressions, .listener = listen_in(directory), .stop = {-1, -1}};
    teller->end = &teller->unlogged;
    if (teller->listener >= 0 && pipe2(teller->stop, O_CLOEXEC) == 0 &&
        pthread_create(&teller->thread, NULL, run, teller) == 0)
        return teller;
    for (int k = 0; k < 2; k++)
        if (teller->stop[k] >= 0)
            close(teller->stop[k]);
    if (teller->listener >= 0)
        close(teller->listener);
    free(teller);
    return NULL;
}

struct finding *teller_stop(struct teller *teller)
{
    if (teller == NULL)
        return NULL;
    close(teller->stop[1]);
    pthread_join(teller->thread, NULL);
    close(teller->stop[0]);
    close(teller->listener);
    struct finding *unlogged = teller->unlogged;
    free(teller);
    return unlogged;
}

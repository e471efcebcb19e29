/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/tell/teller.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A symboliser may read for some seconds. */
enum { MOST_SECONDS = 30 };

/* An address of a socket has little room, which paths may not keep to. */
static bool connect_in(int connection, int directory)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct rg_text path = {address.sun_path, sizeof(address.sun_path), 0};
    rg_text_put(&path, "/proc/self/fd/");
    rg_text_put_decimal(&path, (uint64_t)directory);
    rg_text_put(&path, "/teller");
    return connect(connection, (const struct sockaddr *)&address, sizeof(address)) == 0;
}

static int connect_to(const char *path)
{
    const struct timeval patience = {.tv_sec = MOST_SECONDS};
    const int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -1;
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    const bool is_connected = connection >= 0 && connect_in(connection, directory);
    close(directory);
    if (is_connected)
        return connection;
    if (connection >= 0)
        close(connection);
    return -1;
}

static bool send_all(int connection, const struct rg_text *text)
{
    size_t sent = 0;
    while (sent < text->length) {
        const ssize_t n = send(connection, text->to + sent, text->length - sent, MSG_NOSIGNAL);
        if (n <= 0 && errno != EINTR)
            return false;
        sent += n > 0 ? (size_t)n : 0;
    }
    return shutdown(connection, SHUT_WR) == 0;
}

/* What comes, until its end, which is a NUL. */
static bool receive_all(int connection, char *to, size_t room, size_t *length)
{
    char rest[256];
    bool is_whole = false;
    ssize_t n;
    *length = 0;
    do {
        const size_t left = room - *length;
        char *part = left > 0 ? to + *length : rest;
        n = recv(connection, part, left > 0 ? left : sizeof(rest), 0);
        if (n > 0)
            is_whole = part[n - 1] == '\0';
        *length += n > 0 && left > 0 ? (size_t)n : 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return is_whole;
}

bool rg_check_ask_teller(const char *directory, struct rg_text *text)
{
    const int saved = errno, connection = connect_to(directory);
    if (connection < 0) {
        errno = saved;
        return false;
    }
    size_t length = 0;
    bool is_told = send_all(connection, text);
    if (is_told) {
        is_told = receive_all(connection, text->to, text->room, &length);
        text->length = length - (is_told && length < text->room);
    }
    close(connection);
    errno = saved;
    return is_told;
}

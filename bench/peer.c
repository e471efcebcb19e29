/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"

static const struct {
    const char *name;
    const char *command[3];     /* NULL instead of the first: Python */
    const char *environment[3]; /* what is added to it */
    bool is_ours;
} peers[N_PEERS] = {
    [PYTORCH] = {"PyTorch", {NULL, PEERS_SOURCE "/pytorch_peer.py", NULL}, {NULL}, false},
    [ONEDNN] = {"oneDNN", {PEERS_BINARY "/onednn_peer", NULL, NULL}, {NULL}, false},
    [CHECK_OFF] = {"off", {PEERS_BINARY "/aclnn_peer", "off", NULL}, {"REGRAD_CHECK=off", NULL}, true},
    [CHECK_WARN] = {"warn", {PEERS_BINARY "/aclnn_peer", "warn", NULL}, {"REGRAD_CHECK=warn", NULL}, true},
    [CHECK_ERROR] = {"error", {PEERS_BINARY "/aclnn_peer", "error", NULL}, {"REGRAD_CHECK=error", NULL}, true},
    [STEPS] = {"steps",
               {PEERS_BINARY "/aclnn_peer", "steps", NULL},
               {"REGRAD_CHECK=off", "ACL_LAUNCH_BLOCKING=1", NULL},
               true},
};

bool peer_is_for(int index, const struct shape *shape)
{
    return peers[index].is_ours ? shape->checked : !shape->alone && !shape->checked;
}

struct peer {
    pid_t process; /* 0: not there */
    FILE *to, *from;
    int index, shared;
    const char *program;
    bool was_there;
    char version[128], answer[256];
};

/* What the child does: its ends of the pipes become standard input and output. */
_Noreturn static void become(int index, const char *program, int in, int out, int shared)
{
    char *const command[] = {(char *)program, (char *)peers[index].command[1], NULL};
    for (const char *const *setting = peers[index].environment; *setting != NULL; setting++)
        putenv((char *)*setting);
    /* `shared` may itself be 3, and duplicating a descriptor onto itself would leave it marked for closing */
    const int copy = fcntl(shared, F_DUPFD, 10);
    if (copy >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(copy, SHARED_FILE) >= 0)
        execv(command[0], command);
    _exit(127);
}

static void start(struct peer *peer)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        fail(STATUS_SYSTEM, "the system refuses a pipe");
    peer->process = fork();
    if (peer->process < 0)
        fail(STATUS_SYSTEM, "the system refuses a process");
    if (peer->process == 0)
        become(peer->index, peer->program, to[0], from[1], peer->shared);
    close(to[0]);
    close(from[1]);
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    if (peer->to == NULL || peer->from == NULL)
        fail(STATUS_SYSTEM, "the system refuses memory");
}

static void stop(struct peer *peer)
{
    fclose(peer->to);
    fclose(peer->from);
    kill(peer->process, SIGKILL);
    waitpid(peer->process, NULL, 0);
    peer->process = 0;
}

/* Reads an answer. A peer that is gone, or silent for minutes, is left out until peer_revive. */
static bool listen_to(struct peer *peer)
{
    static const int patience = 300 * 1000;
    struct pollfd ready = {.fd = fileno(peer->from), .events = POLLIN};
    if (poll(&ready, 1, patience) == 1 && fgets(peer->answer, sizeof peer->answer, peer->from) != NULL) {
        peer->answer[strcspn(peer->answer, "\n")] = '\0';
        return true;
    }
    stop(peer);
    snprintf(peer->answer, sizeof peer->answer, "cannot: it ended or fell silent");
    return false;
}

/* Starts it, and has its version or why there is none. */
static void greet(struct peer *peer)
{
    start(peer);
    const bool answered = listen_to(peer);
    snprintf(peer->version, sizeof peer->version, "%.127s", peer->answer);
    if (answered && strncmp(peer->answer, "cannot", 6) == 0)
        stop(peer);
}

struct peer *peer_create(int index, int shared, const char *python)
{
    const char *program = peers[index].command[0] != NULL ? peers[index].command[0] : python;
    struct peer *peer = take_memory(sizeof *peer);
    *peer = (struct peer){.index = index, .shared = shared, .program = program};
    if (access(program, X_OK) != 0) {
        snprintf(peer->version, sizeof peer->version, "cannot: there is no %.100s", program);
        return peer;
    }
    signal(SIGPIPE, SIG_IGN);
    greet(peer);
    peer->was_there = peer_is_there(peer);
    return peer;
}

bool peer_revive(struct peer *peer)
{
    if (!peer->was_there || peer_is_there(peer))
        return false;
    greet(peer);
    return true;
}

void peer_destroy(struct peer *peer)
{
    if (peer->process != 0)
        stop(peer);
    free(peer);
}

bool peer_is_there(const struct peer *peer)
{
    return peer->process != 0;
}

const char *peer_name(int index)
{
    return peers[index].name;
}

/* What follows the "cannot: " of a refusal. */
static const char *reason(const char *answer)
{
    static const char cannot[] = "cannot: ";
    return strncmp(answer, cannot, sizeof cannot - 1) == 0 ? answer + sizeof cannot - 1 : answer;
}

const char *peer_version(const struct peer *peer)
{
    return reason(peer->version);
}

/* Is there an answer to what has just been sent? */
static bool answered(struct peer *peer)
{
    return peer->process != 0 && fflush(peer->to) == 0 && listen_to(peer);
}

bool peer_tell_text(struct peer *peer, const char *command, const char *text)
{
    if (peer->process != 0)
        fprintf(peer->to, "%s %s\n", command, text);
    return answered(peer) && strcmp(peer->answer, "ready") == 0;
}

bool peer_tell(struct peer *peer, const char *command)
{
    return peer_tell_text(peer, command, "");
}

bool peer_tell_number(struct peer *peer, const char *command, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return peer_tell_text(peer, command, text);
}

const char *peer_answer(const struct peer *peer)
{
    return reason(peer->answer);
}

double peer_sample(void *context, int64_t batch, bool warm_up)
{
    struct peer *peer = context;
    if (peer->process != 0)
        fprintf(peer->to, "time %lld %d\n", (long long)batch, warm_up);
    double seconds;
    return answered(peer) && sscanf(peer->answer, "%lf", &seconds) == 1 ? seconds : -1;
}

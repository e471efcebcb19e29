/* What becomes of workers at the end of the process, and in its children. */
#include "acl/runtime_lock.h"
#include "acl/stream_queue.h"

enum { PATIENCE = 1000 /* ms, with code of the client that does not come to an end */ };

/* A child has the streams of its parent, but no worker. Work that was being done is lost. */
static void forget_workers(void)
{
    for (struct rg_stream *stream = rg_streams; stream != NULL; stream = stream->next) {
        stream->has_worker = false;
        if (stream->is_running && !rg_stream_is_inside(stream))
            rg_stream_forget_first(stream);
        pthread_cond_init(&stream->arrived, NULL);
    }
    rg_runtime_reset_lock();
}

static void watch_forks(void)
{
    pthread_atfork(rg_runtime_lock, rg_runtime_unlock, forget_workers);
}

void rg_stream_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
}

static struct rg_stream *find_worker(void)
{
    struct rg_stream *stream = rg_streams;
    while (stream != NULL && !stream->has_worker)
        stream = stream->next;
    return stream;
}

static bool is_still(const void *stream)
{
    return !((const struct rg_stream *)stream)->is_running;
}

/* Workers must be gone before the library's code is: at dlclose, and at exit so that nothing is left. What they have
 * not begun is dropped. */
__attribute__((destructor)) static void end_workers(void)
{
    rg_runtime_lock();
    for (struct rg_stream *stream = find_worker(); stream != NULL; stream = find_worker()) {
        const pthread_t worker = stream->worker;
        stream->has_worker = false;
        stream->is_over = true;
        rg_stream_wake(stream);
        rg_runtime_moved();
        const bool ended = !rg_stream_is_inside(stream) && rg_runtime_wait(is_still, stream, PATIENCE);
        rg_runtime_unlock();
        if (ended)
            pthread_join(worker, NULL);
        else
            pthread_detach(worker);
        rg_runtime_lock();
    }
    rg_runtime_unlock();
}

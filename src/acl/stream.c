#include "acl/stream.h"

#include <stdlib.h>

#include "acl/handle.h"
#include "acl/runtime.h"
#include "acl/runtime_error.h"
#include "acl/runtime_lock.h"
#include "acl/stream_report.h"

struct task {
    struct rg_work work;
    uint64_t ticket; /* counts up over all streams: what was submitted before a point in time has a lower one */
    struct task *next;
};

/* What changes is under the lock of the runtime. */
struct rg_stream {
    aclrtStream handle;
    const struct rg_context *context; /* only to compare */
    int32_t device;
    int32_t id;
    struct rg_stream_traits traits;
    struct rg_stream *previous, *next; /* in the list of all streams */
    struct rg_stream *next_waiting;
    struct task *first, *last; /* the first stays in the queue while it is done */
    bool is_waiting;           /* in the list of streams that have work */
    bool is_running;           /* a thread is doing its work */
    bool is_ending;            /* takes no more work */
    bool is_dropping;          /* drops the work it has */
    bool stops_on_failure;
    aclError status; /* of the first work that failed since the last synchronisation */
};

static struct rg_stream *streams;
static struct rg_stream *waiting;
static uint64_t n_tickets;
static int32_t n_ids;

static aclError fail_dead(const char *function, aclrtStream stream)
{
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: stream is %p, must be NULL or a live stream", function,
                           stream);
}

/* ---- Doing work ----------------------------------------------------------------------------- */

static bool drops_work(const struct rg_stream *stream)
{
    return stream->is_dropping || (stream->stops_on_failure && stream->status != ACL_SUCCESS);
}

static bool can_run(const struct rg_stream *stream)
{
    const struct task *task = stream->first;
    if (task == NULL || stream->is_running)
        return false;
    return drops_work(stream) || task->work.may_run == NULL || task->work.may_run(task->work.argument);
}

/* Does the first work of the stream, without the lock meanwhile, and takes it off the queue. */
static void run_first(struct rg_stream *stream)
{
    struct task *task = stream->first;
    const struct rg_work *work = &task->work;
    const bool dropped = drops_work(stream);
    aclError status = ACL_SUCCESS;
    stream->is_running = true;
    rg_runtime_unlock();
    if (!dropped && work->run != NULL)
        status = work->run(work->argument);
    if (work->destroy != NULL)
        work->destroy(work->argument);
    rg_runtime_lock();
    stream->is_running = false;
    if (stream->status == ACL_SUCCESS)
        stream->status = status;
    stream->first = task->next;
    free(task);
    rg_runtime_moved();
}

static void start_waiting(struct rg_stream *stream)
{
    if (stream->is_waiting)
        return;
    stream->is_waiting = true;
    stream->next_waiting = waiting;
    waiting = stream;
}

static void stop_waiting(struct rg_stream *stream)
{
    struct rg_stream **link = &waiting;
    while (*link != stream)
        link = &(*link)->next_waiting;
    *link = stream->next_waiting;
    stream->is_waiting = false;
}

/* Does what can be done of one stream that has work. Did it anything? */
static bool run_stream(struct rg_stream *stream)
{
    bool moved = false;
    while (can_run(stream)) {
        run_first(stream);
        moved = true;
    }
    if (stream->first == NULL && stream->is_waiting)
        stop_waiting(stream);
    return moved;
}

void rg_stream_run_all(void)
{
    struct rg_stream *stream = waiting;
    while (stream != NULL)
        stream = run_stream(stream) ? waiting : stream->next_waiting;
}

static void append(struct rg_stream *stream, struct task *task)
{
    task->ticket = ++n_tickets;
    if (stream->first == NULL)
        stream->first = task;
    else
        stream->last->next = task;
    stream->last = task;
    start_waiting(stream);
}

aclError rg_stream_push(struct rg_stream *stream, const char *function, const struct rg_work *work)
{
    struct task *task = calloc(1, sizeof(*task));
    bool accepted = false;
    if (task != NULL) {
        task->work = *work;
        rg_runtime_lock();
        accepted = !stream->is_ending;
        if (accepted) {
            append(stream, task);
            run_stream(stream);
            rg_stream_run_all();
        }
        rg_runtime_unlock();
    }
    if (accepted)
        return ACL_SUCCESS;
    if (work->destroy != NULL)
        work->destroy(work->argument);
    if (task == NULL)
        return rg_runtime_fail_memory(function);
    free(task);
    return fail_dead(function, stream->handle);
}

/* ---- Beginning and end ---------------------------------------------------------------------- */

static void link_stream(struct rg_stream *stream)
{
    stream->next = streams;
    if (streams != NULL)
        streams->previous = stream;
    streams = stream;
}

static void unlink_stream(struct rg_stream *stream)
{
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else
        streams = stream->next;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
}

aclrtStream rg_stream_create(const struct rg_context *context, const struct rg_stream_traits *traits)
{
    struct rg_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return NULL;
    stream->context = context;
    stream->device = context->device;
    stream->traits = *traits;
    const aclrtStream handle = rg_handle_create(RG_HANDLE_STREAM, stream, free);
    if (handle == NULL) {
        free(stream);
        return NULL;
    }
    stream->handle = handle;
    rg_runtime_lock();
    const bool accepted = !context->is_ending;
    if (accepted) {
        stream->id = n_ids++;
        link_stream(stream);
    }
    rg_runtime_unlock();
    if (accepted)
        return handle;
    rg_handle_destroy(RG_HANDLE_STREAM, handle);
    return NULL;
}

static bool is_idle(const void *stream)
{
    const struct rg_stream *object = stream;
    return object->first == NULL && !object->is_running;
}

/* Ends a stream that the caller has marked as ending. Needs the lock, and gives it up. */
static void end_and_unlock(struct rg_stream *stream)
{
    const aclrtStream handle = stream->handle;
    if (stream->first != NULL)
        rg_stream_run_all();
    rg_runtime_wait(is_idle, stream, -1);
    unlink_stream(stream);
    rg_report_stream_ended(stream->id);
    rg_runtime_moved();
    rg_runtime_unlock();
    rg_handle_destroy(RG_HANDLE_STREAM, handle);
}

static struct rg_stream *find_not_ending(const struct rg_context *context)
{
    struct rg_stream *stream = streams;
    while (stream != NULL && (stream->context != context || stream->is_ending))
        stream = stream->next;
    return stream;
}

static bool has_no_stream(const void *context)
{
    const struct rg_stream *stream = streams;
    while (stream != NULL && stream->context != context)
        stream = stream->next;
    return stream == NULL;
}

void rg_stream_end_all(const struct rg_context *context)
{
    rg_runtime_lock();
    for (struct rg_stream *stream = find_not_ending(context); stream != NULL; stream = find_not_ending(context)) {
        stream->is_ending = true;
        end_and_unlock(stream);
        rg_runtime_lock();
    }
    /* Those that other threads are ending. */
    rg_runtime_wait(has_no_stream, context, -1);
    rg_runtime_unlock();
}

static aclError destroy(const char *function, aclrtStream stream, bool dropping)
{
    if (stream == NULL)
        return rg_runtime_fail_null(function, "stream");
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    const bool is_first = !object->traits.is_default && !object->is_ending;
    if (is_first) {
        object->is_ending = true;
        object->is_dropping = dropping;
        end_and_unlock(object);
    } else {
        rg_runtime_unlock();
        status = object->traits.is_default
                     ? rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID,
                                       "%s: stream is %p, the default stream of a context, must be one from "
                                       "aclrtCreateStream",
                                       function, stream)
                     : fail_dead(function, stream);
    }
    rg_stream_release(object);
    return status;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

/* All work on one stream, or on those of one device, with tickets up to one. */
struct extent {
    const struct rg_stream *stream; /* NULL: of the device */
    int32_t device;
    uint64_t ticket;
};

static bool is_done_on(const struct rg_stream *stream, uint64_t ticket)
{
    return stream->first == NULL || stream->first->ticket > ticket;
}

static bool is_extent_done(const void *argument)
{
    const struct extent *extent = argument;
    if (extent->stream != NULL)
        return is_done_on(extent->stream, extent->ticket);
    for (const struct rg_stream *stream = waiting; stream != NULL; stream = stream->next_waiting)
        if (stream->device == extent->device && !is_done_on(stream, extent->ticket))
            return false;
    return true;
}

static aclError take_status(struct rg_stream *stream)
{
    const aclError status = stream->status;
    stream->status = ACL_SUCCESS;
    return status;
}

static aclError take_device_status(int32_t device)
{
    aclError first = ACL_SUCCESS;
    for (struct rg_stream *stream = streams; stream != NULL; stream = stream->next) {
        const aclError status = stream->device == device ? take_status(stream) : ACL_SUCCESS;
        if (first == ACL_SUCCESS)
            first = status;
    }
    return first;
}

static aclError tell_waited(const char *function, bool in_time, int32_t timeout, aclError status)
{
    if (!in_time)
        return rg_runtime_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                               "%s: timeout is %d ms, and work has not been done in that time", function, timeout);
    if (status != ACL_SUCCESS)
        return rg_runtime_fail(status, "%s: work that was submitted before has failed with status %d", function,
                               status);
    return ACL_SUCCESS;
}

void rg_stream_wait_device(int32_t device)
{
    rg_runtime_lock();
    const struct extent extent = {.device = device, .ticket = n_tickets};
    rg_runtime_wait(is_extent_done, &extent, -1);
    rg_runtime_unlock();
}

aclError rg_stream_synchronize_device(const char *function, int32_t device, int32_t timeout)
{
    rg_runtime_lock();
    const struct extent extent = {.device = device, .ticket = n_tickets};
    const bool in_time = rg_runtime_wait(is_extent_done, &extent, timeout);
    const aclError status = in_time ? take_device_status(device) : ACL_SUCCESS;
    rg_runtime_unlock();
    return tell_waited(function, in_time, timeout, status);
}

static aclError synchronize(const char *function, aclrtStream stream, int32_t timeout)
{
    const uint32_t not_waited_for = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    if (object->traits.flags & not_waited_for) {
        rg_stream_release(object);
        return ACL_SUCCESS;
    }
    rg_runtime_lock();
    const struct extent extent = {.stream = object, .ticket = n_tickets};
    const bool in_time = rg_runtime_wait(is_extent_done, &extent, timeout);
    if (in_time)
        status = take_status(object);
    rg_runtime_unlock();
    rg_stream_release(object);
    return tell_waited(function, in_time, timeout, status);
}

/* ---- What operators need -------------------------------------------------------------------- */

struct rg_stream *rg_stream_acquire(aclrtStream stream, const char *function, aclError *status)
{
    aclrtStream wanted = stream;
    if (stream == NULL) {
        const struct rg_context *context = rg_context_acquire_current(function, status);
        if (context == NULL)
            return NULL;
        wanted = context->default_stream;
        rg_context_release(context);
    }
    struct rg_stream *object = rg_handle_acquire(RG_HANDLE_STREAM, wanted);
    if (object == NULL)
        *status = fail_dead(function, wanted);
    return object;
}

void rg_stream_release(const struct rg_stream *stream)
{
    rg_handle_release(RG_HANDLE_STREAM, stream->handle);
}

int32_t rg_stream_id(const struct rg_stream *stream)
{
    return stream->id;
}

aclError rg_stream_submit(aclrtStream stream, aclError (*task)(void *argument), void *argument,
                          void (*destroy)(void *argument))
{
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, __func__, &status);
    if (object == NULL) {
        if (destroy != NULL)
            destroy(argument);
        return status;
    }
    status = rg_stream_push(object, __func__, &(struct rg_work){.run = task, .argument = argument, .destroy = destroy});
    rg_stream_release(object);
    return status;
}

aclError rg_stream_check(aclrtStream stream, const char *function)
{
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object != NULL)
        rg_stream_release(object);
    return status;
}

/* ---- Entry points --------------------------------------------------------------------------- */

static aclError create(const char *function, aclrtStream *stream, const struct rg_stream_traits *traits)
{
    if (stream == NULL)
        return rg_runtime_fail_null(function, "stream");
    aclError status = ACL_SUCCESS;
    const struct rg_context *context = rg_context_acquire_current(function, &status);
    if (context == NULL)
        return status;
    const aclrtStream created = rg_stream_create(context, traits);
    rg_context_release(context);
    if (created == NULL)
        return rg_runtime_fail_memory(function);
    *stream = created;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    return create(__func__, stream, &(struct rg_stream_traits){0});
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    const uint32_t known = 0x3F;
    if (flag & ~known)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flag is 0x%x, must have no bits but those of 0x%x",
                               __func__, flag, known);
    return create(__func__, stream, &(struct rg_stream_traits){.priority = priority, .flags = flag});
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return destroy(__func__, stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy(__func__, stream, true);
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return synchronize(__func__, stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    const aclError refused = rg_timeout_check(__func__, timeout, ACL_ERROR_RT_PARAM_INVALID);
    return refused != ACL_SUCCESS ? refused : synchronize(__func__, stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    if (status == NULL)
        return rg_runtime_fail_null(__func__, "status");
    aclError refused = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, __func__, &refused);
    if (object == NULL)
        return refused;
    rg_runtime_lock();
    *status = is_idle(object) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

/* One number that does not change about a stream. */
static aclError ask(const char *function, aclrtStream stream, const char *argument, const void *answer,
                    struct rg_stream_traits *traits, int32_t *id)
{
    if (answer == NULL)
        return rg_runtime_fail_null(function, argument);
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    *traits = object->traits;
    *id = object->id;
    rg_stream_release(object);
    return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    struct rg_stream_traits traits;
    int32_t id;
    const aclError refused = ask(__func__, stream, "streamId", streamId, &traits, &id);
    if (refused == ACL_SUCCESS)
        *streamId = id;
    return refused;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    struct rg_stream_traits traits;
    int32_t id;
    const aclError refused = ask(__func__, stream, "priority", priority, &traits, &id);
    if (refused == ACL_SUCCESS)
        *priority = traits.priority;
    return refused;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    struct rg_stream_traits traits;
    int32_t id;
    const aclError refused = ask(__func__, stream, "flags", flags, &traits, &id);
    if (refused == ACL_SUCCESS)
        *flags = traits.flags;
    return refused;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    if (stream == NULL)
        return rg_runtime_fail_null(__func__, "stream");
    if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM,
                               "%s: mode is %llu, must be ACL_CONTINUE_ON_FAILURE (0) or ACL_STOP_ON_FAILURE (1)",
                               __func__, (unsigned long long)mode);
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, __func__, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    object->stops_on_failure = mode == ACL_STOP_ON_FAILURE;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of 200 calls over several streams, devices and threads. What the check mode says about races must
 * be what the model says, call by call: nothing of valid programs, and of those from which a wait was taken just what
 * that makes wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"
#include "order_model.h"
#include "random.h"

enum { N_CALLS = 200, MOST_CALLS = 600, N_DEVICES = 2, N_STREAMS = 6, N_BUFFERS = 8, N_PINNED = 2, N_PAGEABLE = 1 };
enum { N_PLACES = N_BUFFERS + N_PINNED + N_PAGEABLE };
enum { GIVEN = 16, WANTED = 8 /* values of an operator's tensors */ };
enum { REFUSED = ACL_ERROR_RT_STREAM_NOT_COMPLETE, REFUSED_PHASE_2 = 361001 /* statuses of races */ };

enum kind {
    COPY,
    COPY_2D,
    FILL,
    OPERATE,
    HOST_COPY,
    HOST_COPY_2D,
    HOST_FILL,
    FREE,
    N_TOUCHING,
    RECORD = N_TOUCHING,
    WAIT,
    SYNCHRONIZE,
    SYNCHRONIZE_EVENT,
    SYNCHRONIZE_DEVICE,
    QUERY,
    QUERY_EVENT,
    RECREATE,
    N_KINDS
};

/* Some bytes of a buffer: rows of width bytes, pitch bytes apart. */
struct rows {
    int place, first, width, pitch, height;
};

struct call {
    enum kind kind;
    int stream, event;
    bool in_thread;
    bool is_mend; /* put in so that the program is valid */
    struct rows to, from;
};

struct program {
    int n;
    struct call calls[MOST_CALLS];
};

/* ---- What a call touches, for the model ------------------------------------------------------- */

/* Numbers of buffers change when they are freed. */
struct numbers {
    int of[N_PLACES], next;
};

static void begin_numbers(struct numbers *numbers)
{
    for (numbers->next = 0; numbers->next < N_PLACES; numbers->next++)
        numbers->of[numbers->next] = numbers->next;
}

static struct touched touch(const struct numbers *numbers, const struct rows *rows, bool writes)
{
    struct touched touched = {.buffer = numbers->of[rows->place], .writes = writes};
    for (int row = 0; row < rows->height; row++)
        memset(touched.bytes + rows->first + row * rows->pitch, true, (size_t)rows->width);
    return touched;
}

static int list_touched(const struct numbers *numbers, const struct call *call, struct touched touched[2])
{
    const bool has_source = call->kind != FILL && call->kind != HOST_FILL && call->kind != FREE;
    if (call->kind >= N_TOUCHING)
        return 0;
    touched[0] = touch(numbers, &call->to, true);
    if (has_source)
        touched[1] = touch(numbers, &call->from, false);
    return 1 + has_source;
}

static bool is_pageable(const struct call *call)
{
    return (call->kind == COPY || call->kind == COPY_2D || call->kind == FILL) &&
           (call->to.place >= N_BUFFERS + N_PINNED || call->from.place >= N_BUFFERS + N_PINNED);
}

static int stream_of(const struct call *call)
{
    return call->kind >= HOST_COPY && call->kind <= FREE ? NONE : call->stream;
}

/* Streams take turns on the devices. */
static int device_of(int stream)
{
    return stream % N_DEVICES;
}

/* What a call that was accepted makes known. */
static void add_to_model(struct model *model, struct numbers *numbers, const struct call *call)
{
    struct touched touched[2];
    const int n = list_touched(numbers, call, touched);
    if (n > 0)
        model_add(model, stream_of(call), touched, n);
    if (is_pageable(call) || call->kind == SYNCHRONIZE || call->kind == RECREATE)
        model_synchronize(model, call->stream);
    if (call->kind == RECORD)
        model_record(model, call->stream, call->event);
    if (call->kind == WAIT)
        model_wait(model, call->stream, call->event);
    if (call->kind == SYNCHRONIZE_EVENT)
        model_synchronize_event(model, call->event);
    for (int k = 0; k < N_STREAMS && call->kind == SYNCHRONIZE_DEVICE; k++)
        if (device_of(k) == device_of(call->stream))
            model_synchronize(model, k);
    if (call->kind == FREE)
        numbers->of[call->to.place] = numbers->next++;
}

static int find_race(const struct model *model, const struct numbers *numbers, const struct call *call)
{
    struct touched touched[2];
    return model_find_race(model, stream_of(call), touched, list_touched(numbers, call, touched));
}

/* ---- Making programs -------------------------------------------------------------------------- */

static struct rows random_rows(struct rng *rng, enum kind kind, int place, const struct rows *like)
{
    struct rows rows = {.place = place, .height = 1};
    if (kind == COPY_2D || kind == HOST_COPY_2D) {
        rows.width = like != NULL ? like->width : 1 + (int)rng_below(rng, 12);
        rows.height = like != NULL ? like->height : 1 + (int)rng_below(rng, 6);
        rows.pitch = rows.width + (int)rng_below(rng, 24);
    } else {
        rows.width = like != NULL ? like->width : 1 + (int)rng_below(rng, BUFFER_SIZE / 2);
    }
    rows.first = (int)rng_below(rng, BUFFER_SIZE + 1 - rows.width - (rows.height - 1) * rows.pitch);
    return rows;
}

/* 16 values, and 8 that may have as much between them. */
static void random_operands(struct rng *rng, struct call *call)
{
    const int stride = 1 + (int)rng_below(rng, 3), size = (int)sizeof(float);
    call->from = (struct rows){(int)rng_below(rng, N_BUFFERS), 0, GIVEN * size, 0, 1};
    call->to = (struct rows){(int)rng_below(rng, N_BUFFERS), 0, size, stride * size, WANTED};
    call->from.first = size * (int)rng_below(rng, BUFFER_SIZE / size - GIVEN + 1);
    call->to.first = size * (int)rng_below(rng, BUFFER_SIZE / size - stride * (WANTED - 1));
}

static struct call random_call(struct rng *rng)
{
    struct call call = {.kind = (enum kind)rng_below(rng, N_KINDS),
                        .stream = (int)rng_below(rng, N_STREAMS),
                        .event = (int)rng_below(rng, MOST_EVENTS),
                        .in_thread = rng_chance(rng, 3)};
    if (rng_chance(rng, 2))
        call.kind = (enum kind)rng_below(rng, FREE);
    const bool is_any_place = call.kind == COPY || call.kind == COPY_2D || call.kind == HOST_COPY;
    do {
        call.to = random_rows(rng, call.kind, (int)rng_below(rng, is_any_place ? N_PLACES : N_BUFFERS), NULL);
        call.from = random_rows(rng, call.kind, (int)rng_below(rng, is_any_place ? N_PLACES : N_BUFFERS), &call.to);
        if (call.kind == OPERATE)
            random_operands(rng, &call);
        if (call.kind == FREE)
            call.to = (struct rows){(int)rng_below(rng, N_BUFFERS), 0, BUFFER_SIZE, 0, 1};
    } while (call.to.place == call.from.place || (call.to.place >= N_BUFFERS && call.from.place >= N_BUFFERS));
    if (call.kind == OPERATE || call.kind == FREE)
        call.stream -= call.stream % N_DEVICES; /* the buffers are on device 0 */
    return call;
}

struct maker {
    struct rng *rng;
    struct program *program;
    struct model model;
    struct numbers numbers;
};

static void append(struct maker *maker, const struct call *call)
{
    maker->program->calls[maker->program->n++] = *call;
    add_to_model(&maker->model, &maker->numbers, call);
}

/* The stream that a racing node is on. */
static int stream_of_node(const struct maker *maker, int node)
{
    for (int k = 0; k < N_STREAMS; k++) {
        const int last = maker->model.last[k];
        const uint64_t *before = last != NONE ? maker->model.nodes[last].before : NULL;
        /* Those that the host knows are not among the racing ones; any stream whose end is behind the node will do. */
        if (last == node || (before != NULL && before[node / 64] >> (node % 64) & 1))
            return k;
    }
    return 0;
}

/* Orders what comes next on the stream, or on the host, behind the work of another stream. */
static void mend(struct maker *maker, const struct call *wrong, int other)
{
    struct call call = {.stream = other, .event = (int)rng_below(maker->rng, MOST_EVENTS), .is_mend = true};
    if (rng_chance(maker->rng, 2)) {
        call.kind = SYNCHRONIZE;
        append(maker, &call);
        return;
    }
    call.kind = RECORD;
    append(maker, &call);
    call.kind = stream_of(wrong) == NONE ? SYNCHRONIZE_EVENT : WAIT;
    call.stream = wrong->stream;
    append(maker, &call);
}

static void make_program(struct rng *rng, bool is_valid, struct program *program)
{
    static _Thread_local struct maker maker;
    maker.rng = rng;
    maker.program = program;
    program->n = 0;
    model_begin(&maker.model);
    begin_numbers(&maker.numbers);
    for (int k = 0; k < N_CALLS && program->n < MOST_CALLS - 8; k++) {
        const struct call call = random_call(rng);
        int other = is_valid ? find_race(&maker.model, &maker.numbers, &call) : NONE;
        for (int tries = 0; other != NONE && tries < 3; tries++) {
            mend(&maker, &call, stream_of_node(&maker, other));
            other = find_race(&maker.model, &maker.numbers, &call);
        }
        if (other == NONE)
            append(&maker, &call);
    }
}

/* ---- Running them ----------------------------------------------------------------------------- */

/* What a program works with. */
struct world {
    aclrtContext contexts[N_DEVICES];
    aclrtStream streams[N_STREAMS]; /* the first of each device is the default one */
    aclrtEvent events[MOST_EVENTS];
    char *places[N_PLACES];
    char pageable[N_PAGEABLE][BUFFER_SIZE];
    void *workspaces[N_STREAMS];
};

enum { WORKSPACE = 1 << 16 };

static void *device_memory(size_t size)
{
    void *memory = NULL;
    assert_int_equal(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_NORMAL_ONLY), 0);
    assert_int_equal(aclrtMemset(memory, size, 0, size), 0);
    return memory;
}

static void select_device(const struct world *world, int device)
{
    assert_int_equal(aclrtSetCurrentContext(world->contexts[device]), 0);
}

static void begin_world(struct world *world)
{
    for (int k = 0; k < N_DEVICES; k++) {
        assert_int_equal(aclrtSetDevice(k), 0);
        assert_int_equal(aclrtGetCurrentContext(&world->contexts[k]), 0);
    }
    for (int k = 0; k < N_STREAMS; k++) {
        select_device(world, device_of(k));
        world->workspaces[k] = device_memory(WORKSPACE);
        assert_int_equal(aclrtCreateStream(&world->streams[k]), 0);
    }
    for (int k = 0; k < MOST_EVENTS; k++)
        assert_int_equal(aclrtCreateEvent(&world->events[k]), 0);
    select_device(world, 0);
    for (int k = 0; k < N_BUFFERS; k++)
        world->places[k] = device_memory(BUFFER_SIZE);
    for (int k = 0; k < N_PINNED; k++)
        assert_int_equal(aclrtMallocHost((void **)&world->places[N_BUFFERS + k], BUFFER_SIZE), 0);
    for (int k = 0; k < N_PAGEABLE; k++)
        world->places[N_BUFFERS + N_PINNED + k] = world->pageable[k];
    for (int k = N_BUFFERS; k < N_BUFFERS + N_PINNED + N_PAGEABLE; k++)
        memset(world->places[k], 0, BUFFER_SIZE);
}

static void end_world(struct world *world)
{
    for (int k = 0; k < N_STREAMS; k++)
        assert_int_equal(aclrtDestroyStream(world->streams[k]), 0);
    for (int k = 0; k < N_STREAMS; k++)
        assert_int_equal(aclrtFree(world->workspaces[k]), 0);
    for (int k = 0; k < MOST_EVENTS; k++)
        assert_int_equal(aclrtDestroyEvent(world->events[k]), 0);
    for (int k = 0; k < N_BUFFERS; k++)
        assert_int_equal(aclrtFree(world->places[k]), 0);
    for (int k = 0; k < N_PINNED; k++)
        assert_int_equal(aclrtFreeHost(world->places[N_BUFFERS + k]), 0);
    for (int k = 0; k < N_DEVICES; k++)
        assert_int_equal(aclrtResetDevice(k), 0);
}

static char *at(const struct world *world, const struct rows *rows)
{
    return world->places[rows->place] + rows->first;
}

static int operate(const struct world *world, const struct call *call)
{
    const int64_t given_shape[] = {1, 1, 1, GIVEN}, wanted_shape[] = {1, 1, 1, WANTED}, output[] = {1, GIVEN};
    const int64_t stride = call->to.pitch / (int)sizeof(float),
                  strides[] = {stride * WANTED, stride * WANTED, stride * WANTED, stride};
    const int64_t storage = stride * (WANTED - 1) + 1;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *given =
        aclCreateTensor(given_shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, given_shape, 4, at(world, &call->from));
    aclTensor *wanted =
        aclCreateTensor(wanted_shape, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, &storage, 1, at(world, &call->to));
    aclIntArray *input_size = aclCreateIntArray(wanted_shape, 4), *output_size = aclCreateIntArray(output, 2);
    assert_int_equal(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(given, output_size, input_size, 0, 0, wanted,
                                                                         &size, &executor),
                     0);
    assert_true(size <= WORKSPACE);
    const int status = aclnnUpsampleNearestExact2dBackward(world->workspaces[call->stream], size, executor,
                                                           world->streams[call->stream]);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclDestroyIntArray(input_size);
    aclDestroyIntArray(output_size);
    return status == REFUSED_PHASE_2 ? REFUSED : status;
}

static int recreate(struct world *world, int stream)
{
    const int status = aclrtDestroyStream(world->streams[stream]);
    return status != 0 ? status : aclrtCreateStream(&world->streams[stream]);
}

static int reallocate(struct world *world, int place)
{
    const int status = aclrtFree(world->places[place]);
    if (status == 0)
        world->places[place] = device_memory(BUFFER_SIZE);
    return status;
}

struct answer {
    int status;
    bool is_complete; /* what was asked about: that is as good as a wait */
};

static struct answer ask_stream(aclrtStream stream)
{
    aclrtStreamStatus done = ACL_STREAM_STATUS_NOT_READY;
    const int status = aclrtStreamQuery(stream, &done);
    return (struct answer){status, done == ACL_STREAM_STATUS_COMPLETE};
}

static struct answer ask_event(aclrtEvent event)
{
    aclrtEventRecordedStatus happened = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const int status = aclrtQueryEventStatus(event, &happened);
    return (struct answer){status, happened == ACL_EVENT_RECORDED_STATUS_COMPLETE};
}

static struct answer make_call(struct world *world, const struct call *call)
{
    const aclrtStream stream = world->streams[call->stream];
    const aclrtEvent event = world->events[call->event];
    char *to = at(world, &call->to), *from = at(world, &call->from);
    const size_t width = (size_t)call->to.width, height = (size_t)call->to.height, pitch = (size_t)call->to.pitch;
    switch (call->kind) {
    case COPY:
        return (struct answer){aclrtMemcpyAsync(to, width, from, width, ACL_MEMCPY_DEFAULT, stream), false};
    case COPY_2D:
        return (struct answer){
            aclrtMemcpy2dAsync(to, pitch, from, (size_t)call->from.pitch, width, height, ACL_MEMCPY_DEFAULT, stream),
            false};
    case FILL:
        return (struct answer){aclrtMemsetAsync(to, width, 7, width, stream), false};
    case OPERATE:
        return (struct answer){operate(world, call), false};
    case HOST_COPY:
        return (struct answer){aclrtMemcpy(to, width, from, width, ACL_MEMCPY_DEFAULT), false};
    case HOST_COPY_2D:
        return (struct answer){
            aclrtMemcpy2d(to, pitch, from, (size_t)call->from.pitch, width, height, ACL_MEMCPY_DEFAULT), false};
    case HOST_FILL:
        return (struct answer){aclrtMemset(to, width, 7, width), false};
    case FREE:
        return (struct answer){reallocate(world, call->to.place), false};
    case RECORD:
        return (struct answer){aclrtRecordEvent(event, stream), false};
    case WAIT:
        return (struct answer){aclrtStreamWaitEvent(stream, event), false};
    case SYNCHRONIZE:
        return (struct answer){aclrtSynchronizeStream(stream), false};
    case SYNCHRONIZE_EVENT:
        return (struct answer){aclrtSynchronizeEvent(event), false};
    case SYNCHRONIZE_DEVICE:
        return (struct answer){aclrtSynchronizeDevice(), false};
    case QUERY:
        return ask_stream(stream);
    case QUERY_EVENT:
        return ask_event(event);
    case RECREATE:
        return (struct answer){recreate(world, call->stream), false};
    case N_KINDS:
        break;
    }
    return (struct answer){-1, false};
}

struct errand {
    struct world *world;
    const struct call *call;
    struct answer answer;
};

static void *do_errand(void *argument)
{
    struct errand *errand = argument;
    select_device(errand->world, device_of(errand->call->stream));
    errand->answer = make_call(errand->world, errand->call);
    return NULL;
}

/* Perhaps in a thread of its own: what was handed over cannot be seen. */
static struct answer do_call(struct world *world, const struct call *call)
{
    struct errand errand = {.world = world, .call = call};
    pthread_t thread;
    if (call->in_thread && pthread_create(&thread, NULL, do_errand, &errand) == 0)
        pthread_join(thread, NULL);
    else
        do_errand(&errand);
    return errand.answer;
}

/* How many of its calls are races. Each must be refused, and no other. */
static int run_program(const struct program *program)
{
    static _Thread_local struct model model;
    struct world world = {0};
    struct numbers numbers;
    int n_races = 0;
    begin_world(&world);
    model_begin(&model);
    begin_numbers(&numbers);
    for (int k = 0; k < program->n; k++) {
        const struct call *call = &program->calls[k];
        const bool is_race = find_race(&model, &numbers, call) != NONE;
        const struct answer answer = do_call(&world, call);
        if (answer.status != (is_race ? REFUSED : 0))
            fail_msg("call %d, of kind %d, has returned %d; a race: %d: %s", k, (int)call->kind, answer.status, is_race,
                     aclGetRecentErrMsg());
        if (!is_race)
            add_to_model(&model, &numbers, call);
        if (answer.is_complete && call->kind == QUERY)
            model_synchronize(&model, call->stream);
        if (answer.is_complete && call->kind == QUERY_EVENT)
            model_synchronize_event(&model, call->event);
        n_races += is_race;
    }
    end_world(&world);
    return n_races;
}

/* ---- Tests ------------------------------------------------------------------------------------ */

static struct rng rng;

/* The usual number of tries takes seconds: a larger one is for other tests. */
static int64_t tries(int64_t usual)
{
    const int64_t wanted = test_count(usual);
    return wanted < usual ? wanted : usual;
}

static void test_valid(void **state)
{
    static struct program program;
    (void)state;
    for (int64_t k = 0; k < tries(30); k++) {
        make_program(&rng, true, &program);
        assert_true(program.n >= N_CALLS / 2);
        assert_int_equal(run_program(&program), 0);
    }
}

/* One of the waits that were put in is taken out. Some are needed twice, so not all are missed; of many, most are. */
static void test_one_wait_less(void **state)
{
    static struct program program;
    const int64_t n = tries(60);
    int64_t n_wrong = 0, n_tried = 0;
    (void)state;
    for (int64_t k = 0; k < n; k++) {
        make_program(&rng, true, &program);
        const int first = (int)rng_below(&rng, program.n);
        for (int i = 0; i < program.n; i++) {
            struct call *call = &program.calls[(first + i) % program.n];
            if (call->is_mend && call->kind != RECORD) {
                memmove(call, call + 1, (size_t)(&program.calls[--program.n] - call) * sizeof(*call));
                n_tried++;
                break;
            }
        }
        n_wrong += run_program(&program) > 0;
    }
    assert_true(n_wrong * 2 > n_tried || n < 10);
}

static void test_careless(void **state)
{
    static struct program program;
    (void)state;
    for (int64_t k = 0; k < tries(30); k++) {
        make_program(&rng, false, &program);
        assert_true(run_program(&program) > 0);
    }
}

/* Threads that share nothing but the devices. */
struct runner {
    pthread_t thread;
    struct rng rng;
    int n_races;
};

static void *run_some(void *argument)
{
    struct runner *runner = argument;
    struct program *program = malloc(sizeof(*program));
    for (int k = 0; k < 5 && program != NULL; k++) {
        make_program(&runner->rng, true, program);
        runner->n_races += run_program(program);
    }
    free(program);
    return NULL;
}

static void test_threads(void **state)
{
    struct runner runners[4];
    (void)state;
    for (int64_t k = 0; k < 1 + tries(30) / 15; k++) { /* each makes 20 programs */
        for (int t = 0; t < 4; t++) {
            runners[t] = (struct runner){.rng = rng_make(rng_next(&rng))};
            assert_int_equal(pthread_create(&runners[t].thread, NULL, run_some, &runners[t]), 0);
        }
        for (int t = 0; t < 4; t++) {
            pthread_join(runners[t].thread, NULL);
            assert_int_equal(runners[t].n_races, 0);
        }
    }
}

int main(void)
{
    setenv("REGRAD_CHECK", "error", 1);
    setenv("REGRAD_DEVICES", "2", 1);
    rng = rng_make(test_seed());
    if (aclInit(NULL) != 0)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_valid), cmocka_unit_test(test_one_wait_less),
                                       cmocka_unit_test(test_careless), cmocka_unit_test(test_threads)};
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    return n_failed + (aclFinalize() != 0);
}

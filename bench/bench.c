/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aclnn.h"
#include "data.h"
#include "fail.h"
#include "floor.h"
#include "machine.h"
#include "native.h"

/* Threads of OpenMP stay awake for some milliseconds after a loop, ours for a fifth of one. */
static const double peer_rest = 0.01, own_rest = 0.001;

/*
 * By how much results may differ that are computed in another way, as a part of the largest value. A weight is a
 * coordinate's distance to a whole one, so what it is off by grows with the axis: some roundings of a number as
 * large as the axis is long. Some peers add in 16 bits.
 */
static double tolerance(const struct shape *shape)
{
    int64_t longest = 8;
    for (int axis = 0; axis < MAX_AXES; axis++) {
        longest = shape->in[axis] > longest ? shape->in[axis] : longest;
        longest = shape->out[axis] > longest ? shape->out[axis] : longest;
    }
    const bool narrow = shape->dtype == REGRAD_FLOAT16 || shape->dtype == REGRAD_BFLOAT16;
    return narrow ? 0.05 : 8 * (double)longest * (shape->dtype == REGRAD_FLOAT64 ? 0x1p-53 : 0x1p-24);
}

/* A shape that is being measured. */
struct job {
    struct bench *bench;
    const struct shape *shape;
    struct plan_of_memory memory;
    char *base;
    bool has_peer[N_PEERS], compared[N_PEERS];
    char refusals[N_PEERS][192];
    double differences[N_PEERS];
};

void bench_begin(struct bench *bench)
{
    bench->shared = memfd_create("regrad-bench", 0);
    if (bench->shared < 0)
        fail(STATUS_SYSTEM, "the system refuses a file in memory");
    for (int i = 0; i < N_PEERS; i++) {
        if (!bench->wanted_peers[i])
            continue;
        bench->peers[i] = peer_create(i, bench->shared, bench->python);
        if (!peer_is_there(bench->peers[i]))
            fprintf(stderr, "regrad-bench: %s is left out; %s\n", peer_name(i), peer_version(bench->peers[i]));
    }
}

void bench_end(struct bench *bench)
{
    for (int i = 0; i < N_PEERS; i++) {
        if (bench->peers[i] != NULL)
            peer_destroy(bench->peers[i]);
    }
    close(bench->shared);
}

static char *map_shared(const struct job *job)
{
    char *shared = mmap(NULL, job->memory.end, PROT_READ | PROT_WRITE, MAP_SHARED, job->bench->shared, 0);
    if (shared == MAP_FAILED)
        fail(STATUS_SYSTEM, "the system refuses %zu bytes of memory", job->memory.end);
    return shared;
}

static void resize_shared(const struct job *job, size_t size)
{
    if (ftruncate(job->bench->shared, (off_t)size) != 0)
        fail(STATUS_SYSTEM, "the system refuses %zu bytes of memory", size);
}

static void refuse_peer(struct job *job, int i, const char *why)
{
    job->has_peer[i] = false;
    snprintf(job->refusals[i], sizeof job->refusals[i], "%.191s", why);
}

/* Is there memory for copies of everything: the shared one, and a peer's own, perhaps in an order of its own? */
static bool have_memory(const struct job *job)
{
    size_t n_copies = 2;
    for (int i = 0; i < N_PEERS; i++)
        n_copies += job->bench->peers[i] != NULL && peer_is_for(i, job->shape) ? 3 : 0;
    return job->memory.end < machine_free_memory() / n_copies;
}

static void share(const struct job *job)
{
    resize_shared(job, job->memory.end);
    char *shared = map_shared(job);
    memcpy(shared, job->base, job->memory.written);
    munmap(shared, job->memory.end);
}

/* Why a peer is not to be asked; NULL where it is. */
static const char *objection(const struct job *job, int i, bool enough)
{
    const struct peer *peer = job->bench->peers[i];
    if (peer == NULL || !peer_is_for(i, job->shape))
        return "not asked";
    if (!peer_is_there(peer))
        return peer_version(peer);
    return enough ? NULL : "not enough memory";
}

/* Hands what is read to the peers. */
static void offer(struct job *job)
{
    const bool enough = have_memory(job);
    bool shared = false;
    for (int i = 0; i < N_PEERS; i++) {
        struct peer *peer = job->bench->peers[i];
        const char *why = objection(job, i, enough);
        if (why == NULL && !shared) {
            share(job);
            shared = true;
        }
        job->has_peer[i] = why == NULL && peer_tell_text(peer, "shape", job->shape->text);
        if (!job->has_peer[i])
            refuse_peer(job, i, why != NULL ? why : peer_answer(peer));
    }
}

/* Has the peers forget the shape. One that has ended with it is started again for the next. */
static void drop(const struct job *job)
{
    for (int i = 0; i < N_PEERS; i++) {
        struct peer *peer = job->bench->peers[i];
        if (peer == NULL)
            continue;
        peer_tell(peer, "drop");
        if (peer_revive(peer))
            fprintf(stderr, "regrad-bench: %s ended with %s, and is started again\n", peer_name(i), job->shape->text);
    }
}

static double difference(const struct job *job)
{
    double largest = 0;
    char *shared = map_shared(job);
    for (enum place place = 0; place < N_PLACES; place++) {
        if (!place_is_written(place))
            continue;
        const size_t offset = job->memory.offset[place];
        const double of_place = data_difference((regrad_dtype)job->shape->dtype, job->base + offset, shared + offset,
                                                shape_elements(job->shape, place));
        largest = of_place > largest ? of_place : largest;
    }
    munmap(shared, job->memory.end);
    return largest;
}

/* Has each peer make its first run, and compares that with our result, once. */
static void prepare_peers(struct job *job, int n_threads)
{
    for (int i = 0; i < N_PEERS; i++) {
        struct peer *peer = job->bench->peers[i];
        if (job->has_peer[i] && !peer_tell_number(peer, "threads", n_threads))
            refuse_peer(job, i, peer_answer(peer));
        if (!job->has_peer[i] || job->compared[i])
            continue;
        if (peer_tell(peer, "result"))
            job->differences[i] = difference(job);
        else
            refuse_peer(job, i, peer_answer(peer));
        job->compared[i] = true;
    }
}

/* A loop of the floor, as a subject. */
struct floor_loop {
    struct floor_team *team;
    struct floor_work work;
    int loop;
};

static double sample_floor(void *context, int64_t batch, bool warm_up)
{
    const struct floor_loop *loop = context;
    return floor_sample(loop->team, &loop->work, loop->loop, batch, warm_up);
}

static double sample_native(void *context, int64_t batch, bool warm_up)
{
    return timer_sample(native_run, context, batch, warm_up);
}

static double sample_plan(void *context, int64_t batch, bool warm_up)
{
    return timer_sample(native_plan, context, batch, warm_up);
}

static double sample_call(void *context, int64_t batch, bool warm_up)
{
    return timer_sample(native_call, context, batch, warm_up);
}

static double sample_aclnn(void *context, int64_t batch, bool warm_up)
{
    return timer_sample(aclnn_run, context, batch, warm_up);
}

enum { MAX_LOOPS = 8 };

/* Everything that is timed for one shape and number of threads: subjects, and what each is. */
struct field {
    struct floor_loop loops[MAX_LOOPS];
    struct subject subjects[MAX_LOOPS + N_TIMED];
    enum timed kinds[MAX_LOOPS + N_TIMED];
    int n;
};

static void enter(struct field *field, enum timed kind, struct subject subject)
{
    field->kinds[field->n] = kind;
    field->subjects[field->n++] = subject;
}

static void enter_floor(struct field *field, const struct job *job, struct floor_team *team)
{
    const struct floor_work work = {job->base, job->memory.must_read, job->base + job->memory.written,
                                    job->memory.must_write};
    for (int i = 0; i < floor_n_loops(); i++) {
        field->loops[i] = (struct floor_loop){team, work, i};
        enter(field, FLOOR, (struct subject){.sample = sample_floor, .context = &field->loops[i]});
    }
}

static void enter_peers(struct field *field, const struct job *job)
{
    for (int i = 0; i < N_PEERS; i++) {
        if (job->has_peer[i])
            enter(field, FIRST_PEER + i,
                  (struct subject){.sample = peer_sample, .context = job->bench->peers[i], .rest = peer_rest});
    }
}

/* Takes over the samples. Of the loops of the floor the one counts that was the fastest. */
static void collect(struct result *result, const struct field *field)
{
    for (int i = 0; i < field->n; i++) {
        struct timing *timing = &result->of[field->kinds[i]];
        const struct samples *samples = &field->subjects[i].samples;
        if (field->kinds[i] == FLOOR) {
            if (timing->samples.n > 0 && samples_min(&timing->samples) <= samples_min(samples))
                continue;
            result->floor_loop = floor_loop_name(field->loops[i].loop);
        }
        timing->samples = *samples;
    }
}

static void collect_notes(struct result *result, const struct job *job)
{
    for (int i = 0; i < N_PEERS; i++) {
        struct timing *timing = &result->of[FIRST_PEER + i];
        timing->difference = job->differences[i];
        timing->differs = !(job->differences[i] <= tolerance(job->shape));
        snprintf(timing->note, sizeof timing->note, "%.191s", job->refusals[i]);
    }
}

/* What the check mode costs is a few percent of runs in which threads wait for each other. Of many short samples some
 * are undisturbed, so that the least ones of two peers may be compared. */
static void measure_field(struct field *field, const struct job *job)
{
    struct effort effort = job->bench->effort;
    if (job->shape->checked) {
        effort.rounds *= MORE_SAMPLES;
        effort.sample /= MORE_SAMPLES / 2;
        for (int i = 0; i < field->n; i++)
            field->subjects[i].rest = own_rest;
    }
    measure(field->subjects, field->n, &effort);
}

static struct result measure_threads(struct job *job, int n_threads)
{
    struct native *native = native_create(job->shape, &job->memory, job->base, n_threads);
    struct result result = {.shape = job->shape, .n_threads = n_threads, .memory = job->memory};
    struct field *field = take_memory(sizeof *field);
    struct floor_team *team = floor_team_create(n_threads);
    struct aclnn *aclnn = job->shape->aclnn ? aclnn_create(job->shape, &job->memory, job->base) : NULL;
    *field = (struct field){0};
    if (!native_run(native) || (job->shape->call && !native_call(native)))
        fail(STATUS_REFUSED, "%s: %s", job->shape->text, regrad_last_message());
    prepare_peers(job, n_threads);
    enter_floor(field, job, team);
    enter(field, OURS, (struct subject){.sample = sample_native, .context = native});
    if (job->shape->plan)
        enter(field, PLAN, (struct subject){.sample = sample_plan, .context = native});
    if (job->shape->call)
        enter(field, CALL, (struct subject){.sample = sample_call, .context = native});
    if (aclnn != NULL)
        enter(field, ACLNN, (struct subject){.sample = sample_aclnn, .context = aclnn});
    enter_peers(field, job);
    measure_field(field, job);
    collect(&result, field);
    collect_notes(&result, job);
    snprintf(result.plan, sizeof result.plan, "%s", native_describe(native));
    result.workspace = native_workspace(native);
    if (aclnn != NULL)
        aclnn_destroy(aclnn);
    floor_team_destroy(team);
    free(field);
    native_destroy(native);
    return result;
}

/* The tensors of a shape, filled; NULL, with a word on standard error, when there is not enough memory. */
static char *take_tensors(const struct shape *shape, const struct plan_of_memory *memory)
{
    if (memory->end > machine_free_memory() / 5 * 4) {
        fprintf(stderr, "regrad-bench: left out, as it needs %zu MB of memory: %s\n", memory->end >> 20, shape->text);
        return NULL;
    }
    char *base = take_memory(memory->end);
    data_fill(shape, memory, base);
    return base;
}

bool bench_once(const struct shape *shape, int n_threads)
{
    const struct plan_of_memory memory = shape_memory(shape);
    char *base = take_tensors(shape, &memory);
    if (base == NULL)
        return false;
    struct native *native = native_create(shape, &memory, base, n_threads);
    if (!native_run(native))
        fail(STATUS_REFUSED, "%s: %s", shape->text, regrad_last_message());
    native_destroy(native);
    free(base);
    return true;
}

bool bench_shape(struct bench *bench, const struct shape *shape, struct result *results)
{
    struct job job = {.bench = bench, .shape = shape, .memory = shape_memory(shape)};
    job.base = take_tensors(shape, &job.memory);
    if (job.base == NULL)
        return false;
    offer(&job);
    for (int i = 0; i < bench->n_thread_counts; i++)
        results[i] = measure_threads(&job, bench->thread_counts[i]);
    drop(&job);
    resize_shared(&job, 0);
    free(job.base);
    return true;
}

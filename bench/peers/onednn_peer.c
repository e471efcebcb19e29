/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times oneDNN's resampling gradient. The protocol stands in ../peer.h.
 *
 * oneDNN lets its user choose the order of data in memory. All orders that it is commonly used with are tried, and
 * the fastest is what is timed; bringing the data into that order is not. Written for version 2.
 */
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "peer.h"
#include "peers/serve.h"
#include "timer.h"

/* A gradient in one order of memory. */
struct trial {
    dnnl_primitive_t primitive;
    dnnl_memory_t grad_output, input_grad;
    dnnl_exec_arg_t arguments[2];
    double seconds;
};

static struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct shape shape;
    struct plan_of_memory memory;
    char *data; /* a copy of grad_output, and room for input_grad, in the order of the shape */
    struct trial best;
    char why[160];
} peer;

static bool refuse(const char *why)
{
    snprintf(peer.why, sizeof peer.why, "%s", why);
    return false;
}

static bool expect(dnnl_status_t status, const char *what)
{
    return status == dnnl_success || refuse(what);
}

static const dnnl_format_tag_t tags[][4] = {
    {dnnl_abc, dnnl_acb, dnnl_aBc8b, dnnl_aBc16b},
    {dnnl_abcd, dnnl_acdb, dnnl_aBcd8b, dnnl_aBcd16b},
    {dnnl_abcde, dnnl_acdeb, dnnl_aBcde8b, dnnl_aBcde16b},
};
enum { N_TAGS = 4 };

/* Orders are compared by one run of each, from so many bytes on without one before it, which takes seconds there. */
static const size_t large = (size_t)1 << 28;

static dnnl_format_tag_t tag_of_shape(void)
{
    return tags[peer.shape.op.n_axes - 1][shape_is_channels_last(&peer.shape)];
}

static bool describe(dnnl_memory_desc_t *description, enum place place, dnnl_format_tag_t tag)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_data_type_undef};
    dnnl_dims_t dimensions;
    int64_t sizes[REGRAD_MAX_RANK];
    const int rank = shape_dimensions(&peer.shape, place, sizes);
    memcpy(dimensions, sizes, sizeof sizes);
    return expect(dnnl_memory_desc_init_by_tag(description, rank, dimensions, types[peer.shape.dtype], tag),
                  "no description of such a tensor");
}

/* The gradient is asked for with the primitive of its forward as a hint. */
static bool create_primitive(dnnl_primitive_t *primitive, const dnnl_memory_desc_t *input_grad,
                             const dnnl_memory_desc_t *grad_output)
{
    const bool linear = peer.shape.op.family == FAMILY_LINEAR;
    const dnnl_alg_kind_t kind = linear ? dnnl_resampling_linear : dnnl_resampling_nearest;
    dnnl_resampling_desc_t forward, backward;
    dnnl_primitive_desc_t hint = NULL, description = NULL;
    const bool created =
        expect(dnnl_resampling_forward_desc_init(&forward, dnnl_forward_training, kind, NULL, input_grad, grad_output),
               "no such forward") &&
        expect(dnnl_primitive_desc_create(&hint, &forward, NULL, peer.engine, NULL), "no such forward for this type") &&
        expect(dnnl_resampling_backward_desc_init(&backward, kind, NULL, input_grad, grad_output),
               "no such gradient") &&
        expect(dnnl_primitive_desc_create(&description, &backward, NULL, peer.engine, hint),
               "no such gradient for this type") &&
        expect(dnnl_primitive_create(primitive, description), "no such gradient");
    dnnl_primitive_desc_destroy(hint);
    dnnl_primitive_desc_destroy(description);
    return created;
}

static bool run(void *context)
{
    const struct trial *trial = context;
    return dnnl_primitive_execute(trial->primitive, peer.stream, 2, trial->arguments) == dnnl_success &&
           dnnl_stream_wait(peer.stream) == dnnl_success;
}

/* Copies between two orders of memory. */
static bool reorder(dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_memory_desc_t *of_from, *of_to;
    dnnl_primitive_desc_t description = NULL;
    dnnl_primitive_t primitive = NULL;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    const bool done =
        expect(dnnl_memory_get_memory_desc(from, &of_from), "no description") &&
        expect(dnnl_memory_get_memory_desc(to, &of_to), "no description") &&
        expect(dnnl_reorder_primitive_desc_create(&description, of_from, peer.engine, of_to, peer.engine, NULL),
               "no reorder for this type") &&
        expect(dnnl_primitive_create(&primitive, description), "no reorder for this type") &&
        expect(dnnl_primitive_execute(primitive, peer.stream, 2, arguments), "the reorder failed") &&
        expect(dnnl_stream_wait(peer.stream), "the reorder failed");
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
    return done;
}

/* Copies a tensor from the order of the shape at `data` to the order of the trial, or back. */
static bool exchange(char *data, enum place place, dnnl_memory_t of_trial, bool back)
{
    dnnl_memory_desc_t description;
    dnnl_memory_t of_shape = NULL;
    const bool done = describe(&description, place, tag_of_shape()) &&
                      expect(dnnl_memory_create(&of_shape, &description, peer.engine, data + peer.memory.offset[place]),
                             "no memory") &&
                      (back ? reorder(of_trial, of_shape) : reorder(of_shape, of_trial));
    dnnl_memory_destroy(of_shape);
    return done;
}

static void destroy_trial(struct trial *trial)
{
    dnnl_primitive_destroy(trial->primitive);
    dnnl_memory_destroy(trial->grad_output);
    dnnl_memory_destroy(trial->input_grad);
    *trial = (struct trial){0};
}

static bool create_trial(struct trial *trial, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t grad_output, input_grad;
    *trial = (struct trial){0};
    const bool created =
        describe(&grad_output, GRAD_OUTPUT, tag) && describe(&input_grad, INPUT_GRAD, tag) &&
        create_primitive(&trial->primitive, &input_grad, &grad_output) &&
        expect(dnnl_memory_create(&trial->grad_output, &grad_output, peer.engine, DNNL_MEMORY_ALLOCATE), "no memory") &&
        expect(dnnl_memory_create(&trial->input_grad, &input_grad, peer.engine, DNNL_MEMORY_ALLOCATE), "no memory");
    trial->arguments[0] = (dnnl_exec_arg_t){DNNL_ARG_DIFF_DST, trial->grad_output};
    trial->arguments[1] = (dnnl_exec_arg_t){DNNL_ARG_DIFF_SRC, trial->input_grad};
    if (!created || !exchange(peer.data, GRAD_OUTPUT, trial->grad_output, false)) {
        destroy_trial(trial);
        return false;
    }
    trial->seconds = timer_sample(run, trial, 1, peer.memory.end < large);
    return trial->seconds >= 0 || refuse("the run failed");
}

static bool do_shape(const char *text)
{
    if (!shape_parse(&peer.shape, text, peer.why, sizeof peer.why))
        return false;
    const struct shape *shape = &peer.shape;
    if (shape->op.family != FAMILY_LINEAR && strcmp(shape->op.word, "nearest_exact") != 0)
        return refuse("it has no such operator");
    if (shape->forward)
        return refuse("only its gradients are timed");
    if (shape->align_corners || shape->scale[MAX_AXES - 1] > 0)
        return refuse("it has no such option");
    peer.memory = shape_memory(shape);
    const void *shared = mmap(NULL, peer.memory.end, PROT_READ, MAP_SHARED, SHARED_FILE, 0);
    peer.data = malloc(peer.memory.end);
    if (shared == MAP_FAILED || peer.data == NULL)
        return refuse("no memory");
    memcpy(peer.data, shared, peer.memory.written);
    munmap((void *)shared, peer.memory.end);
    return true;
}

static bool do_threads(const char *number)
{
    omp_set_num_threads((int)strtol(number, NULL, 10));
    destroy_trial(&peer.best);
    for (int i = 0; i < N_TAGS; i++) {
        struct trial trial;
        if (!create_trial(&trial, tags[peer.shape.op.n_axes - 1][i]))
            continue;
        if (peer.best.primitive == NULL || trial.seconds < peer.best.seconds) {
            destroy_trial(&peer.best);
            peer.best = trial;
        } else {
            destroy_trial(&trial);
        }
    }
    return peer.best.primitive != NULL;
}

static bool do_result(const char *nothing)
{
    (void)nothing;
    char *shared = mmap(NULL, peer.memory.end, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FILE, 0);
    if (shared == MAP_FAILED)
        return refuse("no memory");
    const bool done = exchange(shared, INPUT_GRAD, peer.best.input_grad, true);
    munmap(shared, peer.memory.end);
    return done;
}

static bool do_drop(const char *nothing)
{
    (void)nothing;
    destroy_trial(&peer.best);
    free(peer.data);
    peer.data = NULL;
    return true;
}

static double do_time(int64_t runs, bool warm_up)
{
    return timer_sample(run, &peer.best, runs, warm_up);
}

int main(void)
{
    const struct served served = {do_shape, do_threads, do_result, do_drop, do_time, peer.why};
    const dnnl_version_t *version = dnnl_version();
    if (dnnl_engine_create(&peer.engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&peer.stream, peer.engine, dnnl_stream_default_flags) != dnnl_success) {
        printf("cannot: no engine\n");
        return 0;
    }
    printf("oneDNN %d.%d.%d\n", version->major, version->minor, version->patch);
    serve(&served);
    dnnl_stream_destroy(peer.stream);
    dnnl_engine_destroy(peer.engine);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* regrad compare */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complain.h"
#include "element.h"
#include "mapped_file.h"
#include "progress.h"
#include "tensor_file.h"

enum { UPDATE_EVERY = 1 << 20 };

/* Elements of one kind: how many there are, and where the first of them stand. */
struct found {
    const char *what;
    int64_t n;
    int64_t n_kept, room;
    int64_t *position; /* index in C order */
};

/* The largest of a quantity over the elements, where it stands, and the sum for the mean. */
struct error {
    double largest, sum;
    int64_t position;
    double a, b; /* the elements there */
};

enum kind { NAN_ONLY_A, NAN_ONLY_B, INFINITY_DIFFERS, BEYOND_TOLERANCE, N_KINDS };

struct comparison {
    const struct settings *settings;
    struct npy_array a, b;
    regrad_dtype dtype_a, dtype_b;
    int64_t n, n_finite, n_different;
    struct error absolute, ulp;
    struct found found[N_KINDS];
};

static void note(struct found *found, int64_t position)
{
    found->n++;
    if (found->n_kept < found->room)
        found->position[found->n_kept++] = position;
}

static void note_error(struct error *error, double size, int64_t position, double a, double b)
{
    error->sum += size;
    if (size > error->largest)
        *error = (struct error){size, error->sum, position, a, b};
}

static void compare_finite(struct comparison *c, int64_t position, double a, double b)
{
    const struct settings *s = c->settings;
    double difference = fabs(a - b);
    double in_ulp = difference / element_ulp(c->dtype_a, b);
    c->n_finite++;
    c->n_different += difference > 0;
    note_error(&c->absolute, difference, position, a, b);
    note_error(&c->ulp, in_ulp, position, a, b);
    if (difference > s->atol + s->rtol * fabs(b) && in_ulp > s->ulp)
        note(&c->found[BEYOND_TOLERANCE], position);
}

/* NaN agrees with NaN, and infinity with the same infinity. */
static void compare_elements(struct comparison *c, int64_t position, double a, double b)
{
    if (isfinite(a) && isfinite(b))
        compare_finite(c, position, a, b);
    else if (isnan(a) && !isnan(b))
        note(&c->found[NAN_ONLY_A], position);
    else if (!isnan(a) && isnan(b))
        note(&c->found[NAN_ONLY_B], position);
    else if (!isnan(a) && a != b)
        note(&c->found[INFINITY_DIFFERS], position);
}

/* Goes to the next index in C order, and takes two offsets along. */
static void step(const struct npy_header *header, int64_t *index, const int64_t *stride_a, const int64_t *stride_b,
                 int64_t *at_a, int64_t *at_b)
{
    for (int d = header->rank - 1; d >= 0; d--) {
        *at_a += stride_a[d];
        *at_b += stride_b[d];
        if (++index[d] < header->shape[d])
            return;
        *at_a -= stride_a[d] * index[d];
        *at_b -= stride_b[d] * index[d];
        index[d] = 0;
    }
}

/* The elements since `from`, which are not compared again. In Fortran order they lie mixed with the others. */
static void forget(const struct npy_array *array, int64_t from)
{
    const size_t size = npy_type_size(array->header.type);
    if (!array->header.fortran_order)
        mapped_file_forget((const char *)array->data + (size_t)from * size, UPDATE_EVERY * size);
}

static void compare_arrays(struct comparison *c)
{
    int64_t index[NPY_MAX_RANK] = {0}, stride_a[NPY_MAX_RANK], stride_b[NPY_MAX_RANK];
    int64_t at_a = 0, at_b = 0;
    npy_strides(&c->a.header, stride_a);
    npy_strides(&c->b.header, stride_b);
    progress_begin("comparing", (uint64_t)c->n);
    for (int64_t k = 0; k < c->n; k++) {
        compare_elements(c, k, element_load(c->dtype_a, c->a.data, at_a), element_load(c->dtype_b, c->b.data, at_b));
        step(&c->a.header, index, stride_a, stride_b, &at_a, &at_b);
        if ((k + 1) % UPDATE_EVERY == 0) {
            progress_update((uint64_t)k);
            forget(&c->a, k + 1 - UPDATE_EVERY);
            forget(&c->b, k + 1 - UPDATE_EVERY);
        }
    }
    progress_end();
}

static void print_position(const struct npy_header *header, int64_t position)
{
    int64_t index[NPY_MAX_RANK];
    for (int d = header->rank - 1; d >= 0; d--) {
        index[d] = position % header->shape[d];
        position /= header->shape[d];
    }
    printf("(");
    for (int d = 0; d < header->rank; d++)
        printf("%s%" PRId64, d > 0 ? ", " : "", index[d]);
    printf(")");
}

static void print_shape(const char *name, const struct npy_header *header)
{
    printf("%s: ", name);
    printf("%s (", npy_type_name(header->type));
    for (int d = 0; d < header->rank; d++)
        printf("%s%" PRId64, d > 0 ? ", " : "", header->shape[d]);
    printf(")\n");
}

static void print_error(const struct comparison *c, const char *what, const struct error *error)
{
    double mean = c->n_finite > 0 ? error->sum / (double)c->n_finite : 0;
    printf("%-18s maximum %.6g, mean %.6g", what, error->largest, mean);
    if (error->largest > 0) {
        printf(", largest at ");
        print_position(&c->a.header, error->position);
        printf(": %.17g against %.17g", error->a, error->b);
    }
    printf("\n");
}

static void print_found(const struct comparison *c, const struct found *found)
{
    printf("%-18s %" PRId64, found->what, found->n);
    for (int64_t k = 0; k < found->n_kept; k++) {
        printf("%s", k == 0 ? ", at " : " ");
        print_position(&c->a.header, found->position[k]);
    }
    printf("%s\n", found->n > found->n_kept && found->n_kept > 0 ? " ..." : "");
}

static int report(const struct comparison *c)
{
    int64_t n_wrong = 0;
    for (int kind = 0; kind < N_KINDS; kind++)
        n_wrong += c->found[kind].n;
    printf("%-18s %" PRId64 ", finite in both %" PRId64 ", of these different %" PRId64 "\n", "elements", c->n,
           c->n_finite, c->n_different);
    print_error(c, "error", &c->absolute);
    print_error(c, "error in ulp", &c->ulp);
    for (int kind = 0; kind < N_KINDS; kind++)
        print_found(c, &c->found[kind]);
    printf("%s\n", n_wrong == 0 ? "same" : "different");
    return n_wrong == 0 ? STATUS_OK : STATUS_DIFFERENT;
}

static bool same_shape(const struct npy_header *a, const struct npy_header *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, (size_t)a->rank * sizeof a->shape[0]) == 0;
}

static int read_both(struct comparison *c)
{
    char **words = c->settings->words;
    /* bf16 says what uint16 files hold; it does not ask anything of other files. */
    int status = STATUS_OK;
    struct {
        struct npy_array *array;
        regrad_dtype *dtype;
    } sides[2] = {{&c->a, &c->dtype_a}, {&c->b, &c->dtype_b}};
    for (int k = 0; k < 2 && status == STATUS_OK; k++) {
        status = tensor_file_read(words[k], sides[k].array);
        bool integers = status == STATUS_OK && sides[k].array->header.type == NPY_UINT16;
        if (status == STATUS_OK)
            status = tensor_file_dtype(words[k], &sides[k].array->header, integers ? c->settings->dtype : DTYPE_OF_FILE,
                                       sides[k].dtype);
    }
    return status;
}

static int make_room(struct comparison *c)
{
    static const char *const what[N_KINDS] = {
        [NAN_ONLY_A] = "NaN in A alone",
        [NAN_ONLY_B] = "NaN in B alone",
        [INFINITY_DIFFERS] = "infinity differs",
        [BEYOND_TOLERANCE] = "beyond tolerance",
    };
    int64_t room = c->settings->positions < c->n ? c->settings->positions : c->n;
    for (int kind = 0; kind < N_KINDS; kind++) {
        int64_t *position = malloc(((size_t)room + 1) * sizeof *position);
        if (!position)
            return complain_memory("the positions");
        c->found[kind] = (struct found){.what = what[kind], .room = room, .position = position};
    }
    return STATUS_OK;
}

static int compare_files(struct comparison *c)
{
    int status = read_both(c);
    if (status != STATUS_OK)
        return status;
    print_shape("A", &c->a.header);
    print_shape("B", &c->b.header);
    if (!same_shape(&c->a.header, &c->b.header)) {
        printf("different: the shapes are not the same\n");
        return STATUS_DIFFERENT;
    }
    c->n = c->a.header.n_elements;
    status = make_room(c);
    if (status != STATUS_OK)
        return status;
    compare_arrays(c);
    status = mapped_files_check();
    return status == STATUS_OK ? report(c) : status;
}

static int run_compare(const struct settings *settings)
{
    if (settings->n_words != 2)
        return complain(STATUS_REFUSED, "compare: %d %s given; wanted two", settings->n_words,
                        settings->n_words == 1 ? "file is" : "files are");
    if (strcmp(settings->words[0], "-") == 0 && strcmp(settings->words[1], "-") == 0)
        return complain(STATUS_REFUSED, "compare: standard input, '-', can be only one of the files");
    struct comparison comparison = {.settings = settings};
    int status = compare_files(&comparison);
    for (int kind = 0; kind < N_KINDS; kind++)
        free(comparison.found[kind].position);
    tensor_file_free(&comparison.a);
    tensor_file_free(&comparison.b);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "compares two arrays of the same shape",
    .words = " A B",
    .details =
        "Prints the maximum and the mean error of A against B, also in ulp (the distance of neighbouring values) "
        "of\nA's type at B's value, and how many NaN and infinities of one array the other does not have, and "
        "where.\nThe types may differ: values are compared. NaN agrees with NaN, an infinity with the same infinity, 0 "
        "with\n-0. Without tolerances all elements must be equal; an element is within tolerance when --atol and "
        "--rtol\nallow it or --ulp does. Errors are taken over the elements that are finite in both. --dtype bf16 "
        "reads uint16\nfiles as bfloat16. Positions are indices from 0 in the order of the file's shape.\n\nExit "
        "status: 0 the same within tolerance, 1 different, 2 a file cannot be read or is malformed.\n",
    .options = OPTION_BIT(OPT_ATOL) | OPTION_BIT(OPT_RTOL) | OPTION_BIT(OPT_ULP) | OPTION_BIT(OPT_POSITIONS) |
               OPTION_BIT(OPT_DTYPE),
    .run = run_compare,
};

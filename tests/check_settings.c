/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the environment variables of the library do, and what it says to values that are of no use: one line on
 * standard error, once, whichever thread comes first. Each try is a process of its own, as they are looked at once.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "regrad.h"
#include "rt/cores.h"
#include "rt/parallel.h"

enum { N_THREADS = 4, SAID = 1024 };

/* An instruction set of other machines. */
#if defined(__aarch64__)
static const char foreign[] = "avx2";
#else
static const char foreign[] = "neon";
#endif

static pthread_barrier_t barrier;

static void *look(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    regrad_isa();
    regrad_num_threads();
    return NULL;
}

/* The first look, by several threads at once, and later ones. */
static void look_often(void)
{
    pthread_t threads[N_THREADS];
    pthread_barrier_init(&barrier, NULL, N_THREADS);
    for (int k = 0; k < N_THREADS; k++)
        if (pthread_create(&threads[k], NULL, look, NULL) != 0)
            _exit(3);
    for (int k = 0; k < N_THREADS; k++)
        pthread_join(threads[k], NULL);
    regrad_set_num_threads(0);
    regrad_isa();
}

static const char *best_isa(void)
{
    int n;
    return rg_kernel_tables(&n)[0]->name;
}

/* Sets a variable (NULL: takes it away), and looks in a process of its own: what it says on standard error and, in its
 * last line, the instruction set and whether this is the best, the number of threads and whether that is the cores'. */
static void look_with(const char *name, const char *value, char said[SAID])
{
    FILE *file = tmpfile();
    assert_non_null(file);
    const pid_t process = fork();
    if (process == 0) {
        unsetenv("REGRAD_ISA");
        unsetenv("REGRAD_NUM_THREADS");
        if (value != NULL)
            setenv(name, value, 1);
        dup2(fileno(file), STDERR_FILENO);
        look_often();
        const int all = rg_cores() < RG_MAX_THREADS ? rg_cores() : RG_MAX_THREADS;
        fprintf(stderr, "> %s%s %d%s\n", regrad_isa(), strcmp(regrad_isa(), best_isa()) == 0 ? " best" : "",
                regrad_num_threads(), regrad_num_threads() == all ? " all" : "");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
    rewind(file);
    said[fread(said, 1, SAID - 1, file)] = '\0';
    fclose(file);
}

static int n_lines(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* What is of no use is told in one line, and is as if it were not there. */
static void refuse(const char *name, const char *value, const char *wanted)
{
    char said[SAID], start[SAID];
    look_with(name, value, said);
    snprintf(start, sizeof start, "regrad: the environment variable %s is \"%.64s\"; ", name, value);
    if (n_lines(said) != 2 || strncmp(said, start, strlen(start)) != 0 || strstr(said, wanted) == NULL ||
        strstr(said, "> ") == NULL || strstr(said, " best ") == NULL || strstr(said, " all\n") == NULL)
        fail_msg("%s=%s: \"%s\"", name, value, said);
}

/* What is of use is done in silence. */
static void accept(const char *name, const char *value, const char *wanted)
{
    char said[SAID];
    look_with(name, value, said);
    if (n_lines(said) != 1 || strstr(said, wanted) == NULL)
        fail_msg("%s=%s: \"%s\" instead of \"%s\"", name, value != NULL ? value : "(none)", said, wanted);
}

static void instruction_sets(void **state)
{
    (void)state;
    accept("REGRAD_ISA", NULL, " best ");
    accept("REGRAD_ISA", "", " best ");
    accept("REGRAD_ISA", "scalar", "> scalar");
    refuse("REGRAD_ISA", "avx9", "scalar; ");
    refuse("REGRAD_ISA", "Scalar", "scalar; ");
    refuse("REGRAD_ISA", "scalar ", " is used\n");
    refuse("REGRAD_ISA", foreign, "scalar; ");
}

static void numbers_of_threads(void **state)
{
    (void)state;
    accept("REGRAD_NUM_THREADS", NULL, " all\n");
    accept("REGRAD_NUM_THREADS", "", " all\n");
    accept("REGRAD_NUM_THREADS", "3", " 3");
    accept("REGRAD_NUM_THREADS", "1000", " 256");
    accept("REGRAD_NUM_THREADS", "99999999999999999999999", " 256");
    const char *const wrong[] = {"0", "-1", "many", "2x", "2.5", " ", "-99999999999999999999999"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        refuse("REGRAD_NUM_THREADS", wrong[k], "; it must be a whole number from 1 on; ");
    char longest[2000];
    memset(longest, '7', sizeof longest);
    longest[1998] = 'x';
    longest[1999] = '\0';
    refuse("REGRAD_NUM_THREADS", longest, "a whole number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets), cmocka_unit_test(numbers_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

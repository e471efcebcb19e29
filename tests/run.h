/* SPDX-License-Identifier: Apache-2.0 */
/* Runs problems in guarded memory. Fails the test when anything but the results is touched. */
#ifndef RUN_H
#define RUN_H

#include <stdio.h>

#include "problem.h"
#include "view.h"

struct run_options {
    enum view_layout in_layout, out_layout;
    int n_threads; /* 0: as it is */
    bool by_plan;  /* make a plan without data, fill its workspace with garbage, run it twice */
};

/* The dense bytes of the results, NULL where not wanted; and what the plan says of itself, if there was one. */
enum { PLAN_TEXT_SIZE = 800 };
struct run_result {
    unsigned char *bytes[MAX_OUTPUTS];
    size_t nbytes[MAX_OUTPUTS];
    char plan[PLAN_TEXT_SIZE];
};

/* Outputs hold NaN before each run. */
struct run_result run_problem(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                              const struct run_options *options);

/* The same by a plan with these options. */
struct run_result run_problem_with(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                                   const struct run_options *options, const regrad_plan_options *plan_options);
void run_result_fini(struct run_result *result);

/* Fails the test unless the bytes are the same. */
void expect_same(const struct problem *problem, const char *what, const struct run_result *a,
                 const struct run_result *b);

/* Fails the test unless every element is within the bound of the solution. */
void expect_solution(const struct problem *problem, const struct problem_solution *solution,
                     const struct run_result *result);

/* Calls test with n random problems; problem k has the seed test_seed() + k, so that a seed that is printed with a
 * failure makes the same problem as the first one. */
void for_random_problems(int64_t n, void (*test)(struct rng *rng, const struct problem *problem));

/* 77, for CTest "skipped", when REGRAD_ISA names an instruction set that this machine has not; else 0. */
int skip_without_isa(void);

/* Memory that is aligned as workspaces are, between guard pages, full of garbage. */
void workspace_init(struct guard *workspace, struct rng *rng, size_t nbytes);

/* What this program writes with `--results`, run with an instruction set, by an emulator unless that is empty: for
 * pclose, which gives 77 << 8 where the machine has it not. */
FILE *open_results(const char *isa, const char *emulator);

#endif

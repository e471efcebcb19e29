/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to processes of their own, for what is read from the environment once. */
#ifndef ASK_H
#define ASK_H

#include "refusal.h"

/* What a process answers: a number, and what it has said on standard output and standard error. */
struct answer {
    uint64_t number;
    char text[4096];
    char complaint[4096];
};

struct setting {
    const char *name;
    const char *value; /* NULL: not set */
};

/* The answer of a child with these settings, which it has before it calls ask. */
struct answer ask_child(const struct setting *settings, size_t n_settings, uint64_t (*ask)(void));

struct answer ask_with(const char *name, const char *value, uint64_t (*ask)(void));

#endif

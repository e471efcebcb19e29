/* SPDX-License-Identifier: Apache-2.0 */
/* The known name that a misspelt word is nearest to. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *name; /* NULL while none is near enough */
    size_t distance;
};

/* Takes name as the suggestion when it is nearer to word than those before it. */
void suggest_consider(struct suggestion *suggestion, const char *word, const char *name);

enum { SUGGEST_ROOM = 128 };

/* "; did you mean 'NAME'?", or "" when nothing is near. Returns buffer. */
const char *suggest_text(const struct suggestion *suggestion, char buffer[SUGGEST_ROOM]);

#endif

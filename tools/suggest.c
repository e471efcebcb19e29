/* SPDX-License-Identifier: Apache-2.0 */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LENGTH = 63 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* How many letters must be put in, left out or exchanged to make b of a (Levenshtein's distance). */
static size_t edit_distance(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t row[MAX_LENGTH + 1];
    for (size_t k = 0; k <= length_b; k++)
        row[k] = k;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= length_b; k++) {
            size_t exchanged = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            row[k] = smallest(row[k] + 1, row[k - 1] + 1, exchanged);
        }
    }
    return row[length_b];
}

void suggest_consider(struct suggestion *suggestion, const char *word, const char *name)
{
    size_t length_word = strlen(word);
    size_t length_name = strlen(name);
    if (length_word < 2 || length_word > MAX_LENGTH || length_name > MAX_LENGTH)
        return;
    size_t distance = edit_distance(word, length_word, name, length_name);
    if (length_word >= 3 && strstr(name, word)) /* a part of a name counts as near, a shorter name as nearer */
        distance = 1 + length_name / (MAX_LENGTH / 2);
    size_t near = 1 + length_word / 3;
    if (distance <= near && (!suggestion->name || distance < suggestion->distance))
        *suggestion = (struct suggestion){name, distance};
}

const char *suggest_text(const struct suggestion *suggestion, char buffer[SUGGEST_ROOM])
{
    buffer[0] = '\0';
    if (suggestion->name)
        snprintf(buffer, SUGGEST_ROOM, "; did you mean '%s'?", suggestion->name);
    return buffer;
}

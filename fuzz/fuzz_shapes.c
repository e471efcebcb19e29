/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a workload of regrad-bench. What is taken has sizes that can be counted, and its text says the same again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_sizes(const struct shape *shape)
{
    const struct plan_of_memory memory = shape_memory(shape);
    size_t end = 0;
    for (enum place place = 0; place < N_PLACES; place++) {
        int64_t dimensions[REGRAD_MAX_RANK], product = 1;
        const int64_t n = shape_elements(shape, place);
        require(n >= 0 && (n == 0) == (memory.nbytes[place] == 0));
        for (int d = n > 0 ? shape_dimensions(shape, place, dimensions) - 1 : -1; d >= 0; d--)
            product *= dimensions[d];
        require(n == 0 || product == n);
        end = n > 0 && memory.offset[place] + memory.nbytes[place] > end ? memory.offset[place] + memory.nbytes[place]
                                                                         : end;
    }
    require(end <= memory.end && memory.written <= memory.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct shape shape, again;
    char why[160] = "", *line = malloc(size + 1);
    require(line != NULL);
    memcpy(line, data, size);
    line[size] = '\0';
    const bool is_taken = shape_parse(&shape, line, why, sizeof why);
    require(is_taken || why[0] != '\0');
    if (is_taken) {
        check_sizes(&shape);
        require(strnlen(shape.text, sizeof shape.text) < sizeof shape.text);
        require(shape_parse(&again, shape.text, why, sizeof why));
        require(strcmp(again.op.word, shape.op.word) == 0 && again.n == shape.n);
        require(memcmp(again.out, shape.out, sizeof shape.out) == 0);
        require(again.points == shape.points && again.padding == shape.padding);
    }
    free(line);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "document.h"

#include <stdlib.h>

#include "complain.h"

int document_write(struct output *output, const char *what, document_print *print, const void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const int is_printed = file != NULL && print(file, context);
    if (file == NULL || fclose(file) != 0 || !is_printed) {
        free(text);
        output_discard(output);
        return complain_memory(what);
    }
    int status = output->descriptor < 0 ? output_open(output, output->name) : STATUS_OK;
    if (status == STATUS_OK)
        status = output_write(output, text, size);
    if (status == STATUS_OK)
        status = output_commit(output);
    output_discard(output);
    free(text);
    return status;
}

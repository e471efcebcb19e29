/* SPDX-License-Identifier: Apache-2.0 */
/* The files about a run that are asked for, but for the log: they are written whole when it has ended. */
#ifndef EXEC_OUTPUTS_H
#define EXEC_OUTPUTS_H

#include "options.h"
#include "output.h"
#include "record.h"
#include "report.h"

struct exec_outputs {
    struct output report, trace, log; /* the log only if it is a document */
};

#define EXEC_OUTPUTS_NONE                                                                                              \
    {                                                                                                                  \
        .report = OUTPUT_NONE, .trace = OUTPUT_NONE, .log = OUTPUT_NONE                                                \
    }

/* Are the program's streams and memory of interest? */
int exec_outputs_need_trace(const struct settings *settings);

/* Are the places of findings of interest, beside those of a log? */
int exec_outputs_need_places(const struct settings *settings);

/* Are findings written in a format to a file that is a whole? */
int exec_outputs_have_document(const struct settings *settings);

/* Finds out whether all can be written. Returns an exit status, and complains when it is not STATUS_OK. */
int exec_outputs_try(struct exec_outputs *outputs, const struct settings *settings);

/* Writes all. The same. */
int exec_outputs_write(struct exec_outputs *outputs, const struct settings *settings, const struct run *run);

#endif

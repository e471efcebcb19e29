/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear whole or not at all. A result is written to a temporary name in the directory
 * of the file that it is to become, flushed to the disk, and renamed. Until then an existing file
 * stays as it is, and whatever ends the program early (an error, or a signal that can be caught)
 * removes the temporary file.
 *
 * Two kinds of target are written to directly: "-", which is standard output, and what exists and is
 * no regular file, such as a pipe or a device.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

enum { OUTPUT_MAX = 2 };

struct output {
    const char *name; /* as the user gave it */
    char *path;       /* name with its symbolic links followed; NULL when written to directly */
    int descriptor;
    int slot; /* where its temporary name is kept for the signal handler */
};

/* What may be discarded without having been opened. */
#define OUTPUT_NONE                                                                                                    \
    {                                                                                                                  \
        .descriptor = -1                                                                                               \
    }

/* Opens an output. Returns an exit status, and complains when it is not STATUS_OK. At most OUTPUT_MAX at a time. */
int output_open(struct output *output, const char *name);

/* Would an output of this name replace the file `input`, by whatever names and links? "-" is standard output or input.
 */
bool output_replaces(const char *name, const char *input);

/* Do two opened outputs go to one place? */
bool output_same(const struct output *a, const struct output *b);

/* Finds out early whether an output will open, and opens it if it is written to directly: a pipe may have to wait for
 * its reader. Else nothing stays, and output_open is to follow: then its descriptor is below 0. */
int output_try(struct output *output, const char *name);

/* Writes n bytes. Returns an exit status. */
int output_write(const struct output *output, const void *bytes, size_t n);

/* Brings what was written to the disk, closes it, and gives it its name. Returns an exit status. */
int output_commit(struct output *output);

/* Closes an output and removes its temporary file, unless it has been committed. Harmless to repeat. */
void output_discard(struct output *output);

/* Must be called once before outputs are opened: removes temporary files when a signal ends the program. */
void output_catch_signals(void);

/* Removes temporary files. To be called in the handler of a signal that ends the program. */
void output_remove_temporary(void);

#endif

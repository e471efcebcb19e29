/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program that is run leaves what it finds and does: files in a temporary directory of our own. */
#ifndef EXEC_FILES_H
#define EXEC_FILES_H

#include <limits.h>

struct exec_files {
    char directory[PATH_MAX]; /* "" for none */
    int descriptor;           /* of the directory, which is locked as long as we live */
    char log[PATH_MAX], trace[PATH_MAX];
};

/* Makes the directory, in that of TMPDIR, and names the files. Directories that were left there by those of this user
 * who have been killed are removed. Returns an exit status, and complains. */
int exec_files_make(struct exec_files *files);

/* Removes the directory and what is in it. */
void exec_files_remove(struct exec_files *files);

#endif

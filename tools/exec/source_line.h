/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of sources that findings name. */
#ifndef SOURCE_LINE_H
#define SOURCE_LINE_H

/* The line, from 1, without the space around it and cut where it is very long; to be freed. NULL where the file or the
 * line is not there. */
char *source_line(const char *file, int line);

#endif

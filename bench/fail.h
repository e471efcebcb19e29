/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program when it cannot go on. */
#ifndef FAIL_H
#define FAIL_H

#include <stddef.h>

enum { STATUS_REFUSED = 2, STATUS_SYSTEM = 3 };

/* Prints "regrad-bench: " and the message, made as by printf, on standard error, and exits with a status. */
_Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Memory aligned to 64 bytes, not cleared. Fails where there is none. */
void *take_memory(size_t size);

#endif

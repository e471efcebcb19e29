/* SPDX-License-Identifier: Apache-2.0 */
/* How a finding looks: as a block for people, and as a line of JSON. Signal handlers may use it. */
#ifndef RG_PRINT_H
#define RG_PRINT_H

#include "acl/sys/text.h"
#include "acl/tell/finding.h"

enum { RG_CHECK_PRINTED = 24576 /* bytes that hold either */ };

typedef void rg_describe_frame(const void *frame, struct rg_frame *is);

/* place: where it was found. */
void rg_check_print_block(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                          rg_describe_frame *describe);
void rg_check_print_line(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                         rg_describe_frame *describe);

/* Says in a line that no log has it, so that who is told by the line keeps it. */
void rg_check_mark_unlogged(struct rg_text *text);

#endif

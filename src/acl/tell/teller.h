/* SPDX-License-Identifier: Apache-2.0 */
/* Has a finding told by somebody else, who knows the lines of sources: `regrad exec`. Signal handlers may use it. */
#ifndef RG_TELLER_H
#define RG_TELLER_H

#include <stdbool.h>

#include "acl/sys/text.h"

/* Hands the line of a finding to who listens at the socket `teller` in the directory, and puts in its place the block
 * that comes back. False when there is none; then what is in the text is of no use. */
bool rg_check_ask_teller(const char *directory, struct rg_text *text);

#endif

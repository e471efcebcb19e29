/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of findings are, as the table of docs/check.md says it. */
#ifndef KINDS_H
#define KINDS_H

/* In a few words; of kinds that are not known too. */
const char *kinds_text(const char *kind);

#endif

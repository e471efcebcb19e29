/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells findings as the check mode does, of texts that are not to be trusted.
 *
 *   exec_finder STATUS [mistake|note]...     tells them and ends with the status
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/tell/finding.h"

static struct rg_finding make_finding(bool is_note)
{
    static const struct rg_function function = {.name = "aclrtMemcpy"};
    struct rg_finding finding = {.kind = is_note ? "test-note" : "test-mistake",
                                 .is_note = is_note,
                                 .function = &function,
                                 .argument = "dst",
                                 .n_objects = 1};
    snprintf(finding.what, sizeof finding.what, "%s",
             "a < b && \"c\" > 'd' </div><script>alert(1)</script> \\ \x01\xFF é");
    snprintf(finding.instead, sizeof finding.instead, "synchronise the stream first");
    snprintf(finding.object[0].what, sizeof finding.object[0].what, "the tensor <0x1234>");
    finding.object[0].place = rg_place_here();
    return finding;
}

int main(int argc, char **argv)
{
    for (int k = 2; k < argc; k++) {
        const struct rg_finding finding = make_finding(strcmp(argv[k], "note") == 0);
        rg_check_tell(&finding);
    }
    return argc > 1 ? atoi(argv[1]) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* regrad ascend-home */
#include <stdio.h>
#include <stdlib.h>

#include "ascend_home.h"
#include "command.h"
#include "complain.h"

static int run_ascend_home(const struct settings *settings)
{
    char *root = NULL;
    if (settings->n_words > 0)
        return complain(STATUS_REFUSED, "ascend-home: takes no words, and '%.100s' is given", settings->words[0]);
    int status = ascend_home_find(&root);
    if (status == STATUS_OK && is_given(settings, OPT_INSTALL))
        status = ascend_home_install(root, settings->install);
    else if (status == STATUS_OK)
        puts(root);
    free(root);
    return status;
}

const struct command command_ascend_home = {
    .name = "ascend-home",
    .summary = "prints where build scripts find the aclnn interface",
    .words = "",
    .details =
        "Prints the root of a tree in the layout of the vendor's toolkit: include/, lib64/, python/,\n"
        "bin/setenv.bash, set_env.sh, and except in the Python package <arch>-linux/. It belongs to this program,\n"
        "built or installed, wherever that has been moved to. Existing build scripts find it by\n\n"
        "    ASCEND_HOME_PATH=$(regrad ascend-home)\n\n"
        "and scripts that source a file by . \"$(regrad ascend-home)/set_env.sh\".\n\n"
        "--install makes a directory of links into the tree, for programs that look in one place only, such as\n"
        "/usr/local/Ascend/ascend-toolkit/latest. The directory must not be there yet, be empty, or have been made\n"
        "by this option; where a real stack is, in it or anywhere in a directory named Ascend above it, nothing is\n"
        "changed. rm -r removes it.\n",
    .options = OPTION_BIT(OPT_INSTALL),
    .run = run_ascend_home,
};

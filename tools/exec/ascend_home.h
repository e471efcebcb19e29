/* SPDX-License-Identifier: Apache-2.0 */
/* The tree in the vendor's layout, of the build or of the installation that this program is a part of. */
#ifndef ASCEND_HOME_H
#define ASCEND_HOME_H

/* The file by which such a tree is known. */
#define ASCEND_HOME_MARK "regrad-ascend-home.txt"

/* The tree's path, without symbolic links, which the caller frees. Returns an exit status, and complains when it is not
 * STATUS_OK. */
int ascend_home_find(char **root);

/* Makes a directory of links into the tree. Returns an exit status, and complains when it is not STATUS_OK: what is not
 * empty and not such a directory is left alone. */
int ascend_home_install(const char *root, const char *directory);

#endif

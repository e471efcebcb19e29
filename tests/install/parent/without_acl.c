/* SPDX-License-Identifier: Apache-2.0 */
#include <regrad.h>

#if __has_include(<acl/acl.h>) || __has_include("acl/acl.h")
#error "the headers of the aclnn interface would hide those of a real toolkit"
#endif

int main(void)
{
    return regrad_version() == NULL;
}

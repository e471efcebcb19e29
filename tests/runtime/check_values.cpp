// SPDX-License-Identifier: Apache-2.0
/* Has every name of the interface the value that it must have, for C++11? Compiling is the test. */
#include "acl/acl.h"

#define VALUE(name, value) static_assert(static_cast<long long>(name) == static_cast<long long>(value), #name);
#include "values.inc"

/* The enums are unscoped, and have names: programs write both ways. */
static_assert(aclDataType::ACL_FLOAT == ACL_FLOAT, "");
static_assert(aclFormat::ACL_FORMAT_NCHW == ACL_FORMAT_NCHW, "");

int main()
{
    return 0;
}

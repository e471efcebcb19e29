/* SPDX-License-Identifier: Apache-2.0 */
// cmocka for C++, and the messages of the interface.
#ifndef HARNESS_H
#define HARNESS_H

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <setjmp.h>
#include <string>

extern "C" {
#include <cmocka.h>
}

#include "acl/acl.h"

// All that has been said in this thread since this was last asked.
inline std::string last_message()
{
    const char *message = aclGetRecentErrMsg();
    return message != nullptr ? message : "";
}

inline void expect_message(const std::string &text)
{
    const std::string message = last_message();
    if (message.find(text) == std::string::npos)
        fail_msg("\"%s\" lacks \"%s\"", message.c_str(), text.c_str());
}

#endif

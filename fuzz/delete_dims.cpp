// SPDX-License-Identifier: Apache-2.0
// What aclGetViewShape returns is ended by delete[], as C++ clients do it.
#include <cstdint>

extern "C" void fuzz_delete_dims(const int64_t *dims);

void fuzz_delete_dims(const int64_t *dims)
{
    delete[] dims;
}

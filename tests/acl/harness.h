// cmocka for C++.
#ifndef HARNESS_H
#define HARNESS_H

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <setjmp.h>

extern "C" {
#include <cmocka.h>
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
// What the programs in the style of real clients share: how they end when something is wrong, and a library whose
// functions are taken by name.
#ifndef CLIENT_H
#define CLIENT_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_ops_cv.h"

using Values = std::vector<float>;
using Shape = std::vector<int64_t>;

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::exit(1);
}

inline void expect(const Values &got, const Values &wanted, const char *what)
{
    if (got == wanted)
        return;
    for (size_t i = 0; i < got.size() || i < wanted.size(); i++)
        std::fprintf(stderr, "%s[%zu]: %g, wanted %g\n", what, i, i < got.size() ? got[i] : -1.0F,
                     i < wanted.size() ? wanted[i] : -1.0F);
    std::exit(1);
}

inline int64_t count(const Shape &shape)
{
    int64_t n = 1;
    for (const int64_t size : shape)
        n *= size;
    return n;
}

// A framework opens libraries at run time, and asks one handle for everything.
class Library
{
  public:
    explicit Library(const char *name, int flags = RTLD_LAZY) : handle(dlopen(name, flags))
    {
        if (handle == nullptr)
            die("%s\n", dlerror());
    }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    // nullptr when it is not there.
    template <typename Function> Function *look_for(const std::string &name) const
    {
        return reinterpret_cast<Function *>(dlsym(handle, name.c_str()));
    }
    template <typename Function> Function *find(const std::string &name) const
    {
        Function *function = look_for<Function>(name);
        if (function == nullptr)
            die("%s is not in the library\n", name.c_str());
        return function;
    }
    void close()
    {
        if (dlclose(handle) != 0)
            die("%s\n", dlerror());
    }

  private:
    void *handle;
};

// The gradients that the programs compute, each small enough to see what comes out.
struct Worked {
    Shape grad_shape, out_shape, output_size;
    Values grad, out;
};

inline Worked nearest_2d()
{
    return {
        {1, 1, 4, 4}, {1, 1, 2, 2}, {4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {10, 18, 42, 50}};
}

inline Worked nearest_1d()
{
    return {{1, 1, 6}, {1, 1, 4}, {6}, {1, 1, 1, 1, 1, 1}, {1, 2, 1, 2}};
}

inline Worked bilinear()
{
    return {{1, 2, 1, 1}, {1, 2, 2, 2}, {1, 1}, {1, -8}, {0.25, 0.25, 0.25, 0.25, -2, -2, -2, -2}};
}

// One sample between the second and the third of three pixels: pixel 1.75 along x, 0 along y.
struct WorkedGrid {
    Shape grad_shape = {1, 1, 1, 1}, image_shape = {1, 1, 1, 3}, grid_shape = {1, 1, 1, 2};
    Values grad = {1}, image = {0, 1, 3}, grid = {0.5, 0}, image_grad = {0, 0.25, 0.75}, grid_grad = {3, -1.25};
};

#endif

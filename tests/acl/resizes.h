/* SPDX-License-Identifier: Apache-2.0 */
// The resizes that are checked by one list, and what their documents say of each.
#ifndef RESIZES_H
#define RESIZES_H

#include <functional>

#include "call.h"

enum class Empty { NOTHING, SOURCE, CHANNELS };
enum class Limit { ANY, GROWS_BY_50, GROWS_BY_500, SHRINKS_BY_50 };

// What phase 1 is called with, while it is.
struct Objects {
    const Call &call;
    const std::vector<aclTensor *> &t;
    const std::vector<aclIntArray *> &a;
    uint64_t *size;
    aclOpExecutor **executor;
};

struct Resize {
    std::string name;
    const char *native; // the operator's name in data/family.json
    std::string source, result;
    int n_axes;
    bool is_backward;
    std::string scales; // their names; none: only the sizes count
    std::string types;  // F, H (float16), B (bfloat16), D, U (uint8)
    Empty empty;
    Limit limit;
    bool is_antialiased, has_corners;
    std::function<aclnnStatus(const Objects &objects)> phase_1;
    aclnnStatus (*phase_2)(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);
};

const std::vector<Resize> &resizes();
const Resize &find_resize(const std::string &name);

// The type of one of the letters.
aclDataType type_of(char letter);

std::vector<std::string> scale_names(const Resize &resize);

bool takes_channels_last(const Resize &resize);

// The format that such tensors usually have.
aclFormat format_of(const Resize &resize, bool is_channels_last);

// Sizes in the order N, C and the axes, or with the channels behind the axes.
Sizes ordered(const Sizes &sizes, bool is_channels_last);

// A call that resizes the axes in to out, of N, C channels.
Call resize_call(const Resize &resize, const Sizes &outer, const Sizes &in, const Sizes &out,
                 bool is_channels_last = false);

// One that succeeds: axes of 2, 3, 4 become such of 3, 5, 6.
Call small_resize(const Resize &resize);

#endif

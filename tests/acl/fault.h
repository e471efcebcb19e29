/* SPDX-License-Identifier: Apache-2.0 */
// What can be wrong with a call of phase 1, and whether that is what the call is refused for.
#ifndef FAULT_H
#define FAULT_H

#include <functional>
#include <limits>
#include <string>

#include "call.h"

using Texts = std::vector<std::string>;

struct Fault {
    aclnnStatus status;
    Texts texts; // that the message must have, beside the function's name
    std::function<void(Call &)> spoil;
};

using Faults = std::vector<Fault>;

static const double nan_value = std::numeric_limits<double>::quiet_NaN();
static const double infinity = std::numeric_limits<double>::infinity();

// Calls, and returns the message, which must be that of the fault.
std::string expect_refusal(Call call, const Fault &fault);

void expect_success(Call call);

// Each fault alone, and each pair, where the later one must not be seen.
void expect_in_order(const Call &good, const Faults &faults);

// Each fault alone.
void expect_each(const Call &good, const Faults &faults);

void append(Faults &faults, const Faults &more);

Faults null_results();

// Arguments that are tensors (0, 1, ...) or arrays (10, 11, ...), in the order of their checks.
struct Named {
    const char *name;
    size_t which;
};
Faults handles(const std::vector<Named> &arguments);

Fault shape(const Texts &texts, size_t tensor, const Sizes &shape);

Fault values(const Texts &texts, size_t array, const Sizes &values);

Fault type(const Texts &texts, const std::vector<size_t> &tensors, aclDataType type);

Fault format(const Texts &texts, const std::vector<size_t> &tensors, aclFormat format);

Fault scale(const Texts &texts, int axis, double scale);

Faults bad_scales(const std::string &name, int axis);

// What can be wrong with the memory of tensors that are used: `read` and `written` of four or three
// dimensions, whose names are given.
Faults memory(const std::string &read_name, size_t read, const std::string &written_name, size_t written);

// Found by the native library, whose sentence must speak of the vendor's function and arguments.
Faults overlaps(const std::string &read_name, size_t read, const std::string &written_name, size_t written);

// Of a grid sample: modes that there are not, where interpolations end with `most`.
Faults sampling_modes(int64_t most);

// Of its gradients, whose tensors are gradOutput, input, grid, inputGrad and gridGrad.
Faults gradient_overlaps();

// Every view of the library's own limits is refused, not computed with.
void expect_huge_refused(const Call &good, size_t tensor);

#endif

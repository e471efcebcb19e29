// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include "harness.h"

static std::string describe(const Call &call)
{
    return call.function + " gave " + std::to_string(call.status) + " and said: " + call.message;
}

std::string expect_refusal(Call call, const Fault &fault)
{
    aclOpExecutor *const untouched = reinterpret_cast<aclOpExecutor *>(&call);
    call.executor = untouched;
    call.workspace_size = 4711;
    phase_1(call);
    bool as_wanted = call.status == fault.status && call.executor == untouched && call.workspace_size == 4711 &&
                     call.message.find(call.function + ": ") == 0;
    for (const std::string &text : fault.texts)
        as_wanted = as_wanted && call.message.find(text) != std::string::npos;
    if (!as_wanted)
        fail_msg("%s\nwanted %d and \"%s\"", describe(call).c_str(), fault.status, fault.texts[0].c_str());
    return call.message;
}

// What else may follow here depends on what is wanted.
static bool is_end(const std::string &message, size_t at)
{
    for (const std::string end : {"\n", " must", ", must", " and the sizes", ", and the sizes"})
        if (message.compare(at, end.size(), end) == 0)
            return true;
    return false;
}

// The message without what another fault may change: what is wanted, shapes, ranges, addresses. By hand, as std::regex
// takes ten times as long as all calls.
static std::string gist(const std::string &message)
{
    std::string kept;
    for (size_t at = 0; at < message.size() && !is_end(message, at);) {
        const bool is_bracket = message[at] == '(' || message[at] == '[';
        const size_t closed = is_bracket ? message.find_first_of(")]\n", at) : std::string::npos;
        if (closed != std::string::npos && message[closed] != '\n')
            at = closed + 1;
        else if (message.compare(at, 2, "0x") == 0)
            at = message.find_first_not_of("0123456789abcdef", at + 2);
        else
            kept += message[at++];
    }
    return kept;
}

void expect_success(Call call)
{
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%s", describe(call).c_str());
    if (!call.message.empty())
        fail_msg("success left a message: %s", call.message.c_str());
    assert_int_equal(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

void expect_in_order(const Call &good, const Faults &faults)
{
    expect_success(good);
    for (size_t i = 0; i < faults.size(); i++) {
        Call call = good;
        faults[i].spoil(call);
        const std::string first = expect_refusal(call, faults[i]);
        for (size_t j = i + 1; j < faults.size(); j++) {
            Call spoiled = good;
            faults[j].spoil(spoiled);
            faults[i].spoil(spoiled);
            const std::string both = expect_refusal(spoiled, {faults[i].status, {""}, nullptr});
            if (both != first && gist(both) != gist(first))
                fail_msg("faults %zu and %zu: %swanted %s", i, j, both.c_str(), first.c_str());
        }
    }
}

void expect_each(const Call &good, const Faults &faults)
{
    for (const Fault &fault : faults) {
        Call spoiled = good;
        fault.spoil(spoiled);
        expect_refusal(spoiled, fault);
    }
}

// ---- Faults that operators have in common -------------------------------------------------------

void append(Faults &faults, const Faults &more)
{
    faults.insert(faults.end(), more.begin(), more.end());
}

Faults null_results()
{
    return {
        {161001, {"workspaceSize is NULL, must not be"}, [](Call &c) { c.has_workspace_size = false; }},
        {161001, {"executor is NULL, must not be"}, [](Call &c) { c.has_executor = false; }},
    };
}

static void set_handle(Call &call, size_t which, Handle handle)
{
    if (which >= 10)
        call.arrays[which - 10].handle = handle;
    else
        call.tensors[which].handle = handle;
}

Faults handles(const std::vector<Named> &arguments)
{
    Faults faults = null_results();
    for (const Named &argument : arguments)
        faults.push_back({161001, {std::string(argument.name) + " is NULL, must not be"}, [argument](Call &c) {
                              set_handle(c, argument.which, Handle::NONE);
                          }});
    for (const Named &argument : arguments)
        faults.push_back({161002, {std::string(argument.name) + " is 0x", "that is alive"}, [argument](Call &c) {
                              set_handle(c, argument.which, Handle::STALE);
                          }});
    return faults;
}

Fault shape(const Texts &texts, size_t tensor, const Sizes &shape)
{
    return {161002, texts, [=](Call &c) { c.tensors[tensor].shape = shape; }};
}

Fault values(const Texts &texts, size_t array, const Sizes &values)
{
    return {161002, texts, [=](Call &c) { c.arrays[array].values = values; }};
}

Fault type(const Texts &texts, const std::vector<size_t> &tensors, aclDataType type)
{
    return {161002, texts, [=](Call &c) {
                for (size_t tensor : tensors)
                    c.tensors[tensor].type = type;
            }};
}

Fault format(const Texts &texts, const std::vector<size_t> &tensors, aclFormat format)
{
    return {161002, texts, [=](Call &c) {
                for (size_t tensor : tensors)
                    c.tensors[tensor].format = format;
            }};
}

Fault scale(const Texts &texts, int axis, double scale)
{
    return {161002, texts, [=](Call &c) { c.scales[axis] = scale; }};
}

Faults bad_scales(const std::string &name, int axis)
{
    const Texts texts = {name + " is ", "must be finite and have a finite inverse"};
    return {scale(texts, axis, nan_value), scale(texts, axis, infinity), scale(texts, axis, 1e-320),
            scale(texts, axis, 1e-39)};
}

Faults memory(const std::string &read_name, size_t read, const std::string &written_name, size_t written)
{
    const std::string reaches = "the view of " + read_name + " reaches the elements";
    return {
        {161002,
         {"the storage of " + read_name + " has shape (-1, 4)"},
         [=](Call &c) {
             c.tensors[read].storage = {-1, 4};
         }},
        {161002,
         {"the storage of " + read_name, "2^63 - 1 elements"},
         [=](Call &c) {
             c.tensors[read].storage = {INT64_MAX, 2};
         }},
        {161002,
         {reaches, "[0, 5), which its storage shape (5) declares"},
         [=](Call &c) { c.tensors[read].storage = {5}; }},
        {161002, {reaches, "must stay within"}, [=](Call &c) { c.tensors[read].offset = -1; }},
        {161002,
         {reaches, "must stay within [0, 0)"},
         [=](Call &c) {
             c.tensors[read].storage = {0, 3};
         }},
        {161002,
         {"the view of " + written_name + " reaches the elements"},
         [=](Call &c) { c.tensors[written].storage = {7}; }},
        {161002,
         {"the data address of " + read_name + " is 0x", "must be a multiple of 4"},
         [=](Call &c) { c.tensors[read].data = static_cast<char *>(device_block(0)) + 1; }},
        {161002,
         {read_name + " uses the bytes [", "which is allocated there"},
         [=](Call &c) { c.tensors[read].data = static_cast<char *>(device_block(0)) + BLOCK_NBYTES - 64; }},
        {161002,
         {written_name + " uses the bytes [", "which is allocated there"},
         [=](Call &c) { c.tensors[written].data = static_cast<char *>(device_block(1)) + BLOCK_NBYTES - 64; }},
    };
}

Faults overlaps(const std::string &read_name, size_t read, const std::string &written_name, size_t written)
{
    return {
        {161002,
         {written_name},
         [=](Call &c) { c.tensors[written].stride = Sizes(c.tensors[written].shape.size(), 1); }},
        {161002,
         {written_name, "overlaps " + read_name},
         [=](Call &c) { c.tensors[written].data = c.tensors[read].data; }},
        {161002,
         {written_name, "overlaps " + read_name},
         [=](Call &c) { c.tensors[written].data = static_cast<char *>(c.tensors[read].data) + 64; }},
    };
}

static Fault choice(const Texts &texts, int64_t Call::*attribute, int64_t value)
{
    return {161002, texts, [=](Call &c) { c.*attribute = value; }};
}

Faults sampling_modes(int64_t most)
{
    const auto text = [=](int64_t value) {
        return "interpolationMode is " + std::to_string(value) + ", must be 0 to " + std::to_string(most);
    };
    const int64_t wide = INT64_C(1) << 32;
    return {
        choice({text(-1)}, &Call::interpolation, -1),
        choice({text(most + 1)}, &Call::interpolation, most + 1),
        choice({text(wide)}, &Call::interpolation, wide),
        choice({"paddingMode is -1, must be 0 to 2"}, &Call::padding, -1),
        choice({"paddingMode is 3, must be 0 to 2"}, &Call::padding, 3),
    };
}

Faults gradient_overlaps()
{
    Faults faults = overlaps("input", 1, "inputGrad", 3);
    append(faults, overlaps("grid", 2, "gridGrad", 4));
    append(faults, overlaps("inputGrad", 3, "gridGrad", 4));
    append(faults, overlaps("gradOutput", 0, "gridGrad", 4));
    return faults;
}

void expect_huge_refused(const Call &good, size_t tensor)
{
    Call call = good;
    call.tensors[tensor].stride = Sizes(call.tensors[tensor].shape.size(), INT64_MAX / 2);
    call.tensors[tensor].storage = {INT64_MAX};
    expect_refusal(call, {161002, {"must"}, nullptr});
}

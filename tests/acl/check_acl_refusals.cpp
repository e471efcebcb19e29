// SPDX-License-Identifier: Apache-2.0
// Every refusal of phase 1: its status, its message, and that of two faults the one that is checked
// first is reported. Each operator's faults are listed in the order of its checks.
#include <cstdlib>
#include <string>

#include "fault.h"
#include "harness.h"

// ---- Bilinear -----------------------------------------------------------------------------------

static void refuses_bilinear_backward(void **)
{
    Faults faults = handles({{"gradOut", 0}, {"outputSize", 10}, {"inputSize", 11}, {"out", 1}});
    append(
        faults,
        {
            shape({"gradOut has 3 dimensions, (2, 3, 48), must have 4"}, 0, {2, 3, 48}),
            shape({"gradOut has 5 dimensions, (2, 3, 6, 8, 1), must have 4"}, 0, {2, 3, 6, 8, 1}),
            values({"outputSize has 3 values, must have 2"}, 0, {6, 8, 1}),
            values({"outputSize has 0 values, must have 2"}, 0, {}),
            values({"inputSize has 3 values, must have 4"}, 1, {2, 3, 12}),
            values({"inputSize[2] is 0, must be more than 0"}, 1, {2, 3, 0, 4}),
            values({"inputSize[3] is -4, must be more than 0"}, 1, {2, 3, 3, -4}),
            values({"outputSize[0] is 0, must be more than 0"}, 0, {0, 8}),
            values({"outputSize[1] is -8, must be more than 0"}, 0, {6, -8}),
            shape({"gradOut has size 1 in dimension 0 of its shape (1, 3, 6, 8), must have 2, as inputSize"}, 0,
                  {1, 3, 6, 8}),
            shape({"out has size 1 in dimension 0 of its shape (1, 3, 3, 4), must have 2"}, 1, {1, 3, 3, 4}),
            shape({"gradOut has size 4 in dimension 1 of its shape (2, 4, 6, 8), must have 3"}, 0, {2, 4, 6, 8}),
            values({"gradOut has size 6 in dimension 2 of its shape (2, 3, 6, 8), must have 5"}, 0, {5, 8}),
            values({"out has size 3 in dimension 2 of its shape (2, 3, 3, 4), must have 2"}, 1, {2, 3, 2, 4}),
            shape({"gradOut has size 7 in dimension 3 of its shape (2, 3, 6, 7), must have 8"}, 0, {2, 3, 6, 7}),
            shape({"out has size 0 in dimension 3 of its shape (2, 3, 3), must have 4"}, 1, {2, 3, 3}),
            type({"type of gradOut is ACL_DOUBLE (11), must be one of ACL_FLOAT, ACL_FLOAT16, ACL_BF16"}, {0, 1},
                 ACL_DOUBLE),
            type({"type of gradOut is ACL_INT32 (3), must be one of"}, {0, 1}, ACL_INT32),
            type({"type of gradOut is no type (50), must be one of"}, {0, 1}, static_cast<aclDataType>(50)),
            type({"type of out is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of gradOut"}, {1}, ACL_FLOAT16),
            format({"format of gradOut is ACL_FORMAT_NC1HWC0 (3), must be ACL_FORMAT_NCHW"}, {0}, ACL_FORMAT_NC1HWC0),
            format({"format of gradOut is no format (60), must be"}, {0}, static_cast<aclFormat>(60)),
        });
    append(faults, bad_scales("scalesH", 0));
    append(faults, bad_scales("scalesW", 1));
    append(faults, {shape({"out has 5 dimensions, (2, 3, 3, 4, 1), must have 4"}, 1, {2, 3, 3, 4, 1})});
    append(faults, memory("gradOut", 0, "out", 1));
    expect_in_order(bilinear_backward(), faults);
    expect_each(bilinear_backward(), overlaps("gradOut", 0, "out", 1));
    expect_huge_refused(bilinear_backward(), 0);
}

static void refuses_bilinear(void **)
{
    Faults faults = handles({{"self", 0}, {"outputSize", 10}, {"out", 1}});
    append(
        faults,
        {
            shape({"self has 3 dimensions, (2, 3, 12), must have 4"}, 0, {2, 3, 12}),
            values({"outputSize has 1 value, must have 2"}, 0, {6}),
            shape({"self has size 0 in dimension 2 of its shape (2, 3, 0, 4), must have more than 0"}, 0, {2, 3, 0, 4}),
            shape({"self has size -1 in dimension 3"}, 0, {2, 3, 3, -1}),
            values({"outputSize[0] is -6, must be more than 0"}, 0, {-6, 8}),
            values({"outputSize[1] is 0, must be more than 0"}, 0, {6, 0}),
            shape({"out has size 1 in dimension 0 of its shape (1, 3, 6, 8), must have 2, as self"}, 1, {1, 3, 6, 8}),
            shape({"out has size 3 in dimension 1", "must have 4"}, 0, {2, 4, 3, 4}),
            values({"out has size 6 in dimension 2", "must have 5"}, 0, {5, 8}),
            shape({"out has size 0 in dimension 3 of its shape (2, 3, 6), must have 8"}, 1, {2, 3, 6}),
            type({"type of self is ACL_DOUBLE (11), must be one of"}, {0, 1}, ACL_DOUBLE),
            type({"type of out is ACL_BF16 (27), must be ACL_FLOAT (0), that of self"}, {1}, ACL_BF16),
            format({"format of self is ACL_FORMAT_NCL (47), must be"}, {0}, ACL_FORMAT_NCL),
        });
    append(faults, bad_scales("scalesH", 0));
    append(faults, bad_scales("scalesW", 1));
    append(faults, {shape({"out has 5 dimensions"}, 1, {2, 3, 6, 8, 1})});
    append(faults, memory("self", 0, "out", 1));
    expect_in_order(bilinear(), faults);
    expect_each(bilinear(), overlaps("self", 0, "out", 1));
    expect_huge_refused(bilinear(), 1);
}

// A plain copy is checked like a resize, in any type.
static void refuses_copies(void **)
{
    for (aclDataType copied : {ACL_FLOAT, ACL_INT8, ACL_FLOAT16, ACL_INT64, ACL_COMPLEX128}) {
        Call call = bilinear_backward();
        call.tensors[0].shape = call.tensors[1].shape = {2, 3, 3, 4};
        call.arrays[0].values = {3, 4};
        call.tensors[0].type = call.tensors[1].type = copied;
        expect_success(call);
        const int64_t element = static_cast<int64_t>(aclDataTypeSize(copied));
        expect_each(call, overlaps("gradOut", 0, "out", 1));

        // Even and odd columns of one buffer do not share an element; shifted by one row they do.
        Call halves = call;
        for (Tensor &tensor : halves.tensors) {
            tensor.stride = {72, 24, 8, 2};
            tensor.storage = {1000};
            tensor.data = device_block(0);
        }
        halves.tensors[1].offset = 1;
        expect_success(halves);
        halves.tensors[1].offset = 8;
        expect_refusal(halves,
                       {161002, {"out at address", "overlaps gradOut", "must have memory of its own"}, nullptr});

        if (element > 1) {
            call.tensors[1].data = static_cast<char *>(device_block(1)) + element / 2;
            expect_refusal(call, {161002, {"the data address of out", "must be a multiple of"}, nullptr});
        }
    }
    Call call = bilinear_backward();
    call.tensors[0].shape = call.tensors[1].shape = {2, 3, 3, 4};
    call.arrays[0].values = {3, 4};
    call.tensors[0].type = call.tensors[1].type = ACL_INT4;
    expect_refusal(call,
                   {161002, {"the type of gradOut is ACL_INT4 (29), must have elements of whole bytes"}, nullptr});
    call.tensors[1].type = ACL_INT8;
    expect_refusal(call, {161002, {"type of out is ACL_INT8 (2), must be ACL_INT4 (29), that of gradOut"}, nullptr});
}

// The result's format says how both are read; the tensor that is read speaks for itself afterwards.
static void refuses_mixed_layouts(void **)
{
    Call call = bilinear_backward();
    call.tensors[1].format = ACL_FORMAT_NHWC;
    expect_refusal(call, {161002, {"gradOut has size 3 in dimension 1", "must have 6"}, nullptr});

    call = bilinear_backward();
    call.tensors[0].format = ACL_FORMAT_NHWC;
    expect_refusal(call, {161002, {"gradOut has size 3 in dimension 1", "must have 6", "gradOut's format"}, nullptr});

    // Sizes that fit both ways of reading: no way to tell which is meant.
    call.tensors[0].shape = {1, 4, 4, 4};
    call.tensors[1].shape = {1, 4, 2, 4};
    call.arrays = {Array(), Array()};
    call.arrays[0].values = {4, 4};
    call.arrays[1].values = {1, 4, 2, 4};
    call.tensors[0].format = ACL_FORMAT_NCHW;
    call.tensors[1].format = ACL_FORMAT_NHWC;
    expect_refusal(
        call,
        {161002, {"format of out is ACL_FORMAT_NHWC (1), must be ACL_FORMAT_NCHW (0), that of gradOut"}, nullptr});
    call.tensors[0].format = ACL_FORMAT_NHWC;
    expect_success(call);
    call.tensors[0].format = call.tensors[1].format = ACL_FORMAT_ND;
    expect_success(call);
}

// ---- Nearest ------------------------------------------------------------------------------------

static void refuses_nearest_1d_backward(void **)
{
    Faults faults = handles({{"gradOutput", 0}, {"outputSize", 10}, {"inputSize", 11}, {"out", 1}});
    append(faults,
           {
               type({"type of gradOutput is ACL_DOUBLE (11), must be one of ACL_FLOAT, ACL_FLOAT16, ACL_BF16"}, {0, 1},
                    ACL_DOUBLE),
               type({"type of out is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of gradOutput"}, {1}, ACL_FLOAT16),
               format({"format of out is ACL_FORMAT_ND (2), must be ACL_FORMAT_NCL (47), that of gradOutput"}, {1},
                      ACL_FORMAT_ND),
               shape({"gradOutput has 4 dimensions, (2, 3, 6, 1), must have 3"}, 0, {2, 3, 6, 1}),
               shape({"out has 2 dimensions, (2, 12), must have 3"}, 1, {2, 12}),
               shape({"out has 1 dimension, (12), must have 3"}, 1, {12}),
               values({"inputSize has 4 values, must have 3"}, 1, {2, 3, 4, 1}),
               values({"outputSize has 2 values, must have 1"}, 0, {6, 6}),
               shape({"out has size 1 in dimension 0 of its shape (1, 3, 4), must have 2, the N of gradOutput"}, 1,
                     {1, 3, 4}),
               shape({"out has size 4 in dimension 1 of its shape (2, 4, 4), must have 3, the C of gradOutput"}, 1,
                     {2, 4, 4}),
               scale({"scales is -1, must not be negative"}, 0, -1),
               scale({"scales is -inf, must not be negative"}, 0, -infinity),
           });
    append(faults, bad_scales("scales", 0));
    append(faults, {
                       scale({"scales is 50.5, must be at most 50"}, 0, 50.5),
                       shape({"scales is 0 and the sizes are 4 and 201, which grows by 50.25, must be at most 50"}, 0,
                             {2, 3, 201}),
                       shape({"scales is 0 and the sizes are 4 and 0, must be 1 or more"}, 0, {2, 3, 0}),
                       values({"the sizes are 0 and 6"}, 1, {2, 3, 0}),
                   });
    expect_in_order(nearest_1d_backward(), faults);
}

static void refuses_nearest_1d_backward_sizes(void **)
{
    Call call = nearest_1d_backward();
    call.scales[0] = 1.5;
    expect_in_order(call, {
                              {161002,
                               {"gradOutput has size 0 in dimension 0 of its shape (0, 3, 6), must have more"},
                               [](Call &c) {
                                   c.tensors[0].shape = {0, 3, 6}, c.tensors[1].shape = {0, 3, 4};
                               }},
                              {161002,
                               {"gradOutput has size 0 in dimension 1"},
                               [](Call &c) {
                                   c.tensors[0].shape = {2, 0, 6}, c.tensors[1].shape = {2, 0, 4};
                               }},
                          });
    expect_in_order(call, {
                              shape({"gradOutput has size 0 in dimension 2 of its shape (2, 3, 0)"}, 0, {2, 3, 0}),
                              values({"inputSize[2] is -4, must be more than 0"}, 1, {2, 3, -4}),
                          });
}

static void refuses_nearest_1d_backward_mismatches(void **)
{
    Faults faults = {
        values({"outputSize[0] is 5, must be 6, the size of gradOutput, for the scale"}, 0, {5}),
        values({"inputSize[0] is 1, must be 2, the N of gradOutput"}, 1, {1, 3, 4}),
        values({"inputSize[1] is 2, must be 3, the C of gradOutput"}, 1, {2, 2, 4}),
        values({"out has size 4 in dimension 2 of its shape (2, 3, 4), must have 5, as inputSize says"}, 1, {2, 3, 5}),
    };
    append(faults, memory("gradOutput", 0, "out", 1));
    expect_in_order(nearest_1d_backward(), faults);
    expect_each(nearest_1d_backward(), overlaps("gradOutput", 0, "out", 1));
}

static void refuses_nearest_1d(void **)
{
    Faults faults = handles({{"self", 0}, {"outputSize", 10}, {"out", 1}});
    append(faults, {
                       type({"type of self is ACL_INT8 (2), must be one of"}, {0, 1}, ACL_INT8),
                       type({"type of out is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of self"}, {1}, ACL_FLOAT16),
                       format({"format of out is ACL_FORMAT_NCHW (0), must be ACL_FORMAT_NCL (47), that of self"}, {1},
                              ACL_FORMAT_NCHW),
                       shape({"self has 2 dimensions, (2, 12), must have 3"}, 0, {2, 12}),
                       shape({"out has 4 dimensions, (2, 3, 6, 1), must have 3"}, 1, {2, 3, 6, 1}),
                       values({"outputSize has 0 values, must have 1"}, 0, {}),
                       shape({"out has size 1 in dimension 0", "the N of self"}, 1, {1, 3, 6}),
                       shape({"out has size 4 in dimension 1", "the C of self"}, 1, {2, 4, 6}),
                       scale({"scales is -1, must not be negative"}, 0, -1),
                   });
    append(faults, bad_scales("scales", 0));
    append(faults, {
                       scale({"scales is 51, must be at most 50"}, 0, 51),
                       values({"the sizes are 4 and 201, which grows by 50.25, must be at most 50"}, 0, {201}),
                       values({"out has size 6 in dimension 2 of its shape (2, 3, 6), must have 5, as outputSize says"},
                              0, {5}),
                   });
    append(faults, memory("self", 0, "out", 1));
    expect_in_order(nearest_1d(), faults);
    Call call = nearest_1d();
    call.scales[0] = 1.5;
    expect_in_order(call, {
                              {161002,
                               {"self has size 0 in dimension 0"},
                               [](Call &c) {
                                   c.tensors[0].shape = {0, 3, 4}, c.tensors[1].shape = {0, 3, 6};
                               }},
                              shape({"self has size 0 in dimension 2"}, 0, {2, 3, 0}),
                              values({"outputSize[0] is -6, must be more than 0"}, 0, {-6}),
                          });
}

static void refuses_nearest_2d_backward(void **)
{
    Faults faults = handles({{"gradOutput", 0}, {"outputSize", 10}, {"inputSize", 11}, {"out", 1}});
    append(faults,
           {
               type({"type of gradOutput is ACL_DOUBLE (11), must be one of"}, {0, 1}, ACL_DOUBLE),
               type({"type of out is ACL_BF16 (27), must be ACL_FLOAT (0), that of gradOutput"}, {1}, ACL_BF16),
               format({"format of out is ACL_FORMAT_ND (2), must be ACL_FORMAT_NCHW (0), that of gradOutput"}, {1},
                      ACL_FORMAT_ND),
               shape({"gradOutput has 3 dimensions, (2, 3, 48), must have 4"}, 0, {2, 3, 48}),
               shape({"out has 5 dimensions, (2, 3, 4, 5, 1), must have 4"}, 1, {2, 3, 4, 5, 1}),
               values({"inputSize has 3 values, must have 4"}, 1, {2, 3, 20}),
               values({"outputSize has 1 value, must have 2"}, 0, {48}),
               format({"format of gradOutput is ACL_FORMAT_NHWC (1), must be another one"}, {0, 1}, ACL_FORMAT_NHWC),
               shape({"out has size 1 in dimension 0", "must have 2, the N of gradOutput"}, 1, {1, 3, 4, 5}),
               shape({"out has size 4 in dimension 1", "must have 3, the C of gradOutput"}, 1, {2, 4, 4, 5}),
               scale({"scalesW is -0.5, must not be negative"}, 1, -0.5),
           });
    append(faults, bad_scales("scalesW", 1));
    append(faults, {scale({"scalesH is -2, must not be negative"}, 0, -2)});
    append(faults, bad_scales("scalesH", 0));
    append(faults, {
                       scale({"scalesH is 50.000000000000007, must be at most 50"}, 0, 50.000000000000007),
                       values({"scalesH is 0 and the sizes are 0 and 6, must be 1 or more"}, 1, {2, 3, 0, 5}),
                       scale({"scalesW is 1000, must be at most 50"}, 1, 1000),
                       values({"scalesW is 0 and the sizes are -5 and 8, must be 1 or more"}, 1, {2, 3, 4, -5}),
                   });
    expect_in_order(nearest_2d_backward(), faults);
}

static void refuses_nearest_2d_backward_sizes(void **)
{
    Call call = nearest_2d_backward();
    call.scales[0] = call.scales[1] = 1.5;
    expect_in_order(call, {
                              values({"inputSize[2] is 0, must be more than 0"}, 1, {2, 3, 0, 5}),
                              values({"inputSize[3] is -5, must be more than 0"}, 1, {2, 3, 4, -5}),
                          });
}

static void refuses_nearest_2d_backward_mismatches(void **)
{
    Faults faults = {
        values({"outputSize[0] is 5, must be 6, the size of gradOutput, for the scale"}, 0, {5, 8}),
        values({"outputSize[1] is 9, must be 8, the size of gradOutput, for the scale"}, 0, {6, 9}),
        values({"inputSize[0] is 1, must be 2, the N of gradOutput"}, 1, {1, 3, 4, 5}),
        values({"inputSize[1] is 2, must be 3, the C of gradOutput"}, 1, {2, 2, 4, 5}),
        values({"out has size 4 in dimension 2", "must have 3, as inputSize says"}, 1, {2, 3, 3, 5}),
        values({"out has size 5 in dimension 3", "must have 6, as inputSize says"}, 1, {2, 3, 4, 6}),
    };
    append(faults, memory("gradOutput", 0, "out", 1));
    expect_in_order(nearest_2d_backward(), faults);
    expect_each(nearest_2d_backward(), overlaps("gradOutput", 0, "out", 1));
    expect_huge_refused(nearest_2d_backward(), 0);
}

static void refuses_nearest_2d(void **)
{
    Faults faults = handles({{"self", 0}, {"outputSize", 10}, {"out", 1}});
    append(faults, {
                       type({"type of self is ACL_INT64 (9), must be one of"}, {0, 1}, ACL_INT64),
                       type({"type of out is ACL_BF16 (27)"}, {1}, ACL_BF16),
                       format({"format of out is ACL_FORMAT_ND (2)"}, {1}, ACL_FORMAT_ND),
                       shape({"self has 3 dimensions"}, 0, {2, 3, 20}),
                       shape({"out has 3 dimensions"}, 1, {2, 3, 48}),
                       values({"outputSize has 3 values, must have 2"}, 0, {6, 8, 1}),
                       format({"format of self is ACL_FORMAT_NHWC (1), must be another one"}, {0, 1}, ACL_FORMAT_NHWC),
                       shape({"out has size 1 in dimension 0"}, 1, {1, 3, 6, 8}),
                       scale({"scalesW is -0.5, must not be negative"}, 1, -0.5),
                   });
    append(faults, bad_scales("scalesW", 1));
    append(faults, {scale({"scalesH is -2, must not be negative"}, 0, -2)});
    append(faults, bad_scales("scalesH", 0));
    append(faults, {
                       scale({"scalesH is 64, must be at most 50"}, 0, 64),
                       values({"scalesH is 0 and the sizes are 4 and 201"}, 0, {201, 8}),
                       scale({"scalesW is 64, must be at most 50"}, 1, 64),
                       {161002,
                        {"outputSize[1] is 0, must be more than 0"},
                        [](Call &c) {
                            c.arrays[0].values = {6, 0}, c.scales[1] = 1.5;
                        }},
                       values({"out has size 6 in dimension 2", "must have 7, as outputSize says"}, 0, {7, 8}),
                       values({"out has size 8 in dimension 3", "must have 9, as outputSize says"}, 0, {6, 9}),
                   });
    append(faults, memory("self", 0, "out", 1));
    expect_in_order(nearest_2d(), faults);
}

// The limit itself is allowed, and with a scale outputSize has no say.
static void accepts_limits_of_nearest(void **)
{
    Call call = nearest_1d_backward();
    call.scales[0] = 50;
    call.arrays[0].values = {-1};
    expect_success(call);
    call = nearest_1d_backward();
    call.tensors[0].shape = {2, 3, 200};
    call.arrays[0].values = {200};
    expect_success(call);
    call = nearest_2d_backward();
    call.scales[0] = call.scales[1] = 50;
    call.arrays[0].values = {0, 0};
    expect_success(call);
}

// ---- Value by value, and sums -------------------------------------------------------------------

static const Sizes nine_dims = {1, 1, 1, 1, 1, 2, 3, 4, 5};

static Fault alpha(const Texts &texts, aclDataType type)
{
    return {161002, texts, [=](Call &c) { c.alpha = scalar(static_cast<int64_t>(1), type); }};
}

static Fault handle(const Texts &texts, aclnnStatus status, Handle handle)
{
    return {status, texts, [=](Call &c) { c.alpha.handle = handle; }};
}

// What reaches further than overlaps can be looked for. Without an address nothing else refuses it.
static Fault too_far(const std::string &name, size_t tensor)
{
    return {161002, {name + " reaches the bytes [", "must stay within 2^61 of it"}, [=](Call &c) {
                c.tensors[tensor].data = nullptr;
                c.tensors[tensor].stride = Sizes(c.tensors[tensor].shape.size(), 1);
                c.tensors[tensor].stride[0] = INT64_C(1) << 59;
                c.tensors[tensor].storage = {INT64_MAX};
            }};
}

// Out and an input share memory, without being the same view.
static Faults shared_with_self(size_t out)
{
    const Texts texts = {"out at address 0x", "overlaps self at address 0x",
                         "must be the same view or have memory of its own"};
    return {
        {161002, texts, [=](Call &c) { c.tensors[out].data = static_cast<char *>(c.tensors[0].data) + 4; }},
        {161002, texts, [=](Call &c) { c.tensors[out].data = static_cast<char *>(c.tensors[0].data) + 476; }},
        {161002, texts,
         [=](Call &c) {
             c.tensors[out].data = c.tensors[0].data;
             c.tensors[out].offset = 1;
             c.tensors[out].storage = {1000};
         }},
        {161002, texts,
         [=](Call &c) {
             c.tensors[out].data = c.tensors[0].data;
             c.tensors[out].stride = {60, 20, 1, 4};
             c.tensors[out].storage = {1000};
         }},
        {161002,
         {"out has strides (60, 20, 5, 0), with which elements overlap; must give each element memory"},
         [=](Call &c) {
             c.tensors[out].stride = {60, 20, 5, 0};
         }},
    };
}

static void refuses_add(void **)
{
    Faults faults = null_results();
    append(faults,
           {{161001, {"self is NULL, must not be"}, [](Call &c) { c.tensors[0].handle = Handle::NONE; }},
            {161001, {"other is NULL, must not be"}, [](Call &c) { c.tensors[1].handle = Handle::NONE; }},
            handle({"alpha is NULL, must not be"}, 161001, Handle::NONE),
            {161001, {"out is NULL, must not be"}, [](Call &c) { c.tensors[2].handle = Handle::NONE; }},
            {161002, {"self is 0x", "a tensor that is alive"}, [](Call &c) { c.tensors[0].handle = Handle::STALE; }},
            handle({"alpha is 0x", "must be a scalar that is alive"}, 161002, Handle::STALE)});
    append(faults,
           {
               type({"type of self is ACL_DOUBLE (11), must be one of ACL_FLOAT, ACL_FLOAT16, ACL_BF16"}, {0, 1, 2},
                    ACL_DOUBLE),
               type({"type of self is ACL_INT32 (3), must be one of"}, {0}, ACL_INT32),
               type({"type of other is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of self"}, {1}, ACL_FLOAT16),
               type({"type of out is ACL_BF16 (27), must be ACL_FLOAT (0), that of self"}, {2}, ACL_BF16),
               alpha({"type of alpha is ACL_BOOL (12), must be a floating-point or an integer type"}, ACL_BOOL),
               alpha({"type of alpha is ACL_COMPLEX32"}, ACL_COMPLEX32),
               shape({"self has 9 dimensions, must have at most 8"}, 0, nine_dims),
               shape({"other has 9 dimensions, must have at most 8"}, 1, nine_dims),
               shape({"other has size 2 in dimension 0 of its shape (2, 1, 5), must have 3 or 1, for self has 3 in "
                      "dimension 1"},
                     1, {2, 1, 5}),
               shape({"other has size 0 in dimension 2 of its shape (3, 1, 0), must have 5 or 1"}, 1, {3, 1, 0}),
               shape({"out has shape (2, 3, 1, 5), must have (2, 3, 4, 5), to which self and other broadcast"}, 2,
                     {2, 3, 1, 5}),
               shape({"out has shape (3, 4, 5), must have (2, 3, 4, 5), to which"}, 2, {3, 4, 5}),
               shape({"out has shape (1, 2, 3, 4, 5), must have (2, 3, 4, 5)"}, 2, {1, 2, 3, 4, 5}),
           });
    append(faults, memory("self", 0, "out", 2));
    expect_in_order(add(), faults);
    expect_each(add(), {too_far("self", 0), too_far("other", 1), too_far("out", 2)});
    expect_each(add(), shared_with_self(2));
    expect_each(add(), {{161002, {"out at address", "overlaps other", "must be the same view"}, [](Call &c) {
                             c.tensors[2].data = c.tensors[1].data;
                         }}});
    expect_huge_refused(add(), 0);
}

static void refuses_mul(void **)
{
    Faults faults = handles({{"self", 0}, {"other", 1}, {"out", 2}});
    append(faults,
           {
               type({"type of self is ACL_INT8 (2), must be one of"}, {0}, ACL_INT8),
               type({"type of other is ACL_BF16 (27), must be ACL_FLOAT (0), that of self"}, {1}, ACL_BF16),
               type({"type of out is ACL_DOUBLE (11), must be ACL_FLOAT (0)"}, {2}, ACL_DOUBLE),
               shape({"self has 9 dimensions, must have at most 8"}, 0, nine_dims),
               shape({"other has 9 dimensions, must have at most 8"}, 1, nine_dims),
               shape({"other has size 4 in dimension 2 of its shape (3, 1, 4), must have 5 or 1"}, 1, {3, 1, 4}),
               shape({"out has shape (), must have (2, 3, 4, 5)"}, 2, {}),
           });
    append(faults, memory("self", 0, "out", 2));
    expect_in_order(mul(), faults);
    expect_each(mul(), shared_with_self(2));
}

static void refuses_relu(void **)
{
    Faults faults = handles({{"self", 0}, {"out", 1}});
    append(faults, {
                       type({"type of self is ACL_DOUBLE (11), must be one of"}, {0, 1}, ACL_DOUBLE),
                       type({"type of out is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of self"}, {1}, ACL_FLOAT16),
                       shape({"self has 9 dimensions, must have at most 8"}, 0, nine_dims),
                       shape({"out has shape (2, 3, 20), must have (2, 3, 4, 5), that of self"}, 1, {2, 3, 20}),
                       shape({"out has shape (2, 3, 4, 0), must have (2, 3, 4, 5)"}, 1, {2, 3, 4, 0}),
                   });
    append(faults, memory("self", 0, "out", 1));
    expect_in_order(relu(), faults);
    expect_each(relu(), shared_with_self(1));
    expect_huge_refused(relu(), 1);
}

static void refuses_reduce_sum(void **)
{
    Faults faults = handles({{"self", 0}, {"dims", 10}, {"out", 1}});
    append(faults,
           {
               type({"type of self is ACL_INT64 (9), must be one of"}, {0, 1}, ACL_INT64),
               type({"type of out is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of self"}, {1}, ACL_FLOAT16),
               {161002,
                {"dtype is ACL_DOUBLE (11), must be ACL_FLOAT (0), the type of self"},
                [](Call &c) { c.dtype = ACL_DOUBLE; }},
               shape({"self has 9 dimensions, must have at most 8"}, 0, nine_dims),
               values({"dims[0] is 4, must be at least -4 and less than 4, the number of dimensions"}, 0, {4}),
               values({"dims[1] is -5, must be at least -4 and less than 4"}, 0, {1, -5}),
               values({"dims[0] is -9223372036854775808, must be"}, 0, {INT64_MIN}),
               values({"dims[1] is 1, must name a dimension that no value before it has named"}, 0, {1, 1}),
               values({"dims[2] is -3, must name a dimension"}, 0, {0, 1, -3}),
               values({"out has shape (2, 4, 5), must have (2, 3, 4), that of self without the dimensions"}, 0, {3}),
               {161002,
                {"out has shape (2, 4, 5), must have (2, 1, 4, 5), that of self with 1 for each dimension"},
                [](Call &c) { c.keep_dims = true; }},
               shape({"out has shape (2, 2, 4, 5), must have (2, 4, 5)"}, 1, {2, 2, 4, 5}),
           });
    append(faults, memory("self", 0, "out", 1));
    expect_in_order(reduce_sum(), faults);
    expect_each(reduce_sum(), overlaps("self", 0, "out", 1));
    expect_each(reduce_sum(), {too_far("self", 0), too_far("out", 1)});
    expect_huge_refused(reduce_sum(), 0);

    Call call = reduce_sum(); // no dimension at all has a name
    call.tensors[0].shape = call.tensors[1].shape = {};
    call.arrays[0].values = {0};
    expect_refusal(call, {161002, {"dims[0] is 0, must be at least 0 and less than 0"}, nullptr});
}

// What is empty is not computed, but looked at.
static void refuses_empty_tensors(void **)
{
    Call sum = reduce_sum();
    sum.tensors[0].shape = {2, 0, 4, 5};
    sum.tensors[1].stride = {0, 5, 1};
    expect_refusal(sum, {161002, {"out has strides (0, 5, 1), with which elements overlap"}, nullptr});
    Call rectified = relu();
    rectified.tensors[0].shape = rectified.tensors[1].shape = {0, -1};
    expect_refusal(rectified, {161002, {"self has shape (0, -1), must not have negative sizes"}, nullptr});
    Call gradient = grid_backward();
    gradient.tensors[0].shape[2] = gradient.tensors[2].shape[1] = gradient.tensors[4].shape[1] = 0;
    gradient.tensors[3].stride = {1, 1, 1, 1};
    expect_refusal(gradient, {161002, {"inputGrad has strides (1, 1, 1, 1), with which elements overlap"}, nullptr});
}

// ---- Grid sample --------------------------------------------------------------------------------

static void refuses_grid_backward(void **)
{
    Faults faults = handles({{"gradOutput", 0}, {"input", 1}, {"grid", 2}, {"inputGrad", 3}, {"gridGrad", 4}});
    append(faults,
           {
               {161002, {"outputMask is 0x", "that is alive"}, [](Call &c) { c.mask.handle = Handle::STALE; }},
               type({"type of gradOutput is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of input"}, {0}, ACL_FLOAT16),
               type({"type of grid is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of input"}, {2}, ACL_FLOAT16),
               type({"type of inputGrad is ACL_DOUBLE (11), must be ACL_FLOAT (0), that of input"}, {3}, ACL_DOUBLE),
               type({"type of gridGrad is ACL_INT8 (2), must be ACL_FLOAT (0), that of input"}, {4}, ACL_INT8),
               type({"type of input is ACL_INT32 (3), must be one of ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16"},
                    {0, 1, 2, 3, 4}, ACL_INT32),
           });
    append(faults, sampling_modes(2));
    append(
        faults,
        {
            shape({"input has 3 dimensions, (2, 3, 42), must have 4"}, 1, {2, 3, 42}),
            shape({"grid has 5 dimensions, (2, 4, 5, 2, 1), must have 4"}, 2, {2, 4, 5, 2, 1}),
            shape({"gradOutput has 3 dimensions, (2, 3, 20), must have 4"}, 0, {2, 3, 20}),
            shape({"grid has size 1 in dimension 0 of its shape (1, 4, 5, 2), must have 2, the N of input"}, 2,
                  {1, 4, 5, 2}),
            shape({"gradOutput has size 1 in dimension 0", "must have 2, the N of input"}, 0, {1, 3, 4, 5}),
            shape({"gradOutput has size 4 in dimension 1", "must have 3, the C of input"}, 0, {2, 4, 4, 5}),
            shape({"input has size 0 in dimension 2 of its shape (2, 3, 0, 7), must have more than 0"}, 1,
                  {2, 3, 0, 7}),
            shape({"input has size 0 in dimension 3"}, 1, {2, 3, 6, 0}),
            shape({"grid has size 3 in dimension 1", "must have 4, the H of gradOutput"}, 2, {2, 3, 5, 2}),
            shape({"grid has size 6 in dimension 2", "must have 5, the W of gradOutput"}, 2, {2, 4, 6, 2}),
            shape({"grid has size 3 in dimension 3", "must have 2, x and y"}, 2, {2, 4, 5, 3}),
            shape({"inputGrad has shape (2, 3, 7, 6), must have (2, 3, 6, 7), that of input"}, 3, {2, 3, 7, 6}),
            shape({"inputGrad has shape (2, 3, 6, 7, 1), must have (2, 3, 6, 7), that of input"}, 3, {2, 3, 6, 7, 1}),
            shape({"gridGrad has shape (2, 4, 10), must have (2, 4, 5, 2), that of grid"}, 4, {2, 4, 10}),
            {161002,
             {"outputMask has 3 values, must have 2"},
             [](Call &c) {
                 c.mask.values = {1, 1, 1};
             }},
        });
    append(faults, memory("input", 1, "inputGrad", 3));
    expect_in_order(grid_backward(), faults);
    expect_each(grid_backward(), gradient_overlaps());
}

static void refuses_grid(void **)
{
    Faults faults = handles({{"input", 0}, {"grid", 1}, {"out", 2}});
    append(faults, {
                       type({"type of grid is ACL_DOUBLE (11), must be ACL_FLOAT (0), that of input"}, {1}, ACL_DOUBLE),
                       type({"type of out is ACL_DOUBLE (11), must be ACL_FLOAT (0), that of input"}, {2}, ACL_DOUBLE),
                       type({"type of input is ACL_UINT8 (4), must be one of"}, {0, 1, 2}, ACL_UINT8),
                   });
    append(faults, sampling_modes(2));
    append(faults, {
                       shape({"input has 3 dimensions"}, 0, {2, 3, 42}),
                       shape({"grid has 3 dimensions"}, 1, {2, 20, 2}),
                       shape({"out has 5 dimensions"}, 2, {2, 3, 4, 5, 1}),
                       shape({"grid has size 1 in dimension 0"}, 1, {1, 4, 5, 2}),
                       shape({"out has size 1 in dimension 0"}, 2, {1, 3, 4, 5}),
                       shape({"out has size 4 in dimension 1"}, 2, {2, 4, 4, 5}),
                       shape({"input has size 0 in dimension 2"}, 0, {2, 3, 0, 7}),
                       shape({"input has size 0 in dimension 3"}, 0, {2, 3, 6, 0}),
                       shape({"grid has size 4 in dimension 1", "must have 5, the H of out"}, 2, {2, 3, 5, 5}),
                       shape({"grid has size 5 in dimension 2", "must have 4, the W of out"}, 2, {2, 3, 4, 4}),
                       shape({"grid has size 1 in dimension 3", "must have 2, x and y"}, 1, {2, 4, 5, 1}),
                   });
    append(faults, memory("input", 0, "out", 2));
    expect_in_order(grid(), faults);
}

// An address may come later, but not after phase 2.
static void expect_missing_address(Call call, const std::string &name)
{
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%d: %s", call.status, call.message.c_str());
    assert_int_equal(phase_2(call), 161001);
    expect_message("the data address of " + name + " is NULL, must not be");
}

static void needs_addresses_in_phase_2(void **)
{
    const char *const names[] = {"gradOutput", "input", "grid", "inputGrad", "gridGrad"};
    for (size_t k = 0; k < 5; k++) {
        Call call = grid_backward();
        call.tensors[k].data = nullptr;
        expect_missing_address(call, names[k]);
    }
    Call call = bilinear_backward();
    call.tensors[0].data = call.tensors[1].data = nullptr;
    expect_missing_address(call, "gradOut");
    call.tensors[0].data = device_block(0);
    expect_missing_address(call, "out");
}

// What is masked off needs no memory, nor does input when only its gradient is wanted.
static void needs_only_wanted_memory(void **)
{
    Call call = grid_backward();
    call.mask.values = {1, 0};
    call.tensors[1].data = call.tensors[4].data = nullptr;
    expect_success(call);
    call.mask.values = {0, 1};
    expect_missing_address(call, "input");
    call = grid_backward();
    call.mask.values = {0, 1};
    call.tensors[3].data = nullptr;
    expect_success(call);
    call.tensors[3].data = call.tensors[0].data;
    expect_success(call);
    call.mask.values = {0, 0};
    for (Tensor &tensor : call.tensors)
        tensor.data = nullptr;
    expect_success(call);
    call.tensors[3].handle = Handle::NONE;
    expect_refusal(call, {161001, {"inputGrad is NULL"}, nullptr});
}

int main()
{

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bilinear_backward),
        cmocka_unit_test(refuses_bilinear),
        cmocka_unit_test(refuses_copies),
        cmocka_unit_test(refuses_mixed_layouts),
        cmocka_unit_test(refuses_nearest_1d_backward),
        cmocka_unit_test(refuses_nearest_1d_backward_sizes),
        cmocka_unit_test(refuses_nearest_1d_backward_mismatches),
        cmocka_unit_test(refuses_nearest_1d),
        cmocka_unit_test(refuses_nearest_2d_backward),
        cmocka_unit_test(refuses_nearest_2d_backward_sizes),
        cmocka_unit_test(refuses_nearest_2d_backward_mismatches),
        cmocka_unit_test(refuses_nearest_2d),
        cmocka_unit_test(accepts_limits_of_nearest),
        cmocka_unit_test(refuses_add),
        cmocka_unit_test(refuses_mul),
        cmocka_unit_test(refuses_relu),
        cmocka_unit_test(refuses_reduce_sum),
        cmocka_unit_test(refuses_empty_tensors),
        cmocka_unit_test(refuses_grid_backward),
        cmocka_unit_test(refuses_grid),
        cmocka_unit_test(needs_addresses_in_phase_2),
        cmocka_unit_test(needs_only_wanted_memory),
    };
    setenv("REGRAD_CHECK_SUPPRESS", "scale,output", 1); // notes about odd calls, of which there are many here
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}

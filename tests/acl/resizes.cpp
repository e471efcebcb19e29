// SPDX-License-Identifier: Apache-2.0
#include "resizes.h"

#include <cstdlib>
#include <sstream>

// ---- The table ----------------------------------------------------------------------------------

// Gives a function its parameters in their order: tensors, arrays and scales one after the other.
class Feeder
{
  public:
    explicit Feeder(const Objects &all) : objects(all)
    {
    }
    operator const aclTensor *()
    {
        return objects.t[tensor++];
    }
    operator aclTensor *()
    {
        return objects.t[tensor++];
    }
    operator const aclIntArray *()
    {
        return objects.a[array++];
    }
    operator bool()
    {
        return objects.call.align_corners;
    }
    operator double()
    {
        return objects.call.scales[scale++];
    }
    operator float()
    {
        return static_cast<float>(objects.call.scales[scale++]);
    }
    operator uint64_t *()
    {
        return objects.size;
    }
    operator aclOpExecutor **()
    {
        return objects.executor;
    }

  private:
    const Objects &objects;
    size_t tensor = 0, array = 0, scale = 0;
};

// Its braces have the parameters made from the first to the last.
struct Applied {
    aclnnStatus status;
    template <typename Function, typename... Arguments>
    Applied(Function function, Arguments... arguments) : status(function(arguments...))
    {
    }
};

template <typename... Parameters>
static std::function<aclnnStatus(const Objects &)> adapted(aclnnStatus (*function)(Parameters...))
{
    return [function](const Objects &objects) {
        Feeder feeder(objects);
        return Applied{function, static_cast<Parameters>(feeder)...}.status;
    };
}

static const std::vector<Resize> all = {
    {"aclnnUpsampleNearest1d", "upsample_nearest1d", "self", "out", 1, false, "", "FHBDU", Empty::NOTHING, Limit::ANY,
     false, false, adapted(aclnnUpsampleNearest1dGetWorkspaceSize), aclnnUpsampleNearest1d},
    {"aclnnUpsampleNearest1dV2", "upsample_nearest1d", "self", "out", 1, false, "scaleL", "FHBDU", Empty::NOTHING,
     Limit::ANY, false, false, adapted(aclnnUpsampleNearest1dV2GetWorkspaceSize), aclnnUpsampleNearest1dV2},
    {"aclnnUpsampleNearest1dBackward", "upsample_nearest1d_backward", "gradOut", "out", 1, true, "scales", "FHBD",
     Empty::CHANNELS, Limit::ANY, false, false, adapted(aclnnUpsampleNearest1dBackwardGetWorkspaceSize),
     aclnnUpsampleNearest1dBackward},
    {"aclnnUpsampleNearest2d", "upsample_nearest2d", "self", "out", 2, false, "", "FHBDU", Empty::NOTHING, Limit::ANY,
     false, false, adapted(aclnnUpsampleNearest2dGetWorkspaceSize), aclnnUpsampleNearest2d},
    {"aclnnUpsampleNearest2dV2", "upsample_nearest2d", "self", "out", 2, false, "scalesH scalesW", "FHBDU",
     Empty::SOURCE, Limit::ANY, false, false, adapted(aclnnUpsampleNearest2dV2GetWorkspaceSize),
     aclnnUpsampleNearest2dV2},
    {"aclnnUpsampleNearest2dBackward", "upsample_nearest2d_backward", "gradOut", "gradInput", 2, true,
     "scalesH scalesW", "FHB", Empty::CHANNELS, Limit::ANY, false, false,
     adapted(aclnnUpsampleNearest2dBackwardGetWorkspaceSize), aclnnUpsampleNearest2dBackward},
    {"aclnnUpsampleNearest3d", "upsample_nearest3d", "self", "out", 3, false, "scalesD scalesH scalesW", "FHBDU",
     Empty::NOTHING, Limit::ANY, false, false, adapted(aclnnUpsampleNearest3dGetWorkspaceSize), aclnnUpsampleNearest3d},
    {"aclnnUpsampleNearest3dBackward", "upsample_nearest3d_backward", "gradOut", "gradInput", 3, true,
     "scalesD scalesH scalesW", "FHBD", Empty::NOTHING, Limit::ANY, false, false,
     adapted(aclnnUpsampleNearest3dBackwardGetWorkspaceSize), aclnnUpsampleNearest3dBackward},
    {"aclnnUpsampleNearestExact3d", "upsample_nearest_exact3d", "self", "out", 3, false, "scalesD scalesH scalesW",
     "FHB", Empty::NOTHING, Limit::ANY, false, false, adapted(aclnnUpsampleNearestExact3dGetWorkspaceSize),
     aclnnUpsampleNearestExact3d},
    {"aclnnUpsampleNearestExact3dBackward", "upsample_nearest_exact3d_backward", "gradOut", "gradInput", 3, true,
     "scalesD scalesH scalesW", "FHB", Empty::NOTHING, Limit::GROWS_BY_50, false, false,
     adapted(aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize), aclnnUpsampleNearestExact3dBackward},
    {"aclnnUpsampleLinear1d", "upsample_linear1d", "self", "out", 1, false, "scale", "FHB", Empty::NOTHING, Limit::ANY,
     false, true, adapted(aclnnUpsampleLinear1dGetWorkspaceSize), aclnnUpsampleLinear1d},
    {"aclnnUpsampleLinear1dBackward", "upsample_linear1d_backward", "gradOut", "out", 1, true, "scales", "FHB",
     Empty::NOTHING, Limit::GROWS_BY_500, false, true, adapted(aclnnUpsampleLinear1dBackwardGetWorkspaceSize),
     aclnnUpsampleLinear1dBackward},
    {"aclnnUpsampleTrilinear3d", "upsample_trilinear3d", "self", "out", 3, false, "scalesD scalesH scalesW", "FHBD",
     Empty::NOTHING, Limit::ANY, false, true, adapted(aclnnUpsampleTrilinear3dGetWorkspaceSize),
     aclnnUpsampleTrilinear3d},
    {"aclnnUpsampleTrilinear3dBackward", "upsample_trilinear3d_backward", "gradOut", "gradInput", 3, true,
     "scalesD scalesH scalesW", "FHBD", Empty::NOTHING, Limit::ANY, false, true,
     adapted(aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize), aclnnUpsampleTrilinear3dBackward},
    {"aclnnUpsampleBicubic2d", "upsample_bicubic2d", "self", "out", 2, false, "scalesH scalesW", "FHB", Empty::NOTHING,
     Limit::ANY, false, true, adapted(aclnnUpsampleBicubic2dGetWorkspaceSize), aclnnUpsampleBicubic2d},
    {"aclnnUpsampleBicubic2dBackward", "upsample_bicubic2d_backward", "gradOut", "gradInput", 2, true,
     "scalesH scalesW", "FHB", Empty::NOTHING, Limit::ANY, false, true,
     adapted(aclnnUpsampleBicubic2dBackwardGetWorkspaceSize), aclnnUpsampleBicubic2dBackward},
    {"aclnnUpsampleBilinear2dAA", "upsample_bilinear2d_aa", "input", "out", 2, false, "scalesH scalesW", "FHB",
     Empty::NOTHING, Limit::SHRINKS_BY_50, true, true, adapted(aclnnUpsampleBilinear2dAAGetWorkspaceSize),
     aclnnUpsampleBilinear2dAA},
    {"aclnnUpsampleBilinear2dAABackward", "upsample_bilinear2d_aa_backward", "gradOutput", "out", 2, true,
     "scalesH scalesW", "FHB", Empty::NOTHING, Limit::GROWS_BY_50, true, true,
     adapted(aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize), aclnnUpsampleBilinear2dAABackward},
    {"aclnnUpsampleBicubic2dAA", "upsample_bicubic2d_aa", "x", "out", 2, false, "scalesH scalesW", "FHB", Empty::SOURCE,
     Limit::SHRINKS_BY_50, true, true, adapted(aclnnUpsampleBicubic2dAAGetWorkspaceSize), aclnnUpsampleBicubic2dAA},
    {"aclnnUpsampleBicubic2dAAGrad", "upsample_bicubic2d_aa_backward", "gradOutput", "out", 2, true, "scalesH scalesW",
     "FHB", Empty::NOTHING, Limit::GROWS_BY_50, true, true, adapted(aclnnUpsampleBicubic2dAAGradGetWorkspaceSize),
     aclnnUpsampleBicubic2dAAGrad},
};

const std::vector<Resize> &resizes()
{
    return all;
}

// ---- Calls --------------------------------------------------------------------------------------

const Resize &find_resize(const std::string &name)
{
    for (const Resize &resize : resizes())
        if (resize.name == name)
            return resize;
    abort();
}

aclDataType type_of(char letter)
{
    switch (letter) {
    case 'F':
        return ACL_FLOAT;
    case 'H':
        return ACL_FLOAT16;
    case 'B':
        return ACL_BF16;
    case 'D':
        return ACL_DOUBLE;
    case 'U':
        return ACL_UINT8;
    default:
        abort();
    }
}

std::vector<std::string> scale_names(const Resize &resize)
{
    std::istringstream text(resize.scales);
    std::vector<std::string> names;
    for (std::string name; text >> name;)
        names.push_back(name);
    return names;
}

bool takes_channels_last(const Resize &resize)
{
    return resize.n_axes > 1 && !resize.is_antialiased;
}

aclFormat format_of(const Resize &resize, bool is_channels_last)
{
    if (resize.n_axes == 1)
        return ACL_FORMAT_NCL;
    if (resize.n_axes == 2)
        return is_channels_last ? ACL_FORMAT_NHWC : ACL_FORMAT_NCHW;
    return is_channels_last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW;
}

Sizes ordered(const Sizes &sizes, bool is_channels_last)
{
    Sizes changed = sizes;
    if (is_channels_last) {
        changed.erase(changed.begin() + 1);
        changed.push_back(sizes[1]);
    }
    return changed;
}

static Sizes joined(const Sizes &outer, const Sizes &axes)
{
    Sizes all = outer;
    all.insert(all.end(), axes.begin(), axes.end());
    return all;
}

static Tensor tensor_of(const Resize &resize, const Sizes &shape, int block, bool is_channels_last)
{
    Tensor tensor;
    tensor.shape = ordered(shape, is_channels_last);
    tensor.format = format_of(resize, is_channels_last);
    tensor.data = device_block(block);
    return tensor;
}

Call resize_call(const Resize &resize, const Sizes &outer, const Sizes &in, const Sizes &out, bool is_channels_last)
{
    const Sizes before = joined(outer, in), after = joined(outer, out);
    Call call;
    call.function = resize.name + "GetWorkspaceSize";
    call.tensors = {tensor_of(resize, resize.is_backward ? after : before, 0, is_channels_last),
                    tensor_of(resize, resize.is_backward ? before : after, 1, is_channels_last)};
    call.arrays.resize(resize.is_backward ? 2 : 1);
    call.arrays[0].values = out;
    if (resize.is_backward)
        call.arrays[1].values = ordered(before, is_channels_last);
    return call;
}

Call small_resize(const Resize &resize)
{
    const Sizes in = {2, 3, 4}, out = {3, 5, 6};
    return resize_call(resize, {2, 3}, Sizes(in.end() - resize.n_axes, in.end()),
                       Sizes(out.end() - resize.n_axes, out.end()));
}

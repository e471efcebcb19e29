/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *kind, *text;
} kinds[] = {
    {"host-pointer", "host memory where device memory is needed"},
    {"freed-memory", "device memory that has been freed"},
    {"unmapped-address", "reserved addresses without mapped memory"},
    {"no-access", "mapped memory used in a way that its device may not"},
    {"out-of-bounds", "a view or a copy that reaches past its allocation"},
    {"workspace-size", "a workspace smaller than phase 1 asked for"},
    {"workspace-alignment", "a workspace whose address is no multiple of 32"},
    {"workspace-overlap", "a workspace that lies on a tensor of the call"},
    {"invalid-free", "an address to free that is not the start of an allocation"},
    {"copy-direction", "a copy whose kind contradicts its addresses"},
    {"host-access", "device memory that the host reads or writes"},
    {"executor-reused", "an executor that is run twice"},
    {"executor-unused", "an executor that is never run"},
    {"executor-destroyed", "an executor that is destroyed after its run"},
    {"dead-object", "an object that is used after its end"},
    {"destroyed-twice", "an object, or memory, that is ended twice"},
    {"wrong-object", "an object of another kind, or none at all"},
    {"tensor-changed", "a tensor that is changed or destroyed between the phases"},
    {"leak-executor", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-stream", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-event", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-context", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-device-memory", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-host-memory", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-physical-memory", "a resource of the device that is left at aclFinalize or at exit"},
    {"leak-tensor", "an object of the host that is left at aclFinalize or at exit"},
    {"leak-array", "an object of the host that is left at aclFinalize or at exit"},
    {"leak-list", "an object of the host that is left at aclFinalize or at exit"},
    {"leak-scalar", "an object of the host that is left at aclFinalize or at exit"},
    {"leak-data-buffer", "an object of the host that is left at aclFinalize or at exit"},
    {"race-host", "memory that the host reads or writes while queued work still uses it"},
    {"race-free", "memory that is freed while queued work still uses it"},
    {"race-stream", "memory that two streams use, with nothing that orders them"},
    {"deadlock", "a wait that would never end"},
    {"before-init", "a call before aclInit"},
    {"after-finalize", "a call after aclFinalize"},
    {"wrong-order", "a device reset, or the runtime finalised, once too often"},
    {"wrong-context", "a stream used while another context is current, or none"},
    {"wrong-device", "an operator on a stream of another device than its memory"},
    {"wrong-thread", "aclrtProcessReport or aclrtUnSubscribeReport for a thread that has not subscribed"},
    {"reset-in-use", "a device that is reset before its work was waited for"},
    {"status-ignored", "a call that fails, or reads unwritten memory, because an earlier call has failed"},
    {"scale-inverted", "a scale that is the forward's input over its output"},
    {"scale-contradicts", "a scale that contradicts the sizes"},
    {"scale-ignored", "a scale that chips ignore"},
    {"output-size", "an outputSize that contradicts the gradient"},
    {"output-kept", "a result that is not written"},
    {"chip-type", "a type that chips refuse"},
    {"chip-format", "a format that chips refuse"},
};

const char *kinds_text(const char *kind)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].kind, kind) == 0)
            return kinds[k].text;
    return "what the check mode finds";
}

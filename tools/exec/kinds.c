/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *kind, *text;
} kinds[] = {
    {"host-pointer", "host memory where device memory is needed"},
    {"freed-memory", "device memory that has been freed"},
    {"unmapped-address", "reserved addresses at which nothing is mapped"},
    {"no-access", "mapped memory that its device may not use so"},
    {"out-of-bounds", "a view or a copy that reaches past its allocation"},
    {"workspace-size", "a workspace smaller than asked"},
    {"workspace-alignment", "a workspace that is no multiple of 32"},
    {"workspace-overlap", "a workspace that lies on a tensor of the call"},
    {"invalid-free", "freeing what is not the start of an allocation"},
    {"copy-direction", "a copy whose kind contradicts its addresses"},
    {"host-access", "device memory that the host reads or writes"},
    {"executor-reused", "an executor that is run twice"},
    {"executor-unused", "an executor that is never run"},
    {"executor-destroyed", "an executor that is destroyed after its run"},
    {"dead-object", "an object that is used after its end"},
    {"destroyed-twice", "an object, or memory, that is ended twice"},
    {"wrong-object", "an object of another kind, or none at all"},
    {"tensor-changed", "a tensor that is changed or destroyed between the phases"},
    {"leak-executor", "what is left at aclFinalize or at exit"},
    {"leak-stream", "what is left at aclFinalize or at exit"},
    {"leak-event", "what is left at aclFinalize or at exit"},
    {"leak-context", "what is left at aclFinalize or at exit"},
    {"leak-device-memory", "what is left at aclFinalize or at exit"},
    {"leak-host-memory", "what is left at aclFinalize or at exit"},
    {"leak-physical-memory", "what is left at aclFinalize or at exit"},
    {"leak-tensor", "objects of the host that are left at aclFinalize or at exit"},
    {"leak-array", "objects of the host that are left at aclFinalize or at exit"},
    {"leak-list", "objects of the host that are left at aclFinalize or at exit"},
    {"leak-scalar", "objects of the host that are left at aclFinalize or at exit"},
    {"leak-data-buffer", "objects of the host that are left at aclFinalize or at exit"},
    {"race-host", "the host reads or writes memory that queued work still uses"},
    {"race-free", "memory is freed that queued work still uses"},
    {"race-stream", "two streams use memory in no order"},
    {"deadlock", "a wait that would never end"},
    {"before-init", "use before aclInit"},
    {"after-finalize", "use after aclFinalize"},
    {"wrong-order", "a device reset, or the runtime finalised, once too often"},
    {"wrong-context", "a stream used while another context is current, or none"},
    {"wrong-device", "an operator on a stream of another device than its memory"},
    {"wrong-thread", "aclrtProcessReport or aclrtUnSubscribeReport for a thread that has not subscribed"},
    {"reset-in-use", "a device reset before its work was waited for"},
    {"status-ignored", "a call that fails, or reads what nobody wrote, because one before has failed"},
    {"scale-inverted", "a scale that is the forward's input over its output"},
    {"scale-contradicts", "a scale that contradicts the sizes"},
    {"scale-ignored", "a scale that chips ignore"},
    {"output-size", "an outputSize that contradicts the gradient"},
    {"output-kept", "results that are not written"},
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

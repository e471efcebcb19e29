# SPDX-License-Identifier: Apache-2.0
"""A program that lets the module acl do all but the operator: devices, streams, events and memory are integers there,
and go as they are to the functions that it calls itself.

    python_acl.py
"""
import ctypes
import struct

import acl

FLOAT, FORMAT_NCHW, HOST_TO_DEVICE, DEVICE_TO_HOST, HUGE_FIRST = 0, 0, 1, 2, 0
operators = ctypes.CDLL("libopapi.so")
for name in ("aclCreateTensor", "aclCreateIntArray"):
    getattr(operators, name).restype = ctypes.c_void_p


def must(returned):
    """The values of a call that has succeeded."""
    *values, status = returned if isinstance(returned, tuple) else (returned,)
    if status != 0:
        raise RuntimeError(f"status {status}: {acl.get_recent_err_msg()}")
    return values[0] if len(values) == 1 else values


def longs(values):
    return (ctypes.c_int64 * len(values))(*values)


class Tensor:
    """Device memory with its description."""

    def __init__(self, shape, values):
        data = struct.pack(f"{len(values)}f", *values)
        self.size = len(data)
        self.memory = must(acl.rt.malloc(self.size, HUGE_FIRST))
        must(acl.rt.memcpy(self.memory, self.size, acl.util.bytes_to_ptr(data), self.size, HOST_TO_DEVICE))
        self.handle = ctypes.c_void_p(operators.aclCreateTensor(
            longs(shape), ctypes.c_uint64(len(shape)), FLOAT, None, ctypes.c_int64(0), FORMAT_NCHW, longs(shape),
            ctypes.c_uint64(len(shape)), ctypes.c_void_p(self.memory)))

    def values(self):
        host = must(acl.rt.malloc_host(self.size))
        must(acl.rt.memcpy(host, self.size, self.memory, self.size, DEVICE_TO_HOST))
        data = acl.util.ptr_to_bytes(host, self.size)
        must(acl.rt.free_host(host))
        return list(struct.unpack(f"{self.size // 4}f", data))

    def destroy(self):
        must(operators.aclDestroyTensor(self.handle))
        must(acl.rt.free(self.memory))


def launch(grad, out, stream):
    """Queues the gradient of a nearest resize from 2 x 2 to 4 x 4; returns its workspace."""
    sizes = [ctypes.c_void_p(operators.aclCreateIntArray(longs(size), ctypes.c_uint64(len(size))))
             for size in ([4, 4], [1, 1, 2, 2])]
    n_bytes, executor, workspace = ctypes.c_uint64(), ctypes.c_void_p(), 0
    must(operators.aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(
        grad.handle, *sizes, ctypes.c_double(2), ctypes.c_double(2), out.handle, ctypes.byref(n_bytes),
        ctypes.byref(executor)))
    for size in sizes:
        must(operators.aclDestroyIntArray(size))
    if n_bytes.value > 0:
        workspace = must(acl.rt.malloc(n_bytes.value, HUGE_FIRST))
    must(operators.aclnnUpsampleNearestExact2dBackward(ctypes.c_void_p(workspace), n_bytes, executor,
                                                       ctypes.c_void_p(stream)))
    return workspace


def work(context):
    stream, start, end = must(acl.rt.create_stream()), must(acl.rt.create_event()), must(acl.rt.create_event())
    grad, out = Tensor([1, 1, 4, 4], range(16)), Tensor([1, 1, 2, 2], [0] * 4)
    must(acl.rt.set_context(context))
    must(acl.rt.record_event(start, stream))
    workspace = launch(grad, out, stream)
    must(acl.rt.record_event(end, stream))
    must(acl.rt.synchronize_stream(stream))
    if must(acl.rt.query_event(end)) != 0 or must(acl.rt.event_elapsed_time(start, end)) < 0:
        raise RuntimeError("the events are not done")
    if out.values() != [10, 18, 42, 50]:  # sums of 2 x 2 elements
        raise RuntimeError(f"the result is {out.values()}")
    if workspace:
        must(acl.rt.free(workspace))
    for owner in (grad, out):
        owner.destroy()
    for event in (start, end):
        must(acl.rt.destroy_event(event))
    must(acl.rt.destroy_stream(stream))


must(acl.init())
device = must(acl.rt.get_device_count()) - 1
must(acl.rt.set_device(device))
a_context = must(acl.rt.create_context(device))
for _ in range(10):
    work(a_context)
must(acl.rt.destroy_context(a_context))
must(acl.rt.reset_device(device))
must(acl.finalize())

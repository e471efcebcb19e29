# SPDX-License-Identifier: Apache-2.0
"""The same through Python's own foreign functions, as the client that this stands for makes them.

    mindnlp.py LIBRARY-DIRECTORY
"""
import atexit
import ctypes
import sys

FLOAT, FORMAT_ND, HOST_TO_DEVICE, DEVICE_TO_HOST = 0, 2, 1, 2
directory = sys.argv[1]
for name in ("libascendcl.so", "libnnopbase.so"):
    ctypes.CDLL(f"{directory}/{name}", mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(f"{directory}/libopapi.so", mode=ctypes.RTLD_GLOBAL)
for name in ("aclCreateTensor", "aclCreateIntArray"):
    getattr(library, name).restype = ctypes.c_void_p
backward = library.aclnnUpsampleBilinear2dBackwardGetWorkspaceSize
backward.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_bool] + [ctypes.c_double] * 2 + [ctypes.c_void_p] + [
    ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_void_p)]
executors = []


def must(status):
    if status != 0:
        raise RuntimeError(f"status {status}")


@atexit.register
def destroy_executors():
    for executor in executors:
        library.aclDestroyAclOpExecutor(executor)


def longs(values):
    return (ctypes.c_int64 * len(values))(*values)


def upload(values):
    memory = ctypes.c_void_p()
    host = (ctypes.c_float * len(values))(*values)
    must(library.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(ctypes.sizeof(host)), 0))
    must(library.aclrtMemcpy(memory, ctypes.c_size_t(ctypes.sizeof(host)), host, ctypes.c_size_t(ctypes.sizeof(host)),
                             HOST_TO_DEVICE))
    return memory


def tensor(shape, memory):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return ctypes.c_void_p(library.aclCreateTensor(
        longs(shape), ctypes.c_uint64(len(shape)), FLOAT, longs(strides), ctypes.c_int64(0), FORMAT_ND, longs(shape),
        ctypes.c_uint64(len(shape)), memory))


def resize(stream):
    read, written, workspace = upload([1, -8]), upload([0] * 8), ctypes.c_void_p()
    grad, out = tensor([1, 2, 1, 1], read), tensor([1, 2, 2, 2], written)
    output_size = ctypes.c_void_p(library.aclCreateIntArray(longs([1, 1]), ctypes.c_uint64(2)))
    input_size = ctypes.c_void_p(library.aclCreateIntArray(longs([1, 2, 2, 2]), ctypes.c_uint64(4)))
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    must(backward(grad, output_size, input_size, False, 0.0, 0.0, out, ctypes.byref(size), ctypes.byref(executor)))
    executors.append(executor)
    if size.value > 0:
        must(library.aclrtMalloc(ctypes.byref(workspace), size, 0))
    must(library.aclnnUpsampleBilinear2dBackward(workspace, size, executor, stream))
    must(library.aclrtSynchronizeStream(stream))
    if size.value > 0:
        must(library.aclrtFree(workspace))
    for handle in (grad, out):
        must(library.aclDestroyTensor(handle))
    for handle in (output_size, input_size):
        must(library.aclDestroyIntArray(handle))
    result = (ctypes.c_float * 8)()
    nbytes = ctypes.c_size_t(ctypes.sizeof(result))
    must(library.aclrtMemcpy(result, nbytes, written, nbytes, DEVICE_TO_HOST))
    must(library.aclrtFree(read))
    must(library.aclrtFree(written))
    if list(result) != [0.25] * 4 + [-2] * 4:
        raise RuntimeError(f"the result is {list(result)}")


must(library.aclInit(None))
must(library.aclnnInit(None))
must(library.aclrtSetDevice(0))
a_stream = ctypes.c_void_p()
must(library.aclrtCreateStream(ctypes.byref(a_stream)))
for _ in range(10):
    resize(a_stream)
must(library.aclrtDestroyStream(a_stream))
must(library.aclrtResetDevice(0))
must(library.aclFinalize())

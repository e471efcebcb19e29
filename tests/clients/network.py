# SPDX-License-Identifier: Apache-2.0
"""A step of a small network through Python's foreign functions. Libraries are opened by absolute path below the home,
and every function is bound at the start, with its types, before anything is called.

    network.py HOME

The network: z = w x + b, h = relu(z), y = h h, and y is enlarged to twice its size by nearest-exact. Given the
gradient of what was enlarged, w and b go a step down.
"""
import ctypes
import sys

FLOAT, FORMAT_ND, HOST_TO_DEVICE, DEVICE_TO_HOST = 0, 2, 1, 2
HANDLE, SIZE, INTS = ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_int64)
LIBRARIES = ["libascendcl.so", "libnnopbase.so", "libopapi.so", "libaclnn_math.so", "libaclnn_ops_infer.so"]
OPERATORS = {  # what phase 1 takes before the size and the executor
    "aclnnAdd": [HANDLE] * 4,
    "aclnnMul": [HANDLE] * 3,
    "aclnnRelu": [HANDLE] * 2,
    "aclnnReduceSum": [HANDLE, HANDLE, ctypes.c_bool, ctypes.c_int, HANDLE],
    "aclnnUpsampleNearestExact2dBackward": [HANDLE] * 3 + [ctypes.c_double] * 2 + [HANDLE],
}
STATUSES = {  # functions that return one
    "aclInit": [ctypes.c_char_p], "aclFinalize": [], "aclnnInit": [ctypes.c_char_p], "aclnnFinalize": [],
    "aclrtSetDevice": [ctypes.c_int32], "aclrtResetDevice": [ctypes.c_int32],
    "aclrtCreateStream": [ctypes.POINTER(HANDLE)], "aclrtDestroyStream": [HANDLE], "aclrtSynchronizeStream": [HANDLE],
    "aclrtMalloc": [ctypes.POINTER(HANDLE), ctypes.c_size_t, ctypes.c_int], "aclrtFree": [HANDLE],
    "aclrtMemcpy": [HANDLE, ctypes.c_size_t, HANDLE, ctypes.c_size_t, ctypes.c_int],
    "aclDestroyTensor": [HANDLE], "aclDestroyIntArray": [HANDLE], "aclDestroyScalar": [HANDLE],
}
CREATORS = {
    "aclCreateTensor": [INTS, SIZE, ctypes.c_int, INTS, ctypes.c_int64, ctypes.c_int, INTS, SIZE, HANDLE],
    "aclCreateIntArray": [INTS, SIZE],
    "aclCreateScalar": [HANDLE, ctypes.c_int],
}
opened = [ctypes.CDLL(f"{sys.argv[1]}/lib64/{name}", mode=ctypes.RTLD_GLOBAL) for name in LIBRARIES]


def bind(name, arguments, result=ctypes.c_int):
    """The function of this name; every library below the home has it."""
    functions = [getattr(library, name) for library in opened]
    for function in functions:
        function.argtypes, function.restype = arguments, result
    return functions[-1]


def checked(name, arguments):
    function = bind(name, arguments)

    def call(*values):
        status = function(*values)
        if status != 0:
            raise RuntimeError(f"{name}: {status}: {last_message()}")

    return call


last_message = bind("aclGetRecentErrMsg", [], ctypes.c_char_p)
acl = {name: checked(name, arguments) for name, arguments in STATUSES.items()}
create = {name: bind(name, arguments, HANDLE) for name, arguments in CREATORS.items()}
phase_1 = {name: checked(name + "GetWorkspaceSize", arguments + [ctypes.POINTER(SIZE), ctypes.POINTER(HANDLE)])
           for name, arguments in OPERATORS.items()}
phase_2 = {name: checked(name, [HANDLE, SIZE, HANDLE, HANDLE]) for name in OPERATORS}


def longs(values):
    return (ctypes.c_int64 * len(values))(*values)


class Tensor:
    """Device memory and its description, both ended by `end`."""

    def __init__(self, shape, values=None):
        self.n_values = 1
        for size in shape:
            self.n_values *= size
        self.memory = HANDLE()
        host = (ctypes.c_float * self.n_values)(*(values or []))
        acl["aclrtMalloc"](ctypes.byref(self.memory), ctypes.sizeof(host), 0)
        acl["aclrtMemcpy"](self.memory, ctypes.sizeof(host), host, ctypes.sizeof(host), HOST_TO_DEVICE)
        strides = [1]
        for size in reversed(shape[1:]):
            strides.insert(0, strides[0] * size)
        self.handle = create["aclCreateTensor"](longs(shape), len(shape), FLOAT, longs(strides), 0, FORMAT_ND,
                                                longs(shape), len(shape), self.memory)

    def values(self):
        host = (ctypes.c_float * self.n_values)()
        acl["aclrtMemcpy"](host, ctypes.sizeof(host), self.memory, ctypes.sizeof(host), DEVICE_TO_HOST)
        return list(host)

    def end(self):
        acl["aclDestroyTensor"](self.handle)
        acl["aclrtFree"](self.memory)


def run(stream, name, *arguments):
    size, executor, workspace = SIZE(), HANDLE(), HANDLE()
    plain = [value.handle if isinstance(value, Tensor) else value for value in arguments]
    phase_1[name](*plain, ctypes.byref(size), ctypes.byref(executor))
    if size.value > 0:
        acl["aclrtMalloc"](ctypes.byref(workspace), size.value, 0)
    phase_2[name](workspace, size, executor, stream)
    if size.value > 0:
        acl["aclrtSynchronizeStream"](stream)
        acl["aclrtFree"](workspace)


def forward(stream, one, x, w, b, z, h, y):
    run(stream, "aclnnMul", x, w, z)
    run(stream, "aclnnAdd", z, b, one, z)
    run(stream, "aclnnRelu", z, h)
    run(stream, "aclnnMul", h, h, y)


def backward(stream, one, grad_enlarged, x, h, grad_y, grad_z, grad_w, sum_w, sum_b):
    large, small, every = (create["aclCreateIntArray"](longs(values), len(values))
                           for values in ([4, 4], [1, 1, 2, 2], []))
    run(stream, "aclnnUpsampleNearestExact2dBackward", grad_enlarged, large, small, 0, 0, grad_y)
    run(stream, "aclnnAdd", h, h, one, grad_z)
    run(stream, "aclnnMul", grad_y, grad_z, grad_z)
    run(stream, "aclnnMul", grad_z, x, grad_w)
    run(stream, "aclnnReduceSum", grad_w, every, True, FLOAT, sum_w)
    run(stream, "aclnnReduceSum", grad_z, every, True, FLOAT, sum_b)
    for array in (large, small, every):
        acl["aclDestroyIntArray"](array)


def step(stream):
    single, image = [1, 1, 1, 1], [1, 1, 2, 2]
    grad_enlarged, x = Tensor([1, 1, 4, 4], range(1, 17)), Tensor(image, [1, -2, 3, 4])
    w, b, sum_w, sum_b = Tensor(single, [2]), Tensor(single, [-1]), Tensor(single), Tensor(single)
    z, h, y, grad_y, grad_z, grad_w = (Tensor(image) for _ in range(6))
    one, rate = (create["aclCreateScalar"](ctypes.byref(ctypes.c_float(value)), FLOAT) for value in (1, -1 / 1024))
    forward(stream, one, x, w, b, z, h, y)
    backward(stream, one, grad_enlarged, x, h, grad_y, grad_z, grad_w, sum_w, sum_b)
    run(stream, "aclnnAdd", w, sum_w, rate, w)
    run(stream, "aclnnAdd", b, sum_b, rate, b)
    acl["aclrtSynchronizeStream"](stream)

    results = [tensor.values() for tensor in (z, y, grad_y, grad_z, w, b)]
    for tensor in (grad_enlarged, x, w, b, sum_w, sum_b, z, h, y, grad_y, grad_z, grad_w):
        tensor.end()
    for scalar in (one, rate):
        acl["aclDestroyScalar"](scalar)
    wanted = [[1, -5, 5, 7], [1, 0, 25, 49], [14, 22, 46, 54], [28, 0, 460, 756],
              [2 - 4432 / 1024], [-1 - 1244 / 1024]]  # 4432: the sum of x times grad_z; 1244: that of grad_z
    if results != wanted:
        raise RuntimeError(f"the results are {results}, must be {wanted}")


def main():
    acl["aclInit"](None)
    acl["aclnnInit"](None)
    acl["aclrtSetDevice"](0)
    stream = HANDLE()
    acl["aclrtCreateStream"](ctypes.byref(stream))
    for _ in range(10):
        step(stream)
    acl["aclrtDestroyStream"](stream)
    acl["aclrtResetDevice"](0)
    acl["aclnnFinalize"]()
    acl["aclFinalize"]()


main()

# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries, by DLPack. The producers here are our own, and count what becomes of their capsules."""

import ctypes
import gc

import numpy as np
import problems
import pytest
import regrad

CPU, CUDA = (1, 0), (2, 3)
FLOAT, BFLOAT, UINT, COMPLEX = 2, 4, 1, 5


class Tensor(ctypes.Structure):
    """DLTensor, as DLPack's documentation describes it."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.argtypes, new_capsule.restype = [ctypes.c_void_p, ctypes.c_char_p, DESTRUCTOR], ctypes.py_object


class Producer:
    """An array behind DLPack alone. n_alive is the number of capsules that someone holds."""

    def __init__(self, array, versioned=True, device=CPU, flags=0, **fields):
        self.array, self.versioned, self.device, self.flags, self.fields = array, versioned, device, flags, fields
        self.version = (1, 1)
        self.n_alive = self.n_made = 0
        self.destructor = DESTRUCTOR(self._destroyed)
        self.keep = []

    def _destroyed(self, _):
        self.n_alive -= 1

    def __dlpack_device__(self):
        return self.device

    def _tensor(self):
        a = self.array
        integers = ctypes.c_int64 * max(a.ndim, 1)
        shape, strides = integers(*a.shape), integers(*(s // a.itemsize for s in a.strides))
        self.keep += [shape, strides]
        code = BFLOAT if a.dtype.name == "bfloat16" else {"f": FLOAT, "u": UINT, "c": COMPLEX}[a.dtype.kind]
        tensor = Tensor(a.ctypes.data, (1, 0), a.ndim, code, 8 * a.itemsize, 1, shape, strides, 0)
        for name, value in self.fields.items():
            setattr(tensor, name, value)
        return tensor

    def _capsule(self):
        managed = Managed(self._tensor())
        if self.versioned:
            managed = Versioned(self.version, None, None, self.flags, self._tensor())
        self.keep.append(managed)
        self.n_alive += 1
        self.n_made += 1
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return new_capsule(ctypes.addressof(managed), name, self.destructor)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        assert max_version is not None and max_version[0] >= 1 and stream is None and copy is None
        return self._capsule()


class Old(Producer):
    """From before DLPack 1.0: there is no max_version."""

    def __init__(self, array, **options):
        super().__init__(array, versioned=False, **options)

    def __dlpack__(self, *, stream=None):
        return self._capsule()


KINDS = pytest.mark.parametrize("kind", [Producer, Old])
X = problems.random_array(8, (2, 3, 5, 4), np.dtype("f4"))


def resize(array, **options):
    return regrad.upsample_nearest_exact2d(array, (7, 6), **options)


@KINDS
@pytest.mark.parametrize("dtype", [*problems.FLOATS, np.dtype("u1")], ids=str)
def test_every_type_and_layout(kind, dtype):
    array = problems.random_array(1, (2, 3, 5, 4), dtype)
    wanted = problems.bits(resize(array))
    for laid in (array, array[::-1, :, ::-1][::-1, :, ::-1], array.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)):
        producer = kind(laid)
        result = resize(producer)
        assert problems.bits(result) == wanted and result.dtype == dtype
        assert producer.n_made == 1 and producer.n_alive == 0


@KINDS
def test_results(kind):
    memory = np.full((2, 3, 7, 12), 5, "f4")
    out = kind(memory[..., ::2])
    assert resize(X, out=out) is out
    assert problems.bits(memory[..., ::2]) == problems.bits(resize(X))
    assert (memory[..., 1::2] == 5).all() and out.n_alive == 0


@KINDS
def test_plans(kind):
    plan = regrad.Plan("upsample_nearest_exact2d", kind(X), (7, 6))
    out = kind(np.empty((2, 3, 7, 6), "f4"))
    assert problems.bits(plan.run(kind(X))) == problems.bits(resize(X))
    assert plan.run(kind(X), out=out) is out
    assert problems.bits(out.array) == problems.bits(resize(X))
    assert out.n_alive == 0


def test_no_strides_mean_c_order():
    producer = Old(X, strides=ctypes.POINTER(ctypes.c_int64)())
    assert problems.bits(resize(producer)) == problems.bits(resize(X))


def test_offsets_in_bytes():
    producer = Old(X[1:], data=X.ctypes.data, byte_offset=X.strides[0])
    assert problems.bits(resize(producer)) == problems.bits(resize(X[1:]))


@KINDS
def test_no_elements_and_no_memory(kind):
    assert resize(kind(np.empty((0, 3, 5, 4), "f4"), data=None)).shape == (0, 3, 7, 6)


class Spoiled(Producer):
    """Whose memory is overwritten when nobody holds its capsule any more."""

    def _destroyed(self, _):
        self.array[...] = 77


def test_memory_lives_as_long_as_it_is_used():
    producer = Spoiled(X.copy())
    assert problems.bits(resize(producer)) == problems.bits(resize(X))
    assert (producer.array == 77).all()


def test_memory_is_given_back_after_a_refusal():
    producer = Producer(X)
    with pytest.raises(ValueError):
        regrad.upsample_nearest_exact2d(producer, (0, 6))
    gc.collect()
    assert (producer.n_made, producer.n_alive) == (1, 0)


def test_read_only_memory():
    assert problems.bits(resize(Producer(X, flags=1))) == problems.bits(resize(X))
    with pytest.raises(ValueError, match="^upsample_nearest_exact2d: out is read-only, wanted memory that may be"):
        resize(X, out=Producer(np.empty((2, 3, 7, 6), "f4"), flags=1))
    plan = regrad.Plan("upsample_nearest_exact2d", X, (7, 6))
    with pytest.raises(ValueError, match="^upsample_nearest_exact2d: out is read-only, wanted memory that may be"):
        plan.run(X, out=Producer(np.empty((2, 3, 7, 6), "f4"), flags=1))


@pytest.mark.parametrize("device, name", [
    (CUDA, r"a CUDA device \(3\)"), ((10, 0), r"a ROCm device \(0\)"), ((99, 1), r"a device of type 99 \(1\)"),
])  # fmt: skip
def test_memory_of_devices(device, name):
    producer = Producer(X, device=device)
    with pytest.raises(TypeError, match=f"^upsample_nearest_exact2d: input lies on {name}, wanted memory of the CPU"):
        resize(producer)
    assert producer.n_made == 0
    with pytest.raises(TypeError, match=f"^upsample_nearest_exact2d: out lies on {name}, wanted memory of the CPU"):
        resize(X, out=producer)


@pytest.mark.parametrize("device", [(1, 0), (3, 0), (11, 2)])
def test_memory_that_the_cpu_has_too(device):
    assert problems.bits(resize(Producer(X, device=device))) == problems.bits(resize(X))


@pytest.mark.parametrize("fields, sentence", [
    ({"lanes": 4}, r"input has DLPack type \(2, 32, 4\), which NumPy has not"),
    ({"code": 77}, r"input has DLPack type \(77, 32, 1\), which NumPy has not"),
    ({"bits": 4}, r"input has DLPack type \(2, 4, 1\), which NumPy has not"),
    ({"bits": 8}, r"input has DLPack type \(2, 8, 1\), which NumPy has not"),
    ({"bits": 24}, r"input has DLPack type \(2, 24, 1\), which NumPy has not"),
    ({"code": COMPLEX, "bits": 64}, r"input\.dtype is complex64, wanted float16, bfloat16"),
    ({"code": 0}, r"input\.dtype is int32, wanted float16, bfloat16"),
])  # fmt: skip
def test_types(fields, sentence):
    producer = Producer(X, **fields)
    with pytest.raises(TypeError, match=f"^upsample_nearest_exact2d: {sentence}"):
        resize(producer)
    assert producer.n_alive == 0


def test_a_later_version():
    producer = Producer(X)
    producer.version = (2, 0)
    with pytest.raises(TypeError, match=r"^upsample_nearest_exact2d: input has DLPack version 2\.0, wanted 1"):
        resize(producer)


class Broken:
    """What has the names, but does not keep the word."""

    def __init__(self, device, memory):
        self.device, self.memory = device, memory

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if isinstance(self.memory, Exception):
            raise self.memory
        return self.memory


def taken_capsule():
    capsule = Old(X).__dlpack__()
    set_name = ctypes.pythonapi.PyCapsule_SetName
    set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
    set_name(capsule, USED)
    return capsule


USED = b"used_dltensor"


@pytest.mark.parametrize("device, memory, sentence", [
    (None, None, "does not give its memory away: "),
    (CPU, BufferError("it is lent"), "does not give its memory away: it is lent"),
    (CPU, RuntimeError("it requires a gradient"), "does not give its memory away: it requires a gradient"),
    (CPU, 5, "gives 5 for its memory, wanted a DLPack capsule that nobody has taken"),
])  # fmt: skip
def test_broken_producers(device, memory, sentence):
    with pytest.raises(TypeError, match=f"^upsample_nearest_exact2d: input {sentence}"):
        resize(Broken(device, memory))


def test_a_capsule_that_was_taken():
    with pytest.raises(TypeError, match="^upsample_nearest_exact2d: input gives <capsule .* wanted a DLPack capsule"):
        resize(Broken(CPU, taken_capsule()))


def test_errors_of_the_producer_stay_what_they_are():
    with pytest.raises(ZeroDivisionError):
        resize(Broken(CPU, ZeroDivisionError()))


def test_numpy_takes_results():
    if not hasattr(np, "from_dlpack"):
        pytest.skip("this NumPy has no from_dlpack")
    assert problems.bits(np.from_dlpack(resize(X))) == problems.bits(resize(X))

# SPDX-License-Identifier: Apache-2.0
"""The module acl: addresses of Python's memory and back."""
import ctypes
import subprocess
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy (Debian: python3-numpy) is missing", file=sys.stderr)
    sys.exit(77)

from session import DEVICE_TO_HOST, HOST_TO_DEVICE, Session

import acl

FLOAT, DOUBLE, INT8, HALF, OBJECT = 11, 12, 1, 23, 17  # NumPy's numbers


class Bytes(unittest.TestCase):
    def test_is_the_memory_itself(self):
        data = b"one" + bytes([0]) + b"two"
        n_users = sys.getrefcount(data)
        ptr = acl.util.bytes_to_ptr(data)
        self.assertEqual(ctypes.string_at(ptr, 7), b"one\0two")
        self.assertEqual(acl.util.bytes_to_ptr(data), ptr)
        self.assertEqual(sys.getrefcount(data), n_users)

    def test_is_a_copy(self):
        place = ctypes.create_string_buffer(b"one\0two", 7)
        data = acl.util.ptr_to_bytes(ctypes.addressof(place), 7)
        place[0] = b"x"
        self.assertEqual(data, b"one\0two")
        self.assertEqual(acl.util.ptr_to_bytes(ctypes.addressof(place), 3), b"xne")
        self.assertEqual(acl.util.ptr_to_bytes(0, 0), b"")

    def test_refusals(self):
        for kind, sentence, function, *arguments in [
            (TypeError, "bytes_to_ptr: data is 'text', must be bytes", acl.util.bytes_to_ptr, "text"),
            (TypeError, "ptr_to_bytes: ptr is None, must be an integer", acl.util.ptr_to_bytes, None, 1),
            (OverflowError, "ptr_to_bytes: size is -1, must be an integer from 0", acl.util.ptr_to_bytes, 8, -1),
            (ValueError, "ptr_to_bytes: ptr is 0, must be an address where there are 1 bytes",
             acl.util.ptr_to_bytes, 0, 1),
            (ValueError, "ptr_to_bytes: 1 bytes are asked for at 0x8000000000000009, must be as many as there are",
             acl.util.ptr_to_bytes, 0x8000000000000009, 1),
            (ValueError, "bytes are asked for at 0x8, must be as many as there are",
             acl.util.ptr_to_bytes, 8, 2**64 - 1),
        ]:
            with self.assertRaisesRegex(kind, sentence):
                function(*arguments)


class Arrays(Session):
    def test_is_the_memory_itself(self):
        array = np.array([[1, 2, 3], [4, 5, 6]], "f4")
        n_users = sys.getrefcount(array)
        ptr = acl.util.numpy_to_ptr(array)
        view = acl.util.ptr_to_numpy(ptr, (3, 2), FLOAT)
        self.assertEqual(view.dtype, np.float32)
        self.assertEqual(view.tolist(), [[1, 2], [3, 4], [5, 6]])
        view[2, 0] = 9
        self.assertEqual(array.tolist(), [[1, 2, 3], [4, 9, 6]])
        self.assertEqual(sys.getrefcount(array), n_users)

    def test_types(self):
        data = bytes([0, 0, 0, 0, 0, 0, 0xF0, 0x3F])  # 1.0 as a double; 0x3ff0 is the last half
        ptr = acl.util.bytes_to_ptr(data)
        self.assertEqual(acl.util.ptr_to_numpy(ptr, (1,), DOUBLE).tolist(), [1.0])
        self.assertEqual(acl.util.ptr_to_numpy(ptr, [8], INT8).tolist(), [0, 0, 0, 0, 0, 0, -16, 63])
        self.assertEqual(acl.util.ptr_to_numpy(ptr, (2, 2), HALF).tolist(), [[0, 0], [0, 1.984375]])
        self.assertEqual(acl.util.ptr_to_numpy(ptr, (), DOUBLE).tolist(), 1.0)
        self.assertEqual(acl.util.ptr_to_numpy(0, (2, 0), FLOAT).shape, (2, 0))
        copy, view = acl.util.np_array(ptr, (1,), DOUBLE), acl.util.ptr_to_numpy(ptr, (1,), DOUBLE)
        view[0] = 2
        self.assertEqual((copy.tolist(), view.tolist()), ([1.0], [2.0]))

    def test_there_and_back(self):
        there, back = np.arange(12, dtype="f4").reshape(3, 4), np.zeros((3, 4), "f4")
        device = self.device_memory(there.nbytes)
        size = np.prod(there.shape) * there.itemsize  # NumPy's integers are integers
        self.assertEqual(acl.rt.memcpy(device, size, acl.util.numpy_to_ptr(there), size, HOST_TO_DEVICE), 0)
        self.assertEqual(acl.rt.memcpy(acl.util.numpy_to_ptr(back), size, device, size, DEVICE_TO_HOST), 0)
        self.assertEqual(back.tolist(), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])

    def test_contiguous(self):
        array = np.zeros((4, 6), "f4")
        self.assertEqual(acl.util.numpy_to_ptr(array.T), acl.util.numpy_to_ptr(array))
        self.assertEqual(acl.util.numpy_to_ptr(array[1:]), acl.util.numpy_to_ptr(array) + 24)
        with self.assertRaisesRegex(ValueError, r"array has the strides \(24, 8\) for the shape \(4, 3\), must be "
                                    "contiguous; numpy.ascontiguousarray makes a copy that is"):
            acl.util.numpy_to_ptr(array[:, ::2])

    def test_refusals(self):
        for kind, sentence, function, *arguments in [
            (TypeError, r"numpy_to_ptr: array is \[1, 2\], must be a NumPy array", acl.util.numpy_to_ptr, [1, 2]),
            (TypeError, "ptr_to_numpy: shape is 3, must be a tuple of integers", acl.util.ptr_to_numpy, 8, 3, FLOAT),
            (OverflowError, r"shape\[1\] is -2, must be an integer from 0", acl.util.ptr_to_numpy, 8, (1, -2), FLOAT),
            (TypeError, "dtype is 'f4', must be an integer", acl.util.ptr_to_numpy, 8, (1,), "f4"),
            (ValueError, "dtype is 17, must be the number of a NumPy type of numbers: 0, 1, 2",
             acl.util.ptr_to_numpy, 8, (1,), OBJECT),
            (ValueError, "ptr is 0, must be an address where there are 4 bytes",
             acl.util.ptr_to_numpy, 0, (1,), FLOAT),
            (ValueError, "bytes are asked for at 0x8", acl.util.ptr_to_numpy, 8, (2**40, 2**40), FLOAT),
        ]:
            with self.assertRaisesRegex(kind, sentence):
                function(*arguments)


class NumPy(unittest.TestCase):
    def test_is_not_needed(self):
        script = "import sys; sys.modules['numpy'] = None; import acl; print(acl.util.bytes_to_ptr(b'ab') > 0)"
        self.assertEqual(subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True).stdout,
                         b"True\n")


if __name__ == "__main__":
    unittest.main()

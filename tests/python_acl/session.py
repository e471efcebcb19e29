# SPDX-License-Identifier: Apache-2.0
"""What the tests of the module acl share: a device, a stream, and work that lasts as long as a test wants."""
import ctypes
import os
import threading
import unittest

import acl

LIBRARY = ctypes.CDLL(os.path.join(os.path.dirname(acl.__file__), "../../../lib64/libascendcl.so"))
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
COMPLETE, NOT_READY = 0, 1  # as acl.rt.query_event and acl.rt.stream_query have them
HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Session(unittest.TestCase):
    """A test with device 0 and a stream of it."""

    def setUp(self):
        self.assertEqual(acl.rt.set_device(0), 0)
        self.addCleanup(acl.rt.reset_device, 0)
        self.stream = self.value(acl.rt.create_stream())
        self.addCleanup(acl.rt.destroy_stream, self.stream)

    def value(self, returned):
        """The value of a call that must succeed and return a value and a status."""
        value, status = returned
        self.assertEqual(status, 0, acl.get_recent_err_msg())
        return value

    def event(self):
        event = self.value(acl.rt.create_event())
        self.addCleanup(acl.rt.destroy_event, event)
        return event

    def device_memory(self, size):
        ptr = self.value(acl.rt.malloc(size, 0))
        self.addCleanup(acl.rt.free, ptr)
        return ptr

    def hold_up(self):
        """Work on the stream that lasts until the function that is returned has been called."""
        release = threading.Event()
        self.function = HOST_FUNCTION(lambda _: release.wait())  # lives until the stream has been destroyed
        self.assertEqual(LIBRARY.aclrtLaunchHostFunc(ctypes.c_void_p(self.stream), self.function, None), 0)
        self.addCleanup(release.set)
        return release.set


def in_new_thread(function, *arguments):
    """What the function returns in a thread that has no context."""
    returned = []
    thread = threading.Thread(target=lambda: returned.append(function(*arguments)))
    thread.start()
    thread.join()
    return returned[0]

# SPDX-License-Identifier: Apache-2.0
"""The module acl: the statuses of C come through, values of wrong types are refused before C sees them, and each name
that is not there gives a sentence."""
import importlib
import unittest

from session import HOST_TO_DEVICE, Session, in_new_thread

import acl

MOST = 2**64 - 1
NOTHING = 0x123456789  # a handle and an address of nothing


class Statuses(Session):
    def check(self, cases):
        for wanted, function, *arguments in cases:
            returned = function(*arguments)
            status = returned[-1] if isinstance(returned, tuple) else returned
            self.assertEqual(status, wanted, (function.__name__, arguments))
            if isinstance(returned, tuple):
                self.assertEqual(set(returned[:-1]), {0}, (function.__name__, arguments))

    def test_devices(self):
        self.check([
            (107001, acl.rt.set_device, 2), (107001, acl.rt.set_device, -1), (107001, acl.rt.reset_device, 2),
            (507007, acl.rt.reset_device, 1), (107001, acl.rt.query_device_status, 2),
            (107001, acl.rt.create_context, 2), (100000, acl.rt.destroy_context, 0),
            (107002, acl.rt.destroy_context, NOTHING), (100000, acl.rt.set_context, 0),
            (107002, acl.rt.set_context, NOTHING), (100000, acl.rt.set_ts_device, 2),
            (107000, acl.rt.device_enable_peer_access, 0, 0), (107001, acl.rt.device_disable_peer_access, 2),
            (107000, acl.rt.synchronize_device_with_timeout, 0),
        ])
        self.assertEqual(acl.rt.destroy_context(acl.rt.get_context()[0]), 107000)  # a default context

    def test_no_context(self):
        for function, *arguments in [
            (acl.rt.get_device,), (acl.rt.get_context,), (acl.rt.create_stream,), (acl.rt.synchronize_device,),
            (acl.rt.malloc, 1, 0), (acl.rt.malloc_host, 1), (acl.rt.get_mem_info, 0), (acl.rt.synchronize_stream, 0),
            (acl.rt.create_stream_with_config, 0, 0),
        ]:
            in_new_thread(self.check, [(107002, function, *arguments)])

    def test_streams_and_events(self):
        event = self.event()
        self.check([
            (100000, acl.rt.destroy_stream, 0), (107003, acl.rt.destroy_stream, NOTHING),
            (107003, acl.rt.synchronize_stream, NOTHING), (107003, acl.rt.synchronize_stream, MOST),
            (107003, acl.rt.stream_query, NOTHING), (107000, acl.rt.create_stream_with_config, 0, 1 << 31),
            (107000, acl.rt.synchronize_stream_with_timeout, self.stream, 0),
            (100000, acl.rt.set_stream_failure_mode, self.stream, 2),
            (107000, acl.rt.set_stream_overflow_switch, self.stream, 2),
            (107000, acl.rt.create_event_with_flag, 1 << 31), (207000, acl.rt.create_event_ex_with_flag, 0x40),
            (100000, acl.rt.destroy_event, 0), (107017, acl.rt.destroy_event, NOTHING),
            (107003, acl.rt.record_event, event, NOTHING), (107017, acl.rt.record_event, NOTHING, self.stream),
            (100000, acl.rt.query_event, 0), (107017, acl.rt.query_event, NOTHING),
            (107017, acl.rt.synchronize_event, NOTHING), (107000, acl.rt.synchronize_event_with_timeout, event, 0),
            (507000, acl.rt.event_elapsed_time, event, event), (107017, acl.rt.event_elapsed_time, NOTHING, event),
            (507000, acl.rt.event_get_timestamp, event), (107003, acl.rt.stream_wait_event, NOTHING, event),
            (100000, acl.rt.stream_wait_event, self.stream, 0),
        ])

    def test_memory(self):
        ptr, data = self.device_memory(8), bytes(8)
        host = acl.util.bytes_to_ptr(data)
        self.check([
            (100000, acl.rt.malloc, 0, 0), (100000, acl.rt.malloc_host, 0), (207001, acl.rt.malloc, MOST, 0),
            (100000, acl.rt.free, 0), (107000, acl.rt.free, ptr + 1), (107000, acl.rt.free_host, ptr),
            (100000, acl.rt.memcpy, ptr, 8, 0, 8, HOST_TO_DEVICE), (100000, acl.rt.memcpy, 0, 8, host, 8, 1),
            (107000, acl.rt.memcpy, ptr, 7, host, 8, HOST_TO_DEVICE), (100000, acl.rt.memcpy, ptr, 8, host, 8, 9),
            (0, acl.rt.memcpy, 0, 0, 0, 0, 9), (107003, acl.rt.memcpy_async, ptr, 8, ptr, 4, 3, NOTHING),
            (207000, acl.rt.memcpy_async, host, 8, host + 4, 4, 0, self.stream),
            (100000, acl.rt.memcpy_2d, ptr, 2, host, 4, 4, 2, HOST_TO_DEVICE),
            (100000, acl.rt.memset, 0, 8, 0, 8), (107000, acl.rt.memset, ptr, 8, 0, 9),
            (100000, acl.rt.get_mem_info, 18), (100000, acl.rt.mem_flush, 0, 1),
        ])


class Types(unittest.TestCase):
    def refused(self, kind, sentence, function, *arguments):
        with self.assertRaises(kind) as caught:
            function(*arguments)
        self.assertEqual(str(caught.exception), sentence)

    def test_types(self):
        signed, unsigned = "from -2147483648 to 2147483647", f"from 0 to {MOST}"
        for sentence, function, *arguments in [
            (f"acl.rt.malloc: size is '8', must be an integer {unsigned}", acl.rt.malloc, "8", 0),
            (f"acl.rt.malloc: policy is None, must be an integer {signed}", acl.rt.malloc, 8, None),
            (f"acl.rt.set_device: device_id is 1.0, must be an integer {signed}", acl.rt.set_device, 1.0),
            (f"acl.rt.memcpy: src is b'x', must be an integer {unsigned}", acl.rt.memcpy, 1, 1, b"x", 1, 1),
            ("acl.init: config_path is 5, must be a text", acl.init, 5),
            ("acl.op.set_model_dir: model_dir is None, must be a text", acl.op.set_model_dir, None),
        ]:
            self.refused(TypeError, sentence, function, *arguments)
        self.refused(ValueError, "acl.init: config_path is 'a\\x00b', must be a text without NUL characters", acl.init,
                     "a\0b")

    def test_ranges(self):
        for value in (-1, 2**64):
            self.refused(OverflowError, f"acl.rt.free: ptr is {value}, must be an integer from 0 to {MOST}",
                         acl.rt.free, value)
        for value in (-2**31 - 1, 2**31):
            self.refused(OverflowError, f"acl.rt.set_device: device_id is {value}, must be an integer from -2147483648 "
                         "to 2147483647", acl.rt.set_device, value)
        with self.assertRaisesRegex(OverflowError, "^acl.rt.free: ptr is .*, must be an integer from 0"):
            acl.rt.free(10**5000)

    def test_integers_of_other_types(self):
        class Device:
            def __index__(self):
                return 2
        self.assertEqual(acl.rt.set_device(Device()), 107001)
        self.assertEqual(acl.rt.free(False), 100000)

    def test_numbers_of_arguments(self):
        for sentence, function, *arguments in [
            ("acl.rt.malloc: the number of arguments is 1, must be that of (size, policy)", acl.rt.malloc, 8),
            ("acl.rt.create_stream: the number of arguments is 1, must be that of ()", acl.rt.create_stream, 0),
            ("acl.init: the number of arguments is 2, must be that of (config_path)", acl.init, "", ""),
        ]:
            self.refused(TypeError, sentence, function, *arguments)


class Missing(unittest.TestCase):
    def test_sentence(self):
        for module, name in [(acl, "mdl"), (acl.rt, "launch_callback"), (acl.util, "to_list"), (acl.op, "compile")]:
            sentence = (f"^{module.__name__}.{name} is not there: the module acl of regrad has no such name; "
                        "docs/acl.md lists the names that it has$")
            with self.assertRaisesRegex(AttributeError, sentence):
                getattr(module, name)
            self.assertFalse(hasattr(module, name))
        with self.assertRaises(ImportError):
            importlib.import_module("acl.mdl")


if __name__ == "__main__":
    unittest.main()

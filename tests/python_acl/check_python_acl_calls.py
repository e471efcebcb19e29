# SPDX-License-Identifier: Apache-2.0
"""The module acl: each function of acl and acl.rt succeeds, alone and in whole programs. The values are the ones that
include/acl promises."""
import os
import subprocess
import sys
import threading
import time
import unittest

from session import COMPLETE, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, NOT_READY, Session, in_new_thread

import acl

# What programs for the vendor's module call.
NAMES = {
    acl: "init finalize get_soc_name",
    acl.op: "set_model_dir",
    acl.rt: "set_device reset_device get_device get_device_count create_context destroy_context set_context "
            "get_context create_stream create_stream_with_config destroy_stream synchronize_stream "
            "synchronize_device malloc free malloc_host free_host memcpy memcpy_async memset get_mem_info "
            "create_event create_event_with_flag create_event_ex_with_flag destroy_event record_event query_event "
            "synchronize_event event_elapsed_time stream_wait_event get_run_mode",
    acl.util: "bytes_to_ptr ptr_to_bytes numpy_to_ptr ptr_to_numpy np_array",
}
CALLED = set()


def recorded(name, function):
    def call(*values):
        CALLED.add(name)
        return function(*values)
    return call


def setUpModule():
    for name in acl.rt.TABLE:
        setattr(acl.rt, name, recorded(name, getattr(acl.rt, name)))


def tearDownModule():
    if len(sys.argv) == 1:  # all tests were run
        assert CALLED == set(acl.rt.TABLE), f"not tested: {set(acl.rt.TABLE) - CALLED}"


def run(script):
    """What a process of its own prints."""
    environment = {**os.environ, "REGRAD_SOC_NAME": "Ascend910B3"}
    return subprocess.run([sys.executable, "-c", "import acl\n" + script], env=environment, stdout=subprocess.PIPE,
                          check=True, text=True).stdout.split()


class Start(unittest.TestCase):
    def test_names(self):
        for module, names in NAMES.items():
            for name in names.split():
                self.assertTrue(callable(getattr(module, name)), name)
                self.assertIn(name, dir(module))

    def test_document(self):
        path = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../docs/acl.md")
        with open(path, encoding="utf-8") as file:
            section = file.read().split("## From Python: the module acl\n")[1].split("\n## ")[0]
        for module, prefix in [(acl, "acl."), (acl.rt, "acl.rt.")]:
            for name, row in module.TABLE.items():
                self.assertRegex(section, rf"[`.]{name}[`(]", prefix + name)
                self.assertIn(f"`{row.c_name}`", section, prefix + name)

    def test_help(self):
        self.assertEqual(acl.rt.TABLE["malloc"].takes(), "(size, policy)")
        self.assertEqual(acl.init.__doc__, "status = acl.init(config_path)\n\nCalls aclInit.")
        self.assertEqual(acl.get_soc_name.__doc__, "text = acl.get_soc_name()\n\nCalls aclrtGetSocName.")

    def test_init(self):
        self.assertEqual(run("print(acl.init(), acl.init(), acl.init(''), acl.finalize(), acl.finalize())"),
                         ["0", "100002", "100002", "0", "100037"])
        self.assertEqual(run("print(acl.init('/nowhere/acl.json'), acl.init())"), ["100003", "0"])

    def test_soc_name(self):
        self.assertEqual(acl.get_soc_name(), "Ascend910B1")
        self.assertEqual(run("print(acl.get_soc_name(), acl.rt.get_soc_name())"), ["Ascend910B3"] * 2)
        self.assertEqual(acl.rt.get_soc_name(), "Ascend910B1")

    def test_version(self):
        self.assertEqual(acl.rt.get_version(), (1, 17, 0, 0))

    def test_model_dir(self):
        self.assertEqual(acl.op.set_model_dir("op_models"), 0)

    def test_messages(self):
        acl.get_recent_err_msg()
        self.assertEqual(acl.get_recent_err_msg(), "")
        acl.rt.free(0)
        self.assertRegex(acl.get_recent_err_msg(), "^aclrtFree: devPtr is NULL")


class Devices(Session):
    def test_devices(self):
        self.assertEqual(acl.rt.get_device_count(), (2, 0))
        self.assertEqual(acl.rt.get_device(), (0, 0))
        self.assertEqual(acl.rt.get_run_mode(), (1, 0))
        self.assertEqual(acl.rt.query_device_status(1), (0, 0))
        self.assertEqual(acl.rt.device_can_access_peer(0, 1), (1, 0))
        self.assertEqual(acl.rt.device_can_access_peer(1, 1), (0, 0))
        self.assertEqual(acl.rt.device_enable_peer_access(1, 0), 0)
        self.assertEqual(acl.rt.device_disable_peer_access(1), 0)
        self.assertEqual(acl.rt.set_ts_device(0), 0)
        self.assertEqual(acl.rt.set_op_wait_timeout(60), 0)
        self.assertEqual(acl.rt.synchronize_device(), 0)
        self.assertEqual(acl.rt.synchronize_device_with_timeout(1000), 0)

    def test_reset(self):
        def use():
            taken = [acl.rt.set_device(1) for _ in range(3)]
            one_less = [acl.rt.reset_device(1), acl.rt.get_device()]
            return [*taken, *one_less, acl.rt.reset_device_force(1), acl.rt.get_device()]
        self.assertEqual(in_new_thread(use), [0, 0, 0, 0, (1, 0), 0, (0, 107002)])

    def test_contexts(self):
        before = self.value(acl.rt.get_context())
        context = self.value(acl.rt.create_context(1))
        self.assertNotIn(context, (0, before))
        self.assertEqual(acl.rt.get_context(), (context, 0))
        self.assertEqual(acl.rt.get_device(), (1, 0))
        self.assertEqual(acl.rt.set_context(before), 0)
        self.assertEqual(acl.rt.get_device(), (0, 0))
        self.assertEqual(acl.rt.destroy_context(context), 0)
        self.assertEqual(acl.rt.set_context(context), 107002)


class Streams(Session):
    def test_streams(self):
        stream = self.value(acl.rt.create_stream_with_config(3, 1))
        self.assertNotIn(stream, (0, self.stream))
        self.assertEqual(acl.rt.stream_query(stream), (COMPLETE, 0))
        self.assertEqual(acl.rt.set_stream_failure_mode(stream, 1), 0)
        self.assertEqual(acl.rt.set_stream_overflow_switch(stream, 1), 0)
        self.assertEqual(acl.rt.get_stream_overflow_switch(stream), (1, 0))
        self.assertEqual(acl.rt.synchronize_stream(stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(0), 0)  # the default stream
        self.assertEqual(acl.rt.destroy_stream(stream), 0)
        self.assertEqual(acl.rt.destroy_stream_force(self.value(acl.rt.create_stream())), 0)

    def test_work_that_lasts(self):
        release = self.hold_up()
        self.assertEqual(acl.rt.stream_query(self.stream), (NOT_READY, 0))
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(self.stream, 1), 507046)
        release()
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(self.stream, -1), 0)
        self.assertEqual(acl.rt.stream_query(self.stream), (COMPLETE, 0))

    def test_calls_let_other_threads_run(self):
        """The interpreter's lock is free while C waits, or else the host function could not end, nor this call."""
        timer = threading.Timer(0.05, self.hold_up())
        timer.start()
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        timer.join()


class Events(Session):
    def test_life_of_an_event(self):
        event = self.event()
        self.assertEqual(acl.rt.query_event(event), (NOT_READY, 0))  # never recorded
        release = self.hold_up()
        self.assertEqual(acl.rt.record_event(event, self.stream), 0)
        self.assertEqual(acl.rt.query_event(event), (NOT_READY, 0))
        self.assertEqual(acl.rt.query_event_status(event), (0, 0))  # the other way round: 0 is not ready
        self.assertEqual(acl.rt.synchronize_event_with_timeout(event, 1), 507047)
        release()
        self.assertEqual(acl.rt.synchronize_event(event), 0)
        self.assertEqual(acl.rt.query_event(event), (COMPLETE, 0))
        self.assertEqual(acl.rt.query_event_status(event), (1, 0))
        self.assertEqual(acl.rt.reset_event(event, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        self.assertEqual(acl.rt.query_event(event), (NOT_READY, 0))

    def test_flags(self):
        for create in (acl.rt.create_event_with_flag, acl.rt.create_event_ex_with_flag):
            event = self.value(create(8))
            self.assertEqual(acl.rt.destroy_event(event), 0)
            self.assertEqual(acl.rt.destroy_event(event), 107017)

    def test_streams_wait(self):
        event, waiting = self.event(), self.value(acl.rt.create_stream())
        self.addCleanup(acl.rt.destroy_stream, waiting)
        release = self.hold_up()
        self.assertEqual(acl.rt.record_event(event, self.stream), 0)
        self.assertEqual(acl.rt.stream_wait_event(waiting, event), 0)
        self.assertEqual(acl.rt.query_event_wait_status(event), (1, 0))
        self.assertEqual(acl.rt.stream_query(waiting), (NOT_READY, 0))
        release()
        self.assertEqual(acl.rt.synchronize_stream(waiting), 0)
        self.assertEqual(acl.rt.query_event_wait_status(event), (0, 0))

    def test_times(self):
        start, end = self.event(), self.event()
        begin = time.monotonic()
        self.assertEqual(acl.rt.record_event(start, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_event(start), 0)
        release = self.hold_up()
        self.assertEqual(acl.rt.record_event(end, self.stream), 0)
        time.sleep(0.02)
        release()
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        passed = (time.monotonic() - begin) * 1000
        ms = self.value(acl.rt.event_elapsed_time(start, end))
        self.assertIsInstance(ms, float)
        self.assertGreaterEqual(ms, 19.9)
        self.assertLessEqual(ms, passed + 0.1)
        timestamp = self.value(acl.rt.event_get_timestamp(start))
        self.assertGreaterEqual(timestamp, begin * 1e6 - 1)
        self.assertLessEqual(timestamp, time.monotonic() * 1e6)


class Memory(Session):
    def test_there_and_back(self):
        device, other = self.device_memory(6), self.device_memory(6)
        data, result = b"abcdef", bytes(6)
        there, back = acl.util.bytes_to_ptr(data), acl.util.bytes_to_ptr(result)
        self.assertEqual(acl.rt.memcpy(device, 6, there, 6, HOST_TO_DEVICE), 0)
        self.assertEqual(acl.rt.memset(device + 1, 5, 0x178, 2), 0)  # 0x78 is x
        self.assertEqual(acl.rt.mem_flush(device, 6), 0)
        self.assertEqual(acl.rt.mem_invalidate(device, 6), 0)
        self.assertEqual(acl.rt.memcpy_async(other, 6, device, 6, DEVICE_TO_DEVICE, self.stream), 0)
        self.assertEqual(acl.rt.memset_async(other, 6, ord("y"), 1, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        self.assertEqual(acl.rt.memcpy(back, 6, other, 6, DEVICE_TO_HOST), 0)
        self.assertEqual(acl.util.ptr_to_bytes(back, 6), b"yxxdef")

    def test_rows(self):
        device, rows = self.device_memory(16), b"abc-def-"
        ptr = acl.util.bytes_to_ptr(rows)
        self.assertEqual(acl.rt.memset(device, 16, ord("."), 16), 0)
        self.assertEqual(acl.rt.memcpy_2d(device, 8, ptr, 4, 3, 2, HOST_TO_DEVICE), 0)
        self.assertEqual(acl.rt.memcpy_2d_async(device + 3, 8, ptr, 4, 1, 2, HOST_TO_DEVICE, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        self.assertEqual(acl.util.ptr_to_bytes(device, 16), b"abca....defd....")

    def test_host_memory(self):
        host = self.value(acl.rt.malloc_host(4))
        self.assertEqual(acl.rt.memset(host, 4, ord("h"), 4), 0)
        self.assertEqual(acl.util.ptr_to_bytes(host, 4), b"hhhh")
        self.assertEqual(acl.rt.free_host(host), 0)
        self.assertEqual(acl.rt.free_host(host), 107000)

    def test_amounts(self):
        mebibyte = 1 << 20
        free, total, status = acl.rt.get_mem_info(1)
        self.assertEqual((total, status), (64 * mebibyte, 0))
        ptr = self.value(acl.rt.malloc_cached(mebibyte, 2))
        self.assertLessEqual(acl.rt.get_mem_info(1)[0], free - mebibyte)
        self.assertEqual(acl.rt.free(ptr), 0)
        self.assertEqual(acl.rt.get_mem_info(1), (free, total, 0))
        self.assertEqual(acl.rt.malloc(65 * mebibyte, 0), (0, 207001))

    def test_threads(self):
        def copy(k):
            data = bytes([k]) * 100000
            acl.rt.set_device(k % 2)
            ptr = self.value(acl.rt.malloc(len(data), 0))
            statuses = [acl.rt.memcpy(ptr, len(data), acl.util.bytes_to_ptr(data), len(data), HOST_TO_DEVICE)]
            is_same = acl.util.ptr_to_bytes(ptr, len(data)) == data
            statuses += [acl.rt.free(ptr), acl.rt.reset_device(k % 2)]
            return statuses == [0, 0, 0] and is_same

        n_right = []
        threads = [threading.Thread(target=lambda k=k: n_right.extend(copy(k) for _ in range(20))) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(n_right, [True] * 160)


if __name__ == "__main__":
    unittest.main()

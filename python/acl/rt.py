# SPDX-License-Identifier: Apache-2.0
"""The runtime: devices, contexts, streams, events, memory."""
from __future__ import annotations

from typing import Any

from ._table import ADDRESS, FLOAT, INT32, SIZE_T, TEXT, UINT32, UINT64, Argument, Result, Row, Table, bind_all, missing

# Arguments that several functions have.
CONTEXT, STREAM, EVENT = Argument("context", ADDRESS), Argument("stream", ADDRESS), Argument("event", ADDRESS)
DEVICE, PEER = Argument("device_id", INT32), Argument("peer_device_id", INT32)
FLAG, TIMEOUT, SIZE = Argument("flag", UINT32), Argument("timeout", INT32), Argument("size", SIZE_T)
POLICY, KIND = Argument("policy", INT32), Argument("kind", INT32)
PTR = Argument("ptr", ADDRESS)
DST, SRC, COUNT = Argument("dst", ADDRESS), Argument("src", ADDRESS), Argument("count", SIZE_T)
COPY = (DST, Argument("dst_max", SIZE_T), SRC, COUNT, KIND)
COPY_2D = (DST, Argument("dpitch", SIZE_T), SRC, Argument("spitch", SIZE_T), Argument("width", SIZE_T),
           Argument("height", SIZE_T), KIND)
FILL = (PTR, Argument("max_count", SIZE_T), Argument("value", INT32), COUNT)

# Results that several functions have.
NEW_CONTEXT, NEW_STREAM, NEW_EVENT = Result("context", ADDRESS), Result("stream", ADDRESS), Result("event", ADDRESS)
NEW_PTR, STATE = Result("ptr", ADDRESS), Result("state", INT32)

TABLE: Table = {
    "get_version": Row("aclrtGetVersion", Result("major", INT32), Result("minor", INT32), Result("patch", INT32)),
    "get_soc_name": Row("aclrtGetSocName", returns=TEXT),

    "set_device": Row("aclrtSetDevice", DEVICE),
    "reset_device": Row("aclrtResetDevice", DEVICE),
    "reset_device_force": Row("aclrtResetDeviceForce", DEVICE),
    "get_device": Row("aclrtGetDevice", Result("device_id", INT32)),
    "get_device_count": Row("aclrtGetDeviceCount", Result("count", UINT32)),
    "get_run_mode": Row("aclrtGetRunMode", Result("run_mode", INT32)),
    "synchronize_device": Row("aclrtSynchronizeDevice"),
    "synchronize_device_with_timeout": Row("aclrtSynchronizeDeviceWithTimeout", TIMEOUT),
    "set_ts_device": Row("aclrtSetTsDevice", Argument("ts_id", INT32)),
    "query_device_status": Row("aclrtQueryDeviceStatus", DEVICE, STATE),
    "device_can_access_peer": Row("aclrtDeviceCanAccessPeer", Result("can_access", INT32), DEVICE, PEER),
    "device_enable_peer_access": Row("aclrtDeviceEnablePeerAccess", PEER, Argument("flags", UINT32)),
    "device_disable_peer_access": Row("aclrtDeviceDisablePeerAccess", PEER),
    "set_op_wait_timeout": Row("aclrtSetOpWaitTimeout", Argument("timeout", UINT32)),

    "create_context": Row("aclrtCreateContext", NEW_CONTEXT, DEVICE),
    "destroy_context": Row("aclrtDestroyContext", CONTEXT),
    "set_context": Row("aclrtSetCurrentContext", CONTEXT),
    "get_context": Row("aclrtGetCurrentContext", NEW_CONTEXT),

    "create_stream": Row("aclrtCreateStream", NEW_STREAM),
    "create_stream_with_config": Row("aclrtCreateStreamWithConfig", NEW_STREAM, Argument("priority", UINT32), FLAG),
    "destroy_stream": Row("aclrtDestroyStream", STREAM),
    "destroy_stream_force": Row("aclrtDestroyStreamForce", STREAM),
    "synchronize_stream": Row("aclrtSynchronizeStream", STREAM),
    "synchronize_stream_with_timeout": Row("aclrtSynchronizeStreamWithTimeout", STREAM, TIMEOUT),
    "stream_query": Row("aclrtStreamQuery", STREAM, STATE),
    "stream_wait_event": Row("aclrtStreamWaitEvent", STREAM, EVENT),
    "set_stream_failure_mode": Row("aclrtSetStreamFailureMode", STREAM, Argument("mode", UINT64)),
    "set_stream_overflow_switch": Row("aclrtSetStreamOverflowSwitch", STREAM, FLAG),
    "get_stream_overflow_switch": Row("aclrtGetStreamOverflowSwitch", STREAM, Result("flag", UINT32)),

    "create_event": Row("aclrtCreateEvent", NEW_EVENT),
    "create_event_with_flag": Row("aclrtCreateEventWithFlag", NEW_EVENT, FLAG),
    "create_event_ex_with_flag": Row("aclrtCreateEventExWithFlag", NEW_EVENT, FLAG),
    "destroy_event": Row("aclrtDestroyEvent", EVENT),
    "record_event": Row("aclrtRecordEvent", EVENT, STREAM),
    "reset_event": Row("aclrtResetEvent", EVENT, STREAM),
    "query_event": Row("aclrtQueryEvent", EVENT, STATE),
    "query_event_status": Row("aclrtQueryEventStatus", EVENT, STATE),
    "query_event_wait_status": Row("aclrtQueryEventWaitStatus", EVENT, STATE),
    "synchronize_event": Row("aclrtSynchronizeEvent", EVENT),
    "synchronize_event_with_timeout": Row("aclrtSynchronizeEventWithTimeout", EVENT, TIMEOUT),
    "event_elapsed_time": Row("aclrtEventElapsedTime", Result("ms", FLOAT), Argument("start", ADDRESS),
                              Argument("end", ADDRESS)),
    "event_get_timestamp": Row("aclrtEventGetTimestamp", EVENT, Result("timestamp", UINT64)),

    "malloc": Row("aclrtMalloc", NEW_PTR, SIZE, POLICY),
    "malloc_cached": Row("aclrtMallocCached", NEW_PTR, SIZE, POLICY),
    "free": Row("aclrtFree", PTR),
    "malloc_host": Row("aclrtMallocHost", NEW_PTR, SIZE),
    "free_host": Row("aclrtFreeHost", PTR),
    "memcpy": Row("aclrtMemcpy", *COPY),
    "memcpy_async": Row("aclrtMemcpyAsync", *COPY, STREAM),
    "memcpy_2d": Row("aclrtMemcpy2d", *COPY_2D),
    "memcpy_2d_async": Row("aclrtMemcpy2dAsync", *COPY_2D, STREAM),
    "memset": Row("aclrtMemset", *FILL),
    "memset_async": Row("aclrtMemsetAsync", *FILL, STREAM),
    "mem_flush": Row("aclrtMemFlush", PTR, SIZE),
    "mem_invalidate": Row("aclrtMemInvalidate", PTR, SIZE),
    "get_mem_info": Row("aclrtGetMemInfo", Argument("attr", INT32), Result("free", SIZE_T), Result("total", SIZE_T)),
}

globals().update(bind_all(__name__, TABLE))


def __getattr__(name: str) -> Any:
    raise missing(__name__, name)

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl_rt.h - the runtime: initialisation, devices and contexts, streams, events, callbacks, memory.
 * The device is the processor that the program runs on; device memory is ordinary memory, which the
 * host can read too, unless REGRAD_CHECK=isolate is set. acl_base_rt.h says what holds for all functions.
 *
 * Words
 * - The current context belongs to the calling thread: aclrtSetDevice and aclrtCreateContext give it
 *   one. Functions that need one and find none, or one that is gone, return 107002.
 * - As a stream, NULL means the default stream of the current context. A function returns 107003 for
 *   a stream that is not alive, 107017 for such an event, 107002 for such a context.
 * - Work on a stream is done in the order in which it was submitted, at any time after the call that
 *   submits it, by a thread of the stream or by one that waits for it. Only events and waits order the
 *   work of two streams. Programs synchronise as for any device. With ACL_LAUNCH_BLOCKING=1 in the
 *   environment a call that submits work returns when the work is done, with its status.
 * - Work that fails is reported by the next synchronisation of its stream or of its device, once. The
 *   end of a stream reports nothing.
 * - Timeouts are in milliseconds; -1 waits as long as it takes.
 * - No memory for an object of the library: 207001.
 */
#ifndef ACL_ACL_RT_H
#define ACL_ACL_RT_H

#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>

#include "acl_base.h"
#include "acl_rt_allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the interface that these headers declare. */
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

/* ---- Types -------------------------------------------------------------------------------- */

typedef void *aclrtMbuf;
typedef void *aclrtTaskGrp;
typedef void *aclmdlRI;
typedef void *aclmdlRITask;
typedef void *aclmdlRICondHandle;
typedef void *aclrtDrvMemHandle;
typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;

typedef struct rtExceptionInfo aclrtExceptionInfo;
typedef struct tagRtGroupInfo aclrtGroupInfo;

typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);
typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len, void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/* For aclrtCreateEventWithFlag and aclrtCreateEventExWithFlag, or-able. */
#define ACL_EVENT_SYNC 0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U
#define ACL_EVENT_EXTERNAL 0x00000020U
#define ACL_EVENT_IPC 0x00000040U

/* For aclrtCreateStreamWithConfig, or-able. */
#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U
#define ACL_STREAM_PERSISTENT 0x00000004U
#define ACL_STREAM_HUGE 0x00000008U
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

/* For aclrtSetStreamFailureMode. */
#define ACL_CONTINUE_ON_FAILURE 0x00000000U
#define ACL_STOP_ON_FAILURE 0x00000001U

/* For the registration of host memory, or-able. */
#define ACL_HOST_REG_MAPPED 0x00000002U
#define ACL_HOST_REG_IOMEMORY 0x00000004U
#define ACL_HOST_REG_READONLY 0x00000008U
#define ACL_HOST_REG_PINNED 0x10000000U

typedef enum aclrtRunMode { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

typedef enum aclrtTsId { ACL_TS_ID_AICORE = 0, ACL_TS_ID_AIVECTOR = 1, ACL_TS_ID_RESERVED = 2 } aclrtTsId;

typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

/* Beware: the other way round than aclrtEventStatus. */
typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF
} aclrtEventWaitStatus;

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xFFFF
} aclrtStreamStatus;

typedef enum aclrtStreamAttr {
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    ACL_STREAM_ATTR_PRIORITY = 5
} aclrtStreamAttr;

typedef enum aclrtCallbackBlockType { ACL_CALLBACK_NO_BLOCK = 0, ACL_CALLBACK_BLOCK = 1 } aclrtCallbackBlockType;

typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    ACL_RT_DEVICE_STATUS_END = 0xFFFF
} aclrtDeviceStatus;

typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;

typedef enum aclrtDevResLimitType { ACL_RT_DEV_RES_CUBE_CORE = 0, ACL_RT_DEV_RES_VECTOR_CORE = 1 } aclrtDevResLimitType;

typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0, /* 0 off, 1 deterministic, 2 strong consistency, 3 batch consistency */
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    ACL_OPT_STRONG_CONSISTENCY = 2, /* deprecated */
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

typedef enum aclRegisterCallbackType {
    ACL_REG_TYPE_ACL_MODEL = 0,
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    ACL_REG_TYPE_ACL_OP_CBLAS = 2,
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
    ACL_REG_TYPE_ACL_DVPP = 6,
    ACL_REG_TYPE_ACL_RETR = 7,
    ACL_REG_TYPE_OTHER = 0xFFFF
} aclRegisterCallbackType;

typedef enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2
} aclmdlRICaptureMode;

typedef enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;

typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0,
    ACL_PKG_NAME_RUNTIME = 1,
    ACL_PKG_NAME_COMPILER = 2,
    ACL_PKG_NAME_HCCL = 3,
    ACL_PKG_NAME_TOOLKIT = 4,
    ACL_PKG_NAME_OPP = 5,
    ACL_PKG_NAME_OPP_KERNEL = 6,
    ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/* Texts ended by NUL; "" for a part that the version does not have. */
typedef struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/* One of the first eight, with any of the last three or-ed in. */
typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0,
    ACL_HBM_MEM = 1,
    ACL_DDR_MEM_HUGE = 2,
    ACL_DDR_MEM_NORMAL = 3,
    ACL_HBM_MEM_HUGE = 4,
    ACL_HBM_MEM_NORMAL = 5,
    ACL_DDR_MEM_P2P_HUGE = 6,
    ACL_DDR_MEM_P2P_NORMAL = 7,
    ACL_HBM_MEM_P2P_HUGE = 8,
    ACL_HBM_MEM_P2P_NORMAL = 9,
    ACL_HBM_MEM_HUGE1G = 10,
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    ACL_MEM_NORMAL = 12,
    ACL_MEM_HUGE = 13,
    ACL_MEM_HUGE1G = 14,
    ACL_MEM_P2P_NORMAL = 15,
    ACL_MEM_P2P_HUGE = 16,
    ACL_MEM_P2P_HUGE1G = 17
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
    uint32_t id; /* the device, for device memory */
    aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize; /* bytes */
    uint32_t rsv[4];
} aclrtPtrAttributes;

typedef enum aclrtHostRegisterType {
    ACL_HOST_REGISTER_MAPPED = 0,
    ACL_HOST_REGISTER_IOMEMORY = 4,
    ACL_HOST_REGISTER_READONLY = 8
} aclrtHostRegisterType;

typedef enum aclrtMemHandleType { ACL_MEM_HANDLE_TYPE_NONE = 0, ACL_MEM_HANDLE_TYPE_POSIX = 2 } aclrtMemHandleType;

typedef enum aclrtMemAllocationType { ACL_MEM_ALLOCATION_TYPE_PINNED = 0 } aclrtMemAllocationType;

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;

typedef enum aclrtMemAccessFlags {
    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3
} aclrtMemAccessFlags;

typedef struct aclrtMemAccessDesc {
    aclrtMemAccessFlags flags;
    aclrtMemLocation location; /* who has that access */
    uint8_t rsv[12];
} aclrtMemAccessDesc;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF
} aclrtMemGranularityOptions;

typedef enum aclrtMallocAttrType {
    ACL_RT_MEM_ATTR_RSV = 0,
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

typedef union aclrtMallocAttrValue {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag;
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;

typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

typedef struct aclrtMemUsageInfo {
    char name[32];
    uint64_t curMemSize;
    uint64_t memPeakSize;
    size_t reserved[8];
} aclrtMemUsageInfo;

/* Errors of memory that could not be corrected. */
typedef struct aclrtMemUceInfo aclrtMemUceInfo;

/* Of a stream; the member is the one of the attribute. */
typedef union aclrtStreamAttrValue {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t priority;
    uint32_t reserve[4];
} aclrtStreamAttrValue;

/* An attribute of a device, by a number of which no names are known here. */
typedef int32_t aclrtDevAttr;

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

/* ---- Initialisation ----------------------------------------------------------------------- */

/*
 * Starts the runtime, or counts one more user of it.
 *
 * configPath  NULL, "", or the path of a file with a JSON object; nothing in it is heeded
 *
 * 100002 when it has been started already, which callers may take for success: the count has gone up.
 * 100000 when it has been started with a configuration of other content (white space between the tokens
 * does not count, and {} is the same as none): the count stays.
 * 100003 when the file cannot be read; 100005 when it has more than 1 MiB; 100006 when what it holds is
 * not in braces.
 *
 * The vendor's documentation asks for it first; here all other functions work without it.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/*
 * Ends the runtime whatever the count of users. Objects and memory stay usable; end them yourself.
 * 100037 when it has been ended and not been started since. Before any aclInit: success.
 */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/*
 * One user less; the last one ends the runtime.
 *
 * refCount  out: the users that are left. May be NULL.
 * 100037 when there is no user.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/*
 * Has cbFunc called by each aclInit that starts the runtime, in its thread, behind those that were registered before.
 * configStr is the content of the file without white space, of len bytes and a NUL; "" where there is none. A status
 * other than 0 becomes that of aclInit, calls no further ones, and leaves the runtime not started.
 *
 * Of all callbacks there may be 64. 100000 for NULL, and for a type that is none, which has no other effect; 107000 for
 * one that is registered for this type already, 207012 for too many.
 */
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                                     void *userData);

/* The same when the runtime ends. All are called; the first status other than 0 becomes that of aclFinalize. */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                                         void *userData);

/* End that. 100000 as above, 107000 for one that is not registered for this type. */
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                           aclFinalizeCallbackFunc cbFunc);

/* ---- Versions ----------------------------------------------------------------------------- */

/*
 * The version of the interface: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION of the library
 * that is loaded. 100000 when a pointer is NULL.
 */
ACL_DEPRECATED_MESSAGE("aclrtGetVersion is deprecated, use aclsysGetVersionStr instead")
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

/*
 * The version of an installed package: the line Version=... of
 * $ASCEND_HOME_PATH/share/info/<package>/version.info, whole and split at its dots.
 *
 * name     the package; its directory is the name in small letters ("cann", "opp_kernel", ...)
 * version  out; the caller's
 * 100000 when version is NULL or name is no package; 100003 when ASCEND_HOME_PATH is not set or there
 * is no such file or line.
 */
ACL_DEPRECATED_MESSAGE("aclsysGetCANNVersion is deprecated, use aclsysGetVersionStr instead")
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

/*
 * The same, for a package named by its directory.
 *
 * pkgName     read only
 * versionStr  out: room for ACL_PKG_VERSION_MAX_SIZE bytes
 * 100000 when one is NULL, or pkgName is "" or contains '/'; 100003 as above.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/*
 * The same as a number: the first three parts of the version as 10000 * a + 100 * b + c, "8.1.RC1" is
 * 80100. Statuses as above.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

/* ---- Errors ------------------------------------------------------------------------------- */

/*
 * Why calls of this thread have failed since its last call of this function: their sentences, one
 * a line. NULL when none has. The text is the library's, and valid until this thread calls it again.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/*
 * The status of the last call of acl_rt.h that failed in this thread, and 0 from then on. 0 when none
 * has failed since it was last asked. 100000, which is not kept, when level is not
 * ACL_RT_THREAD_LEVEL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/* The same, and keeps it. */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/*
 * Has callback called whenever work on a stream fails, in the thread that did the work. It must not
 * wait for a stream. NULL: nobody any more.
 */
ACL_DEPRECATED_MESSAGE("aclrtSetExceptionInfoCallback is deprecated, use aclrtExceptionInfoCallbackRegister instead")
ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/*
 * The same for up to 64 callbacks, beside that one. 100000 for NULL, 107000 for one that is registered
 * already, 207012 for too many.
 */
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/* Ends that. 100000 for NULL, 107000 for one that is not registered. */
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/*
 * What has failed: a number that counts the work of all streams, its stream (aclrtStreamGetId), the thread
 * that has submitted it (the system's number), its device, and its status. Within the callback only.
 * 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/* ---- Devices ------------------------------------------------------------------------------ */

/*
 * How many devices the process sees: REGRAD_DEVICES (1 to 64, 1 when not set), filtered and put in
 * order by ASCEND_RT_VISIBLE_DEVICES, a list of numbers and commas that ends at the first that is
 * no device or has been named before. Both are read once. 100000 when count is NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/*
 * Makes the default context of a device, with its default stream, the current one of this thread; it
 * is created when it is not there. Counts one more user of the device.
 *
 * deviceId  0 up to the count of devices, less one
 * 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/*
 * One user less. With the last one, waits until the work on the default context's streams is done,
 * and destroys that context and its streams. Contexts that were created explicitly stay, and so does
 * device memory.
 *
 * 107001 for a device that is not there; 507007 for one that has no user.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/* The same for all users at once: the default context goes whatever their number. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/* The device of the current context. 100000 when deviceId is NULL, 107002 without a context. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);

/* ACL_HOST: the program runs on the host, not on the device. 100000 when runMode is NULL. */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/* Checks its argument, and makes no difference: there is one scheduler. 100000 for anything but the two identifiers. */
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/*
 * Waits for all streams of all contexts of the current context's device. 107002 without a context;
 * the status of work that failed.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/*
 * The same for at most timeout milliseconds in all. 107000 when timeout is 0 or below -1;
 * 507046 when the time is over.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/*
 * How a device is: always ACL_RT_DEVICE_STATUS_NORMAL. 100000 when deviceStatus is NULL, 107001 for a
 * device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus);

/*
 * Can deviceId reach memory of peerDeviceId? *canAccessPeer is 1 for two different devices, since they
 * share one memory, and 0 for a device and itself. 100000 when canAccessPeer is NULL, 107001 for a
 * device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/*
 * Lets the current device reach memory of another, and ends that. It makes no difference: see above.
 *
 * flags  0
 * 107000 for other flags and for the current device itself, 107001 for one that is not there, 107002
 * without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/*
 * How busy a device is now, in percent: vectorUtilization is 100 while a stream of it does work, else 0;
 * memoryUtilization is the allocated part of its memory; the others are 0. utilizationExtend is left alone.
 * 100000 when utilizationInfo is NULL, 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo);

/*
 * An attribute of a device. None is known here: no source that this library follows says what the numbers mean, and a
 * guess would be worse than a refusal. aclGetDeviceCapability and aclrtGetMemInfo have cores and memory.
 *
 * 100000 when value is NULL, 107001 for a device that is not there, 207000 for every attribute.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/*
 * Drops the work on all streams of a device that has not begun, and waits for the rest.
 *
 * timeout  ms; 0 waits as long as it takes
 * 107001 for a device that is not there; 507046 when the time is over.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/* The number of the process. 100000 when pid is NULL. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

/*
 * How long operators may wait and run, in seconds. It makes no difference: they end by themselves.
 * 107002 without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/*
 * How many cores of a sort work on a device may use: as many as the chip has, 24 cube and 48 vector cores, until it is
 * set. The number is kept and makes no difference; REGRAD_NUM_THREADS does.
 *
 * value  1 up to the number of cores of that sort; or out
 * 100000 when value is NULL, 107000 for another type or number, 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/*
 * What overflow becomes: only ACL_RT_OVERFLOW_MODE_INFNAN, infinities, is supported. 207000 for
 * saturation, 107000 for what is no mode.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/* ACL_RT_OVERFLOW_MODE_INFNAN. 100000 when mode is NULL. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/* ---- Contexts ----------------------------------------------------------------------------- */

/*
 * A new context with a default stream, current for this thread from now on. Does not count as a user of
 * the device. The caller ends it with aclrtDestroyContext.
 *
 * 100000 when context is NULL, 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/*
 * Waits until the work on the context's streams is done, and ends the streams and the context. Threads
 * in which it was current then have none.
 *
 * 100000 for NULL, 107002 for what is no live context, 107000 for a default context, which ends with
 * aclrtResetDevice.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/* Makes a context current for this thread. 100000 for NULL, 107002 for what is no live context. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/* The current context. 100000 when context is NULL, 107002 without one. */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/*
 * Is there a default context on the device?
 *
 * flags   out: 0
 * active  out: 1 or 0
 * 100000 when one is NULL, 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active);

/*
 * The default stream of the current context; it ends with its context. 100000 when stream is NULL,
 * 107002 without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/* ---- System parameters -------------------------------------------------------------------- */

/*
 * Sets an option of the current context, and of the process too.
 *
 * opt    ACL_OPT_DETERMINISTIC, ACL_OPT_ENABLE_DEBUG_KERNEL or ACL_OPT_STRONG_CONSISTENCY
 * value  0 to 3 for ACL_OPT_DETERMINISTIC, else 0 or 1
 * 100000 for another option or value; 107002 without a context. Results never depend on an option.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/*
 * An option of the current context. 100000 when value is NULL or opt is none of the three; 107002
 * without a context; 107021 when the option has never been set in this context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* Sets an option of the process; ACL_OPT_ENABLE_KERNEL_EARLY_START too. Values and 100000 as above. */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/* An option of the process, 0 when never set. 100000 when value is NULL or opt is no option. */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* ---- Streams ------------------------------------------------------------------------------ */

/*
 * A new stream in the current context. The caller ends it with aclrtDestroyStream; the end of its
 * context ends it too. 100000 when stream is NULL, 107002 without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/*
 * The same with a priority and flags.
 *
 * priority  any; kept for aclrtStreamGetPriority
 * flag      0 or some of ACL_STREAM_*. With PERSISTENT, CPU_SCHEDULE or DEVICE_USE_ONLY, synchronising
 *           returns 0 at once.
 * 107000 for a flag that is not known.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/*
 * Waits until the work on the stream is done, and ends it. 100000 for NULL, 107003 for what is no
 * live stream, 107000 for a default stream.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/* The same without waiting: work that has not begun is dropped. Events recorded by it count as done. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/*
 * Waits until the work that was on the stream at the time of the call is done.
 * 107002, 107003; the status of work that failed since the last synchronisation.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/*
 * The same for at most timeout milliseconds. 107000 when timeout is 0 or below -1; 507046 when the
 * time is over.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/*
 * Is the work on the stream done? ACL_STREAM_STATUS_COMPLETE or ACL_STREAM_STATUS_NOT_READY.
 * 100000 when status is NULL, 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/* A number that no other stream of the process has. 100000 when streamId is NULL, 107002, 107003. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/* The priority and the flags that the stream was made with, 0 by default. 100000, 107002, 107003. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/*
 * What happens to work on the stream after work that failed: ACL_CONTINUE_ON_FAILURE (as a stream
 * begins) does it, ACL_STOP_ON_FAILURE drops it until the stream is synchronised.
 * 100000 for NULL and for what is no mode; 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/*
 * Is a stream to look for overflow? 0 or 1, kept; nothing looks. 107000 for another value, 100000 when
 * flag is NULL, 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/*
 * Attributes of a stream: the failure mode (as aclrtSetStreamFailureMode), the overflow switch (as above),
 * and three that are kept and make no difference. 100000 when value is NULL, 107000 for another attribute
 * or value, 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue *value);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue *value);

/*
 * As aclrtGetDeviceResLimit and its like, for a stream; its device's limit where it has none. 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/*
 * The calling thread takes over the limits of a stream, or ends this. 107002, 107003; 107000 to end it when
 * it has not begun. The third function: the limit of that stream, or else of the current device. 100000 when
 * value is NULL, 107000 for another type; 107003 when the stream has ended.
 */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/*
 * Work that is submitted to the stream from now on waits for the work that the event's latest
 * aclrtRecordEvent stands behind. An event that has not been recorded is not waited for.
 * 100000 when event is NULL, 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/*
 * The same for at most timeout milliseconds: then the stream goes on, and its next synchronisation returns
 * 507047. 107000 when timeout is 0 or below -1.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/* ---- Events ------------------------------------------------------------------------------- */

/*
 * A new event. Needs no context. The caller ends it with aclrtDestroyEvent. 100000 when event is NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/*
 * The same with flags, some of ACL_EVENT_*. They make no difference: every event can be waited for and
 * has a time stamp. 207000 for ACL_EVENT_IPC, 107000 for a flag that is not known.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/*
 * Ends the handle at once; work that is on its way with the event is done all the same.
 * 100000 for NULL, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/*
 * The event happens when all work that is on the stream now is done. Forgets what the event stood for
 * before. 100000 when event is NULL, 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/* In its turn on the stream, makes the event one that has not been recorded. Statuses as above. */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/*
 * Has the event happened? ..._COMPLETE when it has been recorded and the work before is done, else
 * ..._NOT_READY. 100000 when a pointer is NULL, 107017.
 */
ACL_DEPRECATED_MESSAGE("aclrtQueryEvent is deprecated, use aclrtQueryEventStatus instead")
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);

/*
 * Have all streams that aclrtStreamWaitEvent made wait for the event done so? ACL_EVENT_WAIT_STATUS_COMPLETE
 * also when there is no such stream. 100000 when a pointer is NULL, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/* Waits until the event happens; not at all for one that has not been recorded. 100000, 107017. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/*
 * The same for at most timeout milliseconds. 107000 when timeout is 0 or below -1; 507047 when the
 * time is over.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/*
 * The time between two events, in milliseconds.
 *
 * 100000 when a pointer is NULL; 107017; 507000 when one has not been recorded, 107006 when one has
 * not happened yet, 107007 when the end was before the start.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);

/*
 * When the event happened, in microseconds of a clock that never goes back. 100000, 107017, 507000,
 * 107006 as above.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/* ---- Callbacks ---------------------------------------------------------------------------- */

/*
 * Says that the thread runs the callbacks of the stream, in aclrtProcessReport.
 *
 * threadId  the thread's pthread_self()
 * 100033 when the stream has a thread already; 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/*
 * In its turn on the stream, fn(userData) becomes due for the thread that has subscribed to it.
 *
 * blockType  ACL_CALLBACK_BLOCK: work after it waits until fn has returned; ACL_CALLBACK_NO_BLOCK: not
 * 100000 when fn is NULL or blockType is none; 107015 when nobody has subscribed to the stream;
 * 107002, 107003. fn must not synchronise a stream that waits for it. Callbacks that are due can be run
 * also after their stream has ended.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/*
 * Runs one callback that is due for this thread; waits for it for at most timeout milliseconds.
 * 100000 when timeout is 0 or below -1, 107012 when the thread has not subscribed to any live stream,
 * 507012 when none became due in time.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/*
 * The thread runs the stream's callbacks no more. Callbacks that have not run yet are dropped, and
 * nothing waits for them. 107011 when that thread is not the stream's; 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/*
 * Runs fn(args) in its turn on the stream; later work waits for it. It runs in a thread of the stream,
 * whose context is current there. It must not wait for its own stream, nor end it. When it ends the thread
 * instead of returning, the next synchronisation of the stream returns 507000.
 * 100000 when fn is NULL, 107002, 107003.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/* ---- Memory ------------------------------------------------------------------------------- */

/*
 * Memory of the current context's device.
 *
 * devPtr  out: 512-byte aligned (a device promises 64), of unknown contents. The caller frees it with aclrtFree. The
 *         host may read and write it; on a device that is an error.
 * size    bytes; rounded up to a multiple of 32, and 32 more
 * policy  makes no difference, whatever its value
 * 100000 when devPtr is NULL or size 0; 107002 without a context; 207001 when the device or the system
 * has not enough. How much a device has: aclrtGetMemInfo.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same without the 32 more. */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* aclrtMalloc; what a cache holds is always coherent here. */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/*
 * aclrtMalloc with attributes.
 *
 * cfg  NULL, or ACL_RT_MEM_ATTR_MODULE_ID and ACL_RT_MEM_ATTR_VA_FLAG, which make no difference, and
 *      ACL_RT_MEM_ATTR_DEVICE_ID, which names a device other than the current one
 * 100000 also for an attribute that is not known and for NULL attrs; 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig *cfg);

/*
 * Frees memory of aclrtMalloc and its like. Does not wait for work that uses it. Needs no context.
 * 100000 for NULL; 107000 for what is not the start of live device memory, for instance freed already.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/* The same after waiting for all work on the device that the memory is of. */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/*
 * Host memory that the runtime knows: asynchronous copies from and to it return at once.
 *
 * hostPtr  out: 512-byte aligned (a device promises 64), of unknown contents. The caller frees it with aclrtFreeHost.
 * size     bytes
 * 100000 when hostPtr is NULL or size 0; 107002 without a context; 207001 when there is not enough.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/* The same with attributes, as for aclrtMallocWithCfg; a device only has to be there. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/* Frees it. 100000 for NULL, 107000 for what is not the start of live host memory of aclrtMallocHost. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/* The same after waiting for all work on all devices. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/*
 * Copies count bytes, and returns when they are copied. Needs no context.
 *
 * dst, src  device or host memory; they may overlap
 * destMax   bytes that there are at dst
 * kind      one of the first six; the addresses decide, so a wrong kind makes no difference
 * Checked in this order: count 0 is success, whatever the rest; 100000 for NULL; 100000 for another kind;
 * 107000 when count is more than destMax; dst = src is success. Does not wait for streams.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                         aclrtMemcpyKind kind);

/*
 * The same in its turn on the stream. What is at src must stay until then. Where one side is memory of
 * the host that is neither of aclrtMallocHost nor registered, the call returns when the copy is done.
 * After the checks above: 207000 when neither address is in live device memory; 107002, 107003; 507046, and
 * nothing is copied, when the call would wait for itself, in a host function of the stream or behind a
 * callback that the thread has to run.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                              aclrtMemcpyKind kind, aclrtStream stream);

/* The same. */
ACL_DEPRECATED_MESSAGE("aclrtMemcpyAsyncWithCondition is deprecated, use aclrtMemcpyAsync instead")
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
                                                           aclrtMemcpyKind kind, aclrtStream stream);

/*
 * Copies of aclrtMemcpy, one after the other.
 *
 * dsts, destMaxs, srcs, sizes  numBatches of each
 * attrs, attrsIndexes          numAttrs of each: attribute k belongs to the copies from attrsIndexes[k] up to, not
 *                              including, the next index; the first is 0. Memory of the host or of a device.
 * failIndex                    out: the copy that was refused; SIZE_MAX when none was, or the call itself
 * 100000 for NULL and for no copies; 107000 for other numbers or locations; the status of the copy that was
 * refused, after which none is done.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                              size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                              size_t numAttrs, size_t *failIndex);

/* The same with aclrtMemcpyAsync. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                                   size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                                   size_t numAttrs, size_t *failIndex, aclrtStream stream);

/*
 * Copies height rows of width bytes that begin every spitch bytes at src and every dpitch bytes at dst.
 * width or height 0 is success; 100000 for NULL, for a width above a pitch, and for another kind than
 * HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                           size_t height, aclrtMemcpyKind kind);

/* The same in its turn on the stream. After the checks above: 107002, 107003. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                                size_t height, aclrtMemcpyKind kind, aclrtStream stream);

/*
 * Sets count bytes to the low byte of value.
 *
 * maxCount  bytes that there are at devPtr
 * count 0 is success, whatever the rest; 100000 for NULL, 107000 when count is more than maxCount.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);

/* The same in its turn on the stream. After the checks above: 107002, 107003. */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                              aclrtStream stream);

/*
 * Sets N words of four bytes, from ptr on, to value. ptr need not be a multiple of four.
 *
 * memSize  bytes that there are at ptr
 * N 0 is success, whatever the rest; 100000 for NULL, 107000 when N words are more than memSize.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);

/* The same in its turn on the stream. After the checks above: 107002, 107003. */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N,
                                                 aclrtStream stream);

/* Nothing to do: caches are coherent. 100000 for NULL and for size 0. */
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void *devPtr, size_t size);
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void *devPtr, size_t size);

/*
 * How much memory the current context's device has, in bytes.
 *
 * attr         any of aclrtMemAttr: there is only one sort
 * free, total  out. total is REGRAD_DEVICE_MEMORY (bytes, or with K, M or G after the number), else the
 *              memory of the machine; free is what live device memory leaves of it.
 * 100000 when a pointer is NULL or attr is none; 107002 without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/*
 * Who uses memory of a device: one entry, the library, with what is allocated now and what was at most.
 *
 * memUsageInfo  out: room for inputNum entries
 * outputNum     out: 1
 * 100000 when a pointer is NULL or inputNum 0; 107001 for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum,
                                                  size_t *outputNum);

/*
 * Errors of memory that could not be corrected: none, *retSize is 0; so there is none to repair, and 107000 for
 * an arraySize that is not 0. 100000 when a pointer is NULL or, of the first, arraySize 0; 107001.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize,
                                                size_t *retSize);
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize);

/*
 * Lets devices use memory of the program where it is, until it is unregistered. Copies from and to it are as for
 * memory of aclrtMallocHost.
 *
 * ptr, size  any bytes of the host that are neither registered nor of aclrtMalloc or aclrtMallocHost
 * type       ACL_HOST_REGISTER_MAPPED or ACL_HOST_REGISTER_READONLY; flag: some of ACL_HOST_REG_*
 * devPtr     out: its address for devices, which is ptr
 * 100000 for NULL, size 0 and another type; 107000 for another flag and for memory of the library; 107002
 * without a context; 207000 for the memory of other devices (IOMEMORY); 507910 when a part of it is registered.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr);
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/* Ends that. 100000 for NULL, 507911 for what is not the start of memory that is registered. */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void *ptr);

/*
 * The address for devices of memory that is registered: the same. 100000 for NULL, 107000 for a flag other
 * than 0, 507911 for other memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag);

/*
 * What an address is in: live device memory (ACL_MEM_LOCATION_TYPE_DEVICE and the device), memory of
 * aclrtMallocHost or registered (ACL_MEM_LOCATION_TYPE_HOST), or neither (ACL_MEM_LOCATION_TYPE_UNREGISTERED).
 *
 * attributes  out: also the size of a page of the system
 * 100000 when a pointer is NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/*
 * The allocation of device memory that an address is in.
 *
 * pbase  out: its beginning, which aclrtFree takes; of mapped memory, that of the piece
 * psize  out: its bytes, as they were asked for; of mapped memory, the bytes of the piece
 * 100000 when a pointer is NULL, 107000 for an address that is in no live device memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize);

/* ---- Physical memory and addresses -------------------------------------------------------- */

/*
 * These functions reserve addresses of devices, and map physical memory there. Mapped memory is device memory like that
 * of aclrtMalloc, for copies, operators and aclrtPointerGetAttributes; adjacent mappings of one device in a reserved
 * range are memory in one piece. None of these functions needs a context.
 */

/*
 * The granularity: sizes, offsets and addresses below are multiples of it. 2 MiB, also as recommended.
 *
 * prop         as for aclrtMallocPhysical
 * granularity  out
 * 100000 when a pointer is NULL; 107000 for another option; the statuses of aclrtMallocPhysical for prop.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                                              aclrtMemGranularityOptions option, size_t *granularity);

/*
 * Reserves addresses, at which there is no memory at first.
 *
 * virPtr     out: a multiple of the granularity and of alignment. The caller gives it back with
 *            aclrtReleaseMemAddress.
 * size       bytes, a multiple of the granularity
 * alignment  0 or a power of two
 * expectPtr  NULL, or a multiple of the granularity: taken if these addresses are free, and a multiple of alignment
 * flags      0
 * 100000 when virPtr is NULL or size 0; 107000 for another size, alignment, expectPtr and flags; 207001 when there
 * are no such addresses.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                                    uint64_t flags);

/*
 * Gives them back. 100000 for NULL; 107000 for what is not the start of reserved addresses, and where memory is still
 * mapped.
 */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/*
 * Memory of a device, without addresses.
 *
 * handle  out. The caller frees it with aclrtFreePhysical.
 * size    bytes, a multiple of the granularity; taken from what the device has (aclrtGetMemInfo)
 * prop    handleType ACL_MEM_HANDLE_TYPE_NONE, allocationType ACL_MEM_ALLOCATION_TYPE_PINNED, memAttr any,
 *         location.type ACL_MEM_LOCATION_TYPE_DEVICE, location.id the device; reserve is ignored
 * flags   0
 * 100000 when a pointer is NULL or size 0; 107000 for another size, flags, or value in prop; 107001 for a device that
 * is not there; 207000 for ACL_MEM_HANDLE_TYPE_POSIX, and for other known locations; 207001 when the device or the
 * system has not enough.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                                                 const aclrtPhysicalMemProp *prop, uint64_t flags);

/* Frees it. 100000 for NULL, 107017 for what is no live handle, 107000 while it is mapped. */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/*
 * Maps physical memory at reserved addresses. The same memory may be mapped at several places.
 *
 * virPtr  a multiple of the granularity; the size bytes from it are in one reserved range, with nothing mapped there
 * size    bytes, a multiple of the granularity
 * offset  where in the memory they begin: a multiple of the granularity
 * flags   0
 * 100000 when a pointer is NULL or size 0; 107000 for other values; 107017 for what is no live handle; 207001 when the
 * system cannot.
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                         uint64_t flags);

/*
 * Ends a mapping; the addresses stay reserved. Does not wait for work that uses it, which still finds the memory unless
 * other is mapped there. 100000 for NULL, 107000 for what was not given to aclrtMapMem, or has been unmapped.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/*
 * Says what devices may do with mapped memory, in place of an earlier call for the same devices, until the mapping
 * ends. Makes no difference to calls; the check mode reports calls that use memory in a way that their device may not.
 *
 * virPtr  a multiple of the granularity; memory is mapped at all of the size bytes from it, in one reserved range
 * size    bytes, a multiple of the granularity
 * desc    count descriptors, in order: flags 0, 1 or 3; location.type ACL_MEM_LOCATION_TYPE_DEVICE, location.id the
 *         device; rsv is ignored
 * 100000 when a pointer is NULL, or size or count 0; 107000 for other values; 107001 for a device that is not there;
 * 207000 for other known locations; 207001 when the system has no memory left. Nothing is changed then.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count);

/*
 * A number by which another process of this machine and user can import the memory, while the handle is live. The same
 * each time.
 *
 * handleType  ACL_MEM_HANDLE_TYPE_NONE
 * flags       0: processes that aclrtMemSetPidToShareableHandle names can import; 1: any process of this user can, from
 *             then on
 * 100000 when a pointer is NULL; 107000 for another type or flags; 107017 for what is no live handle; 207000 for
 * ACL_MEM_HANDLE_TYPE_POSIX.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                                             uint64_t flags, uint64_t *shareableHandle);

/*
 * Lets processes import what this one has exported, besides those that were named before. This one may always.
 *
 * pid     pidNum numbers of processes, of aclrtDeviceGetBareTgid
 * pidNum  1 to 1016, with those before
 * 100000 when pid is NULL or pidNum 0; 107000 for other numbers, and for what this process has not exported or has
 * freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);

/*
 * A handle for memory that this process or another one has exported. The caller frees it with aclrtFreePhysical. The
 * memory lives as long as any handle or mapping of it. It is counted for the device that has allocated it.
 *
 * deviceId  the device to which the memory belongs in this process
 * 100000 when handle is NULL; 107000 when the memory is not exported or has been freed, and for a file whose size its
 * process can still change (aclrtMemExportToShareableHandle makes none); 107001 for a device that is not there; 207001
 * when the system has no room; 207006 when the export was not for all and this process has not been named, and for a
 * process of another user.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                               aclrtDrvMemHandle *handle);

#ifdef __cplusplus
}
#endif

#endif

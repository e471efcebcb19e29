/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical memory in other processes of the machine. A shareable handle is a number: the process that has exported the
 * memory, its descriptor of the file, and a tag that no other export of the process has. Who imports opens the file
 * there by /proc, as the system lets processes of one user do. A record behind the memory, in the file, has the tag and
 * the processes that may import. The number may come from anybody: a file that its process could still make smaller,
 * which would kill whoever touches what was mapped there, is not taken.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "acl/handle/handle.h"
#include "acl/store/device_count.h"
#include "acl/store/physical.h"
#include "acl/store/request.h"
#include "acl/tell/refuse.h"

enum { PROCESS_BITS = 22, FILE_BITS = 20, TAG_BITS = 22, MOST_ALLOWED = 1016 };

enum { FOR_ALL = 1 }; /* the flag of an export that names no processes */

struct record {
    char magic[16];
    uint64_t size; /* of the memory */
    uint32_t tag;
    uint16_t is_for_all; /* processes of the user */
    uint16_t n_allowed;
    int32_t allowed[MOST_ALLOWED]; /* processes */
};

_Static_assert(sizeof(struct record) == RG_PHYSICAL_RECORD, "the record is a page of the file");
_Static_assert(PROCESS_BITS + FILE_BITS + TAG_BITS == 64, "they make the number");

static const char magic[16] = "regrad export 2";

/* ---- Numbers ---------------------------------------------------------------------------------- */

struct export
{
    int process;
    int file;
    uint32_t tag;
};

static uint64_t pack(const struct export *export)
{
    return (uint64_t) export->tag << (PROCESS_BITS + FILE_BITS) | (uint64_t) export->process << FILE_BITS |
           (uint64_t) export->file;
}

static struct export unpack(uint64_t number)
{
    return (struct export){.process = (int)(number >> FILE_BITS & ((1 << PROCESS_BITS) - 1)),
                           .file = (int)(number & ((1 << FILE_BITS) - 1)),
                           .tag = (uint32_t)(number >> (PROCESS_BITS + FILE_BITS))};
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint last_tag;

/* Another beginning for each process: the numbers of those that have ended are given to others. */
static void begin_tags(void)
{
    unsigned seed = 0;
    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
        atomic_store(&last_tag, seed);
}

static uint32_t next_tag(void)
{
    pthread_once(&once, begin_tags);
    return (atomic_fetch_add(&last_tag, 1) + 1) & ((1 << TAG_BITS) - 1);
}

/* ---- Records ---------------------------------------------------------------------------------- */

static bool read_record(int file, struct record *record)
{
    struct stat state;
    if (fstat(file, &state) != 0 || state.st_size < RG_PHYSICAL_RECORD)
        return false;
    const off_t size = state.st_size - RG_PHYSICAL_RECORD;
    if (size == 0 || size % (off_t)RG_GRANULE != 0)
        return false;
    return pread(file, record, sizeof(*record), size) == (ssize_t)sizeof(*record) &&
           memcmp(record->magic, magic, sizeof(magic)) == 0 && record->size == (uint64_t)size &&
           record->n_allowed <= MOST_ALLOWED;
}

static bool write_record(int file, const struct record *record)
{
    return pwrite(file, record, sizeof(*record), (off_t)record->size) == (ssize_t)sizeof(*record);
}

/* ---- Opening ---------------------------------------------------------------------------------- */

static aclError fail_unknown(const struct rg_function *function, uint64_t number)
{
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "shareableHandle is %" PRIu64 ", must be of aclrtMemExportToShareableHandle, and of live "
                           "memory",
                           number);
}

static aclError fail_open(const struct rg_function *function, const struct export *export, uint64_t number)
{
    const int reason = errno;
    if (reason == EACCES || reason == EPERM)
        return rg_runtime_fail(ACL_ERROR_RT_NO_PERMISSION, function,
                               "shareableHandle is %" PRIu64 ", of process %d, must be of one that the system lets "
                               "this one look into (%s)",
                               number, export->process, strerror(reason));
    if (reason == ENOENT || reason == ENXIO)
        return fail_unknown(function, number);
    return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, function,
                           "shareableHandle is %" PRIu64 ", must be what the system can open (%s)", number,
                           strerror(reason));
}

/* Is that a file of ours? Others could be anything, and must not be opened. */
static bool is_of_physical(const char *path)
{
    static const char name[] = "/memfd:" RG_PHYSICAL_NAME;
    char target[sizeof(name)];
    const ssize_t length = readlink(path, target, sizeof(target));
    return length == (ssize_t)sizeof(target) && memcmp(target, name, sizeof(name) - 1) == 0;
}

/* Threads have numbers of the same sort, and /proc shows the files of their process there too. */
static bool is_process(int number)
{
    return syscall(SYS_tgkill, number, number, 0) == 0 || errno == EPERM;
}

/* Is the file safe to be mapped: of this user, and of a size that nobody can change? Pages of other file systems than
 * this one may be missing. */
static aclError check_file(const struct rg_function *function, const struct export *export, int file, uint64_t number)
{
    struct stat state;
    struct statfs system;
    const int wanted = F_SEAL_SHRINK | F_SEAL_GROW, seals = fcntl(file, F_GET_SEALS);
    const bool is_sealed = seals >= 0 && (seals & wanted) == wanted;
    if (!is_sealed || fstatfs(file, &system) != 0 || system.f_type != TMPFS_MAGIC)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "shareableHandle is %" PRIu64 ", of a file whose size process %d can still change, "
                               "must be of aclrtMemExportToShareableHandle, which seals its files",
                               number, export->process);
    if (fstat(file, &state) == 0 && state.st_uid == geteuid())
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_NO_PERMISSION, function,
                           "shareableHandle is %" PRIu64 ", of a file of user %u, must be of this process's user, "
                           "%u",
                           number, (unsigned)state.st_uid, (unsigned)geteuid());
}

/* Opens what the number says, to be closed, and reads its record. */
static aclError open_export(const struct rg_function *function, uint64_t number, int *file, struct record *record)
{
    const struct export export = unpack(number);
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", export.process, export.file);
    const bool is_there = is_process(export.process);
    errno = ENOENT;
    const int opened = is_there && is_of_physical(path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (opened < 0)
        return fail_open(function, &export, number);
    aclError status = check_file(function, &export, opened, number);
    if (status == ACL_SUCCESS && (!read_record(opened, record) || record->tag != export.tag))
        status = fail_unknown(function, number);
    if (status == ACL_SUCCESS)
        *file = opened;
    else
        close(opened);
    return status;
}

/* ---- Export ----------------------------------------------------------------------------------- */

/* The tag of the memory, a new one if it has none. What has been exported for all stays so. False, with errno, when the
 * system has no room for it. */
static bool find_tag(int file, const struct rg_physical *physical, bool is_for_all, uint32_t *tag)
{
    struct record record;
    const bool is_known = read_record(file, &record);
    if (!is_known) {
        record = (struct record){.size = physical->size, .tag = next_tag()};
        memcpy(record.magic, magic, sizeof(magic));
    }
    *tag = record.tag;
    if (is_known && (!is_for_all || record.is_for_all))
        return true;
    if (is_for_all)
        record.is_for_all = 1;
    return write_record(file, &record);
}

/* The same, by one at a time of the threads and processes that have the memory. The file is opened anew, for they may
 * share the one that is open, and then a lock on that as well. */
static bool find_tag_alone(const struct rg_physical *physical, bool is_for_all, uint32_t *tag)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", physical->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    flock(file, LOCK_EX);
    const bool is_known = find_tag(file, physical, is_for_all, tag);
    close(file); /* and with it the lock */
    return is_known;
}

static aclError export_physical(const struct rg_function *function, const struct rg_physical *physical, bool is_for_all,
                                uint64_t *number)
{
    struct export export = {.process = (int)getpid(), .file = physical->file};
    if (physical->file >= 1 << FILE_BITS || !find_tag_alone(physical, is_for_all, &export.tag))
        return rg_runtime_fail_memory(function);
    *number = pack(&export);
    return ACL_SUCCESS;
}

static aclError check_export_flags(const struct rg_function *function, uint64_t flags)
{
    if (flags == 0 || flags == FOR_ALL)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "flags is 0x%" PRIx64 ", must be 0, or 1 for an import by any process of this user", flags);
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t *shareableHandle)
{
    static const struct rg_function function = {.name = __func__};
    if (shareableHandle == NULL)
        return rg_runtime_fail_null(&function, "shareableHandle");
    aclError status = rg_physical_check_type(&function, "handleType", handleType);
    if (status == ACL_SUCCESS)
        status = check_export_flags(&function, flags);
    if (status != ACL_SUCCESS)
        return status;
    const struct rg_physical *physical = rg_physical_acquire(&function, handle, &status);
    if (physical == NULL)
        return status;
    status = export_physical(&function, physical, flags == FOR_ALL, shareableHandle);
    rg_handle_release(RG_HANDLE_PHYSICAL, handle);
    return status;
}

/* ---- Who may import --------------------------------------------------------------------------- */

static bool is_allowed(const struct record *record, int32_t process)
{
    for (uint32_t k = 0; k < record->n_allowed; k++)
        if (record->allowed[k] == process)
            return true;
    return false;
}

/* Adds processes to the record. */
static aclError allow(const struct rg_function *function, int file, const int32_t *processes, size_t n)
{
    struct record record;
    if (!read_record(file, &record))
        return rg_runtime_fail_memory(function);
    for (size_t k = 0; k < n; k++) {
        if (is_allowed(&record, processes[k]))
            continue;
        if (record.n_allowed == MOST_ALLOWED)
            return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                                   "pidNum is %zu, must be at most %d, with those before", n, MOST_ALLOWED);
        record.allowed[record.n_allowed++] = processes[k];
    }
    return write_record(file, &record) ? ACL_SUCCESS : rg_runtime_fail_memory(function);
}

static aclError check_processes(const struct rg_function *function, uint64_t number, const int32_t *pid, size_t n)
{
    if (pid == NULL)
        return rg_runtime_fail_null(function, "pid");
    if (n == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "pidNum is 0, must be positive");
    const int exporter = unpack(number).process;
    if (exporter != getpid())
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "shareableHandle is %" PRIu64 ", of process %d, must be of this process, %d", number,
                               exporter, (int)getpid());
    for (size_t k = 0; k < n && k <= MOST_ALLOWED; k++)
        if (pid[k] <= 0)
            return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "pid[%zu] is %d, must be positive", k, pid[k]);
    return ACL_SUCCESS;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
    static const struct rg_function function = {.name = __func__};
    struct record record;
    int file = -1;
    aclError status = check_processes(&function, shareableHandle, pid, pidNum);
    if (status == ACL_SUCCESS)
        status = open_export(&function, shareableHandle, &file, &record);
    if (status != ACL_SUCCESS)
        return status;
    flock(file, LOCK_EX);
    status = allow(&function, file, pid, pidNum);
    close(file); /* and with it the lock */
    return status;
}

/* ---- Import ----------------------------------------------------------------------------------- */

static aclError import(const struct rg_origin *origin, uint64_t number, struct rg_physical *made,
                       aclrtDrvMemHandle *handle)
{
    struct record record;
    const int32_t self = (int32_t)getpid();
    aclError status = open_export(origin->function, number, &made->file, &record);
    if (status != ACL_SUCCESS)
        return status;
    made->size = record.size;
    if (unpack(number).process != self && !record.is_for_all && !is_allowed(&record, self))
        status = rg_runtime_fail(ACL_ERROR_RT_NO_PERMISSION, origin->function,
                                 "shareableHandle is %" PRIu64 ", for which aclrtMemSetPidToShareableHandle must "
                                 "have named this process, %d, or which must be exported with flags 1",
                                 number, self);
    void *created = status == ACL_SUCCESS ? rg_physical_create(made, origin) : NULL;
    if (created != NULL) {
        *handle = created;
        return ACL_SUCCESS;
    }
    close(made->file);
    return status != ACL_SUCCESS ? status : rg_runtime_fail_memory(origin->function);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct rg_physical made = {.device = deviceId};
    if (handle == NULL)
        return rg_runtime_fail_null(&function, "handle");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    return refused != ACL_SUCCESS ? refused : import(&origin, shareableHandle, &made, handle);
}

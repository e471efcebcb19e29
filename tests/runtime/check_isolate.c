/* SPDX-License-Identifier: Apache-2.0 */
/* REGRAD_CHECK=isolate: what stops the host from touching device memory, what is said then, and what goes on working.
 */
#include "refusal.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/store/isolate.h"
#include "acl/store/isolate_arena.h"

enum { SIZE = 40, MOST_TEXT = 8192, PIECE = 2 << 20 };

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
    __has_feature(thread_sanitizer)
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif

static void *allocate(size_t size)
{
    void *memory = NULL;
    assert_success(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

/* ---- Programs that are wrong ------------------------------------------------------------------ */

/* How a child process has ended, and what it has said. */
static struct {
    int status;
    char text[MOST_TEXT];
} child;

static void read_all(int file)
{
    size_t length = 0;
    ssize_t n;
    while (length + 1 < MOST_TEXT && (n = read(file, child.text + length, MOST_TEXT - 1 - length)) > 0)
        length += (size_t)n;
    child.text[length] = '\0';
}

/* Runs it in a child that has no handlers of its own. */
static void run_child(void (*program)(void))
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        signal(SIGSEGV, SIG_DFL);
        program();
        _exit(0);
    }
    close(ends[1]);
    read_all(ends[0]);
    close(ends[0]);
    assert_int_equal(waitpid(process, &child.status, 0), process);
}

static void expect_stop(void (*program)(void), const char *words)
{
    run_child(program);
    const bool is_stopped = WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGSEGV;
    if (is_stopped && strstr(child.text, "regrad check: host-access\n") != NULL && strstr(child.text, words) != NULL)
        return;
    print_error("status 0x%x, must be SIGSEGV; it must have said \"%s\" and said:\n%s\n", (unsigned)child.status, words,
                child.text);
    fail();
}

static volatile char *block_of(size_t size)
{
    void *memory = NULL;
    if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
        _exit(2);
    return memory;
}

static void read_device_memory(void)
{
    const volatile char *block = block_of(SIZE);
    _exit(block[12] == 0);
}

static void write_device_memory(void)
{
    block_of(SIZE)[39] = 1;
}

static void write_behind(void)
{
    block_of(SIZE)[40] = 1;
}

static void write_far_behind(void)
{
    block_of(SIZE)[3000] = 1;
}

static void write_before(void)
{
    block_of(64)[-1] = 1;
}

/* The first block of all that there are. */
static void write_far_before(void)
{
    block_of(SIZE)[-64000] = 1;
}

static void write_far_away(void)
{
    block_of(SIZE)[1 << 29] = 1;
}

static void jump_to_device_memory(void)
{
    void (*function)(void) = (void (*)(void))(uintptr_t)block_of(SIZE);
    function();
}

static void write_freed(void)
{
    volatile char *block = block_of(SIZE);
    if (aclrtFree((void *)(uintptr_t)block) == ACL_SUCCESS)
        block[3] = 1;
}

/* Mapped memory, a piece of it behind another. */
static volatile char *mapped_block(void)
{
    const aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    void *base = NULL;
    aclrtDrvMemHandle handle = NULL;
    if (aclrtReserveMemAddress(&base, 4 * PIECE, 0, NULL, 0) != ACL_SUCCESS ||
        aclrtMallocPhysical(&handle, 2 * PIECE, &prop, 0) != ACL_SUCCESS ||
        aclrtMapMem(base, PIECE, 0, handle, 0) != ACL_SUCCESS ||
        aclrtMapMem((char *)base + PIECE, PIECE, PIECE, handle, 0) != ACL_SUCCESS)
        _exit(2);
    return base;
}

static void write_mapped(void)
{
    mapped_block()[PIECE + 7] = 1;
}

static void write_unmapped(void)
{
    volatile char *block = mapped_block();
    if (aclrtUnmapMem((char *)(uintptr_t)block + PIECE) == ACL_SUCCESS)
        block[PIECE + 7] = 1;
}

static void write_behind_mapped(void)
{
    mapped_block()[2 * PIECE] = 1;
}

static void write_reserved(void)
{
    mapped_block()[4 * PIECE - 1] = 1;
}

static void write_released(void)
{
    volatile char *block = mapped_block();
    for (int k = 0; k < 2; k++)
        if (aclrtUnmapMem((char *)(uintptr_t)block + k * PIECE) != ACL_SUCCESS)
            return;
    if (aclrtReleaseMemAddress((void *)(uintptr_t)block) == ACL_SUCCESS)
        block[7] = 1;
}

/* Others come after it: its addresses are not given out again at once. */
static void write_freed_long_ago(void)
{
    volatile char *block = block_of(SIZE);
    if (aclrtFree((void *)(uintptr_t)block) != ACL_SUCCESS)
        return;
    for (int k = 0; k < 1000; k++)
        if (aclrtFree((void *)(uintptr_t)block_of((size_t)SIZE + (size_t)k * 100)) != ACL_SUCCESS)
            return;
    block[3] = 1;
}

static void *(*volatile const copy)(void *, const void *, size_t) = memcpy;

static void copy_by_hand(void)
{
    char host[SIZE];
    copy(host, (const void *)(uintptr_t)block_of(SIZE), SIZE);
}

static void *touch_in_thread(void *block)
{
    *(volatile char *)block = 1;
    return NULL;
}

static void touch_in_threads(void)
{
    pthread_t threads[4];
    volatile char *block = block_of(SIZE);
    for (int k = 0; k < 4; k++)
        if (pthread_create(&threads[k], NULL, touch_in_thread, (void *)(uintptr_t)block) != 0)
            _exit(2);
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
}

static void test_reads_and_writes(void **state)
{
    (void)state;
#if defined(__x86_64__)
    expect_stop(read_device_memory, "the host reads 0x");
    expect_stop(write_device_memory, "the host writes 0x");
    expect_stop(jump_to_device_memory, "the host jumps to 0x");
    expect_stop(read_device_memory, "aclrtMemcpy and ACL_MEMCPY_DEVICE_TO_HOST, and read the copy");
    expect_stop(write_device_memory, "aclrtMemcpy and ACL_MEMCPY_HOST_TO_DEVICE");
#endif
    expect_stop(jump_to_device_memory, ", byte 0 of 40 bytes of device memory at 0x");
    expect_stop(read_device_memory, ", byte 12 of 40 bytes of device memory at 0x");
    expect_stop(write_device_memory, ", byte 39 of 40 bytes of device memory at 0x");
    expect_stop(read_device_memory, "  object   40 bytes of device memory at 0x");
    expect_stop(read_device_memory, ", allocated by aclrtMalloc\n           at    check_runtime_isolate");
    expect_stop(read_device_memory, "  at       check_runtime_isolate [0x");
}

static void test_log(void **state)
{
    (void)state;
    expect_stop(write_device_memory,
                "regrad: the environment variable REGRAD_CHECK_LOG is \"/nowhere/log\"; it cannot");
}

static void test_beside(void **state)
{
    (void)state;
    expect_stop(write_behind, ", 1 byte behind the last of 40 bytes of device memory at 0x");
    expect_stop(write_far_behind, ", 2961 bytes behind the last of 40 bytes of device memory at 0x");
    expect_stop(write_before, ", 1 byte before the first of 64 bytes of device memory at 0x");
    expect_stop(write_far_before, "  what     the host ");
    expect_stop(write_far_before, ", 64000 bytes before the first of 40 bytes of device memory at 0x");
    expect_stop(write_far_away, ", an address of devices at which there is no memory\n  instead");
}

static void test_freed(void **state)
{
    (void)state;
    expect_stop(write_freed, ", byte 3 of 40 bytes of device memory at 0x");
    expect_stop(write_freed, ", which has been freed\n");
    expect_stop(write_freed, "the same, freed by aclrtFree\n           at    check_runtime_isolate");
    expect_stop(write_freed_long_ago, ", byte 3 of 40 bytes of device memory at 0x");
    expect_stop(write_freed_long_ago, ", which has been freed\n");
}

static void test_mapped(void **state)
{
    (void)state;
    expect_stop(write_mapped, ", byte 7 of 2097152 bytes of device memory at 0x");
    expect_stop(write_mapped, ", allocated by aclrtMapMem\n           at    check_runtime_isolate");
    expect_stop(write_unmapped, ", byte 7 of 2097152 bytes of device memory at 0x");
    expect_stop(write_unmapped, "the same, freed by aclrtUnmapMem\n           at    check_runtime_isolate");
    expect_stop(write_behind_mapped, ", 1 byte behind the last of 2097152 bytes of device memory at 0x");
    expect_stop(write_reserved, ", an address of devices at which there is no memory\n  instead");
    expect_stop(write_released, ", an address of devices at which there is no memory\n  instead");
}

/* The frame of the C library comes first, and then that of the program. */
static void test_in_library(void **state)
{
    (void)state;
    expect_stop(copy_by_hand, ", byte ");
    expect_stop(copy_by_hand, "check_runtime_isolate [0x");
    expect_stop(touch_in_threads, ", byte 0 of 40 bytes");
}

/* ---- Handlers of the program ------------------------------------------------------------------ */

enum { EXIT_SIMPLE = 41, EXIT_FULL = 42, EXIT_ON_STACK = 43 };

static void handle_simply(int number)
{
    _exit(number == SIGSEGV ? EXIT_SIMPLE : 1);
}

static volatile char *wanted_address;

static void handle_fully(int number, siginfo_t *info, void *context)
{
    _exit(number == SIGSEGV && info->si_addr == wanted_address && context != NULL ? EXIT_FULL : 1);
}

static void install(void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, NULL) != 0)
        _exit(2);
}

static void touch_with_simple_handler(void)
{
    signal(SIGSEGV, handle_simply);
    *block_of(SIZE) = 1;
}

static void touch_with_full_handler(void)
{
    install(handle_fully, 0);
    wanted_address = block_of(SIZE);
    *wanted_address = 1;
}

/* Found by the next allocation. */
static void touch_with_later_handler(void)
{
    block_of(SIZE);
    install(handle_fully, 0);
    wanted_address = block_of(SIZE);
    *wanted_address = 1;
}

static struct sigaction handler_below;

static void hand_on_below(int number, siginfo_t *info, void *context)
{
    handler_below.sa_sigaction(number, info, context);
}

/* It calls ours, which calls it: there must be an end. */
static void touch_with_handler_that_hands_on(void)
{
    block_of(SIZE);
    sigaction(SIGSEGV, NULL, &handler_below);
    install(hand_on_below, 0);
    *block_of(SIZE) = 1;
}

static void do_nothing(int number)
{
    (void)number;
}

/* The same instruction is done again, and stopped again. */
static void touch_with_handler_that_returns(void)
{
    signal(SIGSEGV, do_nothing);
    *block_of(SIZE) = 1;
}

static sigjmp_buf way_out;

static void jump_out(int number)
{
    siglongjmp(way_out, number);
}

/* A program that survives twice, as a test runner does. */
static void touch_and_jump(void)
{
    static volatile int n_jumps;
    signal(SIGSEGV, jump_out);
    volatile char *block = block_of(SIZE);
    sigsetjmp(way_out, 1);
    if (n_jumps++ < 2)
        *block = 1;
    _exit(n_jumps == 3 ? EXIT_SIMPLE : 1);
}

static char alternate_stack[64 << 10];

static void exit_on_stack(int number)
{
    const char here = (char)number;
    const uintptr_t at = (uintptr_t)&here - (uintptr_t)alternate_stack;
    _exit(at < sizeof(alternate_stack) ? EXIT_ON_STACK : 1);
}

static void touch_with_alternate_stack(void)
{
    const stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
    if (sigaltstack(&stack, NULL) != 0)
        _exit(2);
    signal(SIGSEGV, exit_on_stack);
    *block_of(SIZE) = 1;
}

static void expect_exit(void (*program)(void), int wanted, int n_blocks)
{
    int n_found = 0;
    run_child(program);
    for (const char *at = child.text; (at = strstr(at, "regrad check: host-access\n")) != NULL; at++)
        n_found++;
    if (WIFEXITED(child.status) && WEXITSTATUS(child.status) == wanted && n_found == n_blocks)
        return;
    print_error("status 0x%x, must be exit %d; it must have said %d blocks and said:\n%s\n", (unsigned)child.status,
                wanted, n_blocks, child.text);
    fail();
}

static void test_handlers(void **state)
{
    (void)state;
    expect_exit(touch_with_simple_handler, EXIT_SIMPLE, 1);
    expect_exit(touch_with_full_handler, EXIT_FULL, 1);
    expect_exit(touch_with_later_handler, EXIT_FULL, 1);
    expect_exit(touch_and_jump, EXIT_SIMPLE, 2);
    expect_exit(touch_with_alternate_stack, EXIT_ON_STACK, 1);
    expect_stop(touch_with_handler_that_hands_on, ", byte 0 of 40 bytes");
    expect_stop(touch_with_handler_that_returns, ", byte 0 of 40 bytes");
    assert_null(strstr(strstr(child.text, "regrad check") + 1, "regrad check")); /* once */
}

static volatile uintptr_t no_address = 16;

static void touch_nothing(void)
{
    block_of(SIZE);
    *(volatile char *)no_address = 1;
}

static void send_to_itself(void)
{
    block_of(SIZE);
    raise(SIGSEGV);
}

/* What has nothing to do with devices ends as ever, and without a word. */
static void test_other_faults(void **state)
{
    (void)state;
    void (*const programs[])(void) = {touch_nothing, send_to_itself};
    for (size_t k = 0; k < sizeof(programs) / sizeof(programs[0]); k++) {
        run_child(programs[k]);
        assert_true(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGSEGV);
        assert_string_equal(child.text, "");
    }
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static void test_places(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), sizes[] = {1, 63, 64, 65, 4096, 5000, 1 << 20, (3 << 20) + 7};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        char *block = allocate(sizes[k]);
        const uintptr_t end = (uintptr_t)block + ((sizes[k] + 31) / 32 * 32 + 32 + 511) / 512 * 512;
        assert_int_equal((uintptr_t)block % 512, 0);
        assert_int_equal(end % page, 0);
        assert_true(rg_memory_is_isolated(block));
        assert_ptr_not_equal(rg_memory_touch(block), block);
        assert_ptr_equal((char *)rg_memory_touch(block + sizes[k] - 1), (char *)rg_memory_touch(block) + sizes[k] - 1);
        assert_success(aclrtFree(block));
    }
    int here;
    assert_false(rg_memory_is_isolated(&here));
    assert_ptr_equal(rg_memory_touch(&here), &here);
    assert_null(rg_memory_touch(NULL));
    void *host = NULL;
    assert_success(aclrtMallocHost(&host, SIZE));
    memset(host, 1, SIZE);
    assert_ptr_equal(rg_memory_touch(host), host);
    assert_success(aclrtFreeHost(host));
}

/* Blocks come and go at random; each keeps what was written to it. */
static void test_random(void **state)
{
    (void)state;
    enum { N_BLOCKS = 300, N_ROUNDS = 20000 };
    static struct {
        unsigned char *address;
        size_t size;
    } blocks[N_BLOCKS];
    unsigned long random = 12345;
    for (int round = 0; round < N_ROUNDS + N_BLOCKS; round++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        const int k = round < N_ROUNDS ? (int)(random >> 33) % N_BLOCKS : round - N_ROUNDS;
        unsigned char *const ours = rg_memory_touch(blocks[k].address);
        for (size_t i = 0; blocks[k].address != NULL && i < blocks[k].size; i += 509)
            assert_int_equal(ours[i], (unsigned char)(k + 1));
        if (blocks[k].address != NULL)
            assert_success(aclrtFree(blocks[k].address));
        else if (round < N_ROUNDS)
            blocks[k].size = 1 + (random >> 40) % (k % 50 == 0 ? 3000000 : 9000);
        blocks[k].address = blocks[k].address == NULL && round < N_ROUNDS ? allocate(blocks[k].size) : NULL;
        if (blocks[k].address != NULL)
            assert_success(aclrtMemset(blocks[k].address, blocks[k].size, k + 1, blocks[k].size));
    }
}

/* More live blocks than a process may have mappings. */
static void test_many(void **state)
{
    (void)state;
    enum { N_BLOCKS = 40000 };
    static int *blocks[N_BLOCKS];
    for (int k = 0; k < N_BLOCKS; k++) {
        blocks[k] = allocate(sizeof(int));
        assert_success(aclrtMemcpy(blocks[k], sizeof(k), &k, sizeof(k), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    for (int k = 0; k < N_BLOCKS; k++) {
        int found = -1;
        assert_success(aclrtMemcpy(&found, sizeof(found), blocks[k], sizeof(found), ACL_MEMCPY_DEVICE_TO_HOST));
        assert_int_equal(found, k);
        assert_success(aclrtFree(blocks[k]));
    }
    expect_stop(write_freed, ", which has been freed\n");
    expect_stop(write_behind, ", 1 byte behind the last of 40 bytes");
}

static void allocate_with_limit(int resource, const char *reason)
{
    const struct rlimit little = {32 << 20, 32 << 20};
    char words[128];
    void *memory = NULL;
    snprintf(words, sizeof(words), "for which there are no isolated addresses (%s)", reason);
    aclrtSetDevice(0);
    setrlimit(resource, &little);
    const aclError status = aclrtMalloc(&memory, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
    const char *message = aclGetRecentErrMsg();
    const bool is_told = message != NULL && strstr(message, words) != NULL;
    _exit(status == ACL_ERROR_RT_MEMORY_ALLOCATION && is_told ? EXIT_SIMPLE : 1);
}

static void allocate_without_addresses(void)
{
    allocate_with_limit(RLIMIT_AS, "Cannot allocate memory");
}

static void allocate_without_file(void)
{
    allocate_with_limit(RLIMIT_FSIZE, "File too large");
}

/* Before the first block there is. */
static void test_no_addresses(void **state)
{
    (void)state;
    if (is_sanitized) /* sanitizers need addresses themselves */
        skip();
    expect_exit(allocate_without_addresses, EXIT_SIMPLE, 0);
    expect_exit(allocate_without_file, EXIT_SIMPLE, 0);
}

/* ---- Forks ------------------------------------------------------------------------------------ */

static int *shared_block;

static int load(void)
{
    int value = -1;
    aclrtMemcpy(&value, sizeof(value), shared_block, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST);
    return value;
}

static void store(int value)
{
    aclrtMemcpy(shared_block, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE);
}

/* A child has the memory of its parent as it was, and changes its own. */
static void change_in_child(void)
{
    const int before = load();
    store(2);
    int *other = (int *)(uintptr_t)block_of(sizeof(int));
    aclrtMemset(other, sizeof(int), 0x11, sizeof(int));
    _exit(before == 1 && load() == 2 && aclrtFree(shared_block) == ACL_SUCCESS ? EXIT_SIMPLE : 1);
}

static void test_fork(void **state)
{
    (void)state;
    shared_block = allocate(sizeof(int));
    store(1);
    expect_exit(change_in_child, EXIT_SIMPLE, 0);
    assert_int_equal(load(), 1);
    assert_success(aclrtFree(shared_block));
}

int main(void)
{
    /* A log that cannot be opened: test_log. */
    if (setenv("REGRAD_CHECK", "isolate", 1) != 0 || setenv("REGRAD_DEVICE_MEMORY", "1G", 1) != 0 ||
        setenv("REGRAD_CHECK_LOG", "/nowhere/log", 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_addresses), cmocka_unit_test(test_reads_and_writes),
        cmocka_unit_test(test_beside),       cmocka_unit_test(test_log),
        cmocka_unit_test(test_freed),        cmocka_unit_test(test_in_library),
        cmocka_unit_test(test_mapped),       cmocka_unit_test(test_handlers),
        cmocka_unit_test(test_other_faults), cmocka_unit_test(test_places),
        cmocka_unit_test(test_random),       cmocka_unit_test(test_fork),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, set_device_0, reset_device_0);
}

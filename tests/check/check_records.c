/* What the check mode remembers of things that are gone, and for how long. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "acl/acl.h"
#include "acl/check_mode.h"
#include "acl/handle.h"
#include "acl/memory.h"
#include "aclnn/acl_meta.h"

enum { N_REMEMBERED = 1024 };

static void *allocate(size_t size)
{
    void *memory = NULL;
    assert_int_equal(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return memory;
}

static void remembers_freed_memory(void **state)
{
    (void)state;
    struct rg_memory_block block;
    char *memory = allocate(100);
    assert_true(rg_memory_find(memory + 99, &block));
    assert_false(rg_memory_find_freed(memory + 99, &block));
    assert_string_equal(block.allocated.function, "aclrtMalloc");
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    assert_false(rg_memory_find(memory + 99, &block));
    assert_true(rg_memory_find_freed(memory + 99, &block));
    assert_false(rg_memory_find_freed(memory + 100, &block));
    assert_true(rg_memory_find_freed(memory, &block));
    assert_ptr_equal(block.base, memory);
    assert_int_equal(block.size, 100);
    assert_string_equal(block.allocated.function, "aclrtMalloc");
    assert_string_equal(block.freed.function, "aclrtFree");
    assert_non_null(block.allocated.place.frame[0]);
    assert_non_null(block.freed.place.frame[0]);
}

static void remembers_the_last_of_many(void **state)
{
    (void)state;
    static void *memory[N_REMEMBERED + 1];
    struct rg_memory_block block;
    for (int i = 0; i <= N_REMEMBERED; i++)
        memory[i] = allocate(64);
    for (int i = 0; i <= N_REMEMBERED; i++)
        assert_int_equal(aclrtFree(memory[i]), ACL_SUCCESS);
    assert_false(rg_memory_find_freed(memory[0], &block));
    for (int i = 1; i <= N_REMEMBERED; i++)
        assert_true(rg_memory_find_freed(memory[i], &block));
}

/* A live block at the same address counts, whatever was freed there. */
static void forgets_what_is_allocated_anew(void **state)
{
    (void)state;
    char host[64] = {0};
    for (int i = 0; i < 100; i++) {
        void *memory = allocate(64);
        const unsigned n_told = rg_check_count();
        assert_int_equal(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
        assert_int_equal(rg_check_count(), n_told);
        assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    }
}

/* However large it is. */
static void tells_what_leaves_a_block(void **state)
{
    (void)state;
    const size_t sizes[] = {100, INT64_MAX, (size_t)INT64_MAX + 1, SIZE_MAX};
    void *memory = allocate(64);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(aclrtMemset(memory, SIZE_MAX, 0, sizes[k]), ACL_ERROR_RT_PARAM_INVALID);
        assert_non_null(strstr(aclGetRecentErrMsg(), "(check: out-of-bounds)"));
    }
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
}

static void knows_handles(void **state)
{
    (void)state;
    int number = 0;
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    assert_int_equal(rg_handle_look(&number).state, RG_HANDLE_FOREIGN);
    assert_int_equal(rg_handle_look(NULL).state, RG_HANDLE_FOREIGN);
    assert_int_equal(rg_handle_look((const void *)UINTPTR_MAX).state, RG_HANDLE_FOREIGN);
    const struct rg_handle_life live = rg_handle_look(tensor);
    assert_int_equal(live.state, RG_HANDLE_LIVE);
    assert_int_equal(live.kind, RG_HANDLE_TENSOR);
    assert_string_equal(live.created.function, "aclCreateTensor");
    aclDestroyTensor(tensor);
    const struct rg_handle_life dead = rg_handle_look(tensor);
    assert_int_equal(dead.state, RG_HANDLE_DEAD);
    assert_int_equal(dead.kind, RG_HANDLE_TENSOR);
    assert_ptr_equal(dead.created.place.frame[0], live.created.place.frame[0]);
    assert_string_equal(dead.ended.function, "aclDestroyTensor");
    assert_non_null(dead.ended.place.frame[0]);
}

/* One that was never given out, though its slot was. */
static void knows_handles_to_come(void **state)
{
    (void)state;
    aclTensor *first = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    aclDestroyTensor(first);
    aclTensor *second = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    const uintptr_t step = (uintptr_t)second - (uintptr_t)first;
    assert_int_equal(rg_handle_look((const void *)((uintptr_t)second + step)).state, RG_HANDLE_FOREIGN);
    aclDestroyTensor(second);
    assert_int_equal(rg_handle_look((const void *)((uintptr_t)second + step)).state, RG_HANDLE_FOREIGN);
}

static void forgets_old_handles(void **state)
{
    (void)state;
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    aclDestroyTensor(tensor);
    for (int i = 0; i < N_REMEMBERED; i++)
        aclDestroyIntArray(aclCreateIntArray(NULL, 0));
    assert_int_equal(rg_handle_look(tensor).state, RG_HANDLE_DEAD);
    assert_null(rg_handle_look(tensor).created.function);
}

static void lists_end_their_members(void **state)
{
    (void)state;
    const aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    aclDestroyTensorList(aclCreateTensorList(&tensor, 1));
    assert_string_equal(rg_handle_look(tensor).ended.function, "aclDestroyTensorList");
}

/* With RG_CHECK_WARN memory is told at aclFinalize, once, and nothing when others use the runtime. */
static void tells_leaks_once(void **state)
{
    (void)state;
    void *memory = allocate(64);
    const unsigned n_told = rg_check_count();
    assert_int_equal(aclInit(NULL), ACL_SUCCESS);
    assert_int_equal(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    assert_int_equal(aclFinalize(), ACL_SUCCESS);
    assert_int_equal(rg_check_count(), n_told);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(aclInit(NULL), ACL_SUCCESS);
        assert_int_equal(aclFinalize(), ACL_SUCCESS);
        assert_int_equal(rg_check_count(), n_told + 1);
    }
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
}

int main(void)
{
    unsetenv("REGRAD_CHECK");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembers_freed_memory),         cmocka_unit_test(remembers_the_last_of_many),
        cmocka_unit_test(forgets_what_is_allocated_anew), cmocka_unit_test(knows_handles),
        cmocka_unit_test(knows_handles_to_come),          cmocka_unit_test(forgets_old_handles),
        cmocka_unit_test(lists_end_their_members),        cmocka_unit_test(tells_leaks_once),
        cmocka_unit_test(tells_what_leaves_a_block),
    };
    return aclrtSetDevice(0) != ACL_SUCCESS || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

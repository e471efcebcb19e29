/* What the environment says. It is read once, so each case has a process of its own. */
#include "refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process with this setting answers: a number, or a text on its standard output. */
struct answer {
    uint64_t number;
    char text[4096];
};

struct setting {
    const char *name;
    const char *value;
};

static void answer_and_exit(const struct setting *settings, size_t n_settings, uint64_t (*ask)(void), int number_end)
{
    for (size_t i = 0; i < n_settings; i++)
        if (settings[i].value != NULL)
            setenv(settings[i].name, settings[i].value, 1);
        else
            unsetenv(settings[i].name);
    const uint64_t number = ask();
    const int written = write(number_end, &number, sizeof(number)) == (ssize_t)sizeof(number);
    fflush(stdout);
    _exit(written ? 0 : 1);
}

static struct answer ask_child(const struct setting *settings, size_t n_settings, uint64_t (*ask)(void))
{
    struct answer answer = {0};
    int number_pipe[2];
    int text_pipe[2];
    int status = -1;
    assert_int_equal(pipe(number_pipe), 0);
    assert_int_equal(pipe(text_pipe), 0);
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(text_pipe[1], STDOUT_FILENO);
        answer_and_exit(settings, n_settings, ask, number_pipe[1]);
    }
    close(number_pipe[1]);
    close(text_pipe[1]);
    assert_int_equal(read(number_pipe[0], &answer.number, sizeof(answer.number)), sizeof(answer.number));
    for (ssize_t length = 0, n = 1; n > 0; length += n)
        n = read(text_pipe[0], answer.text + length, sizeof(answer.text) - 1 - (size_t)length);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(number_pipe[0]);
    close(text_pipe[0]);
    return answer;
}

static struct answer ask_with(const char *name, const char *value, uint64_t (*ask)(void))
{
    return ask_child(&(struct setting){name, value}, 1, ask);
}

/* ---- Devices ---------------------------------------------------------------------------------- */

static uint64_t count_devices(void)
{
    uint32_t count = 77;
    return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? count : 99;
}

static void test_device_count(void **state)
{
    (void)state;
    const struct {
        const char *value;
        uint64_t count;
    } cases[] = {{NULL, 1}, {"1", 1},  {"3", 3}, {"64", 64}, {"65", 1},
                 {"0", 1},  {"-2", 1}, {"", 1},  {"two", 1}, {"2x", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(ask_with("REGRAD_DEVICES", cases[i].value, count_devices).number, cases[i].count);
}

static void test_visible_devices(void **state)
{
    (void)state;
    const struct {
        const char *value;
        uint64_t count;
    } cases[] = {{NULL, 4}, {"", 4},      {"0", 1},     {"3,1", 2}, {"0,1,2,3", 4}, {"0,4,1", 1}, {"9", 0},
                 {"-1", 0}, {"0,0,1", 1}, {"1,x,2", 1}, {"1;2", 1}, {"1,", 1},      {"x", 0},     {"2, 3", 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct setting settings[] = {{"REGRAD_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", cases[i].value}};
        assert_int_equal(ask_child(settings, 2, count_devices).number, cases[i].count);
    }
}

static uint64_t status_of_set_device(void)
{
    return (uint64_t)aclrtSetDevice(0);
}

static void test_no_visible_device(void **state)
{
    (void)state;
    assert_int_equal(ask_with("ASCEND_RT_VISIBLE_DEVICES", "1", status_of_set_device).number,
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(ask_with("ASCEND_RT_VISIBLE_DEVICES", "0", status_of_set_device).number, ACL_SUCCESS);
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static uint64_t total_memory(void)
{
    size_t left = 0;
    size_t total = 0;
    if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) != ACL_SUCCESS || left != total)
        return 99;
    return aclrtResetDevice(0) == ACL_SUCCESS ? total : 98;
}

static void test_device_memory(void **state)
{
    (void)state;
    const uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const struct {
        const char *value;
        uint64_t bytes;
    } cases[] = {{NULL, physical},           {"12345", 12345},   {"12K", 12 * 1024},
                 {"3M", 3 * 1024 * 1024},    {"2G", 2147483648}, {"17179869183G", 18446744072635809792U},
                 {"17179869184G", physical}, {"0", physical},    {"", physical},
                 {"-1", physical},           {" 1", physical},   {"G", physical},
                 {"2g", physical},           {"2GB", physical},  {"2T", physical}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(ask_with("REGRAD_DEVICE_MEMORY", cases[i].value, total_memory).number, cases[i].bytes);
}

/* ---- The name --------------------------------------------------------------------------------- */

static uint64_t print_soc_name(void)
{
    const char *name = aclrtGetSocName();
    printf("%s", name);
    return name == aclrtGetSocName();
}

static void test_soc_name(void **state)
{
    (void)state;
    const struct {
        const char *value;
        const char *name;
    } cases[] = {{NULL, "Ascend910B1"}, {"", "Ascend910B1"}, {"Ascend310P3", "Ascend310P3"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct answer answer = ask_with("REGRAD_SOC_NAME", cases[i].value, print_soc_name);
        assert_int_equal(answer.number, 1);
        assert_string_equal(answer.text, cases[i].name);
    }
}

/* ---- The log ---------------------------------------------------------------------------------- */

static uint64_t log_lines(void)
{
    char text[2000];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    for (int level = -1; level <= 4; level++)
        aclAppLog((aclLogLevel)level, "function", "file.c", 12, "level %d", level);
    aclAppLog(ACL_ERROR, NULL, NULL, 0, "%s", "nameless");
    aclAppLog(ACL_ERROR, "function", "file.c", 12, NULL);
    aclAppLog(ACL_INFO, "f", "f", 1, "%s", text);
    ACL_APP_LOG(ACL_DEBUG, "of %s", "a macro");
    return 0;
}

static void test_log(void **state)
{
    (void)state;
    const char *const errors = "[ERROR] function (file.c:12): level 3\n[ERROR]  (:0): nameless\n";
    const struct {
        const char *print, *old_print, *level, *text;
    } cases[] = {
        {NULL, NULL, "0", ""},     {"0", "1", "0", ""},      {"1", NULL, NULL, errors}, {"1", "0", "3", errors},
        {NULL, "1", NULL, errors}, {"1", NULL, "x", errors}, {"1", NULL, "5", errors},  {"1", NULL, "4", ""},
        {NULL, "0", NULL, ""},     {"yes", NULL, NULL, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct setting settings[] = {{"ASCEND_LOG_PRINT_TO_STDOUT", cases[i].print},
                                           {"ASCEND_SLOG_PRINT_TO_STDOUT", cases[i].old_print},
                                           {"ASCEND_GLOBAL_LOG_LEVEL", cases[i].level}};
        assert_string_equal(ask_child(settings, 3, log_lines).text, cases[i].text);
    }
}

static void test_log_everything(void **state)
{
    (void)state;
    const struct setting settings[] = {{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}, {"ASCEND_GLOBAL_LOG_LEVEL", "0"}};
    const struct answer answer = ask_child(settings, 2, log_lines);
    const char *begin = "[DEBUG] function (file.c:12): level 0\n[INFO] function (file.c:12): level 1\n"
                        "[WARNING] function (file.c:12): level 2\n[ERROR] function (file.c:12): level 3\n"
                        "[ERROR]  (:0): nameless\n[INFO] f (f:1): xxx";
    assert_memory_equal(answer.text, begin, strlen(begin));
    const char *long_line = strstr(answer.text, "xxx");
    assert_int_equal(strspn(long_line, "x"), 1023);
    assert_non_null(strstr(long_line, "\n[DEBUG] log_lines ("));
    assert_non_null(strstr(long_line, "): of a macro\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_count),      cmocka_unit_test(test_visible_devices),
        cmocka_unit_test(test_no_visible_device), cmocka_unit_test(test_device_memory),
        cmocka_unit_test(test_soc_name),          cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

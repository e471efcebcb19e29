/* SPDX-License-Identifier: Apache-2.0 */
/* The log: which lines are written, and where. The environment is read once, so each case has a process of its own. */
#define _GNU_SOURCE
#include "ask.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_THREADS = 4, N_LINES = 100, TEXT_SIZE = 65536 };

/* ---- What the library is told, and does ------------------------------------------------------- */

/* With -Wl,--wrap. */
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);

static time_t faked_time; /* 0: the true one */
static int open_flags;    /* of the file that was opened last */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (faked_time == 0)
        return __real_clock_gettime(clock, time);
    *time = (struct timespec){faked_time, 123456789};
    return 0;
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
    open_flags = flags;
    return __real_open(path, flags, mode);
}

/* ---- Directories ------------------------------------------------------------------------------ */

static char scratch[] = "/tmp/check_log.XXXXXX", plogs[64];

static int make_scratch(void **state)
{
    (void)state;
    memcpy(scratch + strlen(scratch) - 6, "XXXXXX", 6);
    if (mkdtemp(scratch) == NULL)
        return 1;
    snprintf(plogs, sizeof(plogs), "%s/debug/plog", scratch);
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static int remove_scratch(void **state)
{
    (void)state;
    return nftw(scratch, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* How many entries a directory has, and the path of one; -1 when there is none. */
static int list(const char *name, char path[PATH_MAX])
{
    int n = 0;
    DIR *directory = opendir(name);
    if (directory == NULL)
        return -1;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        if (entry->d_name[0] != '.' && ++n > 0)
            snprintf(path, PATH_MAX, "%.1000s/%s", name, entry->d_name);
    closedir(directory);
    return n;
}

static void read_file(const char *path, char text[TEXT_SIZE])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
    fclose(file);
}

/* The text of the only file in a directory. */
static const char *read_only_file(const char *directory)
{
    static char text[TEXT_SIZE];
    char path[PATH_MAX];
    assert_int_equal(list(directory, path), 1);
    read_file(path, text);
    return text;
}

/* ---- Lines ------------------------------------------------------------------------------------ */

/* Takes away what is different each time, once it has been looked at. */
static void assert_lines(const char *text, const char *wanted)
{
    char plain[8192] = "", level[16], module[16];
    size_t length = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        int process, thread, n = 0;
        struct tm date = {0};
        assert_non_null(strchr(line, '\n'));
        sscanf(line, "[%15[A-Z]] %15[A-Z](%d,%d):%d-%d-%dT%d:%d:%d.%*6dZ%n", level, module, &process, &thread,
               &date.tm_year, &date.tm_mon, &date.tm_mday, &date.tm_hour, &date.tm_min, &date.tm_sec, &n);
        if (n == 0 || line[n] != ' ')
            fail_msg("no line of a log: %s", line);
        date.tm_year -= 1900;
        date.tm_mon--;
        assert_true(labs(timegm(&date) - time(NULL)) < 600);
        assert_true(process != getpid() && process == thread);
        length += (size_t)snprintf(plain + length, sizeof(plain) - length, "[%s] %s %.*s\n", level, module,
                                   (int)strcspn(line + n + 1, "\n"), line + n + 1);
    }
    assert_string_equal(plain, wanted);
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

static void assert_contains(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, text);
}

/* ---- What is printed -------------------------------------------------------------------------- */

static uint64_t log_lines(void)
{
    for (int level = -1; level <= 4; level++)
        aclAppLog((aclLogLevel)level, "function", "file.c", 12, "level %d", level);
    aclAppLog(ACL_ERROR, NULL, NULL, 0, "%s", "nameless");
    aclAppLog(ACL_ERROR, "function", "file.c", 12, NULL);
    return 0;
}

static const char error_lines[] = "[ERROR] APP function (file.c:12): level 3\n[ERROR] APP  (:0): nameless\n";
static const char all_lines[] = "[DEBUG] APP function (file.c:12): level 0\n[INFO] APP function (file.c:12): level 1\n"
                                "[WARNING] APP function (file.c:12): level 2\n"
                                "[ERROR] APP function (file.c:12): level 3\n[ERROR] APP  (:0): nameless\n";

static void test_printing(void **state)
{
    (void)state;
    const struct {
        const char *print, *old_print, *level, *text;
        const char *refused; /* the variable */
    } cases[] = {
        {NULL, NULL, "0", "", NULL},
        {"0", "1", "0", "", NULL},
        {"1", NULL, NULL, error_lines, NULL},
        {"1", "0", "3", error_lines, NULL},
        {NULL, "1", NULL, error_lines, NULL},
        {"", "1", NULL, error_lines, NULL},
        {"1", NULL, "4", "", NULL},
        {NULL, "0", NULL, "", NULL},
        {"1", NULL, "0", all_lines, NULL},
        {"1", NULL, "x", error_lines, "ASCEND_GLOBAL_LOG_LEVEL"},
        {"1", NULL, "", error_lines, NULL},
        {"1", NULL, "5", error_lines, "ASCEND_GLOBAL_LOG_LEVEL"},
        {"1", NULL, "-1", error_lines, "ASCEND_GLOBAL_LOG_LEVEL"},
        {"yes", NULL, NULL, "", "ASCEND_LOG_PRINT_TO_STDOUT"},
        {"2", "1", NULL, error_lines, "ASCEND_LOG_PRINT_TO_STDOUT"},
        {"1", "on", NULL, error_lines, "ASCEND_SLOG_PRINT_TO_STDOUT"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct setting settings[] = {{"ASCEND_LOG_PRINT_TO_STDOUT", cases[i].print},
                                           {"ASCEND_SLOG_PRINT_TO_STDOUT", cases[i].old_print},
                                           {"ASCEND_GLOBAL_LOG_LEVEL", cases[i].level}};
        const struct answer answer = ask_child(settings, 3, log_lines);
        assert_lines(answer.text, cases[i].text);
        assert_int_equal(count_lines(answer.complaint), cases[i].refused != NULL);
        if (cases[i].refused != NULL)
            assert_contains(answer.complaint, cases[i].refused);
    }
}

/* What a program says, whatever it is, is one line, and tells a terminal nothing. */
static uint64_t log_forgeries(void)
{
    aclAppLog(ACL_ERROR, "function", "file.c", 12, "one\n[ERROR] APP(1,1):2026-01-01T00:00:00.000000Z forged");
    aclAppLog(ACL_ERROR, "f\n", "\x1b[31mfile.c", 12, "%s", "\r\t\a\b\v\f\x01\x7f|\x1b]0;title\a");
    aclAppLog(ACL_ERROR, "", "", 0, "%s",
              "\x9b"
              "31m \xc2\x9b"
              "31m \xc2\x85 \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \\n");
    return 0;
}

static void test_forgeries(void **state)
{
    (void)state;
    const struct answer answer = ask_with("ASCEND_LOG_PRINT_TO_STDOUT", "1", log_forgeries);
    assert_lines(answer.text,
                 "[ERROR] APP function (file.c:12): one\\n[ERROR] APP(1,1):2026-01-01T00:00:00.000000Z forged\n"
                 "[ERROR] APP f\\n (\\x1b[31mfile.c:12): \\r\\t\\a\\b\\v\\f\\x01\\x7f|\\x1b]0;title\\a\n"
                 "[ERROR] APP  (:0): \\x9b31m \\xc2\\x9b31m \\xc2\\x85 \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \\n\n");
}

/* The same where a message quotes what it was given. */
static uint64_t quote_a_forgery(void)
{
    char name[] = "a\nb/c\x1b", text[ACL_PKG_VERSION_MAX_SIZE];
    aclsysGetVersionStr(name, text);
    const char *message = aclGetRecentErrMsg();
    printf("%s", message);
    fflush(stdout);
    return 0;
}

static void test_quoted_forgery(void **state)
{
    (void)state;
    const struct answer answer = ask_with("ASCEND_LOG_PRINT_TO_STDOUT", "1", quote_a_forgery);
    assert_int_equal(count_lines(answer.text), 2);
    assert_contains(answer.text, "aclsysGetVersionStr: pkgName is \"a\\nb/c\\x1b\", must be the name of a package");
}

static uint64_t log_long_line(void)
{
    char text[5000];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    aclAppLog(ACL_ERROR, text, text, 1, "%s", text);
    ACL_APP_LOG(ACL_ERROR, "of %s", "a macro");
    return 0;
}

static void test_long_line(void **state)
{
    (void)state;
    const struct answer answer = ask_with("ASCEND_LOG_PRINT_TO_STDOUT", "1", log_long_line);
    assert_int_equal(count_lines(answer.text), 2);
    assert_int_equal(strspn(strstr(answer.text, "x:1): ") + 6, "x"), 1023);
    assert_contains(answer.text, " log_long_line (");
    assert_contains(answer.text, "): of a macro\n");
}

/* Days around those that a year may not have. */
static const time_t times[] = {1,          951782399,  951782400,  951868799,  951868800,  978307199, 978307200,
                               1709164800, 1709251200, 4107456000, 4107542399, 4107542400, 1798761599};
enum { N_TIMES = sizeof(times) / sizeof(times[0]) };

static uint64_t log_dates(void)
{
    for (int k = 0; k < N_TIMES; k++) {
        faked_time = times[k];
        aclAppLog(ACL_ERROR, "f", "f", 1, "a date");
    }
    faked_time = 0;
    return 0;
}

static void test_dates(void **state)
{
    (void)state;
    const struct answer answer = ask_with("ASCEND_LOG_PRINT_TO_STDOUT", "1", log_dates);
    const char *line = answer.text;
    for (int k = 0; k < N_TIMES; k++, line = strchr(line, '\n') + 1) {
        char wanted[64];
        strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%S.123456Z", gmtime(&times[k]));
        assert_memory_equal(strstr(line, "):") + 2, wanted, strlen(wanted));
    }
}

/* ---- What the library says -------------------------------------------------------------------- */

static uint64_t make_failure(void)
{
    aclrtFree(NULL);
    aclAppLog(ACL_INFO, "f", "f", 1, "an info");
    return 0;
}

static const char failure[] = "[ERROR] ASCENDCL aclrtFree: devPtr is NULL, must not be NULL (status 100000)\n";
static const char failure_and_info[] =
    "[ERROR] ASCENDCL aclrtFree: devPtr is NULL, must not be NULL (status 100000)\n[INFO] APP f (f:1): an info\n";

static void test_modules(void **state)
{
    (void)state;
    const struct {
        const char *modules, *level, *text;
        bool is_refused;
    } cases[] = {
        {NULL, NULL, failure, false},
        {NULL, "4", "", false},
        {"APP=1", NULL, failure_and_info, false},
        {"APP=1:", NULL, failure_and_info, false},
        {"APP=1", "4", "[INFO] APP f (f:1): an info\n", false},
        {"ASCENDCL=4:APP=0", "3", "[INFO] APP f (f:1): an info\n", false},
        {"ASCENDCL=3", "4", failure, false},
        {"OTHER=0:ASCENDCL=3", "4", failure, false},
        {"AP=1:APPS=1", NULL, failure, false},
        {"APP", NULL, failure, true},
        {"APP=5", NULL, failure, true},
        {"APP=1:ASCENDCL", NULL, failure, true},
        {"=1", NULL, failure, true},
        {"APP=1,ASCENDCL=4", NULL, failure, true},
        {"APP=", NULL, failure, true},
        {":", NULL, failure, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct setting settings[] = {{"ASCEND_LOG_PRINT_TO_STDOUT", "1"},
                                           {"ASCEND_GLOBAL_LOG_LEVEL", cases[i].level},
                                           {"ASCEND_MODULE_LOG_LEVEL", cases[i].modules}};
        const struct answer answer = ask_child(settings, 3, make_failure);
        assert_lines(answer.text, cases[i].text);
        assert_int_equal(strstr(answer.complaint, "ASCEND_MODULE_LOG_LEVEL") != NULL, cases[i].is_refused);
    }
}

/* One place, however often it is called. */
__attribute__((noinline)) static int make_mistake(void)
{
    return aclrtFree(scratch) != ACL_SUCCESS;
}

static uint64_t make_mistakes(void)
{
    if (make_mistake() + make_mistake() != 2)
        return 1;
    return (uint64_t)aclrtSetDevice(0);
}

/* Findings of the check mode: a mistake, told once, and a note. */
static void test_findings(void **state)
{
    (void)state;
    const struct setting settings[] = {{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}, {"ASCEND_GLOBAL_LOG_LEVEL", "2"}};
    const struct answer answer = ask_child(settings, 2, make_mistakes);
    const char *const found = strstr(answer.text, "(check: invalid-free)");
    assert_non_null(found);
    assert_null(strstr(found + 1, "(check: invalid-free)"));
    assert_memory_equal(answer.text, "[ERROR] ASCENDCL(", 17);
    const char *const note = strstr(answer.text, "[WARNING] ASCENDCL(");
    assert_non_null(note);
    assert_contains(note, "(check: before-init)");
    assert_int_equal(count_lines(answer.text), 4); /* two calls have failed */
}

static uint64_t begin_and_end(void)
{
    aclInit(NULL);
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtResetDevice(0);
    return (uint64_t)aclFinalize();
}

static void test_events(void **state)
{
    (void)state;
    const struct {
        const char *value, *text;
        bool is_refused;
    } cases[] = {{NULL, "", false},
                 {"0", "", false},
                 {"2", "", true},
                 {"1",
                  "[EVENT] ASCENDCL aclInit: the runtime is initialised\n"
                  "[EVENT] ASCENDCL aclrtSetDevice: device 0 is set\n"
                  "[EVENT] ASCENDCL aclrtResetDevice: device 0 is reset\n"
                  "[EVENT] ASCENDCL aclFinalize: the runtime is finalised\n",
                  false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct setting settings[] = {{"ASCEND_SLOG_PRINT_TO_STDOUT", "1"},
                                           {"ASCEND_GLOBAL_LOG_LEVEL", "4"},
                                           {"ASCEND_GLOBAL_EVENT_ENABLE", cases[i].value}};
        const struct answer answer = ask_child(settings, 3, begin_and_end);
        assert_int_equal(answer.number, ACL_SUCCESS);
        assert_lines(answer.text, cases[i].text);
        assert_int_equal(strstr(answer.complaint, "ASCEND_GLOBAL_EVENT_ENABLE") != NULL, cases[i].is_refused);
    }
}

/* ---- Files ------------------------------------------------------------------------------------ */

static uint64_t log_and_tell_process(void)
{
    log_lines();
    return (uint64_t)getpid();
}

static void test_file(void **state)
{
    (void)state;
    char path[PATH_MAX], wanted[PATH_MAX];
    const struct answer answer = ask_with("ASCEND_PROCESS_LOG_PATH", scratch, log_and_tell_process);
    assert_string_equal(answer.text, "");
    assert_string_equal(answer.complaint, "");
    assert_lines(read_only_file(plogs), error_lines);
    list(plogs, path);
    snprintf(wanted, sizeof(wanted), "%s/plog-%d_", plogs, (int)answer.number);
    assert_memory_equal(path, wanted, strlen(wanted));
    assert_string_equal(path + strspn(path + strlen(wanted), "0123456789") + strlen(wanted), "_regrad.log");
}

static void test_work_path(void **state)
{
    (void)state;
    char directory[PATH_MAX];
    snprintf(directory, sizeof(directory), "%s/log/debug/plog", scratch);
    ask_with("ASCEND_WORK_PATH", scratch, log_lines);
    assert_lines(read_only_file(directory), error_lines);
    const struct setting both[] = {{"ASCEND_WORK_PATH", "/dev/null"}, {"ASCEND_PROCESS_LOG_PATH", scratch}};
    assert_string_equal(ask_child(both, 2, log_lines).complaint, "");
    assert_lines(read_only_file(plogs), error_lines);
}

/* No files, nor directories, where lines are printed or there are none. */
static void test_no_file(void **state)
{
    (void)state;
    char path[PATH_MAX];
    const struct setting printing[] = {{"ASCEND_PROCESS_LOG_PATH", scratch}, {"ASCEND_LOG_PRINT_TO_STDOUT", "1"}};
    const struct setting silent[] = {{"ASCEND_PROCESS_LOG_PATH", scratch}, {"ASCEND_GLOBAL_LOG_LEVEL", "4"}};
    assert_lines(ask_child(printing, 2, log_lines).text, error_lines);
    assert_string_equal(ask_child(silent, 2, log_lines).text, "");
    assert_int_equal(list(scratch, path), 0);
}

static void test_unwritable(void **state)
{
    (void)state;
    char long_path[PATH_MAX];
    memset(long_path, 'x', sizeof(long_path));
    long_path[sizeof(long_path) - 1] = '\0';
    const char *const paths[] = {"/dev/null/below", "/dev/null", long_path};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const struct answer answer = ask_with("ASCEND_PROCESS_LOG_PATH", paths[i], log_lines);
        assert_string_equal(answer.text, "");
        assert_int_equal(count_lines(answer.complaint), 1);
        assert_contains(answer.complaint, "the environment variable ASCEND_PROCESS_LOG_PATH is \"");
    }
}

static uint64_t log_at_two_places(void)
{
    if (chdir(scratch) != 0)
        return 1;
    aclAppLog(ACL_ERROR, "f", "f", 1, "here");
    if (chdir("/") != 0)
        return 1;
    aclAppLog(ACL_ERROR, "f", "f", 1, "there");
    return 0;
}

/* What is relative is so to the directory of the first line. */
static void test_relative(void **state)
{
    (void)state;
    char directory[PATH_MAX];
    snprintf(directory, sizeof(directory), "%s/a/b/debug/plog", scratch);
    assert_int_equal(ask_with("ASCEND_PROCESS_LOG_PATH", "a/b", log_at_two_places).number, 0);
    assert_lines(read_only_file(directory), "[ERROR] APP f (f:1): here\n[ERROR] APP f (f:1): there\n");
}

/* Makes an empty file in the directory of the log. */
static void make_file(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", plogs, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static bool has_file(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", plogs, name);
    return access(path, F_OK) == 0;
}

/* Processes 999999990 and the following are none. */
static void test_number_of_files(void **state)
{
    (void)state;
    char path[PATH_MAX], own[64];
    const char *const foreign[] = {"plog-999999990_1.log", "plog-999999990_01_regrad.log", "plog-x_1_regrad.log", "x"};
    const char *const old[] = {"plog-999999993_100_regrad.log", "plog-999999992_200_regrad.log",
                               "plog-999999991_99_regrad.log", "plog-999999994_300_regrad.log"};
    snprintf(own, sizeof(own), "plog-%d_1_regrad.log", (int)getpid());
    snprintf(path, sizeof(path), "%s/debug", scratch);
    assert_int_equal(mkdir(path, 0700) | mkdir(plogs, 0700), 0);
    for (int k = 0; k < 4; k++)
        make_file(foreign[k]), make_file(old[k]);
    make_file(own);
    struct setting settings[] = {{"ASCEND_PROCESS_LOG_PATH", scratch}, {"ASCEND_HOST_LOG_FILE_NUM", "4"}};
    assert_string_equal(ask_child(settings, 2, log_lines).complaint, "");
    assert_int_equal(list(plogs, path), 4 + 4);
    for (int k = 0; k < 4; k++) {
        assert_true(has_file(foreign[k]));
        assert_int_equal(has_file(old[k]), k == 1 || k == 3);
    }
    assert_true(has_file(own));
    settings[1].value = "1";
    ask_child(settings, 2, log_lines);
    assert_int_equal(list(plogs, path), 4 + 2); /* a living process keeps its own */
    settings[1].value = "0";
    assert_contains(ask_child(settings, 2, log_lines).complaint, "ASCEND_HOST_LOG_FILE_NUM");
}

static uint64_t log_and_fork(void)
{
    int status = 1;
    aclAppLog(ACL_ERROR, "f", "f", 1, "the parent");
    const pid_t child = fork();
    if (child == 0) {
        aclAppLog(ACL_ERROR, "f", "f", 1, "the child");
        _exit(0);
    }
    waitpid(child, &status, 0);
    aclAppLog(ACL_ERROR, "f", "f", 1, "the parent again");
    return (uint64_t)status << 32 | (uint64_t)child;
}

static void test_fork(void **state)
{
    (void)state;
    char path[PATH_MAX], text[TEXT_SIZE], name[64];
    const uint64_t child = ask_with("ASCEND_PROCESS_LOG_PATH", scratch, log_and_fork).number;
    assert_int_equal(child >> 32, 0);
    assert_int_equal(list(plogs, path), 2);
    snprintf(name, sizeof(name), "/plog-%d_", (int)child);
    const bool is_child = strstr(path, name) != NULL;
    read_file(path, text);
    assert_lines(text, is_child ? "[ERROR] APP f (f:1): the child\n"
                                : "[ERROR] APP f (f:1): the parent\n[ERROR] APP f (f:1): the parent again\n");
    assert_int_equal(remove(path), 0);
    assert_lines(read_only_file(plogs), !is_child ? "[ERROR] APP f (f:1): the child\n"
                                                  : "[ERROR] APP f (f:1): the parent\n"
                                                    "[ERROR] APP f (f:1): the parent again\n");
}

static void *log_numbers(void *argument)
{
    for (int k = 0; k < N_LINES; k++)
        aclAppLog(ACL_ERROR, "f", "f", 1, "thread %d line %d", (int)(intptr_t)argument, k);
    return NULL;
}

static uint64_t log_from_threads(void)
{
    pthread_t threads[N_THREADS];
    uint64_t failed = 0;
    for (int k = 0; k < N_THREADS; k++)
        failed |= pthread_create(&threads[k], NULL, log_numbers, (void *)(intptr_t)k) != 0;
    for (int k = 0; k < N_THREADS; k++)
        pthread_join(threads[k], NULL);
    return failed;
}

static void test_threads(void **state)
{
    (void)state;
    int next[N_THREADS] = {0}, n = 0;
    assert_int_equal(ask_with("ASCEND_PROCESS_LOG_PATH", scratch, log_from_threads).number, 0);
    for (const char *line = read_only_file(plogs); *line != '\0'; line = strchr(line, '\n') + 1, n++) {
        int thread = -1, number = -1;
        assert_memory_equal(line, "[ERROR] APP(", 12);
        sscanf(strstr(line, "thread "), "thread %d line %d\n", &thread, &number);
        assert_in_range(thread, 0, N_THREADS - 1);
        assert_int_equal(number, next[thread]++);
    }
    assert_int_equal(n, N_THREADS * N_LINES);
}

static uint64_t log_and_tell_flags(void)
{
    aclAppLog(ACL_ERROR, "f", "f", 1, "a line");
    return (uint64_t)open_flags;
}

static void test_synchronous(void **state)
{
    (void)state;
    const char *const values[] = {NULL, "0", "1"};
    for (int k = 0; k < 3; k++) {
        const struct setting settings[] = {{"ASCEND_PROCESS_LOG_PATH", scratch}, {"ASCEND_LOG_SYNC_SAVE", values[k]}};
        const int flags = (int)ask_child(settings, 2, log_and_tell_flags).number;
        assert_true((flags & O_APPEND) != 0);
        assert_int_equal((flags & O_DSYNC) != 0, k == 2);
    }
}

#define file_test(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printing),  cmocka_unit_test(test_forgeries), cmocka_unit_test(test_quoted_forgery),
        cmocka_unit_test(test_long_line), cmocka_unit_test(test_dates),     cmocka_unit_test(test_modules),
        cmocka_unit_test(test_findings),  cmocka_unit_test(test_events),    file_test(test_file),
        file_test(test_work_path),        file_test(test_no_file),          file_test(test_unwritable),
        file_test(test_relative),         file_test(test_number_of_files),  file_test(test_fork),
        file_test(test_threads),          file_test(test_synchronous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

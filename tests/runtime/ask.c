/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* What was written to a file of our own. */
static void take_text(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

struct answer ask_child(const struct setting *settings, size_t n_settings, uint64_t (*ask)(void))
{
    struct answer answer = {0};
    int number_pipe[2];
    int status = -1;
    FILE *output = tmpfile(), *complaints = tmpfile();
    assert_non_null(output);
    assert_non_null(complaints);
    assert_int_equal(pipe(number_pipe), 0);
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(fileno(output), STDOUT_FILENO);
        dup2(fileno(complaints), STDERR_FILENO);
        answer_and_exit(settings, n_settings, ask, number_pipe[1]);
    }
    close(number_pipe[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    take_text(output, answer.text, sizeof(answer.text));
    take_text(complaints, answer.complaint, sizeof(answer.complaint));
    if (status != 0)
        fail_msg("a child has ended with %#x: %s", (unsigned)status, answer.complaint);
    assert_int_equal(read(number_pipe[0], &answer.number, sizeof(answer.number)), sizeof(answer.number));
    close(number_pipe[0]);
    return answer;
}

struct answer ask_with(const char *name, const char *value, uint64_t (*ask)(void))
{
    return ask_child(&(struct setting){name, value}, 1, ask);
}

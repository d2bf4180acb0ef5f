#include "dist/process.h"

#include "cmocka_setup.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that waits to be ended. */
static pid_t make_child(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        pause();
        _exit(0);
    }
    return child;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_stopped_process_is_told_from_a_running_one(void **state)
{
    (void)state;
    pid_t child = make_child();
    assert_non_null(strstr(process_why_silent(child).text, "its host is gone"));
    int status;
    kill(child, SIGSTOP);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    char want[64];
    snprintf(want, sizeof want, "it was stopped; `kill -CONT %d` lets it go on", child);
    assert_string_equal(process_why_silent(child).text, want);
    end_child(child);
}

static void a_dead_process_is_gone(void **state)
{
    (void)state;
    pid_t child = make_child();
    siginfo_t info;
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_string_equal(process_why_silent(child).text, "it is gone"); /* nobody waited */
    end_child(child);
    assert_string_equal(process_why_silent(child).text, "it is gone");
}

static void nothing_is_said_of_processes_elsewhere(void **state)
{
    (void)state;
    assert_string_equal(process_why_silent(0).text,
                        "it was stopped or swapped out, or its host is gone");
}

/* A sibling of the child that looks, and nobody else's child. */
static void a_stopped_sibling_is_found(void **state)
{
    (void)state;
    int status;
    pid_t stopped = make_child();
    kill(stopped, SIGSTOP);
    assert_int_equal(waitpid(stopped, &status, WUNTRACED), stopped);
    pid_t looks = fork();
    if (!looks)
        _exit(process_stopped_sibling() == stopped ? 0 : 1);
    assert_int_equal(waitpid(looks, &status, 0), looks);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    end_child(stopped);
    looks = fork();
    if (!looks)
        _exit(process_stopped_sibling() == 0 ? 0 : 1);
    assert_int_equal(waitpid(looks, &status, 0), looks);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_process_is_told_from_a_running_one),
        cmocka_unit_test(a_dead_process_is_gone),
        cmocka_unit_test(nothing_is_said_of_processes_elsewhere),
        cmocka_unit_test(a_stopped_sibling_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Each limit is set in a child process, where it can do no harm. */
#include "base/address_space.h"

#include "base/thread_trial.h"
#include "cmocka_setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer's shadow memory is larger than any limit that could be set here. */
static bool sanitized(void)
{
    return address_space_used_bytes() > 1e12;
}

/* Run check() in a child that may map so much more than it has; returns its result. */
static int with_room(size_t more, int (*check)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        rlim_t bytes = (rlim_t)address_space_used_bytes() + more;
        struct rlimit l = {bytes, bytes};
        _exit(setrlimit(RLIMIT_AS, &l) ? 100 : check());
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int check_room(void)
{
    return (address_space_has(8 << 20) ? 0 : 1) | (address_space_has(64 << 20) ? 2 : 0);
}

static int check_message(void)
{
    struct err err = ERR_INIT;
    if (address_space_require(64 << 20, "a test", "use less", &err) != STATUS_ENVIRONMENT)
        return 1;
    bool told = strstr(err.text, "a test needs 64.0 MiB") &&
                strstr(err.text, "ulimit -v") && strstr(err.text, "use less");
    return told ? 0 : 2;
}

static int check_begin(void)
{
    struct err err = ERR_INIT;
    return address_space_begin(&err);
}

/* Room for the stacks of two more threads, not of nine. */
static int check_threads(void)
{
    struct err err = ERR_INIT;
    setenv("OMP_STACKSIZE", "4M", 1);
    if (threads_stack_bytes() != 4 << 20 || threads_try(2, &err))
        return 1;
    if (threads_try(10, &err) != STATUS_ENVIRONMENT)
        return 2;
    return strstr(err.text, "of 10 threads") && strstr(err.text, "ulimit -v") ? 0 : 3;
}

static void what_a_limit_leaves_is_found_by_trying(void **state)
{
    (void)state;
    if (sanitized())
        skip();
    assert_true(isinf(address_space_limit_bytes()));
    assert_true(address_space_used_bytes() > 0);
    assert_true(address_space_has(64 << 20));
    assert_int_equal(with_room(16 << 20, check_room), 0);
}

static void a_refusal_names_the_limit_and_a_remedy(void **state)
{
    (void)state;
    if (sanitized())
        skip();
    assert_int_equal(with_room(16 << 20, check_message), 0);
}

static void a_program_begins_only_where_its_stack_has_room(void **state)
{
    (void)state;
    if (sanitized())
        skip();
    assert_int_equal(with_room(16 << 20, check_begin), STATUS_OK);
    assert_int_equal(with_room(64 << 10, check_begin), STATUS_ENVIRONMENT);
}

static void threads_that_cannot_be_started_are_known_before(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(threads_try(1, &err), STATUS_OK);
    assert_int_equal(threads_try(8, &err), STATUS_OK);
    if (sanitized())
        skip();
    assert_int_equal(with_room(16 << 20, check_threads), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_limit_leaves_is_found_by_trying),
        cmocka_unit_test(a_refusal_names_the_limit_and_a_remedy),
        cmocka_unit_test(a_program_begins_only_where_its_stack_has_room),
        cmocka_unit_test(threads_that_cannot_be_started_are_known_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

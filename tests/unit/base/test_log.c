#include "base/log.h"

#include "cmocka_setup.h"

#include <string.h>
#include <unistd.h>

/* What was written to stderr by one call; the caller's buffer is large enough. */
static void hear_stderr(char *said, size_t size, bool urgent, const char *text)
{
    int ends[2], before = dup(STDERR_FILENO);
    assert_true(before >= 0 && !pipe(ends));
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    (urgent ? log_urgent : log_line)("%s", text);
    dup2(before, STDERR_FILENO);
    close(before);
    ssize_t n = read(ends[0], said, size - 1);
    assert_true(n >= 0);
    said[n] = '\0';
    close(ends[0]);
}

static void what_is_urgent_is_said_also_when_quiet(void **state)
{
    (void)state;
    char said[4096];
    log_quiet(true);
    hear_stderr(said, sizeof said, false, "progress");
    assert_string_equal(said, "");
    hear_stderr(said, sizeof said, true, "rank 1 is silent");
    assert_string_equal(said, "rank 1 is silent\n");
    log_quiet(false);
}

static void what_is_urgent_and_long_is_cut_to_one_line(void **state)
{
    (void)state;
    char text[3000], said[4096];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    hear_stderr(said, sizeof said, true, text);
    size_t len = strlen(said);
    assert_true(len > 500 && len < sizeof text);
    assert_int_equal(said[len - 1], '\n');
    assert_int_equal(strspn(said, "x"), len - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_urgent_is_said_also_when_quiet),
        cmocka_unit_test(what_is_urgent_and_long_is_cut_to_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

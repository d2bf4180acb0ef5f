/* Each rule has a page that says what the table says. */
#include "cmocka_setup.h"

#include "base/file.h"
#include "base/mem.h"
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

#define RULE_NAME(function, name, ...) name,
static const char *const names[] = {RULE_LIST_DEVICE(RULE_NAME) RULE_LIST_OPS(RULE_NAME)
                                        RULE_LIST_JOB(RULE_NAME)};
#define COUNT_RULE(...) +1
/* Those of the first two groups come first: their fixes are PyTorch's. */
enum { FOR_TORCH = 0 RULE_LIST_DEVICE(COUNT_RULE) RULE_LIST_OPS(COUNT_RULE) };

static char *page_of(const struct rule *rule)
{
    char path[512], *text;
    size_t len;
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "%s/../docs/rules/%s.md", TESTS_DIR, rule->name);
    assert_int_equal(file_read(&text, &len, path, 1 << 20, &err), STATUS_OK);
    return text;
}

static void each_page_begins_with_what_is_told(void **state)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct rule *rule = rule_named(names[i]);
        char title[256], *text = page_of(rule);
        snprintf(title, sizeof title, "# %s: %s\n", rule->name, rule->title);
        if (strncmp(text, title, strlen(title)) != 0)
            fail_msg("docs/rules/%s.md does not begin with %s", rule->name, title);
        mem_free(text);
    }
    (void)state;
}

static void each_page_shows_the_fix_as_it_is_told(void **state)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct rule *rule = rule_named(names[i]);
        const struct rule_fix *fix = rule_fix(rule);
        char *text = page_of(rule);
        assert_true(fix->torch || (fix->gait && i >= FOR_TORCH));
        if ((fix->torch && !strstr(text, fix->torch)) ||
            (i >= FOR_TORCH && fix->gait && !strstr(text, fix->gait)))
            fail_msg("docs/rules/%s.md shows another fix", rule->name);
        const struct rule_fix *other = rule_other_fix(rule);
        if (other && !strstr(text, other->torch))
            fail_msg("docs/rules/%s.md does not show both fixes", rule->name);
        mem_free(text);
    }
    (void)state;
}

/* Does the row's second cell name the limit, in whichever unit a reader would have it? */
static bool names_limit(const char *row, double limit)
{
    static const struct {
        double times;
        const char *unit;
    } units[] = {
        {1, ""},       {100, " %"},          {1e-3, " µs"},          {1e-6, " ms"},
        {1e-6, " MB"}, {1.0 / 1024, " KiB"}, {1.0 / 1048576, " MiB"}};
    const char *cell = strchr(row + 1, '|');
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[64];
        snprintf(text, sizeof text, "%g%s", units[i].times * limit, units[i].unit);
        const char *at = strstr(cell, text), *end = strchr(cell + 1, '|');
        size_t len = strlen(text);
        if (at && at < end && !strchr("0123456789.", at[-1]) &&
            !strchr("0123456789", at[len]))
            return true;
    }
    return false;
}

/* A row a threshold: the least gain first, then the table's in their order. */
static void each_page_has_a_reason_for_each_threshold(void **state)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct rule *rule = rule_named(names[i]);
        char *text = page_of(rule), least[64];
        size_t rows = 0, limits = 0;
        snprintf(least, sizeof least, "| least gain | %g %% of a step |",
                 100 * rule->least_gain_frac);
        if (!strstr(text, least))
            fail_msg("docs/rules/%s.md has no \"%s\"", rule->name, least);
        const char *at = strstr(text, "|---|---|---|\n");
        assert_non_null(at);
        for (at = strchr(at, '\n') + 1; *at == '|'; at = strchr(at, '\n') + 1) {
            if (rows && !names_limit(at, rule->limit[rows - 1].value))
                fail_msg("docs/rules/%s.md: row %zu does not name %g", rule->name, rows,
                         rule->limit[rows - 1].value);
            rows++;
        }
        for (size_t k = 0; k < RULE_LIMITS; k++)
            limits += rule->limit[k].what != NULL;
        assert_int_equal(rows, limits + 1);
        mem_free(text);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_page_begins_with_what_is_told),
        cmocka_unit_test(each_page_shows_the_fix_as_it_is_told),
        cmocka_unit_test(each_page_has_a_reason_for_each_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "base/mem.h"
#include "cmocka_setup.h"
#include "source/source_query.h"
#include "source/toml_read.h"

#include <stdio.h>
#include <string.h>

static void read_whole(struct toml *t, const char *text)
{
    struct err err = ERR_INIT;
    if (toml_read(t, text, strlen(text), "p.toml", &err))
        fail_msg("%s", err.text);
}

/* The only entry with these keys, joined by blanks. */
static const struct toml_entry *entry(const struct toml *t, const char *keys)
{
    const struct toml_entry *found = NULL;
    for (size_t i = 0; i < t->n; i++) {
        char joined[500] = "";
        for (size_t k = 0; k < t->entry[i].n_keys; k++)
            snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
                     k ? " " : "", t->entry[i].key[k]);
        if (!strcmp(joined, keys)) {
            assert_null(found);
            found = &t->entry[i];
        }
    }
    if (!found)
        fail_msg("no entry %s", keys);
    return found;
}

static void assert_refused(const char *text, const char *message)
{
    struct toml t;
    struct err err = ERR_INIT;
    assert_int_equal(toml_read(&t, text, strlen(text), "p.toml", &err), STATUS_USAGE);
    assert_string_equal(err.text, message);
}

static void assert_string(const char *value, const char *want)
{
    struct toml t;
    char text[500];
    snprintf(text, sizeof text, "a = %s\n", value);
    read_whole(&t, text);
    assert_string_equal(entry(&t, "a")->text, want);
    assert_int_equal(entry(&t, "a")->kind, TOML_STRING);
    toml_release(&t);
}

static void headers_dots_and_inline_tables_give_the_same_keys(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[tool.gait.lint]\nselect = 'x'\n",
        "tool.gait.lint.select = 'x'",
        "[tool]\ngait.lint = { select = 'x' }\n",
        "tool = {gait = {lint = {select = 'x'}}}\r\n",
        "\xef\xbb\xbf[ tool . \"gait\".'lint' ] # here\n  select='x' # there\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct toml t;
        read_whole(&t, texts[i]);
        assert_string_equal(entry(&t, "tool gait lint select")->text, "x");
        toml_release(&t);
    }
}

static void lists_go_over_lines_and_may_hold_comments(void **state)
{
    (void)state;
    struct toml t;
    read_whole(&t,
               "[a.\"per.file\"]\n\"*.py\" = [\n  'GT1', # one\n\n  # two\n  \"GT2\", "
               "3, [4], {b = 5},\n]\nempty = []\n");
    const struct toml_entry *e = entry(&t, "a per.file *.py");
    assert_int_equal(e->kind, TOML_LIST);
    assert_int_equal(e->line, 2);
    assert_int_equal(e->n_items, 5);
    assert_string_equal(e->item[0].text, "GT1");
    assert_string_equal(e->item[1].text, "GT2");
    assert_int_equal(e->item[1].line, 6);
    assert_int_equal(e->item[2].kind, TOML_INTEGER);
    assert_int_equal(e->item[3].kind, TOML_OTHER);
    assert_int_equal(e->item[4].kind, TOML_OTHER);
    assert_int_equal(entry(&t, "a per.file empty")->n_items, 0);
    toml_release(&t);
}

static void strings_of_all_four_kinds_are_decoded(void **state)
{
    (void)state;
    assert_string("\"\"", "");
    assert_string("''", "");
    assert_string("'a\\b\"'", "a\\b\"");
    assert_string("\"a\\\"b\\\\c\\t\\n\\u00e9\\U0001F600\"",
                  "a\"b\\c\t\n\xc3\xa9\xf0\x9f\x98\x80");
    assert_string("\"\"\"\none\ntwo\\\n   \n  three\"\"\"", "one\ntwothree");
    assert_string("\"\"\"\r\na \"quoted\" word\"\"\"", "a \"quoted\" word");
    assert_string("'''\nit's\\n'''", "it's\\n");
    assert_string("\"\"\"\"\"\"", "");
    assert_string("\"# no comment\"", "# no comment");
}

static void numbers_and_truths_are_values_too(void **state)
{
    (void)state;
    struct toml t;
    read_whole(&t, "a = 1_000\nb = 0x1f\nc = 0b101\nd = true\ne = 1.5\nf = 1979-05-27\n"
                   "g = false\nh = 0o17\n");
    assert_int_equal(entry(&t, "a")->integer, 1000);
    assert_int_equal(entry(&t, "c")->integer, 5);
    assert_int_equal(entry(&t, "h")->integer, 15);
    assert_true(entry(&t, "d")->truth);
    assert_false(entry(&t, "g")->truth);
    assert_int_equal(entry(&t, "e")->kind, TOML_OTHER);
    assert_int_equal(entry(&t, "f")->kind, TOML_OTHER);
    toml_release(&t);
}

static void lists_of_tables_are_marked(void **state)
{
    (void)state;
    struct toml t;
    read_whole(&t, "[[a]]\nb = 1\n[c]\nb = 1\n");
    assert_true(entry(&t, "a b")->of_table_list);
    assert_false(entry(&t, "c b")->of_table_list);
    assert_int_equal(entry(&t, "c")->kind, TOML_TABLE);
    const char *const under[] = {"c"};
    assert_true(toml_is_under(entry(&t, "c b"), under, 1));
    assert_false(toml_is_under(entry(&t, "a b"), under, 1));
    toml_release(&t);
}

#define NOT_TOML "not valid TOML; write key = value, with texts in quotes"

static void what_is_not_toml_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_refused("a = 1\nb = \n", "p.toml:2: " NOT_TOML);
    assert_refused("a = 1\n\n[b\nc = 2\n", "p.toml:3: " NOT_TOML);
    assert_refused("a = [1,\n", "p.toml:1: " NOT_TOML);
    assert_refused("a = 'b\n", "p.toml:1: " NOT_TOML);
    assert_refused("a = 1\nb = \"\\ud800\"\n",
                   "p.toml:2: \\u and \\U want the number of a Unicode character");
    assert_refused("a = \"\\u0000\"",
                   "p.toml:1: a string holds a NUL character; remove it");
    assert_refused("a = 1\nb = \"\xff\"\n",
                   "p.toml:2: not plain UTF-8 text; save the file as UTF-8");
    assert_refused("a = 99999999999999999999\n",
                   "p.toml:1: a number does not fit 64 bits");
}

/* A chain of keys, tables in tables, lists in lists: no deep recursion, no long time. */
static void nesting_is_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *repeated, *last;
    } hostile[] = {
        {"a.", "a = 1"}, {"a = {", ""}, {"[", ""}, {"a = [", ""}, {"[[a]]\n", ""}};
    size_t max = TOML_BYTES_MAX;
    char *text = mem_alloc(max + 100);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct toml t;
        struct err err = ERR_INIT;
        size_t len = 0, step = strlen(hostile[i].repeated);
        for (; len + step < max - 100; len += step)
            memcpy(text + len, hostile[i].repeated, step);
        memcpy(text + len, hostile[i].last, strlen(hostile[i].last));
        len += strlen(hostile[i].last);
        if (toml_read(&t, text, len, "p.toml", &err))
            assert_true(*err.text);
        else
            toml_release(&t);
    }
    mem_free(text);
    assert_refused(
        "a = {b = {c = {d = {e = {f = {g = {h = {i = {j = {k = {l = {m = {n = {o "
        "= {p = {q = {r = {s = {t = {u = {v = {w = {x = {y = {z = {a = {b = {c = "
        "{d = {e = {f = {g = 1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}\n",
        "p.toml:1: tables are nested more than 32 deep");
}

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_dots_and_inline_tables_give_the_same_keys),
        cmocka_unit_test(lists_go_over_lines_and_may_hold_comments),
        cmocka_unit_test(strings_of_all_four_kinds_are_decoded),
        cmocka_unit_test(numbers_and_truths_are_values_too),
        cmocka_unit_test(lists_of_tables_are_marked),
        cmocka_unit_test(what_is_not_toml_is_refused_with_its_line),
        cmocka_unit_test(nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "base/brief.h"

#include "base/json_read.h"
#include "cmocka_setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HOSTILE_BYTES = 10000 };

/* What a recording's names may be: each takes another number of bytes as JSON. */
static const char *const hostile[] = {"x",
                                      "\"",
                                      "\\",
                                      "\n",
                                      "\x01",
                                      "\xff",
                                      "\xc2\x9b",
                                      "\xe2\x80\xa6",
                                      "é",
                                      "\xe2\x82",
                                      "\xf0\x9f\x90\x8c",
                                      "\x7f"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static const char *many(const char *s)
{
    static char text[HOSTILE_BYTES + 8];
    size_t len = strlen(s), n = 0;
    for (; n + len <= HOSTILE_BYTES; n += len)
        memcpy(text + n, s, len);
    text[n] = '\0';
    return text;
}

/* Within the bound, and JSON on one line. The caller releases the arena. */
static const struct json *check(struct arena *a, const struct strbuf *out)
{
    const struct json *root = NULL;
    struct err err = ERR_INIT;
    assert_true(out->len <= BRIEF_BYTES_MAX);
    assert_int_equal(out->s[out->len - 1], '\n');
    assert_null(memchr(out->s, '\n', out->len - 1));
    arena_init(a);
    if (json_read(&root, a, out->s, out->len, &err))
        fail_msg("%s: %s", err.text, out->s);
    return root;
}

static void long_texts_are_cut_in_the_middle(void **state)
{
    (void)state;
    struct strbuf out;
    struct brief b;
    struct arena a;
    strbuf_init(&out);
    brief_begin(&b, &out, "test");
    brief_text(&b, "short", "train.py:14", BRIEF_PLACE_BYTES);
    brief_text(&b, "long", "begin of a text, and its end", 15);
    brief_text(&b, "none", "", 15);
    brief_text(&b, "null", NULL, 15);
    brief_end(&b);
    const struct json *root = check(&a, &out);
    assert_string_equal(json_string_or(json_get(root, "short"), ""), "train.py:14");
    assert_string_equal(json_string_or(json_get(root, "long"), ""), "begin …ts end");
    assert_int_equal(json_get(root, "none")->kind, JSON_KIND_NULL);
    assert_int_equal(json_get(root, "null")->kind, JSON_KIND_NULL);
    arena_release(&a);
    strbuf_release(&out);
}

static void hostile_texts_stay_within_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE; i++) {
        struct strbuf out;
        struct brief b;
        struct arena a;
        strbuf_init(&out);
        brief_begin(&b, &out, "test");
        for (int k = 0; k < 12; k++) { /* more than fit */
            char key[8];
            snprintf(key, sizeof key, "key%d", k);
            brief_text(&b, key, many(hostile[i]), BRIEF_CODE_BYTES);
        }
        brief_next(&b, "gait explain {}", many(hostile[i]), "RUN…");
        brief_list(&b, "items");
        for (int k = 0; k < 100; k++) {
            brief_item(&b);
            brief_text(&b, "name", many(hostile[i]), BRIEF_TEXT_BYTES);
            brief_number(&b, "value", -1.0 / 3 * pow(10, k));
            brief_item_end(&b);
        }
        brief_list_end(&b);
        brief_end(&b);
        const struct json *root = check(&a, &out);
        size_t listed = json_get(root, "items")->n;
        assert_int_equal((size_t)json_int_or(json_get(root, "left_out"), -1) + listed,
                         100);
        arena_release(&a);
        strbuf_release(&out);
    }
}

static void entries_are_left_out_from_the_first_that_does_not_fit(void **state)
{
    (void)state;
    struct strbuf out;
    struct brief b;
    struct arena a;
    strbuf_init(&out);
    brief_begin(&b, &out, "test");
    brief_list(&b, "items");
    for (int k = 0; k < 1000; k++) {
        brief_item(&b);
        json_field_int(&b.w, "number", k);
        brief_text(&b, "text", k % 10 ? "" : many("x"), BRIEF_TEXT_BYTES);
        brief_item_end(&b);
    }
    brief_list_end(&b);
    brief_list(&b, "more");
    brief_list_end(&b);
    brief_end(&b);
    const struct json *root = check(&a, &out), *items = json_get(root, "items");
    int64_t number = 0;
    assert_true(items->n > 10);
    for (const struct json *j = items->child; j; j = j->next)
        assert_int_equal(json_int_or(json_get(j, "number"), -1), number++);
    assert_int_equal(json_int_or(json_get(root, "left_out"), -1), 1000 - number);
    arena_release(&a);
    strbuf_release(&out);
}

static void a_command_is_whole_or_has_a_placeholder(void **state)
{
    (void)state;
    static const char *const words[] = {"'my run.gait'", NULL, "y"};
    static const char *const next[] = {"gait analyze 'my run.gait' -q",
                                       "gait analyze RUN -q", "gait analyze y -q"};
    for (size_t i = 0; i < 3; i++) {
        struct strbuf out;
        struct brief b;
        struct arena a;
        strbuf_init(&out);
        brief_begin(&b, &out, "test");
        brief_next(&b, "gait analyze {} -q", words[i] ? words[i] : many("y"), "RUN");
        brief_end(&b);
        const struct json *root = check(&a, &out);
        assert_string_equal(json_string_or(json_get(root, "next"), ""), next[i]);
        arena_release(&a);
        strbuf_release(&out);
    }
}

static void numbers_have_seven_digits(void **state)
{
    (void)state;
    struct strbuf out;
    struct brief b;
    strbuf_init(&out);
    brief_begin(&b, &out, "test");
    brief_number(&b, "third", 1.0 / 3);
    brief_number(&b, "nan", NAN);
    brief_number(&b, "zero", -0.0);
    brief_ms(&b, "ms", 1.5e9);
    brief_bool(&b, "yes", true);
    brief_end(&b);
    assert_non_null(strstr(out.s,
                           "\"third\":0.3333333,\"nan\":null,\"zero\":0,\"ms\":1500,"
                           "\"yes\":true,\"left_out\":0}"));
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts_are_cut_in_the_middle),
        cmocka_unit_test(hostile_texts_stay_within_the_bound),
        cmocka_unit_test(entries_are_left_out_from_the_first_that_does_not_fit),
        cmocka_unit_test(a_command_is_whole_or_has_a_placeholder),
        cmocka_unit_test(numbers_have_seven_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

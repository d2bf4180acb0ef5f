/* Linears by oneDNN and by the engine's own products against the definition of a matrix
 * product, for odd sizes and several thread counts; the choice between them is kept. */
#include "linear_fixture.h"

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "engine/product_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const MAKERS[] = {"onednn", "own"};

static void products_are_the_matrix_product(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        engine_set_threads(threads);
        for (size_t k = 0; k < COUNT(PRECISIONS) * COUNT(MAKERS); k++) {
            struct engine e = engine_of(MAKERS[k / COUNT(PRECISIONS)],
                                        PRECISIONS[k % COUNT(PRECISIONS)], "plain");
            for (size_t i = 0; i < COUNT(LINEAR_CASES); i++) {
                check_linear(&e, &LINEAR_CASES[i], true);
                check_linear(&e, &LINEAR_CASES[i], false);
            }
        }
    }
}

/* A model opens its linears before it knows where their operands are, and moves them. */
static void check_reads(const char *maker)
{
    const struct linear_case c = {13, 67, 17, 3, {33, 17, 17}};
    struct pool pool = {.n = 0};
    struct engine e = engine_of(maker, "f32", "plain");
    struct linear l = linear_of(&pool, &e, &c, true);
    struct linear_data first = linear_data(&pool, &e, &l);
    struct linear_data second = linear_data(&pool, &e, &l);
    for (int64_t i = 0; i < second.x.n; i++)
        tensor_set(&second.x, i, 2 * second.x.x[i]);
    for (int64_t i = 0; i < second.b.n; i++)
        tensor_set(&second.b, i, 2 * second.b.x[i]);
    op_linear_forward(&e, &l, first.y.a, first.x.a, first.w.a, first.b.r);
    op_linear_forward(&e, &l, second.y.a, second.x.a, second.w.a, second.b.r);
    for (int64_t i = 0; i < first.y.n; i++)
        assert_true(second.y.r[i] == 2 * first.y.r[i]);
    linear_close(&e, &l);
    pool_release(&pool);
}

static void a_linear_reads_where_it_is_told_each_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(MAKERS); i++)
        check_reads(MAKERS[i]);
}

/* --- the choice between them --- */

static const struct linear_case CHOSEN = {13, 67, 17, 1, {67}};

static char *choices_path(void)
{
    char *path = cache_folder_path("products.tsv");
    assert_non_null(path);
    return path;
}

static char *read_choices(void)
{
    char *text, *path = choices_path();
    size_t len;
    if (file_read(&text, &len, path, 1 << 20, NULL))
        text = mem_strdup("");
    mem_free(path);
    return text;
}

static void write_choices(const char *text, size_t len)
{
    char *path = choices_path();
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
    mem_free(path);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        lines++;
    return lines;
}

/* Each line's maker becomes `word`. */
static char *all_by(const char *text, const char *word)
{
    struct strbuf out;
    strbuf_init(&out);
    for (const char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        const char *tab = strchr(at, '\t');
        strbuf_printf(&out, "%.*s\t%s\t1\t1\n", (int)(tab - at), at, word);
    }
    char *all = strbuf_detach(&out);
    strbuf_release(&out);
    return all;
}

enum decide { DECIDE_NOTHING, DECIDE_LEARN, DECIDE_MEASURE };

/* Does the engine itself make the forward product? */
static bool is_own(enum decide how)
{
    struct pool pool = {.n = 0};
    struct engine e = engine_of("auto", "f32", "plain");
    struct linear l = linear_of(&pool, &e, &CHOSEN, true);
    struct linear_data d = linear_data(&pool, &e, &l);
    struct linear_operands o = {
        .x = d.x.a, .y = d.y.a, .dx = d.dx.a, .w = d.w.a, .b = d.b.r, .dw = d.dw.r};
    if (how != DECIDE_NOTHING)
        linear_decide(&e, &l, &o, how == DECIDE_MEASURE);
    bool own = !strcmp(l.kernel, product_kernel_for(false)->name);
    linear_close(&e, &l);
    pool_release(&pool);
    return own;
}

static void in_a_folder(void (*check)(void))
{
    char folder[] = "/tmp/gait-choice-XXXXXX", command[64];
    char *before = getenv("XDG_CACHE_HOME") ? mem_strdup(getenv("XDG_CACHE_HOME")) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    engine_set_threads(2);
    check();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    if (before)
        setenv("XDG_CACHE_HOME", before, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    mem_free(before);
}

static void check_kept(void)
{
    bool own = is_own(DECIDE_MEASURE);
    char *first = read_choices();
    assert_int_equal(lines_of(first), 4); /* forward, dx, dw twice */
    assert_int_equal(is_own(DECIDE_NOTHING), own);
    assert_int_equal(is_own(DECIDE_MEASURE), own);
    char *second = read_choices();
    assert_string_equal(first, second);
    mem_free(first);
    mem_free(second);
}

static void check_file(void)
{
    is_own(DECIDE_MEASURE);
    char *measured = read_choices();
    char *own = all_by(measured, "own"), *onednn = all_by(measured, "onednn");
    struct strbuf text;
    strbuf_init(&text);
    strbuf_printf(&text, "what is this?%c\n\n%s%s", 0, own, onednn);
    write_choices(text.s, text.len); /* behind a stray zero, the first of two counts */
    assert_true(is_own(DECIDE_NOTHING));
    strbuf_clear(&text);
    strbuf_printf(&text, "%s%s", onednn, own);
    write_choices(text.s, text.len);
    assert_false(is_own(DECIDE_NOTHING));
    write_choices(own, strlen(own) - 2); /* cut short: the last product is not known */
    assert_true(is_own(DECIDE_LEARN));
    is_own(DECIDE_MEASURE);
    char *mended = read_choices();
    assert_int_equal(lines_of(mended), 5);
    strbuf_release(&text);
    mem_free(measured);
    mem_free(own);
    mem_free(onednn);
    mem_free(mended);
}

/* What cannot be remembered is not chosen: the next run would choose otherwise. */
static void check_unwritable(void)
{
    setenv("XDG_CACHE_HOME", "/proc/no/folder", 1);
    assert_false(is_own(DECIDE_MEASURE));
    assert_false(is_own(DECIDE_LEARN));
    assert_false(is_own(DECIDE_NOTHING));
}

static void the_choice_is_kept(void **state)
{
    (void)state;
    in_a_folder(check_kept);
}

static void a_damaged_file_of_choices_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    in_a_folder(check_file);
}

static void where_nothing_can_be_kept_onednn_makes_the_products(void **state)
{
    (void)state;
    in_a_folder(check_unwritable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_matrix_product),
        cmocka_unit_test(a_linear_reads_where_it_is_told_each_time),
        cmocka_unit_test(the_choice_is_kept),
        cmocka_unit_test(a_damaged_file_of_choices_is_read_as_far_as_it_goes),
        cmocka_unit_test(where_nothing_can_be_kept_onednn_makes_the_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

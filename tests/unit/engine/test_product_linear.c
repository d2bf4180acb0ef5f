/* Linears by oneDNN and by the engine's own products against the definition of a matrix
 * product, for odd sizes and several thread counts; the choice between them is kept. */
#include "linear_fixture.h"

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>

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

static char *kept_choices(void)
{
    char *text, *path = cache_folder_path("products.tsv");
    size_t len;
    assert_non_null(path);
    if (file_read(&text, &len, path, 1 << 20, NULL))
        text = mem_strdup("");
    mem_free(path);
    return text;
}

/* Each shape is measured once; which is faster, the machine says. */
static void the_choice_is_kept(void **state)
{
    (void)state;
    const struct linear_case c = {13, 67, 17, 1, {67}};
    char folder[] = "/tmp/gait-choice-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    struct engine e = engine_of("auto", "f32", "plain");
    engine_set_threads(2);
    check_linear(&e, &c, true);
    char *first = kept_choices();
    size_t lines = 0;
    for (const char *at = first; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 4); /* forward, dx, dw twice */
    check_linear(&e, &c, true);
    char *second = kept_choices();
    assert_string_equal(first, second);
    mem_free(first);
    mem_free(second);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_matrix_product),
        cmocka_unit_test(a_linear_reads_where_it_is_told_each_time),
        cmocka_unit_test(the_choice_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

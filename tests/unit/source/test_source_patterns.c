/* A pattern is tried where a name is called or a kind of node begins: nothing is missed. */
#include "cmocka_setup.h"

#include "source/source_query.h"

#ifdef GAIT_TREE_SITTER
#include "source/source_patterns.h"
#include "unit/source/read_all.h"

#include <string.h>

/* From here on each pattern is tried at every node, of whatever name and kind. */
static void try_all_everywhere(struct source_query *q)
{
    memset(q->trigger_of_hash, 0xff, sizeof q->trigger_of_hash);
    q->n_begins = 0;
    for (size_t i = 0; i < q->n_patterns; i++) {
        vec_grow(q->begins, q->cap_begins, q->n_begins + 1);
        q->begins[q->n_begins++] = (struct source_begin){(int32_t)i, (int32_t)i - 1};
    }
    for (size_t i = 0; i < PYTHON_SYMBOLS_MAX; i++)
        q->begin_of_symbol[i] = (int32_t)q->n_patterns - 1;
}

static void assert_same_hits(const struct source_file *a, const struct source_file *b)
{
    assert_int_equal(a->n_hits, b->n_hits);
    for (size_t i = 0; i < a->n_hits; i++) {
        assert_int_equal(a->hits[i].pattern, b->hits[i].pattern);
        assert_int_equal(a->hits[i].begin, b->hits[i].begin);
        assert_int_equal(a->hits[i].end, b->hits[i].end);
    }
}

static void no_pattern_hits_where_it_is_not_tried(void **state)
{
    (void)state;
    size_t len, rules_len;
    char *text = read_all(ALL_CASES, &len), *rules = read_all(ALL_RULES, &rules_len);
    struct source_query *indexed = source_query_new((const char *const *)&rules, 1);
    struct source_query *everywhere = source_query_new((const char *const *)&rules, 1);
    struct source_file a, b;
    struct err err = ERR_INIT;
    try_all_everywhere(everywhere);
    assert_true(indexed->n_triggers > 100 && indexed->n_begins > 10);
    assert_int_equal(source_file_read(&a, indexed, text, len, "a.py", &err), STATUS_OK);
    assert_int_equal(source_file_read(&b, everywhere, text, len, "a.py", &err),
                     STATUS_OK);
    assert_true(a.n_hits > 100);
    assert_same_hits(&a, &b);
    source_file_release(&a);
    source_file_release(&b);
    source_query_free(indexed);
    source_query_free(everywhere);
    mem_free(text);
    mem_free(rules);
}
#endif

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
#ifdef GAIT_TREE_SITTER
        cmocka_unit_test(no_pattern_hits_where_it_is_not_tried),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

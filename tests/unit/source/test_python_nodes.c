/* The list of a text's nodes answers as the tree does. */
#include "cmocka_setup.h"

#include "source/source_query.h"

#ifdef GAIT_TREE_SITTER
#include "base/mem.h"
#include "source/python_nodes.h"
#include "unit/source/read_all.h"

#include <stdio.h>
#include <string.h>

struct answers {
    TSNode parent, fields[PYTHON_FIELDS_N], children[3];
};

static void ask(struct answers *a, TSNode n)
{
    a->parent = python_parent(n);
    for (int f = 0; f < PYTHON_FIELDS_N; f++)
        a->fields[f] = python_field(n, (enum python_field)f);
    for (uint32_t i = 0; i < 3; i++)
        a->children[i] = python_child(n, i);
}

static void assert_same(TSNode a, TSNode b)
{
    assert_true(ts_node_is_null(a) == ts_node_is_null(b));
    assert_true(ts_node_is_null(a) || ts_node_eq(a, b));
}

/* Returns how many fields were found. */
static size_t assert_answers_as_the_tree(const struct python_nodes *l, TSNode n)
{
    struct answers by_tree, by_list;
    size_t found = 0;
    python_nodes_use(NULL);
    ask(&by_tree, n);
    python_nodes_use(l);
    ask(&by_list, n);
    assert_same(by_tree.parent, by_list.parent);
    for (int f = 0; f < PYTHON_FIELDS_N; f++) {
        assert_same(by_tree.fields[f], by_list.fields[f]);
        found += !ts_node_is_null(by_list.fields[f]);
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_same(by_tree.children[i], by_list.children[i]);
    return found;
}

static size_t assert_text_answers(const char *text, size_t len)
{
    struct err err = ERR_INIT;
    struct python_nodes l;
    struct work_limit limit = work_limit_begin();
    TSTree *tree;
    size_t found = 0;
    assert_int_equal(python_parse(&tree, text, len, "cases.py", &err), STATUS_OK);
    assert_int_equal(python_nodes_read(&l, tree, &limit, "cases.py", &err), STATUS_OK);
    for (size_t i = 0; i < l.n; i++)
        found += assert_answers_as_the_tree(&l, l.rows[i].node);
    python_nodes_use(NULL);
    python_nodes_release(&l);
    ts_tree_delete(tree);
    return found;
}

static void fields_children_and_parents_are_those_of_the_tree(void **state)
{
    (void)state;
    size_t len;
    char *text = read_all(ALL_CASES, &len);
    assert_true(assert_text_answers(text, len) > 10000);
    mem_free(text);
}

static void broken_text_answers_as_its_tree(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "(",
        "x = f(\ny = 2\n",
        "if a:\nelse:\n  b(\n",
        "for x in y\n  z\n",
        "a.\nb.c()\n",
        "def f(x, *, y=:\n  return",
        "class A(B:\n  x = 1\n)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_text_answers(texts[i], strlen(texts[i]));
}

/* Each row is a child of the row that it names as its parent, once. */
static void assert_hangs_together(const struct python_nodes *l)
{
    size_t children = 0;
    for (size_t i = 0; i < l->n; i++)
        for (int32_t c = l->rows[i].first; c >= 0; c = l->rows[c].next) {
            assert_int_equal(l->rows[c].parent, (int32_t)i);
            children++;
        }
    assert_int_equal(children, l->n - 1);
}

/* Every case with a piece cut out: brackets that never close, names without an end. */
static void damaged_text_has_one_parent_for_each_node(void **state)
{
    (void)state;
    enum { PIECE = 2000, STEP = 20011, CUT = 7 };
    size_t len;
    char *text = read_all(ALL_CASES, &len);
    for (size_t at = 0; at + PIECE < len; at += STEP) {
        struct err err = ERR_INIT;
        struct python_nodes l;
        struct work_limit limit = work_limit_begin();
        TSTree *tree;
        char piece[PIECE];
        memcpy(piece, text + at, PIECE / 2);
        memcpy(piece + PIECE / 2, text + at + PIECE / 2 + CUT, PIECE / 2 - CUT);
        size_t n = PIECE - CUT;
        assert_int_equal(python_parse(&tree, piece, n, "cases.py", &err), STATUS_OK);
        assert_int_equal(python_nodes_read(&l, tree, &limit, "cases.py", &err),
                         STATUS_OK);
        assert_hangs_together(&l);
        python_nodes_release(&l);
        ts_tree_delete(tree);
    }
    mem_free(text);
}
#endif

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
#ifdef GAIT_TREE_SITTER
        cmocka_unit_test(fields_children_and_parents_are_those_of_the_tree),
        cmocka_unit_test(broken_text_answers_as_its_tree),
        cmocka_unit_test(damaged_text_has_one_parent_for_each_node),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

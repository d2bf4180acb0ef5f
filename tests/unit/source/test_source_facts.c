#include "cmocka_setup.h"

#include "source/source_facts.h"

#include <stdlib.h>
#include <string.h>

static int skip_without_parser(void **state)
{
    (void)state;
    if (source_available())
        return 0;
    print_message("skipped: built without tree-sitter (scripts/fetch-tree-sitter)\n");
    exit(77);
}

static const char program[] = "import torch\n"
                              "\n"
                              "def train(model, loader):\n"
                              "    for epoch in range(3):\n"
                              "        for x in loader:\n"
                              "            loss = model(x)\n"
                              "            loss.backward()\n"
                              "    return loss\n"
                              "\n"
                              "while True:\n"
                              "    train(m, l)\n";

static void functions_loops_and_calls_have_their_lines(void **state)
{
    (void)state;
    struct source_facts f;
    struct err err = ERR_INIT;
    assert_int_equal(source_facts_read(&f, program, strlen(program), "p.py", &err),
                     STATUS_OK);
    assert_int_equal(f.n_functions, 1);
    assert_string_equal(f.functions[0].name, "train");
    assert_int_equal(f.functions[0].line, 3);
    assert_int_equal(f.functions[0].end_line, 8);
    assert_int_equal(f.n_loops, 3);
    assert_int_equal(f.loops[0].line, 4);
    assert_int_equal(f.loops[1].line, 5);
    assert_int_equal(f.loops[1].end_line, 7);
    assert_int_equal(f.loops[2].line, 10);
    assert_int_equal(f.n_calls, 4);
    assert_string_equal(f.calls[0].name, "range");
    assert_string_equal(f.calls[1].name, "model");
    assert_string_equal(f.calls[2].name, "backward");
    assert_string_equal(f.calls[2].receiver, "loss");
    assert_int_equal(f.calls[2].line, 7);
    assert_string_equal(f.calls[3].name, "train");
    source_facts_release(&f);
}

static void a_call_knows_its_loop_and_function(void **state)
{
    (void)state;
    struct source_facts f;
    struct err err = ERR_INIT;
    assert_int_equal(source_facts_read(&f, program, strlen(program), "p.py", &err),
                     STATUS_OK);
    assert_int_equal(f.calls[0].loop, -1); /* range(3) is made once */
    assert_int_equal(f.calls[2].loop, 1);
    assert_int_equal(f.calls[2].function, 0);
    assert_int_equal(f.loops[1].parent, 0);
    assert_int_equal(f.calls[3].loop, 2);
    assert_int_equal(f.calls[3].function, -1);
    source_facts_release(&f);
}

static void only_the_loop_that_calls_backward_trains(void **state)
{
    (void)state;
    struct source_facts f;
    struct err err = ERR_INIT;
    assert_int_equal(source_facts_read(&f, program, strlen(program), "p.py", &err),
                     STATUS_OK);
    assert_false(f.loops[0].trains);
    assert_true(f.loops[1].trains);
    assert_false(f.loops[2].trains);
    assert_true(source_call_in_training_step(&f, &f.calls[1]));
    assert_false(source_call_in_training_step(&f, &f.calls[3]));
    source_facts_release(&f);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char text[500];
    memset(text, 'a', sizeof text);
    memcpy(text + 400, ".b()", 5);
    struct source_facts f;
    struct err err = ERR_INIT;
    assert_int_equal(source_facts_read(&f, text, strlen(text), "p.py", &err), STATUS_OK);
    assert_int_equal(f.n_calls, 1);
    assert_int_equal(strlen(f.calls[0].receiver), SOURCE_NAME_BYTES_MAX);
    source_facts_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_loops_and_calls_have_their_lines),
        cmocka_unit_test(a_call_knows_its_loop_and_function),
        cmocka_unit_test(only_the_loop_that_calls_backward_trains),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, skip_without_parser, NULL);
}

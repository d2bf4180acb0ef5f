/* Which statement stands for work that others ask for below it. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "price/statements.h"

enum { LEARNS, ACTS, CRITIC, CRITIC_OF_ACTOR, LAYER, LAYER_OF_ACTOR, N };

/* main calls learn() and act(), which both call the critic, and that a layer. */
static void add_lines(struct run *run)
{
    static const struct {
        const char *function;
        int32_t line, caller;
    } lines[N] = {
        [LEARNS] = {"learn", 60, -1},
        [ACTS] = {"act", 68, -1},
        [CRITIC] = {"Critic.forward", 30, LEARNS},
        [CRITIC_OF_ACTOR] = {"Critic.forward", 30, ACTS},
        [LAYER] = {"Layer.forward", 10, CRITIC},
        [LAYER_OF_ACTOR] = {"Layer.forward", 10, CRITIC_OF_ACTOR},
    };
    for (int i = 0; i < N; i++)
        lines_add(
            &run->lines,
            (struct source_line){.file = names_add_z(&run->names, "/home/user/train.py"),
                                 .function = names_add_z(&run->names, lines[i].function),
                                 .line = lines[i].line,
                                 .caller = lines[i].caller});
}

/* The line that stands for the first statement, and the one that asks for most of it. */
static void first_of(const double *part, const double *all, int32_t *told, int32_t *most)
{
    struct run run;
    struct statements s;
    int32_t top[N];
    run_init(&run);
    add_lines(&run);
    statements_init(&s, &run, part, all, top);
    assert_true(s.n > 0);
    *told = run.lines.line[s.statement[0].line];
    *most = run.lines.line[s.statement[0].most];
    statements_release(&s);
    run_release(&run);
}

/* A third of the layer's work for the actor is needless, and none of it for the critic. */
static void what_is_done_for_one_caller_alone_is_the_callers(void **state)
{
    (void)state;
    static const double part[N] = {[LAYER_OF_ACTOR] = 30};
    static const double all[N] = {
        [LEARNS] = 5, [ACTS] = 5, [LAYER] = 90, [LAYER_OF_ACTOR] = 90};
    int32_t told, most;
    first_of(part, all, &told, &most);
    assert_int_equal(told, 68);
    assert_int_equal(most, 10);
}

/* For both it is as needless. */
static void what_is_done_for_all_callers_is_the_lines_own(void **state)
{
    (void)state;
    static const double part[N] = {[LAYER] = 20, [LAYER_OF_ACTOR] = 30};
    static const double all[N] = {
        [LEARNS] = 5, [ACTS] = 5, [LAYER] = 90, [LAYER_OF_ACTOR] = 90};
    int32_t told, most;
    first_of(part, all, &told, &most);
    assert_int_equal(told, 10);
    assert_int_equal(most, 10);
}

static void a_statement_stands_for_what_is_nearly_all_of_it(void **state)
{
    (void)state;
    static const double part[N] = {[ACTS] = 5, [LAYER_OF_ACTOR] = 88};
    static const double all[N] = {[LEARNS] = 50, [ACTS] = 5, [LAYER_OF_ACTOR] = 90};
    int32_t told, most;
    first_of(part, all, &told, &most);
    assert_int_equal(told, 68);
    assert_int_equal(most, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_for_one_caller_alone_is_the_callers),
        cmocka_unit_test(what_is_done_for_all_callers_is_the_lines_own),
        cmocka_unit_test(a_statement_stands_for_what_is_nearly_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which traced round is shown, of one process and of several ranks. */
#include "cmocka_setup.h"

#include "base/strbuf.h"
#include "record/round_choice.h"

#include <string.h>

/* A round: its first traced step and how long that took; untraced steps take 100. */
struct round_told {
    int number, traced_ns;
    const char *stacks;
};

static void open_process(struct process_file *p, const struct round_told *round, size_t n)
{
    struct err err = ERR_INIT;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_printf(&text,
                  "{\"gait_record\":6,\"pid\":7,\"rank\":0,\"world\":2,\"state\":"
                  "\"complete\",\"steps\":20,\"optimizer_calls\":20,"
                  "\"optimizers_per_step\":1,\"facts\":{},\"notes\":[],\"tail\":[],"
                  "\"replacements\":[],\"rounds\":[");
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&text,
                      "%s{\"stacks\":%s,\"trace\":\"t%zu.json\",\"event_cost_ns\":0,"
                      "\"untraced\":[{\"number\":1,\"step\":100}],"
                      "\"traced\":[{\"number\":%d,\"step\":%d}]}",
                      i ? "," : "", round[i].stacks, i, round[i].number,
                      round[i].traced_ns);
    strbuf_printf(&text, "]}");
    assert_int_equal(process_file_parse(p, text.s, text.len, "test", &err), STATUS_OK);
    strbuf_release(&text);
}

static int choose(const struct round_told *a, const struct round_told *b, size_t n)
{
    struct process_file p[2];
    const struct process_file *all[] = {&p[0], &p[1]};
    open_process(&p[0], a, n);
    open_process(&p[1], b, n);
    int round = round_choose(all, 2);
    process_file_close(&p[0]);
    process_file_close(&p[1]);
    return round;
}

static void the_round_nearest_to_untraced_steps_is_shown(void **state)
{
    static const struct round_told rounds[] = {
        {9, 200, "false"}, {19, 100, "true"}, {29, 110, "false"}, {39, 150, "false"}};
    struct process_file p;
    const struct process_file *one = &p;
    (void)state;
    open_process(&p, rounds, 4);
    assert_int_equal(round_choose(&one, 1), 2);
    assert_int_equal(round_with_stacks(&p), 1);
    process_file_close(&p);
    assert_int_equal(round_choose(&one, 0), ROUND_NONE);
}

static void ranks_show_a_round_that_began_at_the_same_step(void **state)
{
    static const struct round_told first[] = {{9, 200, "false"}, {29, 110, "false"}};
    static const struct round_told same[] = {{9, 210, "false"}, {29, 120, "false"}};
    static const struct round_told late[] = {{9, 210, "false"}, {30, 120, "false"}};
    static const struct round_told other[] = {{8, 210, "false"}, {30, 120, "false"}};
    (void)state;
    assert_int_equal(choose(first, same, 2), 1);
    assert_int_equal(choose(first, late, 2), 0);
    assert_int_equal(choose(first, other, 2), ROUND_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_round_nearest_to_untraced_steps_is_shown),
        cmocka_unit_test(ranks_show_a_round_that_began_at_the_same_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

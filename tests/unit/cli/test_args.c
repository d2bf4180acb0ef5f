/* The parser of words is compiled in: the program itself is not a library. */
#include "cmocka_setup.h"

#include "cli/args.c"

static const struct option options[] = {
    {"json", 0, NULL, ""},
    {"output", 'o', "FILE", ""},
    {"top", 0, "N", ""},
};

static const struct command walk = {
    .name = "walk",
    .operands = "FROM [TO]",
    .min_operands = 1,
    .max_operands = 2,
    OPTIONS(options),
    .takes_settings = true,
    .example = "walk here there",
};

/* Words are changed by the parser, so each test gets copies. */
struct parsed {
    struct args args;
    struct err err;
    enum status status;
    char *word[8];
    int n;
};

static void parse(struct parsed *p, const char *line)
{
    char *copy = mem_strdup(line), *rest = copy;
    *p = (struct parsed){.err = ERR_INIT};
    for (char *w; (w = strtok_r(rest, " ", &rest));)
        p->word[p->n++] = mem_strdup(w);
    mem_free(copy);
    p->status = args_parse(&p->args, &walk, p->word, p->n, &p->err);
}

static void release(struct parsed *p)
{
    args_release(&p->args);
    for (int i = 0; i < p->n; i++)
        mem_free(p->word[i]);
}

static void assert_wrong(const char *line, const char *message)
{
    struct parsed p;
    parse(&p, line);
    assert_int_equal(p.status, STATUS_USAGE);
    assert_string_equal(p.err.text, message);
    release(&p);
}

static void options_and_operands_may_mix(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "a --json -o x.html b --top=3");
    assert_int_equal(p.status, STATUS_OK);
    assert_int_equal(p.args.n_operands, 2);
    assert_string_equal(p.args.operands[1], "b");
    assert_true(args_has(&p.args, "json"));
    assert_string_equal(args_value(&p.args, "output"), "x.html");
    int64_t top = 0;
    assert_int_equal(args_int(&p.args, "top", 1, 9, &top, &p.err), STATUS_OK);
    assert_int_equal(top, 3);
    release(&p);
}

static void a_short_option_takes_its_value_attached(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "a -ox.html --output y.html");
    assert_int_equal(p.status, STATUS_OK);
    assert_string_equal(args_value(&p.args, "output"), "y.html"); /* the last wins */
    assert_null(args_value(&p.args, "top"));
    release(&p);
}

static void settings_are_flags_with_dashes_or_underscores(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "a --batch-size 8 --learning_rate=1e-3 --weight-decay=");
    assert_int_equal(p.status, STATUS_OK);
    assert_int_equal(p.args.n_settings, 3);
    assert_string_equal(p.args.settings[0].name, "batch-size");
    assert_string_equal(p.args.settings[0].value, "8");
    assert_string_equal(p.args.settings[1].name, "learning_rate");
    assert_string_equal(p.args.settings[1].value, "1e-3");
    assert_string_equal(p.args.settings[2].value, "");
    release(&p);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "-- --json -");
    assert_int_equal(p.status, STATUS_OK);
    assert_int_equal(p.args.n_operands, 2);
    assert_string_equal(p.args.operands[0], "--json");
    assert_false(args_has(&p.args, "json"));
    release(&p);
}

static void help_needs_no_operands(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "--help");
    assert_int_equal(p.status, STATUS_OK);
    assert_true(p.args.help);
    release(&p);
}

static void each_mistake_says_what_to_do(void **state)
{
    (void)state;
    assert_wrong("", "walk needs FROM [TO]; usage: gait walk FROM [TO] [options] [--KEY "
                     "VALUE …]; for example: gait walk here there");
    assert_wrong("a b c", "walk does not take \"c\"; for example: gait walk here there");
    assert_wrong("a --jsn", "walk has no option --jsn; did you mean --json?");
    assert_wrong("a --stpes=3", "walk has no option --stpes; did you mean --steps?");
    assert_wrong("a --n-embd 3", "walk has no option --n-embd; did you mean --width?");
    assert_wrong("a --=3", "walk has no option --; `gait help walk` lists them");
    assert_wrong("a -z", "walk has no option -z; `gait help walk` lists them");
    assert_wrong("a -hx", "walk has no option -hx; `gait help walk` lists them");
    assert_wrong("--top a", "--top needs a number; write --top N");
    assert_wrong("a --top", "--top wants a value; write --top N");
    assert_wrong("a --steps", "--steps wants a value; write --steps VALUE");
    assert_wrong("a --json=1", "--json takes no value; write --json");
}

static void a_number_out_of_range_names_the_range(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "a --top 10");
    int64_t top = 7;
    assert_int_equal(args_int(&p.args, "top", 1, 9, &top, &p.err), STATUS_USAGE);
    assert_string_equal(p.err.text,
                        "--top is \"10\"; allowed: a whole number from 1 to 9");
    assert_int_equal(top, 7);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_operands_may_mix),
        cmocka_unit_test(a_short_option_takes_its_value_attached),
        cmocka_unit_test(settings_are_flags_with_dashes_or_underscores),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(help_needs_no_operands),
        cmocka_unit_test(each_mistake_says_what_to_do),
        cmocka_unit_test(a_number_out_of_range_names_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

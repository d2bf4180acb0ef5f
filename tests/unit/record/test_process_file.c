#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "record/process_file.h"
#include "record/process_run.h"
#include "record/record_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A good file, whose parts the tests replace one by one. */
#define HEAD                                                                             \
    "\"gait_record\":6,\"pid\":7,\"rank\":0,\"world\":1,\"state\":\"complete\","         \
    "\"steps\":20,\"optimizer_calls\":20,\"optimizers_per_step\":1,"                     \
    "\"facts\":{\"threads\":2,\"cpus\":4,\"cores\":3,\"loader_draws\":0,\"torch\":\"2."  \
    "0\"},"                                                                              \
    "\"notes\":[\"a note\"],"
#define UNTRACED                                                                         \
    "{\"number\":6,\"step\":100,\"optimizer\":10,\"backwards\":2,\"cpu\":150},"          \
    "{\"number\":7,\"step\":300,\"optimizer\":30,\"backwards\":2,\"cpu\":450}"
#define ROUND(trace)                                                                     \
    "{\"stacks\":false,\"trace\":\"" trace                                               \
    "\",\"event_cost_ns\":750.5,\"others_cpus\":0.5,"                                    \
    "\"untraced\":[" UNTRACED "],\"traced\":[{\"number\":9,\"step\":400}]}"
#define TAIL "\"tail\":[[15,120,0,0,0,0,50],[16,140,5,60,0,7,60]],"
#define REPLACED                                                                         \
    "\"replacements\":[{\"rule\":\"attention-unfused\",\"subject\":\"s\",\"how\":\"h\"," \
    "\"round\":0,\"now_ns\":9,\"instead_ns\":4}]"
#define GOOD "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED "}"

static char folder[] = "/tmp/gait-test-record-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void put(const char *name, const char *text)
{
    char path[256];
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(file_write(path, text, strlen(text), &err), STATUS_OK);
}

static void put_trace(void)
{
    char *text;
    size_t len;
    struct err err = ERR_INIT;
    assert_int_equal(file_read(&text, &len,
                               TESTS_DIR "/../examples/three_steps.trace.json", 1 << 20,
                               &err),
                     STATUS_OK);
    put("t.json", text);
    mem_free(text);
}

static size_t read_folder(struct run *run, char *why, size_t size)
{
    struct record_outcome o;
    struct err err = ERR_INIT;
    assert_int_equal(record_folder_read(run, &o, folder, &err), STATUS_OK);
    snprintf(why, size, "%s", o.why.s);
    size_t ranks = o.ranks;
    record_outcome_release(&o);
    return ranks;
}

static void a_process_becomes_a_rank(void **state)
{
    (void)state;
    char why[1024];
    struct run run;
    struct err err = ERR_INIT;
    put_trace();
    put("process-7.json", GOOD);
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    assert_string_equal(why, "");
    assert_int_equal(run_check(&run, &err), STATUS_OK);
    assert_int_equal(run.ranks.table.n, 1);
    assert_int_equal(run.steps.table.n, 3);
    /* 2 × (step, optimizer, cpu), a traced step, 2 × (step, cpu) of the rest with a save,
     * an evaluation and a collection */
    assert_int_equal(run.timings.table.n, 14);
    assert_int_equal(run.replacements.table.n, 1);
    assert_int_equal(run.replacements.instead_ns[0], 4);
    assert_float_equal(run_fact(&run, 0, "record.event_cost_ns"), 750.5, 0);
    assert_float_equal(run_fact(&run, 0, "record.backwards_per_step"), 2, 0);
    assert_float_equal(run_fact(&run, 0, "record.threads"), 2, 0);
    assert_float_equal(run_fact(&run, 0, "record.loader_draws"), 0, 0);
    assert_float_equal(run_fact(&run, 0, "record.cores"), 3, 0);
    assert_float_equal(run_fact(&run, 0, "record.others_cpus"), 0.5, 0);
    assert_float_equal(run_fact(&run, 0, "record.cpu_frac"), 600.0 / (400 * 4), 1e-12);
    /* the file does not say */
    assert_true(isnan(run_fact(&run, 0, "record.loader_items")));
    run_release(&run);
}

#define LEARNT                                                                           \
    ",\"losses\":[[1,4.5,1],[2,null,3]],\"parameters\":[[\"a.weight\",8],[\"b\",2]],"    \
    "\"movements\":[[0,0,0,1.5,1,2,3,4],[1,2,1,null,0,0,0,0.5]]"

static void what_was_learnt_becomes_rows(void **state)
{
    (void)state;
    char why[1024];
    struct run run;
    struct err err = ERR_INIT;
    put_trace();
    put("process-7.json",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED LEARNT "}");
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    assert_int_equal(run_check(&run, &err), STATUS_OK);
    assert_int_equal(run.losses.table.n, 2);
    assert_float_equal(run.losses.loss[0], 4.5, 0);
    assert_true(isnan(run.losses.loss[1]));
    assert_int_equal(run.losses.step[1], 2);
    assert_int_equal(run.movements.table.n, 2);
    assert_string_equal(run_name(&run, run.movements.name[0]), "a.weight");
    assert_int_equal(run.movements.elements[0], 8);
    assert_int_equal(run.movements.what[1], MOVED_KIND_MOVEMENT);
    assert_true(isnan(run.movements.norm[1]));
    assert_float_equal(run.movements.along3[1], 0.5, 0);
    run_release(&run);
}

enum { NAMES_MAX = 32, NAME_SIZE = 32 };

/* What the hook's code names where it times: each must be in its table. */
static void names_are_among(char name[NAMES_MAX][NAME_SIZE], int n, const char *code,
                            const char *call)
{
    for (const char *at = strstr(code, call); at; at = strstr(at + 1, call)) {
        char word[NAME_SIZE];
        int i = 0;
        assert_int_equal(sscanf(at + strlen(call), "%31[a-z_]", word), 1);
        while (i < n && strcmp(name[i], word) != 0)
            i++;
        if (i == n)
            fail_msg("hook/gait_hook/recording/timers.py times %s, its table has no such",
                     word);
    }
}

/* The names in the table at the top of hook/gait_hook/recording/timers.py, which begin its lines
 * after the first; lines that go on are indented. */
static int names_of_timers(char name[NAMES_MAX][NAME_SIZE])
{
    char *text;
    size_t len;
    int n = 0;
    struct err err = ERR_INIT;
    assert_int_equal(file_read(&text, &len,
                               TESTS_DIR "/../hook/gait_hook/recording/timers.py",
                               1 << 20, &err),
                     STATUS_OK);
    const char *line = strchr(text, '\n');
    for (; line && strncmp(line, "\n\"\"\"", 4) != 0; line = strchr(line + 1, '\n'))
        if (line[1] >= 'a' && line[1] <= 'z') {
            assert_in_range(n, 0, NAMES_MAX - 1);
            assert_int_equal(sscanf(line + 1, "%31s", name[n++]), 1);
        }
    assert_non_null(line); /* the table ends */
    names_are_among(name, n, line, "_replace(\"");
    names_are_among(name, n, line, ".add(\"");
    mem_free(text);
    return n;
}

static void all_that_the_hook_times_is_read(void **state)
{
    char names[NAMES_MAX + 3][NAME_SIZE] = {"step", "optimizer",
                                            "cpu"}; /* not by wrapping */
    int n = 3 + names_of_timers(names + 3);
    (void)state;
    assert_in_range(n, 4, NAMES_MAX + 3);
    char why[1024];
    struct strbuf file;
    struct run run;
    strbuf_init(&file);
    strbuf_puts(&file, "{" HEAD "\"rounds\":[{\"trace\":\"t.json\",\"untraced\":["
                       "{\"number\":6,\"backwards\":1");
    for (int i = 0; i < n; i++)
        strbuf_printf(&file, ",\"%s\":%d", names[i], 100 + i);
    strbuf_puts(&file,
                "}],\"traced\":[{\"number\":9,\"step\":400}]}]," TAIL REPLACED "}");
    put_trace();
    put("process-7.json", file.s);
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    for (int i = 0; i < n; i++) {
        size_t k = 0;
        while (k < run.timings.table.n &&
               (run.timings.number[k] != 6 ||
                strcmp(timing_kind_text[run.timings.what[k]], names[i]) != 0))
            k++;
        assert_in_range(k, 0, run.timings.table.n - 1);
        assert_int_equal(run.timings.dur_ns[k], 100 + i);
    }
    run_release(&run);
    strbuf_release(&file);
}

/* A process whose rounds have a traced step each, the second one with stacks; untraced it
 * takes 490 ns. */
static void put_rounds(int rank, const long step_ns[4])
{
    char name[64], text[2048];
    int n = snprintf(text, sizeof text,
                     "{\"gait_record\":6,\"pid\":%d,\"rank\":%d,\"world\":2,\"state\":"
                     "\"complete\",\"steps\":20,\"tail\":[[15,490,0,0,0,0,0]],"
                     "\"replacements\":[],\"rounds\":[",
                     7 + rank, rank);
    for (int i = 0; i < 4; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"stacks\":%s,\"trace\":\"t.json\",\"untraced\":[],"
                      "\"traced\":[{\"number\":%d,\"step\":%ld}]}",
                      i ? "," : "", i == 1 ? "true" : "false", i + 1, step_ns[i]);
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    snprintf(name, sizeof name, "process-%d.json", 7 + rank);
    put(name, text);
}

/* What the hook saw in these steps; of how many of them rows are filled up to one length,
 * NAN: of none. */
static double padded_frac(const char *lengths)
{
    char text[4096], why[1024];
    struct run run;
    put_trace();
    snprintf(text, sizeof text,
             "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED
                                                     ",\"lengths\":%s}",
             lengths);
    put("process-7.json", text);
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    double frac = run_fact(&run, 0, "record.padded_frac");
    if (!isnan(frac)) {
        assert_float_equal(run_fact(&run, 0, "record.padded_to"), 32, 0);
        assert_float_equal(run_fact(&run, 0, "record.padded_longest"), 22, 0);
    }
    run_release(&run);
    return frac;
}

#define PADDED(longest) "{\"rows\":4,\"filled\":32,\"longest\":" longest "}"

static void the_share_of_padded_steps_is_told(void **state)
{
    (void)state;
    assert_float_equal(padded_frac("[" PADDED("20") "," PADDED("24") "]"), 1, 0);
    assert_float_equal(padded_frac("[" PADDED("20") ",{}," PADDED("24") "]"), 2.0 / 3, 0);
    assert_float_equal(padded_frac("[" PADDED("20") ",{},{}," PADDED("24") "]"), 0.5, 0);
    assert_true(isnan(padded_frac("[" PADDED("20") "]")));
    assert_true(isnan(padded_frac("[]")));
    assert_true(isnan(padded_frac("[7,\"x\"," PADDED("-3") "," PADDED("1e99") "]")));
    assert_true(isnan(padded_frac("{\"rows\":4}")));
}

static void the_round_nearest_to_untraced_steps_is_the_detail(void **state)
{
    (void)state;
    struct run run;
    char why[1024];
    put_trace();
    put_rounds(0, (const long[4]){900, 490, 500, 100});
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    assert_float_equal(run_fact(&run, 0, "record.detail_round"), 2, 0);
    assert_float_equal(run_fact(&run, 0, "record.sites_round"), 1, 0);
    run_release(&run);
}

static void all_ranks_show_the_same_round(void **state)
{
    (void)state;
    struct run run;
    char why[1024];
    put_trace();
    put_rounds(0, (const long[4]){491, 490, 500, 900}); /* alone it would be round 0 */
    put_rounds(1, (const long[4]){900, 490, 520, 491}); /* alone it would be round 3 */
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 2);
    assert_float_equal(run_fact(&run, 0, "record.detail_round"), 2, 0);
    assert_float_equal(run_fact(&run, 1, "record.detail_round"), 2, 0);
    run_release(&run);
}

static void hostile_files_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"gait_record\":9}",
        "{\"gait_record\":6,\"state\":\"singing\"}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rank\":-1,\"rounds\":[]}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rank\":99999999999,\"rounds\":[]}",
        "{\"gait_record\":6,\"state\":\"complete\",\"steps\":1.5,\"rounds\":[]}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rounds\":7}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rounds\":[7]}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rounds\":[{\"trace\":\"../"
        "t.json\"}]}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rounds\":[{\"trace\":\"/etc/"
        "passwd\"}]"
        "}",
        "{\"gait_record\":6,\"state\":\"complete\",\"rounds\":[{\"trace\":\"a\\u0000b\"}]"
        "}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL, /* cut short */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct process_file p;
        struct err err = ERR_INIT;
        if (process_file_parse(&p, bad[i], strlen(bad[i]), "process-1.json", &err) !=
            STATUS_INPUT)
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(strncmp(err.text, "process-1.json: ", 16), 0);
    }
}

static void hostile_rows_leave_the_run_as_it_was(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{" HEAD "\"rounds\":[" ROUND("t.json") "],\"tail\":[[1,2]],\"replacements\":[]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "],\"tail\":[7],\"replacements\":[]}",
        "{" HEAD "\"rounds\":[" ROUND(
            "t.json") "],\"tail\":[[1,-2,0,0,0,0,0]],\"replacements\":[]}",
        "{" HEAD "\"rounds\":[" ROUND(
            "t.json") "],\"tail\":[[1,\"2\",0,0,0,0,0]],\"replacements\":[]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "],\"tail\":[],\"replacements\":[{}]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "],\"tail\":[]}",
        "{" HEAD "\"rounds\":[" ROUND("absent.json") "]," TAIL REPLACED "}",
        "{" HEAD "\"rounds\":[{\"trace\":\"t.json\",\"untraced\":[{\"step\":1}],"
        "\"traced\":[]}]," TAIL REPLACED "}",
        "{" HEAD "\"rounds\":[{\"trace\":\"t.json\",\"untraced\":[{\"number\":1,"
        "\"step\":9223372036854775807}],\"traced\":[]}]," TAIL REPLACED "}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED ",\"losses\":7}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED
                                                ",\"losses\":[[1,4.5]]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED
                                                ",\"losses\":[[-1,4.5,1]]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED
                                                ",\"losses\":[[1,\"x\",1]]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL REPLACED
                                                ",\"parameters\":[[8,\"a\"]]}",
        "{" HEAD "\"rounds\":[" ROUND(
            "t.json") "]," TAIL REPLACED
                      ",\"parameters\":[[\"a\",8]],\"movements\":[[1,0,0,1,1,1,1,1]]}",
        "{" HEAD "\"rounds\":[" ROUND(
            "t.json") "]," TAIL REPLACED
                      ",\"parameters\":[[\"a\",8]],\"movements\":[[0,3,0,1,1,1,1,1]]}",
        "{" HEAD "\"rounds\":[" ROUND(
            "t.json") "]," TAIL REPLACED
                      ",\"parameters\":[[\"a\",8]],\"movements\":[[0,0,0,1,1,1,1]]}",
        "{" HEAD "\"rounds\":[" ROUND("t.json") "]," TAIL
            REPLACED ",\"parameters\":[[\"a\",8]],\"movements\":[[0,0,0,1,1,1,1,\"x\"]]}",
    };
    put_trace();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char why[1024];
        struct run run;
        put("process-7.json", bad[i]);
        run_init(&run);
        if (read_folder(&run, why, sizeof why) != 0)
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(run.ranks.table.n, 0);
        assert_int_equal(run.timings.table.n, 0);
        assert_true(strlen(why) > 20);
        run_release(&run);
    }
}

static void one_bad_file_does_not_hide_the_others(void **state)
{
    (void)state;
    char why[1024];
    struct run run;
    put_trace();
    put("process-7.json", GOOD);
    put("process-8.json", "{");
    put("process-9.json.part", "half");
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    assert_non_null(strstr(why, "process-8.json"));
    run_release(&run);
}

static void nothing_recorded_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *state, *says;
    } cases[] = {
        {"started", "no torch.optim optimizer ever stepped"},
        {"recording", "was killed"},
        {"ended early", "ended after 4 optimizer steps"},
        {"job profiles itself", "profiler itself"},
        {"failed", "The recording failed: out of luck"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], why[1024];
        struct run run;
        snprintf(text, sizeof text,
                 "{\"gait_record\":6,\"pid\":3,\"rank\":0,\"world\":0,\"state\":\"%s\","
                 "\"steps\":4,\"rounds\":[],\"tail\":[],\"replacements\":[],"
                 "\"notes\":[\"out of luck\"]}",
                 cases[i].state);
        put("process-3.json", text);
        run_init(&run);
        assert_int_equal(read_folder(&run, why, sizeof why), 0);
        if (!strstr(why, cases[i].says))
            fail_msg("%s: %s", cases[i].state, why);
        run_release(&run);
    }
}

static void an_empty_folder_says_that_torch_was_not_seen(void **state)
{
    (void)state;
    char why[1024];
    struct run run;
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 0);
    assert_non_null(strstr(why, "No Python of the job imported torch.optim"));
    run_release(&run);
}

static void of_one_rank_the_process_that_trained_counts(void **state)
{
    (void)state;
    char why[1024];
    struct run run;
    put_trace();
    put("process-7.json", GOOD);
    put("process-1.json",
        "{\"gait_record\":6,\"pid\":1,\"state\":\"started\",\"steps\":0,"
        "\"rounds\":[]}");
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 1);
    assert_string_equal(why, "");
    run_release(&run);
}

#define ENDED_EARLY(rank)                                                                \
    "{\"gait_record\":6,\"pid\":2" rank ",\"rank\":" rank                                \
    ",\"world\":3,\"state\":\"ended early\",\"steps\":20,\"rounds\":[" ROUND(            \
        "t.json") "],\"tail\":[],\"replacements\":[],\"notes\":[]}"

static void ranks_that_ended_alike_are_said_once(void **state)
{
    (void)state;
    char why[1024];
    struct run run;
    put_trace();
    put("process-20.json", ENDED_EARLY("0"));
    put("process-21.json", ENDED_EARLY("1"));
    put("process-22.json", ENDED_EARLY("2"));
    run_init(&run);
    assert_int_equal(read_folder(&run, why, sizeof why), 3);
    assert_string_equal(why, "Ranks 0 to 2: ended early after 20 steps; 1 round was "
                             "kept, let it run longer for all.");
    run_release(&run);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_process_becomes_a_rank),
        TEST(what_was_learnt_becomes_rows),
        TEST(the_share_of_padded_steps_is_told),
        TEST(all_that_the_hook_times_is_read),
        TEST(the_round_nearest_to_untraced_steps_is_the_detail),
        TEST(all_ranks_show_the_same_round),
        TEST(hostile_files_are_refused_with_a_reason),
        TEST(hostile_rows_leave_the_run_as_it_was),
        TEST(one_bad_file_does_not_hide_the_others),
        TEST(nothing_recorded_says_why),
        TEST(an_empty_folder_says_that_torch_was_not_seen),
        TEST(of_one_rank_the_process_that_trained_counts),
        TEST(ranks_that_ended_alike_are_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Saving, loading, merging; newer and damaged files. */
#include "run_file_fixture.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>

static void saving_then_loading_gives_an_equal_run(void **state)
{
    (void)state;
    struct run a, b;
    struct err err = ERR_INIT;
    fill(&a, 1);
    run_init(&b);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    assert_int_equal(run_load(&b, path, RUN_PARTS_ALL, &err), STATUS_OK);
    if (!run_equal(&a, &b, &err))
        fail_msg("%s", err.text);
    assert_int_equal(b.notes.count[0], 2);
    assert_int_equal(b.notes.offset[0], 17);
    assert_true(isnan(b.losses.standard_error[0]));
    assert_true(run_fact(&b, 0, "ceiling.f32_flop_per_s") == 1e11);
    b.spans.dur_ns[50]++;
    assert_false(run_equal(&a, &b, &err));
    assert_string_equal(err.text, "spans.dur_ns differs in row 50");
    run_release(&a);
    run_release(&b);
}

static void aggregates_alone_come_without_spans(void **state)
{
    (void)state;
    struct run a, b;
    struct err err = ERR_INIT;
    fill(&a, 1);
    run_init(&b);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    assert_int_equal(run_load(&b, path, RUN_PARTS_AGGREGATES, &err), STATUS_OK);
    assert_int_equal(b.spans.table.n, 0);
    assert_int_equal(b.edges.table.n, 0);
    assert_int_equal(b.ops.table.n, 1);
    run_release(&a);
    run_release(&b);
}

static void merging_shifts_rows_and_interns_names(void **state)
{
    (void)state;
    struct run a, b;
    struct err err = ERR_INIT;
    fill(&a, 1);
    fill(&b, 2);
    run_merge(&a, &b);
    assert_int_equal(run_check(&a, &err), STATUS_OK);
    assert_int_equal(a.ranks.table.n, 2);
    assert_int_equal(a.lanes.rank[1], 1);
    assert_int_equal(a.spans.lane[150], 1);
    assert_int_equal(a.spans.step[101], 1);
    assert_int_equal(a.spans.step[100], -1);
    assert_int_equal(a.edges.src[1], 103);
    assert_string_equal(run_name(&a, a.spans.name[150]), "op \xff 2");
    assert_int_equal(a.facts.rank[3], -1);
    run_release(&a);
    run_release(&b);
}

static void a_person_can_query_the_views(void **state)
{
    (void)state;
    struct run a;
    struct err err = ERR_INIT;
    fill(&a, 1);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    sqlite3 *db;
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT s.kind, r.source, o.self_ms FROM spans s, "
                           "ranks r, top_ops o WHERE s.id = 2",
                           -1, &stmt, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "kernel");
    assert_string_equal((const char *)sqlite3_column_text(stmt, 1), "kineto");
    sqlite3_finalize(stmt);
    static const char *const views[] = {"ops", "times", "steps", "where_time_goes",
                                        "notes"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT * FROM %s", views[i]);
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    }
    sqlite3_close(db);
    run_release(&a);
}

static void another_format_is_refused_with_what_to_do(void **state)
{
    (void)state;
    refuses("PRAGMA user_version = 999", "use a newer gait");
    refuses("PRAGMA user_version = 1", "make it again");
}

static void files_that_lie_are_refused(void **state)
{
    (void)state;
    refuses("PRAGMA application_id = 1", "not a run of gait");
    refuses("DROP TABLE raw_spans", "damaged");
    refuses("UPDATE raw_spans SET lane = 77 WHERE id = 5", "spans.lane in row 5 is 77");
    refuses("UPDATE raw_spans SET kind = 99", "spans.kind");
    refuses("UPDATE raw_spans SET name = 1 << 40", "spans.name");
    refuses("UPDATE raw_spans SET begin_ns = 9223372036854775807", "spans.begin_ns");
    refuses("UPDATE raw_spans SET dur_ns = -1", "spans.dur_ns");
    refuses("DELETE FROM raw_spans WHERE id = 5", "damaged");
    refuses("UPDATE raw_lanes SET rank = -1", "has no rank");
    refuses("DELETE FROM raw_names", "damaged");
    refuses("ALTER TABLE raw_ops RENAME TO x; CREATE VIEW raw_ops AS SELECT * FROM x",
            "damaged");
}

/* Flip bytes of a good file: an error or a run that passes its checks, never a crash. */
static void damaged_bytes_never_crash(void **state)
{
    (void)state;
    struct run a;
    struct err err = ERR_INIT;
    fill(&a, 1);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    char *data;
    size_t len;
    assert_int_equal(file_read(&data, &len, path, 1 << 24, &err), STATUS_OK);
    srand(3);
    int refused = 0;
    for (int round = 0; round < 1500; round++) {
        char *copy = mem_alloc(len);
        memcpy(copy, data, len);
        size_t size = round % 3 ? len : (size_t)rand() % len;
        for (int k = 0; k < 1 + round % 8 && size; k++)
            copy[(size_t)rand() % size] = (char)rand();
        struct run b;
        run_init(&b);
        if (run_load_bytes(&b, copy, size, "bytes", &err) == STATUS_OK)
            assert_int_equal(run_check(&b, &err), STATUS_OK);
        else
            refused++;
        run_release(&b);
        mem_free(copy);
    }
    assert_true(refused > 500);
    mem_free(data);
    run_release(&a);
}

static void a_missing_or_unwritable_place_says_so(void **state)
{
    (void)state;
    struct run a;
    struct err err = ERR_INIT;
    fill(&a, 1);
    assert_int_equal(run_load(&a, "/nonexistent/x.gait", RUN_PARTS_ALL, &err),
                     STATUS_INPUT);
    assert_non_null(strstr(err.text, "no such file"));
    assert_int_equal(run_save(&a, "/nonexistent/x.gait", &err), STATUS_ENVIRONMENT);
    assert_int_equal(file_write(path, "hello", 5, &err), STATUS_OK);
    assert_false(run_file_looks_like(path));
    assert_int_equal(run_save(&a, path, &err), STATUS_USAGE); /* somebody's file */
    assert_non_null(strstr(err.text, "is not a run"));
    assert_int_equal(run_load(&a, path, RUN_PARTS_ALL, &err), STATUS_INPUT);
    run_release(&a);
}

/* Seeds of another format would be refused at once: fuzz_run would try nothing else. */
static void the_fuzzers_seeds_are_of_this_format(void **state)
{
    (void)state;
    static const char *const seeds[] = {"three_steps", "aggregates_only"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char name[512];
        struct run r;
        struct err err = ERR_INIT;
        run_init(&r);
        snprintf(name, sizeof name, TESTS_DIR "/fuzz/corpus/run/%s", seeds[i]);
        if (run_load(&r, name, RUN_PARTS_ALL, &err) != STATUS_OK)
            fail_msg("%s; make it anew: "
                     "tests/fuzz/make_run_seeds.py build/gait",
                     err.text);
        run_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saving_then_loading_gives_an_equal_run),
        cmocka_unit_test(aggregates_alone_come_without_spans),
        cmocka_unit_test(merging_shifts_rows_and_interns_names),
        cmocka_unit_test(a_person_can_query_the_views),
        cmocka_unit_test(another_format_is_refused_with_what_to_do),
        cmocka_unit_test(files_that_lie_are_refused),
        cmocka_unit_test(damaged_bytes_never_crash),
        cmocka_unit_test(the_fuzzers_seeds_are_of_this_format),
        cmocka_unit_test(a_missing_or_unwritable_place_says_so),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}

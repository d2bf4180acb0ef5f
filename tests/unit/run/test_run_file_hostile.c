/* Run files that somebody made to do harm, or that a disk damaged. */
#include "run_file_fixture.h"

#include "base/file.h"
#include "base/mem.h"
#include "run/run_file_guard.h"

#include <stdlib.h>

/* Save a good run, change it by SQL: it must load, and be the same. */
static void accepts(const char *sql)
{
    struct run a, b;
    struct err err = ERR_INIT;
    fill(&a, 1);
    run_init(&b);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    change_file(sql);
    if (run_load(&b, path, RUN_PARTS_ALL, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    if (!run_equal(&a, &b, &err))
        fail_msg("%s", err.text);
    run_release(&a);
    run_release(&b);
}

/* Put a table of another declaration in the place of raw_notes. */
static void refuses_notes(const char *declared)
{
    char sql[512];
    snprintf(sql, sizeof sql, "DROP TABLE raw_notes; %s", declared);
    refuses(sql, "raw_notes");
}

/* The expression would make 100 MB each time that the row is read. */
static void computed_columns_are_refused(void **state)
{
    (void)state;
    static const char *const declared[] = {
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, offset INTEGER,"
        "count INTEGER,text INTEGER AS(length(hex(zeroblob(50000000)))*0));"
        "INSERT INTO raw_notes(id, rank, offset, count) VALUES(0, 0, 0, 1)",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, offset INTEGER,"
        "count INTEGER, text INTEGER\tAS\t(0))",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, offset INTEGER,"
        "count INTEGER, text INTEGER/* */AS/* */(0)STORED)",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, offset INTEGER,"
        "count INTEGER, text INTEGER, more INTEGER AS(id))",
    };
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++)
        refuses_notes(declared[i]);
}

static void tables_of_another_shape_are_refused(void **state)
{
    (void)state;
    static const char *const declared[] = {
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, \"offset\" INTEGER,"
        "count INTEGER, text INTEGER) WITHOUT ROWID",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, \"offset\" INTEGER,"
        "count INTEGER, text INTEGER DEFAULT 0)",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, \"offset\" INTEGER,"
        "count INTEGER, text BLOB)",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, \"offset\" INTEGER,"
        "count INTEGER, text INTEGER, more INTEGER)",
        "CREATE TABLE raw_notes(id INTEGER PRIMARY KEY, rank INTEGER, \"offset\" INTEGER,"
        "count INTEGER)",
        "CREATE TABLE raw_notes(id INTEGER, rank INTEGER, \"offset\" INTEGER,"
        "count INTEGER, text INTEGER)",
        "CREATE TABLE x AS SELECT 1; CREATE VIEW raw_notes AS SELECT * FROM x",
    };
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++)
        refuses_notes(declared[i]);
}

static void values_of_another_type_are_refused(void **state)
{
    (void)state;
    refuses("UPDATE raw_spans SET seq = NULL WHERE id = 5", "raw_spans");
    refuses("UPDATE raw_spans SET seq = 'five' WHERE id = 5", "raw_spans");
    refuses("UPDATE raw_spans SET seq = 1.5 WHERE id = 5", "raw_spans");
    refuses("UPDATE raw_losses SET loss = x'00'", "raw_losses");
    refuses("UPDATE raw_names SET text = x'07' WHERE id = 1", "raw_names");
    refuses("UPDATE raw_names SET text = zeroblob(2000000) WHERE id = 1", "raw_names");
}

static void a_run_edited_by_hand_is_refused(void **state)
{
    (void)state;
    refuses("UPDATE raw_spans SET dur_ns = dur_ns + 1 WHERE id = 7",
            "checksum of its table spans");
    refuses("UPDATE raw_losses SET loss = 0.1000000000000001", "its table losses");
    refuses("UPDATE raw_names SET text = text || 'x' WHERE id = 1", "its table names");
    refuses("DELETE FROM raw_spans WHERE id = 99; DELETE FROM raw_edges",
            "checksum of its table");
    refuses("DELETE FROM raw_notes", "its table notes");
    refuses("DELETE FROM raw_checksums", "checksum");
    refuses("DELETE FROM raw_checksums WHERE id = 3", "checksum");
    refuses("DROP TABLE raw_checksums", "checksum");
    refuses("UPDATE raw_checksums SET xxh3 = zeroblob(30)", "checksum");
}

/* What does not change a value is the user's own business. */
static void a_run_may_be_vacuumed_and_indexed(void **state)
{
    (void)state;
    accepts("VACUUM");
    accepts("PRAGMA page_size = 8192; VACUUM");
    accepts("PRAGMA journal_mode = WAL");
    accepts("CREATE INDEX i ON raw_spans(id, lane, kind, name)");
    accepts("CREATE TABLE my_notes(text); CREATE VIEW mine AS SELECT * FROM spans;"
            "ANALYZE");
}

/* A table that was not loaded is not checked either: it cannot have an effect. */
static void a_part_is_checked_by_its_own_checksums(void **state)
{
    (void)state;
    struct run a, b;
    struct err err = ERR_INIT;
    fill(&a, 1);
    run_init(&b);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    change_file("UPDATE raw_spans SET dur_ns = 1");
    assert_int_equal(run_load(&b, path, RUN_PARTS_AGGREGATES, &err), STATUS_OK);
    change_file("UPDATE raw_ops SET count = 1");
    assert_int_equal(run_load(&b, path, RUN_PARTS_AGGREGATES, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "checksum of its table ops"));
    run_release(&a);
    run_release(&b);
}

/* A log of changes (x.gait-wal) planted beside a run must not become a part of it. */
static void a_log_beside_the_run_is_not_read(void **state)
{
    (void)state;
    struct run a, b;
    struct err err = ERR_INIT;
    char wal[80], *data, *log;
    size_t data_len, log_len;
    snprintf(wal, sizeof wal, "%s-wal", path);
    fill(&a, 1);
    run_init(&b);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode = WAL;"
                                  "UPDATE raw_steps SET number = 77",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(file_read(&data, &data_len, path, 1 << 24, &err), STATUS_OK);
    assert_int_equal(file_read(&log, &log_len, wal, 1 << 24, &err), STATUS_OK);
    sqlite3_close(db);
    assert_true(log_len > 4096);
    assert_int_equal(file_write(path, data, data_len, &err), STATUS_OK);
    assert_int_equal(file_write(wal, log, log_len, &err), STATUS_OK);
    if (run_load(&b, path, RUN_PARTS_ALL, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    if (!run_equal(&a, &b, &err))
        fail_msg("%s", err.text);
    unlink(wal);
    mem_free(data);
    mem_free(log);
    run_release(&a);
    run_release(&b);
}

static void odd_names_of_files_are_no_parameters(void **state)
{
    (void)state;
    static const char *const odd[] = {"?mode=rwc", "%41", "#x", " &=", "\xff\x01", "//y"};
    char folder[] = "/tmp/gait-run-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct run a;
    struct err err = ERR_INIT;
    fill(&a, 1);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char name[80];
        struct run b;
        run_init(&b);
        snprintf(name, sizeof name, "/%s/%s.gait", folder, odd[i]);
        assert_int_equal(run_save(&a, name, &err), STATUS_OK);
        if (run_load(&b, name, RUN_PARTS_ALL, &err) != STATUS_OK)
            fail_msg("%s", err.text);
        assert_true(run_equal(&a, &b, &err));
        run_release(&b);
        unlink(name);
    }
    rmdir(folder);
    run_release(&a);
}

enum { LONG_NAMES = 200, LONG_NAME_BYTES = 9090, LONGER_NAME_BYTES = 13182 };

/* A varint of SQLite's, of two or three bytes. */
static void put_varint(unsigned char *at, unsigned v, int n)
{
    for (int i = n - 1; i >= 0; i--, v >>= 7)
        at[i] = (unsigned char)((v & 0x7f) | (i < n - 1 ? 0x80 : 0));
}

/* A name of 9090 bytes has 906 of them in its row, behind a header of 5, and 4092 on each
 * of two pages that are chained. Say that it has 13182, which is a page more, and chain
 * the second page to itself. */
static void lengthen(unsigned char *file, size_t len, int i)
{
    char begin[16];
    snprintf(begin, sizeof begin, "name-%04d-", i);
    unsigned char *text = memmem(file, len, begin, strlen(begin));
    assert_non_null(text);
    unsigned char *header = text - 5, *row = header - (i + 1 < 128 ? 1 : 2) - 2;
    put_varint(row, LONGER_NAME_BYTES + 5, 2);
    put_varint(text - 3, LONGER_NAME_BYTES * 2 + 13, 3);
    unsigned char *first = header + 911;
    size_t page = (size_t)first[2] << 8 | first[3];
    unsigned char *second = file + (page - 1) * 4096;
    page = (size_t)second[2] << 8 | second[3];
    memcpy(file + (page - 1) * 4096, second, 4);
}

static void names_that_are_longer_than_the_file_are_refused(void **state)
{
    (void)state;
    struct run a, b;
    struct err err = ERR_INIT;
    char *data;
    size_t len;
    run_init(&a);
    run_init(&b);
    char *name = mem_alloc(LONG_NAME_BYTES + 1);
    memset(name, 'a', LONG_NAME_BYTES + 1);
    for (int i = 0; i < LONG_NAMES; i++) {
        name[snprintf(name, 16, "name-%04d-", i)] = 'a';
        names_add(&a.names, name, LONG_NAME_BYTES);
    }
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    assert_int_equal(file_read(&data, &len, path, 1 << 24, &err), STATUS_OK);
    for (int i = 0; i < LONG_NAMES; i++)
        lengthen((unsigned char *)data, len, i);
    assert_int_equal(run_load_bytes(&b, data, len, "bytes", &err), STATUS_INPUT);
    if (!strstr(err.text, "raw_names: row"))
        fail_msg("%s", err.text);
    mem_free(name);
    mem_free(data);
    run_release(&a);
    run_release(&b);
}

/* Each work by one of the two budgets alone. */
static void work_beyond_a_files_size_is_stopped(void **state)
{
    (void)state;
    struct run a;
    struct err err = ERR_INIT;
    fill(&a, 1);
    for (int i = 0; i < 3000; i++)
        spans_add(&a.spans, spans_get(&a.spans, 0));
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    struct run_file_guard g;
    assert_true(run_file_guard_open(&g, path, 100000));
    g.pages_max = INT64_MAX;
    assert_int_equal(run_file_guard_int(&g,
                                        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
                                        "SELECT x + 1 FROM c) SELECT count(*) FROM c",
                                        -1),
                     -1);
    assert_true(g.exceeded);
    assert_non_null(strstr(run_file_guard_why(&g), "more work"));
    run_file_guard_close(&g);
    assert_true(run_file_guard_open(&g, path, 100000));
    g.instructions_max = INT64_MAX;
    /* Its rows are on many pages, and each is looked for on another one. */
    const char *many_pages = "SELECT count(b.seq) FROM raw_spans a, raw_spans c, "
                             "raw_spans b WHERE b.id = (a.id + c.id) * 1009 % 3000";
    assert_int_equal(run_file_guard_int(&g, many_pages, -1), -1);
    assert_true(g.exceeded);
    run_file_guard_close(&g);
    run_release(&a);
}

/* Load bytes in which one bit was flipped; what went wrong, or NULL. */
static const char *flip(const struct run *good, char *data, size_t len, size_t at,
                        int bit, struct err *err)
{
    struct run b;
    const char *wrong = NULL;
    run_init(&b);
    data[at] = (char)(data[at] ^ 1 << bit);
    if (run_load_bytes(&b, data, len, "bytes", err) == STATUS_OK &&
        !run_equal(good, &b, err))
        wrong = err->text;
    data[at] = (char)(data[at] ^ 1 << bit);
    run_release(&b);
    return wrong;
}

/* A sample of the bytes that say something and of those that say nothing. */
static void a_flipped_bit_is_noticed_or_without_effect(void **state)
{
    (void)state;
    struct run a;
    struct err err = ERR_INIT;
    char *data;
    size_t len, tried = 0;
    fill(&a, 1);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    assert_int_equal(file_read(&data, &len, path, 1 << 24, &err), STATUS_OK);
    for (size_t at = 0; at < len; at++) {
        if (at % (data[at] ? 11 : 97))
            continue;
        int bit = (int)(at / 11 % 8);
        const char *wrong = flip(&a, data, len, at, bit, &err);
        if (wrong)
            fail_msg("byte %zu, bit %d: %s", at, bit, wrong);
        tried++;
    }
    assert_true(tried > 2000);
    mem_free(data);
    run_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_columns_are_refused),
        cmocka_unit_test(tables_of_another_shape_are_refused),
        cmocka_unit_test(values_of_another_type_are_refused),
        cmocka_unit_test(a_run_edited_by_hand_is_refused),
        cmocka_unit_test(a_run_may_be_vacuumed_and_indexed),
        cmocka_unit_test(a_part_is_checked_by_its_own_checksums),
        cmocka_unit_test(a_log_beside_the_run_is_not_read),
        cmocka_unit_test(odd_names_of_files_are_no_parameters),
        cmocka_unit_test(names_that_are_longer_than_the_file_are_refused),
        cmocka_unit_test(work_beyond_a_files_size_is_stopped),
        cmocka_unit_test(a_flipped_bit_is_noticed_or_without_effect),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}

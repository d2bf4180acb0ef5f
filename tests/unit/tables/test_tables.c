/* Which files an export makes and replaces. What is in them: tests/oracle/tables_agree.py. */
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "tables/job_folder.h"
#include "tables/tables.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/gait-tables-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/gait-tables-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command); /* NOLINT(cert-env33-c) */
}

/* Ranks first … first + n - 1 of a job of `world`; 0: not recorded. */
static enum status export_as(int first, int n, int world, struct tables_job job,
                             struct err *err)
{
    struct run run;
    struct tables_result result;
    run_init(&run);
    for (int i = 0; i < n; i++)
        ranks_add(&run.ranks, (struct rank){.rank = first < 0 ? -1 : first + i,
                                            .world = world,
                                            .path = names_add_z(&run.names, "x.json")});
    struct analysis *a = analysis_new(&run);
    job.analysis = a;
    job.folder = dir;
    job.name = "j";
    enum status st = tables_export(&job, &result, err);
    analysis_free(a);
    run_release(&run);
    return st;
}

static enum status export_ranks(int first, int n, int world, bool whole, struct err *err)
{
    return export_as(first, n, world, (struct tables_job){.whole = whole}, err);
}

static char *job_file(const char *table, const char *name)
{
    char *folder = job_folder_path(dir, table, "job=j"), *path = path_join(folder, name);
    mem_free(folder);
    return path;
}

/* The names in the folder of a table, sorted, a blank after each. */
static void assert_files(const char *table, const char *names)
{
    struct dirent **list;
    struct strbuf text;
    char *folder = job_folder_path(dir, table, "job=j");
    int n = scandir(folder, &list, NULL, alphasort);
    strbuf_init(&text);
    for (int i = 0; i < n; i++) {
        if (strcmp(list[i]->d_name, ".") != 0 && strcmp(list[i]->d_name, "..") != 0)
            strbuf_printf(&text, "%s ", list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    assert_string_equal(text.s, names);
    strbuf_release(&text);
    mem_free(folder);
}

static void all_ranks_are_one_file_of_each_table(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    static const char *const tables[] = {"ranks",     "steps",       "times",
                                         "operators", "collectives", "findings"};
    assert_int_equal(export_ranks(0, 3, 3, false, &err), STATUS_OK);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        assert_files(tables[i], "all.parquet ");
}

static void some_ranks_are_a_file_each(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(export_ranks(1, 2, 4, false, &err), STATUS_OK);
    assert_int_equal(export_ranks(2, 1, 4, false, &err), STATUS_OK);
    assert_files("steps", "rank-000001.parquet rank-000002.parquet ");
}

static void all_ranks_replace_some(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(export_ranks(1, 2, 4, false, &err), STATUS_OK);
    assert_int_equal(export_ranks(0, 4, 4, false, &err), STATUS_OK);
    assert_files("ranks", "all.parquet ");
}

static void some_ranks_are_refused_beside_all(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(export_ranks(0, 4, 4, false, &err), STATUS_OK);
    assert_int_equal(export_ranks(1, 2, 4, false, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "--whole"));
    assert_int_equal(export_ranks(1, 2, 4, true, &err), STATUS_OK);
    assert_files("ranks", "all.parquet ");
}

static void ranks_that_cannot_be_told_apart_are_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(export_ranks(-1, 2, 2, false, &err), STATUS_INPUT);
    assert_int_equal(export_ranks(-1, 1, 8, false, &err), STATUS_OK);
    assert_files("ranks", "all.parquet ");
}

/* Whether it is one of those that are there, nobody knows. */
static void a_rank_without_a_number_replaces_no_others(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(export_ranks(0, 3, 4, false, &err), STATUS_OK);
    assert_int_equal(export_ranks(-1, 1, 0, false, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "/ranks/job=j/rank-"));
    assert_files("ranks", "rank-000000.parquet rank-000001.parquet rank-000002.parquet ");
    assert_int_equal(export_ranks(-1, 1, 0, true, &err), STATUS_OK);
    assert_files("ranks", "all.parquet ");
    assert_int_equal(export_ranks(-1, 1, 0, false, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "/ranks/job=j/all.parquet"));
}

static void a_job_that_its_file_names_is_replaced(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct tables_job job = {.own_name = true};
    assert_int_equal(export_as(-1, 1, 0, job, &err), STATUS_OK);
    assert_int_equal(export_as(-1, 1, 0, job, &err), STATUS_OK);
    assert_files("ranks", "all.parquet ");
}

static void ranks_of_a_job_of_unknown_size_stand_side_by_side(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(export_ranks(0, 1, 0, false, &err), STATUS_OK);
    assert_int_equal(export_ranks(1, 2, 0, false, &err), STATUS_OK);
    assert_files("ranks", "rank-000000.parquet rank-000001.parquet rank-000002.parquet ");
    assert_int_equal(export_ranks(0, 3, 3, false, &err), STATUS_OK);
    assert_int_equal(export_ranks(0, 2, 0, false, &err), STATUS_INPUT);
    assert_files("ranks", "all.parquet ");
}

/* The last table's file cannot be named: its ranks stay, and in none are they there twice. */
static void no_rank_is_there_twice_where_the_last_table_fails(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *blocked = job_file("findings", "all.parquet");
    assert_int_equal(export_ranks(0, 2, 4, false, &err), STATUS_OK);
    assert_int_equal(file_make_folders(blocked, &err), STATUS_OK);
    assert_int_not_equal(export_ranks(0, 4, 4, false, &err), STATUS_OK);
    assert_files("ranks", "all.parquet ");
    assert_files("findings", "all.parquet rank-000000.parquet rank-000001.parquet ");
    mem_free(blocked);
}

/* As a crash leaves them, before and after all.parquet has its name. */
static void hidden_ranks_come_back_or_go(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *name[] = {job_file("ranks", "rank-000001.parquet"),
                    job_file("ranks", ".rank-000001.parquet.old"),
                    job_file("steps", ".rank-000001.parquet.old")};
    assert_int_equal(export_ranks(1, 1, 4, false, &err), STATUS_OK);
    assert_int_equal(rename(name[0], name[1]), 0);
    assert_int_equal(export_ranks(0, 1, 4, false, &err), STATUS_OK);
    assert_files("ranks", "rank-000000.parquet rank-000001.parquet ");
    assert_int_equal(export_ranks(0, 4, 4, false, &err), STATUS_OK);
    assert_int_equal(file_write(name[2], "x", 1, &err), STATUS_OK);
    assert_int_equal(export_ranks(1, 1, 4, false, &err), STATUS_INPUT);
    assert_files("steps", "all.parquet ");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        mem_free(name[i]);
}

static void a_file_that_cannot_be_hidden_is_named_whole(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *blocked = job_file("ranks", ".rank-000001.parquet.old");
    assert_int_equal(export_ranks(1, 1, 4, false, &err), STATUS_OK);
    assert_int_equal(file_make_folders(blocked, &err), STATUS_OK);
    assert_int_not_equal(export_ranks(0, 4, 4, false, &err), STATUS_OK);
    assert_non_null(strstr(err.text, blocked));
    assert_files("ranks", ".rank-000001.parquet.old rank-000001.parquet ");
    mem_free(blocked);
}

static void other_files_of_the_folder_stay(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *folder = job_folder_path(dir, "ranks", "job=j");
    char *mine = path_join(folder, "rank-mine.parquet");
    assert_int_equal(file_make_folders(folder, &err), STATUS_OK);
    assert_int_equal(file_write(mine, "x", 1, &err), STATUS_OK);
    assert_int_equal(export_ranks(0, 1, 1, false, &err), STATUS_OK);
    assert_files("ranks", "all.parquet rank-mine.parquet ");
    mem_free(mine);
    mem_free(folder);
}

/* Where the folder of the last table cannot be made, those before get no file. */
static void what_cannot_be_written_leaves_no_part(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *blocked = path_join(dir, "findings");
    assert_int_equal(file_write(blocked, "x", 1, &err), STATUS_OK);
    assert_int_not_equal(export_ranks(0, 1, 1, false, &err), STATUS_OK);
    assert_files("ranks", "");
    mem_free(blocked);
}

static void names_of_jobs_are_no_paths(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain-1.2_x", "job=plain-1.2_x"},
        {"../../etc", "job=..%2F..%2Fetc"},
        {"a=b c%", "job=a%3Db%20c%25"},
        {"\xc3\xa4\n", "job=%C3%A4%0A"},
        {"..", "job=.."},
    };
    struct err err = ERR_INIT;
    char *name, longest[300];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(job_folder_name(&name, pairs[i][0], &err), STATUS_OK);
        assert_string_equal(name, pairs[i][1]);
        mem_free(name);
    }
    memset(longest, 'x', sizeof longest);
    longest[252] = '\0';
    assert_int_equal(job_folder_name(&name, longest, &err), STATUS_USAGE);
    assert_int_equal(job_folder_name(&name, longest + 1, &err), STATUS_OK);
    mem_free(name);
    assert_int_equal(job_folder_name(&name, "", &err), STATUS_USAGE);
    assert_int_equal(job_folder_name(&name, "__HIVE_DEFAULT_PARTITION__", &err),
                     STATUS_USAGE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(all_ranks_are_one_file_of_each_table),
        TEST(some_ranks_are_a_file_each),
        TEST(all_ranks_replace_some),
        TEST(some_ranks_are_refused_beside_all),
        TEST(ranks_that_cannot_be_told_apart_are_refused),
        TEST(a_rank_without_a_number_replaces_no_others),
        TEST(a_job_that_its_file_names_is_replaced),
        TEST(ranks_of_a_job_of_unknown_size_stand_side_by_side),
        TEST(no_rank_is_there_twice_where_the_last_table_fails),
        TEST(hidden_ranks_come_back_or_go),
        TEST(a_file_that_cannot_be_hidden_is_named_whole),
        TEST(other_files_of_the_folder_stay),
        TEST(what_cannot_be_written_leaves_no_part),
        cmocka_unit_test(names_of_jobs_are_no_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

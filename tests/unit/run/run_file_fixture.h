/* A run with something in every table, and its file, for the tests of run files. */
#ifndef GAIT_TESTS_RUN_FILE_FIXTURE_H
#define GAIT_TESTS_RUN_FILE_FIXTURE_H

#include "cmocka_setup.h"

#include "run/run_file.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static inline int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/gait-run-%ld.gait", (long)getpid());
    return 0;
}

static inline int remove_path(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* Something in every table, with the values that are easily lost. */
static inline void fill(struct run *r, int salt)
{
    run_init(r);
    char text[32];
    snprintf(text, sizeof text, "op \xff %d", salt);
    name_id name = names_add_z(&r->names, text);
    int32_t rank = (int32_t)ranks_add(
        &r->ranks,
        (struct rank){.rank = salt, .source = RUN_SOURCE_KINETO, .path = name});
    int32_t lane = (int32_t)lanes_add(
        &r->lanes, (struct lane){.rank = rank, .device = -1, .tid = -5, .name = name});
    int32_t step = (int32_t)steps_add(
        &r->steps,
        (struct step){.rank = rank, .number = 3, .begin_ns = 10, .end_ns = 500});
    for (int i = 0; i < 100; i++)
        spans_add(&r->spans, (struct span){.lane = lane,
                                           .kind = i % SPAN_KIND_COUNT,
                                           .name = name,
                                           .begin_ns = 1700000000000000000 + i * salt,
                                           .dur_ns = i,
                                           .step = i % 2 ? step : -1,
                                           .bytes = INT64_MAX,
                                           .correlation = -i});
    edges_add(&r->edges, (struct edge){.kind = EDGE_KIND_LAUNCH, .src = 3, .dst = 99});
    collectives_add(&r->collectives, (struct collective){.rank = rank,
                                                         .step = step,
                                                         .lane = lane,
                                                         .name = name,
                                                         .bytes = 4096,
                                                         .dur_ns = 9});
    collective_sums_add(&r->collective_sums,
                        (struct collective_sum){.rank = rank, .name = name, .count = 3});
    sites_add(&r->sites, (struct site){.rank = rank, .op = name, .count = 7});
    launches_add(
        &r->launches,
        (struct launch_sum){.rank = rank, .step = step, .count = 2, .mean_queue = 1.25});
    timings_add(&r->timings, (struct timing){.rank = rank, .what = name, .dur_ns = 12});
    replacements_add(&r->replacements,
                     (struct replacement){.rank = rank, .rule = name, .now_ns = 5});
    ops_add(&r->ops,
            (struct op){.rank = rank, .name = name, .count = 100, .self_ns = 77});
    times_add(&r->times,
              (struct class_time){.rank = rank, .step = -1, .lane = lane, .ns = 1});
    phases_add(&r->phases, (struct phase_time){.rank = rank, .step = step, .ns = 5});
    memories_add(&r->memories, (struct memory){.rank = rank, .bytes = 1 << 20});
    losses_add(
        &r->losses,
        (struct loss){.rank = rank, .step = 3, .loss = 0.1, .standard_error = NAN});
    run_add_fact(r, rank, "ceiling.f32_flop_per_s", 1e11, "FLOP/s", ORIGIN_MEASURED, "");
    run_add_fact_text(r, -1, "machine.cpu", "some CPU", ORIGIN_LISTED);
    run_add_note(r, rank, 17, "event without dur");
    run_add_note(r, rank, 99, "event without dur");
}

static inline void change_file(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Save a good run, change it by SQL, load it: the message must hold `expected`. */
static inline void refuses(const char *sql, const char *expected)
{
    struct run a, b;
    struct err err = ERR_INIT;
    fill(&a, 1);
    run_init(&b);
    assert_int_equal(run_save(&a, path, &err), STATUS_OK);
    change_file(sql);
    assert_int_equal(run_load(&b, path, RUN_PARTS_ALL, &err), STATUS_INPUT);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" does not say \"%s\"", err.text, expected);
    assert_int_equal(b.ranks.table.n, 0); /* as before */
    run_release(&a);
    run_release(&b);
}

#endif

/* What several threads record, in blocks that count or do not, is one recording. */
#include "unit/reduce/reduce_fixture.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 12, BLOCK_SPANS = 40 };

static int32_t host_lane(struct reduce_shard *s, int64_t tid)
{
    char name[32];
    snprintf(name, sizeof name, "thread %d", (int)tid);
    return shard_lane(s, (struct lane){.kind = LANE_KIND_CPU,
                                       .device = -1,
                                       .pid = 1,
                                       .tid = tid,
                                       .name = shard_name(s, name, strlen(name))});
}

/* Block b of a recording that is the same whoever records it. Times repeat, so that ties
 * are common. */
static void record_block(struct reduce_shard *s, int b)
{
    unsigned dice = 77 + 13 * (unsigned)b;
    for (int i = 0; i < BLOCK_SPANS; i++) {
        char name[32];
        dice = dice * 1103515245u + 12345;
        snprintf(name, sizeof name, "op %u", dice >> 16 & 15);
        int32_t lane = (dice >> 24 & 3)
                           ? host_lane(s, 9 - (dice >> 24 & 3))
                           : shard_lane(s, (struct lane){.kind = LANE_KIND_DEVICE,
                                                         .tid = dice >> 28 & 3});
        struct span span = {.lane = lane,
                            .kind = dice >> 24 & 3 ? SPAN_KIND_RUNTIME : SPAN_KIND_KERNEL,
                            .name = shard_name(s, name, strlen(name)),
                            .begin_ns = (dice >> 8 & 255) * 10,
                            .dur_ns = (dice >> 20 & 3) * 20,
                            .correlation = dice >> 12 & 63};
        shard_add(s, &span);
    }
    shard_add_memory_change(s, (struct memory){.device = 0,
                                               .what = MEMORY_CLASS_ALLOCATED,
                                               .at_ns = 1000 - b,
                                               .bytes = b % 2 ? 100 : -30});
}

static void record(struct run *run, int shards, bool with_drops)
{
    struct err err = ERR_INIT;
    run_init(run);
    struct reducer *r = reducer_new(NULL, shards);
    for (int b = BLOCKS - 1; b >= 0; b--) {
        struct reduce_shard *s = reducer_shard(r, b * 7 % shards);
        if (with_drops) {
            record_block(s, 1000 + b);
            shard_add_mark(s, (struct step_mark){STEP_METHOD_OPTIMIZER, host_lane(s, 55),
                                                 b * 10, 5, -1});
            shard_drop_block(s);
        }
        record_block(s, b);
        assert_int_equal(shard_end_block(s, b, &err), STATUS_OK);
    }
    reduced(r, run, (struct rank){.rank = 0});
    reducer_free(r);
    assert_int_equal(run_check(run, &err), STATUS_OK);
}

static void who_recorded_what_makes_no_difference(void **state)
{
    (void)state;
    struct run one;
    record(&one, 1, false);
    assert_int_equal(one.ranks.spans_seen[0], BLOCKS * BLOCK_SPANS);
    for (int shards = 1; shards <= 5; shards++)
        for (int drops = 0; drops < 2; drops++) {
            struct run other;
            struct err why = ERR_INIT;
            record(&other, shards, drops);
            if (!run_equal(&one, &other, &why))
                fail_msg("%d shards: %s", shards, why.text);
            assert_int_equal(one.names.n,
                             other.names.n); /* dropped names are not there */
            run_release(&other);
        }
    run_release(&one);
}

static void lanes_stand_in_one_order_and_have_spans(void **state)
{
    (void)state;
    struct run run;
    record(&run, 3, true);
    for (size_t i = 0; i < run.lanes.table.n; i++) {
        assert_true(run.lanes.tid[i] != 55);
        if (i && run.lanes.kind[i] == run.lanes.kind[i - 1])
            assert_true(run.lanes.tid[i] > run.lanes.tid[i - 1]);
    }
    assert_string_equal(run_name(&run, run.lanes.name[0]), "thread 6");
    run_release(&run);
}

static void changes_of_memory_are_summed_in_the_order_of_time(void **state)
{
    (void)state;
    struct run run;
    record(&run, 2, false);
    const struct memories *m = &run.memories;
    assert_int_equal(m->table.n, BLOCKS);
    int64_t held = 0;
    for (int i = 0; i < BLOCKS; i++) {
        int b = BLOCKS - 1 - i; /* the last block's is the earliest */
        held += b % 2 ? 100 : -30;
        assert_int_equal(m->at_ns[i], 1000 - b);
        assert_int_equal(m->bytes[i], held);
    }
    run_release(&run);
}

static void steps_asked_for_are_kept_before_others(void **state)
{
    (void)state;
    static const int64_t asked[] = {107, 999};
    struct fixture f;
    run_init(&f.run);
    struct reduce_options o = {.keep_spans = 25, .keep_steps = asked, .n_keep_steps = 2};
    f.reducer = reducer_new(&o, 1);
    f.shard = reducer_shard(f.reducer, 0);
    f.cpu = host_lane(f.shard, 1);
    for (int step = 0; step < 10; step++) {
        struct span s = {.lane = f.cpu,
                         .kind = SPAN_KIND_STEP,
                         .begin_ns = step * 1000,
                         .dur_ns = 500 + step,
                         .seq = 100 + step};
        shard_add(f.shard, &s);
        for (int i = 0; i < 9; i++)
            add(&f, f.cpu, SPAN_KIND_OP, "op", step * 1000 + i, step * 1000 + i + 1);
    }
    finish(&f);
    assert_int_equal(f.run.steps.kept[7], 1); /* asked for */
    assert_int_equal(f.run.steps.kept[4], 1); /* the typical one */
    assert_int_equal(f.run.steps.kept[9], 0); /* the slowest: two fit */
    assert_int_equal(f.run.spans.table.n, 20);
    run_release(&f.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_recorded_what_makes_no_difference),
        cmocka_unit_test(lanes_stand_in_one_order_and_have_spans),
        cmocka_unit_test(changes_of_memory_are_summed_in_the_order_of_time),
        cmocka_unit_test(steps_asked_for_are_kept_before_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Collectives one by one and in sums: figures worked out by hand. */
#include "unit/reduce/reduce_fixture.h"

#include "run/collective_facts.h"

static struct collective_facts facts_of(const char *operation, const char *dtype,
                                        int64_t elements)
{
    return (struct collective_facts){.operation = {operation, strlen(operation)},
                                     .group = {"dp group", 8},
                                     .dtype = {dtype, strlen(dtype)},
                                     .elements_in = elements,
                                     .elements_out = 2 * elements,
                                     .ranks = 8,
                                     .numbered = true};
}

static void add_collective(struct fixture *f, int32_t lane, const char *operation,
                           int64_t begin_ns, int64_t end_ns, int64_t seq)
{
    char text[COLLECTIVE_TEXT_MAX];
    struct collective_facts facts = facts_of(operation, "BFloat16", 100);
    size_t len = collective_facts_text(text, &facts);
    struct span s = {.lane = lane,
                     .kind = SPAN_KIND_COLLECTIVE,
                     .name = shard_name(f->shard, "ncclKernel", 10),
                     .shapes = shard_name(f->shard, text, len),
                     .begin_ns = begin_ns,
                     .dur_ns = end_ns - begin_ns,
                     .seq = seq};
    shard_add(f->shard, &s);
}

static void what_is_written_of_a_collective_is_read_back(void **state)
{
    (void)state;
    char text[COLLECTIVE_TEXT_MAX];
    struct collective_facts f = facts_of("allgather", "BFloat16", 4096), g;
    size_t len = collective_facts_text(text, &f);
    assert_string_equal(
        text, "allgather BFloat16 in=4096 out=8192 ranks=8 group=dp_group numbered");
    assert_true(collective_facts_parse(&g, text, len));
    assert_int_equal(g.elements_out, 8192);
    assert_int_equal(g.group.len, 8);
    assert_true(g.numbered);
    assert_int_equal(collective_facts_bytes(&g), 16384);
    f = (struct collective_facts){0};
    len = collective_facts_text(text, &f);
    assert_true(collective_facts_parse(&g, text, len));
    assert_int_equal(g.operation.len, 0);
    assert_int_equal(collective_facts_bytes(&g), 0);
    assert_false(collective_facts_parse(&g, "[[2,3],[3]]", 11));
}

static void what_kernels_do_not_cover_is_exposed(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    int32_t second = shard_lane(
        f.shard, (struct lane){.kind = LANE_KIND_DEVICE, .device = 0, .tid = 8});
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#3", 0, 1000);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 0, 150);
    add_collective(&f, second, "allreduce", 100, 300, 41);
    add_collective(&f, f.gpu, "allgather", 110, 160, 42); /* ends earlier */
    add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 200, 220);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 290, 400);
    add_collective(&f, second, "allreduce", 500, 510, 43);
    add(&f, second, SPAN_KIND_COLLECTIVE, "deep_ep::dispatch", 1200, 1300);
    finish(&f);
    const struct collectives *c = &f.run.collectives;
    assert_int_equal(c->table.n, 4);
    assert_string_equal(run_name(&f.run, c->name[0]), "allreduce");
    assert_string_equal(run_name(&f.run, c->group_name[0]), "dp_group");
    assert_string_equal(run_name(&f.run, c->dtype[0]), "BFloat16");
    assert_int_equal(c->exposed_ns[0], 200 - 50 - 20 - 10);
    assert_int_equal(c->seq[0], 41);
    assert_int_equal(c->group_size[0], 8);
    assert_int_equal(c->elements_in[0], 100);
    assert_int_equal(c->bytes[0], 400);
    assert_int_equal(c->step[0], 0);
    assert_int_equal(c->exposed_ns[1], 10);
    assert_int_equal(c->exposed_ns[2], 10);
    assert_string_equal(run_name(&f.run, c->name[3]), "deep_ep::dispatch");
    assert_int_equal(c->seq[3], -1);
    assert_int_equal(c->step[3], -1);
    const struct collective_sums *s = &f.run.collective_sums;
    assert_int_equal(s->table.n, 3);
    assert_int_equal(s->count[0], 2);
    assert_int_equal(s->bytes[0], 800);
    assert_int_equal(s->total_ns[0], 210);
    assert_int_equal(s->exposed_ns[0], 130);
    assert_int_equal(s->min_ns[0], 10);
    run_release(&f.run);
}

static void the_first_ones_of_each_step_are_rows_and_all_are_summed(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 1);
    for (int step = 0; step < 3; step++) {
        int64_t t = step * 100000;
        add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#3", t, t + 100000);
        for (int i = 0; i < 5000; i++)
            add_collective(&f, f.gpu, "allreduce", t + 10 * i, t + 10 * i + 5, i);
    }
    finish(&f);
    const struct collectives *c = &f.run.collectives;
    assert_int_equal(c->table.n, 3 * (4096 / 4));
    for (size_t i = 0; i < c->table.n; i++)
        assert_int_equal(c->seq[i], i % 1024);
    assert_int_equal(f.run.collective_sums.count[0], 15000);
    assert_int_equal(f.run.collective_sums.exposed_ns[0], 75000);
    run_release(&f.run);
}

static void beside_the_main_thread_its_operators_hide_a_collective(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    int32_t gloo = shard_lane(
        f.shard, (struct lane){.kind = LANE_KIND_CPU, .device = -1, .pid = 1, .tid = 2});
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#3", 0, 1000);
    add(&f, f.cpu, SPAN_KIND_OP, "aten::mm", 50, 160);
    add(&f, gloo, SPAN_KIND_COLLECTIVE, "gloo:all_reduce", 100, 300);
    add(&f, f.cpu, SPAN_KIND_OP, "aten::mm", 200, 220);
    add(&f, f.cpu, SPAN_KIND_COLLECTIVE, "allreduce", 500, 600); /* by itself */
    finish(&f);
    const struct collectives *c = &f.run.collectives;
    assert_int_equal(c->table.n, 2);
    assert_string_equal(run_name(&f.run, c->name[0]), "gloo:all_reduce");
    assert_int_equal(c->step[0], 0);
    assert_int_equal(c->exposed_ns[0], 120);
    assert_int_equal(c->exposed_ns[1], 100);
    assert_int_equal(f.run.collective_sums.table.n, 2);
    run_release(&f.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_of_a_collective_is_read_back),
        cmocka_unit_test(what_kernels_do_not_cover_is_exposed),
        cmocka_unit_test(beside_the_main_thread_its_operators_hide_a_collective),
        cmocka_unit_test(the_first_ones_of_each_step_are_rows_and_all_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

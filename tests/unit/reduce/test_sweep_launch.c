/* Launches and the work that answers them: figures worked out by hand. */
#include "unit/reduce/reduce_fixture.h"

#include "reduce/recent_index.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct launch_sum find_launches(const struct run *r, int32_t step)
{
    for (size_t i = 0; i < r->launches.table.n; i++)
        if (r->launches.step[i] == step)
            return launches_get(&r->launches, i);
    fail_msg("no launches of step %d", step);
    return (struct launch_sum){0};
}

static bool close_to(double a, double b)
{
    return a >= b * 15 / 16 && a <= b * 17 / 16;
}

static void the_queue_is_what_was_launched_and_has_not_begun(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 1000);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#2", 1000, 2000);
    for (int i = 0; i < 3; i++)
        add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 100 * i, 100 * i + 9, i + 1);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "cudaMalloc", 300, 310, 77); /* no work */
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 250, 400, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 400, 900, 2);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 1200, 1300, 3);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "a graph's second", 1300, 1310, 3);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 1500, 1510, 4);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 1600, 1700, 4);
    finish(&f);
    struct launch_sum whole = find_launches(&f.run, -1);
    struct launch_sum first = find_launches(&f.run, 0), second = find_launches(&f.run, 1);
    /* Delays: 250, 300, 1000 of the first step's launches, 100 of the second's. */
    assert_int_equal(whole.count, 4);
    assert_int_equal(whole.mean_delay_ns, 1650 / 4);
    assert_int_equal(first.count, 3);
    assert_int_equal(first.mean_delay_ns, 1550 / 3);
    assert_true(close_to((double)first.median_delay_ns, 300));
    assert_true(close_to((double)first.p90_delay_ns, 1000));
    assert_int_equal(second.count, 1);
    assert_true(close_to((double)second.median_delay_ns, 100));
    /* In the queue: 0 to 250, 100 to 400, 200 to 1200, 1500 to 1600. */
    assert_int_equal(whole.peak_queue, 3);
    assert_int_equal(first.peak_queue, 3);
    assert_int_equal(second.peak_queue, 1);
    assert_true(fabs(whole.mean_queue - 1650.0 / 1600) < 1e-9);
    assert_true(fabs(first.mean_queue - (250 + 300 + 800) / 1000.0) < 1e-9);
    assert_true(fabs(second.mean_queue - (200 + 100) / 1000.0) < 1e-9);
    run_release(&f.run);
}

/* Work belongs to the step that asked for it, however late it runs. */
static void a_step_knows_when_the_device_did_its_work(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 1000);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#2", 1000, 2000);
    for (int i = 0; i < 3; i++)
        add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 100 * i, 100 * i + 9, i + 1);
    add_numbered(&f, f.gpu, SPAN_KIND_COPY, "ahead of it", 110, 150, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 500, 900, 2);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 1200, 1500, 3);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "a graph's second", 1500, 1510, 3);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "nobody's", 1600, 1650, 99);
    finish(&f);
    const struct steps *s = &f.run.steps;
    assert_int_equal(s->device_begin_ns[0], 500); /* kernels alone */
    assert_int_equal(s->device_end_ns[0], 1510);
    assert_int_equal(s->device_ns[0], 40 + 400 + 300 + 10);
    assert_int_equal(s->device_spans[0], 4);
    assert_int_equal(s->device_begin_ns[1], s->device_end_ns[1]); /* it asked for none */
    assert_int_equal(s->device_ns[1], 0);
    assert_int_equal(s->device_spans[1], 1); /* that began in it, asked for by nobody */
    assert_int_equal(f.run.ranks.unlaunched_ns[0], 50);
    run_release(&f.run);
}

static void device_time_goes_to_the_operator_that_launched_it(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_OP, "aten::linear", 0, 100);
    add(&f, f.cpu, SPAN_KIND_OP, "aten::addmm", 10, 90);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "cudaLaunchKernel", 20, 30, 1);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "cuLaunchKernel", 21, 29, 1); /* inside */
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "cudaLaunchKernel", 95, 99, 2);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "cudaLaunchKernel", 150, 160, 3);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "gemm", 200, 1200, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "bias", 1200, 1300, 2);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "triton", 1300, 1310, 3);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "nobody's", 1310, 1400, 4);
    finish(&f);
    assert_int_equal(find_op(&f.run, "aten::addmm").device_ns, 1000);
    assert_int_equal(find_op(&f.run, "aten::linear").device_ns, 100);
    /* Where no operator is open, the call itself has it. */
    assert_int_equal(find_op(&f.run, "cudaLaunchKernel").device_ns, 10);
    assert_int_equal(find_op(&f.run, "cuLaunchKernel").device_ns, 0);
    assert_int_equal(f.run.sites.table.n, 0); /* there are no Python frames */
    run_release(&f.run);
}

static struct site find_site(const struct run *r, const char *op, const char *line)
{
    for (size_t i = 0; i < r->sites.table.n; i++)
        if (!strcmp(run_name(r, r->sites.op[i]), op) &&
            !strcmp(run_name(r, r->sites.line[i]), line))
            return sites_get(&r->sites, i);
    fail_msg("no site of %s in %s", op, line);
    return (struct site){0};
}

static void a_site_is_the_users_line_and_module_around_an_operator(void **state)
{
    (void)state;
    static const char attention[] = "model.py(20): forward",
                      other[] = "model.py(35): mlp";
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_PYTHON, "train.py(5): main", 0, 1000);
    for (int i = 0; i < 2; i++) {
        int64_t t = 100 + 200 * i;
        add(&f, f.cpu, SPAN_KIND_PYTHON, "nn.Module: Attention_0", t, t + 90);
        add(&f, f.cpu, SPAN_KIND_PYTHON, attention, t + 5, t + 85);
        add(&f, f.cpu, SPAN_KIND_PYTHON, "torch/nn/functional.py(9): f", t + 10, t + 80);
        add(&f, f.cpu, SPAN_KIND_PYTHON, "<built-in function linear>", t + 11, t + 79);
        add(&f, f.cpu, SPAN_KIND_OP, "aten::mm", t + 20, t + 70);
        add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", t + 30, t + 40, i + 1);
        add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", t + 45, t + 145, i + 1);
    }
    add(&f, f.cpu, SPAN_KIND_PYTHON, other, 600, 700);
    add(&f, f.cpu, SPAN_KIND_OP, "aten::mm", 610, 620);
    add(&f, f.cpu, SPAN_KIND_OP, "aten::add", 1500, 1600); /* no frame around it */
    finish(&f);
    struct site s = find_site(&f.run, "aten::mm", attention);
    assert_string_equal(run_name(&f.run, s.module), "nn.Module: Attention_0");
    assert_int_equal(s.count, 2);
    assert_int_equal(s.self_ns, 2 * (50 - 10));
    assert_int_equal(s.device_ns, 200);
    s = find_site(&f.run, "aten::mm", other);
    assert_string_equal(run_name(&f.run, s.module), "");
    assert_int_equal(s.count, 1);
    assert_int_equal(s.self_ns, 10);
    assert_int_equal(s.device_ns, 0);
    assert_int_equal(find_site(&f.run, "aten::add", "").self_ns, 100);
    assert_int_equal(f.run.sites.table.n, 3);
    run_release(&f.run);
}

static void too_many_sites_are_summed_as_other(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 1);
    for (int i = 0; i < 20100; i++) {
        char line[64];
        snprintf(line, sizeof line, "train.py(%d): main", i);
        add(&f, f.cpu, SPAN_KIND_PYTHON, line, 100 * i, 100 * i + 50);
        add(&f, f.cpu, SPAN_KIND_OP, "op", 100 * i + 10, 100 * i + 20);
    }
    finish(&f);
    assert_int_equal(f.run.sites.table.n, 20001);
    struct site rest = find_site(&f.run, "(other)", "");
    assert_int_equal(rest.count, 100);
    assert_int_equal(rest.self_ns, 1000);
    run_release(&f.run);
}

static void the_latest_of_a_number_is_found_and_the_oldest_forgotten(void **state)
{
    (void)state;
    enum { MAX = 4096, N = 3 * MAX };
    struct recent_index x;
    int64_t last[500];
    srand(5);
    recent_init(&x, MAX);
    for (int i = 0; i < 500; i++)
        last[i] = -1;
    for (int64_t i = 0; i < N; i++) {
        int64_t key = rand() % 500;
        int64_t want = last[key] >= 0 && i - last[key] <= MAX ? last[key] : -1;
        assert_int_equal(recent_find(&x, key * 7919), want);
        assert_int_equal(recent_add(&x, key * 7919), i);
        last[key] = i;
    }
    recent_release(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_is_what_was_launched_and_has_not_begun),
        cmocka_unit_test(a_step_knows_when_the_device_did_its_work),
        cmocka_unit_test(device_time_goes_to_the_operator_that_launched_it),
        cmocka_unit_test(a_site_is_the_users_line_and_module_around_an_operator),
        cmocka_unit_test(too_many_sites_are_summed_as_other),
        cmocka_unit_test(the_latest_of_a_number_is_found_and_the_oldest_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

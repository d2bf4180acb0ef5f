/* A run by hand whose utilisation is known. */
#include "cmocka_setup.h"
#include "work_fixture.h"

#include "analyze/efficiency.h"

#include <math.h>
#include <string.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

struct made {
    struct run run;
    struct analysis *a;
};

/* Two steps of 10 ms on a device; 2 TFLOP of bf16 products took 5 ms in all. */
static void make_run(struct made *m, const char *device)
{
    struct run *r = &m->run;
    work_run_init(r, device, 25000000);
    for (int i = 0; i < 2; i++)
        steps_add(&r->steps, (struct step){.rank = 0,
                                           .begin_ns = i * INT64_C(10000000),
                                           .end_ns = (i + 1) * INT64_C(10000000),
                                           .flop = INT64_C(1010000000000)});
    add_op(r, SPAN_KIND_OP, "aten::mm",
           (struct op){.count = 4,
                       .total_ns = 100,
                       .device_ns = 5000000,
                       .flop = INT64_C(2000000000000),
                       .bytes = INT64_C(10000000000)});
    add_op(r, SPAN_KIND_OP, "aten::gelu",
           (struct op){.count = 2,
                       .total_ns = 100,
                       .device_ns = 1000000,
                       .flop = INT64_C(20000000000),
                       .bytes = INT64_C(20000000000)});
    add_op(r, SPAN_KIND_OP, "aten::_flash_attention_forward", (struct op){.count = 3});
    add_op(r, SPAN_KIND_KERNEL, "ampere_bf16_s16816gemm_bf16_128x64",
           (struct op){.count = 4, .self_ns = 3000000});
    add_op(r, SPAN_KIND_KERNEL, "ampere_sgemm_128x64_nn",
           (struct op){.count = 4, .self_ns = 1000000});
    add_op(r, SPAN_KIND_COPY, "Memcpy HtoD (Pageable -> Device)",
           (struct op){.count = 2, .self_ns = 1000000, .bytes = 6000000});
    run_add_fact(r, 0, "work.flop.bf16", 2e12, "FLOP", ORIGIN_MODELLED, "");
    run_add_fact(r, 0, "work.calls", 4, "calls", ORIGIN_MEASURED, "");
    m->a = analysis_new(r);
}

static void made_release(struct made *m)
{
    analysis_free(m->a);
    run_release(&m->run);
}

static void utilisation_is_counted_work_over_what_the_steps_could_hold(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "NVIDIA A100-SXM4-80GB");
    efficiency_of(&e, m.a, 0, NULL);
    assert_near(e.flop, 2e12, 1);
    /* 2 TFLOP in 5 ms */
    assert_near(e.flop_per_s, 400e12, 1e6);
    assert_near(e.window_flop, 2e12, 1);
    /* 2 TFLOP in 20 ms of 312 TFLOP/s */
    assert_near(e.hardware_frac, 2.0 / (0.02 * 312), 1e-9);
    assert_int_equal(e.ceiling.precision, PRECISION_BF16);
    assert_int_equal(e.ceiling.flop_origin, ORIGIN_LISTED);
    assert_true(isnan(e.model_frac));
    assert_true(e.no_model_frac[0]);
    made_release(&m);
}

static void dots_are_bound_by_memory_or_compute(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "NVIDIA A100-SXM4-80GB");
    efficiency_of(&e, m.a, 0, NULL);
    assert_int_equal(e.dots, 2);
    /* the ridge is at 312e12 / 2039e9 = 153 */
    assert_near(e.dot[0].flop_per_byte, 200, 1e-9);
    assert_int_equal(e.dot[0].bound, ROOFLINE_COMPUTE);
    assert_near(e.dot[1].flop_per_byte, 1, 1e-9);
    assert_near(e.dot[1].flop_per_s, 20e12, 1);
    assert_int_equal(e.dot[1].bound, ROOFLINE_MEMORY);
    made_release(&m);
}

static void names_give_units_attention_and_copies(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "NVIDIA A100-SXM4-80GB");
    efficiency_of(&e, m.a, 0, NULL);
    assert_near(e.matrix_units_frac, 0.75, 1e-9);
    assert_int_equal(e.attention[ATTENTION_KIND_FLASH].op_calls, 3);
    assert_int_equal(e.attention[ATTENTION_KIND_PLAIN].op_calls, 0);
    assert_int_equal(e.copy[COPY_KIND_PAGEABLE_TO_DEVICE].bytes, 6000000);
    assert_int_equal(e.copy[COPY_KIND_PAGEABLE_TO_DEVICE].count, 2);
    made_release(&m);
}

static void an_unknown_device_gives_no_utilisation(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "");
    efficiency_of(&e, m.a, 0, NULL);
    assert_true(isnan(e.hardware_frac));
    assert_non_null(strstr(e.no_hardware_frac, "not listed"));
    assert_near(e.flop_per_s, 400e12, 1e6);
    assert_int_equal(e.dot[0].bound, ROOFLINE_UNKNOWN);
    struct given_peak given = {.flop_per_s = 1e15, .bytes_per_s = 1e12};
    efficiency_of(&e, m.a, 0, &given);
    assert_near(e.hardware_frac, 2.0 / (0.02 * 1000), 1e-9);
    assert_int_equal(e.ceiling.flop_origin, ORIGIN_GIVEN);
    assert_int_equal(e.dot[0].bound, ROOFLINE_MEMORY); /* 200 < 1000 */
    made_release(&m);
}

static void a_type_without_a_listed_peak_gives_none_either(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "Tesla V100-SXM2-32GB"); /* has no units for bf16 */
    efficiency_of(&e, m.a, 0, NULL);
    assert_true(isnan(e.hardware_frac));
    assert_non_null(strstr(e.no_hardware_frac, "not listed for a type"));
    made_release(&m);
}

static void an_empty_run_says_why(void **state)
{
    (void)state;
    struct run r;
    struct efficiency e;
    run_init(&r);
    ranks_add(&r.ranks, (struct rank){.rank = 0});
    run_add_fact(&r, 0, "work.unknown_calls", 7, "calls", ORIGIN_MEASURED, "");
    struct analysis *a = analysis_new(&r);
    efficiency_of(&e, a, 0, NULL);
    assert_true(isnan(e.flop_per_s) && isnan(e.hardware_frac));
    assert_true(isnan(e.matrix_units_frac));
    assert_non_null(strstr(e.no_rate, "record_shapes"));
    assert_non_null(strstr(e.no_hardware_frac, "record_shapes"));
    assert_int_equal(e.dots, 0);
    analysis_free(a);
    run_release(&r);
}

/* A product that took 100 ns of the host, and no times of a device. */
static void make_host_run(struct made *m, const char *device, bool calls_runtime)
{
    struct run *r = &m->run;
    run_init(r);
    ranks_add(&r->ranks, (struct rank){.device = names_add_z(&r->names, device),
                                       .source = RUN_SOURCE_KINETO});
    add_op(r, SPAN_KIND_OP, "aten::mm",
           (struct op){.count = 1, .total_ns = 100, .flop = 1000, .bytes = 10});
    if (calls_runtime) {
        add_op(r, SPAN_KIND_RUNTIME, "cudaLaunchKernel", (struct op){.count = 1});
        r->ops.place[1] = LANE_KIND_CPU;
    }
    run_add_fact(r, 0, "work.calls", 1, "calls", ORIGIN_MEASURED, "");
    m->a = analysis_new(r);
}

static void host_time_is_no_time_of_a_device(void **state)
{
    (void)state;
    static const struct {
        const char *device;
        bool calls_runtime, used;
    } cases[] = {{"", false, false}, {"", true, true}, {"Tesla T4", false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        struct efficiency e;
        make_host_run(&m, cases[i].device, cases[i].calls_runtime);
        assert_int_equal(m.a->ranks[0].used_device, cases[i].used);
        efficiency_of(&e, m.a, 0, NULL);
        assert_int_equal(isnan(e.flop_per_s), cases[i].used);
        assert_int_equal(e.dots, !cases[i].used);
        if (cases[i].used)
            assert_non_null(strstr(e.no_rate, "not recorded"));
        else
            assert_near(e.flop_per_s, 1e10, 1);
        made_release(&m);
    }
}

/* They are counted when nothing of them runs, and not when the graph runs. */
static void captured_operators_have_no_rate(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "NVIDIA A100-SXM4-80GB");
    efficiency_of(&e, m.a, 0, NULL);
    assert_true(isfinite(e.flop_per_s) && e.dots);
    analysis_free(m.a);
    add_op(&m.run, SPAN_KIND_RUNTIME, "cudaStreamBeginCapture", (struct op){.count = 1});
    m.a = analysis_new(&m.run);
    efficiency_of(&e, m.a, 0, NULL);
    assert_true(isnan(e.flop_per_s) && isnan(e.hardware_frac));
    assert_non_null(strstr(e.no_rate, "captured"));
    assert_int_equal(e.dots, 0);
    made_release(&m);
}

/* make_run() counts 5 ms; its product kernels last 4 ms. */
static void assert_coverage(const char *other, enum span_kind kind, struct op o,
                            double frac, bool known, bool is_least)
{
    struct made m;
    struct efficiency e;
    make_run(&m, "NVIDIA A100-SXM4-80GB");
    analysis_free(m.a);
    add_op(&m.run, kind, other, o);
    m.a = analysis_new(&m.run);
    efficiency_of(&e, m.a, 0, NULL);
    assert_near(e.coverage_frac, frac, 1e-9);
    assert_int_equal(isfinite(e.hardware_frac), known);
    assert_int_equal(e.hardware_is_least, is_least);
    assert_near(e.flop_per_s, 400e12, 1e6); /* of the counted ones, whatever else ran */
    if (!known)
        assert_non_null(strstr(e.no_hardware_frac, "% of the matmul time"));
    made_release(&m);
}

static void utilisation_needs_most_of_the_work(void **state)
{
    (void)state;
    const struct op k6 = {.self_ns = 6000000}, k2 = {.self_ns = 2000000};
    const struct op k12 = {.self_ns = 1200000};
    assert_coverage("x_sgemm", SPAN_KIND_KERNEL, k6, 5 / 10.0, true, true);
    assert_coverage("x_sgemm", SPAN_KIND_KERNEL, k2, 5 / 6.0, true, true);
    assert_coverage("x_sgemm", SPAN_KIND_KERNEL, k12, 5 / 5.2, true, false);
    assert_coverage("elementwise", SPAN_KIND_KERNEL, k6, 1, true, false);
    /* an operator without shapes, whether or not its kernels are recognised */
    const struct op conv = {.count = 1, .device_ns = 15000000};
    assert_coverage("aten::cudnn_convolution", SPAN_KIND_OP, conv, 0.25, false, false);
    const struct op k16 = {.self_ns = 16000000};
    assert_coverage("x_sgemm", SPAN_KIND_KERNEL, k16, 0.25, false, false);
}

static void an_operator_with_calls_of_both_kinds_gives_bounds(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, "NVIDIA A100-SXM4-80GB");
    run_add_fact(&m.run, 0, "work.unknown_calls", 4, "calls", ORIGIN_MEASURED, "");
    efficiency_of(&e, m.a, 0, NULL); /* 3 of them are of attention */
    assert_true(e.rate_is_least && e.hardware_is_least);
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utilisation_is_counted_work_over_what_the_steps_could_hold),
        cmocka_unit_test(dots_are_bound_by_memory_or_compute),
        cmocka_unit_test(names_give_units_attention_and_copies),
        cmocka_unit_test(an_unknown_device_gives_no_utilisation),
        cmocka_unit_test(a_type_without_a_listed_peak_gives_none_either),
        cmocka_unit_test(an_empty_run_says_why),
        cmocka_unit_test(utilisation_needs_most_of_the_work),
        cmocka_unit_test(an_operator_with_calls_of_both_kinds_gives_bounds),
        cmocka_unit_test(host_time_is_no_time_of_a_device),
        cmocka_unit_test(captured_operators_have_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

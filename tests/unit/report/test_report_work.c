/* The section on work, from a run by hand. */
#include "cmocka_setup.h"
#include "work_fixture.h"

#include "report/report.h"

#include <string.h>

/* One step of 10 ms; 1.56 TFLOP of bf16 products in 8 ms. */
static void make_run(struct run *r, const char *device)
{
    work_run_init(r, device, 10000000);
    steps_add(&r->steps,
              (struct step){.rank = 0, .end_ns = 10000000, .flop = 1560000000000});
    add_op(r, SPAN_KIND_OP, "aten::mm",
           (struct op){.count = 4,
                       .total_ns = 100,
                       .device_ns = 8000000,
                       .flop = 1560000000000,
                       .bytes = 1560000000});
    add_op(r, SPAN_KIND_KERNEL, "ampere_bf16_s16816gemm_bf16_128x64",
           (struct op){.count = 4, .self_ns = 8000000});
    add_op(r, SPAN_KIND_COPY, "Memcpy HtoD (Pageable -> Device)",
           (struct op){.count = 2, .self_ns = 1000000, .bytes = 6000000});
    run_add_fact(r, 0, "work.flop.bf16", 1.56e12, "FLOP", ORIGIN_MODELLED, "");
    run_add_fact(r, 0, "work.calls", 4, "calls", ORIGIN_MEASURED, "");
}

static void assert_report(enum report_format format, const char *device,
                          const struct given_peak *peak, const char *const *words,
                          size_t n)
{
    struct run run;
    make_run(&run, device);
    struct analysis *a = analysis_new(&run);
    struct report_options o = {0};
    if (peak)
        o.peak = *peak;
    struct strbuf out;
    strbuf_init(&out);
    report_render(&out, a, format, &o);
    for (size_t i = 0; i < n; i++)
        if (!strstr(out.s, words[i]))
            fail_msg("no \"%s\" in\n%s", words[i], out.s);
    strbuf_release(&out);
    analysis_free(a);
    run_release(&run);
}
#define ASSERT_REPORT(format, device, peak, ...)                                         \
    do {                                                                                 \
        static const char *const words_[] = {__VA_ARGS__};                               \
        assert_report(format, device, peak, words_, sizeof words_ / sizeof *words_);     \
    } while (0)

#define A100 "NVIDIA A100-SXM4-80GB"

static void the_screen_says_it_in_a_sentence(void **state)
{
    (void)state;
    ASSERT_REPORT(REPORT_TERMINAL, A100, NULL,
                  "Work:  MFU 50.0 % of 312.0 TFLOP/s bf16 (listed)", "195.0 TFLOP/s",
                  "Cores in 100 % of matmul");
    ASSERT_REPORT(REPORT_TERMINAL, "", NULL, "MFU N/A: the device is not listed");
    const struct given_peak peak = {.flop_per_s = 156e12};
    ASSERT_REPORT(REPORT_TERMINAL, "", &peak, "MFU 100.0 % of 156.0 TFLOP/s (given)");
    const struct given_peak huge = {.flop_per_s = 1e18};
    ASSERT_REPORT(REPORT_TERMINAL, "", &huge, "MFU less than 0.1 % of ",
                  "matmuls ran at");
}

static void a_document_has_evidence_and_tables(void **state)
{
    (void)state;
    ASSERT_REPORT(REPORT_MARKDOWN, A100, NULL, "1.560 TFLOP in 4 calls, counted from",
                  "NVIDIA A100 Tensor Core GPU data sheet",
                  "| aten::mm | 4 | 8.000 | 1,000.00 | 195.000 | compute |",
                  "| host to device, pageable | 2 | 6.000 | 1.000 | 6.00 |",
                  "MFU, model (6 · parameters · tokens): N/A: ");
}

static void the_page_draws_the_roofline(void **state)
{
    (void)state;
    ASSERT_REPORT(REPORT_HTML, A100, NULL, "<circle class=\"t-compute\"",
                  "312.0 TFLOP/s (listed)", "<title>aten::mm: 195.0 TFLOP/s");
    ASSERT_REPORT(REPORT_HTML, "", NULL, "<circle class=\"t-other\"");
}

static void json_has_the_figures(void **state)
{
    (void)state;
    ASSERT_REPORT(REPORT_JSON, A100, NULL, "\"mfu_hardware_frac\": 0.5",
                  "\"mfu_model_frac\": null", "\"flop_per_s\": 195000000000000",
                  "\"flop_origin\": \"listed\"", "\"bound\": \"compute\"",
                  "\"kind\": \"host to device, pageable\"",
                  "\"bytes_per_s\": 6000000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_screen_says_it_in_a_sentence),
        cmocka_unit_test(a_document_has_evidence_and_tables),
        cmocka_unit_test(the_page_draws_the_roofline),
        cmocka_unit_test(json_has_the_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

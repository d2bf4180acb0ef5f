/* What kernels and places are called on the screen, on the page and in JSON. */
#include "cmocka_setup.h"

#include "findings_fixture.h"
#include "report_fixtures.h"

#include <stdlib.h>
#include <string.h>

static const char gelu[] = "void at::native::vectorized_elementwise_kernel<4, "
                           "at::native::GeluFunctor<float>, std::array<char*, 2> >(int, "
                           "float, std::array<char*, 2>)";

#define ASSERT_HOLDS(text, part) assert_non_null(strstr(text, part))

static void tables_have_labels_and_json_has_both(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_MARKDOWN, NULL);
    ASSERT_HOLDS(out.s, "| elementwise gelu f32 | kernel |");
    assert_null(strstr(out.s, "GeluFunctor"));
    strbuf_release(&out);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    ASSERT_HOLDS(out.s, gelu);
    ASSERT_HOLDS(out.s, "\"label\": \"elementwise gelu f32\"");
    strbuf_release(&out);
    run_release(&run);
}

static void the_page_has_the_full_name_on_hover(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    ASSERT_HOLDS(out.s, "title=\"void at::native::vectorized_elementwise_kernel&lt;4, ");
    ASSERT_HOLDS(out.s, "<div>elementwise gelu f32</div>");
    ASSERT_HOLDS(out.s, "\"labels\":[\"\"");
    ASSERT_HOLDS(out.s, "<div>aten::addmm</div>"); /* operators keep their names */
    strbuf_release(&out);
    run_release(&run);
}

/* Kernels whose labels differ in the middle alone. */
static void run_with_long_names(struct run *run)
{
    static const char *const name[] = {
        "triton_poi_fused_add_addmm_cat_clone_cos_div_exp_mul_0",
        "triton_poi_fused_add_addmm_cat_clone_sin_div_exp_mul_1",
        "triton_poi_fused_add_addmm_cat_clone_neg_div_exp_mul_2",
    };
    run_init(run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    struct fixture_lane host = fixture_lane(s, LANE_KIND_CPU, -1, 1, "python");
    struct fixture_lane gpu = fixture_lane(s, LANE_KIND_DEVICE, 0, 7, "stream 7");
    fixture_span(host, SPAN_KIND_STEP, "ProfilerStep", 0, 10000, 0, 1);
    for (int i = 0; i < 3; i++)
        fixture_span(gpu, SPAN_KIND_KERNEL, name[i], 1000 * i, 900 - i, 0, 0);
    struct rank row = {.rank = 0,
                       .world = 1,
                       .source = RUN_SOURCE_KINETO,
                       .complete = 1,
                       .step_method = STEP_METHOD_PROFILER_STEP};
    reduced(r, run, row);
    reducer_free(r);
}

static void names_that_are_cut_still_differ(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_with_long_names(&run);
    fixture_render(&out, &run, REPORT_TERMINAL,
                   &(struct report_options){.columns = 70, .top = 3});
    const char *table = strstr(out.s, "GPU operators");
    assert_non_null(table);
    ASSERT_HOLDS(table, "…");
    ASSERT_HOLDS(table, " #2  ");
    ASSERT_HOLDS(table, " #3  ");
    strbuf_release(&out);
    run_release(&run);
}

static void a_place_that_does_not_fit_stands_below_its_row(void **state)
{
    (void)state;
    static const char place[] =
        "transformers/models/vit/modeling_vit.py(252): forward, encoder/layer/11";
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    struct report_options options = {.lines = 60, .findings = &x.f};
    fixture_gpu(&run);
    fixture_findings(&x, 2);
    snprintf(x.finding[0].where, sizeof x.finding[0].where, "%s", place);
    fixture_render(&out, &run, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "\n     transformers/models/vit/modeling_vit.py(252): forward, "
                        "encoder/layer/11\n");
    ASSERT_HOLDS(out.s, "medium  train.py:89\n"); /* what fits stays beside its row */
    strbuf_release(&out);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_labels_and_json_has_both),
        cmocka_unit_test(the_page_has_the_full_name_on_hover),
        cmocka_unit_test(names_that_are_cut_still_differ),
        cmocka_unit_test(a_place_that_does_not_fit_stands_below_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "timeline_fixture.h"

#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the page's data: six integers a node, and their names. */
struct drawn {
    struct strbuf page;
    long long node[64][6];
    size_t n;
};

enum { DEPTH, NAME, KIND, HOST, DEVICE, CALLS };

static void draw(struct drawn *d, struct timeline *t)
{
    timeline_read(t);
    struct analysis *a = analysis_new(&t->run);
    strbuf_init(&d->page);
    report_render(&d->page, a, REPORT_HTML, NULL);
    analysis_free(a);
    const char *s = strstr(d->page.s, "id=\"flame-data\">");
    assert_non_null(s);
    s = strstr(s, "\"nodes\":[") + strlen("\"nodes\":[");
    char *end;
    for (d->n = 0; *s != ']' && d->n < 64; d->n++)
        for (int k = 0; k < 6; k++, s = end + (*end == ','))
            d->node[d->n][k] = strtoll(s, &end, 10);
}

/* Is the node of this place called so? */
static void assert_name(const struct drawn *d, size_t i, const char *name)
{
    const char *s = strstr(strstr(d->page.s, "id=\"flame-data\">"), "\"names\":[\"");
    s += strlen("\"names\":[\"");
    for (long long k = 0; k < d->node[i][NAME]; k++)
        s = strstr(s, "\",\"") + 3;
    assert_memory_equal(s, name, strlen(name));
    assert_int_equal(s[strlen(name)], '"');
}

static void assert_node(const struct drawn *d, size_t i, const char *name, int depth,
                        double host_us, double device_us, int calls)
{
    assert_name(d, i, name);
    assert_int_equal(d->node[i][DEPTH], depth);
    assert_int_equal(d->node[i][HOST], llround(host_us * 1000));
    assert_int_equal(d->node[i][DEVICE], llround(device_us * 1000));
    assert_int_equal(d->node[i][CALLS], calls);
}

static void calls_of_one_name_from_one_place_are_one(void **state)
{
    (void)state;
    struct timeline t;
    struct drawn d;
    timeline_init(&t, "GPU");
    timeline_step(&t, 1, 0, 1000);
    timeline_op(&t, "aten::linear", 100, 200);
    timeline_op(&t, "aten::addmm", 110, 80);
    timeline_op(&t, "aten::linear", 400, 300);
    timeline_op(&t, "aten::addmm", 410, 90);
    timeline_op(&t, "aten::addmm", 800, 100); /* the same name from another place */
    draw(&d, &t);
    assert_int_equal(d.n, 4);
    assert_node(&d, 0, "ProfilerStep#1", 0, 1000, 0, 1);
    assert_node(&d, 1, "aten::linear", 1, 500, 0, 2);
    assert_node(&d, 2, "aten::addmm", 2, 170, 0, 2);
    assert_node(&d, 3, "aten::addmm", 1, 100, 0, 1);
    strbuf_release(&d.page);
    timeline_release(&t);
}

static void device_work_hangs_below_what_launched_it(void **state)
{
    (void)state;
    struct timeline t;
    struct drawn d;
    timeline_init(&t, "GPU");
    timeline_step(&t, 1, 0, 1000);
    timeline_op(&t, "aten::mm", 100, 200);
    timeline_launch(&t, "cudaLaunchKernel", 110, 10, "gemm", 150, 400, 0);
    timeline_launch(&t, "cudaLaunchKernel", 130, 10, "gemm", 560, 300, 0);
    draw(&d, &t);
    assert_int_equal(d.n, 4);
    assert_node(&d, 0, "ProfilerStep#1", 0, 1000, 700, 1);
    assert_node(&d, 1, "aten::mm", 1, 200, 700, 1);
    assert_node(&d, 2, "cudaLaunchKernel", 2, 20, 700, 2);
    assert_node(&d, 3, "gemm", 3, 0, 700, 2);
    strbuf_release(&d.page);
    timeline_release(&t);
}

static void what_is_too_small_to_draw_is_counted(void **state)
{
    (void)state;
    struct timeline t;
    struct drawn d;
    timeline_init(&t, "GPU");
    timeline_step(&t, 1, 0, 100000);
    timeline_op(&t, "large", 100, 50000);
    for (int i = 0; i < 7; i++) {
        char name[16];
        snprintf(name, sizeof name, "small_%d", i);
        timeline_op(&t, name, 60000 + 10 * i, 1);
    }
    draw(&d, &t);
    assert_int_equal(d.n, 2);
    assert_non_null(strstr(d.page.s, "7 of 9 places are too small to draw."));
    strbuf_release(&d.page);
    timeline_release(&t);
}

/* Spans of one thread that overlap without nesting: the second ends with the first. */
static void no_call_is_wider_than_its_caller(void **state)
{
    (void)state;
    struct timeline t;
    struct drawn d;
    timeline_init(&t, "GPU");
    timeline_step(&t, 1, 0, 1000);
    timeline_op(&t, "first", 100, 200);
    timeline_op(&t, "second", 200, 300);
    draw(&d, &t);
    assert_int_equal(d.n, 3);
    assert_node(&d, 2, "second", 2, 100, 0, 1);
    strbuf_release(&d.page);
    timeline_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_one_name_from_one_place_are_one),
        cmocka_unit_test(device_work_hangs_below_what_launched_it),
        cmocka_unit_test(what_is_too_small_to_draw_is_counted),
        cmocka_unit_test(no_call_is_wider_than_its_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

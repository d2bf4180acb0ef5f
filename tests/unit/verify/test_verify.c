#include "cmocka_setup.h"

#include "verify/verify.h"

#include <math.h>
#include <string.h>

static void fill(struct run *r, int64_t step_ns, double loss, int64_t memory_bytes)
{
    run_init(r);
    ranks_add(&r->ranks, (struct rank){.rank = 0});
    for (int i = 0; i < 40; i++) {
        int64_t begin_ns = i * 1000000000LL, wobble_ns = (i * 7 % 11) * step_ns / 500;
        steps_add(&r->steps, (struct step){.number = i,
                                           .begin_ns = begin_ns,
                                           .end_ns = begin_ns + step_ns + wobble_ns});
        losses_add(&r->losses, (struct loss){.step = i, .loss = loss / (i + 1)});
    }
    memories_add(&r->memories,
                 (struct memory){.what = MEMORY_CLASS_PROCESS, .bytes = memory_bytes});
}

static struct gate_result gate(const struct verify_result *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->gate[i].name, name))
            return r->gate[i];
    fail_msg("no gate %s", name);
    return r->gate[0];
}

static void a_faster_equal_run_passes_every_gate(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 8000000, 3.5, 1000);
    verify_runs(&r, &a, &b);
    assert_false(r.failed);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_PASS);
    assert_int_equal(gate(&r, "peak memory").verdict, VERDICT_PASS);
    assert_non_null(strstr(gate(&r, "same losses").remark, "bitwise equal at 40 steps"));
    run_release(&a);
    run_release(&b);
}

static void each_gate_fails_on_what_it_guards(void **state)
{
    (void)state;
    struct run a, slow, wrong, fat, nan;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&slow, 12000000, 3.5, 1000);
    fill(&wrong, 10000000, 3.51, 1000);
    fill(&fat, 10000000, 3.5, 1100);
    fill(&nan, 10000000, 3.5, 1000);
    nan.losses.loss[20] = NAN;
    verify_runs(&r, &a, &slow);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_FAIL);
    verify_runs(&r, &a, &wrong);
    assert_int_equal(gate(&r, "same losses").verdict, VERDICT_FAIL);
    verify_runs(&r, &a, &nan);
    assert_int_equal(gate(&r, "same losses").verdict, VERDICT_FAIL);
    verify_runs(&r, &a, &fat);
    assert_int_equal(gate(&r, "peak memory").verdict, VERDICT_FAIL);
    assert_true(r.failed);
    run_release(&a);
    run_release(&slow);
    run_release(&wrong);
    run_release(&fat);
    run_release(&nan);
}

static void runs_without_evidence_do_not_pass_as_good(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    run_init(&a);
    run_init(&b);
    verify_runs(&r, &a, &b);
    for (size_t i = 0; i < r.n; i++)
        assert_int_equal(r.gate[i].verdict, VERDICT_NOT_APPLICABLE);
    run_release(&a);
    run_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faster_equal_run_passes_every_gate),
        cmocka_unit_test(each_gate_fails_on_what_it_guards),
        cmocka_unit_test(runs_without_evidence_do_not_pass_as_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

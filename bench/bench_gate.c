/*
 * How honest is the gate? Two equal trainers are compared as gait verify compares two
 * configs; then the second is made slower by a known part; then faults are planted in its
 * arithmetic. See bench/gate.
 */
#include "../tests/unit/verify/planted_faults.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "verify/proof.h"
#include "verify/timed_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5 };
static const double BUDGET_S = 8;       /* of a comparison */
static const double BUDGET_1PCT_S = 20; /* of one that has to find 1 % */

struct planted {
    struct timed_pair pair;
    double slower; /* planted, of the second's time */
};

static void must(enum status s, const struct err *err)
{
    if (s == STATUS_OK)
        return;
    fprintf(stderr, "bench/gate: %s\n", err->text);
    exit(1);
}

static void small(struct config *c)
{
    config_init(c);
    c->layers = 2;
    c->heads = 4;
    c->width = 64;
    c->context = 32;
    c->batch_size = 8;
    c->steps = 1000000;
    c->builtin_chars = 100000;
}

static struct planted *planted_open(double slower)
{
    struct planted *p = mem_zalloc(1, sizeof *p);
    struct config config;
    struct err err = ERR_INIT;
    small(&config);
    must(timed_pair_open(&p->pair, &config, &config, &err), &err);
    config_release(&config);
    p->slower = slower;
    return p;
}

static void planted_close(struct planted *p)
{
    timed_pair_close(&p->pair, STATUS_OK);
    mem_free(p);
}

static enum status block(void *context, int side, double *step_ns, struct err *err)
{
    struct planted *p = context;
    enum status s = timed_pair_block(&p->pair, side, step_ns, err);
    if (s != STATUS_OK || !side)
        return s;
    double steps = (double)p->pair.block, wait_ns = p->slower * *step_ns * steps;
    int64_t begin_ns = clock_now_ns();
    while ((double)(clock_now_ns() - begin_ns) < wait_ns)
        ;
    *step_ns += (double)(clock_now_ns() - begin_ns) / steps;
    return STATUS_OK;
}

struct told {
    int slower, faster, compared;
};

static struct told compare(double slower, int times, double budget_s)
{
    struct told told = {0};
    struct err err = ERR_INIT;
    for (int i = 0; i < times; i++) {
        struct planted *p = planted_open(slower);
        struct ab_subject subject = {block, p};
        struct ab_options o = {.budget_s = budget_s, .narrow = AB_NARROW, .decides = 0};
        struct ab_time t;
        must(timed_pair_size(&p->pair, &err), &err);
        must(ab_time_run(&t, &subject, &o, &err), &err);
        told.slower += ab_told(&t) > 0;
        told.faster += ab_told(&t) < 0;
        told.compared++;
        fprintf(
            stderr,
            "planted %+.0f %%: %+.2f %% [%+.2f, %+.2f], %zu pairs, %.1f s (%d of %d)\n",
            100 * slower, 100 * t.change, 100 * t.low, 100 * t.high, t.pairs, t.took_s,
            i + 1, times);
        planted_close(p);
    }
    return told;
}

static bool is_caught(enum planted_fault fault)
{
    struct planted *p = planted_open(0);
    struct trainer *t = p->pair.pair.t;
    struct proof proof = {.rounded = false};
    struct err err = ERR_INIT;
    plant_fault(&t[1], fault);
    must(same_model_compare(&proof.same, &t[0], &t[1], STEPS, &err), &err);
    const struct same_model m = proof.same;
    struct other_model other = proof_other_model(&proof);
    /* the losses come last: where they alone differ, nothing was caught by name */
    bool caught = *other.why && strncmp(other.why, "same losses", 11) != 0;
    fprintf(
        stderr,
        "%s: logits %.2g, gradient %.2g (%s), movement %.2g (%s), loss %.2g nats: %s\n",
        fault_text[fault], m.logits, m.gradient.error, m.gradient.name, m.movement.error,
        m.movement.name, m.loss, caught ? "caught" : "MISSED");
    planted_close(p);
    unplant_fault();
    return caught;
}

static void print_result(struct told equal, struct told three, struct told one,
                         int caught)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_object(&w);
    json_field_double(&w, "false_verdicts",
                      (double)(equal.slower + equal.faster) / equal.compared, 4);
    json_field_int(&w, "compared", equal.compared);
    json_field_double(&w, "found_3pct", (double)three.slower / three.compared, 4);
    json_field_double(&w, "found_1pct", (double)one.slower / one.compared, 4);
    json_field_double(&w, "budget_s", BUDGET_S, 1);
    json_field_double(&w, "budget_1pct_s", BUDGET_1PCT_S, 1);
    json_field_int(&w, "faults_caught", caught);
    json_field_int(&w, "faults_planted", FAULT_COUNT);
    json_end(&w);
    printf("%s\n", out.s);
    strbuf_release(&out);
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && !strcmp(argv[1], "--quick");
    int caught = 0;
    for (int f = 0; f < FAULT_COUNT; f++)
        caught += is_caught(f);
    struct told equal = compare(0, quick ? 20 : 200, BUDGET_S),
                three = compare(0.03, quick ? 10 : 100, BUDGET_S),
                one = compare(0.01, quick ? 10 : 100, BUDGET_1PCT_S);
    print_result(equal, three, one, caught);
    return caught == FAULT_COUNT ? 0 : 1;
}

/*
 * What the probe costs: the tiny model's step with the probe on against off, in one
 * process, in alternating blocks (off on, on off, off on …), as the median of the pairs'
 * ratios. Off against off in the same way is the floor: what the machine's noise alone
 * does to such a figure.
 *
 * Usage: bench_probe CONFIG PAIRS STEPS_A_BLOCK
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/stats.h"
#include "config/config.h"
#include "probe/probe.h"
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>

enum { SPANS_A_STEP_MAX = 4096, WARM_UP_STEPS = 10 };

struct bench {
    struct config config;
    struct trainer trainer;
    int64_t step; /* of the training, counted on */
    int steps;    /* a block */
};

struct pairs {
    double *off_ms, *on_ms, *ratio; /* (n) a step of each block; on ÷ off */
    int n;
};

static void check(enum status st, const struct err *err)
{
    if (st == STATUS_OK)
        return;
    fprintf(stderr, "bench_probe: %s\n", err->text);
    exit((int)st);
}

/* Mean ms a step of one block. */
static double run_block(struct bench *b, bool probed)
{
    struct err err = ERR_INIT;
    struct step_report report;
    if (probed)
        probe_start(1, (size_t)b->steps * SPANS_A_STEP_MAX);
    int64_t begin_ns = clock_now_ns();
    for (int i = 0; i < b->steps; i++)
        check(trainer_step(&b->trainer, b->step++, &report, &err), &err);
    int64_t dur_ns = clock_now_ns() - begin_ns;
    if (probed)
        probe_stop();
    return (double)dur_ns / 1e6 / b->steps;
}

static struct pairs run_pairs(struct bench *b, int n, bool probed)
{
    struct pairs p = {mem_alloc((size_t)n * sizeof(double)),
                      mem_alloc((size_t)n * sizeof(double)),
                      mem_alloc((size_t)n * sizeof(double)), n};
    for (int i = 0; i < n; i++) {
        bool off_first = i % 2 == 0;
        double first_ms = run_block(b, off_first ? false : probed);
        double second_ms = run_block(b, off_first ? probed : false);
        p.off_ms[i] = off_first ? first_ms : second_ms;
        p.on_ms[i] = off_first ? second_ms : first_ms;
        p.ratio[i] = p.on_ms[i] / p.off_ms[i];
    }
    return p;
}

static void pairs_free(struct pairs *p)
{
    mem_free(p->off_ms);
    mem_free(p->on_ms);
    mem_free(p->ratio);
}

static void print_row(const char *what, const struct pairs *p)
{
    size_t n = (size_t)p->n;
    printf("%-12s %8d %12.3f %12.3f %10.4f   [%.4f, %.4f]\n", what, p->n,
           stats_median(p->off_ms, n), stats_median(p->on_ms, n),
           stats_median(p->ratio, n), stats_quantile(p->ratio, n, 0.25),
           stats_quantile(p->ratio, n, 0.75));
}

static void print_json(const struct bench *b, const struct pairs *on,
                       const struct pairs *floor)
{
    struct strbuf out;
    struct json_writer w;
    size_t n = (size_t)on->n;
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "bench", "probe");
    json_field_int(&w, "pairs", on->n);
    json_field_int(&w, "steps_a_block", b->steps);
    json_field_double(&w, "off_step_ms", stats_median(on->off_ms, n), 4);
    json_field_double(&w, "on_step_ms", stats_median(on->on_ms, n), 4);
    json_field_double(&w, "ratio", stats_median(on->ratio, n), 5);
    json_field_double(&w, "ratio_q1", stats_quantile(on->ratio, n, 0.25), 5);
    json_field_double(&w, "ratio_q3", stats_quantile(on->ratio, n, 0.75), 5);
    json_field_double(&w, "overhead_frac", stats_median(on->ratio, n) - 1, 5);
    json_field_double(&w, "floor_ratio", stats_median(floor->ratio, (size_t)floor->n), 5);
    json_end(&w);
    puts(out.s);
    strbuf_release(&out);
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct bench b = {.steps = argc == 4 ? atoi(argv[3]) : 0};
    int pairs = argc == 4 ? atoi(argv[2]) : 0;
    if (pairs < 1 || b.steps < 1) {
        fprintf(stderr, "usage: bench_probe CONFIG PAIRS STEPS_A_BLOCK\n");
        return STATUS_USAGE;
    }
    config_init(&b.config);
    check(config_read_yaml(&b.config, argv[1], &err), &err);
    check(config_check(&b.config, &err), &err);
    check(trainer_open(&b.trainer, &b.config, &err), &err);
    for (int i = 0; i < WARM_UP_STEPS; i++)
        run_block(&b, i % 2);
    struct pairs floor = run_pairs(&b, pairs, false);
    struct pairs on = run_pairs(&b, pairs, true);
    printf("%-12s %8s %12s %12s %10s   [quartiles]\n", "", "pairs", "first ms",
           "second ms", "ratio");
    print_row("off / off", &floor);
    print_row("off / on", &on);
    print_json(&b, &on, &floor);
    pairs_free(&on);
    pairs_free(&floor);
    trainer_close(&b.trainer, STATUS_OK);
    config_release(&b.config);
    return 0;
}

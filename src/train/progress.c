#include "train/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t STATUS_PERIOD_NS = 100000000; /* ten times a second is enough */

void progress_init(struct progress *p, const struct trainer *t)
{
    memset(p, 0, sizeof *p);
    p->trainer = t;
    p->silent = t->comm.rank != 0;
    p->validation_loss = NAN;
}

static void print_model(const struct trainer *t)
{
    const struct config *c = t->config;
    char ranks[32] = "";
    if (t->comm.size > 1)
        snprintf(ranks, sizeof ranks, " on each of %d ranks", t->comm.size);
    log_line("%s  %lld layers × %lld, %s parameters, f32, %s, %d thread%s%s", c->model,
             (long long)c->layers, (long long)c->width,
             unit_count((double)t->model.params.count).s, t->engine.ops->name, t->threads,
             t->threads == 1 ? "" : "s", ranks);
}

static void print_memory(const struct trainer *t)
{
    struct strbuf line;
    size_t limit = memory_plan_limit_bytes(&t->plan), total = 0;
    strbuf_init(&line);
    for (int i = 0; i < TENSOR_CLASS_COUNT; i++) {
        total += trainer_class_bytes(t, i);
        strbuf_printf(&line, "%s%s %s", i ? ", " : "", tensor_class_text[i],
                      unit_mib((double)trainer_class_bytes(t, i)).s);
    }
    log_line("memory  %s   total %s%s%s (exact)", line.s, unit_mib((double)total).s,
             limit ? " of " : "", limit ? unit_mib((double)limit).s : "");
    strbuf_release(&line);
}

static void print_data(const struct trainer *t)
{
    const struct dataset *d = &t->dataset;
    log_line("data    %s, %s tokens, %.0f %% train, vocabulary %zu", t->config->dataset,
             unit_count((double)d->n).s, 100 * (double)d->train.n / (double)d->n,
             d->vocabulary);
    if (isfinite(d->entropy_nats_per_char))
        log_line("        the source's entropy is %.4f nats a character (exact): no "
                 "model can do better",
                 d->entropy_nats_per_char);
    if (isfinite(d->validation_nats_per_char))
        log_line("        the validation text itself carries %.4f nats a character",
                 d->validation_nats_per_char);
}

void progress_header(const struct progress *p)
{
    if (p->silent)
        return;
    print_model(p->trainer);
    print_memory(p->trainer);
    print_data(p->trainer);
    log_line("%s", "");
}

static double per_second(int64_t n, int64_t ns)
{
    return ns > 0 ? (double)n * 1e9 / (double)ns : 0;
}

static double data_wait_percent(const struct trainer *t)
{
    int64_t all = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        all += t->phase_ns[i];
    return all ? 100 * (double)t->phase_ns[PHASE_DATA] / (double)all : 0;
}

/* A line of fixed size: this runs within the training loop, which allocates nothing. */
static void format_line(char *out, size_t size, const struct progress *p, int64_t step,
                        const struct step_report *r)
{
    const struct trainer *t = p->trainer;
    int64_t steps = t->config->steps;
    double recent = per_second(p->recent_steps, p->recent_ns);
    double average = per_second(p->steps_done, p->wall_ns);
    double tokens = average * (double)(t->model.M * t->comm.size);
    double left_ns = average > 0 ? (double)(steps - step - 1) / average * 1e9 : 0;
    char validation[32] = "", eta[48] = "";
    if (step + 1 < steps)
        snprintf(eta, sizeof eta, "   ETA %s", unit_ns((int64_t)fmin(left_ns, 9e18)).s);
    if (isfinite(p->validation_loss))
        snprintf(validation, sizeof validation, "  val %.4f", p->validation_loss);
    snprintf(
        out, size,
        "step %6lld/%lld  loss %.4f%s  lr %.1e  |g| %.2f   %.1f steps/s (avg %.1f)   "
        "%s tok/s   data wait %.1f %%%s",
        (long long)step + 1, (long long)steps, p->loss_sum / (double)p->recent_steps,
        validation, r->learning_rate, r->gradient_norm, recent, average,
        unit_count(tokens).s, data_wait_percent(t), eta);
}

void progress_step(struct progress *p, int64_t step, const struct step_report *r,
                   int64_t dur_ns)
{
    char line[256];
    const struct config *c = p->trainer->config;
    p->steps_done++;
    p->recent_steps++;
    p->wall_ns += dur_ns;
    p->recent_ns += dur_ns;
    p->loss_sum += r->loss;
    bool at_interval = (step + 1) % c->log_interval == 0 || step + 1 == c->steps;
    bool on_terminal = log_on_terminal();
    int64_t now_ns = clock_now_ns();
    if (!p->silent && (at_interval || on_terminal)) {
        if (on_terminal && now_ns - p->drawn_ns > STATUS_PERIOD_NS) {
            format_line(line, sizeof line, p, step, r);
            log_status("%s", line);
            p->drawn_ns = now_ns;
        } else if (!on_terminal) {
            format_line(line, sizeof line, p, step, r);
            log_line("%s", line);
        }
    }
    if (at_interval) {
        p->recent_steps = p->recent_ns = 0;
        p->loss_sum = 0;
    }
}

void progress_end(const struct progress *p)
{
    if (!p->silent)
        log_status_clear();
}

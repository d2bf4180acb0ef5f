/* The same steps with another number of threads, and with half and twice the batch. Each
 * is a trainer of its own: what it plans and what oneDNN prepares depends on both. */
#include "base/log.h"
#include "diagnose/step_probe.h"

#define SECOND_NS INT64_C(1000000000)

/* Fewer steps than of the settings' own: these are compared, not multiplied. */
static const struct step_limits limits = {
    .steps = 9, .least = 2, .budget_ns = 2 * SECOND_NS, .warm_up = 2};
/* Where one step takes longer than this, minutes would be spent on comparing. */
static const double step_most_ns = 5e9;

static enum status time_settings(struct step_timing *out, const struct config *c,
                                 const struct dataset *data, struct err *err)
{
    struct trainer t;
    struct step_report last = {0};
    int64_t next = 0;
    enum status s = config_check(c, err);
    if (s != STATUS_OK)
        return s;
    s = trainer_try(&t, c, data, err);
    if (t.part == TRAINER_MEMORY)
        s = err_set(err, s, "it does not fit in memory");
    if (s == STATUS_OK)
        s = steps_time(&out->ns, &t, &next, &limits, &last, err);
    if (s == STATUS_OK)
        out->tokens_per_s =
            (double)t.model.M * (double)c->gradient_accumulation / (out->ns.median / 1e9);
    trainer_close(&t, s);
    return s;
}

static struct step_timing alternative(int64_t value, const struct config *c,
                                      const struct dataset *data)
{
    struct step_timing out = {.value = value};
    struct err err = ERR_INIT;
    if (time_settings(&out, c, data, &err)) {
        out.ns = (struct median_interval){0};
        out.why_not = reason_of("%s", err.text);
    }
    return out;
}

static struct step_timing as_set(const struct training_facts *f, int64_t value)
{
    return (struct step_timing){.value = value,
                                .as_set = true,
                                .ns = f->step.ns,
                                .tokens_per_s =
                                    f->step.tokens / (f->step.ns.median / 1e9)};
}

static void add(struct step_timings *to, struct step_timing timing)
{
    to->of[to->n++] = timing;
}

/* One, all cores, and as set. */
static void time_threads(struct training_facts *f, struct config *c,
                         const struct dataset *data)
{
    int64_t set = c->threads;
    int64_t one = 1, cores = f->cores, now = f->threads;
    int64_t wanted[] = {one, now < cores ? now : cores, now < cores ? cores : now};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (i && wanted[i] == wanted[i - 1])
            continue;
        log_status("measuring with %lld threads", (long long)wanted[i]);
        c->threads = wanted[i];
        add(&f->threads_timed,
            wanted[i] == now ? as_set(f, now) : alternative(wanted[i], c, data));
    }
    c->threads = set;
}

static void time_batches(struct training_facts *f, struct config *c,
                         const struct dataset *data)
{
    int64_t set = c->batch_size;
    int64_t wanted[] = {set / 2, set, set * 2};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (wanted[i] < c->gradient_accumulation)
            continue;
        log_status("measuring with batch_size %lld", (long long)wanted[i]);
        c->batch_size = wanted[i];
        add(&f->batches_timed,
            wanted[i] == set ? as_set(f, set) : alternative(wanted[i], c, data));
    }
    c->batch_size = set;
}

void probe_alternatives(struct training_facts *f, const struct config *config,
                        const struct dataset *data)
{
    struct config own;
    if (!f->step.known || f->step.ns.median > step_most_ns)
        return;
    config_init(&own);
    config_copy(&own, config);
    time_threads(f, &own, data);
    time_batches(f, &own, data);
    config_release(&own);
    log_status_clear();
}

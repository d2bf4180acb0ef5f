#include "diagnose/questions.h"

#include "base/units.h"
#include "diagnose/thresholds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUESTION_KEY(v, key, text) [QUESTION_##v] = (key),
const char *const question_key[QUESTION_COUNT] = {QUESTION_LIST(QUESTION_KEY)};
#define QUESTION_TEXT(v, key, text) [QUESTION_##v] = (text),
const char *const question_text[QUESTION_COUNT] = {QUESTION_LIST(QUESTION_TEXT)};
#define ANSWER_VALUE_TEXT(v, text) [ANSWER_##v] = (text),
const char *const answer_value_text[ANSWER_COUNT] = {
    ANSWER_VALUE_LIST(ANSWER_VALUE_TEXT)};

static void say(struct answer *a, enum answer_value value, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct answer *a, enum answer_value value, const char *fmt, ...)
{
    va_list args;
    a->value = value;
    va_start(args, fmt);
    vsnprintf(a->text, sizeof a->text, fmt, args);
    va_end(args);
}

static void do_next(struct answer *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void do_next(struct answer *a, const char *fmt, ...)
{
    va_list args;
    if (a->value != ANSWER_YES)
        return;
    va_start(args, fmt);
    vsnprintf(a->next, sizeof a->next, fmt, args);
    va_end(args);
}

static enum answer_value yes_if(bool condition)
{
    return condition ? ANSWER_YES : ANSWER_NO;
}

static void ask_others(struct answer *a, const struct training_facts *f,
                       const struct estimate *e)
{
    (void)e;
    if (!f->noise.known) {
        say(a, ANSWER_UNKNOWN, "/proc/stat cannot be read");
        return;
    }
    say(a, yes_if(f->noise.others_cpus > OTHERS_MOST_CPUS),
        "%.2f CPUs while the steps ran", f->noise.others_cpus);
    do_next(a, "stop the other programs, then gait diagnose %s", f->words);
}

static void ask_data(struct answer *a, const struct training_facts *f,
                     const struct estimate *e)
{
    (void)e;
    say(a, yes_if(f->step.data_frac > DATA_WAIT_MOST_FRAC), "%.1f %% of a step",
        100 * f->step.data_frac);
    int64_t workers = config_workers(f->config->num_workers, f->cores);
    do_next(a, "gait train %s --num-workers %lld", f->words, (long long)workers + 1);
}

static void ask_beside(struct answer *a, const struct training_facts *f,
                       const struct estimate *e)
{
    double steps_s = (double)e->steps * f->step.ns.median / 1e9;
    double beside_s = e->evaluations_s + e->checkpoints_s;
    if (!(steps_s > 0)) {
        say(a, ANSWER_UNKNOWN, "no step is left to do");
        return;
    }
    say(a, yes_if(beside_s > BESIDE_MOST_FRAC * steps_s && beside_s > BESIDE_LEAST_S),
        "%s beside %s of steps", unit_ns_of(beside_s * 1e9).s,
        unit_ns_of(steps_s * 1e9).s);
    if (e->evaluations_s >= e->checkpoints_s)
        do_next(a, "gait train %s --eval-interval %.0f", f->words,
                estimate_interval(f, f->evaluation.ns, BESIDE_MOST_FRAC));
    else
        do_next(a, "gait train %s --checkpoint-interval %.0f", f->words,
                estimate_interval(f, f->checkpoint.ns, BESIDE_MOST_FRAC));
}

/* --- other settings, timed --- */

/* Faster by the ratio, and surely: the intervals of the medians do not touch. By tokens,
 * for a step of another batch is another amount of work. */
static bool is_faster(const struct step_timing *other, const struct step_timing *now)
{
    double tokens = other->tokens_per_s * other->ns.median;
    double tokens_now = now->tokens_per_s * now->ns.median;
    if (other->ns.n < STEPS_TO_COMPARE || now->ns.n < STEPS_TO_COMPARE)
        return false; /* an interval of so few holds the median by luck */
    return other->tokens_per_s > FASTER_LEAST_RATIO * now->tokens_per_s &&
           tokens / other->ns.high > tokens_now / now->ns.low;
}

static const struct step_timing *own_of(const struct step_timings *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->of[i].as_set)
            return &t->of[i];
    return NULL;
}

/* The fastest of those that beat the settings' own; NULL: none does. */
static const struct step_timing *better_than_set(const struct step_timings *t)
{
    const struct step_timing *best = NULL, *now = own_of(t);
    for (size_t i = 0; i < t->n && now; i++)
        if (t->of[i].ns.n && is_faster(&t->of[i], now) &&
            (!best || t->of[i].tokens_per_s > best->tokens_per_s))
            best = &t->of[i];
    return best;
}

static bool was_compared(const struct step_timings *t)
{
    size_t timed = 0;
    for (size_t i = 0; i < t->n; i++)
        timed += t->of[i].ns.n > 0;
    return own_of(t) && timed > 1;
}

static const char *why_not_compared(const struct training_facts *f,
                                    const struct step_timings *t)
{
    if (!t->n)
        return f->step.known ? "a step takes too long to be compared with others"
                             : f->step.why_not.text;
    for (size_t i = 0; i < t->n; i++)
        if (!t->of[i].ns.n)
            return t->of[i].why_not.text;
    return "there is nothing to compare with";
}

/* "1 thread 8.1 ms, 2 threads 4.9 ms" */
static void list_threads(struct answer *a, const struct step_timings *t)
{
    size_t at = 0;
    for (size_t i = 0; i < t->n && at < sizeof a->text; i++)
        at += (size_t)snprintf(
            a->text + at, sizeof a->text - at, "%s%s: %s", i ? ", " : "",
            unit_plural((double)t->of[i].value, "thread", "threads").s,
            t->of[i].ns.n ? unit_ns_of(t->of[i].ns.median).s : "not available");
}

static void ask_threads(struct answer *a, const struct training_facts *f,
                        const struct estimate *e)
{
    (void)e;
    const struct step_timings *t = &f->threads_timed;
    if (!was_compared(t)) {
        say(a, ANSWER_UNKNOWN, "%s", why_not_compared(f, t));
        return;
    }
    const struct step_timing *better = better_than_set(t);
    a->value = yes_if(better);
    list_threads(a, t);
    if (better)
        do_next(a, "gait train %s --threads %lld", f->words, (long long)better->value);
}

/* "6: 61.2 k, 12: 63.0 k" */
static void list_batches(struct answer *a, const struct step_timings *t)
{
    size_t at = (size_t)snprintf(a->text, sizeof a->text, "tokens/s with batch_size ");
    for (size_t i = 0; i < t->n && at < sizeof a->text; i++)
        at += (size_t)snprintf(a->text + at, sizeof a->text - at, "%s%lld: %s",
                               i ? ", " : "", (long long)t->of[i].value,
                               t->of[i].ns.n ? unit_count(t->of[i].tokens_per_s).s
                                             : "not available");
}

/* With accumulation a larger part of the same batch does it, and is the same training. */
static void ask_batch(struct answer *a, const struct training_facts *f,
                      const struct estimate *e)
{
    (void)e;
    const struct step_timings *t = &f->batches_timed;
    if (!was_compared(t)) {
        say(a, ANSWER_UNKNOWN, "%s", why_not_compared(f, t));
        return;
    }
    const struct step_timing *better = better_than_set(t);
    long long parts = f->config->gradient_accumulation;
    a->value = yes_if(better);
    list_batches(a, t);
    if (!better)
        return;
    if (better->value > f->config->batch_size && parts % 2 == 0)
        do_next(a, "gait train %s --gradient-accumulation %lld (the same training)",
                f->words, parts / 2);
    else
        do_next(a, "gait train %s --batch-size %lld (another training: compare losses)",
                f->words, (long long)better->value);
}

static void ask_precision(struct answer *a, const struct training_facts *f,
                          const struct estimate *e)
{
    (void)e;
    const struct precision_timing *p = &f->precision;
    bool in_bf16 = !strcmp(f->config->precision, "bf16");
    double now = in_bf16 ? p->bf16_ns : p->f32_ns,
           other = in_bf16 ? p->f32_ns : p->bf16_ns;
    if (!p->rounds) {
        say(a, ANSWER_UNKNOWN, "no product could be timed");
        return;
    }
    say(a, yes_if(now > FASTER_LEAST_RATIO * other),
        "the products of one linear: f32 %s, bf16 %s", unit_ns_of(p->f32_ns).s,
        unit_ns_of(p->bf16_ns).s);
    do_next(a, "gait train %s --precision %s (another training: compare losses)",
            f->words, in_bf16 ? "f32" : "bf16");
}

static void ask_optimizer(struct answer *a, const struct training_facts *f,
                          const struct estimate *e)
{
    (void)e;
    say(a, yes_if(f->step.optimizer_frac > OPTIMIZER_MOST_FRAC), "%.1f %% of a step",
        100 * f->step.optimizer_frac);
    do_next(
        a,
        "gait train %s --batch-size %lld (more tokens for each of its passes; another "
        "training)",
        f->words, (long long)f->config->batch_size * 2);
}

static void ask_products(struct answer *a, const struct training_facts *f,
                         const struct estimate *e)
{
    (void)e;
    const struct step_facts *s = &f->step;
    if (isnan(s->products_frac)) {
        say(a, ANSWER_UNKNOWN, "a step takes too long to record its operators");
        return;
    }
    double of_peak = s->products_flop_per_s / s->peak_flop_per_s;
    enum answer_value decides = yes_if(s->products_frac >= PRODUCTS_LEAST_FRAC);
    if (isnan(of_peak)) {
        say(a, decides, "%.0f %% of a step; the peak is not available: %s",
            100 * s->products_frac, s->peak_how.text);
        do_next(a, "gait bench %s", f->words);
        return;
    }
    bool near = of_peak >= PEAK_NEAR_FRAC;
    say(a, decides, "%.0f %% of a step, at %.0f %% of the measured peak%s",
        100 * s->products_frac, 100 * of_peak,
        decides == ANSWER_NO ? ""
        : near               ? ": near the machine's limit"
                             : "");
    if (near)
        do_next(a, "a smaller model or more cores: gait bench %s has each part's bound",
                f->words);
    else
        do_next(a, "gait bench %s: which part is far from its bound?", f->words);
}

void questions_ask(struct answer out[QUESTION_COUNT], const struct training_facts *f,
                   const struct estimate *e)
{
    static void (*const ask[QUESTION_COUNT])(
        struct answer *, const struct training_facts *, const struct estimate *) = {
        [QUESTION_OTHERS] = ask_others,       [QUESTION_DATA] = ask_data,
        [QUESTION_BESIDE] = ask_beside,       [QUESTION_THREADS] = ask_threads,
        [QUESTION_BATCH] = ask_batch,         [QUESTION_PRECISION] = ask_precision,
        [QUESTION_OPTIMIZER] = ask_optimizer, [QUESTION_PRODUCTS] = ask_products};
    for (int i = 0; i < QUESTION_COUNT; i++) {
        out[i] = (struct answer){.value = ANSWER_UNKNOWN};
        if (f->step.known)
            ask[i](&out[i], f, e);
        else
            say(&out[i], ANSWER_UNKNOWN, "%s", f->step.why_not.text);
    }
}

enum question questions_first_yes(const struct answer answers[QUESTION_COUNT])
{
    int i = 0;
    while (i < QUESTION_COUNT && answers[i].value != ANSWER_YES)
        i++;
    return (enum question)i;
}

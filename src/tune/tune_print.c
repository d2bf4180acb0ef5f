#include "tune/tune_print.h"

#include "base/json_writer.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

static struct unit_text percent(double change)
{
    struct unit_text t;
    if (isnan(change))
        snprintf(t.s, sizeof t.s, "–");
    else
        snprintf(t.s, sizeof t.s, "%.20s %%", unit_signed(100 * change, 1).s);
    return t;
}

/* In a column: bytes are not letters. */
static void put_right(struct strbuf *out, const char *text, int width)
{
    int letters = utf8_letters(text);
    strbuf_repeat(out, " ", width > letters ? width - letters : 0);
    strbuf_puts(out, text);
}

static void put_headline(struct strbuf *out, const struct tune_result *r)
{
    const struct ab_time *t = &r->proof.time;
    if (!r->faster) {
        strbuf_printf(out, "Nothing that was run is faster than the config as given.\n");
        return;
    }
    strbuf_printf(out, "A step takes %s instead of %s: %s", unit_ns_of(t->step_ns[1]).s,
                  unit_ns_of(t->step_ns[0]).s, percent(t->change).s);
    if (isfinite(t->high))
        strbuf_printf(out, " [%s, %s]", unit_signed(100 * t->low, 1).s,
                      unit_signed(100 * t->high, 1).s);
    strbuf_printf(out, ", and it is the same model.\nMemory: %s instead of %s.\n",
                  unit_mib(r->proof.bytes[1]).s, unit_mib(r->proof.bytes[0]).s);
}

static void put_taken(struct strbuf *out, const struct tune_result *r)
{
    if (!r->faster)
        return;
    strbuf_printf(out, "\n%-38s %10s %12s\n", "Changed (measured)", "alone",
                  "going back");
    for (size_t i = 0; i < r->space.n; i++) {
        const struct tune_setting *s = &r->space.setting[i];
        char what[80];
        if (!r->best.value[i])
            continue;
        snprintf(what, sizeof what, "%s: %s (was %s)", s->key, s->value[r->best.value[i]],
                 s->value[0]);
        strbuf_printf(out, "  %-36s ", what);
        put_right(out, percent(r->alone[i]).s, 10);
        put_right(out, percent(r->going_back[i]).s, 13);
        strbuf_putc(out, '\n');
    }
}

static void put_left_out(struct strbuf *out, const struct tune_result *r)
{
    for (size_t i = 0; i < r->dropped.n; i++) {
        const struct tune_setting *s = &r->dropped.setting[i];
        if (s->touches == TOUCHES_MEMORY)
            strbuf_printf(out, "%s %s: saves memory and no time; not tried.\n",
                          i ? "         " : "Left out:", s->key);
        else
            strbuf_printf(out, "%s %s: all that it changes takes %.1f %% of a step.\n",
                          i ? "         " : "Left out:", s->key, 100 * s->at_most);
    }
}

static void put_search(struct strbuf *out, const struct tune_result *r)
{
    size_t refused = 0;
    for (size_t i = 0; i < r->trials.n; i++)
        refused += *r->trials.of[i].why_not && r->trials.of[i].stage != TRIAL_BATCH;
    strbuf_printf(
        out,
        "\nSearch: %zu comparisons of %.0f plans, %s of timing; %zu could not be "
        "taken.\n",
        r->trials.n, space_plans(&r->space), unit_ns_of(r->timed_s * 1e9).s, refused);
    for (size_t i = 0; i < r->trials.n; i++) {
        const struct trial *t = &r->trials.of[i];
        if (*t->why_not && t->stage == TRIAL_ALONE)
            strbuf_printf(out, "  %s: %s\n", t->after, t->why_not);
    }
    if (r->predictions)
        strbuf_printf(out,
                      "Predicted from the gains alone: median error %.1f %% over %s.\n",
                      100 * r->prediction_error,
                      unit_plural((double)r->predictions, "plan", "plans").s);
    put_left_out(out, r);
    if (r->cut_short)
        strbuf_puts(out, "The budget ended before all was tried: more of it may find "
                         "more (--budget).\n");
}

static void put_batches(struct strbuf *out, const struct tune_result *r,
                        const struct config *config)
{
    if (!r->batches)
        return;
    strbuf_puts(out,
                "\nLarger batches (another training: not taken), samples a second:\n");
    for (size_t i = 0; i < r->batches; i++) {
        const struct tune_batch *b = &r->batch[i];
        if (*b->trial.why_not)
            strbuf_printf(out, "  batch_size %lld: %s\n", (long long)b->size,
                          b->trial.why_not);
        else
            strbuf_printf(out, "  batch_size %lld: %s, memory %s\n", (long long)b->size,
                          percent(tune_batch_gain(b, config) - 1).s,
                          unit_mib(b->trial.bytes[1]).s);
    }
}

static void put_interval(struct strbuf *out, const struct tune_interval *i)
{
    if (*i->why_not)
        strbuf_printf(out, "  %s: %s\n", i->key, i->why_not);
    else
        strbuf_printf(out, "  %s: %lld (one takes %s)\n", i->key, (long long)i->steps,
                      unit_ns_of(i->once_s * 1e9).s);
}

void tune_print(struct strbuf *out, const struct tune_result *r,
                const struct config *config, const struct tune_intervals *intervals)
{
    put_headline(out, r);
    if (*r->busy)
        strbuf_printf(out, "The machine was not quiet: %s meanwhile.\n", r->busy);
    put_taken(out, r);
    put_search(out, r);
    put_batches(out, r, config);
    if (!intervals)
        return;
    strbuf_printf(out, "\nFor %.3g %% of the time each:\n", 100 * intervals->share);
    put_interval(out, &intervals->evaluation);
    put_interval(out, &intervals->checkpoint);
}

/* --- the config --- */

struct why {
    const struct tune_result *r;
    const struct tune_intervals *intervals;
    char text[160];
};

static const char *note_interval(struct why *n, const struct tune_interval *i)
{
    if (!i->steps)
        return NULL;
    snprintf(n->text, sizeof n->text, "one takes %s: %.3g %% of the time",
             unit_ns_of(i->once_s * 1e9).s, 100 * n->intervals->share);
    return n->text;
}

/* Of a setting that stays: by what was tried of it alone. */
static const char *why_kept(const struct tune_result *r, const struct tune_setting *s)
{
    size_t tried = 0, refused = 0;
    for (size_t v = 1; v < s->n; v++)
        for (size_t i = 0; i < r->trials.n; i++) {
            const struct trial *t = &r->trials.of[i];
            char plan[TRIAL_PLAN_BYTES];
            snprintf(plan, sizeof plan, "%s=%s", s->key, s->value[v]);
            if (t->stage != TRIAL_ALONE || strcmp(t->after, plan) != 0)
                continue;
            tried++;
            refused += *t->why_not != '\0';
        }
    return !tried             ? "nothing else was tried"
           : refused == tried ? "nothing else could be taken"
           : tried < s->n - 1 ? "not all others were tried"
                              : "nothing else was faster";
}

static const char *note(void *context, const char *key)
{
    struct why *n = context;
    const struct tune_result *r = n->r;
    if (n->intervals && !strcmp(key, "eval_interval"))
        return note_interval(n, &n->intervals->evaluation);
    if (n->intervals && !strcmp(key, "checkpoint_interval"))
        return note_interval(n, &n->intervals->checkpoint);
    for (size_t i = 0; i < r->space.n; i++) {
        const struct tune_setting *s = &r->space.setting[i];
        if (strcmp(s->key, key) != 0)
            continue;
        if (r->best.value[i])
            snprintf(n->text, sizeof n->text, "was %s: %s alone, %s to go back",
                     s->value[0], percent(r->alone[i]).s, percent(r->going_back[i]).s);
        else
            snprintf(n->text, sizeof n->text, "as it was: %s", why_kept(r, s));
        return n->text;
    }
    return NULL;
}

void tune_print_yaml(struct strbuf *out, const struct tune_result *r,
                     const struct config *config, const struct tune_intervals *intervals)
{
    struct config best;
    struct why notes = {r, intervals, ""};
    tune_best_config(&best, r, config);
    if (intervals && intervals->evaluation.steps)
        best.eval_interval = intervals->evaluation.steps;
    if (intervals && intervals->checkpoint.steps)
        best.checkpoint_interval = intervals->checkpoint.steps;
    if (r->faster)
        strbuf_printf(out, "# Tuned: %s a step instead of %s, the same model.\n",
                      unit_ns_of(r->proof.time.step_ns[1]).s,
                      unit_ns_of(r->proof.time.step_ns[0]).s);
    else
        strbuf_puts(out, "# Searched: nothing was faster than this.\n");
    config_print_yaml_noted(&best, out, note, &notes);
    config_release(&best);
}

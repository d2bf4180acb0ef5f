/* A diagnosis on the screen: verdicts, the time, "still slow?". */
#include "base/json_writer.h"
#include "base/units.h"
#include "diagnose/diagnose.h"

#include <math.h>

enum { TEXT_COLUMNS = 64, QUESTION_COLUMNS = 41 };

/* A line is a line, whatever a path holds. */
static void put_clean(struct strbuf *out, const char *s)
{
    for (; *s; s++)
        strbuf_putc(out, (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
}

/* The next step stands beside a short sentence, below a long one. */
static void put_line(struct strbuf *out, const char *verdict, const char *text,
                     const char *next)
{
    int wide = utf8_letters(text);
    strbuf_printf(out, "%-4s  ", verdict);
    put_clean(out, text);
    if (*next && wide <= TEXT_COLUMNS)
        strbuf_repeat(out, " ", TEXT_COLUMNS - wide + 2);
    else if (*next)
        strbuf_puts(out, "\n        ");
    put_clean(out, next);
    strbuf_putc(out, '\n');
}

static int count_of(const struct diagnosis *d, enum outcome_verdict verdict)
{
    int n = 0;
    for (int i = 0; i < CHECK_COUNT; i++)
        n += d->checks[i].verdict == verdict;
    return n;
}

static void put_checks(struct strbuf *out, const struct diagnosis *d,
                       enum outcome_verdict verdict)
{
    for (int i = 0; i < CHECK_COUNT; i++)
        if (d->checks[i].verdict == verdict)
            put_line(out, outcome_screen_text[verdict], d->checks[i].text,
                     d->checks[i].next);
}

/* What could not be made, and could be otherwise. */
static void put_next_of_unknown(struct strbuf *out, const struct diagnosis *d)
{
    for (int i = 0; i < CHECK_COUNT; i++)
        if (d->checks[i].verdict == OUTCOME_UNKNOWN && *d->checks[i].next)
            put_line(out, outcome_screen_text[OUTCOME_UNKNOWN], d->checks[i].text,
                     d->checks[i].next);
}

static void put_rest(struct strbuf *out, const struct diagnosis *d,
                     enum outcome_verdict verdict, const char *what)
{
    int n = count_of(d, verdict),
        others = count_of(d, OUTCOME_FAIL) + count_of(d, OUTCOME_WARN);
    struct strbuf text, next;
    if (!n)
        return;
    strbuf_init(&text);
    strbuf_init(&next);
    strbuf_printf(&text, "%d %scheck%s%s", n,
                  verdict == OUTCOME_OK && others ? "more " : "", n == 1 ? "" : "s",
                  what);
    strbuf_printf(&next, "gait diagnose %s -v", d->facts.words);
    put_line(out, outcome_screen_text[verdict], text.s, next.s);
    strbuf_release(&text);
    strbuf_release(&next);
}

/* "3 evaluations of 0.41 s"; the reason where one was not timed. */
static void put_beside(struct strbuf *out, int64_t n, const struct once_timed *t,
                       const char *one, const char *many)
{
    if (!n)
        return;
    if (!t->known) {
        strbuf_printf(out, "      without %s: not available: ", many);
        put_clean(out, t->why_not.text);
        strbuf_putc(out, '\n');
        return;
    }
    strbuf_printf(out, "      with %s of %s, measured once",
                  unit_plural((double)n, one, many).s, unit_ns_of(t->ns).s);
    if (t->parts < t->of_all)
        strbuf_printf(out, " (%lld of its %lld batches)", (long long)t->parts,
                      (long long)t->of_all);
    strbuf_putc(out, '\n');
}

static void put_time(struct strbuf *out, const struct diagnosis *d)
{
    const struct estimate *e = &d->estimate;
    const struct median_interval *ns = &d->facts.step.ns;
    if (!e->known) {
        strbuf_puts(out, "Time: not available: ");
        put_clean(out, e->why_not.text);
        strbuf_putc(out, '\n');
        return;
    }
    strbuf_printf(out, "Time: %s per step, measured over %s → %s step%s in %s",
                  unit_ns_of(ns->median).s, unit_plural((double)ns->n, "step", "steps").s,
                  unit_thousands(e->steps).s, e->steps == 1 ? "" : "s",
                  unit_ns_of(e->s * 1e9).s);
    if (isnan(e->low_s))
        strbuf_puts(out, " (too few steps for an interval)\n");
    else
        strbuf_printf(out, " (%s to %s)\n", unit_ns_of(e->low_s * 1e9).s,
                      unit_ns_of(e->high_s * 1e9).s);
    put_beside(out, e->evaluations, &d->facts.evaluation, "validation", "validations");
    put_beside(out, e->checkpoints, &d->facts.checkpoint, "checkpoint", "checkpoints");
}

static void put_question(struct strbuf *out, enum question q, const struct answer *a)
{
    static const char *const word[ANSWER_COUNT] = {
        [ANSWER_NO] = "no", [ANSWER_YES] = "yes", [ANSWER_UNKNOWN] = "n/a"};
    int wide = utf8_letters(question_text[q]);
    strbuf_printf(out, "  %s", question_text[q]);
    strbuf_repeat(out, " ", wide < QUESTION_COLUMNS ? QUESTION_COLUMNS - wide : 1);
    strbuf_printf(out, "%-3s  %s", word[a->value],
                  a->value == ANSWER_UNKNOWN ? "not available: " : "");
    put_clean(out, a->text);
    strbuf_putc(out, '\n');
}

static void put_questions(struct strbuf *out, const struct diagnosis *d)
{
    enum question first = questions_first_yes(d->answers);
    if (!d->facts.step.known)
        return;
    strbuf_puts(out, "\nStill slow?  Measured just now; the first yes decides.\n");
    for (int i = 0; i < QUESTION_COUNT; i++)
        put_question(out, (enum question)i, &d->answers[i]);
    strbuf_puts(out, "Next: ");
    if (first < QUESTION_COUNT)
        put_clean(out, d->answers[first].next);
    else
        strbuf_printf(out, "gait profile %s -o slow.gait", d->facts.words);
    strbuf_putc(out, '\n');
}

void diagnosis_text(struct strbuf *out, const struct diagnosis *d, bool verbose)
{
    put_checks(out, d, OUTCOME_FAIL);
    put_checks(out, d, OUTCOME_WARN);
    if (verbose) {
        put_checks(out, d, OUTCOME_OK);
        put_checks(out, d, OUTCOME_UNKNOWN);
    } else {
        put_rest(out, d, OUTCOME_OK, "");
        put_next_of_unknown(out, d);
        put_rest(out, d, OUTCOME_UNKNOWN, " could not be made");
    }
    put_time(out, d);
    put_questions(out, d);
}

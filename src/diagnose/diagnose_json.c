#include "base/json_writer.h"
#include "diagnose/diagnose.h"

#include <math.h>

enum { DIAGNOSE_JSON_VERSION = 1 };

static double ms_or_null(double ns, bool known)
{
    return known ? ns / 1e6 : NAN;
}

static void json_checks(struct json_writer *w, const struct diagnosis *d)
{
    json_key(w, "checks");
    json_begin_array(w);
    for (int i = 0; i < CHECK_COUNT; i++) {
        json_begin_object(w);
        json_field_string(w, "check", check_name[i]);
        json_field_string(w, "verdict", outcome_json_text[d->checks[i].verdict]);
        json_field_string(w, "text", d->checks[i].text);
        json_field_string(w, "next", d->checks[i].next);
        json_end(w);
    }
    json_end(w);
}

static void json_once(struct json_writer *w, const char *key, int64_t n,
                      const struct once_timed *t)
{
    json_key(w, key);
    json_begin_object(w);
    json_field_int(w, "count", n);
    json_field_exact(w, "each_s", t->known ? t->ns / 1e9 : NAN);
    json_field_int(w, "parts_timed", t->known ? t->parts : 0);
    json_field_int(w, "parts", t->known ? t->of_all : 0);
    json_field_string(w, "why_not", t->known ? "" : t->why_not.text);
    json_end(w);
}

static void json_time(struct json_writer *w, const struct diagnosis *d)
{
    const struct estimate *e = &d->estimate;
    json_key(w, "time");
    json_begin_object(w);
    json_field_string(w, "why_not", e->known ? "" : e->why_not.text);
    json_field_int(w, "steps", e->steps);
    json_field_exact(w, "total_s", e->known ? e->s : NAN);
    json_field_exact(w, "low_s", e->known ? e->low_s : NAN);
    json_field_exact(w, "high_s", e->known ? e->high_s : NAN);
    json_once(w, "validations", e->evaluations, &d->facts.evaluation);
    json_once(w, "checkpoints", e->checkpoints, &d->facts.checkpoint);
    json_end(w);
}

static void json_step(struct json_writer *w, const struct step_facts *s)
{
    json_key(w, "step");
    json_begin_object(w);
    json_field_exact(w, "ms", ms_or_null(s->ns.median, s->known));
    json_field_exact(w, "low_ms", ms_or_null(s->ns.low, s->known));
    json_field_exact(w, "high_ms", ms_or_null(s->ns.high, s->known));
    json_field_int(w, "timed", (int64_t)s->ns.n);
    json_field_exact(w, "tokens", s->known ? s->tokens : NAN);
    json_field_exact(w, "data_frac", s->known ? s->data_frac : NAN);
    json_field_exact(w, "optimizer_frac", s->known ? s->optimizer_frac : NAN);
    json_field_exact(w, "products_frac", s->products_frac);
    json_field_exact(w, "products_flop_per_s", s->products_flop_per_s);
    json_field_exact(w, "peak_flop_per_s", s->peak_flop_per_s);
    json_field_string(w, "peak_how", s->peak_how.text);
    json_end(w);
}

static void json_timings(struct json_writer *w, const char *key,
                         const struct step_timings *t)
{
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < t->n; i++) {
        const struct step_timing *x = &t->of[i];
        bool known = x->ns.n > 0;
        json_begin_object(w);
        json_field_int(w, "value", x->value);
        json_key(w, "as_set");
        json_bool(w, x->as_set);
        json_field_exact(w, "step_ms", ms_or_null(x->ns.median, known));
        json_field_exact(w, "low_ms", ms_or_null(x->ns.low, known));
        json_field_exact(w, "high_ms", ms_or_null(x->ns.high, known));
        json_field_exact(w, "tokens_per_s", known ? x->tokens_per_s : NAN);
        json_field_int(w, "timed", (int64_t)x->ns.n);
        json_field_string(w, "why_not", known ? "" : x->why_not.text);
        json_end(w);
    }
    json_end(w);
}

static void json_questions(struct json_writer *w, const struct diagnosis *d)
{
    json_key(w, "questions");
    json_begin_array(w);
    for (int i = 0; i < QUESTION_COUNT; i++) {
        json_begin_object(w);
        json_field_string(w, "question", question_key[i]);
        json_field_string(w, "answer", answer_value_text[d->answers[i].value]);
        json_field_string(w, "text", d->answers[i].text);
        json_field_string(w, "next", d->answers[i].next);
        json_end(w);
    }
    json_end(w);
}

void diagnosis_json(struct strbuf *out, const struct diagnosis *d)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-diagnose");
    json_field_int(&w, "version", DIAGNOSE_JSON_VERSION);
    json_field_string(&w, "verdict", outcome_json_text[diagnosis_verdict(d)]);
    json_checks(&w, d);
    json_time(&w, d);
    json_step(&w, &d->facts.step);
    json_timings(&w, "threads", &d->facts.threads_timed);
    json_timings(&w, "batches", &d->facts.batches_timed);
    json_questions(&w, d);
    json_end(&w);
}

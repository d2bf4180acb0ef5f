/* Series under stable names: docs/verify.md. */
#include "base/json_writer.h"
#include "history/change_point.h"
#include "history/trend.h"

enum { TREND_JSON_VERSION = 1 };

static void text_or_null(struct json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    if (*text)
        json_string(w, text);
    else
        json_null(w);
}

static void put_baseline(struct json_writer *w, const struct history_baseline *b)
{
    json_begin_object(w);
    json_field_string(w, "name", b->name);
    json_field_string(w, "saved", b->utc);
    json_field_string(w, "path", b->path);
    json_field_string(w, "hash", b->hash);
    json_field_string(w, "machine", b->machine);
    json_field_exact(w, "step_ms", b->step_ms);
    json_field_exact(w, "memory_bytes", b->memory_bytes);
    json_end(w);
}

static void put_point(struct json_writer *w, const struct trend_point *p)
{
    json_begin_object(w);
    json_field_string(w, "time", p->utc);
    json_field_string(w, "verdict", p->verdict);
    json_field_exact(w, "before_ms", p->before_ms);
    json_field_exact(w, "after_ms", p->after_ms);
    json_field_exact(w, "change_frac", p->change);
    json_field_exact(w, "change_low_frac", p->low);
    json_field_exact(w, "change_high_frac", p->high);
    json_end(w);
}

static void put_change(struct json_writer *w, const struct trend_series *s,
                       const struct trend_change *c)
{
    json_begin_object(w);
    json_field_string(w, "from", s->point[c->at].utc);
    json_field_int(w, "at", (int64_t)c->at);
    json_field_exact(w, "change_frac", c->change);
    json_field_exact(w, "p", c->p);
    json_end(w);
}

static const char *outcome(const struct trend_series *s)
{
    if (s->n < CHANGE_POINT_MIN_POINTS)
        return "too_few";
    return !s->n_changes ? "no_change" : trend_is_slower(s) ? "slower" : "faster";
}

static void put_series(struct json_writer *w, const struct trend_series *s)
{
    json_begin_object(w);
    json_field_string(w, "kind", s->of->kind);
    json_field_string(w, "before", s->of->before);
    json_field_string(w, "after", s->of->after);
    text_or_null(w, "before_hash", s->of->before_hash);
    text_or_null(w, "machine", s->of->machine);
    json_field_string(w, "outcome", outcome(s));
    json_field_exact(w, "p", s->p);
    json_key(w, "changes");
    json_begin_array(w);
    for (size_t i = 0; i < s->n_changes; i++)
        put_change(w, s, &s->change[i]);
    json_end(w);
    json_key(w, "points");
    json_begin_array(w);
    for (size_t i = 0; i < s->n; i++)
        put_point(w, &s->point[i]);
    json_end(w);
    json_end(w);
}

void trend_print_json(struct strbuf *out, const struct trend *t, const struct history *h)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-verify-trend");
    json_field_int(&w, "version", TREND_JSON_VERSION);
    json_key(&w, "slower");
    json_bool(&w, trend_status(t, NULL) != STATUS_OK);
    json_field_exact(&w, "p_needed", trend_alpha(t));
    json_key(&w, "baselines");
    json_begin_array(&w);
    for (size_t i = 0; i < h->n_baselines; i++)
        put_baseline(&w, &h->baseline[i]);
    json_end(&w);
    json_key(&w, "series");
    json_begin_array(&w);
    for (size_t i = 0; i < t->n; i++)
        put_series(&w, &t->series[i]);
    json_end(&w);
    json_end(&w);
}

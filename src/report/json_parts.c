#include "report/json_parts.h"

#include <math.h>

#include "report/one_job.h"

#include <ctype.h>

void field_lower(struct json_writer *w, const char *key, const char *capitals)
{
    json_key(w, key);
    json_lower(w, capitals);
}

void json_lower(struct json_writer *w, const char *capitals)
{
    char low[32];
    size_t n = 0;
    for (; capitals[n] && n + 1 < sizeof low; n++)
        low[n] = (char)tolower((unsigned char)capitals[n]);
    low[n] = '\0';
    json_string(w, low);
}

void json_code_and_text(struct json_writer *w, const char *code, const char *text)
{
    json_begin_object(w);
    json_field_string(w, "code", code);
    json_field_string(w, "text", text);
    json_end(w);
}

void json_step_time(struct json_writer *w, const struct step_time *t)
{
    json_key(w, "step");
    json_begin_object(w);
    json_field_double(w, "ms", t->ns / 1e6, MS_DECIMALS);
    double told = t->count < STEP_INTERVAL_MIN ? NAN : 1;
    json_field_double(w, "low_ms", told * t->low_ns / 1e6, MS_DECIMALS);
    json_field_double(w, "high_ms", told * t->high_ns / 1e6, MS_DECIMALS);
    json_field_double(w, "spread_frac", t->spread_frac, FRAC_DECIMALS);
    json_field_int(w, "count", (int64_t)t->count);
    json_field_string(w, "statistic", t->mean ? "mean" : "median");
    json_field_string(w, "clock", step_basis_text[t->basis]);
    json_field_double(w, "host_ms", t->host_ns / 1e6, MS_DECIMALS);
    json_end(w);
}

void json_shown_step(struct json_writer *w, const struct analysis *a)
{
    if (a->n_ranks)
        json_step_time(w, &a->ranks[a->shown].step);
    else
        json_field_text_or_null(w, "step", NULL);
}

/* --- warnings --- */

static void put_warning(struct json_writer *w, bool coded, const char *code,
                        const char *text)
{
    if (coded)
        json_code_and_text(w, code, text);
    else
        json_string(w, text);
}

static void put_doubt(struct json_writer *w, const struct analysis *a, bool coded)
{
    struct strbuf doubt;
    strbuf_init(&doubt);
    if (one_job_doubt(&doubt, a))
        put_warning(w, coded, "not_one_job", doubt.s);
    strbuf_release(&doubt);
}

void json_warnings(struct json_writer *w, const struct analysis *a, bool coded)
{
    const struct run *run = a->run;
    json_key(w, "warnings");
    json_begin_array(w);
    put_doubt(w, a, coded);
    for (size_t i = 0; i < run->notes.table.n; i++)
        put_warning(w, coded, "note", run_name(run, run->notes.text[i]));
    for (size_t i = 0; i < run->ranks.table.n; i++)
        if (!run->ranks.complete[i])
            put_warning(
                w, coded, "cut_short",
                "a recording was cut short; the figures cover what could be read");
    json_end(w);
}

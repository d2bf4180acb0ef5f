/* What the JSON renderer's files share. Private to render_json*.c. */
#ifndef GAIT_REPORT_JSON_PARTS_H
#define GAIT_REPORT_JSON_PARTS_H

#include "analyze/analysis.h"
#include "base/json_writer.h"

enum { MS_DECIMALS = 6, FRAC_DECIMALS = 6 };

static inline void field_us_if(struct json_writer *w, const char *key, bool known,
                               int64_t ns)
{
    json_key(w, key);
    if (known)
        json_ns_as_us(w, ns);
    else
        json_null(w);
}

static inline void field_int_or_null(struct json_writer *w, const char *key, int64_t v,
                                     bool known)
{
    json_key(w, key);
    if (known)
        json_int(w, v);
    else
        json_null(w);
}

static inline void field_bool(struct json_writer *w, const char *key, bool v)
{
    json_key(w, key);
    json_bool(w, v);
}

/* The name of an enum's value in small letters. */
void json_lower(struct json_writer *w, const char *capitals);
void field_lower(struct json_writer *w, const char *key, const char *capitals);
/* An object that a script tells by its code, and a person by its text. */
void json_code_and_text(struct json_writer *w, const char *code, const char *text);

/* Key "step"; the second: of the shown rank, null where there is none. */
void json_step_time(struct json_writer *w, const struct step_time *t);
void json_shown_step(struct json_writer *w, const struct analysis *a);
/* Key "warnings": texts, or coded as json_code_and_text() has them. */
void json_warnings(struct json_writer *w, const struct analysis *a, bool coded);
/* Keys "job", and "clock" and "waits" of a row of run->ranks. */
void json_job(struct json_writer *w, const struct analysis *a);
void json_rank_clock(struct json_writer *w, const struct analysis *a, int32_t row);
void json_rank_waits(struct json_writer *w, const struct analysis *a, int32_t row);

#endif

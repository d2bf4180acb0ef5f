/* Answers of `gait whatif` under stable names: docs/whatif.md. Everything but the step,
 * the spans that matched and the unchanged path is predicted. */
#include "report/json_parts.h"
#include "report/render.h"
#include "report/render_json_findings.h"

#include <math.h>

enum { ANSWERS_JSON_VERSION = 1 };

static void put_asked(struct json_writer *w, const struct question *q)
{
#define KIND_NAME(v, lack) [QUESTION_##v] = #v,
    static const char *const kind[] = {QUESTION_LIST(KIND_NAME)};
    bool network = q->kind == QUESTION_NETWORK;
    bool selects = q->kind == QUESTION_REMOVE || q->kind == QUESTION_SCALE;
    bool scales = q->kind == QUESTION_SCALE || q->kind == QUESTION_BATCH;
    json_field_string(w, "question", q->text);
    field_lower(w, "kind", kind[q->kind]);
    json_field_text_or_null(w, "select", selects ? select_word[q->selector.what] : NULL);
    json_field_text_or_null(w, "pattern", selects ? q->selector.pattern : NULL);
    json_field_exact(w, "factor", scales ? q->factor : NAN);
    field_int_or_null(w, "ranks", q->ranks, network && q->ranks > 0);
    json_field_exact(w, "net_bytes_per_s",
                     network && q->net_bytes_per_s > 0 ? q->net_bytes_per_s : NAN);
}

static void put_answer(struct json_writer *w, const struct answers *x,
                       const struct answer *a)
{
    struct finding price = a->price;
    price.ceiling_ns = a->has_ceiling ? price.ceiling_ns : NAN;
    json_begin_object(w);
    put_asked(w, &a->question);
    json_field_int(w, "spans", (int64_t)a->matched);
    json_field_double(w, "spans_per_step", a->spans_per_step, FRAC_DECIMALS);
    json_price(w, &x->of, &price);
    json_field_text_or_null(w, "assumed", a->price.evidence);
    json_quantities(w, "assumed_values", a->price.quantity, a->price.n_quantities);
    json_end(w);
}

static void put_refused(struct json_writer *w, const struct answers *x)
{
#define LACK_CODE(v, lack) [QUESTION_##v] = (lack),
    static const char *const code[] = {QUESTION_LIST(LACK_CODE)};
    json_key(w, "refused");
    json_begin_array(w);
    for (size_t i = 0; i < x->n_refused; i++) {
        const struct refusal *r = &x->refused[i];
        json_begin_object(w);
        put_asked(w, &r->question);
        json_key(w, "reason");
        json_code_and_text(w, code[r->question.kind], r->err.text);
        json_end(w);
    }
    json_end(w);
}

static void put_together(struct json_writer *w, const struct answers *x)
{
    json_key(w, "together");
    if (x->n > 1)
        json_step_with_gain(
            w, &x->of,
            &(struct gain){x->together_gain_ns, x->together_low_ns, x->together_high_ns});
    else
        json_null(w);
}

static void put_path(struct json_writer *w, const struct answers *x)
{
#define PART_NAME(v, text, kinds) #v,
    static const char *const part[PATH_PART_COUNT] = {PATH_PART_LIST(PART_NAME)};
    json_key(w, "critical_path");
    json_begin_array(w);
    for (int i = 0; i < PATH_PART_COUNT; i++) {
        json_begin_object(w);
        field_lower(w, "part", part[i]);
        json_field_string(w, "text", path_part_text[i]);
        json_field_double(w, "before_ms", x->path_before_ns[i] / 1e6, MS_DECIMALS);
        json_field_double(w, "after_ms", x->path_after_ns[i] / 1e6, MS_DECIMALS);
        json_end(w);
    }
    json_end(w);
}

void render_json_answers(struct strbuf *out, const struct analysis *a,
                         const struct answers *answers)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-whatif");
    json_field_int(&w, "version", ANSWERS_JSON_VERSION);
    json_shown_step(&w, a);
    json_key(&w, "answers");
    json_begin_array(&w);
    for (size_t i = 0; i < answers->n; i++)
        put_answer(&w, answers, &answers->answer[i]);
    json_end(&w);
    put_refused(&w, answers);
    put_together(&w, answers);
    put_path(&w, answers);
    json_replay(&w, a, &answers->of);
    json_warnings(&w, a, true);
    json_end(&w);
}

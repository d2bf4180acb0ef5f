/* The gates under stable names: docs/verify.md. What a gate has not is null. */
#include "base/json_writer.h"
#include "verify/verify.h"

enum { VERIFY_JSON_VERSION = 1 };

static void field_int_or_null(struct json_writer *w, const char *key, int64_t v,
                              bool known)
{
    json_key(w, key);
    if (known)
        json_int(w, v);
    else
        json_null(w);
}

static void put_numbers(struct json_writer *w, const struct gate_numbers *n)
{
    json_field_text_or_null(w, "unit", n->unit);
    json_field_exact(w, "before_value", n->before);
    json_field_exact(w, "after_value", n->after);
    json_field_text_or_null(w, "change_unit", n->change_unit);
    json_field_exact(w, "change", n->change);
    json_field_exact(w, "change_low", n->change_low);
    json_field_exact(w, "change_high", n->change_high);
    json_field_exact(w, "allowed", n->allowed);
    field_int_or_null(w, "before_steps", n->before_count, n->before_count > 0);
    field_int_or_null(w, "after_steps", n->after_count, n->after_count > 0);
    json_key(w, "untraced");
    json_bool(w, n->untraced);
    field_int_or_null(w, "at_step", n->at_step, n->at_step >= 0);
}

static void put_gate(struct json_writer *w, const struct gate_result *g)
{
    json_begin_object(w);
    json_field_string(w, "name", g->name);
    json_field_string(w, "verdict", verdict_text[g->verdict]);
    json_field_string(w, "before", g->before);
    json_field_string(w, "after", g->after);
    json_field_text_or_null(w, "code", g->code);
    json_field_string(w, "remark", g->remark);
    put_numbers(w, &g->numbers);
    json_field_text_or_null(w, "at_parameter", g->at_parameter);
    json_end(w);
}

static void put_baseline(struct json_writer *w, const struct verify_baseline *b)
{
    json_key(w, "baseline");
    if (!*b->name) {
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_string(w, "name", b->name);
    json_field_string(w, "saved", b->saved);
    json_field_string(w, "hash", b->hash);
    json_field_exact(w, "step_ms_then", b->step_ms);
    json_field_exact(w, "memory_bytes_then", b->memory_bytes);
    json_key(w, "same_machine");
    json_bool(w, b->same_machine);
    json_end(w);
}

void verify_print_json(struct strbuf *out, const struct verify_result *r, size_t unread)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-verify");
    json_field_int(&w, "version", VERIFY_JSON_VERSION);
    json_field_string(&w, "verdict", verdict_text[verify_verdict(r, unread)]);
    json_key(&w, "failed");
    json_bool(&w, r->failed > 0);
    json_field_int(&w, "gates_applied", (int64_t)r->applied);
    json_field_int(&w, "gates_failed", (int64_t)r->failed);
    json_field_int(&w, "gates_unsure", (int64_t)r->unsure);
    json_field_int(&w, "files_unread", (int64_t)unread);
    json_key(&w, "operators_in_both");
    json_begin_object(&w);
    json_field_double(&w, "before_frac", r->shared.before_frac, 4);
    json_field_double(&w, "after_frac", r->shared.after_frac, 4);
    json_key(&w, "little");
    json_bool(&w, shared_work_is_little(&r->shared));
    json_end(&w);
    json_field_text_or_null(&w, "busy", r->busy);
    put_baseline(&w, &r->baseline);
    json_key(&w, "gates");
    json_begin_array(&w);
    for (size_t i = 0; i < r->n; i++)
        put_gate(&w, &r->gate[i]);
    json_end(&w);
    json_end(&w);
}

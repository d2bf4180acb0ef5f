/* What came of the rules, under stable names: docs/explain.md. */
#include "report/json_parts.h"
#include "report/render.h"
#include "report/render_json_findings.h"

enum { EXPLAIN_JSON_VERSION = 1 };

static bool is_of(const struct findings *f, size_t finding, const struct rule *rule)
{
    return f->finding[finding].rule == rule;
}

static const char *outcome_word(const struct findings *f, const struct rule *rule)
{
    if (findings_have(f, rule->name))
        return "found";
    return f->possible && findings_silent(f, rule) ? "not_found" : "not_asked";
}

static void put_limits(struct json_writer *w, const struct rule *rule)
{
    json_key(w, "limits");
    json_begin_array(w);
    for (size_t i = 0; i < RULE_LIMITS && rule->limit[i].what; i++) {
        json_begin_object(w);
        json_field_exact(w, "value", rule->limit[i].value);
        json_field_string(w, "what", rule->limit[i].what);
        json_end(w);
    }
    json_end(w);
}

static void put_rule(struct json_writer *w, const struct findings *f,
                     const struct rule *rule)
{
    json_begin_object(w);
    json_field_string(w, "rule", rule->name);
    json_field_string(w, "title", rule->title);
    json_field_string(w, "outcome", outcome_word(f, rule));
    json_lacks(w, f->possible ? rule->needs & ~f->has : 0);
    json_key(w, "findings");
    json_begin_array(w);
    for (size_t i = 0; i < f->n; i++)
        if (is_of(f, i, rule))
            json_int(w, (int64_t)i + 1);
    json_end(w);
    json_field_string(w, "effort", effort_text[rule->effort]);
    field_bool(w, "general", rule->general);
    json_field_double(w, "least_gain_frac", rule->least_gain_frac, FRAC_DECIMALS);
    put_limits(w, rule);
    json_end(w);
}

static void begin(struct json_writer *w, struct strbuf *out, const struct analysis *a)
{
    json_init(w, out);
    json_begin_object(w);
    json_field_string(w, "format", "gait-explain");
    json_field_int(w, "version", EXPLAIN_JSON_VERSION);
    json_shown_step(w, a);
}

static void end(struct json_writer *w, const struct analysis *a, const struct findings *f)
{
#define WHY_NOT_NAME(v, text) #v,
    static const char *const why_not[NO_REPLAY_COUNT] = {NO_REPLAY_LIST(WHY_NOT_NAME)};
    json_key(w, "reason");
    if (f->possible) {
        json_null(w);
    } else {
        json_begin_object(w);
        field_lower(w, "code", why_not[f->why_not]);
        json_field_string(w, "text", no_replay_text[f->why_not]);
        json_end(w);
    }
    json_replay(w, a, f);
    json_warnings(w, a, true);
    json_end(w);
}

void render_json_rules(struct strbuf *out, const struct analysis *a,
                       const struct findings *f, const struct rule *rule)
{
    struct json_writer w;
    begin(&w, out, a);
    json_key(&w, "rules");
    json_begin_array(&w);
    for (size_t i = 0; i < rule_count; i++)
        if (!rule || rule == &rule_table[i])
            put_rule(&w, f, &rule_table[i]);
    json_end(&w);
    json_key(&w, "findings");
    json_begin_array(&w);
    for (size_t i = 0; i < f->n; i++)
        if (!rule || is_of(f, i, rule))
            json_finding(&w, f, i);
    json_end(&w);
    end(&w, a, f);
}

void render_json_one_finding(struct strbuf *out, const struct analysis *a,
                             const struct findings *f, size_t finding)
{
    struct json_writer w;
    begin(&w, out, a);
    json_key(&w, "rules");
    json_begin_array(&w);
    put_rule(&w, f, f->finding[finding].rule);
    json_end(&w);
    json_key(&w, "findings");
    json_begin_array(&w);
    json_finding(&w, f, finding);
    json_end(&w);
    end(&w, a, f);
}

#include "lint/lint_json.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "lint/lint_counts.h"

#include <string.h>

const char *lint_safety_word(enum lint_safety safety)
{
    static const char *const words[] = {
        [LINT_ADVICE] = "advice",
        [LINT_SAFE] = "safe",
        [LINT_UNSAFE] = "unsafe",
    };
    return words[safety];
}

bool lint_edits_are_text(const struct lint_finding *f)
{
    for (size_t i = 0; i < f->n_edits; i++)
        if (!utf8_is_valid(f->edits[i].text, strlen(f->edits[i].text)))
            return false;
    return true;
}

static void write_edits(struct json_writer *w, const struct lint_finding *f)
{
    size_t n = lint_edits_are_text(f) ? f->n_edits : 0;
    json_key(w, "edits");
    json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        json_begin_object(w);
        json_field_int(w, "begin", f->edits[i].begin);
        json_field_int(w, "end", f->edits[i].end);
        json_field_string(w, "text", f->edits[i].text);
        json_end(w);
    }
    json_end(w);
}

static void field_ms(struct json_writer *w, const char *key, double ns)
{
    enum { MS_DECIMALS = 6 };
    json_field_double(w, key, ns / 1e6, MS_DECIMALS);
}

/* What a run says of it; null where none was given, or where it says no figure. */
static void write_cost(struct json_writer *w, const struct lint_cost *c)
{
    json_key(w, "cost");
    if (!c) {
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_string(w, "verdict", c->verdict);
    json_field_text_or_null(w, "rule", c->rule);
    json_field_int(w, "finding", c->number);
    json_field_int(w, "sharing", (int64_t)c->sharing);
    field_ms(w, "gain_ms", c->gain_ns);
    field_ms(w, "gain_low_ms", c->gain_low_ns);
    field_ms(w, "gain_high_ms", c->gain_high_ns);
    field_ms(w, "holds_ms", c->holds_ns);
    json_field_text_or_null(w, "reason", c->reason);
    json_end(w);
}

static void write_finding(struct json_writer *w, const struct lint_finding *f)
{
    json_begin_object(w);
    json_field_string(w, "id", f->id.s);
    json_field_string(w, "code", f->rule->code);
    json_field_string(w, "rule", f->rule->name);
    json_field_int(w, "line", f->line);
    json_field_int(w, "column", f->column);
    json_field_int(w, "end_line", f->end_line);
    json_field_int(w, "end_column", f->end_column);
    json_field_string(w, "title", f->rule->title);
    json_field_string(w, "source", f->source);
    json_field_string(w, "why", f->rule->why);
    json_field_string(w, "advice", f->advice);
    json_field_text_or_null(w, "price", f->price);
    write_cost(w, f->cost);
    json_key(w, "also_lines");
    json_begin_array(w);
    for (size_t i = 0; i < f->n_also; i++)
        json_int(w, f->also_lines[i]);
    json_end(w);
    json_field_string(w, "safety", lint_safety_word(f->safety));
    write_edits(w, f);
    json_end(w);
}

static void write_file(struct json_writer *w, const struct lint_file *f)
{
    json_begin_object(w);
    json_field_string(w, "path", f->path);
    json_field_text_or_null(w, "failure", f->failure);
    json_key(w, "syntax_error_line");
    if (f->error_line)
        json_int(w, f->error_line);
    else
        json_null(w);
    json_field_int(w, "suppressed", (int64_t)f->suppressed);
    json_key(w, "findings");
    json_begin_array(w);
    for (size_t i = 0; i < f->n; i++)
        write_finding(w, &f->findings[i]);
    json_end(w);
    json_end(w);
}

static void write_files(struct json_writer *w, const struct lint_result *r)
{
    json_begin_array(w);
    for (size_t i = 0; i < r->n; i++)
        write_file(w, &r->files[i]);
    json_end(w);
}

static void write_folder(struct json_writer *w, const struct lint_path_failure *f)
{
    json_begin_object(w);
    json_field_string(w, "path", *f->path ? f->path : ".");
    json_field_string(w, "failure", f->why);
    json_end(w);
}

static void write_statistics(struct json_writer *w, const struct lint_result *r)
{
    struct lint_rule_hits *hits;
    size_t n = lint_rule_hits_of(&hits, r);
    json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        json_begin_object(w);
        json_field_string(w, "code", hits[i].rule->code);
        json_field_string(w, "rule", hits[i].rule->name);
        json_field_int(w, "findings", (int64_t)hits[i].n);
        json_field_int(w, "fixable", (int64_t)hits[i].safe);
        json_field_int(w, "fixable_unsafe", (int64_t)hits[i].unsafe);
        json_end(w);
    }
    json_end(w);
    mem_free(hits);
}

static void write_summary(struct json_writer *w, const struct lint_result *r,
                          const struct lint_json_options *o)
{
    struct lint_counts c = lint_counts_of(r);
    json_key(w, "summary");
    json_begin_object(w);
    json_field_int(w, "files", (int64_t)c.files);
    json_field_int(w, "files_unreadable", (int64_t)c.unreadable);
    json_field_int(w, "files_partly_checked", (int64_t)c.not_parsed);
    json_field_int(w, "folders_unreadable", (int64_t)o->n_folders);
    json_field_int(w, "files_with_findings", (int64_t)c.with_findings);
    json_field_int(w, "findings", (int64_t)c.findings);
    json_field_int(w, "suppressed", (int64_t)c.suppressed);
    json_field_int(w, "fixable", (int64_t)c.safe);
    json_field_int(w, "fixable_unsafe", (int64_t)c.unsafe);
    json_field_int(w, "fixed", (int64_t)o->fixed);
    json_end(w);
}

void lint_json_write(struct strbuf *out, const struct lint_result *r,
                     const struct lint_json_options *o)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-lint");
    json_field_int(&w, "version", LINT_JSON_VERSION);
    json_field_int(&w, "rules_checked", (int64_t)o->rules_checked);
    json_key(&w, "files");
    if (o->statistics)
        json_null(&w);
    else
        write_files(&w, r);
    json_key(&w, "folders_unreadable");
    json_begin_array(&w);
    for (size_t i = 0; i < o->n_folders; i++)
        write_folder(&w, &o->folders[i]);
    json_end(&w);
    json_key(&w, "statistics");
    if (o->statistics)
        write_statistics(&w, r);
    else
        json_null(&w);
    write_summary(&w, r, o);
    json_end(&w);
}

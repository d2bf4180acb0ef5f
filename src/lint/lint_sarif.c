#include "lint/lint_sarif.h"

#include "base/json_writer.h"
#include "lint/file_uri.h"
#include "lint/lint_fix.h"
#include "lint/lint_json.h"
#include "lint/text_lines.h"

#include <string.h>

static const char schema_uri[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/"
    "os/schemas/sarif-schema-2.1.0.json";

/* --- messages */

/* Braces are placeholders unless doubled, [a](b) is a link unless escaped (SARIF 3.11.5
 * and 3.11.6). */
static void add_message(struct strbuf *b, const char *text)
{
    bool may_link = strstr(text, "](") != NULL;
    for (const char *s = text; *s; s++) {
        if (*s == '{' || *s == '}')
            strbuf_putc(b, *s);
        else if (may_link && (*s == '[' || *s == ']'))
            strbuf_putc(b, '\\');
        strbuf_putc(b, *s);
    }
}

static void write_message(struct json_writer *w, const char *key, const char *text)
{
    struct strbuf b;
    strbuf_init(&b);
    add_message(&b, text);
    json_key(w, key);
    json_begin_object(w);
    json_field_string(w, "text", b.s);
    json_end(w);
    strbuf_release(&b);
}

static void write_result_message(struct json_writer *w, const struct lint_finding *f)
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_printf(&b, "%s\nhelp: %s", f->rule->title, f->advice);
    if (f->price && *f->price)
        strbuf_printf(&b, "\ncost: %s", f->price);
    write_message(w, "message", b.s);
    strbuf_release(&b);
}

/* --- places */

static void write_artifact(struct json_writer *w, const char *path)
{
    struct strbuf uri;
    strbuf_init(&uri);
    file_uri(&uri, path);
    json_key(w, "artifactLocation");
    json_begin_object(w);
    json_field_string(w, "uri", uri.s);
    json_end(w);
    strbuf_release(&uri);
}

static void write_region(struct json_writer *w, const char *key, struct text_place begin,
                         struct text_place end)
{
    json_key(w, key);
    json_begin_object(w);
    json_field_int(w, "startLine", begin.line);
    json_field_int(w, "startColumn", begin.column);
    json_field_int(w, "endLine", end.line);
    json_field_int(w, "endColumn", end.column);
    json_end(w);
}

/* In an array. */
static void begin_place(struct json_writer *w, const char *path)
{
    json_begin_object(w);
    json_key(w, "physicalLocation");
    json_begin_object(w);
    write_artifact(w, path);
}

static void begin_location(struct json_writer *w, const char *path)
{
    json_key(w, "locations");
    json_begin_array(w);
    begin_place(w, path);
}

static void end_location(struct json_writer *w)
{
    json_end(w);
    json_end(w);
    json_end(w);
}

/* --- the tool */

static void write_rule(struct json_writer *w, const struct lint_rule *rule)
{
    json_begin_object(w);
    json_field_string(w, "id", rule->code);
    json_field_string(w, "name", rule->name);
    write_message(w, "shortDescription", rule->title);
    write_message(w, "fullDescription", rule->why);
    write_message(w, "help", rule->fix);
    json_key(w, "defaultConfiguration");
    json_begin_object(w);
    json_key(w, "enabled");
    json_bool(w, rule->on);
    json_field_string(w, "level", "warning");
    json_end(w);
    json_key(w, "properties");
    json_begin_object(w);
    json_key(w, "tags");
    json_begin_array(w);
    json_string(w, "performance");
    json_end(w);
    json_end(w);
    json_end(w);
}

static void write_tool(struct json_writer *w, const struct lint_sarif_options *o)
{
    json_key(w, "tool");
    json_begin_object(w);
    json_key(w, "driver");
    json_begin_object(w);
    json_field_string(w, "name", "gait lint");
    json_field_string(w, "version", o->version);
    json_key(w, "rules");
    json_begin_array(w);
    for (size_t i = 0; i < o->n_rules; i++)
        write_rule(w, &o->rules[i]);
    json_end(w);
    json_end(w);
    json_end(w);
}

static void write_notification(struct json_writer *w, const struct lint_file *f)
{
    struct strbuf text;
    strbuf_init(&text);
    if (f->failure)
        strbuf_puts(&text, f->failure);
    else
        strbuf_printf(&text, "line %d could not be parsed; the rest was checked",
                      (int)f->error_line);
    json_begin_object(w);
    json_field_string(w, "level", f->failure ? "error" : "warning");
    write_message(w, "message", text.s);
    begin_location(w, f->path);
    if (!f->failure) {
        json_key(w, "region");
        json_begin_object(w);
        json_field_int(w, "startLine", f->error_line);
        json_end(w);
    }
    end_location(w);
    json_end(w);
    strbuf_release(&text);
}

static void write_invocation(struct json_writer *w, const struct lint_result *r)
{
    bool all_read = true;
    json_key(w, "invocations");
    json_begin_array(w);
    json_begin_object(w);
    json_key(w, "toolExecutionNotifications");
    json_begin_array(w);
    for (size_t i = 0; i < r->n; i++) {
        if (r->files[i].failure || r->files[i].error_line)
            write_notification(w, &r->files[i]);
        all_read = all_read && !r->files[i].failure;
    }
    json_end(w);
    json_key(w, "executionSuccessful");
    json_bool(w, all_read);
    json_end(w);
    json_end(w);
}

/* --- results */

static void write_replacements(struct json_writer *w, const struct lint_finding *f,
                               const struct text_lines *lines)
{
    json_key(w, "replacements");
    json_begin_array(w);
    for (size_t i = 0; i < f->n_edits; i++) {
        const struct lint_edit *e = &f->edits[i];
        json_begin_object(w);
        write_region(w, "deletedRegion", text_lines_place(lines, e->begin),
                     text_lines_place(lines, e->end));
        json_key(w, "insertedContent");
        json_begin_object(w);
        json_field_string(w, "text", e->text);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static void write_fix(struct json_writer *w, const char *path,
                      const struct lint_finding *f, const struct text_lines *lines)
{
    json_key(w, "fixes");
    json_begin_array(w);
    json_begin_object(w);
    write_message(w, "description", f->advice);
    json_key(w, "artifactChanges");
    json_begin_array(w);
    json_begin_object(w);
    write_artifact(w, path);
    write_replacements(w, f, lines);
    json_end(w);
    json_end(w);
    json_end(w);
    json_end(w);
}

/* The other lines of a row: what waits for the same work. */
static void write_related(struct json_writer *w, const char *path,
                          const struct lint_finding *f)
{
    if (!f->n_also)
        return;
    json_key(w, "relatedLocations");
    json_begin_array(w);
    for (size_t i = 0; i < f->n_also; i++) {
        begin_place(w, path);
        json_key(w, "region");
        json_begin_object(w);
        json_field_int(w, "startLine", f->also_lines[i]);
        json_end(w);
        json_end(w);
        write_message(w, "message", "waits for the same work");
        json_end(w);
    }
    json_end(w);
}

static void write_result(struct json_writer *w, const struct lint_file *file,
                         const struct lint_finding *f, const struct text_lines *lines,
                         const struct lint_sarif_options *o)
{
    json_begin_object(w);
    json_field_string(w, "ruleId", f->rule->code);
    json_field_int(w, "ruleIndex", f->rule - o->rules);
    json_field_string(w, "level", "warning");
    write_result_message(w, f);
    begin_location(w, file->path);
    write_region(w, "region", (struct text_place){f->line, f->column},
                 (struct text_place){f->end_line, f->end_column});
    end_location(w);
    write_related(w, file->path, f);
    if (lines && f->n_edits && lint_edits_are_text(f))
        write_fix(w, file->path, f, lines);
    if (f->price && *f->price) {
        json_key(w, "properties");
        json_begin_object(w);
        json_field_string(w, "price", f->price);
        json_end(w);
    }
    json_end(w);
}

static bool has_edits(const struct lint_file *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->findings[i].n_edits)
            return true;
    return false;
}

static void write_results(struct json_writer *w, const struct lint_file *f,
                          const struct lint_sarif_options *o)
{
    struct lint_source source;
    struct text_lines lines;
    bool have_text = has_edits(f) && !lint_source_read(&source, f, NULL);
    if (have_text)
        text_lines_init(&lines, source.text, source.len);
    for (size_t i = 0; i < f->n; i++)
        write_result(w, f, &f->findings[i], have_text ? &lines : NULL, o);
    if (have_text) {
        text_lines_release(&lines);
        lint_source_release(&source);
    }
}

void lint_sarif_write(struct strbuf *out, const struct lint_result *r,
                      const struct lint_sarif_options *o)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "$schema", schema_uri);
    json_field_string(&w, "version", "2.1.0");
    json_key(&w, "runs");
    json_begin_array(&w);
    json_begin_object(&w);
    write_tool(&w, o);
    write_invocation(&w, r);
    json_field_string(&w, "columnKind", "unicodeCodePoints");
    json_key(&w, "results");
    json_begin_array(&w);
    for (size_t i = 0; i < r->n; i++)
        write_results(&w, &r->files[i], o);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json_end(&w);
}

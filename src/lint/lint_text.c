#include "lint/lint_text.h"

#include "base/mem.h"
#include "base/text_fit.h"
#include "lint/lint_counts.h"
#include "lint/lint_rows.h"
#include "lint/source_window.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 100, COLUMNS_MIN = 40 };

static const char bold[] = "1", red[] = "31", blue[] = "34";

struct told {
    const struct lint_rule *rule;
};

struct writer {
    struct strbuf *out;
    const struct lint_text_options *o;
    struct arena clean;
    int columns;
    struct told *told; /* (n_told) rules whose why was written */
    size_t n_told, cap_told;
};

static void writer_init(struct writer *w, struct strbuf *out,
                        const struct lint_text_options *o)
{
    int columns = o->columns && o->columns < COLUMNS_MAX ? o->columns : COLUMNS_MAX;
    *w = (struct writer){.out = out, .o = o};
    w->columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
    arena_init(&w->clean);
}

static void writer_release(struct writer *w)
{
    arena_release(&w->clean);
    mem_free(w->told);
}

static void style(struct writer *w, const char *code)
{
    if (w->o->colour)
        strbuf_printf(w->out, "\033[%sm", code);
}

static void put(struct writer *w, const char *code, const char *text)
{
    style(w, code);
    strbuf_puts(w->out, text);
    style(w, "0");
}

/* Text of others, without what could drive a terminal. */
static const char *clean(struct writer *w, const char *text)
{
    return text_clean(&w->clean, text, INT_MAX);
}

/* --- one finding */

/* Would this command line with --fix fix it? */
static bool is_fixable(const struct writer *w, const struct lint_finding *f)
{
    return f->safety == LINT_SAFE || (f->safety == LINT_UNSAFE && w->o->unsafe_fixes);
}

static void write_place(struct writer *w, const char *path, int32_t line, int32_t column)
{
    put(w, bold, clean(w, path));
    strbuf_printf(w->out, ":%d:%d: ", (int)line, (int)column);
}

/* "   = label: text", wrapped below its own beginning; a line break begins a line. */
static void write_note(struct writer *w, int gutter, const char *label, const char *text)
{
    int indent = gutter + (int)strlen(" = : ") + (int)strlen(label);
    strbuf_printf(w->out, "%*s ", gutter, "");
    put(w, blue, "=");
    strbuf_puts(w->out, " ");
    style(w, bold);
    strbuf_printf(w->out, "%s:", label);
    style(w, "0");
    strbuf_puts(w->out, " ");
    for (const char *line = text; line;) {
        const char *end = strchr(line, '\n');
        char *one = end ? mem_strndup(line, (size_t)(end - line)) : mem_strdup(line);
        text_wrap(w->out, clean(w, one), w->columns, indent);
        mem_free(one);
        strbuf_putc(w->out, '\n');
        line = end ? end + 1 : NULL;
        if (line)
            strbuf_repeat(w->out, " ", indent);
    }
}

static void write_bar(struct writer *w, int gutter, const char *number)
{
    style(w, blue);
    strbuf_printf(w->out, "%*s |", gutter, number);
    style(w, "0");
}

static void write_source(struct writer *w, int gutter, const struct lint_finding *f)
{
    char number[16];
    struct source_window window;
    source_window_init(&window, clean(w, f->source), f->caret, f->caret_width,
                       w->columns - gutter - (int)strlen(" | "));
    snprintf(number, sizeof number, "%d", (int)f->line);
    write_bar(w, gutter, "");
    strbuf_putc(w->out, '\n');
    write_bar(w, gutter, number);
    strbuf_printf(w->out, " %s\n", window.text.s);
    write_bar(w, gutter, "");
    strbuf_printf(w->out, " %*s", window.caret, "");
    style(w, red);
    strbuf_repeat(w->out, "^", window.width);
    style(w, "0");
    strbuf_putc(w->out, '\n');
    source_window_release(&window);
}

/* True the first time. */
static bool tell(struct writer *w, const struct lint_rule *rule)
{
    for (size_t i = 0; i < w->n_told; i++)
        if (w->told[i].rule == rule)
            return false;
    vec_grow(w->told, w->cap_told, w->n_told + 1);
    w->told[w->n_told++].rule = rule;
    return true;
}

static void write_help(struct writer *w, int gutter, const struct lint_finding *f,
                       bool first)
{
    bool own = strcmp(f->advice, f->rule->fix) != 0;
    if (!first && !own && f->safety == LINT_ADVICE)
        return;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, f->advice);
    if (is_fixable(w, f))
        strbuf_puts(&text, " [*]");
    else if (f->safety == LINT_UNSAFE)
        strbuf_puts(&text, " [* with --unsafe-fixes]");
    write_note(w, gutter, "help", text.s);
    strbuf_release(&text);
}

static void write_others(struct writer *w, int gutter, const struct lint_finding *f)
{
    struct strbuf text;
    strbuf_init(&text);
    lint_rows_tell(&text, f);
    if (text.len)
        write_note(w, gutter, "also", text.s);
    strbuf_release(&text);
}

static void write_finding(struct writer *w, const char *path,
                          const struct lint_finding *f)
{
    int gutter = snprintf(NULL, 0, "%d", (int)f->line);
    bool first = tell(w, f->rule);
    if (gutter < 3)
        gutter = 3; /* most lines: the bars of all findings are in one column */
    write_place(w, path, f->line, f->column);
    put(w, red, f->rule->code);
    strbuf_printf(w->out, " %s: %s\n", f->rule->name, f->rule->title);
    write_source(w, gutter, f);
    if (first)
        write_note(w, gutter, "why", f->rule->why);
    write_help(w, gutter, f, first);
    write_others(w, gutter, f);
    if (f->price && *f->price)
        write_note(w, gutter, "cost", f->price);
    strbuf_putc(w->out, '\n');
}

static void write_concise(struct writer *w, const char *path,
                          const struct lint_finding *f)
{
    write_place(w, path, f->line, f->column);
    put(w, red, f->rule->code);
    strbuf_printf(w->out, " %s%s", is_fixable(w, f) ? "[*] " : "", f->rule->title);
    if (f->price && *f->price)
        strbuf_printf(w->out, " (%s)", clean(w, f->price));
    if (f->n_also) {
        strbuf_puts(w->out, " (");
        lint_rows_tell(w->out, f);
        strbuf_puts(w->out, ")");
    }
    strbuf_putc(w->out, '\n');
}

/* --- all of them */

static void write_remarks(struct writer *w, const struct lint_file *f)
{
    if (f->failure) {
        put(w, red, "not checked:");
        strbuf_printf(w->out, " %s\n", clean(w, f->failure));
    } else if (f->error_line) {
        write_place(w, f->path, f->error_line, 1);
        strbuf_printf(w->out, "line %d could not be parsed; the rest was checked\n",
                      (int)f->error_line);
    }
}

static void write_files(struct writer *w, const struct lint_result *r,
                        void (*write)(struct writer *, const char *,
                                      const struct lint_finding *))
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->files[i].n; k++)
            write(w, r->files[i].path, &r->files[i].findings[k]);
    for (size_t i = 0; i < r->n; i++)
        write_remarks(w, &r->files[i]);
}

void lint_text_write(struct strbuf *out, const struct lint_result *r,
                     const struct lint_text_options *o)
{
    struct writer w;
    writer_init(&w, out, o);
    write_files(&w, r, write_finding);
    writer_release(&w);
    lint_text_summary(out, r, o);
}

void lint_text_write_concise(struct strbuf *out, const struct lint_result *r,
                             const struct lint_text_options *o)
{
    struct writer w;
    writer_init(&w, out, o);
    write_files(&w, r, write_concise);
    writer_release(&w);
    lint_text_summary(out, r, o);
}

/* [*] all findings of the rule can be fixed, [-] some, [ ] none */
static char fixable_mark(const struct lint_rule_hits *h, bool unsafe_fixes)
{
    size_t fixable = h->safe + (unsafe_fixes ? h->unsafe : 0);
    return fixable == h->n ? '*' : fixable ? '-' : ' ';
}

void lint_text_write_statistics(struct strbuf *out, const struct lint_result *r,
                                const struct lint_text_options *o)
{
    struct lint_rule_hits *hits;
    size_t n = lint_rule_hits_of(&hits, r);
    int width = n ? snprintf(NULL, 0, "%zu", hits[0].n) : 0;
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "%*zu  %s  [%c] %s\n", width, hits[i].n, hits[i].rule->code,
                      fixable_mark(&hits[i], o->unsafe_fixes), hits[i].rule->name);
    mem_free(hits);
    struct writer w;
    writer_init(&w, out, o);
    for (size_t i = 0; i < r->n; i++)
        write_remarks(&w, &r->files[i]);
    writer_release(&w);
    lint_text_summary(out, r, o);
}

/* --- the last lines */

/* "1 file", "2 files" */
static void put_count(struct strbuf *out, size_t n, const char *what)
{
    strbuf_printf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void put_found(struct strbuf *out, const struct lint_counts *c, size_t fixed)
{
    if (fixed) {
        strbuf_puts(out, "Fixed ");
        put_count(out, fixed, "finding");
        strbuf_printf(out, "; %zu left", c->findings);
    } else if (c->findings) {
        put_count(out, c->findings, "finding");
    } else {
        strbuf_puts(out, "No findings");
    }
    strbuf_puts(out, " in ");
    if (c->findings)
        strbuf_printf(out, "%zu of ", c->with_findings);
    put_count(out, c->files, "file");
    if (c->suppressed)
        strbuf_printf(out, " (%zu suppressed by noqa)", c->suppressed);
    strbuf_putc(out, '\n');
}

/* The fixes that --fix would make, then those that need more than it. */
static void put_fixes(struct strbuf *out, size_t now, size_t more)
{
    if (now)
        strbuf_printf(out, "[*] %zu can be fixed with --fix", now);
    if (now && more)
        strbuf_printf(out, ", %zu more with --fix --unsafe-fixes", more);
    else if (more)
        strbuf_printf(out, "%zu can be fixed with --fix --unsafe-fixes", more);
    if (now || more)
        strbuf_putc(out, '\n');
}

void lint_text_summary(struct strbuf *out, const struct lint_result *r,
                       const struct lint_text_options *o)
{
    struct lint_counts c = lint_counts_of(r);
    if (c.files || !c.unreadable)
        put_found(out, &c, o->fixed);
    if (o->unsafe_fixes)
        put_fixes(out, c.safe + c.unsafe, 0);
    else
        put_fixes(out, c.safe, c.unsafe);
    if (c.unreadable) {
        put_count(out, c.unreadable, "file");
        strbuf_puts(out, " could not be read\n");
    }
}

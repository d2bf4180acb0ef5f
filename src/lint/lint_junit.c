#include "lint/lint_junit.h"

#include "base/junit.h"
#include "lint/lint_rows.h"

/* "train.py:10:18: GT101 sync-item: the host waits …" */
static void put_place(struct strbuf *out, const char *path, const struct lint_finding *f)
{
    strbuf_printf(out, "%s:%d:%d: %s %s: %s", path, (int)f->line, (int)f->column,
                  f->rule->code, f->rule->name, f->rule->title);
}

static void put_finding(struct junit *j, const char *path, const struct lint_finding *f)
{
    struct strbuf message, body;
    strbuf_init(&message);
    strbuf_init(&body);
    put_place(&message, path, f);
    strbuf_printf(&body, "%s\n%s\n", message.s, f->source); /* many show this alone */
    strbuf_printf(&body, "help: %s\n", f->advice);
    if (f->n_also) {
        strbuf_puts(&body, "also: ");
        lint_rows_tell(&body, f);
        strbuf_putc(&body, '\n');
    }
    if (f->price && *f->price)
        strbuf_printf(&body, "cost: %s\n", f->price);
    junit_add(j, JUNIT_FAILURE, f->rule->code, message.s, body.s);
    strbuf_release(&message);
    strbuf_release(&body);
}

/* Many readers show the first failure of a test case alone: the list is printed too. */
static void print_list(struct junit *j, const struct lint_file *f)
{
    struct strbuf line;
    strbuf_init(&line);
    for (size_t i = 0; i < f->n && f->n > 1; i++) {
        strbuf_clear(&line);
        put_place(&line, f->path, &f->findings[i]);
        strbuf_putc(&line, '\n');
        junit_print(j, line.s);
    }
    strbuf_release(&line);
}

static void put_file(struct junit *j, const struct lint_file *f)
{
    struct strbuf line;
    strbuf_init(&line);
    junit_begin_case(j, "gait.lint", f->path);
    if (f->failure)
        junit_add(j, JUNIT_ERROR, "not_checked", f->failure, f->failure);
    for (size_t i = 0; i < f->n; i++)
        put_finding(j, f->path, &f->findings[i]);
    print_list(j, f);
    if (!f->failure && f->error_line) {
        strbuf_printf(&line, "line %d could not be parsed; the rest was checked\n",
                      (int)f->error_line);
        junit_print(j, line.s);
    }
    junit_end_case(j);
    strbuf_release(&line);
}

void lint_junit_write(struct strbuf *out, const struct lint_result *r,
                      const struct lint_junit_options *o)
{
    struct junit j;
    junit_init(&j);
    for (size_t i = 0; i < r->n; i++)
        put_file(&j, &r->files[i]);
    for (size_t i = 0; i < o->n_folders; i++) {
        junit_begin_case(&j, "gait.lint", o->folders[i].path);
        junit_add(&j, JUNIT_ERROR, "not_checked", o->folders[i].why, o->folders[i].why);
        junit_end_case(&j);
    }
    junit_finish(&j, out, "gait lint");
}

#include "lint/lint_explain.h"

#include "base/text_fit.h"

#include <string.h>

enum { COLUMNS_MAX = 100, COLUMNS_MIN = 40, INDENT = 8 };

static void put_field(struct strbuf *out, const char *label, const char *text,
                      int columns)
{
    strbuf_printf(out, "%-*s", INDENT, label);
    text_wrap(out, text, columns, INDENT);
    strbuf_putc(out, '\n');
}

/* One line a rule of `gait analyze`, as the command that asks it. */
static void put_priced_by(struct strbuf *out, const char *rules)
{
    const char *label = "price:";
    while (*rules) {
        size_t len = strcspn(rules, " ");
        strbuf_printf(out, "%-*sgait explain %.*s TRACE\n", INDENT, label, (int)len,
                      rules);
        rules += len + strspn(rules + len, " ");
        label = "";
    }
}

static void put_state(struct strbuf *out, const struct lint_rule *rule, int columns)
{
    struct strbuf state;
    strbuf_init(&state);
    strbuf_printf(&state, "%s by default", rule->on ? "on" : "off");
    if (!rule->on)
        strbuf_printf(&state, "; gait lint --extend-select %s adds it%s", rule->code,
                      rule->with_run ? ", --with RUN where the run prices it" : "");
    put_field(out, "state:", state.s, columns);
    strbuf_release(&state);
}

void lint_explain_write(struct strbuf *out, const struct lint_rule *rule,
                        const struct lint_explain_options *o)
{
    int columns = o->columns && o->columns < COLUMNS_MAX ? o->columns : COLUMNS_MAX;
    columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
    strbuf_printf(out, "%s%s %s%s: ", o->colour ? "\033[1m" : "", rule->code, rule->name,
                  o->colour ? "\033[0m" : "");
    text_wrap(out, rule->title, columns,
              (int)(strlen(rule->code) + strlen(rule->name) + strlen(" : ")));
    strbuf_puts(out, "\n\n");
    put_field(out, "why:", rule->why, columns);
    put_field(out, "fix:", rule->fix, columns);
    if (*rule->priced_by)
        put_priced_by(out, rule->priced_by);
    put_state(out, rule, columns);
    strbuf_printf(out, "%-*sgait help %s\n", INDENT, "more:", rule->code);
}

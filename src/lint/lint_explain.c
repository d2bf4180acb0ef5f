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
    if (rule->on) {
        put_field(out, "state:", "on by default", columns);
    } else {
        struct strbuf off;
        strbuf_init(&off);
        strbuf_printf(&off, "off by default; gait lint --extend-select %s adds it",
                      rule->code);
        put_field(out, "state:", off.s, columns);
        strbuf_release(&off);
    }
    strbuf_printf(out, "%-*sdocs/rules/%s-%s.md\n", INDENT, "page:", rule->code,
                  rule->name);
}

#include "lint/lint_rule.h"

#include <string.h>

const struct lint_rule *lint_rule_find(const char *word)
{
    for (size_t i = 0; i < lint_rule_count; i++)
        if (!strcmp(word, lint_rules[i].code) || !strcmp(word, lint_rules[i].name))
            return &lint_rules[i];
    return NULL;
}

static void print_prices(struct strbuf *out, const char *names)
{
    while (*names) {
        size_t n = strcspn(names, " ");
        strbuf_printf(out, "[%.*s](%.*s.md) ", (int)n, names, (int)n, names);
        names += n + (names[n] == ' ');
    }
}

static const char *when_it_speaks(const struct lint_rule *r)
{
    return r->on ? "yes" : r->with_run ? "with a run that prices it" : "when selected";
}

void lint_rules_print_markdown(struct strbuf *out)
{
    strbuf_puts(out, "| code | rule | what is wrong | on | priced by |\n"
                     "|---|---|---|---|---|\n");
    for (size_t i = 0; i < lint_rule_count; i++) {
        const struct lint_rule *r = &lint_rules[i];
        strbuf_printf(out, "| %s | [%s](%s-%s.md) | %s | %s | ", r->code, r->name,
                      r->code, r->name, r->title, when_it_speaks(r));
        print_prices(out, r->priced_by);
        strbuf_puts(out, "|\n");
    }
}

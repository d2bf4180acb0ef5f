#include "rules/rule.h"

#include "base/strbuf.h"

#include <string.h>

#define LIMIT(value, what)                                                               \
    {                                                                                    \
        value, what                                                                      \
    }
#define NO_LIMITS LIMIT(0, NULL)
#define RULE_ROW(function, name, title, needs, effort, general, least, ...)              \
    {name, title, needs, EFFORT_##effort, general, least, {__VA_ARGS__}, rule_##function},
const struct rule rule_table[] = {RULE_LIST(RULE_ROW)};
const size_t rule_count = sizeof rule_table / sizeof *rule_table;

#define FIX_ROW(name, torch, gait) {name, torch, gait},
static const struct rule_fix fixes[] = {FIX_LIST_DEVICE(FIX_ROW) FIX_LIST_OPS(FIX_ROW)
                                            FIX_LIST_JOB(FIX_ROW)};

const struct rule *rule_named(const char *name)
{
    for (size_t i = 0; i < rule_count; i++)
        if (!strcmp(rule_table[i].name, name))
            return &rule_table[i];
    return NULL;
}

void rules_print_markdown(struct strbuf *out)
{
    strbuf_puts(out, "| rule | what is told | needs | effort | least gain |\n");
    strbuf_puts(out, "|---|---|---|---|---|\n");
    for (size_t i = 0; i < rule_count; i++) {
        const struct rule *r = &rule_table[i];
        strbuf_printf(out, "| [%s](%s.md) | %s | ", r->name, r->name, r->title);
        rule_needs_text(out, r->needs);
        strbuf_printf(out, " | %s | %g %% |\n", effort_text[r->effort],
                      100 * r->least_gain_frac);
    }
}

/* The one at this place among those of the rule; NULL: it has fewer. */
static const struct rule_fix *fix_at(const struct rule *rule, size_t place)
{
    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++)
        if (!strcmp(fixes[i].rule, rule->name) && !place--)
            return &fixes[i];
    return NULL;
}

const struct rule_fix *rule_fix(const struct rule *rule)
{
    static const struct rule_fix none;
    const struct rule_fix *fix = fix_at(rule, 0);
    return fix ? fix : &none;
}

const struct rule_fix *rule_other_fix(const struct rule *rule)
{
    return fix_at(rule, 1);
}

void rule_needs_text(struct strbuf *out, unsigned needs)
{
#define NEEDS_ROW(v, bit, text) {bit, text},
    static const struct {
        unsigned bit;
        const char *text;
    } list[] = {NEEDS_LIST(NEEDS_ROW)};
    bool any = false;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!(needs & list[i].bit))
            continue;
        strbuf_printf(out, "%s%s", any ? ", " : "", list[i].text);
        any = true;
    }
}

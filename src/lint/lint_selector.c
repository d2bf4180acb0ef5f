#include "lint/lint_selector.h"

#include "base/mem.h"
#include "base/nearest.h"

#include <string.h>

enum { NAMED_BY_NONE = -1, NAMED_BY_ALL = 0, NAMED_EXACTLY = 100 };

static bool is_prefix_of_code(const char *s, const char *code)
{
    size_t letters = strcspn(code, "0123456789"), len = strlen(s);
    return len >= letters && !strncmp(s, code, len);
}

int lint_selector_names(const char *selector, const struct lint_rule *rule)
{
    if (!strcmp(selector, "ALL"))
        return NAMED_BY_ALL;
    if (!strcmp(selector, rule->code) || !strcmp(selector, rule->name))
        return NAMED_EXACTLY;
    return is_prefix_of_code(selector, rule->code) ? (int)strlen(selector)
                                                   : NAMED_BY_NONE;
}

bool lint_selector_is_known(const char *selector)
{
    for (size_t i = 0; i < lint_rule_count; i++)
        if (lint_selector_names(selector, &lint_rules[i]) != NAMED_BY_NONE)
            return true;
    return !strcmp(selector, "ALL");
}

const char *lint_selector_nearest(const char *word)
{
    const char **all = mem_zalloc(2 * lint_rule_count + 1, sizeof *all);
    size_t n = 0;
    all[n++] = "ALL";
    for (size_t i = 0; i < lint_rule_count; i++) {
        all[n++] = lint_rules[i].code;
        all[n++] = lint_rules[i].name;
    }
    const char *nearest = nearest_name(word, all, n);
    mem_free(all);
    return nearest;
}

static int most_specific(const struct lint_words *words, const struct lint_rule *rule)
{
    int most = NAMED_BY_NONE;
    for (size_t i = 0; i < words->n; i++) {
        int how = lint_selector_names(words->word[i], rule);
        most = how > most ? how : most;
    }
    return most;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void lint_selection_apply(bool *on, const struct lint_selection *s)
{
    for (size_t i = 0; i < lint_rule_count; i++) {
        const struct lint_rule *rule = &lint_rules[i];
        int wanted = larger(most_specific(&s->select, rule),
                            most_specific(&s->extend_select, rule));
        int ignored = larger(most_specific(&s->ignore, rule),
                             most_specific(&s->extend_ignore, rule));
        if (wanted != NAMED_BY_NONE || ignored != NAMED_BY_NONE)
            on[i] = wanted > ignored;
        else if (s->select.given)
            on[i] = false;
    }
}

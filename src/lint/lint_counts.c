#include "lint/lint_counts.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void count_file(struct lint_counts *c, const struct lint_file *f)
{
    c->files += !f->failure;
    c->unreadable += f->failure != NULL;
    c->not_parsed += !f->failure && f->error_line > 0;
    c->with_findings += f->n > 0;
    c->findings += f->n;
    c->suppressed += f->suppressed;
    for (size_t i = 0; i < f->n; i++) {
        c->safe += f->findings[i].safety == LINT_SAFE;
        c->unsafe += f->findings[i].safety == LINT_UNSAFE;
    }
}

struct lint_counts lint_counts_of(const struct lint_result *r)
{
    struct lint_counts c = {0};
    for (size_t i = 0; i < r->n; i++)
        count_file(&c, &r->files[i]);
    return c;
}

static int by_hits(const void *a, const void *b)
{
    const struct lint_rule_hits *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return strcmp(x->rule->code, y->rule->code);
}

/* There are a few dozen rules at most: looked for one by one. */
static struct lint_rule_hits *hits_of(struct lint_rule_hits *hits, size_t n,
                                      const struct lint_rule *rule)
{
    for (size_t i = 0; i < n; i++)
        if (hits[i].rule == rule)
            return &hits[i];
    return NULL;
}

size_t lint_rule_hits_of(struct lint_rule_hits **out, const struct lint_result *r)
{
    size_t n = 0, cap = 0;
    *out = NULL;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->files[i].n; k++) {
            const struct lint_finding *f = &r->files[i].findings[k];
            struct lint_rule_hits *h = hits_of(*out, n, f->rule);
            if (!h) {
                vec_grow(*out, cap, n + 1);
                h = &(*out)[n++];
                *h = (struct lint_rule_hits){.rule = f->rule};
            }
            h->n++;
            h->safe += f->safety == LINT_SAFE;
            h->unsafe += f->safety == LINT_UNSAFE;
        }
    if (n)
        qsort(*out, n, sizeof **out, by_hits);
    return n;
}

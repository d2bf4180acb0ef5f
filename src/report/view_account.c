/* What a step is made of: each part of it that is not small, in a sentence. */
#include "base/units.h"
#include "findings/findings.h"
#include "report/view_parts.h"

enum { PARTS_KEPT_WHEN_SHORT = 3 };

/* A screen has no room for it. */
static bool tells_where(const struct view *v, const struct account *a)
{
    bool any = false;
    for (size_t i = 0; i < a->n; i++)
        any |= *a->part[i].where != '\0';
    return any && !view_is_screen(v);
}

static void part_row(struct view *v, struct cell *c, const struct account *a,
                     const struct account_part *p, int decimals)
{
    c[0] = cell_text(view_clean(v, p->what));
    c[1] = cell_number(v, p->ns / 1e6, decimals);
    c[2] = cell_percent(v, p->ns / a->step_ns);
    if (tells_where(v, a))
        c[3] = cell_text(view_clean(v, p->where));
}

void view_add_account(struct view *v)
{
    const struct findings *f = v->options.findings;
    const struct analysis_rank *r = view_rank(v);
    if (!r || !f || !f->account.n)
        return;
    const struct account *a = &f->account;
    struct block *b = view_block(
        v, BLOCK_TABLE,
        view_printf(v, "What %s%s is made of",
                    analysis_has_steps(r) ? "a step" : "the recording", view_of_rank(v)));
    bool where = tells_where(v, a);
    grid_open(v, b, where ? 4 : 3, a->n);
    grid_column(b, 0, "what", ALIGN_LEFT, v->format != REPORT_HTML);
    grid_column(b, 1, "ms", ALIGN_RIGHT, false);
    grid_column(b, 2, "%", ALIGN_RIGHT, false);
    if (where)
        grid_column(b, 3, "where", ALIGN_LEFT, true);
    for (size_t i = 0; i < a->n; i++)
        part_row(v, grid_row(b), a, &a->part[i], decimals_for(a->part[0].ns / 1e6));
    b->grid.stacks = where;
    b->spare = SPARE_ACCOUNT;
    b->grid.total_rows = a->n;
    b->grid.min_rows = PARTS_KEPT_WHEN_SHORT;
    if (!view_is_screen(v))
        b->note = view_printf(
            v, "Parts of less than 5 %% are %s together.%s", unit_ns_of(a->small_ns).s,
            r->has_device ? " Compute is split by the kernels' time in the replayed "
                            "steps; where the GPU idles, the row says what the host "
                            "was in."
                          : "");
}

#include "rules/needless.h"

#include "base/mem.h"
#include "base/stats.h"
#include "evidence/outer_ops.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "price/ran_without.h"
#include "price/statements.h"
#include "rules/lineless.h"
#include "run/op_traits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_TOLD = 6 };

struct needless_form {
    enum flow_class of;
    double keep;
    const char *what;
    double low_frac;     /* of the gain, the least */
    const char *missing; /* of the price; NULL: nothing */
    rule_find_fn *bare;  /* what a bare trace tells, where no step was watched; NULL */
};

struct needless {
    const struct evidence *e;
    const struct watched *w;
    const struct needless_form *form;
    double call_ns;        /* what being called takes, of a small operator */
    double longest_way_ns; /* that Python takes from one call to the next */
    double *ns;            /* (lines) what each asks for of such work */
    int32_t *top;          /* (lines) row that stands for what a line asks for */
    struct statements statements;
    struct ran_without ran;
};

static bool is_needless(const struct needless *x, int32_t call)
{
    return call != FLOW_NONE && x->w->classes.of[call] == x->form->of;
}

/* An execution trace has no lines: all work of a class is one finding then. */
static bool is_lineless(const struct needless *x)
{
    return !x->e->run->lines.table.n;
}

static bool counts(const void *of, size_t k, size_t i)
{
    const struct needless *x = of;
    return is_needless(x, x->w->call[k][i]);
}

/* --- one function, or all --- */

struct told {
    double calls;
    name_id name[NAMES_TOLD]; /* (n) operators, as they come */
    size_t n;
    struct edit_list edits;
    double left_out_ns;       /* of calls that steps were run without */
    struct lineless lineless; /* where calls have no lines */
};

static void tell_name(struct told *told, name_id name)
{
    size_t i = 0;
    while (i < told->n && told->name[i] != name)
        i++;
    if (i == told->n && told->n < NAMES_TOLD)
        told->name[told->n++] = name;
}

/* Such calls one after the other, with nothing but views between them. */
struct row {
    size_t first, last; /* ops of the thread; first SIZE_MAX: there are none */
    double work_ns;     /* beyond being called */
    double ns, keep_ns; /* of the calls, and of their parts that stay */
};
static const struct row no_row = {.first = SIZE_MAX};

/* They go with all that lies between them; behind the last one as much as is usual, but
 * not of a loop that stays. */
static void edit_row(const struct needless *x, struct told *told,
                     const struct host_thread *t, const struct row *row)
{
    size_t n = told->edits.n;
    if (row->first == SIZE_MAX)
        return;
    const struct host_op *first = &t->op[row->first], *last = &t->op[row->last];
    lineless_add_row(&told->lineless, t, row->first, row->last, row->ns);
    double keep = x->form->keep;
    if (keep == NEEDLESS_KEEPS_WORK)
        keep = row->work_ns / fmax(1, (double)(last->end_ns - first->begin_ns));
    else if (keep == NEEDLESS_KEEPS_PART)
        keep = row->keep_ns / fmax(1, row->ns);
    evidence_edit_range(x->e, &told->edits, t->lane, first->begin_ns, last->begin_ns, 0);
    if (x->form->keep == NEEDLESS_KEEPS_WORK)
        evidence_edit_range(x->e, &told->edits, t->lane, last->begin_ns, last->end_ns, 0);
    else
        evidence_edit_op(x->e, &told->edits, t, last, 0, false);
    if (x->form->of == FLOW_CLASS_EVEN &&
        last->next >= 0) /* it is waited for behind it */
        evidence_edit_range(x->e, &told->edits, t->lane, last->end_ns,
                            t->op[last->next].begin_ns, 0);
    for (; n < told->edits.n; n++)
        told->edits.edit[n].keep = keep;
}

static void add_call(const struct needless *x, struct told *told,
                     const struct host_thread *t, size_t i, int32_t call, struct row *row)
{
    double ns = outer_op_ns(x->e, t, &t->op[i]);
    row->first = row->first == SIZE_MAX ? i : row->first;
    row->last = i;
    row->work_ns += fmax(0, ns - x->call_ns);
    row->ns += ns;
    row->keep_ns += ns * x->w->classes.keep[call];
    told->calls++;
    if (ran_without_call(&x->ran, call))
        told->left_out_ns += ns;
    tell_name(told, x->e->run->spans.name[t->op[i].span]);
    if (is_lineless(x))
        lineless_add(&told->lineless, x->e, t, i);
}

/* Of the function of that line; of all, where calls have no lines. */
static bool is_asked_for_at(const struct needless *x, int32_t call, int32_t line)
{
    if (is_lineless(x))
        return is_needless(x, call);
    int32_t at = watched_line(x->w, call);
    return at >= 0 && x->top[at] >= 0 && is_needless(x, call) &&
           statements_together(x->e->run, x->top[at], line);
}

/* Where one call takes over the work of many, the loop around them stays with all else
 * that it does: a thread that sleeps, reads a file or decodes between them does so still. */
static bool goes_on(const struct needless *x, const struct host_thread *t,
                    const struct row *row, size_t to)
{
    return x->form->keep != NEEDLESS_KEEPS_WORK || row->first == SIZE_MAX ||
           (double)(t->op[to].begin_ns - t->op[row->last].end_ns) <= x->longest_way_ns;
}

static void collect(const struct needless *x, struct told *told, int32_t line)
{
    const struct evidence *e = x->e;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        struct row row = no_row;
        for (size_t i = 0; i < t->n; i++) {
            int32_t call = x->w->call[k][i];
            if (t->op[i].kind != SPAN_KIND_OP || !watched_begins(x->w, k, t, i))
                continue;
            if (is_asked_for_at(x, call, line)) {
                if (!goes_on(x, t, &row, i)) {
                    edit_row(x, told, t, &row);
                    row = no_row;
                }
                add_call(x, told, t, i, call, &row);
            } else if (!flow_has(&x->w->graph, (size_t)call, OP_TRAIT_VIEW)) {
                edit_row(x, told, t, &row);
                row = no_row;
            }
        }
        edit_row(x, told, t, &row);
    }
}

static void list_names(const struct evidence *e, const struct told *told, char *text,
                       size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < told->n && len + 1 < size; i++) {
        const char *name = run_name(e->run, told->name[i]), *colon = strstr(name, "::");
        int n = snprintf(text + len, size - len, "%s%s", i ? ", " : "",
                         colon ? colon + 2 : name);
        len += n > 0 ? (size_t)n : 0;
    }
}

/* at: a statement, where calls have lines. */
static void add_finding(const struct needless *x, const struct rule *rule, size_t at,
                        struct findings *f)
{
    const struct evidence *e = x->e;
    char names[FINDING_TEXT_MAX / 2];
    struct told told = {0};
    collect(x, &told, is_lineless(x) ? -1 : x->statements.statement[at].line);
    double held_frac = price_share(e, &told.edits);
    if (held_frac < rule->least_gain_frac) {
        edit_list_release(&told.edits);
        return;
    }
    struct finding *y = findings_add(f, rule);
    y->edits = told.edits;
    y->price = flow_class_goes(x->form->of) ? PRICE_REPLAYED : PRICE_MODELLED;
    if (x->form->of ==
        FLOW_CLASS_EVEN) { /* others are waited for, which no edit removes */
        y->holds_ns = y->direct_gain_ns = held_frac * e->step_ns;
        y->price = PRICE_WAITS;
        edit_list_release(&y->edits);
        y->edits = (struct edit_list){0};
    }
    y->reads_unseen = is_lineless(x) && (x->form->of == FLOW_CLASS_UNREAD ||
                                         x->form->of == FLOW_CLASS_THROWN_AWAY);
    y->low_frac = x->form->low_frac;
    if (x->form->missing)
        snprintf(y->missing, sizeof y->missing, "%s", x->form->missing);
    ran_without_price(&x->ran, e, y, told.left_out_ns);
    if (is_lineless(x)) {
        lineless_tell(&told.lineless, e, y->where, sizeof y->where);
    } else {
        statements_tell(&x->statements, e->run, at, y);
        statements_set_place(&x->statements.statement[at], e->run, y);
    }
    list_names(e, &told, names, sizeof names);
    evidence_say(
        y, "{} per step ({}) {}: {} of a step",
        quantity_plural("calls_per_step", told.calls / (double)e->steps, "call", "calls"),
        quantity_words(names), quantity_words(x->form->what),
        quantity_percent("held_frac", held_frac, 1));
    if (y->price == PRICE_RUN)
        evidence_say(y, "; {} of steps with and without such calls differ by {}",
                     quantity_plural("pairs", (double)x->ran.gain.n, "pair", "pairs"),
                     quantity_time("without_ms", x->ran.gain.median));
}

/* What being called takes: the median of operators that have next to nothing to do. */
static double call_ns(const struct evidence *e)
{
    enum { FEW_ELEMENTS = 64 };
    const struct flow_graph *g = &e->watched->graph;
    double *ns = NULL;
    size_t n = 0, cap = 0;
    for (size_t k = 0; k < e->n_threads; k++)
        for (size_t i = 0; i < e->threads[k].n; i++) {
            int32_t call = e->watched->call[k][i];
            if (!watched_begins(e->watched, k, &e->threads[k], i) ||
                flow_has(g, (size_t)call, OP_TRAIT_VIEW | OP_TRAIT_HOST_READ) ||
                flow_most_elements(g, (size_t)call) > FEW_ELEMENTS)
                continue;
            vec_grow(ns, cap, n + 1);
            ns[n++] = (double)host_op_ns(&e->threads[k].op[i]);
        }
    double median = n ? stats_median(ns, n) : 0;
    mem_free(ns);
    return median;
}

static void find(const struct rule *rule, const struct needless_form *form,
                 const struct evidence *e, struct findings *f)
{
    size_t lines = e->run->lines.table.n;
    struct needless x = {.e = e, .w = e->watched, .form = form};
    if (form->keep == NEEDLESS_KEEPS_WORK) {
        x.call_ns = call_ns(e);
        x.longest_way_ns = rule->limit[0].value * e->median_gap_ns;
    }
    x.top = mem_alloc((lines + 1) * sizeof *x.top);
    x.ns = watched_sum_lines(x.w, e, counts, &x);
    x.ran = ran_without_of(e, form->of);
    statements_init(&x.statements, e->run, x.ns, x.w->line_ns, x.top);
    for (size_t i = 0; i < x.statements.n; i++)
        /* what lies between its operators may be as much again; collectives are only
         * asked for by them, and waited for later */
        if (form->of == FLOW_CLASS_EVEN ||
            2 * x.statements.statement[i].function_ns >=
                rule->least_gain_frac * e->traced_step_ns * (double)e->steps)
            add_finding(&x, rule, i, f);
    if (is_lineless(&x))
        add_finding(&x, rule, 0, f);
    statements_release(&x.statements);
    ran_without_release(&x.ran);
    mem_free(x.ns);
    mem_free(x.top);
}

bool needless_collectives(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    static const struct needless_form form = {
        FLOW_CLASS_EVEN,
        0,
        "synchronize data that is already identical on all ranks",
        0,
        NULL,
        NULL};
    size_t before = f->n;
    if (e->watched)
        find(rule, &form, e, f);
    return f->n > before;
}

#define NEEDLESS_RULE(function, class, keep, what, low, missing, on_bare)                \
    void rule_##function(const struct rule *rule, const struct evidence *e,              \
                         struct findings *f)                                             \
    {                                                                                    \
        static const struct needless_form form = {                                       \
            FLOW_CLASS_##class, keep, what, low, missing, on_bare};                      \
        if (e->watched)                                                                  \
            find(rule, &form, e, f);                                                     \
        else if (form.bare)                                                              \
            form.bare(rule, e, f);                                                       \
    }
NEEDLESS_LIST(NEEDLESS_RULE)

#include "price/statements.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "evidence/host_time.h"
#include "evidence/line_rows.h"
#include "run/op_traits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all that a statement asks for, so much is of the work in question: then it is named
 * for it. The rest is what cannot be told apart, as a view. */
static const double NEARLY_ALL_FRAC = 0.9;
/* Lines that hold less than so much of what the first one does are not told. */
static const double LEAST_OF_FIRST = 0.02;

/* What each asks for, and all that it calls: callers stand before those they call. */
static double *with_called(const struct run *run, const double *own_ns)
{
    size_t n = run->lines.table.n;
    double *ns = mem_alloc((n + 1) * sizeof *ns);
    memcpy(ns, own_ns, n * sizeof *ns);
    for (size_t i = n; i-- > 0;)
        if (run->lines.caller[i] >= 0)
            ns[run->lines.caller[i]] += ns[i];
    return ns;
}

/* --- lines that do it only for some --- */

/* Less of what a line asks for may be a figure for the log. */
static const double ELSEWHERE_FRAC = 0.1;

/* (lines) Is the line called from elsewhere too, for a good part of what it asks for, and
 * asks there for none of the work in question? Then it is the caller's. The caller frees
 * it. */
static uint8_t *find_callers_own(const struct run *run, const double *part,
                                 const double *all)
{
    size_t n = run->lines.table.n;
    uint8_t *own = mem_zalloc(n + 1, 1);
    struct line_row *l = line_rows_of(run);
    for (size_t i = 0, end; i < n; i = end) {
        double without = 0, sum = 0;
        end = line_rows_end(l, n, i);
        for (size_t k = i; k < end; k++) {
            int32_t row = l[k].row;
            sum += all[row];
            without += part[row] < LEAST_OF_FIRST * all[row] ? all[row] : 0;
        }
        for (size_t k = i; k < end; k++)
            own[l[k].row] = without > 0 && without >= ELSEWHERE_FRAC * sum;
    }
    mem_free(l);
    return own;
}

bool statements_together(const struct run *run, int32_t a, int32_t b)
{
    return run->lines.file[a] == run->lines.file[b] &&
           run->lines.function[a] == run->lines.function[b];
}

/* --- of each line of a file one --- */

struct part {
    name_id file, function;
    int32_t number, line, from; /* what row `from` asks for is told by `line` */
    double ns;
};

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static void merge(struct statements *s, struct part *part, size_t n)
{
    if (n)
        qsort(part, n, sizeof *part, compare_parts);
    s->statement = mem_alloc((n + 1) * sizeof *s->statement);
    for (size_t i = 0; i < n; i++) {
        const struct part *p = &part[i];
        if (!i || p->file != p[-1].file || p->number != p[-1].number)
            s->statement[s->n++] = (struct statement){
                .line = p->line, .file = p->file, .function = p->function};
        struct statement *told = &s->statement[s->n - 1];
        told->ns += p->ns;
        if (p->ns > told->most_ns) {
            told->most = p->from;
            told->most_ns = p->ns;
        }
    }
}

/* --- of each function the first --- */

static int compare_ns(const void *a, const void *b)
{
    const struct statement *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int compare_functions(const void *a, const void *b)
{
    const struct statement *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return compare_ns(a, b);
}

static void sum_functions(struct statements *s)
{
    if (s->n)
        qsort(s->statement, s->n, sizeof *s->statement, compare_functions);
    for (size_t i = 0, first = 0; i < s->n; i++) {
        const struct statement *x = &s->statement[i];
        if (!i || x->file != x[-1].file || x->function != x[-1].function)
            first = i;
        s->statement[first].function_ns += x->ns;
    }
    if (s->n)
        qsort(s->statement, s->n, sizeof *s->statement, compare_ns);
}

void statements_init(struct statements *s, const struct run *run, const double *part_ns,
                     const double *all_ns, int32_t *top)
{
    const int32_t *caller = run->lines.caller;
    double *part = with_called(run, part_ns),
           *all = with_called(run, all_ns ? all_ns : part_ns);
    struct part *parts = mem_alloc((run->lines.table.n + 1) * sizeof *parts);
    uint8_t *callers_own = find_callers_own(run, part, all);
    size_t n = 0;
    *s = (struct statements){0};
    for (size_t i = 0; i < run->lines.table.n; i++) {
        int32_t line = (int32_t)i;
        top[i] = -1;
        if (!(part_ns[i] > 0))
            continue;
        while (caller[line] >= 0 &&
               (callers_own[line] ||
                (all_ns && part[line] >= NEARLY_ALL_FRAC * all[line] &&
                 part[caller[line]] >= NEARLY_ALL_FRAC * all[caller[line]])))
            line = caller[line];
        top[i] = line;
        parts[n++] = (struct part){run->lines.file[line],
                                   run->lines.function[line],
                                   run->lines.line[line],
                                   line,
                                   (int32_t)i,
                                   part_ns[i]};
    }
    merge(s, parts, n);
    sum_functions(s);
    mem_free(callers_own);
    mem_free(parts);
    mem_free(part);
    mem_free(all);
}

void statements_release(struct statements *s)
{
    mem_free(s->statement);
}

/* (threads) (ops of each) Which of them begin in the host's time that is edited. */
static uint8_t **edited_ops(const struct evidence *e, const struct edit_list *l)
{
    uint8_t **edited = mem_zalloc(e->n_threads + 1, sizeof *edited);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        edited[k] = mem_zalloc(t->n + 1, 1);
        for (size_t i = 0; i < l->n; i++) {
            const struct edit *x = &l->edit[i];
            if (x->kind == EDIT_WORK || x->kind == EDIT_UNBLOCK || x->lane != t->lane)
                continue;
            size_t first = host_ops_before(t, x->begin_ns);
            memset(edited[k] + first, 1, host_ops_before(t, x->end_ns) - first);
        }
    }
    return edited;
}

static bool is_edited(const void *edited, size_t thread, size_t op)
{
    return ((uint8_t *const *)edited)[thread][op];
}

double *statements_edited(const struct evidence *e, const struct edit_list *l)
{
    uint8_t **edited = edited_ops(e, l);
    double *ns = watched_sum_lines(e->watched, e, is_edited, edited);
    for (size_t k = 0; k < e->n_threads; k++)
        mem_free(edited[k]);
    mem_free(edited);
    return ns;
}

static int compare_lines(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* "train.py:14, 15 in forward", as a reader looks for them: from the first line on. */
static void list_lines(const struct run *run, const int32_t *line, size_t n,
                       struct strbuf *out)
{
    int32_t number[FINDING_LINES_MAX];
    const char *function = run_name(run, run->lines.function[line[0]]);
    for (size_t i = 0; i < n; i++)
        number[i] = run->lines.line[line[i]];
    qsort(number, n, sizeof *number, compare_lines);
    strbuf_printf(out, "%s:%d", path_name(run_name(run, run->lines.file[line[0]])),
                  number[0]);
    for (size_t i = 1; i < n; i++)
        strbuf_printf(out, ", %d", number[i]);
    if (strcmp(function, "<module>") != 0)
        strbuf_printf(out, " in %s", function);
}

void statements_tell(const struct statements *s, const struct run *run, size_t first,
                     struct finding *x)
{
    struct strbuf where;
    const struct statement *told = &s->statement[first];
    for (size_t i = first; i < s->n && x->n_lines < FINDING_LINES_MAX - 1; i++)
        if (statements_together(run, told->line, s->statement[i].line) &&
            s->statement[i].ns >= LEAST_OF_FIRST * told->ns)
            x->line[x->n_lines++] = s->statement[i].line;
    strbuf_init(&where);
    list_lines(run, x->line, x->n_lines, &where);
    if (!statements_together(run, told->line, told->most)) {
        strbuf_puts(&where, ", most at ");
        list_lines(run, &told->most, 1, &where);
        x->line[x->n_lines++] = told->most;
    }
    if (*x->where)
        strbuf_printf(&where, ", %s", x->where);
    snprintf(x->where, sizeof x->where, "%s", where.s);
    strbuf_release(&where);
}

void statements_set_place(const struct statement *s, const struct run *run,
                          struct finding *x)
{
    x->place_file = run_name(run, s->file);
    finding_set_place(x, path_name(x->place_file), run_name(run, s->function));
}

static void tell_most(const struct evidence *e, const double *part_ns,
                      const double *all_ns, struct finding *x)
{
    struct statements s;
    int32_t *top = mem_alloc((e->run->lines.table.n + 1) * sizeof *top);
    statements_init(&s, e->run, part_ns, all_ns, top);
    if (s.n)
        statements_tell(&s, e->run, 0, x);
    statements_release(&s);
    mem_free(top);
}

void statements_place(const struct evidence *e, struct finding *x)
{
    if (!e->watched || x->n_lines || !x->edits.n)
        return;
    double *ns = statements_edited(e, &x->edits);
    tell_most(e, ns, e->watched->line_ns, x);
    mem_free(ns);
}

void statements_place_part(const struct evidence *e, enum sample_part part,
                           struct finding *x)
{
    if (!host_time_known(e))
        return;
    double *ns = host_time_of(e, part);
    tell_most(e, ns, NULL, x);
    mem_free(ns);
}

void statements_place_beyond_others(const struct evidence *e, int32_t rank, double ns,
                                    struct finding *x)
{
    if (!host_time_known_of_all(e))
        return;
    struct beyond_others b = host_time_beyond_others(e, rank);
    double sum_ns = 0;
    for (size_t i = 0; i < e->run->lines.table.n; i++)
        sum_ns += b.ns[i];
    if (sum_ns >= ns / 2)
        tell_most(e, b.ns, b.all_ns, x);
    mem_free(b.ns);
    mem_free(b.all_ns);
}

/* That a statement of the job asks for, outside of the backward pass? */
static bool is_asked_for(const void *evidence, size_t thread, size_t op)
{
    const struct evidence *e = evidence;
    const struct flow_graph *g = &e->watched->graph;
    size_t call = (size_t)e->watched->call[thread][op];
    return flow_has(g, call, OP_TRAIT_COLLECTIVE) && !flow_in_backward(g, call) &&
           flow_line(g, call) >= 0;
}

void statements_place_collectives(const struct evidence *e, double count,
                                  struct finding *x)
{
    size_t asked = 0;
    for (size_t k = 0; e->watched && k < e->n_threads; k++)
        for (size_t i = 0; i < e->threads[k].n; i++)
            asked +=
                watched_begins(e->watched, k, &e->threads[k], i) && is_asked_for(e, k, i);
    if (!asked || 2 * (double)asked < count * (double)e->steps)
        return;
    double *ns = watched_sum_lines(e->watched, e, is_asked_for, e);
    tell_most(e, ns, NULL, x);
    mem_free(ns);
}

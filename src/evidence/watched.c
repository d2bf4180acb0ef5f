#include "evidence/watched.h"

#include "base/mem.h"
#include "evidence/outer_ops.h"
#include "flow/flow_same.h"
#include "run/op_traits.h"

#include <string.h>

/* Names in a row that must agree for two sequences to be in step again. */
enum { SAME_IN_A_ROW = 3 };
/* Calls that one of them may have more, at one place: a loop over the rows of a batch. */
enum { APART_MOST = 1024 };
/* Comparisons for one pair of sequences: what is not alike is not compared to its end. */
#define COMPARED_MOST (64u << 20)

/* Of the operators of the traced steps: fewer, and the steps are not the same ones. */
static const double LEAST_MATCHED_FRAC = 0.8;

struct sequence_of {
    name_id *name; /* (n) without overloads */
    int32_t *at;   /* (n) op of the thread, or call of the graph */
    size_t *calls; /* (n) how many of those behind it it calls: it may stand for them */
    uint8_t *view; /* (n) a watched step may have more or fewer of them */
    size_t *work;  /* (n) place of the first from it on that is none; n: there is none */
    size_t n, cap_name, cap_at, cap_calls, cap_view;
};

static void push(struct sequence_of *s, name_id name, int32_t at, bool view)
{
    vec_grow(s->name, s->cap_name, s->n + 1);
    vec_grow(s->at, s->cap_at, s->n + 1);
    vec_grow(s->calls, s->cap_calls, s->n + 1);
    vec_grow(s->view, s->cap_view, s->n + 1);
    s->view[s->n] = view;
    s->name[s->n] = name;
    s->calls[s->n] = 0;
    s->at[s->n++] = at;
}

static void sequence_release(struct sequence_of *s)
{
    mem_free(s->name);
    mem_free(s->at);
    mem_free(s->calls);
    mem_free(s->view);
    mem_free(s->work);
}

static void find_work(struct sequence_of *s)
{
    s->work = mem_alloc((s->n + 1) * sizeof *s->work);
    for (size_t i = s->n; i-- > 0;)
        s->work[i] = !s->view[i] ? i : i + 1 < s->n ? s->work[i + 1] : s->n;
}

/* --- in step --- */

/* From place i of a on: what stands for k of b, the call itself or the first of what it
 * calls in turn; a->n: nothing. */
static size_t stands_for(const struct sequence_of *a, size_t i,
                         const struct sequence_of *b, size_t k)
{
    while (a->name[i] != b->name[k]) {
        if (!a->calls[i])
            return a->n;
        i++;
    }
    return i;
}

static bool agree(const struct sequence_of *a, size_t i, const struct sequence_of *b,
                  size_t k)
{
    for (size_t n = 0; n < SAME_IN_A_ROW; n++, k++) {
        i = i < a->n ? a->work[i] : i;
        k = k < b->n ? b->work[k] : k;
        if (i == a->n || k == b->n)
            return n && i == a->n && k == b->n;
        size_t at = stands_for(a, i, b, k);
        if (at == a->n)
            return false;
        i = at + 1 + a->calls[at];
    }
    return true;
}

/* Move both on to the nearest place where they agree. False: there is none. */
static bool find_step(const struct sequence_of *a, size_t *i, const struct sequence_of *b,
                      size_t *k, size_t *compared)
{
    for (size_t apart = 1; apart <= APART_MOST; apart++)
        for (size_t skip = 0; skip <= apart; skip++) {
            if (++*compared > COMPARED_MOST)
                return false;
            if (*i + skip < a->n && *k + apart - skip < b->n &&
                agree(a, *i + skip, b, *k + apart - skip)) {
                *i += skip;
                *k += apart - skip;
                return true;
            }
        }
    return false;
}

/* of: (a->n) the place in b of each, or -1. How many there are. */
static size_t match(const struct sequence_of *a, const struct sequence_of *b, int32_t *of)
{
    size_t i = 0, k = 0, compared = 0, matched = 0;
    for (size_t n = 0; n < a->n; n++)
        of[n] = -1;
    while (i < a->n && k < b->n) {
        size_t at = stands_for(a, i, b, k);
        if (at < a->n) {
            of[at] = (int32_t)k++;
            i = at + 1 + a->calls[at];
            matched++;
        } else if (b->view[k]) {
            k++;
        } else if (a->view[i]) {
            i++;
        } else if (!find_step(a, &i, b, &k, &compared)) {
            break;
        }
    }
    return matched;
}

/* Calls of a that are no views, each once: by itself, or by those that it calls. */
static void count_calls(struct watched *w, const struct sequence_of *a, const int32_t *of)
{
    for (size_t i = 0; i < a->n; i += of[i] < 0 ? 1 : 1 + a->calls[i]) {
        w->traced += !a->view[i] && (of[i] >= 0 || !a->calls[i]);
        w->matched += !a->view[i] && of[i] >= 0;
    }
}

/* --- both sides --- */

/* "aten::mul" of "aten::mul.Tensor" as spans have it; -1: they do not. */
static int64_t span_name(const struct run *run, name_id watched)
{
    const char *name = run_name(run, watched), *colon = strstr(name, "::");
    const char *dot = strchr(colon ? colon : name, '.');
    return names_find(&run->names, name, dot ? (size_t)(dot - name) : strlen(name));
}

/* (n_steps * n_threads) Calls of each watched step and thread. */
struct calls {
    struct sequence_of *of;
    size_t steps, threads;
    uint8_t *watched;   /* (names) may a span of that name be one? */
    uint8_t *work;      /* (names) is one of them no view? */
    uint8_t *composite; /* (names) and may it be what it calls that was watched? */
};

static struct calls calls_of(const struct flow_graph *g)
{
    const struct watched_ops *w = &g->run->watched_ops;
    struct calls c = {.steps = (size_t)g->steps};
    int64_t *name = mem_alloc((g->run->names.n + 1) * sizeof *name);
    for (size_t i = 0; i < g->n; i++)
        if ((size_t)w->thread[flow_row(g, i)] + 1 > c.threads)
            c.threads = (size_t)w->thread[flow_row(g, i)] + 1;
    for (size_t i = 0; i < g->run->names.n; i++)
        name[i] = -2; /* not looked up yet */
    c.of = mem_zalloc(c.steps * c.threads + 1, sizeof *c.of);
    c.watched = mem_zalloc(g->run->names.n + 1, 1);
    c.composite = mem_zalloc(g->run->names.n + 1, 1);
    c.work = mem_zalloc(g->run->names.n + 1, 1);
    for (size_t i = 0; i < g->n; i++) {
        size_t row = flow_row(g, i);
        int64_t *known = &name[w->name[row]];
        if (*known == -2)
            *known = span_name(g->run, w->name[row]);
        if (*known < 0)
            continue; /* a read that is no operator */
        c.watched[*known] = 1;
        c.composite[*known] |= flow_has(g, i, OP_TRAIT_COMPOSITE);
        c.work[*known] |= !flow_has(g, i, OP_TRAIT_VIEW);
        push(&c.of[(size_t)w->step[row] * c.threads + (size_t)w->thread[row]],
             (name_id)*known, (int32_t)i, flow_has(g, i, OP_TRAIT_VIEW));
    }
    for (size_t i = 0; i < c.steps * c.threads; i++)
        find_work(&c.of[i]);
    mem_free(name);
    return c;
}

static void calls_release(struct calls *c)
{
    for (size_t i = 0; i < c->steps * c->threads; i++)
        sequence_release(&c->of[i]);
    mem_free(c->of);
    mem_free(c->watched);
    mem_free(c->composite);
    mem_free(c->work);
}

/* The calls of a thread from op `first` on that are in the same step, without what they
 * call in turn; with that, where either may have been watched: in inference mode it is
 * the composite operator, else what it is made of. *end: the first op of the next step.
 */
static struct sequence_of traced_calls(const struct evidence *e,
                                       const struct host_thread *t, const struct calls *c,
                                       size_t first, size_t *end)
{
    const struct spans *s = &e->run->spans;
    struct sequence_of result = {0};
    int64_t inside_until_ns = INT64_MIN, composite_until_ns = INT64_MIN;
    size_t i = first, composite = 0;
    for (; i < t->n && s->step[t->op[i].span] == s->step[t->op[first].span]; i++) {
        const struct host_op *op = &t->op[i];
        name_id name = s->name[op->span];
        if (op->begin_ns < inside_until_ns || op->kind == SPAN_KIND_PYTHON ||
            !c->watched[name])
            continue;
        bool inner = op->begin_ns < composite_until_ns;
        if (!inner && c->composite[name]) {
            composite = result.n;
            composite_until_ns = op->end_ns;
        } else {
            inside_until_ns = op->end_ns;
        }
        push(&result, name, (int32_t)i, !c->work[name]);
        if (inner)
            result.calls[composite]++;
    }
    *end = i;
    find_work(&result);
    return result;
}

/* --- the whole --- */

/* So much more of a step the last watched one must match to tell: of its calls nobody
 * knows whether they are read. */
static const double LAST_RATIO = 1.1;

/* A traced step against all watched ones: the likest tells. */
static void match_step(struct watched *w, const struct sequence_of *traced,
                       const struct calls *c, int32_t *call)
{
    int32_t *of = mem_alloc((traced->n + 1) * sizeof *of);
    size_t most = 0;
    const struct sequence_of *likest = NULL;
    for (size_t i = 0; i < traced->n; i++)
        of[i] = -1;
    for (size_t k = 0; k < c->steps * c->threads && most < traced->n; k++) {
        bool is_last = c->steps > 1 && k / c->threads == c->steps - 1;
        size_t n = c->of[k].n > most ? match(traced, &c->of[k], of) : 0;
        if ((double)n > (double)most * (is_last ? LAST_RATIO : 1)) {
            most = n;
            likest = &c->of[k];
        }
    }
    if (likest) {
        match(traced, likest, of);
        for (size_t i = 0; i < traced->n; i++)
            if (of[i] >= 0)
                call[traced->at[i]] = likest->at[of[i]];
    }
    count_calls(w, traced, of);
    mem_free(of);
}

static void match_thread(struct watched *w, const struct evidence *e,
                         const struct host_thread *t, const struct calls *c,
                         int32_t *call)
{
    for (size_t i = 0; i < t->n; i++)
        call[i] = FLOW_NONE;
    for (size_t first = 0, end; first < t->n; first = end) {
        struct sequence_of traced = traced_calls(e, t, c, first, &end);
        match_step(w, &traced, c, call);
        sequence_release(&traced);
    }
    for (size_t i = 0; i < t->n; i++) /* callers stand before those they call */
        if (call[i] == FLOW_NONE && t->op[i].parent >= 0)
            call[i] = call[t->op[i].parent];
}

double *watched_sum_lines(const struct watched *w, const struct evidence *e,
                          watched_op_fn *counts, const void *of)
{
    double *ns = mem_zalloc(e->run->lines.table.n + 1, sizeof *ns);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            int32_t line = -1;
            if (watched_begins(w, k, t, i) && counts(of, k, i))
                line = watched_line(w, w->call[k][i]);
            if (line >= 0)
                ns[line] += outer_op_ns(e, t, &t->op[i]);
        }
    }
    return ns;
}

/* Views are for whoever reads them, needed or not. */
static bool is_no_view(const void *watched, size_t k, size_t i)
{
    const struct watched *w = watched;
    return !flow_has(&w->graph, (size_t)w->call[k][i], OP_TRAIT_VIEW);
}

/* Nobody knows whose steps an execution trace has: its calls must be in the trace, too. */
static bool is_of_these_steps(const struct watched *w, const struct evidence *e)
{
    const struct flow_graph *g = &w->graph;
    double calls = 0;
    if ((double)w->matched < LEAST_MATCHED_FRAC * (double)w->traced)
        return false;
    if (e->run->lines.table.n)
        return true; /* recorded in one process, by the same hook */
    for (size_t op = 0; op < g->n; op++)
        calls += !flow_has(g, op, OP_TRAIT_VIEW);
    return e->steps && (double)w->matched / (double)e->steps >=
                           LEAST_MATCHED_FRAC * calls / (double)g->steps;
}

struct watched *watched_new(const struct evidence *e)
{
    struct watched *w = mem_zalloc(1, sizeof *w);
    if (!flow_graph_init(&w->graph, e->run, e->rank_row)) {
        mem_free(w);
        return NULL;
    }
    struct calls c = calls_of(&w->graph);
    w->classes = flow_classes_of(&w->graph);
    w->first = flow_first_of(&w->graph);
    w->call = mem_zalloc(e->n_threads + 1, sizeof *w->call);
    for (size_t i = 0; i < e->n_threads; i++) {
        w->call[i] = mem_alloc((e->threads[i].n + 1) * sizeof **w->call);
        match_thread(w, e, &e->threads[i], &c, w->call[i]);
    }
    calls_release(&c);
    w->line_ns = watched_sum_lines(w, e, is_no_view, w);
    if (!is_of_these_steps(w, e)) {
        watched_free(w, e);
        return NULL;
    }
    return w;
}

void watched_free(struct watched *w, const struct evidence *e)
{
    if (!w)
        return;
    for (size_t i = 0; i < e->n_threads; i++)
        mem_free(w->call[i]);
    mem_free(w->call);
    flow_classes_release(&w->classes);
    mem_free(w->first);
    mem_free(w->line_ns);
    flow_graph_release(&w->graph);
    mem_free(w);
}

enum { CALLERS_MOST = 256 };

static size_t callers_of(const struct run *run, int32_t line)
{
    size_t n = 0;
    for (; line >= 0 && n <= CALLERS_MOST; line = run->lines.caller[line])
        n++;
    return n;
}

/* Of the callers of b the outermost that is none of a's: where the way to the same work
 * parts. b, where it is the same statement. */
static int32_t parting_line(const struct run *run, int32_t a, int32_t b)
{
    size_t n = callers_of(run, a), m = callers_of(run, b);
    int32_t parted = b;
    if (n > CALLERS_MOST || m > CALLERS_MOST)
        return b;
    for (; n > m; n--)
        a = run->lines.caller[a];
    for (; a != b && b >= 0; m--) {
        parted = b;
        b = run->lines.caller[b];
        if (m <= n)
            a = run->lines.caller[a];
    }
    return parted;
}

int32_t watched_line(const struct watched *w, int32_t call)
{
    const struct flow_graph *g = &w->graph;
    if (call == FLOW_NONE)
        return -1;
    size_t op = (size_t)call;
    int32_t forward = g->run->watched_ops.forward[flow_row(g, op)];
    bool of_its_own = w->classes.of[call] == FLOW_CLASS_PASSES &&
                      g->run->watched_ops.line[flow_row(g, op)] >= 0;
    if (forward >= 0 && !of_its_own)
        op = (size_t)forward - g->first_op; /* of the same rank */
    int32_t line = flow_line(g, (size_t)w->classes.cause[op]);
    if (w->classes.of[call] != FLOW_CLASS_REPEATED || line < 0)
        return line;
    int32_t first = flow_line(g, (size_t)w->first[op]);
    return first < 0 ? line : parting_line(g->run, first, line);
}

bool watched_is_needless(const struct evidence *e, const struct host_thread *t,
                         const struct host_op *op)
{
    const struct watched *w = e->watched;
    bool any = false;
    if (!w)
        return false;
    const int32_t *call = w->call[t - e->threads];
    for (size_t i = (size_t)(op - t->op); i < t->n && t->op[i].begin_ns < op->end_ns;
         i++) {
        if (call[i] == FLOW_NONE || flow_has(&w->graph, (size_t)call[i], OP_TRAIT_VIEW))
            continue;
        if (!flow_call_goes(&w->classes, (size_t)call[i]))
            return false;
        any = true;
    }
    return any;
}

#include "rules/kernel_chains.h"

#include "analyze/kernel_family.h"
#include "base/mem.h"
#include "evidence/outer_ops.h"
#include "replay/call_kind.h"
#include "rules/device_calls.h"

#include <string.h>

/* --- kernels by name --- */

enum pass_kind {
    PASS_UNKNOWN, /* not looked at yet */
    PASS_OTHER,   /* ends a chain */
    PASS_FILL,    /* writes a constant: neither a pass nor an end */
    PASS_YES,
};

static bool begins(const char *s, const char *word)
{
    return !strncmp(s, word, strlen(word));
}

/* Gathers, sorts and changes of a convolution's layout are not fused by a compiler; nor
 * is a batch norm that trains, whose statistics need all of its input first. */
static bool is_fusable(const char *label)
{
    if (strstr(label, "batch norm"))
        return false;
    switch (kernel_family_of(label)) {
    case KERNEL_FAMILY_ELEMENTWISE:
        return begins(label, "elementwise");
    case KERNEL_FAMILY_MOVE:
        return begins(label, "elementwise") || begins(label, "cat");
    case KERNEL_FAMILY_REDUCE:
        return begins(label, "reduce");
    case KERNEL_FAMILY_NORM:
        return true;
    default:
        return false;
    }
}

/* Kernels of PyTorch itself have its scope in their names; what compilers and libraries
 * have fused has not. */
static enum pass_kind kind_of(const struct evidence *e, name_id id)
{
    const char *label = analysis_label(e->analysis, LANE_KIND_DEVICE, id);
    if (!strstr(run_name(e->run, id), "at::native"))
        return PASS_OTHER;
    if (begins(label, "elementwise fill"))
        return PASS_FILL;
    return is_fusable(label) ? PASS_YES : PASS_OTHER;
}

/* --- who launched them --- */

struct launcher {
    const struct host_thread *thread;
    const struct host_op *call;
    bool in_optimizer;
};

/* (spans) by row of the call. The caller frees it. */
static struct launcher *find_launchers(const struct evidence *e)
{
    struct launcher *l = mem_zalloc(e->run->spans.table.n + 1, sizeof *l);
    for (size_t k = 0; k < e->n_threads; k++)
        for (size_t i = 0; i < e->threads[k].n; i++) {
            const struct host_op *op = &e->threads[k].op[i], *up = NULL;
            if (op->parent >= 0) /* callers come first */
                up = &e->threads[k].op[op->parent];
            l[op->span] = (struct launcher){
                &e->threads[k], op,
                up && (l[up->span].in_optimizer || outer_ops_is_optimizer(e, up))};
        }
    return l;
}

static bool is_captured(const struct evidence *e, const struct launcher *l)
{
    return call_kind_of(evidence_name(e, l->call)) == CALL_KIND_GRAPH_LAUNCH;
}

/* --- chains --- */

struct finder {
    struct kernel_chains *c;
    const struct evidence *e;
    const struct launcher *launcher;
    uint8_t *kind;  /* (names) enum pass_kind */
    uint8_t *eager; /* (names) is one of these launched by an operator, one by one? */
    size_t least_passes;
    struct kernel_chain open;
};

static void end_chain(struct finder *f)
{
    struct kernel_chains *c = f->c;
    if (f->open.n >= f->least_passes) {
        vec_grow(c->chain, c->cap, c->n + 1);
        c->chain[c->n++] = f->open;
    }
    f->open = (struct kernel_chain){.first = c->n_passes};
}

/* NULL: its launch was not recorded. */
static const struct launcher *launcher_of(const struct finder *f, int64_t span)
{
    int64_t call = f->e->replay->launch[span];
    return call < 0 || !f->launcher[call].call ? NULL : &f->launcher[call];
}

static enum pass_kind pass_kind(const struct finder *f, int64_t span)
{
    const struct spans *s = &f->e->run->spans;
    name_id name = s->name[span];
    if (s->kind[span] != SPAN_KIND_KERNEL)
        return PASS_OTHER;
    if (f->kind[name] == PASS_UNKNOWN)
        f->kind[name] = (uint8_t)kind_of(f->e, name);
    return f->kind[name];
}

static void add_pass(struct finder *f, int64_t span, const struct launcher *l)
{
    const struct spans *s = &f->e->run->spans;
    struct kernel_chains *c = f->c;
    struct kernel_chain *chain = &f->open;
    struct kernel_pass p = {.span = span};
    if (l) {
        p.thread = l->thread;
        p.call = l->call;
        p.bytes = l->call->op_parent < 0
                      ? 0
                      : (double)s->bytes[l->thread->op[l->call->op_parent].span];
    }
    double ns = (double)s->dur_ns[span];
    vec_grow(c->pass, c->cap_passes, c->n_passes + 1);
    c->pass[c->n_passes++] = p;
    c->passes_ns += ns;
    chain->n++;
    chain->ns += ns;
    chain->known_ns += p.bytes > 0 ? ns : 0;
    chain->longest_ns = ns > chain->longest_ns ? ns : chain->longest_ns;
    chain->most_bytes = p.bytes > chain->most_bytes ? p.bytes : chain->most_bytes;
}

/* Is it a pass? What was launched before the recording began is what its like is. */
static bool is_pass(const struct finder *f, int64_t span, const struct launcher *l)
{
    if (!l)
        return f->e->replay->launch[span] < 0 && f->eager[f->e->run->spans.name[span]];
    return !is_captured(f->e, l) && !l->in_optimizer;
}

static bool is_looked_at(const struct finder *f, int64_t span)
{
    enum span_kind kind = f->e->run->spans.kind[span];
    return kind != SPAN_KIND_SET && span_kind_is_device_work(kind) &&
           device_work_in_window(f->e, span);
}

static void find_eager(struct finder *f, int64_t span)
{
    const struct launcher *l = launcher_of(f, span);
    if (l && pass_kind(f, span) == PASS_YES && is_pass(f, span, l))
        f->eager[f->e->run->spans.name[span]] = 1;
}

static void look_at(struct finder *f, int64_t span)
{
    const struct launcher *l = launcher_of(f, span);
    enum pass_kind kind = pass_kind(f, span);
    if (f->e->run->spans.kind[span] == SPAN_KIND_KERNEL)
        f->c->kernels_ns += (double)f->e->run->spans.dur_ns[span];
    if (kind == PASS_FILL)
        return;
    if (kind == PASS_YES && is_pass(f, span, l))
        add_pass(f, span, l);
    else
        end_chain(f);
}

/* All that is looked at, stream by stream as it began. */
static void for_each(struct finder *f, void (*visit)(struct finder *, int64_t),
                     void (*end_stream)(struct finder *))
{
    const struct lanes *lanes = &f->e->run->lanes;
    const struct replay *r = f->e->replay;
    for (size_t i = 0; i < lanes->table.n; i++) {
        if (lanes->rank[i] != f->e->rank_row || lanes->kind[i] != LANE_KIND_DEVICE)
            continue;
        for (size_t k = r->first_row[i]; k < r->first_row[i + 1]; k++)
            if (is_looked_at(f, r->row[k]))
                visit(f, r->row[k]);
        if (end_stream)
            end_stream(f);
    }
}

void kernel_chains_init(struct kernel_chains *c, const struct evidence *e,
                        size_t least_passes)
{
    struct launcher *launcher = find_launchers(e);
    *c = (struct kernel_chains){0};
    struct finder f = {.c = c,
                       .e = e,
                       .launcher = launcher,
                       .kind = mem_zalloc(e->run->names.n + 1, 1),
                       .eager = mem_zalloc(e->run->names.n + 1, 1),
                       .least_passes = least_passes};
    for_each(&f, find_eager, NULL);
    for_each(&f, look_at, end_chain);
    mem_free(f.kind);
    mem_free(f.eager);
    mem_free(launcher);
}

void kernel_chains_release(struct kernel_chains *c)
{
    mem_free(c->pass);
    mem_free(c->chain);
    *c = (struct kernel_chains){0};
}

#include "record/process_run.h"

#include "base/mem.h"
#include "base/stats.h"
#include "base/strbuf.h"
#include "record/process_rows.h"
#include "trace/trace_reader.h"

#include <stdlib.h>
#include <string.h>

struct detail {
    const struct json *plain, *stacks; /* rounds; NULL: none */
    int plain_index, stacks_index;
};

struct candidate {
    double step_ns; /* median of its traced steps */
    const struct json *round;
    int index;
};

static int compare_candidate(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->step_ns != y->step_ns)
        return x->step_ns < y->step_ns ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Of the traced rounds without stacks the one in the middle by its step time. */
static struct detail choose_detail(const struct json *rounds)
{
    struct detail d = {0};
    struct candidate *all = mem_alloc((rounds->n + 1) * sizeof *all);
    size_t n = 0;
    int index = 0;
    for (const struct json *r = rounds->child; r; r = r->next, index++) {
        if (!*json_string_or(json_get(r, "trace"), ""))
            continue;
        if (json_bool_or(json_get(r, "stacks"), false)) {
            d.stacks = r;
            d.stacks_index = index;
        } else {
            all[n++] = (struct candidate){process_round_traced_ns(r), r, index};
        }
    }
    if (n) {
        qsort(all, n, sizeof *all, compare_candidate);
        d.plain = all[(n - 1) / 2].round;
        d.plain_index = all[(n - 1) / 2].index;
    }
    mem_free(all);
    return d;
}

static enum status read_trace(struct run *run, const struct json *round,
                              const char *folder, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", folder, json_string_or(json_get(round, "trace"), ""));
    enum status st = trace_read(run, path.s, NULL, err);
    strbuf_release(&path);
    return st;
}

/* Python frames slow a step down too much for its times to count, but they tell where
 * operators come from: only that is taken from the round that has them. */
static enum status add_sites(struct run *run, const struct json *round,
                             const char *folder, struct err *err)
{
    struct run other;
    run_init(&other);
    enum status st = read_trace(&other, round, folder, err);
    for (size_t i = 0; !st && i < other.sites.table.n; i++) {
        struct site s = sites_get(&other.sites, i);
        s.rank = 0;
        s.op = names_add_z(&run->names, run_name(&other, s.op));
        s.module = names_add_z(&run->names, run_name(&other, s.module));
        s.line = names_add_z(&run->names, run_name(&other, s.line));
        sites_add(&run->sites, s);
    }
    run_release(&other);
    return st;
}

static void fill_rank(struct run *one, const struct process_file *p)
{
    const struct json *facts = json_get(p->root, "facts");
    struct ranks *r = &one->ranks;
    r->rank[0] = p->rank;
    if (p->world)
        r->world[0] = p->world;
    const char *script = json_string_or(json_get(facts, "script"), "");
    if (*script) /* the trace itself is gone when this is read */
        r->path[0] = names_add_z(&one->names, script);
    if (!*run_name(one, r->framework[0])) {
        const char *torch = json_string_or(json_get(facts, "torch"), "");
        r->framework[0] = names_add_z(&one->names, torch);
    }
}

static enum status fill(struct run *one, const struct process_file *p, struct detail d,
                        const char *folder, struct err *err)
{
    enum status st = read_trace(one, d.plain, folder, err);
    if (!st && d.stacks)
        st = add_sites(one, d.stacks, folder, err);
    if (st)
        return st;
    fill_rank(one, p);
    run_add_fact(one, 0, "record.detail_round", d.plain_index, "", ORIGIN_MEASURED,
                 "the round whose spans these are");
    if (d.stacks)
        run_add_fact(one, 0, "record.sites_round", d.stacks_index, "", ORIGIN_MEASURED,
                     "the round with stacks: places in the program are of it");
    return process_rows_add(one, p, err);
}

enum status process_run_add(struct run *run, const struct process_file *p,
                            const char *folder, struct err *err)
{
    const struct json *rounds;
    enum status st = process_file_list(p, "rounds", &rounds, err);
    if (st)
        return st;
    struct detail d = choose_detail(rounds);
    if (!d.plain)
        return err_set(err, STATUS_INPUT, "process %lld has no traced steps",
                       (long long)p->pid);
    struct run one;
    run_init(&one);
    st = fill(&one, p, d, folder, err);
    if (!st)
        run_merge(run, &one);
    else
        err_prefix(err, "process %lld", (long long)p->pid);
    run_release(&one);
    return st;
}

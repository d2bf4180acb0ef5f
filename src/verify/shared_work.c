#include "verify/shared_work.h"

#include "base/mem.h"

#include <math.h>

/* Chosen; what it tells apart: docs/verify.md. */
static const double SHARED_MIN_FRAC = 0.3;

/* Time in operators, by name; their sum. The caller frees it. */
static int64_t *time_by_name(const struct run *run, int64_t *all_ns)
{
    const struct ops *o = &run->ops;
    int64_t *ns = mem_zalloc(run->names.n + 1, sizeof *ns);
    *all_ns = 0;
    for (size_t i = 0; i < o->table.n; i++) {
        if (o->kind[i] != SPAN_KIND_OP || o->place[i] != LANE_KIND_CPU ||
            o->self_ns[i] <= 0)
            continue;
        ns[o->name[i]] += o->self_ns[i];
        *all_ns += o->self_ns[i];
    }
    return ns;
}

struct shared_work shared_work_of(const struct run *before, const struct run *after)
{
    int64_t before_all_ns, after_all_ns, before_ns = 0, after_ns = 0;
    int64_t *b = time_by_name(before, &before_all_ns);
    int64_t *a = time_by_name(after, &after_all_ns);
    for (size_t name = 0; name < before->names.n; name++) {
        int64_t other = b[name] ? names_find(&after->names, before->names.str[name],
                                             before->names.len[name])
                                : -1;
        if (other < 0 || !a[other])
            continue;
        before_ns += b[name];
        after_ns += a[other];
    }
    mem_free(b);
    mem_free(a);
    if (!before_all_ns || !after_all_ns)
        return (struct shared_work){NAN, NAN};
    return (struct shared_work){(double)before_ns / (double)before_all_ns,
                                (double)after_ns / (double)after_all_ns};
}

bool shared_work_is_little(const struct shared_work *s)
{
    return s->before_frac < SHARED_MIN_FRAC || s->after_frac < SHARED_MIN_FRAC;
}

#include "engine/param_store.h"

#include "base/status.h"

void param_store_plan(struct param_store *s, struct memory_plan *plan,
                      const struct param_table *t, bool split)
{
    const enum tensor_class class = TENSOR_CLASS_PARAMETERS;
    *s = (struct param_store){.split = split, .vectors = t->vectors, .total = t->total};
    memory_plan_add(plan, (void **)&s->full, class, "parameters",
                    split ? t->vectors : t->total, sizeof *s->full);
    if (!split)
        return;
    memory_plan_add(plan, (void **)&s->high, class, "bf16 weights", t->total - t->vectors,
                    sizeof *s->high);
    memory_plan_add(plan, (void **)&s->low, class, "low halves", t->total - t->vectors,
                    sizeof *s->low);
}

const real *param_store_vector(const struct param_store *s, const struct param *p)
{
    if (p->dims != 1)
        BUG("%s is no vector", p->name);
    return s->full + p->offset;
}

struct weight param_store_weight(const struct param_store *s, const struct param *p)
{
    int64_t at = p->offset - s->vectors;
    if (p->dims != 2)
        BUG("%s is no matrix", p->name);
    if (s->split)
        return (struct weight){(const act *)(s->high + at), s->low + at};
    return (struct weight){(const act *)(s->full + p->offset), NULL};
}

static bool is_split(const struct param_store *s, const struct param *p)
{
    return s->split && p->dims == 2;
}

void param_store_get(const struct param_store *s, const struct param *p, int64_t first,
                     int64_t n, real *out)
{
    int64_t at = p->offset + first, half = at - s->vectors;
    for (int64_t i = 0; i < n; i++)
        out[i] = is_split(s, p) ? split_join(s->high[half + i], s->low[half + i])
                                : s->full[at + i];
}

void param_store_put(struct param_store *s, const struct param *p, int64_t first,
                     int64_t n, const real *in)
{
    int64_t at = p->offset + first, half = at - s->vectors;
    for (int64_t i = 0; i < n; i++) {
        if (is_split(s, p))
            split_float(&s->high[half + i], &s->low[half + i], (float)in[i]);
        else
            s->full[at + i] = in[i];
    }
}

#include "engine/param_table.h"

#include "base/mem.h"
#include "base/status.h"
#include "engine/memory_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A cache line holds at least 8 numbers, of doubles; 16 of floats. */
enum { PARAM_ALIGN = TENSOR_ALIGN_BYTES / 4 };

void param_table_init(struct param_table *t)
{
    memset(t, 0, sizeof *t);
}

void param_table_release(struct param_table *t)
{
    mem_free(t->param);
    param_table_init(t);
}

static int64_t add_or_max(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t round_up(int64_t n)
{
    return n > INT64_MAX - PARAM_ALIGN
               ? INT64_MAX
               : (n + PARAM_ALIGN - 1) / PARAM_ALIGN * PARAM_ALIGN;
}

size_t param_table_add(struct param_table *t, enum param_init init, int64_t rows,
                       int64_t columns, bool joined, const char *name_fmt, ...)
{
    struct param p = {
        .dims = columns ? 2 : 1, .init = init, .decay = columns != 0, .joined = joined};
    va_list args;
    va_start(args, name_fmt);
    int len = vsnprintf(p.name, sizeof p.name, name_fmt, args);
    va_end(args);
    if (len < 0 || len >= (int)sizeof p.name)
        BUG("the name of a parameter has %d characters", len);
    if (joined && (!t->n || !columns || t->param[t->n - 1].shape[1] != columns))
        BUG("%s has nothing to be joined to", p.name);
    p.shape[0] = rows;
    p.shape[1] = columns;
    p.n = columns ? PLAN_COUNT(rows, columns) : rows;
    vec_grow(t->param, t->cap, t->n + 1);
    t->param[t->n] = p;
    t->count = add_or_max(t->count, p.n);
    return t->n++;
}

static void lay_out(struct param_table *t, int dims)
{
    for (size_t i = 0; i < t->n; i++) {
        struct param *p = &t->param[i];
        if (p->dims != dims)
            continue;
        p->offset = p->joined ? t->total : round_up(t->total);
        t->total = add_or_max(p->offset, p->n);
    }
    t->total = round_up(t->total);
}

void param_table_layout(struct param_table *t)
{
    lay_out(t, 1);
    t->vectors = t->total;
    lay_out(t, 2);
}

const struct param *param_table_find(const struct param_table *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->param[i].name, name))
            return &t->param[i];
    return NULL;
}

#include "engine/param_table.h"

#include "base/mem.h"
#include "base/status.h"
#include "engine/memory_plan.h"
#include "engine/real.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    const int64_t line = TENSOR_ALIGN_BYTES / (int64_t)sizeof(real);
    return n > INT64_MAX - line ? INT64_MAX : (n + line - 1) / line * line;
}

size_t param_table_add(struct param_table *t, enum param_init init, int64_t rows,
                       int64_t columns, const char *name_fmt, ...)
{
    struct param p = {.dims = columns ? 2 : 1, .init = init, .decay = columns != 0};
    va_list args;
    va_start(args, name_fmt);
    int len = vsnprintf(p.name, sizeof p.name, name_fmt, args);
    va_end(args);
    if (len < 0 || len >= (int)sizeof p.name)
        BUG("the name of a parameter has %d characters", len);
    p.shape[0] = rows;
    p.shape[1] = columns;
    p.n = columns ? PLAN_COUNT(rows, columns) : rows;
    p.offset = t->total;
    vec_grow(t->param, t->cap, t->n + 1);
    t->param[t->n] = p;
    t->total = add_or_max(t->total, round_up(p.n));
    t->count = add_or_max(t->count, p.n);
    return t->n++;
}

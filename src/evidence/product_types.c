#include "evidence/product_types.h"

bool product_is_f32(const char *kernel)
{
    return kernel_units_of(kernel) != KERNEL_UNITS_NONE &&
           kernel_precision_of(kernel) == PRECISION_F32;
}

struct product_types product_types_of(const struct evidence *e)
{
    const struct ops *ops = &e->run->ops;
    struct product_types p = {0};
    for (size_t i = 0; i < e->rank->n_ops; i++) {
        size_t row = e->rank->ops[i].row;
        const char *name = run_name(e->run, ops->name[row]);
        if (ops->place[row] != LANE_KIND_DEVICE || ops->kind[row] != SPAN_KIND_KERNEL ||
            kernel_units_of(name) == KERNEL_UNITS_NONE)
            continue;
        p.ns[kernel_precision_of(name)] += (double)ops->self_ns[row];
        p.all_ns += (double)ops->self_ns[row];
    }
    return p;
}

bool product_types_known(const struct product_types *p)
{
    return p->all_ns > 0 && 2 * p->ns[PRECISION_UNKNOWN] <= p->all_ns;
}

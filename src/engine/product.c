#include "engine/product.h"

#include "base/mem.h"
#include "engine/onednn_product.h"
#include "engine/own_product.h"

#include <omp.h>

struct product {
    enum product_maker maker;
    struct own_product own;
    struct onednn_product *onednn;
};

enum status product_open(struct product **out, const struct product_shape *shape,
                         enum product_maker maker, struct err *err)
{
    struct product *p = mem_zalloc(1, sizeof *p);
    enum status s = STATUS_OK;
    p->maker = maker;
    if (maker == PRODUCT_OWN)
        own_product_open(&p->own, shape,
                         product_kernel_for(shape->a.bf16 && shape->b.bf16),
                         omp_get_max_threads());
    else
        s = onednn_product_open(&p->onednn, shape, err);
    if (s != STATUS_OK) {
        mem_free(p);
        p = NULL;
    }
    *out = p;
    return s;
}

void product_close(struct product *p)
{
    if (p)
        onednn_product_close(p->onednn);
    mem_free(p);
}

size_t product_workspace_bytes(const struct product *p)
{
    return p->maker == PRODUCT_OWN ? p->own.workspace_bytes
                                   : onednn_product_workspace_bytes(p->onednn);
}

const char *product_kernel(const struct product *p)
{
    return p->maker == PRODUCT_OWN ? p->own.kernel->name
                                   : onednn_product_kernel(p->onednn);
}

void product_run(struct product *p, void *workspace, void *c, const void *a,
                 const void *b, const float *bias)
{
    if (p->maker == PRODUCT_OWN)
        own_product_run(&p->own, workspace, c, a, b, bias);
    else
        onednn_product_run(p->onednn, workspace, c, a, b, bias);
}

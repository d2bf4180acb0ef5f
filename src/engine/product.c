#include "engine/product.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "engine/onednn_product.h"
#include "engine/own_product.h"
#include "engine/product_choice.h"

#include <omp.h>

struct product {
    struct product_shape shape;
    enum product_maker maker;
    bool undecided; /* both are open */
    struct own_product own;
    struct onednn_product *onednn; /* or NULL */
};

static void open_own(struct product *p)
{
    own_product_open(&p->own, &p->shape,
                     product_kernel_for(p->shape.a.bf16 && p->shape.b.bf16),
                     omp_get_max_threads());
}

enum status product_open(struct product **out, const struct product_shape *shape,
                         int maker, struct err *err)
{
    struct product *p = mem_zalloc(1, sizeof *p);
    enum status s = STATUS_OK;
    p->shape = *shape;
    p->undecided = maker == PRODUCT_BY_FASTER && !product_choice_find(&p->maker, shape);
    if (maker != PRODUCT_BY_FASTER)
        p->maker = (enum product_maker)maker;
    if (p->undecided || p->maker == PRODUCT_OWN)
        open_own(p);
    if (p->undecided || p->maker == PRODUCT_BY_ONEDNN)
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
    size_t own = p->own.workspace_bytes;
    size_t onednn = p->onednn ? onednn_product_workspace_bytes(p->onednn) : 0;
    return own > onednn ? own : onednn;
}

const char *product_kernel(const struct product *p)
{
    return p->maker == PRODUCT_OWN ? p->own.kernel->name
                                   : onednn_product_kernel(p->onednn);
}

static void run_by(struct product *p, enum product_maker maker, void *workspace, void *c,
                   const void *a, const void *b, const float *bias)
{
    if (maker == PRODUCT_OWN)
        own_product_run(&p->own, workspace, c, a, b, bias);
    else
        onednn_product_run(p->onednn, workspace, c, a, b, bias);
}

void product_run(struct product *p, void *workspace, void *c, const void *a,
                 const void *b, const float *bias)
{
    run_by(p, p->maker, workspace, c, a, b, bias);
}

/* --- who is faster --- */

/* Rounds in which both run once: until the time is over, but at least so many. */
enum { ROUNDS_LEAST = 2, ROUNDS_MAX = 15 };
static const int64_t MEASURE_NS = 100000000;

static void measure(struct product *p, double ns[PRODUCT_MAKERS], void *workspace,
                    void *c, const void *a, const void *b, const float *bias)
{
    double each[PRODUCT_MAKERS][ROUNDS_MAX];
    const int64_t first_ns = clock_now_ns();
    size_t rounds = 0;
    for (int i = 0; i < PRODUCT_MAKERS; i++) /* the first makes what is then kept */
        run_by(p, (enum product_maker)i, workspace, c, a, b, bias);
    for (; rounds < ROUNDS_MAX &&
           (rounds < ROUNDS_LEAST || clock_now_ns() < first_ns + MEASURE_NS);
         rounds++)
        for (int i = 0; i < PRODUCT_MAKERS; i++) {
            int maker = rounds % 2 ? !i : i;
            int64_t begin_ns = clock_now_ns();
            run_by(p, (enum product_maker)maker, workspace, c, a, b, bias);
            each[maker][rounds] = (double)(clock_now_ns() - begin_ns);
        }
    for (int i = 0; i < PRODUCT_MAKERS; i++)
        ns[i] = stats_median(each[i], rounds);
}

static void settle(struct product *p, enum product_maker maker)
{
    p->undecided = false;
    p->maker = maker;
    if (maker == PRODUCT_OWN) {
        onednn_product_close(p->onednn);
        p->onednn = NULL;
    }
}

void product_decide(struct product *p, void *workspace, void *c, const void *a,
                    const void *b, const float *bias)
{
    double ns[PRODUCT_MAKERS];
    enum product_maker maker = PRODUCT_BY_ONEDNN;
    if (!p->undecided)
        return;
    int file = product_choice_begin();
    if (file >= 0) {
        measure(p, ns, workspace, c, a, b, bias);
        product_choice_keep(file, &p->shape, ns);
        product_choice_find(&maker, &p->shape);
    }
    settle(p, maker);
}

void product_learn(struct product *p, void *workspace, void *c, const void *a,
                   const void *b, const float *bias)
{
    enum product_maker maker = PRODUCT_BY_ONEDNN;
    (void)workspace, (void)c, (void)a, (void)b, (void)bias;
    if (!p->undecided)
        return;
    product_choice_find(&maker, &p->shape);
    settle(p, maker);
}

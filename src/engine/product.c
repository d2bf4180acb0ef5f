#include "engine/product.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "engine/onednn_product.h"
#include "engine/own_product.h"
#include "engine/product_choice.h"
#include "engine/thin_product.h"

#include <omp.h>

struct product {
    struct product_shape shape;
    enum product_maker maker;
    bool is_thin; /* of few rows: made without a choice, and without a workspace */
    struct own_product own;
    struct onednn_product *onednn; /* or NULL */
    /* While it is open who is faster both are there, and here what is measured. */
    struct product *trial[PRODUCT_MAKERS];
};

/* What is measured of a product: no more of it than takes a moment, and of large batches
 * the same whatever they are. */
static const double TRIAL_FLOP_MAX = 4e10, TRIAL_NUMBERS_MAX = 1 << 26;

/* Sides are cut first: a product of half the depth is another one, half of the rows are
 * half of it. */
enum { TRIAL_SIDE_LEAST = 512 };

static bool is_short(const struct product_shape *s)
{
    double m = (double)s->rows, n = (double)s->columns, k = (double)s->depth;
    return 2 * m * n * k <= TRIAL_FLOP_MAX && m * k + k * n + m * n <= TRIAL_NUMBERS_MAX;
}

static int64_t power_of_two_below(int64_t n)
{
    int64_t power = 1;
    while (2 * power < n)
        power *= 2;
    return power;
}

static struct product_shape trial_of(const struct product_shape *shape)
{
    struct product_shape s = *shape;
    while (!is_short(&s)) {
        int64_t *side = s.rows > s.columns ? &s.rows : &s.columns;
        bool deep = *side <= TRIAL_SIDE_LEAST && s.depth > *side;
        int64_t *cut = deep ? &s.depth : side;
        *cut = power_of_two_below(*cut);
    }
    return s;
}

bool product_is_undecided(const struct product *p)
{
    return p->trial[0] != NULL;
}

static void open_own(struct product *p)
{
    own_product_open(&p->own, &p->shape,
                     product_kernel_for(p->shape.a.bf16 && p->shape.b.bf16),
                     omp_get_max_threads());
}

static enum status open_trials(struct product *p, const struct product_shape *trial,
                               struct err *err)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < PRODUCT_MAKERS && s == STATUS_OK; i++)
        s = product_open(&p->trial[i], trial, i, err);
    return s;
}

static void close_trials(struct product *p)
{
    for (int i = 0; i < PRODUCT_MAKERS; i++) {
        product_close(p->trial[i]);
        p->trial[i] = NULL;
    }
}

static enum status open_all(struct product *p, int maker, struct err *err)
{
    const struct product_shape trial = trial_of(&p->shape);
    bool both = maker == PRODUCT_BY_FASTER && !product_choice_find(&p->maker, &trial);
    enum status s = STATUS_OK;
    if (maker != PRODUCT_BY_FASTER)
        p->maker = (enum product_maker)maker;
    if (both || p->maker == PRODUCT_OWN)
        open_own(p);
    if (both || p->maker == PRODUCT_BY_ONEDNN)
        s = onednn_product_open(&p->onednn, &p->shape, err);
    return both && s == STATUS_OK ? open_trials(p, &trial, err) : s;
}

enum status product_open(struct product **out, const struct product_shape *shape,
                         int maker, struct err *err)
{
    struct product *p = mem_zalloc(1, sizeof *p);
    p->shape = *shape;
    p->is_thin = maker != PRODUCT_BY_ONEDNN && thin_product_suits(shape);
    enum status s = p->is_thin ? STATUS_OK : open_all(p, maker, err);
    if (s != STATUS_OK) {
        product_close(p);
        p = NULL;
    }
    *out = p;
    return s;
}

void product_close(struct product *p)
{
    if (!p)
        return;
    close_trials(p);
    onednn_product_close(p->onednn);
    mem_free(p);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t product_workspace_bytes(const struct product *p)
{
    size_t bytes = p->own.workspace_bytes;
    if (p->onednn)
        bytes = larger(bytes, onednn_product_workspace_bytes(p->onednn));
    for (int i = 0; i < PRODUCT_MAKERS && product_is_undecided(p); i++)
        bytes = larger(bytes, product_workspace_bytes(p->trial[i]));
    return bytes;
}

const char *product_kernel(const struct product *p)
{
    if (p->is_thin)
        return "thin";
    return p->maker == PRODUCT_OWN ? p->own.kernel->name
                                   : onednn_product_kernel(p->onednn);
}

void product_run(struct product *p, void *workspace, void *c, const void *a,
                 const void *b, const float *bias)
{
    if (p->is_thin)
        thin_product_run(&p->shape, c, a, b, bias);
    else if (p->maker == PRODUCT_OWN)
        own_product_run(&p->own, workspace, c, a, b, bias);
    else
        onednn_product_run(p->onednn, workspace, c, a, b, bias);
}

/* --- who is faster --- */

/* Rounds in which both run once: until the time is over, but at least so many. */
enum { ROUNDS_LEAST = 3, ROUNDS_MAX = 15 };
static const int64_t MEASURE_NS = 300000000;

static void measure(struct product *p, double ns[PRODUCT_MAKERS], void *workspace,
                    void *c, const void *a, const void *b, const float *bias)
{
    double each[PRODUCT_MAKERS][ROUNDS_MAX];
    const int64_t first_ns = clock_now_ns();
    size_t rounds = 0;
    for (int i = 0; i < PRODUCT_MAKERS; i++) /* the first makes what is then kept */
        product_run(p->trial[i], workspace, c, a, b, bias);
    for (; rounds < ROUNDS_MAX &&
           (rounds < ROUNDS_LEAST || clock_now_ns() < first_ns + MEASURE_NS);
         rounds++)
        for (int i = 0; i < PRODUCT_MAKERS; i++) {
            int maker = rounds % 2 ? !i : i;
            int64_t begin_ns = clock_now_ns();
            product_run(p->trial[maker], workspace, c, a, b, bias);
            each[maker][rounds] = (double)(clock_now_ns() - begin_ns);
        }
    for (int i = 0; i < PRODUCT_MAKERS; i++)
        ns[i] = stats_median(each[i], rounds);
}

static void settle(struct product *p, enum product_maker maker)
{
    p->maker = maker;
    close_trials(p);
    if (maker == PRODUCT_OWN) {
        onednn_product_close(p->onednn);
        p->onednn = NULL;
    }
}

/* As it is remembered: by this process or another. */
static void settle_as_kept(struct product *p)
{
    const struct product_shape trial = trial_of(&p->shape);
    enum product_maker maker = PRODUCT_BY_ONEDNN;
    product_choice_find(&maker, &trial);
    settle(p, maker);
}

void product_decide(struct product *p, void *workspace, void *c, const void *a,
                    const void *b, const float *bias)
{
    double ns[PRODUCT_MAKERS];
    if (!product_is_undecided(p))
        return;
    const struct product_shape trial = trial_of(&p->shape);
    int file = product_choice_begin();
    if (file >= 0) {
        measure(p, ns, workspace, c, a, b, bias);
        product_choice_keep(file, &trial, ns);
    }
    settle_as_kept(p);
}

void product_learn(struct product *p, void *workspace, void *c, const void *a,
                   const void *b, const float *bias)
{
    (void)workspace, (void)c, (void)a, (void)b, (void)bias;
    if (product_is_undecided(p))
        settle_as_kept(p);
}

#include "engine/engine.h"

#include "engine/reference.h"

#ifndef GAIT_DOUBLE
#include "engine/product_kernel.h"
#include "engine/product_linear.h"
#include "engine/vector_ops.h"
#endif

#include <omp.h>
#include <string.h>

static enum status unknown_word(struct err *err, const char *key, const char *word,
                                const char *known)
{
    return err_set(err, STATUS_USAGE, "%s \"%s\" is not known: use %s", key, word, known);
}

/* Who computes the linears. The first makes the reference's loops do it. */
enum { LINEARS_REFERENCE, LINEARS_ONEDNN, LINEARS_OWN, LINEARS_FASTER };
static const char *const linears_word[] = {"reference", "onednn", "own", "auto"};

static int find_linears(const char *word)
{
    for (int i = 0; i < (int)(sizeof linears_word / sizeof *linears_word); i++)
        if (!strcmp(word, linears_word[i]))
            return i;
    return -1;
}

#ifdef GAIT_DOUBLE
static enum status choose_kernels(struct engine *e, bool tiled, int linears,
                                  struct err *err)
{
    if (e->bf16 || linears != LINEARS_REFERENCE)
        return err_set(err, STATUS_USAGE,
                       "the double build has neither bf16 nor fast linears");
    e->ops = tiled ? reference_tiled : reference_plain;
    e->act_bytes = sizeof(real);
    return STATUS_OK;
}
#else
static enum status choose_kernels(struct engine *e, bool tiled, int linears,
                                  struct err *err)
{
    if (product_isa_unknown())
        return unknown_word(err, "GAIT_ISA", product_isa_unknown(),
                            "amx, avx512, avx2 or plain");
    if (e->bf16)
        e->ops = tiled ? reference_bf16_tiled : reference_bf16_plain;
    else
        e->ops = tiled ? reference_tiled : reference_plain;
    e->act_bytes = e->bf16 ? sizeof(uint16_t) : sizeof(real);
    if (linears == LINEARS_REFERENCE)
        return STATUS_OK;
    vector_ops_put(&e->ops, e->bf16);
    const struct attention_ops *fast = product_kernel_for(e->bf16)->attention;
    if (tiled && e->bf16 && fast)
        e->ops.attention = *fast;
    e->ops.linear_open = linears == LINEARS_ONEDNN ? onednn_linear_open
                         : linears == LINEARS_OWN  ? own_linear_open
                                                   : faster_linear_open;
    e->ops.linear_close = product_linear_close;
    e->ops.linear_decide = linears == LINEARS_FASTER ? product_linear_decide : NULL;
    e->ops.linear_forward = product_linear_forward;
    e->ops.linear_backward_input = product_linear_backward_input;
    e->ops.linear_backward_weight = product_linear_backward_weight;
    return STATUS_OK;
}
#endif

enum status engine_init(struct engine *e, const struct engine_options *o, struct err *err)
{
    int linears = find_linears(o->name);
    bool bf16 = !strcmp(o->precision, "bf16"), tiled = !strcmp(o->attention, "tiled");
    memset(e, 0, sizeof *e);
    if (linears < 0)
        return unknown_word(err, "engine", o->name, "auto, onednn, own or reference");
    if (!tiled && strcmp(o->attention, "plain"))
        return unknown_word(err, "attention", o->attention, "tiled or plain");
    if (!bf16 && strcmp(o->precision, "f32"))
        return unknown_word(err, "precision", o->precision, "f32 or bf16");
    e->bf16 = bf16;
    e->options = (struct engine_options){linears_word[linears], bf16 ? "bf16" : "f32",
                                         tiled ? "tiled" : "plain"};
    return choose_kernels(e, tiled, linears, err);
}

const char *engine_maker(const struct engine *e)
{
    static const char *const text[] = {"plain loops", "oneDNN", "kernels of its own",
                                       "oneDNN or its own kernels, the faster"};
    return text[find_linears(e->options.name)];
}

int engine_set_threads(int threads)
{
    if (threads <= 0)
        threads = omp_get_num_procs();
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    return threads;
}

int engine_threads(void)
{
    return omp_get_max_threads();
}

enum status linear_open(const struct engine *e, struct linear *l, struct err *err)
{
    l->bf16 = e->bf16;
    return e->ops.linear_open(l, err);
}

void linear_decide(const struct engine *e, struct linear *l,
                   const struct linear_operands *o, bool measure)
{
    if (e->ops.linear_decide)
        e->ops.linear_decide(l, o, measure);
}

void linear_close(const struct engine *e, struct linear *l)
{
    if (e->ops.linear_close)
        e->ops.linear_close(l);
}

#include "engine/engine.h"

#include "engine/reference.h"

#ifndef GAIT_DOUBLE
#include "engine/onednn_linear.h"
#endif

#include <omp.h>
#include <string.h>

static enum status unknown_word(struct err *err, const char *key, const char *word,
                                const char *known)
{
    return err_set(err, STATUS_USAGE, "%s \"%s\" is not known: use %s", key, word, known);
}

#ifdef GAIT_DOUBLE
static enum status choose_kernels(struct engine *e, bool tiled, bool onednn,
                                  struct err *err)
{
    if (e->bf16 || onednn)
        return err_set(err, STATUS_USAGE, "the double build has neither bf16 nor oneDNN");
    e->ops = tiled ? reference_tiled : reference_plain;
    e->act_bytes = sizeof(real);
    return STATUS_OK;
}
#else
static enum status choose_kernels(struct engine *e, bool tiled, bool onednn,
                                  struct err *err)
{
    (void)err;
    if (e->bf16)
        e->ops = tiled ? reference_bf16_tiled : reference_bf16_plain;
    else
        e->ops = tiled ? reference_tiled : reference_plain;
    e->act_bytes = e->bf16 ? sizeof(uint16_t) : sizeof(real);
    if (onednn) {
        e->ops.linear_open = onednn_linear_open;
        e->ops.linear_close = onednn_linear_close;
        e->ops.linear_forward = onednn_linear_forward;
        e->ops.linear_backward_input = onednn_linear_backward_input;
        e->ops.linear_backward_weight = onednn_linear_backward_weight;
    }
    return STATUS_OK;
}
#endif

enum status engine_init(struct engine *e, const struct engine_options *o, struct err *err)
{
    bool onednn = !strcmp(o->name, "onednn"), tiled = !strcmp(o->attention, "tiled");
    bool bf16 = !strcmp(o->precision, "bf16");
    memset(e, 0, sizeof *e);
    if (!onednn && strcmp(o->name, "reference"))
        return unknown_word(err, "engine", o->name, "onednn or reference");
    if (!tiled && strcmp(o->attention, "plain"))
        return unknown_word(err, "attention", o->attention, "tiled or plain");
    if (!bf16 && strcmp(o->precision, "f32"))
        return unknown_word(err, "precision", o->precision, "f32 or bf16");
    e->bf16 = bf16;
    e->options =
        (struct engine_options){onednn ? "onednn" : "reference", bf16 ? "bf16" : "f32",
                                tiled ? "tiled" : "plain"};
    return choose_kernels(e, tiled, onednn, err);
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

void linear_close(const struct engine *e, struct linear *l)
{
    if (e->ops.linear_close)
        e->ops.linear_close(l);
}

#ifdef GAIT_TRAIN
#include "verify/trainer_pair.h"

#include <string.h>

static bool same_text(const struct config *a, const struct config *b)
{
    return !strcmp(a->dataset, b->dataset) && !strcmp(a->data_dir, b->data_dir) &&
           !strcmp(a->tokenizer, b->tokenizer) && !strcmp(a->init_from, b->init_from) &&
           a->max_chars == b->max_chars && a->builtin_chars == b->builtin_chars &&
           a->validation_fraction == b->validation_fraction && a->context == b->context;
}

enum status trainer_pair_open(struct trainer_pair *p, const struct config *before,
                              const struct config *after, struct err *err)
{
    p->open[0] = p->open[1] = false;
    config_copy_for_trial(&p->config[0], before);
    config_copy_for_trial(&p->config[1], after);
    enum status s = trainer_open(&p->t[0], &p->config[0], err);
    p->open[0] = s == STATUS_OK;
    if (s == STATUS_OK && p->t[0].comm.size > 1)
        return err_set(err, STATUS_USAGE,
                       "settings are compared in one process; leave mpirun out");
    if (s != STATUS_OK)
        return s;
    p->open[1] = true; /* to be closed after a failure, too */
    bool lend = same_text(&p->config[0], &p->config[1]);
    return trainer_try(&p->t[1], &p->config[1], lend ? &p->t[0].dataset : NULL, err);
}

void trainer_pair_close(struct trainer_pair *p, enum status status)
{
    for (int side = 1; side >= 0; side--) { /* the second may look at the first's text */
        if (p->open[side])
            trainer_close(&p->t[side], status);
        config_release(&p->config[side]);
    }
}

#endif

#ifdef GAIT_TRAIN
#include "verify/timed_pair.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/stats.h"

#include <math.h>

/* Short: what another program does to a machine changes in some ten ms, and must fall on
 * both sides. */
static const double BLOCK_NS = 10e6;
/* What is timed of an opening, at least: so long, and so many times what opening and
 * warming up took, so that four fifths of a comparison are timed. */
static const int64_t LIFE_NS = 300000000;
enum { LIFE_OPENINGS = 4 };
enum { PAIR_BLOCKS = 4 }; /* A B B A */

static enum status open_both(struct timed_pair *p, const struct config *before,
                             const struct config *after, struct err *err)
{
    int64_t begin_ns = clock_now_ns();
    enum status s = trainer_pair_open(&p->pair, before, after, err);
    p->next[0] = p->next[1] = p->blocks = 0;
    p->opening_ns = clock_now_ns() - begin_ns; /* warm_up() adds its own */
    return s;
}

enum status timed_pair_open(struct timed_pair *p, const struct config *before,
                            const struct config *after, struct err *err)
{
    *p = (struct timed_pair){.block = 1};
    return open_both(p, before, after, err);
}

void timed_pair_close(struct timed_pair *p, enum status status)
{
    trainer_pair_close(&p->pair, status);
}

struct block_time {
    double step_ns;
    int64_t wall_ns, data_ns;
};

static enum status time_steps(struct block_time *out, struct timed_pair *p, int side,
                              int64_t steps, struct err *err)
{
    struct trainer *t = &p->pair.t[side];
    struct step_report report;
    double ns[TIMED_BLOCK_MAX];
    enum status s = STATUS_OK;
    engine_set_threads(t->threads);
    int64_t waited_ns = t->data_wait_ns, begin_ns = clock_now_ns(), last_ns = begin_ns;
    for (int64_t i = 0; i < steps && s == STATUS_OK; i++) {
        s = trainer_step(t, p->next[side]++, &report, err);
        int64_t now_ns = clock_now_ns();
        ns[i] = (double)(now_ns - last_ns);
        last_ns = now_ns;
    }
    if (s == STATUS_OK)
        *out = (struct block_time){.step_ns = stats_median(ns, (size_t)steps),
                                   .wall_ns = last_ns - begin_ns,
                                   .data_ns = t->data_wait_ns - waited_ns};
    return s;
}

/* The first steps after an opening touch their memory for the first time: two of each
 * side, uncounted, and the shortest of the second ones. The side that begins is the last:
 * its data are in the caches then, as they are where it goes on. */
static enum status warm_up(struct timed_pair *p, int begins, double *shortest_ns,
                           struct err *err)
{
    int64_t begin_ns = clock_now_ns();
    *shortest_ns = INFINITY;
    for (int i = 0; i < 4; i++) {
        struct block_time t;
        enum status s = time_steps(&t, p, i % 2 ? begins : !begins, 1, err);
        if (s != STATUS_OK)
            return s;
        *shortest_ns = i < 2 ? *shortest_ns : fmin(*shortest_ns, t.step_ns);
    }
    p->timed_from_ns = clock_now_ns();
    p->opening_ns += p->timed_from_ns - begin_ns;
    return STATUS_OK;
}

enum status timed_pair_size(struct timed_pair *p, struct err *err)
{
    double shortest_ns;
    enum status s = warm_up(p, 0, &shortest_ns, err);
    if (s != STATUS_OK)
        return s;
    double steps = ceil(BLOCK_NS / shortest_ns);
    p->block = steps > TIMED_BLOCK_MAX ? TIMED_BLOCK_MAX : (int64_t)steps;
    return STATUS_OK;
}

static enum status open_again(struct timed_pair *p, int begins, struct err *err)
{
    struct config side[2];
    double ns;
    for (int i = 0; i < 2; i++)
        config_copy_for_trial(&side[i], &p->pair.config[i]);
    trainer_pair_close(&p->pair, STATUS_OK);
    log_mute(true); /* it was told at the first opening */
    enum status s = open_both(p, &side[0], &side[1], err);
    log_mute(false);
    for (int i = 0; i < 2; i++)
        config_release(&side[i]);
    if (s == STATUS_OK)
        s = warm_up(p, begins, &ns, err);
    return s;
}

static bool is_old(const struct timed_pair *p)
{
    int64_t age_ns = clock_now_ns() - p->timed_from_ns;
    return p->blocks > 0 && p->blocks % PAIR_BLOCKS == 0 && age_ns > LIFE_NS &&
           age_ns > LIFE_OPENINGS * p->opening_ns;
}

enum status timed_pair_block(void *context, int side, double *step_ns, struct err *err)
{
    struct timed_pair *p = context;
    struct block_time t;
    enum status s = STATUS_OK;
    if (is_old(p))
        s = open_again(p, side, err);
    if (s == STATUS_OK)
        s = time_steps(&t, p, side, p->block, err);
    if (s != STATUS_OK)
        return s;
    p->blocks++;
    p->wall_ns[side] += t.wall_ns;
    p->data_ns[side] += t.data_ns;
    *step_ns = t.step_ns;
    return STATUS_OK;
}

#endif

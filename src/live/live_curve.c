#include "live/live_curve.h"

#include <string.h>

void live_curve_init(struct live_curve *c)
{
    memset(c, 0, sizeof *c);
    c->stride = 1;
}

/* Both have as many steps, so the mean speed is that of the times. */
static struct live_point merged(const struct live_point *a, const struct live_point *b)
{
    double sum = a->tokens_per_s + b->tokens_per_s;
    return (struct live_point){
        .step = b->step,
        .loss = (a->loss + b->loss) / 2,
        .tokens_per_s = sum > 0 ? 2 * a->tokens_per_s * b->tokens_per_s / sum : 0};
}

static void halve(struct live_curve *c)
{
    c->n /= 2;
    for (int i = 0; i < c->n; i++)
        c->point[i] = merged(&c->point[2 * i], &c->point[2 * i + 1]);
    c->stride *= 2;
}

void live_curve_add(struct live_curve *c, int64_t step, double loss, double tokens,
                    double dur_s)
{
    c->open_steps++;
    c->open_loss += loss;
    c->open_s += dur_s;
    if (c->open_steps < c->stride)
        return;
    double n = (double)c->open_steps;
    c->point[c->n++] =
        (struct live_point){.step = step,
                            .loss = c->open_loss / n,
                            .tokens_per_s = c->open_s > 0 ? tokens * n / c->open_s : 0};
    c->open_steps = 0;
    c->open_loss = c->open_s = 0;
    if (c->n == LIVE_POINTS_MAX)
        halve(c);
}

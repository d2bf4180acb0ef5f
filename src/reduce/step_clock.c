#include "reduce/step_clock.h"

#include "base/mem.h"
#include "base/stats.h"

#include <stdlib.h>

void step_clock_init(struct step_clock *c, const struct found_steps *steps)
{
    *c = (struct step_clock){.step = steps->step, .n = steps->n};
    c->border_ns = mem_alloc((2 * c->n + 1) * sizeof *c->border_ns);
    for (size_t i = 0; i < c->n; i++) {
        c->border_ns[2 * i] = c->step[i].begin_ns;
        c->border_ns[2 * i + 1] = c->step[i].end_ns;
    }
    if (c->n)
        qsort(c->border_ns, 2 * c->n, sizeof *c->border_ns, compare_int64);
    for (size_t i = 0; i < 2 * c->n; i++)
        if (!c->borders || c->border_ns[i] > c->border_ns[c->borders - 1])
            c->border_ns[c->borders++] = c->border_ns[i];
    c->cut = mem_zalloc(c->borders, sizeof *c->cut);
}

void step_clock_release(struct step_clock *c)
{
    mem_free(c->border_ns);
    mem_free(c->cut);
    *c = (struct step_clock){0};
}

size_t step_clock_border(const struct step_clock *c, int64_t t_ns)
{
    size_t low = 0, high = c->borders;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->border_ns[mid] < t_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

size_t step_clock_past_stretch(const struct step_clock *c, int64_t t_ns)
{
    size_t border = step_clock_border(c, t_ns);
    return border + (border < c->borders && c->border_ns[border] == t_ns);
}

struct step_cuts step_clock_cuts(const struct step_clock *c, size_t step)
{
    const struct step_cuts *begin = &c->cut[step_clock_border(c, c->step[step].begin_ns)];
    const struct step_cuts *end = &c->cut[step_clock_border(c, c->step[step].end_ns)];
    struct step_cuts share;
    for (int k = 0; k < STEP_CUT_COUNT; k++)
        share.ns[k] = end->ns[k] - begin->ns[k];
    return share;
}

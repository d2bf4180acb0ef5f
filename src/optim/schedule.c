#include "optim/schedule.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double by_cosine(const struct schedule *s, double done_frac)
{
    return s->minimum + (s->peak - s->minimum) * 0.5 * (1 + cos(PI * done_frac));
}

static double by_line(const struct schedule *s, double done_frac)
{
    return s->minimum + (s->peak - s->minimum) * (1 - done_frac);
}

static double by_sqrt(const struct schedule *s, double done_frac)
{
    return s->minimum + (s->peak - s->minimum) * (1 - sqrt(done_frac));
}

/* The last step that has the peak; steps - 1 where nothing decays. */
static int64_t last_peak_step(const struct schedule *s)
{
    int64_t warm = s->warmup_steps > 0 ? s->warmup_steps - 1 : 0;
    int64_t last = s->steps - 1;
    if (s->kind == SCHEDULE_KIND_CONSTANT)
        return last;
    if (s->kind != SCHEDULE_KIND_WSD)
        return warm;
    int64_t stable = last - llround(s->decay_fraction * (double)s->steps);
    return stable > warm ? stable : warm;
}

double schedule_rate(const struct schedule *s, int64_t step)
{
    if (step < s->warmup_steps)
        return s->peak * (double)(step + 1) / (double)s->warmup_steps;
    int64_t first = last_peak_step(s);
    int64_t last = s->steps - 1;
    if (step >= last)
        return last > first ? s->minimum : s->peak;
    double done_frac = (double)(step - first) / (double)(last - first);
    if (s->kind == SCHEDULE_KIND_COSINE)
        return by_cosine(s, done_frac);
    if (step <= first)
        return s->peak;
    if (s->kind == SCHEDULE_KIND_WSD && s->decay_shape == DECAY_SHAPE_SQRT)
        return by_sqrt(s, done_frac);
    return by_line(s, done_frac);
}

static int find_name(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

#define NAME(value, name) name,

bool schedule_kind_parse(enum schedule_kind *out, const char *name)
{
    static const char *const names[] = {SCHEDULE_KIND_LIST(NAME)};
    int found = find_name(names, sizeof names / sizeof *names, name);
    if (found >= 0)
        *out = (enum schedule_kind)found;
    return found >= 0;
}

bool decay_shape_parse(enum decay_shape *out, const char *name)
{
    static const char *const names[] = {DECAY_SHAPE_LIST(NAME)};
    int found = find_name(names, sizeof names / sizeof *names, name);
    if (found >= 0)
        *out = (enum decay_shape)found;
    return found >= 0;
}

#include "optim/schedule.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

double schedule_rate(const struct schedule *s, int64_t step)
{
    if (step < s->warmup_steps)
        return s->peak * (double)(step + 1) / (double)s->warmup_steps;
    int64_t first = s->warmup_steps > 0 ? s->warmup_steps - 1 : 0;
    int64_t last = s->steps - 1;
    if (step >= last)
        return last > first ? s->minimum : s->peak;
    double done_frac = (double)(step - first) / (double)(last - first);
    return s->minimum + (s->peak - s->minimum) * 0.5 * (1 + cos(PI * done_frac));
}

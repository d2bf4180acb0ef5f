#include "verify/time_share.h"

#include "base/clock.h"

#include <math.h>

static const double LEAST_S = 0.2;

struct time_share time_share_begin(double budget_s, double parts)
{
    return (struct time_share){
        .budget_s = budget_s, .parts_left = parts, .begin_ns = clock_now_ns()};
}

double time_share_left_s(const struct time_share *t)
{
    return fmax(0, t->budget_s - (double)(clock_now_ns() - t->begin_ns) / 1e9);
}

double time_share_of_s(const struct time_share *t, double parts)
{
    double share = time_share_left_s(t) * parts / fmax(t->parts_left, parts);
    return fmax(LEAST_S, share - t->beside_s);
}

double time_share_next_s(struct time_share *t, double parts)
{
    double seconds = time_share_of_s(t, parts);
    t->parts_left -= parts;
    t->began_ns = clock_now_ns();
    return seconds;
}

void time_share_end(struct time_share *t, double timed_s)
{
    t->beside_s = fmax(0, (double)(clock_now_ns() - t->began_ns) / 1e9 - timed_s);
}

#include "findings/host_cores.h"

#include <math.h>

static double first_known(double a, double b)
{
    return isnan(a) ? b : a;
}

struct host_cores host_cores(const struct evidence *e)
{
    const struct ranks *r = &e->run->ranks;
    struct host_cores c = {0};
    c.threads = first_known(run_fact(e->run, e->rank_row, "record.threads"),
                            run_fact(e->run, e->rank_row, "train.threads"));
    /* cores, where they are told apart from the CPUs that two threads of a core are */
    c.cores = first_known(run_fact(e->run, e->rank_row, "record.cores"),
                          run_fact(e->run, e->rank_row, "record.cpus"));
    c.cores = first_known(c.cores, run_fact(e->run, e->rank_row, "machine.cores_usable"));
    c.cores = c.cores >= 1 ? c.cores : NAN;
    c.threads = c.threads >= 1 ? c.threads : NAN;
    for (size_t i = 0; i < r->table.n; i++)
        c.neighbours += r->host[i] == r->host[e->rank_row];
    /* a process has one thread at least, so no setting makes it less than a core */
    c.share = fmax(1, c.cores / (double)c.neighbours);
    if (isnan(c.cores)) /* fmax() would make it a number */
        c.share = NAN;
    return c;
}

bool host_cores_busy(const struct evidence *e, const struct host_cores *c)
{
    if (e->rank->used_device)
        return false;
    return isnan(c->threads) || isnan(c->share) || c->threads >= c->share;
}

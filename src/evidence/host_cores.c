#include "evidence/host_cores.h"
#include "run/record_facts.h"

#include <math.h>

static double first_known(double a, double b)
{
    return isnan(a) ? b : a;
}

/* Of so many on this machine. A process has one thread at least, so no setting makes it
 * less than one. */
static double share_of(double n, size_t neighbours)
{
    return n >= 1 ? fmax(1, n / (double)neighbours) : NAN;
}

struct host_cores host_cores(const struct evidence *e)
{
    const struct ranks *r = &e->run->ranks;
    struct host_cores c = {0};
    for (size_t i = 0; i < r->table.n; i++)
        c.neighbours += r->host[i] == r->host[e->rank_row];
    double threads = first_known(record_fact(e->run, e->rank_row, RECORD_FACT_THREADS),
                                 run_fact(e->run, e->rank_row, "train.threads"));
    double cores = first_known(record_fact(e->run, e->rank_row, RECORD_FACT_CORES),
                               run_fact(e->run, e->rank_row, "machine.cores_usable"));
    double cpus = first_known(record_fact(e->run, e->rank_row, RECORD_FACT_CPUS), cores);
    c.threads = threads >= 1 ? threads : NAN;
    c.cores = share_of(cores, c.neighbours);
    c.cpus = share_of(cpus, c.neighbours);
    return c;
}

double host_cores_or_cpus(const struct host_cores *c)
{
    return first_known(c->cores, c->cpus);
}

bool host_cores_busy(const struct evidence *e, const struct host_cores *c)
{
    double share = host_cores_or_cpus(c);
    if (e->rank->used_device)
        return false;
    return isnan(c->threads) || isnan(share) || c->threads >= share;
}

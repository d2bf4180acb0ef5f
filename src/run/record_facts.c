#include "run/record_facts.h"

#include <math.h>

#define RECORD_FACT_DEF(v, key, source, meaning)                                         \
    {key, &(key)[sizeof "record." - 1], RECORD_FACT_##source, meaning},
const struct record_fact_def record_fact_def[RECORD_FACT_COUNT] = {
    RECORD_FACT_LIST(RECORD_FACT_DEF)};

void record_fact_add(struct run *run, int32_t rank, enum record_fact fact, double value)
{
    const struct record_fact_def *def = &record_fact_def[fact];
    if (isfinite(value))
        run_add_fact(run, rank, def->key, value, "", ORIGIN_MEASURED, def->meaning);
}

double record_fact(const struct run *run, int32_t rank, enum record_fact fact)
{
    return run_fact(run, rank, record_fact_def[fact].key);
}

double record_others_cpus(const struct run *run, int32_t rank)
{
    static const double OTHERS_FRAC = 0.1; /* of the CPUs, before it is said */
    double cpus = record_fact(run, rank, RECORD_FACT_CPUS);
    double others = record_fact(run, rank, RECORD_FACT_OTHERS_CPUS);
    return others > OTHERS_FRAC * cpus ? others : 0;
}

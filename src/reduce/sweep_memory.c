#include "reduce/sweep_memory.h"

#include "base/mem.h"
#include "reduce/sweep.h"

void sweep_memory_init(struct sweep *sw)
{
    const struct merged *m = sw->merged;
    sw->memory.series = mem_zalloc(m->n_series, sizeof *sw->memory.series);
    for (size_t i = 0; i < m->n_series; i++) {
        struct memory_series *series = &sw->memory.series[i];
        int64_t rows = m->lane[m->n_lanes + i].rows;
        series->stretch = (rows + MEMORY_POINTS_MAX - 1) / MEMORY_POINTS_MAX;
        series->point = mem_alloc(MEMORY_POINTS_MAX * sizeof *series->point);
    }
}

void sweep_memory_release(struct sweep *sw)
{
    for (size_t i = 0; i < sw->merged->n_series; i++)
        mem_free(sw->memory.series[i].point);
    mem_free(sw->memory.series);
    sw->memory.series = NULL;
}

/* Sums of hostile changes stay where they are. */
static int64_t bytes_held(struct memory_series *series, const struct span *row)
{
    int64_t sum;
    if (!row->correlation)
        return row->bytes;
    if (!__builtin_add_overflow(series->sum_bytes, row->bytes, &sum))
        series->sum_bytes = sum;
    return series->sum_bytes;
}

void sweep_memory_add(struct sweep *sw, const struct span *row)
{
    const struct merged *m = sw->merged;
    struct memory_series *series = &sw->memory.series[(size_t)row->lane - m->n_lanes];
    const struct lane *key = &m->lane[row->lane].lane;
    struct memory point = {.rank = sw->rank,
                           .device = key->device,
                           .at_ns = row->begin_ns,
                           .what = (enum memory_class)key->pid,
                           .bytes = bytes_held(series, row),
                           .origin = (enum origin)row->flop};
    if (series->seen++ % series->stretch == 0)
        series->point[series->n++] = point;
    else if (point.bytes > series->point[series->n - 1].bytes)
        series->point[series->n - 1] = point;
}

void sweep_memory_finish(struct sweep *sw)
{
    for (size_t i = 0; i < sw->merged->n_series; i++)
        for (size_t k = 0; k < sw->memory.series[i].n; k++)
            memories_add(&sw->run->memories, sw->memory.series[i].point[k]);
}

#include "reduce/shard_merge.h"

#include "base/mem.h"
#include "spans/span_facts.h"

#include <stdlib.h>
#include <string.h>

static void merge_names(struct merged *m, struct reduce_shard *shard)
{
    m->names = &shard[0].names;
    m->name_of = mem_zalloc((size_t)m->shards, sizeof *m->name_of);
    for (int k = 0; k < m->shards; k++) {
        const struct names *from = &shard[k].names;
        m->name_of[k] = mem_alloc(from->n * sizeof **m->name_of);
        for (size_t i = 0; i < from->n; i++)
            m->name_of[k][i] =
                k ? names_add(m->names, from->str[i], from->len[i]) : (name_id)i;
    }
}

static int compare_merged_lane(const void *a, const void *b)
{
    const struct lane *x = &((const struct merged_lane *)a)->lane;
    const struct lane *y = &((const struct merged_lane *)b)->lane;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Adds the shard's lanes that have rows; lane_of[k] counts from `index` for now. */
static void gather_lanes(struct merged *m, struct reduce_shard *s, int k,
                         struct lane_index *index, size_t *cap)
{
    for (size_t i = 0; i < s->lanes.n; i++) {
        if (!s->use[i].rows)
            continue;
        struct lane lane = s->lanes.lane[i];
        size_t known = index->n;
        size_t at = (size_t)lane_index_add(index, &lane);
        vec_grow(m->lane, *cap, index->n);
        lane.name = m->name_of[k][lane.name];
        if (index->n > known)
            m->lane[at] = (struct merged_lane){.lane = lane};
        else if (lane.name)
            m->lane[at].lane.name = lane.name;
        m->lane[at].rows += s->use[i].rows;
        m->lane[at].launches += s->use[i].launches;
    }
}

static void sort_lanes(struct merged *m, struct lane_index *index)
{
    if (index->n)
        qsort(m->lane, index->n, sizeof *m->lane, compare_merged_lane);
    lane_index_release(index);
    for (size_t i = 0; i < m->n_lanes + m->n_series; i++)
        lane_index_add(index, &m->lane[i].lane);
}

static void merge_lanes(struct merged *m, struct reduce_shard *shard)
{
    struct lane_index index = {0};
    size_t cap = 0;
    for (int k = 0; k < m->shards; k++)
        gather_lanes(m, &shard[k], k, &index, &cap);
    for (size_t i = 0; i < index.n; i++) {
        bool memory = m->lane[i].lane.kind == (enum lane_kind)LANE_KIND_MEMORY;
        m->n_series += memory;
        m->n_lanes += !memory;
        m->spans += memory ? 0 : m->lane[i].rows;
    }
    sort_lanes(m, &index);
    m->lane_of = mem_zalloc((size_t)m->shards, sizeof *m->lane_of);
    for (int k = 0; k < m->shards; k++) {
        const struct reduce_shard *s = &shard[k];
        m->lane_of[k] = mem_alloc((s->lanes.n + 1) * sizeof **m->lane_of);
        for (size_t i = 0; i < s->lanes.n; i++)
            m->lane_of[k][i] =
                s->use[i].rows ? lane_index_find(&index, &s->lanes.lane[i]) : -1;
    }
    lane_index_release(&index);
}

static void merge_marks(struct merged *m, struct reduce_shard *shard)
{
    size_t n = 0;
    for (int k = 0; k < m->shards; k++)
        n += shard[k].sure_marks;
    m->mark = mem_alloc((n + 1) * sizeof *m->mark);
    for (int k = 0; k < m->shards; k++)
        for (size_t i = 0; i < shard[k].sure_marks; i++) {
            struct step_mark mark = shard[k].mark[i];
            mark.lane = m->lane_of[k][mark.lane];
            if (mark.lane >= 0)
                m->mark[m->n_marks++] = mark;
        }
}

void merged_init(struct merged *m, struct reduce_shard *shard, int shards)
{
    *m = (struct merged){.shards = shards};
    merge_names(m, shard);
    merge_lanes(m, shard);
    merge_marks(m, shard);
    for (int k = 0; k < shards; k++) {
        const struct shard_counts *c = &shard[k].sure;
        m->counts.out_of_range += c->out_of_range;
        m->counts.marks_lost += c->marks_lost;
        m->counts.memory_lost += c->memory_lost;
        m->counts.python_frames += c->python_frames;
    }
}

void merged_release(struct merged *m)
{
    for (int k = 0; k < m->shards; k++) {
        mem_free(m->lane_of[k]);
        mem_free(m->name_of[k]);
    }
    mem_free(m->lane_of);
    mem_free(m->name_of);
    mem_free(m->lane);
    mem_free(m->mark);
    *m = (struct merged){0};
}

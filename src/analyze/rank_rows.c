#include "analyze/rank_rows.h"

#include "base/mem.h"

/* A counting sort. */
void rank_rows_init(struct rank_rows *r, const int32_t *rank, size_t n, size_t ranks)
{
    size_t *next = mem_zalloc(ranks + 1, sizeof *next);
    r->at = mem_zalloc(ranks + 1, sizeof *r->at);
    r->row = mem_zalloc(n + 1, sizeof *r->row);
    for (size_t i = 0; i < n; i++)
        if (rank[i] >= 0)
            r->at[rank[i] + 1]++;
    for (size_t k = 0; k < ranks; k++)
        next[k + 1] = r->at[k + 1] += r->at[k];
    for (size_t i = 0; i < n; i++)
        if (rank[i] >= 0)
            r->row[next[rank[i]]++] = (uint32_t)i;
    mem_free(next);
}

void rank_rows_release(struct rank_rows *r)
{
    mem_free(r->at);
    mem_free(r->row);
    *r = (struct rank_rows){0};
}

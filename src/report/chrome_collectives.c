#include "report/chrome_collectives.h"

#include "base/mem.h"

#include <stdlib.h>

static int compare_place(int32_t lane_a, int64_t begin_a, int32_t lane_b, int64_t begin_b)
{
    if (lane_a != lane_b)
        return lane_a < lane_b ? -1 : 1;
    return (begin_a > begin_b) - (begin_a < begin_b);
}

static int compare_rows(const void *a, const void *b, void *collectives)
{
    const struct collectives *c = collectives;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int by_place = compare_place(c->lane[x], c->begin_ns[x], c->lane[y], c->begin_ns[y]);
    return by_place ? by_place : (x > y) - (x < y);
}

void collective_index_init(struct collective_index *x, const struct run *run,
                           int32_t rank)
{
    const struct collectives *c = &run->collectives;
    *x = (struct collective_index){.run = run};
    x->row = mem_zalloc(c->table.n, sizeof *x->row);
    for (size_t i = 0; i < c->table.n; i++)
        if (c->rank[i] == rank)
            x->row[x->n++] = (uint32_t)i;
    if (x->n)
        qsort_r(x->row, x->n, sizeof *x->row, compare_rows, (void *)(uintptr_t)c);
}

void collective_index_release(struct collective_index *x)
{
    mem_free(x->row);
    *x = (struct collective_index){0};
}

/* The row of this span; -1 where there is none. */
static int64_t find_row(const struct collective_index *x, const struct span *s)
{
    const struct collectives *c = &x->run->collectives;
    size_t low = 0, high = x->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        uint32_t row = x->row[mid];
        if (compare_place(c->lane[row], c->begin_ns[row], s->lane, s->begin_ns) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < x->n; low++) {
        uint32_t row = x->row[low];
        if (compare_place(c->lane[row], c->begin_ns[row], s->lane, s->begin_ns))
            return -1;
        if (c->dur_ns[row] == s->dur_ns)
            return row;
    }
    return -1;
}

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    if (*text)
        json_field_string(w, key, text);
}

void collective_index_put(const struct collective_index *x, struct json_writer *w,
                          const struct span *s)
{
    int64_t row = find_row(x, s);
    if (row < 0)
        return;
    const struct collective c = collectives_get(&x->run->collectives, (size_t)row);
    if (c.name != s->name) /* else nothing was recorded but the kernel */
        put_text(w, "Collective name", run_name(x->run, c.name));
    put_text(w, "dtype", run_name(x->run, c.dtype));
    if (c.elements_in)
        json_field_int(w, "In msg nelems", c.elements_in);
    if (c.elements_out)
        json_field_int(w, "Out msg nelems", c.elements_out);
    if (c.group_size)
        json_field_int(w, "Group size", c.group_size);
    put_text(w, "Process Group Name", run_name(x->run, c.group_name));
    if (c.seq >= 0)
        json_field_int(w, "Seq", c.seq);
}

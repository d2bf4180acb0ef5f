#include "evidence/extent.h"

#include "base/mem.h"

/* The same change on other ranks is none of what it takes here. */
static bool is_here(const struct evidence *e, int32_t lane)
{
    return lane >= 0 && e->run->lanes.rank[lane] == e->rank_row;
}

/* Host events that begin in [begin, end) of a lane. */
static size_t events_in(const struct evidence *e, const struct host_edit *x)
{
    size_t low = 0, high = e->n_threads; /* threads stand in the order of lanes */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (e->threads[mid].lane < x->lane)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == e->n_threads || e->threads[low].lane != x->lane)
        return 0;
    return host_ops_before(&e->threads[low], x->end_ns) -
           host_ops_before(&e->threads[low], x->begin_ns);
}

static void add_host(struct extent *x, const struct evidence *e,
                     const struct edit_list *l)
{
    struct edits edits;
    size_t n;
    edits_init(&edits, e->replay);
    edit_list_apply(l, &edits);
    struct host_edit *piece = edits_host_pieces(&edits, &n);
    for (size_t i = 0; i < n; i++) {
        if (!is_here(e, piece[i].lane))
            continue;
        double events = (double)events_in(e, &piece[i]);
        x->host_ns += (double)(piece[i].end_ns - piece[i].begin_ns);
        x->events += events;
        x->events_gone += (1 - piece[i].keep) * events;
    }
    mem_free(piece);
    edits_release(&edits);
}

struct extent extent_of(const struct evidence *e, const struct edit_list *l)
{
    struct extent x = {0};
    uint8_t *seen = mem_zalloc(e->run->spans.table.n + 1, 1);
    add_host(&x, e, l);
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *edit = &l->edit[i];
        if ((edit->kind != EDIT_WORK && edit->kind != EDIT_UNBLOCK) || seen[edit->span] ||
            !is_here(e, e->run->spans.lane[edit->span]))
            continue;
        seen[edit->span] = 1;
        *(edit->kind == EDIT_WORK ? &x.device_ns : &x.blocked_ns) +=
            (double)e->run->spans.dur_ns[edit->span];
    }
    mem_free(seen);
    double steps = (double)e->steps;
    return (struct extent){x.host_ns / steps, x.blocked_ns / steps, x.device_ns / steps,
                           x.events / steps, x.events_gone / steps};
}

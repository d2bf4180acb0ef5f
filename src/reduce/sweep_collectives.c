#include "reduce/sweep_collectives.h"

#include "base/mem.h"
#include "reduce/sweep.h"
#include "run/collective_facts.h"
#include "spans/span_facts.h"

void sweep_collectives_init(struct sweep *sw)
{
    size_t share = COLLECTIVE_ROWS_MAX / (sw->clock.n + 1);
    sw->collectives = (struct sweep_collectives){
        .next_end_ns = INT64_MAX, .step = -1, .step_rows_max = share ? share : 1};
}

void sweep_collectives_release(struct sweep_collectives *c)
{
    mem_free(c->of_name);
    mem_free(c->sort);
    mem_free(c->sum);
    mem_free(c->open);
    *c = (struct sweep_collectives){0};
}

/* --- what sort it is --- */

static name_id word_name(struct sweep *sw, const struct collective_word *w)
{
    return w->len ? names_add(&sw->run->names, w->s, w->len) : 0;
}

/* A rank does few sorts of collectives: a list is fine, and each text looks once. */
static size_t sum_find(struct sweep *sw, const struct collective *row)
{
    struct sweep_collectives *c = &sw->collectives;
    for (size_t i = 0; i < c->n_sums; i++)
        if (c->sum[i].name == row->name && c->sum[i].dtype == row->dtype &&
            c->sum[i].group_size == row->group_size)
            return i;
    name_id other =
        c->n_sums < COLLECTIVE_SUMS_MAX ? 0 : names_add_z(&sw->run->names, "(other)");
    if (other && row->name != other)
        return sum_find(sw, &(struct collective){.rank = row->rank, .name = other});
    vec_grow(c->sum, c->cap_sums, c->n_sums + 1);
    c->sum[c->n_sums] = (struct collective_sum){.rank = row->rank,
                                                .name = row->name,
                                                .group_size = row->group_size,
                                                .dtype = row->dtype,
                                                .min_ns = RUN_TIME_MAX_NS};
    return c->n_sums++;
}

static struct collective_sort sort_of(struct sweep *sw, const struct span *s)
{
    const struct names *names = sw->merged->names;
    struct collective_facts f;
    struct collective_sort sort = {.row = {.rank = sw->rank, .seq = -1}};
    if (s->shapes &&
        collective_facts_parse(&f, names->str[s->shapes], names->len[s->shapes])) {
        sort.row.name = word_name(sw, &f.operation);
        sort.row.group_name = word_name(sw, &f.group);
        sort.row.dtype = word_name(sw, &f.dtype);
        sort.row.group_size = f.ranks < INT32_MAX ? (int32_t)f.ranks : 0;
        sort.row.elements_in = f.elements_in;
        sort.row.elements_out = f.elements_out;
        sort.row.bytes = collective_facts_bytes(&f);
        sort.numbered = f.numbered;
    }
    if (!sort.row.name)
        sort.row.name = sweep_name(sw, s->name);
    sort.sum = sum_find(sw, &sort.row);
    return sort;
}

static const struct collective_sort *sort_find(struct sweep *sw, const struct span *s)
{
    struct sweep_collectives *c = &sw->collectives;
    if (!c->of_name)
        c->of_name = mem_zalloc(sw->merged->names->n, sizeof *c->of_name);
    uint32_t *known = &c->of_name[s->shapes ? s->shapes : s->name];
    if (!*known) {
        struct collective_sort sort = sort_of(sw, s);
        vec_grow(c->sort, c->cap_sorts, c->n_sorts + 1);
        c->sort[c->n_sorts++] = sort;
        *known = (uint32_t)c->n_sorts;
    }
    return &c->sort[*known - 1];
}

/* --- the open ones --- */

static void open_swap(struct open_collective *a, struct open_collective *b)
{
    struct open_collective t = *a;
    *a = *b;
    *b = t;
}

static void open_push(struct sweep_collectives *c, const struct open_collective *o)
{
    if (!c->open)
        c->open = mem_alloc(OPEN_COLLECTIVES_MAX * sizeof *c->open);
    size_t i = c->n_open++;
    c->open[i] = *o;
    for (; i && c->open[(i - 1) / 2].end_ns > c->open[i].end_ns; i = (i - 1) / 2)
        open_swap(&c->open[i], &c->open[(i - 1) / 2]);
    c->next_end_ns = c->open[0].end_ns;
}

static struct open_collective open_pop(struct sweep_collectives *c)
{
    struct open_collective top = c->open[0];
    c->open[0] = c->open[--c->n_open];
    for (size_t i = 0;;) {
        size_t least = i, left = 2 * i + 1, right = 2 * i + 2;
        if (left < c->n_open && c->open[left].end_ns < c->open[least].end_ns)
            least = left;
        if (right < c->n_open && c->open[right].end_ns < c->open[least].end_ns)
            least = right;
        if (least == i)
            break;
        open_swap(&c->open[i], &c->open[least]);
        i = least;
    }
    c->next_end_ns = c->n_open ? c->open[0].end_ns : INT64_MAX;
    return top;
}

/* It is over: what compute did not cover is exposed. */
static void close_earliest(struct sweep *sw, int64_t now_ns)
{
    struct open_collective o = open_pop(&sw->collectives);
    int64_t end_ns = o.end_ns < now_ns ? o.end_ns : now_ns;
    int64_t hidden_ns = cover_sum_before_ns(o.compute, end_ns) - o.compute_ns;
    int64_t exposed_ns = o.dur_ns - hidden_ns;
    struct collective_sum *sum = &sw->collectives.sum[o.sum];
    sum->exposed_ns = sum_saturated(sum->exposed_ns, exposed_ns);
    if (o.row >= 0)
        sw->run->collectives.exposed_ns[o.row] = exposed_ns;
}

void sweep_collectives_pass(struct sweep *sw, int64_t now_ns)
{
    while (sw->collectives.next_end_ns <= now_ns && sw->collectives.n_open)
        close_earliest(sw, now_ns);
}

/* --- one collective --- */

/* Its row, where it is among the first of its step; -1 otherwise. */
static int64_t add_row(struct sweep *sw, const struct collective_sort *sort,
                       const struct span *s, int64_t step)
{
    struct sweep_collectives *c = &sw->collectives;
    if (step != c->step) {
        c->step = step;
        c->step_rows = 0;
    }
    if (c->step_rows == c->step_rows_max || c->rows == COLLECTIVE_ROWS_MAX)
        return -1;
    struct collective row = sort->row;
    row.step = step < 0 ? -1 : sweep_step_window(sw, (size_t)step).step;
    row.lane = (int32_t)sw->first_lane + s->lane;
    row.seq = sort->numbered ? s->seq : -1;
    row.begin_ns = s->begin_ns;
    row.dur_ns = s->dur_ns;
    c->step_rows++;
    c->rows++;
    return (int64_t)collectives_add(&sw->run->collectives, row);
}

/* What hides it: kernels of its device; where a host thread does it beside the one that
 * computes, what that one does meanwhile. */
static const struct cover_sum *hidden_by(const struct sweep *sw,
                                         const struct sweep_lane *l)
{
    const struct device_view *view = l->alone ? l->alone : &sw->device.all;
    if (l->kind == LANE_KIND_DEVICE || sw->main_lane < 0 || l == &sw->lane[sw->main_lane])
        return &view->compute;
    return &sw->lane[sw->main_lane].busy;
}

void sweep_collectives_add(struct sweep *sw, const struct sweep_lane *l,
                           const struct span *s, int64_t step)
{
    struct sweep_collectives *c = &sw->collectives;
    const struct cover_sum *compute = hidden_by(sw, l);
    const struct collective_sort *sort = sort_find(sw, s);
    struct collective_sum *sum = &c->sum[sort->sum];
    sum->count++;
    sum->bytes = sum_saturated(sum->bytes, sort->row.bytes);
    sum->total_ns = sum_saturated(sum->total_ns, s->dur_ns);
    if (s->dur_ns < sum->min_ns)
        sum->min_ns = s->dur_ns;
    if (c->n_open == OPEN_COLLECTIVES_MAX)
        close_earliest(sw, s->begin_ns);
    open_push(c, &(struct open_collective){.end_ns = span_end_ns(s),
                                           .dur_ns = s->dur_ns,
                                           .compute_ns =
                                               cover_sum_before_ns(compute, s->begin_ns),
                                           .compute = compute,
                                           .sum = sort->sum,
                                           .row = add_row(sw, sort, s, step)});
}

void sweep_collectives_finish(struct sweep *sw)
{
    const struct sweep_collectives *c = &sw->collectives;
    for (size_t i = 0; i < c->n_sums; i++)
        collective_sums_add(&sw->run->collective_sums, c->sum[i]);
}

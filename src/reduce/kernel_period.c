#include "reduce/kernel_period.h"

#include "base/mem.h"
#include "base/stats.h"
#include "spans/span_facts.h"

#include <stdlib.h>
#include <string.h>

/* Names whose distances are looked at: the rarest ones, each of another distance. */
enum { PERIOD_CANDIDATES_MAX = 32 };

struct kernel_rows {
    const struct kernel_row *row; /* (n) */
    size_t n;
    const struct names *names;
    uint32_t *count; /* (names->n) how often a name occurs */
    size_t repeated; /* names that occur often enough to repeat */
};

struct kernel_row *kernel_rows_read(struct span_stream *stream, int32_t lane, size_t *n)
{
    struct kernel_row *row = NULL;
    const struct span *s;
    size_t cap = 0;
    *n = 0;
    for (size_t got; (got = stream->next(stream, &s)) > 0 && *n < PERIOD_KERNELS_MAX;)
        for (size_t i = 0; i < got && *n < PERIOD_KERNELS_MAX; i++) {
            if (s[i].lane != lane ||
                (s[i].kind != SPAN_KIND_KERNEL && s[i].kind != SPAN_KIND_COLLECTIVE))
                continue;
            vec_grow(row, cap, *n + 1);
            row[(*n)++] =
                (struct kernel_row){s[i].name, s[i].begin_ns, span_end_ns(&s[i])};
        }
    return row;
}

/* --- is p a period? --- */

static bool sequence_repeats(const struct kernel_rows *k, size_t p)
{
    size_t same = 0, of = k->n - p;
    for (size_t i = 0; i < of; i++)
        same += k->row[i].name == k->row[i + p].name;
    return (double)same >= PERIOD_HOLDS_FRAC * (double)of;
}

/* Words of backward passes and optimizers, in capitals or not. */
static bool is_of_training(const char *name)
{
    static const char *const words[] = {"backward", "bwd",          "dgrad", "wgrad",
                                        "grad_",    "multi_tensor", "adam",  "sgd"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

/* Does one period, from `from` on, have nearly all kernels that occur repeatedly, and
 * something of a training's? */
static bool period_is_whole(const struct kernel_rows *k, size_t from, size_t p)
{
    uint8_t *seen = mem_zalloc(k->names->n, sizeof *seen);
    size_t names = 0, repeated = 0;
    bool training = false;
    for (size_t i = from; i < from + p; i++) {
        name_id name = k->row[i].name;
        names += !seen[name];
        repeated += !seen[name] && k->count[name] >= PERIOD_REPEATS_MIN;
        training = training || (!seen[name] && is_of_training(k->names->str[name]));
        seen[name] = 1;
    }
    mem_free(seen);
    return training && names >= PERIOD_NAMES_MIN &&
           (double)repeated >= PERIOD_HOLDS_FRAC * (double)k->repeated;
}

/* The distance from one to the next of this name, where it is mostly the same; else 0. */
static size_t name_distance(const struct kernel_rows *k, name_id name, size_t *first)
{
    size_t n = 0, last = 0, same = 0;
    double *distance = mem_alloc(k->count[name] * sizeof *distance);
    for (size_t i = 0; i < k->n; i++) {
        if (k->row[i].name != name)
            continue;
        if (n)
            distance[n - 1] = (double)(i - last);
        else
            *first = i;
        n++;
        last = i;
    }
    double median = stats_quantile(distance, n - 1, 0.5);
    for (size_t i = 0; i + 1 < n; i++)
        same += distance[i] == median;
    mem_free(distance);
    bool steady = (double)same >= PERIOD_HOLDS_FRAC * (double)(n - 1);
    return steady ? (size_t)median : 0;
}

/* --- the smallest period --- */

struct rare_name {
    uint32_t count;
    name_id name;
};

static int compare_rare(const void *a, const void *b)
{
    const struct rare_name *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Names that occur often enough, the rarest first. The caller frees it. */
static struct rare_name *rare_names(struct kernel_rows *k)
{
    struct rare_name *rare = mem_alloc((k->names->n + 1) * sizeof *rare);
    for (name_id name = 0; name < k->names->n; name++)
        if (k->count[name] >= PERIOD_REPEATS_MIN)
            rare[k->repeated++] = (struct rare_name){k->count[name], name};
    if (k->repeated)
        qsort(rare, k->repeated, sizeof *rare, compare_rare);
    return rare;
}

/* The period, or 0; *from gets where one begins. */
static size_t smallest_period(struct kernel_rows *k, size_t *from)
{
    size_t tried[PERIOD_CANDIDATES_MAX], n_tried = 0, best = 0;
    struct rare_name *rare = rare_names(k);
    for (size_t i = 0; i < k->repeated && i < 4 * PERIOD_CANDIDATES_MAX; i++) {
        size_t first = 0, p = name_distance(k, rare[i].name, &first);
        bool known =
            p < PERIOD_KERNELS_MIN || p * PERIOD_REPEATS_MIN > k->n || first + p > k->n;
        for (size_t t = 0; t < n_tried && !known; t++)
            known = tried[t] == p;
        if (known || n_tried == PERIOD_CANDIDATES_MAX)
            continue;
        tried[n_tried++] = p;
        if ((!best || p < best) && sequence_repeats(k, p) &&
            period_is_whole(k, first, p)) {
            best = p;
            *from = first;
        }
    }
    mem_free(rare);
    return best;
}

/* --- where to cut --- */

/* How long the stream was idle before the kernel at `at`, over all periods. */
static double idle_before(const struct kernel_rows *k, size_t at, size_t p)
{
    double sum = 0;
    for (size_t i = at; i < k->n; i += p) {
        int64_t gap = i ? k->row[i].begin_ns - k->row[i - 1].end_ns : 0;
        sum += k->row[i].name == k->row[at].name && gap > 0 ? (double)gap : 0;
    }
    return sum;
}

/* The kernel that begins a step: one that occurs once a period, after the longest
 * pause. */
static size_t find_anchor(const struct kernel_rows *k, size_t from, size_t p)
{
    uint32_t *in_period = mem_zalloc(k->names->n, sizeof *in_period);
    size_t anchor = from;
    double longest = -1;
    for (size_t i = from; i < from + p; i++)
        in_period[k->row[i].name]++;
    for (size_t i = from; i < from + p; i++) {
        if (in_period[k->row[i].name] != 1)
            continue;
        double idle = idle_before(k, i, p);
        if (idle > longest) {
            longest = idle;
            anchor = i;
        }
    }
    mem_free(in_period);
    return anchor;
}

/* From one anchor to the next; after the last one a period must be complete. */
static void cut_steps(struct found_steps *out, const struct kernel_rows *k,
                      name_id anchor, size_t p)
{
    out->step = mem_alloc((k->count[anchor] + 1) * sizeof *out->step);
    for (size_t i = 0, last = SIZE_MAX; i <= k->n; i++) {
        bool end = i == k->n;
        if (!end && k->row[i].name != anchor)
            continue;
        if (last != SIZE_MAX && (!end || last + p <= k->n)) {
            struct found_step *s = &out->step[out->n];
            s->number = (int64_t)out->n++;
            s->begin_ns = k->row[last].begin_ns;
            s->end_ns = end ? k->row[last + p - 1].end_ns : k->row[i].begin_ns;
        }
        last = i;
    }
}

void kernel_period_find(struct found_steps *out, const struct kernel_row *row, size_t n,
                        const struct names *names)
{
    struct kernel_rows k = {.row = row, .n = n, .names = names};
    size_t from = 0;
    *out = (struct found_steps){.lane = -1};
    k.count = mem_zalloc(names->n, sizeof *k.count);
    for (size_t i = 0; i < n; i++)
        k.count[row[i].name]++;
    size_t p = smallest_period(&k, &from);
    if (p)
        cut_steps(out, &k, row[find_anchor(&k, from, p)].name, p);
    mem_free(k.count);
    if (out->n < PERIOD_REPEATS_MIN)
        found_steps_release(out);
    else
        out->method = STEP_METHOD_KERNEL_PERIOD;
}

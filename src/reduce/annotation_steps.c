#include "reduce/annotation_steps.h"

#include "base/mem.h"
#include "base/stats.h"

#include <stdlib.h>

struct annotation {
    int32_t lane;
    name_id family; /* its name, numbers aside */
    int64_t begin_ns, end_ns;
};

struct scan {
    const struct merged *merged;
    struct names families;
    name_id *family;               /* (names) of each name; 0: not looked at */
    struct found_step *window;     /* (lanes) of all spans; begin > end: it has none */
    struct annotation *annotation; /* (n) */
    size_t n, cap;
};

/* Annotations of one family on one thread, none inside another. */
struct loop {
    const struct annotation *turn; /* (n) by begin */
    size_t n;
    double held_ns; /* in the annotations themselves */
};

/* --- reading --- */

static name_id family_of(struct scan *s, name_id name)
{
    const struct names *names = s->merged->names;
    if (s->family[name])
        return s->family[name];
    size_t len = names->len[name], n = 0;
    char *text = mem_alloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        char ch = names->str[name][i];
        bool digit = ch >= '0' && ch <= '9';
        if (!digit)
            text[n++] = ch;
        else if (!n || text[n - 1] != '#')
            text[n++] = '#';
    }
    s->family[name] = names_add(&s->families, text, n);
    mem_free(text);
    return s->family[name];
}

static void widen(struct found_step *w, int64_t begin_ns, int64_t end_ns)
{
    w->begin_ns = begin_ns < w->begin_ns ? begin_ns : w->begin_ns;
    w->end_ns = end_ns > w->end_ns ? end_ns : w->end_ns;
}

static void scan_add(struct scan *s, const struct span *span)
{
    int64_t end_ns = span->begin_ns + span->dur_ns;
    widen(&s->window[span->lane], span->begin_ns, end_ns);
    if (span->kind != SPAN_KIND_ANNOTATION || s->n == ANNOTATIONS_MAX ||
        s->merged->lane[span->lane].lane.kind == LANE_KIND_DEVICE)
        return;
    vec_grow(s->annotation, s->cap, s->n + 1);
    s->annotation[s->n++] =
        (struct annotation){span->lane, family_of(s, span->name), span->begin_ns, end_ns};
}

static void scan_read(struct scan *s, struct span_stream *stream)
{
    const struct span *rows;
    for (size_t n; (n = stream->next(stream, &rows)) > 0;)
        for (size_t i = 0; i < n; i++)
            if ((size_t)rows[i].lane < s->merged->n_lanes) /* the others are memory */
                scan_add(s, &rows[i]);
}

static void scan_init(struct scan *s, const struct merged *merged)
{
    *s = (struct scan){.merged = merged};
    names_init(&s->families);
    s->family = mem_zalloc(merged->names->n + 1, sizeof *s->family);
    s->window = mem_alloc((merged->n_lanes + 1) * sizeof *s->window);
    for (size_t i = 0; i < merged->n_lanes; i++)
        s->window[i] = (struct found_step){INT64_MAX, INT64_MIN, 0};
}

static void scan_release(struct scan *s)
{
    names_release(&s->families);
    mem_free(s->family);
    mem_free(s->window);
    mem_free(s->annotation);
}

/* --- loops --- */

static int compare_annotation(const void *a, const void *b)
{
    const struct annotation *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->family != y->family)
        return x->family < y->family ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

/* From here on, of the same thread and family, those that are in no other one; *next gets
 * where others begin. */
static struct loop loop_from(struct annotation *a, size_t n, size_t *next)
{
    struct loop l = {.turn = a};
    size_t i = 0;
    for (; i < n && a[i].lane == a->lane && a[i].family == a->family; i++) {
        if (l.n && a[i].begin_ns < a[l.n - 1].end_ns)
            continue;
        l.held_ns += (double)a[i].end_ns - (double)a[i].begin_ns;
        a[l.n++] = a[i];
    }
    *next = i;
    return l;
}

static bool is_regular(const struct loop *l)
{
    double *distance = mem_alloc(l->n * sizeof *distance), longest = 0;
    for (size_t i = 0; i + 1 < l->n; i++) {
        distance[i] = (double)(l->turn[i + 1].begin_ns - l->turn[i].begin_ns);
        longest = distance[i] > longest ? distance[i] : longest;
    }
    double median = stats_median(distance, l->n - 1);
    mem_free(distance);
    return longest <= ANNOTATION_LONGEST_DISTANCE * median;
}

static bool is_the_loop(const struct scan *s, const struct loop *l)
{
    if (l->n < ANNOTATION_REPEATS_MIN)
        return false;
    const struct found_step *w = &s->window[l->turn->lane];
    double covered_ns = (double)l->turn[l->n - 1].end_ns - (double)l->turn[0].begin_ns;
    double window_ns = (double)w->end_ns - (double)w->begin_ns;
    return covered_ns >= ANNOTATION_COVERS_FRAC * window_ns && is_regular(l);
}

/* The outermost holds most; of parts of one turn, which come equally often on one thread,
 * the first begins it. */
static struct loop find_loop(struct scan *s)
{
    struct loop longest = {0}, first;
    if (s->n)
        qsort(s->annotation, s->n, sizeof *s->annotation, compare_annotation);
    struct loop *loop = mem_alloc((s->n + 1) * sizeof *loop);
    size_t n = 0;
    for (size_t i = 0, next; i < s->n; i += next) {
        struct loop l = loop_from(s->annotation + i, s->n - i, &next);
        if (!is_the_loop(s, &l))
            continue;
        loop[n++] = l;
        if (l.held_ns > longest.held_ns)
            longest = l;
    }
    first = longest;
    for (size_t i = 0; i < n; i++)
        if (loop[i].n == longest.n && loop[i].turn->lane == longest.turn->lane &&
            loop[i].turn->begin_ns < first.turn->begin_ns)
            first = loop[i];
    mem_free(loop);
    return first;
}

void annotation_steps_find(struct found_steps *out, struct found_step *recording,
                           struct span_stream *stream, const struct merged *merged)
{
    struct scan s;
    *out = (struct found_steps){.lane = -1};
    *recording = (struct found_step){INT64_MAX, INT64_MIN, 0};
    scan_init(&s, merged);
    scan_read(&s, stream);
    for (size_t i = 0; i < merged->n_lanes; i++)
        widen(recording, s.window[i].begin_ns, s.window[i].end_ns);
    struct loop l = find_loop(&s);
    if (l.n) {
        struct step_mark *mark = mem_alloc(l.n * sizeof *mark);
        for (size_t i = 0; i < l.n; i++)
            mark[i] = (struct step_mark){STEP_METHOD_ANNOTATION, l.turn->lane,
                                         l.turn[i].begin_ns,
                                         l.turn[i].end_ns - l.turn[i].begin_ns, -1};
        step_marks_find(out, mark, l.n);
        mem_free(mark);
    }
    scan_release(&s);
}

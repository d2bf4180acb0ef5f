/*
 * Memory over time: what the rank's largest holder, a device or the host, held of each
 * class. The recording is cut into a few hundred stretches and the most of each is drawn,
 * so that no peak is lost.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/view_parts.h"

enum { CURVE_STRETCHES = 300 };

struct curve_range {
    int32_t device;
    int64_t first_ns, last_ns;
};

/* The device with the most of anything, and when; false: nothing changed over time. */
static bool find_range(struct curve_range *x, const struct memories *m, int32_t rank,
                       enum origin origin)
{
    int64_t most = -1;
    for (size_t i = 0; i < m->table.n; i++)
        if (m->rank[i] == rank && m->origin[i] == origin && m->bytes[i] > most) {
            most = m->bytes[i];
            x->device = m->device[i];
        }
    bool any = false;
    for (size_t i = 0; i < m->table.n; i++) {
        if (m->rank[i] != rank || m->origin[i] != origin || m->device[i] != x->device)
            continue;
        if (!any || m->at_ns[i] < x->first_ns)
            x->first_ns = m->at_ns[i];
        if (!any || m->at_ns[i] > x->last_ns)
            x->last_ns = m->at_ns[i];
        any = true;
    }
    return any && subtract_saturated(x->last_ns, x->first_ns) > CURVE_STRETCHES;
}

/* The most of each stretch, held on where nothing changes; false: the class has fewer
 * than two points. Rows of a series stand in order of time. */
static bool fill_most(double *most, const struct view *v, const struct curve_range *x,
                      enum origin origin, enum memory_class what)
{
    const struct memories *m = &v->a->run->memories;
    double all_ns = (double)subtract_saturated(x->last_ns, x->first_ns), held = -1;
    size_t points = 0, done = 0;
    for (size_t i = 0; i < CURVE_STRETCHES; i++)
        most[i] = -1;
    for (size_t i = 0; i < m->table.n; i++) {
        if (m->rank[i] != view_rank(v)->row || m->origin[i] != origin ||
            m->device[i] != x->device || m->what[i] != what)
            continue;
        double at = (double)subtract_saturated(m->at_ns[i], x->first_ns) / all_ns;
        size_t stretch = at > 0 ? (size_t)(at * (CURVE_STRETCHES - 1)) : 0;
        for (; done <= stretch; done++) /* up to here what was held before */
            most[done] = held;
        held = (double)m->bytes[i];
        if (held > most[stretch])
            most[stretch] = held;
        points++;
    }
    for (; done < CURVE_STRETCHES; done++)
        most[done] = held;
    return points > 1;
}

/* A staircase: what is held stays until it changes. */
static void fill_series(struct view *v, struct chart_series *s, const double *most,
                        const struct curve_range *x)
{
    double all_ms = ns_to_ms(subtract_saturated(x->last_ns, x->first_ns));
    size_t room = 2 * CURVE_STRETCHES;
    s->x = arena_alloc(&v->arena, room * sizeof *s->x);
    s->y = arena_alloc(&v->arena, room * sizeof *s->y);
    s->y_error = arena_alloc(&v->arena, room * sizeof *s->y_error);
    for (size_t i = 0; i < CURVE_STRETCHES; i++)
        for (int end = 0; end < 2 && most[i] >= 0; end++) {
            s->x[s->n] = all_ms * (double)(i + (size_t)end) / CURVE_STRETCHES;
            s->y[s->n] = most[i] / (1024 * 1024);
            s->y_error[s->n++] = 0;
        }
}

void view_add_memory_curve(struct view *v, enum origin origin)
{
    static const enum tone tones[] = {TONE_COMPUTE, TONE_COMMUNICATION, TONE_COPIES,
                                      TONE_BACKWARD, TONE_OTHER};
    struct curve_range x = {0};
    double most[CURVE_STRETCHES];
    struct block *b = NULL;
    if (!find_range(&x, &v->a->run->memories, view_rank(v)->row, origin))
        return;
    for (int c = 0; c < MEMORY_CLASS_COUNT; c++) {
        if (!fill_most(most, v, &x, origin, (enum memory_class)c))
            continue;
        if (!b) {
            const char *of = x.device >= 0 ? view_printf(v, "GPU %d", x.device) : "host";
            b = view_block(v, BLOCK_CHART, view_printf(v, "Over time, %s", of));
            b->detail = true;
            b->chart = (struct chart){.x_label = "ms; upwards: MiB",
                                      .y_label = "memory over time, MiB",
                                      .y_from_zero = true};
            b->chart.series =
                arena_alloc(&v->arena, MEMORY_CLASS_COUNT * sizeof *b->chart.series);
            b->note = view_printf(v, "The most of each of %d stretches is drawn.",
                                  CURVE_STRETCHES);
        }
        struct chart_series *s = &b->chart.series[b->chart.n];
        *s = (struct chart_series){
            .name = memory_class_text[c],
            .tone = tones[b->chart.n % (sizeof tones / sizeof *tones)]};
        b->chart.n++;
        fill_series(v, s, most, &x);
    }
}

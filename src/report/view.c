#include "report/view.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "report/view_parts.h"
#include "study/study.h"

#define VIEW_TONE_CSS(v, css) css,
const char *const tone_css[TONE_COUNT] = {VIEW_TONES(VIEW_TONE_CSS)};

struct view *view_open(const struct analysis *a, enum report_format format,
                       const struct report_options *options)
{
    struct view *v = mem_zalloc(1, sizeof *v);
    arena_init(&v->arena);
    v->a = a;
    v->format = format;
    if (options)
        v->options = *options;
    v->shown = a->shown < a->n_ranks ? a->shown : 0;
    return v;
}

struct view *view_new(const struct analysis *a, enum report_format format,
                      const struct report_options *options)
{
    struct view *v = view_open(a, format, options);
    view_add_source(v);
    view_add_doubt(v);
    view_add_headline(v);
    view_add_study(v);
    view_add_where_time_goes(v);
    view_add_account(v);
    if (v->options.summary)
        view_add_summary(v);
    view_add_timeline(v);
    if (view_is_screen(v))
        view_add_work(v);
    view_add_findings(v);
    view_add_waits(v);
    view_add_ranks(v);
    view_add_heat(v);
    view_add_skew(v);
    view_add_devices(v);
    view_add_flame(v);
    view_add_operators(v);
    if (!view_is_screen(v))
        view_add_work(v);
    view_add_counted_work(v);
    view_add_losses(v);
    view_add_memory(v);
    view_add_ceilings(v);
    view_add_study_tables(v);
    view_add_warnings(v);
    view_add_lanes(v);
    view_add_method(v);
    view_add_facts(v);
    view_add_next(v);
    return v;
}

void view_free(struct view *v)
{
    if (!v)
        return;
    arena_release(&v->arena);
    mem_free(v->blocks);
    mem_free(v);
}

/* What the files of all ranks hold together. */
struct source_sums {
    double text_bytes, events;
    int64_t devices;
    size_t steps_min, steps_max;
};

static struct source_sums source_sum(const struct analysis *a)
{
    struct source_sums s = {.steps_min = a->n_ranks ? SIZE_MAX : 0};
    const struct ranks *ranks = &a->run->ranks;
    for (size_t i = 0; i < a->n_ranks; i++) {
        int32_t row = a->ranks[i].row;
        size_t steps = analysis_has_steps(&a->ranks[i]) ? a->ranks[i].steps.count : 0;
        s.text_bytes += (double)ranks->text_bytes[row];
        s.events += (double)ranks->events[row];
        s.devices += ranks->devices[row];
        s.steps_min = steps < s.steps_min ? steps : s.steps_min;
        s.steps_max = steps > s.steps_max ? steps : s.steps_max;
    }
    return s;
}

static const char *source_title(struct view *v)
{
    const struct analysis *a = v->a;
    const struct study *study = v->options.study;
    if (study && *study->config)
        return view_printf(v, "Study of %s", view_clean(v, path_name(study->config)));
    const char *path =
        a->n_ranks ? run_name(a->run, a->run->ranks.path[a->ranks[0].row]) : "";
    if (a->n_ranks > 1)
        return view_printf(v, "%zu ranks", a->n_ranks);
    if (!*path && v->options.subject)
        path = v->options.subject;
    return *path ? view_clean(v, path_name(path)) : "run";
}

static void add_fact(struct strbuf *s, const char *fact)
{
    if (s->len)
        strbuf_puts(s, ", ");
    strbuf_puts(s, fact);
}

static void add_steps_and_gpus(struct view *v, struct strbuf *s,
                               const struct source_sums *sums)
{
    if (sums->steps_min == sums->steps_max)
        add_fact(s, sums->steps_max ? unit_thousands((int64_t)sums->steps_max).s : "no");
    else
        add_fact(s, view_printf(v, "%zu to %zu", sums->steps_min, sums->steps_max));
    strbuf_puts(s, sums->steps_max == 1 && sums->steps_min == 1 ? " step" : " steps");
    if (!sums->devices)
        return;
    const struct ranks *ranks = &v->a->run->ranks;
    const char *model = view_name(v, ranks->device[view_rank(v)->row]);
    strbuf_printf(s, " on %lld GPU%s", (long long)sums->devices,
                  sums->devices == 1 ? "" : "s");
    if (*model)
        strbuf_printf(s, " (%s)", model);
}

void view_add_source(struct view *v)
{
    struct source_sums sums = source_sum(v->a);
    struct strbuf s;
    strbuf_init(&s);
    if (sums.text_bytes > 0)
        add_fact(&s, view_printf(v, "%s of JSON", unit_bytes(sums.text_bytes).s));
    if (sums.events > 0)
        add_fact(&s, view_printf(v, "%s events", unit_count(sums.events).s));
    if (view_rank(v)) {
        add_steps_and_gpus(v, &s, &sums);
        int32_t row = view_rank(v)->row;
        const char *framework = view_name(v, v->a->run->ranks.framework[row]);
        if (*framework)
            add_fact(&s, framework);
    }
    struct block *b = view_block(v, BLOCK_SOURCE, source_title(v));
    b->text = view_printf(v, "%s", s.s);
    if (v->options.read_ns > 0)
        b->note = view_printf(v, "read in %s", unit_ns(v->options.read_ns).s);
    strbuf_release(&s);
}

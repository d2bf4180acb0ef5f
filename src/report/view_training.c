/*
 * What only a training run has: losses, memory by class, and the ceilings of the machine
 * it ran on. On a screen each is a line; in a document a table or a chart. What was
 * measured and what was modelled never share a block.
 */
#include "base/text_fit.h"
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>
#include <string.h>

enum {
    CHART_POINTS = 400,
    CEILINGS_SHOWN = 32,
    CEILINGS_ON_SCREEN = 2,
    MEMORY_ON_SCREEN = 3
};

static const char ceiling_prefix[] = "ceiling.";

/* Losses of one split, of the first rank that logged any. */
struct loss_range {
    int32_t rank;
    size_t n, first, last; /* rows of run->losses */
};

static struct loss_range find_losses(const struct losses *l, enum split split)
{
    struct loss_range r = {.rank = -1};
    for (size_t i = 0; i < l->table.n; i++) {
        if (l->split[i] != split || (r.n && l->rank[i] != r.rank))
            continue;
        if (!r.n++) {
            r.first = i;
            r.rank = l->rank[i];
        }
        r.last = i;
    }
    return r;
}

static const char *loss_text(struct view *v, size_t row)
{
    const struct losses *l = &v->a->run->losses;
    const char *loss = view_number(v, l->loss[row], 4);
    double e = l->standard_error[row];
    if (isfinite(e) && e > 0)
        return view_printf(v, "%s ± %s", loss, view_number(v, e, 4));
    /* A validation of one batch says nothing about its own error. */
    return l->split[row] == SPLIT_VALIDATION ? view_printf(v, "%s ± N/A", loss) : loss;
}

static const char *loss_sentence(struct view *v, const struct loss_range *r,
                                 const char *name)
{
    const struct losses *l = &v->a->run->losses;
    if (r->n == 1)
        return view_printf(v, "%s %s at step %s", name, loss_text(v, r->first),
                           unit_thousands(l->step[r->first]).s);
    return view_printf(v, "%s %s → %s (steps %s to %s)", name, loss_text(v, r->first),
                       loss_text(v, r->last), unit_thousands(l->step[r->first]).s,
                       unit_thousands(l->step[r->last]).s);
}

/* Every stride-th point and the last one, so that what is drawn was measured. */
static size_t fill_series(struct view *v, struct chart_series *s,
                          const struct loss_range *r)
{
    const struct losses *l = &v->a->run->losses;
    size_t stride = (r->n + CHART_POINTS - 1) / CHART_POINTS, seen = 0;
    s->x = arena_alloc(&v->arena, (CHART_POINTS + 1) * sizeof *s->x);
    s->y = arena_alloc(&v->arena, (CHART_POINTS + 1) * sizeof *s->y);
    s->y_error = arena_alloc(&v->arena, (CHART_POINTS + 1) * sizeof *s->y_error);
    for (size_t i = r->first; i <= r->last; i++) {
        if (l->rank[i] != r->rank || l->split[i] != l->split[r->first])
            continue;
        if ((seen++ % stride && i != r->last) || !isfinite(l->loss[i]))
            continue;
        double e = l->standard_error[i];
        s->x[s->n] = (double)l->step[i];
        s->y[s->n] = l->loss[i];
        s->y_error[s->n++] = isfinite(e) && e > 0 ? e : 0;
    }
    return stride;
}

/* What a recorded job minimises has no unit that is known. */
static bool is_recorded(const struct run *run)
{
    return run->ranks.table.n && run->ranks.source[0] == RUN_SOURCE_KINETO;
}

static void add_loss_chart(struct view *v, const struct loss_range *range)
{
    static const enum tone tone[SPLIT_COUNT] = {TONE_COMPUTE, TONE_COMMUNICATION};
    struct block *b = view_block(v, BLOCK_CHART, "");
    size_t stride = 1;
    b->chart.x_label = "step";
    b->chart.x_counts = true;
    b->chart.y_label = is_recorded(v->a->run) ? "loss" : "loss, nats a token";
    b->chart.series = arena_alloc(&v->arena, SPLIT_COUNT * sizeof *b->chart.series);
    for (int split = 0; split < SPLIT_COUNT; split++) {
        if (!range[split].n)
            continue;
        struct chart_series *s = &b->chart.series[b->chart.n++];
        *s = (struct chart_series){.name = split_text[split], .tone = tone[split]};
        size_t needed = fill_series(v, s, &range[split]);
        stride = needed > stride ? needed : stride;
    }
    if (stride > 1)
        b->note = view_printf(v, "Drawn is every %zu. point.", stride);
}

void view_add_losses(struct view *v)
{
    struct loss_range range[SPLIT_COUNT];
    const char *text = "";
    for (int split = 0; split < SPLIT_COUNT; split++) {
        range[split] = find_losses(&v->a->run->losses, split);
        if (!range[split].n)
            continue;
        text = view_printf(v, "%s%s%s", text, *text ? ", " : "",
                           loss_sentence(v, &range[split], split_text[split]));
    }
    if (!*text)
        return;
    struct block *b = view_block(v, BLOCK_TEXT, "Loss");
    b->text = view_printf(v, "%s", text);
    if (v->format == REPORT_HTML)
        add_loss_chart(v, range);
}

/* The largest held at any time, by class; -1 where a class was not recorded. */
static bool memory_peaks(const struct view *v, int32_t rank_row, enum origin origin,
                         int64_t peak[MEMORY_CLASS_COUNT])
{
    const struct memories *m = &v->a->run->memories;
    bool any = false;
    for (int c = 0; c < MEMORY_CLASS_COUNT; c++)
        peak[c] = -1;
    for (size_t i = 0; i < m->table.n; i++) {
        if (m->rank[i] != rank_row || m->origin[i] != origin)
            continue;
        any = true;
        if (m->bytes[i] > peak[m->what[i]])
            peak[m->what[i]] = m->bytes[i];
    }
    return any;
}

/* "activations 12.0 MiB, moments 6.00 MiB, 2 more (modelled)": the largest first. Uses
 * peak up. */
static const char *memory_text(struct view *v, enum origin origin, int64_t *peak)
{
    const char *text = "";
    size_t classes = 0;
    for (int c = 0; c < MEMORY_CLASS_COUNT; c++)
        classes += peak[c] >= 0;
    size_t shown = classes < MEMORY_ON_SCREEN ? classes : MEMORY_ON_SCREEN;
    for (size_t i = 0; i < shown; i++) {
        int largest = 0;
        for (int c = 1; c < MEMORY_CLASS_COUNT; c++)
            if (peak[c] > peak[largest])
                largest = c;
        text = view_printf(v, "%s%s%s %s", text, i ? ", " : "",
                           memory_class_text[largest], unit_mib((double)peak[largest]).s);
        peak[largest] = -1;
    }
    const char *more =
        shown < classes ? view_printf(v, ", %zu more", classes - shown) : "";
    return view_printf(v, "%s%s (%s)", text, more, origin_text[origin]);
}

static void memory_bars(struct view *v, const char *title, const int64_t *peak)
{
    int64_t largest = 0;
    for (int c = 0; c < MEMORY_CLASS_COUNT; c++)
        largest = peak[c] > largest ? peak[c] : largest;
    struct block *b = view_block(v, BLOCK_BARS, title);
    bars_open(v, b, MEMORY_CLASS_COUNT);
    for (int c = 0; c < MEMORY_CLASS_COUNT; c++) {
        if (peak[c] < 0)
            continue;
        struct bar *bar = bars_add(b);
        bar->label = memory_class_text[c];
        bar->value = view_printf(v, "%s", unit_mib((double)peak[c]).s);
        bar->frac = largest ? (double)peak[c] / (double)largest : NAN;
        bar->tone = TONE_COMPUTE;
    }
    b->note = "The largest held at any time, of one device or the host.";
}

void view_add_memory(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    int64_t peak[MEMORY_CLASS_COUNT];
    const char *line = "";
    for (int o = 0; r && o < ORIGIN_COUNT; o++) {
        if (!memory_peaks(v, r->row, o, peak))
            continue;
        if (view_is_screen(v))
            line = view_printf(v, "%s%s%s", line, *line ? "; " : "",
                               memory_text(v, o, peak));
        else
            memory_bars(
                v,
                view_printf(v, "Memory by class%s (%s)", view_of_rank(v), origin_text[o]),
                peak);
        if (v->format == REPORT_HTML)
            view_add_memory_curve(v, o);
    }
    if (*line) {
        struct block *b = view_block(v, BLOCK_TEXT, "Memory");
        b->text = line;
        b->spare = SPARE_MEMORY;
    }
}

/* "f32 flop per s" from "ceiling.f32_flop_per_s". */
static const char *ceiling_label(struct view *v, const char *key)
{
    char label[64];
    size_t n = 0;
    const char *s = key + strlen(ceiling_prefix);
    for (; *s && n < sizeof label - 1; s++)
        label[n++] = *s == '_' ? ' ' : *s;
    label[n] = '\0';
    for (const char *const *tail =
             (const char *const[]){" flop per s", " bytes per s", NULL};
         *tail; tail++) {
        size_t len = strlen(*tail);
        if (n > len && !strcmp(label + n - len, *tail))
            label[n - len] = '\0';
    }
    return view_clean(v, label);
}

static const char *scaled(struct view *v, double value, const char *unit)
{
    struct unit_text number = unit_count(value);
    bool has_prefix = strchr(number.s, ' ') != NULL;
    return view_printf(v, "%s%s%s", number.s, has_prefix || !*unit ? "" : " ", unit);
}

bool view_is_ceiling(const struct view *v, size_t i)
{
    const struct facts *f = &v->a->run->facts;
    const struct analysis_rank *r = view_rank(v);
    return f->origin[i] == ORIGIN_MEASURED && isfinite(f->value[i]) &&
           !strncmp(run_name(v->a->run, f->key[i]), ceiling_prefix,
                    strlen(ceiling_prefix)) &&
           (f->rank[i] < 0 || !r || f->rank[i] == r->row);
}

static void ceiling_row(struct view *v, struct cell *c, size_t i)
{
    const struct facts *f = &v->a->run->facts;
    c[0] = cell_text(ceiling_label(v, run_name(v->a->run, f->key[i])));
    c[1] = cell_sorted(scaled(v, f->value[i], view_name(v, f->unit[i])), f->value[i]);
    if (!view_is_screen(v))
        c[2] = cell_text(view_name(v, f->text[i]));
}

static void ceiling_table(struct view *v)
{
    const struct facts *f = &v->a->run->facts;
    struct block *b = NULL;
    for (size_t i = 0; i < f->table.n; i++) {
        if (!view_is_ceiling(v, i))
            continue;
        if (!b) {
            b = view_block(v, BLOCK_TABLE, "Ceilings of the machine");
            grid_open(v, b, view_is_screen(v) ? 2 : 3, CEILINGS_SHOWN);
            grid_column(b, 0, "ceiling", ALIGN_LEFT, false);
            grid_column(b, 1, "measured", ALIGN_RIGHT, false);
            if (!view_is_screen(v))
                grid_column(b, 2, "how", ALIGN_LEFT, false);
        }
        struct cell *c = grid_row(b);
        if (c)
            ceiling_row(v, c, i);
    }
}

/* What was reached beside what the machine can do. */
static void speed_line(struct view *v)
{
    const struct facts *f = &v->a->run->facts;
    const char *text = view_counted_text(v), *ceilings = "";
    size_t shown = 0;
    for (size_t i = 0; i < f->table.n && shown < CEILINGS_ON_SCREEN; i++) {
        if (!view_is_ceiling(v, i))
            continue;
        const char *key = run_name(v->a->run, f->key[i]);
        if (!text_ends_with(key, "_per_s")) /* a variant of one: the documents list it */
            continue;
        struct cell c[3];
        ceiling_row(v, c, i);
        ceilings = view_printf(v, "%s%s%s %s", ceilings, shown++ ? ", " : "", c[0].text,
                               c[1].text);
    }
    if (shown)
        text = view_printf(v, "%s%sceilings %s (measured)", text, *text ? "; " : "",
                           ceilings);
    if (*text)
        view_block(v, BLOCK_TEXT, "Speed")->text = text;
}

void view_add_ceilings(struct view *v)
{
    struct efficiency e;
    if (view_rank(v) && view_is_screen(v) && view_has_host_work(v, &e))
        return; /* the line of the work names them */
    if (view_rank(v) && view_is_screen(v))
        speed_line(v);
    else
        ceiling_table(v);
}

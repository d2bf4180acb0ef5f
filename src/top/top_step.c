/* Where a step's time goes, and what the process has of memory. */
#include "base/units.h"
#include "top/top_parts.h"

#include <math.h>

enum {
    BAR_COLUMNS_MIN = 8,
    BAR_COLUMNS_MAX = 100,
    LETTERS_MAX = 256,
    LEGEND_INDENT_MIN = 60
};

/* A letter each, so that the bar can be read without colour. */
static const struct {
    char letter;
    const char *style;
} looks[PHASE_COUNT] = {
    [PHASE_DATA] = {'d', "30;43"},     [PHASE_FORWARD] = {'f', "30;44"},
    [PHASE_BACKWARD] = {'b', "30;45"}, [PHASE_OPTIMIZER] = {'o', "30;46"},
    [PHASE_OTHER] = {'+', "30;47"},    [PHASE_UNATTRIBUTED] = {'.', "90"},
};

static double step_s(const struct live_status *s)
{
    double all = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        all += s->phase_s[i];
    return all;
}

/* Each phase ends at its share of the bar, rounded: the ends are exact to half a letter,
 * whatever came before. */
static void put_bar(struct top_rows *r, const struct live_status *s, int columns)
{
    double all = step_s(s), sum = 0;
    int drawn = 0;
    for (int i = 0; i < PHASE_COUNT; i++) {
        char letters[LETTERS_MAX];
        int n = 0;
        sum += s->phase_s[i];
        int end = (int)lround(fmin(fmax(sum / all, 0), 1) * columns);
        for (; drawn < end; drawn++)
            letters[n++] = looks[i].letter;
        letters[n] = '\0';
        if (n)
            top_put(r, looks[i].style, "%s", letters);
    }
}

enum legend_form { LEGEND_TIMES, LEGEND_SHARES, LEGEND_LETTERS, LEGEND_FORMS };

static void add_to_legend(struct strbuf *out, const struct live_status *s, int phase,
                          enum legend_form form)
{
    const char *name = form == LEGEND_LETTERS ? "" : phase_text[phase];
    strbuf_printf(out, "%s%c%s%s", out->len ? "   " : "", looks[phase].letter,
                  *name ? " " : "", name);
    if (form == LEGEND_TIMES)
        strbuf_printf(out, " %s", unit_ns_of(s->phase_s[phase] * 1e9).s);
    strbuf_printf(out, " %.0f %%", 100 * s->phase_s[phase] / step_s(s));
}

/* The longest of three forms that the line has room for. */
static void put_legend(struct top_rows *r, const struct live_status *s)
{
    struct strbuf legend;
    bool done = false;
    strbuf_init(&legend);
    for (int form = 0; form < LEGEND_FORMS && !done; form++) {
        strbuf_clear(&legend);
        for (int i = 0; i < PHASE_UNATTRIBUTED; i++)
            if (s->phase_s[i] > 0)
                add_to_legend(&legend, s, i, form);
        done = top_put(r, "", "%s", legend.s);
    }
    strbuf_release(&legend);
}

void top_put_step(struct top_rows *r, const struct live_status *s)
{
    if (!(step_s(s) > 0))
        return;
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "a step");
    top_put(r, "", "%-9s", unit_ns_of(step_s(s) * 1e9).s);
    int room = top_room(r);
    if (room >= BAR_COLUMNS_MIN)
        put_bar(r, s, room < BAR_COLUMNS_MAX ? room : BAR_COLUMNS_MAX);
    top_row_begin(r, TOP_SPARE_LEGEND);
    if (r->columns >= LEGEND_INDENT_MIN)
        top_put(r, "", "%*s", TOP_LABEL_COLUMNS, "");
    put_legend(r, s);
    if (!isfinite(s->data_wait_frac))
        return;
    top_row_begin(r, TOP_SPARE_DATA);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "data wait");
    top_put(r, "", "%.1f %% now", 100 * s->data_wait_frac);
    top_put(r, "", "   %.1f %% average", 100 * s->average_data_wait_frac);
}

void top_put_memory(struct top_rows *r, const struct live_status *s)
{
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "memory");
    if (isfinite(s->peak_rss_bytes))
        top_put(r, "", "peak %s", unit_mib(s->peak_rss_bytes).s);
    if (isfinite(s->plan_bytes))
        top_put(r, "", "   plan %s", unit_mib(s->plan_bytes).s);
    if (isfinite(s->limit_bytes))
        top_put(r, "", "   limit %s", unit_mib(s->limit_bytes).s);
}

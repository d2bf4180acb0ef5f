/* Series for people: a line for each measurement, a sparkline, what was told. */
#include "base/json_writer.h"
#include "base/units.h"
#include "history/change_point.h"
#include "history/trend.h"

#include <math.h>
#include <string.h>

enum { ROWS_SHOWN = 20, SPARKS_SHOWN = 60, TIME_LEN = 16 };

/* A file's texts may be anybody's: no byte of them moves the cursor. U+0080 to U+009F are
 * control characters too. */
static void put_plain(struct strbuf *out, const char *s)
{
    for (int len; *s; s += len) {
        len = utf8_sequence_len(s, strlen(s));
        unsigned char first = (unsigned char)s[0], second = (unsigned char)s[len > 1];
        bool plain =
            len > 0 && first >= ' ' && first != 0x7f && (first != 0xc2 || second >= 0xa0);
        strbuf_add(out, plain ? s : "?", plain ? (size_t)len : 1);
        len = len > 0 ? len : 1;
    }
}

/* 2026-11-18T09:50:07Z as 2026-11-18 09:50 */
static void put_time(struct strbuf *out, const char *utc)
{
    for (int i = 0; i < TIME_LEN && utc[i]; i++) {
        bool plain = (unsigned char)utc[i] >= ' ' && (unsigned char)utc[i] < 0x7f;
        strbuf_putc(out, utc[i] == 'T' ? ' ' : plain ? utc[i] : '?');
    }
}

/* From the least to the greatest ratio shown; a range of less than 1 % is drawn as 1 %, or
 * noise would look like mountains. */
static void put_sparks(struct strbuf *out, const struct trend_series *s)
{
    static const char *const spark[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double least_range = 0.01;
    size_t from = s->n > SPARKS_SHOWN ? s->n - SPARKS_SHOWN : 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = from; i < s->n; i++) {
        low = fmin(low, s->point[i].change);
        high = fmax(high, s->point[i].change);
    }
    double range = fmax(high - low, least_range);
    for (size_t i = from; i < s->n; i++)
        strbuf_puts(out, spark[(int)((s->point[i].change - low) / range * 7.999)]);
}

static void put_title(struct strbuf *out, const struct trend_series *s)
{
    const struct history_comparison *c = s->of;
    bool is_baseline = !strcmp(c->kind, "baseline");
    put_plain(out, is_baseline ? c->after : c->before);
    strbuf_puts(out, is_baseline ? " against baseline " : " to ");
    put_plain(out, is_baseline ? c->before : c->after);
    strbuf_puts(out, " on ");
    put_plain(out, *c->machine ? c->machine : "a machine that is not known");
    strbuf_puts(out, "\n");
}

/* Right in a column of so many characters: the minus sign has three bytes. */
static void put_change(struct strbuf *out, double change, int width)
{
    struct unit_text text = unit_signed(change * 100, 1);
    bool minus = (unsigned char)text.s[0] >= 0x80;
    strbuf_printf(out, "%*s %%", width + (minus ? 2 : 0), text.s);
}

static void put_row(struct strbuf *out, const struct trend_point *p)
{
    strbuf_puts(out, "  ");
    put_time(out, p->utc);
    strbuf_printf(out, "  %9s  %9s  ", unit_ns_of(p->before_ms * 1e6).s,
                  unit_ns_of(p->after_ms * 1e6).s);
    put_change(out, p->change, 7);
    if (isfinite(p->low) && isfinite(p->high))
        strbuf_printf(out, " [%s, %s]", unit_signed(p->low * 100, 1).s,
                      unit_signed(p->high * 100, 1).s);
    strbuf_puts(out, "  ");
    put_plain(out, p->verdict);
    strbuf_puts(out, "\n");
}

static void put_told(struct strbuf *out, const struct trend_series *s, double alpha)
{
    strbuf_puts(out, "  ");
    put_sparks(out, s);
    strbuf_puts(out, "\n");
    if (s->n < CHANGE_POINT_MIN_POINTS)
        strbuf_printf(out, "  too few to tell a change: %zu of %d measurements\n", s->n,
                      CHANGE_POINT_MIN_POINTS);
    else if (!s->n_changes)
        strbuf_printf(out, "  no change told (p = %.2g, needed %.2g)\n", s->p, alpha);
    for (size_t i = 0; i < s->n_changes; i++) {
        const struct trend_change *c = &s->change[i];
        strbuf_puts(out, "  from ");
        put_time(out, s->point[c->at].utc);
        strbuf_printf(out, " on %s %% (p = %.2g)%s\n", unit_signed(c->change * 100, 1).s,
                      c->p,
                      i + 1 < s->n_changes ? ""
                      : c->change > 0      ? ": slower"
                                           : ": faster");
    }
}

static void put_series(struct strbuf *out, const struct trend_series *s, double alpha)
{
    size_t from = s->n > ROWS_SHOWN ? s->n - ROWS_SHOWN : 0;
    put_title(out, s);
    strbuf_printf(out, "  %-16s  %9s  %9s  %9s\n", "UTC", "before", "after", "change");
    if (from)
        strbuf_printf(out, "  and %zu earlier ones\n", from);
    for (size_t i = from; i < s->n; i++)
        put_row(out, &s->point[i]);
    put_told(out, s, alpha);
}

static void put_baseline(struct strbuf *out, const struct history_baseline *b)
{
    strbuf_puts(out, "baseline ");
    put_plain(out, b->name);
    strbuf_puts(out, ": ");
    put_plain(out, b->path);
    strbuf_puts(out, ", saved ");
    put_time(out, b->utc);
    strbuf_printf(out, " with %s per step, %s\n", unit_ns_of(b->step_ms * 1e6).s,
                  unit_mib(b->memory_bytes).s);
}

void trend_print(struct strbuf *out, const struct trend *t, const struct history *h)
{
    for (size_t i = 0; i < h->n_baselines; i++)
        put_baseline(out, &h->baseline[i]);
    for (size_t i = 0; i < t->n; i++) {
        if (i || h->n_baselines)
            strbuf_puts(out, "\n");
        put_series(out, &t->series[i], trend_alpha(t));
    }
    if (!t->n)
        strbuf_puts(out, "No step times were compared yet.\n");
}

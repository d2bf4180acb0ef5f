/* What was stored of a comparison or a baseline, hashed: SQLite does not see a number that
 * a disk changed. */
#include "base/strbuf.h"
#include "history/history_tables.h"

#include <math.h>

static void put_text(struct strbuf *out, const char *s)
{
    strbuf_puts(out, s);
    strbuf_putc(out, '\n');
}

static void put_real(struct strbuf *out, double v)
{
    if (isfinite(v))
        strbuf_printf(out, "%.17g\n", v);
    else
        strbuf_puts(out, "null\n");
}

static struct content_hash_text finish(struct strbuf *text)
{
    struct content_hash_text hash = content_hash_of(text->s, text->len);
    strbuf_release(text);
    return hash;
}

static void put_gate(struct strbuf *out, const struct history_gate *g)
{
    put_text(out, g->name);
    put_text(out, g->verdict);
    put_text(out, g->unit);
    put_text(out, g->change_unit);
    put_real(out, g->before);
    put_real(out, g->after);
    put_real(out, g->change);
    put_real(out, g->low);
    put_real(out, g->high);
}

struct content_hash_text history_comparison_hash(const struct history_comparison *c)
{
    const char *const texts[] = {c->utc,         c->kind,       c->before,  c->after,
                                 c->before_hash, c->after_hash, c->machine, c->verdict};
    struct strbuf text;
    strbuf_init(&text);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(&text, texts[i]);
    for (size_t i = 0; i < c->n_gates; i++)
        put_gate(&text, &c->gate[i]);
    return finish(&text);
}

struct content_hash_text history_baseline_hash(const struct history_baseline *b)
{
    const char *const texts[] = {b->name, b->utc, b->path, b->hash, b->machine, b->yaml};
    struct strbuf text;
    strbuf_init(&text);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(&text, texts[i]);
    put_real(&text, b->step_ms);
    put_real(&text, b->memory_bytes);
    return finish(&text);
}

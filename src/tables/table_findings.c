/* Findings, with what is predicted in columns of its own. */
#include "price/price_figures.h"
#include "rules/rule.h"
#include "tables/flat_table.h"

#include <ctype.h>
#include <math.h>

static void set_statement(struct flat_findings *out, const struct run *run,
                          const struct finding *x)
{
    bool known = x->n_lines > 0;
    int32_t row = known ? x->line[0] : 0;
    out->file = flat_text(known ? run_name(run, run->lines.file[row]) : "");
    out->line = flat_i32_if(known, known ? run->lines.line[row] : 0);
}

enum { KEY_MAX = 16 };

/* The word that JSON has too. Copied when the row is added. */
static const char *price_key(char out[KEY_MAX], enum price price)
{
#define PRICE_KEY(v, text) #v,
    static const char *const key[PRICE_COUNT] = {PRICE_LIST(PRICE_KEY)};
    size_t i = 0;
    for (; key[price][i] && i < KEY_MAX - 1; i++)
        out[i] = (char)tolower(key[price][i]);
    out[i] = '\0';
    return out;
}

static void set_price(struct flat_findings *out, const struct findings *f,
                      const struct finding *x)
{
    struct price_figures p = price_figures_of(f, x);
    out->apart = parquet_bool(x->apart);
    out->predicted_gain_ms = flat_ms(p.gain_ns);
    out->predicted_step_ms = flat_ms(p.step_ns);
    out->predicted_low_ms = flat_ms(p.low_ns);
    out->predicted_high_ms = flat_ms(p.high_ns);
    out->predicted_ratio = flat_real(p.ratio);
}

void flat_findings_rows(struct parquet_writer *w, const struct flat_source *s,
                        size_t rank)
{
    const struct findings *f = s->findings;
    if (!f || !f->possible || s->analysis->ranks[rank].row != f->rank)
        return;
    for (size_t i = 0; i < f->n; i++) {
        char key[KEY_MAX];
        const struct finding *x = &f->finding[i];
        struct flat_findings out = {
            .rank = flat_rank(s, f->rank),
            .number = parquet_i32((int32_t)i + 1),
            .id = parquet_text(x->id.s),
            .rule = parquet_text(x->rule->name),
            .found_at = flat_text(x->where),
            .evidence = flat_text(x->evidence),
            .step_ms = flat_ms(f->step_ns),
            .holds_ms = flat_ms(finding_holds_unknown(x) ? NAN : x->holds_ns),
            .effort = parquet_text(effort_text[x->rule->effort]),
            .priority = parquet_text(priority_text[x->priority]),
            .confidence = parquet_text(confidence_text[x->confidence]),
        };
        set_statement(&out, f->run, x);
        set_price(&out, f, x);
        out.price_kind = parquet_text(price_key(key, x->price));
        flat_add(w, out);
    }
}

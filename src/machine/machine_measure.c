#include "base/strbuf.h"
#include "base/units.h"
#include "machine/ceilings.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "run/run.h"

/* Below this share of the CPU time asked for, other programs ran: the ceiling is too low.
 */
static const double cpu_frac_min = 0.9;

static void note_busy(struct run *run, int32_t rank, const char *key,
                      const struct ceiling *c)
{
    if (c->repetitions && c->cpu_frac < cpu_frac_min)
        run_add_note(
            run, rank, -1,
            "%s is likely too low: other programs ran while it was measured (its "
            "threads got %.0f %% of the CPU); measure again on an idle machine",
            key, 100 * c->cpu_frac);
}

/* The best under key, the median under key_median, or why there is none. */
static void add_ceiling(struct run *run, int32_t rank, const char *key, const char *unit,
                        const struct ceiling *c)
{
    struct strbuf how, median_key;
    strbuf_init(&how);
    strbuf_init(&median_key);
    strbuf_printf(&median_key, "%s_median", key);
    if (!c->repetitions) {
        strbuf_printf(&how, "not available: %s", c->how);
        run_add_fact_text(run, rank, key, how.s, ORIGIN_MEASURED);
        run_add_fact_text(run, rank, median_key.s, how.s, ORIGIN_MEASURED);
    } else {
        strbuf_printf(&how, "of %d repetitions, %d threads, %s", c->repetitions,
                      c->threads, c->how);
        if (c->array_bytes)
            strbuf_printf(&how, ", arrays of %s", unit_mib((double)c->array_bytes).s);
        struct strbuf text;
        strbuf_init(&text);
        strbuf_printf(&text, "best %s", how.s);
        run_add_fact(run, rank, key, c->best, unit, ORIGIN_MEASURED, text.s);
        strbuf_clear(&text);
        strbuf_printf(&text, "median %s", how.s);
        run_add_fact(run, rank, median_key.s, c->median, unit, ORIGIN_MEASURED, text.s);
        strbuf_release(&text);
    }
    note_busy(run, rank, key, c);
    strbuf_release(&median_key);
    strbuf_release(&how);
}

void machine_measure(struct run *run, int32_t rank, int threads)
{
    if (threads <= 0)
        threads = cpu_usable_cores();
    struct ceiling flop = ceiling_f32_flop(threads);
    add_ceiling(run, rank, "ceiling.f32_flop_per_s", "FLOP/s", &flop);
    struct ceiling bf16 = ceiling_bf16_flop(threads);
    add_ceiling(run, rank, "ceiling.bf16_flop_per_s", "FLOP/s", &bf16);
    struct ceiling memory = ceiling_memory(threads);
    add_ceiling(run, rank, "ceiling.memory_bytes_per_s", "B/s", &memory);
}

static void add_other(struct run *run, int32_t rank, const struct named_ceiling *x)
{
    struct strbuf key, text;
    strbuf_init(&key);
    strbuf_init(&text);
    strbuf_printf(&key, "ceiling.%s", x->key);
    if (!x->c.repetitions) {
        strbuf_printf(&text, "not available: %s", x->c.how);
        run_add_fact_text(run, rank, key.s, text.s, ORIGIN_MEASURED);
    } else {
        strbuf_printf(&text, "%s: median of %d repetitions, between %.4g and %.4g; %s",
                      x->what, x->c.repetitions, x->c.low, x->c.high, x->c.how);
        run_add_fact(run, rank, key.s, x->c.median, x->unit, ORIGIN_MEASURED, text.s);
    }
    strbuf_release(&key);
    strbuf_release(&text);
}

void machine_add_ceilings(struct run *run, int32_t rank, const struct ceilings *all)
{
    const struct named_ceiling *f32 = ceilings_f32(all),
                               *bf16 = ceilings_find(all, "bf16_amx"),
                               *memory = ceilings_find(all, "memory");
    add_ceiling(run, rank, "ceiling.f32_flop_per_s", "FLOP/s", &f32->c);
    add_ceiling(run, rank, "ceiling.bf16_flop_per_s", "FLOP/s", &bf16->c);
    add_ceiling(run, rank, "ceiling.memory_bytes_per_s", "B/s", &memory->c);
    for (size_t i = 0; i < all->n; i++)
        if (&all->of[i] != f32 && &all->of[i] != bf16 && &all->of[i] != memory)
            add_other(run, rank, &all->of[i]);
}

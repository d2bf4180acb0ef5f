#include "base/strbuf.h"
#include "base/units.h"
#include "machine/ceiling.h"
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
        run_add_fact(run, rank, key, c->best_per_s, unit, ORIGIN_MEASURED, text.s);
        strbuf_clear(&text);
        strbuf_printf(&text, "median %s", how.s);
        run_add_fact(run, rank, median_key.s, c->median_per_s, unit, ORIGIN_MEASURED,
                     text.s);
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

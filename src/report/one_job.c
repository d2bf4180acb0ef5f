/*
 * Ranks of one job have different numbers, one world size and one recorder. Where they
 * have not, somebody probably gave two runs to be compared.
 */
#include "report/one_job.h"

#include "base/path.h"
#include "base/units.h"

static void add_reason(struct strbuf *out, bool *any)
{
    strbuf_puts(out, *any ? "; " : "these may not be the ranks of one job: ");
    *any = true;
}

static const char *name_of(const struct analysis *a, size_t i)
{
    return path_name(run_name(a->run, a->run->ranks.path[a->ranks[i].row]));
}

static int32_t number_of(const struct analysis *a, size_t i)
{
    return a->run->ranks.rank[a->ranks[i].row];
}

/* The ranks are sorted by number; -1, not said, comes first. */
static void doubt_numbers(struct strbuf *out, const struct analysis *a, bool *any)
{
    size_t silent = 0;
    while (silent < a->n_ranks && number_of(a, silent) < 0)
        silent++;
    if (silent) {
        add_reason(out, any);
        strbuf_printf(out, "%zu of %zu do not say their rank", silent, a->n_ranks);
    }
    for (size_t i = silent + 1; i < a->n_ranks; i++)
        if (number_of(a, i) == number_of(a, i - 1)) {
            add_reason(out, any);
            strbuf_printf(out, "rank %d is there more than once (%s, %s)",
                          (int)number_of(a, i), name_of(a, i - 1), name_of(a, i));
            return;
        }
}

static void doubt_world(struct strbuf *out, const struct ranks *ranks, bool *any)
{
    int32_t world = 0;
    for (size_t i = 0; i < ranks->table.n; i++) {
        if (world && ranks->world[i] > 0 && ranks->world[i] != world) {
            add_reason(out, any);
            strbuf_printf(out, "one is of %s, another of %d",
                          unit_plural(world, "rank", "ranks").s, (int)ranks->world[i]);
            return;
        }
        world = ranks->world[i] > 0 ? ranks->world[i] : world;
    }
}

static void doubt_source(struct strbuf *out, const struct ranks *ranks, bool *any)
{
    for (size_t i = 1; i < ranks->table.n; i++)
        if (ranks->source[i] != ranks->source[0]) {
            add_reason(out, any);
            strbuf_printf(out, "one was recorded by %s, another by %s",
                          run_source_text[ranks->source[0]],
                          run_source_text[ranks->source[i]]);
            return;
        }
}

bool one_job_doubt(struct strbuf *out, const struct analysis *a)
{
    bool any = false;
    if (a->n_ranks < 2)
        return false;
    doubt_numbers(out, a, &any);
    doubt_world(out, &a->run->ranks, &any);
    doubt_source(out, &a->run->ranks, &any);
    if (any)
        strbuf_puts(out, "; to compare two runs: gait analyze --compare A B");
    return any;
}

#include "cli/damage_warnings.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/text_fit.h"
#include "base/units.h"
#include "run/rank_damage.h"

#include <limits.h>

/* The first note of this rank, or "". */
static const char *first_note(const struct run *run, size_t row)
{
    const struct notes *n = &run->notes;
    for (size_t i = 0; i < n->table.n; i++)
        if (n->rank[i] == (int32_t)row)
            return run_name(run, n->text[i]);
    return "";
}

static void warn_of_cut(const char *path, const char *note)
{
    log_line("gait: warning: %s is cut short%s%s%s: the figures are of the part that "
             "could be read",
             path, *note ? " (" : "", note, *note ? ")" : "");
}

static void warn_of_loss(const char *path, const char *note, const struct ranks *ranks,
                         size_t row)
{
    log_line("gait: warning: %s is damaged: %s of %s events could not be used%s%s", path,
             unit_thousands(ranks->events_skipped[row]).s,
             unit_thousands(ranks->events[row]).s, *note ? ": " : "", note);
}

void damage_warnings(const struct run *run)
{
    struct arena arena;
    arena_init(&arena);
    for (size_t row = 0; row < run->ranks.table.n; row++) {
        enum rank_damage damage = rank_damage(&run->ranks, row);
        if (damage == RANK_WHOLE)
            continue;
        const char *path =
            text_clean(&arena, run_name(run, run->ranks.path[row]), INT_MAX);
        const char *note = text_clean(&arena, first_note(run, row), INT_MAX);
        if (damage == RANK_CUT_SHORT)
            warn_of_cut(path, note);
        else
            warn_of_loss(path, note, &run->ranks, row);
    }
    arena_release(&arena);
}

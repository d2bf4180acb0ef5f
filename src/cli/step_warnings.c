#include "cli/step_warnings.h"

#include "base/log.h"

static void warn_of_no_step(const struct steps *s, int64_t number)
{
    if (!s->table.n) {
        log_line("gait: warning: there is no step %lld; no steps were found",
                 (long long)number);
        return;
    }
    int64_t least = s->number[0], most = s->number[0];
    for (size_t i = 1; i < s->table.n; i++) {
        least = s->number[i] < least ? s->number[i] : least;
        most = s->number[i] > most ? s->number[i] : most;
    }
    log_line("gait: warning: there is no step %lld; steps are %lld to %lld",
             (long long)number, (long long)least, (long long)most);
}

static void check_step(const struct run *run, int64_t number)
{
    const struct steps *s = &run->steps;
    bool found = false, kept = false;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->number[i] == number) {
            found = true;
            kept = kept || s->kept[i];
        }
    if (!found)
        warn_of_no_step(s, number);
    else if (!kept && run->spans.table.n)
        log_line("gait: warning: the spans of step %lld were not kept; import its trace "
                 "with --steps %lld",
                 (long long)number, (long long)number);
}

void step_warnings(const struct run *run, const struct load_options *options)
{
    for (size_t i = 0; i < options->n_keep_steps; i++)
        check_step(run, options->keep_steps[i]);
}

/* Prints the findings of traces and runs, for whoever works on rules: show_findings
 * TRACE|RUN… */
#include "findings/findings.h"
#include "run/run_file.h"
#include "trace/trace_reader.h"

#include <stdio.h>
#include <string.h>

static void show(const struct run *run, const char *path)
{
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    printf("%s: step %.3f ms%s, replayed %+.3f %%, %zu rules asked\n", path,
           f->step_ns / 1e6, f->untraced ? " (untraced)" : "", 100 * f->replay_error_frac,
           f->checked);
    for (size_t i = 0; i < f->n; i++) {
        const struct finding *x = &f->finding[i];
        printf("  %zu %-22s %s holds %8.3f ms  predicted step %9.3f ms [%.3f, %.3f]  "
               "ceiling %.3f  %s\n      where: %s\n      evidence: %s\n",
               i + 1, x->rule->name, priority_text[x->priority], x->holds_ns / 1e6,
               (f->step_ns - x->gain_ns) / 1e6, (f->step_ns - x->gain_high_ns) / 1e6,
               (f->step_ns - x->gain_low_ns) / 1e6, (f->step_ns - x->ceiling_ns) / 1e6,
               price_text[x->price], x->where, x->evidence);
    }
    printf("  together: %.3f ms\n", (f->step_ns - f->together_gain_ns) / 1e6);
    findings_free(f);
    analysis_free(a);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct run run;
        struct err err = ERR_INIT;
        run_init(&run);
        const char *dot = strrchr(argv[i], '.');
        bool saved = dot && !strcmp(dot, ".gait");
        enum status st = saved ? run_load(&run, argv[i], RUN_PARTS_ALL, &err)
                               : trace_read(&run, argv[i], NULL, &err);
        if (st)
            printf("%s: %s\n", argv[i], err.text);
        else
            show(&run, argv[i]);
        run_release(&run);
    }
    return 0;
}

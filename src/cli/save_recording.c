#include "cli/save_recording.h"

#include "analyze/analysis.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "cli/output_word.h"
#include "record/record_folder.h"
#include "run/run_file.h"

/* What a job wrote may hold anything; on the terminal it is one line of text. */
static const char *one_line(char *text)
{
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    return text;
}

static void show_recorded(const char *output, const struct run *run,
                          const struct record_outcome *o, const char *wrote)
{
    struct analysis *a = analysis_new(run);
    const struct analysis_rank *shown = &a->ranks[a->shown];
    struct strbuf ranks, which;
    strbuf_init(&ranks);
    strbuf_init(&which);
    if (o->ranks > 1) {
        strbuf_printf(&ranks, "%zu ranks, ", o->ranks);
        strbuf_printf(&which, "rank %d; ", (int)run->ranks.rank[shown->row]);
    }
    log_line("gait record: %s%s optimizer step%s; a step takes %s%s (%s%s of %zu)",
             ranks.s, unit_thousands(o->steps).s, o->steps == 1 ? "" : "s",
             unit_ns_of(shown->step.ns).s,
             shown->step.basis == STEP_BASIS_UNTRACED ? " without the tracer" : "",
             which.s, shown->step.mean ? "mean" : "median", shown->step.count);
    log_line("%s %s; next: gait analyze %s", wrote, output, output);
    strbuf_release(&ranks);
    strbuf_release(&which);
    analysis_free(a);
}

enum status save_recording(const char *folder, const char *output, int job_exit_code,
                           bool *saved, struct err *err)
{
    struct run run;
    struct record_outcome o;
    run_init(&run);
    const char *wrote = output_word(output);
    enum status st = record_folder_read(&run, &o, folder, err);
    if (!st && o.ranks)
        st = run_save(&run, output, err);
    if (!o.ranks && job_exit_code) /* the likely cause of what follows */
        log_line("gait record: the job failed with exit code %d; what it said is above: "
                 "make it run without gait first",
                 job_exit_code);
    if (o.why.len)
        log_line("gait record: %s%s",
                 !o.ranks && job_exit_code ? "if it does run so: " : "",
                 one_line(o.why.s));
    if (st)
        one_line(err->text);
    else if (o.unread)
        st = err_set(err, STATUS_ENVIRONMENT,
                     "the files of %zu recorded process%s could not be read, for the "
                     "reason above",
                     o.unread, o.unread == 1 ? "" : "es");
    *saved = o.ranks > 0;
    if (o.ranks && (!st || o.unread))
        show_recorded(output, &run, &o, wrote);
    record_outcome_release(&o);
    run_release(&run);
    return st;
}

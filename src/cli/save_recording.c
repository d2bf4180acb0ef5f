#include "cli/save_recording.h"

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

/* The rank whose untraced steps take longest. */
static int32_t slowest_rank(const struct run *run)
{
    int32_t slowest = 0;
    double longest_ns = -1;
    for (size_t i = 0; i < run->ranks.table.n; i++) {
        double ns = run_fact(run, (int32_t)i, "record.steps_untraced_median_ns");
        if (ns > longest_ns) {
            longest_ns = ns;
            slowest = (int32_t)i;
        }
    }
    return slowest;
}

static void show_recorded(const char *output, const struct run *run,
                          const struct record_outcome *o, const char *wrote)
{
    int32_t row = slowest_rank(run);
    double step_ns = run_fact(run, row, "record.steps_untraced_median_ns");
    double steps = run_fact(run, row, "record.steps_untraced");
    struct strbuf ranks, which;
    strbuf_init(&ranks);
    strbuf_init(&which);
    if (o->ranks > 1) {
        strbuf_printf(&ranks, "%zu ranks, ", o->ranks);
        strbuf_printf(&which, "rank %d, slowest untraced; ", (int)run->ranks.rank[row]);
    }
    log_line("gait record: %s%s optimizer step%s; a step takes %s untraced (%smedian of "
             "%.0f)",
             ranks.s, unit_thousands(o->steps).s, o->steps == 1 ? "" : "s",
             unit_ns_of(step_ns).s, which.s, steps);
    log_line("%s %s; next: gait analyze %s", wrote, output, output);
    strbuf_release(&ranks);
    strbuf_release(&which);
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
        log_line("gait record: the job failed with exit code %d; what it said is above",
                 job_exit_code);
    if (o.why.len)
        log_line("gait record: %s", one_line(o.why.s));
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

/* checkpoint_dir: can it be written, is there room, and what lies in it already? */
#include "base/units.h"
#include "diagnose/checks.h"
#include "diagnose/thresholds.h"

#include <math.h>
#include <string.h>

static bool has_folder(struct outcome *o, const struct training_facts *f)
{
    if (f->disk.wanted)
        return true;
    outcome_set(o, OUTCOME_OK, "no checkpoint_dir: nothing is written");
    return false;
}

void check_checkpoint_folder(struct outcome *o, const struct training_facts *f,
                             const struct estimate *e)
{
    (void)e;
    if (!has_folder(o, f))
        return;
    if (*f->disk.unwritable.text) {
        outcome_set(o, OUTCOME_FAIL, "no checkpoint can be written to %s: %s",
                    f->config->checkpoint_dir, f->disk.unwritable.text);
        outcome_next(o, "set checkpoint_dir: FOLDER, one that can be written to");
    } else if (f->checkpoint.known) {
        outcome_set(o, OUTCOME_OK, "a checkpoint was written in %s and removed",
                    f->disk.folder);
    } else {
        outcome_set(o, OUTCOME_OK, "%s can be written to", f->disk.folder);
    }
}

/* A new checkpoint is complete before the oldest goes: one more than are kept. Those that
 * are there make room as they are replaced. */
static double room_needed(const struct training_facts *f, const struct estimate *e)
{
    int64_t keep = f->config->checkpoint_keep, written = e->known ? e->checkpoints : 1;
    int64_t at_once = keep && keep < written ? keep + 1 : written;
    if (keep)
        at_once -= f->disk.present < keep ? f->disk.present : keep;
    return (double)(at_once < 1 ? 1 : at_once) * f->disk.checkpoint_bytes;
}

void check_disk_space(struct outcome *o, const struct training_facts *f,
                      const struct estimate *e)
{
    if (!has_folder(o, f))
        return;
    if (isnan(f->disk.checkpoint_bytes) || isnan(f->disk.free_bytes)) {
        outcome_unknown(o, isnan(f->disk.free_bytes) ? "the file system does not say"
                                                     : training_facts_why_not(f).text);
        return;
    }
    double need = room_needed(f, e), free_bytes = f->disk.free_bytes;
    struct unit_text all = unit_bytes(need), one = unit_bytes(f->disk.checkpoint_bytes);
    struct unit_text is_free = unit_bytes(free_bytes);
    if (need <= DISK_TIGHT_FRAC * free_bytes) {
        outcome_set(o, OUTCOME_OK, "checkpoints of %s need %s of %s that are free", one.s,
                    all.s, is_free.s);
        return;
    }
    outcome_set(o, need > free_bytes ? OUTCOME_FAIL : OUTCOME_WARN,
                "checkpoints of %s need %s, and %s are free in %s", one.s, all.s,
                is_free.s, f->disk.folder);
    if (2 * f->disk.checkpoint_bytes <= free_bytes)
        outcome_next(o, "set checkpoint_keep: 1, or another checkpoint_dir");
    else
        outcome_next(o, "set another checkpoint_dir, or make room");
}

void check_resume(struct outcome *o, const struct training_facts *f,
                  const struct estimate *e)
{
    (void)e;
    const char *resume = f->config->resume, *dir = f->config->checkpoint_dir;
    long long step = f->disk.resume_step;
    if (!has_folder(o, f))
        return;
    if (*f->disk.resume_error.text) {
        outcome_set(o, OUTCOME_FAIL, "%s", f->disk.resume_error.text);
        outcome_next(o, "set another checkpoint_dir");
    } else if (step < 0 && !strcmp(resume, "must")) {
        outcome_set(o, OUTCOME_FAIL, "resume is must and %s has no checkpoint", dir);
        outcome_next(o, "set resume: auto, or check checkpoint_dir");
    } else if (step < 0) {
        outcome_set(o, OUTCOME_OK, "%s has no checkpoint: training starts at step 0",
                    dir);
    } else if (!strcmp(resume, "never")) {
        outcome_set(o, OUTCOME_FAIL, "%s has a checkpoint already and resume is never",
                    dir);
        outcome_next(o, "set another checkpoint_dir, or resume: auto");
    } else if (step > f->steps) {
        outcome_set(o, OUTCOME_FAIL, "%s is %lld steps old and steps is %lld",
                    f->disk.resume_from.text, step, (long long)f->steps);
        outcome_next(o, "set steps: %lld, or another checkpoint_dir", 2 * step);
    } else if (step == f->steps) {
        outcome_set(o, OUTCOME_WARN, "%s has all %lld steps: nothing is left to train",
                    f->disk.resume_from.text, step);
        outcome_next(o, "set steps: %lld, or another checkpoint_dir", 2 * step);
    } else {
        outcome_set(o, OUTCOME_WARN, "training goes on from %s, step %lld of %lld",
                    f->disk.resume_from.text, step, (long long)f->steps);
        outcome_next(o, "to start anew: set another checkpoint_dir");
    }
}

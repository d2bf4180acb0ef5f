/*
 * Did the change work, and is it still the same model? Gates over two runs, before and
 * after. Each gate passes, fails, or does not apply because the runs do not carry what it
 * needs.
 *
 * Gates over two configs, which are trained here, are in proof.h and equal_time.h.
 *
 * To add a gate: declare its function in gates.h and add a row to the table in verify.c; its
 * name, codes and units go into docs/schema/verify.schema.json.
 */
#ifndef GAIT_VERIFY_VERIFY_H
#define GAIT_VERIFY_VERIFY_H

#include "base/status.h"
#include "base/strbuf.h"
#include "run/run.h"
#include "verify/shared_work.h"

/* Unsure: it looks worse, and too little was recorded to tell. No success either. */
enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_UNSURE, VERDICT_NOT_APPLICABLE };
extern const char *const verdict_text[4];

enum { VERIFY_GATES_MAX = 16, VERIFY_TEXT_MAX = 256 };

struct gate_result {
    const char *name;
    enum verdict verdict;
    char before[32], after[32]; /* as shown; empty where the gate has no such value */
    char remark[VERIFY_TEXT_MAX];
    char at_parameter[VERIFY_TEXT_MAX]; /* where the change is largest; "": of none */
    const char *code;                   /* why it did not pass; "": it did */
    struct gate_numbers {
        const char *unit, *change_unit; /* "": the gate has no such number */
        double before, after;
        double change, change_low, change_high; /* low, high: NAN without an interval */
        double allowed;                         /* the largest change that passes */
        int64_t before_count, after_count;      /* steps that were compared; 0: none */
        int64_t at_step; /* where the change is largest; -1: of no single step */
        bool untraced;   /* steps without the tracer */
    } numbers;
};

/* What a stored baseline was measured to be when it was saved. History, never a side of a
 * comparison: its config is trained anew. */
struct verify_baseline {
    char name[128]; /* "": compared with none */
    char saved[32]; /* 2026-11-18T09:50:07Z */
    char hash[40];  /* of its settings, as they were saved */
    double step_ms, memory_bytes;
    bool same_machine;
};

struct verify_result {
    struct gate_result gate[VERIFY_GATES_MAX];
    size_t n;
    size_t failed, unsure, applied; /* gates of n */
    struct shared_work shared;      /* of little, the gates compare two jobs */
    const char *if_unsure;          /* how to be surer; NULL: record more steps */
    const char *subject[2];         /* what was compared, before and after; or NULL */
    struct verify_baseline baseline;
    /* What else the machine did while both were timed or recorded: "other programs took
     * 0.98 CPUs", or "". */
    char busy[128];
    char incomparable[160]; /* why two configs are no two forms of one model, or "" */
};

/* Of two that were timed here. */
#define MORE_TIME "give it more time (--budget), on a quiet machine"

void verify_runs(struct verify_result *out, const struct run *before,
                 const struct run *after);
/* Of all gates, as the exit code has it: a part of a run proves nothing, whatever the
 * gates say. unread: files of the runs that could not be read. */
enum verdict verify_verdict(const struct verify_result *r, size_t unread);
/* OK when a gate was applied and none failed; a comparison that compared nothing is no
 * success. */
enum status verify_status(const struct verify_result *r, struct err *err);
void verify_print(struct strbuf *out, const struct verify_result *r);
/* What stands below the gates there, in lines: the baseline as it was saved, a busy
 * machine, two jobs that have little in common; or nothing. */
void verify_print_notes(struct strbuf *out, const struct verify_result *r);
/* With how many of the runs' files could not be read: then nothing is proved. */
void verify_print_json(struct strbuf *out, const struct verify_result *r, size_t unread);

#endif

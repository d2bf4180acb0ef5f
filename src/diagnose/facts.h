/*
 * What a diagnosis knows: the settings, the machine, the data, the disk, and what was
 * measured with a few real steps. Plain values: checks (checks.h) and questions
 * (questions.h) read nothing else, so that each can be tried with facts made by hand.
 * Where something is not known, a reason stands in its place.
 */
#ifndef GAIT_DIAGNOSE_FACTS_H
#define GAIT_DIAGNOSE_FACTS_H

#include "base/stats.h"
#include "config/config.h"
#include "data/dataset.h"
#include "engine/precision_timing.h"
#include "machine/cpu.h"
#include "machine/memory_limit.h"
#include "machine/noise.h"
#include "train/trainer.h"
#include "train/what_fits.h"

enum { REASON_MAX = 384, FACTS_TIMINGS_MAX = 3 };

struct reason {
    char text[REASON_MAX];
};
struct reason reason_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A few steps with another value of one setting, or with the value as set. */
struct step_timing {
    int64_t value;             /* threads, or batch_size */
    bool as_set;               /* it is the settings' own */
    struct median_interval ns; /* n = 0: none was timed */
    double tokens_per_s;
    struct reason why_not; /* where n is 0 */
};

struct step_timings {
    struct step_timing of[FACTS_TIMINGS_MAX]; /* (n) values ascending */
    size_t n;
};

/* What was timed once: an evaluation, a checkpoint. */
struct once_timed {
    bool known;
    double ns;             /* of all parts */
    int64_t parts, of_all; /* batches that were timed, and those there are */
    struct reason why_not;
};

/* The training step of the settings as they are. */
struct step_facts {
    bool known;
    struct reason why_not;
    struct median_interval ns;
    bool too_long;         /* by its forward passes alone: it was not run */
    bool skipped;          /* a gradient was not finite */
    double tokens;         /* a step */
    double data_frac;      /* of the timed steps: until a batch is there */
    double optimizer_frac; /* of the timed steps */
    /* of some more steps, every operator recorded; NAN where that failed */
    double products_frac, products_flop_per_s;
    double peak_flop_per_s; /* measured just before; NAN: N/A */
    struct reason peak_how; /* the instructions, or why there is no figure */
};

struct data_facts {
    enum dataset_kind kind;
    int64_t train_tokens, validation_tokens;
    int64_t vocabulary;
    int64_t windows;            /* sequences that an epoch has */
    int64_t validation_batches; /* that the validation part fills */
    double open_s;              /* what opening took, texts tokenized */
};

struct disk_facts {
    bool wanted;              /* checkpoint_dir is set */
    char folder[4096];        /* that exists: checkpoint_dir or the nearest above it */
    bool is_there;            /* it is checkpoint_dir itself */
    struct reason unwritable; /* empty: nothing is known against it */
    double free_bytes;        /* of its file system; NAN: not known */
    double checkpoint_bytes;  /* of one: weights and moments; NAN: not known */
    int64_t present;          /* checkpoints in checkpoint_dir now */
    int64_t resume_step;      /* training would go on from it; -1: from the beginning */
    struct reason resume_from;
    struct reason resume_error; /* why training would refuse it; empty: it would not */
};

struct training_facts {
    const struct config *config;
    const char *words;  /* the config and its flags, as a shell takes them */
    struct err invalid; /* what config_check() said; STATUS_OK: valid */

    bool tried;             /* the trainer was put together as far as part */
    enum trainer_part part; /* that failed, or TRAINER_COMPLETE */
    struct err failed;

    int cores;
    double quota_cores; /* of the control group; INFINITY: no limit */
    struct cpu_isa isa;
    int threads;
    struct precision_timing precision; /* of the heaviest linear, in both */
    struct noise noise;                /* while the steps ran */

    struct data_facts data; /* from TRAINER_MODEL on */
    int64_t parameters;     /* from TRAINER_MEMORY on */
    int64_t model_vocabulary;
    int64_t steps; /* of the whole training, from TRAINER_MODEL on */

    double plan_bytes, available_bytes; /* from TRAINER_START on; NAN: not known */
    struct memory_limit limit;
    bool plan_overflows;
    struct what_fits fits; /* where the plan does not */

    struct disk_facts disk;

    struct step_facts step;
    struct once_timed evaluation, checkpoint;
    struct step_timings threads_timed, batches_timed;
};

/* Nothing known yet: every measurement says so. */
void training_facts_init(struct training_facts *f, const struct config *config,
                         const char *words);

/* Was that part of the trainer opened? */
bool training_facts_has(const struct training_facts *f, enum trainer_part part);
/* Settings that only the data betray (steps of epochs) are no fault of the data. */
bool training_facts_late_refusal(const struct training_facts *f);
/* Where it was not: what stopped it before, for "not available: …". */
struct reason training_facts_why_not(const struct training_facts *f);

#endif

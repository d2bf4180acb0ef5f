/*
 * A training run put together: settings, processes, data, model, optimizer and the one
 * allocation that holds them. trainer_step() is one step of training and allocates
 * nothing.
 *
 * Legal order: trainer_open, trainer_step and trainer_evaluate …, trainer_close.
 */
#ifndef GAIT_TRAIN_TRAINER_H
#define GAIT_TRAIN_TRAINER_H

#include "checkpoint/weights_source.h"
#include "config/config.h"
#include "data/dataset.h"
#include "data/loader.h"
#include "data/prefetch.h"
#include "dist/comm.h"
#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "engine/precision_timing.h"
#include "engine/self_check.h"
#include "model/model.h"
#include "optim/clip.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/selection.h"
#include "run/run.h"
#include "train/tensor_list.h"

/* What is opened, in this order. */
enum trainer_part {
    TRAINER_THREADS,
    TRAINER_WEIGHTS,
    TRAINER_DATA,
    TRAINER_LOADERS,
    TRAINER_MODEL,
    TRAINER_MEMORY,
    TRAINER_START,
    TRAINER_PRODUCTS,
    TRAINER_PREFETCH,
    TRAINER_COMPLETE,
};

struct trainer {
    const struct config *config;
    enum trainer_part part; /* the one that could not be opened, or TRAINER_COMPLETE */
    int64_t open_ns[TRAINER_COMPLETE]; /* what opening each took */
    struct comm comm;
    int threads;
    struct engine engine;
    struct weights_source weights; /* of init_from */
    int64_t context;               /* tokens a sequence in training */
    struct dataset dataset;
    bool data_is_lent; /* dataset is another's, who closes it */
    struct loader train_data, validation_data;
    struct prefetch *prefetch; /* of train_data, from first_step on */
    int32_t *ring;             /* its buffers */
    struct model model;
    struct optimizer optimizer;
    struct clip clip;
    struct selection selection;
    struct schedule schedule;
    struct memory_plan plan;
    int32_t *inputs, *targets; /* (B, T) of validation */
    int64_t steps;             /* of the whole training */
    int64_t first_step;        /* that this process does: those before were resumed */
    int64_t epoch_steps;       /* that see the whole text once */
    struct tensor_list tensors;
    int lock; /* on checkpoint_dir, or -1 */
    struct self_check self_check;
    double products_error; /* of the linears as they are used: model_check.h */
    struct precision_timing precision; /* bf16 against f32, once it was timed */
    bool stop_asked;                   /* a signal came, at any rank */
    bool agreed_to_stop;               /* and all ranks leave together */
    int64_t eval_batches;              /* of a validation: as set, or all there are */
    double *eval_sum; /* (2, eval_batches) losses, then how many were scored */
    /* Where the time of all steps went, on this process's clock. */
    int64_t phase_begin_ns;
    int64_t phase_ns[PHASE_COUNT];
    int64_t data_wait_ns; /* of PHASE_DATA, for the loader's thread */
    int64_t step_cpu_ns;  /* of all threads, in the last step */
};

struct step_report {
    double loss; /* nats a token, mean over the batch of all ranks */
    double learning_rate;
    double gradient_norm; /* before clipping */
    bool skipped;         /* the gradient was not finite: nothing was moved */
    bool abandoned;       /* a signal came between micro-batches: nothing was moved */
};

struct evaluation {
    double loss;           /* nats a token */
    double standard_error; /* of loss, over batches; 0: one batch */
    int64_t tokens;        /* scored */
};

/* On OK the caller calls trainer_close(). The settings must outlive the trainer, and it
 * must not move. */
enum status trainer_open(struct trainer *t, const struct config *config, struct err *err);
/* The same with data that are open already (NULL: those of the settings), which must
 * outlive the trainer. After a failure too the caller calls trainer_close(): t->part is
 * what failed, and all before it can be looked at. */
enum status trainer_try(struct trainer *t, const struct config *config,
                        const struct dataset *data, struct err *err);
/* Compare the model's own products with sums in double (model_check.h), before anything
 * says that they are enabled. Touches as much memory as a step does. */
enum status trainer_check_products(struct trainer *t, struct err *err);
/* Say what of the settings costs time on this machine: bf16 that is slower than f32, by a
 * measurement that t->precision keeps, and more threads than cores. */
void trainer_warn(struct trainer *t);
/* Time the heaviest linear in both precisions, at rank 0: t->precision, unless it was
 * timed. */
void trainer_time_precision(struct trainer *t);
/* status is how it went: after a failure a rank does not wait for the others to leave. */
void trainer_close(struct trainer *t, enum status status);

/* Step 0 is the first. Phases and the step are recorded as spans where the probe is on.
 */
enum status trainer_step(struct trainer *t, int64_t step, struct step_report *report,
                         struct err *err);
/* Only targets with at least eval_min_context tokens before them are scored. */
enum status trainer_evaluate(struct trainer *t, struct evaluation *e, struct err *err);

/* Of the time of all phases since t->phase_ns was cleared; NAN: no time was counted. */
double trainer_phase_share(const struct trainer *t, enum phase phase);

/* List all tensors in t->plan; trainer_open() does, once model and data are known. */
void trainer_plan(struct trainer *t);
/* What was planned of a class: the plan's tensors, and the text under "data". */
size_t trainer_class_bytes(const struct trainer *t, enum tensor_class class);
/* Of a checkpoint: moments as they are, weights in f32 whatever they are computed in. */
double trainer_checkpoint_bytes(const struct trainer *t);
/* What was really taken for all classes: the arena as mapped, and the text's tokens. */
size_t trainer_allocated_bytes(const struct trainer *t);

#endif

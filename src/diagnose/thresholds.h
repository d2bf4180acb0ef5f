/* Where a check becomes a warning and a question's answer yes. Each is a choice, not a
 * measurement; docs/diagnose.md has the reasons, a test compares the two. */
#ifndef GAIT_DIAGNOSE_THRESHOLDS_H
#define GAIT_DIAGNOSE_THRESHOLDS_H

/* checks */
#define LONG_TRAINING_S 600.0        /* a long training: no checkpoints is a warning */
#define EPOCHS_MOST 4.0              /* passes over the same text */
#define LEARNING_RATE_FAR_RATIO 10.0 /* from what fits the size of the model */
#define WARMUP_MOST_FRAC 0.5         /* of the steps */
#define LOG_LINES_MOST 1000.0        /* of a training */
#define EVALUATION_MOST_FRAC 0.1     /* of the steps' time */
#define CHECKPOINT_MOST_FRAC 0.03    /* of the steps' time */
#define DATA_OPEN_MOST_S 5.0         /* texts that are tokenized at every start */
#define MEMORY_TIGHT_FRAC 0.9        /* of what is free */
#define DISK_TIGHT_FRAC 0.9          /* of what is free */
#define VOCABULARY_USED_LEAST 0.5    /* of what given weights know */

/* questions */
#define OTHERS_MOST_CPUS 0.1     /* that other programs take */
#define DATA_WAIT_MOST_FRAC 0.05 /* of a step */
#define BESIDE_MOST_FRAC 0.1     /* evaluations and checkpoints, of the steps' time */
#define BESIDE_LEAST_S 1.0       /* of both together: less is not noticed */
#define OPTIMIZER_MOST_FRAC 0.2  /* of a step */
#define STEPS_TO_COMPARE 6      /* of each side, to tell that another setting is faster */
#define FASTER_LEAST_RATIO 1.1  /* another setting, and the intervals apart */
#define PRODUCTS_LEAST_FRAC 0.5 /* of a step: the products decide */
#define PEAK_NEAR_FRAC 0.5      /* of the measured peak: near the machine's limit */

#endif

/*
 * Facts that `gait record` adds to a run, written down once: the reader of the hook's
 * file adds them, rules ask for them, docs/record-format.md lists them. What the hook
 * itself says stands there without "record.", under "facts" (record/contract.h).
 */
#ifndef GAIT_RUN_RECORD_FACTS_H
#define GAIT_RUN_RECORD_FACTS_H

#include "run/run.h"

/* F(VALUE, "key in a run", who says it, "meaning"). HOOK_NUMBER and HOOK_TEXT are copied
 * from the hook's file, READER comes of what is in it. */
#define RECORD_FACT_LIST(F)                                                              \
    F(STATE, "record.state", READER, "how far the recording came")                       \
    F(STEPS, "record.steps", READER, "optimizer steps that the job took")                \
    F(ROUNDS, "record.rounds", READER, "of untraced and traced steps")                   \
    F(DETAIL_ROUND, "record.detail_round", READER, "whose spans are kept")               \
    F(SITES_ROUND, "record.sites_round", READER, "with stacks, whose sites are kept")    \
    F(OPTIMIZER_CALLS, "record.optimizer_calls", READER, "of all optimizers")            \
    F(OPTIMIZER_CALLS_PER_STEP, "record.optimizer_calls_per_step", READER,               \
      "calls that make a step")                                                          \
    F(BACKWARDS_PER_STEP, "record.backwards_per_step", READER, "median")                 \
    F(EVENT_COST_NS, "record.event_cost_ns", READER,                                     \
      "what the tracer adds to a small operator, median over rounds")                    \
    F(OTHERS_CPUS, "record.others_cpus", READER,                                         \
      "CPUs that other programs took of those the process may use, mean over rounds")    \
    F(CPU_FRAC, "record.cpu_frac", READER,                                               \
      "CPU time of the process, of all that its CPUs had for it in the untraced steps")  \
    F(PADDED_ROWS, "record.padded_rows", READER, "rows of a batch that is padded")       \
    F(PADDED_TO, "record.padded_to", READER,                                             \
      "the length that rows of a batch are filled up to")                                \
    F(PADDED_LONGEST, "record.padded_longest", READER,                                   \
      "the longest row of such a batch, mean")                                           \
    F(PADDED_FRAC, "record.padded_frac", READER,                                         \
      "of the steps that were looked at, those with such a batch")                       \
    F(SAMPLED_STEPS, "record.sampled_steps", READER,                                     \
      "steps in which samples were taken")                                               \
    F(SAMPLED_NS, "record.sampled_ns", READER, "what these steps took")                  \
    F(THREADS, "record.threads", HOOK_NUMBER, "of PyTorch's own pool")                   \
    F(CPUS, "record.cpus", HOOK_NUMBER,                                                  \
      "that the process may use, by affinity and the quota of control groups")           \
    F(CORES, "record.cores", HOOK_NUMBER,                                                \
      "the same; absent where the machine does not tell which CPUs share one")           \
    F(LOADER_DRAWS, "record.loader_draws", HOOK_NUMBER,                                  \
      "1: fetching items draws random numbers")                                          \
    F(LOADER_ITEMS, "record.loader_items", HOOK_NUMBER,                                  \
      "length of a loader's data set, where it has no workers")                          \
    F(LOADER_ITEM_BYTES, "record.loader_item_bytes", HOOK_NUMBER, "of one, kept")        \
    F(FREE_BYTES, "record.free_bytes", HOOK_NUMBER,                                      \
      "free memory of the machine and its control groups, for each process of the job")  \
    F(ANOMALY, "record.anomaly_detection", HOOK_NUMBER,                                  \
      "1: autograd's, in the backward pass; here and below, absent: off")                \
    F(DETERMINISTIC, "record.deterministic_algorithms", HOOK_NUMBER,                     \
      "1: torch.use_deterministic_algorithms")                                           \
    F(PYTHON_DISPATCH, "record.python_dispatch", HOOK_NUMBER,                            \
      "part of the time spent under a dispatch mode, its operators included")            \
    F(TRACE_FUNCTION, "record.trace_function", HOOK_NUMBER,                              \
      "1: Python is traced, by a debugger or for coverage")                              \
    F(ONEDNN_OFF, "record.onednn_off", HOOK_NUMBER, "1: on a CPU")                       \
    F(LAUNCH_BLOCKING, "record.launch_blocking", HOOK_NUMBER, "1: CUDA_LAUNCH_BLOCKING") \
    F(CUDNN_BENCHMARK, "record.cudnn_benchmark", HOOK_NUMBER,                            \
      "1: cuDNN tries its algorithms")                                                   \
    F(CUDNN_DETERMINISTIC, "record.cudnn_deterministic", HOOK_NUMBER,                    \
      "1: only its deterministic ones")                                                  \
    F(DISTRIBUTED_DEBUG, "record.distributed_debug", HOOK_NUMBER,                        \
      "1: TORCH_DISTRIBUTED_DEBUG=DETAIL")                                               \
    F(ENVIRONMENT, "record.environment", HOOK_TEXT,                                      \
      "variables that set threads and memory, as far as they are set")                   \
    F(LOWEST_PRECISION, "record.lowest_precision", HOOK_TEXT,                            \
      "below float32, of the operators of the first traced round; absent: none")         \
    F(TORCH, "record.torch", HOOK_TEXT, "version")                                       \
    F(PYTHON, "record.python", HOOK_TEXT, "version")                                     \
    F(DEVICE, "record.device", HOOK_TEXT, "that the first parameter lies on")            \
    F(SCRIPT, "record.script", HOOK_TEXT, "its name, without folders")                   \
    F(HOST, "record.host", HOOK_TEXT, "the machine's name")

enum record_fact_source {
    RECORD_FACT_READER,
    RECORD_FACT_HOOK_NUMBER,
    RECORD_FACT_HOOK_TEXT
};

#define RECORD_FACT_VALUE(v, key, source, meaning) RECORD_FACT_##v,
enum record_fact { RECORD_FACT_LIST(RECORD_FACT_VALUE) RECORD_FACT_COUNT };

struct record_fact_def {
    const char *key;  /* in a run */
    const char *name; /* the same without "record." */
    enum record_fact_source source;
    const char *meaning;
};
extern const struct record_fact_def record_fact_def[RECORD_FACT_COUNT];

/* As measured, for this rank's row; nothing where the value is not finite. */
void record_fact_add(struct run *run, int32_t rank, enum record_fact fact, double value);

/* Of this rank's row; NAN where it was not recorded. */
double record_fact(const struct run *run, int32_t rank, enum record_fact fact);

/* CPUs that other programs took of those the rank may use; 0: too few to tell, or not
 * recorded. docs/record.md */
double record_others_cpus(const struct run *run, int32_t rank);

#endif

/*
 * All conditions of rules, once: their name in a query, the function condition_NAME, the
 * arguments that it takes at least. docs/lint-rules.md says what each means. Private to
 * this folder.
 */
#ifndef GAIT_SOURCE_CONDITION_LIST_H
#define GAIT_SOURCE_CONDITION_LIST_H

#include "source/source_match.h"

/* Asked while a file is searched. */
#define CONDITION_LIST(X)                                                                \
    X("eq", eq, 2)                                                                       \
    X("contains", contains, 2)                                                           \
    X("starts", starts, 2)                                                               \
    X("ends", ends, 2)                                                                   \
    X("is", is, 2)                                                                       \
    X("kind", kind, 2)                                                                   \
    X("word", word, 2)                                                                   \
    X("lacks", lacks, 2)                                                                 \
    X("passes", passes, 2)                                                               \
    X("positional", positional, 2)                                                       \
    X("node", node, 2)                                                                   \
    X("invariant", invariant, 1)                                                         \
    X("operations", operations, 2)                                                       \
    X("whole", whole, 1)                                                                 \
    X("kept", kept, 1)                                                                   \
    X("path", path, 3)                                                                   \
    X("alike", alike, 2)                                                                 \
    X("gated", gated, 2)                                                                 \
    X("repeats-new", repeats_new, 1)                                                     \
    X("decorated", decorated, 2)                                                         \
    X("derives", derives, 2)                                                             \
    X("carried", carried, 1)                                                             \
    X("carries-graph", carries_graph, 1)                                                 \
    X("in-module", in_module, 1)                                                         \
    X("in-loop", in_loop, 1)                                                             \
    X("unused", unused, 1)                                                               \
    X("loop-has", loop_has, 2)                                                           \
    X("made-by", made_by, 2)                                                             \
    X("value-has", value_has, 2)                                                         \
    X("constant", constant, 1)                                                           \
    X("counting-loop", counting_loop, 1)                                                 \
    X("over-data", over_data, 1)                                                         \
    X("before-optimizer", before_optimizer, 1)                                           \
    X("in-function-word", in_function_word, 2)                                           \
    X("in-context-word", in_context_word, 2)                                             \
    X("beside-call", beside_call, 2)                                                     \
    X("waits-beside", waits_beside, 1)                                                   \
    X("moved-later", moved_later, 2)                                                     \
    X("inside", inside, 2)                                                               \
    X("shown", shown, 1)                                                                 \
    X("with-calls-of", with_calls_of, 2)                                                 \
    X("made-and-moved", made_and_moved, 1)                                               \
    X("guessed", guessed, 1)                                                             \
    X("unknown-argument", unknown_argument, 1)                                           \
    X("drives-simulator", drives_simulator, 1)                                           \
    X("outlives-step", outlives_step, 1)                                                 \
    X("has-graph", has_graph, 1)                                                         \
    X("backpropagated", backpropagated, 1)                                               \
    X("over-parts", over_parts, 1)                                                       \
    X("read-in-loop", read_in_loop, 2)                                                   \
    X("vectorises", vectorises, 1)                                                       \
    X("for-training", for_training, 1)                                                   \
    X("in-test", in_test, 1)                                                             \
    X("iterated-once", iterated_once, 1)                                                 \
    X("from-loader", from_loader, 1)                                                     \
    X("conditional", conditional, 1)                                                     \
    X("guards", guards, 1)                                                               \
    X("default-is", default_is, 3)                                                       \
    X("agreed", agreed, 1)                                                               \
    X("needed-now", needed_now, 1)                                                       \
    X("beside-wait", beside_wait, 1)                                                     \
    X("at-least", at_least, 2)                                                           \
    X("last-backward", last_backward, 2)                                                 \
    X("updates", updates, 2)

/* Asked once all files are read. */
#define LATE_CONDITION_LIST(X)                                                           \
    X("in-batch-loop", in_batch_loop, 0)                                                 \
    X("in-epochs", in_epochs, 0)                                                         \
    X("after-training", after_training, 1)                                               \
    X("before-steps", before_steps, 0)                                                   \
    X("steps-behind", steps_behind, 0)                                                   \
    X("steps-here", steps_here, 0)                                                       \
    X("step-loop", step_loop, 0)                                                         \
    X("accumulates", accumulates, 0)                                                     \
    X("every-step", every_step, 0)                                                       \
    X("every-batch", every_batch, 0)                                                     \
    X("training-step", training_step, 0)                                                 \
    X("training-loop", training_loop, 0)                                                 \
    X("called-in-step", called_in_step, 0)                                               \
    X("in-forward", in_forward, 0)                                                       \
    X("in-loader", in_loader, 0)                                                         \
    X("in-evaluation", in_evaluation, 0)                                                 \
    X("without-grad", without_grad, 0)                                                   \
    X("job-has", job_has, 1)                                                             \
    X("file-has", file_has, 1)

#define CONDITION_DECLARED(name, fn, least)                                              \
    bool condition_##fn(const struct match *m, const struct predicate *p);
#define LATE_CONDITION_DECLARED(name, fn, least)                                         \
    bool condition_##fn(const struct project_view *v, const struct predicate *p);
CONDITION_LIST(CONDITION_DECLARED)
LATE_CONDITION_LIST(LATE_CONDITION_DECLARED)

/* A walk of a tree in which at most `budget` nodes are looked at. */
struct inquiry {
    const struct match *m;
    int budget, depth;
};

/* What several of them ask. */
int32_t place_of_node(const struct match *m, TSNode n);
/* Looks at the beginning only: nested calls would make the whole quadratic. */
struct slice text_head(struct slice a);
bool text_contains(struct slice a, struct slice b);
void text_terminated(struct slice a, char *out, size_t size);
/* Is a dotted name this one, or, of "torch.nn.*", one below it? */
bool name_fits(const char *full, struct slice pattern);

#endif

/*
 * What to generate. To add a switch: a line in SWITCH_LIST; a number: in NUMBER_LIST; a
 * choice: in choices[] of gen_options.c. The list is the help page too.
 */
#ifndef GAIT_TESTS_GEN_OPTIONS_H
#define GAIT_TESTS_GEN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum dialect { DIALECT_US, DIALECT_EPOCH_NS, DIALECT_RELATIVE_NS };
enum vendor { VENDOR_NVIDIA, VENDOR_AMD };
enum marks { MARKS_PROFILER, MARKS_NONE, MARKS_OPTIMIZER, MARKS_LIGHTNING };
enum base_in { BASE_HEAD, BASE_FOOTER, BASE_ABSENT };
enum rank_in { RANK_IN_HEAD, RANK_IN_FOOTER, RANK_IN_NAME, RANK_IN_NOTHING };
enum cause { CAUSE_INPUT, CAUSE_COMPUTE };

/* S(member, "what it turns on") */
#define SWITCH_LIST(S)                                                                   \
    S(old, "the names of 2021: Operator, Runtime, Kernel")                               \
    S(bare, "an array of events alone, without head and footer")                         \
    S(compact, "no white space between the parts of the JSON")                           \
    S(python, "Python frames")                                                           \
    S(shapes, "input shapes of operators")                                               \
    S(flows, "arrows: ac2g and fwdbwd")                                                  \
    S(memory, "[memory] events")                                                         \
    S(graphs, "the forward pass is a CUDA graph: one correlation, many kernels")         \
    S(orphans, "every 16th kernel has no launch record")                                 \
    S(overhang, "no wait at a step's end: its last kernel runs into the next step")      \
    S(sync_events, "cuda_sync events on the device's rows")                              \
    S(no_comm, "no collectives")                                                         \
    S(shuffle, "events in any order (in windows of 64 MB)")                              \
    S(gzip, "pipe each file through gzip -1")

/* N(member, "--name", default, "what it is") */
#define NUMBER_LIST(N)                                                                   \
    N(steps, "steps", 3, "how many steps")                                               \
    N(layers, "layers", 12, "of the model: a step has about 60 events a layer")          \
    N(seed, "seed", 1, "of all that is random")                                          \
    N(ranks, "ranks", 1, "files; more than one go into a folder")                        \
    N(world, "world", 0, "world size to write down; 0: as many as ranks")                \
    N(straggler, "straggler", -1, "this rank is late in every step")                     \
    N(slow_ns, "slow-ns", 2000000, "by so much")                                         \
    N(jitter_ns, "jitter-ns", 50000, "any rank is late by up to this much")              \
    N(skew_ns, "skew-ns", 5000000, "clocks of ranks differ by up to this much")

#define SWITCH_MEMBER(member, doc) bool member;
#define NUMBER_MEMBER(member, name, initial, doc) int64_t member;

struct gen_options {
    enum dialect dialect;
    enum vendor vendor;
    enum marks marks;
    enum base_in base_in;
    enum rank_in rank_in;
    enum cause cause;
    SWITCH_LIST(SWITCH_MEMBER)
    NUMBER_LIST(NUMBER_MEMBER)
    int64_t size_bytes;  /* of one file; 0: --steps says it */
    const char *output;  /* file, "-", or with several ranks a folder */
    const char *answers; /* NULL: none */
};

/* Fills *o from the command line; prints to standard error and exits with 2 on a mistake.
 */
void gen_options_parse(struct gen_options *o, int argc, char **argv);

/* Times are multiples of this: whole microseconds where the dialect has no finer ones. */
int64_t gen_unit_ns(const struct gen_options *o);

#endif

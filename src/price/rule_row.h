/* What a rule is: a row of data, whose function looks for evidence. The rules themselves:
 * rules/rule.h. */
#ifndef GAIT_PRICE_RULE_ROW_H
#define GAIT_PRICE_RULE_ROW_H

#include <stdbool.h>
#include <stddef.h>

struct evidence;
struct findings;
struct rule;

/* Adds what it finds to f; looks at e alone. */
typedef void rule_find_fn(const struct rule *rule, const struct evidence *e,
                          struct findings *f);

/* What a run must have: E(VALUE, bit, "as told to whoever has it not") */
#define NEEDS_LIST(E)                                                                    \
    E(STEPS, 1, "marked steps")                                                          \
    E(DEVICE, 2, "times of an accelerator")                                              \
    E(SHAPES, 4, "input shapes (record_shapes)")                                         \
    E(FRAMES, 8, "Python frames (with_stack)")                                           \
    E(TIMINGS, 16, "untraced steps (gait record)")                                       \
    E(RANKS, 32, "several ranks")                                                        \
    E(TRAINER, 64, "Gait's own trainer")                                                 \
    E(TORCH, 128, "a PyTorch job")                                                       \
    E(HOST_ONLY, 256, "a PyTorch job without a GPU")                                     \
    E(PEAKS, 512, "a device whose peak rates are listed")                                \
    E(TYPES, 1024, "matmul types (record_shapes)")                                       \
    E(FLOW, 2048, "the data flow of a step (gait record, --graph)")                      \
    E(WATCHED, 4096, "lines and contents of a step (gait record)")

#define NEEDS_VALUE(v, bit, text) NEEDS_##v = (bit),
enum rule_needs { NEEDS_LIST(NEEDS_VALUE) };

enum effort { EFFORT_LOW, EFFORT_MEDIUM, EFFORT_HIGH, EFFORT_COUNT };
extern const char *const effort_text[EFFORT_COUNT];

enum { RULE_LIMITS = 4 };

/* Thresholds, in the order of the rule's page. */
struct rule_limit {
    double value;
    const char *what;
};

struct rule {
    const char *name, *title;
    unsigned needs; /* bits of enum rule_needs */
    enum effort effort;
    bool general;           /* gives way where others tell what it would tell */
    double least_gain_frac; /* of a step: less is not told */
    struct rule_limit limit[RULE_LIMITS]; /* what is NULL: no more of them */
    rule_find_fn *find;
};

/* The fix as code, for each side; NULL: there is none for that side. */
struct rule_fix {
    const char *rule, *torch, *gait;
};

#endif

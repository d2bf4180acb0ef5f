/*
 * The rules, as data. A rule says what it needs of a run, how it looks for evidence, from
 * which thresholds on, and how the fix reads; docs/rules/<name>.md says why.
 *
 * To add a rule:
 *   1. a line in the list of its group, rules_<group>.h:
 *        R(function, "name", "what is told", needs, effort, is it general?, least gain as
 *          a part of a step, LIMIT(a threshold, "what it is") … or NO_LIMITS)
 *      and its fix there:
 *        F("name", "PyTorch code" or NULL, "lines of Gait's config" or NULL)
 *      a second F of the name is a fix that some of its findings have instead;
 *   2. its function rule_<name> (dashes are underscores) in a file rule_*.c of this
 *      folder, which adds findings (finding.h) with edits and evidence (evidence_text.h);
 *   3. its page docs/rules/<name>.md, which names each threshold, in this order, with its
 *      reason; a test.
 *
 * A threshold that decides what is told is changed in the list alone; how something is
 * measured or told apart stands in the rule's own file, with its reason.
 */
#ifndef GAIT_FINDINGS_RULE_H
#define GAIT_FINDINGS_RULE_H

#include "base/strbuf.h"
#include "findings/rules_device.h"
#include "findings/rules_job.h"
#include "findings/rules_ops.h"

#include <stdbool.h>
#include <stddef.h>

struct evidence;
struct findings;
struct strbuf;
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
    E(FLOW, 2048, "the data flow of a step (gait record)")

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

/* The lists, a header a group. */
#define RULE_LIST(R)                                                                     \
    RULE_LIST_DEVICE(R)                                                                  \
    RULE_LIST_OPS(R)                                                                     \
    RULE_LIST_JOB(R)

#define RULE_FUNCTION(function, name, title, needs, effort, general, least, ...)         \
    rule_find_fn rule_##function;
RULE_LIST(RULE_FUNCTION)

extern const struct rule rule_table[]; /* (rule_count) */
extern const size_t rule_count;

/* NULL: there is none of that name. */
const struct rule *rule_named(const char *name);
/* Append the table of docs/rules/README.md. */
void rules_print_markdown(struct strbuf *out);
/* Never NULL. */
const struct rule_fix *rule_fix(const struct rule *rule);
/* What some of its findings have instead; NULL: there is none. */
const struct rule_fix *rule_other_fix(const struct rule *rule);
/* Append what these bits of enum rule_needs ask for, as "marked steps, several ranks". */
void rule_needs_text(struct strbuf *out, unsigned needs);

#endif

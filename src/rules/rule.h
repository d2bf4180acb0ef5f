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
 *      folder, which adds findings (price/finding.h) with edits and evidence
 *      (price/evidence_text.h), and with a place each where they may be several;
 *   3. its page docs/rules/<name>.md, which names each threshold, in this order, with its
 *      reason; a test.
 *
 * A threshold that decides what is told is changed in the list alone; how something is
 * measured or told apart stands in the rule's own file, with its reason.
 */
#ifndef GAIT_RULES_RULE_H
#define GAIT_RULES_RULE_H

#include "base/strbuf.h"
#include "price/rule_row.h"
#include "rules/rules_device.h"
#include "rules/rules_job.h"
#include "rules/rules_ops.h"

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

struct meetings_cost;
/* So many and so small that the ranks' jitter at each of them goes with their number? As
 * small-collectives has it. */
bool rule_many_and_small(const struct meetings_cost *c);

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

#include "suspects/rule_scope.h"

#include <string.h>

/* A rule that is not here is of a place. What is timed now and then, or looked up by the
 * recorder, a few traced steps do not show: those rules need more before their silence
 * says anything. */
const struct rule_scope_row rule_scopes[] = {
    /* settings of the job, its loader, its optimizer, its precision */
    {"allocator-churn", SCOPE_JOB, true, 0},
    {"batch-small", SCOPE_JOB, true, 0},
    {"checkpoint-often", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"clear-cost", SCOPE_JOB, true, 0}, /* by hand or not, the optimizer's parameters */
    {"clip-cost", SCOPE_JOB, true, 0},
    {"collate-work", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"embedding-gradient", SCOPE_JOB, true, 0},
    {"evaluation-often", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"exposed-communication", SCOPE_JOB, true, NEEDS_RANKS},
    {"garbage-collector", SCOPE_JOB, true, 0},
    {"input-bound", SCOPE_JOB, true, 0},
    {"launch-bound", SCOPE_JOB, true, 0},
    {"optimizer-unfused", SCOPE_JOB, true, 0},
    {"padding", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"pageable-copy", SCOPE_JOB, true, 0},
    {"precision-f32", SCOPE_JOB, true, 0},
    {"prefetch-short", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"process-settings", SCOPE_JOB, false, 0},
    {"small-collectives", SCOPE_JOB, true, NEEDS_RANKS},
    {"straggler", SCOPE_JOB, true, 0},
    {"tensor-cores-unused", SCOPE_JOB, true, 0},
    {"threads-few", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"threads-oversubscribed", SCOPE_JOB, true, NEEDS_TIMINGS},
    {"unequal-work", SCOPE_JOB, true, 0},
    /* statements: what they do, wait for and launch is all that goes with them */
    {"blocking-copy", SCOPE_LINE, true, 0},
    {"host-wait", SCOPE_LINE, true, 0},
    {"elementwise-chain", SCOPE_PLACE, true, 0},
    {"invariant-rebuilt", SCOPE_LINE, false, 0},
    {"kernels-unfused", SCOPE_PLACE, true, 0},
    {"logging-often", SCOPE_LINE, false, 0},
    {"python-time", SCOPE_LINE, false, 0},
    {"repeated-work", SCOPE_LINE, false, 0},
    {"small-tensors", SCOPE_LINE, false, 0},
};
const size_t rule_scope_count = sizeof rule_scopes / sizeof *rule_scopes;

static const struct rule_scope_row *row_of(const struct rule *rule)
{
    for (size_t i = 0; i < rule_scope_count; i++)
        if (!strcmp(rule_scopes[i].rule, rule->name))
            return &rule_scopes[i];
    return NULL;
}

enum rule_scope rule_scope_for(const struct rule *rule, const struct lint_finding *place)
{
    const struct rule_scope_row *row = row_of(rule);
    if (!place->in_step)
        return SCOPE_JOB;
    return row ? row->scope : SCOPE_PLACE;
}

bool rule_silence_counts(const struct rule *rule, unsigned has)
{
    const struct rule_scope_row *row = row_of(rule);
    return row && row->sees_all && !(rule_silence_needs(rule) & ~has);
}

unsigned rule_silence_needs(const struct rule *rule)
{
    const struct rule_scope_row *row = row_of(rule);
    return rule->needs | (row ? row->also_needs : 0);
}

/* The rules. How to add one: lint.h. */
#include "source/lint.h"

const struct lint_rule lint_rules[] = {
    {
        .id = "device-sync-in-loop",
        .title = "the host waits for the device in every step",
        .query = "((call function: (attribute attribute: (identifier) @name)"
                 "       arguments: (argument_list) @arguments) @hit"
                 "  (#any-of? @name \"item\" \"cpu\" \"tolist\")"
                 "  (#eq? @arguments \"()\"))"
                 "((call function: (identifier) @name"
                 "       arguments: (argument_list . (_) @value .)) @hit"
                 "  (#eq? @name \"float\")"
                 "  (#contains? @value \"loss\"))",
        .where = LINT_WHERE_TRAINING_STEP,
        .why = "it copies from the device: the host stops until all queued work is done",
        .fix = "add loss.detach() up on the device and read it every N steps, under if "
               "step % N == 0",
    },
};

const size_t lint_rule_count = sizeof lint_rules / sizeof *lint_rules;

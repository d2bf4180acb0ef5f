/* The rules. How to add one: lint.h. */
#include "source/lint.h"

/* A call x.name() without arguments. */
#define METHOD_CALL(name)                                                                \
    "((call function: (attribute attribute: (identifier) @name)"                         \
    "       arguments: (argument_list) @arguments) @hit"                                 \
    "  (#eq? @name \"" name "\")"                                                        \
    "  (#eq? @arguments \"()\"))"

const struct lint_rule lint_rules[] = {
    {
        .id = "device-sync-in-loop",
        .title = "the host waits for the device in every step",
        .where = LINT_WHERE_TRAINING_STEP,
        .why = "it copies from the device: the host stops until all queued work is done",
        .forms =
            {
                {
                    .query = METHOD_CALL("item") /* or */
                    "((call function: (identifier) @name"
                    "       arguments: (argument_list . (_) @value .)) @hit"
                    "  (#eq? @name \"float\")"
                    "  (#contains? @value \"loss\"))",
                    .fix =
                        "add the value up on the device (total += x.detach()) and read "
                        "it every N steps, under if step % N == 0",
                },
                {
                    .query = METHOD_CALL("tolist"),
                    .fix = "keep the values on the device and take .tolist() after the "
                           "loop, or every N steps, under if step % N == 0",
                },
                {
                    .query = METHOD_CALL("cpu"),
                    .fix =
                        "keep the tensor on the device and copy it every N steps, under "
                        "if step % N == 0; or into pinned memory with non_blocking=True, "
                        "and read it a step later",
                },
            },
    },
};

const size_t lint_rule_count = sizeof lint_rules / sizeof *lint_rules;

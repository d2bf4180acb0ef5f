/*
 * What the hook (hook/gait_hook, Python) writes about a process of a recorded job, and
 * the program reads: one list. From it come the reader's names, the hook's own
 * (hook/gait_hook/contract.py) and docs/record-format.md, both by scripts/draw-docs.
 *
 * Any change of names or types raises RECORD_VERSION; tests/unit/record/test_contract.c
 * fails otherwise.
 */
#ifndef GAIT_RECORD_CONTRACT_H
#define GAIT_RECORD_CONTRACT_H

#include "base/strbuf.h"

enum { RECORD_VERSION = 2 };

/* How far the recording of a process came. */
#define RECORD_STATES(E)                                                                 \
    E(STARTED, "started", "no round is complete")                                        \
    E(RECORDING, "recording", "some are")                                                \
    E(ENDED_EARLY, "ended early", "the job ended before the plan did")                   \
    E(COMPLETE, "complete", "all of the plan")                                           \
    E(JOB_PROFILES, "job profiles itself", "and was left alone from then on")            \
    E(FAILED, "failed", "the last note says why")

#define RECORD_STATE_VALUE(v, text, meaning) RECORD_STATE_##v,
enum record_state { RECORD_STATES(RECORD_STATE_VALUE) RECORD_STATE_COUNT };
extern const char *const record_state_text[RECORD_STATE_COUNT];

/* K(OBJECT, VALUE, "member", "type", "meaning") */
#define RECORD_KEYS(K)                                                                   \
    K(FILE, VERSION, "gait_record", "integer", "version of this format")                 \
    K(FILE, PID, "pid", "integer", "process")                                            \
    K(FILE, RANK, "rank", "integer", "by torch.distributed, else by the launcher")       \
    K(FILE, WORLD, "world", "integer", "ranks of the job; 0: not told")                  \
    K(FILE, STATE, "state", "text", "one of the states below")                           \
    K(FILE, STEPS, "steps", "integer", "steps that the job took")                        \
    K(FILE, OPTIMIZER_CALLS, "optimizer_calls", "integer", "of all optimizers")          \
    K(FILE, OPTIMIZERS_PER_STEP, "optimizers_per_step", "integer",                       \
      "calls that make a step; null: not known yet")                                     \
    K(FILE, FACTS, "facts", "object", "of the process: below")                           \
    K(FILE, ROUNDS, "rounds", "list of rounds", "each complete")                         \
    K(FILE, TAIL, "tail", "list of lists",                                               \
      "steps after the rounds: number, then ns of step, save, evaluate, garbage")        \
    K(FILE, REPLACEMENTS, "replacements", "list of replacements", "in turns")            \
    K(FILE, LENGTHS, "lengths", "list of lengths",                                       \
      "of the steps in which it was looked at; {}: nothing is padded")                   \
    K(FILE, NOTES, "notes", "list of texts", "what was not recorded, and why")           \
    K(ROUND, TRACE, "trace", "text", "name of its trace, beside this file; empty: none") \
    K(ROUND, STACKS, "stacks", "boolean", "traced with Python's stacks")                 \
    K(ROUND, EVENTS, "events", "integer", "in the trace")                                \
    K(ROUND, EVENT_COST_NS, "event_cost_ns", "number",                                   \
      "what the tracer adds to a small operator; absent: not measured")                  \
    K(ROUND, UNTRACED, "untraced", "list of steps", "without the tracer")                \
    K(ROUND, TRACED, "traced", "list of steps", "with it")                               \
    K(STEP, NUMBER, "number", "integer", "of the job's steps")                           \
    K(STEP, BACKWARDS, "backwards", "integer", "calls of backward in it")                \
    K(REPLACEMENT, RULE, "rule", "text", "the rule that asks for it")                    \
    K(REPLACEMENT, SUBJECT, "subject", "text", "what was replaced")                      \
    K(REPLACEMENT, HOW, "how", "text", "what came instead")                              \
    K(REPLACEMENT, ROUND, "round", "integer", "turn")                                    \
    K(REPLACEMENT, NOW_NS, "now_ns", "integer", "as the job does it, a step")            \
    K(REPLACEMENT, INSTEAD_NS, "instead_ns", "integer", "the other way, a step")         \
    K(LENGTHS, ROWS, "rows", "integer", "of the batch")                                  \
    K(LENGTHS, FILLED, "filled", "integer", "the length that they are filled up to")     \
    K(LENGTHS, LONGEST, "longest", "integer", "of what is not filling")

#define RECORD_KEY_VALUE(object, v, text, type, meaning) RECORD_KEY_##object##_##v,
enum record_key { RECORD_KEYS(RECORD_KEY_VALUE) RECORD_KEY_COUNT };
extern const char *const record_key_text[RECORD_KEY_COUNT];

/* docs/record-format.md, and the hook's constants. */
void contract_print_markdown(struct strbuf *out);
void contract_print_python(struct strbuf *out);
/* Names and types alone: what two versions of the file differ by. */
void contract_print_shape(struct strbuf *out);

#endif

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

enum { RECORD_VERSION = 6 };

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
      "steps after the rounds: number, then ns of step, save, evaluate, epoch, "         \
      "garbage, "                                                                        \
      "cpu")                                                                             \
    K(FILE, REPLACEMENTS, "replacements", "list of replacements", "in turns")            \
    K(FILE, LENGTHS, "lengths", "list of lengths",                                       \
      "of the steps in which it was looked at; {}: nothing is padded")                   \
    K(FILE, LOSSES, "losses", "list of lists",                                           \
      "number of a step, its loss (null: not finite), backward passes")                  \
    K(FILE, PARAMETERS, "parameters", "list of lists", "name, elements")                 \
    K(FILE, MOVEMENTS, "movements", "list of lists",                                     \
      "row of `parameters`, what (below), step of its optimizer, norm, four "            \
      "projections; "                                                                    \
      "null: not finite")                                                                \
    K(FILE, NOTES, "notes", "list of texts", "what was not recorded, and why")           \
    K(ROUND, TRACE, "trace", "text", "name of its trace, beside this file; empty: none") \
    K(ROUND, STACKS, "stacks", "boolean", "traced with Python's stacks")                 \
    K(ROUND, EVENTS, "events", "integer", "in the trace")                                \
    K(ROUND, EVENT_COST_NS, "event_cost_ns", "number",                                   \
      "what the tracer adds to a small operator; absent: not measured")                  \
    K(ROUND, OTHERS_CPUS, "others_cpus", "number",                                       \
      "CPUs that other programs took of those the job may use, mean; absent: not known") \
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
    K(LENGTHS, LONGEST, "longest", "integer", "of what is not filling")                  \
    K(FLOW, VERSION, "gait_flow", "integer", "version of this format")                   \
    K(FLOW, STEPS, "steps", "integer", "steps that were watched")                        \
    K(FLOW, SAMPLED_STEPS, "sampled_steps", "integer", "in which samples were taken")    \
    K(FLOW, SAMPLED_NS, "sampled_ns", "integer", "what these steps took")                \
    K(FLOW, FILES, "files", "list of texts", "of statements")                            \
    K(FLOW, FUNCTIONS, "functions", "list of texts", "of statements")                    \
    K(FLOW, TEXTS, "texts", "list of texts", "of lines, as their files have them")       \
    K(FLOW, OPS, "ops", "list of texts", "operators with their overloads")               \
    K(FLOW, TRAITS, "traits", "list of integers", "bits of each of them")                \
    K(FLOW, SHAPES, "shapes", "list of texts", "sizes, or strides")                      \
    K(FLOW, DTYPES, "dtypes", "list of texts", "of elements")                            \
    K(FLOW, NOTES, "notes", "list of texts", "what was not seen")                        \
    K(FLOW, ROWS, "rows", "list of integers",                                            \
      "of lines, samples, tensors, ops and op_tensors")

#define RECORD_KEY_VALUE(object, v, text, type, meaning) RECORD_KEY_##object##_##v,
enum record_key { RECORD_KEYS(RECORD_KEY_VALUE) RECORD_KEY_COUNT };
extern const char *const record_key_text[RECORD_KEY_COUNT];

/*
 * The data flow of watched steps: flow-PID.bin beside process-PID.json. Its first line is
 * a JSON object with the members FLOW below; then come the columns, one after the other
 * in this order, each value as 8 bytes, least significant first.
 *
 * F(TABLE, VALUE, "column", "meaning")
 */
enum { FLOW_VERSION = 3 };

#define FLOW_COLUMNS(F)                                                                  \
    F(LINES, FILE, "file", "row of `files`")                                             \
    F(LINES, FUNCTION, "function", "row of `functions`")                                 \
    F(LINES, TEXT, "text", "row of `texts`")                                             \
    F(LINES, LINE, "line", "from 1")                                                     \
    F(LINES, CALLER, "caller", "row of lines before this one, or -1")                    \
    F(SAMPLES, LINE, "line", "row of lines, or -1")                                      \
    F(SAMPLES, INNER, "inner", "row of lines, or -1")                                    \
    F(SAMPLES, PART, "part", "of the step")                                              \
    F(SAMPLES, COUNT, "count", "times that the thread that trains was seen there")       \
    F(TENSORS, BYTES, "bytes", "of the storage")                                         \
    F(TENSORS, KEPT, "kept", "1: it was there when the watching ended")                  \
    F(TENSORS, SOURCE, "source", "where its first value comes from")                     \
    F(OPS, NAME, "name", "row of `ops` and `traits`")                                    \
    F(OPS, STEP, "step", "watched step, from 0")                                         \
    F(OPS, LINE, "line", "row of lines, or -1")                                          \
    F(OPS, INNER, "inner", "row of lines, or -1")                                        \
    F(OPS, BACKWARD, "backward", "number of its backward pass, or 0")                    \
    F(OPS, FORWARD, "forward", "row of ops, or -1")                                      \
    F(OPS, THREAD, "thread", "from 0")                                                   \
    F(OPS, SCALARS, "scalars", "hash")                                                   \
    F(OP_TENSORS, OP, "op", "row of ops")                                                \
    F(OP_TENSORS, ROLE, "role", "what it does with it")                                  \
    F(OP_TENSORS, ARGUMENT, "argument", "place")                                         \
    F(OP_TENSORS, TENSOR, "tensor", "row of tensors, or -1")                             \
    F(OP_TENSORS, VERSION, "version", "of the value")                                    \
    F(OP_TENSORS, OFFSET, "offset", "first element")                                     \
    F(OP_TENSORS, SHAPE, "shape", "row of `shapes`")                                     \
    F(OP_TENSORS, STRIDES, "strides", "row of `shapes`")                                 \
    F(OP_TENSORS, DTYPE, "dtype", "row of `dtypes`")                                     \
    F(OP_TENSORS, HASH, "hash", "of what was written; 0: not looked at")                 \
    F(OP_TENSORS, ZEROS, "zeros", "in 1/1000, or -1")                                    \
    F(OP_TENSORS, ZERO_ROWS, "zero_rows", "rows of zeros, in 1/1000, or -1")

#define FLOW_COLUMN_VALUE(table, v, text, meaning) FLOW_##table##_##v,
enum flow_column { FLOW_COLUMNS(FLOW_COLUMN_VALUE) FLOW_COLUMN_COUNT };

#define FLOW_TABLE_LIST(T)                                                               \
    T(LINES, "lines")                                                                    \
    T(SAMPLES, "samples")                                                                \
    T(TENSORS, "tensors")                                                                \
    T(OPS, "ops")                                                                        \
    T(OP_TENSORS, "op_tensors")
#define FLOW_TABLE_VALUE(v, text) FLOW_TABLE_##v,
enum flow_table { FLOW_TABLE_LIST(FLOW_TABLE_VALUE) FLOW_TABLE_COUNT };
/* Of which table each column is. */
extern const enum flow_table flow_column_table[FLOW_COLUMN_COUNT];

/* docs/record-format.md, and the hook's constants. */
void contract_print_markdown(struct strbuf *out);
void contract_print_python(struct strbuf *out);
/* Names and types alone: what two versions of the file differ by. */
void contract_print_shape(struct strbuf *out);

#endif

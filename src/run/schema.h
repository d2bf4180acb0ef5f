/*
 * The tables of a run, each written down once. From these lists come the enums, the row
 * structs, the columns in memory, the SQLite tables and views, the checks on load,
 * merging, equality and the reference in docs/run-format.md.
 *
 * To add a column: add a C(...) line, raise RUN_FORMAT_VERSION in run.h, run
 * scripts/draw-docs. To add a table:  add a list and a T(...) line in RUN_TABLES.
 *
 * A column is C(C type, storage, name, meaning). Storage is one of
 *   I32 I64 F64     a number
 *   NAME            an interned string
 *   RANK LANE STEP SPAN LINE TENSOR WATCHED_OP   a row of that table, or -1
 *   an enum's name in capitals
 * Units stand in the name: _ns, _bytes, _flop.
 */
#ifndef GAIT_RUN_SCHEMA_H
#define GAIT_RUN_SCHEMA_H

/* Each enum is E(VALUE, "text in views and reports"). */

#define RUN_SOURCE_LIST(E)                                                               \
    E(UNKNOWN, "unknown")                                                                \
    E(TRAINER, "trainer")                                                                \
    E(KINETO, "kineto")

#define ORIGIN_LIST(E)                                                                   \
    E(MEASURED, "measured")                                                              \
    E(MODELLED, "modelled")                                                              \
    E(LISTED, "listed")                                                                  \
    E(GIVEN, "given")

#define LANE_KIND_LIST(E)                                                                \
    E(CPU, "cpu")                                                                        \
    E(DEVICE, "device")                                                                  \
    E(NETWORK, "network")                                                                \
    E(OTHER, "other")

#define SPAN_KIND_LIST(E)                                                                \
    E(OTHER, "other")                                                                    \
    E(OP, "op")                                                                          \
    E(KERNEL, "kernel")                                                                  \
    E(COLLECTIVE, "collective")                                                          \
    E(COPY, "copy")                                                                      \
    E(SET, "set")                                                                        \
    E(RUNTIME, "runtime")                                                                \
    E(SYNC, "sync")                                                                      \
    E(WAIT, "wait")                                                                      \
    E(PYTHON, "python")                                                                  \
    E(ANNOTATION, "annotation")                                                          \
    E(STEP, "step")                                                                      \
    E(PHASE, "phase")                                                                    \
    E(OVERHEAD, "overhead")

#define EDGE_KIND_LIST(E)                                                                \
    E(ORDER, "order")                                                                    \
    E(LAUNCH, "launch")                                                                  \
    E(SYNC, "sync")                                                                      \
    E(COLLECTIVE, "collective")

/* The first that finds steps wins. */
#define STEP_METHOD_LIST(E)                                                              \
    E(NONE, "none")                                                                      \
    E(PROFILER_STEP, "ProfilerStep marks")                                               \
    E(OPTIMIZER, "optimizer steps")                                                      \
    E(LIGHTNING, "Lightning's training batches")                                         \
    E(HUGGING_FACE, "Hugging Face's training steps")                                     \
    E(MEGATRON, "Megatron's iterations")                                                 \
    E(TRAINER, "the trainer's own marks")                                                \
    E(ENGINE, "vLLM's and SGLang's steps")                                               \
    E(ANNOTATION, "a regular annotation")                                                \
    E(KERNEL_PERIOD, "the period of the kernels")                                        \
    E(RECORDING, "nothing: the recording is taken as one")

#define PHASE_LIST(E)                                                                    \
    E(DATA, "data")                                                                      \
    E(FORWARD, "forward")                                                                \
    E(BACKWARD, "backward")                                                              \
    E(OPTIMIZER, "optimizer")                                                            \
    E(OTHER, "other")                                                                    \
    E(UNATTRIBUTED, "unattributed")

#define TIME_CLASS_LIST(E)                                                               \
    E(SPAN, "span")                                                                      \
    E(COMPUTE, "compute")                                                                \
    E(COMMUNICATION, "communication")                                                    \
    E(COPIES, "copies")                                                                  \
    E(IDLE, "idle")                                                                      \
    E(COMMUNICATION_TOTAL, "communication total")                                        \
    E(COPIES_TOTAL, "copies total")                                                      \
    E(BUSY, "busy")                                                                      \
    E(WAITING, "waiting")                                                                \
    E(UNATTRIBUTED, "unattributed")                                                      \
    E(IDLE_INPUT, "idle: input")                                                         \
    E(IDLE_SYNC, "idle: blocked host")                                                   \
    E(IDLE_HOST, "idle: host")                                                           \
    E(IDLE_COMMUNICATION, "idle: communication")                                         \
    E(IDLE_BETWEEN, "idle: between")                                                     \
    E(IDLE_UNKNOWN, "idle: unknown")

#define MEMORY_CLASS_LIST(E)                                                             \
    E(PARAMETERS, "parameters")                                                          \
    E(GRADIENTS, "gradients")                                                            \
    E(MOMENTS, "moments")                                                                \
    E(ACTIVATIONS, "activations")                                                        \
    E(WORKSPACE, "workspace")                                                            \
    E(DATA, "data")                                                                      \
    E(ALLOCATED, "allocated")                                                            \
    E(RESERVED, "reserved")                                                              \
    E(PROCESS, "process")

/* What `gait record` times in a step; docs/record-format.md says what each is. */
#define TIMING_KIND_LIST(E)                                                              \
    E(STEP, "step")                                                                      \
    E(OPTIMIZER, "optimizer")                                                            \
    E(BACKWARD, "backward")                                                              \
    E(LOADER, "loader")                                                                  \
    E(LOADER_CPU, "loader_cpu")                                                          \
    E(COLLATE, "collate")                                                                \
    E(STACK, "stack")                                                                    \
    E(SAVE, "save")                                                                      \
    E(EVALUATE, "evaluate")                                                              \
    E(EPOCH, "epoch")                                                                    \
    E(GARBAGE, "garbage")                                                                \
    E(EXCHANGE, "exchange")                                                              \
    E(BUFFERS, "buffers")                                                                \
    E(COLLECTIVE, "collective")                                                          \
    E(CPU, "cpu")                                                                        \
    E(TRACED_STEP, "traced step")

#define SPLIT_LIST(E)                                                                    \
    E(TRAIN, "train")                                                                    \
    E(VALIDATION, "validation")

#define VALUE_SOURCE_LIST(E)                                                             \
    E(MADE, "made")                                                                      \
    E(PARAMETER, "parameter")                                                            \
    E(FROZEN, "frozen parameter")                                                        \
    E(STATE, "optimizer state")                                                          \
    E(BUFFER, "buffer")                                                                  \
    E(GRADIENT, "gradient")                                                              \
    E(BATCH, "batch")                                                                    \
    E(HOST, "host")                                                                      \
    E(RANDOM, "random")                                                                  \
    E(CONSTANT, "constant")                                                              \
    E(BEFORE, "before")

/* Of the step, as PyTorch's own frames around a statement tell. */
#define SAMPLE_PART_LIST(E)                                                              \
    E(CODE, "the job's own code")                                                        \
    E(INPUT, "a DataLoader")                                                             \
    E(BACKWARD, "the backward pass")                                                     \
    E(OPTIMIZER, "an optimizer")

/* What of a parameter a row of movements is. */
#define MOVED_KIND_LIST(E)                                                               \
    E(WEIGHTS, "weights")                                                                \
    E(GRADIENT, "gradient")                                                              \
    E(MOVEMENT, "movement")

#define TENSOR_ROLE_LIST(E)                                                              \
    E(READ, "read")                                                                      \
    E(WRITTEN, "written")                                                                \
    E(MADE, "made")                                                                      \
    E(VIEW, "view")                                                                      \
    E(UPDATED, "read and written")

/* RUN_ENUMS: X(CAPITALS, name of the C enum) for each list above. */
#define RUN_ENUMS(X)                                                                     \
    X(RUN_SOURCE, run_source)                                                            \
    X(ORIGIN, origin)                                                                    \
    X(LANE_KIND, lane_kind)                                                              \
    X(SPAN_KIND, span_kind)                                                              \
    X(EDGE_KIND, edge_kind)                                                              \
    X(STEP_METHOD, step_method)                                                          \
    X(PHASE, phase)                                                                      \
    X(TIME_CLASS, time_class)                                                            \
    X(MEMORY_CLASS, memory_class)                                                        \
    X(TIMING_KIND, timing_kind)                                                          \
    X(SPLIT, split)                                                                      \
    X(VALUE_SOURCE, value_source)                                                        \
    X(TENSOR_ROLE, tensor_role)                                                          \
    X(SAMPLE_PART, sample_part)                                                          \
    X(MOVED_KIND, moved_kind)

#define RANK_COLUMNS(C)                                                                  \
    C(int32_t, I32, rank, "number of the rank; -1 where the source does not say")        \
    C(int32_t, I32, world, "ranks of the job; 0 where the source does not say")          \
    C(enum run_source, RUN_SOURCE, source, "who recorded it")                            \
    C(name_id, NAME, path, "the file it came from")                                      \
    C(name_id, NAME, host, "machine")                                                    \
    C(name_id, NAME, device, "accelerator model")                                        \
    C(int32_t, I32, devices, "accelerators that ran something")                          \
    C(name_id, NAME, framework, "version of the framework, where known")                 \
    C(int64_t, I64, base_ns, "add it to begin_ns for time since 1970")                   \
    C(int64_t, I64, clock_shift_ns, "add it to begin_ns to meet the other ranks")        \
    C(int64_t, I64, first_ns, "begin of the first span")                                 \
    C(int64_t, I64, last_ns, "end of the last span")                                     \
    C(int64_t, I64, text_bytes, "size of the source, decompressed")                      \
    C(int64_t, I64, events, "events in the source, of every sort")                       \
    C(int64_t, I64, spans_seen, "spans that went into the aggregates")                   \
    C(int64_t, I64, spans_kept, "spans of them in the table spans")                      \
    C(int64_t, I64, events_skipped, "events that could not be used; notes say why")      \
    C(int32_t, I32, complete, "1: read to its end; 0: cut short")                        \
    C(enum step_method, STEP_METHOD, step_method, "how steps were found")                \
    C(int64_t, I64, unlaunched_ns, "device work without a launch record, added up")

#define LANE_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose lane")                                                 \
    C(enum lane_kind, LANE_KIND, kind, "what it is")                                     \
    C(int32_t, I32, device, "accelerator's number; -1 on the host")                      \
    C(int64_t, I64, pid, "process")                                                      \
    C(int64_t, I64, tid, "thread or stream")                                             \
    C(name_id, NAME, name, "as the source calls it")

#define SPAN_COLUMNS(C)                                                                  \
    C(int32_t, LANE, lane, "where it ran")                                               \
    C(enum span_kind, SPAN_KIND, kind, "what it is")                                     \
    C(name_id, NAME, name, "operator, kernel, phase …")                                  \
    C(int64_t, I64, begin_ns, "as in the source; ranks.base_ns makes it absolute")       \
    C(int64_t, I64, dur_ns, "duration")                                                  \
    C(int32_t, STEP, step, "step in which it begins, or -1")                             \
    C(int64_t, I64, correlation,                                                         \
      "ties a launch to its device work, a forward op to its backward; 0: none")         \
    C(int64_t, I64, seq, "the source's own sequence; breaks ties of begin_ns")           \
    C(int64_t, I64, flop, "counted from shapes; 0: not known (modelled)")                \
    C(int64_t, I64, bytes, "moved: a copy's size as recorded, else counted (modelled)")  \
    C(name_id, NAME, shapes, "input shapes; of a recorded wait, its stream")             \
    C(name_id, NAME, line, "file:line in the user's source")

#define EDGE_COLUMNS(C)                                                                  \
    C(enum edge_kind, EDGE_KIND, kind, "program order on a lane is implied, not stored") \
    C(int64_t, SPAN, src, "must begin (launch) or end (others) before")                  \
    C(int64_t, SPAN, dst, "this one goes on")

#define STEP_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose step")                                                 \
    C(int64_t, I64, number, "as the source numbers it")                                  \
    C(int64_t, I64, begin_ns, "on the host")                                             \
    C(int64_t, I64, end_ns, "on the host")                                               \
    C(int64_t, I64, device_spans, "device work launched in it, or begun without launch") \
    C(int32_t, I32, kept, "its spans in the table spans: 0 none, 1 all, 2 the longest")  \
    C(int64_t, I64, flop, "of what begins in it; 0: not known (modelled)")               \
    C(int64_t, I64, device_begin_ns, "begin of the first kernel launched in it")         \
    C(int64_t, I64, device_end_ns, "end of the last one; as its begin: none was")        \
    C(int64_t, I64, device_ns, "all device work launched in it, added up")

#define PHASE_COLUMNS(C)                                                                 \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int32_t, STEP, step, "in which step")                                              \
    C(enum phase, PHASE, phase, "which")                                                 \
    C(int64_t, I64, ns, "wall time")                                                     \
    C(enum origin, ORIGIN, origin, "measured or modelled")

#define OP_COLUMNS(C)                                                                    \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(enum lane_kind, LANE_KIND, place, "host or device")                                \
    C(enum span_kind, SPAN_KIND, kind, "what it is")                                     \
    C(name_id, NAME, name, "operator or kernel")                                         \
    C(int64_t, I64, count, "calls, of all spans seen")                                   \
    C(int64_t, I64, self_ns, "without what it called; measured")                         \
    C(int64_t, I64, total_ns, "with it, recursion counted once; measured")               \
    C(int64_t, I64, max_ns, "longest call; measured")                                    \
    C(int64_t, I64, flop, "counted; 0: not known (modelled)")                            \
    C(int64_t, I64, bytes, "moved; 0: not known")                                        \
    C(enum origin, ORIGIN, bytes_origin, "of bytes: recorded in the source or counted")  \
    C(int64_t, I64, device_ns, "device work that it launched itself; 0: none")

#define COLLECTIVE_COLUMNS(C)                                                            \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int32_t, STEP, step, "in which it begins, or -1")                                  \
    C(int32_t, LANE, lane, "stream, or the host thread that did it")                     \
    C(name_id, NAME, name, "operation as recorded, else the kernel")                     \
    C(name_id, NAME, group_name, "process group; empty: not recorded")                   \
    C(int64_t, I64, seq, "its number in the group; -1: not recorded")                    \
    C(int32_t, I32, group_size, "ranks in the group; 0: not recorded")                   \
    C(name_id, NAME, dtype, "of an element; empty: not recorded")                        \
    C(int64_t, I64, elements_in, "of this rank; 0: none or not recorded")                \
    C(int64_t, I64, elements_out, "of this rank; 0: none or not recorded")               \
    C(int64_t, I64, bytes, "the larger side's; 0: not recorded")                         \
    C(int64_t, I64, begin_ns, "where it ran")                                            \
    C(int64_t, I64, dur_ns, "waiting for other ranks included; measured")                \
    C(int64_t, I64, exposed_ns, "part not covered by compute; measured")

#define COLLECTIVE_SUM_COLUMNS(C)                                                        \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(name_id, NAME, name, "operation as recorded, else the kernel")                     \
    C(int32_t, I32, group_size, "ranks in the group; 0: not recorded")                   \
    C(name_id, NAME, dtype, "of an element; empty: not recorded")                        \
    C(int64_t, I64, count, "calls, of all spans seen")                                   \
    C(int64_t, I64, bytes, "the larger side's, all calls")                               \
    C(int64_t, I64, total_ns, "waiting for other ranks included; measured")              \
    C(int64_t, I64, exposed_ns, "part not covered by compute; measured")                 \
    C(int64_t, I64, min_ns, "shortest call: the least waiting; measured")

#define SITE_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(name_id, NAME, op, "operator")                                                     \
    C(name_id, NAME, module, "innermost nn.Module around it; empty: none")               \
    C(name_id, NAME, line, "innermost frame of the user's source; empty: none")          \
    C(int64_t, I64, count, "calls")                                                      \
    C(int64_t, I64, self_ns, "without what it called; measured")                         \
    C(int64_t, I64, device_ns, "device work that it launched itself; measured")

#define LAUNCH_COLUMNS(C)                                                                \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int32_t, STEP, step, "in which the launch begins; -1: the whole recording")        \
    C(int64_t, I64, count, "device work with a launch record, by launch")                \
    C(int64_t, I64, mean_delay_ns, "begin of the launch to begin of the work")           \
    C(int64_t, I64, median_delay_ns, "the same; within 1/16")                            \
    C(int64_t, I64, p90_delay_ns, "the same; within 1/16")                               \
    C(double, F64, mean_queue, "launched and not begun, averaged over time")             \
    C(int64_t, I64, peak_queue, "launched and not begun, at most")

#define TIME_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int32_t, STEP, step, "in which step; -1: the whole recording")                     \
    C(int32_t, I32, device, "accelerator; -1: all of the rank")                          \
    C(int32_t, LANE, lane, "host thread; -1: not of one lane")                           \
    C(enum time_class, TIME_CLASS, what, "docs/run-format.md: Where time goes")          \
    C(int64_t, I64, ns, "time")                                                          \
    C(enum origin, ORIGIN, origin, "measured or modelled")

#define MEMORY_COLUMNS(C)                                                                \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int32_t, I32, device, "accelerator; -1: the host")                                 \
    C(int64_t, I64, at_ns, "when")                                                       \
    C(enum memory_class, MEMORY_CLASS, what, "class")                                    \
    C(int64_t, I64, bytes, "held from then on")                                          \
    C(enum origin, ORIGIN, origin, "measured or modelled (planned)")

#define LOSS_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int64_t, I64, step, "number of the step")                                          \
    C(enum split, SPLIT, split, "training or validation")                                \
    C(double, F64, loss, "nats a token; of a recorded job, what it minimises; measured") \
    C(double, F64, standard_error, "of loss; 0: not estimated")                          \
    C(double, F64, learning_rate, "")                                                    \
    C(double, F64, gradient_norm, "before clipping; 0: not measured")

/* Of parameters of a recorded job; docs/record.md says how they are looked at. */
#define MOVEMENT_COLUMNS(C)                                                              \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(name_id, NAME, name, "of the parameter, as the job's modules call it")             \
    C(int64_t, I64, elements, "numbers in it")                                           \
    C(enum moved_kind, MOVED_KIND, what, "its weights before, gradient, or movement")    \
    C(int64_t, I64, step, "of the optimizer that has it; 0: before its first")           \
    C(double, F64, norm, "of what; from at most 4096 elements; measured")                \
    C(double, F64, along0, "projection on fixed signs: tells directions apart")          \
    C(double, F64, along1, "the same on others")                                         \
    C(double, F64, along2, "the same on others")                                         \
    C(double, F64, along3, "the same on others")

#define FACT_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose; -1: all")                                             \
    C(name_id, NAME, key, "machine.cpu, ceiling.f32_flop_per_s, config.batch_size …")    \
    C(double, F64, value, "where it is a number")                                        \
    C(name_id, NAME, text, "where it is not, or how it was found")                       \
    C(name_id, NAME, unit, "")                                                           \
    C(enum origin, ORIGIN, origin, "measured, modelled, listed or given")

#define TIMING_COLUMNS(C)                                                                \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(enum timing_kind, TIMING_KIND, what, "what was timed: docs/record-format.md")      \
    C(int32_t, I32, round, "untraced and traced steps take turns; -1: after the rounds") \
    C(int64_t, I64, number, "of the step")                                               \
    C(int64_t, I64, dur_ns, "without the tracer but for traced step; measured")

#define REPLACEMENT_COLUMNS(C)                                                           \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(name_id, NAME, rule, "the rule that asks for it")                                  \
    C(name_id, NAME, subject, "what was replaced: operator and shapes, module, class")   \
    C(name_id, NAME, how, "what came instead, and how it was measured")                  \
    C(int32_t, I32, round, "both are measured in turns, round by round")                 \
    C(int64_t, I64, now_ns, "as the job does it, a step, in isolation; measured")        \
    C(int64_t, I64, instead_ns, "the other way, a step, in isolation; measured")

#define LINE_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(name_id, NAME, file, "as Python names it")                                         \
    C(name_id, NAME, function, "around it")                                              \
    C(name_id, NAME, text, "of the line, as far as it could be read")                    \
    C(int32_t, I32, line, "from 1")                                                      \
    C(int32_t, LINE, caller, "statement that called it, of the job's own files, or -1")

#define SAMPLE_COLUMNS(C)                                                                \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int32_t, LINE, line, "statement of the job's own files, or -1")                    \
    C(int32_t, LINE, inner, "innermost statement outside PyTorch, or -1")                \
    C(enum sample_part, SAMPLE_PART, part, "of the step")                                \
    C(int64_t, I64, count, "times that the thread that trains was seen there")

#define TENSOR_COLUMNS(C)                                                                \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(int64_t, I64, bytes, "of the storage, as far as it was seen")                      \
    C(int32_t, I32, kept, "1: it was there when the watching ended")                     \
    C(enum value_source, VALUE_SOURCE, source, "where its first value comes from")

#define WATCHED_OP_COLUMNS(C)                                                            \
    C(int32_t, RANK, rank, "whose")                                                      \
    C(name_id, NAME, name, "operator with its overload")                                 \
    C(int32_t, I32, traits, "bits: docs/record-format.md")                               \
    C(int32_t, I32, step, "watched step, from 0")                                        \
    C(int32_t, LINE, line, "statement of the job's own files, or -1")                    \
    C(int32_t, LINE, inner, "innermost statement outside PyTorch, or -1")                \
    C(int32_t, I32, backward, "number of its backward pass; 0: in none")                 \
    C(int32_t, WATCHED_OP, forward, "what it is the backward pass of, or -1")            \
    C(int32_t, I32, thread, "from 0")                                                    \
    C(int64_t, I64, scalars, "hash of what it was given beside tensors")

#define OP_TENSOR_COLUMNS(C)                                                             \
    C(int32_t, WATCHED_OP, op, "whose")                                                  \
    C(enum tensor_role, TENSOR_ROLE, role, "what it does with it")                       \
    C(int32_t, I32, argument, "its place among arguments or results")                    \
    C(int32_t, TENSOR, tensor, "storage; -1: it has none, as sparse ones")               \
    C(int32_t, I32, version, "of the value: as read, or after the write")                \
    C(int64_t, I64, offset, "first element")                                             \
    C(name_id, NAME, shape, "sizes")                                                     \
    C(name_id, NAME, strides, "in elements")                                             \
    C(name_id, NAME, dtype, "of an element")                                             \
    C(int64_t, I64, hash, "of what was written; 0: not looked at")                       \
    C(int32_t, I32, zeros, "of its elements, in 1/1000; -1: not looked at")              \
    C(int32_t, I32, zero_rows, "rows of zeros, of its rows, in 1/1000; -1: not looked at")

#define NOTE_COLUMNS(C)                                                                  \
    C(int32_t, RANK, rank, "whose; -1: all")                                             \
    C(int64_t, I64, offset, "byte in the source's text of the first one; -1: none")      \
    C(int64_t, I64, count, "how often")                                                  \
    C(name_id, NAME, text, "what was skipped, mended or lost")

/* T(row struct, table, columns, meaning). Referenced tables come before those that refer.
 */
#define RUN_TABLES(T)                                                                    \
    T(rank, ranks, RANK_COLUMNS, "one row a process of the job")                         \
    T(lane, lanes, LANE_COLUMNS, "host threads, device streams, networks")               \
    T(step, steps, STEP_COLUMNS, "the steps of the training")                            \
    T(span, spans, SPAN_COLUMNS, "what happened, in full, for the steps that were kept") \
    T(edge, edges, EDGE_COLUMNS, "what had to wait for what")                            \
    T(op, ops, OP_COLUMNS, "sums over all spans seen, by name")                          \
    T(collective, collectives, COLLECTIVE_COLUMNS, "the first of each step, one by one") \
    T(collective_sum, collective_sums, COLLECTIVE_SUM_COLUMNS, "over all collectives")   \
    T(site, sites, SITE_COLUMNS, "operators by place in the user's program")             \
    T(launch_sum, launches, LAUNCH_COLUMNS, "how far ahead of the device the host ran")  \
    T(class_time, times, TIME_COLUMNS, "where time went")                                \
    T(phase_time, phases, PHASE_COLUMNS, "phases of each step")                          \
    T(memory, memories, MEMORY_COLUMNS, "memory by class, over time")                    \
    T(loss, losses, LOSS_COLUMNS, "what the model learnt")                               \
    T(movement, movements, MOVEMENT_COLUMNS, "how far parameters moved")                 \
    T(fact, facts, FACT_COLUMNS, "machine, ceilings, settings")                          \
    T(timing, timings, TIMING_COLUMNS, "what was timed without the tracer")              \
    T(replacement, replacements, REPLACEMENT_COLUMNS,                                    \
      "other ways, measured on the spot")                                                \
    T(source_line, lines, LINE_COLUMNS, "statements that the watched steps ran")         \
    T(host_sample, host_samples, SAMPLE_COLUMNS,                                         \
      "where the thread that trains was, looked at now and then")                        \
    T(tensor_life, tensors, TENSOR_COLUMNS, "storages of the watched steps, by life")    \
    T(watched_op, watched_ops, WATCHED_OP_COLUMNS, "operators of the watched steps")     \
    T(op_tensor, op_tensors, OP_TENSOR_COLUMNS, "what they read, made and wrote")        \
    T(note, notes, NOTE_COLUMNS, "warnings: what was skipped, mended or lost")

#endif

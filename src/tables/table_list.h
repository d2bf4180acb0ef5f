/*
 * The tables of `gait export --parquet`, each written down once. From these lists come the
 * row structs, the columns of the files and the reference in docs/export.md.
 *
 * A column is C(type, MUST or OPT, name, "meaning"): of an OPT one a value may be NULL,
 * which means that nothing is known. What was measured as 0 is 0; bytes and FLOPs of 0 are
 * NULL, since recordings leave out what has none. Units stand in the name: _ns _ms _bytes
 * _frac. What is predicted begins with predicted_, what was counted from shapes ends with
 * _counted; the rest is measured or recorded.
 *
 * To add a column: a C(...) line here, its value in table_<name>.c, scripts/draw-docs. To
 * add a table: a list, a T(...) line in FLAT_TABLES and table_<name>.c. Names of columns
 * stay: readers join files of different versions of gait.
 */
#ifndef GAIT_TABLES_TABLE_LIST_H
#define GAIT_TABLES_TABLE_LIST_H

#define RANKS_COLUMNS(C)                                                                 \
    C(I32, OPT, rank, "number of the rank; NULL: the recording does not say")            \
    C(I32, OPT, world, "ranks of the job, as recorded")                                  \
    C(TEXT, MUST, source, "who recorded it: kineto, trainer, unknown")                   \
    C(TEXT, OPT, path, "name of the file that was recorded")                             \
    C(TEXT, OPT, host, "machine")                                                        \
    C(TEXT, OPT, device, "accelerator model")                                            \
    C(I32, MUST, devices, "accelerators that ran something")                             \
    C(TEXT, OPT, framework, "version of the framework")                                  \
    C(I64, OPT, begin_unix_ns, "begin of the first span, since 1970")                    \
    C(I64, MUST, recorded_ns, "begin of the first span to end of the last")              \
    C(BOOL, MUST, complete, "read to its end")                                           \
    C(I64, MUST, text_bytes, "size of the recording, decompressed")                      \
    C(I64, MUST, events, "events in it, of every sort")                                  \
    C(I64, MUST, events_skipped, "events that could not be used")                        \
    C(I64, MUST, spans_seen, "spans that went into the sums")                            \
    C(I64, MUST, steps, "steps that are marked; 0: step_ms is the recording's")          \
    C(TEXT, MUST, step_method, "how steps were found")                                   \
    C(TEXT, MUST, step_clock, "whose clock step_ms is of")                               \
    C(F64, OPT, step_ms, "what a step takes")                                            \
    C(F64, OPT, step_low_ms, "its interval of 95 %; NULL: too few steps")                \
    C(F64, OPT, step_high_ms, "the same, upper end")                                     \
    C(F64, OPT, step_min_ms, "shortest marked step, on the host")                        \
    C(F64, OPT, step_max_ms, "longest marked step, on the host")                         \
    C(I64, MUST, kernels, "device spans of all kinds")                                   \
    C(F64, OPT, kernels_per_step, "launched in a typical step")                          \
    C(I64, OPT, wait_ns, "its waits for other ranks; NULL: it was read alone")           \
    C(I64, OPT, late_ns, "what a typical other rank waited for it")                      \
    C(BOOL, MUST, is_straggler, "it is late most, by more than clocks can tell")         \
    C(BOOL, MUST, is_shown, "the rank that findings are of")

#define STEPS_COLUMNS(C)                                                                 \
    C(I32, OPT, rank, "whose")                                                           \
    C(I64, MUST, number, "as the recording numbers it")                                  \
    C(I64, MUST, begin_ns, "on the host, since the rank's first span")                   \
    C(I64, MUST, duration_ns, "on the host")                                             \
    C(I64, MUST, device_spans, "device work launched in it")                             \
    C(I64, OPT, device_span_ns,                                                          \
      "first kernel's begin to last one's end; NULL: no device")                         \
    C(I64, MUST, device_ns, "all device work launched in it, added up")                  \
    C(I64, OPT, flop_counted, "of what begins in it")                                    \
    C(I64, OPT, wait_ns, "waits for other ranks in it; NULL: it was read alone")

#define TIMES_COLUMNS(C)                                                                 \
    C(I32, OPT, rank, "whose")                                                           \
    C(TEXT, MUST, place, "device, host or phases: whose time is split")                  \
    C(TEXT, MUST, what, "the part; its meaning: docs/run-format.md")                     \
    C(TEXT, OPT, part_of, "parts of the same whole add up to it; NULL: a whole itself")  \
    C(F64, OPT, step_ns, "of what a step takes")                                         \
    C(I64, OPT, recording_ns, "of the whole recording")

#define OPERATORS_COLUMNS(C)                                                             \
    C(I32, OPT, rank, "whose")                                                           \
    C(TEXT, MUST, place, "cpu, device, network or other")                                \
    C(TEXT, MUST, kind, "op, kernel, copy …")                                            \
    C(TEXT, MUST, name, "operator or kernel, whole")                                     \
    C(TEXT, MUST, label, "what reports call it: short, of this job alone")               \
    C(I64, MUST, count, "calls in the whole recording")                                  \
    C(I64, MUST, self_ns, "without what it called")                                      \
    C(I64, MUST, total_ns, "with it, recursion counted once")                            \
    C(I64, MUST, max_ns, "longest call")                                                 \
    C(I64, OPT, device_ns, "device work that it launched itself; NULL: no device")       \
    C(I64, OPT, flop_counted, "counted from shapes")                                     \
    C(I64, OPT, bytes_recorded, "moved, as recorded")                                    \
    C(I64, OPT, bytes_counted, "moved, counted from shapes")

#define COLLECTIVES_COLUMNS(C)                                                           \
    C(I32, OPT, rank, "whose")                                                           \
    C(TEXT, MUST, name, "operation as recorded, else the kernel")                        \
    C(I32, OPT, group_size, "ranks in the group")                                        \
    C(TEXT, OPT, dtype, "of an element")                                                 \
    C(I64, MUST, count, "calls in the whole recording")                                  \
    C(I64, OPT, bytes, "the larger side's, all calls")                                   \
    C(I64, MUST, total_ns, "waiting for other ranks included")                           \
    C(I64, MUST, exposed_ns, "part not covered by compute")                              \
    C(I64, MUST, min_ns, "shortest call: the least waiting")                             \
    C(I64, OPT, min_bytes,                                                               \
      "of that call; NULL: not recorded, or it is not kept by itself")

#define FINDINGS_COLUMNS(C)                                                              \
    C(I32, OPT, rank, "of which rank")                                                   \
    C(I32, MUST, number, "place in the list, from 1")                                    \
    C(TEXT, MUST, id, "the same cause has the same id in another recording of the job")  \
    C(TEXT, MUST, rule, "its name; docs/findings.md")                                    \
    C(TEXT, OPT, found_at, "operator, module, line")                                     \
    C(TEXT, OPT, file, "first statement of the job that asks for it")                    \
    C(I32, OPT, line, "of it, from 1")                                                   \
    C(TEXT, OPT, evidence, "what was seen, as a sentence")                               \
    C(F64, OPT, step_ms, "what a step takes; measured")                                  \
    C(F64, OPT, holds_ms, "of a step; measured")                                         \
    C(TEXT, MUST, effort, "of the fix: low, medium, high")                               \
    C(TEXT, MUST, priority, "P1 to P4, by gain and effort")                              \
    C(TEXT, MUST, confidence, "in the price")                                            \
    C(TEXT, MUST, price_kind, "how the price was found: docs/analyze.md")                \
    C(BOOL, MUST, apart, "the gain is of another figure than the step")                  \
    C(F64, OPT, predicted_gain_ms, "of a step, if it were fixed")                        \
    C(F64, OPT, predicted_step_ms, "what a step would then take")                        \
    C(F64, OPT, predicted_low_ms, "90 % prediction interval of it: from")                \
    C(F64, OPT, predicted_high_ms, "the same, upper end")                                \
    C(F64, OPT, predicted_ratio, "of a step's time")

/* T(table, columns, "meaning") */
#define FLAT_TABLES(T)                                                                   \
    T(ranks, RANKS_COLUMNS, "one row per rank")                                          \
    T(steps, STEPS_COLUMNS, "one row per marked step of a rank")                         \
    T(times, TIMES_COLUMNS, "where a step and a recording go, part by part")             \
    T(operators, OPERATORS_COLUMNS, "sums over all calls of an operator or kernel")      \
    T(collectives, COLLECTIVES_COLUMNS, "sums over all calls of a collective")           \
    T(findings, FINDINGS_COLUMNS, "what costs time, of the rank that is shown")

#endif

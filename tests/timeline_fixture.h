/*
 * A PyTorch trace of one thread and one device, written by hand in microseconds, read as
 * any other trace. Legal order: timeline_init, timeline_…, timeline_read or
 * timeline_findings, timeline_release.
 */
#ifndef GAIT_TESTS_TIMELINE_FIXTURE_H
#define GAIT_TESTS_TIMELINE_FIXTURE_H

#include "cmocka_setup.h"

#include "base/strbuf.h"
#include "trace/trace_reader.h"

#include <stdio.h>

struct timeline {
    struct strbuf text;
    int last_correlation;
    struct run run;
};

enum { TIMELINE_THREAD = 1, TIMELINE_AUTOGRAD = 2, TIMELINE_STREAM = 7 };

static inline void timeline_init(struct timeline *t, const char *device)
{
    *t = (struct timeline){0};
    strbuf_init(&t->text);
    run_init(&t->run);
    strbuf_printf(&t->text,
                  "{\"deviceProperties\": [{\"id\": 0, \"name\": \"%s\"}],\n"
                  "\"distributedInfo\": {\"rank\": 0, \"world_size\": 1},\n"
                  "\"traceEvents\": [\n"
                  "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"tid\": 0, "
                  "\"ts\": 0, \"args\": {\"name\": \"python\"}}",
                  device);
}

static inline void timeline_event(struct timeline *t, const char *category,
                                  const char *name, int pid, int tid, double at_us,
                                  double dur_us, const char *args)
{
    strbuf_printf(&t->text,
                  ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, "
                  "\"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"args\": {%s}}",
                  category, name, pid, tid, at_us, dur_us, args);
}

static inline void timeline_step(struct timeline *t, int number, double at_us,
                                 double dur_us)
{
    char name[32];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    timeline_event(t, "user_annotation", name, 1, TIMELINE_THREAD, at_us, dur_us, "");
}

static inline void timeline_op(struct timeline *t, const char *name, double at_us,
                               double dur_us)
{
    timeline_event(t, "cpu_op", name, 1, TIMELINE_THREAD, at_us, dur_us, "");
}

/* A call of the runtime that launches nothing. */
static inline void timeline_call(struct timeline *t, const char *name, double at_us,
                                 double dur_us)
{
    timeline_event(t, "cuda_runtime", name, 1, TIMELINE_THREAD, at_us, dur_us, "");
}

/* A call and what it launches on a stream; bytes: of a copy, else 0. */
static inline void timeline_launch_on(struct timeline *t, int thread, int stream,
                                      const char *call, double at_us, double dur_us,
                                      const char *work, double work_at_us, double work_us,
                                      double bytes)
{
    char args[128];
    int correlation = ++t->last_correlation;
    snprintf(args, sizeof args, "\"correlation\": %d", correlation);
    timeline_event(t, "cuda_runtime", call, 1, thread, at_us, dur_us, args);
    snprintf(args, sizeof args,
             "\"device\": 0, \"stream\": %d, \"correlation\": %d, \"bytes\": %.0f",
             stream, correlation, bytes);
    timeline_event(t, bytes > 0 ? "gpu_memcpy" : "kernel", work, 0, stream, work_at_us,
                   work_us, args);
}

static inline void timeline_launch(struct timeline *t, const char *call, double at_us,
                                   double dur_us, const char *work, double work_at_us,
                                   double work_us, double bytes)
{
    timeline_launch_on(t, TIMELINE_THREAD, TIMELINE_STREAM, call, at_us, dur_us, work,
                       work_at_us, work_us, bytes);
}

static inline void timeline_read(struct timeline *t)
{
    struct err err = ERR_INIT;
    struct trace_options options = {.keep_spans = SIZE_MAX, .threads = 1};
    strbuf_puts(&t->text, "\n]}\n");
    assert_int_equal(
        trace_read_memory(&t->run, t->text.s, t->text.len, "timeline", &options, &err),
        STATUS_OK);
}

static inline void timeline_release(struct timeline *t)
{
    run_release(&t->run);
    strbuf_release(&t->text);
}

#endif

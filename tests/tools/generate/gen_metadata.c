/* What stands behind the events proper: names of rows, the profiler's own rows. */
#include "gen_emit.h"

struct row {
    const char *what, *key, *value; /* value as JSON */
    int64_t pid, tid;
};

static void put_text(struct text_out *t, const char *s)
{
    put_bytes(t, s, strlen(s));
}

static void emit_row_name(struct emit *m, int64_t ns, const struct row *r)
{
    struct text_out *t = m->t;
    text_event_begin(t);
    PUT2(t, "  {\n    \"name\": \"", "{\"name\":\"");
    put_text(t, r->what);
    PUT2(t, "\", \"ph\": \"M\", \"ts\": ", "\",\"ph\":\"M\",\"ts\":");
    put_us(t, ns + m->shift_ns, m->o->dialect != DIALECT_US);
    PUT2(t, ", \"pid\": ", ",\"pid\":");
    put_number(t, r->pid);
    PUT2(t, ", \"tid\": ", ",\"tid\":");
    put_number(t, r->tid);
    PUT2(t, ",\n    \"args\": {\n      \"", ",\"args\":{\"");
    put_text(t, r->key);
    PUT2(t, "\": ", "\":");
    put_text(t, r->value);
    PUT2(t, "\n    }\n  }", "}}");
    text_event_end(t);
}

static void emit_lane_names(struct emit *m, int64_t ns)
{
    static const char *const names[LANE_COUNT] = {
        "\"thread 4242 (python3)\"", "\"thread 4317 (pt_autograd_0)\"", "\"stream 7 \"",
        "\"stream 20 \"", "\"stream 24 \""};
    for (int i = 0; i < LANE_COUNT; i++) {
        struct row r = {"thread_name", "name", names[i], gen_pid(m->o, (enum gen_lane)i),
                        gen_tid(m->o, (enum gen_lane)i)};
        emit_row_name(m, ns, &r);
    }
}

static void emit_profiler_rows(struct emit *m, int64_t begin_ns, int64_t end_ns)
{
    struct text_out *t = m->t;
    bool fraction = m->o->dialect != DIALECT_US;
    text_event_begin(t);
    PUT2(t, "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ",
         "{\"ph\":\"X\",\"cat\":\"Trace\",\"ts\":");
    put_us(t, begin_ns + m->shift_ns, fraction);
    PUT2(t, ", \"dur\": ", ",\"dur\":");
    put_us(t, end_ns - begin_ns, fraction);
    PUT2(t,
         ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": "
         "\"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n  }",
         ",\"pid\":\"Spans\",\"tid\":\"PyTorch Profiler\",\"name\":"
         "\"PyTorch Profiler (0)\",\"args\":{\"Op count\":0}}");
    text_event_end(t);
    text_event_begin(t);
    PUT2(t,
         "  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    "
         "\"pid\": \"\", \"tid\": \"\", \"ts\": ",
         "{\"name\":\"Record Window End\",\"ph\":\"i\",\"s\":\"g\",\"pid\":\"\","
         "\"tid\":\"\",\"ts\":");
    put_us(t, end_ns + m->shift_ns, fraction);
    PUT2(t, "\n  }", "}");
    text_event_end(t);
}

void emit_metadata(struct emit *m, int64_t begin_ns, int64_t end_ns)
{
    const struct row rows[] = {
        {"process_name", "name", "\"python3\"", gen_pid(m->o, LANE_MAIN), 0},
        {"process_labels", "labels", "\"CPU\"", gen_pid(m->o, LANE_MAIN), 0},
        {"process_name", "name", "\"python3\"", gen_pid(m->o, LANE_COMPUTE), 0},
        {"process_labels", "labels", "\"GPU 0\"", gen_pid(m->o, LANE_COMPUTE), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        emit_row_name(m, begin_ns, &rows[i]);
    emit_lane_names(m, begin_ns);
    emit_profiler_rows(m, begin_ns, end_ns);
}

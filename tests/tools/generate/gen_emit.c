#include "gen_emit.h"

static bool has_fraction(const struct emit *m)
{
    return m->o->dialect != DIALECT_US;
}

void emit_name(struct emit *m, const struct gen_event *e)
{
    const struct span_text *name = gen_span_text((enum gen_span)e->span, m->o->vendor);
    put_bytes(m->t, name->s, name->len);
    if (e->span == SPAN_PROFILER_STEP)
        put_number(m->t, m->step);
    else if (e->suffix >= 0)
        put_number(m->t, e->suffix);
}

/* "pid": 1, "tid": 2, with what belongs before and behind. */
static void emit_row(struct emit *m, enum gen_lane lane)
{
    struct text_out *t = m->t;
    PUT2(t, ", \"pid\": ", ",\"pid\":");
    put_number(t, gen_pid(m->o, lane));
    PUT2(t, ", \"tid\": ", ",\"tid\":");
    put_number(t, gen_tid(m->o, lane));
}

static void emit_ts(struct emit *m, int64_t ns)
{
    put_us(m->t, ns + m->shift_ns, has_fraction(m));
}

void emit_arrow(struct emit *m, const struct gen_event *e, char ph, const char *cat,
                int64_t id)
{
    struct text_out *t = m->t;
    text_event_begin(t);
    PUT2(t, "  {\n    \"ph\": \"", "{\"ph\":\"");
    put_bytes(t, &ph, 1);
    PUT2(t, "\", \"id\": ", "\",\"id\":");
    put_number(t, id);
    emit_row(m, (enum gen_lane)e->lane);
    PUT2(t, ", \"ts\": ", ",\"ts\":");
    emit_ts(m, e->begin_ns);
    PUT2(t, ",\n    \"cat\": \"", ",\"cat\":\"");
    put_bytes(t, cat, strlen(cat));
    PUT2(t, "\", \"name\": \"", "\",\"name\":\"");
    put_bytes(t, cat, strlen(cat));
    PUT(t, "\"");
    if (ph == 'f')
        PUT2(t, ", \"bp\": \"e\"", ",\"bp\":\"e\"");
    PUT2(t, "\n  }", "}");
    text_event_end(t);
}

/* --- arguments --- */

/* An argument with a number; sep stands before its name. */
#define ARG(t, sep, name, value)                                                         \
    do {                                                                                 \
        PUT2(t, sep "\"" name "\": ", ",\"" name "\":");                                 \
        put_number(t, value);                                                            \
    } while (0)

static void args_shapes(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    int64_t width = 768 + e->span % 4 * 256;
    PUT2(t, ", \"Concrete Inputs\": [\"\", \"\", \"1\"]",
         ",\"Concrete Inputs\":[\"\",\"\",\"1\"]");
    PUT2(t, ", \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]",
         ",\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\"]");
    PUT2(t, ", \"Input Strides\": [[", ",\"Input Strides\":[[");
    put_number(t, width);
    PUT2(t, ", 1], [1, ", ",1],[1,");
    put_number(t, width);
    PUT2(t, "], []], \"Input Dims\": [[8192, ", "],[]],\"Input Dims\":[[8192,");
    put_number(t, width);
    PUT2(t, "], [", "],[");
    put_number(t, width);
    PUT2(t, ", 3072], []]", ",3072],[]]");
}

static void args_op(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    PUT2(t, "\"External id\": ", "\"External id\":");
    put_number(t, e->external_id);
    if (e->sequence) {
        ARG(t, ",", "Sequence number", e->sequence);
        if (e->lane == LANE_AUTOGRAD)
            ARG(t, ", ", "Fwd thread id", 1);
    }
    ARG(t, ",", "Record function id", 0);
    if (m->o->shapes && gen_span_kind((enum gen_span)e->span) == KIND_OP)
        args_shapes(m, e);
    ARG(t, ", ", "Ev Idx", e->number);
}

static void args_python(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    if (e->span == SPAN_PY_MAIN)
        PUT2(t, "\"Python parent id\": null, \"Python id\": 1, \"Ev Idx\": ",
             "\"Python parent id\":null,\"Python id\":1,\"Ev Idx\":");
    else {
        PUT2(t, "\"Python parent id\": 1, \"Python id\": ",
             "\"Python parent id\":1,\"Python id\":");
        put_number(t, e->number + 1);
        PUT2(t, ", \"Ev Idx\": ", ",\"Ev Idx\":");
    }
    put_number(t, e->number);
}

static void args_runtime(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    bool amd = m->o->vendor == VENDOR_AMD;
    if (e->external_id) {
        PUT2(t, "\"External id\": ", "\"External id\":");
        put_number(t, e->external_id);
        PUT2(t, ",      ", ",");
    }
    if (amd)
        PUT2(t, "\"cid\": ", "\"cid\":");
    else
        PUT2(t, "\"cbid\": ", "\"cbid\":");
    put_number(t, 100 + e->span);
    ARG(t, ", ", "correlation", e->correlation);
}

static void args_copy(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    if (m->o->vendor == VENDOR_AMD) { /* sizes are strings there */
        PUT2(t, ",      \"bytes\": \"", ",\"bytes\":\"");
        put_number(t, e->bytes);
        PUT(t, "\"");
    } else {
        ARG(t, ",      ", "bytes", e->bytes);
    }
    PUT2(t, ", \"memory bandwidth (GB/s)\": ", ",\"memory bandwidth (GB/s)\":");
    put_number(t, e->dur_ns ? e->bytes / e->dur_ns : 0);
    PUT(t, ".25");
}

static void args_collective(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    PUT2(t, ", \"Collective name\": \"allreduce\"", ",\"Collective name\":\"allreduce\"");
    ARG(t, ", ", "In msg nelems", e->bytes);
    ARG(t, ", ", "Out msg nelems", e->bytes);
    ARG(t, ", ", "Group size", m->o->world);
    PUT2(t,
         ", \"dtype\": \"BFloat16\", \"Process Group Name\": \"0\", "
         "\"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"[]\"",
         ",\"dtype\":\"BFloat16\",\"Process Group Name\":\"0\","
         "\"Process Group Description\":\"default_pg\",\"Process Group Ranks\":\"[]\"");
    ARG(t, ", ", "Seq", e->number);
}

static void args_kernel(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    if (m->o->vendor == VENDOR_AMD) {
        PUT2(t,
             ", \"kind\": \"Dispatch Kernel\",      \"grid\":     [65536, 1, 1],      "
             "\"block\": [256, 1, 1]",
             ",\"kind\":\"Dispatch Kernel\",\"grid\":[65536,1,1],\"block\":[256,1,1]");
        return;
    }
    ARG(t, ",      ", "registers per thread", 32 + e->span % 64);
    ARG(t, ",      ", "shared memory", e->span % 3 * 16384);
    PUT2(t, ",      \"blocks per SM\": ", ",\"blocks per SM\":");
    put_number(t, 1 + e->span % 16);
    PUT2(t, ".185185,      \"warps per SM\": ", ".185185,\"warps per SM\":");
    put_number(t, 4 + e->span % 16 * 4);
    PUT2(t, ".740741,      \"grid\": [", ".740741,\"grid\":[");
    put_number(t, 16 + e->span * 8);
    PUT2(t, ", 6, 1],      \"block\": [256, 1, 1]", ",6,1],\"block\":[256,1,1]");
    ARG(t, ",      ", "est. achieved occupancy %", e->span % 100);
}

/* Kernels, copies, sets, and waits on the device's rows. */
static void args_device(struct emit *m, const struct gen_event *e, enum gen_kind kind)
{
    struct text_out *t = m->t;
    bool amd = m->o->vendor == VENDOR_AMD;
    if (!amd) {
        PUT2(t, "\"External id\": ", "\"External id\":");
        put_number(t, e->external_id);
        PUT2(t, ",      \"queued\": 0, ", ",\"queued\":0,");
    }
    PUT2(t, "\"device\": ", "\"device\":");
    put_number(t, gen_pid(m->o, LANE_COMPUTE));
    if (!amd)
        PUT2(t, ", \"context\": 1", ",\"context\":1");
    ARG(t, ",      ", "stream", gen_tid(m->o, (enum gen_lane)e->lane));
    ARG(t, ", ", "correlation", e->correlation);
    if (kind == KIND_KERNEL || kind == KIND_COLLECTIVE)
        args_kernel(m, e);
    if (kind == KIND_COLLECTIVE)
        args_collective(m, e);
    if (kind == KIND_COPY || kind == KIND_SET)
        args_copy(m, e);
    if (e->is_graph_node) {
        ARG(t, ", ", "graph id", 7);
        ARG(t, ", ", "graph node id", e->sequence);
    }
    if (kind == KIND_DEVICE_SYNC)
        PUT2(t, ", \"cuda_sync_kind\": \"Context Sync\"",
             ",\"cuda_sync_kind\":\"Context Sync\"");
}

static void emit_args(struct emit *m, const struct gen_event *e, enum gen_kind kind)
{
    struct text_out *t = m->t;
    PUT2(t, ",\n    \"args\": {\n      ", ",\"args\":{");
    switch (kind) {
    case KIND_OP:
    case KIND_ANNOTATION:
    case KIND_STEP:
        args_op(m, e);
        break;
    case KIND_PYTHON:
        args_python(m, e);
        break;
    case KIND_RUNTIME:
    case KIND_SYNC:
        args_runtime(m, e);
        break;
    case KIND_DEVICE_ANNOTATION:
        PUT2(t, "\"External id\": ", "\"External id\":");
        put_number(t, e->number);
        break;
    default:
        args_device(m, e, kind);
        break;
    }
    PUT2(t, "\n    }\n  }", "}}");
}

/* --- events --- */

static const struct span_text *category(enum gen_kind kind)
{
#define CATEGORY(text)                                                                   \
    {                                                                                    \
        text, sizeof text - 1                                                            \
    }
    static const struct span_text categories[KIND_COUNT] = {
        [KIND_OP] = CATEGORY("cpu_op"),
        [KIND_ANNOTATION] = CATEGORY("user_annotation"),
        [KIND_STEP] = CATEGORY("user_annotation"),
        [KIND_PYTHON] = CATEGORY("python_function"),
        [KIND_RUNTIME] = CATEGORY("cuda_runtime"),
        [KIND_SYNC] = CATEGORY("cuda_runtime"),
        [KIND_KERNEL] = CATEGORY("kernel"),
        [KIND_COLLECTIVE] = CATEGORY("kernel"),
        [KIND_COPY] = CATEGORY("gpu_memcpy"),
        [KIND_SET] = CATEGORY("gpu_memset"),
        [KIND_DEVICE_ANNOTATION] = CATEGORY("gpu_user_annotation"),
        [KIND_DEVICE_SYNC] = CATEGORY("cuda_sync"),
        [KIND_MEMORY] = CATEGORY("cpu_instant_event"),
    };
    return &categories[kind];
}

/* Arrows: a launch to its work by correlation, forward to backward by sequence. On calls
 * without device work an end of an arrow stands too, as real files have it. */
static void emit_arrows(struct emit *m, const struct gen_event *e, enum gen_kind kind,
                        bool has_work)
{
    if (kind == KIND_RUNTIME || kind == KIND_SYNC)
        emit_arrow(m, e, has_work ? 's' : 'f', "ac2g", e->correlation);
    else if (kind >= KIND_KERNEL && kind <= KIND_SET)
        emit_arrow(m, e, 'f', "ac2g", e->correlation);
    else if (kind == KIND_OP && e->sequence)
        emit_arrow(m, e, e->lane == LANE_AUTOGRAD ? 'f' : 's', "fwdbwd", e->sequence);
}

void emit_event(struct emit *m, const struct gen_event *e, bool has_work)
{
    struct text_out *t = m->t;
    enum gen_kind kind = gen_span_kind((enum gen_span)e->span);
    const struct span_text *cat = category(kind);
    text_event_begin(t);
    PUT2(t, "  {\n    \"ph\": \"X\", \"cat\": \"", "{\"ph\":\"X\",\"cat\":\"");
    put_bytes(t, cat->s, cat->len);
    PUT2(t, "\", \"name\": \"", "\",\"name\":\"");
    emit_name(m, e);
    PUT(t, "\"");
    emit_row(m, (enum gen_lane)e->lane);
    PUT2(t, ",\n    \"ts\": ", ",\"ts\":");
    emit_ts(m, e->begin_ns);
    PUT2(t, ", \"dur\": ", ",\"dur\":");
    put_us(t, e->dur_ns, has_fraction(m));
    emit_args(m, e, kind);
    text_event_end(t);
    if (m->o->flows)
        emit_arrows(m, e, kind, has_work);
}

void emit_memory(struct emit *m, const struct gen_event *e)
{
    static const int64_t ADDRESS = 139624661909504;
    struct text_out *t = m->t;
    text_event_begin(t);
    if (m->o->old)
        PUT2(t, "  {\n    \"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\"",
             "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\"");
    else
        PUT2(t,
             "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", "
             "\"name\": \"[memory]\"",
             "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\","
             "\"name\":\"[memory]\"");
    emit_row(m, (enum gen_lane)e->lane);
    PUT2(t, ",\n    \"ts\": ", ",\"ts\":");
    emit_ts(m, e->begin_ns);
    PUT2(t, ",\n    \"args\": {\n      \"Device Type\": 1, \"Device Id\": 0",
         ",\"args\":{\"Device Type\":1,\"Device Id\":0");
    ARG(t, ", ", "Bytes", e->bytes);
    if (!m->o->old) { /* totals came later */
        ARG(t, ", ", "Addr", ADDRESS);
        ARG(t, ", ", "Total Allocated", e->sequence);
        ARG(t, ", ", "Total Reserved", e->sequence + (2 << 20));
        ARG(t, ", ", "Ev Idx", e->number);
    }
    PUT2(t, "\n    }\n  }", "}}");
    text_event_end(t);
}

/* Complete events as the profiler of 2021 wrote them: other categories, tids as strings.
 */
#include "gen_emit.h"

static const char *category_of(enum gen_kind kind)
{
    switch (kind) {
    case KIND_RUNTIME:
    case KIND_SYNC:
        return "Runtime";
    case KIND_KERNEL:
    case KIND_COLLECTIVE:
        return "Kernel";
    case KIND_COPY:
        return "Memcpy";
    case KIND_SET:
        return "Memset";
    default:
        return "Operator";
    }
}

static void put_text(struct text_out *t, const char *s)
{
    put_bytes(t, s, strlen(s));
}

static void args_op(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    if (m->o->shapes)
        PUT2(t,
             "\"Input dims\": [[8192, 768], [768, 3072], []], \"Input type\": [], "
             "\"Input names\": [],\n       ",
             "\"Input dims\":[[8192,768],[768,3072],[]],\"Input type\":[],"
             "\"Input names\":[],");
    PUT2(t, "\"Device\": 4242, \"External id\": ", "\"Device\":4242,\"External id\":");
    put_number(t, e->external_id);
    PUT2(t, ", \"Extra arguments\": [],\n       \"Trace name\": \"PyTorch Profiler\", ",
         ",\"Extra arguments\":[],\"Trace name\":\"PyTorch Profiler\",");
    PUT2(t, "\"Trace iteration\": 0", "\"Trace iteration\":0");
}

static void args_runtime(struct emit *m, const struct gen_event *e)
{
    struct text_out *t = m->t;
    PUT2(t, "\"cbid\": 41, \"correlation\": ", "\"cbid\":41,\"correlation\":");
    put_number(t, e->correlation);
    PUT2(t, ",\n      \"external id\": ", ",\"external id\":");
    put_number(t, e->external_id);
}

static void args_device(struct emit *m, const struct gen_event *e, enum gen_kind kind)
{
    struct text_out *t = m->t;
    PUT2(t, "\"device\": ", "\"device\":");
    put_number(t, gen_pid(m->o, LANE_COMPUTE));
    PUT2(t, ", \"context\": 1,\n      \"stream\": ", ",\"context\":1,\"stream\":");
    put_number(t, gen_tid(m->o, (enum gen_lane)e->lane));
    PUT2(t, ", \"correlation\": ", ",\"correlation\":");
    put_number(t, e->correlation);
    PUT2(t, ", \"external id\": ", ",\"external id\":");
    put_number(t, e->external_id);
    if (kind == KIND_COPY || kind == KIND_SET) {
        PUT2(t, ",\n      \"bytes\": ", ",\"bytes\":");
        put_number(t, e->bytes);
        return;
    }
    PUT2(t,
         ",\n      \"registers per thread\": 38,\n      \"shared memory\": 0,\n      "
         "\"blocks per SM\": 0.625,\n      \"warps per SM\": 5.0,\n      "
         "\"grid\": [50, 1, 1],\n      \"block\": [256, 1, 1],\n      "
         "\"est. achieved occupancy %\": 8",
         ",\"registers per thread\":38,\"shared memory\":0,\"blocks per SM\":0.625,"
         "\"warps per SM\":5.0,\"grid\":[50,1,1],\"block\":[256,1,1],"
         "\"est. achieved occupancy %\":8");
}

static void emit_old_arrows(struct emit *m, const struct gen_event *e, enum gen_kind kind,
                            bool has_work)
{
    if (has_work)
        emit_arrow(m, e, 's', "async", e->correlation);
    else if (kind >= KIND_KERNEL)
        emit_arrow(m, e, 'f', "async", e->correlation);
}

void emit_event_old(struct emit *m, const struct gen_event *e, bool has_work)
{
    struct text_out *t = m->t;
    enum gen_kind kind = gen_span_kind((enum gen_span)e->span);
    bool device = kind >= KIND_KERNEL;
    text_event_begin(t);
    PUT2(t, "  {\n    \"ph\": \"X\", \"cat\": \"", "{\"ph\":\"X\",\"cat\":\"");
    put_text(t, category_of(kind));
    PUT2(t, "\", \n    \"name\": \"", "\",\"name\":\"");
    emit_name(m, e);
    PUT2(t, "\", \"pid\": ", "\",\"pid\":");
    put_number(t, gen_pid(m->o, (enum gen_lane)e->lane));
    PUT2(t, ", \"tid\": \"", ",\"tid\":\"");
    if (device)
        PUT(t, "stream ");
    put_number(t, gen_tid(m->o, (enum gen_lane)e->lane));
    PUT2(t, "\",\n    \"ts\": ", "\",\"ts\":");
    put_us(t, e->begin_ns + m->shift_ns, false);
    PUT2(t, ", \"dur\": ", ",\"dur\":");
    put_us(t, e->dur_ns, false);
    PUT2(t, ",\n    \"args\": {\n       ", ",\"args\":{");
    if (device)
        args_device(m, e, kind);
    else if (kind == KIND_RUNTIME || kind == KIND_SYNC)
        args_runtime(m, e);
    else
        args_op(m, e);
    PUT2(t, "\n    }\n  }", "}}");
    text_event_end(t);
    if (m->o->flows)
        emit_old_arrows(m, e, kind, has_work);
}

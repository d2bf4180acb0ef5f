#include "rules/device_calls.h"

#include "analyze/kernel_kind.h"
#include "base/mem.h"
#include "replay/call_kind.h"

#include <stdio.h>
#include <string.h>

/* What a program looks at (a loss, a count, a mask's size) is less than this; more is
 * data that it keeps. docs/rules/host-wait.md */
static const int64_t LOOKED_AT_BYTES = 64 * 1024;
/* Where a trace does not say how much was copied: over any link this takes no longer. */
static const int64_t LOOKED_AT_NS = 50000;

/* Of a recording without steps: what is held for so long is told however often it
 * happens. docs/rules/host-wait.md */
static const double HELD_ONCE_FRAC = 0.1;

/* --- names --- */

/* Operators that read a value or move data, and do nothing else. */
static bool op_reads_or_moves(const char *name)
{
    static const char *const names[] = {
        "aten::item",       "aten::_local_scalar_dense",
        "aten::is_nonzero", "aten::nonzero",
        "aten::argwhere",   "aten::equal",
        "aten::to",         "aten::_to_copy",
        "aten::copy_",      "aten::cpu",
        "aten::cuda",       "aten::lift_fresh",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* "<built-in method cpu of Tensor object at 0x7f…>": from "cpu" on; NULL: no such name.
 */
static const char *built_in_method(const char *name)
{
    static const char prefix[] = "<built-in method ";
    return strncmp(name, prefix, sizeof prefix - 1) ? NULL : name + sizeof prefix - 1;
}

static bool method_reads_or_moves(const char *name)
{
    const char *method = built_in_method(name);
    static const char *const methods[] = {"cpu ",     "item ", "tolist ", "numpy ",
                                          "nonzero ", "to ",   "cuda ",   "copy_ "};
    for (size_t i = 0; method && i < sizeof methods / sizeof *methods; i++)
        if (!strncmp(method, methods[i], strlen(methods[i])))
            return true;
    return false;
}

static bool reads_or_moves(const struct evidence *e, const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    if (op->kind == SPAN_KIND_PYTHON)
        return method_reads_or_moves(name);
    return op->kind == SPAN_KIND_OP && op_reads_or_moves(name);
}

bool device_allocates(const struct evidence *e, const struct host_op *op)
{
    if (op->kind != SPAN_KIND_RUNTIME)
        return false;
    const char *name = evidence_name(e, op); /* of most calls, one look says no */
    return (strstr(name, "Malloc") || strstr(name, "Free") || strstr(name, "Alloc")) &&
           call_kind_of(name) == CALL_KIND_FREE;
}

/* --- waits --- */

static const struct host_op *outermost(const struct evidence *e,
                                       const struct host_thread *t,
                                       const struct host_op *call)
{
    const struct host_op *outer = call;
    for (int32_t i = call->parent; i >= 0 && reads_or_moves(e, &t->op[i]);
         i = t->op[i].parent)
        outer = &t->op[i];
    return outer;
}

struct copied {
    bool inside; /* within the device, which holds up no host */
    bool any, to_device, much;
};

static struct copied copied_in(const struct evidence *e, int32_t lane,
                               const struct host_op *op)
{
    const struct spans *s = &e->run->spans;
    struct copied c = {0};
    size_t last, i = evidence_work(e, lane, op->begin_ns, op->end_ns, &last);
    for (; i < last; i++) {
        int64_t work = e->work[i].span;
        if (s->kind[work] != SPAN_KIND_COPY)
            continue;
        switch (copy_kind_of(run_name(e->run, s->name[work]))) {
        case COPY_KIND_PAGEABLE_TO_DEVICE:
        case COPY_KIND_PINNED_TO_DEVICE:
        case COPY_KIND_HOST_TO_DEVICE:
            c.any = c.to_device = true;
            break;
        case COPY_KIND_DEVICE_TO_PAGEABLE:
        case COPY_KIND_DEVICE_TO_PINNED:
        case COPY_KIND_DEVICE_TO_HOST:
            c.any = true;
            c.much = c.much || s->bytes[work] > LOOKED_AT_BYTES ||
                     (!s->bytes[work] && s->dur_ns[work] > LOOKED_AT_NS);
            break;
        default:
            c.inside = true;
            break;
        }
    }
    return c;
}

enum wait_cause device_wait_cause(const struct evidence *e, const struct host_thread *t,
                                  const struct host_op *call,
                                  const struct host_op **outer)
{
    *outer = call;
    if ((call->kind != SPAN_KIND_RUNTIME && call->kind != SPAN_KIND_SYNC) ||
        !replay_waits(e->replay, call->span))
        return WAIT_CAUSE_NONE;
    enum call_kind kind = call_kind_of(evidence_name(e, call));
    if (kind == CALL_KIND_FREE)
        return WAIT_CAUSE_ALLOCATOR;
    *outer = outermost(e, t, call);
    struct copied c = copied_in(e, t->lane, *outer);
    if (c.to_device || c.much)
        return WAIT_CAUSE_COPY;
    if (c.any)
        return WAIT_CAUSE_READ;
    bool synchronises = kind == CALL_KIND_DEVICE_SYNC || kind == CALL_KIND_STREAM_SYNC ||
                        kind == CALL_KIND_EVENT_SYNC;
    if (!synchronises && c.inside)
        return WAIT_CAUSE_NONE;
    return *outer != call ? WAIT_CAUSE_READ : WAIT_CAUSE_SYNC;
}

struct launch_times device_launch_times(const struct evidence *e)
{
    struct launch_times t = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < e->n_work; i++) {
        int64_t at_ns = e->work[i].call_begin_ns;
        if (e->run->lanes.rank[e->work[i].lane] != e->rank_row)
            continue;
        t.first_ns = at_ns < t.first_ns ? at_ns : t.first_ns;
        t.last_ns = at_ns > t.last_ns ? at_ns : t.last_ns;
    }
    return t;
}

bool device_repeats(const struct evidence *e, size_t count, double held_ns,
                    double without_steps)
{
    if (e->whatif.window.steps)
        return 2 * count >= e->steps;
    return (double)count >= without_steps || held_ns >= HELD_ONCE_FRAC * e->step_ns;
}

/* --- prices and places --- */

void device_where(char *text, size_t size, const struct evidence *e,
                  const struct host_thread *t, const struct host_op *op)
{
    const char *line = evidence_line(e, t, op);
    const struct host_op *named = op;
    if (op->kind != SPAN_KIND_OP && op->op_parent >= 0)
        named = &t->op[op->op_parent];
    const char *name = evidence_name(e, named), *method = built_in_method(name);
    int len = method ? (int)strcspn(method, " ") : (int)strlen(name);
    snprintf(text, size, "%s%.*s%s%s%s", method ? "." : "", len, method ? method : name,
             method ? "()" : "", *line ? ", " : "", line);
}

bool device_work_in_window(const struct evidence *e, int64_t span)
{
    const struct spans *s = &e->run->spans;
    const struct lanes *lanes = &e->run->lanes;
    int32_t lane = s->lane[span];
    return lane >= 0 && lanes->kind[lane] == LANE_KIND_DEVICE &&
           lanes->rank[lane] == e->rank_row &&
           whatif_window_asked(&e->whatif.window, e->replay, span);
}

#include "execution/execution_trace.h"

#include "base/path.h"
#include "execution/flow_rows.h"

/* Rows, or a note that says why there are none. */
static void add_rows(struct run *run, const struct node_table *t, const char *name)
{
    struct call_list l;
    call_list_init(&l, t);
    if (l.compiled) {
        run_add_note(run, 0, -1,
                     "%s: the job uses torch.compile, whose calls do not tell their "
                     "tensors; its data flow is not judged",
                     name);
    } else if (l.steps < 2) {
        run_add_note(run, 0, -1,
                     "%s has %s; observe three, with a profiler that calls step(), so "
                     "that the data flow can be judged",
                     name, l.steps ? "one step" : "no steps");
    } else {
        bool unseen = flow_rows_add(t, &l, 0);
        run_add_note(run, 0, -1,
                     "data flow from an execution trace (%s: %zu calls, %d steps): no "
                     "source lines and no contents, so recomputed work, work in pieces "
                     "and zeros are not looked for%s",
                     name, l.n, l.steps,
                     !l.optimizer ? "; no optimizer's step is marked, so neither are "
                                    "unread results"
                     : unseen     ? "; uninitialised memory is read that no operator has "
                                    "written, so kernels outside of operators (Triton, an "
                                    "extension) run, and unread results are not looked for"
                                  : "");
    }
    call_list_release(&l);
}

static enum status add_all(struct run *run, struct byte_source *source, const char *path,
                           struct err *err)
{
    struct node_stream s;
    struct node_table t;
    node_table_init(&t, run);
    enum status st = node_stream_init(&s, source, err);
    if (!st)
        st = node_table_read(&t, &s, err);
    if (!st)
        add_rows(run, &t, path_name(path));
    node_stream_release(&s);
    node_table_release(&t);
    return st ? err_prefix(err, "%s", path) : STATUS_OK;
}

enum status execution_trace_add(struct run *run, const char *path, struct err *err)
{
    struct byte_source *source;
    enum status st = byte_source_open(&source, path, err);
    if (st)
        return st;
    st = add_all(run, source, path, err);
    byte_source_close(source);
    return st;
}

enum status execution_trace_parse(struct run *run, const void *data, size_t len,
                                  const char *name, struct err *err)
{
    struct byte_source *source;
    enum status st = byte_source_from_memory(&source, data, len, name, err);
    if (st)
        return st;
    st = add_all(run, source, name, err);
    byte_source_close(source);
    return st;
}

"""The operators that the job's own code called in a traced block, in order, without what they call."""

MARK = "ProfilerStep#"
BACKWARD = "autograd::engine::evaluate_function"


class Op:
    __slots__ = ("name", "begin", "end", "shapes", "dtypes")

    def __init__(self, event):
        self.name = event.name()
        self.begin = event.start_ns()
        self.end = event.end_ns()
        self.shapes = None
        self.dtypes = None


class TracedOps:
    """steps: how many were marked; threads: a list of Op for each, of the marked steps."""

    def __init__(self, events):
        marks = [e for e in events if e.name().startswith(MARK)]
        self.steps = len(marks)
        self.threads = []
        if not marks:
            return
        begin = min(e.start_ns() for e in marks)
        end = max(e.end_ns() for e in marks)
        rows = {}
        for e in events:
            name = e.name()
            if not name.startswith(("aten::", BACKWARD)):
                continue
            if begin <= e.start_ns() < end:
                rows.setdefault(e.start_thread_id(), []).append(e)
        self.threads = [_outermost(thread) for thread in rows.values()]


def _outermost(events):
    """Of nested events the outermost; what backward called is left out."""
    events.sort(key=lambda e: (e.start_ns(), -e.end_ns()))
    ops, open_until = [], -1
    for e in events:
        if e.start_ns() < open_until:
            continue
        open_until = e.end_ns()
        if e.name().startswith("aten::"):
            op = Op(e)
            op.shapes, op.dtypes = [list(s) for s in e.shapes()], list(e.dtypes())
            ops.append(op)
    return ops


def dtype_of(op):
    """torch's dtype of the first input, as the tracer spells it in C++; None where unknown."""
    import torch

    names = {"float": torch.float32, "double": torch.float64, "c10::Half": torch.float16,
             "c10::BFloat16": torch.bfloat16}
    return names.get(op.dtypes[0]) if op.dtypes else None

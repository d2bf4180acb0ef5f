"""Would a copy of the model, run on one rank alone, wait for the others? Told from a traced step.

What the model's forward calls stands inside the mark around it; what its backward calls stands inside
an operator of autograd. Data-parallel wrappers talk elsewhere: before the forward (buffers), and where
a gradient has been accumulated, in hooks of the job's own parameters, which a copy does not have.
"""
from .capture import FORWARD
from .traced_ops import BACKWARD

COLLECTIVES = ("c10d::", "_c10d_functional::", "record_param_comms", "gloo:", "nccl:", "mpi:")
ACCUMULATES = "AccumulateGrad"


def why_not_alone(module, events):
    """A reason not to run the model on this rank alone; "" where there is none."""
    import torch

    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return "its ranks do not talk through torch.distributed, so what they say is not seen"
    if any(isinstance(m, torch.nn.SyncBatchNorm) for m in module.modules()):
        return "the model has SyncBatchNorm, which waits for the other ranks"
    events = events or []
    if not any(e.name() == FORWARD for e in events):
        return "the model's own forward was not seen, so it is not known if it talks to other ranks"
    if any(_talks(thread) for thread in _by_thread(events)):
        return "the model itself talks to other ranks"
    return ""


def _by_thread(events):
    threads = {}
    for e in events:
        if e.name() == FORWARD or e.name().startswith((BACKWARD,) + COLLECTIVES):
            threads.setdefault(e.start_thread_id(), []).append(e)
    return threads.values()


def _talks(events):
    """Is a collective inside the forward, or inside what backward computes?"""
    open_ones = []
    for e in sorted(events, key=lambda e: (e.start_ns(), -e.end_ns())):
        open_ones = [o for o in open_ones if o.end_ns() > e.start_ns()]
        if not e.name().startswith(COLLECTIVES):
            open_ones.append(e)
        elif any(ACCUMULATES not in o.name() for o in open_ones):
            return True
    return False

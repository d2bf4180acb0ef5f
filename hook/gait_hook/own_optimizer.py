"""An optimizer class of the job's own: a twin of it on copies, and the fused optimizer of torch's that is nearest to it.

Which one is told by what it keeps: two numbers for each number of a parameter are Adam's moments, one is a momentum.
Whether its arithmetic is of that kind too, the analysis of the trace says.
"""
import collections

from .replace import Skipped

PLAIN = (type(None), bool, int, float, complex, str, bytes)


def _copied(value, copies):
    """Plain values and tensors, parameters as their copies. All else may lead back into the job."""
    import torch

    if isinstance(value, torch.Tensor):
        return copies[id(value)] if id(value) in copies else value.detach().clone()
    if isinstance(value, PLAIN + (torch.dtype, torch.device)):
        return value
    if isinstance(value, dict):
        return {copies.get(id(k), k): _copied(v, copies) for k, v in value.items()
                if id(k) in copies or not isinstance(k, torch.Tensor)}
    if type(value) in (list, tuple, set, collections.deque):
        return type(value)(_copied(v, copies) for v in value)
    raise Skipped("what it keeps as %s cannot be copied" % type(value).__name__)


def _groups(optimizer, copies):
    groups = []
    for group in optimizer.param_groups:
        twin = {k: _copied(v, copies) for k, v in group.items() if k != "params"}
        twin["params"] = [copies[id(p)] for p in group["params"] if id(p) in copies]
        if twin["params"]:
            groups.append(twin)
    return groups


def _twin(optimizer, copies):
    """One of the same class, not made by its constructor, of which only the class itself knows the arguments."""
    import torch

    twin = object.__new__(type(optimizer))
    torch.optim.Optimizer.__init__(twin, _groups(optimizer, copies), _copied(optimizer.defaults, copies))
    state = collections.defaultdict(dict)
    state.update(_copied(optimizer.state, copies))
    twin.state = state
    for name, value in vars(optimizer).items():
        if name not in vars(twin) and name != "step":  # a schedule wraps the step of the job's own
            setattr(twin, name, _copied(value, copies))
    return twin


def _numbers_kept(value, copies):
    import torch

    if isinstance(value, torch.Tensor):
        return 0 if any(value is p for p in copies) else value.numel()
    if isinstance(value, dict):
        return sum(_numbers_kept(v, copies) for v in value.values())
    if isinstance(value, (list, tuple, set, collections.deque)):
        return sum(_numbers_kept(v, copies) for v in value)
    return 0


def _kept_for_each(twin, copies):
    """Numbers that it keeps for each number of a parameter; single ones are counts of steps."""
    kept = sum(_numbers_kept(v, copies) for k, v in vars(twin).items() if k not in ("param_groups", "defaults"))
    return round(kept / sum(p.numel() for p in copies))


def _nearest(twin, copies):
    import torch

    kept = _kept_for_each(twin, copies)
    if kept == 2:
        return "torch.optim.AdamW(fused=True)", torch.optim.AdamW(copies, lr=1e-4, fused=True)
    if kept in (0, 1):
        return ("torch.optim.SGD(%sfused=True)" % ("momentum=0.9, " if kept else ""),
                torch.optim.SGD(copies, lr=1e-4, momentum=0.9 * kept, fused=True))
    raise Skipped("%s keeps %d numbers for each of a parameter, as no fused optimizer of torch's does" % (
        type(twin).__name__, kept))


def ways(optimizer, copies, stepper):
    """A step of a twin, and [(name, a step of the nearest of torch's)], all over the copies."""
    import torch

    if torch.distributed.is_available() and torch.distributed.is_initialized():
        raise Skipped("%s is the job's own: its step may wait for other ranks" % type(optimizer).__name__)
    try:
        twin = _twin(optimizer, copies)
        now = stepper(twin)
        now()
        name, nearest = _nearest(twin, list(copies.values()))
        return now, [(name, stepper(nearest))]
    except Skipped:
        raise
    except Exception as e:
        raise Skipped("a copy of %s does not step: %s: %s" % (
            type(optimizer).__name__, type(e).__name__, str(e)[:120])) from e

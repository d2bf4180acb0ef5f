"""The job's model once more: a copy of it, run forward and backward on the input that was captured. A model that
the job calls in parts is run part after part, each forward and backward."""
import contextlib
import copy
import math

from ..beside import Skipped
from .bench import most_memory_held, sharded

HOOKS = ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks", "_forward_hooks_with_kwargs",
         "_forward_hooks_always_called", "_backward_pre_hooks", "_backward_hooks")


def _captured_calls(recorder, in_parts):
    """With what the model is called, or its parts, or Skipped."""
    capture = recorder.captured
    if capture.why_not:
        raise Skipped(capture.why_not)
    if capture.call is not None:
        return [capture.call]
    if not in_parts or not capture.parts:
        raise Skipped("the model is not called as one module")
    return capture.parts


def _check_can_copy(bench, calls):
    parameters = [p for call in calls for p in call.inner.parameters()]
    if sharded(parameters):
        raise Skipped("the model is sharded")
    bench.need_memory(most_memory_held() // 2 if bench.device.type == "cpu" else
                      2 * sum(p.numel() * p.element_size() for p in parameters))


def _subject_of(calls):
    return "%s: forward and backward" % ", ".join(type(call.inner).__name__ for call in calls)


def _outputs(output):
    """What a loss would be made of: the model's own loss, else all that has a gradient."""
    import torch
    from torch.utils import _pytree

    loss = getattr(output, "loss", None)
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        return [loss]
    leaves = _pytree.tree_flatten(output)[0]
    return [x for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]


def forward_backward(module, call, device_type, autocast):
    """autocast: the type of lower precision, or None."""
    import torch

    from torch.utils import _pytree

    given = _pytree.tree_flatten((call.args, call.kwargs))[0]
    leaves = [x for x in (*module.parameters(), *given) if isinstance(x, torch.Tensor) and x.requires_grad]

    def run():
        with torch.autocast(device_type, autocast, enabled=autocast is not None):
            outputs = _outputs(module(*call.args, **call.kwargs))
        if not outputs:
            raise Skipped("its output has no gradient")
        torch.autograd.backward(outputs, [torch.ones_like(x) for x in outputs])
        for x in leaves:
            x.grad = None

    return run


def twin_of(module):
    """A copy without hooks: the job's are for the job's own calls. They are not copied either, for what
    they belong to (a logger, a trainer) would be copied with them."""
    memo = {}
    for m in module.modules():
        for name in HOOKS:
            hooks = m.__dict__.get(name)
            if hooks is not None:
                memo[id(hooks)] = type(hooks)()
    twin = copy.deepcopy(module, memo)
    for p in twin.parameters():
        p.grad = None
    return twin


@contextlib.contextmanager
def without_global_hooks():
    """Those that the job set for all modules."""
    import torch.nn.modules.module as modules

    names = [name for name in ("_global" + hooks for hooks in HOOKS) if hasattr(modules, name)]
    kept = {name: getattr(modules, name) for name in names}
    try:
        for name in names:
            setattr(modules, name, type(kept[name])())
        yield
    finally:
        for name in names:
            setattr(modules, name, kept[name])


def measure_copy(bench, recorder, rule, ways, check=None, time_is_told=True, in_parts=True):
    """The model on a copy of it, with the input that was captured, in two ways, in turns.

    check(calls) raises Skipped, before anything is copied, where there is nothing to measure: of the model one
    call, or of its parts each one, where in_parts allows for these.
    ways(call, run) gives (how the other way differs, the job's way, the other way); run(call, autocast) is
    a way: a call of the copy, forward and backward. time_is_told: is it noted where the seconds do not do?
    """
    calls = _captured_calls(recorder, in_parts)
    if check:
        check(calls)
    _check_can_copy(bench, calls)
    bench.each(rule, [(bench, rule, calls, ways, time_is_told)], _in_turns)


def _in_turns(bench, rule, calls, ways, time_is_told):
    share = math.gcd(*(call.count for call in calls))
    with without_global_hooks():
        each = [_ways_of(bench, call, ways) for call in calls]
        now = [(way[1], call.count // share) for way, call in zip(each, calls)]
        instead = [(way[2], call.count // share) for way, call in zip(each, calls)]
        try:
            bench.alternate(rule, _subject_of(calls), "%s, on a copy, with a captured input" % each[0][0],
                            lambda: _run_all(now), lambda: _run_all(instead), share)
        except Skipped:
            if time_is_told:
                raise


def _ways_of(bench, call, ways):
    twin = twin_of(call.inner)
    return ways(call, lambda with_call, autocast: forward_backward(twin, with_call, bench.device.type, autocast))


def _run_all(ways):
    for run, times in ways:
        for _ in range(times):
            run()

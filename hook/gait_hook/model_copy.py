"""The job's model once more: a copy of it, run forward and backward on the input that was captured."""
import contextlib
import copy

from .replace import Skipped, most_memory_held, sharded

HOOKS = ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks", "_forward_hooks_with_kwargs",
         "_forward_hooks_always_called", "_backward_pre_hooks", "_backward_hooks")


def _captured_call(recorder):
    """With what the model is called, or Skipped."""
    capture = recorder.captured
    if capture.why_not:
        raise Skipped(capture.why_not)
    if capture.call is None:
        raise Skipped("the model is not called as one module")
    return capture.call


def _check_can_copy(bench, call):
    module = call.inner
    if sharded(module.parameters()):
        raise Skipped("the model is sharded")
    bench.need_memory(most_memory_held() // 2 if bench.device.type == "cpu" else
                      2 * sum(p.numel() * p.element_size() for p in module.parameters()))


def _subject_of(call):
    return "%s: forward and backward" % type(call.inner).__name__


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

    parameters = [p for p in module.parameters() if p.requires_grad]

    def run():
        with torch.autocast(device_type, autocast, enabled=autocast is not None):
            outputs = _outputs(module(*call.args, **call.kwargs))
        if not outputs:
            raise Skipped("its output has no gradient")
        torch.autograd.backward(outputs, [torch.ones_like(x) for x in outputs])
        for p in parameters:
            p.grad = None

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


def measure_copy(bench, recorder, rule, ways, check=None, time_is_told=True):
    """The model on a copy of it, with the input that was captured, in two ways, in turns.

    check(call) raises Skipped, before anything is copied, where there is nothing to measure.
    ways(call, run) gives (how the other way differs, the job's way, the other way); run(call, autocast) is
    a way: a call of the copy, forward and backward. time_is_told: is it noted where the seconds do not do?
    """
    call = _captured_call(recorder)
    if check:
        check(call)
    _check_can_copy(bench, call)
    bench.each(rule, [(bench, rule, call, ways, time_is_told)], _in_turns)


def _in_turns(bench, rule, call, ways, time_is_told):
    twin = twin_of(call.inner)

    def run(with_call, autocast):
        return forward_backward(twin, with_call, bench.device.type, autocast)

    with without_global_hooks():
        how, now, instead = ways(call, run)
        try:
            bench.alternate(rule, _subject_of(call), "%s, on a copy, with a captured input" % how, now, instead, call.count)
        except Skipped:
            if time_is_told:
                raise

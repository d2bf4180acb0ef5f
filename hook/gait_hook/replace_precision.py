"""precision-f32: the whole model forward and backward as it is, against autocast to bfloat16."""
import copy

from .replace import Skipped, most_memory_held

RULE = "precision-f32"
MOST = 0.9  # of the trained numbers must belong to the one module that is measured


def _trained(recorder):
    return {id(p): p for o in recorder.optimizers.values() for g in o.param_groups for p in g["params"]}


def _the_model(recorder):
    """The call of the module that holds nearly all that is trained."""
    capture = recorder.captured
    if capture.why_not:
        raise Skipped(capture.why_not)
    trained = _trained(recorder)
    total = sum(p.numel() for p in trained.values())
    best, held = None, 0
    for call in capture.calls.values():
        n = sum(p.numel() for p in call.module.parameters() if id(p) in trained)
        if n > held:
            best, held = call, n
    if best is None or held < MOST * total:
        raise Skipped("the model is not called as one module")
    return best


def _unwrapped(module):
    """What data-parallel wrappers hold: their own backward would talk to other ranks."""
    import torch

    if isinstance(module, (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)):
        return module.module
    return module


def _check(call, module):
    import torch

    if call.autocast:
        raise Skipped("")  # it is lower precision already
    dtypes = {p.dtype for p in module.parameters()}
    if dtypes != {torch.float32}:
        raise Skipped("" if torch.float32 not in dtypes else "the model mixes types of numbers")
    if any(type(p).__name__ == "DTensor" for p in module.parameters()):
        raise Skipped("the model is sharded")


def _outputs(output):
    """What a loss would be made of: the model's own loss, else all that has a gradient."""
    import torch
    from torch.utils import _pytree

    loss = getattr(output, "loss", None)
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        return [loss]
    leaves = _pytree.tree_flatten(output)[0]
    return [x for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]


def _forward_backward(module, call, device_type, lower):
    import torch

    parameters = [p for p in module.parameters() if p.requires_grad]

    def run():
        with torch.autocast(device_type, torch.bfloat16, enabled=lower):
            outputs = _outputs(module(*call.args, **call.kwargs))
        if not outputs:
            raise Skipped("its output has no gradient")
        torch.autograd.backward(outputs, [torch.ones_like(x) for x in outputs])
        for p in parameters:
            p.grad = None

    return run


def measure(bench, recorder):
    call = _the_model(recorder)
    module = _unwrapped(call.module)
    _check(call, module)
    bench.need_memory(most_memory_held() // 2 if bench.device.type == "cpu" else
                      2 * sum(p.numel() * p.element_size() for p in module.parameters()))
    twin = copy.deepcopy(module)
    for p in twin.parameters():
        p.grad = None
    subject = "%s: forward and backward" % type(module).__name__
    bench.alternate(RULE, subject, "autocast to bfloat16, on a copy, with a captured input",
                    _forward_backward(twin, call, bench.device.type, False),
                    _forward_backward(twin, call, bench.device.type, True), call.count)

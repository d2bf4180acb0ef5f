"""precision-f32: the whole model forward and backward as it is, against autocast to bfloat16."""
from .model_copy import captured_call, check_can_copy, forward_backward, subject_of, twin_of, without_global_hooks
from .replace import Skipped

RULE = "precision-f32"


def _check(call):
    import torch

    if call.autocast is not None:
        raise Skipped("")  # it is lower precision already
    dtypes = {p.dtype for p in call.inner.parameters()}
    if dtypes != {torch.float32}:
        raise Skipped("" if torch.float32 not in dtypes else "the model mixes types of numbers")


def measure(bench, recorder):
    call = captured_call(recorder)
    _check(call)
    check_can_copy(bench, call)
    bench.each(RULE, [(bench, call)], _measure_model)


def _measure_model(bench, call):
    import torch

    twin = twin_of(call.inner)
    with without_global_hooks():
        bench.alternate(RULE, subject_of(call), "autocast to bfloat16, on a copy, with a captured input",
                        forward_backward(twin, call, bench.device.type, None),
                        forward_backward(twin, call, bench.device.type, torch.bfloat16), call.count)

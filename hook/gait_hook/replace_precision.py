"""precision-f32: the whole model forward and backward as it is, against autocast to bfloat16."""
from .model_copy import measure_copy
from .replace import Skipped

RULE = "precision-f32"


def _check(call):
    import torch

    if call.autocast is not None:
        raise Skipped("")  # it is lower precision already
    dtypes = {p.dtype for p in call.inner.parameters()}
    if dtypes != {torch.float32}:
        raise Skipped("" if torch.float32 not in dtypes else "the model mixes types of numbers")


def _ways(call, run):
    import torch

    return "autocast to bfloat16", run(call, None), run(call, torch.bfloat16)


def measure(bench, recorder):
    measure_copy(bench, recorder, RULE, _ways, check=_check)

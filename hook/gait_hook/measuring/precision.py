"""precision-f32: the whole model forward and backward as it is, against autocast to bfloat16."""
from ..beside import Skipped
from .model_copy import measure_copy

RULE = "precision-f32"


def _check(calls):
    import torch

    if all(call.autocast is not None for call in calls):
        raise Skipped("")  # it is lower precision already
    dtypes = {p.dtype for call in calls for p in call.inner.parameters()}
    if dtypes != {torch.float32}:
        raise Skipped("" if torch.float32 not in dtypes else "the model mixes types of numbers")


def _ways(call, run):
    """A part that is in lower precision already stays as it is, and counts."""
    import torch

    return "autocast to bfloat16", run(call, call.autocast), run(call, call.autocast or torch.bfloat16)


def measure(bench, recorder):
    measure_copy(bench, recorder, RULE, _ways, check=_check)

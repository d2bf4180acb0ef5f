"""batch-small: the whole model forward and backward twice, against once with twice the batch."""
from ..beside import Skipped
from .model_copy import measure_copy

RULE = "batch-small"
LARGE = 16  # beyond it the rule says nothing


def _tensors(call):
    import torch
    from torch.utils import _pytree

    return [x for x in _pytree.tree_flatten((call.args, call.kwargs))[0] if isinstance(x, torch.Tensor) and x.dim()]


def _batch(call):
    """Rows of the model's inputs where all have as many, and few; else Skipped: nobody asked."""
    rows = {x.shape[0] for x in _tensors(call)}
    if len(rows) != 1 or not 1 <= min(rows) <= LARGE:
        raise Skipped("")
    return rows.pop()


def doubled(call):
    """The same call with every row twice."""
    import copy

    import torch
    from torch.utils import _pytree

    def twice(x):
        if not isinstance(x, torch.Tensor) or not x.dim():
            return x
        return torch.cat([x.detach(), x.detach()]).requires_grad_(x.requires_grad)

    larger = copy.copy(call)
    larger.args, larger.kwargs = _pytree.tree_map(twice, (call.args, call.kwargs))
    return larger


def _ways(call, run):
    once, larger = run(call, call.autocast), run(doubled(call), call.autocast)

    def two_steps():
        once()
        once()

    try:
        larger()
    except Exception:  # a model that is made for its batch
        raise Skipped("") from None
    return "a batch of %d, each row twice" % (2 * _batch(call)), two_steps, larger


def measure(bench, recorder):
    """Without a note where time is short: few jobs have the finding, and its price says how it was found."""
    measure_copy(bench, recorder, RULE, _ways, check=lambda calls: _batch(calls[0]), time_is_told=False, in_parts=False)

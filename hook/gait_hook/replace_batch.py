"""batch-small: the whole model forward and backward twice, against once with twice the batch."""
from .model_copy import captured_call, check_can_copy, forward_backward, subject_of, twin_of, without_global_hooks
from .replace import Skipped

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


def measure(bench, recorder):
    call = captured_call(recorder)
    batch = _batch(call)
    check_can_copy(bench, call)
    bench.each(RULE, [(bench, call, batch)], _measure_model)


def _measure_model(bench, call, batch):
    twin, device = twin_of(call.inner), bench.device.type
    once = forward_backward(twin, call, device, call.autocast)
    larger = forward_backward(twin, doubled(call), device, call.autocast)

    def two_steps():
        once()
        once()

    with without_global_hooks():
        try:
            larger()
        except Exception:  # a model that is made for its batch
            raise Skipped("") from None
        try:
            bench.alternate(RULE, subject_of(call), "a batch of %d, on a copy, with a captured input twice" % (2 * batch),
                            two_steps, larger, call.count)
        except Skipped:  # no time: few jobs have the finding, and its price says how it was found
            raise Skipped("") from None

"""qkv-unfused: three linear layers of one shape on one input, against one of three times the width."""
from .traced_ops import dtype_of

RULE = "qkv-unfused"
# What may stand between the three: nothing that computes.
LAYOUT = {"aten::view", "aten::reshape", "aten::transpose", "aten::permute", "aten::contiguous",
          "aten::unflatten", "aten::clone", "aten::_unsafe_view", "aten::expand", "aten::t", "aten::unsqueeze"}


def _find(ops):
    """{(input, weight, has bias, dtype): how often three of them came in a row}"""
    found, row = {}, []
    for op in ops:
        if op.name == "aten::linear" and len(op.shapes) >= 2:
            key = (tuple(op.shapes[0]), tuple(op.shapes[1]), bool(len(op.shapes) > 2 and op.shapes[2]),
                   dtype_of(op))
            row = row + [key] if row and row[-1] == key else [key]
            if len(row) == 3:
                found[key] = found.get(key, 0) + 1
                row = []
        elif op.name not in LAYOUT:
            row = []
    return found


def _forward_backward(linears, inputs, gradient, split):
    """Each layer's products forward, then backward; gradients of input and weights."""
    import torch
    from torch.nn.functional import linear

    def run():
        outputs = []
        for x, layer in zip(inputs, linears):
            y = [linear(x, *w) for w in layer]
            outputs.append(y[0].chunk(3, -1) if split else y)
        for x, layer, y in zip(reversed(inputs), reversed(linears), reversed(outputs)):
            leaves = [x] + [p for w in layer for p in w if p is not None]
            torch.autograd.grad(y, leaves, [gradient] * 3)

    return run


def _weights(n, weight, bias, device, dtype):
    import torch

    def new(*shape):
        return (torch.randn(*shape, device=device, dtype=dtype) * 0.02).requires_grad_()

    return [(new(*weight), new(weight[0]) if bias else None) for _ in range(n)]


def _measure_key(bench, key, per_step):
    import torch

    x, weight, bias, dtype = key
    if dtype is None or len(x) < 2:
        return
    layers = max(1, round(per_step / bench.backwards))
    device = bench.device
    n_x = torch.Size(x).numel()
    bench.need_memory(layers * 4 * (8 * n_x + 12 * torch.Size(weight).numel()))
    inputs = [torch.randn(*x, device=device, dtype=dtype).requires_grad_() for _ in range(layers)]
    gradient = torch.randn(*x[:-1], weight[0], device=device, dtype=dtype)
    apart = [_weights(3, weight, bias, device, dtype) for _ in range(layers)]
    joint = [_weights(1, (3 * weight[0], weight[1]), bias, device, dtype) for _ in range(layers)]
    bench.alternate(RULE, "three linear of %s to %d, %d layers" % (list(x), weight[0], layers),
                    "one linear of three times the width, split",
                    _forward_backward(apart, inputs, gradient, False),
                    _forward_backward(joint, inputs, gradient, True), per_step / layers)


def measure(bench, ops):
    found = [(bench, key, count / ops.steps) for thread in ops.threads for key, count in _find(thread).items()]
    bench.each(RULE, sorted(found, key=lambda f: -f[2]), _measure_key)

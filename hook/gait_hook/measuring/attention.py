"""attention-unfused: softmax(q kᵀ) v spelt out, against scaled_dot_product_attention."""
from ..beside import Skipped
from .traced_ops import dtype_of

RULE = "attention-unfused"
PRODUCTS = ("aten::matmul", "aten::bmm", "aten::baddbmm")
BEFORE, AFTER = 8, 6  # operators between a product and the softmax: scale, mask, casts, dropout


class Shape:
    """q: (…, T, D), k: (…, S, D), v: (…, S, E); mask: its kind ("" for none) and its shape."""

    def __init__(self, q, s, e, mask, mask_shape, dtype):
        self.q, self.s, self.e = q, s, e
        self.mask, self.mask_shape, self.dtype = mask, mask_shape, dtype

    def key(self):
        return tuple(self.q), self.s, self.e, self.mask, tuple(self.mask_shape), self.dtype


def _factors(op):
    """The two tensors of a product, the last two of baddbmm's three."""
    shapes = [s for s in op.shapes if len(s) >= 3]
    return shapes[-2:] if len(shapes) >= 2 else None


def _scores_before(ops, i, scores):
    for j in range(i - 1, max(-1, i - 1 - BEFORE), -1):
        factors = _factors(ops[j]) if ops[j].name in PRODUCTS else None
        if factors and factors[0][:-1] + factors[1][-1:] == scores:
            return j
    return -1


def _values_after(ops, i, scores):
    for j in range(i + 1, min(len(ops), i + 1 + AFTER)):
        factors = _factors(ops[j]) if ops[j].name in PRODUCTS else None
        if factors and factors[0] == scores and factors[1][-2] == scores[-1]:
            return j
    return -1


def _mask_between(ops, scores):
    for op in ops:
        kind = op.name[len("aten::"):].rstrip("_")
        others = [s for s in op.shapes if s and s != scores]
        if kind == "masked_fill" and len(op.shapes) > 1 and op.shapes[1]:
            return kind, op.shapes[1]
        if kind == "where" and op.shapes and op.shapes[0]:
            return "masked_fill", op.shapes[0]
        if kind == "add" and others and op.shapes[0] == scores:
            return kind, others[0]
    return "", []


def _find(ops):
    """Shapes found, and how often: {key: [Shape, count]}."""
    found = {}
    for i, op in enumerate(ops):
        if op.name not in ("aten::softmax", "aten::_softmax") or not op.shapes or len(op.shapes[0]) < 3:
            continue
        scores = op.shapes[0]
        first, last = _scores_before(ops, i, scores), _values_after(ops, i, scores)
        if first < 0 or last < 0:
            continue
        mask, mask_shape = _mask_between(ops[first + 1:i], scores)
        if not mask and ops[first].name == "aten::baddbmm":
            mask, mask_shape = "add", ops[first].shapes[0]
        q, v = _factors(ops[first])[0], _factors(ops[last])[1]
        shape = Shape(q, scores[-1], v[-1], mask, mask_shape, dtype_of(ops[first]))
        found.setdefault(shape.key(), [shape, 0])[1] += 1
    return found


def _heads(shape, length, depth, device):
    """As the job has them: a view of (B, T, H·D) with the heads moved forward."""
    import torch

    lead, dtype = shape.q[:-2], shape.dtype
    if len(lead) != 2:
        return torch.randn(*lead, length, depth, device=device, dtype=dtype).requires_grad_()
    batch, heads = lead
    flat = torch.randn(batch, length, heads * depth, device=device, dtype=dtype)
    return flat.view(batch, length, heads, depth).transpose(1, 2).requires_grad_()


def _mask(shape, device):
    import torch

    if not shape.mask:
        return None
    hidden = torch.ones(shape.mask_shape, dtype=torch.bool, device=device).tril().logical_not()
    if shape.mask == "masked_fill":
        return hidden
    return torch.zeros(shape.mask_shape, dtype=shape.dtype, device=device).masked_fill(
        hidden, float("-inf"))


def _plain(shape, mask):
    import torch

    scale = shape.q[-1] ** -0.5

    def attend(q, k, v):
        scores = (q @ k.transpose(-2, -1)) * scale
        if shape.mask == "masked_fill":
            scores = scores.masked_fill(mask, float("-inf"))
        elif shape.mask:
            scores = scores + mask
        return torch.softmax(scores, dim=-1) @ v

    return attend


def _as_four(x):
    return x[None] if x is not None and x.dim() == 3 else x


def _fused(q, k, v, attn_mask=None, **options):
    """Three dimensions (heads folded into the batch) as four, of the mask too: only these have a fused form."""
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    y = sdpa(_as_four(q), _as_four(k), _as_four(v), attn_mask=_as_four(attn_mask), **options)
    return y[0] if q.dim() == 3 else y


def _fused_forms(shape, mask):
    if mask is None:
        return [("scaled_dot_product_attention", _fused)]
    keep = mask.logical_not() if shape.mask == "masked_fill" else mask
    forms = []
    square = shape.mask_shape[-2:] == [shape.q[-2], shape.s] and shape.q[-2] == shape.s
    if square and all(n == 1 for n in shape.mask_shape[:-2]):
        forms.append(("scaled_dot_product_attention, is_causal=True",
                      lambda q, k, v: _fused(q, k, v, is_causal=True)))
    forms.append(("scaled_dot_product_attention, attn_mask",
                  lambda q, k, v: _fused(q, k, v, attn_mask=keep)))
    return forms


def _all_layers(attend, inputs, gradient):
    """Every layer forward, then every layer backward, as a model does it."""
    import torch

    def run():
        outputs = [attend(*qkv) for qkv in inputs]
        for qkv, output in zip(reversed(inputs), reversed(outputs)):
            torch.autograd.grad(output, qkv, gradient)

    return run


def _measure_shape(bench, shape, per_step):
    import torch

    if shape.dtype is None:
        raise Skipped("the trace does not tell the type of its numbers")
    layers = max(1, round(per_step / bench.backwards))
    t, size = shape.q[-2], torch.empty((), dtype=shape.dtype).element_size()
    rows = 1
    for n in shape.q[:-1]:
        rows *= n
    bench.need_memory(size * layers * rows * (3 * shape.s + 8 * shape.q[-1]))
    inputs = [(_heads(shape, t, shape.q[-1], bench.device), _heads(shape, shape.s, shape.q[-1], bench.device),
               _heads(shape, shape.s, shape.e, bench.device)) for _ in range(layers)]
    gradient = _heads(shape, t, shape.e, bench.device).detach()
    mask = _mask(shape, bench.device)
    now = _all_layers(_plain(shape, mask), inputs, gradient)
    subject = "softmax(q k) v of %s, keys %d%s, %d layers" % (
        shape.q, shape.s, ", %s %s" % (shape.mask, shape.mask_shape) if shape.mask else "", layers)
    for how, fused in _fused_forms(shape, mask):
        bench.alternate(RULE, subject, how, now, _all_layers(fused, inputs, gradient), per_step / layers)


def measure(bench, ops):
    found = [(bench, shape, count / ops.steps) for thread in ops.threads for shape, count in _find(thread).values()]
    bench.each(RULE, sorted(found, key=lambda f: -f[2]), _measure_shape)

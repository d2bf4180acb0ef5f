"""elementwise-chain: calls in a row as the job makes them, against the one call that gives the same values."""
from ..beside import Skipped
from .spellings import spellings

RULE = "elementwise-chain"


def _in(chain, bench):
    import torch

    return torch.autocast(bench.device.type, chain.autocast, enabled=chain.autocast is not None)


def _values(chain):
    """Of all places, without their history; which of them have a gradient."""
    values = list(chain.inputs)
    for i in range(len(chain.calls)):
        values.append(chain.call(i, values))
    return [x.detach().requires_grad_(x.requires_grad) for x in values]


def _forward_backward(function, layers, gradient):
    """All layers forward, then all backward, as a model does it."""
    import torch

    def run():
        outputs = [function(*inputs) for inputs in layers]
        for inputs, output in zip(reversed(layers), reversed(outputs)):
            torch.autograd.grad(output, [x for x in inputs if x.requires_grad], gradient)

    return run


def _as_spelt(chain, spelling, values):
    """A function of the spelling's inputs that makes the chain's own calls."""
    n, order = len(chain.inputs), sorted(spelling.calls)

    def run(*inputs):
        made = {i: values[i] for i in range(n)}
        made.update(zip(spelling.inputs, inputs))
        for place in order:
            made[place] = chain.call(place - n, made)
        return made[spelling.output]

    return run


def _measure_spelling(bench, chain, spelling, values, per_step):
    import torch

    inputs = [values[i] for i in spelling.inputs]
    if not any(x.requires_grad for x in inputs):
        return
    layers = max(1, round(per_step / bench.backwards))
    held = sum(values[i].numel() * values[i].element_size() for i in [*spelling.inputs, *spelling.calls])
    bench.need_memory(2 * layers * held)
    apart = [[x.detach().clone().requires_grad_(x.requires_grad) for x in inputs] for _ in range(layers)]
    gradient = torch.ones_like(values[spelling.output])
    now = _forward_backward(_as_spelt(chain, spelling, values), apart, gradient)
    instead = _forward_backward(spelling.function, apart, gradient)
    try:
        instead()
    except Exception:  # it has no backward for such inputs
        return
    names = " ".join(chain.calls[i - len(chain.inputs)][0].strip("_") for i in sorted(spelling.calls))
    subject = "%s of %s, %d %s" % (names, list(inputs[0].shape), layers, "layer" if layers == 1 else "layers")
    bench.alternate(RULE, subject, "%s, which gives the same" % spelling.text, now, instead, per_step / layers)


def _measure_chain(bench, chain):
    """What is odd in one chain leaves the others."""
    try:
        _measure_spellings(bench, chain)
    except Skipped:
        raise
    except Exception as e:
        raise Skipped("a chain: %s: %s" % (type(e).__name__, str(e)[:200])) from e


def _measure_spellings(bench, chain):
    bench.need_memory(2 * sum(x.numel() * x.element_size() for x in chain.inputs) * (2 + len(chain.calls)))
    with _in(chain, bench):
        values = _values(chain)
        for spelling in spellings(chain, values, bench.is_over):
            _measure_spelling(bench, chain, spelling, values, chain.count)


def _size(chain):
    return chain.count * len(chain.calls) * max((x.numel() for x in chain.inputs), default=0)


def measure(bench, chains):
    """chains: of one step, or None where none was watched."""
    if chains is None:
        return
    bench.skipped(RULE, chains.why_not)  # of those that were not kept
    bench.each(RULE, [(bench, chain) for chain in sorted(chains.found.values(), key=_size, reverse=True)], _measure_chain)

"""Which one call of torch a chain of elementwise calls spells, told by the values: the call gives what the chain gives, for the
job's numbers and for others."""
import itertools
import math

from ..beside import Skipped
from ..observing.chains import CASTS, VIEWS
from .bench import OVER
from .probes import Replay

SAMPLE = 1024  # numbers by which most candidates are refused
ROWS = 8  # the same of what works on rows
CALLS_MIN = 2  # that one call replaces
NUMBERS_MAX = 8
NUMBERS_FEWEST = 16  # of a value, to tell calls by: fewer are alike by chance
LAYER_NORM_EPS = 1e-5  # torch's own
EPS_MOST = 0.01  # a larger number of a chain is no eps of a norm


class Spelling:
    """calls: places of the chain's calls that `text` does in one; inputs: places of what it takes; output: what it gives."""

    def __init__(self, text, function, inputs, calls, output):
        self.text, self.function = text, function
        self.inputs, self.calls, self.output = inputs, calls, output
        self.off = 0.0  # the most that a number differs by: of two calls that are alike the nearer one is meant


def _activations():
    import torch
    import torch.nn.functional as F

    yield "F.gelu(x)", F.gelu
    yield 'F.gelu(x, approximate="tanh")', lambda x: F.gelu(x, approximate="tanh")
    yield "F.silu(x)", F.silu
    yield "F.mish(x)", F.mish
    yield "F.softplus(x)", F.softplus
    yield "F.hardswish(x)", F.hardswish
    yield "F.hardsigmoid(x)", F.hardsigmoid
    yield "F.logsigmoid(x)", F.logsigmoid
    yield "F.elu(x)", F.elu
    yield "F.selu(x)", F.selu
    yield "torch.sigmoid(x)", torch.sigmoid
    yield "torch.tanh(x)", torch.tanh
    for slope in (0.01, 0.1, 0.2):
        yield "F.leaky_relu(x, %g)" % slope, lambda x, slope=slope: F.leaky_relu(x, slope)


def _norm(name, arguments, eps):
    """eps: None for torch's own."""
    import torch.nn.functional as F

    function, options = getattr(F, name), {} if eps is None else {"eps": eps}
    text = ", ".join([*arguments, *("%s=%g" % option for option in options.items())])
    return "F.%s(%s)" % (name, text), lambda x, *weights: function(x, x.shape[-1:], *weights, **options)


def _of_rows(vectors, numbers):
    """vectors: how many tensors of one row's width the chain takes: weight and bias. numbers: of which one may be an eps."""
    import torch
    import torch.nn.functional as F

    arguments = ["x", "x.shape[-1:]"] + ["weight", "bias"][:vectors]
    for eps in (None, *(x for x in numbers if x <= EPS_MOST)):
        if vectors <= 2 and eps != LAYER_NORM_EPS:
            yield _norm("layer_norm", arguments, eps)
        if vectors <= 1 and hasattr(F, "rms_norm"):
            yield _norm("rms_norm", arguments, eps)
    if not vectors:
        yield "torch.softmax(x, -1)", lambda x: torch.softmax(x, -1)
        yield "torch.log_softmax(x, -1)", lambda x: torch.log_softmax(x, -1)


class _Loss:
    def __init__(self, name, **options):
        import torch.nn.functional as F

        self.name, self.options = name, options
        self._function = getattr(F, name)

    def text(self, reduction):
        options = ["x", "y"] + ["%s=%g" % option for option in self.options.items()]
        return "F.%s(%s)" % (self.name, ", ".join(options + ['reduction="%s"' % reduction] * (reduction != "mean")))

    def reduced(self, reduction):
        return lambda x, y: self._function(x, y, reduction=reduction, **self.options)

    def of_each(self, x, y):
        return self._function(x, y, reduction="none", **self.options)


def _losses(bends):
    for name in ("binary_cross_entropy_with_logits", "mse_loss", "l1_loss", "binary_cross_entropy", "soft_margin_loss"):
        yield _Loss(name)
    for bend in bends:
        yield _Loss("huber_loss", delta=bend)
        yield _Loss("smooth_l1_loss", beta=bend)


def _tolerance(x):
    import torch

    return (1e-4, 1e-5) if x.dtype in (torch.float32, torch.float64) else (4e-2, 2e-2)


def _same(x, y):
    import torch

    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    rtol, atol = _tolerance(x)
    return torch.allclose(x, y, rtol, atol)


def _gives(function, inputs, wanted):
    try:
        return _same(function(*inputs), wanted)
    except Exception:  # it does not take such inputs
        return False


class _Search:
    """values: of all places of the chain, inputs first; those with a gradient say so."""

    def __init__(self, chain, values):
        self.chain, self.values = chain, values
        self.n_inputs = len(chain.inputs)
        self.found = []

    def between(self, sources, target):
        """(places of the calls that make target out of the sources, inputs that they need besides; one number is none, if it is
        not trained)."""
        calls, needed, todo = set(), set(), [target]
        while todo:
            place = todo.pop()
            if place in sources or place in calls:
                continue
            if place >= self.n_inputs:
                calls.add(place)
                todo += self.chain.reads(place - self.n_inputs)
            elif self.values[place].numel() > 1 or self.values[place].requires_grad:
                needed.add(place)
        return calls, needed

    def is_worth(self, calls, target):
        """Are they enough, and does nothing else read what they make on the way? That would have to be made in any case."""
        if sum(self.chain.calls[c - self.n_inputs][0] not in VIEWS for c in calls) < CALLS_MIN:
            return False
        others = set(range(self.n_inputs, len(self.values))) - calls
        return not any((calls - {target}).intersection(self.chain.reads(c - self.n_inputs)) for c in others)

    def keep_if_same(self, text, function, sources, target, calls, of_each=None):
        """After a look at some of the job's numbers: all of them, and others. of_each: the function before it is reduced."""
        given, wanted = function(*(self.values[s] for s in sources)), self.values[target]
        each = self.reduced(target)[1] if of_each else target
        if _same(given, wanted) and Replay(self.chain, self.values, calls, sources, each).agrees_with(of_each or function):
            spelling = Spelling(text, function, list(sources), calls, target)
            spelling.off = float((given - wanted).abs().max())
            self.found.append(spelling)

    def tells(self, target):
        """Can calls be told by its numbers, or by those that it is reduced from?"""
        y, each = self.values[target], self.values[self.reduced(target)[1]]
        return y.is_floating_point() and each.numel() >= NUMBERS_FEWEST and (not y.dim() or _varies(y))

    def to(self, target):
        for source in range(target):
            self.one_input(source, target)
        self.losses(target)

    def one_input(self, source, target):
        """Activations, and what works on rows, with weights of a row's width."""
        x, y = self.values[source], self.values[target]
        if x.shape != y.shape or not x.is_floating_point():
            return
        calls, needed = self.between({source}, target)
        if not self.is_worth(calls, target) or any(self.values[i].shape != x.shape[-1:] for i in needed):
            return
        if not needed:
            self.activations(source, target, calls)
        if x.dim() > 1 and x.shape[-1] > 1 and len(needed) <= 2:
            for vectors in itertools.permutations(needed):
                self.rows(source, vectors, target, calls)

    def activations(self, source, target, calls):
        some_x, some_y = (self.values[i].reshape(-1)[:SAMPLE] for i in (source, target))
        for text, function in _activations():
            if _gives(function, [some_x], some_y):
                self.keep_if_same(text, function, [source], target, calls)

    def rows(self, source, vectors, target, calls):
        some_x, some_y = (self.values[i].flatten(0, -2)[:ROWS] for i in (source, target))
        for text, function in _of_rows(len(vectors), self.numbers()):
            if _gives(function, [some_x, *(self.values[i] for i in vectors)], some_y):
                self.keep_if_same(text, function, [source, *vectors], target, calls)

    def losses(self, target):
        """Of two inputs: at each of their numbers, or the mean or sum of that."""
        reduction, each = self.reduced(target)
        shape = self.values[each].shape
        sources = [i for i, x in enumerate(self.values[:each]) if x.is_floating_point() and x.shape == shape and self.is_given(i)]
        for pair in itertools.permutations(sources, 2):
            calls, needed = self.between(set(pair), target)
            if needed or not self.is_worth(calls, target) or len({self.values[i].dtype for i in pair}) > 1:
                continue
            some_x, some_y = (self.values[i].reshape(-1)[:SAMPLE] for i in pair)
            wanted = self.values[each].reshape(-1)[:SAMPLE]
            for loss in _losses(self.numbers()):
                if _gives(loss.of_each, [some_x, some_y], wanted):
                    self.keep_if_same(loss.text(reduction), loss.reduced(reduction), pair, target, calls, loss.of_each)

    def reduced(self, target):
        """("mean" or "sum", the place of what it is of), or ("none", target)."""
        name, _, args, kwargs = self.chain.calls[target - self.n_inputs]
        if name in ("mean", "sum") and not self.values[target].dim() and len(args) == 1 and not kwargs:
            return name, self.chain.reads(target - self.n_inputs)[0]
        return "none", target

    def is_given(self, place):
        """What has no gradient, an input, or an input in another type or shape."""
        while place >= self.n_inputs and self.values[place].requires_grad:
            if self.chain.calls[place - self.n_inputs][0] not in CASTS | VIEWS:
                return False
            place = self.chain.reads(place - self.n_inputs)[0]
        return True

    def numbers(self):
        """Those that the calls are given: one may be where a loss bends, or a norm's eps."""
        from torch.utils import _pytree

        leaves = _pytree.tree_flatten([call[2:] for call in self.chain.calls])[0]
        given = {float(x) for x in leaves if isinstance(x, (int, float)) and not isinstance(x, bool)}
        return sorted(x for x in given | {1.0} if x > 0 and math.isfinite(x))[:NUMBERS_MAX]


def spellings(chain, values, is_over=lambda: False):
    """Of a chain and its values by place: Spellings that share no call, those of the most calls first. Skipped where the time
    is over."""
    import torch

    search = _Search(chain, values)
    with torch.no_grad():
        for target in range(len(values) - 1, search.n_inputs - 1, -1):
            if is_over():
                raise Skipped("the search for one call that does the same: %s" % OVER)
            if search.tells(target):
                search.to(target)
    result, used = [], set()
    for s in sorted(search.found, key=lambda s: (-len(s.calls), s.off)):
        if not used & s.calls:
            used |= s.calls
            result.append(s)
    return result


def _varies(x):
    some = x.reshape(-1)[:SAMPLE]
    return bool((some != some[0]).any())

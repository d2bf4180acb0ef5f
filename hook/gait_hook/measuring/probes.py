"""Does a call give what a chain's calls give for other numbers than the job's? Those of one step are not enough: in bfloat16 much
is alike that is not the same, and of small numbers x and tanh(x) are.

Both are given numbers from a wide range and from a narrow one, in 32 bits whatever the job's type is: casts of the chain do
nothing.
"""
from ..observing.chains import CASTS

RANGES = ((-8.0, 8.0), (-0.01, 0.01))  # where activations differ; where the eps of a norm tells
UNIT = (0.02, 0.98)  # for what takes chances: logarithms are not finite in the others
WEIGHTS = RANGES[0]
NUMBERS = 4099  # different ones, and then again; a prime: rows differ
TOLERANCE = 1e-4


class NotTaken(Exception):
    """One of the two does not take such numbers."""


def _spread(like, low, high, seed):
    """Numbers of a generator of its own, in the shape of a tensor."""
    import torch

    generator = torch.Generator(device="cpu").manual_seed(seed)
    some = torch.rand(NUMBERS, generator=generator, device="cpu", dtype=torch.float32) * (high - low) + low
    return some.repeat(-(-like.numel() // NUMBERS))[:like.numel()].reshape(like.shape).to(like.device)


def _answers(x):
    """The two numbers that a target consists of, or None."""
    for low, high in ((0, 1), (-1, 1)):
        if not x.requires_grad and bool(((x == low) | (x == high)).all()):
            return low, high
    return None


def _probe(x, like, limits, seed):
    """like: the first of the inputs. What has another shape is its weight."""
    if x.shape != like.shape:
        return _spread(x, *WEIGHTS, seed)
    answers = _answers(x)
    if answers is None:
        return _spread(x, *limits, seed)
    low, high = answers
    return (_spread(x, 0.0, 1.0, seed) < 0.5).float() * (high - low) + low


class Replay:
    """The calls at the places `calls` of a chain once more, with probes in place of the values of `sources`."""

    def __init__(self, chain, values, calls, sources, target):
        self.chain, self.values = chain, values
        self.sources, self.target = list(sources), target
        self.order = sorted(place for place in calls if place <= target)

    def agrees_with(self, function):
        """Does function(*sources) give what the calls give?"""
        import torch

        with torch.no_grad(), torch.autocast(self.values[self.target].device.type, enabled=False):
            return all(self._agrees_in(function, limits) for limits in RANGES)

    def _agrees_in(self, function, limits):
        for tried in (limits, UNIT):
            try:
                return self._agrees_for(function, self._probes(tried))
            except NotTaken:
                pass
        return False

    def _agrees_for(self, function, probes):
        import torch

        try:
            given, wanted = function(*probes).float(), self._run(probes).float()
        except Exception:
            raise NotTaken from None
        if not bool(given.isfinite().all() & wanted.isfinite().all()):
            raise NotTaken
        return given.shape == wanted.shape and torch.allclose(given, wanted, TOLERANCE, TOLERANCE)

    def _probes(self, limits):
        inputs = [self.values[i] for i in self.sources]
        return [_probe(x, inputs[0], limits, seed) for seed, x in enumerate(inputs)]

    def _run(self, probes):
        n = len(self.chain.inputs)
        made = {i: x.float() if x.is_floating_point() else x for i, x in enumerate(self.values[:n])}
        made.update(zip(self.sources, probes))
        for place in self.order:
            made[place] = self._call(place, made)
        return made[self.target]

    def _call(self, place, made):
        i = place - len(self.chain.inputs)
        if self.chain.calls[i][0] in CASTS and self.values[place].is_floating_point():
            return made[self.chain.reads(i)[0]].float()
        return self.chain.call(i, made)

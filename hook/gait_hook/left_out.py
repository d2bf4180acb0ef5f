"""Calls of a step that are left out: each gives what is there already instead of computing it again.

A call is left out only where it is given just what it was given when that result was made: the same storages, not written to
since, and the same numbers. It gets another tensor on the same memory. Where the job is about to write there, whoever was handed
that memory gets a copy first, so that it has what it would have had.
"""
import sys
from time import perf_counter_ns

from .flow_ops import Operator

RUNS = object()
KEPT, ITS_SOURCE = -2, -3  # src/flow/flow_plan.h; else the call of the same step that made it


class Planned:
    """A call of the plan: where its result is, and what class of needless work it is of."""

    def __init__(self, source, n_bytes, of):
        self.source, self.n_bytes, self.of = source, n_bytes, of


class Made:
    """A result that is there, what it was made from, and the tensors that were handed out in its place."""

    def __init__(self, result, inputs, given):
        self.result, self.inputs, self.given = result, inputs, given
        self.handed = []


class LeftOut:
    def __init__(self, sequence, plan):
        """sequence: [(number of a call, its function)] of a step; plan: {number of a call: Planned}."""
        position = {number: at for at, (number, _) in enumerate(sequence)}
        operators = {function: Operator(function) for _, function in sequence}
        self.functions = [function for _, function in sequence]
        self.writes = [_writes(operators[function]) for function in self.functions]
        self._constant = [operators[function].is_constant for function in self.functions]
        self.planned = {position[n]: p for n, p in plan.items() if n in position and (p.source < 0 or p.source in position)}
        self.sources = {}  # position → classes whose calls need its result
        for p in self.planned.values():
            if p.source >= 0:
                p.source = position[p.source]
                self.sources.setdefault(p.source, set()).add(p.of)
        self._kept = {}  # position → Made, from the first step that was checked
        self._made = {}  # the same of this step
        self._again = {}  # position → the result in the second step that was checked
        self._shared = {}  # address of a storage → what was made there
        self._may_write = {}  # function → bool
        self.took, self.failed = {}, {}  # class → ns, of checked calls
        self.begin(None, False)

    def classes(self):
        return sorted({p.of for p in self.planned.values()})

    def n_bytes(self):
        """That are held at once, at most."""
        return sum(p.n_bytes for p in self.planned.values() if p.source != ITS_SOURCE)

    def begin(self, without, checks):
        """A step: without the calls of that class (None: with all of them), or one in which they are checked."""
        self._without, self._checks = without, checks
        self._at = self.spent = self.missed = self.left = 0
        self.off = False  # does the step differ from the one that was planned?
        self.error = None  # of ours

    def is_whole(self):
        return not self.off and self._at == len(self.functions)

    # -- calls

    def call(self, function, args, kwargs):
        """What the job's own call raises is the job's; nothing of ours is."""
        at = self._at
        if not self.off and at < len(self.functions) and self.functions[at] is function:
            self._at = at + 1
            if at in self.planned or at in self.sources:
                return self._known_call(at, function, args, kwargs)
            if not self.writes[at]:
                return function(*args, **kwargs)
        elif getattr(function, "namespace", "") == "profiler":  # marks, as in each optimizer's step
            return function(*args, **kwargs)
        else:
            self.off = True
        if self._shared:
            self._ours(None, self._before_write, function, args, kwargs)
        return function(*args, **kwargs)

    def _ours(self, otherwise, part, *args):
        """Below autograd, which would take our tensors for views of the job's."""
        from torch._C import _AutoDispatchBelowADInplaceOrView as BelowAutograd

        begin = perf_counter_ns()
        try:
            with BelowAutograd():
                return part(*args)
        except Exception as e:
            self.off, self.error = True, e
            return otherwise
        finally:
            self.spent += perf_counter_ns() - begin

    def _known_call(self, at, function, args, kwargs):
        planned = self.planned.get(at)
        out = RUNS
        if planned is not None and planned.of == self._without:
            out = self._ours(RUNS, self._instead, at, planned, args, kwargs)
            self.left += out is not RUNS
            self.missed += out is RUNS
        if out is RUNS:
            if self._shared and not (planned is not None and self._checks):  # what is planned may write to what is kept
                self._ours(None, self._before_write, function, args, kwargs)
            begin = perf_counter_ns()
            out = function(*args, **kwargs)
            if planned is not None and self._checks:
                self._ours(None, self._check, at, planned, args, kwargs, out, perf_counter_ns() - begin)
        if at in self.sources and (self._checks or self._without in self.sources[at]):
            self._ours(None, self._remember_source, at, args, kwargs, out)
        return out

    def _instead(self, at, planned, args, kwargs):
        if planned.source == ITS_SOURCE:
            x = args[0]
            if self.writes[at]:  # it holds already what would be written
                return x if _address(x) in self._shared else RUNS
            made = Made(x, (), None)
        else:
            made = self._kept.get(at) if planned.source == KEPT else self._made.get(planned.source)
            if made is None or made.given != self._given(at, args, kwargs):
                return RUNS
        out = _aliases(made.result)
        if planned.source != KEPT:  # nobody else of this step has what is kept; and PyTorch copies what a factory has handed out twice
            self._share(made, out)
        return out

    def _share(self, made, out):
        for x in _tensors(out):
            made.handed.append(x)
            there = self._shared.setdefault(_address(x), [])
            if made not in there:
                there.append(made)

    def _remember_source(self, at, args, kwargs, out):
        self._made[at] = self._remember(at, args, kwargs, out)

    def _remember(self, at, args, kwargs, out):
        inputs = [_aliases(x) for x in (*args, *kwargs.values())]  # held: their addresses are not given to others
        made = Made(_aliases(out), inputs, self._given(at, args, kwargs))
        for x in _tensors(made.result):
            self._shared.setdefault(_address(x), []).append(made)
        return made

    def _given(self, at, args, kwargs):
        constant = self._constant[at]  # then only the form of its tensors counts
        return tuple(self._seen(x, constant) for x in (*args, *kwargs.items()))

    def _seen(self, x, constant):
        import torch

        if isinstance(x, (list, tuple)):
            return tuple(self._seen(y, constant) for y in x)
        if not isinstance(x, torch.Tensor):
            return x
        form = x.shape, x.stride(), x.dtype, x.device
        if x.numel() == 1 and x.device.type == "cpu":  # Python's numbers come as new tensors
            return (*form, x.item())
        return form if constant else (*form, _address(x), x.storage_offset(), _version(x))

    def _before_write(self, function, args, kwargs):
        """What is written to is no longer handed out, and those who have it get a copy of their own first."""
        known = self._may_write.get(function)
        if known is None:
            known = self._may_write[function] = _writes(Operator(function))
        for x in _tensors((args, tuple(kwargs.values()))) if known else ():
            for made in self._shared.pop(_address(x), ()):
                made.given = RUNS  # equal to nothing
                for handed in made.handed:
                    _make_own(handed)
                made.handed = []

    # -- steps in which what would be handed out is compared with what is computed

    def _check(self, at, planned, args, kwargs, out, ns):
        self.took[planned.of] = self.took.get(planned.of, 0) + ns
        if not self._is_there(at, planned, args, kwargs, out):
            self.failed[planned.of] = self.failed.get(planned.of, 0) + ns

    def _is_there(self, at, planned, args, kwargs, out):
        if planned.source == ITS_SOURCE:
            return self.writes[at] or _are_same(out, args[0])
        if planned.source >= 0:
            made = self._made.get(planned.source)
            return made is not None and _are_same(out, made.result)
        if at not in self._kept:
            self._kept[at] = self._remember(at, args, kwargs, out)
        else:
            self._again[at] = _aliases(out)
        return True

    def _compare_kept(self):
        """When all that writes to them has: a step later."""
        for at, out in self._again.items():
            if not _are_same(out, self._kept[at].result):
                of = self.planned[at].of
                self.failed[of] = self.took[of]
        self._again = {}

    # -- the end of a step, and of all

    def end_step(self):
        self._ours(None, self._end_step)

    def _end_step(self):
        """What the job still has of the step's own results becomes its own."""
        if self._again:
            self._compare_kept()
        entries = {id(made): made for made_there in self._shared.values() for made in made_there}
        kept = {id(made) for made in self._kept.values()}
        for key, made in entries.items():
            if key not in kept:
                for i in range(len(made.handed)):
                    if sys.getrefcount(made.handed[i]) > 1 + 1:  # the list has one, and the question one
                        _make_own(made.handed[i])
        self._made = {}
        self._shared = {a: [m for m in there if id(m) in kept] for a, there in self._shared.items()}
        self._shared = {a: there for a, there in self._shared.items() if there}


def _writes(operator):
    from .contract import Role

    return any(role != Role.READ for role in operator.roles)


def _address(x):
    return x.untyped_storage()._cdata


def _version(x):
    try:
        return x._version
    except RuntimeError:  # made in inference mode: not counted
        return -1


def _tensors(value):
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for x in value:
            yield from _tensors(x)


def _aliases(value):
    """Others on the same memory: autograd gives each call's result a history of its own."""
    import torch

    if isinstance(value, torch.Tensor):
        return torch.ops.aten.alias.default(value)
    return type(value)(map(_aliases, value)) if type(value) in (list, tuple) else value


def _make_own(x):
    import torch

    torch.ops.aten.set_.source_Tensor(x, x.clone())


def _are_same(a, b):
    import torch

    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return (a.shape, a.stride(), a.dtype) == (b.shape, b.stride(), b.dtype) and bool(((a == b) | ((a != a) & (b != b))).all())
    if type(a) in (list, tuple) and type(a) is type(b) and len(a) == len(b):
        return all(map(_are_same, a, b))
    return not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor) and a == b

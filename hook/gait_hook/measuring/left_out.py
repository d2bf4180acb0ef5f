"""Calls of a step that are left out: each gives what is there already instead of computing it again.

A call is left out only where it is given just what it was given when that result was made: the same memory, not written to
since, and the same numbers. What it gives then is a lazy copy of the result: PyTorch copies it when somebody writes to either of
the two, through whatever view, so that each has what it would have had.

Some operators ask for memory that they could write to although they only read (attention, of its mask): for them a lazy copy is a
copy. A step in which all calls are left out shows which results those get. Of what is kept from step to step they then get the memory
itself, as long as nobody has it any more and it held what it should when the step before ended.
"""
from time import perf_counter_ns

from ..contract import Role, Trait
from ..observing.flow_ops import Operators

RUNS = object()
ALL = "all classes"
KEPT, ITS_SOURCE = -2, -3  # src/flow/flow_plan.h; else the call of the same step that made it
COMPARED_BYTES_MOST = 64 << 20
CHECKED_STEPS = 2
OUR_USES = 2  # of the storage of what is kept: our tensor, and the question


class Planned:
    """A call of the plan: where its result is, and what class of needless work it is of."""

    def __init__(self, source, n_bytes, of):
        self.source, self.n_bytes, self.of = source, n_bytes, of
        self.ns = 0  # that it takes, of the last step that was checked
        self.given = None  # the form of what it was given there


class Contents:
    """A tensor that is the same as another where it holds the same."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return isinstance(other, Contents) and _are_same(self.x, other.x)

    __hash__ = None


class Made:
    """A result that is there, and what it was made from."""

    def __init__(self, result, given):
        self.result, self.given = result, given
        self.pristine = None  # what it must hold, where its memory itself is handed out


class LeftOut:
    def __init__(self, sequence, plan):
        """sequence: [(number of a call, its function)] of a step; plan: {number of a call: Planned}."""
        position = {number: at for at, (number, _) in enumerate(sequence)}
        self._operators = Operators()
        self.functions = [function for _, function in sequence]
        self._writing = [self._operators[function].may_write for function in self.functions]
        self.planned = {position[n]: p for n, p in plan.items() if n in position and (p.source < 0 or p.source in position)}
        self._sources = {}  # position → classes whose calls need its result
        for p in self.planned.values():
            if p.source >= 0:
                p.source = position[p.source]
                self._sources.setdefault(p.source, set()).add(p.of)
        self._kept = {}  # position → Made, from the first step that was checked
        self._made = {}  # the same of this step
        self._memory = {}  # address of memory that is held → is it kept?
        self._weak = []  # storages of the job whose addresses are not given to others
        self._written = {}  # address of a storage of the job that something was made from → how often it was written to
        self.took, self.failed = {}, {}  # class → ns, of checked calls
        self.begin(None, False)

    def n_bytes(self):
        """That are held at once, at most."""
        return sum(p.n_bytes for p in self.planned.values() if p.source != ITS_SOURCE)

    def begin(self, without, checks):
        """A step: without the calls of that class (None: with all of them; ALL: of all classes, to see who copies what they
        give), or one in which they are checked."""
        self._without, self._checks = without, checks
        self._at = self.left = 0
        self._handed = []  # (position, what it gave), where all are left out
        self.spent = 0  # ns, by what is done here
        self.left_ns = self.missed_ns = 0  # what calls take that were left out, and that were not although they should
        self.off = False  # does the step differ from the one that was planned?
        self.error = None  # of ours

    def is_whole(self):
        return not self.off and self._at == len(self.functions)

    # -- calls

    def call(self, function, args, kwargs):
        """What the job's own call raises is the job's; nothing of ours is."""
        at = self._at
        writes = True
        if not self.off and at < len(self.functions) and self.functions[at] is function:
            self._at = at + 1
            if at in self.planned or at in self._sources:
                return self._known_call(at, function, args, kwargs)
            writes = self._writing[at]
        elif getattr(function, "namespace", "") != "profiler":  # marks, as in each optimizer's step
            self.off = True
        if writes and self._written:
            self._ours(None, self._count_writes, function, args, kwargs)
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
        if planned is not None and self._without in (planned.of, ALL):
            out = self._ours(RUNS, self._instead, at, planned, args, kwargs)
        if out is RUNS:
            checks = planned is not None and self._checks
            before = self._ours(None, _copies, args, kwargs) if checks else None
            begin = perf_counter_ns()
            out = function(*args, **kwargs)
            if checks:
                self._ours(None, self._check, at, planned, args, kwargs, before, out, perf_counter_ns() - begin)
        if at in self._sources and (self._checks or self._without == ALL or self._without in self._sources[at]):
            self._ours(None, self._remember_source, at, args, kwargs, out)
        return out

    def _instead(self, at, planned, args, kwargs):
        made = self._found(at, planned, args, kwargs)
        if made is None or not _fits_mode(made):
            self.missed_ns += planned.ns
            return RUNS
        self.left += 1
        self.left_ns += planned.ns
        if planned.source == KEPT and self._kept[at].pristine is not None:
            return self._memory_itself(self._kept[at])
        out = _lazy(made)
        # PyTorch copies what a factory gives where somebody else has it too
        if self._without == ALL and not self._operators[self.functions[at]].bits & Trait.FACTORY:
            self._handed.append((at, out))
        return out

    def _memory_itself(self, kept):
        import torch

        x = kept.result
        alone = torch._C._storage_Use_Count(x.untyped_storage()._cdata) <= OUR_USES
        return torch.ops.aten.alias.default(x) if alone else _lazy(kept.pristine)

    def _found(self, at, planned, args, kwargs):
        if planned.source == ITS_SOURCE:
            return args[0] if planned.given is not None and planned.given == _forms((args, kwargs)) else None
        is_kept = planned.source == KEPT
        made = self._kept.get(at) if is_kept else self._made.get(planned.source)
        return made.result if made is not None and made.given == self._given(at, args, kwargs, is_kept) else None

    def _remember_source(self, at, args, kwargs, out):
        self._made[at] = self._remember(at, args, kwargs, out, False)

    def _remember(self, at, args, kwargs, out, is_kept):
        made = Made(_lazy(out), _own_contents(self._given(at, args, kwargs, is_kept)))
        for x in _tensors(made.result):
            self._memory[_base(x)] = is_kept
        return made

    # -- what a call is given

    def _given(self, at, args, kwargs, is_kept):
        """What is kept from step to step may be made from what each step fills anew: then its contents count."""
        constant = self._operators[self.functions[at]].is_constant  # then only the form of its tensors counts
        return tuple(self._seen(x, constant, is_kept) for x in (*args, *kwargs.items()))

    def _seen(self, x, constant, is_kept):
        import torch

        if isinstance(x, (list, tuple)):
            return tuple(self._seen(y, constant, is_kept) for y in x)
        if not isinstance(x, torch.Tensor):
            return x
        if constant:
            return _form(x)
        if not _has_storage(x) or x.is_inference():  # whose writes are not counted
            return object()
        if x.numel() == 1 and x.device.type == "cpu":  # Python's numbers come as new tensors
            return (*_form(x), x.item())
        if _base(x) in self._memory:  # what we hold moves when it is written to
            return (*_form(x), torch._C._data_address(x))
        if is_kept and x.numel() * x.element_size() <= COMPARED_BYTES_MOST:
            return Contents(x)
        return (*_form(x), torch._C._data_address(x), self._job_storage(x), x._version)

    def _job_storage(self, x):
        storage = x.untyped_storage()
        address = storage._cdata
        if address not in self._written:
            self._weak.append(storage._weak_ref())
            self._written[address] = 0
        return address, self._written[address]

    def _count_writes(self, function, args, kwargs):
        """PyTorch's own count misses what is written through x.data."""
        operator = self._operators[function]
        for i, value in enumerate((*args, *kwargs.values())):
            position = i if i < len(args) else operator.positions.get(list(kwargs)[i - len(args)], i)
            for x in _tensors(value) if operator.role(position, args) != Role.READ else ():
                address = x.untyped_storage()._cdata if _has_storage(x) else None
                if address in self._written:
                    self._written[address] += 1

    # -- steps in which what would be handed out is compared with what is computed

    def _check(self, at, planned, args, kwargs, before, out, ns):
        """What differs, or changes what it is given, is no longer left out."""
        planned.ns = ns
        self.took[planned.of] = self.took.get(planned.of, 0) + ns
        if not self._is_there(at, planned, args, kwargs, out) or not _are_same(before, _tensors_of(args, kwargs)):
            self.failed[planned.of] = self.failed.get(planned.of, 0) + ns
            del self.planned[at]

    def _is_there(self, at, planned, args, kwargs, out):
        if planned.source == ITS_SOURCE:
            planned.given = _forms((args, kwargs))
            return _are_same(out, args[0])
        if planned.source >= 0:
            made = self._made.get(planned.source)
            return made is not None and _are_same(out, made.result)
        if at in self._kept:
            return _are_same(out, self._kept[at].result)
        self._kept[at] = self._remember(at, args, kwargs, out, True)
        return True

    def _see_copied(self):
        """Results that were copied although nobody wrote to them."""
        import torch

        for at, out in self._handed:
            if all(torch._C._is_cow_tensor(x) for x in _tensors(out)):
                continue
            planned, kept = self.planned[at], self._kept.get(at)
            if planned.source == KEPT and isinstance(out, torch.Tensor) and _are_same(out, kept.result):
                kept.pristine = kept.result.clone()
            else:
                self.failed[planned.of] = self.failed.get(planned.of, 0) + CHECKED_STEPS * planned.ns
                del self.planned[at]
        self._handed = []

    def _see_written(self):
        """What was handed out itself and is no longer what it was is not handed out again."""
        for at, kept in list(self._kept.items()):
            if kept.pristine is not None and not _are_same(kept.result, kept.pristine):
                del self._kept[at]

    # -- the end of a step, and of all

    def end_step(self):
        if self._handed:
            self._ours(None, self._see_copied)
        self._ours(None, self._see_written)
        self._made = {}
        self._memory = {address: True for address, is_kept in self._memory.items() if is_kept}

    def release(self):
        """Storages that are gone may be forgotten now."""
        from torch import UntypedStorage

        self.end_step()
        self._kept, self._memory, self._written = {}, {}, {}
        weak, self._weak = self._weak, []
        for address in weak:
            UntypedStorage._free_weak_ref(address)


def _fits_mode(value):
    """What was made in inference mode cannot be trained with."""
    import torch

    return torch.is_inference_mode_enabled() == any(x.is_inference() for x in _tensors(value))


def _has_storage(x):
    import torch

    return x.layout is torch.strided


def _base(x):
    import torch

    return torch._C._data_address(x) - x.storage_offset() * x.element_size()


def _form(x):
    return x.shape, x.stride(), x.dtype, x.device


def _forms(value):
    """The same of all, and everything else as it is."""
    import torch

    if isinstance(value, torch.Tensor):
        return _form(value)
    if isinstance(value, dict):
        return tuple((key, _forms(x)) for key, x in value.items())
    return tuple(map(_forms, value)) if isinstance(value, (list, tuple)) else value


def _tensors(value):
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for x in value:
            yield from _tensors(x)


def _tensors_of(args, kwargs):
    return [x for x in _tensors((args, tuple(kwargs.values()))) if _has_storage(x)]


def _copies(args, kwargs):
    return [x.clone() for x in _tensors_of(args, kwargs)]


def _own_contents(given):
    if isinstance(given, Contents):
        return Contents(given.x.clone())
    return tuple(map(_own_contents, given)) if type(given) is tuple else given


def _lazy(value):
    """Each tensor as a new one on the same memory, which is copied when one of them is written to."""
    import torch

    if isinstance(value, torch.Tensor):
        return torch.ops.aten._lazy_clone.default(value)
    return type(value)(map(_lazy, value)) if type(value) in (list, tuple) else value


def _are_same(a, b):
    import torch

    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return _form(a) == _form(b) and bool(((a == b) | ((a != a) & (b != b))).all())
    if type(a) in (list, tuple) and type(a) is type(b) and len(a) == len(b):
        return all(map(_are_same, a, b))
    return not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor) and a == b

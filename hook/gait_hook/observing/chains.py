"""Elementwise calls in a row, as the job's own code makes them in one step, with copies of what they begin from.

A call is what torch is asked for (x * y, torch.exp, F.relu), seen by a function mode, so that it can be made again
as it was. Calls are followed while they are elementwise, reductions, casts or views; anything else ends a chain.
Chains of the same calls and shapes are kept once, and counted. What the job made is held only while a chain is followed: it is
let go before the job does anything else.
"""
import threading

from ..beside import Skipped, need_memory
from ..free_memory import free_bytes
from .capture import compiles
from .lengths import is_watched

CALLS_MIN, CALLS_MAX = 4, 40  # of a chain, without views
CHAINS_MAX = 16  # different ones that are kept
FREE_PART = 8  # all copies together take at most one such part of what is free when the first is made

ELEMENTWISE = frozenset("""add sub subtract mul multiply div divide true_divide neg negative pow square sqrt rsqrt reciprocal
    exp exp2 expm1 log log1p log2 abs absolute tanh sigmoid erf sin cos relu relu6 softplus logsigmoid silu hardtanh
    clamp clamp_min clamp_max clip maximum minimum where addcmul addcdiv lerp masked_fill sign
    lt le gt ge eq ne logical_not logical_and logical_or
    __add__ __radd__ __sub__ __rsub__ rsub __mul__ __rmul__ __truediv__ __rtruediv__ __div__ __rdiv__ __pow__ __rpow__
    __neg__ __abs__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__ __invert__""".split())
CASTS = frozenset("float to type_as bfloat16 half double".split())
REDUCTIONS = frozenset("mean sum var std amax amin max logsumexp".split())
VIEWS = frozenset("view reshape unsqueeze squeeze expand expand_as flatten view_as transpose permute".split())
FOLLOWED = ELEMENTWISE | CASTS | REDUCTIONS | VIEWS
IN_PLACE = frozenset("relu relu6 silu hardtanh".split())  # of those, if they are told to
# What asks a tensor about itself: no part of a chain, and no end of it.
QUESTIONS = frozenset("__get__ size dim stride numel __len__ is_floating_point is_contiguous element_size".split())


def _is_followed(name, args, kwargs):
    import torch

    in_place = name in IN_PLACE and (kwargs.get("inplace") or any(x is True for x in args))
    return name in FOLLOWED and not in_place and "out" not in kwargs and torch.is_grad_enabled()


class Ref:
    """The place of a value in a chain: its inputs first, then what its calls gave."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


class Chain:
    """inputs: copies; calls: (name, function, args, kwargs) whose tensors are Refs; each gives one value."""

    def __init__(self, inputs, calls, autocast):
        self.inputs, self.calls, self.autocast = inputs, calls, autocast
        self.count = 1

    def reads(self, i):
        """Places of the values that the i-th call takes."""
        from torch.utils import _pytree

        _, _, args, kwargs = self.calls[i]
        return [x.index for x in _pytree.tree_flatten((args, kwargs))[0] if isinstance(x, Ref)]

    def call(self, i, values):
        """The i-th call with what `values`, by place, has for it."""
        from torch.utils import _pytree

        _, function, args, kwargs = self.calls[i]
        args, kwargs = _pytree.tree_map(lambda x: values[x.index] if isinstance(x, Ref) else x, (args, kwargs))
        return function(*args, **kwargs)


class _Run:
    """The chain that is being followed; it holds what the job made until it ends."""

    def __init__(self):
        self.autocast = None
        self.places = {}  # id of a tensor → its place among inputs (-1, -2, …) or calls (0, 1, …)
        self.inputs, self.calls, self.outputs = [], [], []
        self.work = 0

    def place(self, x):
        if id(x) not in self.places:
            self.inputs.append(x)
            self.places[id(x)] = -len(self.inputs)
        return self.places[id(x)]

    def add(self, name, function, args, kwargs, output):
        import torch
        from torch.utils import _pytree

        args, kwargs = _pytree.tree_map(lambda x: Ref(self.place(x)) if isinstance(x, torch.Tensor) else x, (args, kwargs))
        if id(output) in self.places:  # the call gave its own input back
            if name not in CASTS | VIEWS:
                raise ValueError("%s works in place" % name)
            return  # nothing was done
        self.places[id(output)] = len(self.calls)
        self.calls.append((name, function, args, kwargs))
        self.outputs.append(output)
        self.work += name not in VIEWS

    def is_chain(self):
        return CALLS_MIN <= self.work <= CALLS_MAX and any(x.requires_grad for x in self.outputs)

    def key(self):
        shapes = tuple((tuple(x.shape), x.dtype, x.requires_grad) for x in self.inputs + self.outputs)
        return tuple((name, _signs(args, kwargs)) for name, _, args, kwargs in self.calls), shapes

    def bytes_of_inputs(self):
        """{device: bytes}"""
        sizes = {}
        for x in self.inputs:
            sizes[x.device] = sizes.get(x.device, 0) + x.numel() * x.element_size()
        return sizes

    def copied(self):
        """The Chain of it: places in one row, inputs first."""
        from torch.utils import _pytree

        n = len(self.inputs)

        def moved(x):
            return Ref(x.index + n if x.index >= 0 else -x.index - 1) if isinstance(x, Ref) else x

        calls = [(name, f, *_pytree.tree_map(moved, (args, kwargs))) for name, f, args, kwargs in self.calls]
        return Chain([x.detach().clone().requires_grad_(x.requires_grad) for x in self.inputs], calls, self.autocast)


def _signs(args, kwargs):
    """What a call is given, to compare it by: places, and the numbers and the like as they are."""
    from torch.utils import _pytree

    leaves = _pytree.tree_flatten((args, kwargs))[0]
    return tuple(("place", x.index) if isinstance(x, Ref) else (type(x).__name__, repr(x)) for x in leaves), tuple(kwargs)


def _may_have_another_path(module):
    """Layers of torch.nn with an inference path of their own, which they do not take while there is a function mode."""
    from torch import nn

    return (isinstance(module, (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder))
            and not all(m.training for m in module.modules()))


def _autocast_of(x):
    import torch

    kind = x.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None


class Chains:
    def __init__(self):
        self.found = {}  # key → Chain
        self.why_not = ""
        self._run = _Run()
        self._mode = None
        self._thread = None
        self._modules = None  # the handle of a hook before each module
        self._room = {}  # device → bytes that copies may still take

    def install(self):
        """In the thread of the job's steps, and only where the job has no mode of its own, which ends in its own time."""
        from torch.nn.modules.module import register_module_forward_pre_hook

        if compiles() or is_watched():
            return
        self._thread = threading.get_ident()
        self._modules = register_module_forward_pre_hook(self._before_module)
        self._mode = _mode(self)
        self._mode.__enter__()

    def remove(self):
        """Where the job has entered a mode since and not left it, ours stays below it and does nothing, until this is called
        again."""
        import torch

        self._run = _Run()
        if self._modules is not None:
            self._modules.remove()
            self._modules = None
        if self._mode is None:
            return
        self._mode.chains = None
        depth = torch._C._len_torch_function_stack()
        if depth and torch._C._get_function_stack_at(depth - 1) is self._mode:
            mode, self._mode = self._mode, None
            mode.__exit__(None, None, None)

    def _before_module(self, module, args):
        """The job's numbers come first: where a mode would change them the following is over. Never raises."""
        try:
            if threading.get_ident() == self._thread and _may_have_another_path(module):
                self._guarded(self._end)
                self.remove()
        except Exception:
            pass

    def before(self, function, args, kwargs):
        """Before each call of the job. Never raises."""
        name = getattr(function, "__name__", "")
        if self._run.places and name not in QUESTIONS:
            self._guarded(self._end_unless_followed, name, args, kwargs)

    def see(self, function, args, kwargs, output):
        """After each call of the job. Never raises."""
        self._guarded(self._follow, getattr(function, "__name__", ""), function, args, kwargs, output)

    def _guarded(self, part, *args):
        try:
            part(*args)
        except Skipped as why:
            self.why_not = "copies of what some chains begin from: %s" % why
            self._run = _Run()
        except Exception:  # what is odd is no chain
            self._run = _Run()

    def _end_unless_followed(self, name, args, kwargs):
        if not _is_followed(name, args, kwargs):
            self._end()

    def _follow(self, name, function, args, kwargs, output):
        import torch

        is_tensor = type(output) in (torch.Tensor, torch.nn.Parameter)
        if name in QUESTIONS and not is_tensor:
            return
        if is_tensor and _is_followed(name, args, kwargs):
            autocast = _autocast_of(output)
            if self._run.calls and self._run.autocast != autocast:
                self._end()
            self._run.autocast = autocast
            self._run.add(name, function, args, kwargs, output)
            if self._run.work <= CALLS_MAX:
                return
        self._end()

    def _end(self):
        run, self._run = self._run, _Run()
        if not run.is_chain():
            return
        key = run.key()
        if key in self.found:
            self.found[key].count += 1
        elif len(self.found) < CHAINS_MAX:
            self._take_room(run.bytes_of_inputs())
            self.found[key] = run.copied()

    def _take_room(self, sizes):
        """Skipped where copies of those sizes and the ones before would take too much."""
        for device, n_bytes in sizes.items():
            need_memory(device, n_bytes)
            if device not in self._room:
                self._room[device] = free_bytes(device) // FREE_PART
            if n_bytes > self._room[device]:
                raise Skipped("one needs %.3g MiB, and %.3g MiB are left for them" % (n_bytes / 2**20, self._room[device] / 2**20))
        for device, n_bytes in sizes.items():
            self._room[device] -= n_bytes


def _mode(chains):
    from torch.overrides import TorchFunctionMode

    class Watch(TorchFunctionMode):
        def __init__(self):
            super().__init__()
            self.chains = chains

        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if self.chains is not None:
                self.chains.before(function, args, kwargs)
            output = function(*args, **kwargs)
            if self.chains is not None:
                self.chains.see(function, args, kwargs, output)
            return output

    return Watch()

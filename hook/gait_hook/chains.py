"""Elementwise calls in a row, as the job's own code makes them in one step, with copies of what they begin from.

A call is what torch is asked for (x * y, torch.exp, F.relu), seen by a function mode, so that it can be made again
as it was. Calls are followed while they are elementwise, reductions, casts or views; anything else ends a chain.
Chains of the same calls and shapes are kept once, and counted.
"""
from .capture import compiles
from .replace import Skipped, need_memory

CALLS_MIN, CALLS_MAX = 4, 40  # of a chain, without views
CHAINS_MAX = 16  # different ones that are kept

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
# What asks a tensor about itself: no part of a chain, and no end of it.
QUESTIONS = frozenset("__get__ size dim stride numel __len__ is_floating_point is_contiguous element_size".split())


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
        if id(output) in self.places:  # the call gave its own input back: nothing was done
            return
        self.places[id(output)] = len(self.calls)
        self.calls.append((name, function, args, kwargs))
        self.outputs.append(output)
        self.work += name not in VIEWS

    def is_chain(self):
        return CALLS_MIN <= self.work <= CALLS_MAX and any(x.requires_grad for x in self.outputs)

    def key(self):
        shapes = tuple((tuple(x.shape), x.dtype, x.requires_grad) for x in self.inputs + self.outputs)
        return tuple(name for name, _, _, _ in self.calls), shapes

    def copied(self):
        """The Chain of it: places in one row, inputs first."""
        from torch.utils import _pytree

        n = len(self.inputs)
        for x in self.inputs:
            need_memory(x.device, x.numel() * x.element_size())

        def moved(x):
            return Ref(x.index + n if x.index >= 0 else -x.index - 1) if isinstance(x, Ref) else x

        calls = [(name, f, *_pytree.tree_map(moved, (args, kwargs))) for name, f, args, kwargs in self.calls]
        return Chain([x.detach().clone().requires_grad_(x.requires_grad) for x in self.inputs], calls, self.autocast)


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

    def install(self):
        """In the thread of the job's steps, and only where the job has no function mode of its own, which ends in its own time."""
        import torch

        if compiles() or torch._C._len_torch_function_stack():
            return
        self._mode = _mode(self)
        self._mode.__enter__()

    def remove(self):
        """Where the job has entered a mode since and not left it, ours stays below it and does nothing."""
        import torch

        mode, self._mode = self._mode, None
        self._run = _Run()
        if mode is None:
            return
        mode.chains = None
        depth = torch._C._len_torch_function_stack()
        if depth and torch._C._get_function_stack_at(depth - 1) is mode:
            mode.__exit__(None, None, None)

    def see(self, function, args, kwargs, output):
        """After each call of the job. Never raises."""
        try:
            self._follow(getattr(function, "__name__", ""), function, args, kwargs, output)
        except Skipped as why:
            self.why_not = "a copy of its inputs: %s" % why
            self._run = _Run()
        except Exception:  # what is odd is no chain
            self._run = _Run()

    def _follow(self, name, function, args, kwargs, output):
        import torch

        is_tensor = type(output) in (torch.Tensor, torch.nn.Parameter)
        if name in QUESTIONS and not is_tensor:
            return
        if name in FOLLOWED and is_tensor and torch.is_grad_enabled() and "out" not in kwargs:
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
            self.found[key] = run.copied()


def _mode(chains):
    from torch.overrides import TorchFunctionMode

    class Watch(TorchFunctionMode):
        def __init__(self):
            super().__init__()
            self.chains = chains

        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            output = function(*args, **kwargs)
            if self.chains is not None:
                self.chains.see(function, args, kwargs, output)
            return output

    return Watch()

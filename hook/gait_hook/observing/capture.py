"""With what the job's model is called: one step is watched, and the model's first inputs are kept as copies.

The model is the one module, called by the job itself in training, that holds nearly all that is
trained; or else the few modules that it calls one after the other, its parts, if together they hold as much.
"""
import sys
import threading
import weakref

from ..beside import Skipped, need_memory

MOST = 0.9  # of the trained numbers must belong to the one module, or to the parts together
PARTS_MAX = 16


class Call:
    def __init__(self, module, args, kwargs, autocast):
        self.module, self.args, self.kwargs = module, args, kwargs
        self.autocast = autocast  # the job's own type of lower precision, or None
        self.inner = unwrapped(module)
        self.count = 0


def unwrapped(module):
    """What data-parallel wrappers hold: their own backward would talk to other ranks."""
    import torch

    if isinstance(module, (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)):
        return module.module
    return module


def compiles():
    """Has torch.compile compiled something? Its guards would see that a method was replaced."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    try:
        return bool(dynamo and dynamo.counters["frames"]["total"])
    except Exception:
        return True


def watch_calls(see):
    """see(module, args, kwargs), which must not raise, before each call of a module by the job itself, in
    this thread. Returns what ends it."""
    import torch

    original = torch.nn.Module.__call__
    thread, depth, watching = threading.get_ident(), [0], [True]

    def __call__(module, *args, **kwargs):
        if not watching[0] or threading.get_ident() != thread:
            return original(module, *args, **kwargs)
        if not depth[0]:
            see(module, args, kwargs)
        depth[0] += 1
        try:
            return original(module, *args, **kwargs)
        finally:
            depth[0] -= 1

    torch.nn.Module.__call__ = __call__

    def undo():
        watching[0] = False  # the job may have wrapped it meanwhile
        if torch.nn.Module.__call__ is __call__:
            torch.nn.Module.__call__ = original

    return undo


class Capture:
    def __init__(self, optimizers):
        self.call = None  # of the model
        self.parts = []  # calls of its parts, where there is no such module
        self.why_not = ""
        trained = {id(p): p for o in optimizers for g in o.param_groups for p in g["params"]}
        self._total = sum(p.numel() for p in trained.values())
        # Both weak, id → what has it: a job may replace its model before the step ends.
        self._trained = {key: weakref.ref(p) for key, p in trained.items()}
        self._others = {}  # modules that are not the model
        self._parts = {}  # of those the ones that hold something trained: id → Call, while no module is the model
        self._undo = None

    def install(self):
        if compiles():
            self.why_not = "the job uses torch.compile"
            return
        self._undo = watch_calls(self._see)

    def remove(self):
        undo, self._undo = self._undo, None
        if undo:
            undo()
        if self._parts and not self.why_not and self._are_model(self._parts.values()):
            self.parts = list(self._parts.values())
        self._trained, self._others, self._parts = {}, {}, {}

    def _see(self, module, args, kwargs):
        """Never raises: the job calls its module."""
        try:
            if not trains(module):
                return
            if self.call is None and not self.why_not:
                self._see_training(module, args, kwargs)
        except Skipped as why:
            self.why_not = "a copy of its input: %s" % why
        except Exception as e:
            self.why_not = "its input could not be copied: %s" % type(e).__name__
        call = self.call or self._parts.get(id(module))  # a part is held: nothing else has its id
        if call is not None and call.module is module:
            call.count += 1

    def _see_training(self, module, args, kwargs):
        """Decided before anything is copied, once a module."""
        if _has(self._others, module):
            return
        held = self._held_by([module])
        if held and held >= MOST * self._total:
            self._parts = {}
            self.call = _copied(module, args, kwargs)
            return
        self._others[id(module)] = weakref.ref(module)
        if held and len(self._parts) < PARTS_MAX:
            self._keep_part(module, args, kwargs)

    def _keep_part(self, module, args, kwargs):
        try:
            self._parts[id(module)] = _copied(module, args, kwargs)
        except Exception:  # it may not be the model's part: without it the others hold too little
            pass

    def _held_by(self, modules):
        """Trained numbers; what several of them hold counts once."""
        held = {id(p): p for module in modules for p in module.parameters() if _has(self._trained, p)}
        return sum(p.numel() for p in held.values())

    def _are_model(self, calls):
        return self._held_by([call.module for call in calls]) >= MOST * self._total


def _has(references, one):
    reference = references.get(id(one))
    return reference is not None and reference() is one


def trains(module):
    import torch

    return module.training and torch.is_grad_enabled()


def _copied(module, args, kwargs):
    import torch
    from torch.utils import _pytree

    def copy(x):
        if not isinstance(x, torch.Tensor):
            return x
        return x.detach().clone().requires_grad_(x.requires_grad)

    sizes = {}  # device → bytes
    for x in _pytree.tree_flatten((args, kwargs))[0]:
        if isinstance(x, torch.Tensor):
            sizes[x.device] = sizes.get(x.device, 0) + x.numel() * x.element_size()
    for device, n_bytes in sizes.items():
        need_memory(device, n_bytes)
    parameter = next(module.parameters(), None)
    kind = parameter.device.type if parameter is not None else "cpu"
    args, kwargs = _pytree.tree_map(copy, (args, kwargs))
    return Call(module, args, kwargs, torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None)

"""With what the job's model is called: one step is watched, and its first inputs are kept as copies."""
import sys
import threading


class Call:
    def __init__(self, module, args, kwargs, autocast):
        self.module, self.args, self.kwargs, self.autocast = module, args, kwargs, autocast
        self.count = 0


def compiles():
    """Has torch.compile compiled something? Its guards would see that a method was replaced."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    try:
        return bool(dynamo and dynamo.counters["frames"]["total"])
    except Exception:
        return True


class Capture:
    def __init__(self):
        self.calls = {}  # id → Call of modules that the job itself calls, in training
        self.why_not = ""
        self._undo = None

    def install(self):
        import torch

        if compiles():
            self.why_not = "the job uses torch.compile"
            return
        original = torch.nn.Module.__call__
        thread, depth, capture = threading.get_ident(), [0], self

        def __call__(module, *args, **kwargs):
            if threading.get_ident() != thread:
                return original(module, *args, **kwargs)
            if not depth[0] and module.training and torch.is_grad_enabled():
                capture._see(module, args, kwargs)
            depth[0] += 1
            try:
                return original(module, *args, **kwargs)
            finally:
                depth[0] -= 1

        torch.nn.Module.__call__ = __call__

        def undo():
            if torch.nn.Module.__call__ is __call__:
                torch.nn.Module.__call__ = original

        self._undo = undo

    def remove(self):
        if self._undo:
            self._undo()
            self._undo = None

    def _see(self, module, args, kwargs):
        call = self.calls.get(id(module))
        if call is None:
            try:
                call = self._copy(module, args, kwargs)
            except Exception as e:
                self.why_not = "its input could not be copied: %s" % e
                return
            self.calls[id(module)] = call
        call.count += 1

    @staticmethod
    def _copy(module, args, kwargs):
        import torch
        from torch.utils import _pytree

        def copy(x):
            if not isinstance(x, torch.Tensor):
                return x
            return x.detach().clone().requires_grad_(x.requires_grad)

        parameter = next(module.parameters(), None)
        kind = parameter.device.type if parameter is not None else "cpu"
        args, kwargs = _pytree.tree_map(copy, (args, kwargs))
        return Call(module, args, kwargs, torch.is_autocast_enabled(kind))

"""Where tensors come from that no operator of the watched steps makes; and reads of the host that are no operators.

While steps are watched a few functions of torch are wrapped, and put back afterwards.
"""
import functools
import gc
from collections.abc import Mapping

from ..contract import Source

DEPTH_MOST = 8  # of a batch: lists in dictionaries in tuples …
HOST_READS = ("tolist", "numpy", "__array__", "__dlpack__")
HOST_DATA = ("from_numpy", "frombuffer")


def tensors_in(value, depth=DEPTH_MOST):
    """Of what a loader or an optimizer has; other objects are not looked into."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, Mapping):
        for x in list(value.values()):
            yield from tensors_in(x, depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for x in value:
            yield from tensors_in(x, depth - 1)


def of_optimizers(optimizers):
    """(source, tensor)"""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                yield Source.PARAMETER, parameter
                if parameter.grad is not None:
                    yield Source.GRADIENT, parameter.grad
        for state in list(optimizer.state.values()):
            for x in tensors_in(state):
                yield Source.STATE, x


def of_modules():
    """(source, tensor) of all modules that there are: those that call each other are found whoever holds them."""
    import torch

    # type() and not isinstance(): some objects answer the latter with an import, or raise.
    for module in [x for x in gc.get_objects() if issubclass(type(x), torch.nn.Module)]:
        own = module.__dict__
        for x in list((own.get("_buffers") or {}).values()):
            if isinstance(x, torch.Tensor):
                yield Source.BUFFER, x
        for x in list((own.get("_parameters") or {}).values()):
            if isinstance(x, torch.Tensor):
                yield (Source.PARAMETER if x.requires_grad else Source.FROZEN), x
                if x.is_leaf and x.grad is not None:  # whether an optimizer has it or not
                    yield Source.GRADIENT, x.grad


class Patches:
    """see_host_read(name, tensor) and see_source(source, tensors) are called by the job's own calls: they must not raise."""

    def __init__(self, see_host_read, see_source):
        self._see_host_read, self._see_source = see_host_read, see_source
        self._undo = []  # (owner, name, what was in its place or None, the wrapper)
        self._reading = False  # __array__ calls numpy

    def install(self):
        import torch
        import torch.utils.data.dataloader as dataloader

        for name in HOST_READS:
            self._replace(torch.Tensor, name, self._reads)
        for name in HOST_DATA:
            self._replace(torch, name, self._makes)
        self._replace(dataloader._BaseDataLoaderIter, "__next__", self._gives)

    def remove(self):
        while self._undo:
            owner, name, before, wrapper = self._undo.pop()
            if owner.__dict__.get(name) is not wrapper:
                continue  # the job wrapped it too: leave it alone
            if before is None:
                delattr(owner, name)  # it was inherited
            else:
                setattr(owner, name, before)
        self._see_host_read = self._see_source = None  # of a wrapper that stays

    def _replace(self, owner, name, wrap):
        original = getattr(owner, name)
        wrapper = functools.wraps(original)(wrap(name, original))
        self._undo.append((owner, name, owner.__dict__.get(name), wrapper))
        setattr(owner, name, wrapper)

    def _reads(self, name, call):
        def read(x, *args, **kwargs):
            if self._see_host_read is None or self._reading:
                return call(x, *args, **kwargs)
            self._see_host_read(name.strip("_"), x)
            self._reading = True
            try:
                return call(x, *args, **kwargs)
            finally:
                self._reading = False

        return read

    def _makes(self, name, call):
        def make(*args, **kwargs):
            made = call(*args, **kwargs)
            if self._see_source is not None:
                self._see_source(Source.HOST, made)
            return made

        return make

    def _gives(self, name, call):
        def __next__(iterator):
            batch = call(iterator)
            if self._see_source is not None:
                self._see_source(Source.BATCH, batch)
            return batch

        return __next__

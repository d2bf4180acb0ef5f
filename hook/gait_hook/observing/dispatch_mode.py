"""A dispatch mode that sees the job's calls during its steps and is out of its place between them, where our own calls are made."""


class DispatchMode:
    def __init__(self):
        self._mode = None
        self._inside = False

    def enter(self, call):
        """call(function, args, kwargs) makes each call of the job, in whatever thread it is made, and gives its result."""
        if self._mode is None:
            self._mode = _new_mode()
        self._mode.call = call
        self._mode.__enter__()
        self._inside = True

    def silence(self):
        """Where it is in its place it stays there, and does nothing."""
        if self._mode is not None:
            self._mode.call = None

    def leave(self):
        """Is it out of its place? Not where the job has entered a mode since: it is silent then, until this is called again."""
        import torch

        self.silence()
        if not self._inside:
            return True
        depth = torch._C._len_torch_dispatch_stack()
        if not depth or torch._C._get_dispatch_stack_at(depth - 1) is not self._mode:
            return False
        self._inside = False
        self._mode.__exit__(None, None, None)
        return True


def _new_mode():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Mode(TorchDispatchMode):
        supports_higher_order_operators = True  # else they raise

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # it would import torch._dynamo into the job

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            call, kwargs = self.call, kwargs or {}
            return function(*args, **kwargs) if call is None else call(function, args, kwargs)

    return Mode()

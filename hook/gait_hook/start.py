"""Waits, without importing anything of torch, until the job imports torch.optim.optimizer."""
import importlib.util
import sys

WATCHED = "torch.optim.optimizer"


class _Finder:
    """Stands first among the importers until the one module that it waits for is asked for."""

    def find_spec(self, name, path=None, target=None):
        if name != WATCHED:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        else:  # the job keeps importers of its own: asking them again would come back here
            return None
        spec = importlib.util.find_spec(name)
        try:
            if spec is not None and spec.loader is not None:
                _call_after(spec.loader)
        except Exception:  # a loader that cannot be changed: the job runs without the recorder
            pass
        return spec


def _call_after(loader):
    execute = loader.exec_module

    def exec_module(module):
        execute(module)
        try:
            from .recording import recorder

            recorder.install(module)
        except Exception:  # the hook's files are gone, or cannot be read
            pass

    loader.exec_module = exec_module


def wait_for_torch():
    if WATCHED not in sys.modules:
        sys.meta_path.insert(0, _Finder())

"""What keeps the job as it is while something else runs in its thread: memory, generators, warnings, prints."""
import contextlib
import random
import sys
import threading
import warnings

from .free_memory import free_bytes


class Skipped(Exception):
    """Why a replacement is not measured, for the notes; an empty text: there is nothing to say."""


def need_memory(device, n_bytes):
    """Skipped where copies of that size, twice over, would not fit beside the job."""
    free = free_bytes(device)
    if 2 * n_bytes > free:
        raise Skipped("it needs about %d MiB, and %d MiB are free" % (2 * n_bytes >> 20, free >> 20))


class RandomStates:
    """Takes every generator's state that a measurement could move, and puts it back."""

    def __enter__(self):
        import torch

        self.python = random.getstate()
        numpy = sys.modules.get("numpy")
        self.numpy = numpy.random.get_state() if numpy and hasattr(numpy, "random") else None
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None

    def __exit__(self, *exc):
        import torch

        random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state_all(self.cuda)


@contextlib.contextmanager
def warnings_unseen():
    """What the copies warn of is not the job's. The filters stay as they are: a change of them, as in
    warnings.catch_warnings, forgets which warnings were shown, and the job's own would be shown again."""
    shown = warnings.showwarning
    warnings.showwarning = lambda *args, **kwargs: None
    try:
        yield
    finally:
        warnings.showwarning = shown


class Unheard:
    """A stream that takes what one thread writes for nothing; other threads are the job's own and are heard."""

    def __init__(self, stream):
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text):
        return len(text) if threading.get_ident() == self._thread else self._stream.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def prints_unheard():
    """A model or an optimizer that prints does so in its copy too."""
    job_out, job_err = sys.stdout, sys.stderr
    own_out, own_err = Unheard(job_out), Unheard(job_err)
    sys.stdout, sys.stderr = own_out, own_err
    try:
        yield
    finally:
        if sys.stdout is own_out:
            sys.stdout = job_out
        if sys.stderr is own_err:
            sys.stderr = job_err

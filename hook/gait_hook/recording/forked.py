"""What a forked child must not inherit from a process in which the tracer ran.

A child that is forked while a block is traced would go on recording into memory that nobody reads.
And libkineto has a thread of its own, which a child lacks: its destructor waits for that thread for
ever when the child leaves through exit(). (Children of multiprocessing leave through _exit().)
"""
import os


def quiet(tracer):
    """Called in the child, where no other thread runs."""
    if not tracer.used:
        return
    try:
        _leave_without_destructors()
        if tracer.active():
            _stop_collecting()
    except Exception:
        pass


def _stop_collecting():
    """torch says on stderr that device events could land on other tracks: not in a child."""
    import torch.autograd.profiler as profiler

    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        profiler._toggle_collection_dynamic(False, {profiler.ProfilerActivity.CPU})
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


def _leave_without_destructors():
    """exit() calls these two first, in reverse order: flush what C has buffered, then leave.

    on_exit's functions get the exit code as their first argument, which is what _exit takes."""
    import ctypes

    libc = ctypes.CDLL(None)
    for name in ("_exit", "_IO_flush_all"):
        libc.on_exit(ctypes.cast(getattr(libc, name), ctypes.c_void_p), None)

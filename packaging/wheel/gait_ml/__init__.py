"""Gait's program and its recorder's files. `gait` and `python -m gait_ml` start the program; Recording records from inside a job."""


def __getattr__(name):
    if name != "Recording":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    import os
    import sys

    hook = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hook")
    sys.path.insert(0, hook)
    try:
        from gait_hook.inside import Recording
    finally:
        sys.path.remove(hook)
    return Recording

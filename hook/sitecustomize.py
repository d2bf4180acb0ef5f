"""Found through PYTHONPATH by every Python that `gait record` starts, before the job's first line.

It leaves the search path as it was, sets up the recorder (which does nothing until the job imports
torch's optimizers), and then runs the sitecustomize that the user has, if there is one.
"""
import os
import sys


def _leave_the_path():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    return here


def _set_up(here):
    if not os.environ.get("GAIT_RECORD_DIR"):
        return
    sys.path.insert(0, here)
    try:
        from gait_hook import start
    finally:
        sys.path.remove(here)
    start.wait_for_torch()


def _run_the_users_own():
    import importlib.machinery
    import importlib.util

    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_here = _leave_the_path()
try:
    _set_up(_here)
except Exception:  # the job comes first: without the recorder it still runs
    pass
_run_the_users_own()

"""Parts of the hook alone, as the modules of hook/ test them: every function of these that takes nothing. test_hook.py HOOK_FOLDER"""
import importlib
import inspect
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ("machine", "result_file", "timers", "losses", "movement", "replacements", "chains", "recorder", "padding", "items", "data_flow", "operator_lists", "samples", "leaving_out", "in_turns")


def tests_of(module):
    """In the order in which they are written."""
    return [f for f in vars(module).values()
            if inspect.isfunction(f) and f.__module__ == module.__name__ and not inspect.signature(f).parameters]


def main():
    sys.path[:0] = [os.path.join(HERE, "hook"), sys.argv[1]]
    sys.dont_write_bytecode = True
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # as `gait record` does
    import torch

    torch.manual_seed(1)
    ran = 0
    for name in MODULES:
        for test in tests_of(importlib.import_module(name)):
            test()
            ran += 1
    print(f"ok: {ran} tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())

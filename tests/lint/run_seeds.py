"""Every script of seeds/ runs.

    run_seeds.py [FOLDER…]

torch is imported once; each script runs in a process forked from there, in a folder of its own.
"""
import multiprocessing
import os
import runpy
import sys
import tempfile
import time
import traceback

import torch
import torch._dynamo  # every optimizer imports it

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
LIMIT = 60.0  # seconds; each takes about one


def run(path):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        torch.set_num_threads(1)
        sys.argv = [path]
        sys.stdout = open(os.devnull, "w")
        try:
            runpy.run_path(path, run_name="__main__")
        except BaseException:
            traceback.print_exc()
            sys.exit(1)
        finally:
            os.chdir("/")


def problem_of(path):
    """Why a script does not run, or ""."""
    child = multiprocessing.get_context("fork").Process(target=run, args=(path,))
    child.start()
    child.join(LIMIT)
    if child.exitcode is None:
        child.terminate()
        child.join()
        return f"has not ended after {LIMIT:.0f} s"
    return f"exit code {child.exitcode}" if child.exitcode else ""


def main():
    folders = sys.argv[1:] or sorted(os.listdir(SEEDS))
    scripts = [
        os.path.join(SEEDS, folder, name)
        for folder in folders
        if os.path.isdir(os.path.join(SEEDS, folder))
        for name in sorted(os.listdir(os.path.join(SEEDS, folder)))
        if name.endswith(".py")
    ]
    failed = 0
    for path in scripts:
        begin = time.monotonic()
        problem = problem_of(path)
        failed += bool(problem)
        print(f"{os.path.relpath(path, SEEDS)}: {problem or 'ok'}, {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{len(scripts)} scripts, {failed} wrong")
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())

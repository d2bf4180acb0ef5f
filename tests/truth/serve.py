"""A job that runs only when asked: serve.py REQUESTS ANSWERS [--autocast | --no-collector] JOB.py OPTIONS…

After its first step the job waits. A request is a line on the file descriptor REQUESTS with a number of steps; the answer
is a line of JSON on ANSWERS: the clock when it went on and after each of these steps, in seconds. Waiting is not counted, and the
job itself is not changed: a global hook of PyTorch is called after each optimizer step. At the end of the
requests the job exits.

With --autocast the job's models run in bfloat16 where PyTorch's autocast does so. Nothing else is in it: neither losses that the
job computes from their results nor backward. With --no-collector Python's garbage collector does not start by itself.
"""
import functools
import gc
import json
import os
import runpy
import sys
import time

import torch
from torch.nn.modules.loss import _Loss
from torch.optim.optimizer import register_optimizer_step_post_hook


class Server:
    def __init__(self, requests, answers):
        self.requests, self.answers = os.fdopen(requests), os.fdopen(answers, "w")
        self.optimizer = None  # of several, the first to step marks the step
        self.stamps, self.asked = [], 0

    def after_step(self, optimizer, _args, _kwargs):
        if self.optimizer is None:
            self.optimizer = optimizer
        if optimizer is not self.optimizer:
            return
        self.stamps.append(time.perf_counter())
        if len(self.stamps) > self.asked:
            self.wait()

    def wait(self):
        print(json.dumps(self.stamps), file=self.answers, flush=True)
        request = self.requests.readline()
        if not request:
            sys.exit(0)
        self.asked = int(request)
        self.stamps = [time.perf_counter()]


def autocast_models():
    """From now on the outermost call of a module is under autocast; what it calls is in it already."""
    call, depth = torch.nn.Module.__call__, 0

    @functools.wraps(call)
    def call_under_autocast(module, *args, **kwargs):
        nonlocal depth
        if depth or isinstance(module, _Loss):
            return call(module, *args, **kwargs)
        depth += 1
        try:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return call(module, *args, **kwargs)
        finally:
            depth -= 1

    torch.nn.Module.__call__ = call_under_autocast


def main():
    requests, answers, *command = sys.argv[1:]
    remedies = {"--autocast": autocast_models, "--no-collector": gc.disable}
    if command[0] in remedies:
        remedies[command.pop(0)]()
    job = command[0]
    register_optimizer_step_post_hook(Server(int(requests), int(answers)).after_step)
    sys.argv = command
    sys.path[0] = os.path.dirname(os.path.abspath(job))  # as python itself would have it
    runpy.run_path(job, run_name="__main__")


if __name__ == "__main__":
    main()

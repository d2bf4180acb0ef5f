"""A job that runs only when asked: serve.py REQUESTS ANSWERS JOB.py OPTIONS…

After its first step the job waits. A request is a line on the file descriptor REQUESTS with a number of steps; the answer
is a line of JSON on ANSWERS: the clock when it went on and after each of these steps, in seconds. Waiting is not counted, and the
job itself is not changed: a global hook of PyTorch is called after each optimizer step. At the end of the
requests the job exits.
"""
import json
import os
import runpy
import sys
import time

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


def main():
    requests, answers, job = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    register_optimizer_step_post_hook(Server(requests, answers).after_step)
    sys.argv = sys.argv[3:]
    sys.path[0] = os.path.dirname(os.path.abspath(job))  # as python itself would have it
    runpy.run_path(job, run_name="__main__")


if __name__ == "__main__":
    main()

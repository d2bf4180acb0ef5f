"""Blocks of a small model's steps with the recorder's hooks and without, in turns, in one process.

Every wrapped function that a step may call is called in each: train(), loader, backward, optimizer. CPU
time of the process, so that other programs on the machine count less; one thread. On a busy machine the pairs
cannot tell half a percent, so the hooks' cost is also measured alone, around calls that do next to nothing:
cost_us, and as a part of the small model's step: cost_frac, which the limit is for."""
import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "hook"), os.path.join(ROOT, "tests", "record", "jobs")]

import torch  # noqa: E402
from gait_hook.recording.recorder import Recorder  # noqa: E402
from gait_hook.observing.sampler import Sampler  # noqa: E402
from gait_hook.recording.settings import Settings  # noqa: E402
from tiny_gpt import LENGTH, VOCAB, TinyGpt, loss_of  # noqa: E402


SETTLE = 2  # steps after each change that do not count


class Hooks:
    """The recorder in its untraced part, put in and taken out as often as wanted."""

    def __init__(self, folder):
        import torch.optim.optimizer as module

        settings = Settings()
        settings.folder, settings.untraced = folder, 10 ** 9
        self.recorder = Recorder(settings, module)
        self.module, self.first = module, True
        self.recorder._first_step()
        self.recorder.timers.remove()
        self.recorder.losses.remove()
        self.recorder._begin_round()

    def put_in(self):
        r = self.recorder
        r.losses.install()
        r.losses.trains_in(threading.get_ident())
        r.timers.install(threading.get_ident())
        r.handles = [self.module.register_optimizer_step_pre_hook(r._pre),
                     self.module.register_optimizer_step_post_hook(r._post)]

    def take_out(self):
        for handle in self.recorder.handles:
            handle.remove()
        self.recorder.timers.remove()
        self.recorder.losses.remove()


class Job:
    def __init__(self):
        torch.manual_seed(1)
        self.model = TinyGpt(4)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        data = torch.randint(VOCAB, (64, LENGTH + 1))
        self.loader = torch.utils.data.DataLoader(data, batch_size=8)
        self.batches = iter(())

    def batch(self):
        try:
            return next(self.batches)
        except StopIteration:
            self.batches = iter(self.loader)
            return next(self.batches)

    def step(self):
        self.model.train()  # some trainers say so at every step
        self.optimizer.zero_grad()
        loss_of(self.model, self.batch()).backward()
        self.optimizer.step()


def block(job, steps):
    begin = time.process_time_ns()
    for _ in range(steps):
        job.step()
    return (time.process_time_ns() - begin) / steps


def pairs(hooks, job, n, steps):
    """Ratios with / without of neighbouring blocks, and the times without."""
    ratios, alone = [], []
    for i in range(n):
        times = {}
        for with_hooks in (True, False) if i % 2 else (False, True):
            if with_hooks:
                hooks.put_in()
            block(job, SETTLE)  # Python specialises its code anew after a class was changed
            times[with_hooks] = block(job, steps)
            if with_hooks:
                hooks.take_out()
        ratios.append(times[True] / times[False])
        alone.append(times[False])
    return ratios, alone


class EmptyJob:
    """The calls that are wrapped, with as little as possible in them."""

    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(1, requires_grad=True)
        self.y = self.x * 1
        self.optimizer = torch.optim.SGD([self.x], lr=0.0)
        self.loader = torch.utils.data.DataLoader(range(10 ** 9), batch_size=None)
        self.batches = iter(self.loader)

    def step(self):
        self.model.train()  # some trainers say so at every step
        next(self.batches)
        self.y.backward(retain_graph=True)
        self.optimizer.step()


def cost_us(hooks, job, turns, steps):
    """What all hooks cost a step: the empty job with them and without, in short blocks. Of each the
    fastest tenth: what other programs take only ever adds."""
    times = {True: [], False: []}
    for i in range(turns):
        for with_hooks in (True, False) if i % 2 else (False, True):
            if with_hooks:
                hooks.put_in()
            block(job, 2 * steps)
            times[with_hooks].append(block(job, steps))
            if with_hooks:
                hooks.take_out()
    fast = {k: statistics.quantiles(v, n=10)[0] for k, v in times.items()}
    return (fast[True] - fast[False]) / 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limit", type=float)
    options = parser.parse_args()
    n, steps = (40, 5) if options.quick else (300, 10)
    with tempfile.TemporaryDirectory() as folder:
        hooks, job = Hooks(folder), Job()
        block(job, 20)
        ratios, alone = pairs(hooks, job, n, steps)
        same, _ = pairs(Nothing(), job, n, steps)
        sampled, _ = pairs(Sampling(), job, n, steps)
        cost = cost_us(hooks, EmptyJob(job.model), 200, 10)
    low, median, high = statistics.quantiles(ratios, n=4)
    a_low, a_median, a_high = statistics.quantiles(same, n=4)
    s_low, s_median, s_high = statistics.quantiles(sampled, n=4)
    step_us = statistics.quantiles(alone, n=10)[0] / 1e3  # the fastest tenth, as of the cost
    print(f"with the hooks / without, {n} pairs of {steps} steps: {median:.4f} (quartiles {low:.4f} to {high:.4f})")
    print(f"without / without, the floor of this:       {a_median:.4f} (quartiles {a_low:.4f} to {a_high:.4f})")
    print(f"sampled / not, in the 10 to 40 steps that are:  {s_median:.4f} (quartiles {s_low:.4f} to {s_high:.4f})")
    print(f"the hooks alone, around calls that do nothing: {cost:.1f} us of a step of {step_us:.0f} us")
    print(json.dumps({"overhead_frac": round(median - 1, 5), "low_frac": round(low - 1, 5),
                      "high_frac": round(high - 1, 5), "floor_frac": round(a_median - 1, 5), "sampled_frac": round(s_median - 1, 5),
                      "cost_us": round(cost, 3), "step_us": round(step_us, 1),
                      "cost_frac": round(cost / step_us, 6)}))
    if options.limit is not None and cost / step_us > options.limit:
        print(f"overhead {cost / step_us:.5f} passes the limit {options.limit}", file=sys.stderr)
        sys.exit(1)


class Sampling:
    """The thread that reads where the job is, and nothing else; what it computes itself is in the CPU time too."""

    def put_in(self):
        self.sampler = Sampler(threading.get_ident())
        self.sampler.start()

    def take_out(self):
        self.sampler.finish()


class Nothing:
    """No hooks at all, for A against A."""

    def put_in(self):
        pass

    def take_out(self):
        pass


if __name__ == "__main__":
    main()

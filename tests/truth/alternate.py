"""Two jobs measured against each other, and the first against itself: all loaded, one at a time runs, in turn, each for a few steps.

Two runs one after the other would measure the machine: their halves differ by more than most fixes gain. And two processes of
one job differ by some percent as long as they live (where their memory lies): so the jobs are started anew several times.
"""
import contextlib
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile

from cases import HERE, JOBS

WARM_UP_STEPS = 8
ENDLESS = 10_000_000
RESAMPLES = 2000
CONFIDENCE = 0.9
STARTS = 8  # of the jobs, each for a part of the turns
LEAST_STARTS = 4  # before the spread of the turns is looked at
NARROW = 0.015  # half of the interval over the median: enough pairs
EXIT_PATIENCE_S = 20


class JobFailed(Exception):
    """A job ended though it was to go on; the text has the end of what it said."""


def job_command(command, steps, interpreter=sys.executable):
    return [interpreter, os.path.join(JOBS, command[0]), *command[1:], "--steps", str(steps)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def rank_environment(rank, processes, port):
    """What torchrun would set."""
    if processes == 1:
        return dict(os.environ)
    return dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(processes), MASTER_ADDR="127.0.0.1",
                MASTER_PORT=str(port), OMP_NUM_THREADS="1")


class Process:
    """One process of a job, under serve.py."""

    def __init__(self, command, environment, serve_options):
        requests, self.to_job = os.pipe()
        self.from_job, answers = os.pipe()
        self.log = tempfile.TemporaryFile()
        _, *job = job_command(command, ENDLESS)
        self.child = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "serve.py"), str(requests), str(answers), *serve_options, *job],
            env=environment, pass_fds=(requests, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.log)
        os.close(requests)
        os.close(answers)
        self.to_job, self.from_job = os.fdopen(self.to_job, "w"), os.fdopen(self.from_job)

    def request(self, steps):
        try:
            print(steps, file=self.to_job, flush=True)
        except BrokenPipeError as problem:
            raise JobFailed(self.last_words()) from problem

    def answer(self):
        line = self.from_job.readline()
        if not line:
            raise JobFailed(self.last_words())
        return json.loads(line)

    def last_words(self):
        self.child.wait()
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        return f"exit {self.child.returncode}: {lines[-1] if lines else 'nothing on stderr'}"

    def close(self):
        """Ends the job as far as it has not ended: the end of the requests is its signal."""
        try:
            self.to_job.close()
        except BrokenPipeError:
            pass
        try:
            self.child.wait(EXIT_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.from_job.close()
        self.log.close()


class Job:
    """All processes of a job; the first one's clock counts. It waits after its first step."""

    def __init__(self, command, processes, serve_options=()):
        port = free_port()
        self.ranks = [Process(command, rank_environment(rank, processes, port), serve_options) for rank in range(processes)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.ranks:  # all are told before one is waited for: they wait for each other
            try:
                process.to_job.close()
            except BrokenPipeError:
                pass
        for process in self.ranks:
            process.close()

    def started(self):
        for process in self.ranks:
            process.answer()

    def run(self, steps):
        """Seconds of each step."""
        for process in self.ranks:
            process.request(steps)
        stamps = [process.answer() for process in self.ranks][0]
        return [after - before for before, after in zip(stamps, stamps[1:])]


def block_seconds(case, job):
    """Mean seconds a step of one request, without the steps after the switch."""
    return statistics.fmean(job.run(case.skip + case.steps)[case.skip:])


def measure_turn(case, jobs, swapped):
    """Seconds a step of each job over one block, in turn; swapped: the last one begins."""
    sums = [0.0] * len(jobs)
    requests = case.block // case.steps
    for i in range(requests):
        order = range(len(jobs)) if (i % 2 == 0) != swapped else reversed(range(len(jobs)))
        for k in order:
            sums[k] += block_seconds(case, jobs[k]) / requests
    return tuple(sums)


def interval_of_median(groups, seed):
    """The bootstrap's CONFIDENCE interval of the median over all groups: groups are drawn, then values of each; the same values give
    the same interval."""
    draw = random.Random(seed)

    def median():
        return statistics.median(v for group in draw.choices(groups, k=len(groups)) for v in draw.choices(group, k=len(group)))

    medians = sorted(median() for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    return medians[int(tail * RESAMPLES)], medians[int((1 - tail) * RESAMPLES) - 1]


def ratio_of_pairs(case, starts, work):
    """The second over the first, of pairs of seconds a step of each start, for equal work: {ratio, low, high, first_ms, second_ms,
    pairs, starts}."""
    both = [pair for start in starts for pair in start]
    low, high = interval_of_median([[b / a / work for a, b in start] for start in starts], case.name)
    return {
        "ratio": statistics.median(b / a / work for a, b in both), "low": low, "high": high, "pairs": len(both),
        "starts": len(starts),
        "first_ms": 1e3 * statistics.median(a for a, _ in both),
        "second_ms": 1e3 * statistics.median(b for _, b in both)}


def against_both(turn):
    """The middle job against the mean of the two that are one, measured before and after it."""
    first, second, again = turn
    return (first + again) / 2, second


def against_itself(turn):
    return turn[0], turn[2]


def ratio_of_turns(case, starts, pair_of, work=1.0):
    return ratio_of_pairs(case, [[pair_of(turn) for turn in start] for start in starts], work)


def enough(case, starts):
    """Do the turns tell their median well? Only how they spread counts, not what they say."""
    if len(starts) < LEAST_STARTS:
        return False
    found = ratio_of_turns(case, starts, against_both)
    return found["high"] - found["low"] <= 2 * NARROW * found["ratio"]


def measure_starts(case, measure, most_turns):
    """What measure(turns) gives, start after start, until there are enough, or most_turns."""
    starts, left = [], most_turns
    while left > 0 and not enough(case, starts):
        starts.append(measure(min(left, -(-most_turns // STARTS))))
        left -= len(starts[-1])
    return starts


def measure_once(case, first_command, second_command, turns, second_options):
    """Turns of the first job, the second, and the first once more as processes of their own, all started for them."""
    with contextlib.ExitStack() as running:
        jobs = [running.enter_context(Job(command, case.processes, options))  # they load side by side; nothing is timed yet
                for command, options in ((first_command, ()), (second_command, second_options), (first_command, ()))]
        for job in jobs:
            job.started()
        for job in jobs:
            job.run(WARM_UP_STEPS)
        return [measure_turn(case, jobs, swapped=i % 2 == 1) for i in range(turns)]


def both_ratios(case, starts, work):
    """The second over the first, and the first over itself."""
    return ratio_of_turns(case, starts, against_both, work), ratio_of_turns(case, starts, against_itself)


def compare(case, first_command, second_command, most_turns, work=1.0, second_options=()):
    """The second job, served with options, over the first, and the first over itself, as ratio_of_pairs gives them."""
    starts = measure_starts(
        case, lambda turns: measure_once(case, first_command, second_command, turns, second_options), most_turns)
    return both_ratios(case, starts, work)

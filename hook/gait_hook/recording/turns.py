"""Steps in turns with another job's: `gait verify --ab` says how many to take, and waits for what they took.

Two named pipes in the job's folder. Into `ask` goes a line per turn: steps that were timed (0 before the first turn), their ns, the
number of the last one, steps that should not be timed after a pause, the peak of memory in bytes, and what it is of. Out of `answer`
comes how many steps of the next turn are timed, and how many before these are not. While it is the other job's turn, this one only reads.
0, or a pipe without a writer: there is no next turn. A line that begins with "!" says why there are no turns at all.
"""
import os
from time import perf_counter_ns

from . import peak_memory

TAKER = "taker"  # the file of the one process that takes turns
SEVERAL_RANKS = ("it has several ranks, which wait for one another in their steps; record both (gait record) and compare the recordings: "
                 "gait verify A B")
JOB_PROFILES = "it uses a profiler itself; turn that off for the comparison"
SECOND_PROCESS = "a second process of it trains too"


class Refused(Exception):
    """Why this process takes no turns."""


class Turns:
    def __init__(self, folder, device, at, skip):
        """at(): the number of the last step; skip(): steps after a pause that should not be timed. OSError: nobody is there to take turns with."""
        _claim(folder)
        self._ask = _open(os.path.join(folder, "ask"), os.O_WRONLY, "w")
        self._answer = _open(os.path.join(folder, "answer"), os.O_RDONLY, "r")
        self._device, self._at, self._skip = device, at, skip
        self._timed = self._skipped = 0  # steps of this turn
        self.again()

    def begin(self):
        """After the warm-up. False: there is no turn."""
        peak_memory.begin()
        return self._wait()

    def again(self):
        """This turn from its beginning: what was timed of it does not count."""
        self._count = self._ns = 0

    def step(self, ns):
        """A step took so long. Waits where it was the turn's last. False: there is no next turn."""
        self._count += 1
        if self._count < self._skipped:
            return True
        if self._count == self._skipped:
            _synchronise(self._device)  # what a device still has to do of these is not timed
            return True
        self._ns += ns
        if self._count < self._skipped + self._timed:
            return True
        self._ns += _synchronise(self._device)
        return self._wait()

    def _wait(self):
        try:
            self._ask.write("%d %d %d %d %d %s\n" % (self._timed, self._ns, self._at(), self._skip(), *peak_memory.peak(self._device)))
            self._timed, self._skipped = map(int, self._answer.readline().split())
        except (OSError, ValueError):  # nobody reads, or writes, any more
            self._timed = self._skipped = 0
        self.again()
        return self._timed > 0


def refuse(folder, why):
    """The program need not wait for this job. Never raises."""
    try:
        pipe = os.open(os.path.join(folder, "ask"), os.O_WRONLY | os.O_NONBLOCK)
        os.write(pipe, ("! %s\n" % why.replace("\n", " ")[:400]).encode(errors="replace"))
        os.close(pipe)
    except OSError:
        pass


def _open(path, flags, mode):
    """Without waiting for the other end: the program may be gone."""
    pipe = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(pipe, True)
    return open(pipe, mode, buffering=1)


def _claim(folder):
    try:
        os.close(os.open(os.path.join(folder, TAKER), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise Refused(SECOND_PROCESS) from None


def _synchronise(device):
    """ns that the device still had to do."""
    if device is None or device.type == "cpu":
        return 0
    import torch

    begin = perf_counter_ns()
    if device.type == "mps":
        torch.mps.synchronize()
    elif device.type in ("cuda", "xpu"):
        getattr(torch, device.type).synchronize(device)
    return perf_counter_ns() - begin

"""How many CPUs other programs took from the job: what the CPUs that it may use were busy, less what its own processes ran.

The kernel counts in ticks of 10 ms: of a step it would tell nothing, so it is asked once a round. The job's own processes are those
below the first one that was started with our folder: a launcher, the ranks, workers of loaders. Linux only.
"""
import os
from time import monotonic

from ..control_groups import read
from ..cores import cpus_and_cores

BUSY = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq; what a virtual machine's host took away is not told by whom
PARENT, TIMES = 1, slice(11, 15)  # of the fields behind the name: user and system time, its own and of children that have ended


def _fields(root, pid):
    return read(root, "proc", str(pid), "stat").rpartition(")")[2].split()


def _first_process(root, pid, folder):
    """The process from which the job's others come: up from this one as long as our folder is in the environment."""
    mark = b"GAIT_RECORD_DIR=" + os.fsencode(folder)
    while True:
        parent = int(_fields(root, pid)[PARENT])
        try:
            with open(os.path.join(root, "proc", str(parent), "environ"), "rb") as f:
                if mark not in f.read().split(b"\0"):
                    return pid
        except OSError:
            return pid
        pid = parent


def _children(root, pid):
    tasks = os.path.join(root, "proc", str(pid), "task")
    return [int(child) for task in os.listdir(tasks) for child in read(tasks, task, "children").split()]


def _own_ticks(root, pid):
    """Of a process and all below it; one that ends meanwhile is in its parent's."""
    try:
        ticks = sum(int(x) for x in _fields(root, pid)[TIMES])
        return ticks + sum(_own_ticks(root, child) for child in _children(root, pid))
    except OSError:
        return 0


def _busy_ticks(root, cpus):
    names = {"cpu%d" % cpu for cpu in cpus}
    rows = [line.split() for line in read(root, "proc", "stat").splitlines()]
    return sum(int(row[1 + i]) for row in rows if row[0] in names for i in BUSY)


class OtherPrograms:
    def __init__(self, folder, root="/", pid=None):
        self._root, self._before = root, None
        try:
            self._first = _first_process(root, pid or os.getpid(), folder)
            _children(root, self._first)  # a kernel may not tell
        except (OSError, ValueError, IndexError):
            self._first = None

    def begin(self):
        self._before = self._now()

    def cpus(self):
        """That they took, on average since begin(), of those that the job may use; None: not known."""
        before, now = self._before, self._now()
        if before is None or now is None or now[0] <= before[0] or now[3] != before[3]:
            return None
        seconds, busy, own = (b - a for a, b in zip(before[:3], now[:3]))
        if own < 0:  # what has ended is counted by its parent, unless that was none of the job's
            return None
        spare = len(now[3]) - (cpus_and_cores(self._root, now[3])[0] or 0)  # a quota leaves CPUs to others
        return max(0.0, (busy - own) / os.sysconf("SC_CLK_TCK") / seconds - spare)

    def _now(self):
        """(seconds, ticks of all, ticks of the job, its CPUs), or None."""
        if self._first is None:
            return None
        try:
            cpus = os.sched_getaffinity(0)
            return monotonic(), _busy_ticks(self._root, cpus), _own_ticks(self._root, self._first), cpus
        except (AttributeError, OSError, ValueError, IndexError):
            return None

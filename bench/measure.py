"""One process measured: wall, CPU and peak memory; medians over interleaved rounds."""
import os
import statistics
import subprocess
import tempfile
import time

OUTPUT_MAX = 1 << 16


class Failed(Exception):
    """The command did not end well; its text says how."""


class Sample:
    """One run of a command."""

    def __init__(self, wall_s, usage, output="", output_bytes=0):
        self.wall_s, self.output, self.output_bytes = wall_s, output, output_bytes
        self.cpu_s = usage.ru_utime + usage.ru_stime
        # Linux counts what the parent held when it forked: callers keep this script small.
        self.rss_mib = usage.ru_maxrss / 1024


def run(command, folder=None):
    """Runs it once. Its output goes to a file in folder (default: TMPDIR) and the begin of it into the sample, its errors
    into the exception."""
    start = time.monotonic()
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.monotonic() - start
        output_bytes = out.seek(0, 2)
        out.seek(0)
        err.seek(0)
        output, errors = (f.read(OUTPUT_MAX).decode(errors="replace") for f in (out, err))
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise Failed(f"exit {child.returncode}: {(errors.strip() or '?').splitlines()[-1]}")
    return Sample(wall_s, usage, output, output_bytes)


class Contestant:
    """A command, what it reads, and its samples; .why says why there are none."""

    def __init__(self, name, command, text_bytes, why=None, rounds=None):
        self.name, self.command, self.text_bytes = name, command, text_bytes
        self.why, self.samples, self.rounds = why, [], rounds

    def take(self):
        if self.why:
            return
        try:
            self.samples.append(run(self.command))
        except (Failed, OSError) as e:
            self.why, self.samples = str(e), []

    def median(self, what):
        return statistics.median(getattr(s, what) for s in self.samples) if self.samples else None

    def spread(self, what):
        """Half the distance of the quartiles over the median."""
        values = [getattr(s, what) for s in self.samples]
        if len(values) < 2:
            return 0.0
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        return (high - low) / 2 / statistics.median(values)

    def peak_mib(self):
        return max(s.rss_mib for s in self.samples) if self.samples else None


def interleave(contestants, rounds):
    """A B C, A B C, …: what the machine does in between hits all alike."""
    for i in range(rounds):
        for c in contestants:
            if c.rounds is None or i < c.rounds:
                c.take()


def table(contestants):
    print(f"{'':44} {'wall s':>8} {'CPU s':>8} {'±':>6} {'GB/s core':>10} {'peak MiB':>9}")
    for c in contestants:
        if not c.samples:
            print(f"{c.name:44} absent: {c.why}")
            continue
        cpu_s = c.median("cpu_s")
        print(f"{c.name:44} {c.median('wall_s'):8.3f} {cpu_s:8.3f} {c.spread('cpu_s'):6.1%} "
              f"{c.text_bytes / cpu_s / 1e9:10.3f} {c.peak_mib():9.0f}")


def ratio(slow, fast, what="cpu_s"):
    """How many times longer `slow` takes, or None."""
    if not slow.samples or not fast.samples:
        return None
    return round(slow.median(what) / fast.median(what), 3)


def rate_gb_per_s(c):
    return round(c.text_bytes / c.median("cpu_s") / 1e9, 4) if c.samples else None

#!/usr/bin/env python3
"""What a step takes, by the host's marks and by the device: an independent reading of raw traces.

    tests/expert/step_time.py TRACE…

host        pace of the marked steps: their median, or their mean where long ones keep coming back
completion  median distance of the ends of what each marked step launched
recurring   median period of the kernels that come about once a marked step
"""
import statistics
import sys
from collections import defaultdict

from raw import Trace

REGULAR = 0.1  # distances of a recurring kernel lie within so much of their median
RECURRING_MIN = 5  # kernels
SLOWER = 1.01  # less is not told from noise


def median(values):
    return statistics.median(values) if values else None


LONG = 1.5  # times the median: a long step


def pace(values):
    """The median behind the warm-up; the mean where long steps keep coming back: a tenth of all, in three places or more."""
    middle, rest = median(values), values
    while rest and rest[0] > LONG * middle:
        rest = rest[1:]
    if 2 * sum(abs(v - median(rest)) <= median(rest) / 2 for v in rest) > len(rest):
        values, middle = rest, median(rest)
    late = [v > LONG * middle for v in values]
    places = sum(1 for a, b in zip(late, late[1:]) if b and not a)
    return statistics.mean(values) if places >= 3 and 10 * sum(late) >= len(values) else middle


def host(marks):
    return pace([m.dur for m in marks]) if marks else None


def device_ends(trace, marks):
    """When the last work that each marked step launched was done; None where it launched none."""
    ends = [None] * len(marks)
    for work in trace.device:
        call = trace.launch(work)
        if call:
            for k, mark in enumerate(marks):
                if mark.begin <= call.begin < mark.end:
                    ends[k] = max(ends[k] or 0, work.end)
    return ends


def behind(trace, marks):
    """Was the device, in most steps, still at work when the host had passed them?"""
    late = sum(1 for end, mark in zip(device_ends(trace, marks), marks) if end and end > mark.end)
    return 2 * late > len(marks)


def completion(trace, marks):
    ends = device_ends(trace, marks)
    return median([b - a for a, b in zip(ends, ends[1:]) if a and b])


def recurring(trace, marks):
    """Kernels of one name on one stream whose begins are regular and about as many as steps."""
    begins = defaultdict(list)
    for work in trace.device:
        if work.cat == "kernel":
            begins[work.name, work.pid, work.tid].append(work.begin)
    periods = []
    for times in begins.values():
        steps = [b - a for a, b in zip(times, times[1:])]
        if len(steps) < 2 or not len(marks) - 1 <= len(times) <= 2 * len(marks) + 1:
            continue
        middle = median(steps)
        if middle and max(abs(s - middle) for s in steps) <= REGULAR * middle:
            periods.append(middle)
    return median(periods), len(periods)


def step_of(trace):
    """The step in µs and whose clock it is by, or None: the host's median mark, or what the device takes where it is behind and slower."""
    marks = trace.marks()
    if not marks:
        return None
    period, kernels = recurring(trace, marks)
    device = period if kernels >= RECURRING_MIN else completion(trace, marks)
    if device and device > SLOWER * host(marks) and behind(trace, marks):
        return device, "device"
    return host(marks), "host"


def main():
    print(f"{'host':>10} {'completion':>10} {'recurring':>10} {'kernels':>7} {'steps':>5}  trace   (ms)")
    for path in sys.argv[1:]:
        try:
            trace = Trace(path)
        except (ValueError, KeyError, TypeError) as e:
            print(f"{path}: {e}")
            continue
        marks = trace.marks()
        period, kernels = recurring(trace, marks)
        shown = [f"{v / 1e3:10.3f}" if v else f"{'-':>10}" for v in (host(marks), completion(trace, marks), period)]
        print(*shown, f"{kernels:7} {len(marks):5}  {path}", flush=True)


if __name__ == "__main__":
    main()
